"""An estimator taken apart: its last step, and the columns that reach it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
    empties : bool
        Whether all that happens is that an indicator column becomes zero in the training set and,
        in what is predicted, zero as well. Models that give such a column no weight do not notice.
    """

    weight: FloatArray
    threshold: float
    empties: bool = False


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
    steps : tuple or None
        What stands before the model, if an engine may fit it to training sets.
    is_unknown : bool
        Whether only fitting the steps tells what reaches the model.
    """

    whole: Any
    given: Problem
    model: Any
    problem: Problem
    columns: Columns | None = None
    guards: tuple[Guard, ...] = field(default=())
    steps: tuple[Any, ...] | None = None
    is_unknown: bool = False

    @cached_property
    def refits(self) -> GameFits:
        """Plays games by fitting the user's own estimator."""
        return GameFits(self.whole, self.given)

    def view(self, k: int) -> Prepared:
        """Return one of several classes against the others: steps never see them."""
        return replace(self, given=self.given.view(k), problem=self.problem.view(k))

    def on(self, columns: Columns) -> Prepared:
        """Return the same model on other columns."""
        if columns.is_fixed:
            return replace(self, columns=None, problem=replace(self.problem, X=columns.matrix))
        return replace(self, columns=columns)

    def are_exceptions(self, sets: IntArray, notices_empty: bool = True) -> BoolArray:
        """Return which left-out sets, given as rows, change a step that is treated as fixed.

        Parameters
        ----------
        sets : ndarray of shape (g, s)
            The sets.
        notices_empty : bool
            Whether the model notices columns that become zero.
        """
        found = np.zeros(len(sets), dtype=bool)
        weights, thresholds, _ = self._stacked
        for k in np.flatnonzero(self._within_reach(sets.shape[1], notices_empty)):
            found |= weights[k][sets].sum(axis=1) >= thresholds[k]
        return found

    def has_exceptions(self, size: int, notices_empty: bool = True) -> bool:
        """Return whether leaving out so many units can change a step that is treated as fixed."""
        return bool(self._within_reach(size, notices_empty).any())

    def may_change(self, notices_empty: bool = True) -> BoolArray:
        """Return which units may, with one other, change a step that is treated as fixed."""
        weights, thresholds, _ = self._stacked
        found = np.zeros(self.given.n_units, dtype=bool)
        for k in np.flatnonzero(self._within_reach(2, notices_empty)):
            found |= weights[k] + weights[k].max() >= thresholds[k]
        return found

    def _within_reach(self, size: int, notices_empty: bool) -> BoolArray:
        weights, thresholds, empties = self._stacked
        most = np.sort(weights, axis=1)[:, -size:].clip(min=0.0).sum(axis=1)
        return np.asarray((most >= thresholds) & (notices_empty | ~empties))

    def is_exception(self, train: IntArray, notices_empty: bool = True) -> bool:
        """Return whether a training set, with repetitions, changes a step."""
        weights, thresholds, empties = self._stacked
        lost = 1.0 - np.bincount(train, minlength=self.given.n_units)
        return bool(np.any((weights @ lost >= thresholds) & (notices_empty | ~empties)))

    @cached_property
    def _stacked(self) -> tuple[FloatArray, FloatArray, BoolArray]:
        # A little lower, so that rounding does not hide a sum of shares that is equal.
        m = self.given.n_units
        return (
            np.array([guard.weight for guard in self.guards]).reshape(-1, m),
            np.array([guard.threshold for guard in self.guards]) - 1e-9,
            np.array([guard.empties for guard in self.guards], dtype=bool),
        )


def unprepared(estimator: Any, problem: Problem) -> Prepared:
    """Return an estimator that stands alone."""
    return Prepared(estimator, problem, estimator, problem)
