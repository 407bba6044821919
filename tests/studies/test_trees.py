"""Compiled trees against scikit-learn's, refitted for every pair."""

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier

import tlpo
from studies.simulations import Simulation
from studies.trees import boosting_table, forest_scores, forest_tables, tree_table
from tlpo.engines.least_squares.families import BEFORE_1_9


def sample(m, n_signal, seed=0, n_features=4):
    setting = Simulation("tree of depth 1", m, 0.4, n_features, n_signal)
    return setting.draw(setting.rng(seed))


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_signal", [0, 4])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_trees_against_scikit_learn(depth, n_signal):
    X, y = sample(24, n_signal)
    model = DecisionTreeClassifier(max_depth=depth, random_state=0)
    t = tlpo.tournament(model, X, y, engine="refit")
    np.testing.assert_array_equal(tree_table(X, y, depth), t.predictions)


def test_larger_trees_against_scikit_learn():
    """On 150 units some leaves of a tree of depth 5 are still impure."""
    X, y = sample(150, 1)
    F = tree_table(X, y, 5)
    model = DecisionTreeClassifier(max_depth=5, random_state=0)
    for i, j in np.random.default_rng(0).permuted(np.argwhere(np.tri(150, k=-1)), axis=0)[:100]:
        rest = np.delete(np.arange(150), [i, j])
        expected = model.fit(X[rest], y[rest]).predict_proba(X[[i, j]])[:, 1]
        np.testing.assert_array_equal([F[i, j], F[j, i]], expected)


@pytest.mark.skipif(BEFORE_1_9, reason="scikit-learn 1.7 splits closer values")
def test_values_closer_than_scikit_learn_tells_apart_are_not_split():
    """Only a gap of 2e-8 separates units 1 and 2, of different classes: they share a leaf."""
    X = np.array([[0.0], [1e-3], [1e-3 + 2e-8], [0.5], [0.6], [0.7]])
    y = np.array([False, False, True, False, True, True])
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    t = tlpo.tournament(model, X, y, engine="refit")
    np.testing.assert_array_equal(tree_table(X, y, 3), t.predictions)
    assert tree_table(X, y, 3)[0, 3] == 0.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_signal", [0, 4])
def test_boosting_against_scikit_learn(n_signal):
    """Rounding decides equal gains, and scikit-learn 1.7 rounds them otherwise than 1.9 does."""
    X, y = sample(20, n_signal)
    model = GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0)
    t = tlpo.tournament(model, X, y, engine="refit")
    error = np.abs(boosting_table(X, y, 20, 2) - t.predictions)
    played = ~np.eye(20, dtype=bool)
    assert np.mean(error[played] <= 1e-10) >= (0.85 if BEFORE_1_9 else 1.0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_features", "n_signal"), [(4, 2), (10, 0)])
def test_forests_are_distributed_as_scikit_learn_grows_them(n_features, n_signal):
    """Votes of either are independent given the sample: their shares differ by chance alone."""
    X, y = sample(24, n_signal, n_features=n_features)
    n_trees = 1000
    F, halves = forest_tables(X, y, n_trees)
    np.testing.assert_allclose((halves[0] + halves[1]) / 2, F, rtol=1e-12)
    for i, j in ((0, 1), (3, 20), (22, 23)):
        rest = np.delete(np.arange(24), [i, j])
        forest = RandomForestClassifier(n_trees, random_state=1, n_jobs=2).fit(X[rest], y[rest])
        expected = forest.predict_proba(X[[i, j]])[:, 1]
        error = np.sqrt(2 * np.maximum(expected * (1 - expected), 1e-3) / n_trees)
        assert np.all(np.abs([F[i, j], F[j, i]] - expected) <= 4 * error)


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_number", [False, True])
def test_scores_of_new_units_are_as_far_from_scikit_learn_as_its_own(is_number):
    X, y = sample(40, 2)
    new, _ = sample(200, 2, seed=1)
    if is_number:
        y = X[:, 0] + X[:, 1] ** 2
    model = RandomForestRegressor if is_number else RandomForestClassifier
    fits = [model(1000, random_state=k).fit(X, y) for k in (0, 1)]
    one, other = (fit.predict(new) if is_number else fit.predict_proba(new)[:, 1] for fit in fits)
    scores = forest_scores(X, y, 1000, new)
    assert np.abs(scores - one).mean() <= 1.3 * np.abs(other - one).mean()


def test_a_study_plays_the_same_tournament_as_refitting():
    for learner in ("tree of depth 3", "naive Bayes"):
        setting = Simulation(learner, 20, 0.5, 4, 2)
        X, y = setting.draw(setting.rng(0))
        played = setting.play(X, y)
        t = tlpo.tournament(setting.estimator, X, y, engine="refit")
        np.testing.assert_array_equal(played.scores, t.scores)
        np.testing.assert_allclose(played.predictions, t.predictions, rtol=1e-10)
        assert played.n_ties == t.n_ties
        assert tuple(played.auc_interval()) == pytest.approx(tuple(t.auc_interval()))
