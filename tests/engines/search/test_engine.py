"""Searches without refitting against searches: the choice of every pair, and every game."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.metrics import fbeta_score, make_scorer, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVR

import tlpo
from engines.agreement import KINDS, assert_refitted, assert_same_wins, make
from tlpo.engines.preparation.prepared import unprepared
from tlpo.engines.search.engine import Search
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem


def cautious(actual, predicted):
    """A score of one's own."""
    return np.mean(actual == predicted) - 0.1 * np.mean(predicted == 1)


MODELS = {
    "logistic": (LogisticRegression(max_iter=1000), {"C": [0.01, 1.0, 100.0]}),
    "scaled logistic": (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [0.01, 0.1, 1.0, 10.0]},
    ),
    "balanced": (
        LogisticRegression(max_iter=1000),
        [{"C": [0.1, 1.0]}, {"C": [1.0], "class_weight": ["balanced"]}],
    ),
    "ridge": (RidgeClassifier(), {"alpha": [0.01, 1.0, 100.0]}),
    "scaled ridge": (
        make_pipeline(StandardScaler(), RidgeClassifier()),
        {"ridgeclassifier__alpha": [0.01, 1.0, 100.0]},
    ),
    "selection": (
        make_pipeline(SelectKBest(k=1), RidgeClassifier()),
        {"selectkbest__k": [1, 2], "ridgeclassifier__alpha": [0.1, 10.0]},
    ),
    "neighbours": (KNeighborsClassifier(), {"n_neighbors": [1, 2, 3], "weights": ["uniform"]}),
    "distances": (KNeighborsClassifier(weights="distance"), {"n_neighbors": [2, 3, 4]}),
    "bayes": (GaussianNB(), {"var_smoothing": [1e-9, 0.1, 1.0]}),
    "discriminant": (LinearDiscriminantAnalysis(), {"tol": [1e-4, 1e-3]}),
}
SPLITTERS = {
    "three": 3,
    "shuffled": StratifiedKFold(3, shuffle=True, random_state=1),
    "unstratified": KFold(3, shuffle=True, random_state=2),
    "repeated": RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
    "drawn": StratifiedShuffleSplit(3, test_size=0.4, random_state=0),
}
SCORERS = {
    "default": None,
    "auc": "roc_auc",
    "log loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "balanced": "balanced_accuracy",
    "f1": "f1",
    "precision": "average_precision",
    "matthews": make_scorer(matthews_corrcoef),
    "fbeta": make_scorer(fbeta_score, beta=2.0, pos_label=0),
    "own": make_scorer(cautious),
    "partial auc": make_scorer(
        roc_auc_score,
        response_method=("decision_function", "predict_proba"),
        max_fpr=0.5,
    ),
}
NEEDS_PROBABILITIES = ("log loss", "brier")


def search_of(model="scaled logistic", splitter="three", scorer="default"):
    estimator, grid = MODELS[model]
    return GridSearchCV(
        clone(estimator), grid, cv=SPLITTERS[splitter], scoring=SCORERS[scorer], n_jobs=1
    )


def engine_of(search, X, y, **options):
    return Search(unprepared(search, make_problem(X, y, **options)))


def assert_same_choice(search, X, y, pairs):
    """Without each pair the engine takes what the search takes; returns how often it could tell."""
    engine = engine_of(search, X, y)
    chosen = engine._choose(pairs, Execution())
    for pair, choice in zip(pairs, chosen, strict=True):
        train = np.setdiff1d(np.arange(len(y)), pair)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = clone(search).fit(X[train], engine.asked.labels[train])
        if choice >= 0:
            assert choice == own.best_index_, (pair, own.cv_results_["mean_test_score"])
    return np.count_nonzero(chosen >= 0)


