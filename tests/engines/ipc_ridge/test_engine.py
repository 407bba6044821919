"""Ridge regression of log times without refitting against refits, game for game."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sksurv.datasets import load_veterans_lung_cancer
from sksurv.linear_model import IPCRidge

import tlpo
from engines.cox.problems import FEATURES, TIMES, make
from engines.survival_games import BEFORE, NOT_FILLING, after, assert_same_games_by, gaps, play
from tlpo.engines.ipc_ridge import engine as ipc_ridge
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

assert_same_games = partial(assert_same_games_by, "ipc-ridge", rtol=1e-6)
NO_PENALTY = "Without a penalty, there must be more events than features."


def estimator_of(before="nothing", **params):
    model = IPCRidge(**params)
    return after(before, model)


def whatever_it_warns(test):
    """Refits of nasty data warn; that games are those of refits is all that is asked."""
    for kind in ("scipy.linalg.LinAlgWarning", "RuntimeWarning", "UserWarning"):
        test = pytest.mark.filterwarnings(f"ignore::{kind}")(test)
    return test


problems = st.integers(9, 14).flatmap(
    lambda m: st.builds(
        make,
        m=st.just(m),
        n=st.sampled_from([1, 2, 4, m - 3, m + 1, 3 * m]),
        seed=st.integers(0, 2**31),
        features=st.sampled_from(FEATURES),
        times=st.sampled_from(TIMES),
        effect=st.sampled_from([0.0, 0.7, 3.0]),
    )
)
estimators = st.builds(
    estimator_of,
    before=st.sampled_from(NOT_FILLING),
    alpha=st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 1.0, 1e3]),
    fit_intercept=st.booleans(),
    solver=st.sampled_from(["auto", "cholesky"]),
)


@whatever_it_warns
@settings(max_examples=6, deadline=None)
@given(problems, estimators)
def test_games_against_refits(problem, estimator):
    assert_same_games(estimator, *problem)


@pytest.mark.exhaustive
@whatever_it_warns
@settings(max_examples=200, deadline=None)
@given(problems, estimators)
def test_many_games_against_refits(problem, estimator):
    assert_same_games(estimator, *problem)


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("fit_intercept", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_ordinary_problems_are_not_refitted(before, fit_intercept):
    X, y = make(12, 3, seed=3)
    estimator = estimator_of(before, fit_intercept=fit_intercept)
    played = assert_same_games(estimator, gaps(X, before), y)
    assert played.diagnostics.fits == 1
    assert played.standings.n_ties == 0


@pytest.mark.exhaustive
@whatever_it_warns
@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "mean"])
@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("times", [name for name in TIMES if name != "three times"])
def test_all_features_and_times_against_refits(before, features, times):
    X, y = make(12, 3, seed=0, features=features, times=times)
    assert assert_same_games(estimator_of(before, alpha=0.5), gaps(X, before), y) is not None


@pytest.mark.parametrize("times", TIMES)
def test_times_against_refits(times):
    X, y = make(11, 2, seed=1, times=times)
    if times == "three times":
        # Events at the very last time, while others are censored at it, have no weight.
        y["event"][y["time"] == 3] = False
    played = assert_same_games(estimator_of("StandardScaler"), X, y)
    assert played.diagnostics.fits == 1


@pytest.mark.parametrize("features", FEATURES)
def test_features_against_refits(features):
    X, y = make(12, 2, seed=2, features=features)
    played = assert_same_games(estimator_of(), X, y)
    same = (X[:, None] == X[None, :]).all(axis=2)
    # Of two values, one that no event is left with makes no difference: three more.
    assert played.standings.n_ties == (same.sum() - 12) / 2 + 3 * (features == "binary")
    assert played.diagnostics.fits == 1


def test_a_tail_without_events_against_refits():
    # Everybody who is left after the seventh event is censored: censoring ends at 0.
    X, y = make(14, 2, seed=3)
    y["event"] = np.argsort(np.argsort(y["time"])) < 7
    assert assert_same_games(estimator_of(), X, y).diagnostics.fits == 1


@pytest.mark.parametrize("n", [2, 30])
def test_a_weight_that_is_infinite_fails_as_by_refits(n):
    # Unit 1 was censored at the time of the last event, that of unit 0.
    X, y = make(8, n, seed=3)
    y["event"], y["time"] = True, np.arange(8, 0, -1)
    y["event"][1], y["time"][1] = False, 8.0
    estimator = estimator_of()
    assert assert_same_games(estimator, X, y) is None
    with pytest.raises(tlpo.GameError, match="AssertionError"):
        play(estimator, X, y)
    skipped = play(estimator, X, y, on_error="skip")
    assert skipped.engine == "refit"
    # Only without one of the two there are weights.
    assert sum(skipped.diagnostics.failures.values()) == 28 - 13
    left = np.arange(8) != 1
    assert assert_same_games(estimator, X[left], y[left]) is not None


@pytest.mark.parametrize("n", [2, 20])
def test_groups_that_leave_one_event_against_refits(n):
    # The first group has all events but two: without it, and one of these, one is left.
    X, y = make(12, n, seed=4)
    y["event"], y["time"] = False, np.arange(1, 13)
    y["event"][[0, 1, 2, 5, 8]] = True
    groups = [0, 0, 0, *range(1, 10)]
    played = assert_same_games(estimator_of(), X, y, groups=groups)
    assert played.diagnostics.fits == 1
    assert played.standings.n_ties >= 6  # one event: everybody is predicted its time
    # Without both no model can be trained, whoever plays.
    groups = [0, 0, 0, 1, 2, 3, 4, 5, 3, 6, 7, 8]
    assert assert_same_games(estimator_of(), X, y, groups=groups) is None
    assert assert_same_games(estimator_of(), X, y, groups=groups, on_error="skip") is not None


@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "mean"])
@pytest.mark.parametrize(
    "n", [5, 13, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in (4, 8, 10, 11, 30))]
)
@pytest.mark.parametrize("fit_intercept", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_as_many_features_as_events_and_more_against_refits(before, n, fit_intercept):
    X, y = make(12, n, seed=5)
    y["event"], y["time"] = np.arange(12) % 2 == 0, 1.0 + np.arange(12)  # 6 of 12
    estimator = estimator_of(before, fit_intercept=fit_intercept)
    played = assert_same_games(estimator, gaps(X, before), y)
    assert played.diagnostics.fits == 1


@pytest.mark.parametrize("before", ["nothing", "StandardScaler"])
@pytest.mark.parametrize("n", [2, 20])
def test_units_that_are_all_the_same_tie(before, n):
    X, y = make(10, n, seed=0, features="all equal")
    played = assert_same_games(estimator_of(before), X, y)
    assert played.standings.n_ties == 45
    assert played.diagnostics.fits == 1


@pytest.mark.exhaustive
def test_words_and_numbers_against_refits():
    X, y = make(14, 2, seed=6)
    frame = pd.DataFrame(X, columns=["age", "size"])
    frame["site"] = np.where(X[:, 0] > 0.3, "left", np.where(X[:, 1] > 0, "right", "both"))
    frame.loc[[2, 7], "age"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    steps = make_column_transformer(
        (numbers, ["age", "size"]), (OneHotEncoder(drop="first"), ["site"])
    )
    assert assert_same_games(make_pipeline(steps, IPCRidge()), frame, y) is not None


@pytest.mark.parametrize("n", [1, pytest.param(11, marks=pytest.mark.exhaustive)])
def test_a_category_that_leaves_with_a_pair_against_refits(n):
    X, y = make(12, n, seed=6)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(n)])
    frame["site"] = ["rare"] * 2 + ["common", "other"] * 5
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["site"]),
        remainder="passthrough",
    )
    played = assert_same_games(make_pipeline(steps, IPCRidge()), frame, y)
    assert played.diagnostics.fits == 1


@pytest.mark.parametrize("before", ["nothing", "mean"])
def test_groups_and_exclusions_against_refits(before):
    X, y = make(13, 2, seed=7)
    order = np.random.default_rng(0).permutation(13)
    for options in (
        {"groups": np.repeat([0, 1, 2, 3, 4], [1, 2, 3, 3, 4])[order]},
        {"exclude": lambda i, j: [(i + j) % 13]},
    ):
        estimator = estimator_of(before)
        assert assert_same_games(estimator, gaps(X, before), y, on_error="skip", **options)


@pytest.mark.parametrize("before", ["nothing", "not centred", "mean"])
@pytest.mark.parametrize("n", [2, 30])
def test_held_out_sets_against_refits(before, n):
    X, y = make(20, n, seed=8)
    X = gaps(X + 3.0, before)
    folds = np.array_split(np.random.default_rng(0).permutation(20), 6)
    for tests in ([np.array([k]) for k in range(20)], [np.sort(fold) for fold in folds]):
        fast, slow = (
            Contest(estimator_of(before), X, y, ContestOptions(engine=engine)).hold_out(tests, "a")
            for engine in ("ipc-ridge", "refit")
        )
        assert fast.diagnostics.fits == 1
        for one, other in zip(fast.responses, slow.responses, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "mean"])
@pytest.mark.parametrize("n", [3, 14, 30])
@pytest.mark.parametrize("times", ["plain", "whole numbers"])
def test_units_drawn_repeatedly_against_fits(before, n, times):
    X, y = make(24, n, seed=9, times=times)
    y["event"][y["time"] == y["time"].max()] = False
    X = gaps(X, before)
    estimator = estimator_of(before)
    rng = np.random.default_rng(2)
    draws = [Fit(rng.integers(24, size=24), np.arange(24)) for _ in range(5)]
    responses = ipc_ridge.IpcRidge(Contest(estimator, X, y).prepared).respond(draws)
    assert all(response is not None for response in responses)
    for fit, response in zip(draws, responses, strict=True):
        model = clone(estimator).fit(X[fit.train], y[fit.train])
        np.testing.assert_allclose(response, -model.predict(X), rtol=1e-9)


def test_a_draw_without_a_unique_fit_is_left_to_fitting():
    X, y = make(24, 3, seed=9)
    made = ipc_ridge.IpcRidge(Contest(estimator_of(alpha=0.0), X, y).prepared)
    few = Fit(np.repeat(np.flatnonzero(y["event"])[:3], 8), np.arange(24))
    everyone = Fit(np.arange(24), np.arange(24))
    first, second = made.respond([few, everyone])
    assert first is None
    assert second is not None


def test_a_draw_that_cannot_be_weighted_is_left_to_fitting():
    X, y = make(24, 3, seed=9, times="three times")
    made = ipc_ridge.IpcRidge(Contest(estimator_of(), X, y).prepared)
    assert {True, False} == set(y["event"][y["time"] == 3].tolist())
    assert made.respond([Fit(np.arange(24), np.arange(24))]) == [None]


@pytest.mark.parametrize("scale", [1e-20, 1e-12, 1e100])
def test_times_of_any_size_tie_as_by_refits(scale):
    X, y = make(12, 2, seed=10)
    y["time"] *= scale
    played = assert_same_games(estimator_of(), X, y)
    # Times that differ by less than 1e-13 are equal.
    assert (played.standings.n_ties == 66) == (scale == 1e-20)
    assert (played.standings.n_ties == 0) == (scale == 1e100)


@whatever_it_warns
def test_times_that_overflow_fail_as_by_refits():
    X, y = make(12, 2, seed=10)
    y["time"] = y["time"] ** 100
    X[0] *= 1e3
    with pytest.raises(tlpo.GameError, match="predict returned -inf"):
        play(estimator_of(), X, y)
    assert assert_same_games(estimator_of(), X, y) is None
    skipped = play(estimator_of(), X, y, on_error="skip")
    assert skipped.engine == "refit"
    X[0] *= -1.0  # to the other end: times of 0
    assert assert_same_games(estimator_of(), X, y) is not None


def test_veterans_against_scikit_survivals_refits():
    # 70 patients of the Veterans' Administration lung cancer trial, refitted by scikit-survival.
    X, y = load_veterans_lung_cancer()
    X = X[["Age_in_years", "Karnofsky_score", "Months_from_Diagnosis"]].to_numpy(dtype=float)[:70]
    contest = Contest(estimator_of("StandardScaler"), X, y[:70])
    played = contest.play(Schedule())
    assert played.engine == "ipc-ridge"
    assert contest.outcome.n_ordered == 2250
    assert played.standings.concordance(contest.outcome) == pytest.approx(0.629778, abs=5e-7)


def test_hardly_any_game_is_refitted():
    X, y = make(60, 5, seed=10)
    played = play(estimator_of("StandardScaler"), X, y)
    assert played.engine == "ipc-ridge"
    assert played.diagnostics.fits == 1


@whatever_it_warns
@pytest.mark.parametrize("features", ["mixed scales", "offset", "heavy tails", "duplicates"])
@pytest.mark.parametrize("before", ["nothing", "centred", "RobustScaler"])
@pytest.mark.parametrize("n", [3, 16, 30])
@pytest.mark.parametrize("fit_intercept", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_errors_cover_rounding(features, before, n, fit_intercept):
    pairs = np.random.default_rng(0).permutation(np.stack(np.triu_indices(25, 1), axis=1))[:4]
    X, y = make(25, n, 0, features=features, times="whole numbers")
    y["event"][y["time"] == y["time"].max()] = False
    estimator = estimator_of(before, alpha=0.1, fit_intercept=fit_intercept)
    made = ipc_ridge.IpcRidge(Contest(estimator, X, y).prepared)
    answers = made.answer(pairs, Execution())
    made._pooled = True
    pooled = made.answer(pairs, Execution())
    known = np.isfinite(pooled.error).all(axis=1)
    for k in np.flatnonzero(known):
        train = np.setdiff1d(np.arange(25), pairs[k])
        own = -estimator.fit(X[train], y[train]).predict(X[pairs[k]])
        off = own - pooled.response[k]
        assert np.all(np.abs(off) <= pooled.error[k])
        assert np.all(pooled.error[k] < 2e-7 * np.abs(own))
        assert abs(off[0] - off[1]) <= answers.error[k].sum() < 4e-7 * np.abs(own).max()
    # What rounding may have decided in the estimator's own system is left to it.
    assert known.all() or n > 3 or not fit_intercept
    assert known.all() or features in ("mixed scales", "offset", "heavy tails")


def test_units_that_differ_where_no_event_does_tie_without_refits():
    # The last two features are those of one censored unit each, and of no event.
    X, y = make(16, 2, seed=11, features="binary")
    rare = np.zeros((16, 2))
    rare[np.flatnonzero(~y["event"])[:2], [0, 1]] = 1.0
    for before in ("nothing", "StandardScaler", "mean"):
        played = assert_same_games(estimator_of(before), np.hstack([X, rare]), y)
        same = (X[:, None] == X[None, :]).all(axis=2)
        assert played.standings.n_ties >= (same.sum() - 16) / 2
        assert played.diagnostics.fits == 1


@whatever_it_warns
def test_samples_without_a_unique_fit_are_refitted():
    X, y = make(14, 3, seed=13, features="dependent")
    played = assert_same_games(estimator_of(alpha=0.0), X, y)
    assert played is None or played.diagnostics.fits == 1 + 91
    X, y = make(10, 20, seed=13)
    played = play(estimator_of(alpha=0.0), X, y)
    assert (played.engine, played.diagnostics.why_not_faster) == ("refit", NO_PENALTY)


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"solver": "svd"}, "The solution of IPCRidge would differ from that of solver='svd'."),
        ({"solver": "sag"}, "The solution of IPCRidge would differ from that of solver='sag'."),
        ({"positive": True}, "Coefficients that must be positive are not covered."),
        ({"alpha": np.ones(2)}, "IPCRidge needs one penalty that is a non-negative number."),
        ({"alpha": -1.0}, "IPCRidge needs one penalty that is a non-negative number."),
    ],
)
def test_what_is_not_covered_is_said(params, why):
    X, y = make(16, 2, seed=14)
    with pytest.raises(EngineError) as error:
        play(estimator_of(**params), X, y, engine="ipc-ridge")
    assert why in str(error.value)


def test_data_that_are_not_covered_are_refused():
    X, y = make(16, 3, seed=15)
    selected = make_pipeline(SelectKBest(k=2), IPCRidge())
    with pytest.raises(EngineError, match="IPCRidge after a selection of features is not covered"):
        play(selected, X, y, engine="ipc-ridge")
    with pytest.raises(EngineError, match="IPCRidge does not cover sparse data"):
        play(IPCRidge(), sparse.csr_array(X), y, engine="ipc-ridge")
    with pytest.raises(EngineError, match="does not cover the fit arguments weight"):
        play(IPCRidge(), X, y, engine="ipc-ridge", params={"weight": np.ones(16)})
    with pytest.raises(EngineError, match="computes in the precision of X"):
        play(IPCRidge(), X.astype(np.float32), y, engine="ipc-ridge")
    y["time"][3] = 0.0
    with pytest.raises(EngineError, match="that of 0 is infinite"):
        play(IPCRidge(), X, y, engine="ipc-ridge")


def test_missing_values_are_refused_as_by_a_refit():
    X, y = make(16, 3, seed=15)
    X[3, 1] = np.nan
    with pytest.raises(tlpo.GameError, match="Input X contains NaN"):
        play(IPCRidge(), X, y)


class Subclass(IPCRidge):
    """The same model, which the engine does not play: a subclass may override anything."""


def test_only_the_exact_type_is_played():
    X, y = make(12, 2, seed=16)
    assert play(Subclass(), X, y).engine == "refit"
    with pytest.raises(EngineError, match="does not play estimators of type Ridge"):
        Contest(Ridge(), X, y["event"], ContestOptions(engine="ipc-ridge")).play(Schedule())


def test_a_parameter_of_a_later_version_is_not_covered():
    class Later(IPCRidge):
        def __init__(self, alpha=1.0, *, power=2):
            super().__init__(alpha)
            self.power = power

    X, y = make(12, 2, seed=16)
    why = ipc_ridge.IpcRidge.why_not(Contest(Later(), X, y).prepared)
    assert why == "The solution of Later does not cover its parameter 'power'."


@pytest.mark.parametrize("before", ["nothing", "StandardScaler"])
def test_threads_change_nothing(before, monkeypatch):
    X, y = make(30, 3, seed=17)
    one = play(estimator_of(before), X, y, n_jobs=1)
    monkeypatch.setattr(ipc_ridge, "SETS_A_THREAD", 1)
    monkeypatch.setattr(ipc_ridge, "thread_count", lambda _: 3)
    other = play(estimator_of(before), X, y)
    assert np.array_equal(one.predictions.full(), other.predictions.full(), equal_nan=True)
