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
from scipy import linalg

from tlpo.arrays import BoolArray, FloatArray
from tlpo.compiled import compiled
from tlpo.roc.curve import auc_of_sorted

N_TEST = 5_000
# Test units at a time: what is computed of them stays in the cache of a core.
BLOCK = 1_000


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
    units, inside = X, mean
    if n > m:
        units = linalg.cholesky(X @ X.T, lower=True)
        inside = linalg.solve_triangular(units, X @ mean, lower=True)
    points = np.empty((BLOCK, inside.size))
    squares, votes = np.empty((2, k, 2 * N_TEST))
    for start in range(0, 2 * N_TEST, BLOCK):
        rng.standard_normal(out=points)
        points += inside if start < N_TEST else -inside
        block = slice(start, start + BLOCK)
        squares[:, block], votes[:, block] = _nearest(units, y, points, k)
    if n > m:
        left = np.sqrt(max(0.0, float(mean @ mean - inside @ inside)))
        along = rng.standard_normal(2 * N_TEST)
        along[:N_TEST] += left
        along[N_TEST:] -= left
        squares += along**2
        if n > m + 1:
            squares += rng.chisquare(n - m - 1, size=2 * N_TEST)
    return _count(squares, votes)


def judge(positive: FloatArray, negative: FloatArray, specificities: FloatArray) -> Judgement:
    """Return the AUC, and the largest TPR with FPR ≤ 1 − s for each specificity."""
    positive, negative = np.sort(positive), np.sort(negative)
    allowed = np.floor((1.0 - specificities) * negative.size + 1e-9).astype(int)
    thresholds = negative[negative.size - 1 - np.minimum(allowed, negative.size - 1)]
    above = positive.size - np.searchsorted(positive, thresholds, side="right")
    return Judgement(auc_of_sorted(positive, negative), above / positive.size)


def neighbour_scores(X: FloatArray, y: BoolArray, points: FloatArray, k: int = 3) -> FloatArray:
    """Score points given by their features."""
    blocks = [points[start : start + BLOCK] for start in range(0, len(points), BLOCK)]
    return np.concatenate([_count(*_nearest(X, y, block, k)) for block in blocks])


def _count(squares: FloatArray, votes: FloatArray) -> FloatArray:
    scores: FloatArray = (votes / np.sqrt(np.maximum(squares, 1e-300))).sum(axis=0)
    return scores


def _nearest(
    units: FloatArray, y: BoolArray, points: FloatArray, k: int
) -> tuple[FloatArray, FloatArray]:
    """Return squared distances of the k nearest units, nearest first, and ±1 for their classes."""
    squares, votes = np.full((k + 1, len(points)), np.inf), np.zeros((k + 1, len(points)))
    squares[0] = -np.inf
    own = np.einsum("ij,ij->i", units, units)
    _sift(units @ points.T, own, np.where(y, 1.0, -1.0), squares, votes)
    return squares[1:] + np.einsum("ij,ij->i", points, points), votes[1:]


@compiled
def _sift(
    dots: FloatArray, own: FloatArray, classes: FloatArray, squares: FloatArray, votes: FloatArray
) -> None:
    """Insert one unit after another into the nearest so far, which begin with -∞."""
    # Points innermost, and choices instead of branches: the compiler does several at a time.
    for j in range(own.size):
        dot, square, vote = dots[j], own[j], classes[j]
        for c in range(len(squares) - 1, 0, -1):
            above, here = squares[c - 1], squares[c]
            vote_above, vote_here = votes[c - 1], votes[c]
            for t in range(dot.size):
                d = square - 2.0 * dot[t]  # without ‖x‖², which is the same for all
                moves_down, is_inserted = d < above[t], d < here[t]
                a, h, vote_a, vote_h = above[t], here[t], vote_above[t], vote_here[t]
                here[t] = a if moves_down else (d if is_inserted else h)
                vote_here[t] = vote_a if moves_down else (vote if is_inserted else vote_h)
