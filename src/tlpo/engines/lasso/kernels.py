"""Deviances of penalties without a pair of units: compiled loops.

The deviance of a penalty is a sum over units u, each held out with its fold. In the model without
the fold let z_u be its linear predictor if all other units train, and ``z_u + δ_iu`` if all but i
do, both solved. Without i and j it is close to ``z_u + δ_iu + δ_ju``, so the sum is close to

    Σ_u [ℓ(z_u + δ_iu) + ℓ(z_u + δ_ju) − ℓ(z_u) + ℓ″(z_u) δ_iu δ_ju],

a few operations per unit and penalty. What is neglected is measured on pairs that are solved for
all penalties, in units of ``Σ_u ℓ″(z_u) |δ_iu δ_ju|``; a multiple of the largest is taken for the
error. Penalties that compete within it are solved (`choosing`).
Corrections of second order, by the third derivative of the loss and the leverage of i and j, were
tried: they do not make the error smaller, for most of it comes from columns that are used or not.
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

# Share of its bound by which the gradient of an unused column must be below it: otherwise there may
# be models that use it.
UNUSED = 1e-9
# What a step of Newton's method leaves is at most so many times its square.
SQUARE = 2.0


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
    shift : ndarray of shape (m, L, K, m)
        δ_iu for every penalty and fold; zero if i is in the fold.
    coef : ndarray of shape (m, L, K, p + 1) or (0, 0, 0, 0)
        What it changes of the coefficients, if there is room for that.
    loss : ndarray of shape (m, L, m)
        ℓ(z_u + δ_iu), u left out with its fold.
    sums : ndarray of shape (m, L, K)
        Its sums over folds.
    is_clear : ndarray of bool of shape (m, L)
        Whether none of the models has an alternative.
    curvature : ndarray of shape (L, m)
        ℓ″(z_u).
    whole : ndarray of shape (L, K)
        Sums of ℓ(z_u) over folds.
    """

    shift: FloatArray
    coef: FloatArray
    loss: FloatArray
    sums: FloatArray
    is_clear: BoolArray
    curvature: FloatArray
    whole: FloatArray


class Rule(NamedTuple):
    """How a penalty is chosen, and what is known about it beforehand.

    Attributes
    ----------
    is_min : bool
        Whether the smallest deviance is chosen, or the largest penalty within a standard error.
    n_penalties : int
        Length of a path.
    low, high : int
        The penalties that may be chosen.
    gaps : ndarray of shape (L, 2)
        By how much the difference of two deviances may be off that are so many penalties apart,
        relative to the unit of the smallest and to the sum of both.
    near : ndarray of shape (L,)
        The same for any two near the smallest, relative to the sum of both units.
    values : ndarray of shape (L, 3)
        By how much means, and means plus standard errors, may be off, in units of `predict_sums`;
        and means in any.
    solve_all : bool
        Whether every penalty is solved.
    """

    is_min: bool
    n_penalties: int
    low: int
    high: int
    gaps: FloatArray
    near: FloatArray
    values: FloatArray
    solve_all: bool


class Room(NamedTuple):
    """Arrays that are written over."""

    keep: FloatArray
    scale: FloatArray
    w: FloatArray
    z: FloatArray
    grad: FloatArray
    is_in: BoolArray
    is_near: BoolArray
    far: FloatArray


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
        np.zeros(1),
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
def start(sample: Sample, F: int, c: int, room: Room) -> None:
    """Start from the model without a fold."""
    room.w[:] = sample.W[F, c]
    room.z[:] = sample.Z[F, c]


@compiled
def move(singles: Singles, i: int, F: int, c: int, room: Room) -> None:
    """Add what leaving out a unit changes to where a solution starts."""
    if singles.coef.size:
        shift, coef = singles.shift[i, c, F], singles.coef[i, c, F]
        for f in range(room.w.size):
            room.w[f] += coef[f]
        for k in range(room.z.size):
            room.z[k] += shift[k]


