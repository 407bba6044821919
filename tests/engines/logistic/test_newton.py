"""Compiled loops against their NumPy twins, and the bound against solvers that stop early."""

import itertools

import numpy as np
import pytest

from engines.logistic import twins
from tlpo.engines.logistic import newton


def solve_sets(X, y, weight, alpha, sets, tol, start=None, factor=None):
    n = int(np.count_nonzero(alpha)) if alpha.any() else X.shape[1] - 1
    values = X[:, :n].copy()
    g = len(sets)
    response, error = np.empty(sets.shape), np.empty(sets.shape)
    one = np.zeros((1, n)), np.zeros((1, n)), np.ones((1, n))
    start = np.zeros((g, alpha.size)) if start is None else start
    factor = np.ones((g, 2)) if factor is None else factor
    newton.solve_sets(
        *(values, np.zeros(values.shape, dtype=bool), *one, sets, y, weight, factor),
        *(alpha, start, tol, response, error),
    )
    return response, error


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_minimise_against_its_twin(C, intercept, weighted):
    X, y, weight, alpha = twins.problem(40, 4, intercept=intercept, C=C, weighted=weighted)
    # 2: drawn twice, 0: left out, as in a bootstrap sample.
    weight = weight * np.random.default_rng(1).choice([0, 1, 1, 2], size=40)
    theta, factor = np.zeros(alpha.size), np.empty((alpha.size, alpha.size))
    length = newton.minimise(X, y, weight, alpha, theta, factor)
    assert length < 1e-9
    assert np.allclose(theta, twins.fit(X, y, weight, alpha), rtol=1e-9, atol=1e-11)
    H = np.triu(factor).T @ np.triu(factor)
    assert np.allclose(H, twins.hessian(X, y, weight, alpha, theta), rtol=1e-9)


def test_minimise_from_far_away():
    X, y, weight, alpha = twins.problem(40, 3)
    theta = np.array([30.0, -50.0, 20.0, 80.0])
    length = newton.minimise(X, y, weight, alpha, theta, np.empty((4, 4)))
    assert length < 1e-9
    assert np.allclose(theta, twins.fit(X, y, weight, alpha), rtol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_sets_against_their_twin(size):
    X, y, weight, alpha = twins.problem(30, 3, weighted=True)
    sets = np.random.default_rng(0).permuted(np.tile(np.arange(30), (20, 1)), axis=1)[:, :size]
    factor = np.random.default_rng(1).uniform(0.5, 2.0, size=(20, 2))
    tol = 1e-4
    response, error = solve_sets(X, y, weight, alpha, sets, tol, factor=factor)
    for k, units in enumerate(sets):
        own = twins.without(weight * factor[k, y.astype(int)], units)
        theta = twins.fit(X, y, own, alpha)
        assert np.allclose(response[k], X[units] @ theta, rtol=1e-9, atol=1e-10)
        box = tol * own.sum()
        if size == 2:
            v = X[units[0]] - X[units[1]]
            expected = twins.reach(X, y, own, alpha, theta, v, box)
            assert error[k].sum() == pytest.approx(expected, rel=1e-6)
        else:
            expected = [twins.reach(X, y, own, alpha, theta, X[u], box) for u in units]
            assert error[k] == pytest.approx(expected, rel=1e-6)


def test_columns_of_each_set_are_prepared():
    X, y, weight, alpha = twins.problem(20, 2)
    rng = np.random.default_rng(3)
    values, missing = X[:, :2].copy(), rng.random((20, 2)) < 0.2
    sets = np.array([[0, 5], [3, 7]])
    fill, shift = rng.normal(size=(2, 2)), rng.normal(size=(2, 2))
    scale = rng.uniform(0.5, 2.0, size=(2, 2))
    response, error = np.empty((2, 2)), np.empty((2, 2))
    newton.solve_sets(
        *(values, missing, fill, shift, scale, sets, y, weight, np.ones((2, 2)), alpha),
        *(np.zeros((2, 3)), 1e-4, response, error),
    )
    for k, units in enumerate(sets):
        own = twins.with_ones((np.where(missing, fill[k], values) - shift[k]) / scale[k])
        theta = twins.fit(own, y, twins.without(weight, units), alpha)
        assert np.allclose(response[k], own[units] @ theta, rtol=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("tol", [1e-4, 1e-2])
def test_no_stop_is_farther_than_the_bound(C, tol):
    X, y, weight, alpha = twins.problem(24, 3, C=C)
    shares = []
    for units in itertools.islice(itertools.combinations(range(24), 2), 0, 200, 7):
        sets = np.array([units])
        _, error = solve_sets(X, y, weight, alpha, sets, tol)
        if not np.isfinite(error).all():
            continue
        own = twins.without(weight, list(units))
        v = X[units[0]] - X[units[1]]
        theta = twins.fit(X, y, own, alpha)
        farthest = twins.farthest_stop(X, y, own, alpha, theta, v, tol * own.sum())
        shares.append(farthest / error.sum())
    # Corners of the box come close to it, so it is not generous either.
    assert len(shares) > 10 or C == 100.0
    assert max(shares, default=1.0) <= 1.0
    if tol == 1e-4:
        assert max(shares) > 0.95


def test_classes_that_a_pair_separates_are_left_to_refitting():
    # Without units 0 and 1, and without a penalty, the classes are separable.
    X = twins.with_ones(np.array([[2.0], [-2.0], [-1.0], [-1.5], [-3.0], [1.0], [1.4], [3.0]]))
    y = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    sets = np.array([[0, 1], [2, 5]])
    _, error = solve_sets(X, y, np.ones(8), np.zeros(2), sets, 1e-4)
    assert np.isinf(error[0]).all()
    assert np.isfinite(error[1]).all()
