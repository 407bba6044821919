"""Paths of coordinate descent against scikit-learn's own fits."""

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet

from tlpo.engines.sparse import descent
from tlpo.engines.sparse.objective import is_followed

pytestmark = pytest.mark.skipif(
    not is_followed(), reason="another coordinate descent than that of scikit-learn 1.9"
)


def data(seed, m, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, p)) + 1.0
    return X, X[:, 0] - X[:, 1] + rng.normal(size=m)


def coefficients(X, y, settings, with_intercept):
    """Return the solver's coefficients: what its model responds to unit vectors and to zero."""
    p = X.shape[1]
    rows = np.vstack([X, np.zeros(p), np.eye(p)])
    target = np.append(y, np.zeros(p + 1))
    response = np.empty(p + 1)
    train, tests = np.arange(len(X)), np.arange(len(X), len(rows))
    end = descent.follow_units(
        rows, target, train, tests, with_intercept, settings, 1e-11, 0.0, p, response
    )
    return end, response[1:] - response[0], response[0]


@pytest.mark.parametrize(("m", "p"), [(30, 4), (30, 40), (20, 200)])
@pytest.mark.parametrize("share", [1.0, 0.4])
@pytest.mark.parametrize("with_intercept", [True, False])
@pytest.mark.parametrize("positive", [True, False])
def test_path_against_scikit_learn(m, p, share, with_intercept, positive):
    X, y = data(p, m, p)
    for alpha, tol in ((0.5, 1e-4), (0.1, 1e-2), (0.02, 1e-4)):
        model = ElasticNet(
            alpha=alpha,
            l1_ratio=share,
            tol=tol,
            positive=positive,
            fit_intercept=with_intercept,
            max_iter=10_000,
        ).fit(X, y)
        settings = (alpha, share, tol, 10_000, positive)
        end, w, intercept = coefficients(X, y, settings, with_intercept)
        assert end == descent.FOLLOWED
        np.testing.assert_allclose(w, model.coef_, rtol=0, atol=1e-11)
        np.testing.assert_allclose(intercept, model.intercept_, rtol=0, atol=1e-10)
        assert np.array_equal(np.abs(w) > 1e-9, np.abs(model.coef_) > 1e-9)


def test_gap_by_hand():
    """At zero the primal is ½‖y‖², and the dual that of y, shrunk until no slope exceeds α."""
    w, start = np.zeros(2), np.array([3.0, -4.0])
    gap, steepest = descent.gap_at(2.0, 0.0, 10.0, w, start.copy(), start, False)
    assert steepest == 4.0
    assert gap == pytest.approx(5.0 - (-0.5 * 0.25 * 10.0 + 0.5 * 10.0))
    gap, steepest = descent.gap_at(2.0, 0.0, 10.0, w, start.copy(), start, True)
    assert steepest == 3.0


def test_a_penalty_above_all_slopes_stays_at_zero():
    X, y = data(0, 20, 5)
    end, w, intercept = coefficients(X, y, (1e3, 1.0, 1e-4, 100, False), True)
    assert end == descent.STAYED
    assert not w.any()
    assert intercept == pytest.approx(y.mean())


def test_a_close_decision_is_doubtful():
    """The tolerance is the gap at zero itself."""
    X, y = data(1, 20, 5)
    y = y - y.mean()
    start = (X - X.mean(axis=0)).T @ y
    alpha = 0.5 * np.abs(start).max() / 20
    gap, _ = descent.gap_at(20 * alpha, 0.0, y @ y, np.zeros(5), start, start, False)
    end, *_ = coefficients(X, y, (alpha, 1.0, gap / (y @ y), 100, False), True)
    assert end == descent.DOUBTFUL


def test_too_few_sweeps_are_unfinished():
    X, y = data(2, 20, 50)
    end, *_ = coefficients(X, y, (1e-3, 1.0, 1e-6, 3, False), True)
    assert end == descent.UNFINISHED
