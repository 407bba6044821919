import os
import signal
import subprocess
import sys
import time

import pytest
from sklearn.linear_model import LogisticRegression

import tlpo
from oracles import blobs
from report.commands import run
from report.tables import patients
from tlpo.cli import app, main


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "none.csv", "--target", "y"], 1, "tlpo: There is no such file."),
        (["run", "t.csv", "--target", "outcom"], 1, "Did you mean 'outcome'?"),
        (["run", "t.csv", "--target", "outcome", "--model", "rigde"], 2, "Did you mean 'ridge'?"),
        (
            ["run", "t.csv", "--target", "outcome", "--specificity", "90"],
            2,
            "tlpo: --specificity must be",
        ),
        (["run", "t.csv", "--target", "outcome", "--seed", "-1"], 2, "tlpo: --seed must be"),
        (
            ["run", "t.csv", "--target", "outcome", "--html", "."],
            2,
            "--html cannot be written there",
        ),
        (["run", "t.csv", "--target", "outcome", "--csv", "t.csv"], 2, "overwrite the data"),
        (
            ["run", "t.csv", "--target", "outcome", "--md", "o", "--html", "o"],
            2,
            "would overwrite",
        ),
        (["run", "t.csv"], 2, "target"),
        (["run", "t.csv", "--target", "outcome", "--missing", "guess"], 2, "missing"),
        (["run", "t.csv", "--target", "outcome", "--nonsense"], 2, "nonsense"),
    ],
)
def test_errors_come_without_a_traceback(tmp_path, arguments, code, message):
    patients(12).to_csv(tmp_path / "t.csv", index=False)
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == code, result.stdout + result.stderr
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_interrupted_it_says_so(tmp_path):
    patients(200).to_csv(tmp_path / "t.csv", index=False)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tlpo.cli", "run", "t.csv", "--target", "outcome"),
            *("--model", "boosting", "--n-jobs", "1"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    while "Playing" not in (line := process.stderr.readline()):
        assert line, "ended early"
    time.sleep(1.0)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.strip().endswith(
        "Interrupted. Nothing of this run is kept: pass a journal to be able to resume."
    )
    assert out == ""


def test_a_journal_tells_what_it_is(tmp_path, capsys, monkeypatch):
    X, y = blobs(12, 2, seed=0)
    path = tmp_path / "run.tlpo"
    tlpo.tournament(LogisticRegression(C=0.5), X, y, journal=path)
    path.write_bytes(path.read_bytes() + b"torn")

    def show(file):
        monkeypatch.setattr(sys, "argv", ["tlpo", "journal", str(file)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr()

    code, shown = show(path)
    assert not code
    assert "games: 66 of 66 done (100.0%)" in shown.out
    assert "LogisticRegression(C=0.5" in shown.out
    assert "4 bytes are damaged or unfinished" in shown.out
    (tmp_path / "no").write_text("no journal")
    code, shown = show(tmp_path / "no")
    assert code == 1
    assert shown.err.startswith("tlpo: This file is not a journal.")
    assert show(tmp_path / "nothing")[0] == 1


def test_command_line_errors_have_no_traceback(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tlpo", "demo", "--units", "31", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "tlpo: The demonstration draws as many malignant as benign tumours.\n"
        "You passed --units 31.\n"
        "Pass an even number from 6 to 200, for example --units 30.\n"
    )


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit):
        app("demo --help")
    assert "tlpo demo --units 40" in capsys.readouterr().out
