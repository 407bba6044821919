"""Analyses of times to an event: their numbers are those of Python, and nobody can change them."""

import json

import jsonschema
import numpy as np
import pytest
from msgspec.structs import replace

import survival_oracles as by_loops
import tlpo
from analysis.analyses import KINDS, analysis_of, deaths, pairs_of_rows, survival_of
from analysis.analysis_edits import pattern
from analysis.judging import find_fault
from analysis.test_ordered import POSSIBLE as RANKED_POSSIBLE
from analysis.test_ordered import ROUNDS_POSSIBLE, with_a_test
from analysis.test_relations import edited, judge
from tables import patients
from tlpo.analysis.baseline import tabulate_by_outcome
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import decode, schema
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.remarks import flags_for, in_words
from tlpo.analysis.survival import times_to_report
from tlpo.document.write import json_of
from tlpo.problem.outcome import TimeToEvent
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

SURVIVAL = (
    *("survival", "survival by subgroups"),
    *("survival in groups", "survival in rounds"),
)

# Where an edited number can be right, whatever the others are, and why.
POSSIBLE = RANKED_POSSIBLE | {
    "model_file": "a file may have any name",
    "n_coefficients": "categories may have other levels",
    "follow_up.low": "a limit may be reached earlier",
    "follow_up.high": "a limit may be reached later, or never",
    "models[].uno_interval.phi": "a variance may be inflated as much; it is not shown",
    "models[].uno_interval.degrees_of_freedom": "events may be as few; it is not shown",
    "models[].at[].interval.phi": "a variance may be inflated as much; it is not shown",
    "models[].at[].interval.degrees_of_freedom": "events may be as few; it is not shown",
    "models[].groups.curves[].median_low": "a limit may be reached earlier",
    "models[].groups.curves[].median_high": "a limit may be reached later, or never",
    "models[].final.average.score": "patients may have any risk on average",
    "models[].final.average.survival[]": "survival may be any, if it falls",
    "models[].final.average.times[]": "of rounds, nothing else is told at a time",
}


def played(table=None, names=("cox",), event="died", rounds=None, **spec):
    """Play the models of an analysis by the functions that anybody can call."""
    table = deaths() if table is None else table
    sample = build_sample(table, Specification(event, time="months", **spec))
    found = {}
    for name in names:
        model = make_model(name, sample)
        found[name] = tlpo.survival(
            model.estimator,
            model.features(sample),
            sample.y,
            groups=sample.groups,
            rounds=rounds,
            random_state=0,
        )
    return sample, found


# ----- numbers against Python


def test_one_model_against_its_survival():
    analysis = KINDS["survival"]()
    (model,) = analysis.models
    sample, found = played()
    s, table = found["cox"], deaths()
    assert analysis.time == table["months"].tolist()
    assert analysis.event == (table["died"] == "yes").tolist()
    assert (analysis.target, analysis.time_column) == ("died", "months")
    assert analysis.coding == "'yes' is the event"
    assert model.concordance == s.concordance
    assert (model.interval.low, model.interval.high) == tuple(s.concordance_interval())
    assert model.uno == pytest.approx(s.uno())
    assert (model.uno_interval.low, model.uno_interval.high) == tuple(s.uno_interval())
    assert (model.consistency, model.circular_triads) == (s.consistency, s.circular_triads)
    assert model.scores == s.scores.tolist()
    assert (model.n_ties, model.n_games, model.n_ordered) == (s.n_ties, 276, s.n_ordered)
    time, event = np.array(analysis.time), np.array(analysis.event)
    assert s.n_ordered == len(by_loops.ordered_pairs(time, event))
    low, high = s.follow_up.median_limits(0.95)
    follow_up = analysis.follow_up
    assert (follow_up.median, follow_up.low, follow_up.high) == (s.follow_up.median, low, high)
    # Age, marker, and one level of two of the site and of smoking.
    assert analysis.n_coefficients == 4
    assert sample.levels["site"].kept == ("north", "south")


