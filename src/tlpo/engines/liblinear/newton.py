"""The solution that liblinear's trust-region solver approaches, and how far it may stop from it.

A solver that stops at w' leaves a gradient of length η at most, the one found here at w a gradient
of length q. Between w and w' the gradient changes by ``H̄ (w' − w)`` with H̄ an average of Hessians,
so with any matrix L ≤ H̄, and N = η + q,

    |vᵀ(w' − w)| ≤ N √(λ vᵀL⁻¹v),   λ the largest eigenvalue of L⁻¹ .

The solver also stops where a step promises less than 1e-12 of F, so where
``∇FᵀH⁻¹∇F < 2e-12 F``. Then √(`STALLED` F) takes the place of N √λ if it is larger.

The penalty alone gives L = I. That limits the margin of every unit to ``N ‖x_k‖`` of what it is at
w. Units whose loss is surely curved so close to w add ``c_k κ_k x_k x_kᵀ`` to L, with κ_k the least
curvature there, and a larger L limits the margins further.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.cholesky import factorise, invert, solve
from tlpo.compiled import compiled
from tlpo.engines.preparation.kernels import prepare

STEPS = 200
# A step is shortened so often at most.
HALVINGS = 40
# Newton's method stops when a step promises this share of F, or rounding leaves no more to gain.
CONVERGED = 1e-26
ROUNDED = 1e-12
# What a solver that promises no more leaves, relative to F, with a margin for the change of H.
STALLED = 1e-11
# Smaller pivots, relative to the diagonal, are taken for rounding.
LEAST_PIVOT = 1e-12
# So often L is made larger.
ROUNDS = 4


@compiled
def loss(
    X: FloatArray, sign: FloatArray, weight: FloatArray, is_hinge: bool, w: FloatArray
) -> float:
    """Return F(w)."""
    total = 0.0
    for c in range(w.size):
        total += 0.5 * w[c] * w[c]
    z = np.dot(X, w)
    for u in range(X.shape[0]):
        if weight[u] > 0.0:
            margin = sign[u] * z[u]
            if not is_hinge:
                total += weight[u] * (np.log1p(np.exp(-abs(margin))) + max(0.0, -margin))
            elif margin < 1.0:
                total += weight[u] * (1.0 - margin) ** 2
    return total


@compiled
def derivatives(
    X: FloatArray,
    sign: FloatArray,
    weight: FloatArray,
    is_hinge: bool,
    w: FloatArray,
    gradient: FloatArray,
    hessian: FloatArray,
) -> None:
    """Write the gradient and the upper triangle of the Hessian."""
    m, k = X.shape
    z = np.dot(X, w)
    for c in range(k):
        gradient[c] = w[c]
        for e in range(c, k):
            hessian[c, e] = 0.0
        hessian[c, c] = 1.0
    for u in range(m):
        if weight[u] == 0.0:
            continue
        margin = sign[u] * z[u]
        if is_hinge:
            if margin >= 1.0:
                continue
            slope, curvature = -2.0 * weight[u] * (1.0 - margin), 2.0 * weight[u]
        else:
            p = 1.0 / (1.0 + np.exp(margin))
            slope, curvature = -weight[u] * p, weight[u] * p * (1.0 - p)
        for c in range(k):
            x = X[u, c]
            gradient[c] += slope * sign[u] * x
            x *= curvature
            for e in range(c, k):
                hessian[c, e] += x * X[u, e]


@compiled
def minimise(
    X: FloatArray,
    sign: FloatArray,
    weight: FloatArray,
    is_hinge: bool,
    w: FloatArray,
    hessian: FloatArray,
) -> float:
    """Improve w until it minimises F; return the length of the gradient, infinite if it fails."""
    k = w.size
    gradient, step, tried = np.empty(k), np.empty(k), np.empty(k)
    value = loss(X, sign, weight, is_hinge, w)
    before = np.inf
    for _ in range(STEPS):
        derivatives(X, sign, weight, is_hinge, w, gradient, hessian)
        if not factorise(hessian, LEAST_PIVOT):
            return np.inf
        length, square = 0.0, 0.0
        for c in range(k):
            step[c] = gradient[c]
            length += gradient[c] * gradient[c]
        solve(hessian, step)
        for c in range(k):
            square += gradient[c] * step[c]
        if square <= CONVERGED * value or (square <= ROUNDED * value and square > 0.5 * before):
            return float(np.sqrt(length))
        before = square
        damping, is_better = 1.0, False
        for _ in range(HALVINGS):
            for c in range(k):
                tried[c] = w[c] - damping * step[c]
            found = loss(X, sign, weight, is_hinge, tried)
            # So near the end only rounding makes F larger.
            is_better = found <= value - 1e-4 * damping * square or square <= ROUNDED * value
            if is_better:
                break
            damping *= 0.5
        if not is_better:
            return np.inf
        value = min(value, found)
        for c in range(k):
            w[c] = tried[c]
    return np.inf


@compiled
def left_gradient(
    X: FloatArray, sign: FloatArray, weight: FloatArray, is_hinge: bool, tol: float
) -> float:
    """Return the length of the gradient at which the solver stops."""
    m, k = X.shape
    slope = 2.0 if is_hinge else 0.5
    n_positive, n_units, square = 0.0, 0.0, 0.0
    for u in range(m):
        if weight[u] > 0.0:
            n_units += 1.0
            n_positive += 1.0 if sign[u] > 0.0 else 0.0
    for c in range(k):
        total = 0.0
        for u in range(m):
            total += weight[u] * sign[u] * X[u, c]
        square += (slope * total) ** 2
    fewer = max(1.0, min(n_positive, n_units - n_positive))
    return float(tol * fewer / n_units * np.sqrt(square))


@compiled
def least_curved(
    X: FloatArray,
    sign: FloatArray,
    weight: FloatArray,
    is_hinge: bool,
    z: FloatArray,
    moved: FloatArray,
    L: FloatArray,
) -> bool:
    """Write the inverse of the least Hessian where margins move by no more than ``moved``."""
    m, k = X.shape
    U = np.zeros((k, k))
    for c in range(k):
        U[c, c] = 1.0
    for u in range(m):
        if weight[u] == 0.0:
            continue
        margin = sign[u] * z[u]
        if is_hinge:
            curvature = 2.0 * weight[u] if margin + moved[u] < 1.0 else 0.0
        else:
            p = 1.0 / (1.0 + np.exp(abs(margin) + moved[u]))
            curvature = weight[u] * p * (1.0 - p)
        if curvature == 0.0:
            continue
        for c in range(k):
            x = curvature * X[u, c]
            for e in range(c, k):
                U[c, e] += x * X[u, e]
    if not factorise(U, LEAST_PIVOT):
        return False
    invert(U, L)
    return True


@compiled
def width(v: FloatArray, inverse: FloatArray) -> float:
    """Return ``√(vᵀ L⁻¹ v)``."""
    square = 0.0
    for c in range(v.size):
        total = 0.0
        for e in range(v.size):
            total += inverse[c, e] * v[e]
        square += total * v[c]
    return float(np.sqrt(max(0.0, square)))


@compiled
def largest(inverse: FloatArray) -> float:
    """Return a bound of the largest eigenvalue of a matrix with none below zero."""
    trace, most = 0.0, 0.0
    for c in range(inverse.shape[0]):
        trace += inverse[c, c]
        total = 0.0
        for e in range(inverse.shape[1]):
            total += abs(inverse[c, e])
        most = max(most, total)
    return float(min(trace, most))


@compiled
def reaches(
    X: FloatArray,
    sign: FloatArray,
    weight: FloatArray,
    is_hinge: bool,
    w: FloatArray,
    N: float,
    rows: FloatArray,
    error: FloatArray,
) -> None:
    """Write how far ``rows @ w`` may be from the estimator's; two rows share that of their gap."""
    m, k = X.shape
    stalled = np.sqrt(STALLED * loss(X, sign, weight, is_hinge, w))
    z = np.dot(X, w)
    moved, inverse, v = np.empty(m), np.empty((k, k)), np.empty(k)
    for u in range(m):
        square = 0.0
        for c in range(k):
            square += X[u, c] * X[u, c]
        moved[u] = max(N, stalled) * np.sqrt(square)
    is_pair = rows.shape[0] == 2
    gap = 0.0
    if is_pair:
        for c in range(k):
            v[c] = rows[0, c] - rows[1, c]
            gap += v[c] * w[c]
    for _ in range(ROUNDS):
        if not least_curved(X, sign, weight, is_hinge, z, moved, inverse):
            error[:] = np.inf
            return
        reach = max(N * np.sqrt(largest(inverse)), stalled)
        if is_pair:
            error[:] = 0.5 * reach * width(v, inverse)
            if abs(gap) > 4.0 * error[0]:
                return
        else:
            for t in range(rows.shape[0]):
                error[t] = reach * width(rows[t], inverse)
        is_closer = False
        for u in range(m):
            if weight[u] > 0.0:
                own = reach * width(X[u], inverse)
                is_closer |= own < 0.5 * moved[u]
                moved[u] = min(moved[u], own)
        if not is_closer:
            return


