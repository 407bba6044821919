"""LogisticRegressionCV without refitting against its fits: every response, and every game."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import fbeta_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import tlpo
from engines.agreement import KINDS, assert_refitted, assert_same_wins, make
from tlpo.engines.logistic.grid import is_followed
from tlpo.engines.logistic.tuned import LogisticCV
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

pytestmark = pytest.mark.skipif(
    not is_followed(), reason="another LogisticRegressionCV than that of scikit-learn 1.9"
)


def agreeing(actual, predicted):
    """A score of one's own."""
    return np.mean(actual == predicted) - 0.1 * np.mean(predicted == 1)


SCORERS = {
    "default": None,
    "log loss": "neg_log_loss",
    "auc": "roc_auc",
    "brier": "neg_brier_score",
    "balanced": "balanced_accuracy",
    "f1": "f1",
    "precision": "average_precision",
    "fbeta": make_scorer(fbeta_score, beta=2.0),
    "own": make_scorer(agreeing),
    "partial auc": make_scorer(roc_auc_score, response_method="decision_function", max_fpr=0.5),
}
SPLITTERS = {
    "three": 3,
    "shuffled": StratifiedKFold(3, shuffle=True, random_state=1),
    "unstratified": KFold(3, shuffle=True, random_state=2),
    "repeated": RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
    "drawn": StratifiedShuffleSplit(3, test_size=0.4, random_state=0),
}
PARAMETERS = {
    "grid": {"Cs": [0.01, 0.1, 1.0, 10.0]},
    "falling": {"Cs": [100.0, 1.0, 1.0, 0.01]},
    "unlimited": {"Cs": [0.1, 10.0, np.inf], "max_iter": 1000},
    "no intercept": {"fit_intercept": False},
    "weights": {"class_weight": {0: 1.0, 1: 3.0}},
    "balanced": {"class_weight": "balanced"},
    "exact": {"tol": 1e-6},
    "coarse": {"tol": 1e-2},
}


def tuned(scorer="log loss", splitter="three", scaled=True, **params):
    own = {"l1_ratios": (0,), "use_legacy_attributes": False, "Cs": 5, **params}
    model = LogisticRegressionCV(scoring=SCORERS[scorer], cv=SPLITTERS[splitter], **own)
    return make_pipeline(StandardScaler(), model) if scaled else model


def sample(kind="plain", m=20, n=3, n_positive=9, seed=0):
    return make(kind, m, n, n_positive, 0.7, seed)


def engine_of(model, X, y, **options):
    return LogisticCV(Contest(model, X, y, ContestOptions(**options)).prepared)


def assert_same_responses(model, X, y, count=3, seed=0):
    """Without some pairs the engine responds as the model does; returns how often it could tell."""
    rng = np.random.default_rng(seed)
    pairs = np.sort([rng.choice(len(y), 2, replace=False) for _ in range(count)], axis=1)
    response, error = engine_of(model, X, y).bracket(pairs, Execution())
    for pair, found, slack in zip(pairs, response, error, strict=True):
        if not np.isfinite(slack).all():
            continue
        train = np.setdiff1d(np.arange(len(y)), pair)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = clone(model).fit(X[train], y[train]).decision_function(X[pair])
        assert np.all(np.abs(own - found) <= slack + 1e-12 * np.abs(own)), pair
    return np.count_nonzero(np.isfinite(error).all(axis=1))