def test_what_a_ranking_is_worth_at_times_against_loops():
    analysis = KINDS["survival by subgroups"]()
    time, event = np.array(analysis.time), np.array(analysis.event)
    for model in analysis.models:
        _, found = played(names=(model.name,), drop=("site",))
        s = found[model.name]
        assert [at.time for at in model.at] == [4.0, 8.0]
        for at in model.at:
            t = at.time
            assert at.auc == pytest.approx(by_loops.auc_at(s.predictions, time, event, t))
            limits = s.auc_at_interval(t, 0.9)
            assert (at.interval.low, at.interval.high) == tuple(limits)
            assert at.cases == np.sum(event & (time <= t))
            assert at.controls == np.sum(time > t)
            assert at.censored == np.sum(~event & (time <= t))
            assert at.survival == pytest.approx(by_loops.survivors(time, event, t))
            expected = by_loops.sensitivity_at(s.scores, time, event, t, 0.8)
            assert (at.specificity, at.sensitivity) == (0.8, pytest.approx(expected))
            assert at.tpr == s.roc_curve_at(t).tpr.tolist()


def test_risk_groups_against_those_of_the_result():
    (model,) = KINDS["survival"]().models
    _, found = played()
    groups = found["cox"].risk_groups(3)
    assert [curve.name for curve in model.groups.curves] == ["low", "medium", "high"]
    for stated, curve in zip(model.groups.curves, groups.curves, strict=True):
        assert stated.time == curve.time.tolist()
        assert stated.survival == curve.survival.tolist()
        assert stated.at_risk == curve.at_risk.tolist()
        assert stated.events == curve.events.tolist()
        assert stated.median == curve.median
        assert (stated.median_low, stated.median_high) == curve.median_limits(0.95)
    assert model.groups.test.p_value == groups.test.p_value


def test_other_estimates_against_evaluate():
    (model,) = KINDS["survival"]().models
    sample, _ = played()
    cox = make_model("cox", sample)
    names = [row.scheme for row in model.schemes]
    assert names == ["lpo", "loo", "kfold-pooled", "kfold-averaged", "harrell"]
    table = tlpo.evaluate(
        cox.estimator, cox.features(sample), sample.y, schemes=names[1:], random_state=0
    )
    for row in model.schemes[1:]:
        assert row.concordance == pytest.approx(table.loc[row.scheme, "concordance"])
    assert model.schemes[0].note == f"{model.n_ordered} comparisons of known order"


def test_several_models_against_compare_and_choose():
    analysis = KINDS["survival by subgroups"]()
    names = tuple(model.name for model in analysis.models)
    _, found = played(names=names, drop=("site",))
    pairs = tlpo.compare(*found.values(), names=names, confidence_level=0.9)
    for row, pair, adjusted in zip(analysis.comparisons, pairs.pairs, pairs.adjusted, strict=True):
        assert (row.first, row.second) == pair.names
        assert row.difference == pair.difference
        assert (row.low, row.high) == pytest.approx((pair.low, pair.high))
        assert (row.p_value, row.p_value_holm) == pytest.approx((pair.p_value, adjusted))
    best, choice = tlpo.choose(*found.values(), names=names, confidence_level=0.9), analysis.choice
    assert choice.winner == best.winner
    assert (choice.concordance, choice.low, choice.high) == (best.auc, best.low, best.high)


def test_subgroups_against_loops():
    analysis, table = KINDS["survival by subgroups"](), deaths()
    _, found = played(drop=("site",))
    F = found["cox"].predictions
    time, event = np.array(analysis.time), np.array(analysis.event)
    rows = [row for row in analysis.models[0].subgroups if row.by == "site"]
    assert [row.subgroup for row in rows] == ["north", "south"]
    for row in rows:
        inside = set(np.flatnonzero(table["site"] == row.subgroup))
        pairs = [pair for pair in by_loops.ordered_pairs(time, event) if set(pair) <= inside]
        assert (row.n_units, row.n_ordered) == (len(inside), len(pairs))
        assert row.concordance == pytest.approx(by_loops.share(F, pairs))


def test_rows_in_groups_with_gaps():
    analysis = KINDS["survival in groups"]()
    table = pairs_of_rows().dropna(subset=["months"])
    assert analysis.time == table["months"].tolist()
    assert analysis.event == (table["status"] == 2).tolist()
    assert analysis.coding == "2 is the event"
    flow = analysis.sample
    assert (analysis.units, flow.n_groups, flow.without_target) == ("rows", 12, 1)
    _, found = played(pairs_of_rows(), event="status", group="person")
    assert analysis.models[0].concordance == found["cox"].concordance
    assert analysis.models[0].interval.degrees_of_freedom is not None


