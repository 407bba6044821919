"""Columns of follow-up: how long patients were followed, and what ended it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.tables.followup_words import (
    ANY_TIME,
    ENDED,
    ENDS,
    SURVIVALS,
    keys_of_status,
    keys_of_time,
    without,
)
from tlpo.tables.words import words_of

if TYPE_CHECKING:
    import pandas as pd

# The other eye than OS.
_OTHER_EYE = "od"
# Books call a time t1 and its event d1: so many letters may follow.
_SHORT = 2
# A time takes more values than a grade or a score from 0 to 10.
_MANY = 12
# With more gaps than this share, it is no accident that two columns have the same.
_MANY_GAPS = 0.2
# How often chance may put one column below another in all rows.
_CHANCE = 1e-4


def times_beside_status(columns: Sequence[str]) -> set[str]:
    """Return columns of a time, and of what ended it, that are named alike.

    Examples
    --------
    >>> sorted(times_beside_status(["age", "ptime", "pstat", "OS", "OS_event", "time of day"]))
    ['OS', 'OS_event', 'pstat', 'ptime']
    >>> sorted(times_beside_status(["rectime", "censrec", "dayslink", "linkstatus", "event"]))
    ['censrec', 'dayslink', 'linkstatus', 'rectime']
    >>> sorted(times_beside_status(["PFI", "PFI.time", "sleep", "sleep time"]))
    ['PFI', 'PFI.time']
    >>> times_beside_status(["relapse1", "relapse2"])
    set()
    """
    statuses: dict[tuple[str, bool], set[str]] = {}
    for name in columns:
        for key in keys_of_status(name):
            statuses.setdefault(key, set()).add(name)
    found = set()
    for name in columns:
        beside = {one for key in keys_of_time(name) for one in statuses.get(key, ())} - {name}
        found |= {name, *beside} if beside else set()
    return found


def numbers_beside_status(table: pd.DataFrame) -> set[str]:
    """Return numbers, and a column that says who had the event, that are named alike.

    Their names alone would not do: ``er`` and ``er_status`` are a number and whether it is high.
    So a number must take many values, none below 0, and must not tell the status.

    Examples
    --------
    >>> import pandas as pd
    >>> many = [30, 4, 9, 61, 7, 12, 50, 33, 25, 16, 80, 2, 44]
    >>> yes = [1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0]
    >>> high = [int(x > 20) for x in many]
    >>> columns = {"rel": many, "relstat": yes, "er": many, "er_status": high}
    >>> columns |= {"t1": many, "d1": yes}
    >>> sorted(numbers_beside_status(pd.DataFrame(columns)))
    ['d1', 'rel', 'relstat', 't1']
    """
    names = [str(name) for name in table.columns]
    ends = _ends(names)
    short = {name.lower()[1:]: name for name in names if _is_short(name, "d")}
    found = set()
    for name in names:
        status = ends.get("".join(words_of(name))) if not any(map(str.isdigit, name)) else None
        if status is None and _is_short(name, "t"):
            status = short.get(name.lower()[1:])
        if status not in (None, name) and _is_followed(table[name], table[status]):
            found |= {name, str(status)}
    return found


def ends_of_followup(columns: Iterable[str]) -> set[str]:
    """Return columns that say how follow-up ended, in a table that has one.

    Examples
    --------
    >>> sorted(ends_of_followup(["Recurrence", "status", "smoking status", "prior relapse"]))
    ['Recurrence', 'status']
    """
    return {name for name in columns if "".join(words_of(name)) in ENDED}


def times_within(
    X: pd.DataFrame, followups: Iterable[str], outcome: FloatArray | None = None
) -> set[str]:
    """Return numbers that never exceed how long a patient was followed, or never fall below.

    They are times of what happened meanwhile, or later: chance would hardly put them all there.
    ``outcome`` is the time to the event, if that is the outcome.

    Examples
    --------
    >>> import pandas as pd
    >>> futime = np.tile(np.arange(1.0, 21), 2)
    >>> relapse, grade = np.ceil(0.8 * futime), np.tile([1.0, 2, 3, 4], 10)
    >>> X = pd.DataFrame({"futime": futime, "relapse time": relapse, "grade": grade})
    >>> times_within(X, ["futime"])
    {'relapse time'}
    >>> times_within(X, ["relapse time"])
    {'futime'}
    """
    found: set[str] = set()
    numeric = [str(name) for name, dtype in X.dtypes.items() if dtype.kind == "f"]
    limits = [name for name in followups if name in numeric and X[name].nunique() >= _MANY]
    times = [X[name].to_numpy() for name in limits] + ([] if outcome is None else [outcome])
    for known in times:
        for name in numeric:
            values = X[name].to_numpy()
            if name not in limits and (
                _is_within(values, known, len(numeric)) or _is_within(known, values, len(numeric))
            ):
                found.add(name)
    return found


def is_followed(X: pd.DataFrame, later: Iterable[str]) -> bool:
    """Return whether one of the columns that were known later can be a time."""
    return any(_can_be_time(X[name]) for name in later)


def short_names_of_times(X: pd.DataFrame) -> tuple[set[str], set[str]]:
    """Return numbers called like survival, and those called like any time.

    Beside other follow-up, or if the outcome is an event, the former are times of it. The latter
    may be known beforehand: how long somebody was ill.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({name: np.arange(20.0) for name in ("OS", "duration", "symptom duration")})
    >>> short_names_of_times(X)
    ({'OS'}, {'duration'})
    >>> short_names_of_times(X.assign(OD=1.0))
    (set(), {'duration'})
    """
    joined = {str(name): "".join(words_of(str(name))) for name in X.columns}
    eyes = any(_OTHER_EYE in words_of(name) for name in joined)
    can_be = {name: word for name, word in joined.items() if _can_be_time(X[name])}
    survivals = {name for name, word in can_be.items() if is_short_of_time(name) and not eyes}
    return survivals, {name for name, word in can_be.items() if word in {*ANY_TIME, "t"}}


def is_short_of_time(name: str) -> bool:
    """Return whether a name is an abbreviation of a time to an event that means other things too.

    Examples
    --------
    >>> is_short_of_time("OS"), is_short_of_time("RFI"), is_short_of_time("TTF1")
    (True, True, False)
    """
    return "".join(words_of(name)) in SURVIVALS and not any(map(str.isdigit, name))


def copies_of(X: pd.DataFrame, later: Iterable[str]) -> set[str]:
    """Return numbers that rank patients as one that was known later does, or in reverse.

    The same in other units, rounded or not; both take many values.

    Examples
    --------
    >>> import pandas as pd
    >>> days = np.arange(1.0, 41) ** 2
    >>> X = pd.DataFrame({"RFS": days, "x": (-days / 30.4).round(1), "age": np.roll(days, 1)})
    >>> copies_of(X, ["RFS"])
    {'x'}
    """
    names = [str(name) for name, dtype in X.dtypes.items() if dtype.kind == "f"]
    many = {name: X[name].to_numpy() for name in names if X[name].nunique() >= _MANY}
    known = [name for name in later if name in many]
    return {
        name
        for name, values in many.items()
        if name not in known and any(_rank_alike(values, many[other]) for other in known)
    }


def recorded_with(X: pd.DataFrame, later: Iterable[str]) -> set[str]:
    """Return columns with the same gaps as one that was recorded later, if these are many.

    Examples
    --------
    >>> import pandas as pd
    >>> when, what = [4.0, None, None, 7.0], ["lung", None, None, "bone"]
    >>> X = pd.DataFrame({"relapse time": when, "site": what, "age": [50.0, 61, 48, 70]})
    >>> recorded_with(X, ["relapse time"])
    {'site'}
    """
    gaps = {str(name): X[name].isna().to_numpy() for name in X.columns if X[name].hasnans}
    many = [name for name in later if name in gaps and gaps[name].mean() > _MANY_GAPS]
    return {
        name
        for name, empty in gaps.items()
        if name not in many and any((empty == gaps[other]).all() for other in many)
    }


def _is_within(values: FloatArray, longest: FloatArray, n_columns: int) -> bool:
    known = ~(np.isnan(values) | np.isnan(longest))
    values, longest = values[known], longest[known]
    if not len(values) or (values > longest).any() or len(np.unique(values)) < _MANY:
        return False
    steps = np.sort(longest)
    above = (len(steps) - np.searchsorted(steps, values)) / len(steps)
    return bool(np.log(above).sum() < math.log(_CHANCE / n_columns))


def _rank_alike(some: FloatArray, others: FloatArray) -> bool:
    """Return whether two columns never rank two patients differently, or always do."""
    known = ~(np.isnan(some) | np.isnan(others))
    some, others = some[known], others[known]
    if min(len(np.unique(some)), len(np.unique(others))) < _MANY:
        return False
    return any(
        bool((np.diff(sign * others[np.lexsort((sign * others, some))]) >= 0).all())
        for sign in (1, -1)
    )


def _can_be_time(column: pd.Series) -> bool:
    """Return whether a column takes many values, none of them below 0."""
    return bool(column.dtype.kind in "iuf" and column.nunique() >= _MANY and not (column < 0).any())


def _is_followed(time: pd.Series, status: pd.Series) -> bool:
    """Return whether a column can be a time, and another what ended it."""
    known: BoolArray = (time.notna() & status.notna()).to_numpy()
    if status.nunique() != 2 or not _can_be_time(time[known]):
        return False
    values, happened = time[known].to_numpy(float), status[known] == status[known].max()
    some, others = values[happened], values[~happened]
    if not len(some) or not len(others):
        return False
    return bool(min(some.max(), others.max()) > max(some.min(), others.min()))


def _is_short(name: str, first: str) -> bool:
    return name[:1].lower() == first and 1 < len(name) <= 1 + _SHORT


def _ends(columns: Iterable[str]) -> dict[str, str]:
    """Return columns of what ended a time, by what their names have beside that."""
    return {stem: name for name in columns for stem in without("".join(words_of(name)), ENDS)}
