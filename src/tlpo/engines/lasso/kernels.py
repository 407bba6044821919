"""Which penalty a training set without a pair chooses, and what its model predicts: compiled loops.

The deviance of a penalty is a sum over units k, each held out with its fold. Let z_k be its linear
predictor if all other units train, and ``z_k + δ_ik`` if all but i do, both solved. Without i and j
it is close to ``z_k + δ_ik + δ_jk``, so the sum is close to

    Σ_k [ℓ(z_k + δ_ik) + ℓ(z_k + δ_jk) − ℓ(z_k) + ℓ''(z_k) δ_ik δ_jk],

a few operations per unit and penalty. What is neglected grows as the product of how far leaving out
i and j moves the models. In these units it is measured, on pairs that are solved for all
penalties; `SAFETY` times the largest is taken for the error. Penalties that compete within it are
solved, as is the model of the penalty that is chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.learners.elastic_net_solver import (
    CLOSE,
    FOUND,
    follow,
    loss_at,
    scale_of,
    solve,
)

# So many times the largest error that was measured.
SAFETY = 4.0
# Share of the largest deviance by which a sum may be off besides.
ROUNDING = 1e-7
# Models without one unit are solved up to the square of this.
CLOSE_ENOUGH = 1e-3
# Share of its bound by which the gradient of an unused column must be below it: otherwise there may
# be models that use it.
UNUSED = 1e-9
# Shares by which the learner takes deviances for equal, and by which ours may be off.
EQUAL = 1e-9
SOLVED = 5e-11


class Sample(NamedTuple):
    """Units sorted by fold, and the models without each fold.

    Attributes
    ----------
    Xt, squares : ndarray of shape (p, m)
        Standardised columns as rows, and their squares.
    rows : ndarray of shape (m, p)
        The same as rows of units.
    y : ndarray of shape (m,)
        Labels 0 and 1.
    fold : ndarray of shape (m,)
        The fold of each unit.
    edges : ndarray of shape (K + 1,)
        Where each fold begins.
    total, square : ndarray of shape (K + 1, p)
        Sums of the columns and of their squares without each fold, the last without none.
    penalties : ndarray of shape (L,)
        All penalties that some training set may have, largest first.
    l1 : float
        Share of the lasso.
    W : ndarray of shape (K + 1, L, p + 1)
        Coefficients and intercepts without each fold.
    Z : ndarray of shape (K + 1, L, m)
        Their linear predictors of all units.
    is_clear : ndarray of bool of shape (L,)
        Whether none of these models has an alternative.
    """

    Xt: FloatArray
    squares: FloatArray
    rows: FloatArray
    y: FloatArray
    fold: IntArray
    edges: IntArray
    total: FloatArray
    square: FloatArray
    penalties: FloatArray
    l1: float
    W: FloatArray
    Z: FloatArray
    is_clear: BoolArray


class Singles(NamedTuple):
    """What leaving out one more unit changes, for held-out units.

    Attributes
    ----------
    shift : ndarray of shape (m, L, m)
        δ_ik for every penalty: zero if i is in the fold of k.
    loss : ndarray of shape (m, L, m)
        ℓ(z_k + δ_ik).
    sums : ndarray of shape (m, L, K)
        Its sums over folds.
    reach : ndarray of shape (m, L)
        The largest |δ_ik|.
    is_clear : ndarray of bool of shape (m, L)
        Whether none of the models has an alternative.
    curvature : ndarray of shape (L, m)
        ℓ''(z_k).
    whole : ndarray of shape (L, K)
        Sums of ℓ(z_k) over folds.
    """

    shift: FloatArray
    loss: FloatArray
    sums: FloatArray
    reach: FloatArray
    is_clear: BoolArray
    curvature: FloatArray
    whole: FloatArray


class Room(NamedTuple):
    """Arrays that are written over."""

    keep: FloatArray
    scale: FloatArray
    w: FloatArray
    z: FloatArray
    grad: FloatArray
    is_in: BoolArray
    is_near: BoolArray


@compiled
def make_room(m: int, p: int) -> Room:
    """Allocate what a thread needs."""
    return Room(
        np.ones(m),
        np.empty(p),
        np.empty(p + 1),
        np.empty(m),
        np.empty(p),
        np.zeros(p, dtype=np.bool_),
        np.zeros(p, dtype=np.bool_),
    )


@compiled
def solve_folds(sample: Sample) -> None:
    """Fill in the models without each fold."""
    p, m = sample.Xt.shape
    K, L = sample.edges.size - 1, sample.penalties.size
    room, status = make_room(m, p), np.empty(L)
    sample.is_clear[:] = True
    for F in range(K + 1):
        leave_out(sample, F, -1, -1, room)
        follow(
            sample.Xt,
            sample.y,
            room.keep,
            room.scale,
            sample.penalties,
            sample.l1,
            sample.W[F],
            sample.Z[F],
            status,
        )
        for c in range(L):
            if status[c] != FOUND:
                sample.is_clear[c] = False


@compiled
def leave_out(sample: Sample, F: int, i: int, j: int, room: Room) -> None:
    """Write who is kept without a fold and two units, and the scales of the columns for these."""
    p, m = sample.Xt.shape
    K = sample.edges.size - 1
    for k in range(m):
        room.keep[k] = 0.0 if sample.fold[k] == F or k in (i, j) else 1.0
    n = room.keep.sum()
    out_i, out_j = i >= 0 and sample.fold[i] != F, j >= 0 and sample.fold[j] != F
    for f in range(p):
        total, square = sample.total[F, f], sample.square[F, f]
        if out_i:
            total -= sample.rows[i, f]
            square -= sample.rows[i, f] ** 2
        if out_j:
            total -= sample.rows[j, f]
            square -= sample.rows[j, f] ** 2
        room.scale[f] = scale_of(sample.Xt[f], room.keep, n, total, square)


@compiled
def resolve(sample: Sample, F: int, c: int, room: Room, close: float) -> bool:
    """Solve for the kept units, from the model without the fold; return whether it is unique."""
    p, m = sample.Xt.shape
    w, z = sample.W[F, c], sample.Z[F, c]
    for f in range(p):
        room.w[f] = w[f] if room.scale[f] > 0.0 else 0.0
        room.is_in[f] = room.w[f] != 0.0
        room.is_near[f] = False
    room.w[p] = w[p]
    for k in range(m):
        room.z[k] = z[k]
    for f in range(p):
        if room.w[f] != w[f]:  # a column that is constant now
            for k in range(m):
                room.z[k] -= w[f] * sample.Xt[f, k]
    penalty = sample.penalties[c]
    status = solve(
        sample.Xt,
        sample.y,
        room.keep,
        room.scale,
        penalty,
        sample.l1,
        room.w,
        room.z,
        room.grad,
        room.is_in,
        room.is_near,
        close,
    )
    if status != FOUND:
        return False
    if sample.l1 < 1.0:
        return True
    for f in range(p):
        bound = penalty * room.scale[f] * (1.0 - UNUSED)
        if room.w[f] == 0.0 and room.scale[f] > 0.0 and abs(room.grad[f]) >= bound:
            return False
    return True


@compiled
def leave_out_each(sample: Sample, singles: Singles, begin: int, end: int) -> None:
    """Fill in what leaving out each of some units changes."""
    p, m = sample.Xt.shape
    K, L = sample.edges.size - 1, sample.penalties.size
    room = make_room(m, p)
    for i in range(begin, end):
        for c in range(L):
            singles.is_clear[i, c] = True
            singles.reach[i, c] = 0.0
        for F in range(K):
            low, high = sample.edges[F], sample.edges[F + 1]
            own = sample.fold[i] == F
            if not own:
                leave_out(sample, F, i, -1, room)
            for c in range(L):
                if own:
                    z = sample.Z[F, c]
                else:
                    if not resolve(sample, F, c, room, CLOSE_ENOUGH):
                        singles.is_clear[i, c] = False
                    z = room.z
                total = 0.0
                for k in range(low, high):
                    loss = loss_at(z[k], sample.y[k])
                    shift = z[k] - sample.Z[F, c, k]
                    singles.shift[i, c, k] = shift
                    singles.loss[i, c, k] = loss
                    singles.reach[i, c] = max(singles.reach[i, c], abs(shift))
                    total += loss
                singles.sums[i, c, F] = total


@compiled
def sum_losses(sample: Sample, singles: Singles) -> None:
    """Fill in the losses of held-out units without anybody else left out, and their curvature."""
    K = sample.edges.size - 1
    for c in range(sample.penalties.size):
        for F in range(K):
            total = 0.0
            for k in range(sample.edges[F], sample.edges[F + 1]):
                z = sample.Z[F, c, k]
                total += loss_at(z, sample.y[k])
                p = 1.0 / (1.0 + np.exp(-z))
                singles.curvature[c, k] = p * (1.0 - p)
            singles.whole[c, F] = total


@compiled
def predict_sums(
    sample: Sample, singles: Singles, i: int, j: int, first: int, sums: FloatArray
) -> None:
    """Write about what the losses of every fold add up to without a pair, for every penalty."""
    K = sample.edges.size - 1
    for c in range(sums.shape[0]):
        d = first + c
        one, other, curvature = singles.shift[i, d], singles.shift[j, d], singles.curvature[d]
        for F in range(K):
            total = singles.sums[i, d, F] + singles.sums[j, d, F] - singles.whole[d, F]
            for k in range(sample.edges[F], sample.edges[F + 1]):
                total += curvature[k] * one[k] * other[k]
            sums[c, F] = total
        sums[c, sample.fold[i]] -= singles.loss[j, d, i]
        sums[c, sample.fold[j]] -= singles.loss[i, d, j]


@compiled
def solve_sums(sample: Sample, i: int, j: int, c: int, room: Room, sums: FloatArray) -> bool:
    """Write what the losses of every fold add up to without a pair; return whether it is unique."""
    is_clear = True
    for F in range(sample.edges.size - 1):
        leave_out(sample, F, i, j, room)
        if not resolve(sample, F, c, room, CLOSE):
            is_clear = False
        sums[F] = 0.0
        for k in range(sample.edges[F], sample.edges[F + 1]):
            if k not in (i, j):
                sums[F] += loss_at(room.z[k], sample.y[k])
    return is_clear


@compiled
def average(sample: Sample, i: int, j: int, sums: FloatArray) -> tuple[float, float]:
    """Return the mean deviance and its standard error; twin of `elastic_net.average`."""
    K = sums.size
    n = sample.fold.size - 2.0
    mean = 0.0
    for F in range(K):
        mean += 2.0 * sums[F] / n
    spread, used = 0.0, 0
    for F in range(K):
        count = sample.edges[F + 1] - sample.edges[F]
        count -= (sample.fold[i] == F) + (sample.fold[j] == F)
        if count > 0:
            used += 1
            spread += count / n * (2.0 * sums[F] / count - mean) ** 2
    return mean, np.sqrt(spread / (used - 1.0))


@compiled
def measure(
    sample: Sample,
    singles: Singles,
    pairs: IntArray,
    first: IntArray,
    count: int,
    off: FloatArray,
) -> None:
    """Raise, in place, the largest errors of the approximation, per product of reaches.

    Parameters
    ----------
    pairs : ndarray of shape (g, 2)
        Pairs that are solved for all penalties.
    first : ndarray of shape (g,)
        Where their paths begin.
    count : int
        Length of a path.
    off : ndarray of shape (L, 2)
        Largest errors of means, and of means plus standard errors.
    """
    p, m = sample.Xt.shape
    K = sample.edges.size - 1
    room, sums, real = make_room(m, p), np.empty((count, K)), np.empty(K)
    for g in range(first.size):
        i, j = pairs[g]
        predict_sums(sample, singles, i, j, first[g], sums)
        for c in range(count):
            d = first[g] + c
            unit = singles.reach[i, d] * singles.reach[j, d]
            solve_sums(sample, i, j, d, room, real)
            mean, error = average(sample, i, j, real)
            about, its = average(sample, i, j, sums[c])
            if unit > 0.0:
                off[d, 0] = max(off[d, 0], abs(mean - about) / unit)
                off[d, 1] = max(off[d, 1], abs(mean + error - about - its) / unit)


@compiled
def choose(
    sample: Sample,
    singles: Singles,
    i: int,
    j: int,
    first: int,
    off: FloatArray,
    is_min: bool,
    solve_all: bool,
    room: Room,
    sums: FloatArray,
    count: IntArray,
) -> int:
    """Return the penalty that the training set without a pair chooses, −1 if that is doubtful.

    Parameters
    ----------
    first : int
        Where its path begins.
    off : ndarray of shape (L, 2)
        What `measure` found.
    is_min : bool
        Whether the smallest deviance is chosen, or the largest penalty within a standard error.
    solve_all : bool
        Whether every penalty is solved.
    sums : ndarray of shape (c, K)
        Is written over.
    count : ndarray of shape (1,)
        How many penalties were solved.
    """
    n = sums.shape[0]
    mean, above = np.empty(n), np.empty(n)
    slack, both = np.empty(n), np.empty(n)
    known = np.zeros(n, dtype=np.bool_)
    predict_sums(sample, singles, i, j, first, sums)
    top = 0.0
    for c in range(n):
        d = first + c
        clear = sample.is_clear[d] and singles.is_clear[i, d] and singles.is_clear[j, d]
        if not clear:
            return -1
        mean[c], error = average(sample, i, j, sums[c])
        above[c] = mean[c] + error
        top = max(top, mean[c])
        unit = SAFETY * singles.reach[i, d] * singles.reach[j, d]
        slack[c], both[c] = unit * off[d, 0], unit * off[d, 1]
    for c in range(n):
        slack[c] += ROUNDING * top
        both[c] += ROUNDING * top
    surprise = solve_all
    for c in range(n):
        if surprise and not solve_known(
            sample, i, j, first, c, room, sums, mean, above, slack, both, known, count
        ):
            return -1
    # The smallest: every one that may be it is solved, unless there is only one.
    best = -1
    while best < 0:
        lowest = np.inf
        for c in range(n):
            lowest = min(lowest, mean[c] + slack[c])
        open_, rivals, last = -1, 0, -1
        for c in range(n):
            if mean[c] - slack[c] <= lowest + EQUAL * top:
                rivals += 1
                last = c
                if not known[c] and open_ < 0:
                    open_ = c
        if rivals == 1:
            best = last
        elif open_ >= 0:
            about, its = mean[open_], slack[open_]
            if not solve_known(
                sample, i, j, first, open_, room, sums, mean, above, slack, both, known, count
            ):
                return -1
            if abs(mean[open_] - about) > its and not surprise:
                # The measured error does not hold for this pair.
                surprise = True
                for c in range(n):
                    if not known[c] and not solve_known(
                        sample, i, j, first, c, room, sums, mean, above, slack, both, known, count
                    ):
                        return -1
        else:
            for c in range(n):
                if known[c]:
                    apart = mean[c] - lowest - EQUAL * top
                    if abs(apart) <= SOLVED * top:
                        return -1
                    if apart < 0.0 and best < 0:
                        best = c
    if is_min:
        return first + best
    for c in range(best):
        if mean[c] - slack[c] > above[best] + both[best] + EQUAL * top:
            continue
        if mean[c] + slack[c] < above[best] - both[best] + EQUAL * top:
            return first + c
        for e in (c, best):
            if not known[e] and not solve_known(
                sample, i, j, first, e, room, sums, mean, above, slack, both, known, count
            ):
                return -1
        apart = mean[c] - above[best] - EQUAL * top
        if abs(apart) <= SOLVED * top:
            return -1
        if apart < 0.0:
            return first + c
    return first + best


@compiled
def solve_known(
    sample: Sample,
    i: int,
    j: int,
    first: int,
    c: int,
    room: Room,
    sums: FloatArray,
    mean: FloatArray,
    above: FloatArray,
    slack: FloatArray,
    both: FloatArray,
    known: BoolArray,
    count: IntArray,
) -> bool:
    """Solve a penalty of a path; return whether all models are unique."""
    is_clear = solve_sums(sample, i, j, first + c, room, sums[c])
    mean[c], error = average(sample, i, j, sums[c])
    above[c] = mean[c] + error
    slack[c] = both[c] = 0.0
    known[c] = True
    count[0] += 1
    return is_clear


@compiled
def play(
    sample: Sample,
    singles: Singles,
    pairs: IntArray,
    first: IntArray,
    n_penalties: int,
    off: FloatArray,
    is_min: bool,
    solve_all: bool,
    response: FloatArray,
    error: FloatArray,
    count: IntArray,
) -> None:
    """Write what the models without some pairs predict for them, and by how much it may be off.

    Parameters
    ----------
    pairs : ndarray of shape (g, 2)
        The pairs.
    first : ndarray of shape (g,)
        Where their paths begin; those below 0 are not played.
    n_penalties : int
        Length of a path.
    off, is_min, solve_all
        As in `choose`.
    response, error : ndarray of shape (g, 2)
        Get predictions and errors, infinite where it must be refitted.
    count : ndarray of shape (1,)
        How many penalties were solved.
    """
    p, m = sample.Xt.shape
    K = sample.edges.size - 1
    room, sums = make_room(m, p), np.empty((n_penalties, K))
    for g in range(first.size):
        i, j = pairs[g]
        response[g] = 0.0
        error[g] = np.inf
        if first[g] < 0:
            continue
        c = choose(
            sample, singles, i, j, first[g], off, is_min, solve_all, room, sums, count
        )
        if c < 0:
            continue
        leave_out(sample, K, i, j, room)
        if resolve(sample, K, c, room, CLOSE):
            for side in range(2):
                response[g, side] = room.z[pairs[g, side]]
            largest = 0.0
            for k in range(m):
                largest = max(largest, abs(room.z[k]))
            error[g] = PREDICTED * (1.0 + largest)


# Share of the largest linear predictor by which predictions may be off.
PREDICTED = 1e-9


@compiled
def largest_penalties(sample: Sample, pairs: IntArray, largest: FloatArray) -> None:
    """Write the smallest penalty that uses no column, of every training set without a pair."""
    p, m = sample.Xt.shape
    K = sample.edges.size - 1
    cross, positives = np.dot(sample.Xt, sample.y), sample.y.sum()
    n = m - 2.0
    keep = np.ones(m)
    for g in range(largest.size):
        i, j = pairs[g]
        keep[i] = keep[j] = 0.0
        share = (positives - sample.y[i] - sample.y[j]) / n
        found = 0.0
        for f in range(p):
            a, b = sample.rows[i, f], sample.rows[j, f]
            total = sample.total[K, f] - a - b
            square = sample.square[K, f] - a * a - b * b
            scale = scale_of(sample.Xt[f], keep, n, total, square)
            if scale > 0.0:
                own = cross[f] - a * sample.y[i] - b * sample.y[j]
                found = max(found, abs(share * total - own) / (n * scale))
        largest[g] = found / sample.l1
        keep[i] = keep[j] = 1.0
