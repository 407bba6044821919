"""Cox regression without refitting against refits, game for game."""

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
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sksurv.datasets import load_veterans_lung_cancer
from sksurv.linear_model import CoxPHSurvivalAnalysis

import tlpo
from engines.cox.problems import FEATURES, TIMES, make
from engines.survival_games import BEFORE, NOT_FILLING, after, assert_same_games_by, gaps, play
from tlpo.engines.cox import engine as cox
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

MODELS = {"ours": tlpo.Cox, "scikit-survival's": CoxPHSurvivalAnalysis}
assert_same_games = partial(assert_same_games_by, "cox", rtol=1e-5)
both_models = pytest.mark.parametrize("whose", MODELS)


def cases(name, values, few):
    """Both models and some values; scikit-survival's refits, and most values, take long."""
    return pytest.mark.parametrize(
        ("whose", name),
        [
            pytest.param(
                whose,
                value,
                marks=() if whose == "ours" or value in few else pytest.mark.exhaustive,
            )
            for whose in MODELS
            for value in values
        ],
    )


def estimator_of(whose="ours", before="nothing", **params):
    model = MODELS[whose](**{"alpha": 1.0, **params})
    return after(before, model)


noisy = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]


def whatever_it_warns(test):
    """Refits of nasty data warn; that games are those of refits is all that is asked."""
    for mark in noisy:
        test = mark(test)
    return test


problems = st.integers(9, 14).flatmap(
    lambda m: st.builds(
        make,
        m=st.just(m),
        n=st.sampled_from([1, 2, 4, m - 1, m + 1]),
        seed=st.integers(0, 2**31),
        features=st.sampled_from(FEATURES),
        times=st.sampled_from(TIMES),
        effect=st.sampled_from([0.0, 0.7, 3.0]),
    )
)
estimators = st.builds(
    estimator_of,
    whose=st.sampled_from(list(MODELS)),
    before=st.sampled_from(NOT_FILLING),
    alpha=st.sampled_from([0.0, 1e-3, 0.1, 1.0, 1e3]),
    ties=st.sampled_from(["breslow", "efron"]),
)


@whatever_it_warns
@settings(max_examples=6, deadline=None)
@given(problems, estimators)
def test_games_against_refits(problem, estimator):
    assert_same_games(estimator, *problem)


@pytest.mark.exhaustive
@whatever_it_warns
@settings(max_examples=100, deadline=None)
@given(problems, estimators)
def test_many_games_against_refits(problem, estimator):
    assert_same_games(estimator, *problem)


@pytest.mark.exhaustive
@cases("before", BEFORE, few=["StandardScaler", "median"])
def test_ordinary_problems_are_not_refitted(whose, before):
    X, y = make(12, 3, seed=3)
    played = assert_same_games(estimator_of(whose, before), gaps(X, before), y)
    assert played is not None
    assert played.diagnostics.fits == 1
    assert played.standings.n_ties == 0


@pytest.mark.exhaustive
@whatever_it_warns
@both_models
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_all_times_and_preparations_against_refits(whose, before, times, ties):
    X, y = make(12, 3, seed=0, times=times)
    estimator = estimator_of(whose, before, ties=ties, alpha=0.5)
    assert assert_same_games(estimator, gaps(X, before), y) is not None


@cases("times", [name for name in TIMES if name != "plain"], few=["three times", "few events"])
def test_times_against_refits(whose, times):
    X, y = make(11, 2, seed=1, times=times)
    for ties in ("breslow", "efron"):
        played = assert_same_games(estimator_of(whose, "StandardScaler", ties=ties), X, y)
        assert played.diagnostics.fits == 1


@cases(
    "features",
    ["duplicates", "integers", "binary", "constant column", "all equal", "dependent"],
    few=["duplicates", "dependent"],
)
def test_ties_and_dependent_columns_against_refits(whose, features):
    X, y = make(12, 2, seed=2, features=features)
    played = assert_same_games(estimator_of(whose), X, y)
    assert played is not None
    assert (played.standings.n_ties > 0) == (features not in ("constant column", "dependent"))
    assert (played.standings.n_ties == 66) == (features == "all equal")


@pytest.mark.exhaustive
@cases(
    "features", ["times 1e5", "times 1e-5", "offset", "heavy tails"], few=["times 1e5", "offset"]
)
@pytest.mark.parametrize("before", ["nothing", "StandardScaler"])
def test_scales_against_refits(whose, features, before):
    X, y = make(12, 2, seed=4, features=features)
    played = assert_same_games(estimator_of(whose, before), X, y)
    # Exponentials of numbers so far from 0 overflow in scikit-survival, whoever asks.
    if (whose, features, before) == ("scikit-survival's", "offset", "nothing"):
        assert played is None
    else:
        assert played.diagnostics.fits < 5


