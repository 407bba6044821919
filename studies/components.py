"""Ridge regression on principal components, fast enough to simulate thousands of tournaments.

The predictions are those of scikit-learn's ``make_pipeline(PCA(k), RidgeClassifier())``. Without a
pair, the scatter matrix of the others is a difference of sums. In the coordinates of its
eigenvectors it is diagonal, so that ridge regression has one coefficient per component,
``v·c / (λ + 1)`` with c the covariances of features and labels.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.games.schedule import all_pairs


def held_out_table(X: FloatArray, is_positive: BoolArray, n_components: int) -> FloatArray:
    """Return F: the decision value for i of the model fitted without i and j."""
    m = is_positive.size
    X, t = X - X.mean(axis=0), np.where(is_positive, 1.0, -1.0)
    pairs = all_pairs(m)
    rows, targets = X[pairs], t[pairs]
    mean = -rows.sum(axis=1) / (m - 2)
    base = (t.sum() - targets.sum(axis=1)) / (m - 2)
    scatter = X.T @ X - np.einsum("gsa,gsb->gab", rows, rows)
    scatter -= (m - 2) * mean[:, :, None] * mean[:, None, :]
    together = X.T @ t - np.einsum("gsa,gs->ga", rows, targets) - (m - 2) * mean * base[:, None]
    spread, directions = np.linalg.eigh(scatter)
    spread, directions = spread[:, -n_components:], directions[:, :, -n_components:]
    weight = np.einsum("gak,ga->gk", directions, together) / (spread + 1.0)
    placed = np.einsum("gsa,gak->gsk", rows - mean[:, None], directions)
    responses = base[:, None] + np.einsum("gsk,gk->gs", placed, weight)
    F = np.full((m, m), np.nan)
    F[pairs[:, 0], pairs[:, 1]], F[pairs[:, 1], pairs[:, 0]] = responses.T
    return F
