"""A linear model written down gives what the model gives."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.base import clone

from tables import patients
from tlpo.analysis import several
from tlpo.analysis.equation import MOST_TERMS, find_equations
from tlpo.analysis.final_model import describe_final
from tlpo.analysis.models import make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import EquationTerm
from tlpo.document.equation import _odds_ratio
from tlpo.execution.fits import Fitter
from tlpo.games.response import respond, response_method
from tlpo.problem.problem import make_problem
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def final(name, table, **spec):
    sample = build_sample(table, Specification("outcome", **spec))
    model = make_model(name, sample)
    (entrant,) = make_runs(sample, [model], Options())
    found = describe_final(model, entrant.contest, list(sample.X.columns), sample.levels)
    return found.equation, model, sample


def by_hand(equation, X):
    total = np.full(len(X), equation.intercept)
    for term in equation.terms:
        column = X[term.feature]
        total += term.value * (column if term.level is None else column == term.level)
    return total.to_numpy() if isinstance(total, pd.Series) else total


@pytest.mark.parametrize("name", ["logistic", "logistic:C=inf", "ridge", "rls", "lda", "lasso"])
def test_the_equation_gives_the_scores_of_the_model(name):
    equation, model, sample = final(name, patients(60, seed=3), categorical=("site",))
    fitted = clone(model.estimator)
    y = np.where(sample.labels.is_positive, 1.0, -1.0) if name == "rls" else sample.y
    fitted.fit(model.features(sample), y)
    expected = respond(
        *(fitted, response_method(fitted), model.features(sample)),
        *(sample.labels.positive, ("no", "yes")),
    )
    found = by_hand(equation, pd.DataFrame(model.features(sample), columns=sample.X.columns))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
    assert equation.scale == ("score" if name in ("ridge", "rls") else "log odds")
    assert set(equation.references) == set(sample.categorical)


@pytest.mark.parametrize("name", ["forest", "knn", "svm", "bayes"])
def test_models_that_are_not_linear_have_none(name):
    assert final(name, patients(40, seed=3))[0] is None


@pytest.mark.parametrize("name", ["ridge", "rls", "pls"])
@pytest.mark.parametrize("is_graded", [False, True])
def test_of_numbers_and_grades_it_gives_what_the_model_predicts(name, is_graded):
    table = patients(60, seed=3).drop(columns="outcome")
    noise = np.random.default_rng(1).normal(size=60)
    table["loss"] = (3 * table["marker"] + noise).round() + 100
    table.loc[4, "age"] = np.nan
    spec = Specification("loss", ordered=True, categorical=("site",))
    if is_graded:
        grades = np.array(["low", "medium", "high"])
        table["loss"] = grades[pd.qcut(table["loss"], 3, labels=False).to_numpy()]
        spec = Specification("loss", order=("low", "medium", "high"), categorical=("site",))
    sample = build_sample(table, spec)
    model = make_model(name, sample)
    (entrant,) = make_runs(sample, [model], Options())
    found = describe_final(model, entrant.contest, list(sample.X.columns), sample.levels).equation
    fitted = clone(model.estimator).fit(model.features(sample), sample.outcome.y)
    known = sample.X.notna().all(axis=1).to_numpy()
    assert (~known).sum() == 1
    expected = fitted.predict(model.features(sample))[known]
    np.testing.assert_allclose(by_hand(found, sample.X[known]), expected, rtol=1e-7)
    assert found.scale == "outcome"


def classes(m=60):
    table = patients(m, seed=3).drop(columns="outcome")
    cut = table["marker"] + np.random.default_rng(2).normal(size=m)
    return table.assign(subtype=np.array(["b", "a", "c"])[pd.qcut(cut, 3, labels=False).to_numpy()])


def equations(name, table):
    sample = build_sample(table, Specification("subtype", categorical=("site",)))
    model = make_model(name, sample)
    (entrant,) = make_runs(sample, [model], Options())
    return several._describe_final(model, entrant.contest, sample).equations, model, sample


@pytest.mark.parametrize("name", ["logistic", "lda", "ridge", "rls"])
def test_of_several_classes_there_is_one_for_each(name):
    found, model, sample = equations(name, classes())
    X, names = model.features(sample), sample.outcome.names
    scores = np.column_stack([by_hand(one, sample.X) for one in found])
    if name == "rls":
        signs = [np.where(sample.y == label, 1.0, -1.0) for label in names]
        expected = np.column_stack([clone(model.estimator).fit(X, y).predict(X) for y in signs])
    else:
        fitted = clone(model.estimator).fit(X, sample.y)
        assert list(fitted.classes_) == list(names)
        has_shares = hasattr(fitted, "predict_proba")
        expected = fitted.predict_proba(X) if has_shares else fitted.decision_function(X)
    is_log = found[0].scale == "log probability"
    assert is_log == (name in ("logistic", "lda"))
    np.testing.assert_allclose(softmax(scores, axis=1) if is_log else scores, expected, atol=1e-7)


@pytest.mark.parametrize("name", ["forest", "bayes", "knn"])
def test_of_classes_models_that_are_not_linear_have_none(name):
    assert equations(name, classes())[0] == []


def test_probabilities_that_do_not_follow_from_scores_have_no_equation():
    """Of one-versus-rest: its decision functions are linear, its probabilities are no softmax."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    sample = build_sample(classes()[["age", "marker", "subtype"]], Specification("subtype"))
    one_versus_rest = OneVsRestClassifier(LogisticRegression())
    fitter = Fitter(one_versus_rest, make_problem(sample.X, sample.y, several=True))
    fitted = fitter.fit(np.arange(60))
    assert find_equations(fitted, fitter, ["age", "marker"], {}) == []


