"""Cox regression with a ridge penalty by Newton's method: compiled loops.

Let units be sorted by time, longest first. With ``z = Xw``, ``e = exp(z)``, a count n_k of every
unit (0 leaves it out) and a penalty λ_f per column, the coefficients minimise

    F(w) = Σ_t Σ_r [log S_tr − mean of z over the events at t] + ½ Σ_f λ_f w_f²,
    S_tr = Σ n_k e_k over units at risk that have no event at t + a_r Σ n_k e_k over events at t,

r from 0 to d − 1, d the number of events at t; ``a_r = 1`` by Breslow, ``1 − r/d`` by Efron.

One pass goes from the longest time to the shortest and adds units to the risk set. It keeps the
mean μ of x over the risk set, weighted by e. A unit that joins a risk set of weight s moves μ by
``y e/(s + e)``, ``y = x − μ``, and adds ``yyᵀ es/(s + e)`` to the scatter around it. Every
gradient is a sum of such y and every Hessian ``Σ q yyᵀ`` with q ≥ 0, so nothing cancels where one
unit outweighs all others. A second pass, from the shortest time on, sums the hazards by which the
scatter counts. Exponentials are taken relative to the largest z at risk: none overflows.

The Hessian changes along a step p by no more than ``exp(c)``, c the largest difference of two
entries of Xp: the third cumulant of a distribution on a range c is at most c times the second. That
gives a step length that always decreases F, and bounds on what is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.cholesky import LEAST_PIVOT, factorise, solve_lower, solve_upper
from tlpo.compiled import compiled

STEPS = 200
# Where linear predictors move apart by more than this, a step may be too long.
FARTHEST = 0.5
# It is halved until F decreases by this share of what its slope promises.
LEAST_DECREASE = 0.1
# Newton's method stops where the next step would change linear predictors by less than this share.
PRECISION = 1e-15
# A step that is shorter than this, and not shorter than half the last one, is rounding.
SHORTEST = 1e-3

# How Newton's method ended.
FOUND, DEPENDENT, ENDLESS = 0, 1, 2


class Times(NamedTuple):
    """Units sorted by time, longest first.

    Attributes
    ----------
    order : ndarray of shape (m,)
        The units.
    edges : ndarray of shape (groups + 1,)
        Where units of another time begin.
    event : ndarray of bool of shape (m,)
        Whether they had the event, in this order.
    """

    order: IntArray
    edges: IntArray
    event: BoolArray


def arrange(time: FloatArray, event: BoolArray) -> Times:
    """Sort units by time.

    Examples
    --------
    >>> import numpy as np
    >>> arrange(np.array([2.0, 5.0, 2.0]), np.array([True, False, False]))
    Times(order=array([1, 0, 2]), edges=array([0, 1, 3]), event=array([False,  True, False]))
    """
    order = np.argsort(-time, kind="stable")
    edges = np.flatnonzero(np.diff(time[order], prepend=np.nan, append=np.nan) != 0)
    return Times(order, edges, event[order])


class Room(NamedTuple):
    """Arrays to compute in; made once per thread."""

    z: FloatArray
    moved: FloatArray
    rows: FloatArray
    factor: FloatArray
    own: FloatArray
    pull: FloatArray
    first: IntArray
    top: FloatArray
    hazard: FloatArray
    mean: FloatArray
    block: FloatArray
    gradient: FloatArray
    step: FloatArray
    hessian: FloatArray


@compiled
def make_room(m: int, n: int, groups: int) -> Room:
    """Return room for m units, n columns and a number of different times."""
    rows = m + groups
    return Room(
        np.empty(m),
        np.empty(m),
        np.empty((rows, n)),
        np.empty(rows),
        np.empty(rows),
        np.empty(rows),
        np.empty(groups + 1, dtype=np.intp),
        np.empty(groups),
        np.empty(groups),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty((n, n)),
    )


@compiled
def derivatives(
    X: FloatArray,
    edges: IntArray,
    event: BoolArray,
    count: FloatArray,
    penalty: FloatArray,
    efron: bool,
    w: FloatArray,
    room: Room,
) -> None:
    """Write the gradient and the Hessian (its upper triangle) at w into the room."""
    n = X.shape[1]
    groups = edges.size - 1
    z, rows, factor, own, pull = room.z, room.rows, room.factor, room.own, room.pull
    mean, block = room.mean, room.block
    gradient, hessian, first = room.gradient, room.hessian, room.first
    tops, hazards = room.top, room.hazard
    np.dot(X, w, z)
    for f in range(n):
        mean[f] = 0.0
    s, top, r = 0.0, -np.inf, 0
    for g in range(groups):
        low, high = edges[g], edges[g + 1]
        first[g] = r
        start = r
        before = top
        for u in range(low, high):
            if count[u] > 0.0 and z[u] > top:
                top = z[u]
        if top > before and s > 0.0:
            s *= np.exp(before - top)
        tops[g] = top
        d, weight, units, last = 0.0, 0.0, 0, 0
        for u in range(low, high):
            if count[u] > 0.0:
                e = count[u] * np.exp(z[u] - top)
                if event[u]:
                    d += count[u]
                    weight += e
                    units += 1
                    last = u
                    continue
                total = s + e
                if total == 0.0:  # nobody yet but units that later ones outweigh beyond measure
                    continue
                share = e / total
                for f in range(n):
                    y = X[u, f] - mean[f]
                    rows[r, f] = y
                    mean[f] += share * y
                factor[r] = s * share
                pull[r] = 0.0
                s = total
                r += 1
        if units == 0:
            for k in range(start, r):
                own[k] = 0.0
            hazards[g] = 0.0
            continue
        hazard, inner, gain, outer = 0.0, 0.0, 0.0, 0.0
        if efron and d > 1.0:
            for k in range(int(d)):
                share = 1.0 - k / d
                total = s + share * weight
                hazard += 1.0 / total
                inner += share / total
                gain += s / total
                outer += share * (s / total) * (weight / total)
        else:
            total = s + weight
            hazard = d / total
            inner = hazard
            gain = d * (s / total)
            outer = gain * (weight / total)
        for k in range(start, r):
            own[k] = factor[k] * hazard
        if units > 1:
            # The mean of the events weighted by e, which the gradient sees differ from the plain.
            for f in range(n):
                block[f] = 0.0
            for u in range(low, high):
                if event[u] and count[u] > 0.0:
                    share = count[u] / d
                    if weight > 0.0:
                        share = count[u] * np.exp(z[u] - top) / weight
                    for f in range(n):
                        block[f] += share * X[u, f]
            for u in range(low, high):
                if event[u] and count[u] > 0.0:
                    factor[r] = count[u] * np.exp(z[u] - top)
                    own[r] = factor[r] * inner
                    pull[r] = count[u]
                    for f in range(n):
                        rows[r, f] = X[u, f] - block[f]
                    r += 1
        else:
            for f in range(n):
                block[f] = X[last, f]
        total = s + weight
        share = weight / total
        factor[r] = s * share
        own[r] = outer
        pull[r] = gain
        for f in range(n):
            y = block[f] - mean[f]
            rows[r, f] = y
            mean[f] += share * y
        s = total
        r += 1
        hazards[g] = hazard
    first[groups] = r
    used = rows[:r]
    np.dot(used.T, pull[:r], gradient)
    for f in range(n):
        gradient[f] = penalty[f] * w[f] - gradient[f]
    before, after = 0.0, top
    for g in range(groups - 1, -1, -1):
        # The sum of earlier hazards, relative to the largest z at risk.
        if tops[g] < after:
            before *= np.exp(tops[g] - after)
            after = tops[g]
        for k in range(first[g], first[g + 1]):
            root = np.sqrt(factor[k] * before + own[k])
            for f in range(n):
                rows[k, f] *= root
        before += hazards[g]
    np.dot(used.T, used, hessian)
    for f in range(n):
        hessian[f, f] += penalty[f]


@compiled
def loss(z: FloatArray, edges: IntArray, event: BoolArray, count: FloatArray, efron: bool) -> float:
    """Return F without its penalty for linear predictors z."""
    s, top, total = 0.0, -np.inf, 0.0
    for g in range(edges.size - 1):
        before = top
        for u in range(edges[g], edges[g + 1]):
            if count[u] > 0.0:
                top = max(top, z[u])
        if top > before and s > 0.0:
            s *= np.exp(before - top)
        d, weight = 0.0, 0.0
        for u in range(edges[g], edges[g + 1]):
            if count[u] > 0.0:
                e = count[u] * np.exp(z[u] - top)
                if event[u]:
                    d += count[u]
                    weight += e
                    total -= count[u] * (z[u] - top)
                else:
                    s += e
        if d > 0.0:
            for k in range(int(d)):
                share = 1.0 - k / d if efron else 1.0
                total += np.log(s + share * weight)
            s += weight
    return total


@compiled
def spread(z: FloatArray, count: FloatArray) -> float:
    """Return the largest difference of two entries of units that count."""
    least, most = np.inf, -np.inf
    for u in range(z.size):
        if count[u] > 0.0:
            least = min(least, z[u])
            most = max(most, z[u])
    return most - least


@compiled
def step_length(
    edges: IntArray,
    event: BoolArray,
    count: FloatArray,
    penalty: FloatArray,
    efron: bool,
    w: FloatArray,
    length: float,
    moved: float,
    room: Room,
) -> float:
    """Return a share of the step that decreases F; overwrites z."""
    z, step = room.z, room.step
    # This share decreases F for sure, and is needlessly small if few units of a risk set matter.
    least = np.log1p(moved) / moved
    before = loss(z, edges, event, count, efron)
    share, taken = 1.0, 0.0
    while share > least:
        for u in range(z.size):
            z[u] -= (share - taken) * room.moved[u]
        taken = share
        change = loss(z, edges, event, count, efron) - before
        for f in range(w.size):
            change -= penalty[f] * share * step[f] * (w[f] - 0.5 * share * step[f])
        if change <= -LEAST_DECREASE * share * length * length:
            return share
        share *= 0.5
    return float(least)


@compiled
def newton_step(
    X: FloatArray,
    edges: IntArray,
    event: BoolArray,
    count: FloatArray,
    penalty: FloatArray,
    efron: bool,
    w: FloatArray,
    room: Room,
) -> tuple[bool, float, float, float]:
    """Take one step from w, in place.

    Returns
    -------
    bool
        Whether there was a step to take; no column may depend on others.
    float
        The length of the gradient before the step, in the norm of the inverse Hessian, whose
        factor is left in the room.
    float
        The largest difference between the changes of two linear predictors, for the whole step.
    float
        The largest difference between two linear predictors before the step.
    """
    derivatives(X, edges, event, count, penalty, efron, w, room)
    if not factorise(room.hessian, LEAST_PIVOT):
        return False, np.inf, np.inf, np.inf
    step = room.step
    for f in range(w.size):
        step[f] = room.gradient[f]
    length = np.sqrt(solve_lower(room.hessian, step))
    solve_upper(room.hessian, step)
    apart = spread(room.z, count)
    np.dot(X, step, room.moved)
    moved = spread(room.moved, count)
    share = 1.0
    if moved > FARTHEST:
        share = step_length(edges, event, count, penalty, efron, w, length, moved, room)
    for f in range(w.size):
        w[f] -= share * step[f]
    return True, length, moved, apart


@compiled
def is_last(moved: float, before: float, apart: float) -> bool:
    """Return whether nothing but rounding is left after a step, given the one before it."""
    is_rounding = moved <= SHORTEST and moved > 0.5 * before
    return moved * moved <= PRECISION * apart or is_rounding


@compiled
def minimise(
    X: FloatArray,
    edges: IntArray,
    event: BoolArray,
    count: FloatArray,
    penalty: FloatArray,
    efron: bool,
    w: FloatArray,
    room: Room,
) -> int:
    """Improve w until it minimises F up to rounding; return how that ended.

    After a full step that moved linear predictors apart by c, they are off by about c²/2.
    """
    before = np.inf
    for _ in range(STEPS):
        is_step, _, moved, apart = newton_step(X, edges, event, count, penalty, efron, w, room)
        if not is_step:
            return DEPENDENT
        if is_last(moved, before, apart):
            return FOUND
        before = moved
    return ENDLESS


def fit(
    X: FloatArray,
    time: FloatArray,
    event: BoolArray,
    penalty: FloatArray,
    efron: bool,
) -> tuple[FloatArray, int]:
    """Return the coefficients for one sample, and how Newton's method ended.

    Columns of X should have mean 0, which changes nothing but loses fewer digits.
    """
    order, edges, own_event = arrange(time, event)
    m, n = X.shape
    w = np.zeros(n)
    end = minimise(
        np.ascontiguousarray(X[order]),
        edges,
        own_event,
        np.ones(m),
        penalty,
        efron,
        w,
        make_room(m, n, edges.size - 1),
    )
    return w, int(end)
