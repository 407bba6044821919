"""What is accepted from a file that was edited, and that it can be."""

import json
import re
from contextlib import contextmanager

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import binomtest

import tlpo
from analysis.analyses import ANALYSES, KINDS, analysis_of, markers_of
from analysis.analysis_edits import edits, pattern, put
from analysis.judging import find_fault, shown
from tables import patients
from tlpo.analysis.load import _convert, load_analysis
from tlpo.analysis.options import Options
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.shapes import MOST_CHARACTERS, Permutation
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.write import json_of

# Where an edited number can be right, whatever the others are, and why.
POSSIBLE = {
    "model_file": "a file may have any name",
    "seed": "any whole number",
    "sample.duplicates": "rows may be alike",
    "sample.n_groups": "rows may belong together",
    "sample.suspects[].n_values": "a column may have as many values",
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
    "models[].final.apparent_auc": "a model may refuse what it was fitted to",
    "models[].final.equation.intercept": "a score may start anywhere",
    "models[].final.equation.terms[].value": "a coefficient may have any size",
    "models[].final.equation.terms[].least": "a feature may have any range, in order",
    "models[].final.equation.terms[].most": "a feature may have any range, in order",
    "comparisons[].p_value_delong": "it is not defined where nothing varies",
    "models[].schemes[].auc": "an estimate of another kind may not be defined",
}
MARKERS_POSSIBLE = {
    "group": "rows may belong together",
    "n_read": "rows may have been left out on request, which are not counted",
    "markers[].interval.phi": "a variance may be inflated as much; it is not shown",
    "markers[].score_interval.phi": "a variance may be inflated as much; it is not shown",
    "markers[].score_interval.degrees_of_freedom": "groups may be as few; it is not shown",
    "markers[].p_value": "it may not be defined",
    "markers[].operating_points[].lr_positive_high": "the PPV is 1 for any ratio as large",
}
VALIDATION_POSSIBLE = {
    "group": "rows may belong together",
    "n_read": "rows may have been left out",
}


@pytest.fixture(scope="module")
def full():
    """Three models, with probabilities and ties; gaps, subgroups, a test, a prevalence."""
    table = patients(18)
    table.loc[3, "age"] = np.nan
    table.loc[5, "outcome"] = None
    options = Options(prevalence=0.1, smooth=True)
    models, columns = ("logistic", "rls", "constant"), {"by": ("site",), "drop": ("site",)}
    found = analysis_of(*models, table=table, options=options, **columns)
    limits = binomtest(4, 19).proportion_ci(0.95, method="exact")
    # As of 19 permutations, 4 of which were as good; playing them takes a minute.
    test = Permutation(19, 0.25, limits.low, limits.high, "patients", [])
    models = [replace(model, permutation=test) for model in found.models]
    return json.loads(json_of(replace(found, models=models)))


def test_what_was_written_is_free_of_contradictions(any_analysis):
    assert find_contradiction(any_analysis) is None


def judge(found):
    """Make every edit; return how many there are, and those that are accepted."""
    n, accepted = 0, []
    for how, path, changes in edits(found):
        n += 1
        with edited(found, changes):
            if find_fault(found) is None:
                accepted.append((how, path))
                assert shown(found), (how, path)
    return n, accepted


@contextmanager
def edited(found, changes):
    undo = put(found, changes)
    try:
        yield
    finally:
        put(found, undo)


@pytest.mark.exhaustive
def test_edits_are_refused_or_possible(full):
    n, accepted = judge(full)
    assert n > 1000
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)
    assert len(accepted) < 0.03 * n
    # The largest numbers that are accepted, all at once, can be drawn, and fill no line.
    with edited(full, {path: 1e300 for how, path in accepted if how == "1e300"}):
        page = to_html(make_document(_convert(full)))
    assert "0" * 20 not in re.sub('src="[^"]*"', "", page)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["sorts", "rounds", "groups", "ties"])
def test_edits_of_other_kinds_are_refused_or_possible(name):
    n, accepted = judge(json.loads(json_of(ANALYSES[name]())))
    assert n > 500
    assert {pattern(path) for _, path in accepted} <= set(POSSIBLE)


