import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import estimators
import oracles
import tlpo


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 5), st.integers(3, 5), st.booleans())
def test_properties_of_any_tournament(seed, n_positive, n_negative, rounded):
    m = n_positive + n_negative
    X, y = oracles.blobs(m=m, n=2, n_positive=n_positive, seed=seed)
    X = np.round(X) if rounded else X
    tree = DecisionTreeClassifier(random_state=0)
    t = tlpo.tournament(tree, X, y)
    assert t.scores.sum() == m * (m - 1) / 2
    assert (t.circular_triads == 0) == (sorted(t.scores) == list(range(m)))
    if t.circular_triads == 0:
        assert t.auc == pytest.approx(t.lpo_auc, abs=1e-14)
    named = tlpo.tournament(tree, X, np.where(y == 1, "y", "n"))
    assert np.array_equal(named.scores, t.scores)


def test_row_order_does_not_matter():
    X, y = oracles.blobs(m=12)
    order = np.random.default_rng(0).permutation(12)
    t = tlpo.tournament(tlpo.RLS(), X, y, engine="refit")
    shuffled = tlpo.tournament(tlpo.RLS(), X[order], y[order], engine="refit")
    assert np.array_equal(shuffled.scores, t.scores[order])


def test_a_fixed_function_gives_its_own_auc():
    X, y = oracles.blobs(m=15)
    t = tlpo.tournament(estimators.FixedFunction(), X, y)
    assert t.consistency == 1
    assert t.circular_triads == 0
    assert t.auc == t.lpo_auc == pytest.approx(oracles.auc(X[:, 0], y))
    assert np.array_equal(np.argsort(t.scores), np.argsort(X[:, 0]))


def test_the_inverse_frequencies_learner():
    X, y = oracles.blobs(m=14, n_positive=5)
    learner = estimators.InverseFrequencies()
    assert tlpo.leave_one_out(learner, X, y).auc == 1.0
    t = tlpo.tournament(learner, X, y)
    assert (t.auc, t.lpo_auc, t.n_ties) == (0.5, 0.5, 14 * 13 // 2)


def test_a_constant_classifier_is_worth_half():
    X, y = oracles.blobs(m=10)
    dummy = DummyClassifier(strategy="prior")
    assert tlpo.leave_one_out(dummy, X, y).auc == 0.0
    t = tlpo.tournament(dummy, X, y)
    assert (t.auc, t.lpo_auc, t.n_ties) == (0.5, 0.5, 45)
    assert np.all(t.scores == 4.5)


@pytest.mark.exhaustive
def test_random_learner_is_as_inconsistent_as_theory_says():
    """E ξ = 3/(m + 2) for even m; 0.09375 at m = 30, within 4 Monte-Carlo errors."""
    rng = np.random.RandomState(0)
    X, y = np.zeros((30, 1)), np.arange(30) % 2
    consistency = []
    state = np.random.get_state()
    np.random.seed(rng.randint(2**31))
    try:
        for _ in range(60):
            t = tlpo.tournament(estimators.RandomLearner(), X, y)
            consistency.append(t.consistency)
    finally:
        np.random.set_state(state)
    error = np.std(consistency, ddof=1) / np.sqrt(60)
    assert error < 0.008
    assert abs(np.mean(consistency) - 3 / 32) < 4 * error
