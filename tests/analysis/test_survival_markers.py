"""Markers of times to an event: their numbers, there and back, and what is refused."""

import json

import jsonschema
import numpy as np
import pytest
from sksurv.compare import compare_survival
from sksurv.metrics import concordance_index_censored
from sksurv.nonparametric import kaplan_meier_estimator

import tlpo
from analysis.analysis_edits import pattern
from analysis.followed import SURVIVAL_MARKERS, followed, survival_markers_of, with_gaps
from analysis.judging import find_fault
from analysis.test_relations import edited, judge
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import decode, schema
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.remarks import flags_for
from tlpo.document.write import json_of

# Where an edited number can be right, whatever the others are, and why.
POSSIBLE = {
    "group": "rows may belong together",
    "n_read": "rows may have been left out on request, which are not counted",
    "follow_up.low": "a limit may be reached earlier, or not be known",
    "follow_up.high": "a limit may be reached later, or never",
    "markers[].interval.phi": "a variance may be inflated as much; it is not shown",
    "markers[].interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "markers[].uno_interval.phi": "a variance may be inflated as much; it is not shown",
    "markers[].uno_interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "markers[].p_value": "it may not be defined",
    "markers[].at[].interval.phi": "a variance may be inflated as much; it is not shown",
    "markers[].at[].interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "markers[].cuts[]": "a marker may be in other units, if the cuts are in order",
    "markers[].groups.curves[].median_low": "a limit may be reached earlier, or not be known",
    "markers[].groups.curves[].median_high": "a limit may be reached later, or never",
}


def times_of(table):
    known = table.dropna(subset=["months", "died"])
    return known, tlpo.time_to_event(known["months"], known["died"])


def naive_concordance(score, time, event):
    """Count the pairs of which one had the event while the other was known to be without it."""
    won = [
        (score[i] > score[j]) + (score[i] == score[j]) / 2
        for i in range(len(time))
        for j in range(len(time))
        if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j]))
    ]
    return float(np.mean(won)), len(won)


# ----- numbers


def test_markers_against_a_naive_count():
    table = followed()
    time, event = table["months"].to_numpy(), (table["died"] == "yes").to_numpy()
    for marker in SURVIVAL_MARKERS["markers of times"]().markers:
        score = table[marker.name].to_numpy(float) * (1 if marker.larger_is_positive else -1)
        concordance, n_ordered = naive_concordance(score, time, event)
        assert (marker.concordance, marker.n_ordered) == (pytest.approx(concordance), n_ordered)
        assert marker.concordance == pytest.approx(
            concordance_index_censored(event, time, score)[0]
        )


def test_markers_against_assess():
    analysis = SURVIVAL_MARKERS["markers of times"]()
    table, y = times_of(followed())
    fixed = {
        name: tlpo.assess(table[name], y, larger_is_positive=name != "albumin")
        for name in ("crp", "albumin", "sex")
    }
    for marker, a in zip(analysis.markers, fixed.values(), strict=True):
        interval, uno = a.concordance_interval(0.9), a.uno_interval(confidence_level=0.9)
        assert (marker.interval.low, marker.interval.high) == tuple(interval)
        assert (marker.standard_error, marker.p_value) == (a.standard_error, a.p_value)
        assert (marker.uno, marker.uno_interval.low) == (a.uno(), uno.low)
        assert [found.time for found in marker.at] == [5, 12]
        for found in marker.at:
            assert found.auc == a.auc_at(found.time)
            limits = a.auc_at_interval(found.time, 0.9)
            assert (found.interval.low, found.interval.high) == tuple(limits)
            at = a.sensitivity_at(specificity=0.8, time=found.time)
            assert (found.specificity, found.sensitivity) == (0.8, at)
    pairs = tlpo.compare(*fixed.values(), confidence_level=0.9)
    assert [row.p_value for row in analysis.comparisons] == [pair.p_value for pair in pairs.pairs]
    assert [row.p_value_holm for row in analysis.comparisons] == pytest.approx(pairs.adjusted)
    follow_up = fixed["crp"].follow_up
    assert analysis.follow_up.median == follow_up.median
    assert (analysis.follow_up.low, analysis.follow_up.high) == follow_up.median_limits(0.9)


def test_thirds_against_scikit_survival():
    (marker,) = SURVIVAL_MARKERS["marker of times"]().markers
    table = followed()
    crp, event = table["crp"].to_numpy(), (table["died"] == "yes").to_numpy()
    third = np.argsort(np.argsort(crp)) // 8
    assert np.unique(crp).size == 24
    assert marker.cuts == [crp[third == 1].min(), crp[third == 2].min()]
    for k, (name, curve) in enumerate(
        zip(("low", "medium", "high"), marker.groups.curves, strict=True)
    ):
        times, survival = kaplan_meier_estimator(event[third == k], table["months"][third == k])
        assert (curve.name, curve.time) == (name, times.tolist())
        assert curve.survival == pytest.approx(survival.tolist())
    _, y = times_of(table)
    chi_square, p_value = compare_survival(y, third)
    test = marker.groups.test
    assert (test.chi_square, test.degrees_of_freedom) == (pytest.approx(chi_square), 2)
    assert test.p_value == pytest.approx(p_value)


