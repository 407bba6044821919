"""What CONTRIBUTING.md promises: how few files an engine, a format, a section, a remark touch."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tlpo
from tables import patients

ROOT = Path(__file__).parents[1]
SOURCE = Path(tlpo.__file__).parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TOUCHES = {
    "an engine": ["engines/constant.py", "pyproject.toml"],
    "a kind of file": ["tables/", "tables/formats.py"],
    "a section to a report": ["document/models.py"],
    "a remark": ["analysis/caveats.py", "docs/remarks.md"],
}


@pytest.mark.parametrize("what", TOUCHES)
def test_the_files_it_names(what):
    (said,) = re.findall(rf"## Add {what}\n\n\*Touches (.*?)\*\n", TEXT, re.DOTALL)
    named = re.sub(r", or the module of .*| \(or the module of .*?\)", "", said, flags=re.DOTALL)
    assert re.findall(r"`(.+?)`", named) == TOUCHES[what]


def example(start):
    """Return an example of CONTRIBUTING.md by its first words."""
    found = doctest.DocTestParser().get_examples(TEXT)
    return next(one.source for one in found if one.source.startswith(start))


def imports():
    found = doctest.DocTestParser().get_examples(TEXT)
    return "".join(one.source for one in found if one.source.startswith(("import", "from")))


def edited(path, *changes):
    """Return the text of a file of ours with a few places changed, each of which is there once."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


ROWS = '''
"""Rows of JSON."""
import pandas as pd
from tlpo.tables.formats import Format
FORMAT = Format("JSON rows (.rows)", (".rows",), lambda file, _: pd.read_json(file, lines=True))
'''
REMARK = '''

def on_smokers(analysis: ModelAnalysis) -> list[Remark]:
    """Ask about smokers."""
    return [Remark("smokers", "Do you smoke?", (("If so,", Drop(("smoker",))),))]
'''
# What stands in the folders below is found before ours.
SCRIPT = """
import sys
from importlib import import_module
for room in ("analysis", "document", "engines", "tables"):
    import_module(f"tlpo.{room}").__path__.insert(0, f"new/{room}")
import tlpo
from sklearn.dummy import DummyClassifier
sample = tlpo.read_table("t.rows", "outcome")
print(tlpo.tournament(DummyClassifier(), sample.table, sample.y).engine)
from tlpo.commands.cli import main
sys.argv = ["tlpo", "run", "t.rows", "--target", "outcome", "--model", "rls", "--json", "t.json",
            "--html", "t.html", "--md", "t.md", "--n-jobs", "1"]
main()
"""


@pytest.mark.exhaustive
def test_no_other_file_is_touched(tmp_path):
    """In a process that sees one or two other files in the place of ours, and one table."""
    new = {
        "engines/constant.py": f"{imports()}\n{example('class Constant')}\nENGINE = Constant\n",
        "tables/rows.py": ROWS,
        "tables/formats.py": edited(
            "tables/formats.py",
            ("import excel, labelled, parquet", "import excel, labelled, parquet, rows"),
            ("return [excel.FORMAT,", "return [rows.FORMAT, excel.FORMAT,"),
        ),
        "document/models.py": edited(
            "document/models.py",
            ("        sample(a),\n", "        sample(a),\n        classes(a),\n"),
        )
        + example("def classes")
        .replace('"Classes", [', '"Sizes of classes", [')
        .replace('["Outcome", "Number"], rows)]', '["Outcome", "Number"], rows)], is_short=True'),
        "analysis/caveats.py": edited(
            "analysis/caveats.py",
            ("*_on_size(analysis),", "*_on_size(analysis), *on_smokers(analysis),"),
        )
        + REMARK,
    }
    for name, text in new.items():
        path = tmp_path / "new" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    patients(20).drop(columns="site").to_json(tmp_path / "t.rows", orient="records", lines=True)
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("constant\n")
    terminal = " ".join(shown.stdout.split())
    assert "Do you smoke? If so, run the analysis again with --drop smoker." in terminal
    assert "How many patients" in terminal
    page, markdown = ((tmp_path / f"t.{kind}").read_text() for kind in ("html", "md"))
    for text in (page, markdown):
        assert "Sizes of classes" in text
        assert "run the analysis again without" in text
    asked = json.loads((tmp_path / "t.json").read_text())["warnings"]
    assert any(text.startswith("Do you smoke?") for text in asked)
