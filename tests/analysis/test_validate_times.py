"""From times to a model to new times, against naive counts, scikit-survival and hand."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from msgspec.structs import astuple
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.nonparametric import kaplan_meier_estimator

import tlpo
from analysis.analysis_edits import pattern
from analysis.followed import (
    SURVIVAL_VALIDATIONS,
    followed,
    in_groups,
    saved,
    validated,
)
from analysis.judging import find_fault
from analysis.test_model_file import saved as saved_classes
from analysis.test_relations import edited, judge
from analysis.test_survival_markers import naive_concordance
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import decode, schema
from tlpo.analysis.model_file import load_model, score
from tlpo.analysis.options import Options
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.shapes import Limits
from tlpo.analysis.survival import survival_at
from tlpo.analysis.validate import validate
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.terminal import to_terminal
from tlpo.document.write import json_of
from tlpo.roc.kaplan_meier import kaplan_meier

POSSIBLE = {
    "group": "rows may belong together",
    "n_read": "rows may have been left out",
    "follow_up.low": "a limit may be reached earlier, or not be known",
    "follow_up.high": "a limit may be reached later, or never",
    "uno_interval.phi": "a variance may be inflated as much; it is not shown",
    "uno_interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "at[].found.interval.phi": "a variance may be inflated as much; it is not shown",
    "at[].found.interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "groups.curves[].median_low": "a limit may be reached earlier, or not be known",
    "groups.curves[].median_high": "a limit may be reached later, or never",
    "cuts[]": "scores of new patients may be divided elsewhere, if the cuts are in order",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    saved(folder / "m.skops")
    return folder


def outcome_of(folder, table, **options):
    table.to_csv(folder / "new.csv", index=False)
    return validate(str(folder / "m.skops"), str(folder / "new.csv"), **options)


def new_patients():
    return followed(30, seed=7)


def scored(folder, table):
    fitted, card = load_model(str(folder / "m.skops"))
    return score(fitted, card, table[["crp", "stage"]].astype(float))


# ----- numbers


def test_the_concordance_against_a_naive_count(folder):
    table = new_patients()
    found = outcome_of(folder, table)
    risk = scored(folder, table)
    time, event = table["months"].to_numpy(), (table["died"] == "yes").to_numpy()
    assert found.concordance.estimate == pytest.approx(naive_concordance(risk, time, event)[0])
    fixed = tlpo.assess(risk, tlpo.time_to_event(time, event))
    assert (found.concordance.low, found.concordance.high) == tuple(fixed.concordance_interval())
    assert found.uno == fixed.uno()
    for one in found.at:
        assert one.found.auc == fixed.auc_at(one.found.time)
    assert [one.found.time for one in found.at] == [5, 12]
    assert (found.remarks, found.coding) == ([], "'yes' is the event")


def test_development_is_compared_at_the_level_asked_for(folder):
    found = outcome_of(folder, new_patients(), confidence_level=0.5)
    *_, s, _ = saved(folder / "again.skops")
    then = found.concordance.development
    low, high = s.concordance_interval(0.5)
    assert (then.estimate, then.low, then.high) == pytest.approx((s.concordance, low, high))
    by = found.concordance.difference
    assert by.estimate == pytest.approx(found.concordance.estimate - s.concordance)
    # Newcombe's square-and-add, by hand.
    gap = np.hypot(found.concordance.estimate - found.concordance.low, high - s.concordance)
    assert by.low == pytest.approx(by.estimate - gap)
    at = found.at[1]
    assert at.development.estimate == s.auc_at(12)
    assert (at.development.low, at.development.high) == pytest.approx(
        tuple(s.auc_at_interval(12, 0.5))
    )


def test_groups_are_divided_at_the_scores_of_development(folder):
    table = new_patients()
    found = outcome_of(folder, table)
    card, risk = load_model(str(folder / "m.skops"))[1], scored(folder, table)
    assert (found.cut_by, found.cuts) == ("development", card.cuts)
    for k, curve in enumerate(found.groups.curves):
        inside = np.searchsorted(card.cuts, risk) == k
        times, survival = kaplan_meier_estimator(
            (table["died"] == "yes")[inside].to_numpy(), table["months"][inside]
        )
        assert curve.time == times.tolist()
        assert curve.survival == pytest.approx(survival)


def test_calibration_against_scikit_survival(folder):
    """Breslow's baseline of scikit-survival, and its Kaplan-Meier with log-log limits."""
    old, new = followed(40), new_patients()
    found = outcome_of(folder, new)
    mean, sd = (getattr(old[["crp", "stage"]], what)() for what in ("mean", "std"))
    sd *= np.sqrt(39 / 40)
    y = tlpo.time_to_event(old["months"], old["died"])
    cox = CoxPHSurvivalAnalysis(alpha=1.0, ties="efron", tol=1e-12).fit(
        ((old[["crp", "stage"]] - mean) / sd).to_numpy(), y
    )
    curves = cox.predict_survival_function(((new[["crp", "stage"]] - mean) / sd).to_numpy())
    event = (new["died"] == "yes").to_numpy()
    times, survival, limits = kaplan_meier_estimator(event, new["months"], conf_type="log-log")
    for one in found.at:
        t, calibration = one.found.time, one.calibration
        S = np.array([curve(t) for curve in curves])
        assert calibration.all.predicted == pytest.approx(S.mean(), abs=1e-6)
        k = np.searchsorted(times, t, side="right") - 1
        observed = calibration.all.observed
        assert observed.estimate == pytest.approx(survival[k])
        assert (observed.low, observed.high) == pytest.approx(tuple(limits[:, k]))
        ratio = (1 - survival[k]) / (1 - S.mean())
        assert calibration.ratio.estimate == pytest.approx(ratio, rel=1e-5)
        member = np.searchsorted(found.cuts, scored(folder, new))
        for k, group in enumerate(calibration.groups):
            assert group.n_units == (member == k).sum()
            assert group.predicted == pytest.approx(S[member == k].mean(), abs=1e-6)