def assert_same_games(model, X, y, **options):
    fast = tlpo.tournament(model, X, y, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slow = tlpo.tournament(model, X, y, engine="refit", **options)
    assert fast.engine == "logistic", fast.diagnostics.why_not_faster
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.n_ties == slow.n_ties
    return fast


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_score_chooses_as_the_estimator_does(scorer):
    assert assert_same_responses(tuned(scorer), *sample(seed=3)) == 3


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_every_splitter_is_called_on_the_pairs_own_training_set(splitter):
    assert assert_same_responses(tuned("auc", splitter, scaled=False), *sample(seed=4)) == 3


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_parameter(name):
    model = tuned("default", **PARAMETERS[name])
    assert assert_same_responses(model, *sample(seed=5)) == 3


def test_paths_of_folds_against_those_of_the_estimator():
    X, y = sample(m=60, n=3, n_positive=25)
    model = tuned(scaled=False, Cs=10, use_legacy_attributes=True)
    engine = engine_of(model, X, y)
    nobody = np.empty((1, 0), dtype=np.intp)
    followed = engine._follow(nobody, engine._full, Execution())
    own = clone(model).fit(X, y)
    paths = own.coefs_paths_[1][:, :, 0]
    assert followed.means[0, 0] == pytest.approx(paths.mean(axis=0), abs=1e-8)
    assert np.all(followed.error < 1e-5)
    for number in range(3):
        units = followed.units[0, number]
        own_response = X[units] @ paths[number, :, :-1].T + paths[number, :, -1]
        off = np.abs(followed.response[0, number] - own_response.T)
        assert np.all(off <= followed.error[0, number][:, None])
    low, high, _ = engine._bounds(followed)
    assert np.all((low[0] <= own.scores_[1][:, :, 0]) & (own.scores_[1][:, :, 0] <= high[0]))
    assert engine.grid.Cs[engine._choose(followed)[0]] == own.C_[0]


@pytest.mark.parametrize(
    "model",
    [
        tuned(Cs=3),
        tuned("auc", scaled=False, Cs=3),
        tuned("default", "shuffled", class_weight="balanced", Cs=3),
    ],
    ids=["log loss", "auc", "accuracy"],
)
def test_games(model):
    assert_same_games(model, *sample(m=10, n_positive=5))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scorer", ["default", "log loss"])
def test_games_on_nasty_tables(kind, scorer):
    X, y = sample(kind, 11, 3, 5, seed=len(kind))
    number = len(kind) + len(scorer)
    splitter = list(SPLITTERS)[number % 5]
    name = list(PARAMETERS)[number % 8]
    model = tuned(scorer, splitter, scaled=number % 3 > 0, **PARAMETERS[name])
    assert_same_wins(model, X, y)


@pytest.mark.exhaustive
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("scorer", SCORERS)
def test_responses_on_nasty_tables(splitter, scorer):
    told = 0
    first = list(SPLITTERS).index(splitter) + list(SCORERS).index(scorer)
    for number, kind in enumerate(("plain", KINDS[first % 10])):
        X, y = sample(kind, 15, (3, 20)[number % 2], 7, seed=first)
        try:
            told += assert_same_responses(tuned(scorer, splitter), X, y, 3, first)
        except tlpo.errors.EngineError:
            assert kind != "plain"
    assert told > 0


def test_choices_are_counted():
    X, y = sample(m=12, n_positive=6)
    engine = engine_of(tuned("log loss", Cs=[1e-5, 1.0]), X, y)
    assert engine.chosen().n_models == 0
    pairs = np.array([[0, 1], [9, 2], [3, 4]])
    engine.answer(pairs, Execution())
    expected = {"C = 1e-05": 0, "C = 1": 0}
    for pair in pairs:
        train = np.setdiff1d(np.arange(12), pair)
        expected[f"C = {tuned(Cs=[1e-5, 1.0]).fit(X[train], y[train])[-1].C_:.3g}"] += 1
    assert engine.chosen().n_models == 3
    assert engine.chosen().settings == {what: n for what, n in expected.items() if n}


def test_more_features_than_units():
    X, y = sample(m=14, n=30, n_positive=6)
    assert assert_same_responses(tuned(), X, y) == 3


def test_the_first_label_may_be_the_positive_one():
    X, y = sample(m=10, n_positive=5)
    names = np.where(y == 1, "ill", "well")
    assert_same_games(tuned("f1", Cs=3), X, names, positive="ill")


@pytest.mark.exhaustive
def test_units_of_a_group_leave_together():
    X, y = sample(m=12, n_positive=6)
    assert_same_games(tuned("auc", Cs=3), X, y, groups=np.repeat(np.arange(6), 2))


@pytest.mark.exhaustive
def test_a_frame_with_gaps_behind_an_imputer():
    X, y = sample(m=10, n_positive=5)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.loc[[1, 5], "b"] = np.nan
    model = make_pipeline(SimpleImputer(), MinMaxScaler(), tuned("log loss", scaled=False, Cs=3))
    assert_same_games(model, frame, y)


def test_held_out_sets_of_other_sizes():
    X, y = sample(m=16, n_positive=8)
    tests = [np.arange(3), np.arange(3, 8), np.array([15])]
    engine = engine_of(tuned(Cs=3), X, y)
    for test, found in zip(tests, engine.hold_out(tests, Execution()).responses, strict=True):
        train = np.setdiff1d(np.arange(16), test)
        own = tuned(Cs=3).fit(X[train], y[train])
        assert found == pytest.approx(own.decision_function(X[test]), abs=1e-7)


def test_a_penalty_whose_solver_does_not_move_has_the_scores_of_the_one_before():
    X, y = sample(m=20)
    model = tuned("log loss", Cs=[1e-6, 1e5, 1e5, 1e5], tol=1e-3, max_iter=1000)
    engine = engine_of(model, X, y)
    pairs = np.array([[0, 1], [2, 9]])
    followed = engine._follow(pairs, engine._fitted(pairs), Execution())
    assert np.array_equal(followed.response[:, :, 1], followed.response[:, :, 2])
    assert assert_same_responses(model, X, y) == 3


def test_choices_that_rounding_could_make_are_left_to_the_estimator():
    engine = engine_of(tuned(), *sample())
    pairs = np.array([[0, 1], [2, 9]])
    followed = engine._follow(pairs, engine._fitted(pairs), Execution())
    assert (engine._choose(followed) >= 0).all()
    followed.error[1] = 10.0
    chosen = engine._choose(followed)
    assert chosen[0] >= 0
    assert chosen[1] == -1
    _, error = engine._finish(pairs, engine._fitted(pairs), chosen, followed.means, Execution())
    assert np.isfinite(error[0]).all()
    assert np.isinf(error[1]).all()


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (tuned(solver="newton-cholesky"), "only the path of the solver 'lbfgs' is followed"),
        (tuned(solver="saga", l1_ratios=(0.5,)), "L1 and elastic-net penalties"),
        (tuned(refit=False), "averages coefficients"),
        (tuned(max_iter=2), "does not converge within 2 iterations"),
        (make_pipeline(SelectKBest(k=1), tuned(scaled=False)), "after a selection of features"),
        (tuned(scaled=False).set_params(cv=KFold(2, shuffle=True)), "other folds each time"),
        (tuned(scaled=False).set_params(scoring=lambda model, X, y: 0.0), "function of its own"),
    ],
)
def test_what_is_not_covered_is_refitted_and_says_why(model, why):
    X, y = sample(m=7, n=2, n_positive=3)
    assert_refitted(model, X, y, why)


