"""Compiled loops of the engine for IPCRidge against scikit-survival, scikit-learn and NumPy."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sksurv.linear_model import IPCRidge
from sksurv.nonparametric import ipc_weights

from engines.cox.problems import TIMES, make
from tlpo.engines.ipc_ridge import kernels
from tlpo.engines.ipc_ridge.engine import IpcRidge
from tlpo.games.contest import Contest


def weights_of(y, count):
    """The weights of a training set, in the order of the units; None if there are none."""
    order = np.argsort(y["time"], kind="stable")
    time = y["time"][order]
    edges = np.append(np.flatnonzero(np.diff(time, prepend=-1.0)), time.size)
    weight = np.empty(time.size)
    if not kernels.weigh(edges, y["event"][order], count[order], weight):
        return None
    found = np.empty(time.size)
    found[order] = weight
    return found


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("repeated", [False, True])
def test_weights_against_scikit_survival(times, repeated):
    rng = np.random.default_rng(0)
    known, unknown = 0, 0
    for seed in range(20):
        _, y = make(15, 1, seed, times=times)
        train = rng.integers(15, size=15) if repeated else rng.permutation(15)[:12]
        if not y["event"][train].any():
            continue
        found = weights_of(y, np.bincount(train, minlength=15).astype(float))
        try:
            expected = ipc_weights(y["event"][train], y["time"][train])
        except AssertionError:
            assert found is None
            unknown += 1
            continue
        known += 1
        if repeated:
            expected = np.bincount(train, expected, 15)
            assert found == pytest.approx(expected, rel=1e-14)
        else:
            assert np.array_equal(found[train], expected)
    assert known
    assert bool(unknown) == (times in ("three times", "whole numbers"))


def test_weights_by_hand():
    y = np.array(
        [(True, 1.0), (True, 2.0), (False, 2.0), (True, 3.0), (False, 5.0), (True, 6.0)],
        dtype=[("event", bool), ("time", float)],
    )
    # At 2 one of four is censored, since the event at 2 comes first, at 5 one of two.
    assert weights_of(y, np.ones(6)) == pytest.approx([1.0, 4 / 3, 0.0, 4 / 3, 0.0, 8 / 3])
    y["event"][4:] = [True, False]  # the last is censored, after all events
    assert weights_of(y, np.ones(6)) == pytest.approx([1.0, 4 / 3, 0.0, 4 / 3, 4 / 3, 0.0])
    y["time"][4] = 6.0  # … or at the time of one of them
    assert weights_of(y, np.ones(6)) is None


@pytest.mark.parametrize("n", [3, 12, 40])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_both_ways_to_solve_against_scikit_learn(n, fit_intercept):
    X, y = make(20, n, seed=1)
    y["event"], y["time"] = np.arange(20) % 5 > 1, 1.0 + np.arange(20) % 9  # 12 of 20
    engine = IpcRidge(Contest(IPCRidge(0.5, fit_intercept=fit_intercept), X, y).prepared)
    nobody = np.empty((1, 0), dtype=np.intp)
    fill, shift, scale, growth = (part[0] for part in engine._fitted(nobody))
    count, weight = np.ones(20), np.empty(20)
    sample, units = engine._sample, np.arange(20)
    assert kernels.weigh(sample.edges, sample.event, count, weight)
    events = kernels.events_of(sample, fill, shift, scale, growth, count, weight)
    assert events.X.shape == (12, min(n, 20))
    assert events.by_columns == (n <= 20)
    ridge = Ridge(0.5, fit_intercept=fit_intercept)
    ridge.fit(X[engine._order], sample.log_time, sample_weight=weight)
    expected = ridge.predict(X[engine._order])
    for solve in (kernels.solve_by_columns, kernels.solve_by_events):
        logs, error = np.empty(20), np.full(20, np.inf)
        solve(sample, events, fill, scale, units, logs, error)
        assert logs == pytest.approx(expected, abs=1e-12)
        assert np.all(np.abs(logs - expected) <= error)
        assert np.all(error < 1e-8)


def test_bounds_against_systems_that_are_off():
    rng = np.random.default_rng(2)
    X, z, x = rng.normal(size=(9, 3)), rng.normal(size=9), rng.normal(size=3)
    gamma, blur = 1e-6, 1e-7
    A = X.T @ X + 0.1 * np.eye(3)
    beta, q = np.linalg.solve(A, X.T @ z), np.linalg.solve(A, x)
    c, s, length = np.linalg.norm(X, axis=0), np.full(3, blur * 3.0), np.linalg.norm(z)
    found = kernels.bound(q, beta, c, np.diag(A).copy(), s, length, 0.0, gamma)
    most = 0.0
    for _ in range(2000):
        turned = rng.choice([-1.0, 1.0], size=(3, 3))
        own = X + blur * rng.choice([-1.0, 1.0], size=X.shape)
        np.fill_diagonal(turned, np.diag(turned) * np.diag(A) / (3.0 * c * c))
        off = own.T @ own + 0.1 * np.eye(3) + 3.0 * gamma * np.outer(c, c) * turned
        right = own.T @ z * (1.0 + gamma * rng.choice([-1.0, 1.0], size=3))
        most = max(most, abs(x @ np.linalg.solve(off, right) - x @ beta))
    assert 0.1 * found < most <= found


def test_a_solution_that_rounding_may_change_is_not_first_order():
    assert kernels.is_first_order(1e-10, 1e8, 0.0)
    assert not kernels.is_first_order(1e-10, 1e10, 0.0)
    assert not kernels.is_first_order(0.0, 1.0, 1.0)
    assert not kernels.is_first_order(1e-16, np.inf, 0.0)
