"""Matrix products for pairs against one model at a time, and bounds that no stop exceeds."""

import itertools

import numpy as np
import pytest

from engines.logistic import twins
from tlpo.engines.logistic.pairs import Block, Changes, Reference, solve_pairs
from tlpo.errors import EngineError


def every_pair(m):
    return np.array(list(itertools.combinations(range(m), 2)))


def some_changes(g, n, seed=0):
    rng = np.random.default_rng(seed)
    return Changes(rng.uniform(0.9, 1.1, size=(g, n)), rng.uniform(-0.1, 0.1, size=(g, n)))


def own_problem(problem, pair, changes, k):
    """The same pair as its own problem: columns prepared for its training set."""
    X, y, weight, alpha = problem
    X = X.copy()
    if changes is not None:
        n = changes.ratio.shape[1]
        X[:, :n] = (X[:, :n] - changes.shift[k]) / changes.ratio[k]
    return X, y, twins.without(weight, pair), alpha


@pytest.fixture(params=[False, True], ids=["fixed", "changing"])
def changing(request):
    return request.param


def test_reference_against_its_twin():
    X, _, _, alpha = problem = twins.problem(40, 4, weighted=True)
    reference = Reference.fit(*problem)
    theta = twins.fit(*problem)
    assert np.allclose(reference.theta, theta, rtol=1e-9)
    G = twins.hessian(*problem, theta)
    assert np.allclose(reference.inverse, np.linalg.inv(G), rtol=1e-8)
    assert np.allclose(reference.leverage, np.diag(X @ np.linalg.inv(G) @ X.T), rtol=1e-8)
    assert np.allclose(X.T @ reference.gradient, -alpha * theta, atol=1e-9)


def test_classes_without_a_fit_are_refused():
    X = twins.with_ones(np.arange(10.0)[:, None])
    y = (np.arange(10) > 4).astype(float)
    with pytest.raises(EngineError, match="no unique fit"):
        Reference.fit(X, y, np.ones(10), np.zeros(2))


def test_first_step_against_the_hessian_of_each_pair(changing):
    X, y, weight, alpha = problem = twins.problem(20, 3, weighted=True)
    pairs = every_pair(20)
    changes = some_changes(len(pairs), 3) if changing else None
    reference = Reference.fit(*problem)
    theta, length = Block(reference, pairs, changes).first_step()
    for k, pair in enumerate(pairs):
        own = twins.without(weight, pair)
        G0 = twins.hessian(X, y, own, alpha, reference.theta)
        penalty = alpha.copy()
        if changing:
            penalty[:3] *= changes.ratio[k] ** 2
        q = twins.gradient(X, y, own, penalty, reference.theta)
        step = np.linalg.solve(G0, q)
        assert np.allclose(theta[k], reference.theta - step, rtol=1e-9)
        assert length[k] == pytest.approx(np.sqrt(q @ step), rel=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_solved_pairs_against_their_twin(C, intercept, changing):
    problem = twins.problem(24, 3, C=C, intercept=intercept, weighted=True)
    pairs = every_pair(24)
    changes = some_changes(len(pairs), 3) if changing else None
    if changing and not intercept:
        changes = changes._replace(shift=0.0 * changes.shift)
    solved = solve_pairs(Reference.fit(*problem), pairs, changes, 1e-4, certify=False)
    assert solved.is_solved.all()
    assert np.isfinite(solved.error).mean() > 0.5
    for k in range(0, len(pairs), 5):
        own = own_problem(problem, pairs[k], changes, k)
        expected = own[0][pairs[k]] @ twins.fit(*own)
        if np.isfinite(solved.error[k]):
            assert np.allclose(solved.response[k], expected, atol=1e-5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("certify", [False, True])
@pytest.mark.parametrize("tol", [1e-6, 1e-4, 1e-3])
def test_no_stop_is_farther_than_the_bound(certify, tol, changing):
    problem = twins.problem(60, 3)
    pairs = every_pair(60)
    changes = some_changes(len(pairs), 3) if changing else None
    reference = Reference.fit(*problem)
    block = Block(reference, pairs, changes)
    theta, length = block.first_step()
    if certify:
        error, _ = block.error(*block.left_after_one(length), tol)
    else:
        theta, *where = block.repeat(theta)
        error, _ = block.error(*where, tol)
    assert np.isfinite(error).mean() > 0.9
    gap = np.einsum("gk,gk->g", reference.X[pairs[:, 0]] - reference.X[pairs[:, 1]], theta)
    for k in np.flatnonzero(np.isfinite(error))[::41]:
        X, _, weight, _ = own = own_problem(problem, pairs[k], changes, k)
        exact = twins.fit(*own)
        v = X[pairs[k, 0]] - X[pairs[k, 1]]
        for sign in (1.0, -1.0):
            stop = twins.farthest_stop(*own, exact, sign * v, tol * weight.sum())
            assert abs(sign * stop + v @ exact - gap[k]) <= error[k]


def test_one_step_decides_most_games_of_many_units_and_none_wrong():
    problem = twins.problem(150, 3)
    pairs = every_pair(150)
    reference = Reference.fit(*problem)
    one = solve_pairs(reference, pairs, None, 1e-6, certify=True)
    every = solve_pairs(reference, pairs, None, 1e-6, certify=False)
    assert one.is_solved.mean() < 0.1
    decided = ~one.is_solved
    gaps = [solved.response[:, 0] - solved.response[:, 1] for solved in (one, every)]
    assert np.array_equal(gaps[0][decided] > 0, gaps[1][decided] > 0)
    off = np.abs(gaps[0] - gaps[1])
    assert np.all(off[decided] <= one.error[decided])
    # A hundredth of the bound would be broken.
    assert np.any(off[decided] > 0.01 * one.error[decided])


def test_a_pair_that_one_step_sends_far_away_is_not_certified():
    X, y, weight, alpha = twins.problem(20, 2, C=1e4)
    X[3, 0] = 40.0
    pairs = np.array([[3, k] for k in range(20) if k != 3])
    solved = solve_pairs(Reference.fit(X, y, weight, alpha), pairs, None, 1e-4, certify=True)
    assert np.isinf(solved.error).any()
    assert solved.is_solved[np.isinf(solved.error)].all()
