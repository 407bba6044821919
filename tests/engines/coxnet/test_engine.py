"""Cox regression with an L1 penalty without refitting against refits, game for game."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sksurv.linear_model import CoxnetSurvivalAnalysis

from engines.cox.problems import FEATURES, TIMES, make
from engines.survival_games import BEFORE, NOT_FILLING, after, assert_same_games_by, gaps, play
from tlpo.engines.coxnet import engine as coxnet
from tlpo.engines.coxnet import objective
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions

assert_same_games = partial(assert_same_games_by, "coxnet", rtol=1e-6)
PATHS = {
    "default": {},
    "lasso": {"l1_ratio": 1.0, "alpha_min_ratio": 0.05, "n_alphas": 20},
    "steep": {"l1_ratio": 0.3, "alpha_min_ratio": 0.01, "n_alphas": 5},
    "given": {"alphas": [0.2, 0.05]},
    "one": {"alphas": [0.1], "l1_ratio": 0.9},
    "going up": {"alphas": [0.02, 0.3, 0.1]},
    "many": {"alphas": np.geomspace(0.1, 1e-4, 40), "l1_ratio": 0.8},
    "tight": {"alphas": [0.05], "tol": 1e-11, "l1_ratio": 0.7},
    "loose": {"tol": 1e-3, "l1_ratio": 0.95},
    "normalize": {"normalize": True, "alpha_min_ratio": 0.01},
    "baseline": {"fit_baseline_model": True, "n_alphas": 10},
}


def estimator_of(path="one", before="nothing", **params):
    return after(before, CoxnetSurvivalAnalysis(**{**PATHS[path], **params}))


def whatever_it_warns(test):
    """Refits of nasty data warn; that games are those of refits is all that is asked."""
    for name in (
        "sklearn.exceptions.ConvergenceWarning",
        "scipy.linalg.LinAlgWarning",
        "RuntimeWarning",
        "UserWarning",
    ):
        test = pytest.mark.filterwarnings(f"ignore::{name}")(test)
    return test


problems = st.integers(9, 14).flatmap(
    lambda m: st.builds(
        make,
        m=st.just(m),
        n=st.sampled_from([1, 2, 4, m - 1, m + 1, 3 * m]),
        seed=st.integers(0, 2**31),
        features=st.sampled_from(FEATURES),
        times=st.sampled_from(TIMES),
        effect=st.sampled_from([0.0, 0.7, 3.0]),
    )
)
estimators = st.builds(
    estimator_of,
    path=st.sampled_from(list(PATHS)),
    before=st.sampled_from(NOT_FILLING),
    max_iter=st.sampled_from([200, 100000]),
)


@whatever_it_warns
@settings(max_examples=8, deadline=None)
@given(problems, estimators)
def test_games_against_refits(problem, estimator):
    assert_same_games(estimator, *problem)


@pytest.mark.exhaustive
@whatever_it_warns
@settings(max_examples=150, deadline=None)
@given(problems, estimators)
def test_many_games_against_refits(problem, estimator):
    assert_same_games(estimator, *problem)


@whatever_it_warns
@pytest.mark.parametrize("path", PATHS)
def test_every_path_against_refits(path):
    X, y = make(14, 4, seed=3)
    played = assert_same_games(estimator_of(path, "StandardScaler"), X, y)
    assert played is not None
    assert played.diagnostics.fits <= 3


@whatever_it_warns
@pytest.mark.parametrize(
    "before",
    [
        pytest.param(name, marks=() if name in ("nothing", "mean") else pytest.mark.exhaustive)
        for name in BEFORE
    ],
)
@pytest.mark.parametrize("times", ["plain", "three times", "few events"])
def test_times_and_preparations_against_refits(before, times):
    X, y = make(12, 3, seed=1, times=times)
    played = assert_same_games(estimator_of("one", before, alphas=[0.02]), gaps(X, before), y)
    assert played is not None
    assert played.diagnostics.fits <= 3


@whatever_it_warns
@pytest.mark.parametrize("path", ["given", "lasso"])
@pytest.mark.parametrize("features", ["duplicates", "binary", "constant column", "dependent"])
def test_ties_and_dependent_columns_against_refits(path, features):
    X, y = make(12, 2, seed=2, features=features)
    assert assert_same_games(estimator_of(path), X, y) is not None


@pytest.mark.parametrize("n", [12, 60])
def test_as_many_features_as_units_and_more_against_refits(n):
    X, y = make(12, n, seed=5)
    played = assert_same_games(estimator_of("lasso", "StandardScaler"), X, y)
    assert played is not None
    assert played.diagnostics.fits <= 3


@pytest.mark.filterwarnings("ignore:.*all coefficients are zero")
def test_a_penalty_that_leaves_no_feature_in_ties_all_games():
    X, y = make(12, 3, seed=0)
    played = assert_same_games(estimator_of("one", alphas=[50.0]), X, y)
    assert played.standings.n_ties == 66
    assert played.diagnostics.fits == 1


@pytest.mark.filterwarnings("ignore:.*all coefficients are zero")
def test_a_path_that_rounding_ends_is_refitted():
    # Six penalties that leave no feature in: if the path ends there is a quotient of rounding.
    X, y = make(12, 3, seed=0)
    alphas = np.append(np.geomspace(60.0, 40.0, 6), 0.1)
    played = assert_same_games(estimator_of("one", alphas=alphas), X, y)
    assert played.diagnostics.fits == 67


@pytest.mark.filterwarnings("ignore:.*all coefficients are zero")
@pytest.mark.parametrize("path", ["default", "many", "steep"])
def test_units_that_are_all_the_same_tie(path):
    X, y = make(10, 2, seed=0, features="all equal")
    played = assert_same_games(estimator_of(path), X, y)
    assert played is None or played.standings.n_ties == 45


def test_penalty_factors_against_refits():
    X, y = make(13, 4, seed=8)
    for path in ("given", "lasso"):
        estimator = estimator_of(path, penalty_factor=[0.0, 1.0, 2.5, 0.5])
        assert assert_same_games(estimator, X, y) is not None


def test_words_and_numbers_against_refits():
    X, y = make(14, 2, seed=6)
    frame = pd.DataFrame(X, columns=["age", "size"])
    # One unit alone is in a place: without it, there is a column less.
    frame["site"] = ["rare"] + ["left", "right", "both"] * 4 + ["left"]
    frame.loc[[2, 7], "age"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    steps = make_column_transformer(
        (numbers, ["age", "size"]),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["site"]),
    )
    assert assert_same_games(make_pipeline(steps, estimator_of("given")), frame, y) is not None


@pytest.mark.filterwarnings("ignore:.*all coefficients are zero")
@pytest.mark.parametrize("before", ["nothing", "mean"])
def test_groups_and_exclusions_against_refits(before):
    X, y = make(13, 2, seed=7)
    order = np.random.default_rng(0).permutation(13)
    for options in (
        {"groups": np.repeat([0, 1, 2, 3, 4], [1, 2, 3, 3, 4])[order]},
        {"exclude": lambda i, j: [(i + j) % 13]},
    ):
        estimator = estimator_of("given", before)
        assert assert_same_games(estimator, gaps(X, before), y, on_error="skip", **options)


@pytest.mark.parametrize("before", ["nothing", "mean"])
@pytest.mark.parametrize("n", [2, 30])
def test_held_out_sets_against_refits(before, n):
    X, y = make(20, n, seed=8)
    X = gaps(X + 3.0, before)
    folds = np.array_split(np.random.default_rng(0).permutation(20), 6)
    for tests in ([np.array([k]) for k in range(20)], [np.sort(fold) for fold in folds]):
        fast, slow = (
            Contest(estimator_of("given", before), X, y, ContestOptions(engine=engine)).hold_out(
                tests, "a"
            )
            for engine in ("coxnet", "refit")
        )
        assert fast.diagnostics.fits == 1
        for one, other in zip(fast.responses, slow.responses, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "mean"])
def test_units_drawn_repeatedly_against_fits(before):
    X, y = make(24, 3, seed=9)
    X = gaps(X, before)
    estimator = estimator_of("lasso", before)
    rng = np.random.default_rng(0)
    draws = [Fit(rng.integers(24, size=24), np.arange(24)) for _ in range(5)]
    responses = coxnet.Coxnet(Contest(estimator, X, y).prepared).respond(draws)
    assert any(response is not None for response in responses)
    for fit, response in zip(draws, responses, strict=True):
        if response is not None:
            model = clone(estimator).fit(X[fit.train], y[fit.train])
            np.testing.assert_allclose(response, model.predict(X), rtol=1e-7, atol=1e-9)


def test_hardly_any_game_is_refitted():
    X, y = make(40, 5, seed=10)
    played = play(estimator_of("given", "StandardScaler"), X, y)
    assert played.engine == "coxnet"
    assert played.diagnostics.fits <= 2


def test_games_follow_where_the_solver_stops():
    # Converged, the model is another one: games of a loose tolerance are those of its solver.
    X, y = make(30, 5, seed=3)
    loose, tight = (
        play(estimator_of("given", alphas=[0.01], tol=tol), X, y).predictions.full()
        for tol in (1e-2, 1e-12)
    )
    model = estimator_of("given", alphas=[0.01], tol=1e-2)
    rest = np.arange(2, 30)
    own = model.fit(X[rest], y[rest]).predict(X[:2])
    assert [loose[0, 1], loose[1, 0]] == pytest.approx(own, rel=1e-9)
    assert np.abs(np.array([tight[0, 1], tight[1, 0]]) - own).max() > 1e-4


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"tol": 0.0}, "stops with tol=0.0 is decided by rounding"),
        ({"verbose": True}, "with verbose=True reports its own fits"),
        ({"alphas": [0.0]}, "needs alphas that are positive numbers"),
        ({"alphas": "few"}, "needs alphas that are positive numbers"),
        ({"l1_ratio": 0.0}, "needs an l1_ratio above 0 and up to 1, not 0.0"),
        ({"alphas": None, "n_alphas": 1}, "A path of n_alphas=1 penalties is not covered"),
        ({"alphas": None, "alpha_min_ratio": 1.0}, "with alpha_min_ratio=1.0 is not covered"),
        ({"penalty_factor": [-1.0, 1.0, 1.0]}, "needs a penalty_factor of non-negative numbers"),
        ({"penalty_factor": [1.0, 1.0]}, "There are 3 columns and 2 penalty factors"),
        ({"max_iter": 1}, "does not converge within max_iter=1"),
        ({"max_iter": 0}, "needs a max_iter of 1 or more, not 0"),
    ],
)
def test_what_is_not_covered(params, why):
    X, y = make(16, 3, seed=15)
    with pytest.raises(EngineError, match=why):
        play(estimator_of("one", **params), X, y, engine="coxnet")


def test_other_versions_selections_and_subclasses_are_refitted(monkeypatch):
    X, y = make(12, 3, seed=16)
    behind = make_pipeline(SelectKBest(k=2), estimator_of())
    with pytest.raises(EngineError):
        play(behind, X, y, engine="coxnet")
    Same = type("CoxnetSurvivalAnalysis", (CoxnetSurvivalAnalysis,), {})
    with pytest.raises(EngineError, match="does not play estimators of type"):
        play(Same(alphas=[0.1]), X, y, engine="coxnet")
    monkeypatch.setattr(objective, "FOLLOWED_VERSIONS", ((0, 1),))
    with pytest.raises(EngineError, match=r"Where CoxnetSurvivalAnalysis of .* stops is not known"):
        play(estimator_of(), X, y, engine="coxnet")


def test_threads_change_nothing(monkeypatch):
    X, y = make(20, 3, seed=17)
    one = play(estimator_of("given", "StandardScaler"), X, y, n_jobs=1)
    monkeypatch.setattr(coxnet, "SETS_A_THREAD", 1)
    monkeypatch.setattr(coxnet, "thread_count", lambda _: 3)
    other = play(estimator_of("given", "StandardScaler"), X, y)
    assert np.array_equal(one.predictions.full(), other.predictions.full(), equal_nan=True)