def test_rounds_keep_their_draw():
    analysis = KINDS["survival in rounds"]()
    _, found = played(rounds=10)
    model, s = analysis.models[0], found["cox"]
    assert model.scores == s.scores.tolist()
    assert (model.games, model.consistency, model.n_games) == (None, None, 120)
    assert (model.uno, model.uno_interval, model.at) == (None, None, [])
    assert (model.interval.low, model.interval.high) == tuple(s.concordance_interval())


@pytest.mark.parametrize(
    ("time", "event", "at", "found"),
    [
        # The time of half of the events, which are at 2, 4, 6 and 8.
        ([2, 4, 6, 8, 9], [1, 1, 1, 1, 0], (), (4.0,)),
        ([2, 4, 6, 8, 9], [1, 1, 1, 0, 0], (), (4.0,)),
        # Nobody is followed beyond it, or it is the start.
        ([1, 2, 4, 4, 4], [1, 0, 1, 1, 1], (), ()),
        ([0, 0, 0, 3, 5], [1, 1, 1, 1, 0], (), ()),
        ([2, 4, 6, 8, 9], [1, 1, 1, 1, 0], (5, 2, 5), (2.0, 5.0)),
    ],
)
def test_times_by_hand(time, event, at, found):
    outcome = TimeToEvent(np.array(time, dtype=float), np.array(event, dtype=bool))
    assert times_to_report(outcome, at) == found


@pytest.mark.parametrize("at", [(1.5,), (9.0,), (4.0, 12.5)])
def test_times_without_cases_or_controls_are_refused(at):
    outcome = TimeToEvent(np.array([1.0, 2, 4, 6, 9]), np.array([0, 1, 1, 1, 0], dtype=bool))
    with pytest.raises(tlpo.InputError) as caught:
        times_to_report(outcome, at)
    assert str(caught.value) == (
        "At this time nobody had the event yet, or nobody is still followed.\n"
        f"You passed at={at[-1]}; the first event is at 2, and the longest follow-up is 9.\n"
        "Choose times from 2 to before 9."
    )


def test_the_baseline_table_is_by_event():
    table = deaths()
    outcome = TimeToEvent(table["months"].to_numpy(), (table["died"] == "yes").to_numpy())
    parts, rows = tabulate_by_outcome(table, ["age", "marker"], [], outcome, {})
    assert [(part.name, part.count) for part in parts] == [("event", 19), ("censored", 5)]
    for row in rows:
        for cell, own in zip(row.parts, (outcome.event, ~outcome.event), strict=True):
            values = table[row.feature][own]
            if row.kind == "mean":
                assert cell.values == pytest.approx([values.mean(), values.std()])
            assert cell.count == own.sum()
    everyone = TimeToEvent(outcome.time, np.ones(24, dtype=bool))
    parts, _ = tabulate_by_outcome(table, ["age"], [], everyone, {})
    assert [(part.name, part.count) for part in parts] == [("event", 24)]


def test_hazard_ratios_are_those_of_the_fitted_model():
    (model,) = KINDS["survival"]().models
    sample, _ = played()
    cox = make_model("cox", sample)
    X = cox.features(sample)
    fitted = cox.estimator.fit(X, sample.y)
    equation = model.final.equation
    assert equation.scale == "log hazard ratio"
    values = {(term.feature, term.level): term.value for term in equation.terms}
    base = X.iloc[[0]]
    for feature in ("age", "marker"):
        more = base.assign(**{feature: base[feature] + 1})
        gap = fitted.predict(more)[0] - fitted.predict(base)[0]
        assert values[feature, None] == pytest.approx(gap)
    north, south = (fitted.predict(base.assign(site=site))[0] for site in ("north", "south"))
    (level,) = (term.level for term in equation.terms if term.feature == "site")
    gap = south - north if level == "south" else north - south
    assert values["site", level] == pytest.approx(gap)
    risk = fitted.predict(X)
    pairs = by_loops.ordered_pairs(sample.outcome.time, sample.outcome.event)
    assert model.final.apparent_auc == pytest.approx(by_loops.share(risk, pairs))


