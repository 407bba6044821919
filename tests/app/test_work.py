"""The process that works for a page: its jobs, one by one, and what it tells."""

import json
import os
import queue
import resource
import signal
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import contextmanager

import pandas as pd
import pytest
from msgspec import structs

from tables import patients
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.model_file import load_model
from tlpo.analysis.models import MODELS
from tlpo.analysis.options import Options, OutputFiles
from tlpo.app.work import JobRunner
from tlpo.commands.marker import marker_command
from tlpo.commands.run import run_command
from tlpo.execution.journal import read_journal
from tlpo.tables.options import Reading, Specification

AUTO = {"sep": None, "decimal": None, "encoding": None, "sheet": None}
QUESTION = {"target": "outcome", "drop": ["site"]}


def job(do, path, **more):
    about = {"number": 7, "path": str(path), "name": "my table", "reading": AUTO, "options": {}}
    return {"do": do, **about, **more}


def told_by(*jobs, is_wanted_elsewhere=lambda: False):
    told = []
    runner = JobRunner(lambda **what: told.append(what), is_wanted_elsewhere)
    for one in jobs:
        runner.do(one)
    assert all(what.pop("job") == 7 for what in told)
    assert told[-1] == {"end": True}
    return told[:-1]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table-0a.csv"
    frame = patients(16)
    frame.loc[3, "age"] = None
    frame.to_csv(path, sep=";", decimal=",", index=False)
    return path


def test_a_table_is_looked_at(table):
    (told,) = told_by(job("look", table))
    found = told["table"]
    assert found["n_rows"] == 16
    assert found["sheets"] == []
    columns = {c.pop("name"): c for c in found["columns"]}
    assert list(columns) == list(patients(4).columns)
    usual = {"kind": "numeric", "why": "", "missing": 0, "has_two_values": False}
    assert columns["marker"] == usual
    assert columns["age"] == {**usual, "missing": 1}
    assert columns["clinic"]["kind"] == "constant"
    assert columns["clinic"]["why"] == "it is constant"
    assert columns["outcome"]["has_two_values"]
    assert found["preview"]["names"] == list(columns)
    assert len(found["preview"]["rows"]) == 8
    first = patients(16).iloc[0]
    assert found["preview"]["rows"][0][2] == str(first["marker"])
    assert found["preview"]["rows"][3][1] == ""


def test_sheets_are_named(tmp_path):
    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        patients(8).to_excel(book, sheet_name="first", index=False)
        patients(10)[["age", "outcome"]].to_excel(book, sheet_name="<b>second", index=False)
    first, second = told_by(
        job("look", path), job("look", path, reading={**AUTO, "sheet": "<b>second"})
    )[::2]
    assert first["table"]["sheets"] == ["first", "<b>second"]
    assert (first["table"]["n_rows"], second["table"]["n_rows"]) == (8, 10)


def test_cells_that_are_lists_are_no_outcome(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [[1], [2], [1]], "b": [1, 2, 2]}).to_parquet(path)
    (told,) = told_by(job("look", path))
    assert [c["has_two_values"] for c in told["table"]["columns"]] == [False, True]


def test_a_question_is_understood_and_every_model_timed(table):
    understood, *times = told_by(job("ask", table, spec=QUESTION, known=["svm"]))
    found = understood["understood"]
    assert (found["positive"], found["negative"]) == ("yes", "no")
    assert (found["n_positive"], found["n_negative"]) == (8, 8)
    assert "reads as negative" in found["chosen_by"]
    assert any("'clinic' was not used" in note for note in found["notes"])
    assert [told["model"] for told in times] == [
        name for name, entry in MODELS.items() if entry.make is not None and name != "svm"
    ]
    seconds = {told["model"]: told["seconds"] for told in times}
    assert seconds["ridge"] == 0
    assert seconds["constant"] > 0


def test_timing_stops_for_the_next_job(table):
    told = told_by(job("ask", table, spec=QUESTION, known=[]), is_wanted_elsewhere=lambda: True)
    assert [list(what) for what in told] == [["understood"]]


def test_a_model_that_cannot_be_timed_says_why(table, monkeypatch):
    from sklearn.svm import SVC

    class Broken(SVC):
        def fit(self, X, y):
            raise ArithmeticError("not today")

    monkeypatch.setitem(MODELS, "svm", type(MODELS["svm"])(Broken, "broken"))
    told = told_by(job("ask", table, spec=QUESTION, known=[n for n in MODELS if n != "svm"]))
    assert told[1]["trouble"].split("\n")[:2] == [
        "The model 'svm' cannot be fitted to the table.",
        "ArithmeticError: not today",
    ]


