"""What is accepted from a file that was edited, and that it can be."""

import copy
import json
import re
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from scipy.stats import binomtest

import tlpo
from analysis.summaries import SUMMARIES, summary_of
from analysis.summary_edits import edits, pattern, put
from tables import patients
from tlpo.analysis.load import MOST_CHARACTERS, find_fault, load_summary
from tlpo.analysis.narrative import add_words
from tlpo.analysis.options import Options
from tlpo.analysis.relations import find_contradiction
from tlpo.document.render import to_html, to_json, to_markdown, to_terminal

# Where an edited number can be right, whatever the others are, and why.
POSSIBLE = {
    "model_file": "a file may have any name",
    "seed": "any whole number",
    "sample.duplicates": "rows may be alike",
    "sample.n_groups": "rows may belong together",
    "sample.suspects[].n_values": "a column may have as many values",
    "planning[].needed": "the plan is computed anew",
    "planning[].low": "the plan is computed anew",
    "rounds": "games of a whole tournament may be missing; a draw may have been larger",
    "sorts": "so many sorts may have been played",
    "models[].fits": "models may be refitted as often",
    "models[].seconds": "a run may take as long; it is not shown",
    "models[].n_games": "of rounds and sorts, the games themselves are not kept",
    "models[].n_ties": "of rounds and sorts, the games themselves are not kept",
    "models[].interval.phi": "a variance may be inflated as much; it is not shown",
    "models[].interval.degrees_of_freedom": "patients or groups may be as few; it is not shown",
    "models[].operating_points[].lr_positive_high": "the PPV is 1 for any ratio as large",
    "models[].operating_points[].lr_negative_high": "the NPV is 0 for any ratio as large",
    "models[].final.rows[].value": "a coefficient, if the largest come first",
    "models[].final.cuts[].threshold": "a cut-off of a score of any size, in order",
    "comparisons[].p_value_delong": "it is not defined where nothing varies",
    "models[].schemes[].auc": "an estimate of another kind may not be defined",
}


@pytest.fixture(scope="module")
def full():
    """Three models, with probabilities and ties; gaps, subgroups, a test, a prevalence."""
    table = patients(18)
    table.loc[3, "age"] = np.nan
    table.loc[5, "outcome"] = None
    options = Options(prevalence=0.1)
    models, columns = ("logistic", "rls", "constant"), {"by": ("site",), "drop": ("site",)}
    found = summary_of(*models, table=table, options=options, **columns)
    limits = binomtest(4, 19).proportion_ci(0.95, method="exact")
    for model in found["models"]:
        # As of 19 permutations, 4 of which were as good; playing them takes a minute.
        model["permutation"] = {"n": 19, "p_value": 0.25, "low": limits.low, "high": limits.high}
        model["permutation"] |= {"exchanged": "patients", "notes": []}
    return json.loads(to_json(add_words(found)))


def test_what_was_written_is_free_of_contradictions(summary):
    assert find_contradiction(json.loads(to_json(summary))) is None


def judge(summary):
    """Make every edit; return how many there are, and those that are accepted."""
    n, accepted = 0, []
    for how, path, changes in edits(summary):
        n += 1
        with edited(summary, changes):
            if find_fault(summary) is None:
                accepted.append((how, path))
                shown = add_words(copy.deepcopy(summary))
                assert to_markdown(shown), (how, path)
                assert to_terminal(shown), (how, path)
    return n, accepted


@contextmanager
def edited(summary, changes):
    undo = put(summary, changes)
    try:
        yield
    finally:
        put(summary, undo)


def test_edits_are_refused_or_possible(full):
    n, accepted = judge(full)
    assert n > 1000
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)
    assert len(accepted) < 0.03 * n
    # The largest numbers that are accepted, all at once, can be drawn, and fill no line.
    with edited(full, {path: 1e300 for how, path in accepted if how == "1e300"}):
        page = to_html(full)
    assert "0" * 20 not in re.sub('src="[^"]*"', "", page)


