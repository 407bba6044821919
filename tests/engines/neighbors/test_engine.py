"""One neighbour search against refitting, game for game."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import tlpo
from engines.agreement import assert_same_games, make, problems
from tlpo.engines.neighbors import engine as neighbors
from tlpo.engines.neighbors import search
from tlpo.engines.preparation.prepared import unprepared
from tlpo.problem.problem import make_problem

METRICS = ["minkowski", "manhattan", "chebyshev", "euclidean", "canberra"]


def scikit(kind, k, weights, algorithm, metric):
    return kind(n_neighbors=k, weights=weights, algorithm=algorithm, metric=metric)


estimators = st.one_of(
    st.builds(tlpo.InverseDistanceKNN, st.sampled_from([1, 2, 3, 4])),
    st.builds(
        scikit,
        st.sampled_from([KNeighborsClassifier, KNeighborsRegressor]),
        st.sampled_from([1, 2, 3, 4]),
        st.sampled_from(["uniform", "distance"]),
        st.sampled_from(["auto", "brute"]),
        st.sampled_from(METRICS),
    ),
)


@settings(max_examples=150, deadline=None)
@given(problems, estimators)
def test_games_against_refits(problem, estimator):
    X, y = problem
    assert_same_games(estimator, X, y, "neighbors")


@pytest.mark.parametrize("k", [1, 3, 9])
@pytest.mark.parametrize("kind", ["plain", "integers", "duplicates", "all equal"])
def test_the_papers_rule_is_never_refitted(kind, k):
    X, y = make(kind, 16, 3, 6, 0.5, seed=1)
    assert assert_same_games(tlpo.InverseDistanceKNN(k), X, y, "neighbors")


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", [*METRICS, "cosine"])
@pytest.mark.parametrize("kind", [KNeighborsClassifier, KNeighborsRegressor])
def test_ordinary_problems_are_not_refitted(kind, metric, weights):
    X, y = make("plain", 16, 3, 6, 0.5, seed=2)
    assert assert_same_games(scikit(kind, 3, weights, "auto", metric), X, y, "neighbors")


def test_precomputed_distances():
    X, y = make("plain", 16, 3, 6, 0.5, seed=3)
    by_name = tlpo.tournament(KNeighborsClassifier(3), X, y)
    given_distances = tlpo.tournament(KNeighborsClassifier(3, metric="precomputed"), cdist(X, X), y)
    assert given_distances.engine == "neighbors"
    assert np.array_equal(given_distances.standings.wins, by_name.standings.wins)


@pytest.mark.parametrize("convert", [pd.DataFrame, sparse.csr_matrix])
def test_other_containers(convert):
    X, y = make("plain", 16, 3, 6, 0.5, seed=4)
    t = tlpo.tournament(KNeighborsClassifier(3), convert(X), y, engine="neighbors")
    assert np.array_equal(t.scores, tlpo.tournament(KNeighborsClassifier(3), X, y).scores)


@pytest.mark.parametrize("n", [2, 20])
@pytest.mark.parametrize("kind", ["plain", "duplicates", "integers", "offset"])
def test_the_search_for_many_units_against_all_distances(kind, n, monkeypatch):
    X, y = make(kind, 300, n, 120, 0.5, seed=5)
    everything = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y)
    monkeypatch.setattr(search, "ALL_DISTANCES", 1000)
    searched = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y)
    assert np.array_equal(searched.standings.wins, everything.standings.wins)
    assert np.array_equal(searched.predictions, everything.predictions, equal_nan=True)
    assert searched.diagnostics.games_evaluated <= 3 * 300


def test_order_of_rows_does_not_matter():
    X, y = make("plain", 40, 4, 15, 0.5, seed=6)
    order = np.random.default_rng(0).permutation(40)
    for estimator in (tlpo.InverseDistanceKNN(), KNeighborsClassifier(3)):
        t = tlpo.tournament(estimator, X, y)
        shuffled = tlpo.tournament(estimator, X[order], y[order])
        assert np.array_equal(shuffled.standings.wins, t.standings.wins[order])


@pytest.mark.parametrize("estimator", [tlpo.InverseDistanceKNN(), KNeighborsClassifier(4)])
def test_leave_one_out_and_folds_against_refits(estimator):
    X, y = make("plain", 30, 4, 12, 0.5, seed=7)
    fast = tlpo.leave_one_out(estimator, X, y)
    slow = tlpo.leave_one_out(estimator, X, y, engine="refit")
    assert fast.engine == "neighbors"
    assert fast.scores == pytest.approx(slow.scores, rel=1e-12)
    folds = tlpo.kfold(estimator, X, y, n_splits=5, random_state=0)
    again = tlpo.kfold(estimator, X, y, n_splits=5, random_state=0, engine="refit")
    assert folds.repeats[0].engine == "neighbors"
    assert folds.repeats[0].scores == pytest.approx(again.repeats[0].scores, rel=1e-12)


def test_predictions_of_pairs():
    X, y = make("plain", 30, 4, 12, 0.5, seed=8)
    t = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y)
    slow = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y, engine="refit")
    assert t.predictions == pytest.approx(slow.predictions, nan_ok=True)
    again = pickle.loads(pickle.dumps(t))
    assert np.array_equal(again.predictions, t.predictions, equal_nan=True)


class Renamed(KNeighborsClassifier):
    """A subclass might override predict_proba."""


@pytest.mark.parametrize(
    ("estimator", "options", "reason"),
    [
        (
            KNeighborsClassifier(weights=lambda d: d),
            {},
            "The neighbour search covers only uniform and distance weights.",
        ),
        (
            KNeighborsClassifier(10),
            {},
            "There are too few units for 10 neighbours with two units held out.",
        ),
        (
            tlpo.InverseDistanceKNN(),
            {"params": {"sample_weight": np.ones(12)}},
            "The neighbour search does not cover the fit arguments sample_weight.",
        ),
    ],
)
def test_what_it_refuses(estimator, options, reason):
    X, y = make("plain", 12, 3, 6, 0.5, seed=9)
    assert neighbors.ENGINE.why_not(unprepared(estimator, make_problem(X, y, **options))) == reason


def test_subclasses_are_refitted():
    X, y = make("plain", 12, 3, 6, 0.5, seed=9)
    t = tlpo.tournament(Renamed(3), X, y)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", "No exact engine plays Renamed.")


def test_single_precision_is_left_to_scikit_learn():
    X, y = make("plain", 20, 3, 10, 0.5, seed=11)
    problem = make_problem(X.astype(np.float32), y)
    prepared = unprepared(KNeighborsClassifier(), problem)
    assert "single precision" in neighbors.ENGINE.why_not(prepared)
