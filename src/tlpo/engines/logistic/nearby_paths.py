"""Paths of the solver that run near one that is known: compiled loops.

Without a unit or two, L-BFGS evaluates the loss at nearly the same points as with them. Around each
point of a known path the loss is a quadratic function but for a remainder of third order, so a path
nearby costs no passes over the units: it is followed step by step, on the quadratic functions and
without what the units that are left out add to the loss, which is exact.

Columns may be shifted and scaled anew. With ``x' = (x − b)/r`` the coefficients θ' of a nearby path
are those of ``θ'/r`` in the columns of the known one, and the intercept is less by ``Σ b θ'/r``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.logistic.lbfgs import (
    CURVATURE,
    DECREASE,
    ENDED,
    FIRST,
    FIRST_SLOPE,
    MORE,
    STEP,
    STEPS,
    Path,
    dot,
    largest,
    loss,
    new_path,
    proceed,
)

# Numbers whose signs decide how a path goes on, at every point.
DECISIONS = 5
# A known path goes on until the gradient is this share of the tolerance, as paths near it may do.
BEYOND = 0.2
# Whether a path ends is certain if the gradient is so far from the tolerance, relative to what has
# changed.
CERTAIN = 0.2


class Units(NamedTuple):
    """What a known path is fitted to.

    Attributes
    ----------
    X : ndarray of shape (m, k)
        Prepared columns, and one of ones for an intercept.
    target, weight : ndarray of shape (m,)
        Labels of 0 and 1, and weights; 0 for units that are left out.
    alpha : ndarray of shape (k,)
        The penalty of each column.
    tol, max_iter
        When the solver stops.
    """

    X: FloatArray
    target: FloatArray
    weight: FloatArray
    alpha: FloatArray
    tol: float
    max_iter: int


class Points(NamedTuple):
    """Where the solver evaluated the loss on a known path.

    Attributes
    ----------
    theta : ndarray of shape (p, k)
        The points.
    value, gradient, hessian : ndarray of shape (p,), (p, k), (p, k, k)
        The loss at each, summed over the units without the penalty, and its derivatives.
    decision : ndarray of shape (p, DECISIONS)
        What decided how the path went on.
    reach : ndarray of shape (p,)
        The largest length of a unit, in the norm of the inverse Hessian with the penalty.
    stop : int
        The point where the solver stops. The others are those of a path that goes on.
    """

    theta: FloatArray
    value: FloatArray
    gradient: FloatArray
    hessian: FloatArray
    decision: FloatArray
    reach: FloatArray
    stop: int


@compiled
def decide(path: Path, value: float, gradient: FloatArray, tol: float, found: FloatArray) -> None:
    """Write the numbers whose signs decide how a path goes on from a point.

    They are by how much the gradient exceeds the tolerance; by how much the value and the slope
    satisfy the two conditions of the line search; and, if they do not, the slope and the value
    relative to the best one so far, which select the formula of the next trial.
    """
    found[:] = 0.0
    found[0] = largest(gradient) - tol
    if not path.counts[STEPS]:
        return
    line, slope = path.line, dot(gradient, path.direction)
    found[1] = line[FIRST] + DECREASE * line[STEP] * line[FIRST_SLOPE] - value
    found[2] = -CURVATURE * line[FIRST_SLOPE] - abs(slope)
    if found[1] < 0.0 or found[2] < 0.0:
        found[3], found[4] = slope, value - line[1]


@compiled
def record(units: Units, total: float, points: Points) -> tuple[int, int]:
    """Follow the solver and go on, and write points, values, gradients and decisions of its path.

    Returns their number, and where the solver stops; −1 if the path cannot be followed to there, or
    there is no room for it.
    """
    alpha, k, tol = units.alpha, units.alpha.size, units.tol
    theta, gradient, nothing = np.zeros(k), np.empty(k), np.zeros(k)
    path, state, n, stop = new_path(k), MORE, 0, -1
    while state == MORE and n < points.value.size:
        value = loss(units.X, units.target, units.weight, nothing, theta, points.gradient[n])
        points.value[n] = value
        for c in range(k):
            points.theta[n, c] = theta[c]
            gradient[c] = (points.gradient[n, c] + alpha[c] * theta[c]) / total
            value += 0.5 * alpha[c] * theta[c] * theta[c]
        decide(path, value / total, gradient, tol, points.decision[n])
        begun = path.counts[STEPS]
        state = proceed(path, value / total, gradient, BEYOND * tol, units.max_iter, theta)
        is_step = state == ENDED or path.counts[STEPS] > begun
        if is_step and stop < 0 and largest(gradient) <= tol:
            stop = n
        n += 1
    return n, stop


@compiled
def expand(
    points: Points, e: int, away: FloatArray, alpha: FloatArray, gradient: FloatArray
) -> tuple[float, float]:
    """Return the loss so far away from a point, to second order, and the square of the distance.

    The gradient is written. The distance is in the norm of the Hessian with the penalty.
    """
    k = away.size
    gradient[:] = 0.0
    for d in range(k):
        for c in range(k):
            gradient[c] += points.hessian[e, d, c] * away[d]
    value, square = points.value[e], 0.0
    for c in range(k):
        value += (points.gradient[e, c] + 0.5 * gradient[c]) * away[c]
        square += (gradient[c] + alpha[c] * away[c]) * away[c]
        gradient[c] += points.gradient[e, c]
    return value, square


@compiled
def add(units: Units, u: int, times: float, theta: FloatArray, gradient: FloatArray) -> float:
    """Return so many times the loss of a unit, and add as much of its gradient."""
    z = dot(units.X[u], theta)
    e = np.exp(-abs(z))
    p = 1.0 / (1.0 + e) if z > 0.0 else e / (1.0 + e)
    weight = times * units.weight[u]
    slope = weight * (p - units.target[u])
    for c in range(theta.size):
        gradient[c] += slope * units.X[u, c]
    return float(weight * (max(z, 0.0) + np.log1p(e) - units.target[u] * z))


@compiled
def is_firm(known: FloatArray, own: FloatArray, times: float, may_stop: bool) -> bool:
    """Return whether decisions would be the same if they changed so many times as much.

    If ``may_stop``, whether the path ends may differ from the known one, but must be certain.
    """
    for q in range(DECISIONS):
        change = own[q] - known[q]
        if q == 0 and may_stop:
            if abs(own[q]) < CERTAIN * abs(change):
                return False
        elif known[q] * (known[q] + times * change) < 0.0:
            return False
    return True


@compiled
def follow_near(
    units: Units,
    total: float,
    points: Points,
    back: int,
    others: IntArray,
    ratio: FloatArray,
    shift: FloatArray,
    times: float,
    may_stop: bool,
    moved: FloatArray,
    size: FloatArray,
    is_near: BoolArray,
) -> None:
    """Follow the solver without one more unit each, near a known path.

    Parameters
    ----------
    units, total, points
        The known path, and the sum of the weights of its units.
    back : int
        A unit that is not left out after all, unless it is negative.
    others : ndarray of shape (g,)
        The units that are left out besides.
    ratio, shift : ndarray of shape (g, n), or (1, n) if they are the same
        The scales of columns relative to those of the known path, and by how much more is
        subtracted from them, in scales of the latter.
    times, may_stop : float, bool
        How firm decisions must be; see `is_firm`.
    moved : ndarray of shape (g, k)
        Gets by how much farther the solver goes, in the columns of the known path.
    size : ndarray of shape (g,)
        Gets the largest ``√reach · distance`` from a known point. Remainders are at most about half
        its square, and so are errors but for a factor.
    is_near : ndarray of shape (g,)
        Gets whether the path takes the same turns, for certain.
    """
    k, n = moved.shape[1], ratio.shape[1]
    alpha = units.alpha
    theta, own, away = np.empty(k), np.empty(k), np.empty(k)
    gradient, turned, decision = np.empty(k), np.empty(k), np.empty(DECISIONS)
    path = new_path(k)
    for s in range(others.size):
        r, b = ratio[s if ratio.shape[0] > 1 else 0], shift[s if shift.shape[0] > 1 else 0]
        left = total - units.weight[others[s]]
        if back >= 0:
            left += units.weight[back]
        theta[:] = 0.0
        path.counts[:] = 0
        state, e = MORE, 0
        is_near[s], size[s] = True, 0.0
        while state == MORE and e < points.value.size and is_near[s]:
            for c in range(n):
                own[c] = theta[c] / r[c]
            if k > n:
                own[n] = theta[n]
                for c in range(n):
                    own[n] -= b[c] * own[c]
            for c in range(k):
                away[c] = own[c] - points.theta[e, c]
            value, square = expand(points, e, away, alpha, gradient)
            size[s] = max(size[s], np.sqrt(points.reach[e] * max(0.0, square)))
            value += add(units, others[s], -1.0, own, gradient)
            if back >= 0:
                value += add(units, back, 1.0, own, gradient)
            for c in range(k):
                turned[c] = gradient[c]
                if c < n:
                    if k > n:
                        turned[c] -= b[c] * gradient[n]
                    turned[c] /= r[c]
                turned[c] = (turned[c] + alpha[c] * theta[c]) / left
                value += 0.5 * alpha[c] * theta[c] * theta[c]
            decide(path, value / left, turned, units.tol, decision)
            is_near[s] = is_firm(points.decision[e], decision, times, may_stop)
            state = proceed(path, value / left, turned, units.tol, units.max_iter, theta)
            e += 1
        is_near[s] = is_near[s] and state == ENDED
        for c in range(k):
            moved[s, c] = own[c] - points.theta[points.stop, c]