def test_groups_rise_in_risk_and_two_values_are_two_groups():
    crp, albumin, sex = SURVIVAL_MARKERS["markers of times"]().markers
    assert albumin.cuts == sorted(albumin.cuts, reverse=True)
    table = followed()
    low = (table["albumin"] > albumin.cuts[0]).sum()
    assert albumin.groups.curves[0].at_risk[0] == low
    assert [curve.name for curve in sex.groups.curves] == ["low", "high"]
    assert sex.cuts == [1.0]
    assert [curve.at_risk[0] for curve in sex.groups.curves] == [12, 12]
    assert len(crp.groups.curves) == 3


def test_a_marker_counts_whom_it_is_known_of():
    analysis = SURVIVAL_MARKERS["markers of times with gaps"]()
    assert (analysis.n_read, analysis.n_without_target, analysis.n_units) == (24, 2, 22)
    known, y = times_of(with_gaps())
    both = known.dropna(subset=["crp"])
    crp, stage = analysis.markers
    assert (crp.n_rated, crp.n_missing) == (20, 2)
    assert (stage.n_rated, stage.n_missing) == (22, 0)
    died = both["died"] == "yes"
    assert crp.n_events == died.sum() == sum(sum(c.events) for c in crp.groups.curves)
    (found,) = crp.at
    assert found.time == analysis.times[0]
    early = both["months"] <= found.time
    counts = (died & early).sum(), (~early).sum(), (~died & early).sum()
    assert (found.cases, found.controls, found.censored) == counts
    # Variances are over groups, and there is no test that knows them.
    grouped = tlpo.assess(known["stage"], y, groups=known["person"])
    assert stage.standard_error == pytest.approx(grouped.standard_error, rel=1e-12)
    assert stage.p_value is None
    # Compared on the patients who have both.
    own = tlpo.time_to_event(both["months"], both["died"])
    assert analysis.comparisons[0].concordance_second == tlpo.assess(both["stage"], own).concordance


def test_a_time_at_which_only_others_have_a_value():
    """Of the two markers, one is known of the patients that were followed longest only."""
    table = followed()
    early = table["months"] < table["months"].median()
    table["late"] = table["crp"].where(~early)
    at = float(table["months"][early & (table["died"] == "yes")].min())
    analysis = survival_markers_of("crp", "late", table=table, options={"at": (at, 30)})
    crp, late = analysis.markers
    assert [found.time for found in crp.at] == [at, 30]
    assert [found.time for found in late.at] == [30]
    assert find_contradiction(analysis) is None
    said = [remark.worded() for remark in remarks_on(analysis) if remark.code == "times"]
    assert said == [
        f"late has no AUC at {at:g}: of the patients with a value, none had the event by then, or "
        "none was followed any longer."
    ]


def test_whole_numbers_that_are_equal_as_doubles_are_told_apart():
    table = followed()
    place = table["crp"].rank(method="first").astype(int)
    table["code"] = [str(10**17 + k) for k in place]
    code, rank = survival_markers_of("code", "rank", table=table.assign(rank=place)).markers
    assert (code.concordance, code.uno) == (rank.concordance, rank.uno)


# ----- remarks


def test_the_direction_is_said_of_events():
    analysis = survival_markers_of("crp", smaller=("crp",))
    (found,) = (remark for remark in remarks_on(analysis) if remark.code == "direction")
    other = 1 - analysis.markers[0].concordance
    start = (
        "crp: the concordance is below ½. The direction is never chosen from the data. If larger "
        "values were expected with earlier events before these data were seen, the concordance is "
        f"{other:.3f}: run the analysis again "
    )
    assert found.worded() == f"{start}and say that large values of 'crp' go with earlier events."
    assert found.worded(flags_for) == f"{start}without --smaller-is-positive crp."


def test_few_events_missing_values_and_coding_are_remarked():
    table = followed(40)
    died = np.flatnonzero(table["died"] == "yes")
    table.loc[died[9:], "crp"] = np.nan
    analysis = survival_markers_of("crp", "stage", table=table)
    texts = {remark.code: remark.worded() for remark in remarks_on(analysis)}
    assert texts["few events"] == (
        "crp: of those with a value, only 9 had the event. Every estimate is rough, whatever its "
        "interval says."
    )
    n = died.size - 9
    assert texts["missing"] == f"crp is missing in {n} of 40 patients, who are left out."
    assert texts["compared"].startswith("Two markers are compared on the patients that have both")
    few = survival_markers_of("stage", table=table.drop(index=died[9:]))
    assert [r.worded() for r in remarks_on(few) if r.code == "few events"] == [
        "There are only 9 events: every estimate is rough, whatever its interval says."
    ]
    turned = followed().assign(censored=lambda t: (t["died"] == "no") * 1)
    turned = survival_markers_of("crp", table=turned, event="censored")
    assert "reversed event" in [remark.code for remark in remarks_on(turned)]


# ----- there and back


