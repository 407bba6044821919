"""A summary and its JSON are the same thing: whatever is rendered from either is the same."""

import io

import pandas as pd
from rich.console import Console

from report.summaries import SUMMARIES, summary_of
from report.tables import patients
from tlpo.report.load import load_summary
from tlpo.report.options import Wanted
from tlpo.report.render import to_html, to_json, to_markdown, to_table, to_terminal
from tlpo.report.write import write


def printed(summary):
    console = Console(file=io.StringIO(), width=80, highlight=False, color_system=None)
    for part in to_terminal(summary):
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
