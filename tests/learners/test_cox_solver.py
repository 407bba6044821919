"""Compiled loops of Cox regression against the same written out."""

import numpy as np
import pytest

from tlpo.learners import cox_solver


def plain_derivatives(X, time, event, penalty, efron, w):
    """The loss without penalty, and gradient and Hessian with it, term by term."""
    loss, gradient, hessian = 0.0, penalty * w, np.diag(penalty)
    e = np.exp(X @ w)
    for t in np.unique(time[event]):
        now, others = event & (time == t), (time >= t) & ~(event & (time == t))
        d = now.sum()
        for r in range(d):
            weight = np.where(now, 1.0 - r / d if efron else 1.0, others.astype(float)) * e
            mean = weight @ X / weight.sum()
            loss += np.log(weight.sum()) - (X[now] @ w).mean()
            gradient = gradient + mean - X[now].mean(axis=0)
            hessian = hessian + (X.T * weight) @ X / weight.sum() - np.outer(mean, mean)
    return loss, gradient, hessian


def compiled_derivatives(X, time, event, penalty, efron, w, count=None):
    times = cox_solver.arrange(time, event)
    count = np.ones(len(X)) if count is None else count
    room = cox_solver.make_room(*X.shape, times.edges.size - 1)
    own = np.ascontiguousarray(X[times.order]), times.edges, times.event, count[times.order]
    cox_solver.derivatives(*own, penalty, efron, w, room)
    loss = cox_solver.loss((X @ w)[times.order], *own[1:], efron)
    upper = np.triu(room.hessian)
    return loss, room.gradient, upper + np.triu(upper, 1).T


def sample(seed, ties):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 30)), int(rng.integers(1, 6))
    time = rng.integers(1, 5, m).astype(float) if ties else rng.random(m)
    penalty, w = rng.exponential(size=n), rng.normal(size=n)
    return rng.normal(size=(m, n)), time, rng.random(m) < 0.6, penalty, w


@pytest.mark.parametrize("efron", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_derivatives_against_a_loop(efron, ties):
    for seed in range(20):
        X, time, event, penalty, w = sample(seed, ties)
        found = compiled_derivatives(X, time, event, penalty, efron, w)
        expected = plain_derivatives(X, time, event, penalty, efron, w)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("efron", [False, True])
def test_counts_against_repeated_units(efron):
    for seed in range(20):
        X, time, event, penalty, w = sample(seed, ties=True)
        count = np.random.default_rng(seed).integers(0, 4, len(X))
        units = np.repeat(np.arange(len(X)), count)
        found = compiled_derivatives(X, time, event, penalty, efron, w, count.astype(float))
        own = X[units], time[units], event[units]
        expected = plain_derivatives(*own, penalty, efron, w)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("efron", [False, True])
def test_linear_predictors_that_overflow_against_those_that_do_not(efron):
    # At w = 2000 every risk set is one unit: the one with the largest x.
    X = np.array([[3.0], [1.0], [2.0], [0.0]])
    time, event = np.array([1.0, 2.0, 2.0, 4.0]), np.array([True, True, True, False])
    w = np.array([2000.0])
    loss, gradient, hessian = compiled_derivatives(X, time, event, np.zeros(1), efron, w)
    # The first event is expected; then one of 1 and 2, and of both only 2 was.
    assert loss == pytest.approx(2000.0 + (np.log(0.5) if efron else 0.0))
    assert gradient.tolist() == pytest.approx([1.0])
    assert hessian.tolist() == [[0.0]]
    _, gradient, _ = compiled_derivatives(X, time, event, np.zeros(1), efron, -w)
    # Everywhere the smallest x is expected: (0 − 3) + 2 (0 − 1.5).
    assert gradient.tolist() == pytest.approx([-6.0])


def test_a_small_curvature_keeps_its_digits():
    # Two units, p = e^−40: the variance p (1 − p) would be lost in 1 − 1.
    X, time, event = np.array([[1.0], [0.0]]), np.array([1.0, 2.0]), np.array([True, False])
    _, gradient, hessian = compiled_derivatives(X, time, event, np.zeros(1), True, np.array([40.0]))
    assert hessian[0, 0] == pytest.approx(np.exp(-40.0), rel=1e-12)
    assert gradient[0] == pytest.approx(-np.exp(-40.0), rel=1e-12)


def test_arranged_times():
    times = cox_solver.arrange(np.array([2.0, 7.0, 2.0, 5.0]), np.array([True, False, False, True]))
    assert times.order.tolist() == [1, 3, 0, 2]
    assert times.edges.tolist() == [0, 1, 2, 4]
    assert times.event.tolist() == [False, True, True, False]


def test_what_is_left_of_a_sample_without_a_minimum():
    time, event = np.array([1.0, 2.0, 3.0]), np.array([True, True, False])
    X = np.array([[2.0], [1.0], [0.0]])
    assert cox_solver.fit(X, time, event, np.zeros(1), True)[1] == cox_solver.ENDLESS
    assert cox_solver.fit(0 * X, time, event, np.zeros(1), True)[1] == cox_solver.DEPENDENT
    assert cox_solver.fit(X, time, event, np.ones(1), True)[1] == cox_solver.FOUND


def test_steps_end_where_rounding_begins():
    assert cox_solver.is_last(1e-9, 1e-4, 1.0)
    assert not cox_solver.is_last(1e-6, 1e-3, 1.0)
    assert cox_solver.is_last(1e-6, 1e-6, 1.0)
    assert not cox_solver.is_last(0.5, 0.5, 1.0)
    # Times 1e5, with ties that no coefficients can tell apart, gradients are sums of large terms.
    rng = np.random.default_rng(0)
    X = 1e5 * rng.normal(size=(25, 25))
    time, event = rng.integers(1, 8, 25).astype(float), rng.random(25) < 0.7
    w, end = cox_solver.fit(X, time, event, np.full(25, 0.1), True)
    assert end == cox_solver.FOUND
    _, gradient, _ = compiled_derivatives(X, time, event, np.full(25, 0.1), True, w)
    assert np.abs(gradient).max() < 1e-15 * np.abs(X[event]).sum()
