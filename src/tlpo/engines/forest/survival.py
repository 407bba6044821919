"""Survival forests of scikit-survival: one larger forest plays every game.

The engine is that of other forests. What differs is that answers of a tree depend on whose times
are left (`hazards.py`).
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.forest.bags import Grown, Trees, TreeSequence
from tlpo.engines.forest.engine import Forest
from tlpo.engines.forest.growing import SURVIVAL_FORESTS
from tlpo.engines.forest.hazards import EventTimes, SmallIntArray, SurvivalGrower
from tlpo.engines.preparation.prepared import Prepared
from tlpo.problem.outcome import TimeToEvent


class SurvivalTrees(Trees):
    """The known part of a sequence of survival trees, with the steps of their hazards.

    Attributes
    ----------
    when, hazard : ndarray, one row per tree
        Steps, leaf by leaf: places among the times, and the hazard from there on.
    first, last : ndarray, one row per unit and one column per tree
        Where the steps of a unit's leaf begin and end.
    """

    def __init__(self, sequence: TreeSequence, n_judges: int) -> None:
        super().__init__(sequence, n_judges)
        assert isinstance(sequence.grower, SurvivalGrower)
        self.times: EventTimes = sequence.grower.times
        m, n_steps = sequence.n_units, np.count_nonzero(self.times.event)
        self.when: SmallIntArray = np.empty((0, n_steps), dtype=np.int32)
        self.hazard: FloatArray = np.empty((0, n_steps))
        self.first: SmallIntArray = np.empty((m, 0), dtype=np.int32)
        self.last: SmallIntArray = np.empty((m, 0), dtype=np.int32)

    def take(self, numbers: IntArray, grown: Grown) -> None:
        """Keep what trees answered."""
        super().take(numbers, grown)
        _, leaves, hazards = np.split(grown.answers, 3, axis=1)
        for number, leaf, hazard in zip(numbers.tolist(), leaves, hazards, strict=True):
            if np.isnan(leaf).any():  # could not be grown
                continue
            units = np.flatnonzero(self.times.event & ~self.is_out[:, number])
            steps = units[np.lexsort((self.times.place[units], leaf[units]))]
            self.when[number, : steps.size] = self.times.place[steps]
            self.hazard[number, : steps.size] = hazard[steps]
            self.first[:, number] = np.searchsorted(leaf[steps], leaf, side="left")
            self.last[:, number] = np.searchsorted(leaf[steps], leaf, side="right")

    def responses(self, sets: IntArray) -> FloatArray:
        """Return the response for each unit of some sets; not finite where a judge failed.

        Three tables: of all judges, of the first half and of the second.
        """
        from tlpo.engines.forest.kernels import ask_survival_trees

        responses = np.empty((3, *sets.shape))
        ask_survival_trees(
            self.is_out,
            self.answers,
            (self.when, self.hazard, self.first, self.last),
            sets,
            self.times.place[sets],
            self.times.are_lost(sets),
            self.n_judges,
            responses,
        )
        return responses

    def _draw(self, more: int) -> None:
        super()._draw(more)
        self.when = np.pad(self.when, ((0, more), (0, 0)))
        self.hazard = np.pad(self.hazard, ((0, more), (0, 0)))
        self.first = np.pad(self.first, ((0, 0), (0, more)))
        self.last = np.pad(self.last, ((0, 0), (0, more)))


class SurvivalForest(Forest):
    """Lets each pair be judged by the first survival trees whose bags hold neither unit."""

    estimators = SURVIVAL_FORESTS
    outcomes = frozenset({TimeToEvent})
    trees_type = SurvivalTrees

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that shared trees do not cover."""
        outcome = prepared.problem.outcome
        assert isinstance(outcome, TimeToEvent)
        sizes = np.unique(outcome.time, return_counts=True)[1]
        if outcome.n_units - sizes.max() <= 2:
            return "Without some pairs all times are equal, and scikit-survival's forests fail."
        return super().why_not(prepared)


ENGINE = SurvivalForest
