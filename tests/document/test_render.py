"""An analysis and its JSON are the same thing: whatever is rendered from either is the same."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from analysis.analyses import ANALYSES, KINDS, analysis_of, one_of_each
from commands.running import command
from tables import patients
from tlpo.analysis.load import load_analysis
from tlpo.analysis.options import OutputFiles
from tlpo.analysis.shapes import ModelAnalysis, OrderedAnalysis, SurvivalAnalysis
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.patients import inert_table, to_table
from tlpo.document.terminal import to_terminal
from tlpo.document.write import json_of, write


def printed(analysis, width=80):
    console = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    for part in to_terminal(make_document(analysis), width):
        console.print(part)
    return console.file.getvalue()


@pytest.mark.exhaustive
def test_reloaded_it_renders_the_same(any_analysis, tmp_path):
    html, json, md = (tmp_path / name for name in ("r.html", "r.json", "r.md"))
    write(any_analysis, OutputFiles(html=html, json=json, md=md))
    reloaded = load_analysis(str(json))
    assert to_html(make_document(reloaded)) == html.read_text()
    assert to_markdown(make_document(reloaded)) == md.read_text()
    assert printed(reloaded) == printed(any_analysis)
    assert json_of(reloaded) == json.read_text()
    if isinstance(any_analysis, ModelAnalysis | OrderedAnalysis | SurvivalAnalysis):
        assert inert_table(to_table(reloaded)) == inert_table(to_table(any_analysis))


@pytest.mark.parametrize(
    "name",
    one_of_each(
        (
            *("probabilities", "markers", "validation", "numbers by subgroups", "marker of grades"),
            "survival by subgroups",
        )
    ),
)
def test_the_command_renders_every_kind_byte_for_byte(name, tmp_path, monkeypatch, capsys):
    analysis = (ANALYSES | KINDS)[name]()
    first, again = (
        OutputFiles(
            *(folder / f"r.{ending}" for ending in ("html", "json", "md")), figures=folder / "f"
        )
        for folder in (tmp_path / "a", tmp_path / "b")
    )
    write(analysis, first)
    files = ("--html", again.html, "--md", again.md, "--figures", again.figures)
    code, out, err = command(monkeypatch, capsys, "render", first.json, *files)
    assert code == 0, err
    assert out
    written = [path for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(written) > (3 if make_document(analysis).figures() else 2)
    for path in written:
        other = tmp_path / "b" / path.relative_to(tmp_path / "a")
        assert path == first.json or other.read_bytes() == path.read_bytes(), path


@pytest.mark.parametrize("name", ["markers", "validation"])
def test_a_table_of_patients_needs_the_patients(name, tmp_path, monkeypatch, capsys):
    path, table = tmp_path / "a.json", tmp_path / "t.csv"
    path.write_text(json_of(KINDS[name]()))
    code, out, err = command(monkeypatch, capsys, "render", path, "--csv", table)
    assert (code, out) == (2, "")
    assert err.splitlines()[0].endswith("holds what a table of the patients needs.")
    assert not table.exists()


def test_identifiers_stay_out_of_the_json():
    table = patients(14).drop(columns="site")
    analysis = analysis_of("rls", table=table)
    text = json_of(analysis)
    assert not [name for name in table["patient"] if name in text]
    assert to_table(analysis)["row"].tolist() == list(range(1, 15))
    assert to_table(analysis, pd.DataFrame({"who": table["patient"]}))["who"].tolist() == list(
        table["patient"]
    )
    assert "g3" not in json_of(ANALYSES["groups"]())


def head_of(analysis):
    section = next(s for s in make_document(analysis).sections if s.id == "answer")
    return next(block.head for block in section.blocks if block.kind == "table")


@pytest.mark.exhaustive
def test_a_narrow_terminal_gets_lists_with_whole_words(any_analysis):
    wide = printed(any_analysis, 400)
    lines = [re.split(" {2,}", line.strip()) for line in wide.splitlines()]
    head = head_of(any_analysis)
    assert any(line[:2] == head[:2] and line == [x for x in head if x in line] for line in lines)
    for width in (30, 40, 60):
        narrow = printed(any_analysis, width)
        assert max(map(len, narrow.splitlines())) <= width
        # Nothing is broken within a word, unless it is longer than the line.
        whole = set(wide.split())
        assert all(word in whole for word in narrow.split() if len(word) < width // 2)


def test_a_narrow_terminal_names_every_number(analysis):
    narrow = printed(analysis, 40)
    for model in analysis.models:
        low, high = model.headline.low, model.headline.high
        assert re.search(rf"AUC +{model.headline.auc:.3f}", narrow)
        if low is not None:  # sorts have none
            assert re.search(rf"Interval +{low:.3f} to {high:.3f}", narrow)


def test_a_spreadsheet_runs_nothing_of_the_table():
    analysis = analysis_of("rls", table=patients(14).drop(columns="site"))
    attacks = ["=cmd|'/C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\n=1", " =1", "＝1"]
    harmless = ["-2.5", "+3", "P-07", "a=b", "", "x\n=1"]
    ids = pd.DataFrame({"=HYPERLINK(1)": [*attacks, *harmless], "age": np.arange(14) - 7.5})
    text = inert_table(to_table(analysis, ids))
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head[:2] == ["'=HYPERLINK(1)", "age"]
    assert [row[0] for row in rows] == [*(f"'{text}" for text in attacks), *harmless]
    assert [float(row[1]) for row in rows] == ids["age"].tolist()


def test_no_carriage_return_ends_a_row():
    """Outside of quotation marks it would, and what follows may be a formula."""
    analysis = analysis_of("rls", table=patients(14).drop(columns="site"))
    ids = pd.DataFrame({"who\r=1": ["x\r=1", "\r=1", "x\r\n=1", *"abcdefghijk"]})
    text = inert_table(to_table(analysis, ids))
    assert "\r" not in text
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head[0] == "who\n=1"
    assert [row[0] for row in rows][:4] == ["x\n=1", "'\n=1", "x\n=1", "a"]