@pytest.mark.exhaustive
@cases("n", [11, 12, 13, 30], few=[30])
@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "mean"])
def test_as_many_features_as_units_and_more_against_refits(whose, before, n):
    X, y = make(12, n, seed=5)
    played = assert_same_games(estimator_of(whose, before), gaps(X, before), y)
    assert played.diagnostics.fits == 1


@pytest.mark.parametrize("before", ["nothing", "StandardScaler"])
@pytest.mark.parametrize("n", [2, 20])
def test_units_that_are_all_the_same_tie(before, n):
    X, y = make(10, n, seed=0, features="all equal")
    played = assert_same_games(estimator_of("ours", before), X, y)
    assert played.standings.n_ties == 45
    assert played.diagnostics.fits == 1


@pytest.mark.exhaustive
@both_models
def test_words_and_numbers_against_refits(whose):
    X, y = make(12, 2, seed=6)
    frame = pd.DataFrame(X, columns=["age", "size"])
    frame["site"] = np.where(X[:, 0] > 0.3, "left", np.where(X[:, 1] > 0, "right", "both"))
    frame.loc[[2, 7], "age"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    steps = make_column_transformer(
        (numbers, ["age", "size"]), (OneHotEncoder(drop="first"), ["site"])
    )
    played = assert_same_games(make_pipeline(steps, MODELS[whose](alpha=1.0)), frame, y)
    assert played is not None


@pytest.mark.exhaustive
@both_models
def test_a_category_that_leaves_with_a_pair_against_refits(whose):
    X, y = make(12, 2, seed=6)
    frame = pd.DataFrame({"age": X[:, 0], "site": ["rare"] * 2 + ["common", "other"] * 5})
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["site"]),
        remainder="passthrough",
    )
    played = assert_same_games(make_pipeline(steps, MODELS[whose](alpha=1.0)), frame, y)
    assert played is not None


@cases("before", ["nothing", "mean"], few=["nothing"])
def test_groups_and_exclusions_against_refits(whose, before):
    X, y = make(13, 2, seed=7)
    order = np.random.default_rng(0).permutation(13)
    for options in (
        {"groups": np.repeat([0, 1, 2, 3, 4], [1, 2, 3, 3, 4])[order]},
        {"exclude": lambda i, j: [(i + j) % 13]},
    ):
        estimator = estimator_of(whose, before)
        assert assert_same_games(estimator, gaps(X, before), y, on_error="skip", **options)


@pytest.mark.exhaustive
@both_models
@pytest.mark.parametrize("before", ["nothing", "not centred", "mean"])
@pytest.mark.parametrize("n", [2, 30])
def test_held_out_sets_against_refits(whose, before, n):
    X, y = make(20, n, seed=8)
    X = gaps(X + 3.0, before)
    folds = np.array_split(np.random.default_rng(0).permutation(20), 6)
    for tests in ([np.array([k]) for k in range(20)], [np.sort(fold) for fold in folds]):
        fast, slow = (
            Contest(estimator_of(whose, before), X, y, ContestOptions(engine=engine)).hold_out(
                tests, "a"
            )
            for engine in ("cox", "refit")
        )
        assert fast.diagnostics.fits == 1
        for one, other in zip(fast.responses, slow.responses, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)


def test_pairs_that_are_pooled_have_errors_of_their_own():
    X, y = make(20, 2, seed=8)
    pair = np.array([3, 4])
    made = cox.Cox(Contest(estimator_of("scikit-survival's"), X + 100.0, y).prepared)
    _, apart = made.answer_pair(pair, Execution())
    made._pooled = True
    pooled = made.answer(pair[None], Execution()).error.sum()
    # A response counts from 0, far from all units; the difference of two does not.
    assert 0 < 5 * apart < pooled


@both_models
@pytest.mark.parametrize("before", ["nothing", "StandardScaler", "mean"])
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_units_drawn_repeatedly_against_fits(whose, before, ties):
    X, y = make(24, 3, seed=9)
    X = gaps(X, before)
    estimator = estimator_of(whose, before, ties=ties)
    rng = np.random.default_rng(0)
    draws = [Fit(rng.integers(24, size=24), np.arange(24)) for _ in range(5)]
    responses = cox.Cox(Contest(estimator, X, y).prepared).respond(draws)
    assert all(response is not None for response in responses)
    for fit, response in zip(draws, responses, strict=True):
        model = clone(estimator).fit(X[fit.train], y[fit.train])
        np.testing.assert_allclose(response, model.predict(X), rtol=1e-6, atol=1e-7)


def test_a_draw_without_a_unique_fit_is_left_to_fitting():
    X, y = make(24, 3, seed=9)
    made = cox.Cox(Contest(estimator_of(alpha=0.0), X, y).prepared)
    few = Fit(np.repeat(np.flatnonzero(y["event"])[:3], 8), np.arange(24))
    everyone = Fit(np.arange(24), np.arange(24))
    found = made.respond([few, everyone])
    assert found[0] is None
    assert found[1] is not None


