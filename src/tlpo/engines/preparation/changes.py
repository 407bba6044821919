"""How the scales of columns change without one or two units.

Let ``s²_S`` be the squared scale of a column without the set S. It splits into

    s²_ij − s² = (s²_i − s²) + (s²_j − s²) + x_ij,   |x_ij| ≤ x_i + x_j ,

with changes by single units, which are exact, and what is not additive. For a variance v of m
units with deviations u from their mean that is

    |x_ij| ≤ 1.01 (2v + (|u_i| + |u_j|)²) / (m − 2)²,   for m ≥ 400,

so that ``x_k = 1.01 (v + 2u_k²) / (m − 2)²``. For a gap between two quantiles it is at most twice
the range of what squared gaps without up to two units can be; for a gap between extremes, it is
zero unless both units are among the two smallest and the two largest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.preparation.columns import LEAST_RANGE, Columns, Scale

# From so many units on the constant 1.01 is enough.
LEAST_UNITS = 400
# Units that take a larger share of a squared scale are influential.
MOST_TAKEN = 0.25


class Changes(NamedTuple):
    """Changes of squared scales.

    Attributes
    ----------
    alone : ndarray of shape (g, n)
        What leaving out each unit alone adds to the squared scale of each column.
    rest : ndarray of shape (g, n)
        The bound ``x_k`` on what is not additive.
    whole : ndarray of shape (g, n)
        Likewise, for two units these add up to a bound on all of the change.
    is_influential : ndarray of shape (g,)
        Units of which games are better played: without them a column is nearly constant, or
        something else changes with a jump.
    growth : ndarray of shape (g,)
        By how much rounding errors have grown without each.
    """

    alone: FloatArray
    rest: FloatArray
    whole: FloatArray
    is_influential: BoolArray
    growth: FloatArray


class ScaleChanges:
    """Changes of the squared scales of some columns.

    Parameters
    ----------
    columns : Columns
        Columns without missing cells.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.scale = columns.fit_without(np.empty((1, 0), dtype=np.intp)).scale[0]
        self.mean = columns.values.mean(axis=0)
        self.range = np.zeros(columns.n_columns)
        self.jumps = False
        for f in np.flatnonzero(columns.scale > Scale.DEVIATION).tolist():
            self.range[f] = self._range_of_squares(f)

    @classmethod
    def why_not(cls, columns: Columns) -> str | None:
        """Return why changes are not known."""
        if columns.n_units < LEAST_UNITS:
            return "There are too few units."
        if columns.has_gaps:
            return "Missing cells are filled in every training set."
        return None

    def without(self, units: IntArray) -> Changes:
        """Return the changes without some units."""
        columns, m = self.columns, self.columns.n_units
        fitted = columns.fit_without(units[:, None])
        square = self.scale**2
        alone = fitted.scale**2 - square
        is_influential = (alone < -MOST_TAKEN * square).any(axis=1) | ~np.isfinite(fitted.growth)
        few = np.flatnonzero((columns.n_odd <= 2) & (columns.n_odd > 0))
        is_influential |= columns.differs[units][:, few].any(axis=1)
        rest = np.zeros(alone.shape)
        varies = np.flatnonzero((columns.scale == Scale.DEVIATION) & (columns.n_odd > 0))
        u = columns.values[units][:, varies] - self.mean[varies]
        rest[:, varies] = 1.01 * (square[varies] + 2.0 * u**2) / (m - 2) ** 2
        whole = np.abs(alone) + rest
        for f in np.flatnonzero(self.range).tolist():
            rest[:, f], whole[:, f] = self.range[f], 0.5 * self.range[f]
            if columns.scale[f] != Scale.QUANTILES:
                rank = columns.order_of(f).rank[units]
                is_inner = (rank > 1) & (rank < m - 2)
                rest[:, f] = whole[:, f] = np.where(is_inner, 0.0, self.range[f])
        return Changes(alone, rest, whole, is_influential, fitted.growth)

    def _range_of_squares(self, f: int) -> float:
        """Return the range of squared gaps without up to two units."""
        columns = self.columns
        ordered, m = columns.order_of(f).sorted, columns.n_units
        low, high = (0.0, 1.0)
        if columns.scale[f] == Scale.QUANTILES:
            low, high = columns.quantiles[:, f]
        # A quantile is between two remaining values, which were at most two places further on.
        ends = [
            (
                ordered[int(np.floor(share * (m - 3)))],
                ordered[min(int(np.ceil(share * (m - 1))) + 2, m - 1)],
            )
            for share in (low, high)
        ]
        (least_low, most_low), (least_high, most_high) = ends
        least, most = max(least_high - most_low, 0.0), most_high - least_low
        if columns.scale[f] == Scale.LARGEST:
            least, most = max(least_high, -most_low), max(most_high, -least_low)
        if most * columns.unit[f] < 0.5 * LEAST_RANGE:
            return 0.0  # a constant column, whatever is left out
        if least * columns.unit[f] < 2.0 * LEAST_RANGE:
            self.jumps = True
        return float((most**2 - least**2) * columns.factor[f] ** 2)
