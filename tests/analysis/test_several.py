"""Analyses of several classes: their numbers are those of Python, and nobody can change them."""

import json

import jsonschema
import numpy as np
import pytest
from sklearn.base import clone

import tlpo
from analysis.analyses import KINDS, several_of, subtypes
from analysis.analysis_edits import pattern
from analysis.judging import find_fault
from analysis.test_ordered import with_a_test
from analysis.test_relations import edited, judge
from tlpo.analysis.load import decode, schema
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.analysis.relations import find_contradiction
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.write import json_of
from tlpo.errors import UsageError
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

SEVERAL = (
    "several classes",
    "several classes by subgroups",
    "several classes that tie",
    "several classes in groups",
)

# Where an edited number can be right, whatever the others are, and why.
POSSIBLE = {
    "seed": "any whole number",
    "sample.duplicates": "rows may be alike",
    "sample.n_groups": "rows may belong together",
    "models[].fits": "models may be refitted as often",
    "models[].seconds": "a run may take as long; it is not shown",
    "models[].interval.phi": "a variance may be as large; it is not shown",
    "models[].interval.degrees_of_freedom": "patients or groups may be as few; it is not shown",
    "models[].classes[].interval.phi": "the same",
    "models[].classes[].interval.degrees_of_freedom": "the same",
    "models[].classes[].n_ties": "any of the games, which are not kept",
    "models[].classes[].sensitivity_at.low": "an interval may be missing",
    "models[].classes[].sensitivity_at.high": "an interval may be missing",
    "models[].classes[].scores": "others may have won, where the curve is that of predictions",
    "models[].classes[].curve.thresholds[]": "of predictions, any that fall",
    "sample.suspects[].n_values": "an identifier may repeat as often",
    "models[].confusion[][]": "others may be predicted",
    "models[].confusion[]": "others may be predicted",
    "models[].final.rows[].values[]": "a coefficient, if the largest come first",
    "models[].final.rows[].values": "coefficients of other classes",
    "models[].final.apparent_auc": "a model may refuse what it was fitted to",
    "models[].final.equations[].intercept": "a score may start anywhere",
    "models[].final.equations[].terms[].value": "a coefficient may have any size",
}


def played(*names, **spec):
    """Play the models of an analysis by the function that anybody can call."""
    spec = {"drop": ("person",), **spec} if "group" not in spec else spec
    sample = build_sample(subtypes(), Specification("subtype", **spec))
    found = {}
    for name in names:
        model = make_model(name, sample)
        found[name] = tlpo.multiclass(
            model.estimator, model.features(sample), sample.y, groups=sample.groups
        )
    return sample, found


# ----- numbers against Python


def test_one_model_against_multiclass():
    (model,) = KINDS["several classes"]().models
    _, found = played("bayes")
    k = found["bayes"]
    assert model.auc == k.auc
    assert (model.interval.low, model.interval.high) == tuple(k.auc_interval())
    pairs = k.pairs.reset_index()
    for row, (_, right) in zip(model.pairs, pairs.iterrows(), strict=True):
        assert (row.first, row.second) == (right["first"], right["second"])
        for name in ("auc", "low", "high", "first_by_own", "second_by_own"):
            assert getattr(row, name) == right[name]
    for one, (name, t) in zip(model.classes, k.one_vs_rest.items(), strict=True):
        assert (one.name, one.auc, one.consistency, one.n_ties) == (
            name, t.auc, t.consistency, t.n_ties
        )  # fmt: skip
        assert (one.interval.low, one.interval.high) == tuple(t.auc_interval())
        assert one.scores == t.scores.tolist()
        assert one.curve.tpr == t.roc_curve().tpr.tolist()
        assert one.sensitivity_at.sensitivity == t.sensitivity_at(0.9)
    assert model.confusion == k.confusion.to_numpy().tolist()


def test_other_estimates_against_evaluate():
    (model,) = KINDS["several classes"]().models
    sample, _ = played()
    bayes = make_model("bayes", sample)
    names = [row.scheme for row in model.schemes]
    assert names[0] == "lpo"
    table = tlpo.evaluate(
        bayes.estimator, bayes.features(sample), sample.y, schemes=names[1:], random_state=0
    )
    assert len(names) > 3
    for row in model.schemes[1:]:
        auc = np.nan if row.auc is None else row.auc
        assert auc == pytest.approx(table.loc[row.scheme, "auc"], nan_ok=True)
    assert sum(row.auc is not None for row in model.schemes) > 3


def test_several_models_against_compare_and_choose():
    analysis = KINDS["several classes in groups"]()
    _, found = played("ridge", "lda", group="person")
    pair = tlpo.compare(*found.values(), names=list(found))
    (row,) = analysis.comparisons
    assert (row.first, row.second) == pair.names
    assert (row.auc_first, row.auc_second) == pair.aucs
    assert (row.difference, row.low, row.high) == (pair.difference, pair.low, pair.high)
    assert (row.p_value, row.p_value_holm) == (pair.p_value, None)
    best = tlpo.choose(*found.values(), names=list(found))
    choice = analysis.choice
    assert (choice.winner, choice.auc, choice.low, choice.high) == (
        best.winner, best.auc, best.low, best.high
    )  # fmt: skip
    assert (analysis.units, analysis.sample.n_groups) == ("rows", 11)