@pytest.mark.parametrize("name", ["survival", "survival by subgroups", "survival in rounds"])
def test_survival_on_paper_is_what_the_model_predicts(name):
    """By the equation and the survival of average risk, as a reader would compute it."""
    analysis = KINDS[name]()
    sample, _ = played(drop=("site",) if "subgroups" in name else ())
    for model in analysis.models:
        cox, average, equation = make_model(model.name, sample), *_of_paper(model)
        X = cox.features(sample)
        fitted = cox.estimator.fit(X, sample.y)
        total = np.full(len(X), equation.intercept - average.score)
        for term in equation.terms:
            column = sample.X[term.feature]
            total += term.value * (column if term.level is None else column == term.level)
        assert total.mean() == pytest.approx(0, abs=1e-9)
        S = np.array(average.survival) ** np.exp(total.to_numpy())[:, None]
        expected = fitted[-1].predict_survival(fitted[:-1].transform(X), average.times)
        np.testing.assert_allclose(S, expected, atol=1e-6)
        assert average.times == ([4.0, 8.0] if "subgroups" in name else [3.0])


def _of_paper(model):
    return model.final.average, model.final.equation


# ----- there and back


@pytest.mark.parametrize("name", SURVIVAL)
def test_it_is_plain_json_that_follows_the_schema_and_comes_back(name):
    analysis = KINDS[name]()
    text = json_of(analysis)
    jsonschema.validate(json.loads(text), schema())
    assert decode(text) == analysis
    assert find_contradiction(analysis) is None


@pytest.mark.parametrize(
    ("name", "least", "possible"),
    [
        ("survival", 600, POSSIBLE),
        pytest.param("survival by subgroups", 700, POSSIBLE, marks=pytest.mark.exhaustive),
        pytest.param("survival in groups", 600, POSSIBLE, marks=pytest.mark.exhaustive),
        ("survival in rounds", 550, POSSIBLE | ROUNDS_POSSIBLE),
    ],
)
def test_edits_are_refused_or_possible(name, least, possible):
    n, accepted = judge(json.loads(json_of(with_a_test(KINDS[name]()))))
    assert n > least
    assert {pattern(path) for _, path in accepted} <= set(possible)
    assert len(accepted) < 0.1 * n


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("survival", {("n_units",): 25}, "'n_units' is 25, but it must be 24: as 'time' has "
         "entries"),
        ("survival", {("event", 1): None}, "'event[1]': expected `bool`"),
        ("survival", {("time", 0): 500}, "'models[0].n_ordered' is 204, but it must be 221: as the "
         "outcome orders"),
        ("survival", {("follow_up", "median"): 1}, "'follow_up.median' is 1.0, but it must be "),
        ("survival", {("models", 0, "games", 0): "0" * 23}, "'models[0].concordance' is "),
        ("survival", {("models", 0, "uno"): 0.64}, "'models[0].uno' is 0.64, but it must be 0.642"),
        ("survival", {("models", 0, "uno"): None}, "'models[0].uno_interval' is "),
        ("survival", {("models", 0, "uno_interval", "level"): 0.9},
         "'models[0].uno_interval.level' is 0.9, but it must be 0.95"),
        ("survival", {("models", 0, "at", 0, "auc"): 0.65}, "'models[0].at[0].auc' is 0.65, but it "
         "must be "),
        ("survival", {("models", 0, "at", 0, "cases"): 3}, "'models[0].at[0].cases' is 3, but it "
         "must be "),
        ("survival", {("models", 0, "at", 0, "survival"): 0.4},
         "'models[0].at[0].survival' is 0.4, but it must be "),
        ("survival", {("models", 0, "at", 0, "time"): 0}, "'models[0].at[0].time' is 0.0, but it "
         "is above 0"),
        ("survival", {("models", 0, "at", 0, "fpr", 3): 0.01}, "'models[0].at[0].fpr' is [0.0, "),
        ("survival", {("models", 0, "at", 0, "sensitivity"): 0.9},
         "'models[0].at[0].sensitivity' is 0.9, but it must be "),
        ("survival", {("models", 0, "groups", "curves", 0, "survival", 0): 0.9},
         "'models[0].groups.curves[0].survival' is [0.9, "),
        ("survival", {("models", 0, "groups", "curves", 0, "median"): 2},
         "'models[0].groups.curves[0].median' is 2.0, but it must be "),
        ("survival", {("models", 0, "groups", "test", "p_value"): 0.5},
         "'models[0].groups.test.p_value' is 0.5, but it must be "),
        ("survival", {("models", 0, "groups", "curves", 2, "time", 0): 0.5},
         "'models[0].groups' is 24, but they have the times and events of all"),
        ("survival by subgroups", {("models", 0, "subgroups", 0, "n_units"): 23},
         "'models[0].subgroups (site)' is "),
        ("survival by subgroups", {("choice", "winner"): "nobody"},
         "'choice.winner' is 'nobody', but no model has a larger concordance"),
        ("survival in rounds", {("models", 0, "uno"): 0.6}, "'models[0].uno_interval' is None"),
    ],
)  # fmt: skip
def test_a_fault_says_where_what_and_why(name, change, fault):
    found = json.loads(json_of(KINDS[name]()))
    with edited(found, change):
        assert find_fault(found).startswith(fault)