def assert_same_games(search, X, y, **options):
    fast = tlpo.tournament(search, X, y, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slow = tlpo.tournament(search, X, y, engine="refit", **options)
    assert fast.engine == "search", fast.diagnostics.why_not_faster
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.n_ties == slow.n_ties
    return fast


def sample(kind="plain", m=16, n=3, n_positive=7, seed=0):
    return make(kind, m, n, n_positive, 1.0, seed)


def some_pairs(m, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.sort([rng.choice(m, 2, replace=False) for _ in range(count)], axis=1)


def usual(model, scorer):
    has_probabilities = model not in ("ridge", "scaled ridge", "selection")
    return has_probabilities or scorer not in NEEDS_PROBABILITIES


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_score_chooses_as_the_search_does(scorer):
    X, y = sample(m=20, n_positive=9, seed=3)
    pairs = some_pairs(20, 6)
    assert assert_same_choice(search_of(scorer=scorer), X, y, pairs) == len(pairs)


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_every_splitter_is_called_on_the_pairs_own_training_set(splitter):
    X, y = sample(m=20, n_positive=9, seed=4)
    pairs = some_pairs(20, 6)
    search = search_of("scaled ridge", splitter, "auc")
    assert assert_same_choice(search, X, y, pairs) == len(pairs)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_chooses_as_the_search_does(model):
    X, y = sample(m=20, n_positive=9, seed=5)
    pairs = some_pairs(20, 6)
    assert assert_same_choice(search_of(model, scorer="auc"), X, y, pairs) == len(pairs)


@pytest.mark.exhaustive
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("model", MODELS)
def test_choices_on_nasty_tables(model, scorer):
    told = 0
    if not usual(model, scorer):
        pytest.skip("has no probabilities")
    first = list(MODELS).index(model) + list(SCORERS).index(scorer)
    for number, kind in enumerate(("plain", *KINDS[first % 5 :: 5])):
        X, y = sample(kind, 15, 3, 7, seed=first)
        search = search_of(model, list(SPLITTERS)[(first + number) % 5], scorer)
        try:
            told += assert_same_choice(search, X, y, some_pairs(15, 4, first))
        except tlpo.errors.EngineError:
            assert kind != "plain"
    assert told > 0


@pytest.mark.parametrize(
    "search",
    [
        search_of("scaled logistic", "three", "auc"),
        search_of("neighbours", "three", "default"),
        search_of("ridge", "shuffled", "f1"),
        RidgeClassifierCV(alphas=[0.01, 1.0, 100.0], cv=3),
        RidgeCV(alphas=[0.01, 1.0, 100.0], cv=3),
        GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=3, scoring="neg_mean_squared_error"),
    ],
    ids=lambda search: type(search).__name__,
)
def test_games(search):
    X, y = sample(m=9, n_positive=4)
    assert_same_games(search, X, y)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_games_on_nasty_tables(model, kind):
    X, y = sample(kind, 11, 3, 5, seed=len(model))
    search = search_of(model, "three", "auc" if len(kind) % 2 else "default")
    assert_same_wins(search, X, y)


@pytest.mark.exhaustive
def test_the_first_label_may_be_the_positive_one():
    X, y = sample(m=8, n_positive=4)
    names = np.where(y == 1, "ill", "well")
    for model in ("scaled logistic", "neighbours"):
        search = search_of(model, "three", "auc").set_params(cv=2)
        assert_same_games(search, X, names, positive="ill")


@pytest.mark.exhaustive
def test_units_of_a_group_leave_together():
    X, y = sample(m=12, n_positive=6)
    groups = np.repeat(np.arange(6), 2)
    fast = assert_same_games(search_of("scaled ridge", "three", "auc"), X, y, groups=groups)
    assert fast.diagnostics.fits == 1


def test_numbers_are_ordered_by_a_tuned_regression():
    X, _ = sample(m=11)
    y = np.round(X[:, 0] + np.random.default_rng(0).normal(size=11), 2) * 1000.0
    for search in (
        RidgeCV(alphas=[0.01, 1.0, 100.0], cv=3),
        GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 9.0]}, cv=3),
    ):
        fast = tlpo.concordance(search, X, y)
        slow = tlpo.concordance(search, X, y, engine="refit")
        assert fast.engine == "search"
        assert np.array_equal(fast.standings.wins, slow.standings.wins)


@pytest.mark.exhaustive
def test_a_frame_with_gaps_behind_an_imputer():
    X, y = sample(m=12, n_positive=6)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.loc[[1, 5], "b"] = np.nan
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1.0]}, cv=2)
    assert_same_games(search, frame, y)


def test_candidates_drawn_from_distributions():
    X, y = sample(m=16)
    search = RandomizedSearchCV(
        LogisticRegression(), {"C": stats.loguniform(1e-2, 1e2)}, n_iter=4, cv=3, random_state=1
    )
    assert assert_same_choice(search, X, y, some_pairs(16, 4)) == 4
    search.set_params(random_state=None, cv=2)
    X, y = sample(m=8, n_positive=4)
    played = tlpo.tournament(search, X, y)
    assert played.engine == "refit"
    assert "give it a random_state" in played.diagnostics.why_not_faster


def test_one_of_several_scores_decides():
    X, y = sample(m=16)
    scoring = {"a": "accuracy", "b": "roc_auc"}
    for names, refit in ((scoring, "b"), (["accuracy", "f1"], "f1")):
        search = GridSearchCV(
            RidgeClassifier(), {"alpha": [0.1, 10.0]}, cv=3, scoring=names, refit=refit
        )
        engine = engine_of(search, X, y)
        for pair, choice in zip(
            some_pairs(16, 5), engine._choose(some_pairs(16, 5), Execution()), strict=True
        ):
            train = np.setdiff1d(np.arange(16), pair)
            assert choice == clone(search).fit(X[train], y[train]).best_index_


