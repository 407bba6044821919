"""Lasso and ElasticNet without refitting against refits, game for game."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tlpo
from engines.agreement import KINDS, assert_close, make, problems
from engines.sparse.problems import (
    BEFORE,
    assert_same_games,
    assert_same_with_gaps,
    lasso_of,
    lassos,
    with_gaps,
)
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.sparse import engine as lasso
from tlpo.engines.sparse.objective import is_followed
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem

pytestmark = pytest.mark.skipif(
    not is_followed(), reason="another coordinate descent than that of scikit-learn 1.9"
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [3, 24])
def test_nasty_data_against_refits(kind, n):
    X, y = make(kind, 12, n, 4, 0.5, n)
    for model in (Lasso(alpha=0.1), ElasticNet(alpha=0.05, l1_ratio=0.3)):
        assert_same_games(model, X, y, "lasso")


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("with_intercept", [True, False])
def test_behind_steps_against_refits(before, with_intercept):
    X, y = make("plain", 14, 8, 6, 0.5, 3)
    X = with_gaps(3.0 * X + 1.0) if before == "imputer" else 3.0 * X + 1.0
    found = assert_same_games(
        lasso_of(before, alpha=0.05, fit_intercept=with_intercept), X, y, "lasso"
    )
    assert found is not None
    assert found.diagnostics.fits < 10


@settings(max_examples=6, deadline=None, derandomize=True)
@given(estimator=lassos, problem=problems, seed=st.integers(0, 99))
def test_any_model_on_any_data_against_refits(estimator, problem, seed):
    assert_same_with_gaps(estimator, problem, seed, "lasso")


@pytest.mark.exhaustive
@settings(max_examples=150, deadline=None)
@given(estimator=lassos, problem=problems, seed=st.integers(0, 99))
def test_many_models_on_any_data_against_refits(estimator, problem, seed):
    assert_same_with_gaps(estimator, problem, seed, "lasso")


def test_the_solver_is_followed_to_where_it_stops():
    """With more features than units it stops far from the solution, and predictions are its own."""
    X, y = make("plain", 24, 60, 12, 0.5, 0)
    loose, tight = Lasso(alpha=0.02, tol=1e-2), Lasso(alpha=0.02, tol=1e-8, max_iter=100_000)
    found = assert_same_games(loose, X, y, "lasso")
    slow = tlpo.tournament(loose, X, y, engine="refit")
    assert_close(found.predictions, slow.predictions, rtol=1e-10)
    assert found.diagnostics.fits == 1
    converged = tlpo.tournament(tight, X, y)
    assert np.nanmax(np.abs(converged.predictions - slow.predictions)) > 1e-3


def test_groups_and_buffers_against_refits():
    X, y = make("plain", 16, 20, 8, 0.5, 1)
    groups = np.random.default_rng(0).permutation(16) // 2
    buffer = tlpo.Buffer(np.arange(16.0), 1.0)
    for options in ({"groups": groups}, {"exclude": buffer}):
        for model in (Lasso(alpha=0.1), make_pipeline(StandardScaler(), Lasso(alpha=0.1))):
            assert assert_same_games(model, X, y, "lasso", **options) is not None


def test_numbers_against_refits():
    X, y = make("plain", 14, 20, 7, 0.5, 2)
    numbers = 1000.0 * (X[:, 0] + y)
    for model in (Lasso(alpha=50.0), make_pipeline(StandardScaler(), ElasticNet(alpha=50.0))):
        fast, slow = (
            Contest(model, X, numbers, ContestOptions(order=True, engine=engine)).play(Schedule())
            for engine in ("auto", "refit")
        )
        assert fast.engine == "lasso"
        assert fast.diagnostics.fits == 1
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
        assert_close(fast.predictions.full(), slow.predictions.full(), rtol=1e-10)


def test_categories_against_refits():
    X, y = make("plain", 20, 4, 9, 0.5, 4)
    frame = pd.DataFrame(with_gaps(X), columns=list("abcd"))
    frame["kind"] = np.array(["x", "y", "z"])[np.arange(20) % 3]
    columns = list("abcd")
    steps = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), columns),
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]),
        sparse_threshold=0.0,
    )
    assert assert_same_games(make_pipeline(steps, Lasso(alpha=0.05)), frame, y, "lasso") is not None


def test_a_penalty_that_leaves_nothing_makes_ties_without_refits():
    X, y = make("plain", 12, 5, 6, 0.5, 5)
    found = assert_same_games(Lasso(alpha=100.0), X, y, "lasso")
    assert found.n_ties == found.standings.n_games == 66
    assert found.diagnostics.fits == 1


def test_units_that_agree_in_what_the_model_uses_tie_without_refits():
    X, y = make("plain", 16, 5, 8, 0.0, 6)
    X[:, 0] = np.round(X[:, 0] + 2.0 * y)
    found = assert_same_games(Lasso(alpha=0.45), X, y, "lasso")
    assert found.n_ties > 10
    assert found.diagnostics.fits == 1


def test_held_out_sets_and_resamples_against_fits():
    X, y = make("plain", 30, 40, 15, 0.5, 7)
    model = make_pipeline(StandardScaler(), Lasso(alpha=0.1))
    for size in (1, 3, 15):
        tests = list(np.random.default_rng(size).permutation(30).reshape(-1, size))
        fast, slow = (
            Contest(model, X, y, ContestOptions(engine=engine)).hold_out(tests, "some")
            for engine in ("auto", "refit")
        )
        assert fast.engine == "lasso"
        for found, expected in zip(fast.responses, slow.responses, strict=True):
            assert_close(found, expected, rtol=1e-10)
    problem = make_problem(X, y)
    engine = lasso.Lasso(unprepared(Lasso(alpha=0.1), problem))
    rng = np.random.default_rng(0)
    train = np.sort(rng.integers(0, 30, 30))
    test = np.setdiff1d(np.arange(30), train)
    (response,) = engine.fit([Fit(train, test)], Execution(), "Resamples").responses
    expected = Lasso(alpha=0.1).fit(X[train], problem.target[train]).predict(X[test])
    np.testing.assert_allclose(response, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Lasso(alpha=0.0), "Lasso without an L1 penalty is not covered."),
        (ElasticNet(l1_ratio=0.0), "ElasticNet without an L1 penalty is not covered."),
        (Lasso(selection="random"), "Lasso takes features in random order."),
        (
            Lasso(precompute=np.eye(3)),
            "Products of features that are passed to Lasso are not covered.",
        ),
        (
            Lasso(tol=1e-12),
            "With a tolerance below 1e-09, rounding decides where Lasso stops.",
        ),
    ],
)
def test_what_is_not_covered(model, reason):
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    assert lasso.Lasso.why_not(unprepared(model, make_problem(X, y))) == reason


def test_data_that_are_not_covered():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    problem = make_problem(sparse.csr_array(X), y)
    reason = "The path of Lasso on sparse data is not covered."
    assert lasso.Lasso.why_not(unprepared(Lasso(), problem)) == reason
    weighted = make_problem(X, y, params={"sample_weight": np.ones(10)})
    reason = "The path of Lasso does not cover the fit arguments sample_weight."
    assert lasso.Lasso.why_not(unprepared(Lasso(), weighted)) == reason
    chosen = tlpo.tournament(make_pipeline(SelectKBest(k=2), Lasso(alpha=0.1)), X, y)
    assert chosen.engine == "refit"
    assert (
        chosen.diagnostics.why_not_faster == "Lasso after a selection of features is not covered."
    )


def test_another_version_of_scikit_learn_is_refitted(monkeypatch):
    monkeypatch.setattr("sklearn.__version__", "1.7.2")
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    reason = "Where Lasso of scikit-learn 1.7.2 stops is not known."
    assert lasso.Lasso.why_not(unprepared(Lasso(), make_problem(X, y))) == reason


def test_a_model_that_does_not_converge_is_refitted():
    X, y = make("plain", 10, 20, 5, 0.5, 0)
    with pytest.warns(UserWarning, match="did not converge"):
        found = tlpo.tournament(Lasso(alpha=0.001, max_iter=2), X, y)
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster == (
        "Lasso does not converge within max_iter=2; with more, or a larger alpha, it may."
    )


def test_features_whose_rounding_could_enter_are_refitted():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    X[:, 0] += 1e15
    found = tlpo.tournament(Lasso(alpha=0.01), X, y)
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster.startswith("Features of this scale are centred with")
