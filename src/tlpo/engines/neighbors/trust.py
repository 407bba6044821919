"""How far distances between prepared rows can be trusted.

scikit-learn prepares rows and computes distances in its own arithmetic. Each margin is (relative,
absolute, squared), as in `kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.neighbors.lists import RELATIVE, rounding_of
from tlpo.engines.neighbors.voting import Voting
from tlpo.engines.preparation.columns import EPSILON, Columns, Fitted
from tlpo.engines.preparation.limits import Limits

NOBODY: IntArray = np.empty((1, 0), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Trust:
    """How far distances can be trusted.

    Attributes
    ----------
    voting : Voting
        How neighbours are found.
    columns : Columns
        The columns they are found in.
    is_prepared : bool
        Whether a step before the model changes with the training set.
    """

    voting: Voting
    columns: Columns
    is_prepared: bool
    _roundings: dict[int, float] = field(default_factory=dict)

    def margins(self, fitted: Fitted, n_train: int) -> FloatArray:
        """Return the margins of training sets of so many units, one row each."""
        columns, voting = self.columns, self.voting
        low, high = self._ends
        # scikit-learn subtracts prepared numbers, or multiplies them: that is the size of errors.
        offset = np.where(columns.centre == 0, columns.origin / columns.unit, -fitted.shift)
        size = np.maximum(np.abs(low + offset), np.abs(high + offset)) / fitted.scale
        margins = np.zeros((len(fitted.scale), 3))
        growth = np.where(np.isfinite(fitted.growth), fitted.growth, 1.0)
        margins[:, 0] = RELATIVE + 16.0 * EPSILON * growth
        if self.is_prepared:
            norm = np.sqrt(np.sum(size**2, axis=1)) if voting.power == 2 else size.sum(axis=1)
            margins[:, 1] = 16.0 * EPSILON * norm
        if voting.search is not None and voting.power == 2:
            margins[:, 2] = self._rounding(n_train) * np.sum(size**2, axis=1)
        return margins

    def margin_within(self, limits: Limits) -> FloatArray:
        """Return the margin without any two units within limits."""
        full = self.columns.fit_without(NOBODY)
        own = full._replace(growth=np.array([limits.growth]))
        margin = self.margins(own, self.columns.n_units - 2)[0]
        # Scales within limits are not much smaller, and means hardly differ.
        least, most = limits.extremes
        wider = 4.0 * max(1.0, float(most.max() / least.min()))
        return np.asarray(margin * np.array([1.0, wider, wider**2]))

    @cached_property
    def _ends(self) -> tuple[FloatArray, FloatArray]:
        return self.columns.values.min(axis=0), self.columns.values.max(axis=0)

    def _rounding(self, n_train: int) -> float:
        if n_train not in self._roundings:
            self._roundings[n_train] = rounding_of(self.voting, n_train, self.columns.n_columns)
        return self._roundings[n_train]