def test_survival_with_limits_by_hand():
    time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, True])
    curve = kaplan_meier(time, event)
    assert survival_at(curve, 2.5, 0.95).estimate == pytest.approx(0.75)
    # Before the first event, of four that were followed: (α/2)^(1/4).
    assert astuple(survival_at(curve, 0.5, 0.95)) == pytest.approx((1.0, 0.025**0.25, 1.0))
    # All are gone: of four, 1 − (α/2)^(1/4).
    assert astuple(survival_at(curve, 4.0, 0.95)) == pytest.approx((0.0, 0.0, 1 - 0.025**0.25))
    # Nobody was followed until then.
    lost = kaplan_meier(time, np.array([True, False, False, False]))
    assert survival_at(lost, 5.0, 0.95) is None


def test_groups_of_rows_widen_the_limits(folder):
    table = new_patients().loc[lambda t: t.index.repeat(3)].assign(who=np.repeat(np.arange(30), 3))
    alone, grouped = outcome_of(folder, table), outcome_of(folder, table, group="who")

    def width(found):
        return found.concordance.high - found.concordance.low

    assert width(grouped) > 1.3 * width(alone)
    page = to_markdown(make_document(grouped))
    assert "They treat patients of the same who as independent." in page


# ----- times


def test_other_times_have_no_development(folder):
    found = outcome_of(folder, new_patients(), at=(7, 12))
    first, second = found.at
    assert (first.development, first.difference) == (None, None)
    assert second.development is not None


def test_times_that_new_patients_do_not_reach_are_said(folder):
    table = new_patients()
    table.loc[table["months"] > 11, ["months", "died"]] = (11, "no")
    found = outcome_of(folder, table)
    assert [one.found.time for one in found.at] == [5]
    assert found.remarks == [
        "No AUC at 12: of these patients, none had the event by then, or none was followed any "
        "longer."
    ]
    with pytest.raises(tlpo.InputError, match="At this time nobody had the event yet"):
        outcome_of(folder, table, at=(12,))


