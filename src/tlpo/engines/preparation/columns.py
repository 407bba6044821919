"""Columns whose filling and scaling change with the training set.

After all steps that are the same in every training set have been applied, a cell of the matrix that
a model is trained on is

    z_kf = (v_kf + c_f n_kf − b_f) / s_f

where ``v`` is a value (0 if missing), ``n`` marks missing cells, and the fill ``c``, the shift
``b`` and the scale ``s`` of a column depend on the training set only through sums and order
statistics of that column. Without a few units these follow from those of all units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray

EPSILON = float(np.finfo(float).eps)
# A column that keeps less than this share of its variance is left to refitting: what remains of a
# difference of sums would be rounding.
LEAST_VARIANCE = 1e-7
# Ranges and quantile ranges below this, in the user's units, are 0 to scikit-learn.
LEAST_RANGE = 10.0 * EPSILON
# Cells that are sorted at a time.
CELLS = 1 << 18


class Fill(IntEnum):
    """What missing cells of a column are filled with."""

    NOTHING = 0
    MEAN = 1
    MEDIAN = 2
    MODE = 3


class Centre(IntEnum):
    """What is subtracted from a column."""

    NOTHING = 0
    MEAN = 1
    MEDIAN = 2
    MINIMUM = 3


class Scale(IntEnum):
    """What a column is divided by."""

    NOTHING = 0
    DEVIATION = 1
    RANGE = 2
    LARGEST = 3
    QUANTILES = 4


class Fitted(NamedTuple):
    """Fill, shift and scale of every column, for several training sets.

    Attributes
    ----------
    fill, shift, scale : ndarray of shape (g, n)
        In the units of `Columns.values`.
    growth : ndarray of shape (g,)
        By how much rounding errors have grown, relative to those of all units; infinite where the
        training set cannot be prepared like this.
    """

    fill: FloatArray
    shift: FloatArray
    scale: FloatArray
    growth: FloatArray


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of numbers, and how each is filled and scaled in every training set.

    Attributes
    ----------
    values : ndarray of shape (m, n)
        ``(raw − origin) / unit``, and 0 in missing cells.
    missing : ndarray of shape (m, n)
        Which cells are missing.
    fill, centre, scale : ndarray of shape (n,)
        Members of `Fill`, `Centre` and `Scale`.
    factor : ndarray of shape (n,)
        The scale is multiplied by it.
    offset : ndarray of shape (n,)
        Added after scaling.
    quantiles : ndarray of shape (2, n)
        Shares whose quantiles are subtracted, for ``Scale.QUANTILES``.
    origin, unit : ndarray of shape (n,)
        The fixed map from the user's numbers to ``values``.
    n_best : int or None
        How many columns are selected by the F statistic, anew in every training set.
    by_correlation : bool
        Whether F is that of the correlation with a number, or of the difference between classes.
    sees_shifts : bool
        Whether the model changes if a column is shifted.
    """

    values: FloatArray
    missing: BoolArray
    fill: IntArray
    centre: IntArray
    scale: IntArray
    factor: FloatArray
    offset: FloatArray
    quantiles: FloatArray
    origin: FloatArray
    unit: FloatArray
    n_best: int | None = None
    by_correlation: bool = False
    sees_shifts: bool = False

    @classmethod
    def of_matrix(cls, X: FloatArray) -> Columns:
        """Take a matrix as it is; NaN is missing, and nothing is filled or scaled."""
        n = X.shape[1]
        none, zero, one = np.zeros(n, dtype=np.intp), np.zeros(n), np.ones(n)
        missing = np.isnan(X)
        # Without gaps the matrix itself, if compiled loops take it as it is.
        values = np.where(missing, 0.0, X) if missing.any() else np.require(X, float, ["C", "W"])
        return cls(values, missing, none, none, none, one, zero, np.zeros((2, n)), zero, one)

    @classmethod
    def join(cls, parts: list[Columns]) -> Columns:
        """Put columns side by side."""
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts], axis=-1)
            for name in _PER_COLUMN
        }
        return replace(parts[0], **joined)

    def take(self, which: IntArray) -> Columns:
        """Keep some columns."""
        return replace(self, **{name: getattr(self, name)[..., which] for name in _PER_COLUMN})

    @property
    def n_units(self) -> int:
        """Number of units, m."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns, n."""
        return int(self.values.shape[1])

    @cached_property
    def has_gaps(self) -> bool:
        """Whether any cell is missing."""
        return bool(self.missing.any())

    @property
    def is_fixed(self) -> bool:
        """Whether nothing changes with the training set."""
        return self.is_fixed_but_for_selection and self.n_best is None

    @property
    def is_fixed_but_for_selection(self) -> bool:
        """Whether columns are neither filled nor scaled."""
        return not (self.fill.any() or self.centre.any() or self.scale.any())

    @property
    def is_only_filled(self) -> bool:
        """Whether all that changes with the training set is what gaps are filled with."""
        is_raw = (self.origin == 0.0) & (self.unit == 1.0) & (self.factor == 1.0)
        is_raw &= (self.centre == Centre.NOTHING) & (self.scale == Scale.NOTHING)
        return self.n_best is None and bool(np.all(is_raw & (self.offset == 0.0)))

    @property
    def matrix(self) -> FloatArray:
        """The numbers before filling and scaling, NaN where missing."""
        return np.where(self.missing, np.nan, self.origin + self.unit * self.values)

    def conditioned(self, shift_matters: bool) -> Columns:
        """Return the same columns in units in which sums lose few digits.

        Columns that are scaled get standard deviation 1. The mean is subtracted from all that may
        be shifted: those that are centred anyway, or all if the model does not see a shift.
        """
        may_shift = np.ones(self.n_columns, dtype=bool)
        may_shift[self.scale == Scale.LARGEST] = False
        if shift_matters:
            may_shift &= self.centre != Centre.NOTHING
        seen = np.maximum(self.n_units - self.missing.sum(axis=0), 1)
        origin = np.where(may_shift, self.values.sum(axis=0) / seen, 0.0)
        centred = np.where(self.missing, 0.0, self.values - origin)
        unit = np.sqrt(np.sum(centred**2, axis=0) / seen)
        unit[~((self.scale != Scale.NOTHING) & (unit > 0) & np.isfinite(unit))] = 1.0
        return replace(
            self,
            values=centred / unit,
            origin=self.origin + self.unit * origin,
            unit=self.unit * unit,
            sees_shifts=shift_matters,
        )

    def fit_without(self, sets: IntArray) -> Fitted:
        """Fit the columns without each of some sets of one size, given as rows."""
        g, size = sets.shape
        n, left = self.n_columns, self.n_units - size
        fill, scale, shift = np.zeros((g, n)), np.ones((g, n)), np.zeros((g, n))
        growth = np.ones(g)
        if self.is_fixed_but_for_selection:
            return Fitted(fill, shift, scale, growth)
        sums, squares = self._sums_without(sets)
        if self.has_gaps:
            absent = self.missing.sum(axis=0) - self.missing[sets].sum(axis=1)
            seen = left - absent
            fill = self._fills(sets, sums, seen)
            growth[np.any((seen == 0) & (self.missing.sum(axis=0) > 0), axis=1)] = np.inf
            sums, squares = sums + absent * fill, squares + absent * fill**2
        from tlpo.engines.preparation.kernels import scale_by_deviation

        scale_by_deviation(
            sums,
            squares,
            left,
            self._are_constant(sets),
            self.scale == Scale.DEVIATION,
            self.centre == Centre.MEAN,
            self.unit,
            # scikit-learn takes a column for constant if its variance could be rounding.
            self.n_units * EPSILON,
            np.abs(self.origin) / self.unit,
            LEAST_VARIANCE,
            shift,
            scale,
            growth,
        )
        self._fit_by_order(sets, shift, scale, growth)
        growth *= self._shift_growth(scale)
        if np.any(self.factor != 1.0):
            scale *= self.factor
        if self.offset.any():
            shift -= self.offset * scale
        return Fitted(fill, shift, scale, growth)

    def alike(self, sets: IntArray, least: int) -> list[tuple[Columns | None, IntArray]]:
        """Return columns without gaps, and for which sets the gaps are filled like that.

        Sets of which fewer than ``least`` share what is filled in come last, without columns.
        """
        gaps = np.flatnonzero(self.missing.any(axis=0))
        left = np.arange(len(sets))
        if Fill.MEAN in self.fill[gaps] or not len(sets):  # everybody's mean is another
            return [(None, left)]
        fills, number = np.unique(self.fit_without(sets).fill, axis=0, return_inverse=True)
        number = number.ravel()
        often = np.flatnonzero(np.bincount(number) >= least)
        found: list[tuple[Columns | None, IntArray]] = []
        for k in often:
            filled = replace(
                self,
                values=self.values + self.missing * fills[k],
                missing=np.zeros(self.missing.shape, dtype=bool),
                fill=np.zeros_like(self.fill),
            )
            found.append((filled, np.flatnonzero(number == k)))
        left = np.flatnonzero(~np.isin(number, often))
        return [*found, (None, left)] if left.size else found

    def fit_on(self, units: IntArray) -> Fitted:
        """Fit the columns on some units, which may be repeated; the plain way."""
        rows, gaps = self.values[units], self.missing[units]
        n = self.n_columns
        fill, growth = np.zeros(n), 1.0
        for f in np.flatnonzero(self.missing.any(axis=0)):
            seen = rows[~gaps[:, f], f]
            if not seen.size:
                growth = np.inf
            elif self.fill[f] == Fill.MEAN:
                fill[f] = seen.mean()
            elif self.fill[f] == Fill.MEDIAN:
                fill[f] = np.median(seen)
            elif self.fill[f] == Fill.MODE:
                found, counts = np.unique(seen, return_counts=True)
                fill[f] = found[np.argmax(counts)]
        filled = rows + gaps * fill
        shift, scale = np.zeros(n), np.ones(n)
        if not len(units):
            return Fitted(fill[None], shift[None], scale[None], np.array([np.inf]))
        mean, spread = filled.mean(axis=0), filled.std(axis=0)
        low, high = filled.min(axis=0), filled.max(axis=0)
        constant = low == high
        kind = self.scale
        by_order = kind > Scale.DEVIATION
        blurred = self.n_units * EPSILON * (np.abs(self.origin) / self.unit + np.abs(mean))
        doubtful = (kind == Scale.DEVIATION) & ~constant & (spread <= 100.0 * blurred)
        if doubtful.any():
            growth = np.inf
        scale = np.where(kind == Scale.DEVIATION, spread, scale)
        scale = np.where(kind == Scale.RANGE, high - low, scale)
        scale = np.where(kind == Scale.LARGEST, np.abs(filled).max(axis=0), scale)
        shift = np.where(self.centre == Centre.MEAN, mean, shift)
        shift = np.where(self.centre == Centre.MINIMUM, low, shift)
        for f in np.flatnonzero((kind == Scale.QUANTILES) | (self.centre == Centre.MEDIAN)):
            if self.centre[f] == Centre.MEDIAN:
                shift[f] = np.median(filled[:, f])
            if kind[f] == Scale.QUANTILES:
                one, other = np.quantile(filled[:, f], self.quantiles[:, f])
                scale[f] = other - one
        for c in np.flatnonzero(by_order).tolist():
            growth = max(growth, float(self._growth(c, scale[c : c + 1])[0]))
        constant = np.where(by_order, scale * self.unit < LEAST_RANGE, constant)
        scale = np.where(constant & (kind != Scale.NOTHING), 1.0 / self.unit, scale)
        growth *= float(self._shift_growth(scale[None])[0])
        scale = scale * self.factor
        shift = shift - self.offset * scale
        return Fitted(fill[None], shift[None], scale[None], np.array([growth]))

    def best_without(
        self, sets: IntArray, y: FloatArray, fitted: Fitted
    ) -> tuple[IntArray, BoolArray]:
        """Return the columns with the largest F statistics without each set.

        F grows with the share of the sum of squares that lies between the classes, which are
        y = ±1, or that y explains.

        Returns
        -------
        ndarray of shape (g, n_best)
            The columns, in order.
        ndarray of shape (g,)
            Whether the choice is clear: rounding could not change it.
        """
        assert self.n_best is not None
        shares = self._explained_without if self.by_correlation else self._shares_without
        share, total = shares(sets, y, fitted)
        constant = self._are_constant(sets)
        share[constant] = -1.0
        order = np.argpartition(share, [-self.n_best - 1, -self.n_best], axis=1)[:, ::-1]
        chosen = order[:, : self.n_best]
        best = np.take_along_axis(share, chosen, axis=1)
        best_left_out = np.take_along_axis(share, order[:, self.n_best : self.n_best + 1], axis=1)
        # scikit-learn sums squares without centring: large means cost digits.
        raw = (self.origin / self.unit) ** 2
        total[constant] = np.inf
        left = np.maximum((total / (1.0 + raw)).min(axis=1), 1e-300)
        doubt = 64.0 * EPSILON * self.n_units**2 / left
        is_clear = best[:, -1] - best_left_out[:, 0] > doubt
        # With no variance inside the classes, rounding makes F infinite, huge or even negative.
        is_clear &= best.max(axis=1) < 1.0 - doubt
        is_odd = self.are_oddly_constant(sets).any(axis=1)
        return np.sort(chosen, axis=1), is_clear & ~is_odd

    def best_on(self, units: IntArray, y: FloatArray, fitted: Fitted) -> IntArray | None:
        """Return the columns selected on some units, or None if rounding could change them."""
        assert self.n_best is not None
        filled = self.values[units] + self.missing[units] * fitted.fill[0]
        if np.any(filled.min(axis=0) == filled.max(axis=0)):
            return None
        filled = filled - filled.mean(axis=0)
        if self.by_correlation:
            deviation = y[units] - y[units].mean()
            between = (deviation @ filled) ** 2 / (deviation @ deviation)
        else:
            own = y[units] > 0
            between = sum(filled[part].sum(axis=0) ** 2 / part.sum() for part in (own, ~own))
        total = np.einsum("kf,kf->f", filled, filled)
        share = between / total
        order = np.argsort(share)[::-1]
        # As without some units: large means cost scikit-learn digits.
        left = max(float((total / (1.0 + (self.origin / self.unit) ** 2)).min()), 1e-300)
        doubt = max(64.0 * EPSILON * units.size**2 / left, 1e-9)
        gap = share[order[self.n_best - 1]] - share[order[self.n_best]]
        if gap < doubt or share.max() > 1.0 - doubt:
            return None
        return np.sort(order[: self.n_best])

    def _sums_without(self, sets: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the sums and sums of squares of seen cells without each set, (g, n) each."""
        from tlpo.engines.preparation.kernels import sums_without

        shape = (len(sets), self.n_columns)
        sums, squares = np.empty(shape), np.empty(shape)
        sums_without(self.values, *self._sums, sets, sums, squares)
        return sums, squares

    def _explained_without(
        self, sets: IntArray, y: FloatArray, fitted: Fitted
    ) -> tuple[FloatArray, FloatArray]:
        """Return the shares of the sums of squares that y explains, and these sums."""
        left = self.n_units - sets.shape[1]
        sums, squares = self._sums_without(sets)
        y = y - y.mean()
        y_sum, y_squares = -y[sets].sum(axis=1), y @ y - np.sum(y[sets] ** 2, axis=1)
        crossed = y @ self.values - np.einsum("gs,gsf->gf", y[sets], self.values[sets])
        if self.has_gaps:
            absent = self.missing.sum(axis=0) - self.missing[sets].sum(axis=1)
            sums = sums + absent * fitted.fill
            squares = squares + absent * fitted.fill**2
            gone = np.einsum("gs,gsf->gf", y[sets], self.missing[sets].astype(float))
            crossed += fitted.fill * (y @ self.missing - gone)
        total = squares - sums**2 / left
        covariance = crossed - sums * (y_sum / left)[:, None]
        spread = total * (y_squares - y_sum**2 / left)[:, None]
        is_spread = (total > 0) & (spread > 0)
        share = np.divide(covariance**2, spread, out=np.full(spread.shape, -1.0), where=is_spread)
        return share, total

    def _shares_without(
        self, sets: IntArray, y: FloatArray, fitted: Fitted
    ) -> tuple[FloatArray, FloatArray]:
        """Return the shares of the sums of squares between the classes, and these sums."""
        from tlpo.engines.preparation.kernels import between_classes_without

        is_positive = y > 0
        _, squares = self._sums_without(sets)
        classes = (~is_positive, is_positive)
        added = np.empty((0, 2, self.n_columns))
        if self.has_gaps:
            absent = np.stack(
                [
                    self.missing[own].sum(axis=0)
                    - (self.missing[sets] & own[sets][:, :, None]).sum(axis=1)
                    for own in classes
                ],
                axis=1,
            )
            added = absent * fitted.fill[:, None, :]
            squares += absent.sum(axis=1) * fitted.fill**2
        sums = np.array([self.values[own].sum(axis=0) for own in classes])
        share, total = np.empty(squares.shape), np.empty(squares.shape)
        between_classes_without(self.values, sums, is_positive, sets, added, squares, share, total)
        return share, total

    def prepared(self, fitted: Fitted, k: int, units: IntArray) -> FloatArray:
        """Return the prepared rows of some units, by the k-th of the fits."""
        filled = self.values[units]
        if self.has_gaps:
            filled = filled + self.missing[units] * fitted.fill[k]
        return np.asarray((filled - fitted.shift[k]) / fitted.scale[k])

    @cached_property
    def _sums(self) -> tuple[FloatArray, FloatArray]:
        return self.values.sum(axis=0), np.einsum("kf,kf->f", self.values, self.values)

    def order_of(self, f: int) -> Order:
        """Return the order of the values of a column."""
        if f not in self._orders:
            self._orders[f] = Order(self.values[:, f], ~self.missing[:, f])
        return self._orders[f]

    @cached_property
    def _orders(self) -> dict[int, Order]:
        return {}

    @cached_property
    def modes(self) -> FloatArray:
        """The most common value of every column; 0 if all are missing."""
        modes = np.empty(self.n_columns)
        is_repeated = np.asarray(self.missing.any(axis=0))
        step = max(1, CELLS // max(1, self.n_units))
        for part in (slice(k, k + step) for k in range(0, self.n_columns, step)):
            ordered = np.sort(self.values[:, part], axis=0)
            # Where all values differ it is the first; finding others takes long for many columns.
            modes[part] = ordered[0]
            is_repeated[part] |= (ordered[1:] == ordered[:-1]).any(axis=0)
        for f in np.flatnonzero(is_repeated):
            modes[f] = 0.0
            seen = self.values[~self.missing[:, f], f]
            if seen.size:
                found, counts = np.unique(seen, return_counts=True)
                modes[f] = found[np.argmax(counts)]
        return modes

    @cached_property
    def differs(self) -> BoolArray:
        """Cells that differ from the most common value of their column; missing ones do not."""
        return np.asarray(~self.missing & (self.values != self.modes))

    def are_oddly_constant(self, sets: IntArray) -> BoolArray:
        """Return which columns are constant without each set, but to rounding: (g, n).

        Sums of a whole number are exact, those of others are not: what scikit-learn computes for
        the variance of a constant column is 0 or rounding.
        """
        raw = self.origin + self.unit * self.modes
        return np.asarray(self._are_constant(sets) & (raw != np.rint(raw)))

    def _are_constant(self, sets: IntArray) -> BoolArray:
        """Return which columns are constant without each set, (g, n)."""
        n_odd = self.n_odd
        constant = np.zeros((len(sets), self.n_columns), dtype=bool)
        few = np.flatnonzero(n_odd <= sets.shape[1])
        if few.size:
            constant[:, few] = self.differs[:, few][sets].sum(axis=1) == n_odd[few]
        return constant

    @cached_property
    def n_odd(self) -> IntArray:
        """How many cells of every column differ from its most common value."""
        return np.asarray(self.differs.sum(axis=0))

    def _fills(self, sets: IntArray, sums: FloatArray, seen: IntArray) -> FloatArray:
        fill = np.zeros(sums.shape)
        for f in np.flatnonzero(self.missing.any(axis=0)).tolist():
            if self.fill[f] == Fill.MEAN:
                fill[:, f] = sums[:, f] / np.maximum(seen[:, f], 1)
            elif self.fill[f] == Fill.MEDIAN:
                fill[:, f] = self.order_of(f).quantile(sets, 0.5)
            elif self.fill[f] == Fill.MODE:
                fill[:, f] = _mode_without(self.values[:, f], ~self.missing[:, f], sets)
        return fill

    def _fit_by_order(
        self, sets: IntArray, shift: FloatArray, scale: FloatArray, growth: FloatArray
    ) -> None:
        """Write the shifts and scales that are order statistics."""
        needed = (self.scale > Scale.DEVIATION) | (self.centre > Centre.MEAN)
        for f in np.flatnonzero(needed).tolist():
            order = self.order_of(f)
            if self.centre[f] == Centre.MEDIAN:
                shift[:, f] = order.quantile(sets, 0.5)
            elif self.centre[f] == Centre.MINIMUM:
                shift[:, f] = order.quantile(sets, 0.0)
            if self.scale[f] == Scale.LARGEST:
                spread = np.maximum(-order.quantile(sets, 0.0), order.quantile(sets, 1.0))
            else:
                low, high = (0.0, 1.0) if self.scale[f] == Scale.RANGE else self.quantiles[:, f]
                spread = order.quantile(sets, high) - order.quantile(sets, low)
            if self.scale[f] > Scale.DEVIATION:
                np.maximum(growth, self._growth(f, spread), out=growth)
                is_constant = spread * self.unit[f] < LEAST_RANGE
                scale[:, f] = np.where(is_constant, 1.0 / self.unit[f], spread)

    def _growth(self, f: int, spread: FloatArray) -> FloatArray:
        """Return how rounding grows where a column is scaled by the gap between two of its values.

        It is infinite where rounding decides whether that is 0 to scikit-learn.
        """
        gap, size = spread * self.unit[f], float(np.abs(self.origin[f]))
        growth = 1.0 + size / np.where(gap < LEAST_RANGE, np.inf, gap)
        decided = np.abs(gap - LEAST_RANGE) > 4.0 * EPSILON * (size + gap)
        growth[(gap > 0) & ~decided] = np.inf
        return growth

    def _shift_growth(self, scale: FloatArray) -> FloatArray:
        """Return how rounding grows in the shifts of columns far from 0, if a model sees them.

        Errors are bounded for sums of tens of terms; a mean is off by one or two digits.
        """
        if not self.sees_shifts:
            return np.ones(len(scale))
        is_shifted = self.centre != Centre.NOTHING
        size = np.abs(self.origin[is_shifted]) / self.unit[is_shifted]
        return np.asarray((size / scale[:, is_shifted]).max(axis=1, initial=10.0) / 10.0)


class Order:
    """The sorted values of a column, of which some can be left out."""

    def __init__(self, column: FloatArray, seen: BoolArray) -> None:
        units = np.flatnonzero(seen)
        order = units[np.argsort(column[units], kind="stable")]
        self.sorted = column[order]
        self.rank = np.full(column.size, column.size, dtype=np.intp)  # missing: after all others
        self.rank[order] = np.arange(order.size)

    def quantile(self, sets: IntArray, share: float) -> FloatArray:
        """Return a quantile without each of the sets; linear between two values."""
        ranks = np.sort(self.rank[sets], axis=1)
        left = self.sorted.size - np.sum(ranks < self.sorted.size, axis=1)
        place = share * np.maximum(left - 1, 0)
        low = np.floor(place).astype(np.intp)
        high = np.ceil(place).astype(np.intp)
        one, other = self._value(ranks, low), self._value(ranks, high)
        return np.asarray(one + (place - low) * (other - one))

    def _value(self, ranks: IntArray, place: IntArray) -> FloatArray:
        for column in ranks.T:  # sorted: each left-out value at or before the place moves it on
            place = place + (column <= place)
        return np.asarray(self.sorted[np.minimum(place, self.sorted.size - 1)])


def _mode_without(column: FloatArray, seen: BoolArray, sets: IntArray) -> FloatArray:
    """Return the most frequent value without each of the sets, the smallest of equals."""
    found, code = np.unique(column[seen], return_inverse=True)
    codes = np.full(column.size, found.size, dtype=np.intp)
    codes[seen] = code.reshape(-1)
    counts = np.bincount(codes, minlength=found.size + 1)
    answer = np.empty(len(sets))
    for k, units in enumerate(sets):
        own = counts.copy()
        np.subtract.at(own, codes[units], 1)
        answer[k] = found[np.argmax(own[:-1])]
    return answer


_PER_COLUMN = (
    "values",
    "missing",
    "fill",
    "centre",
    "scale",
    "factor",
    "offset",
    "quantiles",
    "origin",
    "unit",
)
