import warnings

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tlpo
from engines.ranges.problems import (
    KINDS,
    SCALERS,
    assert_like_all_games,
    assert_like_refits,
    gaps_and_bounds,
    table,
)
from tlpo.engines import by_sets
from tlpo.engines.least_squares.varying import VaryingLeastSquares
from tlpo.errors import EngineError, GameError

MODELS = {
    "ridge": lambda alpha: RidgeClassifier(alpha=alpha),
    "balanced": lambda alpha: RidgeClassifier(alpha=alpha, class_weight="balanced"),
    "weighted": lambda alpha: RidgeClassifier(alpha=alpha, class_weight={0: 1.0, 1: 7.5}),
    "regression": lambda alpha: Ridge(alpha=alpha),
    "no intercept": lambda alpha: Ridge(alpha=alpha, fit_intercept=False),
    "rls": tlpo.RLS,
    "kernel": lambda alpha: KernelRidge(alpha=alpha),
    "ols": lambda alpha: LinearRegression(),
    "lda": lambda alpha: LinearDiscriminantAnalysis(),
}


def draw(seed):
    """Draw a model, a table, and its kind."""
    rng = np.random.default_rng([seed, 9])
    kind = KINDS[seed % len(KINDS)]
    model = list(MODELS.values())[rng.integers(len(MODELS))](10.0 ** rng.uniform(-3, 4))
    return make_pipeline(SCALERS[rng.integers(len(SCALERS))], model), *table(kind, seed)


@pytest.mark.parametrize("name", ["ridge", "balanced", "weighted", "rls"])
@pytest.mark.parametrize(("scaler", "alpha"), [(0, 1.0), (3, 300.0), (5, 10.0)])
def test_gaps_are_within_bounds(scaler, alpha, name):
    if name == "rls":
        scaler = 0  # only means make an intercept that is penalised irrelevant
    X, y = table(KINDS[1], seed=scaler)
    model = make_pipeline(SCALERS[scaler], MODELS[name](alpha))
    gap, base, bound, closer, error = gaps_and_bounds(VaryingLeastSquares, model, X, y)
    assert gap.size > 50_000
    assert np.all(np.abs(gap - base) <= bound)
    assert np.all(np.abs(gap - closer) <= error)
    # Bounds that hold because they are huge would decide nothing.
    assert np.mean(np.abs(base) > bound) > 0.5
    assert np.mean(np.abs(closer) > error) > 0.9


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 8, 9])
def test_bounded_games_against_all_games(seed, monkeypatch):
    model, X, y = draw(seed)
    assert_like_all_games(model, X, y, "least-squares", monkeypatch)


@pytest.mark.parametrize("name", ["ridge", "balanced", "rls"])
def test_few_games_are_open(name, monkeypatch):
    X, y = table("plain", seed=2)
    model = make_pipeline(StandardScaler(), MODELS[name](1.0))
    assert assert_like_all_games(model, X, y, "least-squares", monkeypatch) < 0.2


def test_bounded_numbers_against_all_games(monkeypatch):
    X, _ = table("skewed", seed=4)
    y = np.round(X[:, 0] + np.random.default_rng(0).normal(size=len(X)), 1)
    model = make_pipeline(StandardScaler(), Ridge())
    pruned = tlpo.concordance(model, X, y)
    monkeypatch.setattr(by_sets, "RANGES_FROM", 10**9)
    every = tlpo.concordance(model, X, y)
    assert np.array_equal(pruned.standings.wins, every.standings.wins)
    assert pruned.diagnostics.games_evaluated < every.diagnostics.games_evaluated / 4
    np.testing.assert_array_equal(pruned.predictions, every.predictions)


@pytest.mark.parametrize("name", ["ridge", "lda"])
def test_categories_that_two_units_can_empty_are_played(name, monkeypatch):
    X, y = table("plain", seed=2)
    X = np.column_stack([np.arange(len(X)) % 3, X])
    X[:2, 0] = 7  # without both the category is gone
    encoder = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False)
    steps = make_column_transformer((encoder, [0]), remainder=StandardScaler())
    model = make_pipeline(steps, MODELS[name](1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # unknown categories, when the pair is refitted
        assert assert_like_all_games(model, X, y, "least-squares", monkeypatch) < 0.3


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 150, 10))
def test_bounded_games_against_all_games_of_many_tables(first, monkeypatch):
    played = 0
    for seed in range(100 + first, 110 + first):
        model, X, y = draw(seed)
        try:
            assert_like_all_games(model, X, y, "least-squares", monkeypatch)
            played += 1
        except (EngineError, GameError):  # the engine does not apply, or the estimator fails
            continue
    assert played >= 6


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "m"), [("ridge", 10_000), ("balanced", 3000)])
def test_decided_games_against_refits(name, m):
    model = make_pipeline(StandardScaler(), MODELS[name](10.0))
    assert_like_refits(VaryingLeastSquares, model, m)
