"""The path of lbfgs with more features than units, in as many coordinates as there are units.

L-BFGS from zero takes only sums of gradients and moves, and looks only at their inner products.
Every one of them is a combination of rows, ``Xᵀa``, so inner products are ``aᵀK b`` with
``K = X Xᵀ``: the path is followed in a, and no step touches the columns. Only its end does: no
entry of the gradient ``Xᵀa`` may exceed ``tol``. Its length tells in most steps.

A vector is kept as three: a, ``K a``, and the entry of the intercept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.logistic.lbfgs import (
    ACCEPTED,
    AGAIN,
    LEAST_CHANGE,
    LINE,
    LONGEST_STEP,
    MEMORY,
    STEP,
    TRIALS,
    ULP,
    begin,
    judge,
    spread,
)
from tlpo.engines.preparation.kernels import prepare


class Units(NamedTuple):
    """The units of a training set.

    Attributes
    ----------
    X : ndarray of shape (m, n)
        Their rows.
    K : ndarray of shape (m, m)
        Inner products of these.
    target, share : ndarray of shape (m,)
        Labels 0 and 1, and weights that sum to 1; 0 for units that are left out.
    penalty : float
        The penalty, divided by the sum of the weights.
    intercept : float
        1 if there is one, else 0.
    """

    X: FloatArray
    K: FloatArray
    target: FloatArray
    share: FloatArray
    penalty: float
    intercept: float


@compiled
def loss(units: Units, theta: FloatArray, gradient: FloatArray) -> float:
    """Return the mean loss with its penalty, and write its gradient."""
    m = units.target.size
    total = 0.0
    sum_of_errors = 0.0
    a, Ka, free = theta[:m], theta[m : 2 * m], theta[2 * m]
    for u in range(m):
        gradient[u] = 0.0
        if units.share[u] == 0.0:
            continue
        z = Ka[u] + free
        e = np.exp(-abs(z))
        p = 1.0 / (1.0 + e) if z > 0.0 else e / (1.0 + e)
        total += units.share[u] * (max(z, 0.0) + np.log1p(e) - units.target[u] * z)
        error = units.share[u] * (p - units.target[u])
        sum_of_errors += error
        gradient[u] = error + units.penalty * a[u]
    np.dot(units.K, gradient[:m], gradient[m : 2 * m])
    gradient[2 * m] = units.intercept * sum_of_errors
    return float(total + 0.5 * units.penalty * np.dot(a, Ka))


@compiled
def inner(one: FloatArray, other: FloatArray) -> float:
    """Return the inner product of two vectors."""
    m = (one.size - 1) // 2
    return float(np.dot(one[:m], other[m : 2 * m]) + one[2 * m] * other[2 * m])


@compiled
def is_flat(units: Units, gradient: FloatArray, tol: float, worst: IntArray) -> bool:
    """Return whether no entry of the gradient exceeds ``tol``; note the column of the largest."""
    m, n = units.X.shape
    if abs(gradient[2 * m]) > tol:
        return False
    square = max(0.0, np.dot(gradient[:m], gradient[m : 2 * m]))
    if square > 1.001 * n * tol * tol:
        return False
    # The column that had the largest entry before often still exceeds it.
    entry = 0.0
    for u in range(m):
        entry += units.X[u, worst[0]] * gradient[u]
    if abs(entry) > (1.0 + 1e-9) * tol:
        return False
    entries = np.abs(np.dot(units.X.T, gradient[:m]))
    worst[0] = np.argmax(entries)
    return bool(entries[worst[0]] <= tol)


@compiled
def descend(
    gradient: FloatArray, moves: FloatArray, turns: FloatArray, n_kept: int, direction: FloatArray
) -> None:
    """Write the direction of descent by the last moves and the turns of the gradient they made."""
    direction[:] = -gradient
    along = np.empty(MEMORY)
    for h in range(n_kept - 1, -1, -1):
        along[h] = inner(moves[h], direction) / inner(moves[h], turns[h])
        direction -= along[h] * turns[h]
    if n_kept:
        last = n_kept - 1
        direction *= inner(moves[last], turns[last]) / inner(turns[last], turns[last])
    for h in range(n_kept):
        back = inner(turns[h], direction) / inner(moves[h], turns[h])
        direction += (along[h] - back) * moves[h]


@compiled
def follow(units: Units, tol: float, max_iter: int, worst: IntArray, theta: FloatArray) -> bool:
    """Write where the solver stops; return whether it does so by its gradient alone."""
    k = theta.size
    moves, turns, n_kept = np.empty((MEMORY, k)), np.empty((MEMORY, k)), 0
    gradient, old, start = np.empty(k), np.empty(k), np.empty(k)
    direction, line = np.empty(k), np.empty(LINE)
    theta[:] = 0.0
    value = loss(units, theta, gradient)
    flat = is_flat(units, gradient, tol, worst)
    for _ in range(max_iter):
        if flat:
            return True
        descend(gradient, moves, turns, n_kept, direction)
        first = value
        first_slope = inner(gradient, direction)
        if not first_slope < 0.0:
            return False
        step = 1.0 if n_kept else min(1.0 / np.sqrt(inner(direction, direction)), LONGEST_STEP)
        start[:], old[:] = theta, gradient
        begin(line, first, first_slope, step)
        verdict, slope = AGAIN, 0.0
        for _ in range(TRIALS):
            theta[:] = start + line[STEP] * direction
            value = loss(units, theta, gradient)
            slope = inner(gradient, direction)
            verdict = judge(line, value, slope)
            if verdict != AGAIN:
                break
        if verdict != ACCEPTED:
            return False
        flat = is_flat(units, gradient, tol, worst)
        if not flat and (first - value) <= 2.0 * LEAST_CHANGE * max(abs(first), abs(value), 1.0):
            return False
        if (slope - first_slope) <= -ULP * first_slope:
            continue
        if n_kept == MEMORY:
            for h in range(MEMORY - 1):
                moves[h], turns[h] = moves[h + 1], turns[h + 1]
            n_kept -= 1
        moves[n_kept] = theta - start
        turns[n_kept] = gradient - old
        n_kept += 1
    return False


@compiled
def respond(
    X: FloatArray,
    K: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    alpha: FloatArray,
    tremor: float,
    tol: float,
    max_iter: int,
    tests: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write what the solver's model of weighted units responds to some, and how far that is off.

    Followed twice, as `lbfgs.respond` does: the second time with other inner products.
    """
    m, n = X.shape
    total = np.sum(weight)
    intercept = 1.0 if alpha.size > n else 0.0
    units = Units(X, K, target, weight / total, alpha[0] / total, intercept)
    theta, other = np.empty(2 * m + 1), np.empty(2 * m + 1)
    error[:] = np.inf
    worst = np.zeros(1, dtype=np.intp)
    if not follow(units, tol, max_iter, worst, theta):
        return
    shaken = np.empty((m, m))
    for u in range(m):
        own = tremor * np.sin(12.9898 * (u + 1))
        for v in range(m):
            shaken[u, v] = K[u, v] * (1.0 + own + tremor * np.sin(12.9898 * (v + 1)))
    again = Units(X, shaken, target, weight / total, alpha[0] / total, intercept)
    if not follow(again, tol, max_iter, worst, other):
        return
    apart, largest = 0.0, 1.0
    for u in range(m):
        z = np.dot(K[u], theta[:m]) + theta[2 * m]
        difference = abs(np.dot(shaken[u], other[:m]) + other[2 * m] - z)
        is_tested = False
        for t in range(tests.size):
            if tests[t] == u:
                response[t] = z
                is_tested = True
        if is_tested or weight[u] > 0.0:
            apart, largest = max(apart, difference), max(largest, abs(z))
    error[:] = spread(apart, largest, tremor)


@compiled
def respond_sets(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    sets: IntArray,
    target: FloatArray,
    weight: FloatArray,
    factor: FloatArray,
    alpha: FloatArray,
    tremor: FloatArray,
    tol: float,
    max_iter: int,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of the solver's models without some sets."""
    m, n = values.shape
    X, K, own = np.empty((m, n)), np.empty((m, m)), np.empty(m)
    varies = fill.shape[0] > 1
    for s in range(sets.shape[0]):
        row = s if varies else 0
        if varies or s == 0:
            prepare(values, missing, fill[row], shift[row], scale[row], X)
            np.dot(X, X.T, K)
        for u in range(m):
            own[u] = weight[u] * factor[s, int(target[u])]
        own[sets[s]] = 0.0
        respond(X, K, target, own, alpha, tremor[s], tol, max_iter, sets[s], response[s], error[s])
