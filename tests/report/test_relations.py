"""What is accepted from a file that was edited, and that it can be."""

import copy
import json

import numpy as np
import pytest

import tlpo
from report.summaries import SUMMARIES, summary_of
from report.summary_edits import at, edits, pattern, put
from report.tables import patients
from tlpo.report.load import MOST_CHARACTERS, find_fault, load_summary
from tlpo.report.options import Options
from tlpo.report.relations import find_contradiction
from tlpo.report.render import to_html, to_json, to_markdown, to_terminal
from tlpo.report.words import add_words

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
    """Three models, one of ties, one of probabilities; gaps, subgroups, a test, a prevalence."""
    table = patients(18)
    table.loc[3, "age"] = np.nan
    table.loc[5, "outcome"] = None
    options = Options(permutations=5, prevalence=0.1)
    found = summary_of("rls", "bayes", "constant", table=table, options=options, by=("site",))
    return json.loads(to_json(found))


def test_what_was_written_is_free_of_contradictions(summary):
    assert find_contradiction(json.loads(to_json(summary))) is None


def judge(summary):
    """Make every edit; return how many there are, and those that are accepted."""
    n, accepted = 0, []
    for how, path, changes in edits(summary):
        n += 1
        undo = put(summary, changes)
        if find_fault(summary) is None:
            accepted.append((how, path, changes))
            assert to_markdown(add_words(summary)), (how, path)
            assert to_terminal(summary), (how, path)
        put(summary, undo)
    return n, accepted


def test_edits_are_refused_or_possible(full):
    before = to_json(full)
    n, accepted = judge(full)
    assert n > 1500
    assert {pattern(path) for _, path, _ in accepted} <= set(POSSIBLE)
    assert len(accepted) < 0.03 * n
    assert to_json(add_words(full)) == before
    # The largest numbers that are accepted, all at once, can be drawn.
    together = {path: value for how, _, changes in accepted for path, value in changes.items()}
    put(full, {path: 1e300 for path, value in together.items() if value == 1e300})
    page = to_html(add_words(full))
    put(full, {path: at(json.loads(before), path) for path in together})
    assert not any(
        len(word) > 100 for word in page.partition("<main>")[2].split() if "0000" in word
    )


@pytest.mark.parametrize("name", ["sorts", "rounds", "groups"])
def test_edits_of_other_kinds_are_refused_or_possible(name):
    n, accepted = judge(json.loads(to_json(SUMMARIES[name]())))
    assert n > 500
    assert {pattern(path) for _, path, _ in accepted} <= set(POSSIBLE)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            {("n_positive",): 9},
            "'n_positive' is 9, but it must be 8: as 'is_positive' counts",
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
            {("models", 1, "probabilities", "brier", "estimate"): -5},
            "'models[1].probabilities.brier.low' is ",
        ),
        (
            {("models", 0, "operating_points", 0, "criterion"): "wins > 99"},
            "'models[0].operating_points[0].criterion' is 'wins > 99', but it is 'wins > ",
        ),
        (
            {("models", 0, "games", 0): "1" * 16},
            "'models[0].n_ties' is ",
        ),
        (
            {("choice", "winner"): "nobody"},
            "'choice.winner' is 'nobody', but no model has a larger AUC",
        ),
    ],
)
def test_a_fault_says_where_what_and_why(full, change, fault):
    undo = put(full, change)
    found = find_fault(full)
    put(full, undo)
    if "n_ties" in fault:  # any of what the games say
        assert found is not None
    else:
        assert found.startswith(fault)


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
        try:
            assert to_json(load_summary(str(path)))
        except tlpo.InputError as error:
            assert str(error).count("\n") == 2


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
    undo = put(full, {("models", 0, "notes"): ["x" * (MOST_CHARACTERS + 1)]})
    assert find_fault(full) == f"'models[0].notes[0]' has {MOST_CHARACTERS + 1} characters"
    put(full, undo)


def test_text_from_a_file_is_escaped(full):
    undo = put(full, {("models", 0, "notes"): ["<script>x</script>"]})
    page = to_html(full)
    put(full, undo)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