def test_survival_beyond_development_is_not_predicted(folder):
    last = load_model(str(folder / "m.skops"))[1].data.last_time
    table = new_patients()
    table.loc[:5, "months"] = last + 30
    found = outcome_of(folder, table, at=(12, last + 10))
    assert found.at[0].calibration is not None
    assert found.at[1].calibration is None
    assert found.remarks == [
        f"Development followed nobody beyond {last:g}, so there is no calibration at {last + 10:g}."
    ]
    assert find_contradiction(found) is None


# ----- groups that development does not give


def test_thirds_of_new_patients_where_a_group_would_be_empty(folder):
    table = new_patients().assign(stage=1)
    table["crp"] = np.linspace(4, 5, 30)
    found = outcome_of(folder, table)
    assert found.cut_by == "new patients"
    assert [curve.at_risk[0] for curve in found.groups.curves] == [10, 10, 10]
    page = to_markdown(make_document(found))
    assert "At the scores that were fixed in development, a group would have no new pat" in page
    assert find_contradiction(found) is None


def test_scores_that_are_all_equal_divide_nobody(folder):
    found = outcome_of(folder, new_patients().assign(stage=2, crp=1.0))
    assert (found.groups, found.cuts, found.concordance.estimate) == (None, [], 0.5)
    assert found.at[0].calibration.groups == []
    assert found.concordance.high - found.concordance.low > 0.19
    assert find_contradiction(found) is None
    assert to_terminal(make_document(found))
    assert to_html(make_document(found))


def test_a_model_of_rounds_has_no_cuts():
    found = SURVIVAL_VALIDATIONS["validation of times without survival"]()
    assert (found.cut_by, found.card.cuts) == ("new patients", [])
    assert found.why_no_calibration == (
        "CoxnetSurvivalAnalysis predicts no survival unless it is fitted with "
        "fit_baseline_model=True"
    )
    page = to_markdown(make_document(found))
    assert "Development fixed no scores to divide groups at, so the groups are thirds" in page
    assert f"No calibration: {found.why_no_calibration}." in page


@pytest.mark.parametrize("m", [3, 6])
@pytest.mark.parametrize("sign", [1, -1])
def test_nothing_is_certain(folder, m, sign):
    """Times that the marker ranks perfectly, in either direction."""
    table = pd.DataFrame({"crp": np.arange(1.0, m + 1), "stage": 2, "died": "yes"})
    table["months"] = (table["crp"].rank(ascending=sign < 0) * 7).to_numpy()
    found = outcome_of(folder, table)
    assert found.concordance.estimate == (1.0 if sign > 0 else 0.0)
    assert found.concordance.high - found.concordance.low > 0.1
    for one in found.at:
        for group in (one.calibration.all, *one.calibration.groups):
            observed = group.observed
            assert observed is None or observed.high - observed.low > 0.05
    assert find_contradiction(found) is None
    assert to_terminal(make_document(found))
    assert "There are only" in " ".join(remark.text for remark in remarks_on(found))


# ----- tables that differ from development


def test_columns_may_have_other_names(folder):
    table = new_patients().rename(columns={"months": "time", "died": "dead"})
    found = outcome_of(folder, table, time="time", event="dead")
    assert (found.time_column, found.target) == ("time", "dead")
    assert found.concordance == outcome_of(folder, new_patients()).concordance


def test_a_value_is_named_for_other_codes(folder):
    table = new_patients().assign(status=lambda t: t["died"].map({"yes": 5, "no": 3}))
    found = outcome_of(folder, table, event="status == 5")
    assert found.event == (table["died"] == "yes").tolist()
    assert found.coding == "5 is the event"


def test_codes_are_those_of_development(tmp_path):
    """With 1 and 2, 2 is the event, also where everybody had it or nobody did."""
    code = {"died": {"yes": 2, "no": 1}}
    saved(tmp_path / "m.skops", table=followed(40).replace(code))
    table = new_patients().replace(code)
    assert outcome_of(tmp_path, table).event == (table["died"] == 2).tolist()
    only = table[table["died"] == 2]
    assert all(outcome_of(tmp_path, only).event)
    with pytest.raises(tlpo.InputError, match="No patient had the event"):
        outcome_of(tmp_path, table[table["died"] == 1])


