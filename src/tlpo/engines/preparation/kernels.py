"""Sums of columns without some units, compiled. Free functions on arrays, no checks."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled


@compiled
def sums_without(
    values: FloatArray,
    total: FloatArray,
    squares: FloatArray,
    sets: IntArray,
    sums_left: FloatArray,
    squares_left: FloatArray,
) -> None:
    """Write the sums and sums of squares of every column without each set, (g, n)."""
    n = values.shape[1]
    for t in range(sets.shape[0]):
        for f in range(n):
            sums_left[t, f] = total[f]
            squares_left[t, f] = squares[f]
        for k in range(sets.shape[1]):
            row = values[sets[t, k]]
            for f in range(n):
                sums_left[t, f] -= row[f]
                squares_left[t, f] -= row[f] * row[f]


@compiled
def scale_by_deviation(
    sums: FloatArray,
    squares: FloatArray,
    left: int,
    is_constant: BoolArray,
    by_deviation: BoolArray,
    by_mean: BoolArray,
    unit: FloatArray,
    blur: float,
    raw_mean: FloatArray,
    least: float,
    shift: FloatArray,
    scale: FloatArray,
    growth: FloatArray,
) -> None:
    """Write means and standard deviations, and how far rounding errors of the latter have grown.

    A constant column is divided by 1 in the user's units. Where the variance could be rounding, or
    less than ``least`` of it is left, the growth is infinite.
    """
    for t in range(sums.shape[0]):
        for f in range(sums.shape[1]):
            mean = sums[t, f] / left
            if by_mean[f]:
                shift[t, f] = mean
            if not by_deviation[f]:
                continue
            if is_constant[t, f]:
                scale[t, f] = 1.0 / unit[f]
                continue
            variance = squares[t, f] / left - mean * mean
            blurred = 100.0 * blur * (raw_mean[f] + abs(mean))
            if variance <= max(least, blurred * blurred):
                growth[t] = np.inf
                continue
            growth[t] = max(growth[t], (1.0 + mean * mean) / variance)
            scale[t, f] = np.sqrt(variance)


@compiled
def between_classes_without(
    values: FloatArray,
    sums: FloatArray,
    is_positive: BoolArray,
    sets: IntArray,
    added: FloatArray,
    squares_left: FloatArray,
    share: FloatArray,
    total: FloatArray,
) -> None:
    """Write which share of its sum of squares lies between the classes, for every column.

    ``sums`` (2, n) are those of negatives and positives, ``added`` (g, 2, n) what filled cells add
    to them, ``squares_left`` (g, n) the sums of squares without each set.
    """
    n, size = values.shape[1], sets.shape[1]
    own = np.empty((2, n))
    counts = np.empty(2)
    n_positive = np.count_nonzero(is_positive)
    has_added = added.shape[0] > 0
    for t in range(sets.shape[0]):
        own[:] = sums
        counts[0], counts[1] = is_positive.size - n_positive, n_positive
        if has_added:
            own += added[t]
        for k in range(size):
            unit = sets[t, k]
            c = int(is_positive[unit])
            counts[c] -= 1
            row = values[unit]
            for f in range(n):
                own[c, f] -= row[f]
        left = counts[0] + counts[1]
        for f in range(n):
            both = own[0, f] + own[1, f]
            common = both * both / left
            between = own[0, f] ** 2 / counts[0] + own[1, f] ** 2 / counts[1] - common
            total[t, f] = squares_left[t, f] - common
            share[t, f] = between / total[t, f] if total[t, f] > 0.0 else -1.0


@compiled
def prepare(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    X: FloatArray,
) -> None:
    """Write the prepared columns of every unit; a last column of X, if any, is left alone."""
    m, n = values.shape
    for u in range(m):
        for f in range(n):
            x = fill[f] if missing[u, f] else values[u, f]
            X[u, f] = (x - shift[f]) / scale[f]
