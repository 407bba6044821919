"""The AUC without each feature, against a tournament of the table without it."""

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

import tlpo
from analysis.analyses import KINDS, analysis_of
from tables import answer, patients
from tlpo.analysis import without
from tlpo.analysis.caveats import HIGH, remarks_on
from tlpo.analysis.models import make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.ordered import summarize_ordered
from tlpo.analysis.summarize import summarize
from tlpo.document import without as module
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.engines.base import engines
from tlpo.engines.logistic.engine import Logistic
from tlpo.engines.logistic.tuned import LogisticCV
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def table(m=30):
    return patients(m).drop(columns="patient")


@pytest.mark.parametrize("name", ["logistic", "ridge", "bayes"])
def test_every_feature_against_a_table_without_it(name):
    found = analysis_of(name, table=table()).without
    assert found.n_features == len(found.rows) == 4
    for row in found.rows:
        sample = build_sample(table().drop(columns=row.feature), Specification("outcome"))
        model = make_model(name, sample)
        own = tlpo.leave_pair_out(model.estimator, model.features(sample), sample.y)
        assert row.estimate == own.auc
    assert [row.estimate for row in found.rows] == sorted(row.estimate for row in found.rows)


def test_of_the_best_model():
    a = analysis_of("rls", "ridge", table=table()[["age", "marker", "smoker", "outcome"]])
    best = max(a.models, key=lambda model: model.headline.auc)
    assert (a.without.model, a.without.estimate) == (best.name, best.headline.auc)


def test_where_all_would_take_long_those_that_predict_best_alone(monkeypatch):
    games = 15 * 15
    monkeypatch.setattr(Logistic, "quick_games", 2 * games)
    found = analysis_of("logistic", table=table()).without
    assert len(found.rows) == 2 < found.n_features
    assert "marker" in {row.feature for row in found.rows}
    page = to_html(make_document(analysis_of("logistic", table=table())))
    assert "Of 4 features, the 2 that predict best alone" in page


@pytest.mark.parametrize(
    ("name", "options", "why"),
    [
        ("forest:n_estimators=5", {}, without.TOO_LONG.format(units="patients")),
        ("ridge", {"rounds": 10}, without.FEWER_GAMES),
        ("ridge", {"sorts": 2}, without.FEWER_GAMES),
    ],
)
def test_what_is_not_asked(name, options, why):
    found = analysis_of(name, table=table(), options=Options(**options))
    assert (found.without, found.why_not_without) == (None, why)
    text = to_html(make_document(found))
    assert text.count(f"What is left without each feature was not computed: {why}.") == 1


def test_one_feature_cannot_be_left_out():
    found = analysis_of("ridge", table=table()[["age", "outcome"]])
    assert (found.without, found.why_not_without) == (None, None)


def test_several_classes_say_that_it_was_not_computed():
    page = to_html(make_document(KINDS["several classes"]()))
    assert f"What is left without each feature was not computed: {module.SEVERAL}." in page


def test_an_engine_that_leaves_games_to_refitting_is_not_asked(monkeypatch):
    monkeypatch.setattr(without, "MOST_FITS", 0)
    assert analysis_of("ridge", table=table()).without is None


def leaking(m=60):
    rng = np.random.default_rng(0)
    data = table(m).assign(marker=rng.normal(size=m), age=rng.normal(size=m))
    return data.assign(change=rng.normal(size=m) + 2.2 * (data["outcome"] == "yes"))


def test_a_column_that_carries_the_result_is_asked_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = answer(leaking().drop(columns=["site", "smoker"])).text
    assert "Without 'change' the AUC of rls falls from 0.9" in found
    assert (
        "Was it known when the prediction is to be made? If not, run the analysis again with "
        "--drop change."
    ) in found
    assert "falls from" not in answer(leaking().drop(columns=["site", "smoker", "change"])).text


def test_age_is_not_asked_about_unless_it_tells_nearly_all():
    """An AUC of 0.8 is what something known beforehand may carry."""
    rng = np.random.default_rng(0)
    data = table(80).assign(marker=rng.normal(size=80)).drop(columns="smoker")
    weaker, stronger = (
        data.assign(age=rng.normal(size=80) + shift * (data["outcome"] == "yes"))
        for shift in (1.3, 2.4)
    )
    analysis = analysis_of("ridge", table=weaker)
    found = analysis.without
    assert 0.7 < found.estimate < HIGH
    assert found.rows[0].feature == "age"  # still in the table
    assert found.rows[0].estimate - 0.5 < 0.5 * (found.estimate - 0.5)
    assert "one column" not in [one.code for one in remarks_on(analysis)]
    asked = [one.code for one in remarks_on(analysis_of("ridge", table=stronger))]
    assert "one column" in asked
    # Many gaps make it suspicious.
    patchy = replace(analysis, sample=replace(analysis.sample, gaps={"age": 30}))
    assert "one column" in [one.code for one in remarks_on(patchy)]


