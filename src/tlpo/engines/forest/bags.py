"""The bags of the larger forest, and what its trees answer for the units outside their bags.

A refitted ensemble draws the bag of each tree, s units with replacement, from the m − 2 units of
its training set. Draw s from all m units instead: given that neither i nor j was drawn, each draw
is uniform on the other m − 2 units, and draws are independent. So a bag that happens to hold
neither i nor j *is* a bag of the ensemble without them, and a tree grown on it is one of its trees.
The first ``n_judges`` such trees of a long sequence are independent of each other. They are the
ensemble refitted without i and j, in distribution; what other games share with this one is only
its trees.

A bag is a function of the seed and the tree's number. Bags are drawn first, which takes no time,
and only trees that some game needs are grown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.forest.growing import Grower
from tlpo.errors import GameError
from tlpo.execution.fits import Failure, failure_of
from tlpo.execution.framing import Values, is_array, is_whole


@dataclass
class Grown:
    """What some trees answer.

    Attributes
    ----------
    seed : int
        Seed of the sequence they belong to.
    answers : ndarray, one row per tree and one column per unit
        NaN for units in the bag, infinite where the tree has no answer. Further columns are the
        notes of the grower, NaN if the tree could not be grown.
    causes : dict of int to str
        Why a tree has none, by its number.
    stopped : Failure or None
        The failure that ended the chunk; the trees before it are finished.
    fits : int
        Trees grown.
    """

    seed: int
    answers: FloatArray
    causes: dict[int, str] = field(default_factory=dict)
    stopped: Failure | None = None
    fits: int = 0

    @property
    def finished(self) -> int:
        """Number of trees that have a result."""
        return len(self.answers)


@dataclass(frozen=True, eq=False)
class TreeSequence:
    """A sequence of trees that never ends.

    Attributes
    ----------
    seed : int
        With the number of a tree, all that its bag and its growth depend on.
    n_units : int
        Units that bags are drawn from.
    n_left_out : int
        How many of them the ensembles are without.
    grower : Grower
        What grows on a bag.
    """

    seed: int
    n_units: int
    n_left_out: int
    grower: Grower

    @property
    def share(self) -> float:
        """Share of the bags that leave out a given set."""
        return float((1.0 - self.n_left_out / self.n_units) ** self.grower.bag_size)

    @property
    def n_columns(self) -> int:
        """How many numbers are kept of a tree."""
        return self.n_units + self.grower.n_notes

    def bag(self, number: int) -> tuple[IntArray, np.random.Generator]:
        """Return the units of a bag, as drawn, and the generator for whatever else is random."""
        key = np.random.SeedSequence(self.seed, spawn_key=(self.n_left_out, int(number)))
        rng = np.random.default_rng(key)
        return rng.integers(self.n_units, size=self.grower.bag_size), rng

    def is_out(self, numbers: IntArray) -> BoolArray:
        """Return which units each bag leaves out, one column per bag."""
        is_out = np.ones((numbers.size, self.n_units), dtype=bool)
        for row, number in zip(is_out, numbers, strict=True):
            row[self.bag(number)[0]] = False
        return np.ascontiguousarray(is_out.T)

    def grow(self, numbers: IntArray, stop_at_failure: bool) -> Grown:
        """Grow trees and ask each about the units outside its bag."""
        grown = Grown(self.seed, np.full((len(numbers), self.n_columns), np.nan))
        for place, number in enumerate(numbers.tolist()):
            grown.fits += 1
            bag, rng = self.bag(number)
            row, notes = np.split(grown.answers[place], [self.n_units])
            is_out = np.ones(self.n_units, dtype=bool)
            is_out[bag] = False
            out = np.flatnonzero(is_out)
            try:
                row[out], notes[:] = np.split(self.grower.grow(bag, out, rng), [out.size])
                is_bad = is_out & ~np.isfinite(row)
                if is_bad.any():
                    bad = int(np.argmax(is_bad))
                    raise GameError(f"{self.grower.method} returned {row[bad]} for unit {bad}")
            except Exception as error:
                failure = failure_of(np.array([number]), error)
                if stop_at_failure:
                    grown.stopped, grown.answers = failure, grown.answers[:place]
                    break
                grown.causes[number] = failure.cause
                row[is_out & ~np.isfinite(row)] = np.inf
        return grown


class Trees:
    """The part of a sequence that is known: its bags, and the answers of the trees grown so far."""

    def __init__(self, sequence: TreeSequence, n_judges: int) -> None:
        self.sequence = sequence
        self.n_judges = n_judges
        self.is_out: BoolArray = np.empty((sequence.n_units, 0), dtype=bool)
        self.answers: FloatArray = np.empty((sequence.n_units, 0))
        self.is_grown: BoolArray = np.empty(0, dtype=bool)
        self.causes: dict[int, str] = {}
        # The same object every time: a cluster is sent the data it holds only once.
        self.work: dict[bool, Callable[[IntArray], Grown]] = {
            stop: partial(sequence.grow, stop_at_failure=stop) for stop in (True, False)
        }

    def needed(self, sets: IntArray) -> IntArray:
        """Return the numbers of the trees that judge some held-out sets; draws further bags."""
        from tlpo.engines.forest.kernels import find_judges

        if not self.is_grown.size:
            self._draw(int(1.2 * self.n_judges / self.sequence.share) + 10)
        is_judge = np.zeros(self.is_grown.size, dtype=bool)
        while len(sets):
            is_short = np.empty(len(sets), dtype=bool)
            find_judges(self.is_out, sets, self.n_judges, is_judge, is_short)
            sets = sets[is_short]
            if len(sets):
                self._draw(1 + self.is_grown.size // 8)
                is_judge = np.pad(is_judge, (0, self.is_grown.size - is_judge.size))
        return np.flatnonzero(is_judge)

    def take(self, numbers: IntArray, grown: Grown) -> None:
        """Keep what trees answered."""
        self.answers[:, numbers] = grown.answers[:, : self.sequence.n_units].T
        self.is_grown[numbers] = True
        self.causes.update(grown.causes)

    def responses(self, sets: IntArray) -> FloatArray:
        """Return the response for each unit of some sets; not finite where a judge failed.

        Three tables: of all judges, of the first half and of the second.
        """
        from tlpo.engines.forest.kernels import ask_judges

        responses = np.empty((3, *sets.shape))
        ask_judges(self.is_out, self.answers, sets, self.n_judges, responses)
        return responses

    def judges(self, units: IntArray) -> IntArray:
        """Return the numbers of the trees that judge a set."""
        return np.flatnonzero(self.is_out[units].all(axis=0))[: self.n_judges]

    def judged_by(self, number: int, sets: IntArray) -> IntArray:
        """Return the first of some sets that a tree judges."""
        among = sets[self.is_out[sets, number].all(axis=1)]
        return next(units for units in among if number in self.judges(units))

    def cause(self, units: IntArray) -> str:
        """Return why a set has no response."""
        judges = self.judges(units)
        is_bad = ~np.isfinite(self.answers[np.ix_(units, judges)]).all(axis=0)
        return self.causes[int(judges[np.argmax(is_bad)])]

    def _draw(self, more: int) -> None:
        numbers = np.arange(self.is_grown.size, self.is_grown.size + more)
        self.is_out = np.hstack([self.is_out, self.sequence.is_out(numbers)])
        self.answers = np.hstack([self.answers, np.full((len(self.answers), more), np.nan)])
        self.is_grown = np.pad(self.is_grown, (0, more))


def section_name(sequence: TreeSequence, numbers: IntArray) -> str:
    """Name the section of a journal that some trees of a sequence are kept in."""
    which = (sequence.seed, sequence.n_left_out, numbers.tolist())
    return f"trees {hashlib.blake2b(repr(which).encode(), digest_size=4).hexdigest()}"


def pack(grown: Grown) -> Values:
    """Write down finished trees; one that failed and ended the chunk is not, and is tried again."""
    return {
        "seed": grown.seed,
        "answers": grown.answers,
        "causes": [[number, cause] for number, cause in grown.causes.items()],
        "fits": grown.finished,
    }


def unpack(values: Values, numbers: IntArray, sequence: TreeSequence) -> Grown | None:
    """Restore some trees; None if `pack` would not have written them."""
    if values.keys() != {"seed", "answers", "causes", "fits"}:
        return None
    answers, causes, fits = values["answers"], values["causes"], values["fits"]
    shape = (len(numbers), sequence.n_columns)
    if not (
        is_array(answers, np.float64, shape)
        and values["seed"] == sequence.seed
        and is_whole(fits)
        and fits == len(numbers)
        and isinstance(causes, list)
        and all(
            isinstance(row, list) and len(row) == 2 and is_whole(row[0]) and isinstance(row[1], str)
            for row in causes
        )
    ):
        return None
    # Units in the bag have no answer; infinite ones are those of trees that failed.
    answered, notes = np.split(answers, [sequence.n_units], axis=1)
    is_failed = np.isinf(answered).any(axis=1)
    if not (
        np.array_equal(~np.isnan(answered), sequence.is_out(numbers).T)
        and np.isfinite(notes[~is_failed]).all()
        and sorted(number for number, _ in causes) == np.sort(numbers[is_failed]).tolist()
    ):
        return None
    return Grown(sequence.seed, answers, dict(causes), fits=fits)
