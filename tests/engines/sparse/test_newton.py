"""Paths of liblinear's Newton method against its own fits, and its random numbers."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from engines.sparse.problems import L1
from tlpo.engines.sparse import newton
from tlpo.engines.sparse.logistic import INT_MAX, _stream


@pytest.mark.parametrize(("m", "n"), [(30, 3), (30, 40), (20, 150)])
@pytest.mark.parametrize("bias", [0.0, 1.0, 5.0])
def test_path_against_liblinear(m, n, bias):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(m, n)) + 0.5
    y = np.where(X[:, 0] + rng.normal(size=m) > 0.5, 1.0, -1.0)
    Xt = np.ascontiguousarray(X.T)
    if bias:
        Xt = np.concatenate([Xt, np.full((1, m), bias)])
    norms = np.sqrt((Xt**2).sum(axis=1))
    w, history = np.empty(len(Xt)), np.empty((newton.STEPS, m))
    for C, tol, seed in ((0.2, 1e-4, 0), (1.0, 1e-2, 1), (5.0, 1e-4, 2)):
        model = LogisticRegression(
            C=C,
            tol=tol,
            **L1,
            solver="liblinear",
            random_state=seed,
            fit_intercept=bias > 0,
            intercept_scaling=bias or 1.0,
            max_iter=1000,
        ).fit(X, y)
        raw = _stream(int(np.random.RandomState(seed).randint(INT_MAX)))
        weight = np.full(m, C)
        end = newton.follow(Xt, y, weight, norms, tol, 1000, raw, 1e-11, history, w)
        assert end == newton.FOLLOWED
        np.testing.assert_allclose(w[:n], model.coef_[0], rtol=0, atol=1e-10)
        if bias:
            np.testing.assert_allclose(w[n] * bias, model.intercept_[0], rtol=0, atol=1e-10)
        assert np.array_equal(w[:n] != 0, model.coef_[0] != 0)


def test_left_out_units_do_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 8)), np.where(np.arange(20) % 2, 1.0, -1.0)
    raw = _stream(1)
    ends = []
    for keep, weight in ((np.arange(20), np.ones(20)), (np.arange(2, 20), np.ones(18))):
        Xt = np.ascontiguousarray(X[keep].T)
        weight[: 20 - 18 if keep.size == 20 else 0] = 0.0
        norms, w = np.sqrt((Xt**2).sum(axis=1)), np.empty(8)
        room = np.empty((newton.STEPS, keep.size))
        assert newton.follow(Xt, y[keep], weight, norms, 1e-4, 99, raw, 1e-11, room, w) == 0
        ends.append(w)
    np.testing.assert_allclose(*ends, atol=1e-12)


def test_draws_against_lemire_by_hand():
    """The upper half of a product, unless the lower is among those that would count once more."""
    raw, at = np.array([0, 3_000_000_000, 7], dtype=np.int64), np.zeros(1, dtype=np.int64)
    # 2³² mod 3 = 1: a lower half of 0 is drawn again.
    assert newton.draw(3, raw, at) == 2  # 3 · 3e9 = 9e9 = 2 · 2³² + ...
    assert at[0] == 2
    assert newton.draw(4, raw, at) == 0
    assert newton.draw(4, raw, at) == -1


def test_sums_against_numpy():
    rng = np.random.default_rng(0)
    for m in (3, 4, 9):
        x, D = rng.normal(size=(2, m))
        assert newton.squares(x, D) == pytest.approx(np.sum(x**2 * D))
        C = np.ones(m)
        C[0] = 0.0
        assert newton.distance(x, D, C) == pytest.approx(np.linalg.norm((x - D)[1:]))