@compiled
def solve_sets(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    sets: IntArray,
    sign: FloatArray,
    weight: FloatArray,
    factor: FloatArray,
    is_hinge: bool,
    bias: float,
    start: FloatArray,
    tol: float,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve training sets without some sets; write responses, and how far the solver may be.

    ``fill``, ``shift`` and ``scale`` have one row per set, or one for all; ``factor`` has the
    weights of negatives and positives in each set.
    """
    g, size = sets.shape
    m, k = values.shape[0], start.shape[1]
    X = np.full((m, k), bias)
    own, w, hessian, rows = np.empty(m), np.empty(k), np.empty((k, k)), np.empty((size, k))
    varies = fill.shape[0] > 1
    for s in range(g):
        row = s if varies else 0
        if varies or s == 0:
            prepare(values, missing, fill[row], shift[row], scale[row], X)
        for u in range(m):
            own[u] = weight[u] * factor[s, 1 if sign[u] > 0.0 else 0]
        for t in range(size):
            own[sets[s, t]] = 0.0
            rows[t] = X[sets[s, t]]
        w[:] = start[s]
        length = minimise(X, sign, own, is_hinge, w, hessian)
        for t in range(size):
            z = 0.0
            for c in range(k):
                z += rows[t, c] * w[c]
            response[s, t], error[s, t] = z, np.inf
        if length < np.inf:
            N = left_gradient(X, sign, own, is_hinge, tol) + length
            reaches(X, sign, own, is_hinge, w, N, rows, error[s])
