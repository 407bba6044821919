"""Who should win: an outcome orders some pairs of units, and says what models are fitted on.

Two classes order every positive above every negative; of several, each has a response in which its
units are ordered above all others. Numbers and grades order every unit above
those with a smaller value. Times to an event order every unit that had the event above those that
were known to be without it at that time. Units that an outcome does not order are *peers*: they
play for the ranking, and their games say nothing about the model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import unboxed

# Up to so many values are listed with their counts.
FEW_VALUES = 10


class Ordering(NamedTuple):
    """Ordered pairs: who should win each, and who should lose it."""

    winner: IntArray
    loser: IntArray


class Outcome(ABC):
    """What is known about every unit, and who should beat whom because of it.

    Results keep this instead of the problem: nothing downstream of an engine sees features.

    Attributes
    ----------
    n_columns : int
        How many kinds of opponents standings tell apart.
    unit : float
        Responses are compared in this unit, so that the tie rule does not depend on the units of a
        measurement. A power of two: dividing by it rounds nothing.
    """

    n_columns: int
    unit: float = 1.0
    unit_names: Any

    @property
    @abstractmethod
    def level(self) -> IntArray:
        """The place of every unit: those on one level are peers.

        A unit on a higher level should win; of times to an event, if it had the event.
        """

    @property
    @abstractmethod
    def count(self) -> str:
        """The sample in one phrase."""

    @abstractmethod
    def column(self, units: IntArray, opponents: IntArray) -> IntArray:
        """Return the column of standings in which units count games against these opponents."""

    @abstractmethod
    def arrange(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return columns of standings from those of games to win, to lose, and with peers."""

    @abstractmethod
    def to_win(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return, of columns of standings, the entries of games that a unit should win."""

    @abstractmethod
    def reordered(self, units: IntArray) -> Outcome:
        """Return the outcome in which unit k has what ``units[k]`` has here."""

    @abstractmethod
    def differing(self, other: Any) -> IntArray:
        """Return the units whose outcome differs from that in another outcome of this kind."""

    @property
    def n_units(self) -> int:
        """Number of units, m."""
        return self.level.size

    @property
    def response_shape(self) -> tuple[int, ...]:
        """The shape of the response for one unit: a number."""
        return ()

    def should_win(self) -> Ordering:
        """Return all ordered pairs."""
        return Ordering(*np.nonzero(self.level[:, None] > self.level[None, :]))

    def are_ordered(self, first: IntArray, second: IntArray) -> BoolArray:
        """Return of which pairs one unit should win."""
        return np.asarray(self.level[first] != self.level[second])

    @cached_property
    def n_expected(self) -> IntArray:
        """Of every unit, how many others it should beat, should lose to, and are peers, (m, 3)."""
        sizes = np.bincount(self.level)
        below = np.cumsum(sizes) - sizes
        counts = np.column_stack([below, self.n_units - below - sizes, sizes - 1])
        return np.asarray(counts[self.level])

    def scheduled(self, ordered: bool) -> FloatArray:
        """Count the games of each unit, by columns of standings, if all are played."""
        games = self.n_expected.astype(np.float64)
        if ordered:
            games[:, 2] = 0.0
        return np.asarray(self.arrange(games))

    @property
    def n_ordered(self) -> int:
        """Number of ordered pairs."""
        return int(self.n_expected[:, 0].sum())

    def n_ordered_within(self, groups: IntArray) -> IntArray:
        """Return the number of ordered pairs within each group; groups are numbered from 0."""
        found = np.zeros(int(groups.max()) + 1, dtype=np.intp)
        order = np.argsort(groups, kind="stable")
        may_win = np.ones(self.n_units, dtype=bool) if self.may_win is None else self.may_win
        for units in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
            level = self.level[units]
            wins = (level[:, None] > level[None, :]) & may_win[units, None]
            found[groups[units[0]]] = np.count_nonzero(wins)
        return found

    def n_ordered_without(self, groups: IntArray | None) -> IntArray:
        """Return the number of ordered pairs without each unit, or each group."""
        own = self.n_expected[:, :2].sum(axis=1)
        if groups is not None:
            own = np.bincount(groups, own).astype(np.intp) - self.n_ordered_within(groups)
        return np.asarray(self.n_ordered - own)

    @property
    def may_win(self) -> BoolArray | None:
        """Which units should beat those on lower levels; None for all."""
        return None

    @property
    def strata(self) -> IntArray:
        """What folds are stratified by."""
        return self.level

    @cached_property
    def n_off_mode(self) -> int:
        """How many units would have to leave for all others to be peers."""
        return self.n_units - int(np.bincount(self.level).max())

    def off_mode(self, inside: BoolArray) -> BoolArray:
        """Return which units of a subset differ from its most common outcome."""
        return np.asarray(inside & (self.level != np.argmax(np.bincount(self.level[inside]))))

    def is_trainable(self, train: IntArray) -> bool:
        """Return whether somebody in a training set is ordered with somebody."""
        level = self.level[train]
        return bool(level.size and (level != level[0]).any())


@dataclass(frozen=True, eq=False)
class Classes(Outcome):
    """Two classes: which units are positive, and what classes and units are called.

    Standings have wins against negatives and against positives.
    """

    is_positive: BoolArray
    negative: Any
    positive: Any
    unit_names: Any = None
    chosen_by: str = "as requested"
    n_columns = 2

    @cached_property
    def level(self) -> IntArray:
        """0 for negatives, 1 for positives."""
        return self.is_positive.astype(np.intp)

    @property
    def n_units(self) -> int:
        """Number of units, m."""
        return self.is_positive.size

    @cached_property
    def n_positive(self) -> int:
        """Number of positive units, m+."""
        return int(np.count_nonzero(self.is_positive))

    @property
    def n_negative(self) -> int:
        """Number of negative units, m-."""
        return self.n_units - self.n_positive

    def should_win(self) -> Ordering:
        """Return all pairs of opposite class."""
        positives, negatives = np.flatnonzero(self.is_positive), np.flatnonzero(~self.is_positive)
        return Ordering(np.repeat(positives, negatives.size), np.tile(negatives, positives.size))

    def scheduled(self, ordered: bool) -> FloatArray:
        """Count the games of each unit with negatives and with positives."""
        n_positive, n_negative = self.n_positive, self.n_negative
        games = np.empty((self.n_units, 2))
        games[:, 0] = np.where(self.is_positive, n_negative, 0.0 if ordered else n_negative - 1.0)
        games[:, 1] = np.where(self.is_positive, 0.0 if ordered else n_positive - 1.0, n_positive)
        return games

    @property
    def n_ordered(self) -> int:
        """Number of pairs of opposite class."""
        return self.n_positive * self.n_negative

    @cached_property
    def n_off_mode(self) -> int:
        """Number of units of the smaller class."""
        return min(self.n_positive, self.n_negative)

    @property
    def in_order(self) -> tuple[Any, Any]:
        """The two labels, sorted."""
        first, second = sorted((self.negative, self.positive))
        return first, second

    @property
    def count(self) -> str:
        """The sample in one phrase: ``30 units, 15 positive ('yes') and 15 negative ('no')``."""
        # Said where someone who expects the second label would be surprised.
        is_first = self.in_order[0] == self.positive and self.chosen_by != "as requested"
        why = f", because {self.chosen_by}" if is_first else ""
        return (
            f"{self.n_units} units, {self.n_positive} positive ({self.positive!r}{why}) "
            f"and {self.n_negative} negative ({self.negative!r})"
        )

    def column(self, units: IntArray, opponents: IntArray) -> IntArray:  # noqa: ARG002
        """Return 0 for negative opponents, 1 for positive ones."""
        return np.asarray(self.is_positive[opponents], dtype=np.intp)

    def arrange(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return games with negatives and with positives."""
        found = np.empty((self.n_units, 2))
        found[:, 0] = np.where(self.is_positive, counts[:, 0], counts[:, 2])
        found[:, 1] = np.where(self.is_positive, counts[:, 2], counts[:, 1])
        return found

    def to_win(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the entries of games of positives with negatives."""
        return np.asarray(counts[self.is_positive, 0])

    def differing(self, other: Classes) -> IntArray:
        """Return the units of another class."""
        return np.flatnonzero(self.is_positive != other.is_positive)

    def reordered(self, units: IntArray) -> Classes:
        """Return the outcome in which unit k has the class of ``units[k]``."""
        return replace(self, is_positive=self.is_positive[units])


@dataclass(frozen=True, eq=False)
class OneOfSeveral(Classes):
    """One of several classes against the others together."""

    @property
    def in_order(self) -> tuple[Any, Any]:
        """The others, and the class; their names need not be of one type."""
        return self.negative, self.positive

    @property
    def count(self) -> str:
        """The sample in one phrase: ``30 units, 10 of class 'a' and 20 of others``."""
        return (
            f"{self.n_units} units, {self.n_positive} of class {self.positive!r} and "
            f"{self.n_negative} of others"
        )


@dataclass(frozen=True, eq=False)
class SeveralClasses(Outcome):
    """Several classes without an order: in the response of a class, its own units should win.

    Standings of every response have wins against each class.

    Attributes
    ----------
    code : ndarray of shape (m,)
        The class of every unit, its place among ``names``.
    names : tuple
        What the classes are called, sorted.
    unit_names : array-like or None
        What the units are called.
    """

    code: IntArray
    names: tuple[Any, ...]
    unit_names: Any = None

    @property
    def n_columns(self) -> int:  # type: ignore[override]
        """How many classes there are, K."""
        return len(self.names)

    @property
    def level(self) -> IntArray:
        """The class of every unit; those of one class are peers."""
        return self.code

    @cached_property
    def sizes(self) -> IntArray:
        """Units of each class."""
        return np.bincount(self.code, minlength=len(self.names))

    @property
    def response_shape(self) -> tuple[int, ...]:
        """One response for each class."""
        return (len(self.names),)

    @property
    def count(self) -> str:
        """The sample in one phrase: ``30 units, 3 classes: 'a' (10), 'b' (12), 'c' (8)``."""
        each = (f"{n!r} ({size})" for n, size in zip(self.names, self.sizes, strict=True))
        return f"{self.n_units} units, {len(self.names)} classes: {', '.join(each)}"

    def view(self, k: int) -> OneOfSeveral:
        """Return one class against the others."""
        return OneOfSeveral(self.code == k, "others", self.names[k], self.unit_names)

    def column(self, units: IntArray, opponents: IntArray) -> IntArray:  # noqa: ARG002
        """Return the class of the opponents."""
        return self.code[opponents]

    def arrange(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Raise: games to win and to lose do not say against which class they are."""
        raise NotImplementedError

    def scheduled(self, ordered: bool) -> FloatArray:
        """Count the games of each unit with every class."""
        games = np.tile(self.sizes.astype(np.float64), (self.n_units, 1))
        own = np.arange(self.n_units), self.code
        games[own] = 0.0 if ordered else games[own] - 1.0
        return games

    def to_win(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the entries of games with other classes."""
        return np.asarray(counts[self.code[:, None] != np.arange(len(self.names))])

    @cached_property
    def n_off_mode(self) -> int:
        """Number of units of the smallest class: without them, there is nothing to learn of it."""
        return int(self.sizes.min())

    def is_trainable(self, train: IntArray) -> bool:
        """Return whether a training set has every class."""
        return bool(np.bincount(self.code[train], minlength=len(self.names)).all())

    def differing(self, other: SeveralClasses) -> IntArray:
        """Return the units of another class; all if classes have other names."""
        return np.flatnonzero((self.code != other.code) | (self.names != other.names))

    def reordered(self, units: IntArray) -> SeveralClasses:
        """Return the outcome in which unit k has the class of ``units[k]``."""
        return replace(self, code=self.code[units])


class ThreeKinds(Outcome):
    """An outcome whose standings tell apart units that should lose, that should win, and peers."""

    n_columns = 3

    def arrange(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the same."""
        return counts

    def to_win(self, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the first column."""
        return np.asarray(counts[:, 0])


@dataclass(frozen=True, eq=False)
class Ordered(ThreeKinds):
    """Numbers or grades: the larger should win, equal ones are peers.

    Attributes
    ----------
    y : ndarray of shape (m,)
        The numbers; of grades their places, counted from 0.
    grades : tuple or None
        What the grades are called, from lowest to highest; None for numbers.
    unit_names : array-like or None
        What the units are called.
    """

    y: FloatArray
    grades: tuple[Any, ...] | None = None
    unit_names: Any = None

    @cached_property
    def level(self) -> IntArray:
        """The place of every unit's value among the different values."""
        return np.unique(self.y, return_inverse=True)[1].reshape(-1)

    @cached_property
    def unit(self) -> float:  # type: ignore[override]
        """The power of two below the largest number."""
        return float(2.0 ** np.floor(np.log2(np.abs(self.y).max())))

    @property
    def n_levels(self) -> int:
        """How many different values there are."""
        return int(self.level.max()) + 1

    @property
    def values(self) -> npt.NDArray[Any]:
        """What the user calls the outcome of every unit: numbers, or names of grades."""
        if self.grades is None:
            return self.y
        return np.array(self.grades, dtype=object)[self.y.astype(np.intp)]

    @property
    def count(self) -> str:
        """The sample in one phrase: ``30 units, y from 1.5 to 9 (28 different values)``."""
        sizes = np.bincount(self.level)
        if self.grades is not None or sizes.size <= FEW_VALUES:
            places = np.unique(self.y)
            names = places if self.grades is None else [self.grades[int(k)] for k in places]
            each = [f"{_written(n)} ({size})" for n, size in zip(names, sizes, strict=True)]
            kind = "values" if self.grades is None else "grades"
            return f"{self.n_units} units, {sizes.size} {kind}: {', '.join(each)}"
        return (
            f"{self.n_units} units, y from {self.y.min():.4g} to {self.y.max():.4g} "
            f"({sizes.size} different values)"
        )

    def column(self, units: IntArray, opponents: IntArray) -> IntArray:
        """Return 0 for opponents that should lose, 1 for those that should win, 2 for peers."""
        own, other = self.level[units], self.level[opponents]
        return np.asarray((other > own) + 2 * (other == own), dtype=np.intp)

    def differing(self, other: Ordered) -> IntArray:
        """Return the units with another value; all if grades have other names."""
        return np.flatnonzero((self.y != other.y) | (self.grades != other.grades))

    def reordered(self, units: IntArray) -> Ordered:
        """Return the outcome in which unit k has the value of ``units[k]``."""
        return replace(self, y=self.y[units])


@dataclass(frozen=True, eq=False)
class TimeToEvent(ThreeKinds):
    """Times to an event, some of them censored: who had the event earlier should win.

    A unit that had the event should beat every unit with a longer time, and those that were
    censored at its own time. All others are peers: nobody knows who would have had it first.

    Attributes
    ----------
    time : ndarray of shape (m,)
        When a unit had the event, or was last known to be without it.
    event : ndarray of bool of shape (m,)
        Whether it had the event.
    unit_names : array-like or None
        What the units are called.
    coding : str
        What marked events, where that must be said: ``"2 is the event"``.
    called : str
        What the events were called, if they had a name.
    """

    time: FloatArray
    event: BoolArray
    unit_names: Any = None
    coding: str = ""
    called: str = ""

    @cached_property
    def level(self) -> IntArray:
        """The place of every unit by time, earlier ones higher, events above those censored."""
        # A time and whether it is an event as one number: 2r for censored, 2r + 1 for events.
        later = np.unique(-self.time, return_inverse=True)[1].reshape(-1)
        return np.unique(2 * later + self.event, return_inverse=True)[1].reshape(-1)

    @property
    def may_win(self) -> BoolArray:
        """Which units had the event."""
        return self.event

    @property
    def strata(self) -> IntArray:
        """Whether units had the event."""
        return self.event.astype(np.intp)

    @property
    def n_events(self) -> int:
        """Number of units that had the event."""
        return int(np.count_nonzero(self.event))

    @property
    def structured(self) -> npt.NDArray[Any]:
        """Event and time of every unit as one array, which survival models are fitted on."""
        y = np.empty(self.time.size, dtype=[("event", bool), ("time", np.float64)])
        y["event"], y["time"] = self.event, self.time
        return y

    @property
    def count(self) -> str:
        """The sample in one phrase: ``30 units, 18 events, times from 2 to 60``."""
        coding = f" ({self.coding})" if self.coding else ""
        events = "event" if self.n_events == 1 else "events"
        return (
            f"{self.n_units} units, {self.n_events} {events}{coding}, times from "
            f"{self.time.min():.6g} to {self.time.max():.6g}"
        )

    def should_win(self) -> Ordering:
        """Return all ordered pairs."""
        above = self.level[:, None] > self.level[None, :]
        return Ordering(*np.nonzero(above & self.event[:, None]))

    @cached_property
    def n_expected(self) -> IntArray:
        """Of every unit, how many others it should beat, should lose to, and are peers, (m, 3)."""
        sizes = np.bincount(self.level)
        events = np.bincount(self.level, self.event, sizes.size).astype(np.intp)
        below = np.where(self.event, (np.cumsum(sizes) - sizes)[self.level], 0)
        above = (self.n_events - np.cumsum(events))[self.level]
        return np.column_stack([below, above, self.n_units - 1 - below - above])

    @cached_property
    def n_off_mode(self) -> int:
        """How many units would have to leave for all others to be peers."""
        # Those left with the event must be the last of all: whoever had it earlier leaves, and so
        # does everybody who outlived them.
        sizes = np.bincount(self.level)
        events = np.bincount(self.level, self.event, sizes.size).astype(np.intp)
        leave = (np.cumsum(sizes) - sizes) + (self.n_events - np.cumsum(events))
        return int(min(self.n_events, leave[events > 0].min(initial=self.n_events)))

    def off_mode(self, inside: BoolArray) -> BoolArray:
        """Return which units of a subset had the event."""
        return np.asarray(inside & self.event)

    def is_trainable(self, train: IntArray) -> bool:
        """Return whether somebody in a training set outlived somebody who had the event."""
        level, event = self.level[train], self.event[train]
        return bool(event.any() and level[event].max() > level.min())

    def column(self, units: IntArray, opponents: IntArray) -> IntArray:
        """Return 0 for opponents that should lose, 1 for those that should win, 2 for peers."""
        own, other = self.level[units], self.level[opponents]
        wins, loses = (own > other) & self.event[units], (other > own) & self.event[opponents]
        return np.asarray(2 - 2 * wins - loses, dtype=np.intp)

    def are_ordered(self, first: IntArray, second: IntArray) -> BoolArray:
        """Return of which pairs one unit had the event while the other was without it."""
        return np.asarray(self.column(first, second) < 2)

    def differing(self, other: TimeToEvent) -> IntArray:
        """Return the units with another time, or another event."""
        return np.flatnonzero((self.time != other.time) | (self.event != other.event))

    def reordered(self, units: IntArray) -> TimeToEvent:
        """Return the outcome in which unit k has the time and event of ``units[k]``."""
        return replace(self, time=self.time[units], event=self.event[units])


def _written(name: Any) -> str:
    return f"{name + 0.0:.6g}" if isinstance(name, float | np.floating) else repr(unboxed(name))