def test_a_value_that_was_named_in_development_is_the_event(tmp_path):
    code = {"died": {"yes": "heart", "no": "alive"}}
    saved(tmp_path / "m.skops", table=followed(40).replace(code), target="died == heart")
    table = new_patients().replace(code)
    table.loc[3, "died"] = "cancer"
    assert outcome_of(tmp_path, table).event == (table["died"] == "heart").tolist()


def test_what_is_odd_is_said(folder):
    table = new_patients()
    table["months"] *= 30
    table.loc[2, "died"] = None
    table.loc[4, "months"] = np.nan
    table.loc[7, "crp"] = np.nan
    kept = table.drop(index=[2, 4, 7])
    found = outcome_of(folder, table, at=(150,))
    old = followed(40)["months"].median()
    assert found.remarks == [
        "Left out: 2 rows without an outcome.",
        "Left out: 1 row with missing values, which the model cannot fill, because development "
        "had none.",
        f"The median of 'months' is {kept['months'].median():.4g}; in development it was {old:.4g}."
        " Check that it is in the same units.",
        f"Development followed nobody beyond {followed(40)['months'].max():g}, so there is no "
        "calibration at 150.",
    ]
    assert found.n_units == 27


def test_the_patients_of_development_are_recognised(folder):
    assert outcome_of(folder, followed(40)).remarks == [
        "These are the patients that the model was developed on, so this does not validate it."
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.rename(columns={"crp": "CRPs"}),
            "The model 'cox' needs columns that the table does not have.\n"
            "Missing: 'crp'. Columns that are not used: 'CRPs', 'albumin', 'sex'.\n"
            "Rename them as in development: 'CRPs' may be 'crp'.",
        ),
        (
            lambda t: t.rename(columns={"months": "weeks"}),
            "There is no such column.\n"
            "Missing: 'months'. Columns that are not used: 'weeks', 'albumin', 'sex'.\n"
            "Name columns as in development.",
        ),
        (
            lambda t: t.replace({"died": {"yes": "dead"}}),
            "The event has codes that development did not have.\n"
            "You passed event='died' with 'dead'; the codes were 'no', 'yes'.\n"
            "Code it as in development, or say which value is the event, for example "
            "event='died == dead'.",
        ),
        (
            lambda t: t.assign(months=-t["months"]),
            "Times count from inclusion and cannot be negative.\n"
            "You passed time='months', which is negative in 30 rows (1, 2, 3, 4, 5, 6, … (30 in "
            "all)).\nCorrect these cells, or clear them to leave the rows out.",
        ),
        (
            lambda t: t.assign(crp=np.nan),
            "No row can be predicted.\n"
            "You passed 30 rows: Left out: 30 rows with missing values, which the model cannot "
            "fill, because development had none.\n"
            "Pass rows with an outcome and without missing values.",
        ),
        (
            lambda t: t.assign(months=np.nan),
            "No row can be predicted.\n"
            "You passed 30 rows: Left out: 30 rows without an outcome.\n"
            "Pass rows with an outcome and without missing values.",
        ),
    ],
)
def test_what_cannot_work_is_said(folder, change, message):
    with pytest.raises(tlpo.InputError) as error:
        outcome_of(folder, change(new_patients()))
    assert str(error.value) == message


def test_what_the_other_kind_of_model_takes_is_refused(folder, tmp_path):
    with pytest.raises(tlpo.InputError) as error:
        outcome_of(folder, new_patients(), target="died")
    assert str(error.value) == (
        "The model is one of times to an event.\nYou passed target='died'.\n"
        "Name the columns with time='months' and event='died', or leave them out if they are "
        "called as in development."
    )
    saved_classes(tmp_path / "m.skops")
    for asked in ({"time": "months"}, {"event": "died"}, {"at": (3,)}):
        with pytest.raises(tlpo.InputError) as error:
            outcome_of(tmp_path, new_patients(), **asked)
        first, _, third = str(error.value).splitlines()
        assert (first, third) == ("The model is one of two classes.", "Leave it out.")


