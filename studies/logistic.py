"""Logistic regression by Newton's method, fast enough to simulate thousands of tournaments.

Minimises ``Σ log(1 + exp(−y f(x))) + ½ ‖w‖²`` with a free intercept, which is scikit-learn's
``LogisticRegression(C=1)`` without its tolerance: every model is iterated to rounding error,
starting from the model fitted to all units.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from tlpo.arrays import BoolArray, FloatArray
from tlpo.compiled import compiled

STEPS = 200
FARTHEST = 2.0
TOLERANCE = 1e-11


class NewtonLogistic(RegressorMixin, BaseEstimator):
    """Logistic regression on labels ±1 whose prediction is the log odds."""

    def fit(self, X: FloatArray, y: FloatArray) -> Self:
        """Fit to labels ±1."""
        Z = _with_constant(X)
        theta = np.zeros(Z.shape[1])
        _newton(Z, np.asarray(y > 0).astype(float), np.ones(len(Z)), -1, -1, theta)
        self.coef_, self.intercept_ = theta[:-1], float(theta[-1])
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return log odds."""
        return np.asarray(X @ self.coef_ + self.intercept_)


def held_out_table(
    X: FloatArray, is_positive: BoolArray, copies: FloatArray | None = None
) -> FloatArray:
    """Return F: the prediction for i of the model fitted without i and j.

    ``copies`` says how often each unit is in the sample; all copies of i and j are left out, and
    only units of opposite class meet.
    """
    m = is_positive.size
    F = np.full((m, m), np.nan)
    every = copies is None
    _fill(_with_constant(X), is_positive.astype(float), np.ones(m) if every else copies, every, F)
    return F


def _with_constant(X: FloatArray) -> FloatArray:
    return np.column_stack([X, np.ones(len(X))])


@compiled
def _fill(
    Z: FloatArray, target: FloatArray, copies: FloatArray, every: bool, F: FloatArray
) -> None:
    m, k = Z.shape
    start = np.zeros(k)
    _newton(Z, target, copies, -1, -1, start)
    for i in range(m):
        for j in range(i + 1, m):
            if not every and target[i] == target[j]:
                continue
            theta = start.copy()
            _newton(Z, target, copies, i, j, theta)
            f_i, f_j = 0.0, 0.0
            for c in range(k):
                f_i += Z[i, c] * theta[c]
                f_j += Z[j, c] * theta[c]
            F[i, j], F[j, i] = f_i, f_j


@compiled
def _newton(
    Z: FloatArray, target: FloatArray, copies: FloatArray, i: int, j: int, theta: FloatArray
) -> None:
    """Improve theta until it fits all units but i and j."""
    m, k = Z.shape
    gradient = np.empty(k)
    hessian = np.empty((k, k))
    for _ in range(STEPS):
        for c in range(k):
            gradient[c] = theta[c] if c < k - 1 else 0.0
            for e in range(k):
                hessian[c, e] = 1.0 if c == e and c < k - 1 else 0.0
        for u in range(m):
            if u in (i, j):
                continue
            f = 0.0
            for c in range(k):
                f += Z[u, c] * theta[c]
            p = 1.0 / (1.0 + np.exp(-f))
            weight, error = copies[u] * p * (1.0 - p), copies[u] * (p - target[u])
            for c in range(k):
                gradient[c] += error * Z[u, c]
                for e in range(c + 1):
                    hessian[c, e] += weight * Z[u, c] * Z[u, e]
        # Cholesky, in place in the lower triangle
        for c in range(k):
            for e in range(c + 1):
                s = hessian[c, e]
                for b in range(e):
                    s -= hessian[c, b] * hessian[e, b]
                hessian[c, e] = np.sqrt(s) if c == e else s / hessian[e, e]
        for c in range(k):
            s = gradient[c]
            for b in range(c):
                s -= hessian[c, b] * gradient[b]
            gradient[c] = s / hessian[c, c]
        for c in range(k - 1, -1, -1):
            s = gradient[c]
            for b in range(c + 1, k):
                s -= hessian[b, c] * gradient[b]
            gradient[c] = s / hessian[c, c]
        # A full step may overshoot where features have heavy tails: no log odds moves by more
        # than FARTHEST in one step.
        farthest, largest = 0.0, 0.0
        for u in range(m):
            f = 0.0
            for c in range(k):
                f += Z[u, c] * gradient[c]
            farthest = max(farthest, abs(f))
        damping = min(1.0, FARTHEST / farthest) if farthest > 0.0 else 1.0
        for c in range(k):
            theta[c] -= damping * gradient[c]
            largest = max(largest, abs(gradient[c]))
        if largest < TOLERANCE:
            break
