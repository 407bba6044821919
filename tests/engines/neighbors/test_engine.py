"""One neighbour search against refitting, game for game."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import VALID_METRICS, KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import tlpo
from engines.agreement import assert_same_games, make, problems
from engines.prepared import (
    FILLS,
    SCALERS,
    assert_holds_out_like_refits,
    assert_plays_like_refits,
    behind,
)
from tlpo.engines.neighbors import engine as neighbors
from tlpo.engines.neighbors import search
from tlpo.engines.preparation.prepared import unprepared
from tlpo.execution.options import Execution
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


@settings(max_examples=10, deadline=None)
@given(problems, estimators)
def test_games_against_refits(problem, estimator):
    X, y = problem
    assert_same_games(estimator, X, y, "neighbors")


@pytest.mark.parametrize("k", [1, 3, 9])
@pytest.mark.parametrize("kind", ["plain", "integers", "duplicates", "all equal"])
def test_the_papers_rule_is_never_refitted(kind, k):
    X, y = make(kind, 16, 3, 6, 0.5, seed=1)
    assert assert_same_games(tlpo.InverseDistanceKNN(k), X, y, "neighbors")


@pytest.mark.exhaustive
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", [*METRICS, "cosine"])
@pytest.mark.parametrize("kind", [KNeighborsClassifier, KNeighborsRegressor])
def test_ordinary_problems_are_not_refitted(kind, metric, weights):
    X, y = make("plain", 16, 3, 6, 0.5, seed=2)
    assert assert_same_games(scikit(kind, 3, weights, "auto", metric), X, y, "neighbors")


def named_metrics():
    """Every metric that scikit-learn accepts by its name, by how it searches."""
    given = {"metric", "precomputed", "wminkowski"}
    return sorted(
        (algorithm, name)
        for algorithm in ("auto", "brute")
        for name in {*VALID_METRICS["brute"], *VALID_METRICS["ball_tree"]} - given
        if algorithm == "auto" or name in VALID_METRICS["brute"]
    )


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")  # metrics for yes and no, on numbers
@pytest.mark.parametrize(("algorithm", "metric"), named_metrics())
def test_every_named_metric_against_refits(algorithm, metric):
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [9, 7])
    X = rng.normal(size=(16, 2)) + 0.5 * y[:, None]  # negative numbers among them
    for model in (
        KNeighborsClassifier(3, metric=metric, algorithm=algorithm),
        KNeighborsRegressor(2, weights="distance", metric=metric, algorithm=algorithm),
    ):
        try:
            slow = tlpo.tournament(model, X, y, engine="refit")
        except tlpo.GameError:
            with pytest.raises(tlpo.GameError):
                tlpo.tournament(model, X, y)
            continue
        np.testing.assert_array_equal(tlpo.tournament(model, X, y).win_matrix(), slow.win_matrix())


@pytest.mark.parametrize(
    ("metric", "params", "engine"),
    [
        ("braycurtis", None, "refit"),
        ("mahalanobis", {"VI": np.diag([1.0, 4.0])}, "neighbors"),
        ("seuclidean", {"V": np.array([1.0, 4.0])}, "neighbors"),
        ("chebyshev", None, "neighbors"),
    ],
)
def test_metrics_of_two_rows_alone_are_not_refitted(metric, params, engine):
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [9, 7])
    X = rng.normal(size=(16, 2)) + 0.5 * y[:, None]
    model = KNeighborsClassifier(3, metric=metric, metric_params=params, algorithm="brute")
    t = tlpo.tournament(model, X, y)
    assert t.engine == engine
    slow = tlpo.tournament(model, X, y, engine="refit")
    np.testing.assert_array_equal(t.win_matrix(), slow.win_matrix())
    if engine == "refit":
        assert t.diagnostics.why_not_faster == (
            f"Distances by metric={metric!r} depend on the training set, or on how scikit-learn "
            "searches."
        )


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


euclidean_or_manhattan = st.one_of(
    st.builds(tlpo.InverseDistanceKNN, st.sampled_from([1, 3, 4])),
    st.builds(
        scikit,
        st.sampled_from([KNeighborsClassifier, KNeighborsRegressor]),
        st.sampled_from([1, 2, 4]),
        st.sampled_from(["uniform", "distance"]),
        st.sampled_from(["auto", "brute"]),
        st.sampled_from(["minkowski", "manhattan"]),
    ),
)


def with_gaps(X, seed):
    gaps = np.random.default_rng(seed).uniform(size=X.shape) < 0.15
    gaps[:4] = False  # no column is left without values
    return np.where(gaps, np.nan, X)


@pytest.mark.exhaustive
@settings(max_examples=10, deadline=None)
@given(
    problems,
    euclidean_or_manhattan,
    st.sampled_from(sorted(SCALERS)),
    st.sampled_from([None, *FILLS]),
    st.integers(0, 2**31),
)
def test_games_behind_a_scaler_against_refits(problem, estimator, scaler, fill, seed):
    X, y = problem
    if fill and scaler != "quantiles":  # quantiles of filled columns have no closed form
        prepared = behind(scaler, estimator, with_gaps(X, seed), y, fill)
    else:
        prepared = behind(scaler, estimator, X, y)
    assert_plays_like_refits(neighbors.ENGINE, prepared)


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [2, 40])
@pytest.mark.parametrize(
    "estimator",
    [
        tlpo.InverseDistanceKNN(),
        KNeighborsClassifier(),
        KNeighborsClassifier(weights="distance"),
        KNeighborsRegressor(4, weights="distance", metric="l1"),
    ],
)
@pytest.mark.parametrize("scaler", sorted(SCALERS))
def test_ordinary_problems_behind_a_scaler_are_not_refitted(scaler, estimator, n):
    X, y = make("plain", 18, n, 8, 0.5, seed=12)
    prepared = behind(scaler, estimator, X, y)
    assert assert_plays_like_refits(neighbors.ENGINE, prepared) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("scaler", [None, "deviation"])
@pytest.mark.parametrize(
    "estimator", [tlpo.InverseDistanceKNN(), KNeighborsClassifier(3), KNeighborsRegressor(3)]
)
def test_groups_and_exclusions_against_refits(estimator, scaler):
    X, y = make("plain", 24, 4, 10, 0.5, seed=13)
    for options in ({"groups": np.arange(24) // 3}, {"exclude": tlpo.Buffer(np.arange(24), 1)}):
        prepared = unprepared(estimator, make_problem(X, y, **options))
        if scaler:
            prepared = behind(scaler, estimator, X, y, **options)
        assert assert_plays_like_refits(neighbors.ENGINE, prepared) == 0


@pytest.mark.parametrize("scaler", [None, "deviation"])
@pytest.mark.parametrize("kind", ["plain", "integers", "duplicates"])
@pytest.mark.parametrize(
    "estimator", [tlpo.InverseDistanceKNN(), KNeighborsClassifier(3, weights="distance")]
)
def test_held_out_sets_against_refits(estimator, kind, scaler):
    X, y = make(kind, 30, 2, 14, 0.5, seed=14)
    order = np.random.default_rng(0).permutation(30)
    tests = [order[:1], order[1:9], order[9:30:2], np.arange(3)]
    prepared = unprepared(estimator, make_problem(X, y))
    if scaler:
        prepared = behind(scaler, estimator, X, y)
    refitted = assert_holds_out_like_refits(neighbors.ENGINE, prepared, tests)
    if kind == "plain":
        assert refitted == 0


@pytest.mark.parametrize(
    "estimator",
    [
        tlpo.InverseDistanceKNN(),
        KNeighborsClassifier(3),
        KNeighborsClassifier(3, weights="distance"),
        KNeighborsRegressor(3, metric="manhattan"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "integers"])
def test_sets_of_many_units_are_answered_by_columns(kind, estimator, monkeypatch):
    X, y = make(kind, 30, 3, 14, 0.5, seed=15)
    tests = list(np.arange(30).reshape(5, 6))
    monkeypatch.setattr(neighbors, "ALL_DISTANCES", 100)
    prepared = unprepared(estimator, make_problem(X, y))
    assert_holds_out_like_refits(neighbors.ENGINE, prepared, tests)
    if type(estimator) is tlpo.InverseDistanceKNN:
        slow = tlpo.leave_one_out(estimator, X, y, engine="refit").scores
        made = neighbors.ENGINE(prepared)
        fast = made.answer(np.arange(30)[:, None], Execution())
        assert np.array_equal(fast.response[:, 0], slow)
        assert not fast.error.any()


def test_many_units_with_other_distances_are_refitted(monkeypatch):
    X, y = make("plain", 20, 3, 10, 0.5, seed=16)
    monkeypatch.setattr(neighbors, "ALL_DISTANCES", 100)
    folds = tlpo.kfold(KNeighborsClassifier(metric="chebyshev"), X, y, n_splits=4, random_state=0)
    assert folds.repeats[0].engine == "refit"
    assert (
        "Euclidean and Manhattan distances in dense data only" in folds.diagnostics.why_not_faster
    )


@pytest.mark.exhaustive
def test_equal_distances_leave_only_some_games_to_scikit_learn():
    X, y = make("integers", 40, 1, 20, 0.5, seed=10)
    X[:25] = np.random.default_rng(0).normal(size=(25, 1))
    for estimator in (KNeighborsClassifier(3), KNeighborsRegressor(3, weights="distance")):
        t = tlpo.tournament(estimator, X, y, engine="neighbors")
        slow = tlpo.tournament(estimator, X, y, engine="refit")
        assert np.array_equal(t.standings.wins, slow.standings.wins)
        assert np.allclose(t.predictions, slow.predictions, equal_nan=True)
        assert 1 < t.diagnostics.fits < 0.9 * 780


@pytest.mark.exhaustive
def test_fewer_games_depend_on_equal_distances_than_predictions():
    X, y = make("integers", 30, 3, 14, 0.5, seed=17)
    estimator = KNeighborsClassifier(5)
    kept = tlpo.tournament(estimator, X, y, engine="neighbors")
    played = tlpo.tournament(estimator, X, y, engine="neighbors", predictions=False)
    assert np.array_equal(kept.standings.wins, played.standings.wins)
    assert played.diagnostics.fits < kept.diagnostics.fits


@pytest.mark.exhaustive
@pytest.mark.parametrize("statistic", ["tlpo", "lpo"])
@pytest.mark.parametrize(
    "estimator",
    [
        tlpo.InverseDistanceKNN(),
        KNeighborsClassifier(3),
        KNeighborsClassifier(4, weights="distance", algorithm="brute"),
        KNeighborsRegressor(3),
        KNeighborsRegressor(2, weights="distance"),
        KNeighborsClassifier(3, metric="chebyshev"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "integers", "duplicates"])
def test_permutations_against_refits(kind, estimator, statistic):
    X, y = make(kind, 11, 2, 5, 0.5, seed=18)
    options = {"n_permutations": 3, "random_state": 0, "statistic": statistic}
    fast = tlpo.permutation_test(estimator, X, y, **options)
    slow = tlpo.permutation_test(estimator, X, y, engine="refit", **options)
    assert fast.engine == "neighbors"
    assert np.array_equal(fast.null_distribution, slow.null_distribution)
    if kind == "plain":
        assert fast.diagnostics.fits == 1


@pytest.mark.exhaustive
def test_equal_distances_are_asked_about_once_for_all_labels(monkeypatch):
    X, y = make("integers", 16, 3, 7, 0.5, seed=19)
    options = {"n_permutations": 10, "random_state": 0, "engine": "neighbors"}
    asked = tlpo.permutation_test(KNeighborsClassifier(3), X, y, **options)
    monkeypatch.setattr("tlpo.engines.neighbors.choices.MOST_FITS", 0)
    refitted = tlpo.permutation_test(KNeighborsClassifier(3), X, y, **options)
    assert np.array_equal(asked.null_distribution, refitted.null_distribution)
    assert asked.diagnostics.fits < refitted.diagnostics.fits


def test_other_distances_behind_a_scaler_are_refused():
    X, y = make("plain", 12, 3, 6, 0.5, seed=9)
    for estimator in (
        KNeighborsClassifier(3, metric="chebyshev"),
        KNeighborsClassifier(3, p=3),
        KNeighborsClassifier(3, metric_params={"w": np.ones(3)}),
    ):
        assert neighbors.ENGINE.why_not(behind("deviation", estimator, X, y)) == (
            "Neighbours in columns that change with the training set are found by Euclidean and "
            "Manhattan distances only."
        )


def asymmetric(one, other):
    return np.abs(one - other).sum() + max(0.0, one[0] - other[0])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("metric", "convert"),
    [
        ("chebyshev", np.asarray),
        ("cosine", np.asarray),
        ("sqeuclidean", np.asarray),
        ("precomputed", lambda X: cdist(X, X)),
        ("euclidean", sparse.csr_matrix),
        (asymmetric, np.asarray),
    ],
)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("kind", ["plain", "integers"])
def test_any_distance_with_groups_against_refits(kind, weights, metric, convert):
    X, y = make(kind, 16, 3, 7, 0.5, seed=20)
    X = X + 0.25  # nowhere zero: cosines are defined
    estimator = KNeighborsClassifier(3, weights=weights, metric=metric, algorithm="brute")
    problem = make_problem(convert(X), y, groups=np.arange(16) // 2)
    refitted = assert_plays_like_refits(neighbors.ENGINE, unprepared(estimator, problem))
    if kind == "plain":
        assert refitted == 0


@pytest.mark.parametrize(
    "model", [tlpo.InverseDistanceKNN(2), KNeighborsClassifier(2, weights="distance")], ids=str
)
def test_distances_of_normalized_rows_are_left_to_refits(model):
    """Rows alike are normalized alike only if together: whether a distance is 0 depends on it."""
    X = np.repeat(np.random.default_rng(2).normal(size=(6, 5)), 2, axis=0)
    y = np.arange(12) % 3 % 2
    pipeline = make_pipeline(Normalizer(), model)
    own, refitted = (tlpo.leave_one_out(pipeline, X, y, engine=e) for e in ("auto", "refit"))
    np.testing.assert_array_equal(own.scores, refitted.scores)
    assert tlpo.tournament(make_pipeline(Normalizer(), KNeighborsClassifier(2)), X, y).engine == (
        "neighbors"
    )
