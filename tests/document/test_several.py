"""Reports of several classes: every kind of file, and what they say."""

import json

import docx
import numpy as np
import pytest
from msgspec.structs import replace

import tlpo
from analysis.analyses import KINDS
from analysis.test_ordered import with_a_test
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.load import decode, load_analysis
from tlpo.analysis.options import OutputFiles
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.patients import to_table
from tlpo.document.several_narrative import REFERENCES, methods, sentence, title
from tlpo.document.write import json_of, write

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def nine():
    """Three of each class along a line, the last two of 'b' and 'c' having changed places."""
    X = np.array([[0, 0], [0, 1], [1, 0], [5, 0], [5, 1], [9, 9.5], [9, 9], [9, 8], [5, 0.5]])
    return tlpo.multiclass(tlpo.RLS(0.1), X, list("aaabbbccc"))


def test_a_page_markdown_and_word_say_the_same(tmp_path):
    analysis = with_a_test(KINDS["several classes in groups"]())
    for ending in ("html", "docx"):
        write(analysis, OutputFiles(html=tmp_path / f"r.{ending}", md=tmp_path / "r.md"))
    page, text = (tmp_path / "r.html").read_text(), (tmp_path / "r.md").read_text()
    in_word = docx.Document(str(tmp_path / "r.docx"))
    running = "\n".join(paragraph.text for paragraph in in_word.paragraphs)
    for model in analysis.models:
        said = sentence(model, analysis)
        assert said in text
        assert said in running
        assert said.replace("'", "&#39;") in page
    cells = {cell.text for table in in_word.tables for row in table.rows for cell in row.cells}
    for pair in analysis.models[0].pairs:
        assert f"{pair.auc:.3f}" in cells
    assert methods(analysis) in running


def test_the_sentence_names_the_best_and_the_worst_pair(nine):
    analysis = tlpo.report(nine, names=["line"], target="stage", unit="mouse/mice")
    (model,) = analysis.models
    aucs = {(row.first, row.second): row.auc for row in model.pairs}
    best, worst = max(aucs, key=aucs.get), min(aucs, key=aucs.get)
    assert aucs[best] > aucs[worst]
    low, high = (f"{limit:.3f}" for limit in nine.auc_interval())
    said = sentence(model, analysis)
    assert said.startswith(
        "line tells two random mice of different classes of stage apart with probability "
        f"{nine.auc:.3f} (the AUC of several classes, M; 95% interval {low} to {high}). It is best "
        f"at '{best[0]}' and '{best[1]}' ({aucs[best]:.3f}), worst at '{worst[0]}' and "
        f"'{worst[1]}' ({aucs[worst]:.3f}; "
    )
    assert title(analysis) == "Predicting stage: how well does line tell the classes apart?"


def test_a_report_from_python_can_be_rendered_again(nine, tmp_path):
    found = tlpo.report(nine, tmp_path / "r.html", tmp_path / "r.json", names=["line"])
    again = load_analysis(str(tmp_path / "r.json"))
    assert again == found
    assert to_html(make_document(again)) == (tmp_path / "r.html").read_text()
    assert "Baseline" not in (tmp_path / "r.html").read_text()


def test_equally_good_pairs_and_chance():
    (model,) = KINDS["several classes"]().models
    same = [replace(pair, auc=0.5, low=0.3, high=0.7) for pair in model.pairs]
    interval = replace(model.interval, low=0.4, high=0.6)
    flat = replace(model, auc=0.5, pairs=same, interval=interval)
    said = sentence(flat, KINDS["several classes"]())
    assert "It tells every two classes apart equally well (0.500)." in said
    assert said.endswith("The interval includes 0.5, so the model may do no better than chance.")
    worse = replace(flat, interval=replace(interval, high=0.45))
    assert "worse than chance: check the labels" in sentence(worse, KINDS["several classes"]())


def test_methods_cite_every_reference_and_say_what_was_done():
    analysis = with_a_test(KINDS["several classes that tie"]())
    said = methods(analysis)
    for k in range(1, len(REFERENCES) + 1):
        assert f"[{k}]" in said
    assert "190 pairs of lesions" in said
    assert "3 classes of subtype, 'a' (8), 'b' (7), 'c' (5)" in said
    assert "with p-values adjusted by Holm's method" in said
    assert "19 permutations of the labels" in said


def test_remarks():
    remarks = {remark.code: remark.worded() for remark in remarks_on(KINDS["several classes"]())}
    assert remarks["small class"].startswith("The smallest class has only 5 patients")
    tied = remarks_on(KINDS["several classes that tie"]())
    (ties,) = (r for r in tied if r.code == "ties" and r.text.startswith("constant"))
    assert "so the ROC curves of 'a', 'b', 'c' are those of the pooled" in ties.text
    assert "several models" in {remark.code for remark in tied}


def test_names_of_classes_are_data():
    text = json_of(KINDS["several classes"]()).replace('"a"', json.dumps(EVIL))
    page = to_html(make_document(decode(text)))
    assert EVIL not in page
    assert "&lt;img" in page


def test_patients_have_a_score_in_every_response():
    analysis = KINDS["several classes in groups"]()
    table = to_table(analysis)
    assert [name for name in table if name.endswith("score")] == [
        f"{model} {k} score" for model in ("ridge", "lda") for k in "abc"
    ]
    assert table["label"].tolist() == [analysis.parts[k].name for k in analysis.outcome]
    first = analysis.models[1].classes[2].scores
    assert table["lda c score"].tolist() == first
    assert table["lda c rank"].tolist() == (-table["lda c score"]).rank().tolist()
