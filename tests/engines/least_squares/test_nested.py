"""Nested tournaments of ridge regression that chooses its penalty, against refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from engines.agreement import assert_close, assert_same_games, make, problems
from tlpo.engines.least_squares import kernels
from tlpo.engines.least_squares.nested import NestedRidge
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions

ALPHAS = [0.01, 0.3, 3.0, 100.0]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # refits of singular training sets warn
@settings(max_examples=20, deadline=None)
@given(
    problems,
    st.sampled_from([RidgeCV, RidgeClassifierCV]),
    st.booleans(),
    st.booleans(),
)
def test_games_against_refits(data, kind, fit_intercept, scaled):
    X, y = data
    estimator = kind(ALPHAS, fit_intercept=fit_intercept)
    if scaled:
        estimator = make_pipeline(StandardScaler(), estimator)
    assert_same_games(estimator, X, y, "least-squares")


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("steps", [[], [StandardScaler()], [SimpleImputer(), StandardScaler()]])
def test_sets_of_any_size_against_refits(n, steps):
    X, y = make("plain", 20, n, 9, 0.5, seed=1)
    if len(steps) == 2:
        X[3, 0] = X[7, 2] = np.nan
    estimator = make_pipeline(*steps, RidgeClassifierCV(ALPHAS))
    sets = [np.array([k]) for k in range(20)] + [np.arange(k, 20, 4) for k in range(4)]
    fast = Contest(estimator, X, y).hold_out(sets, "sets")
    slow = Contest(estimator, X, y, ContestOptions(engine="refit")).hold_out(sets, "sets")
    assert fast.engine == "least-squares"
    for own, expected in zip(fast.responses, slow.responses, strict=True):
        assert_close(own, expected, rtol=1e-8)
    groups = np.arange(20) // 2
    one = tlpo.tournament(estimator, X, y, groups=groups)
    other = tlpo.tournament(estimator, X, y, groups=groups, engine="refit")
    assert np.array_equal(one.standings.wins, other.standings.wins)


def test_held_out_sets_that_rounding_would_order_are_refitted():
    """Columns of size 1e-4 to 1e8: the closed form is known to a few digits only."""
    X, y = make("plain", 13, 5, 7, 0.5, seed=3)
    X *= [1e1, 1e-1, 1e6, 1e8, 1e-3]
    sets = [np.array([k]) for k in range(13)]
    fast, slow = (
        np.concatenate(Contest(RidgeCV(ALPHAS), X, y, options).hold_out(sets, "sets").responses)
        for options in (ContestOptions(), ContestOptions(engine="refit"))
    )
    assert np.array_equal(np.argsort(fast), np.argsort(slow))
    assert_close(fast, slow, rtol=1e-6)


@pytest.mark.parametrize("far", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("steps", [[], [SimpleImputer()]])
def test_a_row_far_away_whose_leave_one_out_error_is_rounding(far, steps):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(16, 4))
    X[3] *= far
    y = X[:, 1] + (X[:, 0] + rng.normal(size=16) > 0)
    if steps:
        X[5, 2] = np.nan
    estimator = make_pipeline(*steps, RidgeCV())
    fast, slow = (
        tlpo.concordance(estimator, X, y, engine=engine).standings.wins
        for engine in ("auto", "refit")
    )
    assert np.array_equal(fast, slow)


def test_compiled_choice_against_plain_leave_one_out():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(12, 3)), np.where(np.arange(12) % 2, 1.0, -1.0)
    hats = [X @ np.linalg.solve(X.T @ X + a * np.eye(3), X.T) for a in ALPHAS]
    M = np.eye(12) - np.array(hats)
    sets = np.array([[0, 1], [4, 9]])
    f, growth = np.empty((2, 2)), np.empty(2)
    best, gap = np.empty(2, dtype=np.intp), np.empty(2)
    known = np.zeros((len(ALPHAS), 12))
    kernels.choose_penalties(M, M @ y, y, known, known, sets, f, growth, best, gap)
    for pair, own, chosen, margin in zip(sets, f, best, gap, strict=True):
        train = np.setdiff1d(np.arange(12), pair)
        errors = []
        for a in ALPHAS:
            total = 0.0
            for k in train:
                rest = np.setdiff1d(train, [k])
                w = np.linalg.solve(X[rest].T @ X[rest] + a * np.eye(3), X[rest].T @ y[rest])
                total += (y[k] - X[k] @ w) ** 2
            errors.append(total)
        assert chosen == np.argmin(errors)
        least, second = np.sort(errors)[:2]
        assert margin == pytest.approx((second - least) / least)
        A = X[train].T @ X[train] + ALPHAS[chosen] * np.eye(3)
        assert own == pytest.approx(X[pair] @ np.linalg.solve(A, X[train].T @ y[train]))


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (RidgeClassifierCV(class_weight="balanced"),
         "RidgeClassifierCV with weights has no closed form."),
        (RidgeCV(scoring="r2"), "RidgeCV has a closed form only with its own leave-one-out: cv and "
         "scoring None."),
    ],
)  # fmt: skip
def test_what_has_no_closed_form(estimator, reason):
    X, y = make("plain", 12, 3, 6, 0.5, seed=3)
    t = tlpo.tournament(estimator, X, y, rounds=2, random_state=0)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", reason)


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("steps", [[], [StandardScaler()], [SimpleImputer(), StandardScaler()]])
def test_units_drawn_repeatedly_against_fits(n, steps):
    X, y = make("plain", 30, n, 14, 0.5, seed=2)
    if len(steps) == 2:
        X[3, 0] = X[7, 2] = np.nan
    estimator = make_pipeline(*steps, RidgeClassifierCV(ALPHAS))
    rng, everyone = np.random.default_rng(0), np.arange(30)
    fits = [Fit(rng.integers(30, size=30), everyone) for _ in range(5)]
    fits.append(Fit(rng.integers(30, size=20), everyone[:4]))
    engine = NestedRidge(Contest(estimator, X, y, ContestOptions()).prepared)
    for fit, found in zip(fits, engine.respond(fits), strict=True):
        own = clone(estimator).fit(X[fit.train], y[fit.train]).decision_function(X[fit.test])
        assert found == pytest.approx(own, abs=1e-10)


def test_resamples_whose_responses_rounding_would_order_are_fitted():
    X, y = make("plain", 12, 3, 6, 0.5, seed=3)
    X[1] = X[0]  # the same values with either label
    y[:2] = 0, 1
    engine = NestedRidge(Contest(RidgeClassifierCV(ALPHAS), X, y, ContestOptions()).prepared)
    everyone = np.arange(12)
    first, second = engine.respond([Fit(everyone, everyone), Fit(everyone, everyone[1:])])
    assert first is None
    assert second is not None
