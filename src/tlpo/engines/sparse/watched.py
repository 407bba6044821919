"""Sweeps over the few features that may move: compiled loops.

Let ``c_j`` be the slopes at some coefficients. As long as predictions of the training set have
moved by no more than r since then (the length of ``XΔ``), slopes have moved by no more than
``‖x_j‖ r``. So a feature with a coefficient of zero and ``|c_j| + ‖x_j‖ r < α`` stays at zero: it
need not be looked at. The others are *watched*; sweeps over them, with their slopes and the
products among them side by side, take exactly the steps of sweeps over all.

The length is known at every step: one of size d in coordinate j adds
``2d (c_j − c_j') + d² ‖x_j‖²`` to its square, ``c_j'`` the slope just before.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled

# Slopes count as below the bound up to this share of it.
BELOW = 1.0 - 1e-6
# Of the sum of squares of a feature, the share that must be left without a set: what remains of a
# difference of sums would be rounding otherwise.
LEAST_LEFT = 1e-3


@compiled
def step_to(aim: float, square: float, alpha: float, beta: float, positive: bool) -> float:
    """Return the best coefficient of a feature, the others as they are."""
    if abs(aim) <= alpha or (positive and aim < 0.0):
        return 0.0
    return (aim - alpha if aim > 0.0 else aim + alpha) / (square + beta)


@compiled
def row_at(
    j: int,
    square: float,
    scale: float,
    Xt: FloatArray,
    Q: FloatArray,
    row_of: IntArray,
    n_rows: IntArray,
) -> int:
    """Return where the products of a feature are; -1 if there is no room, or little left of it."""
    row = row_of[j]
    if row < 0:
        row = n_rows[0]
        if row == Q.shape[0]:
            return -1
        np.dot(Xt, Xt[j], Q[row])
        row_of[j] = row
        n_rows[0] += 1
    return row if square > LEAST_LEFT * scale * scale * Q[row, j] else -1


@compiled
def choose(
    active: IntArray,
    w: FloatArray,
    slopes: FloatArray,
    squares: FloatArray,
    alpha: float,
    limit: float,
    watched: IntArray,
) -> int:
    """Write the features to watch; return how many, or 0 if there is no room for them."""
    count = 0
    for j in active:
        if w[j] == 0.0 and abs(slopes[j]) + np.sqrt(squares[j]) * limit < BELOW * alpha:
            continue
        if count == watched.size:
            return 0
        watched[count] = j
        count += 1
    return count


@compiled
def begin(
    watched: IntArray,
    w: FloatArray,
    slopes: FloatArray,
    scale: FloatArray,
    rows: FloatArray,
    sums: FloatArray,
    own: FloatArray,
    before: FloatArray,
    known: BoolArray,
    their_rows: FloatArray,
    their_sums: FloatArray,
    their_scale: FloatArray,
) -> int:
    """Write what is known of the features just chosen side by side; return how many they are."""
    for k in range(watched.size):
        j = watched[k]
        own[k], before[k], known[k] = slopes[j], w[j], False
        their_sums[k], their_scale[k] = sums[j], scale[j]
        for u in range(rows.shape[0]):
            their_rows[u, k] = rows[u, j]
    return int(watched.size)


@compiled
def sweep(
    first: int,
    watched: IntArray,
    own: FloatArray,
    at_choice: FloatArray,
    squares: FloatArray,
    products: FloatArray,
    known: BoolArray,
    scale: FloatArray,
    Xt: FloatArray,
    Q: FloatArray,
    row_of: IntArray,
    n_rows: IntArray,
    rows: FloatArray,
    sums: FloatArray,
    n: int,
    their_rows: FloatArray,
    their_sums: FloatArray,
    their_scale: FloatArray,
    alpha: float,
    beta: float,
    positive: bool,
    limit: float,
    moved: float,
    w: FloatArray,
) -> tuple[int, float, float, float]:
    """Step once in every watched feature from the ``first`` on, or until the limit is passed.

    Parameters
    ----------
    first : int
        Which of the watched features to begin with.
    watched : ndarray of shape (q,)
        The features.
    own, at_choice : ndarray
        Their slopes, now and when they were chosen (of all features).
    products, known
        Products among them, and which rows are known; rows are added.
    their_rows, their_sums, their_scale
        Those of the watched features in ``rows``, ``sums`` and ``scale``.
    moved : float
        The square of the length moved since the choice.
    w : ndarray of shape (p,)
        Coefficients, updated.

    Other parameters are those of `descent.follow`.

    Returns
    -------
    int
        The first feature that is still to come; -1 if `row_at` finds no row.
    float, float
        The largest coefficient and the largest step.
    float
        The square of the length moved.
    """
    q = watched.size
    largest, farthest = 0.0, 0.0
    for place in range(first, q):
        j = watched[place]
        old, square = w[j], squares[j]
        new = step_to(own[place] + old * square, square, alpha, beta, positive)
        largest = max(largest, abs(new))
        if new == old:
            continue
        step = new - old
        farthest = max(farthest, abs(step))
        if not known[place]:
            at = row_at(j, square, scale[j], Xt, Q, row_of, n_rows)
            if at < 0:
                return -1, largest, farthest, moved
            known[place] = True
            mine, share = products[place], sums[j] / n
            for k in range(q):
                mine[k] = Q[at, watched[k]] - share * their_sums[k]
            for u in range(rows.shape[0]):
                x = rows[u, j]
                for k in range(q):
                    mine[k] -= x * their_rows[u, k]
            for k in range(q):
                mine[k] *= scale[j] * their_scale[k]
        w[j] = new
        moved += step * (2.0 * (at_choice[j] - own[place]) + step * square)
        mine = products[place]
        for k in range(q):
            own[k] -= step * mine[k]
        if moved > limit * limit:
            return place + 1, largest, farthest, moved
    return q, largest, farthest, moved
