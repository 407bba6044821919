"""What a statistician would say about an analysis, and what can be done about it.

A remark is data: a code, its statement, and actions. Who shows it words the action in its own
terms: a flag, an argument, a button.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tlpo.errors import enumerate_briefly
from tlpo.plurals import counted


@dataclass(frozen=True)
class Drop:
    """Leave columns out."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Keep the rows of a patient together, by one column or several; none if not known."""

    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Positive:
    """Let the other label be the positive one."""

    label: str


@dataclass(frozen=True)
class Categorical:
    """Treat columns as categories whose levels may be shown."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Numeric:
    """Treat columns as numbers, which they are."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Missing:
    """Let values mean missing, each in its column."""

    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Decimal:
    """Read the file with this decimal mark."""

    mark: str


@dataclass(frozen=True)
class Classes:
    """Tell these labels apart."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class Direction:
    """Let small values of a marker speak for the positive label, or large ones again.

    ``means`` words what such values do: of a time, they go with earlier events.
    """

    marker: str
    smaller: bool
    means: str = "are positive"


@dataclass(frozen=True)
class Rounds:
    """Let every unit meet only so many others."""

    opponents: int


@dataclass(frozen=True)
class Sorts:
    """Sort the units so many times instead of comparing all pairs."""

    times: int


@dataclass(frozen=True)
class Time:
    """Predict the time to an event instead of two classes."""

    column: str
    event: str


@dataclass(frozen=True)
class Event:
    """Let another value mean the event."""

    condition: str


@dataclass(frozen=True)
class Order:
    """Rank by grades, from lowest to highest, instead of telling classes apart."""

    grades: tuple[str, ...]
    are_numbers: bool


@dataclass(frozen=True)
class Marker:
    """Judge a column by itself, without a model."""

    column: str


Action = (
    Drop
    | Group
    | Positive
    | Categorical
    | Numeric
    | Missing
    | Decimal
    | Classes
    | Direction
    | Rounds
    | Sorts
    | Time
    | Event
    | Order
    | Marker
)
Word = Callable[[Action], str]


@dataclass(frozen=True)
class Remark:
    """Something to know before an analysis is reported.

    Attributes
    ----------
    code : str
        What kind of remark it is.
    text : str
        The statement, in whole sentences.
    ways : tuple of (str, Action)
        What can be done, each after the condition under which it should be: "If so,".
    """

    code: str
    text: str
    ways: tuple[tuple[str, Action], ...] = ()

    def worded(self, word: Word | None = None) -> str:
        """Return statement and actions in words; in no front end's terms by default."""
        word = word or in_words
        again = [f"{condition} run the analysis again {word(way)}" for condition, way in self.ways]
        return f"{self.text} {'; '.join(again)}." if again else self.text


def in_words(action: Action) -> str:
    """Word an action for a reader who may have no command line."""
    if isinstance(action, Drop):
        return f"without {names(action.columns)}"
    if isinstance(action, Positive):
        return f"with {action.label!r} as the positive label"
    if isinstance(action, Categorical):
        return (
            f"with {names(action.columns)} as {_plural(action.columns, 'a category', 'categories')}"
        )
    if isinstance(action, Numeric):
        what = _plural(action.columns, "a number", "numbers")
        return f"with {names(action.columns)} as {what}"
    if isinstance(action, Missing):
        parts = [f"{value} in {column!r}" for column, value in action.values]
        return f"with {', '.join(parts)} as missing"
    if isinstance(action, Decimal):
        return f"with a {'comma' if action.mark == ',' else 'point'} as the decimal mark"
    if isinstance(action, Classes):
        return f"with the classes {', '.join(map(repr, action.labels))}"
    if isinstance(action, Rounds):
        return f"with {counted(action.opponents, 'round')}"
    if isinstance(action, Sorts):
        return f"with {counted(action.times, 'sort')}"
    if isinstance(action, Direction):
        values = "small" if action.smaller else "large"
        return f"and say that {values} values of {action.marker!r} {action.means}"
    if isinstance(action, Time):
        return f"with {action.column!r} as the time to the event {action.event!r}"
    if isinstance(action, Event):
        return f"with {action.condition!r} as the event"
    if isinstance(action, Order):
        return f"with the order {' < '.join(action.grades)}"
    if isinstance(action, Marker):
        return f"with {action.column!r} as a marker"
    if not action.columns:
        return "and name the column that identifies the patient as the group"
    together = " together" if len(action.columns) > 1 else ""
    return f"with {names(action.columns)}{together} as the group"


def flags_for(action: Action) -> str:
    """Word an action for the command line."""
    if isinstance(action, Drop):
        return _flag("drop", *action.columns)
    if isinstance(action, Positive):
        return _flag("positive", action.label)
    if isinstance(action, Categorical):
        return _flag("categorical", *action.columns)
    if isinstance(action, Numeric):
        return _flag("numeric", *action.columns)
    if isinstance(action, Missing):
        return _flag("missing", *(f"{column}={value}" for column, value in action.values))
    if isinstance(action, Decimal):
        return _flag("decimal", action.mark)
    if isinstance(action, Classes):
        return _flag("classes", *action.labels)
    if isinstance(action, Rounds):
        return _flag("rounds", str(action.opponents))
    if isinstance(action, Sorts):
        return _flag("sorts", str(action.times))
    if isinstance(action, Direction):
        flag = _flag("smaller-is-positive", action.marker)
        return flag if action.smaller else flag.replace("with", "without", 1)
    if isinstance(action, Time):
        return (
            f"{_flag('time', action.column)} {_flag('event', action.event).removeprefix('with ')}"
        )
    if isinstance(action, Event):
        return _flag("event", action.condition)
    if isinstance(action, Order):
        return _flag("ordered") if action.are_numbers else _flag("order", *action.grades)
    if isinstance(action, Marker):
        return f"as tlpo marker {_flag('marker', action.column)}"
    return _flag("group", *action.columns)


def names(columns: Sequence[str], most: int = 5) -> str:
    """List columns; of many, only how many there are.

    Examples
    --------
    >>> names(["a"]), names(["a", "b"]), names(list("abcdef"))
    ("'a'", "'a' and 'b'", "6 columns, such as 'a', 'b', 'c',")
    """
    if len(columns) > most:
        return f"{counted(len(columns), 'column')}, such as {enumerate_briefly(columns[:3])},"
    listed = ", ".join(map(repr, columns[:-1]))
    return f"{listed} and {columns[-1]!r}" if listed else repr(columns[0])


def _flag(name: str, *values: str) -> str:
    return " ".join([f"with --{name}", *map(shlex.quote, values)])


def _plural(columns: Sequence[str], one: str, several: str) -> str:
    return one if len(columns) == 1 else several
