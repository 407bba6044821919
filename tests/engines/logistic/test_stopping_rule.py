"""When the tolerance says where LogisticRegression stops, and when something else does."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from engines.logistic import twins
from tlpo.engines.logistic import stopping_rule
from tlpo.engines.logistic.objective import objective_of
from tlpo.engines.logistic.pairs import Reference
from tlpo.engines.logistic.stopping_rule import require_known_stop
from tlpo.errors import EngineError


def check(estimator, X, y, weight=None):
    """Check the stop of an estimator on a matrix without a column of ones."""
    m, n = X.shape
    alpha = np.append(np.full(n, 1.0 / estimator.C), 0.0)
    own = np.ones(m) if weight is None else weight
    reference = Reference.fit(twins.with_ones(X), y.astype(float), own, alpha)
    params = {} if weight is None else {"sample_weight": weight}
    require_known_stop(estimator, objective_of(estimator), reference, y, params)


def sample(m=40, n=3, scale=1.0):
    X, y, *_ = twins.problem(m, n)
    return scale * X[:, :n], y.astype(int)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky"])
@pytest.mark.parametrize("tol", [1e-6, 1e-4, 1e-2])
def test_ordinary_data_are_trusted(solver, tol):
    check(LogisticRegression(solver=solver, tol=tol), *sample())


def test_labels_in_the_other_order():
    X, y = sample()
    m, n = X.shape
    estimator = LogisticRegression()
    alpha = np.append(np.ones(n), 0.0)
    reference = Reference.fit(twins.with_ones(X), y.astype(float), np.ones(m), alpha)
    labels = np.where(y == 1, "a", "b")  # the positive class comes first
    require_known_stop(estimator, objective_of(estimator), reference, labels, {})


def test_tolerances_below_the_change_of_the_loss_are_refused():
    with pytest.raises(EngineError) as caught:
        check(LogisticRegression(tol=1e-8), *sample())
    assert str(caught.value).startswith(
        "With tol=1.0e-08 on features of this scale, rounding decides where LogisticRegression "
        "stops; with a scaler, or tol="
    )


def test_large_features_are_refused():
    with pytest.raises(EngineError, match="on features of this scale"):
        check(LogisticRegression(), *sample(scale=1e4))


def test_few_iterations_are_refused():
    with pytest.raises(EngineError) as caught:
        check(LogisticRegression(max_iter=10), *sample())
    assert str(caught.value).startswith("LogisticRegression took ")
    assert " of at most 10 iterations on all units" in str(caught.value)
    assert str(caught.value).endswith(" or more.")


def test_another_objective_would_be_noticed():
    X, y = sample()
    estimator = LogisticRegression(C=0.5)
    reference = Reference.fit(
        twins.with_ones(X), y.astype(float), np.ones(len(y)), np.append(np.ones(3), 0.0)
    )
    with pytest.raises(EngineError, match="stopped where its gradient is"):
        require_known_stop(estimator, objective_of(estimator), reference, y, {})


@pytest.mark.slow
def test_lbfgs_reaches_tolerances_above_the_margin():
    """No entry of the gradient exceeds tol, as long as tol is above the margin."""
    rng = np.random.default_rng(0)
    n_checked = n_below = 0
    for _ in range(3000):
        m, n = int(rng.choice([10, 30, 100])), int(rng.choice([1, 3, 10, 30]))
        C, tol = 10.0 ** rng.uniform(-3, 4), 10.0 ** rng.uniform(-7.5, -3)
        y = rng.permutation(np.arange(m) % 3 == 0).astype(float)
        X = rng.standard_t(rng.choice([1.5, 3.0, 30.0]), size=(m, n))
        X[y == 1] += rng.choice([0.0, 0.5, 2.0])
        X *= 10.0 ** (rng.uniform(-1.5, 1.5, size=n) * rng.integers(2))
        X = X @ (np.eye(n) + rng.integers(2) * rng.normal(size=(n, n)))
        Z = twins.with_ones(X)
        alpha = np.append(np.full(n, 1.0 / C), 0.0)
        L = np.linalg.eigvalsh(Z.T @ Z / 4.0 + np.diag(alpha))[-1] / m
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(C=C, tol=tol, max_iter=2000).fit(X, y)
        if model.n_iter_[0] == 2000:
            continue
        theta = np.append(model.coef_[0], model.intercept_)
        left = np.abs(twins.gradient(Z, y, np.ones(m), alpha, theta)).max() / m
        if tol >= stopping_rule.MARGIN * np.sqrt(2.0 * L * stopping_rule.FTOL):
            n_checked += 1
            assert left <= tol * (1.0 + 1e-6)
        elif left > tol:
            n_below += 1
    assert n_checked > 1000
    assert n_below > 20  # the margin is needed