def test_errors_have_the_words_of_the_page(table, tmp_path):
    (missing,) = told_by(job("ask", table, spec={"target": "patient"}, known=[]))
    problem, passed, _ = missing["error"].split("\n")
    assert problem == "The target must have exactly two labels."
    assert passed.startswith("You passed the outcome 'patient' with ")
    (tmp_path / "x.csv").write_text("a,b\n")
    (empty,) = told_by(job("look", tmp_path / "x.csv"))
    assert empty["error"] == (
        "The table has no rows.\nYou passed 'my table'.\nPass one row per patient."
    )


@contextmanager
def largest_file(size):
    """Let no file grow beyond a size; a full disk fails in the same call."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # part of a .pyc breaks later imports
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        monkeypatch.undo()


def test_a_full_disk_leaves_no_part_of_the_example(tmp_path):
    with largest_file(1_000):
        (told,) = told_by(job("example", tmp_path / "table.csv"))
    assert told["error"].split("\n")[:2] == [
        "A file could not be read or written.",
        "my table: File too large.",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("last", ["figures.zip", "report.docx"])
def test_a_full_disk_leaves_no_part_of_a_file(last, table, tmp_path, monkeypatch):
    if last == "figures.zip":  # which is smaller than the Word file
        monkeypatch.setattr("tlpo.app.work.find_spec", lambda _: None)
    markers = {"markers": ["marker"], "smaller_is_positive": []}
    told = {}
    for name in ("whole", "cut"):
        folder = tmp_path / name
        folder.mkdir()
        size = (tmp_path / "whole" / last).stat().st_size - 1 if name == "cut" else -1
        with largest_file(size):
            told[name] = told_by(
                job("mark", table, spec=QUESTION, markers=markers, folder=str(folder))
            )
    assert told["whole"][-1] == {"file": "figures.zip"}
    n_before = told["whole"].index({"file": last})
    assert told["cut"][:-1] == told["whole"][:n_before]
    assert told["cut"][-1]["error"].split("\n")[1] == f"{tmp_path}/cut/{last}: File too large."
    left = [path.name for path in (tmp_path / "cut").iterdir()]
    figures = ["figures"] if last == "figures.zip" else []
    assert sorted(left) == ["answer.md", "cutoffs.csv", *figures, "report.html", "result.json"]


def test_faults_are_told_as_such(table, monkeypatch):
    monkeypatch.setattr("tlpo.tables.columns.kinds_of", lambda *_: 1 / 0)
    (told,) = told_by(job("look", table))
    assert told["error"].split("\n")[:2] == [
        "Something went wrong that should not.",
        "ZeroDivisionError: division by zero",
    ]


def run_job(table, folder, **more):
    asked = {"spec": QUESTION, "models": ["ridge"], "options": {"n_jobs": 1}}
    where = {"folder": str(folder), "journal": str(folder / "run.tlpo"), "model_file": None}
    return job("run", table, **{**asked, **where, **more})


def without_times(path):
    summary = json.loads(path.read_text())
    for model in summary["models"]:
        del model["seconds"]
    return summary


def test_a_run_is_that_of_the_command(table, tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    told = told_by(run_job(table, folder))
    said = [what["say"] for what in told if "say" in what]
    assert said == ["Playing ridge …"]
    files = [what["file"] for what in told if "file" in what]
    assert files == [
        *("result.json", "answer.md", "patients.csv", "report.html", "report.docx", "figures.zip")
    ]
    with zipfile.ZipFile(folder / "figures.zip") as archive:
        drawn = {name.partition(".")[0] for name in archive.namelist()}
    assert drawn == {"roc", "scores-1", "schemes-1", "games-1"}
    theirs = tmp_path / "theirs"
    run_command(
        str(table),
        Specification("outcome", drop=["site"]),
        OutputFiles(json=theirs / "json", csv=theirs / "csv", md=theirs / "md"),
        models=["ridge"],
        reading=Reading(),
        options=Options(),
        quiet=True,
    )
    capsys.readouterr()
    expected = without_times(theirs / "json")
    expected["source"] = "my table"
    assert without_times(folder / "result.json") == expected
    assert (folder / "patients.csv").read_text() == (theirs / "csv").read_text()
    renamed = (theirs / "md").read_text().replace(table.name, "my table")
    assert (folder / "answer.md").read_text() == renamed


def test_a_model_is_that_of_the_command(table, tmp_path, capsys):
    folder, theirs = tmp_path / "mine", tmp_path / "model.skops"
    folder.mkdir()
    told = told_by(run_job(table, folder, models=["ridge"], model_file="model.skops"))
    assert told[-1] == {"file": "model.skops", "notes": []}
    run_command(
        str(table),
        Specification("outcome", drop=["site"]),
        OutputFiles(json=tmp_path / "json", save_model=theirs),
        models=["ridge"],
        reading=Reading(),
        options=Options(),
        quiet=True,
    )
    capsys.readouterr()
    (mine, my_card), (other, card) = load_model(str(folder / "model.skops")), load_model(theirs)
    assert str(mine) == str(other)
    # Members are named by where they stood in memory.
    same = {"digest": "0" * 64, "members": {}}
    named = structs.replace(card.data, source="my table")
    assert structs.replace(my_card, **same) == structs.replace(card, data=named, **same)
    assert without_times(folder / "result.json")["model_file"] == "model.skops"


@pytest.mark.exhaustive
def test_a_model_of_names_is_not_saved_and_the_page_says_so(table, tmp_path):
    frame = patients(16).assign(doctor=["Zadeh", "Qvist"] * 8)
    frame.to_csv(table, sep=";", decimal=",", index=False)
    spec = {"target": "outcome", "features": ["marker", "doctor"]}
    told = told_by(run_job(table, tmp_path, models=["ridge"], model_file="model.skops", spec=spec))
    assert told[-1] == {
        "unsaved": "No model file was written: it would hold the values of 'doctor', which look "
        "like names or free text. Switch these columns off to get one."
    }
    assert not (tmp_path / "model.skops").exists()
    assert without_times(tmp_path / "result.json")["model_file"] is None
    assert "Zadeh" not in (tmp_path / "result.json").read_text()


def test_markers_are_those_of_the_command(table, tmp_path, capsys):
    folder, theirs = tmp_path / "mine", tmp_path / "theirs"
    (folder / "figures").mkdir(parents=True)
    (folder / "figures" / "games-1.png").touch()  # as an earlier run left it
    names = ["marker", "age"]
    spec = {"target": "outcome", "features": names}
    options = {"markers": names, "smaller_is_positive": ["age"], "cutoff": ["age=50"]}
    told = told_by(job("mark", table, spec=spec, markers=options, folder=str(folder)))
    files = [what["file"] for what in told]
    assert files == [
        *("result.json", "answer.md", "cutoffs.csv", "report.html", "report.docx", "figures.zip")
    ]
    with zipfile.ZipFile(folder / "figures.zip") as archive:
        drawn = {name.partition(".")[0] for name in archive.namelist()}
    assert "roc" in drawn
    assert "games-1" not in drawn
    marker_command(
        str(table),
        Specification(**spec),
        OutputFiles(
            json=theirs / "json", csv=theirs / "csv", md=theirs / "md", html=theirs / "html"
        ),
        MarkerOptions(**options),
        reading=Reading(),
        quiet=True,
    )
    capsys.readouterr()
    for mine, other in zip(files, ("json", "md", "csv", "html"), strict=False):
        renamed = (theirs / other).read_text().replace(table.name, "my table")
        assert (folder / mine).read_text() == renamed


class Process:
    """The process as the page sees it."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tlpo.app.work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.told = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.told.put(json.loads(line))

    def send(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def until(self, is_it, seconds=120):
        while True:
            told = self.told.get(timeout=seconds)
            assert "error" not in told, told
            if is_it(told):
                return told

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()


@pytest.mark.long
def test_a_run_is_cancelled_and_resumes(tmp_path):
    path = tmp_path / "t.csv"
    patients(50)[["age", "marker", "outcome"]].to_csv(path, index=False)
    first, second = Process(), Process()
    try:
        slow = run_job(path, tmp_path, models=["ridge:solver=lsqr"], spec={"target": "outcome"})
        first.send(slow)
        half = first.until(lambda told: told.get("title") == "Games" and told["done"] > 100)
        started = time.monotonic()
        os.killpg(first.process.pid, signal.SIGTERM)
        first.process.wait(10)
        assert time.monotonic() - started < 10  # two seconds, unless the machine is very busy
        parts, _ = read_journal(tmp_path / "run.tlpo")
        assert parts
        second.send(slow)
        begun = second.until(lambda told: told.get("title") == "Games")
        assert begun["done"] >= half["done"]
        assert begun["total"] == 50 * 49 // 2
        second.until(lambda told: told.get("file") == "result.json")
        assert json.loads((tmp_path / "result.json").read_text())["n_units"] == 50
        second.process.stdin.close()  # as when the page's process is killed
        assert second.process.wait(10) == 0
    finally:
        first.close()
        second.close()
