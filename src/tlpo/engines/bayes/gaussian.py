"""Gaussian naive Bayes without some units: means and variances are corrected sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.preparation.columns import Centre, Columns, Fitted

EPSILON = float(np.finfo(float).eps)


class Gaussian:
    """Sums of every class and column, from which those without a set follow.

    Parameters
    ----------
    columns : Columns
        Features, and how they are prepared in every training set.
    kind : ndarray of shape (m,)
        The class of every unit, counted from 0.
    weight : ndarray of shape (m,)
        Sample weights.
    smoothing : float
        Share of the largest variance of all columns that is added to every variance.
    priors : ndarray of shape (K,) or None
        Of the classes.
    asked : sequence of int
        The classes whose probabilities are wanted.

    Notes
    -----
    Without the set S, the mean of a class moves by ``δ = −Σ_S w u / n'`` where ``u`` are deviations
    from its mean and ``n'`` is its weight without S, and its scatter becomes
    ``Q − Σ_S w u² − n' δ²``. In the units of `Columns.values` the likelihood is that of the scaled
    columns times a factor that all classes share, except that ``smoothing`` refers to scaled
    variances.
    """

    def __init__(
        self,
        columns: Columns,
        kind: IntArray,
        weight: FloatArray,
        smoothing: float,
        priors: FloatArray | None,
        asked: Sequence[int],
    ) -> None:
        # Naive Bayes does not see a shift of a column.
        self.columns = columns = columns.conditioned(shift_matters=False)
        self.kind, self.weight, self.smoothing = kind, weight, smoothing
        self.log_prior = np.empty(0) if priors is None else np.log(priors)
        self.asked = np.array(asked)
        classes = range(int(kind.max()) + 1)
        self.total = np.array([weight[kind == c].sum() for c in classes])
        present = ~columns.missing
        of_class = [np.where(kind == c, weight, 0.0)[:, None] * present for c in classes]
        sums = [_moments(columns.values, w) for w in (*of_class, present.astype(float))]
        self.seen, self.mean, self.scatter = (np.array(rows) for rows in zip(*sums, strict=True))
        # scikit-learn's means have errors in proportion to what it adds up: centred columns or not.
        size = np.sqrt(np.mean(columns.values**2, axis=0))
        offset = np.abs(columns.origin) / columns.unit
        size = size + np.where(columns.centre == Centre.NOTHING, offset, 0.0)
        self.noise = 4.0 * EPSILON * np.sqrt(columns.n_units) * size
        self.blur = 8.0 * EPSILON * (10.0 + self._size_of_logarithms())

    def arguments(self, sets: IntArray) -> tuple[Any, ...]:
        """Return the arguments of `kernels.gaussian_sets` for some sets, without the results."""
        columns, fitted = self.columns, self._fit(sets)
        return (
            sets,
            columns.values,
            columns.missing,
            self.kind,
            self.weight,
            self.total,
            self.seen,
            self.mean,
            self.scatter,
            fitted.fill,
            fitted.scale,
            fitted.growth,
            self.smoothing,
            self.log_prior,
            self.blur,
            self.noise,
            self.asked,
        )

    def _fit(self, sets: IntArray) -> Fitted:
        if not self.columns.is_fixed:
            return self.columns.fit_without(sets)
        none = np.zeros((1, self.columns.n_columns))
        return Fitted(none, none, none + 1.0, np.ones(1))

    def _size_of_logarithms(self) -> float:
        """Return about how large the logarithms are that scikit-learn adds up."""
        scale = self._fit(np.empty((1, 0), dtype=np.intp)).scale[0]
        spread = self.scatter / np.maximum(self.seen, EPSILON) / scale**2
        spread = spread[:-1] + self.smoothing * spread[-1].max()
        logs = np.log(2.0 * np.pi * np.where(spread > 0, spread, 1.0))
        return float(np.sum(2.0 + np.abs(logs).max(axis=0)))


def _moments(values: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return weight, mean and scatter of each column."""
    seen = weight.sum(axis=0)
    mean = np.sum(weight * values, axis=0) / np.where(seen > 0, seen, 1.0)
    low = np.where(weight > 0, values, np.inf).min(axis=0)
    high = np.where(weight > 0, values, -np.inf).max(axis=0)
    mean = np.where(low == high, low, mean)  # exactly: a constant column has no scatter at all
    return seen, mean, np.sum(weight * (values - mean) ** 2, axis=0)
