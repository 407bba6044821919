"""The followed path against SciPy's own."""

import numpy as np
import pytest
import scipy.optimize

from engines.logistic.twins import gradient, loss, problem
from tlpo.engines.logistic import lbfgs


def scipy_path(X, y, weight, alpha, tol, max_iter=1000):
    """Minimise the mean loss as scikit-learn calls SciPy."""
    total = weight.sum()

    def both(theta):
        args = X, y, weight, alpha, theta
        return loss(*args) / total, gradient(*args) / total

    return scipy.optimize.minimize(
        both,
        np.zeros(alpha.size),
        method="L-BFGS-B",
        jac=True,
        options={
            "maxiter": max_iter,
            "maxls": 50,
            "gtol": tol,
            "ftol": 64 * np.finfo(float).eps,
        },
    )


def follow(X, y, weight, alpha, tol, max_iter=1000):
    theta = np.zeros(alpha.size)
    total = weight.sum()
    found = lbfgs.follow(X, y, weight / total, alpha / total, tol, max_iter, theta)
    return theta if found else None


def respond(X, y, weight, alpha, tol, max_iter=1000, tremor=lbfgs.TREMOR):
    response, error = np.full(len(y), np.nan), np.full(len(y), np.nan)
    own = (X, y, weight, alpha, tremor, tol, max_iter, np.arange(len(y)))
    lbfgs.respond(*own, np.zeros(alpha.size), np.zeros(alpha.size), response, error)
    return response, error


@pytest.mark.parametrize("weighted", [False, True])
def test_loss_against_its_twin(weighted):
    X, y, weight, alpha = problem(30, 4, weighted=weighted)
    theta = np.random.default_rng(0).normal(size=alpha.size)
    found = np.empty(alpha.size)
    total = weight.sum()
    value = lbfgs.loss(X, y, weight / total, alpha / total, theta, found)
    assert value == pytest.approx(loss(X, y, weight, alpha, theta) / total, rel=1e-13)
    assert found == pytest.approx(gradient(X, y, weight, alpha, theta) / total, abs=1e-14)


def test_units_without_weight_do_not_count_however_large():
    X, y, weight, alpha = problem(30, 2)
    X[3, :2], weight[3] = 1e300, 0.0
    others = np.arange(30) != 3
    alone = follow(X[others], y[others], weight[others], alpha, 1e-4)
    assert follow(X, y, weight, alpha, 1e-4) == pytest.approx(alone, rel=1e-10)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("weighted", [False, True])
def test_ends_against_scipy(C, tol, weighted):
    for seed in range(10):
        args = problem(40, 3, seed=seed, C=C, weighted=weighted)
        theta = follow(*args, tol)
        assert theta is not None
        assert theta == pytest.approx(scipy_path(*args, tol).x, rel=1e-7, abs=1e-8)


def test_line_searches_of_several_trials_against_scipy():
    n_trials = 0
    for seed in range(20):
        X, y, weight, alpha = problem(30, 2, seed=seed, shift=5.0)
        X[:, :-1] *= 1000.0
        expected = scipy_path(X, y, weight, alpha, 1e-3)
        n_trials += expected.nfev - expected.nit - 1
        theta = follow(X, y, weight, alpha, 1e-3)
        assert theta == pytest.approx(expected.x, rel=1e-7, abs=1e-8)
    assert n_trials > 50


def test_directions_against_the_inverse_by_updates():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    A = A @ A.T + np.eye(6)
    moves = rng.normal(size=(lbfgs.MEMORY, 6))
    turns = moves @ A
    gradient_, direction = rng.normal(size=6), np.empty(6)
    for n_kept in (0, 1, 4, lbfgs.MEMORY):
        H = np.eye(6)
        if n_kept:
            s, t = moves[n_kept - 1], turns[n_kept - 1]
            H *= s @ t / (t @ t)
        for s, t in zip(moves[:n_kept], turns[:n_kept], strict=True):
            V = np.eye(6) - np.outer(t, s) / (s @ t)
            H = V.T @ H @ V + np.outer(s, s) / (s @ t)
        lbfgs.descend(gradient_, moves, turns, n_kept, direction)
        assert direction == pytest.approx(-H @ gradient_, rel=1e-9)


def test_a_start_that_is_good_enough_is_the_end():
    args = problem(20, 2)
    assert follow(*args, tol=10.0).tolist() == [0.0, 0.0, 0.0]


def test_paths_that_end_otherwise_are_not_followed():
    X, y, weight, alpha = problem(40, 3)
    needed = scipy_path(X, y, weight, alpha, 1e-6).nit
    assert follow(X, y, weight, alpha, 1e-6, max_iter=needed - 1) is None
    # The loss stops changing before the gradient is that small.
    assert follow(X, y, weight, alpha, 1e-14) is None
    # Without a penalty, classes that a plane separates have no end.
    separable = np.column_stack([y - 0.5, np.ones(40)])
    _, error = respond(separable, y, weight, np.zeros(2), 1e-14)
    assert np.all(np.isinf(error))


def uneven(seed):
    """Columns of very different scales, whose paths are long."""
    X, y, weight, alpha = problem(60, 8, seed=seed, C=10.0)
    rng = np.random.default_rng(seed)
    X[:, :-1] = X[:, :-1] * np.exp(1.5 * rng.normal(size=8)) + 2.0 * rng.normal(size=8)
    return X, y, weight, alpha


def test_errors_cover_the_distance_from_scipy():
    n_followed, farthest = 0, 0.0
    for seed in range(100):
        args = uneven(seed)
        theta = follow(*args, 1e-3)
        if theta is None:
            continue
        off = np.abs(args[0] @ (scipy_path(*args, 1e-3).x - theta))
        _, error = respond(*args, 1e-3)
        assert np.all(off <= error)
        n_followed += np.isfinite(error).all()
        farthest = max(farthest, off.max())
    assert 20 < n_followed < 95
    # Rounding alone sends some paths elsewhere; those are given up.
    assert farthest > 1e-3


def test_sets_against_one_by_one():
    X, y, weight, alpha = problem(20, 3, weighted=True)
    sets = np.array([[0, 5], [7, 2], [11, 19]])
    values, missing = np.ascontiguousarray(X[:, :-1]), np.zeros((20, 3), dtype=bool)
    factor = np.array([[1.0, 1.0], [0.8, 1.2], [2.0, 0.5]])
    response, error = np.empty((3, 2)), np.empty((3, 2))
    still = np.zeros((1, 3)), np.zeros((1, 3)), np.ones((1, 3))
    tremor = np.full(3, lbfgs.TREMOR)
    lbfgs.respond_sets(
        *(values, missing, *still, sets, y, weight, factor, alpha, tremor, 1e-4, 100),
        *(response, error),
    )
    for s, units in enumerate(sets):
        own = weight * factor[s][y.astype(int)]
        own[units] = 0.0
        expected = X[units] @ scipy_path(X, y, own, alpha, 1e-4).x
        assert response[s] == pytest.approx(expected, abs=1e-8)
        assert np.all(error[s] < 1e-6)
