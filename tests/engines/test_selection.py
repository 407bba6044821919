"""Models behind a selection of features against refitting, game for game."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cross_decomposition import PLSRegression
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tlpo
from engines.agreement import assert_same_games, assert_same_wins, make, problems
from tlpo.engines import selection
from tlpo.engines.preparation.steps import prepare
from tlpo.execution.fits import Fit
from tlpo.problem.problem import make_problem

MODELS = {
    "logistic": LogisticRegression(tol=1e-6),
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(3),
    "machine": SVC(),
    "partial least squares": PLSRegression(2),
}


def behind_selection(model, k, before=(), after=()):
    return make_pipeline(*before, SelectKBest(k=k), *after, model)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_games_against_refits(model):
    X, y = make("plain", 18, 8, 8, 0.5, seed=1)
    for before, after in (((), ()), ((StandardScaler(),), ()), ((), (StandardScaler(),))):
        pipeline = behind_selection(MODELS[model], 3, before, after)
        assert tlpo.tournament(pipeline, X, y).engine == "selection"
        assert_same_wins(pipeline, X, y)


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None)
@given(problems, st.sampled_from(sorted(MODELS)), st.integers(2, 4), st.booleans())
def test_many_games_against_refits(problem, model, k, is_scaled):
    X, y = problem
    if X.shape[1] <= k:
        return
    scaler = (StandardScaler(),) if is_scaled else ()
    assert_same_wins(behind_selection(MODELS[model], k, scaler), X, y)


def test_gaps_groups_and_few_engines(monkeypatch):
    monkeypatch.setattr(selection, "MOST_ENGINES", 2)
    X, y = make("plain", 20, 9, 9, 0.5, seed=2)
    X[np.random.default_rng(0).uniform(size=X.shape) < 0.1] = np.nan
    X[:4] = 0.5
    model = behind_selection(GaussianNB(), 3, (SimpleImputer(), StandardScaler()))
    for options in ({}, {"groups": np.arange(20) // 2}, {"positive": 0}):
        fast, slow = (
            tlpo.tournament(model, X, y, engine=engine, **options)
            for engine in ("selection", "refit")
        )
        assert np.array_equal(fast.standings.wins, slow.standings.wins)


def test_numbers():
    X, _ = make("plain", 18, 8, 8, 0.5, seed=3)
    numbers = X[:, 0] + 0.3 * X[:, 1]
    model = make_pipeline(SelectKBest(f_regression, k=2), KNeighborsRegressor(3))
    one, other = (
        tlpo.concordance(model, X, numbers, engine=engine) for engine in ("selection", "refit")
    )
    assert np.array_equal(one.standings.wins, other.standings.wins)


def test_resamples_and_held_out_sets():
    X, y = make("plain", 24, 8, 11, 0.5, seed=4)
    model = behind_selection(PLSRegression(2), 4, (StandardScaler(),))
    engine = selection.ENGINE(prepare(model, make_problem(X, y)))
    rng = np.random.default_rng(0)
    for _ in range(4):
        train = np.sort(rng.integers(0, 24, size=24))
        test = np.setdiff1d(np.arange(24), train)
        fitted = model.fit(X[train], np.where(y[train] == 1, 1.0, -1.0))
        (found,) = engine.respond([Fit(train, test)])
        np.testing.assert_allclose(found, fitted.predict(X[test]).ravel(), rtol=1e-9)
    fast, slow = (
        tlpo.kfold(model, X, y, n_splits=4, random_state=0, engine=name)
        for name in ("selection", "refit")
    )
    assert fast.auc == slow.auc


def test_a_search_among_selections():
    X, y = make("plain", 18, 8, 9, 0.5, seed=5)
    pipeline = behind_selection(GaussianNB(), 3, (StandardScaler(),))
    search = GridSearchCV(pipeline, {"selectkbest__k": [2, 4]}, cv=3)
    assert assert_same_games(search, X, y, "search")


def test_what_is_refitted():
    X, y = make("plain", 14, 6, 6, 0.5, seed=6)
    wrong = tlpo.tournament(make_pipeline(SelectKBest(f_regression, k=3), SVC()), X, y)
    assert wrong.engine == "refit"
    assert "f_regression for numbers" in wrong.diagnostics.why_not_faster
    model = behind_selection(KNeighborsClassifier(3, metric="cosine"), 3, (StandardScaler(),))
    played = tlpo.tournament(model, X, y)
    assert played.engine == "refit"
    assert "Euclidean and Manhattan" in played.diagnostics.why_not_faster
