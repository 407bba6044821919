"""L1-penalised logistic regression without refitting against refits, game for game."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from engines.agreement import KINDS, assert_close, make, problems
from engines.sparse.problems import (
    BEFORE,
    assert_same_games,
    assert_same_with_gaps,
    logistic_of,
    logistics,
    with_gaps,
)
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.sparse.logistic import SparseLogistic
from tlpo.games.contest import Contest, ContestOptions
from tlpo.problem.problem import make_problem


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_data_against_refits(kind):
    X, y = make(kind, 10, 12, 4, 0.5, 1)
    assert_same_games(logistic_of(C=1.0, random_state=1), X, y, "logistic")


@pytest.mark.parametrize("before", BEFORE)
def test_behind_steps_against_refits(before):
    X, y = make("plain", 12, 6, 6, 0.5, 3)
    X = with_gaps(X + 1.0) if before == "imputer" else X + 1.0
    model = logistic_of(before, C=0.8, random_state=2, class_weight="balanced")
    found = assert_same_games(model, X, y, "logistic")
    assert found is not None
    assert found.diagnostics.fits < 10


@settings(max_examples=4, deadline=None, derandomize=True)
@given(estimator=logistics, problem=problems, seed=st.integers(0, 99))
def test_any_model_on_any_data_against_refits(estimator, problem, seed):
    assert_same_with_gaps(estimator, problem, seed, "logistic")


@pytest.mark.exhaustive
@settings(max_examples=150, deadline=None)
@given(estimator=logistics, problem=problems, seed=st.integers(0, 99))
def test_many_models_on_any_data_against_refits(estimator, problem, seed):
    assert_same_with_gaps(estimator, problem, seed, "logistic")


def test_the_solver_is_followed_to_where_it_stops():
    """With more features than units it stops far from the solution, and predictions are its own."""
    X, y = make("plain", 20, 60, 10, 0.5, 0)
    loose, tight = (logistic_of(C=2.0, tol=tol, random_state=5) for tol in (1e-2, 1e-7))
    found = assert_same_games(loose, X, y, "logistic")
    slow = tlpo.tournament(loose, X, y, engine="refit")
    assert found.diagnostics.fits == 1
    assert_close(found.predictions, slow.predictions, rtol=1e-10)
    converged = tlpo.tournament(tight, X, y)
    assert np.nanmax(np.abs(converged.predictions - slow.predictions)) > 1e-2


def test_groups_and_held_out_sets_against_refits():
    X, y = make("plain", 16, 20, 8, 0.5, 1)
    model = make_pipeline(StandardScaler(), logistic_of(C=1.0, random_state=0))
    groups = np.random.default_rng(0).permutation(16) // 2
    assert assert_same_games(model, X, y, "logistic", groups=groups) is not None
    tests = list(np.random.default_rng(1).permutation(16).reshape(-1, 4))
    fast, slow = (
        Contest(model, X, y, ContestOptions(engine=engine)).hold_out(tests, "some")
        for engine in ("auto", "refit")
    )
    assert fast.engine == "logistic"
    for found, expected in zip(fast.responses, slow.responses, strict=True):
        assert_close(found, expected, rtol=1e-10)


def test_labels_in_any_order():
    X, y = make("plain", 12, 6, 6, 0.5, 2)
    names = np.where(y == 1, "a", "b")
    model = logistic_of(C=1.0, random_state=0)
    found = assert_same_games(model, X, names, "logistic", positive="a")
    assert np.array_equal(found.standings.wins, tlpo.tournament(model, X, y).standings.wins)


def test_a_small_c_makes_ties_without_refits():
    X, y = make("plain", 12, 5, 6, 0.5, 5)
    found = assert_same_games(logistic_of(C=1e-3, random_state=0), X, y, "logistic")
    assert found.n_ties == found.standings.n_games
    assert found.diagnostics.fits == 1


def test_without_a_seed_responses_are_another_draw():
    X, y = make("plain", 16, 40, 8, 0.5, 4)
    model = logistic_of(C=1.0, tol=1e-2)
    np.random.seed(0)
    first, second = tlpo.tournament(model, X, y), tlpo.tournament(model, X, y)
    assert first.engine == second.engine == "logistic"
    slow = tlpo.tournament(model, X, y, engine="refit")
    own = np.nanstd(first.predictions - second.predictions)
    assert own > 1e-6
    assert 0.2 * own < np.nanstd(first.predictions - slow.predictions) < 5.0 * own


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        (
            {"solver": "saga"},
            "With an L1 penalty the solver 'saga' of LogisticRegression often stops far from the "
            "solution, at a place that only a fit can tell; solver='liblinear' is followed.",
        ),
        ({"solver": "lbfgs"}, "The solver 'lbfgs' does not take this penalty."),
        ({"C": np.inf}, "The path of LogisticRegression needs a positive C."),
        ({"dual": True}, "The dual of logistic regression is not covered."),
        (
            {"tol": 1e-10},
            "With a tolerance below 1e-08, rounding decides where liblinear stops.",
        ),
        (
            {"random_state": np.random.RandomState(0)},
            "A random state that is neither a number nor None is not covered.",
        ),
        (
            {"class_weight": {0: -1.0}},
            "Class weights that are not positive numbers are not covered.",
        ),
        (
            {"intercept_scaling": 0.0},
            "The path of LogisticRegression needs a positive intercept_scaling.",
        ),
    ],
)
def test_what_is_not_covered(params, reason):
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    prepared = unprepared(logistic_of(**params), make_problem(X, y))
    assert SparseLogistic.accepts(prepared)
    assert SparseLogistic.why_not(prepared) == reason


def test_data_that_are_not_covered():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    model = logistic_of()
    reason = "The path of LogisticRegression on sparse data is not covered."
    assert SparseLogistic.why_not(unprepared(model, make_problem(sparse.csr_array(X), y))) == reason
    weighted = make_problem(X, y, params={"sample_weight": np.ones(10)})
    reason = "The path of LogisticRegression does not cover the fit arguments sample_weight."
    assert SparseLogistic.why_not(unprepared(model, weighted)) == reason


def test_an_l2_penalty_is_left_to_its_own_engine():
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    assert not SparseLogistic.accepts(unprepared(LogisticRegression(), make_problem(X, y)))


def test_a_model_that_does_not_converge_is_refitted():
    X, y = make("plain", 10, 20, 5, 0.5, 0)
    with pytest.warns(UserWarning, match="failed to converge"):
        found = tlpo.tournament(logistic_of(C=10.0, max_iter=2, random_state=0), X, y)
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster.endswith(
        "liblinear does not converge within max_iter=2; with more, it may."
    )