def test_classes_and_baseline_against_pandas():
    analysis, table = KINDS["several classes"](), subtypes()
    kept = table.dropna(subset=["subtype"])
    sizes = kept["subtype"].value_counts()
    assert [(part.name, part.count) for part in analysis.parts] == sorted(sizes.items())
    assert [analysis.parts[k].name for k in analysis.outcome] == kept["subtype"].tolist()
    (marker,) = (row for row in analysis.baseline if row.feature == "marker")
    means = kept.groupby("subtype")["marker"].mean()
    assert marker.kind == "mean"
    assert [part.values[0] for part in marker.parts] == pytest.approx(means.tolist())
    assert [part.missing for part in marker.parts] == [0, 1, 0]


def test_the_final_model_is_the_one_fitted_to_all():
    analysis = KINDS["several classes that tie"]()
    constant, ridge, _ = (model.final for model in analysis.models)
    assert (constant.kind, constant.n, constant.apparent_auc) == (None, 0, 0.5)
    sample, _ = played()
    model = make_model("ridge", sample)
    fitted = model.estimator.fit(model.features(sample), sample.y)
    at = list(sample.X.columns).index("marker")
    row = next(row for row in ridge.rows if row.feature == "marker")
    assert row.values == pytest.approx(fitted[-1].coef_[:, at].tolist())
    scores = fitted.decision_function(model.features(sample))
    assert ridge.apparent_auc == pytest.approx(tlpo.assess(scores, sample.y).auc)
    assert (ridge.kind, ridge.n) == ("coefficients", 3)


@pytest.mark.exhaustive
def test_a_forest_has_importances():
    final = several_of("forest:n_estimators=9").models[0].final
    assert (final.kind, final.n) == ("importances", 3)
    assert sum(row.values[0] for row in final.rows) == pytest.approx(1.0)


def test_a_regressor_has_coefficients_for_every_class():
    final = KINDS["several classes that tie"]().models[2].final
    assert final.kind == "coefficients"
    sample, _ = played()
    X = make_model("rls", sample).features(sample)
    first = make_model("rls", sample).estimator.fit(X, np.where(sample.y == "a", 1.0, -1.0))
    at = list(sample.X.columns).index("marker")
    row = next(row for row in final.rows if row.feature == "marker")
    assert row.values[0] == pytest.approx(first[-1].coef_[at])


def test_subgroups_against_plain_refits():
    analysis = KINDS["several classes by subgroups"]()
    table = subtypes().dropna(subset="subtype").drop(columns="person")
    y, smokes = table["subtype"].to_numpy(), table["smoker"].to_numpy(bool)
    sample = build_sample(table, Specification("subtype"))
    model = make_model("bayes", sample)
    X, everyone = model.features(sample), np.arange(len(y))
    wins = {name: [] for name in "abc"}
    for i in everyone[~smokes]:
        for j in everyone[~smokes]:
            train = np.setdiff1d(everyone, [i, j])
            rows = X.iloc if hasattr(X, "iloc") else X
            if y[i] != y[j]:
                fitted = clone(model.estimator).fit(rows[train], y[train])
                p, q = fitted.predict_proba(rows[[i, j]])[:, "abc".index(y[i])]
                wins[y[i]].append((p > q) + (p == q) / 2)
    for one in analysis.models[0].classes:
        inside, outside = one.subgroups
        n_own = int((y[~smokes] == one.name).sum())
        assert (inside.by, inside.subgroup, outside.subgroup) == ("smoker", "False", "True")
        assert (inside.n_positive, inside.n_negative) == (n_own, int((~smokes).sum()) - n_own)
        assert inside.auc == pytest.approx(np.mean(wins[one.name]), abs=1e-12)
        assert inside.low < inside.auc < inside.high
        assert (outside.auc, outside.note[:9]) == (None, "too small")
    page = to_html(make_document(analysis))
    assert "for every class against all others within subgroups" in page
    assert "AUCs within subgroups (smoker) compare only patients of the same subgroup" in page


def test_what_only_two_classes_have_is_refused():
    for asked, said in (
        ({"options": Options(rounds=10)}, "Rounds give no interval for several classes"),
        ({"options": Options(sorts=2)}, "Sorts rank by one response"),
        ({"options": Options(prevalence=0.1)}, "A prevalence applies only to two classes"),
        ({"options": Options(at=(3.0,))}, "Only a time to an event has times"),
    ):
        with pytest.raises(UsageError, match=said):
            several_of("bayes", **asked)


# ----- there and back


@pytest.mark.parametrize("name", SEVERAL)
def test_it_is_plain_json_that_follows_the_schema_and_comes_back(name):
    analysis = KINDS[name]()
    text = json_of(analysis)
    jsonschema.validate(json.loads(text), schema())
    assert decode(text) == analysis
    assert find_contradiction(analysis) is None


@pytest.mark.parametrize(
    "name",
    [SEVERAL[0], *(pytest.param(name, marks=pytest.mark.exhaustive) for name in SEVERAL[1:])],
)
def test_edits_are_refused_or_possible(name):
    n, accepted = judge(json.loads(json_of(with_a_test(KINDS[name]()))))
    assert n > 300
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)
    assert len(accepted) < 0.15 * n


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("models", 0, "auc"), "'models[0].auc' is 0.25, but it must be"),
        (("models", 0, "pairs", 1, "auc"), "'models[0].pairs[1].auc' is 0.25, but it must be"),
        (("models", 0, "classes", 2, "auc"), "'models[0].classes[2].auc' is 0.25, but it must be"),
        (("models", 0, "pairs", 0, "first_by_own"), "it must be"),
        (("parts", 0, "count"), "'parts[0].count': expected `int`"),
    ],
)  # fmt: skip
def test_a_fault_says_where_what_and_why(change, fault):
    found = json.loads(json_of(KINDS["several classes"]()))
    with edited(found, {change: 0.25}):
        assert fault in str(find_fault(found))
