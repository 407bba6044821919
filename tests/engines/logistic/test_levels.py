"""Logistic regression without a penalty on one-hot columns, against refits."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tlpo
from tlpo.engines.logistic.levels import following
from tlpo.engines.preparation.columns import Columns


def table(m, seed, rarest=4):
    """Two numbers, and two kinds of which the first has a level with few units."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(m, 2)), columns=["age", "size"])
    X["site"] = rng.choice(list("abc"), size=m)
    X["stage"] = rng.choice(["low", "high"], size=m)
    X.loc[: rarest - 1, "site"] = "d"
    y = (X["age"] + (X["site"] == "a") + 1.5 * rng.normal(size=m) > 0.3).to_numpy().astype(int)
    y[:2] = 0, 1
    return X, y


def matrix(m, seed, rarest=4):
    """The same with a column for every level."""
    X, y = table(m, seed, rarest)
    return pd.get_dummies(X, columns=["site", "stage"]).to_numpy(float), y


def model(**params):
    return LogisticRegression(**{"C": np.inf, "max_iter": 1000, "tol": 1e-6} | params)


def behind_encoder():
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_pipeline(
        make_column_transformer(
            (numbers, ["age", "size"]),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["site", "stage"]),
        ),
        model(),
    )


def assert_same_games(estimator, X, y, **options):
    """Every game as by refitting; predictions differ by what the tolerance leaves open."""
    fast = tlpo.tournament(estimator, X, y, **options)
    slow = tlpo.tournament(estimator, X, y, engine="refit", **options)
    assert fast.engine == "logistic"
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties
    assert fast.diagnostics.fits < slow.diagnostics.fits


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"tol": 1e-3},
        {"class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 3.0}},
        {"fit_intercept": False},
        {"solver": "newton-cg"},
    ],
    ids=str,
)
def test_games_against_refits(params):
    X, y = matrix(24, seed=1)
    assert_same_games(model(**params), X, y)


@pytest.mark.parametrize("rarest", [2, 3])
def test_a_level_that_vanishes_or_separates(rarest):
    X, y = matrix(22, seed=3, rarest=rarest)
    assert_same_games(model(), X, y)


def test_levels_behind_an_encoder_and_gaps():
    X, y = table(18, seed=4, rarest=2)
    X.loc[[3, 9], "age"] = np.nan
    assert_same_games(behind_encoder(), X, y)


def test_sample_weights():
    X, y = matrix(22, seed=4)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 22)
    assert_same_games(model(), X, y, params={"sample_weight": weight})


def test_many_units_are_decided_by_bounds():
    X, y = matrix(420, seed=5, rarest=30)
    fast = tlpo.tournament(model(), X, y)
    assert fast.engine == "logistic"
    assert fast.diagnostics.games_evaluated < fast.standings.n_games / 4
    games = np.random.default_rng(0).permutation(420)[:30].reshape(-1, 2)
    for i, j in games:
        left = np.setdiff1d(np.arange(420), [i, j])
        own = model().fit(X[left], y[left]).decision_function(X[[i, j]])
        found = fast.predictions[i, j], fast.predictions[j, i]
        assert found == pytest.approx(own, abs=1e-3)


@pytest.mark.parametrize("tol", [1e-6, 1e-3])
def test_the_other_schemes(tol):
    X, y = matrix(30, seed=6)
    schemes = ("loo", "kfold-pooled", "harrell", "632+")
    options = {"schemes": schemes, "random_state": 0, "n_resamples": 10}
    fast = tlpo.evaluate(model(tol=tol), X, y, **options)
    slow = tlpo.evaluate(model(tol=tol), X, y, engine="refit", **options)
    assert fast["auc"].to_numpy() == pytest.approx(slow["auc"].to_numpy(), abs=1e-12)
    assert fast["fits"].sum() < slow["fits"].sum()


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(40))
def test_any_games_against_refits(seed):
    rng = np.random.default_rng(seed)
    X, y = matrix(int(rng.integers(20, 40)), seed, rarest=int(rng.integers(2, 6)))
    if seed % 2:  # with copies
        drawn = rng.integers(0, len(X), len(X))
        X, y = X[drawn], y[drawn]
    params = {"tol": float(rng.choice([1e-3, 1e-4, 1e-6])), "fit_intercept": seed % 3 > 0}
    fast = tlpo.tournament(model(**params), X, y)
    slow = tlpo.tournament(model(**params), X, y, engine="refit")
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties


def test_what_follows_from_others():
    """Only exact sums: not a column that is nearly one, nor one that is scaled."""
    rng = np.random.default_rng(0)
    kinds = np.eye(3)[rng.integers(0, 3, 30)]
    both = np.column_stack([kinds, kinds[:, 0] + kinds[:, 1], rng.normal(size=30)])
    assert following(Columns.of_matrix(both), True).tolist() == [False, False, True, True, False]
    assert following(Columns.of_matrix(both), False).tolist() == [False, False, False, True, False]
    nearly = both.copy()
    nearly[0, 3] += 1e-9
    assert following(Columns.of_matrix(nearly), False).sum() == 0
    random = rng.integers(0, 2, (40, 20)).astype(float)
    rank = np.linalg.matrix_rank(np.column_stack([np.ones(40), random]))
    assert following(Columns.of_matrix(random), True).sum() == 21 - rank