def test_it_is_not_asked_twice():
    data = leaking().rename(columns={"change": "survival time"})
    codes = [one.code for one in remarks_on(analysis_of("ridge", table=data))]
    assert "known after the outcome" in codes
    assert "one column" not in codes


def test_of_a_model_whose_games_take_longer_fewer_features_are_left_out(monkeypatch):
    """Its engine has the same name as a quick one."""
    assert LogisticCV.quick_games < Logistic.quick_games
    monkeypatch.setattr(LogisticCV, "quick_games", 15 * 15)
    found = analysis_of("logistic-cv", table=table())
    assert found.models[0].engine == "logistic"
    assert len(found.without.rows) == 1
    assert found.without.together is None


def test_no_engine_is_named_but_by_itself():
    quick = {engine.name for engine in engines() if engine.quick_games}
    assert {"logistic", "least-squares", "bayes", "cox"} <= quick
    assert not quick & {"refit", "forest", "boosting", "svm"}


# --- two columns that say the same


def leaking_twice(m=60):
    """The change, and the same with another error: either replaces the other."""
    data = leaking(m).drop(columns="site")
    rng = np.random.default_rng(1)
    return data.assign(again=data["change"] + 0.3 * rng.normal(size=m))


def test_two_columns_against_a_table_without_them():
    found = analysis_of("logistic", table=leaking_twice()).without
    assert sorted(found.together.features) == ["again", "change"]
    left = leaking_twice().drop(columns=["again", "change"])
    sample = build_sample(left, Specification("outcome"))
    model = make_model("logistic", sample)
    own = tlpo.leave_pair_out(model.estimator, model.features(sample), sample.y)
    assert found.together.estimate == own.auc


def test_two_columns_that_hide_each_other_are_asked_about():
    analysis = analysis_of("ridge", table=leaking_twice())
    (remark,) = [one for one in remarks_on(analysis) if "column" in one.code]
    found = analysis.without
    first, second = found.together.features
    assert remark.worded() == (
        f"Without {first!r} and {second!r} together the AUC of ridge falls from "
        f"{found.estimate:.3f} to {found.together.estimate:.3f}, though either largely "
        f"replaces the other. "
        f"Were they known when the prediction is to be made? If not, run the analysis again "
        f"without {first!r} and {second!r}."
    )
    page = to_html(make_document(analysis))
    assert f"{first} and {second}" in page
    assert "one row is without both" in page


def test_two_predictors_that_tell_different_things_are_not():
    """Both are needed: together they cost what they cost one after the other."""
    rng = np.random.default_rng(2)
    data = table(80)
    ill = data["outcome"] == "yes"
    data = data.assign(marker=rng.normal(size=80) + 1.3 * ill, age=rng.normal(size=80) + 1.3 * ill)
    data["site"] = rng.normal(size=80)
    analysis = analysis_of("ridge", table=data)
    assert analysis.without.estimate > 0.75
    fall = analysis.without.estimate - analysis.without.together.estimate
    assert fall > 0.5 * (analysis.without.estimate - 0.5)  # they carry the result
    assert not [one for one in remarks_on(analysis) if one.code == "two columns"]


def test_it_is_not_asked_of_columns_that_were_asked_about():
    data = leaking_twice().rename(columns={"change": "survival time"})
    codes = [one.code for one in remarks_on(analysis_of("ridge", table=data))]
    assert "known after the outcome" in codes
    assert "two columns" not in codes


# --- all columns that the answer asks about


def without_columns(data, columns, name="logistic"):
    """Judge the model on a table that never had the columns."""
    sample = build_sample(data.drop(columns=columns), Specification("outcome"))
    model = make_model(name, sample)
    return tlpo.leave_pair_out(model.estimator, model.features(sample), sample.y).auc


