"""Every command with file names that are no text, or that would act on a terminal."""

import os
import sys

import pandas as pd
import pytest

from app.serving import ask, serving
from tables import patients
from tlpo.commands.cli import app, main

pytestmark = pytest.mark.long

NAMES = {
    "not UTF-8": os.fsdecode(b"p\xff\xe9"),
    "escape codes": "p\n\x1b[31m\u202e",
}
# Characters that must not reach a terminal as they are.
ACTING = "\x1b\u202e\udcff\udce9"
ASKED = ("--target", "outcome", "--drop", "site", "--model")


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def name(request):
    if sys.platform in ("darwin", "win32"):
        pytest.skip("file names are text there")
    return request.param


@pytest.fixture
def folder(tmp_path, name, monkeypatch):
    found = tmp_path / name
    found.mkdir()
    monkeypatch.chdir(found)
    patients(24).to_csv(found / f"{name}.csv", index=False)
    return found


@pytest.fixture
def call(monkeypatch, capsys):
    """Return a function that runs a command and returns its exit code and all it printed."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tlpo", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = "".join(capsys.readouterr())
        assert not set(printed) & set(ACTING), printed
        assert "codec" not in printed
        return ended.value.code, printed

    return run


def files(folder, name, *endings):
    """Return where to write, by flag."""
    kinds = {"html", "json", "md", "csv", "save-model"} & set(endings)
    given = [(f"--{kind}", folder / f"{name}-out.{kind}") for kind in sorted(kinds)]
    if "figures" in endings:
        given.append(("--figures", folder / f"{name}-figures"))
    return [part for pair in given for part in pair], [path for _, path in given]


def test_run_render_and_validate(folder, name, call):
    data, journal = folder / f"{name}.csv", folder / f"{name}.tlpo"
    flags, written = files(folder, name, "html", "json", "md", "csv", "save-model", "figures")
    code, printed = call("run", data, *ASKED, "ridge", *flags, "--journal", journal)
    assert code == 0, printed
    assert all(path.exists() for path in written)
    page = (folder / f"{name}-out.html").read_text(encoding="utf-8")
    assert ("\ufffd" in page) == ("\udcff" in name)
    saved = folder / f"{name}-out.save-model"
    flags, written = files(folder, f"{name}v", "html", "json")
    assert call("validate", saved, data, *flags)[0] == 0
    assert all(path.exists() for path in written)
    flags, written = files(folder, f"{name}r", "html", "md", "csv", "figures")
    assert call("render", folder / f"{name}-out.json", *flags)[0] == 0
    assert all(path.exists() for path in written)
    # Made from the JSON alone, it is the same page.
    assert (folder / f"{name}r-out.html").read_text(encoding="utf-8") == page


def test_a_unit_is_written_or_refused(folder, name, call):
    flags, (page,) = files(folder, name, "html")
    code, printed = call("run", folder / f"{name}.csv", *ASKED, "ridge", "--unit", name, *flags)
    assert code == (2 if "\n" in name else 0), printed
    assert page.exists() == (code == 0)


def test_marker(folder, name, call):
    flags, written = files(folder, name, "html", "json", "md", "csv", "figures")
    code, printed = call(
        "marker", folder / f"{name}.csv", "--target", "outcome", "--marker", "marker", *flags
    )
    assert code == 0, printed
    assert all(path.exists() for path in written)


def test_journals(folder, name, call):
    data, journal = folder / f"{name}.csv", folder / f"{name}.tlpo"
    for part in ("1/2", "2/2"):
        code, printed = call(
            "run", data, *ASKED, "ridge:solver=lsqr", "--journal", journal, "--shard", part
        )
        assert code == 0, printed
    parts = sorted(folder.glob("*-of-2.tlpo"))
    assert len(parts) == 2
    code, printed = call("merge", journal, *parts)
    assert code == 0
    assert printed.startswith("2 journals are joined in ")
    assert call("journal", journal)[0] == 0


def test_games(folder, name, call):
    data, games = folder / f"{name}.csv", folder / f"{name}-games.csv"
    asked = ("--target", "outcome")
    sets = folder / f"{name}-sets"
    assert call("games", "draw", data, *asked, "--out", games, "--train", sets)[0] == 0
    assert (sets / "276.csv").exists()
    drawn = pd.read_csv(games)
    drawn["prediction_i"], drawn["prediction_j"] = drawn["i"] % 7, drawn["j"] % 7
    other = folder / f"{name}-other.csv"
    for path in (games, other):
        drawn.to_csv(path, index=False)
    assert call("games", "status", games)[0] == 0
    flags, written = files(folder, name, "html", "json", "md", "csv")
    code, printed = call("games", "score", games, other, "--table", data, *asked, *flags)
    assert code == 0, printed
    assert all(path.exists() for path in written)
    assert call("render", folder / f"{name}-out.json")[0] == 0


def test_demo(folder, name, call):
    assert call("demo", "--out", folder / f"{name}-out")[0] == 0
    assert (folder / f"{name}-out" / "roc-example.png").exists()


def test_app(folder):
    """Its tables are below a folder of such a name."""
    with serving(TMPDIR=str(folder)) as server:
        (own,) = folder.glob("tlpo-*")
        url = f"{server.address}analyses/{server.analysis()}/table?name=%FF%1B.csv"
        assert ask(url, data=b"a,b\n1,2\n")[0] == 200
        assert len(list(own.glob("analysis-*/table-*/table.csv"))) == 1
        assert server.stop() == (0, "")


WRONG = {
    "run": [
        ("NONE", "--target", "y"),
        ("DATA", "--target", "NAME"),
        ("DATA", *ASKED, "NAME"),
        ("DATA", *ASKED, "ridge", "--html", "DATA"),
        ("DATA", *ASKED, "ridge", "--json", "DATA/x"),
        ("DATA", *ASKED, "ridge", "--journal", "DATA"),
        ("DATA", *ASKED, "ridge", "--encoding", "NAME"),
        ("DATA", *ASKED, "ridge", "--sep", "NAME"),
        ("DATA", *ASKED, "ridge", "--rows", "NAME"),
        ("DATA", *ASKED, "ridge", "--positive", "NAME"),
        ("DATA", *ASKED, "ridge", "--n-jobs", "NAME"),
        ("DATA", "--NAME"),
    ],
    "marker": [
        ("NONE", "--target", "y", "--marker", "m"),
        ("DATA", "--target", "outcome", "--marker", "NAME"),
        ("DATA", "--target", "outcome", "--marker", "marker", "--cutoff", "NAME"),
    ],
    "validate": [("NONE", "DATA"), ("DATA", "DATA")],
    "render": [("NONE",), ("DATA",), ("DATA", "--html", "DATA")],
    "journal": [("NONE",), ("DATA",)],
    "merge": [("OUT", "NONE"), ("OUT", "DATA")],
    "plan": [("--auc", "NAME")],
    "reproduce": [
        ("NAME", "--out", "OUT"),
        ("all", "--out", "OUT", "--pool", "NONE"),
        ("all", "--out", "OUT", "--pool", "DATA", "--target", "NAME"),
    ],
    "demo": [("--out", "DATA")],
    "app": [("--port", "NAME")],
    "models": [("NAME",)],
    "games": [
        ("draw", "NONE", "--target", "y", "--out", "OUT.csv"),
        ("draw", "DATA", "--target", "NAME", "--out", "OUT.csv"),
        ("draw", "DATA", "--target", "outcome", "--out", "DATA"),
        ("draw", "DATA", "--target", "outcome", "--out", "OUT.csv", "--id", "NAME"),
        ("score", "NONE", "--table", "DATA", "--target", "outcome"),
        ("score", "DATA", "--table", "DATA", "--target", "outcome"),
        ("score", "DATA", "--table", "NONE", "--target", "outcome"),
        ("score", "DATA", "--table", "DATA", "--target", "outcome", "--scale", "NAME"),
        ("status", "NONE"),
        ("status", "DATA"),
        ("NAME",),
    ],
}


def test_every_command_is_tried():
    assert {command for command in app if not command.startswith("-")} == set(WRONG)


@pytest.mark.parametrize("command", WRONG)
def test_what_cannot_be_done_is_said(command, folder, name, call):
    places = {"NAME": name, "DATA": str(folder / f"{name}.csv")}
    places |= {"NONE": str(folder / f"{name}-none.csv"), "OUT": str(folder / f"{name}-out")}
    for arguments in WRONG[command]:
        given = list(arguments)
        for word, meant in places.items():
            given = [one.replace(word, meant) for one in given]
        code, printed = call(command, *given)
        assert code in (1, 2), printed
        assert printed


def test_an_unknown_command_is_said(name, call):
    assert call(name)[0] == 2
