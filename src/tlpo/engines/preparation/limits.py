"""How far the scales of columns move without any two units.

A few units with extreme values can move a scale much farther than all others. They are set apart as
*unusual*; limits hold for pairs of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.preparation.columns import (
    EPSILON,
    LEAST_RANGE,
    LEAST_VARIANCE,
    Centre,
    Columns,
    Scale,
)

# Limits are widened by this share for rounding.
ROUNDING = 1e-12
# So many units, or this share of them, are unusual for their size alone.
MOST_UNUSUAL, UNUSUAL_SHARE = 30, 0.01
# Units at a time.
UNITS = 4096


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits to the scales without a unit and another one, neither of them unusual.

    Attributes
    ----------
    columns : Columns
        The columns; no cell is missing.
    full : ndarray of shape (n,)
        Their scales with all units.
    is_unusual : ndarray of shape (m,)
        Which units are unusual.
    by_deviation : ndarray of shape (n,)
        Which columns are scaled by their standard deviation, and vary.
    ends : ndarray of shape (2, n)
        The least and the largest value of every column, without those of unusual units.
    spreads : ndarray of shape (2, n)
        The least and the largest scale of every other column.
    growth : float
        By how much rounding errors grow at most.
    """

    columns: Columns
    full: FloatArray
    is_unusual: BoolArray
    by_deviation: BoolArray
    ends: FloatArray
    spreads: FloatArray
    growth: float

    def ratios(self, units: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest ratio of full to new scales, per unit and column."""
        least, most = _variances(self.columns, self.columns.values[units], self.ends)
        smallest = np.where(self.by_deviation, np.sqrt(np.maximum(least, 0.0)), self.spreads[0])
        largest = np.where(self.by_deviation, np.sqrt(np.maximum(most, 0.0)), self.spreads[1])
        factor = self.full / self.columns.factor
        return factor / largest * (1.0 - ROUNDING), factor / smallest * (1.0 + ROUNDING)

    @cached_property
    def extremes(self) -> tuple[FloatArray, FloatArray]:
        """The least and the largest ratio of full to new scales of every column."""
        usual = np.flatnonzero(~self.is_unusual)
        least, most = np.full(self.full.size, np.inf), np.zeros(self.full.size)
        for first in range(0, usual.size, UNITS):
            low, high = self.ratios(usual[first : first + UNITS])
            least, most = np.minimum(least, low.min(axis=0)), np.maximum(most, high.max(axis=0))
        return least, most

    @cached_property
    def shifts(self) -> FloatArray:
        """The largest change of what is subtracted from every column, in full scales."""
        columns, centre = self.columns, self.columns.centre
        far = np.maximum(*np.abs(self.ends - columns.values.mean(axis=0)))
        # Minima are those of all units, but for unusual ones.
        moved = np.where(centre == Centre.MEAN, 2.0 * far / (columns.n_units - 2), 0.0)
        for f in np.flatnonzero(centre == Centre.MEDIAN).tolist():
            ordered = columns.order_of(f).sorted
            middle = 0.5 * (ordered.size - 3)
            low, high = int(np.floor(middle)), int(np.ceil(middle)) + 2
            moved[f] = ordered[high] - ordered[low]
        least, most = self.extremes
        rescaled = np.maximum(np.abs(1.0 / least - 1.0), np.abs(1.0 / most - 1.0))
        return np.asarray(moved / self.full + np.abs(columns.offset) * rescaled)


def limits_of(columns: Columns) -> Limits | None:
    """Return limits to the scales without any two units, or None if none are known."""
    m, n = columns.values.shape
    if columns.has_gaps or columns.n_best is not None:
        return None
    fitted = columns.fit_without(np.empty((1, 0), dtype=np.intp))
    n_odd = columns.n_odd
    by_deviation = (columns.scale == Scale.DEVIATION) & (n_odd > 0)
    # Without these, a column may be constant.
    is_unusual: BoolArray = np.asarray(columns.differs[:, n_odd <= 2].any(axis=1))
    if by_deviation.any():
        size = np.abs(columns.values[:, by_deviation]).max(axis=1)
        count = min(MOST_UNUSUAL, int(UNUSUAL_SHARE * m))
        is_unusual[np.argsort(-size, kind="stable")[:count]] = True
    spreads, growth = np.ones((2, n)), np.ones(n)
    constant = (columns.scale == Scale.DEVIATION) & (n_odd == 0)
    spreads[:, constant] = 1.0 / columns.unit[constant]
    for f in np.flatnonzero(columns.scale > Scale.DEVIATION).tolist():
        spreads[:, f] = _spreads(columns, f, is_unusual)
        gap, size = spreads[:, f] * columns.unit[f], abs(float(columns.origin[f]))
        if gap[1] < 0.5 * LEAST_RANGE:  # 0 to scikit-learn
            spreads[:, f] = 1.0 / columns.unit[f]
        elif gap[0] > 2.0 * LEAST_RANGE + 8.0 * EPSILON * size:
            growth[f] = 1.0 + size / gap[0]
        else:
            return None
    usual = np.flatnonzero(~is_unusual)
    if usual.size < 2 or not np.isfinite(fitted.growth[0]):
        return None
    values = columns.values[usual]
    ends = np.stack([values.min(axis=0), values.max(axis=0)])
    least = _variances(columns, ends, ends)[0].min(axis=0)
    # As `scale_by_deviation` judges, with a margin.
    blurred = 100.0 * m * EPSILON * (np.abs(columns.origin) / columns.unit + 1.0)
    if np.any(least[by_deviation] <= 4.0 * np.maximum(LEAST_VARIANCE, blurred**2)[by_deviation]):
        return None
    growth[by_deviation] = 2.0 / least[by_deviation]
    full = fitted.scale[0]
    return Limits(columns, full, is_unusual, by_deviation, ends, spreads, float(growth.max()))


def _variances(
    columns: Columns, rows: FloatArray, ends: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest variance of every column without a row and another.

    With sums S and Q of values and squares, and q units left, it is a concave function of the
    other value t: ``(Q − x² − t²)/q − (S − x − t)²/q²``.
    """
    left = columns.n_units - 2
    sums = columns.values.sum(axis=0) - rows
    squares = np.einsum("kf,kf->f", columns.values, columns.values) - rows**2
    least, most = ((squares - t**2) / left - ((sums - t) / left) ** 2 for t in (ends[0], ends[1]))
    least, most = np.minimum(least, most), np.maximum(least, most)
    top = np.clip(sums / (left + 1.0), ends[0], ends[1])
    return least, np.maximum(most, (squares - top**2) / left - ((sums - top) / left) ** 2)


def _spreads(columns: Columns, f: int, is_unusual: BoolArray) -> tuple[float, float]:
    """Return the least and the largest gap between two order statistics without any two units.

    Ends of a column change only without a unit at the end; such units become unusual.
    """
    column, ordered = columns.values[:, f], columns.order_of(f).sorted
    if columns.scale[f] == Scale.QUANTILES:
        place = columns.quantiles[:, f] * (ordered.size - 3)
        low, high = np.floor(place).astype(np.intp), np.ceil(place).astype(np.intp)
        # Without two units, each value is that of its place among all, or up to two places on.
        near, far = (
            ordered[low + on] + (place - low) * (ordered[high + on] - ordered[low + on])
            for on in (0, 2)
        )
        return float(near[1] - far[0]), float(far[1] - near[0])
    for end, third in ((ordered[0], ordered[2]), (ordered[-1], ordered[-3])):
        if end != third:
            is_unusual |= column == end
    least, most = float(ordered[0]), float(ordered[-1])
    spread = max(-least, most) if columns.scale[f] == Scale.LARGEST else most - least
    return spread, spread
