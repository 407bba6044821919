"""Forests grown in compiled loops against scikit-learn's, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

from engines.agreement import KINDS, make
from engines.trees.problems import assert_same_answers, limits
from tlpo.engines.forest.compiled import CompiledGrower
from tlpo.engines.forest.growing import TreeGrower, make_grower
from tlpo.engines.trees.settings import is_followed
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest
from tlpo.problem.problem import make_problem

pytestmark = pytest.mark.skipif(not is_followed(), reason="other trees than scikit-learn 1.9's")


def forest(criterion, class_weight, limits, **params):
    if criterion == "squared_error":
        return RandomForestRegressor(**limits, **params)
    return RandomForestClassifier(
        criterion=criterion, class_weight=class_weight, **limits, **params
    )


forests = st.builds(
    forest,
    criterion=st.sampled_from(["gini", "entropy", "squared_error"]),
    class_weight=st.sampled_from([None, "balanced_subsample"]),
    limits=limits,
    n_estimators=st.sampled_from([1, 5]),
    max_samples=st.sampled_from([None, None, 4]),
)


def assert_same_forests(estimator, problem, seed):
    X, y = problem
    m, rng = len(y), np.random.default_rng(seed)
    fits = [Fit(train, np.arange(m)) for train in rng.integers(0, m, (3, m))]
    tests = np.array_split(rng.permutation(m), 4)
    assert_same_answers(estimator, X, y, "forest", tests, fits)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(estimator=forests, kind=st.sampled_from(KINDS), seed=st.integers(0, 9999))
def test_folds_and_resamples_against_refits(estimator, kind, seed):
    assert_same_forests(estimator, make(kind, 24, 5, 10, 0.5, seed), seed)


@pytest.mark.exhaustive
@settings(max_examples=80, deadline=None)
@given(estimator=forests, kind=st.sampled_from(KINDS), seed=st.integers(0, 9999))
def test_many_folds_and_resamples_against_refits(estimator, kind, seed):
    assert_same_forests(estimator, make(kind, 24, 5, 10, 0.5, seed), seed)


def test_several_classes_and_numbers_against_refits():
    X, y = make("plain", 24, 3, 12, 0.5, 2)
    rng = np.random.default_rng(0)
    fits = [Fit(train, np.arange(24)) for train in rng.integers(0, 24, (3, 24))]
    tests = np.array_split(rng.permutation(24), 4)
    classifier = RandomForestClassifier(5, random_state=1, max_samples=0.7)
    assert_same_answers(classifier, X, np.arange(24) % 3, "forest", tests, fits, several=True)
    numbers = 1000.0 * (X[:, 0] + y)
    regressor = RandomForestRegressor(5, random_state=1)
    assert_same_answers(regressor, X, numbers, "forest", tests, fits, order=True)


def test_without_a_seed_every_fit_is_another_draw():
    X, y = make("plain", 20, 3, 10, 0.5, 2)
    contest = Contest(RandomForestClassifier(5), X, y)
    fit = Fit(np.arange(15), np.arange(15, 20))
    found = contest.fit([fit] * 10, "fits", "Fits")
    assert found.engine == "forest"
    assert len({tuple(response) for response in found.responses}) > 5


def test_which_trees_are_compiled():
    X, y = make("plain", 12, 3, 6, 0.5, 0)
    for estimator, kind in (
        (RandomForestClassifier(2), CompiledGrower),
        (RandomForestRegressor(2), CompiledGrower),
        (RandomForestRegressor(2, criterion="absolute_error"), TreeGrower),
        (RandomForestClassifier(2, max_leaf_nodes=3), TreeGrower),
        (RandomForestClassifier(2, ccp_alpha=0.1), TreeGrower),
        (RandomForestClassifier(2, monotonic_cst=[1, 0, 0]), TreeGrower),
        (ExtraTreesClassifier(2, bootstrap=True), CompiledGrower),
    ):
        assert type(make_grower(estimator, make_problem(X, y), 2)) is kind
    X[0, 0] = np.nan
    assert type(make_grower(RandomForestClassifier(2), make_problem(X, y), 2)) is TreeGrower


def test_folds_of_trees_that_are_not_compiled_are_refitted():
    X, y = make("plain", 16, 3, 8, 0.5, 0)
    forest = ExtraTreesClassifier(3, bootstrap=True, random_state=0, max_leaf_nodes=3)
    contest = Contest(forest, X, y)
    answered = contest.hold_out([np.arange(4), np.arange(4, 16)[::3]], "folds")
    assert answered.engine == "refit"
    assert "too rare to share" in answered.diagnostics.why_not_faster
