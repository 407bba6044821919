"""An estimator taken apart: its last step, and the columns that reach it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.preparation.columns import Columns
from tlpo.execution.fits import GameFits
from tlpo.problem.problem import Problem


class Guard(NamedTuple):
    """When a step that is treated as the same in every training set is not.

    It changes without a set S of units if ``Σ_{k ∈ S} weight_k ≥ threshold``: a category vanishes,
    another value becomes the most frequent one, …

    Attributes
    ----------
    weight : ndarray of shape (m,)
        What leaving out each unit counts.
    threshold : float
        From where on the step changes.
    """

    weight: FloatArray
    threshold: float


@dataclass(frozen=True, eq=False)
class Prepared:
    """What an engine plays: a model, on columns that may change with the training set.

    Attributes
    ----------
    whole, given
        The user's own estimator and problem, which refits use.
    model
        The last step, or the estimator itself.
    problem : Problem
        The same units with the columns that reach the model, if these are the same in every
        training set; otherwise the user's own.
    columns : Columns or None
        Columns that change with the training set.
    guards : tuple of Guard
        Exceptions; training sets that meet one must be refitted.
    """

    whole: Any
    given: Problem
    model: Any
    problem: Problem
    columns: Columns | None = None
    guards: tuple[Guard, ...] = field(default=())

    @cached_property
    def refits(self) -> GameFits:
        """Plays games by fitting the user's own estimator."""
        return GameFits(self.whole, self.given)

    def are_exceptions(self, sets: IntArray) -> BoolArray:
        """Return which left-out sets, given as rows, change a step that is treated as fixed."""
        found = np.zeros(len(sets), dtype=bool)
        if self.guards:
            weights, thresholds = self._stacked
            for first in range(0, len(weights), _GUARDS_AT_A_TIME):
                part = slice(first, first + _GUARDS_AT_A_TIME)
                taken = weights[part][:, sets].sum(axis=2)
                found |= np.any(taken >= thresholds[part, None], axis=0)
        return found

    def is_exception(self, train: IntArray) -> bool:
        """Return whether a training set, with repetitions, changes a step."""
        if not self.guards:
            return False
        weights, thresholds = self._stacked
        lost = 1.0 - np.bincount(train, minlength=self.given.n_units)
        return bool(np.any(weights @ lost >= thresholds))

    @cached_property
    def _stacked(self) -> tuple[FloatArray, FloatArray]:
        return (
            np.array([guard.weight for guard in self.guards]),
            np.array([guard.threshold for guard in self.guards]),
        )


_GUARDS_AT_A_TIME = 16


def unprepared(estimator: Any, problem: Problem) -> Prepared:
    """Return an estimator that stands alone."""
    return Prepared(estimator, problem, estimator, problem)