def test_a_curve_that_does_not_follow_from_the_scores():
    """It still rises from 0 to 1, and the sensitivity is the same."""
    found = json.loads(json_of(KINDS["survival"]()))
    at = found["models"][0]["at"][0]
    fpr, tpr = at["fpr"], at["tpr"]
    k = next(k for k in range(1, len(tpr)) if fpr[k] > 0.11 and tpr[k - 1] < tpr[k + 1])
    tpr[k] = 0.7 * tpr[k - 1] + 0.3 * tpr[k + 1]
    assert find_fault(found) == (
        f"'models[0].at[0].tpr' is {str(tpr)[:60]}…, but it follows from the scores"
    )


# ----- remarks


def remarks(analysis):
    return {remark.code: remark for remark in remarks_on(analysis)}


def test_few_events_and_few_for_each_coefficient():
    analysis = KINDS["survival"]()
    found = remarks(analysis)
    assert "few events" not in found
    assert found["events per variable"].worded() == (
        "19 events for 4 coefficients are few: without a strong penalty a model overfits."
    )
    few = [k < 9 for k in range(24)]
    assert remarks(replace(analysis, event=few))["few events"].worded() == (
        "There are only 9 events: every estimate is rough, whatever its interval says."
    )
    one = [k < 1 for k in range(24)]
    assert "There is only 1 event: " in remarks(replace(analysis, event=one))["few events"].worded()
    assert "few events" not in remarks(replace(analysis, event=[k < 10 for k in range(24)]))
    assert "events per variable" not in remarks(replace(analysis, n_coefficients=3))
    assert "events per variable" not in remarks(replace(analysis, n_coefficients=0))


def test_the_name_of_the_event_may_mean_the_opposite():
    plain = replace(KINDS["survival"](), coding="")
    assert "reversed event" not in remarks(plain)
    for name in ("censored", "cens", "alive", "Pat_alive", "survived"):
        found = remarks(replace(plain, target=name))["reversed event"]
        text = (
            f"19 of 24 patients count as having had the event, but the name {name!r} may mean the "
            "opposite. If they were censored instead, run the analysis again with "
        )
        assert found.worded(in_words) == f"{text}'{name} == 0' as the event."
        assert found.worded(flags_for) == f"{text}--event '{name} == 0'."
    # Words say what they mean.
    worded = replace(plain, target="alive", coding="'dead' is the event")
    assert "reversed event" not in remarks(worded)
    assert "reversed event" not in remarks(replace(plain, target="incense"))


@pytest.mark.parametrize(
    ("coding", "action"),
    [
        ("", " If they were censored instead, run the analysis again with --event 'died == 0'."),
        (
            "2 is the event",
            " If they were censored instead, run the analysis again with --event 'died == 1'.",
        ),
        ("'yes' is the event", ""),
    ],
)
def test_all_who_were_followed_longest_may_be_censored(coding, action):
    analysis = replace(KINDS["survival"](), coding=coding)
    time, event = list(analysis.time), list(analysis.event)
    for k in (0, 1, 2):
        time[k], event[k] = 99.0, True
    planned = replace(analysis, time=time, event=event)
    n_events = sum(event)
    assert remarks(planned)["reversed event"].worded(flags_for) == (
        f"{n_events} of 24 patients count as having had the event, but all 3 patients followed "
        f"longest count as events, which is what censored ones look like.{action}"
    )
    event[2] = False
    assert "reversed event" not in remarks(replace(planned, event=event))
    assert "reversed event" not in remarks(replace(planned, event=[True] * 24))


