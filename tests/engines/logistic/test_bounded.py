"""Bounds of logistic regression: what they decide is what playing every game decides."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

import tlpo
from tlpo.engines import by_sets
from tlpo.engines.logistic import engine as logistic
from tlpo.engines.ranges.bounds import Ranges
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

WITHOUT_TABLE = Execution(keep_predictions=False)
SETTINGS = {
    "scaled": (StandardScaler(), {}),
    "bare": (None, {}),
    "not centred": (StandardScaler(with_mean=False), {}),
    "range": (MinMaxScaler(), {}),
    "largest": (MaxAbsScaler(), {}),
    "quantiles": (RobustScaler(), {}),
    "small penalty": (StandardScaler(), {"C": 100.0}),
    "large penalty": (StandardScaler(), {"C": 0.01}),
    "no penalty": (StandardScaler(), {"C": np.inf}),
    "no intercept": (None, {"fit_intercept": False}),
    "balanced": (StandardScaler(), {"class_weight": "balanced"}),
    "bare and balanced": (None, {"class_weight": "balanced"}),
    "weighted": (StandardScaler(), {"class_weight": {0: 1.0, 1: 3.0}}),
    "default tolerance": (StandardScaler(), {"tol": 1e-4}),
}


def make(seed, m=450, n=3, rare=0.35, tails=False):
    rng = np.random.default_rng(seed)
    y = (np.arange(m) < rare * m).astype(int)
    X = rng.normal(size=(m, n)) + 0.6 * y[:, None]
    if tails:
        X = X + 0.1 * X**3
    order = rng.permutation(m)
    return X[order] * 2.0 ** rng.integers(-2, 2, size=n), y[order]


def engine_of(setting, X, y, **params):
    scaler, own = SETTINGS[setting]
    model = LogisticRegression(**{"tol": 1e-6, "max_iter": 2000, **own})
    estimator = model if scaler is None else make_pipeline(scaler, model)
    options = ContestOptions(params=params or None)
    return logistic.Logistic(Contest(estimator, X, y, options).prepared)


def play_both(setting, X, y, monkeypatch, pairs="all", **params):
    found = []
    for least in (0, 10**6):
        monkeypatch.setattr(by_sets, "RANGES_FROM", least)
        engine = engine_of(setting, X, y, **params)
        assert engine.bounds(pairs == "ordered", WITHOUT_TABLE)
        found.append(engine.play(Schedule(pairs), WITHOUT_TABLE))
    return found


def assert_same(fast, slow):
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.standings.n_ties == slow.standings.n_ties
    assert fast.diagnostics.fits == slow.diagnostics.fits


@pytest.fixture(autouse=True)
def certified(monkeypatch):
    monkeypatch.setattr(logistic, "CERTIFY_FROM", 0)


def open_games(engine, pairs="all"):
    """Return which games are open, (m, m); each is listed once. Also the bases."""
    m, level = engine.problem.n_units, engine.problem.outcome.level
    times = np.zeros((m, m), dtype=int)
    bases = []
    for bounds in engine.bounds(pairs == "ordered", WITHOUT_TABLE):
        for games, _ in Ranges(bounds, level).open_games():
            np.add.at(times, tuple(np.sort(games, axis=1).T), 1)
        bases.append(bounds)
    assert times.max() <= 1
    return times > 0, bases


@pytest.mark.parametrize("pairs", ["all", "ordered"])
@pytest.mark.parametrize("setting", ["scaled", "bare", "balanced", "no penalty", "quantiles"])
def test_standings_against_every_game(setting, pairs, monkeypatch):
    X, y = make(1)
    fast, slow = play_both(setting, X, y, monkeypatch, pairs)
    assert_same(fast, slow)


def test_sample_weights_against_every_game(monkeypatch):
    X, y = make(2)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, size=len(y))
    assert_same(*play_both("bare", X, y, monkeypatch, sample_weight=weight))


def test_rare_outcomes_against_every_game(monkeypatch):
    X, y = make(3, m=1000, rare=0.012)
    assert_same(*play_both("balanced", X, y, monkeypatch, "ordered"))
    assert_same(*play_both("bare", X, y, monkeypatch))


def off_and_bound(engine, bounds):
    """Return how far games are from the differences of two numbers, and how far they may be."""
    level = engine.problem.outcome.level
    i, j = np.triu_indices(bounds.units.size, 1)
    if bounds.ordered:
        keep = level[bounds.units[i]] != level[bounds.units[j]]
        i, j = i[keep], j[keep]
    keep = np.isfinite(bounds.slack[i] + bounds.slack[j])
    i, j = i[keep], j[keep]
    some = np.random.default_rng(0).choice(i.size, min(3000, i.size), replace=False)
    i, j = i[some], j[some]
    first, second = engine.answer(bounds.units[np.column_stack([i, j])], WITHOUT_TABLE).response.T
    off = np.abs(first - second - (bounds.base[i] - bounds.base[j]))
    factors = np.sum(bounds.near[i] * bounds.far[j] + bounds.near[j] * bounds.far[i], axis=1)
    return off, factors + bounds.slack[i] + bounds.slack[j]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_bound_holds_for_every_game(setting, monkeypatch):
    monkeypatch.setattr(logistic, "CERTIFY_FROM", 10**6)  # solve every pair
    engine = engine_of(setting, *make(4, tails=setting == "not centred"))
    for bounds in engine.bounds(False, WITHOUT_TABLE):
        off, bound = off_and_bound(engine, bounds)
        assert off.size > 100
        assert np.all(off <= bound)
        assert np.max(off / bound) > 0.05  # it is not idle


def test_most_games_of_many_units_are_decided():
    for setting, share in (("scaled", 0.2), ("bare", 0.15), ("balanced", 0.2), ("quantiles", 0.2)):
        is_open, _ = open_games(engine_of(setting, *make(5, m=1000)))
        assert is_open.sum() < share * 1000 * 999 / 2


def test_with_a_hundredth_of_the_bound_games_go_wrong(monkeypatch):
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    engine = engine_of("scaled", *make(6))
    right = engine.play(Schedule(), WITHOUT_TABLE).standings.wins
    whole = engine.bounds

    def hundredth(*given):
        return [
            replace(own, near=0.1 * own.near, far=0.1 * own.far, slack=0.01 * own.slack)
            for own in whole(*given)
        ]

    monkeypatch.setattr(engine, "bounds", hundredth)
    wrong = engine.play(Schedule(), WITHOUT_TABLE).standings.wins
    assert np.abs(right - wrong).sum() > 0


def test_an_outlier_is_played_with_all(monkeypatch):
    X, y = make(7)
    X[5] *= 5.0
    fast, slow = play_both("scaled", X, y, monkeypatch)
    assert_same(fast, slow)


def test_too_many_close_games_count_as_ties(monkeypatch):
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    monkeypatch.setattr(logistic, "MOST_FOLLOWED", 0)
    monkeypatch.setattr(logistic, "MOST_REFITS", 0)
    played = engine_of("default tolerance", *make(8)).play(Schedule(), WITHOUT_TABLE)
    (warning,) = played.diagnostics.warnings
    assert warning == (
        f"{played.standings.n_ties} games that only the tolerance of LogisticRegression, "
        "tol=1e-04, would decide count as ties."
    )
    assert played.diagnostics.fits == 1


def test_what_only_the_solver_can_play_has_no_bound(monkeypatch):
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    X, y = make(9, m=24)
    X[:, 0] += 100.0 * y  # separated
    model = LogisticRegression(C=np.inf, max_iter=10_000)
    fast, slow = (tlpo.tournament(model, X, y, engine=own) for own in ("auto", "refit"))
    assert fast.engine == "logistic-path"
    assert np.array_equal(fast.standings.wins, slow.standings.wins)


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", SETTINGS)
def test_random_tables_against_every_game(setting, monkeypatch):
    rng = np.random.default_rng(len(setting))
    n_bounded = 0
    for seed in range(20):
        m, n = int(rng.integers(200, 450)), int(rng.integers(1, 5))
        X, y = make(100 + seed, m, n, rng.choice([0.2, 0.5]), tails=bool(rng.integers(2)))
        if seed % 5 == 0:
            X = np.round(X, 1)
        if not engine_of(setting, X, y).bounds(False, WITHOUT_TABLE):
            continue  # too few units for so many columns
        n_bounded += 1
        pairs = "ordered" if seed % 3 == 0 else "all"
        assert_same(*play_both(setting, X, y, monkeypatch, pairs))
    assert n_bounded >= 8


@pytest.mark.exhaustive
@pytest.mark.parametrize("setting", ["scaled", "bare"])
def test_large_samples_against_refits(setting):
    m = 3000
    engine = engine_of(setting, *make(10, m, 10))
    is_open, (bounds,) = open_games(engine)
    assert is_open.sum() < 0.06 * m * (m - 1) / 2
    rng = np.random.default_rng(10)
    # Any games, and those that are decided by the smallest margins.
    decided = np.argwhere(np.triu(~is_open, 1))
    gap = np.abs(bounds.base[decided[:, 0]] - bounds.base[decided[:, 1]])
    games = np.concatenate(
        [decided[np.argsort(gap)[:500]], decided[rng.choice(len(decided), 500, replace=False)]]
    )
    refitted = engine.prepared.refits.play(games, Execution()).outcome
    first, second = bounds.base[games].T
    np.testing.assert_array_equal(refitted, np.where(first > second, 1.0, 0.0))
