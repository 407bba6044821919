"""Limits to responses behind scalers: what they decide is what playing every game decides."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import tlpo
from engines.agreement import KINDS, make
from engines.ordered_problems import Problem
from engines.prepared import SCALERS, assert_plays_like_refits, behind
from tlpo.engines.neighbors import engine as neighbors
from tlpo.execution.options import Execution
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule, all_pairs

WITHOUT_TABLE = Execution(keep_predictions=False)
MODELS = {
    "uniform": KNeighborsClassifier(5),
    "distance": KNeighborsClassifier(3, weights="distance"),
    "Manhattan": KNeighborsRegressor(4, weights="distance", p=1),
    "paper": tlpo.InverseDistanceKNN(3),
}


def play(prepared, monkeypatch, limit_from, pairs="all", execution=WITHOUT_TABLE):
    monkeypatch.setattr(neighbors, "LIMIT_FROM", limit_from)
    return neighbors.Neighbors(prepared).play(Schedule(pairs), execution)


def numbers(model, scaler, X, y):
    return Problem(X, y).contest(make_pipeline(SCALERS[scaler][0], model)).prepared


@pytest.mark.parametrize("pairs", ["all", "ordered"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("scaler", SCALERS)
def test_standings_against_every_game(scaler, model, pairs, monkeypatch):
    X, y = make("plain", 150, 3, 50, 0.5, seed=3)
    prepared = behind(scaler, MODELS[model], X, y)
    fast = play(prepared, monkeypatch, 0, pairs)
    slow = play(prepared, monkeypatch, 1000, pairs)
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.standings.n_ties == slow.standings.n_ties
    assert fast.diagnostics.games_evaluated < 0.8 * slow.diagnostics.games_evaluated


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("scaler", ["deviation", "range"])
def test_numbers_and_grades_against_every_game(scaler, weights, monkeypatch):
    X, _ = make("plain", 150, 3, 50, 0.5, seed=4)
    noise = np.random.default_rng(4).normal(size=150)
    for y in (X[:, 0] + noise, np.round(X[:, 0] + noise)):
        prepared = numbers(KNeighborsRegressor(3, weights=weights), scaler, X, y)
        fast, slow = (play(prepared, monkeypatch, least) for least in (0, 1000))
        assert np.array_equal(fast.standings.wins, slow.standings.wins)
        assert fast.standings.n_ties == slow.standings.n_ties
        assert fast.diagnostics.games_evaluated < 0.8 * slow.diagnostics.games_evaluated


def assert_ties_in_distance_like_refits(kind, m, monkeypatch):
    monkeypatch.setattr(neighbors, "LIMIT_FROM", 0)
    X, y = make(kind, m, 3, m // 3, 0.5, seed=5)
    for model in (KNeighborsClassifier(2), KNeighborsClassifier(3, weights="distance")):
        assert_plays_like_refits(neighbors.Neighbors, behind("deviation", model, X, y))


def test_ties_in_distance_against_refits(monkeypatch):
    assert_ties_in_distance_like_refits("integers", 22, monkeypatch)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["integers", "duplicates", "constant column"])
def test_more_ties_in_distance_against_refits(kind, monkeypatch):
    assert_ties_in_distance_like_refits(kind, 40, monkeypatch)


def test_an_outlier_is_played_with_all(monkeypatch):
    X, y = make("plain", 150, 3, 50, 0.5, seed=6)
    X[7] *= 1e3
    prepared = behind("deviation", MODELS["uniform"], X, y)
    fast, slow = (play(prepared, monkeypatch, least) for least in (0, 1000))
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.diagnostics.games_evaluated < 0.8 * slow.diagnostics.games_evaluated


def test_predictions_are_those_of_every_game(monkeypatch):
    X, y = make("plain", 90, 3, 30, 0.5, seed=7)
    prepared = behind("deviation", MODELS["distance"], X, y)
    fast, slow = (play(prepared, monkeypatch, least, "all", Execution()) for least in (0, 1000))
    np.testing.assert_array_equal(fast.predictions.full(), slow.predictions.full())


@pytest.mark.parametrize("kind", KINDS)
def test_candidates_against_all_distances(kind, monkeypatch):
    rng = np.random.default_rng(8)
    X, y = make(kind, 60, 3, 20, 0.5, seed=8)
    sets = [all_pairs(60), np.array([rng.permutation(60)[:5] for _ in range(40)])]
    for scaler, model in zip(SCALERS, MODELS.values(), strict=True):
        prepared = behind(scaler, model, X, y)
        for some in sets:
            found = []
            for least in (0, 1000):
                monkeypatch.setattr(neighbors, "LIST_FROM", least)
                found.append(neighbors.Neighbors(prepared).answer(some, WITHOUT_TABLE))
            np.testing.assert_array_equal(found[0].response, found[1].response)
            np.testing.assert_array_equal(found[0].error, found[1].error)


def assert_decides_alike(prepared, pairs="all"):
    """Every decided game as by playing it; returns the share of games that stay open."""
    engine = neighbors.Neighbors(prepared)
    overlaps = engine._overlaps(Schedule(pairs), WITHOUT_TABLE)
    if overlaps is None:
        return 1.0
    games = Schedule(pairs).games(engine.problem.outcome)
    m = engine.problem.n_units
    is_open = np.zeros((m, m), dtype=int)
    for some, _ in overlaps.open_games():
        np.add.at(is_open, tuple(np.sort(some, axis=1).T), 1)
    assert is_open.max() <= 1
    decided = games[is_open[games[:, 0], games[:, 1]] == 0]
    first, second = engine.answer(decided, WITHOUT_TABLE).response.T
    one, other = overlaps.alone[decided].T
    ceiling = engine.ceiling
    assert np.array_equal(outcomes(first, second, ceiling), outcomes(one, other, ceiling))
    return is_open.sum() / len(games)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(10))
def test_random_tables_against_every_game(seed, monkeypatch):
    monkeypatch.setattr(neighbors, "LIMIT_FROM", 0)
    rng = np.random.default_rng(seed)
    shares = []
    for kind in (*KINDS, "plain", "plain"):
        for _ in range(2):
            m, n, k = int(rng.integers(40, 200)), int(rng.integers(1, 6)), int(rng.integers(1, 6))
            X, y = make(kind, m, n, m // 3, 0.5, int(rng.integers(2**31)))
            if rng.random() < 0.3:
                X = np.sign(X) * np.abs(X) ** 2.5
            weights, p = rng.choice(["uniform", "distance"]), int(rng.integers(1, 3))
            scaler, pairs = rng.choice(list(SCALERS)), rng.choice(["all", "ordered"])
            if rng.random() < 0.3:
                y = X[:, 0] / np.abs(X[:, 0]).max() + rng.normal(size=m)
                y = np.round(y) if rng.random() < 0.5 else y
                prepared = numbers(KNeighborsRegressor(k, weights=weights, p=p), scaler, X, y)
            elif rng.random() < 0.2:
                prepared = behind(scaler, tlpo.InverseDistanceKNN(k), X, y)
            else:
                prepared = behind(scaler, KNeighborsClassifier(k, weights=weights, p=p), X, y)
            shares.append(assert_decides_alike(prepared, pairs))
    assert np.mean(np.array(shares) < 0.5) > 0.25


@pytest.mark.exhaustive
def test_large_samples_against_refits():
    rng = np.random.default_rng(9)
    m = 3000
    y = np.repeat([0, 1], [2000, 1000])
    X = rng.normal(size=(m, 10)) + 0.4 * y[:, None]
    prepared = behind("deviation", KNeighborsClassifier(5), X, y)
    engine = neighbors.Neighbors(prepared)
    overlaps = engine._overlaps(Schedule(), WITHOUT_TABLE)
    games = np.sort(np.array([rng.choice(m, 2, replace=False) for _ in range(2000)]), axis=1)
    is_open = np.zeros((m, m), dtype=bool)
    for some, _ in overlaps.open_games():
        is_open[tuple(np.sort(some, axis=1).T)] = True
    assert is_open.mean() < 0.05
    refitted = prepared.refits.play(games, Execution()).outcome
    found, _, doubtful = engine._play_games(games, WITHOUT_TABLE)
    assert not doubtful.size
    np.testing.assert_array_equal(found, refitted)
    decided = ~is_open[tuple(games.T)]
    first, second = overlaps.alone[games[decided]].T
    np.testing.assert_array_equal(outcomes(first, second, 1.0), refitted[decided])
