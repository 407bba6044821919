"""Times and events of any type become a `TimeToEvent`, or an error that says why not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain, unboxed
from tlpo.problem.labels import LARGER, SORTED, choose_positive, missing, object_safe, says_no
from tlpo.problem.outcome import TimeToEvent

# Of units followed longest, so many share the last time where follow-up ended by plan.
ENDED_TOGETHER = 3
# What is called like this may mark censored units instead of events.
_OPPOSITE = re.compile(r"(?:.*[_ .-])?(?:cens\w*|alive|living|survived|lebt|elossa)(?:[_ .-].*)?")
_DATE = re.compile(r"\s*(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})(?!\d).*")
# More words than this are no codes of events that compete.
MOST_COMPETING = 5


def may_mean_opposite(name: str) -> bool:
    """Return whether a name may mark those who did not have the event.

    Examples
    --------
    >>> may_mean_opposite("Censored"), may_mean_opposite("died")
    (True, False)
    """
    return _OPPOSITE.fullmatch(name.lower()) is not None


def count_last_events(time: FloatArray, event: BoolArray) -> int:
    """Return how many share the last time if all of these count as events, and others do not.

    Where follow-up ended by plan, those followed longest are censored: events may be reversed.
    0 if nothing looks like that.

    Examples
    --------
    >>> import numpy as np
    >>> time, event = np.array([1.0, 2.0, 5.0, 5.0, 5.0]), np.arange(5) < 2
    >>> count_last_events(time, event), count_last_events(time, ~event)
    (0, 3)
    """
    last = time == time.max()
    n_last = int(last.sum())
    return n_last if n_last >= ENDED_TOGETHER and event[last].all() and not event.all() else 0


def has_times(y: Any) -> bool:
    """Return whether y is an array of times and events, as scikit-survival's models take it."""
    return getattr(getattr(y, "dtype", None), "names", None) is not None


def time_to_event(time: Any, event: Any) -> npt.NDArray[Any]:
    """Join times and events into one array, which survival models are fitted on.

    Parameters
    ----------
    time : array-like of shape (m,)
        When a unit had the event, or was last known to be without it.
    event : array-like of shape (m,)
        Whether it had the event: True or 1, and False or 0 for censored units. A status of 1 and 2
        is read as in R: 2 is the event. Words such as "dead" and "alive" are understood.

    Returns
    -------
    ndarray of shape (m,) with fields ``event`` and ``time``
        Accepted as y by every function of this package that evaluates a model, and by
        scikit-survival.

    Examples
    --------
    >>> import tlpo
    >>> tlpo.time_to_event([5, 8, 2], [True, False, True])
    array([( True, 5.), (False, 8.), ( True, 2.)],
          dtype=[('event', '?'), ('time', '<f8')])
    """
    return read_times(time, event, None).structured


def read_structured(y: npt.NDArray[Any], unit_names: Any) -> TimeToEvent:
    """Read an array with a field of events and one of times."""
    names = y.dtype.names or ()
    events = [name for name in names if y.dtype[name].kind == "b"]
    if len(names) != 2 or len(events) != 1:
        raise InputError(
            explain(
                "y must have two fields: whether a unit had the event, and when.",
                f"You passed an array with the fields {enumerate_briefly(list(names))}.",
                f"For example y=tlpo.{time_to_event.__name__}(time, event).",
            )
        )
    (event,) = events
    (time,) = (name for name in names if name != event)
    return read_times(y[time], y[event], unit_names)