@pytest.mark.parametrize("name", SURVIVAL_MARKERS)
def test_it_comes_back_free_of_contradictions(name):
    analysis = SURVIVAL_MARKERS[name]()
    assert decode(json_of(analysis)) == analysis
    assert find_contradiction(analysis) is None


def test_it_follows_the_schema():
    jsonschema.validate(
        json.loads(json_of(SURVIVAL_MARKERS["markers of times with gaps"]())), schema()
    )


@pytest.mark.parametrize("name", SURVIVAL_MARKERS)
def test_edits_are_refused_or_possible(name):
    n, accepted = judge(json.loads(json_of(SURVIVAL_MARKERS[name]())))
    assert n > 400
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)
    assert len(accepted) < 0.08 * n


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("marker of times", {("n_units",): 25},
         "'n_units' is 25, but it must be 24: as 'time' has entries"),
        ("marker of times", {("event",): [True] * 24}, "'follow_up.median' is "),
        ("marker of times", {("follow_up", "median"): 1.5}, "'follow_up.median' is 1.5, but it "
         "must be "),
        ("marker of times", {("markers", 0, "n_ordered"): 99},
         "'markers[0].n_ordered' is 99, but it must be "),
        ("marker of times", {("markers", 0, "n_events"): 2},
         "'markers[0].n_events' is 2, but it must be "),
        ("marker of times", {("markers", 0, "at", 0, "cases"): 1},
         "'markers[0].at[0].censored' is "),
        ("marker of times", {("markers", 0, "at", 0, "time"): 3.25},
         "'markers[0].at' is [3.25], but they are some of 'times', in their order"),
        ("marker of times", {("markers", 0, "at", 0, "survival"): 0.25},
         "'markers[0].at[0].survival' is 0.25, but it must be "),
        ("marker of times", {("markers", 0, "uno"): 0.0}, "'markers[0].uno_interval.low' is "),
        ("marker of times", {("markers", 0, "cuts", 0): 1e9}, "'markers[0].cuts' is [1000000000.0,"
         " "),
        ("marker of times", {("markers", 0, "cuts"): []},
         "'markers[0].cuts' is 0, but it must be 2: one between two groups"),
        ("marker of times", {("markers", 0, "groups", "test", "chi_square"): 1.0},
         "'markers[0].groups.test.chi_square' is 1.0, but it must be "),
        ("marker of times", {("markers", 0, "groups", "curves", 0, "time", 0): 0.05},
         "'markers[0].groups' is 24, but they have the times and events of all"),
        ("marker of times", {("markers", 0, "groups", "curves", 0, "at_risk", 0): 9},
         "'markers[0].groups' is 25, but it must be 24: they are all patients who are ranked"),
        ("marker of times", {("markers", 0, "groups", "curves", 2, "median"): None},
         "'markers[0].groups.curves[2].median' is None, but it must be "),
        ("marker of times", {("markers", 0, "groups", "curves", 2, "median_low"): 1e3},
         "'markers[0].groups.curves[2].median_low' is 1000.0, but it is reached before the "
         "median"),
        ("marker of times", {("follow_up", "high"): 0.5},
         "'follow_up.high' is 0.5, but it is reached after the median"),
        ("markers of times", {("times",): [12, 5]}, "'times' is [12.0, 5.0], but they increase"),
        ("markers of times with gaps", {("markers", 0, "groups", "curves", 0, "time", 0): 0.05},
         "'markers[0].groups"),
    ],
)  # fmt: skip
def test_a_fault_says_where_what_and_why(name, change, fault):
    found = json.loads(json_of(SURVIVAL_MARKERS[name]()))
    with edited(found, change):
        assert find_fault(found).startswith(fault)


# ----- what is refused


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"cutoff": ("crp=1",)},
            "Cut-offs, prevalences and smoothed ROC curves are of two classes, and the outcome is "
            "a time to an event.\n"
            "You passed cutoff=['crp=1'].\nLeave it out; at=36 gives the ROC curve at a time.",
        ),
        (
            {"prevalence": 0.1},
            "Cut-offs, prevalences and smoothed ROC curves are of two classes, and the outcome is "
            "a time to an event.\n"
            "You passed prevalence=0.1.\nLeave it out; at=36 gives the ROC curve at a time.",
        ),
    ],
)
def test_what_only_classes_have_is_refused(options, said):
    with pytest.raises(tlpo.InputError) as caught:
        survival_markers_of("crp", options=options)
    assert str(caught.value) == said


def test_rows_of_one_group_are_refused():
    with pytest.raises(tlpo.InputError) as caught:
        survival_markers_of("crp", table=followed().assign(clinic="A"), group="clinic")
    assert str(caught.value) == (
        "The variance over groups needs at least two of them.\n"
        "You passed 24 units with a score, all of one group.\n"
        "Pass what tells groups apart, or none if all units are independent."
    )


def test_a_time_beyond_all_is_refused():
    with pytest.raises(tlpo.InputError, match="At this time nobody had the event yet"):
        survival_markers_of("crp", options={"at": (500,)})


def test_times_are_positive_numbers():
    with pytest.raises(tlpo.InputError, match="at must be"):
        survival_markers_of("crp", options={"at": (-3,)})
