"""Analyses of numbers and grades: their numbers are those of Python, and nobody can change them."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace
from scipy.stats import binomtest

import tlpo
from analysis.analyses import (
    KINDS,
    graded,
    losses,
    ordered_markers_of,
    ordered_of,
    stages,
)
from analysis.analysis_edits import pattern
from analysis.judging import find_fault
from analysis.test_relations import edited, judge
from tlpo.analysis.baseline import tabulate_by_outcome
from tlpo.analysis.load import decode, schema
from tlpo.analysis.models import make_model
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.shapes import Permutation
from tlpo.document.write import json_of
from tlpo.problem.ordered import read_ordered
from tlpo.tables.build_sample import build_sample
from tlpo.tables.levels import find_levels
from tlpo.tables.options import Specification

ORDERED = ("numbers", "numbers by subgroups", "grades", "numbers in rounds")
MARKERS = ("markers of numbers", "marker of grades")

# Where an edited number can be right, whatever the others are, and why.
POSSIBLE = {
    "seed": "any whole number",
    "rounds": "a draw may have been as large as all games",
    "sample.duplicates": "rows may be alike",
    "sample.n_groups": "rows may belong together",
    "models[].fits": "models may be refitted as often",
    "models[].seconds": "a run may take as long; it is not shown",
    "models[].interval.phi": "a variance may be inflated as much; it is not shown",
    "models[].interval.degrees_of_freedom": "patients or groups may be as few; it is not shown",
    "models[].subgroups[].n_ordered": "outcomes within a subgroup may be equal",
    "models[].final.rows[].value": "a coefficient, if the largest come first",
    "models[].final.apparent_auc": "a model may refuse what it was fitted to",
    "models[].final.equation.intercept": "a score may start anywhere",
    "models[].final.equation.terms[].value": "a coefficient may have any size",
    "models[].final.equation.terms[].least": "a feature may have any range, in order",
    "models[].final.equation.terms[].most": "a feature may have any range, in order",
}
# Of rounds, the games themselves are not kept.
ROUNDS_POSSIBLE = {
    "models[].n_ties": "any of the games",
    "models[].n_games": "some may have been missing",
    "models[].n_ordered": "any of the games",
    "models[].scores[]": "a patient may have lost more, or met nobody",
    "models[].scores": "others may have won",
    "outcome": "others may have had it",
}
MARKERS_POSSIBLE = {
    "group": "rows may belong together",
    "n_read": "rows may have been left out on request, which are not counted",
    "lowest": "an outcome may be as low",
    "highest": "an outcome may be as high",
    "markers[].n_ordered": "outcomes may be equal",
    "markers[].interval.phi": "a variance may be inflated as much; it is not shown",
    "markers[].interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "markers[].p_value": "it may not be defined",
}


def played(target="loss", table=None, names=("rls",), rounds=None, **spec):
    """Play the models of an analysis by the functions that anybody can call."""
    table = losses() if table is None else table
    sample = build_sample(table, Specification(target, **spec))
    found = {}
    for name in names:
        model = make_model(name, sample)
        found[name] = tlpo.concordance(
            model.estimator,
            model.features(sample),
            sample.y,
            groups=sample.groups,
            rounds=rounds,
            random_state=0,
        )
    return sample, found


# ----- numbers against Python


def test_one_model_against_its_concordance():
    (model,) = KINDS["numbers"]().models
    sample, found = played(ordered=True)
    c = found["rls"]
    assert model.concordance == c.concordance
    interval = c.concordance_interval()
    assert (model.interval.low, model.interval.high) == tuple(interval)
    assert (model.consistency, model.circular_triads) == (c.consistency, c.circular_triads)
    assert model.scores == c.scores.tolist()
    assert (model.n_ties, model.n_games, model.n_ordered) == (c.n_ties, 120, c.n_ordered)
    # Pairs with different losses, by hand.
    loss = sample.y
    assert c.n_ordered == sum(a > b for a in loss for b in loss)


def test_other_estimates_against_evaluate():
    (model,) = KINDS["numbers"]().models
    sample, _ = played(ordered=True)
    rls = make_model("rls", sample)
    names = [row.scheme for row in model.schemes]
    assert names[0] == "lpo"
    table = tlpo.evaluate(
        rls.estimator, rls.features(sample), sample.y, schemes=names[1:], random_state=0, order=True
    )
    assert len(names) > 3
    for row in model.schemes[1:]:
        assert row.concordance == pytest.approx(table.loc[row.scheme, "concordance"])


def test_several_models_against_compare_and_choose():
    names = ("rls", "rls:regparam=100", "constant")
    analysis = KINDS["numbers by subgroups"]()
    table = losses(24)
    _, found = played(table=table, names=names, ordered=True, drop=("site",))
    pairs = tlpo.compare(*found.values(), names=names, confidence_level=0.9)
    for row, pair, adjusted in zip(analysis.comparisons, pairs.pairs, pairs.adjusted, strict=True):
        assert (row.first, row.second) == pair.names
        assert row.difference == pair.difference
        assert (row.low, row.high) == pytest.approx((pair.low, pair.high))
        assert (row.p_value, row.p_value_holm) == pytest.approx((pair.p_value, adjusted))
    best = tlpo.choose(*found.values(), names=names, confidence_level=0.9)
    choice = analysis.choice
    assert choice.winner == best.winner
    assert (choice.concordance, choice.low, choice.high) == (best.auc, best.low, best.high)
    assert (choice.uncorrected, choice.optimism) == (best.uncorrected, best.optimism)


def test_subgroups_against_pandas():
    """The concordance within a subgroup is that of the games between its patients."""
    analysis = KINDS["numbers by subgroups"]()
    _, found = played(table=losses(24), ordered=True, drop=("site",))
    wins, table = found["rls"].win_matrix(), losses(24)
    rows = [row for row in analysis.models[0].subgroups if row.by == "site"]
    assert [row.subgroup for row in rows] == ["north", "south"]
    for row in rows:
        inside = np.flatnonzero(table["site"] == row.subgroup)
        loss = table["loss"].to_numpy()
        games = [wins[i, j] for i in inside for j in inside if loss[i] > loss[j]]
        assert (row.n_units, row.n_ordered) == (len(inside), len(games))
        assert row.concordance == pytest.approx(np.mean(games))
        assert row.low < row.concordance < row.high


def test_grades_and_groups():
    analysis = KINDS["grades"]()
    table = stages()
    kept = table["stage"].notna()
    places = table["stage"][kept].map({"low": 1, "medium": 2, "high": 3})
    assert analysis.grades == ["none", "low", "medium", "high"]
    assert analysis.outcome == places.tolist()
    assert (analysis.units, analysis.sample.n_groups, analysis.sample.without_target) == (
        "rows",
        9,
        1,
    )
    order = ("none", "low", "medium", "high")
    _, found = played("stage", table, order=order, group="person")
    assert analysis.models[0].concordance == found["rls"].concordance


def test_rounds_keep_their_draw():
    analysis = KINDS["numbers in rounds"]()
    _, found = played(rounds=10, ordered=True)
    model, c = analysis.models[0], found["rls"]
    assert model.scores == c.scores.tolist()
    assert (model.games, model.consistency, model.n_games) == (None, None, 80)
    assert (model.interval.low, model.interval.high) == tuple(c.concordance_interval())


def test_markers_against_assess():
    analysis, table = KINDS["markers of numbers"](), losses()
    fixed = {
        name: tlpo.assess(
            table[name].astype(float).rename(name),
            table["loss"],
            order=True,
            larger_is_positive=name != "age",
        )
        for name in ("marker", "age", "smoker")
    }
    for marker, a in zip(analysis.markers, fixed.values(), strict=True):
        assert marker.concordance == a.concordance
        interval = a.concordance_interval(0.9)
        assert (marker.interval.low, marker.interval.high) == tuple(interval)
        assert (marker.standard_error, marker.p_value) == (a.standard_error, a.p_value)
    pairs = tlpo.compare(*fixed.values(), confidence_level=0.9)
    assert [row.p_value for row in analysis.comparisons] == [pair.p_value for pair in pairs.pairs]
    assert [row.p_value_holm for row in analysis.comparisons] == pytest.approx(pairs.adjusted)


def test_a_marker_counts_whom_it_is_known_of():
    analysis = KINDS["marker of grades"]()
    marker, age = analysis.markers
    assert (analysis.n_units, analysis.n_read, analysis.n_without_target) == (17, 18, 1)
    assert (marker.n_rated, marker.n_missing) == (16, 1)
    assert (age.n_rated, age.n_missing) == (17, 0)
    # Compared on the patients who have both.
    table = stages().dropna(subset=["stage", "marker"])
    place = table["stage"].map({"low": 0, "medium": 1, "high": 2})
    both = tlpo.assess(table["age"], place, order=True)
    assert analysis.comparisons[0].concordance_second == both.concordance != age.concordance


# ----- there and back


@pytest.mark.parametrize("name", [*ORDERED, *MARKERS])
def test_it_is_plain_json_that_follows_the_schema_and_comes_back(name):
    analysis = KINDS[name]()
    text = json_of(analysis)
    jsonschema.validate(json.loads(text), schema())
    assert decode(text) == analysis
    assert find_contradiction(analysis) is None


def with_a_test(analysis):
    """As of 19 permutations, 4 of which were as good; playing them takes a minute."""
    limits = binomtest(4, 19).proportion_ci(analysis.confidence_level, method="exact")
    test = Permutation(19, 0.25, limits.low, limits.high, analysis.units, [])
    return replace(analysis, models=[replace(model, permutation=test) for model in analysis.models])


@pytest.mark.parametrize(
    ("name", "least", "possible"),
    [
        ("numbers", 300, POSSIBLE),
        ("numbers by subgroups", 400, POSSIBLE),
        ("grades", 350, POSSIBLE),
        ("numbers in rounds", 300, POSSIBLE | ROUNDS_POSSIBLE),
    ],
)
def test_edits_are_refused_or_possible(name, least, possible):
    n, accepted = judge(json.loads(json_of(with_a_test(KINDS[name]()))))
    assert n > least
    assert {pattern(path) for _, path in accepted} <= set(possible)
    assert len(accepted) < 0.1 * n


@pytest.mark.parametrize("name", MARKERS)
def test_edits_of_markers_are_refused_or_possible(name):
    n, accepted = judge(json.loads(json_of(KINDS[name]())))
    assert n > 150
    assert {pattern(path) for _, path in accepted} <= set(MARKERS_POSSIBLE)


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("numbers", {("n_units",): 17}, "'n_units' is 17, but it must be 16: as 'outcome' has "
         "entries"),
        ("numbers", {("models", 0, "games", 0): "0" * 15}, "'models[0].concordance' is "),
        ("numbers", {("models", 0, "consistency"): -0.5}, "'models[0].consistency' is -0.5, but "
         "it must be "),
        ("numbers", {("models", 0, "circular_triads"): None}, "'models[0].circular_triads' is "
         "None, but it must be "),
        ("numbers", {("models", 0, "n_ties"): 3}, "'models[0].n_ties' is 3, but it must be 0: as "
         "'games' counts"),
        ("numbers", {("models", 0, "schemes", 0, "concordance"): 0.9},
         "'models[0].schemes' is 0.9, but it must be "),
        ("numbers", {("parts", 0, "count"): 1}, "'parts' is "),
        ("numbers", {("models", 0, "final", "n"): 1}, "'models[0].final.rows' is 5, but it must be "
         "1: of 'n', the largest"),
        ("grades", {("outcome", 0): 4}, "'outcome' is 4.0, but there are 4 grades"),
        ("grades", {("outcome", 0): 0.5}, "'outcome' is [0.5, "),
        ("numbers by subgroups", {("models", 0, "subgroups", 0, "n_units"): 23},
         "'models[0].subgroups (site)' is 3"),
        ("numbers by subgroups", {("models", 0, "subgroups", 0, "concordance"): None},
         "'models[0].subgroups[0].low' is "),
        ("numbers by subgroups", {("choice", "winner"): "nobody"},
         "'choice.winner' is 'nobody', but no model has a larger concordance"),
        ("numbers by subgroups", {("choice", "concordance"): 0.5},
         "'choice.concordance' is 0.5, but it must be "),
        ("numbers by subgroups", {("comparisons", 0, "difference"): 0.5},
         "'comparisons[0].difference' is 0.5, but it must be "),
        ("markers of numbers", {("highest",): -50}, "'highest' is -50.0, but it is above 'lowest'"),
        ("markers of numbers", {("markers", 0, "n_missing"): 1},
         "'markers[0].n_rated' is 17, but it must be 16: with 'n_missing', rows"),
        ("markers of numbers", {("markers", 0, "standard_error"): 7},
         "'markers[0].standard_error' is 7.0, but it lies between 0 and 1"),
        ("marker of grades", {("highest",): 3}, "'highest' is 3.0, but there are 3 grades"),
    ],
)  # fmt: skip
def test_a_fault_says_where_what_and_why(name, change, fault):
    found = json.loads(json_of(KINDS[name]()))
    with edited(found, change):
        assert find_fault(found).startswith(fault)


# ----- the baseline table against pandas


def clinic(m=41):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "age": rng.normal(60, 10, m),
            "crp": rng.lognormal(1, 1.5, m),
            "smoker": (rng.random(m) < 0.4).astype(float),
            "site": rng.choice(["north", "south"], m).astype(object),
        }
    )
    table.loc[[1, 5], "age"] = np.nan
    return table


def tabulated(table, outcome):
    levels = {"site": find_levels("site", table["site"].tolist(), None, False)}
    return tabulate_by_outcome(table, ["age", "crp", "smoker"], ["site"], outcome, levels)


def agrees(table, rows, inside, cells):
    """Check a column of the table; cells says which it is."""
    own = table[inside]
    north, south, age, crp, smoker = (cells(row) for row in rows)
    assert age.values == pytest.approx([own["age"].mean(), own["age"].std()])
    assert (age.count, age.missing) == (own["age"].count(), own["age"].isna().sum())
    assert crp.values == pytest.approx(own["crp"].quantile([0.5, 0.25, 0.75]).tolist())
    assert smoker.values == pytest.approx([own["smoker"].sum(), own["smoker"].mean()])
    for cell, site in ((north, "north"), (south, "south")):
        assert cell.values == pytest.approx([(own["site"] == site).sum(),
                                             (own["site"] == site).mean()])  # fmt: skip


def test_grades_against_pandas():
    table = clinic()
    grade = np.array(["low", "medium", "high"])[np.arange(41) % 3]
    order = ["low", "medium", "never", "high"]
    parts, rows = tabulated(table, read_ordered(grade, order, None))
    assert [(part.name, part.count) for part in parts] == [
        ("low", 14),
        ("medium", 14),
        ("high", 13),
    ]
    assert [(row.feature, row.level, row.kind) for row in rows] == [
        *(("site", "north", "share"), ("site", "south", "share"), ("age", None, "mean")),
        *(("crp", None, "median"), ("smoker", "1", "share")),
    ]
    agrees(table, rows, grade == grade, lambda row: row.all)
    for k, name in enumerate(("low", "medium", "high")):
        agrees(table, rows, grade == name, lambda row, k=k: row.parts[k])


def test_quarters_against_pandas():
    table, loss = clinic(), np.random.default_rng(9).permutation(41) / 2
    parts, rows = tabulated(table, read_ordered(loss, True, None))
    quarter = pd.qcut(loss, 4, labels=False)
    assert [part.name for part in parts] == ["0 to 5", "5.5 to 10", "10.5 to 15", "15.5 to 20"]
    assert [part.count for part in parts] == np.bincount(quarter).tolist() == [11, 10, 10, 10]
    for k in range(4):
        agrees(table, rows, quarter == k, lambda row, k=k: row.parts[k])


def test_few_numbers_are_parts_themselves_and_ties_stay_together():
    table = clinic()
    parts, _ = tabulated(table, read_ordered(np.arange(41) % 3 * 2.5, True, None))
    assert [(part.name, part.count) for part in parts] == [("0", 14), ("2.5", 14), ("5", 13)]
    # Patients without any loss are one part, not three.
    loss = np.r_[np.zeros(31), np.arange(1, 11)]
    parts, _ = tabulated(table, read_ordered(loss, True, None))
    assert [(part.name, part.count) for part in parts] == [("0", 31), ("1 to 10", 10)]


# ----- what is refused


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            lambda: ordered_of("logistic"),
            "The model cannot be used here.\n'logistic' is a model of two classes, and the outcome "
            "is numbers or grades.\nChoose from ridge, ridge-cv, rls, knn, pls, forest, boosting, "
            "constant, or cut the outcome into two classes, for example target='column >= 5'.",
        ),
        (
            lambda: graded("svm"),
            "The model cannot be used here.\n'svm' is a model of two classes, and the outcome is "
            "numbers or grades.\nChoose from ridge, ridge-cv, rls, knn, pls, forest, boosting, "
            "constant, or cut the outcome into two classes, for example target='column >= 5'.",
        ),
        (
            lambda: ordered_markers_of("marker", options={"cutoff": ("marker=1",)}),
            "Cut-offs, prevalences, specificities and smoothed ROC curves are of two classes, and "
            "the outcome is numbers or grades.\n"
            "You passed cutoff=['marker=1'].\nLeave it out, or cut the outcome into two classes, "
            "for example target='column >= 5'.",
        ),
        (
            lambda: ordered_markers_of("marker", options={"prevalence": 0.1}),
            "Cut-offs, prevalences, specificities and smoothed ROC curves are of two classes, and "
            "the outcome is numbers or grades.\n"
            "You passed prevalence=0.1.\nLeave it out, or cut the outcome into two classes, "
            "for example target='column >= 5'.",
        ),
        (
            lambda: ordered_markers_of("marker", options={"specificity": 0.8}),
            "Cut-offs, prevalences, specificities and smoothed ROC curves are of two classes, and "
            "the outcome is numbers or grades.\n"
            "You passed specificity=0.8.\nLeave it out, or cut the outcome into two classes, "
            "for example target='column >= 5'.",
        ),
    ],
)
def test_what_only_classes_have_is_refused(asked, said):
    with pytest.raises(tlpo.InputError) as caught:
        asked()
    assert str(caught.value) == said