def read_times(time: Any, event: Any, unit_names: Any) -> TimeToEvent:
    """Read times and whether they are those of events.

    Examples
    --------
    >>> read_times([5, 8, 2, 8], [1, 2, 2, 1], None).count
    '4 units, 2 events (2 is the event), times from 2 to 8'
    """
    times = _read_durations(time)
    events, coding = read_events(event)
    if times.size != events.size:
        raise InputError(
            explain(
                f"{arg('time')} and {arg('event')} must describe the same units.",
                f"You passed {times.size} times and {events.size} events.",
                "Check that neither was filtered without the other.",
            )
        )
    name = getattr(event, "name", None)
    called = name if isinstance(name, str) else ""
    found = TimeToEvent(times, events, unit_names, coding, called)
    censored = {unboxed(code) for code in object_safe(event).ravel()[~events].tolist()}
    turned = ""
    if len(censored) == 1:
        (code,) = censored
        shown = repr(code) if isinstance(code, str) else f"{code:g}"
        turned = f"pass {arg('event')}=(status == {shown})"
    require_events(found, turned=turned)
    return found


def require_events(
    outcome: TimeToEvent, passed: str = "", unit: str = "unit", turned: str = ""
) -> None:
    """Refuse times that order nobody.

    Parameters
    ----------
    outcome : TimeToEvent
        The times.
    passed : str
        What was passed, before the count.
    unit : str
        What a unit is called.
    turned : str
        What to do if the event is reversed, where that can be said.
    """
    if outcome.n_ordered:
        return
    given = f"You passed no {unit}s at all."
    if outcome.n_units:
        given = f"You passed {passed}{outcome.count.replace('unit', unit, 1)}."
    if not outcome.n_events:
        raise InputError(
            explain(
                f"No {unit} had the event.",
                given,
                f"Check how {arg('event')} is coded: it must be true for {unit}s that had the "
                "event.",
            )
        )
    other = TimeToEvent(outcome.time, ~outcome.event)
    hint = f" If these were censored instead, {turned}." if turned and other.n_ordered else ""
    raise InputError(
        explain(
            f"No {unit} outlived one that had the event, so no two {unit}s can be ordered.",
            given,
            f"Check times and events; events must not all come last.{hint}",
        )
    )


def _read_durations(time: Any) -> FloatArray:
    values = _one_column("time", time)
    kind = _kind_of_time(values)
    if kind:
        is_length = kind == "lengths of time"
        shown = values.astype("m8[s]").tolist() if is_length else values.astype(str)
        raise InputError(
            explain(
                f"{arg('time')} must be numbers, such as days or months.",
                f"You passed {kind}: {enumerate_briefly(list(map(str, shown)))}.",
                "Convert them, for example with .dt.days."
                if is_length
                else "Pass the time from inclusion to the event or the last visit, for example "
                "(end - start).dt.days.",
            )
        )
    try:
        if any(isinstance(v, bool | complex | bytes) for v in map(unboxed, values.tolist())):
            raise ValueError
        found = values.astype(np.float64)
        if np.isnan(found).any():  # the text "nan", which is no missing value
            raise ValueError
    except (TypeError, ValueError) as error:
        is_date = all(isinstance(v, str) and _DATE.fullmatch(v) for v in values.tolist())
        raise InputError(
            explain(
                f"{arg('time')} must be numbers, such as days or months.",
                f"You passed {'dates as text: ' if is_date else ''}{enumerate_briefly(values)}.",
                "Pass the time from inclusion to the event or the last visit"
                + (
                    ", for example (pd.to_datetime(end) - pd.to_datetime(start)).dt.days."
                    if is_date
                    else "."
                ),
            )
        ) from error
    for is_odd, what in ((np.isinf(found), "infinite"), (found < 0, "negative")):
        if is_odd.any():
            where = np.flatnonzero(is_odd)
            raise InputError(
                explain(
                    f"{arg('time')} has {what} values.",
                    f"You passed {enumerate_briefly(found[where])} (index "
                    f"{enumerate_briefly(where)}).",
                    "Times count from inclusion: correct them, or drop these units.",
                )
            )
    return found


def _kind_of_time(values: npt.NDArray[Any]) -> str:
    """Say what values are that measure time, but not in numbers; nothing for all others."""
    first = next(iter(values[:1]), 0.0)
    if isinstance(first, np.timedelta64) or hasattr(first, "total_seconds"):
        return "lengths of time"
    return "dates" if isinstance(first, np.datetime64) or hasattr(first, "isoformat") else ""


