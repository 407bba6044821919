"""Logistic regression with more features than units, against refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from engines.agreement import KINDS, assert_same_games, make
from tlpo.engines.logistic import wide_lbfgs
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions

MODELS = {
    "bare": LogisticRegression(),
    "tight": LogisticRegression(tol=1e-6, max_iter=1000),
    "weak penalty": LogisticRegression(C=100.0, class_weight="balanced", max_iter=1000),
    "no penalty": LogisticRegression(C=np.inf),
    "no intercept": LogisticRegression(fit_intercept=False, class_weight={0: 3.0, 1: 0.5}),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
}
ignored = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::RuntimeWarning"
)


@pytest.mark.parametrize("name", MODELS)
def test_games_against_refits(name):
    X, y = make("plain", 14, 30, 6, 0.4, seed=len(name))
    assert assert_same_games(MODELS[name], X, y, "logistic-path")


@ignored
@pytest.mark.parametrize("kind", KINDS)
def test_nasty_games_against_refits(kind):
    X, y = make(kind, 9, 14, 4, 0.4, seed=1)
    for name in ("bare", "scaled"):
        assert_same_games(MODELS[name], X, y, "logistic-path")


@ignored
@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.integers(7, 14),
    st.sampled_from([0.5, 1.0, 1.5, 4.0]),
    st.sampled_from(list(MODELS)),
    st.integers(0, 2**31),
)
def test_any_games_against_refits(kind, m, wider, name, seed):
    X, y = make(kind, m, max(1, int(wider * m)), m // 2, 0.5, seed)
    fast = tlpo.tournament(MODELS[name], X, y)
    slow = tlpo.tournament(MODELS[name], X, y, engine="refit")
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties


def test_sample_weights_groups_and_text_labels():
    X, y = make("plain", 14, 25, 7, 0.5, seed=2)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 14)
    assert assert_same_games(MODELS["bare"], X, y, "logistic-path", {"sample_weight": weight})
    named = np.where(y == 1, "a case", "control")
    for options in ({"groups": np.arange(14) // 2}, {"positive": "control"}):
        fast = tlpo.tournament(MODELS["scaled"], X, named, **options)
        slow = tlpo.tournament(MODELS["scaled"], X, named, engine="refit", **options)
        assert fast.engine == "logistic-path"
        assert np.array_equal(fast.standings.wins, slow.standings.wins)


@pytest.mark.parametrize("name", ["bare", "scaled"])
def test_the_other_schemes(name):
    X, y = make("plain", 16, 30, 7, 0.5, seed=3)
    schemes = ("loo", "kfold-pooled", "harrell", "632+")
    options = {"schemes": schemes, "random_state": 0, "n_resamples": 10}
    fast = tlpo.evaluate(MODELS[name], X, y, **options)
    slow = tlpo.evaluate(MODELS[name], X, y, engine="refit", **options)
    assert fast["auc"].to_numpy() == pytest.approx(slow["auc"].to_numpy(), abs=1e-12)
    assert fast["fits"].sum() < 10 < slow["fits"].sum()


@pytest.mark.exhaustive
def test_a_search_among_such_models():
    X, y = make("plain", 16, 24, 8, 0.6, seed=4)
    search = GridSearchCV(MODELS["scaled"], {"logisticregression__C": [0.01, 1.0]}, cv=3)
    assert assert_same_games(search, X, y, "search")


def test_the_path_is_that_of_scipy():
    """In the coordinates of the units, every evaluation has the loss of one by SciPy."""
    rng = np.random.default_rng(0)
    m, n = 12, 40
    X, y = rng.normal(size=(m, n)), (np.arange(m) % 2).astype(float)
    units = wide_lbfgs.Units(X, X @ X.T, y, np.full(m, 1 / m), 0.5 / m, 1.0)
    theta, gradient = np.zeros(2 * m + 1), np.empty(2 * m + 1)

    def loss(w):
        z = X @ w[:-1] + w[-1]
        r = (1 / (1 + np.exp(-z)) - y) / m
        value = np.mean(np.logaddexp(0, z) - y * z) + 0.25 / m * w[:-1] @ w[:-1]
        return value, np.append(X.T @ r + 0.5 / m * w[:-1], r.sum())

    assert wide_lbfgs.loss(units, theta, gradient) == pytest.approx(loss(np.zeros(n + 1))[0])
    own = minimize(loss, np.zeros(n + 1), jac=True, method="L-BFGS-B", options={"gtol": 1e-4})
    assert wide_lbfgs.follow(units, 1e-4, 100, np.zeros(1, dtype=np.intp), theta)
    assert X.T @ theta[:m] == pytest.approx(own.x[:-1], abs=1e-9)
    assert theta[2 * m] == pytest.approx(own.x[-1], abs=1e-9)
    assert X @ X.T @ theta[:m] == pytest.approx(theta[m : 2 * m], abs=1e-9)


def test_resamples_with_equal_rows_in_both_classes_against_fits():
    """Equal rows tie whatever the solver stops at; everybody else is far enough apart."""
    X, y = make("plain", 30, 3, 15, 0.5, 1)
    X[np.flatnonzero(y == 1)[:4]] = X[np.flatnonzero(y == 0)[:4]]
    rng = np.random.default_rng(0)
    fits = [Fit(train, np.arange(30)) for train in rng.integers(0, 30, (4, 30))]
    model = LogisticRegression(C=1.0, tol=1e-8)
    fast, slow = (
        Contest(model, X, y, ContestOptions(engine=engine)).fit(fits, "fits", "Fits")
        for engine in ("logistic-path", "refit")
    )
    assert fast.diagnostics.fits == 1
    for own, expected in zip(fast.responses, slow.responses, strict=True):
        assert np.allclose(own, expected, atol=1e-6)
        twins = np.flatnonzero(y == 1)[:4], np.flatnonzero(y == 0)[:4]
        assert np.array_equal(own[twins[0]], own[twins[1]])
