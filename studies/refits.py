"""Leave-pair-out of resamples, fast enough to bootstrap thousands of samples.

A resample has copies of units. Leaving out a pair leaves out all copies of both, so a resample is a
set of different units with weights. What `tlpo.bootstrap_refit` does by drawing rows, these
functions do with weights: ridge regression by one decomposition, nearest neighbours from sorted
distances, logistic regression by Newton's method.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from studies import logistic
from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled

N_NEIGHBORS = 3


def resampled_auc(learner: str, X: FloatArray, y: BoolArray, copies: IntArray) -> float:
    """Return the leave-pair-out AUC of a resample in which units occur ``copies`` times."""
    drawn = copies > 0
    X, y, weights = X[drawn], y[drawn], copies[drawn].astype(float)
    F = _TABLES[learner](X, y, weights)
    own, other = F[np.ix_(y, ~y)], F.T[np.ix_(y, ~y)]
    wins = (own > other) + 0.5 * (own == other)
    return float(weights[y] @ wins @ weights[~y] / (weights[y].sum() * weights[~y].sum()))


def ridge_table(X: FloatArray, y: BoolArray, copies: FloatArray) -> FloatArray:
    """Return F of `tlpo.RLS`.

    With weights w, ``G = Z (Zᵀ W Z + I)⁻¹ Zᵀ`` and residuals r, the residuals of i and j without
    both are ``(I − G_D W_D)⁻¹ r_D``, where D = {i, j}.
    """
    Z, target = np.column_stack([X, np.ones(len(X))]), np.where(y, 1.0, -1.0)
    G = Z @ np.linalg.solve((Z.T * copies) @ Z + np.eye(Z.shape[1]), Z.T)
    r = target - G @ (copies * target)
    a = 1.0 - np.diag(G) * copies
    across = G * copies  # entry i, j: G_ij w_j
    determinant = np.outer(a, a) - across * across.T
    np.fill_diagonal(determinant, np.nan)
    return np.asarray(target[:, None] - (r[:, None] * a + across * r) / determinant)


def neighbours_table(X: FloatArray, y: BoolArray, copies: FloatArray) -> FloatArray:
    """Return F of `tlpo.InverseDistanceKNN`."""
    distance = cdist(X, X)
    F = np.full(distance.shape, np.nan)
    _vote(distance, np.argsort(distance, axis=1), np.where(y, 1.0, -1.0), copies, F)
    return F


@compiled
def _vote(
    distance: FloatArray, order: IntArray, sign: FloatArray, copies: FloatArray, F: FloatArray
) -> None:
    m = sign.size
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            left, total = float(N_NEIGHBORS), 0.0
            for u in order[i]:
                if u in (i, j):
                    continue
                taken = min(left, copies[u])
                total += taken * sign[u] / distance[i, u]
                left -= taken
                if left == 0.0:
                    break
            F[i, j] = total


_TABLES = {
    "ridge": ridge_table,
    "knn": neighbours_table,
    "logistic": logistic.held_out_table,
}
