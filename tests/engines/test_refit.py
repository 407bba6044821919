"""The definition against naive loops, its errors, and its independence of the machinery."""

import itertools

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import estimators
import oracles
import tlpo

LEARNERS = [
    LogisticRegression(),
    DecisionTreeClassifier(random_state=0),
    DecisionTreeRegressor(max_depth=2, random_state=0),
    KNeighborsClassifier(n_neighbors=3),
    SVC(),
    make_pipeline(StandardScaler(), SVC(kernel="linear")),
    GaussianNB(),
    tlpo.RLS(),
    tlpo.InverseDistanceKNN(),
]


def data(kind):
    X, y = oracles.blobs(m=10, seed=5)
    if kind == "tied":
        X = np.round(X)
    elif kind == "duplicated":
        X = np.concatenate([X[:5], X[:5]])
    elif kind == "imbalanced":
        X, y = oracles.blobs(m=10, n_positive=3, seed=6)
    elif kind == "wide":
        X, y = oracles.blobs(m=9, n=40, shift=0.2, seed=7)
    elif kind == "constant":
        X[:, 1:] = 1.0
    elif kind == "scales":
        X = X * np.array([1e-8, 1.0, 1e8])
    return X, y


KINDS = ["random", "tied", "duplicated", "imbalanced", "wide", "constant", "scales"]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", LEARNERS, ids=lambda e: type(e).__name__)
def test_scores_against_naive_loop(estimator, kind):
    X, y = data(kind)
    t = tlpo.tournament(estimator, X, y, engine="refit")
    assert np.array_equal(t.scores, oracles.tournament_scores(estimator, X, y))
    assert t.lpo_auc == pytest.approx(oracles.leave_pair_out_auc(estimator, X, y), abs=1e-14)
    assert t.tlpo_auc == pytest.approx(oracles.auc(t.scores, y), abs=1e-14)
    assert t.scores.sum() == len(y) * (len(y) - 1) / 2
    assert t.diagnostics.fits == t.diagnostics.pairs_played == len(y) * (len(y) - 1) // 2


def test_predictions_are_the_held_out_responses():
    X, y = oracles.blobs(m=8)
    F = tlpo.tournament(LogisticRegression(), X, y, engine="refit").predictions
    assert np.isnan(np.diag(F)).all()
    for i, j in itertools.combinations(range(8), 2):
        train = [k for k in range(8) if k not in (i, j)]
        expected = oracles.predict(LogisticRegression(), X, y, train, [i, j])
        assert [F[i, j], F[j, i]] == expected.tolist()
    assert tlpo.tournament(Ridge(), X, y, predictions=False).predictions is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_same_bits_for_any_number_of_jobs(backend, monkeypatch):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.02)
    X, y = oracles.blobs(m=18)
    alone = tlpo.tournament(LogisticRegression(), X, y, n_jobs=1, engine="refit")
    with joblib.parallel_config(backend, n_jobs=2):
        shared = tlpo.tournament(LogisticRegression(), X, y, engine="refit")
    assert np.array_equal(alone.predictions, shared.predictions, equal_nan=True)
    assert np.array_equal(alone.standings.wins, shared.standings.wins)


@pytest.mark.exhaustive
def test_jobs_run_elsewhere_with_one_blas_thread():
    X, y = oracles.blobs(m=14)
    travelled = tlpo.tournament(estimators.Traveller(), X, y, n_jobs=2)
    assert np.unique(travelled.predictions[~np.isnan(travelled.predictions)]).size > 1
    for n_jobs in (1, 2):
        with threadpool_limits(2):
            assert estimators.ThreadCount().predict(X).max() == 2
            F = tlpo.tournament(estimators.ThreadCount(), X, y, n_jobs=n_jobs).predictions
        assert np.nanmax(F) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_stochastic_estimators(n_jobs, monkeypatch):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.0005)
    X, y = oracles.blobs(m=20)

    def predictions(random_state, backend="loky"):
        with joblib.parallel_config(backend):
            t = tlpo.tournament(estimators.RandomLearner(random_state), X, y, n_jobs=n_jobs)
        return t.predictions[~np.eye(20, dtype=bool)]

    assert np.array_equal(predictions(3), predictions(3))
    for backend in ("loky", "multiprocessing"):  # forked workers inherit one random state
        free = predictions(None, backend)
        assert np.unique(free).size == free.size
        assert not np.array_equal(free, predictions(None, backend))


