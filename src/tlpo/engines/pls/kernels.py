"""Partial least squares of one target, compiled.

Component by component: with weights ``w ∝ Xᵀy``, scores t are ``X w`` without what earlier scores
explain, and ``q t``, with ``q = yᵀt / tᵀt``, is subtracted from y. Scores of held-out units follow
from the same sums. Columns are shifted and scaled in these products, not in memory; held-out units
count 0.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled

EPSILON = 2.0**-52
# A covariance below so many roundings may be nothing but rounding.
ROUNDED = 1e3
# Rounding errors of a response are at most so many, times what the components amplify them by.
ROUNDINGS = 100.0


@compiled
def fit_one(
    values: FloatArray,
    gaps: FloatArray,
    y: FloatArray,
    count: FloatArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    n_components: int,
    response: FloatArray,
) -> float:
    """Write the responses for all units; return by how much they may be off.

    That is infinite where rounding decides what is fitted.

    Parameters
    ----------
    values : ndarray of shape (m, n)
        Features; 0 where they are missing.
    gaps : ndarray of shape (m, n) or (0, 0)
        1 where they are missing, if any are.
    y, count : ndarray of shape (m,)
        The target, and how often each unit is trained on.
    fill, shift, scale : ndarray of shape (n,)
        Of the columns; shifted, they have mean 0.
    n_components : int
        Number of components.
    response : ndarray of shape (m,)
        Gets the responses.
    """
    m, n = values.shape
    T, squared = np.empty((n_components, m)), np.empty(n_components)
    rest, part, total = np.empty(m), np.empty(m), count.sum()
    centre = np.dot(count, y) / total
    response[:] = centre
    height = 0.0
    for u in range(m):
        rest[u] = y[u] - centre
        height += count[u] * rest[u] * rest[u]
    size, growth, reached = 0.0, 0.0, abs(centre)
    for a in range(n_components):
        left = 0.0
        for u in range(m):
            part[u] = count[u] * rest[u]
            left += part[u]
        w = np.dot(part, values)
        if gaps.size:
            w += fill * np.dot(part, gaps)
        length = 0.0
        for f in range(n):
            w[f] = (w[f] - shift[f] * left) / scale[f]
            length += w[f] * w[f]
        length = np.sqrt(length)
        if not length > 0.0:
            return np.inf
        off = 0.0
        for f in range(n):
            w[f] /= length * scale[f]
            off += shift[f] * w[f]
        t = T[a]
        t[:] = np.dot(values, w)
        if gaps.size:
            t += np.dot(gaps, fill * w)
        before = 0.0
        for u in range(m):
            t[u] -= off
            before += count[u] * t[u] * t[u]
        for b in range(a):
            share = 0.0
            for u in range(m):
                share += count[u] * T[b, u] * t[u]
            share /= squared[b]
            for u in range(m):
                t[u] -= share * T[b, u]
        tt, q = 0.0, 0.0
        for u in range(m):
            tt += count[u] * t[u] * t[u]
            q += count[u] * t[u] * rest[u]
        size = max(size, before)
        if not tt > 0.0:
            return np.inf
        # What rounding of a product of columns and y leaves in weights, and of columns in scores.
        amplified = np.sqrt(n * size * height) / length + np.sqrt(n * size / tt)
        growth += amplified
        if not ROUNDED * EPSILON * amplified < 1.0:
            return np.inf
        squared[a] = tt
        q /= tt
        far = 0.0
        for u in range(m):
            rest[u] -= q * t[u]
            response[u] += q * t[u]
            far = max(far, abs(q * t[u]))
        reached += far
    return float(ROUNDINGS * EPSILON * np.sqrt(m + n) * growth * reached)


@compiled
def fit_sets(
    sets: IntArray,
    values: FloatArray,
    gaps: FloatArray,
    y: FloatArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    growth: FloatArray,
    n_components: int,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Fit without each of some sets, (g, s), whose columns are prepared without them."""
    count, own = np.ones(y.size), np.empty(y.size)
    for g in range(sets.shape[0]):
        for u in sets[g]:
            count[u] = 0.0
        off = fit_one(values, gaps, y, count, fill[g], shift[g], scale[g], n_components, own)
        for s in range(sets.shape[1]):
            response[g, s] = own[sets[g, s]]
            error[g, s] = off * growth[g]
            count[sets[g, s]] = 1.0
