"""Reports of markers of times to an event, in every format."""

import re

import docx
import pytest

from analysis.followed import SURVIVAL_MARKERS, followed, survival_markers_of
from document.outside_text import EVIL, assert_stays_text
from tlpo.analysis.load import load_analysis
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.options import OutputFiles
from tlpo.document.as_code import Run, as_command, as_python
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.survival_markers import REFERENCES, methods, say_ranges, sentence
from tlpo.document.write import write
from tlpo.problem.outcome import TimeToEvent
from tlpo.tables.options import Specification


@pytest.mark.parametrize("name", ["marker of times", "markers of times with gaps"])
def test_a_page_and_markdown_say_the_same(name, tmp_path):
    analysis = SURVIVAL_MARKERS[name]()
    write(analysis, OutputFiles(html=tmp_path / "r.html", md=tmp_path / "r.md"))
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    for marker in analysis.markers:
        said = f"probability {marker.concordance:.3f} (Harrell's concordance; "
        assert said.replace("'", "&#39;") in page
        assert said in text
        for found in marker.at:
            assert f"with an AUC of {found.auc:.3f} (" in page
    # Every picture says what it shows.
    assert page.count("<img") == page.count('alt="') == 2 * len(analysis.markers)
    assert "nan" not in re.sub(r'src="[^"]*"', "", page).lower().split()


def test_word_says_the_same(tmp_path):
    analysis = SURVIVAL_MARKERS["marker of times"]()
    write(analysis, OutputFiles(html=tmp_path / "r.docx"))
    running = "\n".join(p.text for p in docx.Document(str(tmp_path / "r.docx")).paragraphs)
    (marker,) = analysis.markers
    assert sentence(marker, analysis) in running


def test_the_same_page_from_its_json(tmp_path):
    analysis = SURVIVAL_MARKERS["marker of times"]()
    write(analysis, OutputFiles(json=tmp_path / "r.json"))
    read = load_analysis(str(tmp_path / "r.json"))
    assert read == analysis
    assert to_html(make_document(read)) == to_html(make_document(analysis))


def test_the_pictures_are_those_of_the_groups():
    analysis = SURVIVAL_MARKERS["marker of times"]()
    figures = make_document(analysis).figures()
    assert list(figures) == ["survival-1", "roc-1"]
    (axes,) = figures["survival-1"].draw().axes
    (marker,) = analysis.markers
    drawn = {line.get_label(): line.get_ydata()[1:].tolist() for line in axes.lines}
    for curve in marker.groups.curves:
        assert drawn[curve.name] == curve.survival
    assert axes.get_xlabel() == "months"


def test_sentences_say_side_probability_and_doubt():
    crp, albumin, sex = SURVIVAL_MARKERS["markers of times"]().markers
    analysis = SURVIVAL_MARKERS["markers of times"]()
    low, high = albumin.interval.low, albumin.interval.high
    assert sentence(albumin, analysis) == (
        "Of two patients, the one with the earlier event has the smaller albumin with probability "
        f"{albumin.concordance:.3f} (Harrell's concordance; 90% interval {low:.3f} to {high:.3f})."
    )
    assert " has the larger crp with " in sentence(crp, analysis)
    doubt = "The interval includes 0.5, so it may rank no better than chance."
    assert sex.interval.low < 0.5 < sex.concordance
    assert sentence(sex, analysis).endswith(doubt)
    # Below ½ a remark says what that may mean.
    (stage,) = survival_markers_of("stage").markers
    assert stage.concordance < 0.5
    assert doubt not in sentence(stage, analysis)


def test_ranges_by_hand():
    crp, albumin, sex = SURVIVAL_MARKERS["markers of times"]().markers
    one, two = (f"{cut:.6g}" for cut in crp.cuts)
    assert say_ranges(crp) == [f"< {one}", f"≥ {one} and < {two}", f"≥ {two}"]
    one, two = (f"{cut:.6g}" for cut in albumin.cuts)
    assert say_ranges(albumin) == [f"> {one}", f"≤ {one} and > {two}", f"≤ {two}"]
    assert say_ranges(sex) == ["< 1", "≥ 1"]
    # Every patient is in the group whose range has the value.
    table = followed()
    counts = [curve.at_risk[0] for curve in albumin.groups.curves]
    high = (table["albumin"] <= albumin.cuts[1]).sum()
    medium = (table["albumin"] <= albumin.cuts[0]).sum() - high
    assert counts == [24 - medium - high, medium, high]


def test_methods_name_what_was_done():
    analysis = SURVIVAL_MARKERS["markers of times"]()
    text = methods(analysis)
    follow_up = analysis.follow_up
    assert text.startswith(
        "How well crp, albumin, sex rank patients by the time to died was measured in 24 patients. "
        f"{sum(analysis.event)} of 24 patients had the event; the median follow-up was "
        f"{follow_up.median:.3g} (months; 90% interval "
    )
    assert "AUCs and ROC curves at 5, 12 (months) weight cases" in text
    assert "p-values were adjusted by Holm's method [8]" in text
    cited = {int(number) for number in re.findall(r"\[(\d)\]", text)}
    assert cited == set(range(1, len(REFERENCES) + 1))
    assert REFERENCES[7].startswith("Holm S.")
    assert REFERENCES[0].startswith("Harrell FE")
    one = methods(SURVIVAL_MARKERS["marker of times"]())
    assert "compared by the difference" not in one
    assert "Holm" not in to_markdown(make_document(SURVIVAL_MARKERS["marker of times"]()))
    grouped = methods(SURVIVAL_MARKERS["markers of times with gaps"]())
    assert "Variances are over groups of rows (person)." in grouped


def test_rows_that_belong_together_are_said_of_the_test():
    text = to_markdown(make_document(SURVIVAL_MARKERS["markers of times with gaps"]()))
    assert "It treats rows of the same person as independent." in text
    text = to_markdown(make_document(SURVIVAL_MARKERS["marker of times"]()))
    assert "as independent" not in text


def test_outside_text_stays_text(tmp_path):
    names = {"crp": f"{EVIL}$x$", "albumin": "a|b", "died": "$\\died$ <b>"}
    table = followed().rename(columns=names)
    analysis = survival_markers_of(f"{EVIL}$x$", "a|b", table=table, event="$\\died$ <b>")
    assert_stays_text(analysis, tmp_path)


def test_command_and_python_give_the_same_numbers(tmp_path, monkeypatch):
    followed().to_csv(tmp_path / "t.csv", index=False)
    names = ("crp", "albumin")
    run = Run(
        "t.csv",
        Specification("died", features=names, time="months"),
        options=MarkerOptions(names, ("albumin",), at=(5.0, 12.0)),
        outcome=TimeToEvent,
    )
    assert as_command(run) == (
        "tlpo marker t.csv --time months --event died --marker crp --marker albumin "
        "--smaller-is-positive albumin --at 5.0 --at 12.0"
    )
    monkeypatch.chdir(tmp_path)
    code = as_python(run)
    assert "    print(marker.auc_at_interval(12.0, 0.95))" in code.splitlines()
    told = {}
    exec(code, told)
    analysis = survival_markers_of(*names, smaller=("albumin",))
    for marker in analysis.markers:
        assert told["results"][marker.name].concordance == marker.concordance