# ----- there and back


@pytest.mark.parametrize("name", SURVIVAL_VALIDATIONS)
def test_it_comes_back_free_of_contradictions(name):
    analysis = SURVIVAL_VALIDATIONS[name]()
    assert decode(json_of(analysis)) == analysis
    assert find_contradiction(analysis) is None


def test_it_follows_the_schema():
    jsonschema.validate(
        json.loads(json_of(SURVIVAL_VALIDATIONS["validation of times in groups"]())), schema()
    )


@pytest.mark.parametrize("name", SURVIVAL_VALIDATIONS)
def test_edits_are_refused_or_possible(name):
    n, accepted = judge(json.loads(json_of(SURVIVAL_VALIDATIONS[name]())))
    assert n > 500
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)
    assert len(accepted) < 0.05 * n


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({("card", "name"): "another"},
         "'card' is 'another', but it is not the one that was saved"),
        ({("n_read",): 3}, "'n_read' is 3, but it is at least the number of patients"),
        ({("concordance", "development", "low"): 0.1},
         "'concordance.development.low' is 0.1, but it must be "),
        ({("concordance", "difference", "estimate"): 0.9},
         "'concordance.difference.estimate' is 0.9, but it must be "),
        ({("cuts", 0): -9}, "'cuts' is [-9.0, "),
        ({("at", 0, "development"): None}, "'at[0].development' is None, but it is that of the"),
        ({("at", 0, "difference", "low"): -5},
         "'at[0].difference.low' is -5.0, but it lies between -1 and 1"),
        ({("at", 0, "calibration"): None},
         "'at[0].calibration' is None, but there is one, or a reason"),
        ({("why_no_calibration",): "x"}, "'at[0].calibration' is Surv"),
        ({("at", 0, "calibration", "all", "predicted"): 0.5},
         "'at[0].calibration.ratio.estimate' is "),
        ({("at", 0, "calibration", "groups", 0, "predicted"): 0.5},
         "'at[0].calibration.all.predicted' is "),
        ({("at", 0, "calibration", "groups", 0, "name"): "x"},
         "'at[0].calibration.groups' is ['x', 'medium', 'high'], but they are the groups of risk"),
        ({("at", 0, "calibration", "groups", 1, "observed", "estimate"): 0.99},
         "'at[0].calibration.groups[1].observed.estimate' is 0.99, but it must be "),
        ({("at", 0, "calibration", "groups", 1, "observed"): None},
         "'at[0].calibration.groups[1].observed' is None, but it is known as long as one is"),
    ],
)  # fmt: skip
def test_a_fault_says_where_what_and_why(change, fault):
    found = json.loads(json_of(SURVIVAL_VALIDATIONS["validation of times"]()))
    with edited(found, change):
        assert find_fault(found).startswith(fault)


def test_a_ratio_without_predicted_risk_is_not_defined():
    from tlpo.analysis.shapes import CalibratedGroup, Rate
    from tlpo.analysis.survival import risk_ratio

    assert risk_ratio(CalibratedGroup("all", 9, 1.0, Rate(0.9, 0.8, 1.0))) == Limits(None)
    assert risk_ratio(CalibratedGroup("all", 9, 0.9, None)) == Limits(None)


def test_rows_of_patients_are_counted_by_group():
    found = SURVIVAL_VALIDATIONS["validation of times in groups"]()
    table = in_groups().drop(index=[4, 8])
    assert (found.n_read, found.n_units, found.group) == (30, len(table), "person")
    assert found.time == table["months"].tolist()


def test_a_model_of_rows_is_of_rows():
    table = followed(40).assign(person=[f"g{k // 2}" for k in range(40)])
    found = validated(development={"table": table, "group": "person", "options": Options(at=(5,))})
    assert (found.units, found.card.data.unit) == ("rows", "row")