def test_sample_weights_are_refitted():
    X, y = sample(m=8, n=2, n_positive=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        params = {"sample_weight": np.ones(8)}
        played = tlpo.tournament(tuned(scaled=False), X, y, params=params)
    assert played.engine == "refit"
    assert "does not cover the fit arguments sample_weight" in played.diagnostics.why_not_faster


def test_folds_of_one_unit():
    X, y = sample(m=8, n_positive=4)
    model = tuned("default", scaled=False).set_params(cv=LeaveOneOut(), Cs=2)
    assert_same_games(model, X, y)


def test_other_versions_are_refused(monkeypatch):
    from tlpo.engines.logistic import grid

    monkeypatch.setattr(grid, "FOLLOWED_VERSIONS", ())
    assert "are not known" in grid.grid_of(LogisticRegressionCV())


@pytest.mark.parametrize("name", ["grid", "balanced", "weights", "no intercept"])
@pytest.mark.parametrize("splitter", ["three", "unstratified"])
def test_units_drawn_repeatedly_against_fits(name, splitter):
    X, y = sample(m=30, n_positive=13, seed=1)
    model = tuned("log loss", splitter, **PARAMETERS[name])
    rng, everyone = np.random.default_rng(2), np.arange(30)
    fits = [Fit(rng.integers(30, size=30), everyone) for _ in range(3)]
    fits.append(Fit(rng.integers(30, size=24), everyone[:7]))
    responses = engine_of(model, X, y).respond(fits)
    assert sum(found is not None for found in responses) >= 2
    for fit, found in zip(fits, responses, strict=True):
        own = clone(model).fit(X[fit.train], y[fit.train]).decision_function(X[fit.test])
        assert found is None or found == pytest.approx(own, abs=1e-7)


def test_resamples_are_fitted_where_rounding_could_change_an_auc():
    X, y = sample(m=20)
    X = np.vstack([X, X[:2]])  # the same values with either label
    y = np.append(y, 1 - y[:2])
    everyone = np.arange(22)
    assert engine_of(tuned(), X, y).respond([Fit(everyone, everyone)]) == [None]


def test_folds_that_are_nearly_separated_seldom_leave_a_choice_open():
    rng = np.random.default_rng(50)
    X = rng.normal(size=(50, 10))
    y = (X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=50) > 0).astype(int)
    pairs = np.array([[0, 22], [0, 25], [0, 38], [1, 2], [3, 34]])
    model = tuned("log loss", Cs=10)
    engine = engine_of(model, X, y)
    _, error = engine.bracket(pairs, Execution())
    assert np.isfinite(error).all()
    assert_same_responses(model, X, y, count=10)


@pytest.mark.parametrize("scorer", ["auc", "log loss"])
def test_games_alone_need_no_choice_where_penalties_agree(scorer):
    X, y = sample(m=24, n_positive=11)
    model = tuned(scorer, Cs=4)
    contests = [Contest(model, X, y, ContestOptions(predictions=kept)) for kept in (True, False)]
    whole, alone = (contest.play(Schedule()) for contest in contests)
    assert np.array_equal(whole.standings.wins, alone.standings.wins)
    assert contests[0].chosen().n_models == 24 * 23 // 2
    assert contests[1].chosen() is None


def test_listed_games_have_the_responses_of_the_choice():
    X, y = sample(m=20)
    games = np.array([[0, 1], [2, 9]])
    kept, alone = (
        Contest(tuned(), X, y, ContestOptions(predictions=kept)).play(Schedule(listed=games))
        for kept in (True, False)
    )
    assert np.array_equal(kept.responses, alone.responses)
