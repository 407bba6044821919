"""Reports of saved models of times to an event on new patients."""

import re

import docx
import pytest

from analysis.followed import SURVIVAL_VALIDATIONS, followed, validated
from document.outside_text import EVIL, assert_stays_text
from tlpo.analysis.load import load_analysis
from tlpo.analysis.options import OutputFiles
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.write import write


def lead(analysis):
    found = analysis.concordance
    return (
        f"concordance {found.estimate:.3f} ({found.low:.3f} to {found.high:.3f}) on "
        f"{analysis.n_units} new {analysis.units}, in development {found.development.estimate:.3f}"
    )


@pytest.mark.parametrize("name", SURVIVAL_VALIDATIONS)
def test_a_page_and_markdown_say_the_same(name, tmp_path):
    analysis = SURVIVAL_VALIDATIONS[name]()
    write(analysis, OutputFiles(html=tmp_path / "r.html", md=tmp_path / "r.md"))
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    for shown in (page, text):
        assert lead(analysis) in shown
    for one in analysis.at:
        assert f"| AUC at {one.found.time:g} (months) | {one.found.auc:.3f} (" in text
        if one.calibration is not None:
            everyone = one.calibration.all
            row = f"| {one.found.time:g} | all | {everyone.n_units} | {everyone.predicted:.3f} | "
            assert f"{row}{everyone.observed.estimate:.3f} (" in text
    # Every picture says what it shows.
    assert page.count("<img") == page.count('alt="') == 2
    assert "nan" not in re.sub(r'src="[^"]*"', "", page).lower().split()


def test_word_says_the_same(tmp_path):
    analysis = SURVIVAL_VALIDATIONS["validation of times"]()
    write(analysis, OutputFiles(html=tmp_path / "r.docx"))
    running = "\n".join(p.text for p in docx.Document(str(tmp_path / "r.docx")).paragraphs)
    assert lead(analysis) in running


def test_the_same_page_from_its_json(tmp_path):
    analysis = SURVIVAL_VALIDATIONS["validation of times"]()
    write(analysis, OutputFiles(json=tmp_path / "r.json"))
    read = load_analysis(str(tmp_path / "r.json"))
    assert read == analysis
    assert to_html(make_document(read)) == to_html(make_document(analysis))


def test_the_picture_shows_what_was_predicted():
    analysis = SURVIVAL_VALIDATIONS["validation of times"]()
    (axes,) = make_document(analysis).figures()["survival-1"].draw().axes
    dots = [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in axes.lines
        if line.get_marker() == "D"
    ]
    assert dots == [
        (one.found.time, group.predicted) for one in analysis.at for group in one.calibration.groups
    ]
    without = SURVIVAL_VALIDATIONS["validation of times without survival"]()
    (axes,) = make_document(without).figures()["survival-1"].draw().axes
    assert "D" not in [line.get_marker() for line in axes.lines]
    assert "Diamonds" not in to_markdown(make_document(without))


def test_it_says_where_the_groups_come_from():
    text = to_markdown(make_document(SURVIVAL_VALIDATIONS["validation of times"]()))
    assert (
        "The groups are divided at scores that were fixed in development: thirds of the 40 "
        "patients there, each scored by models that had not seen them." in text
    )
    first, second = (f"{cut:.6g}" for cut in SURVIVAL_VALIDATIONS["validation of times"]().cuts)
    assert f"| medium | > {first} and ≤ {second} |".replace("-", "−") in text


def test_group_rows_are_said_of_test_and_limits():
    text = to_markdown(make_document(SURVIVAL_VALIDATIONS["validation of times in groups"]()))
    assert "It treats patients of the same person as independent." in text
    assert "They treat patients of the same person as independent." in text


def test_outside_text_stays_text(tmp_path):
    names = {"crp": f"{EVIL}$x$", "months": "$\\months$ <b>", "died": "d|d <b>"}
    table, new = (followed(*size).rename(columns=names) for size in ((40,), (30, 7)))
    development = {
        "table": table,
        "columns": (f"{EVIL}$x$", "stage"),
        "target": "d|d <b>",
        "time": "$\\months$ <b>",
    }
    analysis = validated(new=new, development=development)
    assert_stays_text(analysis, tmp_path)