@both_models
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_veterans_against_scikit_survivals_refits(whose, ties):
    # 70 patients of the Veterans' Administration lung cancer trial, refitted by scikit-survival.
    X, y = load_veterans_lung_cancer()
    X = X[["Age_in_years", "Karnofsky_score", "Months_from_Diagnosis"]].to_numpy(dtype=float)[:70]
    contest = Contest(estimator_of(whose, ties=ties), (X - X.mean(axis=0)) / X.std(axis=0), y[:70])
    played = contest.play(Schedule())
    assert played.engine == "cox"
    assert contest.outcome.n_ordered == 2250
    expected = {"breslow": 0.627556, "efron": 0.626222}[ties]
    assert played.standings.concordance(contest.outcome) == pytest.approx(expected, abs=5e-7)


@both_models
def test_hardly_any_game_is_refitted(whose):
    X, y = make(60, 5, seed=10)
    played = play(estimator_of(whose, "StandardScaler"), X, y)
    assert played.engine == "cox"
    assert played.diagnostics.fits <= 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("tol", [1e-6, 1e-9])
def test_errors_cover_where_scikit_survival_stops(alpha, tol):
    params = {"alpha": alpha, "ties": "breslow"}
    pairs = np.random.default_rng(0).permutation(np.stack(np.triu_indices(30, 1), axis=1))[:25]
    off, error, rounding = [], [], []
    for seed, effect in enumerate((0.0, 0.7, 2.0)):
        X, y = make(30, 3, seed, times="whole numbers", effect=effect)
        theirs = CoxPHSurvivalAnalysis(tol=tol, **params)
        answers, converged = (
            cox.Cox(Contest(model, X, y).prepared).answer(pairs, Execution())
            for model in (theirs, tlpo.Cox(**params))
        )
        error += answers.error.sum(axis=1).tolist()
        rounding += converged.error.sum(axis=1).tolist()
        for pair, response in zip(pairs, answers.response, strict=True):
            train = np.setdiff1d(np.arange(30), pair)
            own = theirs.fit(X[train], y[train]).predict(X[pair])
            off.append(abs((own[0] - own[1]) - (response[0] - response[1])))
    assert np.all(np.array(off) <= error)
    assert np.max(error) < 1e4 * tol
    # Taken for converged, it would be farther off than is said.
    assert np.any(np.array(off) > rounding)


@pytest.mark.exhaustive
@pytest.mark.parametrize("features", ["mixed scales", "offset", "times 1e5", "duplicates"])
@pytest.mark.parametrize("before", ["nothing", "centred", "RobustScaler"])
@pytest.mark.parametrize("n", [3, 26])
def test_errors_cover_rounding(features, before, n):
    estimator = estimator_of("ours", before, alpha=0.1)
    pairs = np.random.default_rng(0).permutation(np.stack(np.triu_indices(25, 1), axis=1))[:8]
    for seed in (0, 1):
        X, y = make(25, n, seed, features=features, times="whole numbers")
        answers = cox.Cox(Contest(estimator, X, y).prepared).answer(pairs, Execution())
        for pair, response, error in zip(pairs, *answers, strict=True):
            train = np.setdiff1d(np.arange(25), pair)
            own = estimator.fit(X[train], y[train]).predict(X[pair])
            off = abs((own[0] - own[1]) - (response[0] - response[1]))
            most = 1e-2 if n > 25 else 1e-4
            assert off <= error.sum() < most * max(1.0, np.abs(own).max())


def test_a_penalty_of_each_feature_against_refits():
    X, y = make(14, 3, seed=12)
    for alpha in (np.array([0.5, 2.0, 0.0]), np.array([1e-20, 0.0, 0.0])):
        estimator = estimator_of("scikit-survival's", "StandardScaler", alpha=alpha)
        assert assert_same_games(estimator, X, y) is not None


def test_penalties_of_other_features_are_refused_as_by_a_refit():
    X, y = make(16, 3, seed=12)
    estimator = estimator_of("scikit-survival's", alpha=np.ones(2))
    with pytest.raises(tlpo.GameError, match="must match number of features"):
        play(estimator, X, y)


@whatever_it_warns
def test_games_without_a_maximum_are_left_to_scikit_survival():
    # Without a penalty, some pairs are all that keeps a feature from telling the order.
    X, y = make(12, 2, seed=4, times="few events")
    played = assert_same_games(estimator_of("scikit-survival's", alpha=0.0), X, y)
    # On some processors scikit-survival meets a singular matrix, and both fail alike.
    assert played is None or played.diagnostics.fits == 4


