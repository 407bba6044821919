"""Discriminants without some units, compiled by numba. Free functions on arrays, no checks.

No fastmath: reordering additions may change a tie.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled

EPSILON = float(np.finfo(float).eps)
# Of what a matrix of deviations holds, less than this must not be left: the rest is rounding.
LEAST_SHARE = 1e-6
# Singular values this close to a tolerance may be on either side of it.
MARGIN = 1.01


@compiled
def discriminant_sets(
    sets: IntArray,
    X: FloatArray,
    code: IntArray,
    mean: FloatArray,
    scatter: FloatArray,
    size: IntArray,
    log_prior: FloatArray,
    n_subtracted: float,
    tol: float,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the probabilities of the classes for the units of each set, and their errors.

    ``X`` is centred and of unit scatter within classes, ``mean`` (K, n) and ``scatter`` (n, n) are
    those of all units. ``log_prior`` is empty if priors are shares of the training set. The
    scatter is divided by the units minus ``n_subtracted``. ``tol`` is that of singular values.
    """
    K, n = mean.shape
    m, s = len(X), sets.shape[1]
    count, centre, sums = np.empty(K), np.empty((K, n)), np.empty((K, n))
    left, prior = np.empty((n, n)), np.empty(K)
    for g in range(len(sets)):
        for c in range(K):
            count[c] = size[c]
        sums[:] = 0.0
        left[:] = scatter
        for k in sets[g]:
            c = code[k]
            count[c] -= 1.0
            for f in range(n):
                sums[c, f] += X[k, f] - mean[c, f]
        for k in sets[g]:
            c = code[k]
            for f in range(n):
                own = X[k, f] - mean[c, f]
                for h in range(f + 1):
                    left[f, h] -= own * (X[k, h] - mean[c, h])
        for c in range(K):
            for f in range(n):
                centre[c, f] = mean[c, f] - sums[c, f] / count[c]
                for h in range(f + 1):
                    left[f, h] -= sums[c, f] * sums[c, h] / count[c]
        total = float(m - s)
        for c in range(K):
            prior[c] = np.log(count[c] / total)
            if log_prior.size:
                prior[c] = log_prior[c]
        usable = True
        # Correlations within classes, as scikit-learn scales columns.
        deviation = np.empty(n)
        for f in range(n):
            if not left[f, f] > LEAST_SHARE * scatter[f, f]:
                usable = False
                left[f, f] = 1.0
            deviation[f] = np.sqrt(left[f, f] / total)
        inner = np.empty((n, n))
        for f in range(n):
            for h in range(f + 1):
                inner[f, h] = left[f, h] / (deviation[f] * deviation[h] * (total - n_subtracted))
                inner[h, f] = inner[f, h]
        least = 0.0
        if usable:
            values, vectors = np.linalg.eigh(inner)
            least = values[0]
            usable = least > (MARGIN * tol) ** 2 and least > 1e-12 * values[n - 1]
        if usable:
            white = np.empty((n, n))
            for f in range(n):
                for h in range(n):
                    white[f, h] = vectors[f, h] / (np.sqrt(values[h]) * deviation[f])
            middle = np.zeros(n)
            for c in range(K):
                for f in range(n):
                    middle[f] += np.exp(prior[c]) * centre[c, f]
            Z = (centre - middle) @ white
            usable = spread_out(Z, prior, tol)
        for p in range(s):
            if not usable:
                response[g, p] = 0.5
                error[g, p] = np.inf
                continue
            z = (X[sets[g, p]] - middle) @ white
            logits = np.empty(K)
            largest = 0.0
            for c in range(K):
                along, square = 0.0, 0.0
                for f in range(n):
                    along += z[f] * Z[c, f]
                    square += Z[c, f] * Z[c, f]
                logits[c] = along - 0.5 * square + prior[c]
                largest = max(largest, square)
            length = np.sqrt(z @ z) * np.sqrt(largest) + largest
            blur = 16.0 * EPSILON * np.sqrt(float(m) * n) * values[n - 1] / least * (1.0 + length)
            top = logits.max()
            shares = np.exp(logits - top)
            shares /= shares.sum()
            for c in range(K):
                response[g, p, c] = shares[c]
                error[g, p, c] = shares[c] * (np.expm1(2.0 * blur) + 8.0 * EPSILON) + EPSILON


@compiled
def spread_out(Z: FloatArray, prior: FloatArray, tol: float) -> bool:
    """Return whether the centres of K classes span K − 1 directions, or all that there are.

    Directions whose singular value is at most ``tol`` times the largest are dropped by
    scikit-learn.
    """
    K, n = Z.shape
    weighted = np.empty((K, n))
    for c in range(K):
        for f in range(n):
            weighted[c, f] = np.exp(0.5 * prior[c]) * Z[c, f]
    values = np.linalg.eigvalsh(weighted @ weighted.T)
    least = values[K - min(K - 1, n)]
    return bool(least > (MARGIN * tol) ** 2 * values[K - 1])
