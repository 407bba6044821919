"""Logistic regression by Newton's method, and how far its solver may be from it: compiled loops.

Where it stops. A solver that stops at θ' leaves a gradient γ = ∇F(θ') with |γ_f| ≤ β, the *box*. At
our own θ let q = ∇F(θ), H the Hessian, ``‖v‖² = vᵀH⁻¹v``, and κ the largest ``‖x_k‖`` of a training
unit. The third derivative of the logistic loss is at most the second, so along the segment from θ
to θ' curvature falls by no more than ``exp(−κ r)``, r its length in the norm of H. Therefore, with
``N = max_γ ‖γ‖ + ‖q‖`` and if ``κN < 1``,

    r ≤ R = −log(1 − κN)/κ,
    |vᵀ(θ' − θ)| ≤ β ‖H⁻¹v‖₁ + ‖v‖ (R − max_γ ‖γ‖)

for any v: a row, or the difference of two. The first term is what the box leaves to first order;
the second holds our own gradient and all that is of higher order.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.cholesky import factorise, invert, solve
from tlpo.compiled import compiled
from tlpo.engines.preparation.kernels import prepare

STEPS = 100
# Newton's method stops at this length of the gradient, in the norm of the inverse Hessian.
CONVERGED = 1e-11
# Rounding may stop it below this.
LONGEST = 1e-7
# Where log odds would move by more than this, the step is shortened.
FARTHEST = 0.5
# A column whose pivot is smaller than this share of its diagonal is taken for dependent.
LEAST_PIVOT = 1e-12


@compiled
def derivatives(
    X: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    alpha: FloatArray,
    theta: FloatArray,
    gradient: FloatArray,
    hessian: FloatArray,
    room: FloatArray,
) -> None:
    """Write the gradient and the Hessian; ``room`` has the shape of X."""
    m, k = X.shape
    z = np.dot(X, theta)
    for u in range(m):
        p = 1.0 / (1.0 + np.exp(-z[u]))
        z[u] = weight[u] * (p - target[u])
        curvature = weight[u] * p * (1.0 - p)
        for c in range(k):
            room[u, c] = curvature * X[u, c]
    np.dot(X.T, z, gradient)
    np.dot(X.T, room, hessian)
    for c in range(k):
        gradient[c] += alpha[c] * theta[c]
        hessian[c, c] += alpha[c]


@compiled
def minimise(
    X: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    alpha: FloatArray,
    theta: FloatArray,
    hessian: FloatArray,
) -> float:
    """Improve theta until it minimises F for units of given weights; 0 leaves a unit out.

    Returns
    -------
    float
        The length of the gradient that is left, in the norm of the inverse Hessian, whose factor
        is in ``hessian``; infinite if there is no minimum or it was not found.
    """
    m, k = X.shape
    gradient, step, room = np.empty(k), np.empty(k), np.empty((m, k))
    before = np.inf
    for _ in range(STEPS):
        derivatives(X, target, weight, alpha, theta, gradient, hessian, room)
        if not factorise(hessian, LEAST_PIVOT):
            return np.inf
        for c in range(k):
            step[c] = gradient[c]
        solve(hessian, step)
        square = 0.0
        for c in range(k):
            square += gradient[c] * step[c]
        length: float = np.sqrt(max(0.0, square))
        if length <= CONVERGED or (length < LONGEST and length > 0.5 * before):
            return length
        before = length
        moved = np.dot(X, step)
        farthest = 0.0
        for u in range(m):
            if weight[u] > 0.0:
                farthest = max(farthest, abs(moved[u]))
        # This length decreases F for any loss whose third derivative is at most its second.
        damping = 1.0 if farthest <= FARTHEST else np.log1p(farthest) / farthest
        for c in range(k):
            theta[c] -= damping * step[c]
    return np.inf


@compiled
def farthest_row(X: FloatArray, weight: FloatArray, inverse: FloatArray) -> float:
    """Return κ, the largest ``√(xᵀ H⁻¹ x)`` of the units with weight."""
    m, k = X.shape
    B = np.dot(X, inverse)
    most = 0.0
    for u in range(m):
        if weight[u] > 0.0:
            total = 0.0
            for c in range(k):
                total += B[u, c] * X[u, c]
            most = max(most, total)
    kappa: float = np.sqrt(most)
    return kappa


def fit(
    X: FloatArray, target: FloatArray, weight: FloatArray, alpha: FloatArray, theta: FloatArray
) -> FloatArray | None:
    """Improve theta until it minimises F; return the inverse Hessian, or None without a minimum."""
    hessian, inverse = np.empty((alpha.size, alpha.size)), np.empty((alpha.size, alpha.size))
    length = minimise(X, target, weight, alpha, theta, hessian)
    if not np.isfinite(length):
        return None
    invert(hessian, inverse)
    # On separable classes without a penalty, gradient and curvature vanish together.
    return inverse if length * farthest_row(X, weight, inverse) < 1e-3 else None


@compiled
def remainder(
    X: FloatArray, weight: FloatArray, inverse: FloatArray, box: float, length: float
) -> float:
    """Return ``R − max ‖γ‖`` for a gradient of ours of this length; infinite if κN ≥ 1."""
    total = 0.0
    for c in range(inverse.shape[0]):
        for e in range(inverse.shape[1]):
            total += abs(inverse[c, e])
    most = box * np.sqrt(total)
    kappa = farthest_row(X, weight, inverse)
    if kappa == 0.0:
        return length
    if not kappa * (most + length) < 1.0:
        return np.inf
    return float(-np.log1p(-kappa * (most + length)) / kappa - most)


@compiled
def reach(v: FloatArray, inverse: FloatArray, box: float, beyond: float) -> float:
    """Return by how much ``vᵀθ`` may differ: ``box ‖H⁻¹v‖₁ + ‖v‖ beyond``."""
    k = v.size
    taxicab, square = 0.0, 0.0
    for c in range(k):
        h = 0.0
        for e in range(k):
            h += inverse[c, e] * v[e]
        taxicab += abs(h)
        square += h * v[c]
    width: float = np.sqrt(max(0.0, square))
    return box * taxicab + width * beyond


def reaches(
    rows: FloatArray, X: FloatArray, weight: FloatArray, inverse: FloatArray, tol: float
) -> FloatArray:
    """Return by how much the estimator's own log odds of some rows may differ from those of `fit`.

    All of one model, and up to a number that is the same for all: only their order counts.
    """
    box = tol * float(weight.sum())
    beyond = remainder(X, weight, inverse, box, LONGEST)
    centred = rows - rows.mean(axis=0)
    return np.array([reach(row, inverse, box, beyond) for row in centred])


@compiled
def solve_sets(
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
    start: FloatArray,
    tol: float,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve training sets without some sets; write responses, and how far the solver may be.

    ``fill``, ``shift`` and ``scale`` have one row per set, or one for all. ``factor`` has the
    weights of negatives and positives in each set. The two errors of a set of two sum to that of
    the difference.
    """
    g, size = sets.shape
    m = values.shape[0]
    k = alpha.size
    X = np.ones((m, k))
    own, theta, v = np.empty(m), np.empty(k), np.empty(k)
    hessian, inverse = np.empty((k, k)), np.empty((k, k))
    varies = fill.shape[0] > 1
    for s in range(g):
        row = s if varies else 0
        if varies or s == 0:
            prepare(values, missing, fill[row], shift[row], scale[row], X)
        total = 0.0
        for u in range(m):
            own[u] = weight[u] * factor[s, int(target[u])]
        for t in range(size):
            own[sets[s, t]] = 0.0
        for u in range(m):
            total += own[u]
        for c in range(k):
            theta[c] = start[s, c]
        length = minimise(X, target, own, alpha, theta, hessian)
        for t in range(size):
            z = 0.0
            for c in range(k):
                z += X[sets[s, t], c] * theta[c]
            response[s, t], error[s, t] = z, np.inf
        if not length < np.inf:
            continue
        box = tol * total
        invert(hessian, inverse)
        beyond = remainder(X, own, inverse, box, length)
        if not beyond < np.inf:
            continue
        if size == 2:
            for c in range(k):
                v[c] = X[sets[s, 0], c] - X[sets[s, 1], c]
            error[s, 0] = error[s, 1] = 0.5 * reach(v, inverse, box, beyond)
        else:
            for t in range(size):
                error[s, t] = reach(X[sets[s, t]], inverse, box, beyond)
