"""Single trees without refitting against refits, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

import tlpo
from engines.agreement import KINDS, make, problems
from engines.trees.problems import assert_same_answers, assert_same_bits, limits
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.tree.engine import DecisionTree
from tlpo.engines.trees.settings import is_followed
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem

pytestmark = pytest.mark.skipif(not is_followed(), reason="other trees than scikit-learn 1.9's")


def tree(criterion, class_weight, splitter, limits):
    if criterion == "squared_error":
        return DecisionTreeRegressor(splitter=splitter, **limits)
    return DecisionTreeClassifier(
        criterion=criterion, class_weight=class_weight, splitter=splitter, **limits
    )


trees = st.builds(
    tree,
    criterion=st.sampled_from(["gini", "entropy", "log_loss", "squared_error"]),
    class_weight=st.sampled_from([None, None, "balanced", {0: 1.5, 1: 0.3}]),
    splitter=st.sampled_from(["best", "random"]),
    limits=limits,
)


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_data_against_refits(kind):
    problem = make(kind, 20, 4, 8, 0.5, 1)
    assert_same_bits(DecisionTreeClassifier(random_state=3), problem, "tree")
    assert_same_bits(DecisionTreeRegressor(random_state=3), problem, "tree")
    fewer = make(kind, 10, 4, 5, 0.5, 1)
    assert_same_bits(ExtraTreeClassifier(random_state=3), fewer, "tree")
    assert_same_bits(ExtraTreeRegressor(random_state=3), fewer, "tree")


@settings(max_examples=10, deadline=None, derandomize=True)
@given(estimator=trees, problem=problems, positive=st.sampled_from([0, 1]))
def test_any_tree_on_any_data_against_refits(estimator, problem, positive):
    assert_same_bits(estimator, problem, "tree", positive)


@pytest.mark.exhaustive
@settings(max_examples=150, deadline=None)
@given(estimator=trees, problem=problems, positive=st.sampled_from([0, 1]))
def test_many_trees_on_any_data_against_refits(estimator, problem, positive):
    assert_same_bits(estimator, problem, "tree", positive)


def test_held_out_sets_and_resamples_against_fits():
    X, y = make("integers", 30, 4, 15, 0.5, 7)
    rng = np.random.default_rng(0)
    tests = list(rng.permutation(30).reshape(-1, 3))
    fits = [
        Fit(train, np.setdiff1d(np.arange(30), train)) for train in rng.integers(0, 30, (6, 30))
    ]
    model = DecisionTreeClassifier(random_state=0, class_weight="balanced")
    assert_same_answers(model, X, y, "tree", tests, fits)
    numbers = 100.0 * rng.normal(size=30)
    model = DecisionTreeRegressor(random_state=0, max_depth=3)
    assert_same_answers(model, X, numbers, "tree", tests, fits, order=True)


def test_several_classes_against_refits():
    X, y = make("plain", 18, 3, 9, 0.5, 2)
    y = y + np.arange(18) % 2
    model = DecisionTreeClassifier(random_state=1, max_depth=3)
    fast, slow = (
        Contest(model, X, y, ContestOptions(several=True, engine=engine)).play_classes(Schedule())
        for engine in ("auto", "refit")
    )
    assert fast.engine == "tree"
    for own, expected in zip(fast.each, slow.each, strict=True):
        assert np.array_equal(own.predictions.full(), expected.predictions.full(), equal_nan=True)


def test_probabilities_have_a_ceiling_and_numbers_none():
    problem = make_problem(*make("plain", 10, 3, 5, 0.5, 0))
    assert DecisionTree(unprepared(DecisionTreeClassifier(), problem)).ceiling == 1.0
    assert DecisionTree(unprepared(DecisionTreeRegressor(), problem)).ceiling == np.inf


def test_without_a_seed_features_are_drawn():
    X, y = make("plain", 12, 6, 6, 0.0, 0)
    model = DecisionTreeClassifier(max_features=1)
    assert len({tlpo.tournament(model, X, y).auc for _ in range(10)}) > 1


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            DecisionTreeRegressor(criterion="absolute_error"),
            "DecisionTreeRegressor with criterion='absolute_error' is not covered.",
        ),
        (
            DecisionTreeClassifier(monotonic_cst=[1, 0, 0]),
            "DecisionTreeClassifier with monotonic constraints is not covered.",
        ),
        (
            DecisionTreeClassifier(ccp_alpha=0.1),
            "DecisionTreeClassifier with pruned trees (ccp_alpha) is not covered.",
        ),
    ],
)
def test_what_is_not_covered(model, reason):
    X, y = make("plain", 10, 3, 5, 0.5, 0)
    assert DecisionTree.why_not(unprepared(model, make_problem(X, y))) == reason


def test_missing_values_are_refitted():
    X, y = make("plain", 12, 3, 6, 0.5, 0)
    X[3, 1] = np.nan
    found = tlpo.tournament(DecisionTreeClassifier(random_state=0), X, y)
    assert found.engine == "refit"
    assert found.diagnostics.why_not_faster == "X has missing or infinite values."
