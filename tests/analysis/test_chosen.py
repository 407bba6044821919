"""What the models of the pairs chose, against models that are fitted without every pair."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Lasso, LogisticRegression, RidgeClassifier, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from analysis.analyses import ANALYSES, analysis_of, separated
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.chosen import FITTED, find_chosen, selects, setting_of
from tlpo.analysis.shapes import Counted
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.execution.fits import Fitter
from tlpo.games.contest import Contest
from tlpo.schemes.tournament import play_tournament

M = 16
NAMES = list("abcdef")


def table(seed=0):
    y = np.arange(M) % 2
    X = np.random.default_rng(seed).normal(size=(M, len(NAMES)))
    X[:, 0] += y
    return X, y


def found(model, X, y, play=True):
    contest = Contest(model, X, y)
    if play:
        play_tournament(contest)
    fitter = Fitter(model, contest.problem)
    fitted = fitter.fit(np.arange(M))
    return find_chosen(fitted, fitter, contest, lambda columns: [NAMES[k] for k in columns])


@pytest.mark.parametrize("constant", [False, True])
def test_the_engine_counts_every_pair(constant):
    X, y = table()
    X[:, 3] = 2.0 if constant else X[:, 3]
    model = tlpo.ElasticNetLogisticCV(n_folds=4, n_penalties=8)
    chosen = found(model, X, y)
    settings, used = Counter(), np.zeros(len(NAMES), dtype=int)
    for pair in combinations(range(M), 2):
        keep = np.setdiff1d(np.arange(M), pair)
        fitted = clone(model).fit(X[keep], y[keep])
        settings[setting_of(fitted)] += 1
        used += fitted.coef_[0] != 0
    assert chosen.n_models == M * (M - 1) // 2
    assert {row.what: row.n for row in chosen.settings} == settings
    assert {row.what: row.n for row in chosen.used} == {
        name: n for name, n in zip(NAMES, used.tolist(), strict=True) if n
    }
    sizes = [row.n for row in chosen.used]
    assert sizes == sorted(sizes, reverse=True)


def test_the_engine_of_searches_counts_every_pair():
    X, y = table(3)
    grid = {"ridgeclassifier__alpha": [1000.0, 10.0, 0.1]}
    search = GridSearchCV(make_pipeline(StandardScaler(), RidgeClassifier()), grid, cv=3)
    chosen = found(search, X, y)
    settings = Counter()
    for pair in combinations(range(M), 2):
        keep = np.setdiff1d(np.arange(M), pair)
        settings[setting_of(clone(search).fit(X[keep], y[keep]))] += 1
    assert {row.what: row.n for row in chosen.settings} == settings
    assert chosen.n_models == M * (M - 1) // 2
    of_grid = [f"alpha = {value:.3g}" for value in (1000.0, 10.0, 0.1)]
    assert [row.what for row in chosen.settings] == [said for said in of_grid if settings[said]]


def test_models_are_fitted_where_no_engine_knows():
    X, y = table(1)
    chosen = found(make_pipeline(StandardScaler(), RidgeCV([0.1, 10.0, 1000.0])), X, y)
    assert chosen.n_models == FITTED == sum(row.n for row in chosen.settings)
    assert chosen.used == []
    values = [float(row.what.removeprefix("alpha = ")) for row in chosen.settings]
    assert values == sorted(values)


def test_of_a_search_the_features_of_what_it_chose():
    X, y = table(2)
    l1 = LogisticRegression(solver="liblinear", l1_ratio=1.0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), l1), {"logisticregression__C": [0.2, 1.0]}
    )
    chosen = found(search, X, y, play=False)
    assert {row.what for row in chosen.settings} <= {"C = 0.2", "C = 1"}
    assert 0 < chosen.n_used <= len(NAMES)


def test_what_chooses_nothing_is_not_counted():
    X, y = table()
    assert found(LogisticRegression(), X, y, play=False) is None
    lasso = found(Lasso(0.1), X, y, play=False)
    assert lasso.settings == []
    assert lasso.used[0] == Counted("a", FITTED)
    assert not selects(LogisticRegression().fit(X, y))


def test_a_report_shows_what_was_chosen():
    a = ANALYSES["tuned"]()
    (model,) = a.models
    assert model.final.chosen.n_models == a.n_units * (a.n_units - 1) // 2
    page = to_html(make_document(a))
    assert "How often each feature was used" in page
    assert f"Counted over {model.final.chosen.n_models} models" in page


def test_coefficients_without_an_estimate_are_said_to_have_none():
    a = analysis_of("glm", table=separated())
    (remark,) = (one for one in remarks_on(a) if one.code == "separation")
    assert remark.text.startswith("glm: 'marker' separates the classes")
    assert "separation" not in {one.code for one in remarks_on(analysis_of("logistic"))}
