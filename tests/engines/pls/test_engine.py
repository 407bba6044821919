"""Partial least squares without every pair against refitting, game for game."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cross_decomposition import PLSRegression
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from engines.agreement import assert_same_wins, make, problems
from engines.prepared import (
    FILLS,
    SCALERS,
    assert_holds_out_like_refits,
    assert_plays_like_refits,
    behind,
)
from tlpo.engines.pls.engine import ENGINE
from tlpo.engines.preparation.prepared import unprepared
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.problem.problem import make_problem


def with_gaps(X, seed):
    gaps = np.random.default_rng(seed).uniform(size=X.shape) < 0.15
    gaps[:4] = False
    return np.where(gaps, np.nan, X)


@settings(max_examples=10, deadline=None)
@given(problems, st.integers(1, 6), st.booleans())
def test_games_against_refits(problem, n_components, scale):
    X, y = problem
    model = PLSRegression(min(n_components, X.shape[1], len(y) - 2), scale=scale)
    assert_same_wins(model, X, y)


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(problems, st.integers(1, 6), st.booleans(), st.booleans(), st.sampled_from([0, 0, 2, -3]))
def test_many_games_against_refits(problem, n_components, scale, is_prepared, power):
    X, y = problem
    if power:  # columns of very different sizes, or nearly dependent
        X = X * 10.0 ** (power * np.arange(X.shape[1]) % 7)
        X[:, -1] = X[:, 0] + 1e-6 * X[:, -1]
    model = PLSRegression(min(n_components, X.shape[1], len(y) - 2), scale=scale)
    assert_same_wins(make_pipeline(StandardScaler(), model) if is_prepared else model, X, y)


@pytest.mark.parametrize("n_components", [1, 2, 5])
@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("scale", [True, False])
def test_no_ordinary_game_is_refitted(scale, n, n_components):
    X, y = make("plain", 20, n, 8, 0.5, seed=1)
    prepared = unprepared(PLSRegression(n_components, scale=scale), make_problem(X, y))
    assert assert_plays_like_refits(ENGINE, prepared) == 0


@pytest.mark.parametrize("fill", [None, *FILLS])
@pytest.mark.parametrize("scaler", sorted(SCALERS))
def test_behind_scalers_and_imputers(scaler, fill):
    X, y = make("plain", 16, 4, 7, 0.5, seed=2)
    if fill and scaler == "quantiles":  # quantiles of filled columns have no closed form
        return
    if fill:
        X = with_gaps(X, 0)
    for scale in (True, False):
        prepared = behind(scaler, PLSRegression(2, scale=scale), X, y, fill)
        assert assert_plays_like_refits(ENGINE, prepared) == 0


def test_held_out_sets_against_refits():
    X, y = make("plain", 30, 4, 14, 0.5, seed=4)
    order = np.random.default_rng(0).permutation(30)
    tests = [order[:1], order[1:9], order[9:30:2], np.arange(3)]
    prepared = behind("range", PLSRegression(3), with_gaps(X, 1), y, "mean")
    assert assert_holds_out_like_refits(ENGINE, prepared, tests) == 0


def test_resamples_against_refits():
    X, y = make("plain", 20, 6, 9, 0.5, seed=5)
    rng = np.random.default_rng(0)
    fits = []
    for _ in range(5):
        train = np.sort(rng.integers(0, 20, size=20))
        fits.append(Fit(train, np.setdiff1d(np.arange(20), train)))
    model = make_pipeline(StandardScaler(), PLSRegression(3))
    problem = make_problem(X, y)
    found = ENGINE(behind("deviation", model[-1], X, y)).respond(fits)
    for fit, own in zip(fits, found, strict=True):
        fitted = model.fit(X[fit.train], problem.target[fit.train])
        np.testing.assert_allclose(own, fitted.predict(X[fit.test]).ravel(), rtol=1e-10)


def test_numbers_groups_and_the_first_label():
    X, y = make("plain", 18, 5, 8, 0.5, seed=6)
    for options in (
        {"groups": np.arange(18) // 3},
        {"positive": 0},
        {"exclude": tlpo.Buffer(np.arange(18), 1)},
    ):
        fast, slow = (
            tlpo.tournament(PLSRegression(2), X, y, engine=engine, **options)
            for engine in ("pls", "refit")
        )
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
    numbers = 1e6 * (X[:, 0] + np.random.default_rng(0).normal(size=18))
    one, other = (
        tlpo.concordance(PLSRegression(2), X, numbers, engine=engine) for engine in ("pls", "refit")
    )
    assert one.concordance == other.concordance


def test_a_constant_column_that_is_no_whole_number_is_left_to_scikit_learn():
    X, y = make("plain", 12, 3, 6, 0.5, seed=7)
    X[:, 1] = 0.1
    answers = ENGINE(unprepared(PLSRegression(1), make_problem(X, y))).answer(
        np.array([[0, 1]]), Execution()
    )
    assert np.isinf(answers.error).all()
    X[:, 1] = 3.0
    prepared = unprepared(PLSRegression(1), make_problem(X, y))
    assert assert_plays_like_refits(ENGINE, prepared) == 0


def test_components_beyond_what_is_left_of_y_are_left_to_scikit_learn():
    X, y = make("plain", 10, 3, 5, 0.5, seed=8)
    X[:, 1:] = X[:, :1] * [2.0, -1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = ENGINE(unprepared(PLSRegression(2), make_problem(X, y))).answer(
            np.array([[0, 1]]), Execution()
        )
    assert np.isinf(answers.error).all()


@pytest.mark.parametrize(
    ("model", "X", "reason"),
    [
        (PLSRegression(5), np.eye(12, 3), "Partial least squares needs 1 to 3 components."),
        (PLSRegression(2), sparse.eye_array(12, 3).tocsr(), "PLSRegression does not take sparse"),
    ],
)
def test_what_is_not_covered(model, X, reason):
    problem = make_problem(X, np.arange(12) % 2)
    assert ENGINE.why_not(unprepared(model, problem)).startswith(reason)


def test_a_selection_before_it_is_refitted():
    X, y = make("plain", 14, 6, 6, 0.5, seed=9)
    t = tlpo.tournament(make_pipeline(SelectKBest(k=3), PLSRegression(2)), X, y)
    assert t.engine == "refit"
    assert "selection" in t.diagnostics.why_not_faster
