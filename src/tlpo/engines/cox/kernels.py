"""Cox regressions without some sets of units, and how far a refit may be from them.

Let w be where a step of Newton's method started, H the Hessian there, ``‖v‖² = vᵀH⁻¹v``, N the
length of the gradient and c the largest difference between the changes of two linear predictors.
The Hessian changes by a factor between ``exp(−c)`` and ``exp(c)`` along the step, so after it the
gradient is at most ``N' = N (eᶜ − 1 − c)/c`` long. With κ the largest ``‖x_k − x_l‖`` of two training
units, the minimum is within

    ρ = −log(1 − κ eᶜ N')/κ

of it, in the norm of H, and no response ``xᵀw`` is off by more than ``‖x‖ρ``.

**Where scikit-survival stops.** Its last step is a full one from some w' and decreases F by at most
``ε = tol F``. With ``r = κ‖w' − w*‖`` the step decreases F by at least
``[e^{−r} − 1 + r − (e^q − 1 − q)]/κ²``, ``q = e^r (e^r − 1 − r)`` what is left after it: for r ≤ ½
this exceeds ``r²/(4κ²)``, so ``r ≤ 2κ√ε``, which is improved once, and what is left is q/κ. (A long
step that ends at the very height it started from would also stop the solver. Nothing but chance
leads there, and the share of the loss is at most 1e-6.)
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.learners.cox_solver import (
    FARTHEST,
    PRECISION,
    STEPS,
    make_room,
    newton_step,
    solve_lower,
    solve_upper,
)

EPSILON = float(np.finfo(float).eps)
# A sum of gradients of all events is off by so many units in the last place of their largest.
ROUNDING = 8.0 * EPSILON
# Predictions are accurate to this share of their range.
ACCURACY = 1e-8
# Linear predictors that come close to what exponentials overflow at.
HIGHEST = 300.0


@compiled
def remainder(length: float, moved: float, kappa: float) -> float:
    """Return ρ, how far the minimum may be after a full step; infinite if unknown."""
    if moved > 1e-4:
        left = length * (np.expm1(moved) - moved) / moved
    else:
        left = 0.51 * length * moved
    left *= np.exp(moved)
    if kappa == 0.0:
        return left
    if not kappa * left < 1.0:
        return np.inf
    return float(-np.log1p(-kappa * left) / kappa)


@compiled
def slack(decrease: float, kappa: float) -> float:
    """Return how far from the minimum a full step that decreases F by so much may end."""
    square = decrease * kappa * kappa
    if not square < 1.0 / 16.0:
        return np.inf
    if square == 0.0:
        return 0.0
    r = 2.0 * np.sqrt(square)
    q = np.exp(r) * (np.expm1(r) - r)
    r = np.sqrt(2.0 * (square + np.expm1(q) - q) / (1.0 - r / 3.0))
    return float(np.exp(r) * (np.expm1(r) - r) / kappa)


@compiled
def farthest(X: FloatArray, count: FloatArray, U: FloatArray, v: FloatArray) -> float:
    """Return a bound on κ: twice the largest ``‖x_k‖`` of a training unit."""
    most = 0.0
    for u in range(X.shape[0]):
        if count[u] > 0.0:
            v[:] = X[u]
            most = max(most, solve_lower(U, v))
    return float(2.0 * np.sqrt(most))


@compiled
def roots_of_inverse(U: FloatArray, v: FloatArray, roots: FloatArray) -> None:
    """Write the roots of the diagonal of the inverse Hessian."""
    for f in range(v.size):
        v[:] = 0.0
        v[f] = 1.0
        roots[f] = np.sqrt(solve_lower(U, v))


@compiled
def reach(
    v: FloatArray, U: FloatArray, distance: float, size: FloatArray, rounding: float
) -> float:
    """Return by how much ``vᵀw`` may differ; overwrites v."""
    width = np.sqrt(solve_lower(U, v))
    solve_upper(U, v)
    box = 0.0
    for f in range(v.size):
        box += abs(v[f]) * size[f]
    return width * distance + rounding * box


@compiled
def solve_sets(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    growth: FloatArray,
    sets: IntArray,
    edges: IntArray,
    event: BoolArray,
    alpha: FloatArray,
    efron: bool,
    width: FloatArray,
    size: FloatArray,
    tol: float,
    height: float,
    w: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve training sets without some sets; write responses, and how far a refit may be.

    Parameters
    ----------
    values, missing : ndarray of shape (m, n)
        Columns, units sorted by time.
    fill, shift, scale : ndarray of shape (g, n) or (1, n)
        How they are prepared without each set.
    growth : ndarray of shape (g,)
        By how much rounding grows.
    sets : ndarray of shape (g, s)
        Places of the units left out.
    edges, event
        As in `tlpo.learners.cox_solver.Times`.
    alpha : ndarray of shape (n,)
        Penalties of the prepared columns.
    width, size : ndarray of shape (n,)
        The range of each column, and the largest of its numbers before anything was subtracted.
    tol, height : float
        The solver's tolerance, 0 if there is none, and a bound on the loss without penalty.
    w : ndarray of shape (g, n)
        Coefficients to start from, of columns before scaling; improved in place.
    response, error : ndarray of shape (g, s)
        The two errors of a set of two sum to that of the difference.
    """
    g, many = sets.shape
    m, n = values.shape
    room = make_room(m, n, edges.size - 1)
    varies, has_gaps = scale.shape[0] > 1, missing.any()
    X = values.copy() if has_gaps else values
    count, penalty, v = np.ones(m), np.empty(n), np.empty(n)
    roots = np.empty(n)
    n_events = 0.0
    for u in range(m):
        if event[u]:
            n_events += 1.0
    rounding = ROUNDING * n_events
    for s in range(g):
        row = s if varies else 0
        error[s] = np.inf
        response[s] = np.nan
        if not growth[s] < np.inf:
            continue
        if has_gaps:
            for u in range(m):
                for f in range(n):
                    if missing[u, f]:
                        X[u, f] = fill[row, f]
        kappa, ridge = 0.0, 0.0
        for f in range(n):
            penalty[f] = alpha[f] * scale[row, f] ** 2
            ridge += penalty[f] * w[s, f] ** 2
            if kappa < np.inf:
                kappa += width[f] ** 2 / penalty[f] if penalty[f] > 0.0 else np.inf
        kappa = np.sqrt(kappa)
        decrease = 1.5 * tol * (height + 0.5 * ridge)
        for t in range(many):
            count[sets[s, t]] = 0.0
        for _ in range(STEPS):
            is_step, length, moved, apart = newton_step(
                X, edges, event, count, penalty, efron, w[s], room
            )
            if not is_step:
                break
            if moved > FARTHEST:
                continue
            is_final = moved * moved <= PRECISION * apart
            left = remainder(length, moved, kappa)
            if not (is_final or left * moved <= ACCURACY * apart * length):
                continue
            _answer(X, shift[row], sets[s], w[s], room.hessian, v, response[s])
            if many == 2:
                gap = abs(response[s, 0] - response[s, 1])
                distance = left + slack(decrease, kappa)
                _bound(
                    X,
                    shift[row],
                    sets[s],
                    w[s],
                    room.hessian,
                    v,
                    distance,
                    size,
                    growth[s] * rounding,
                    error[s],
                )
                if gap > 2.0 * (error[s, 0] + error[s, 1]):
                    break
            if is_final:
                kappa = min(kappa, farthest(X, count, room.hessian, v))
                distance = remainder(length, moved, kappa) + slack(decrease, kappa)
                _bound(
                    X,
                    shift[row],
                    sets[s],
                    w[s],
                    room.hessian,
                    v,
                    distance,
                    size,
                    growth[s] * rounding,
                    error[s],
                )
                break
        for t in range(many):
            count[sets[s, t]] = 1.0


@compiled
def _answer(
    X: FloatArray,
    shift: FloatArray,
    units: IntArray,
    w: FloatArray,
    U: FloatArray,
    v: FloatArray,
    response: FloatArray,
) -> None:
    """Write the responses of some units."""
    for t in range(units.size):
        z = 0.0
        for f in range(w.size):
            z += (X[units[t], f] - shift[f]) * w[f]
        response[t] = z


@compiled
def _bound(
    X: FloatArray,
    shift: FloatArray,
    units: IntArray,
    w: FloatArray,
    U: FloatArray,
    v: FloatArray,
    distance: float,
    size: FloatArray,
    rounding: float,
    error: FloatArray,
) -> None:
    """Write by how much the responses may differ."""
    blur = 0.0
    for f in range(w.size):
        blur += size[f] * abs(w[f])
    blur *= 16.0 * EPSILON
    if units.size == 2:
        for f in range(w.size):
            v[f] = X[units[0], f] - X[units[1], f]
        error[:] = 0.5 * reach(v, U, distance, size, rounding) + blur
        return
    for t in range(units.size):
        for f in range(w.size):
            v[f] = X[units[t], f] - shift[f]
        error[t] = reach(v, U, distance, size, rounding) + blur