def test_uno_far_from_harrell():
    analysis = KINDS["survival"]()
    (model,) = analysis.models
    width = model.interval.high - model.interval.low

    def apart(share):
        far = replace(model, uno=model.concordance + share * width)
        return remarks(replace(analysis, models=[far])).get("effect of censoring"), far.uno

    assert apart(0.24)[0] is None
    found, uno = apart(-0.26)
    assert found.worded() == (
        f"cox: Uno's concordance, {uno:.3f}, differs from Harrell's, {model.concordance:.3f}, by "
        "more than a quarter of the interval. Harrell's depends on who was censored when; report "
        "both."
    )


def test_rounds_say_what_is_missing():
    found = remarks(KINDS["survival in rounds"]())["rounds"].worded()
    assert found.endswith(
        "Missing, because they need all comparisons: ξ, the picture of all comparisons, subgroups, "
        "Uno's concordance, AUCs at single times."
    )


def test_two_classes_beside_a_column_of_times():
    table = patients(14).drop(columns=["site", "clinic"])
    table["months"] = np.random.default_rng(0).exponential(20, 14).round(1)
    table = table.rename(columns={"outcome": "died"})
    sample = build_sample(table, Specification("died"))
    analysis = analysed_of(sample)
    text = (
        "'died' may say who had an event during 'months'. Then those who were followed for a "
        "shorter time are censored, so they are not true negatives, and this AUC answers another "
        "question. Nor can 'months' then be a predictor: it is known only afterwards. If so, run "
        "the analysis again with "
    )
    found = remarks(analysis)["censoring"]
    assert found.worded(flags_for) == (
        f"{text}--time months --event died; to keep two classes, run the analysis again with "
        "--drop months."
    )
    assert found.worded(in_words).startswith(f"{text}'months' as the time to the event 'died'; ")
    other = table.rename(columns={"months": "distance"})
    assert "censoring" not in remarks(analysed_of(build_sample(other, Specification("died"))))
    assert "censoring" not in remarks(analysis_of("rls"))


def analysed_of(sample):
    from analysis.analyses import analysed

    return analysed(sample, [make_model("rls", sample)], Options())


# ----- what is refused


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            lambda: survival_of("ridge"),
            "The model cannot be used here.\n'ridge' is a model of two classes, and the outcome is "
            "times to an event.\nChoose from cox, coxnet, survival-forest.",
        ),
        (
            lambda: analysis_of("cox"),
            "The model cannot be used here.\n'cox' is a model of times to an event, and the "
            "outcome is two classes.\nChoose from ridge, ridge-cv, rls, logistic, glm, "
            "logistic-cv, lasso, elastic-net, lda, knn, idknn, bayes, pls, svm, forest, "
            "boosting, constant.",
        ),
        (
            lambda: survival_of("cox", options=Options(sorts=2)),
            "Sorts give no interval of a concordance, and the outcome is a time to an event.\n"
            "You passed sorts=2.\nLeave it out.",
        ),
        (
            lambda: survival_of("cox", options=Options(prevalence=0.1)),
            "A prevalence applies only to two classes, and the outcome is a time to an event.\n"
            "You passed prevalence=0.1.\nLeave it out.",
        ),
        (
            lambda: survival_of("cox", options=Options(at=(1000.0,))),
            "At this time nobody had the event yet, or nobody is still followed.\n"
            "You passed at=1000.0; the first event is at 1, and the longest follow-up is 13.\n"
            "Choose times from 1 to before 13.",
        ),
    ],
)
def test_what_is_refused(asked, said):
    with pytest.raises(tlpo.InputError) as caught:
        asked()
    assert str(caught.value) == said


@pytest.mark.parametrize("at", [0, -1, np.inf])
def test_times_to_report_are_above_zero(at):
    with pytest.raises(tlpo.InputError) as caught:
        Options(at=(at,))
    assert str(caught.value) == (
        f"at must be a time above 0.\nYou passed at={at}.\nUse the unit of the times in the data."
    )
