"""Reports of numbers and grades: every kind of file, and what they say."""

import re

import docx
import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

import tlpo
from analysis.analyses import KINDS, graded, losses, ordered_markers_of, ordered_of
from analysis.test_ordered import with_a_test
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import load_analysis
from tlpo.analysis.options import OutputFiles
from tlpo.analysis.packed_games import unpack_games
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.ordered_narrative import choice_sentence, methods, sentence, title
from tlpo.document.patients import to_table
from tlpo.document.write import write

ORDERED = ("numbers", "numbers by subgroups", "grades", "numbers in rounds")
MARKERS = ("markers of numbers", "marker of grades")
EVIL = "<img src=x onerror=alert(1)>"


def remarks(analysis):
    return [remark.worded() for remark in remarks_on(analysis)]


@pytest.fixture(scope="module")
def five():
    """Five patients, of whom two have the same loss: nine pairs, one of them the wrong way.

    The model follows its only feature, by which the third of 20 is above the fourth of 40.
    """
    X, loss = [[1], [2], [5], [4], [7]], [10, 20, 20, 40, 50]
    return tlpo.concordance(tlpo.RLS(), X, loss)


# ----- files of every kind


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [*ORDERED, *MARKERS])
def test_a_page_markdown_and_word_say_the_same(name, tmp_path):
    analysis = KINDS[name]()
    if name in ORDERED:
        analysis = with_a_test(analysis)
    for ending in ("html", "docx"):
        outputs = OutputFiles(html=tmp_path / f"r.{ending}", md=tmp_path / "r.md")
        write(analysis, outputs)
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    in_word = docx.Document(str(tmp_path / "r.docx"))
    running = "\n".join(paragraph.text for paragraph in in_word.paragraphs)
    models = analysis.models if name in ORDERED else analysis.markers
    for model in models:
        for found in (page, text, running):
            assert f"with probability {model.concordance:.3f} (the concordance; " in found
        assert f"{2 * model.concordance - 1:.3f}" in page
    assert "Somers&#39; D" in page or "Somers' D" in page
    # Every picture says what it shows.
    assert page.count("<img") == page.count('alt="')
    assert "nan" not in re.sub(r'src="[^"]*"', "", page).lower().split()


def test_a_browser_prints_it(tmp_path):
    write(KINDS["grades"](), OutputFiles(html=tmp_path / "r.pdf"))
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_the_pictures_are_those_of_the_games():
    analysis = KINDS["numbers"]()
    figures = make_document(analysis).figures()
    assert list(figures) == ["wins-1", "schemes-1"]
    (model,) = analysis.models
    (axes,) = figures["wins-1"].draw().axes
    expected = tlpo.ConcordanceDisplay.from_games(
        unpack_games(model.games), np.array(analysis.outcome), np.array(model.scores)
    ).plot()
    for ours, theirs in zip(axes.lines, expected.ax_.lines, strict=True):
        np.testing.assert_array_equal(ours.get_xydata(), theirs.get_xydata())
    assert len(axes.collections) == len(expected.ax_.collections)
    assert axes.get_xlabel() == "loss"


def test_of_many_patients_no_game_is_kept(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(401, 2))
    c = tlpo.concordance(tlpo.RLS(), X, X[:, 0] + rng.normal(size=401))
    paths = [tmp_path / name for name in ("r.html", "r.json")]
    analysis = tlpo.report(c, *paths, target="loss", unit="patients")
    assert analysis.models[0].games is None
    assert load_analysis(str(paths[1])) == analysis
    page = paths[0].read_text()
    assert "Wins of every patient against loss." in page
    assert "the wrong way round" not in page


def test_a_report_from_python_has_what_results_know(five, tmp_path):
    paths = [tmp_path / name for name in ("r.html", "r.json", "r.md")]
    analysis = tlpo.report(five, *paths, names=["ridge"], target="loss", unit="mouse/mice")
    assert load_analysis(str(paths[1])) == analysis
    (model,) = analysis.models
    assert model.concordance == pytest.approx(8 / 9)
    interval = five.concordance_interval()
    assert (model.interval.low, model.interval.high) == tuple(interval)
    page = paths[0].read_text()
    assert "Mice: 5" in page
    for words in ("Rows read", "Baseline table", "neither coefficients", "Other mice would"):
        assert words not in page


def test_results_of_two_kinds_are_not_one_report(five):
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    with pytest.raises(tlpo.InputError, match="You passed Tournament"):
        tlpo.report([five, tlpo.tournament(tlpo.RLS(), X, y)])


# ----- sentences


def test_sentences_by_hand(five):
    analysis = tlpo.report(five, names=["ridge"], target="loss", unit="patients")
    (model,) = analysis.models
    low, high = (f"{limit:.3f}" for limit in five.concordance_interval())
    assert title(analysis) == "Predicting loss: how well does ridge rank?"
    said = (
        "ridge ranks two random patients with different loss in the right order with probability "
        f"0.889 (the concordance; 95% interval {low} to {high})."
    )
    doubt = " The interval includes 0.5, so the model may rank no better than chance."
    assert sentence(model, analysis) == said + doubt * (float(low) <= 0.5)
    assert "Only 3 patients differ from the most common outcome: " in " ".join(remarks(analysis))
    document = to_markdown(make_document(analysis))
    assert "Outcome: loss, a number from 10 to 50. Patients: 5." in document
    assert "1 of 9" not in document  # it stands in the picture


