"""Times to an event in a table: a column of times, and one that says who had the event."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.plurals import counted
from tlpo.problem.outcome import TimeToEvent
from tlpo.problem.times import likely, may_compete, other_events, read_events, require_events
from tlpo.tables.columns import as_text, kinds_of, plain_code, require_column
from tlpo.tables.followup import is_short_of_time
from tlpo.tables.followup_words import (
    ANY_TIME,
    ENDED,
    EVENTS,
    SHORT_TIMES,
    SURVIVALS,
    TIMES,
    TIMES_TO,
    is_followup,
    is_time_to,
    keys_of_status,
    keys_of_time,
    plain_words,
)
from tlpo.tables.options import Specification
from tlpo.tables.outcomes import as_numbers
from tlpo.tables.words import set_of

if TYPE_CHECKING:
    import pandas as pd

_EQUALS = re.compile(r"==?")
_COUNTS = {3: "three", 4: "four", 5: "five"}
# Words that say so without others.
_SUFFICIENT = (ANY_TIME | TIMES_TO | SURVIVALS) - set_of("mos yrs dur")
# What else the name of a time to an event may say.
_MEANWHILE = set_of(
    "to of until till bis de in the and or last contact visit seen follow up overall free disease"
)
# "months from diagnosis" ended when it began; "from diagnosis to death" did not.
_FROM, _TO = set_of("from since"), set_of("to until till")
_STARTS = set_of(
    "diagnosis surgery operation randomization randomisation inclusion entry treatment"
)
_HAPPENED = EVENTS | set_of(
    "status events dead died death censor censored cens fustat fstat relapse relapsed recurred "
    "progressed deceased tod verstorben kuollut"
)
_STATUS = re.compile(rf"(?:.*[_ .-])?(?:{'|'.join(sorted(_HAPPENED))})(?:[_ .-].*)?")


class Event(NamedTuple):
    """The column that says who had the event and, if it was said, which value means it."""

    column: str
    value: str | None = None


def find_event(table: pd.DataFrame, asked: str) -> Event:
    """Return the column that is meant: a name, or a condition such as ``"status == 2"``.

    Examples
    --------
    >>> import pandas as pd
    >>> find_event(pd.DataFrame({"status": [1, 2]}), "status == 2")
    Event(column='status', value='2')
    """
    if asked not in table.columns:
        for mark in reversed(list(_EQUALS.finditer(asked))):
            column, value = asked[: mark.start()].strip(), asked[mark.end() :].strip()
            if column in table.columns and value:
                return Event(column, value)
    require_column(table, asked)
    return Event(asked)


def read_survival(
    table: pd.DataFrame, event: Event, filled: BoolArray, spec: Specification
) -> TimeToEvent:
    """Return times and events of the filled rows."""
    assert spec.time is not None
    if event.column == spec.time:
        raise InputError(
            explain(
                "Times and events are two columns.",
                f"You passed {arg('time', spec.time)} and {arg('event', event.column)}.",
                "Name the column that says who had the event, such as a status.",
            )
        )
    time = read_durations(table[spec.time], filled, spec.time)
    happened, coding = _read_column(table[event.column][filled], event)
    outcome = TimeToEvent(time, happened, None, coding)
    require_patients(outcome, event, table[event.column][filled])
    return outcome


def require_patients(outcome: TimeToEvent, event: Event, column: pd.Series) -> None:
    """Refuse times that order nobody, in terms of the column of events."""
    codes = np.array(list(map(plain_code, as_text(column).tolist())))
    shown = enumerate_briefly(sorted(set(codes.tolist())))
    asked = event.column if event.value is None else f"{event.column} == {event.value}"
    censored, turned = sorted(set(codes[~outcome.event].tolist())), ""
    if len(censored) == 1:
        turned = f"pass {arg('event', f'{event.column} == {censored[0]}')}"
    passed = f"{arg('event', asked)}, which holds {shown}: "
    require_events(outcome, passed, "patient", turned)


def codes_of(column: pd.Series, happened: BoolArray) -> dict[str, bool]:
    """Return the values of a column of events, and whether each means the event.

    Examples
    --------
    >>> import pandas as pd
    >>> codes_of(pd.Series([1.0, 2.0]), np.array([False, True]))
    {'1': False, '2': True}
    """
    texts = map(plain_code, as_text(column).tolist())
    return dict(sorted(zip(texts, happened.tolist(), strict=True)))


def read_again(
    column: pd.Series, value: str | None, codes: Mapping[str, bool]
) -> tuple[BoolArray, str]:
    """Return who had the event and how that is said, coded as in an earlier table.

    Parameters
    ----------
    column : Series
        Without gaps.
    value : str or None
        What means the event; everything else is then censored.
    codes : mapping of str to bool
        Otherwise, what `codes_of` returned earlier.
    """
    name = str(column.name)
    if value is not None:
        return _read_column(column, Event(name, value))
    found = [plain_code(text) for text in as_text(column).tolist()]
    unknown = sorted({code for code in found if code not in codes})
    if unknown:
        raise InputError(
            explain(
                "The event has codes that development did not have.",
                f"You passed {arg('event', name)} with {enumerate_briefly(unknown)}; the codes "
                f"were {enumerate_briefly(list(codes))}.",
                "Code it as in development, or say which value is the event, for example "
                f"{arg('event', f'{name} == {unknown[-1]}')}.",
            )
        )
    return np.array([codes[code] for code in found], dtype=bool), ""


def say_times(outcome: TimeToEvent, event: Event, time: str) -> str:
    """Say how times and events were understood."""
    coding = f" ({outcome.coding})" if outcome.coding else ""
    censored = outcome.n_units - outcome.n_events
    return (
        f"The outcome is the time {time!r} to {event.column!r}{coding}: {outcome.n_events} had the "
        f"event, {censored} were censored. Of two patients, the one with the earlier event should "
        "rank higher."
    )


def find_time_column(
    columns: Any, target: str, suspected: Collection[str] | None = None
) -> str | None:
    """Return the column of times that seems to belong to an outcome such as "died", or None.

    Names such as OS mean other things too: ``suspected`` are the columns whose values were looked
    at, if they were.

    Examples
    --------
    >>> find_time_column(["age", "months", "died"], "died"), find_time_column(["time"], "sex")
    ('months', None)
    >>> find_time_column(["age", "pgtime"], "pgstat"), find_time_column(["PFS (mo)"], "progressed")
    ('pgtime', 'PFS (mo)')
    >>> find_time_column(["years of education", "Months_from_Diagnosis", "sleep time"], "died")
    """
    names = [name for name in map(str, columns) if name != target]
    if suspected is not None:
        names = [name for name in names if name in suspected or not is_short_of_time(name)]
    keys = keys_of_status(target)
    beside = [name for name in names if keys & keys_of_time(name)]
    if beside or not is_event(target):
        return next(iter(beside), None)
    return next((name for name in names if _is_followed_for(name)), None)


def is_event(name: str) -> bool:
    """Return whether a name is that of an event that ends follow-up.

    Examples
    --------
    >>> is_event("death"), is_event("Relapse status"), is_event("delta"), is_event("PFS")
    (True, True, True, True)
    >>> is_event("diagnosis"), is_event("delta CRP")
    (False, False)
    """
    alone = "".join(plain_words(name)) in ENDED | TIMES_TO | SURVIVALS
    return alone or _STATUS.fullmatch(name.lower()) is not None


def _is_followed_for(name: str) -> bool:
    """Return whether a name is made of words for a time to an event and of no others."""
    words = set(plain_words(name))
    if words & _FROM and words & _TO:
        words -= _FROM | _STARTS
    elif is_time_to(name) and not words & (_TO | {"los", "stay"}):
        return True
    followed = {word for word in words if word in _SUFFICIENT or is_followup(word)}
    known = followed | TIMES | SHORT_TIMES | _MEANWHILE | _HAPPENED
    return bool(followed or {"follow", "up"} <= words) and words <= known


def read_durations(column: pd.Series, filled: BoolArray, name: str) -> FloatArray:
    """Return the times of the filled rows."""
    values = as_numbers(column, filled)
    if values is None:
        kept = column[filled]
        kind, _ = kinds_of(kept.to_frame(), [name])[name]
        texts = enumerate_briefly(sorted(set(as_text(kept).tolist())), 3)
        what = "dates" if kind == "date" else "no numbers"
        raise InputError(
            explain(
                "The column of times must hold numbers, such as days or months.",
                f"You passed {arg('time', name)}, which holds {what}: {texts}.",
                "Add a column with the time from inclusion to the event or the last visit."
                if kind == "date"
                else "Write numbers only, without a unit, or choose another column.",
            )
        )
    found = np.asarray(values[filled], dtype=np.float64)
    for is_odd, what in ((found < 0, "negative"), (np.isinf(found), "infinite")):
        if is_odd.any():
            rows = np.flatnonzero(filled)[is_odd] + 1
            raise InputError(
                explain(
                    f"Times count from inclusion and cannot be {what}.",
                    f"You passed {arg('time', name)}, which is {what} in "
                    f"{counted(rows.size, 'row')} ({enumerate_briefly(rows)}).",
                    "Correct these cells, or clear them to leave the rows out.",
                )
            )
    return found


def _read_column(column: pd.Series, event: Event) -> tuple[BoolArray, str]:
    texts = as_text(column)
    if event.value is not None:
        wanted = plain_code(event.value)
        happened = np.array([plain_code(text) == wanted for text in texts.tolist()])
        if not happened.any():
            raise InputError(
                explain(
                    "The column of the event has no such value.",
                    f"You passed {arg('event', f'{event.column} == {event.value}')}; it holds "
                    f"{enumerate_briefly(sorted(set(texts.tolist())))}.",
                    "Pass one of these.",
                )
            )
        return happened, f"{event.value} is the event"
    numbers = as_numbers(column, np.ones(len(column), dtype=bool))
    codes = sorted(set(texts.tolist()))
    try:
        return read_events(texts if numbers is None else numbers)
    except InputError as error:
        competing = may_compete(codes)
        example = f"{event.column} == {likely(codes) if competing else codes[-1]}"
        raise InputError(
            explain(
                "There may be a competing event: the column of the event has "
                f"{_COUNTS[len(codes)]} codes."
                if competing
                else "Nothing says which value of the column is the event.",
                f"You passed {arg('event', event.column)}, which holds {enumerate_briefly(codes)}.",
                f"Say which is the event, for example {arg('event', example)}"
                + (
                    f"; patients with {other_events(codes)} are then censored when it happened."
                    if competing
                    else "."
                ),
            )
        ) from error