@pytest.mark.parametrize(
    ("search", "why"),
    [
        (GridSearchCV(LinearSVR(), {"C": [1.0, 10.0]}, cv=2), "LinearSVR is refitted"),
        (
            GridSearchCV(RidgeClassifier(), {"alpha": [1.0, 2.0]}, cv=2, refit=lambda results: 0),
            "only if it takes the best score",
        ),
        (
            GridSearchCV(RidgeClassifier(), {"alpha": [1.0, 2.0]}, cv=KFold(2, shuffle=True)),
            "draws other folds each time",
        ),
        (
            GridSearchCV(
                LogisticRegression(),
                {"C": [1.0, 2.0]},
                cv=2,
                scoring=lambda model, X, y: model.score(X, y),
            ),
            "a function of its own",
        ),
        (
            GridSearchCV(RidgeClassifier(), {"alpha": [1.0, 2.0]}, cv=2, scoring="top_k_accuracy"),
            "top_k_accuracy_score are refitted",
        ),
        (RidgeClassifierCV(cv=2, class_weight="balanced"), "with class weights is refitted"),
    ],
)
def test_what_is_not_covered_is_refitted_and_says_why(search, why):
    X, y = sample(m=7, n=2, n_positive=3)
    assert_refitted(search, X, y, why)


def test_folds_with_one_class_have_no_auc_and_the_first_candidate_is_taken():
    X, y = sample(m=9, n_positive=4)
    search = GridSearchCV(
        RidgeClassifier(), {"alpha": [1.0, 100.0]}, cv=LeaveOneOut(), scoring="roc_auc"
    )
    engine = engine_of(search, X, y)
    assert engine._choose(some_pairs(9, 5), Execution()).tolist() == [0] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same_games(search, X, y)


def test_a_training_fold_with_one_class_is_left_to_the_search():
    X, y = sample(m=9, n_positive=3)
    order = np.argsort(y)  # the first two of three folds hold all of one class, but for a pair
    search = GridSearchCV(RidgeClassifier(), {"alpha": [1.0, 100.0]}, cv=KFold(2))
    engine = engine_of(search, X[order], y[order])
    pair = np.array([[0, 8]])
    assert engine._choose(pair, Execution())[0] in (-1, 0)


def test_scores_too_close_to_call_are_fitted(monkeypatch):
    X, y = sample(m=14, n_positive=7)
    search = search_of("ridge", "three", "auc")
    engine = engine_of(search, X, y)
    pairs = some_pairs(14, 5)
    expected = engine._choose(pairs, Execution())
    fitted = []
    for inner in engine.inner:
        answer = inner.answer
        monkeypatch.setattr(
            inner,
            "answer",
            lambda sets, execution, answer=answer: answer(sets, execution)._replace(
                error=np.full(sets.shape, np.inf)
            ),
        )
    own = engine._fit_fold
    monkeypatch.setattr(engine, "_fit_fold", lambda *cell: fitted.append(cell) or own(*cell))
    engine._chosen.clear()
    assert np.array_equal(engine._choose(pairs, Execution()), expected)
    assert len(fitted) == 5 * 3 * 3


@pytest.mark.exhaustive
def test_close_games_are_settled_by_the_candidate_that_was_chosen():
    X, y = sample("duplicates", m=10, n_positive=5, seed=2)
    X[0] = X[1] + 1e-13
    assert_same_games(search_of("scaled logistic", "three", "default"), X, y)


@pytest.mark.parametrize("name", ["scaled logistic", "ridge", "neighbours", "bayes"])
def test_games_alone_need_no_choice_where_candidates_agree(name):
    X, y = make("plain", 24, 3, 11, 0.7, 0)
    model = GridSearchCV(*MODELS[name], cv=3, scoring="roc_auc")
    contests = [Contest(model, X, y, ContestOptions(predictions=kept)) for kept in (True, False)]
    whole, alone = (contest.play(Schedule()) for contest in contests)
    assert np.array_equal(whole.standings.wins, alone.standings.wins)
    assert contests[0].chosen().n_models == 24 * 23 // 2
    assert contests[1].chosen() is None


@pytest.mark.parametrize("cv", [KFold(3), 11])
def test_games_alone_are_chosen_for_where_a_fold_may_lack_a_class(cv):
    X, y = make("plain", 24, 3, 11, 0.7, 0)
    model = GridSearchCV(*MODELS["ridge"], cv=cv)
    contest = Contest(model, X, y, ContestOptions(predictions=False))
    contest.play(Schedule("ordered"))
    assert contest.chosen().n_models == 11 * 13