def test_verdicts():
    analysis = KINDS["numbers"]()
    (model,) = analysis.models
    worse = replace(model, concordance=0.2, interval=replace(model.interval, low=0.1, high=0.3))
    assert sentence(worse, analysis).endswith(
        "interval 0.100 to 0.300). That is worse than chance: check whether loss is coded upwards."
    )
    unsure = replace(model, concordance=0.6, interval=replace(model.interval, low=0.4, high=0.8))
    assert sentence(unsure, analysis).endswith(
        "The interval includes 0.5, so the model may rank no better than chance."
    )
    better = replace(model, concordance=0.9, interval=replace(model.interval, low=0.8, high=1.0))
    assert sentence(better, analysis).endswith("interval 0.800 to 1.000).")
    tested = with_a_test(analysis)
    assert sentence(tested.models[0], tested).endswith("Permutation test of any signal: p = 0.250.")


def test_methods_name_what_was_done():
    one, several, rounds = (KINDS[name]() for name in ORDERED if name != "grades")
    assert (
        "The concordance is the share of pairs with different loss in which the patient with the "
        "larger won; twice the concordance minus one is Somers' D of the predictions given the "
        "outcome [2]."
    ) in methods(one)
    assert "Models were compared" not in methods(one)
    assert "with p-values adjusted by Holm's method." in methods(several)
    assert "in 24 lesions." in methods(several)
    assert "90% intervals are score intervals" in methods(several)
    assert "doubled, plus the variance of the draw of pairs." in methods(rounds)
    assert "Kendall's ξ" not in methods(rounds)
    references = to_markdown(make_document(one)).partition("## Methods")[2]
    assert "Somers RH. A new asymmetric measure" in references


def test_the_best_of_several_is_corrected_aloud():
    analysis = KINDS["numbers by subgroups"]()
    choice = analysis.choice
    assert choice_sentence(choice, analysis) == (
        f"If you report only the best model, rls: its concordance corrected for having been chosen "
        f"among 3 is {choice.concordance:.3f} (90% interval {choice.low:.3f} to "
        f"{choice.high:.3f}), instead of {choice.uncorrected:.3f}."
    )
    page = to_html(make_document(analysis))
    assert "90% interval" in page
    assert "lesions of the same subgroup" in page


def test_grades_are_named_as_they_are():
    text = to_markdown(make_document(KINDS["grades"]()))
    assert "Outcome: stage, with the grades low < medium < high." in text.replace("&lt;", "<")
    for part in KINDS["grades"]().parts:
        assert f"{part.name} ({part.count})" in text


def test_subgroups_that_are_too_small_say_so():
    rows = [row for row in KINDS["numbers by subgroups"]().models[0].subgroups if not row.low]
    assert [row.note for row in rows] == [
        "too small: 3 lesions must differ from the most common outcome"
    ]


def test_markers_say_who_is_compared_and_in_which_direction():
    numbers, grades = (KINDS[name]() for name in MARKERS)
    text = " ".join(remarks(numbers))
    assert "smoker: the concordance is below ½. The direction is never chosen" in text
    assert remarks(grades) == [
        "marker is missing in 1 of 17 patients, who are left out.",
        "Two markers are compared on the patients that have both, so concordances in a comparison "
        "may differ from those of all.",
    ]
    page = to_markdown(make_document(numbers))
    assert "smaller values going with a larger loss." in page
    assert "# marker, age, smoker and loss (patients.csv): how well do they agree?" in page


# ----- what comes from outside


def hostile(m=16):
    table = losses(m).drop(columns="clinic").rename(columns={"marker": f"{EVIL}$x$", "age": "a|b"})
    table["site"] = np.where(table["site"] == "north", "$\\frac$ {{7*7}}", EVIL)
    return table.rename(columns={"loss": "$\\loss$ <b>"})


@pytest.mark.parametrize("kind", ["models", "markers", "grades"])
def test_outside_text_stays_text(kind, tmp_path):
    table, target = hostile(), "$\\loss$ <b>"
    if kind == "models":
        analysis = ordered_of("rls", table=table, target=target, by=("site",))
    elif kind == "markers":
        analysis = ordered_markers_of(f"{EVIL}$x$", "a|b", table=table, target=target)
    else:
        names = ["<i>low</i>", "$high$"]
        table[target] = np.where(table[target] > 0, names[1], names[0])
        analysis = ordered_of("rls", table=table, target=target, order=names)
    outputs = OutputFiles(
        html=tmp_path / "r.html",
        json=tmp_path / "r.json",
        md=tmp_path / "r.md",
        figures=tmp_path / "figures",
    )
    write(analysis, outputs)
    assert load_analysis(str(outputs.json)) == analysis
    page = outputs.html.read_text()
    assert "<img src=x" not in page
    assert "<b>" not in page.replace("<b>rls</b>", "")
    assert "<i>low" not in page
    assert "<img" not in outputs.md.read_text()
    write(analysis, OutputFiles(html=tmp_path / "r.docx"))
    if kind != "markers":
        assert (tmp_path / "figures" / "wins-1.png").exists()


# ----- the table of the patients


def test_patients_by_hand(five):
    table = to_table(tlpo.report(five, names=["ridge"]))
    assert table.to_dict("list") == {
        "row": [1, 2, 3, 4, 5],
        "outcome": [10, 20, 20, 40, 50],
        "ridge score": [0, 1, 3, 2, 4],
        "ridge rank": [5, 4, 2, 3, 1],
    }


def test_patients_have_their_grades():
    analysis = graded("rls")
    frame = to_table(analysis, pd.DataFrame({"outcome": list("abcdefghijklmnopq")}))
    assert frame.columns[:2].tolist() == ["outcome", "outcome (tlpo)"]
    assert set(frame["outcome (tlpo)"]) == {"low", "medium", "high"}
