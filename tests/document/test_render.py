"""A summary and its JSON are the same thing: whatever is rendered from either is the same."""

import io

import numpy as np
import pandas as pd
from rich.console import Console

from analysis.summaries import SUMMARIES, summary_of
from tables import patients
from tlpo.analysis.load import load_summary
from tlpo.analysis.options import Wanted
from tlpo.document.render import HEAD, to_html, to_json, to_markdown, to_table, to_terminal
from tlpo.document.write import write


def printed(summary, width=80):
    console = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    for part in to_terminal(summary, width):
        console.print(part)
    return console.file.getvalue()


def test_reloaded_it_renders_the_same(summary, tmp_path):
    wanted = Wanted(
        html=tmp_path / "r.html", json=tmp_path / "r.json", md=tmp_path / "r.md", csv=tmp_path / "t"
    )
    write(summary, wanted)
    reloaded = load_summary(str(tmp_path / "r.json"))
    assert to_html(reloaded) == (tmp_path / "r.html").read_text()
    assert to_markdown(reloaded) == (tmp_path / "r.md").read_text()
    assert printed(reloaded) == printed(summary)
    assert to_table(reloaded).to_csv(index=False) == (tmp_path / "t").read_text()
    assert to_json(reloaded) == (tmp_path / "r.json").read_text()


def test_identifiers_stay_out_of_the_json():
    table = patients(14).drop(columns="site")
    summary = summary_of("rls", table=table)
    text = to_json(summary)
    assert not [name for name in table["patient"] if name in text]
    assert to_table(summary)["row"].tolist() == list(range(1, 15))
    assert to_table(summary, pd.DataFrame({"who": table["patient"]}))["who"].tolist() == list(
        table["patient"]
    )
    groups = SUMMARIES["groups"]()
    assert "g3" not in to_json(groups)


def test_a_narrow_terminal_gets_lists_with_whole_words(summary):
    wide = printed(summary, 200)
    assert wide.splitlines()[0].split() == list(HEAD)
    for width in (30, 40, 60):
        narrow = printed(summary, width)
        assert max(map(len, narrow.splitlines())) <= width
        for model in summary["models"]:
            low, high = (model["headline"][end] for end in ("low", "high"))
            interval = "—" if low is None else f"{low:.3f} to {high:.3f}"  # sorts have none
            assert f"  interval     {interval}" in narrow or wide.splitlines()[1] in narrow
        # Nothing is broken within a word, unless it is longer than the line.
        whole = set(wide.split())
        assert all(word in whole for word in narrow.split() if len(word) < width // 2)


def test_a_spreadsheet_runs_nothing_of_the_table():
    summary = summary_of("rls", table=patients(14).drop(columns="site"))
    attacks = ["=cmd|'/C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"]
    harmless = ["-2.5", "+3", "P-07", "a=b", "", "x"]
    ids = pd.DataFrame({"=HYPERLINK(1)": [*attacks, *harmless], "age": np.arange(14) - 7.5})
    found = to_table(summary, ids)
    assert found.columns.tolist()[:2] == ["'=HYPERLINK(1)", "age"]
    assert found.iloc[:, 0].tolist() == [*(f"'{text}" for text in attacks), *harmless]
    assert found["age"].tolist() == ids["age"].tolist()
