"""What liblinear's trust-region solver fits, without every pair against refitting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import tlpo
from engines.agreement import assert_refitted, assert_same_wins, make, problems
from engines.prepared import (
    FILLS,
    SCALERS,
    assert_holds_out_like_refits,
    assert_plays_like_refits,
    behind,
)
from tlpo.engines.liblinear.engine import ENGINE
from tlpo.engines.preparation.prepared import unprepared
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.problem.problem import make_problem

MODELS = {
    "hinge": LinearSVC(),
    "hinge, balanced": LinearSVC(C=10.0, class_weight="balanced", dual=False),
    "hinge, no intercept": LinearSVC(C=0.01, fit_intercept=False, class_weight={1: 3.0}),
    "hinge, tight": LinearSVC(tol=1e-6, intercept_scaling=5.0),
    "logistic": LogisticRegression(solver="liblinear"),
    "logistic, balanced": LogisticRegression(
        solver="liblinear", C=100.0, class_weight="balanced", intercept_scaling=3.0
    ),
    "logistic, no intercept": LogisticRegression(solver="liblinear", C=0.1, fit_intercept=False),
}
models = st.sampled_from([MODELS[name] for name in sorted(MODELS)])


def tight(name):
    """A model whose predictions are close to the solution."""
    return clone(MODELS[name]).set_params(tol=1e-6)


def with_gaps(X, seed):
    gaps = np.random.default_rng(seed).uniform(size=X.shape) < 0.15
    gaps[:4] = False
    return np.where(gaps, np.nan, X)


@settings(max_examples=10, deadline=None)
@given(problems, models)
def test_games_against_refits(problem, model):
    assert_same_wins(clone(model).set_params(random_state=0), *problem)


@pytest.mark.exhaustive
@settings(max_examples=120, deadline=None)
@given(problems, models, st.booleans(), st.sampled_from([1e-2, 1.0, 1e3]))
def test_many_games_against_refits(problem, model, is_prepared, C):
    model = clone(model).set_params(C=C, random_state=0)
    assert_same_wins(make_pipeline(StandardScaler(), model) if is_prepared else model, *problem)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_hardly_an_ordinary_game_is_refitted(name):
    X, y = make("plain", 24, 4, 10, 0.5, seed=1)
    prepared = unprepared(tight(name), make_problem(X, y))
    assert assert_plays_like_refits(ENGINE, prepared) < 0.02


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_solver_stops_within_the_stated_error(name):
    X, y = make("mixed scales", 60, 5, 25, 1.0, seed=2)
    X /= np.abs(X).max(axis=0)
    engine = ENGINE(unprepared(MODELS[name], make_problem(X, y)))
    rng = np.random.default_rng(0)
    sets = np.array([rng.choice(60, size=2, replace=False) for _ in range(60)])
    answers = engine.answer(sets, Execution())
    for pair, response, error in zip(sets, *answers, strict=True):
        train = np.setdiff1d(np.arange(60), pair)
        own = clone(MODELS[name]).fit(X[train], y[train]).decision_function(X[pair])
        assert abs((own[0] - own[1]) - (response[0] - response[1])) <= error.sum()
    assert np.median(answers.error) < 1e-2


@pytest.mark.parametrize("fill", [None, *FILLS])
@pytest.mark.parametrize("scaler", sorted(SCALERS))
def test_behind_scalers_and_imputers(scaler, fill):
    X, y = make("plain", 16, 4, 7, 0.5, seed=2)
    if fill and scaler == "quantiles":  # quantiles of filled columns have no closed form
        return
    if fill:
        X = with_gaps(X, 0)
    for name in ("hinge", "hinge, balanced", "logistic"):
        assert assert_plays_like_refits(ENGINE, behind(scaler, tight(name), X, y, fill)) < 0.02


def test_held_out_sets_against_refits():
    X, y = make("plain", 30, 4, 14, 0.5, seed=4)
    order = np.random.default_rng(0).permutation(30)
    tests = [order[:1], order[1:9], order[9:30:2], np.arange(3)]
    for name in ("hinge", "logistic, balanced"):
        prepared = behind("range", tight(name), with_gaps(X, 1), y, "mean")
        assert assert_holds_out_like_refits(ENGINE, prepared, tests, rel=1e-4) == 0


@pytest.mark.parametrize("name", ["hinge", "hinge, balanced", "logistic"])
def test_resamples_against_refits(name):
    X, y = make("plain", 40, 4, 18, 0.5, seed=5)
    rng = np.random.default_rng(0)
    fits = []
    for _ in range(6):
        train = np.sort(rng.integers(0, 40, size=40))
        fits.append(Fit(train, np.setdiff1d(np.arange(40), train)))
    model = make_pipeline(StandardScaler(), tight(name))
    found = ENGINE(behind("deviation", model[-1], X, y)).respond(fits)
    assert sum(own is not None for own in found) >= 5
    for fit, own in zip(fits, found, strict=True):
        if own is not None:
            fitted = model.fit(X[fit.train], y[fit.train])
            np.testing.assert_allclose(own, fitted.decision_function(X[fit.test]), atol=1e-4)


def test_groups_weights_and_several_classes():
    X, y = make("plain", 18, 3, 8, 0.5, seed=6)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=18)
    for options in (
        {"groups": np.arange(18) // 3},
        {"positive": 0},
        {"params": {"sample_weight": weight}},
    ):
        fast, slow = (
            tlpo.tournament(LinearSVC(), X, y, engine=engine, **options)
            for engine in ("liblinear", "refit")
        )
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
    three = np.arange(18) % 3
    X[:, 0] += three
    one, other = (
        tlpo.multiclass(LinearSVC(), X, three, engine=engine) for engine in ("auto", "refit")
    )
    assert one.engine == "liblinear"
    assert one.auc == other.auc


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (LinearSVC(loss="hinge"), "with loss='squared_hinge' it is not refitted"),
        (LinearSVC(dual=True), "with dual=False it is not refitted"),
        (LinearSVC(penalty="l1", dual=False), "L1 penalty"),
        (LinearSVC(max_iter=3), "pass max_iter="),
        (LinearSVC(tol=1e-12), "rounding decides where liblinear stops"),
        (LogisticRegression(solver="liblinear", dual=True), "with dual=False"),
    ],
)
def test_what_is_refitted(model, why):
    X, y = make("plain", 12, 3, 6, 0.5, seed=7)
    assert_refitted(model, X, y, why)


def test_training_sets_with_fewer_units_than_features_have_another_solver():
    X, y = make("plain", 12, 15, 6, 0.5, seed=8)
    assert_refitted(LinearSVC(), X, y, "With more features than units")
    X, y = make("plain", 12, 10, 6, 0.5, seed=8)
    engine = ENGINE(unprepared(LinearSVC(), make_problem(X, y)))
    assert np.isfinite(engine.answer(np.array([[0, 1]]), Execution()).error).all()
    assert np.isinf(engine.answer(np.array([[0, 1, 2]]), Execution()).error).all()


def test_sparse_data_are_refitted():
    problem = make_problem(sparse.eye_array(12, 3).tocsr(), np.arange(12) % 2)
    assert "sparse" in ENGINE.why_not(unprepared(LinearSVC(), problem))