@compiled
def resolve(sample: Sample, c: int, room: Room, close: float) -> bool:
    """Solve for the kept units, from where a solution starts; return whether it is unique."""
    p, m = sample.Xt.shape
    for f in range(p):
        if room.scale[f] == 0.0 and room.w[f] != 0.0:  # a column that is constant now
            for k in range(m):
                room.z[k] -= room.w[f] * sample.Xt[f, k]
            room.w[f] = 0.0
        room.is_in[f] = room.w[f] != 0.0
        room.is_near[f] = False
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
        room.far,
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
def leave_out_each(
    sample: Sample, singles: Singles, units: IntArray, low_c: int, high_c: int
) -> None:
    """Fill in what leaving out each of some units changes, for a range of penalties."""
    p, m = sample.Xt.shape
    K = sample.edges.size - 1
    room = make_room(m, p)
    for i in units:
        for c in range(low_c, high_c):
            singles.is_clear[i, c] = True
        for F in range(K):
            low, high = sample.edges[F], sample.edges[F + 1]
            own = sample.fold[i] == F
            if not own:
                leave_out(sample, F, i, -1, room)
            for c in range(low_c, high_c):
                start(sample, F, c, room)
                if not own and not resolve(sample, c, room, CLOSE):
                    singles.is_clear[i, c] = False
                for k in range(m):
                    singles.shift[i, c, F, k] = room.z[k] - sample.Z[F, c, k]
                if singles.coef.size:
                    for f in range(p + 1):
                        singles.coef[i, c, F, f] = room.w[f] - sample.W[F, c, f]
                total = 0.0
                for k in range(low, high):
                    singles.loss[i, c, k] = loss_at(room.z[k], sample.y[k])
                    total += singles.loss[i, c, k]
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
    sample: Sample,
    singles: Singles,
    i: int,
    j: int,
    first: int,
    sums: FloatArray,
    unit: FloatArray,
) -> None:
    """Write about what the losses of every fold add up to without a pair, for every penalty.

    Parameters
    ----------
    i, j, first : int
        The pair, and the first of the penalties.
    sums : ndarray of shape (c, K)
        Gets the sums.
    unit : ndarray of shape (c,)
        Gets what their errors are relative to.
    """
    K = sample.edges.size - 1
    for c in range(sums.shape[0]):
        d = first + c
        curvature = singles.curvature[d]
        unit[c] = 0.0
        for F in range(K):
            one, other = singles.shift[i, d, F], singles.shift[j, d, F]
            total = singles.sums[i, d, F] + singles.sums[j, d, F] - singles.whole[d, F]
            for k in range(sample.edges[F], sample.edges[F + 1]):
                term = curvature[k] * one[k] * other[k]
                total += term
                unit[c] += abs(term)
            sums[c, F] = total
        sums[c, sample.fold[i]] -= singles.loss[j, d, i]
        sums[c, sample.fold[j]] -= singles.loss[i, d, j]
        unit[c] /= sample.y.size


@compiled
def solve_sums(
    sample: Sample,
    singles: Singles,
    rule: Rule,
    i: int,
    j: int,
    c: int,
    room: Room,
    close: float,
    sums: FloatArray,
) -> float:
    """Write what the losses of every fold add up to without a pair.

    Returns by how much their mean may be off, in deviance; infinite if a model is not unique.
    """
    off = 0.0
    has_singles = not rule.solve_all and rule.low <= c < rule.high
    for F in range(sample.edges.size - 1):
        start(sample, F, c, room)
        is_other, is_another = sample.fold[i] != F, sample.fold[j] != F
        if has_singles and not (is_other and is_another):
            if is_other or is_another:
                shift = singles.shift[i if is_other else j, c, F]
                for k in range(sample.edges[F], sample.edges[F + 1]):
                    room.z[k] += shift[k]
        elif is_other or is_another:
            if has_singles:
                move(singles, i, F, c, room)
                move(singles, j, F, c, room)
            leave_out(sample, F, i, j, room)
            if not resolve(sample, c, room, close):
                off = np.inf
            # A loss changes by no more than the linear predictor.
            count = sample.edges[F + 1] - sample.edges[F]
            off += 2.0 * SQUARE * room.far[0] ** 2 * count / sample.y.size
        sums[F] = 0.0
        for k in range(sample.edges[F], sample.edges[F + 1]):
            if k not in (i, j):
                sums[F] += loss_at(room.z[k], sample.y[k])
    return off


@compiled
def average(sample: Sample, i: int, j: int, sums: FloatArray) -> tuple[float, float]:
    """Return the mean deviance and its standard error; twin of `elastic_net.average`.

    A second unit of −1 is none.
    """
    K = sums.size
    n = sample.fold.size - 1.0 - (j >= 0)
    mean = 0.0
    for F in range(K):
        mean += 2.0 * sums[F] / n
    spread, used = 0.0, 0
    for F in range(K):
        count = sample.edges[F + 1] - sample.edges[F]
        count -= (sample.fold[i] == F) + (j >= 0 and sample.fold[j] == F)
        if count > 0:
            used += 1
            spread += count / n * (2.0 * sums[F] / count - mean) ** 2
    return mean, np.sqrt(spread / (used - 1.0))


@compiled
def measure(
    sample: Sample, singles: Singles, rule: Rule, pairs: IntArray, about: FloatArray
) -> None:
    """Solve some pairs for a range of penalties, to see how far the approximation is off.

    Parameters
    ----------
    pairs : ndarray of shape (g, 2)
        The pairs.
    about : ndarray of shape (g, c, 5)
        Gets mean and mean plus standard error, as approximated and as solved, and the unit.
    """
    p, m = sample.Xt.shape
    K = sample.edges.size - 1
    n = rule.high - rule.low
    room, sums, real, unit = make_room(m, p), np.empty((n, K)), np.empty(K), np.empty(n)
    for g in range(len(pairs)):
        i, j = pairs[g]
        predict_sums(sample, singles, i, j, rule.low, sums, unit)
        about[g, :, 4] = unit
        for c in range(n):
            mean, error = average(sample, i, j, sums[c])
            about[g, c, 0], about[g, c, 1] = mean, mean + error
            solve_sums(sample, singles, rule, i, j, rule.low + c, room, CLOSE, real)
            mean, error = average(sample, i, j, real)
            about[g, c, 2], about[g, c, 3] = mean, mean + error


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
