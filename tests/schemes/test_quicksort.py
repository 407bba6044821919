import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import estimators
import oracles
import tlpo
from tlpo.schemes.quicksort import sort_units


def test_a_fixed_function_is_sorted_exactly():
    X, y = oracles.blobs(m=25)
    q = tlpo.quicksort(estimators.FixedFunction(), X, y, n_sorts=3, random_state=0)
    order = np.argsort(np.argsort(X[:, 0]))
    assert np.array_equal(q.ranks, np.tile(order, (3, 1)))
    assert q.auc == pytest.approx(oracles.auc(X[:, 0], y))
    assert q.spread == pytest.approx(0)
    assert q.diagnostics.pairs_played < 25 * 24 // 2 * 3


def test_a_constant_learner_shares_one_rank_at_linear_cost():
    X, y = oracles.blobs(m=20)
    q = tlpo.quicksort(DummyClassifier(), X, y, n_sorts=2, random_state=0)
    assert np.all(q.ranks == 9.5)
    assert q.auc == 0.5
    assert q.comparisons.tolist() == [19, 19]


def test_equal_values_share_a_rank():
    values = np.array([3.0, 1.0, 2.0, 1.0, 3.0, 3.0])

    def outcomes(i, j):
        return 0.5 + 0.5 * np.sign(values[i] - values[j])

    ranks, _ = sort_units(6, 4, 0, outcomes)
    assert np.array_equal(ranks, np.tile([4.0, 0.5, 2.0, 0.5, 4.0, 4.0], (4, 1)))


def test_number_of_comparisons_against_theory():
    """E = 2(m + 1) H_m − 4m for distinct values; 200 sorts, within 4 Monte-Carlo errors."""
    m = 100
    values = np.random.default_rng(0).normal(size=m)
    _, comparisons = sort_units(m, 200, 1, lambda i, j: (values[i] > values[j]).astype(float))
    expected = 2 * (m + 1) * np.sum(1 / np.arange(1, m + 1)) - 4 * m
    error = comparisons.std(ddof=1) / np.sqrt(200)
    assert error < 0.01 * expected
    assert abs(comparisons.mean() - expected) < 4 * error


def test_each_game_is_played_once():
    X, y = oracles.blobs(m=14)
    q = tlpo.quicksort(LogisticRegression(), X, y, n_sorts=20, random_state=0)
    assert q.diagnostics.fits <= 14 * 13 // 2 < q.comparisons.sum()
    t = tlpo.tournament(LogisticRegression(), X, y)
    assert q.auc == pytest.approx(np.mean([oracles.auc(rank, y) for rank in q.ranks]))
    assert abs(q.auc - t.auc) < 0.1
    assert f"SD {q.spread:.4f} over 20 sorts" in repr(q)


def test_positive_groups_and_params_count():
    X, y = oracles.blobs(m=14)
    model = LogisticRegression()
    plain = tlpo.quicksort(model, X, y, random_state=0)
    turned = tlpo.quicksort(model, X, y, positive=0, random_state=0)
    assert turned.labels.positive == 0
    assert turned.auc == pytest.approx(plain.auc, abs=0.1)
    heavy = {"sample_weight": np.where(np.arange(14) < 7, 100.0, 1e-3)}
    assert not np.array_equal(
        tlpo.quicksort(model, X, y, params=heavy, random_state=0).ranks, plain.ranks
    )
    with pytest.raises(tlpo.InputError, match="leaves no unit of class 1"):
        tlpo.quicksort(model, X, y, groups=np.where(y == 1, 99, np.arange(14)))


def test_it_is_seeded_and_independent_of_jobs(monkeypatch):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.001)
    X, y = oracles.blobs(m=14)
    first, second = (
        tlpo.quicksort(LogisticRegression(), X, y, random_state=3, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    assert np.array_equal(first.ranks, second.ranks)


def test_bad_options():
    X, y = oracles.blobs(m=14)
    with pytest.raises(tlpo.InputError, match="n_sorts must be a whole number, at least 1"):
        tlpo.quicksort(LogisticRegression(), X, y, n_sorts=0)
    X[:, 0] = np.arange(14)
    with pytest.raises(tlpo.GameError, match="Fix the cause: every comparison is needed"):
        tlpo.quicksort(estimators.Fussy(needs=(3,)), X, y)