def test_limits_are_those_of_the_likelihood():
    """Against the curvature of the likelihood at its maximum, by finite differences."""
    table = patients(80, seed=4)[["age", "marker", "outcome"]]
    equation, _, sample = final("logistic:C=inf", table)
    D = np.column_stack([np.ones(80), sample.X.to_numpy(float)])
    sign = np.where(sample.labels.is_positive, 1.0, -1.0)

    def loss(w):
        return np.logaddexp(0, -sign * (D @ w)).sum()

    w = np.array([equation.intercept, *(term.value for term in equation.terms)])
    best = minimize(loss, w, method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(w, best, rtol=1e-3)
    steps = 1e-3 / np.abs(D).max(axis=0)
    H = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            e, f = np.eye(3)[i] * steps[i], np.eye(3)[j] * steps[j]
            corners = loss(w + e + f) - loss(w + e - f) - loss(w - e + f) + loss(w - e - f)
            H[i, j] = corners / (4 * steps[i] * steps[j])
    error = 1.959964 * np.sqrt(np.diag(np.linalg.inv(H)))[1:]
    for term, expected in zip(equation.terms, error, strict=True):
        assert term.high - term.value == pytest.approx(expected, rel=1e-3)
        assert term.value - term.low == pytest.approx(expected, rel=1e-3)


def test_a_penalised_model_has_no_limits():
    equation, *_ = final("logistic", patients(60, seed=3))
    assert all(term.low is None and term.high is None for term in equation.terms)


def test_imputed_values_have_no_limits_but_an_equation():
    table = patients(60, seed=3)[["age", "marker", "outcome"]]
    table.loc[4, "age"] = np.nan
    equation, *_ = final("logistic:C=inf", table)
    assert [term.feature for term in equation.terms] == ["age", "marker"]
    assert all(term.low is None for term in equation.terms)


def test_no_equation_tells_names_or_extremes():
    table = patients(60, seed=3)
    table["surname"] = np.where(np.arange(60) % 3, "Meier", "Huber")
    assert final("logistic", table)[0] is None
    equation, *_ = final("logistic", table.drop(columns="surname"))
    (age,) = (term for term in equation.terms if term.feature == "age")
    assert table["age"].min() < age.least < age.most < table["age"].max()


def test_a_long_equation_is_not_written_down():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(30, MOST_TERMS + 1))).add_prefix("x")
    table["outcome"] = np.where(np.arange(30) % 2, "yes", "no")
    assert final("ridge", table)[0] is None


@pytest.mark.parametrize(
    ("least", "most", "shown"),
    [
        (0.05, 0.12, "2.72 (2.72 to 7.39) per 0.01"),
        (20.0, 60.0, "∞ (∞ to ∞)"),
        (None, None, "∞ (∞ to ∞)"),
    ],
)
def test_odds_ratios_are_per_change_that_patients_show(least, most, shown):
    level = "b" if least is None else None
    term = EquationTerm("x", level, 100.0, least, most, 100.0, 200.0)
    assert _odds_ratio(term) == shown