def test_all_columns_asked_about_against_a_table_without_them():
    """Either alone costs little: only without all of them it is seen what they tell."""
    data = leaking_twice().rename(columns={"change": "PFS (mo)", "again": "futime"})
    analysis = analysis_of("logistic", table=data)
    found = analysis.without
    asked = ["PFS (mo)", "futime"]
    assert sorted(found.questioned.features) == asked
    assert found.questioned.estimate == without_columns(data, asked)
    (remark,) = [one for one in remarks_on(analysis) if one.code == "known after the outcome"]
    assert remark.text.endswith(
        " seem to have been known only after the outcome; without them the AUC is "
        f"{found.questioned.estimate:.3f} instead of {found.estimate:.3f}. If so, they cannot "
        "predict it."
    )
    page = to_html(make_document(analysis))
    assert "all 2 that the answer asks about" in page


def test_the_last_question_says_it_of_all_columns():
    data = leaking_twice().rename(columns={"again": "futime"})
    data["change"] = np.where(data["outcome"] == "yes", "b", "a")
    analysis = analysis_of("ridge", table=data)
    said = [one for one in remarks_on(analysis) if "instead of" in one.text]
    assert [one.code for one in said] == ["known after the outcome"]
    assert "without 'futime' and 'change' the AUC is " in said[0].text
    found = analysis.without.questioned
    assert found.estimate == without_columns(data, found.features, "ridge")


@pytest.mark.parametrize(
    ("outcome", "time", "code"),
    [("died", "months", "censoring"), ("outcome", "futime", "known after the outcome")],
)
def test_one_column_asked_about_has_its_row(outcome, time, code):
    data = leaking().drop(columns="site").rename(columns={"change": time})
    data[time] -= data[time].min()
    sample = build_sample(data.rename(columns={"outcome": outcome}), Specification(outcome))
    runs = make_runs(sample, [make_model("ridge", sample)], Options())
    analysis = summarize(sample, runs, Options())
    found = analysis.without
    (row,) = [row for row in found.rows if row.feature == time]
    assert (found.questioned.features, found.questioned.estimate) == ([time], row.estimate)
    (said,) = [one for one in remarks_on(analysis) if "instead of" in one.text]
    assert said.code == code
    assert f"; without it the AUC is {row.estimate:.3f} instead of" in said.text
    assert "asks about" not in to_html(make_document(analysis))


def test_nothing_is_said_where_all_columns_are_asked_about():
    data = leaking()[["age", "change", "outcome"]]
    data = data.rename(columns={"age": "futime", "change": "PFS"})
    assert analysis_of("ridge", table=data).without.questioned is None


# --- numbers and times to an event


@pytest.mark.parametrize("name", ["ridge", "rls"])
def test_of_numbers_against_a_table_without_a_feature(name):
    rng = np.random.default_rng(3)
    data = pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd"))
    data["y"] = 5 * data["a"] + data["b"] + rng.normal(size=30)
    spec = Specification("y", ordered=True)
    sample = build_sample(data, spec)
    model = make_model(name, sample)
    analysis = summarize_ordered(sample, make_runs(sample, [model], Options()), Options())
    assert len(analysis.without.rows) == 4
    for row in analysis.without.rows:
        left = build_sample(data.drop(columns=row.feature), spec)
        own = make_model(name, left)
        found = tlpo.leave_pair_out(own.estimator, own.features(left), left.y, order=True)
        assert row.estimate == found.concordance
    (remark,) = [one for one in remarks_on(analysis) if one.code == "one column"]
    assert remark.text.startswith(f"Without 'a' the concordance of {name} falls from 0.")


def test_of_times_against_a_table_without_a_feature():
    rng = np.random.default_rng(4)
    data = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    data["time"] = rng.exponential(np.exp(-4 * data["a"]))
    data["died"] = (rng.random(40) < 0.7).astype(int)
    spec = Specification("died", time="time")
    sample = build_sample(data, spec)
    model = make_model("cox", sample)
    analysis = summarize_ordered(sample, make_runs(sample, [model], Options()), Options())
    assert len(analysis.without.rows) == 3
    for row in analysis.without.rows:
        left = build_sample(data.drop(columns=row.feature), spec)
        own = make_model("cox", left)
        found = tlpo.survival(own.estimator, own.features(left), left.y, engine="refit")
        assert row.estimate == found.concordance
    assert "one column" in [one.code for one in remarks_on(analysis)]
    assert "Concordance of cox without each feature" in to_html(make_document(analysis))
