"""Naive Bayes from sums against refitting, game for game."""

import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

import tlpo
from engines.agreement import assert_same_games, make, problems
from engines.prepared import (
    FILLS,
    SCALERS,
    assert_holds_out_like_refits,
    assert_plays_like_refits,
    behind,
)
from tlpo.engines.bayes.engine import ENGINE
from tlpo.engines.preparation.prepared import unprepared
from tlpo.errors import EngineError
from tlpo.execution.options import Execution
from tlpo.problem.problem import make_problem

models = st.builds(
    GaussianNB,
    priors=st.sampled_from([None, [0.3, 0.7], [0.999, 0.001]]),
    var_smoothing=st.sampled_from([1e-9, 0.0, 1e-3, 1.0]),
)


def without_warnings(action, *arguments):
    """Refits of variances that are zero divide by them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return action(*arguments)


def with_gaps(X, seed):
    gaps = np.random.default_rng(seed).uniform(size=X.shape) < 0.15
    gaps[:4] = False  # no column is left without values
    return np.where(gaps, np.nan, X)


@settings(max_examples=8, deadline=None)
@given(problems, models, st.booleans(), st.integers(0, 2**31))
def test_games_against_refits(problem, model, is_weighted, seed):
    X, y = problem
    params = None
    if is_weighted:
        params = {"sample_weight": np.random.default_rng(seed).integers(0, 4, size=y.size) + 0.5}
    # Where a class has no variance at all, refits fail.
    with suppress(tlpo.GameError):
        without_warnings(assert_same_games, model, X, y, "bayes", params)


@pytest.mark.exhaustive
@settings(max_examples=8, deadline=None)
@given(
    problems,
    models,
    st.sampled_from(sorted(SCALERS)),
    st.sampled_from([None, *FILLS]),
    st.integers(0, 2**31),
)
def test_games_behind_a_scaler_against_refits(problem, model, scaler, fill, seed):
    X, y = problem
    if fill and scaler != "quantiles":  # quantiles of filled columns have no closed form
        X = with_gaps(X, seed)
    prepared = behind(scaler, model, X, y, None if scaler == "quantiles" else fill)
    # Where a class has no variance at all, refits fail.
    with suppress(tlpo.GameError):
        without_warnings(assert_plays_like_refits, ENGINE, prepared)


@pytest.mark.exhaustive
@pytest.mark.parametrize("shift", [0.0, 0.5, 5.0])
@pytest.mark.parametrize("n", [1, 5, 60])
@pytest.mark.parametrize("scaler", [None, "deviation", "quantiles"])
def test_hardly_any_ordinary_game_is_refitted(scaler, n, shift):
    X, y = make("plain", 20, n, 8, shift, seed=1)
    prepared = unprepared(GaussianNB(), make_problem(X, y))
    if scaler:
        prepared = behind(scaler, GaussianNB(), X, y)
    assert_plays_like_refits(ENGINE, prepared, most_refits=0.02)


@pytest.mark.parametrize("pairs", ["all", "ordered"])
def test_the_positive_class_may_come_first(pairs):
    X, y = make("plain", 20, 3, 8, 0.5, seed=2)
    prepared = unprepared(GaussianNB(priors=[0.2, 0.8]), make_problem(X, y, positive=0))
    assert assert_plays_like_refits(ENGINE, prepared, pairs=pairs) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("scaler", [None, "deviation"])
def test_groups_and_exclusions_against_refits(scaler):
    X, y = make("plain", 24, 4, 10, 0.5, seed=3)
    for options in ({"groups": np.arange(24) // 3}, {"exclude": tlpo.Buffer(np.arange(24), 1)}):
        prepared = unprepared(GaussianNB(), make_problem(X, y, **options))
        if scaler:
            prepared = behind(scaler, GaussianNB(), X, y, **options)
        assert assert_plays_like_refits(ENGINE, prepared) == 0


@pytest.mark.parametrize("fill", [None, "mean", "median"])
@pytest.mark.parametrize("scaler", ["deviation", "not centred", "range"])
def test_held_out_sets_against_refits(scaler, fill):
    X, y = make("plain", 30, 4, 14, 0.5, seed=4)
    if fill:
        X = with_gaps(X, 0)
    order = np.random.default_rng(0).permutation(30)
    tests = [order[:1], order[1:9], order[9:30:2], np.arange(3)]
    prepared = behind(scaler, GaussianNB(), X, y, fill)
    assert assert_holds_out_like_refits(ENGINE, prepared, tests) == 0


def test_a_unit_that_dominates_a_class():
    X, y = make("plain", 24, 3, 10, 0.5, seed=5)
    X[np.flatnonzero(y == 1)[0], 0] = 1e7
    X[np.flatnonzero(y == 0)[0], 1] = -1e9
    for smoothing in (1e-9, 0.0):
        assert assert_same_games(GaussianNB(var_smoothing=smoothing), X, y, "bayes")


def test_a_class_of_which_one_unit_is_left():
    X, y = make("plain", 16, 2, 3, 0.5, seed=6)
    assert assert_same_games(GaussianNB(), X, y, "bayes")
    assert assert_same_games(GaussianNB(), X, 1 - y, "bayes")


def test_weights_may_be_zero_but_not_negative():
    X, y = make("plain", 16, 2, 6, 0.5, seed=7)
    weight = (1 + np.arange(16)) % 3 / 7.0
    assert assert_same_games(GaussianNB(), X, y, "bayes", {"sample_weight": weight})
    weight = np.ones(16)
    weight[0] = -0.001
    t = tlpo.tournament(GaussianNB(), X, y, params={"sample_weight": weight})
    assert t.engine == "refit"
    assert t.diagnostics.why_not_faster == (
        "Naive Bayes from sums needs sample weights that are not negative."
    )


def test_a_class_without_any_weight_is_left_to_scikit_learn():
    X, y = make("plain", 12, 2, 5, 0.5, seed=8)
    weight = np.ones(12)
    weight[np.flatnonzero(y == 1)[2:]] = 0.0
    params = {"sample_weight": weight}
    answers = ENGINE(unprepared(GaussianNB(), make_problem(X, y, params=params))).answer(
        np.flatnonzero(y == 1)[None, :2], Execution()
    )
    assert np.isinf(answers.error).all()


def test_dataframes_and_whole_numbers():
    X, y = make("integers", 16, 3, 6, 0.5, seed=9)
    t = tlpo.tournament(GaussianNB(), X, y, engine="bayes")
    for other in (pd.DataFrame(X), X.astype(int), X.astype(int).tolist()):
        same = tlpo.tournament(GaussianNB(), other, y, engine="bayes")
        assert np.array_equal(same.scores, t.scores)


class Renamed(GaussianNB):
    """A subclass might override predict_proba."""


def test_subclasses_are_refitted():
    X, y = make("plain", 12, 3, 6, 0.5, seed=9)
    t = tlpo.tournament(Renamed(), X, y)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", "No exact engine plays Renamed.")


X12, Y12 = make("plain", 12, 3, 6, 0.5, seed=10)


@pytest.mark.parametrize(
    ("model", "X", "params", "reason"),
    [
        (
            GaussianNB(var_smoothing=-1.0),
            X12,
            None,
            "Naive Bayes from sums needs a var_smoothing that is a non-negative number.",
        ),
        (
            GaussianNB(priors=[0.0, 1.0]),
            X12,
            None,
            "Naive Bayes from sums needs positive priors of every class whose sum is 1.",
        ),
        (
            GaussianNB(),
            X12,
            {"classes": [0, 1]},
            "Naive Bayes from sums does not cover the fit argument classes.",
        ),
        (GaussianNB(), sparse.csr_matrix(X12), None, "GaussianNB does not take sparse data."),
    ],
)
def test_what_it_refuses(model, X, params, reason):
    assert ENGINE.why_not(unprepared(model, make_problem(X, Y12, params=params))) == reason


def test_missing_values_are_left_to_scikit_learn():
    X = X12.copy()
    X[0, 0] = np.nan
    with pytest.raises(EngineError, match="Input X contains NaN"):
        tlpo.tournament(GaussianNB(), X, Y12, engine="bayes")


def test_the_result_does_not_depend_on_threads(monkeypatch):
    X, y = make("plain", 30, 3, 12, 0.5, seed=11)
    one = tlpo.tournament(GaussianNB(), X, y, engine="bayes")
    monkeypatch.setattr("tlpo.engines.bayes.engine.CELLS_A_THREAD", 100)
    several = tlpo.tournament(GaussianNB(), X, y, engine="bayes", n_jobs=2)
    assert np.array_equal(one.predictions, several.predictions, equal_nan=True)
