"""Plain NumPy twins of the kernels and bounds, written for reading."""

import numpy as np
from scipy.special import expit


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def loss(X, y, weight, alpha, theta):
    z = X @ theta
    return weight @ (np.logaddexp(0.0, z) - y * z) + 0.5 * alpha @ theta**2


def gradient(X, y, weight, alpha, theta):
    p = expit(X @ theta)
    return X.T @ (weight * (p - y)) + alpha * theta


def hessian(X, y, weight, alpha, theta):
    p = expit(X @ theta)
    return (X.T * (weight * p * (1.0 - p))) @ X + np.diag(alpha)


def fit(X, y, weight, alpha):
    """Newton's method with a step that is halved until the loss falls."""
    arguments = X, y, weight, alpha
    theta = np.zeros(X.shape[1])
    for _ in range(200):
        step = np.linalg.solve(hessian(*arguments, theta), gradient(*arguments, theta))
        size = 1.0
        while loss(*arguments, theta - size * step) > loss(*arguments, theta) and size > 1e-6:
            size /= 2.0
        theta = theta - size * step
        if np.abs(step).max() < 1e-14:
            break
    return theta


def without(weight, units):
    weight = weight.copy()
    weight[units] = 0.0
    return weight


def reach(X, y, weight, alpha, theta, v, box):
    """By how much vᵀθ of a model whose gradient is in the box may differ from ours."""
    inverse = np.linalg.inv(hessian(X, y, weight, alpha, theta))
    q = gradient(X, y, weight, alpha, theta)
    most, own = box * np.sqrt(np.abs(inverse).sum()), np.sqrt(q @ inverse @ q)
    kappa = max(np.sqrt(x @ inverse @ x) for x in X[weight > 0])
    if kappa * (most + own) >= 1.0:
        return np.inf
    radius = -np.log(1.0 - kappa * (most + own)) / kappa
    return box * np.abs(inverse @ v).sum() + np.sqrt(v @ inverse @ v) * (radius - most)


def farthest_stop(X, y, weight, alpha, theta, v, box):
    """The largest vᵀθ' − vᵀθ of a model with gradient γ in the box, by trying its corner.

    ``∇F(θ') = γ`` is the minimum of F with a linear term; to first order the corner
    ``γ = box · sign(H⁻¹v)`` is the worst.
    """
    corner = box * np.sign(np.linalg.solve(hessian(X, y, weight, alpha, theta), v))
    other = theta.copy()
    for _ in range(100):
        left = gradient(X, y, weight, alpha, other) - corner
        other = other - np.linalg.solve(hessian(X, y, weight, alpha, other), left)
    return v @ (other - theta)


def problem(m, n, shift=0.7, seed=0, intercept=True, C=1.0, weighted=False):
    """X with a column of ones, y, weights and penalties."""
    rng = np.random.default_rng(seed)
    y = (np.arange(m) % 3 == 0).astype(float)
    X = rng.normal(size=(m, n))
    X[y == 1, 0] += shift
    weight = rng.uniform(0.3, 2.0, size=m) if weighted else np.ones(m)
    alpha = np.full(n, 1.0 / C)
    if intercept:
        return with_ones(X), y, weight, np.append(alpha, 0.0)
    return X, y, weight, alpha