def test_a_forest_with_a_seed_repeats_itself():
    X, y = oracles.blobs(m=8)
    forest = RandomForestClassifier(n_estimators=5, random_state=1)
    first, second = (tlpo.tournament(forest, X, y, engine="refit") for _ in range(2))
    assert np.array_equal(first.predictions, second.predictions, equal_nan=True)


def test_groups_leave_the_training_set():
    X, y = oracles.blobs(m=16)
    groups = np.repeat(np.arange(8), 2)
    t = tlpo.tournament(LogisticRegression(), X, y, groups=groups, engine="refit")
    for i, j in itertools.combinations(range(16), 2):
        train = [k for k in range(16) if groups[k] not in (groups[i], groups[j])]
        expected = oracles.predict(LogisticRegression(), X, y, train, [i, j])
        assert [t.predictions[i, j], t.predictions[j, i]] == expected.tolist()


def test_sample_weights_are_cut_with_the_units():
    X, y = oracles.blobs(m=10)
    weight = np.linspace(0.1, 3, 10)
    t = tlpo.tournament(Ridge(), X, y, params={"sample_weight": weight}, engine="refit")
    train = np.arange(2, 10)
    signs = np.where(y == 1, 1.0, -1.0)
    model = Ridge().fit(X[train], signs[train], sample_weight=weight[train])
    assert [t.predictions[0, 1], t.predictions[1, 0]] == model.predict(X[:2]).tolist()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "convert",
    [
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(X, schema=list("abc")),
        sparse.csr_matrix,
        sparse.coo_array,
        lambda X: X.tolist(),
    ],
    ids=["pandas", "polars", "csr", "coo", "list"],
)
def test_any_container_gives_the_same(convert):
    X, y = oracles.blobs(m=10)
    estimator = RidgeClassifier(solver="sparse_cg", tol=1e-12)
    expected = tlpo.tournament(estimator, X, y)
    result = tlpo.tournament(estimator, convert(X), y)
    assert result.predictions == pytest.approx(expected.predictions, rel=1e-6, nan_ok=True)
    assert np.array_equal(result.scores, expected.scores)


def test_texts_go_through_a_pipeline():
    texts = ["red wine", "white wine", "red rose", "green grass", "blue sky", "green sea"]
    t = tlpo.tournament(make_pipeline(CountVectorizer(), MultinomialNB()), texts, list("aaabbb"))
    assert t.diagnostics.pairs_played == 15


def test_the_positive_label_turns_the_tournament_round():
    X, y = oracles.blobs(m=10)
    names = np.where(y == 1, "apple", "pear")  # words that say nothing
    default = tlpo.tournament(LogisticRegression(), X, names)
    apple = tlpo.tournament(LogisticRegression(), X, names, positive="apple")
    assert default.labels.positive == "pear"
    assert apple.scores.tolist() == (9 - default.scores).tolist()
    assert apple.auc == pytest.approx(default.auc)


def test_what_the_user_passed_is_left_alone():
    X, y = oracles.blobs(m=8)
    before = X.copy()
    estimator = LogisticRegression()
    tlpo.tournament(estimator, X, y)
    assert not hasattr(estimator, "coef_")
    assert np.array_equal(X, before)


def test_methods_that_appear_only_after_fitting():
    X, y = oracles.blobs(m=8)
    stack = StackingClassifier([("nb", GaussianNB())], cv=2)
    assert tlpo.tournament(stack, X, y).diagnostics.fits == 28


def fussy(n_jobs=1, needs=2, **kwargs):
    X, y = oracles.blobs(m=10)
    X[:, 0] = np.arange(10) / 10
    return tlpo.tournament(
        estimators.Fussy(needs=tuple(k / 10 for k in range(needs))), X, y, n_jobs=n_jobs, **kwargs
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_skipped_games_are_counted(n_jobs, monkeypatch):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.001)
    t = fussy(on_error="skip", needs=1, n_jobs=n_jobs)
    d = t.diagnostics
    assert d.failures == {"ArithmeticError: cannot do without 0.0": 9}
    assert (d.pairs_played, d.pairs_failed, d.fits) == (36, 9, 45)
    assert d.warnings == (
        "9 of 45 games failed; estimates rest on 36.",
        "Unit 0 finished no game and could not be ranked.",
    )
    assert np.isnan(t.scores[0])
    assert np.isnan(t.consistency)
    assert 0 <= t.auc <= 1
    assert t.roc_curve().tpr[-1] == 1
    assert "36 games of 45" in repr(t)
    assert "not defined, games are missing" in repr(t)
    # the others met each other in a complete tournament of nine
    assert np.nansum(t.scores) == pytest.approx(36 * 9 / 8)
