"""The true AUC of nearest neighbours: test units in the coordinates of the training set.

Distances from a test unit x to the m training units T need x·t for each of them, and ‖x‖². With
``T = L Qᵀ`` (L the Cholesky factor of T Tᵀ, Q orthonormal) the first are ``L Qᵀx``, and Qᵀx of a
normal x is normal with mean Qᵀμ: m numbers instead of n. What Q does not span adds to ‖x‖² the
square of n − m normal numbers, one of them shifted by the length of what is left of μ, the others a
χ². So a test unit is drawn in m + 2 numbers, from its exact distribution.

Every repetition draws its own test set: the error of one test set, 0.005 of AUC, would not average
out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.compiled import compiled

N_TEST = 5_000


class Judgement(NamedTuple):
    """AUC and sensitivities of test scores."""

    auc: float
    sensitivity: FloatArray


def knn_scores(
    X: FloatArray, y: BoolArray, n_signal: int, rng: np.random.Generator, k: int = 3
) -> FloatArray:
    """Score new units, the first half positive, by the k nearest units of a sample."""
    m, n = X.shape
    mean = np.zeros(n)
    mean[:n_signal] = 0.5
    points = rng.standard_normal((2 * N_TEST, min(m, n)))
    if n <= m:
        points[:N_TEST] += mean
        points[N_TEST:] -= mean
        scores = neighbour_scores(X, y, points, k)
    else:
        L = np.linalg.cholesky(X @ X.T)
        inside = np.linalg.solve(L, X @ mean)
        left = np.sqrt(max(0.0, float(mean @ mean - inside @ inside)))
        points[:N_TEST] += inside
        points[N_TEST:] -= inside
        along = rng.standard_normal(2 * N_TEST)
        along[:N_TEST] += left
        along[N_TEST:] -= left
        squares = np.einsum("ij,ij->i", points, points) + along**2
        if n > m + 1:
            squares += rng.chisquare(n - m - 1, size=2 * N_TEST)
        scores = np.empty(2 * N_TEST)
        _vote(points @ L.T, squares, np.einsum("ij,ij->i", X, X), y, k, scores)
    return scores


def judge(positive: FloatArray, negative: FloatArray, specificities: FloatArray) -> Judgement:
    """Return the AUC, and the largest TPR with FPR ≤ 1 − s for each specificity."""
    positive, negative = np.sort(positive), np.sort(negative)
    beaten = np.searchsorted(negative, positive, side="left").sum()
    beaten += np.searchsorted(negative, positive, side="right").sum()
    allowed = np.floor((1.0 - specificities) * negative.size + 1e-9).astype(int)
    thresholds = negative[negative.size - 1 - np.minimum(allowed, negative.size - 1)]
    above = positive.size - np.searchsorted(positive, thresholds, side="right")
    return Judgement(float(beaten / (2.0 * positive.size * negative.size)), above / positive.size)


def neighbour_scores(X: FloatArray, y: BoolArray, points: FloatArray, k: int = 3) -> FloatArray:
    """Score points given by their features."""
    scores = np.empty(len(points))
    squares = np.einsum("ij,ij->i", points, points)
    _vote(points @ X.T, squares, np.einsum("ij,ij->i", X, X), y, k, scores)
    return scores


@compiled
def _vote(
    dots: FloatArray,
    squares: FloatArray,
    own: FloatArray,
    is_positive: BoolArray,
    k: int,
    scores: FloatArray,
) -> None:
    """Add ±1/distance of the k nearest training units."""
    m = own.size
    best, who = np.empty(k), np.empty(k, dtype=np.int64)
    for t in range(squares.size):
        for c in range(k):
            best[c] = np.inf
            who[c] = 0
        for j in range(m):
            d = own[j] - 2.0 * dots[t, j]  # without ‖x‖², which is the same for all
            if d < best[k - 1]:
                c = k - 1
                while c > 0 and best[c - 1] > d:
                    best[c], who[c] = best[c - 1], who[c - 1]
                    c -= 1
                best[c], who[c] = d, j
        score = 0.0
        for c in range(k):
            vote = 1.0 / np.sqrt(max(best[c] + squares[t], 1e-300))
            score += vote if is_positive[who[c]] else -vote
        scores[t] = score
