"""The AUC without each feature, against a tournament of the table without it."""

import numpy as np
import pytest

import tlpo
from analysis.analyses import analysis_of
from tables import answer, patients
from tlpo.analysis import without
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.document.html import to_html
from tlpo.document.make import make_document
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
        assert row.auc == own.auc
    assert [row.auc for row in found.rows] == sorted(row.auc for row in found.rows)


def test_of_the_best_model():
    a = analysis_of("rls", "ridge", table=table()[["age", "marker", "smoker", "outcome"]])
    best = max(a.models, key=lambda model: model.headline.auc)
    assert (a.without.model, a.without.auc) == (best.name, best.headline.auc)


def test_where_all_would_take_long_those_that_predict_best_alone(monkeypatch):
    games = 15 * 15
    monkeypatch.setitem(without.MOST_GAMES, "logistic", 2 * games)
    found = analysis_of("logistic", table=table()).without
    assert len(found.rows) == 2 < found.n_features
    assert "marker" in {row.feature for row in found.rows}
    page = to_html(make_document(analysis_of("logistic", table=table())))
    assert "Of 4 features, the 2 that predict best alone" in page


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("forest:n_estimators=5", {}),
        ("ridge", {"rounds": 10}),
        ("ridge", {"sorts": 2}),
    ],
)
def test_what_is_not_asked(name, options):
    assert analysis_of(name, table=table(), options=Options(**options)).without is None


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


def test_it_is_not_asked_twice():
    data = leaking().rename(columns={"change": "survival time"})
    codes = [one.code for one in remarks_on(analysis_of("ridge", table=data))]
    assert "known after the outcome" in codes
    assert "one column" not in codes


def test_of_a_model_whose_games_take_longer_fewer_features_are_left_out(monkeypatch):
    monkeypatch.setitem(without.MOST_GAMES, "logistic", 4 * 15 * 15)
    assert len(analysis_of("logistic", table=table()).without.rows) == 4
    monkeypatch.setitem(without.LONGER, "logistic", 4)
    assert len(analysis_of("logistic", table=table()).without.rows) == 1
