import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from engines.ranges.problems import (
    KINDS,
    assert_like_all_games,
    assert_like_refits,
    gaps_and_bounds,
    table,
)
from tlpo.engines.bayes.engine import Bayes
from tlpo.errors import EngineError, GameError

MODELS = {
    "plain": lambda _: GaussianNB(),
    "smoothed": lambda rng: GaussianNB(var_smoothing=10.0 ** rng.uniform(-9, 0)),
    "priors": lambda _: GaussianNB(priors=[0.9, 0.1]),
    "scaled": lambda _: make_pipeline(StandardScaler(), GaussianNB()),
    "scaled and smoothed": lambda rng: make_pipeline(
        StandardScaler(), GaussianNB(var_smoothing=10.0 ** rng.uniform(-9, 0))
    ),
}


def draw(seed):
    """Draw a model and a table."""
    rng = np.random.default_rng([seed, 7])
    model = list(MODELS.values())[seed % len(MODELS)](rng)
    return model, *table(KINDS[rng.integers(len(KINDS))], seed)


def log_odds(probability):
    return np.log(probability) - np.log1p(-probability)


@pytest.mark.parametrize("smoothing", [0.0, 1e-9, 0.1])
@pytest.mark.parametrize("scaled", [False, True])
def test_gaps_are_within_bounds(scaled, smoothing):
    rng = np.random.default_rng(8)
    y = (np.arange(400) % 5 == 0).astype(int)
    X = rng.gamma(3.0, size=(400, 4)) * (1.0 + 0.3 * y[:, None])
    model = GaussianNB(var_smoothing=smoothing)
    if scaled:
        model = make_pipeline(StandardScaler(), model)
    gap, base, bound, *_ = gaps_and_bounds(Bayes, model, X, y, log_odds)
    assert gap.size > 50_000
    assert np.all(np.abs(gap - base) <= bound)
    assert np.mean(np.abs(base) > bound) > 0.7


@pytest.mark.parametrize("seed", range(8))
def test_bounded_games_against_all_games(seed, monkeypatch):
    assert_like_all_games(*draw(seed), "bayes", monkeypatch)


def test_probabilities_of_one_are_played(monkeypatch):
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 12))
    X[:60] += 12.0 * y[:60, None]  # certain, whoever is left out
    share = assert_like_all_games(GaussianNB(), X, y, "bayes", monkeypatch)
    assert share > 30 * 29 / (400 * 399)


def test_sample_weights_against_all_games(monkeypatch):
    import tlpo
    from tlpo.engines import by_sets

    X, y = table("skewed", seed=2)
    weight = {"sample_weight": np.random.default_rng(0).exponential(size=y.size)}
    pruned = tlpo.tournament(GaussianNB(), X, y, params=weight)
    monkeypatch.setattr(by_sets, "RANGES_FROM", 10**9)
    every = tlpo.tournament(GaussianNB(), X, y, params=weight)
    assert np.array_equal(pruned.standings.wins, every.standings.wins)
    assert pruned.diagnostics.games_evaluated < every.diagnostics.games_evaluated


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 100, 10))
def test_bounded_games_against_all_games_of_many_tables(first, monkeypatch):
    played = 0
    for seed in range(100 + first, 110 + first):
        try:
            assert_like_all_games(*draw(seed), "bayes", monkeypatch)
            played += 1
        except (EngineError, GameError):  # the engine does not apply, or the estimator fails
            continue
    assert played >= 6


@pytest.mark.exhaustive
def test_decided_games_against_refits():
    assert_like_refits(Bayes, GaussianNB(), 3000)