@pytest.mark.parametrize(
    ("name", "least", "possible"),
    [
        ("marker", 400, MARKERS_POSSIBLE),
        ("markers", 400, MARKERS_POSSIBLE),
        ("markers with gaps", 400, MARKERS_POSSIBLE),
        ("validation", 600, VALIDATION_POSSIBLE),
        ("validation of scores", 400, VALIDATION_POSSIBLE),
    ],
)
def test_edits_of_other_commands_are_refused_or_possible(name, least, possible):
    n, accepted = judge(json.loads(json_of(KINDS[name]())))
    assert n > least
    assert {pattern(path) for _, path in accepted} <= set(possible)
    assert len(accepted) < 0.03 * n


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        (
            "markers",
            {("markers", 0, "n_values"): 7},
            "'markers[0].n_values' is 7, but it must be 24: as the curve has",
        ),
        (
            "markers",
            {("markers", 0, "operating_points", 0, "threshold"): 7},
            "'markers[0].operating_points[0].threshold' is 7.0, but the point lies on the curve",
        ),
        (
            "markers",
            {("markers", 0, "operating_points", 1, "criterion"): "marker ≥ 9"},
            "'markers[0].operating_points[1].criterion' is 'marker ≥ 9', but it says the threshold",
        ),
        (
            "markers",
            {("markers", 1, "larger_is_positive"): True},
            "'markers[1].operating_points[0].threshold' is ",
        ),
        (
            "markers",
            {("markers", 0, "standard_error"): 0.2},
            "'markers[0].interval.low' is ",
        ),
        (
            "markers",
            {("markers", 1, "curve", "smooth", "slope"): 7},
            "'markers[1].curve.smooth.area' is ",
        ),
        (
            "markers",
            {("markers", 1, "curve", "smooth"): None},
            "'markers[1].curve.smooth' is None, but 'smooth' is true above",
        ),
        (
            "markers",
            {("smooth",): False},
            "'markers[0].curve.smooth' is Smooth(",
        ),
        (
            "markers with gaps",
            {("comparisons", 0, "high"): 7},
            "'comparisons[0].high' is 7.0, but it lies between -1 and 1",
        ),
        (
            "validation",
            {("card", "name"): "another"},
            "'card' is 'another', but it is not the one that was saved",
        ),
        (
            "validation",
            {("auc", "difference", "low"): -5},
            "'auc.difference.low' is -5.0, but it lies between -1 and 1",
        ),
        (
            "validation",
            {("cutoffs", 0, "sensitivity", "count"): 1},
            "'cutoffs[0].sensitivity.estimate' is ",
        ),
    ],
)
def test_a_fault_of_other_commands_says_where_what_and_why(name, change, fault):
    found = json.loads(json_of(KINDS[name]()))
    with edited(found, change):
        assert find_fault(found).startswith(fault)


def test_whole_numbers_that_are_equal_as_doubles_come_back():
    table = patients(24)
    table["marker"] = [str(10**17 + k) for k in range(24)]
    analysis = markers_of("marker", table=table)
    assert len(set(analysis.markers[0].curve.thresholds)) < 24
    assert find_contradiction(analysis) is None


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
            "'models[0].probabilities.brier.estimate' is -5.0, but it is not negative",
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
        path.write_text(json.dumps(full | {key: "HERE"}).replace('"HERE"', number))
        with pytest.raises(tlpo.InputError) as caught:
            load_analysis(str(path))
        assert str(caught.value).count("\n") == 2, (key, number)


def test_what_is_nested_too_deeply_is_refused(full, tmp_path):
    path = tmp_path / "r.json"
    for depth in (200, 600, 900, 5000):
        nested = "[" * depth + "]" * depth
        path.write_text(json.dumps({**full, "more": "HERE"}).replace('"HERE"', nested))
        with pytest.raises(tlpo.InputError):
            load_analysis(str(path))


def test_remarks_follow_from_the_numbers(full, tmp_path):
    """Whatever stands beside the numbers is not shown."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps(full | {"warnings": ["The AUC is 1.000."]}))
    assert json.loads(json_of(load_analysis(str(path)))) == full


@pytest.mark.parametrize("key", ["title", "methods", "references", "checklist", "planning"])
def test_there_is_no_place_for_other_sentences(full, key):
    assert find_fault(full | {key: "The AUC is 1.000."}) == (
        f"object contains unknown field `{key}`"
    )


def test_text_has_bounds(full):
    with edited(full, {("models", 0, "notes"): ["x" * (MOST_CHARACTERS + 1)]}):
        assert find_fault(full) == (
            f"'models[0].notes[0]': expected `str` of length <= {MOST_CHARACTERS}"
        )


def test_text_from_a_file_is_escaped(full):
    with edited(full, {("models", 0, "notes"): ["<script>x</script>"]}):
        page = to_html(make_document(_convert(full)))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