@pytest.mark.parametrize("name", ["sorts", "rounds", "groups", "ties"])
def test_edits_of_other_kinds_are_refused_or_possible(name):
    n, accepted = judge(json.loads(to_json(SUMMARIES[name]())))
    assert n > 500
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            {("n_positive",): 8},
            "'n_positive' is 8, but it must be 9: as 'is_positive' counts",
        ),
        (
            {("sample", "read"): 19},
            "'sample.read' is 19, but it must be 18: the rows that are used and those that are "
            "left out",
        ),
        (
            {("models", 0, "consistency"): -0.5},
            "'models[0].consistency' is -0.5, but it must be ",
        ),
        (
            {("models", 0, "curve", "tpr", 1): 1.0},
            "'models[0].curve.tpr' is [0.0, 1.0, ",
        ),
        (
            {("models", 0, "headline", "low"): None},
            "'models[0].headline.low' is None, but it must be ",
        ),
        (
            {("models", 0, "probabilities", "brier", "estimate"): -5},
            "'models[0].probabilities.brier.estimate' is -5, but it is not negative",
        ),
        (
            {("models", 0, "operating_points", 0, "criterion"): "wins > 99"},
            "'models[0].operating_points[0].criterion' is 'wins > 99', but it is 'wins > ",
        ),
        (
            {("models", 0, "games", 0): "0" * 16},
            "'models[0].scores[0]' is ",
        ),
        (
            {("choice", "winner"): "nobody"},
            "'choice.winner' is 'nobody', but no model has a larger AUC",
        ),
    ],
)
def test_a_fault_says_where_what_and_why(full, change, fault):
    with edited(full, change):
        assert find_fault(full).startswith(fault)


@pytest.mark.parametrize(
    "number", ["1" + "0" * 400, "-1" + "0" * 400, "1e400", "NaN", "-Infinity", "1" + "0" * 5000]
)
def test_numbers_that_are_none_are_refused_in_words(full, tmp_path, number):
    path = tmp_path / "r.json"
    for key in ("n_units", "seed", "specificity"):
        spoilt = copy.deepcopy(full) | {key: "HERE"}
        path.write_text(to_json(spoilt).replace('"HERE"', number))
        with pytest.raises(tlpo.InputError) as caught:
            load_summary(str(path))
        assert str(caught.value).count("\n") == 2, (key, number)


def test_what_is_nested_too_deeply_is_refused(full, tmp_path):
    path = tmp_path / "r.json"
    for depth in (200, 600, 900, 5000):
        nested = "[" * depth + "]" * depth
        path.write_text(to_json({**full, "more": "HERE"}).replace('"HERE"', nested))
        with suppress(tlpo.InputError):
            assert to_json(load_summary(str(path)))


def test_sentences_follow_from_the_numbers(full, tmp_path):
    """Whatever stands beside the numbers is not shown."""
    path = tmp_path / "r.json"
    lie = "The AUC is 1.000."
    spoilt = copy.deepcopy(full)
    spoilt |= {"title": lie, "methods": lie, "warnings": [lie], "references": [lie]}
    spoilt["checklist"] = {"TRIPOD+AI": [[lie, True, lie]]}
    spoilt["choice"]["sentence"] = lie
    spoilt["planning"][0] |= {"auc": 0.99, "power": 1.0}
    for model in spoilt["models"]:
        model["sentence"] = lie
    path.write_text(to_json(spoilt))
    assert to_json(load_summary(str(path))) == to_json(full)


def test_text_has_bounds(full):
    with edited(full, {("models", 0, "notes"): ["x" * (MOST_CHARACTERS + 1)]}):
        assert find_fault(full) == f"'models[0].notes[0]' has {MOST_CHARACTERS + 1} characters"


def test_text_from_a_file_is_escaped(full):
    with edited(full, {("models", 0, "notes"): ["<script>x</script>"]}):
        page = to_html(full)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
