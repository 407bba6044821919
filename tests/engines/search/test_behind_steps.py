"""Searches behind steps that differ from pair to pair, against fits of the whole pipeline."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, RidgeClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from engines.agreement import make
from tlpo.engines.search.behind_steps import SearchBehind
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

RIDGE = GridSearchCV(RidgeClassifier(), {"alpha": [0.1, 10.0, 1000.0]}, cv=3, scoring="roc_auc")
LOGISTIC = GridSearchCV(LogisticRegression(max_iter=1000), {"C": [0.01, 1.0]}, cv=3)
MODELS = {
    "scaler": make_pipeline(StandardScaler(), RIDGE),
    "logistic": make_pipeline(StandardScaler(), LOGISTIC),
    "own folds": make_pipeline(MinMaxScaler(), RidgeClassifierCV([0.1, 10.0], cv=3)),
    "imputer": make_pipeline(SimpleImputer(), StandardScaler(), RIDGE),
    "selection": make_pipeline(SelectKBest(k=2), RIDGE),
    "neighbours": make_pipeline(
        StandardScaler(), GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [2, 4]}, cv=3)
    ),
    "bayes": make_pipeline(
        SelectKBest(k=2), GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 0.5]}, cv=3)
    ),
    "candidates that scale again": make_pipeline(
        SimpleImputer(),
        GridSearchCV(
            make_pipeline(StandardScaler(), RidgeClassifier()),
            {"ridgeclassifier__alpha": [0.1, 100.0]},
            cv=3,
        ),
    ),
}
GAMES = np.array([(i, j) for i in range(20) for j in range(i)])


def sample(seed=0):
    X, y = make("plain", 20, 3, 9, 0.7, seed)
    X[[2, 11], 1] = np.nan
    return X, y


def play(model, X, y, engine="auto", games=GAMES[::12], **options):
    contest = Contest(model, X, y, ContestOptions(engine=engine, n_jobs=1, **options))
    return contest.play(Schedule(listed=games)), contest


def assert_same(model, X, y, **options):
    fast, contest = play(model, X, y, **options)
    slow, _ = play(model, X, y, "refit", **options)
    assert fast.engine == "search", fast.diagnostics.why_not_faster
    assert np.array_equal(fast.outcome, slow.outcome)
    return contest


@pytest.mark.parametrize("name", MODELS)
def test_games(name):
    X, y = sample()
    if "imputer" not in name and "again" not in name:
        X = np.nan_to_num(X)
    assert_same(MODELS[name], X, y)


def test_a_frame_with_rare_categories():
    X, y = sample()
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["site"] = ["rare", *(["north", "south"] * 10)[:19]]
    steps = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b", "c"]),
            ("site", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["site"]),
        ]
    )
    games = np.vstack([GAMES[::20], [[3, 0]]])  # without unit 0 there is a column less
    assert_same(make_pipeline(steps, RIDGE), frame, y, games=games)


def test_fixed_columns_but_for_a_rare_category():
    _, y = sample()
    frame = pd.DataFrame({"site": ["rare", *(["north", "south", "east"] * 10)[:19]]})
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False), RIDGE)
    games = np.vstack([GAMES[::20], [[3, 0]]])
    assert_same(model, frame, y, games=games)


def test_groups_leave_together():
    X, y = sample()
    groups = np.repeat(np.arange(10), 2)
    contest = assert_same(MODELS["imputer"], X, y, groups=groups, games=GAMES[1::20])
    assert contest.chosen() is None


def test_choices_are_counted():
    X, y = sample()
    engine = SearchBehind(Contest(MODELS["imputer"], X, y, ContestOptions()).prepared)
    engine.answer(GAMES[::20], Execution())
    expected = {}
    for game in GAMES[::20]:
        train = np.setdiff1d(np.arange(20), game)
        best = MODELS["imputer"].fit(X[train], y[train])[-1].best_params_["alpha"]
        expected[f"alpha = {best:.3g}"] = expected.get(f"alpha = {best:.3g}", 0) + 1
    assert engine.chosen().n_models == len(GAMES[::20])
    assert engine.chosen().settings == expected


def test_games_alone():
    X, y = sample()
    whole, alone = (
        Contest(MODELS["imputer"], X, y, ContestOptions(predictions=kept)) for kept in (True, False)
    )
    first, second = whole.play(Schedule("ordered")), alone.play(Schedule("ordered"))
    assert np.array_equal(first.standings.wins, second.standings.wins)
    assert whole.chosen().n_models == 9 * 11
    assert alone.chosen() is None


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (make_pipeline(make_pipeline(StandardScaler(), RIDGE)), "inside another pipeline"),
        (
            make_pipeline(StandardScaler().set_output(transform="pandas"), RIDGE),
            "matrices of numbers only",
        ),
        (
            make_pipeline(StandardScaler(), GridSearchCV(RidgeClassifier(), {}, refit=lambda r: 0)),
            "only if it takes the best score",
        ),
    ],
)
def test_what_is_not_covered_says_why(model, why):
    X, y = sample()
    X = np.nan_to_num(X)
    contest = Contest(model, X, y, ContestOptions())
    reasons = [SearchBehind.by_sets(contest.prepared)]
    assert why in str(reasons)