def read_events(event: Any) -> tuple[BoolArray, str]:
    """Return who had the event and, where it must be said, what marked it.

    Examples
    --------
    >>> read_events(["alive", "dead"])
    (array([False,  True]), "'dead' is the event")
    >>> read_events([2, 1, 1])
    (array([ True, False, False]), '2 is the event')
    """
    values = _one_column("event", event)
    codes = list(dict.fromkeys(map(unboxed, values.tolist())))
    if all(isinstance(code, bool | int | float) for code in codes):
        return _read_status(values.astype(np.float64), sorted(codes))
    if all(isinstance(code, str) for code in codes):
        if len(codes) in (1, 2):
            return _read_words(values, sorted(codes))
        if may_compete(codes):
            raise InputError(
                explain(
                    f"{arg('event')} has {len(codes)} values, so there may be a competing event.",
                    f"You passed {enumerate_briefly(codes)}.",
                    f"Say which is the event, for example event=(status == {likely(codes)!r}); "
                    f"units with {other_events(codes)} are then censored when it happened.",
                )
            )
    raise _unclear(codes)


def may_compete(codes: list[str]) -> bool:
    """Return whether words or numbers as text may mean one event, another, and neither."""
    return 3 <= len(codes) <= MOST_COMPETING


def other_events(codes: list[str]) -> str:
    """Name what may compete with an event."""
    return "the other event" if len(codes) == 3 else "another event"


def likely(codes: list[str]) -> str:
    """Return the last of some words, in their order, that does not say there was no event.

    Examples
    --------
    >>> likely(["relapse", "death", "survived"]), likely(["0", "1", "2"])
    ('relapse', '1')
    """
    codes = sorted(codes)
    if codes == ["0", "1", "2"]:
        return "1"
    return next((code for code in reversed(codes) if not says_no(code)), codes[-1])


def _read_status(values: FloatArray, codes: list[Any]) -> tuple[BoolArray, str]:
    """Read numbers: 0 and 1, or R's 1 and 2."""
    if set(codes) <= {0, 1}:
        return values == 1, ""
    if set(codes) == {1, 2}:
        return values == 2, "2 is the event"
    if set(codes) == {0, 1, 2}:
        raise InputError(
            explain(
                f"{arg('event')} has three codes, so there may be a competing event.",
                "You passed 0, 1 and 2.",
                "Say which is the event, for example event=(status == 1); units with the other "
                "event are then censored when it happened.",
            )
        )
    raise _unclear(codes)


def _read_words(values: npt.NDArray[Any], codes: list[str]) -> tuple[BoolArray, str]:
    """Read words that everyone reads alike."""
    chosen, why = choose_positive(*(codes if len(codes) == 2 else (codes[0], "censored")))
    numbers = {code.strip() for code in codes}
    if why in (SORTED, LARGER):
        if numbers <= {"0", "1"} or numbers == {"1", "2"}:
            return _read_status(values.astype(np.float64), sorted(map(float, numbers)))
        raise _unclear(codes)
    return np.asarray(values == chosen), f"{chosen!r} is the event" if chosen in codes else ""


def _unclear(codes: list[Any]) -> InputError:
    return InputError(
        explain(
            f"Nothing says which value of {arg('event')} is the event.",
            f"You passed {enumerate_briefly(codes)}.",
            "Pass True for units that had the event and False for those that were censored, for "
            "example event=(status == 'dead').",
        )
    )


def _one_column(name: str, given: Any) -> npt.NDArray[Any]:
    values = object_safe(given)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            explain(
                f"{arg(name)} must have one value per unit.",
                f"You passed an array of shape {values.shape}.",
                "Pass one column.",
            )
        )
    absent = missing(values)
    if absent.any():
        raise InputError(
            explain(
                f"{arg(name)} has missing values.",
                f"You passed {values.size} values, {np.count_nonzero(absent)} of them missing "
                f"(index {enumerate_briefly(np.flatnonzero(absent))}).",
                "Drop these units from X, time and event.",
            )
        )
    return values