def test_games_without_a_maximum_fail_as_by_refits():
    X, y = make(12, 2, seed=4, times="few events")
    with pytest.raises(tlpo.GameError, match="tells the order of the events"):
        play(estimator_of(alpha=0.0), X, y)
    played = play(estimator_of(alpha=0.0), X, y, on_error="skip")
    why = "The estimator fails on a game that rounding would decide."
    assert (played.engine, played.diagnostics.why_not_faster) == ("refit", why)
    assert sum(played.diagnostics.failures.values()) == 3


@whatever_it_warns
def test_samples_without_a_unique_fit_are_refitted():
    X, y = make(14, 3, seed=13, features="dependent")
    played = play(estimator_of("scikit-survival's", alpha=0.0), X, y, on_error="skip")
    assert played.engine == "refit"
    assert cox.NO_FIT in played.diagnostics.why_not_faster
    X, y = make(10, 20, seed=13)
    with pytest.raises(tlpo.GameError, match="Some features are constant or depend on others"):
        play(estimator_of(alpha=0.0), X, y)


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"tol": 1e-3}, "Where CoxPHSurvivalAnalysis stops with tol=0.001 is unknown"),
        ({"tol": 0.0}, "Where CoxPHSurvivalAnalysis stops with tol=0.0 is unknown"),
        ({"n_iter": 10}, "CoxPHSurvivalAnalysis takes 5 of at most 10 steps"),
        ({"verbose": 1}, "CoxPHSurvivalAnalysis with verbose=1 reports its own fits."),
    ],
)
def test_what_scikit_survivals_solver_does_must_be_known(params, why):
    X, y = make(16, 2, seed=14)
    with pytest.raises(EngineError) as error:
        play(estimator_of("scikit-survival's", **params), X, y, engine="cox")
    assert why in str(error.value)


def test_exponentials_that_may_overflow_are_left_to_scikit_survival():
    X, y = make(11, 2, seed=14)
    X += 1000.0
    with pytest.raises(EngineError, match="may overflow in CoxPHSurvivalAnalysis"):
        play(estimator_of("scikit-survival's"), X, y, engine="cox")
    assert assert_same_games(estimator_of("scikit-survival's"), X, y) is None
    assert assert_same_games(estimator_of(), X, y) is not None


def test_what_is_not_covered_is_said():
    X, y = make(16, 3, seed=15)
    selected = make_pipeline(SelectKBest(k=2), tlpo.Cox())
    with pytest.raises(EngineError, match="after a selection of features is not covered"):
        play(selected, X, y, engine="cox")
    with pytest.raises(EngineError, match="does not cover sparse data"):
        play(tlpo.Cox(), sparse.csr_array(X), y, engine="cox")
    with pytest.raises(EngineError, match="does not cover the fit arguments weight"):
        play(tlpo.Cox(), X, y, engine="cox", params={"weight": np.ones(16)})
    with pytest.raises(EngineError, match="needs a penalty that is a non-negative number"):
        play(tlpo.Cox(alpha=-1.0), X, y, engine="cox")
    with pytest.raises(EngineError, match="does not know ties='exact'"):
        play(tlpo.Cox(ties="exact"), X, y, engine="cox")


def test_missing_values_are_refused_as_by_a_refit():
    X, y = make(16, 3, seed=15)
    X[3, 1] = np.nan
    with pytest.raises(tlpo.GameError, match="Input X contains NaN"):
        play(tlpo.Cox(), X, y)


class Subclass(tlpo.Cox):
    """The same model, which the engine does not play: a subclass may override anything."""


def test_only_the_exact_types_are_played():
    X, y = make(12, 2, seed=16)
    assert play(Subclass(), X, y).engine == "refit"
    Same = type("CoxPHSurvivalAnalysis", (CoxPHSurvivalAnalysis,), {})
    Same.__module__ = CoxPHSurvivalAnalysis.__module__
    assert Same not in cox.Cox.estimators
    assert {CoxPHSurvivalAnalysis, tlpo.Cox} == set(cox.Cox.estimators)
    with pytest.raises(EngineError, match="does not play estimators of type LogisticRegression"):
        Contest(LogisticRegression(), X, y["event"], ContestOptions(engine="cox")).play(Schedule())


@pytest.mark.parametrize("n", [3, 40])
def test_threads_change_nothing(n, monkeypatch):
    X, y = make(30, n, seed=17)
    one = play(estimator_of("ours", "StandardScaler"), X, y, n_jobs=1)
    monkeypatch.setattr(cox, "SETS_A_THREAD", 1)
    monkeypatch.setattr(cox, "thread_count", lambda _: 3)
    other = play(estimator_of("ours", "StandardScaler"), X, y)
    assert np.array_equal(one.predictions.full(), other.predictions.full(), equal_nan=True)
