import os
import re
import signal
import subprocess
import sys
import time

import pytest
from sklearn.linear_model import LogisticRegression

import tlpo
from commands.running import command, run
from oracles import blobs
from tables import patients
from tlpo.commands.cli import app, flags_of, main


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
        (["run", "t.csv", "--target", "outcome", "--missing", "guess"], 1, "missing"),
        (["run", "t.csv", "--target", "outcome", "--nonsense"], 2, "nonsense"),
    ],
)
def test_errors_come_without_a_traceback(tmp_path, monkeypatch, capsys, arguments, code, message):
    patients(12).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.chdir(tmp_path)
    ended, out, err = command(monkeypatch, capsys, *arguments)
    assert ended == code, out + err
    assert message in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.long
def test_interrupted_it_says_so(tmp_path):
    patients(200).to_csv(tmp_path / "t.csv", index=False)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tlpo.commands.cli", "run", "t.csv", "--target", "outcome"),
            *("--model", "boosting:max_leaf_nodes=6", "--n-jobs", "1"),
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
    tlpo.tournament(LogisticRegression(C=0.5), X, y, journal=path, engine="refit")
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


def test_a_pool_is_not_overwritten_by_a_table_of_results(tmp_path, capsys, monkeypatch):
    pool = tmp_path / "pool.csv"
    pool.write_text("x,y\n1,2\n")
    out = tmp_path / "." / "link"
    out.symlink_to(tmp_path)
    arguments = ["tlpo", "reproduce", "pool-auc", "--out", str(out), "--pool", str(pool)]
    monkeypatch.setattr(sys, "argv", [*arguments, "--target", "y"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "tlpo: A table of the results would overwrite the pool.\n"
        f"You passed --pool {pool} and --out {out}.\n"
        "Pass another folder as --out.\n"
    )


def test_a_full_disk_is_said_in_three_parts(tmp_path, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tlpo.execution.replace._finish", full)
    monkeypatch.setattr(sys, "argv", ["tlpo", "demo", "--units", "6", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "tlpo: A file could not be read or written.\n"
        f"{tmp_path / 'roc-example.png'}: No space left on device.\n"
        "Check the path, permissions and free disk space, then run the same command again.\n"
    )
    assert not [*tmp_path.iterdir()]


@pytest.mark.long
def test_a_model_that_ends_its_workers_gets_a_message(tmp_path):
    patients(24).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "deadly.py").write_text(
        "import multiprocessing, os, time\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "class Deadly(LogisticRegression):\n"
        "    def fit(self, X, y):\n"
        "        time.sleep(0.02)\n"
        "        if 'Loky' in multiprocessing.current_process().name:\n"
        "            os._exit(1)\n"
        "        return super().fit(X, y)\n"
        "model = Deadly()\n"
    )
    arguments = ("run", "t.csv", "--target", "outcome", "--model", "deadly:model", "--n-jobs", "2")
    result = run(*arguments, "--drop", "site", "--journal", "run.tlpo", cwd=tmp_path)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    problem, passed, remedy = result.stderr.splitlines()[-3:]
    assert problem.startswith("tlpo: Worker processes died again and again in the same fits")
    assert passed.startswith("Games: (")
    assert "pass a smaller --n-jobs or fix it" in remedy
    assert "of 276 are safe in run.tlpo. Start the same run again with" in remedy


def test_too_little_memory_is_said_in_three_parts(tmp_path, capsys, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("Unable to allocate 9.31 GiB")

    monkeypatch.setattr("tlpo.commands.run.run_command", fail)
    monkeypatch.setattr(sys, "argv", ["tlpo", "run", "t.csv", "--target", "y"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "tlpo: There is not enough memory.\n"
        "The system says: Unable to allocate 9.31 GiB.\n"
        "Pass fewer rows, columns or models, or use a machine with more memory. With --journal, "
        "the same command resumes.\n"
    )


def test_it_is_a_module_too():
    called = subprocess.run(
        [sys.executable, "-m", "tlpo", "--version"], capture_output=True, text=True, check=True
    )
    assert called.stdout.split() == [tlpo.__version__]
    assert called.stderr == ""


def test_help_shows_flags_in_groups_from_the_outcome_to_the_files(capsys):
    groups = (
        *("Arguments", "Outcome", "Predictors", "Rows", "What to report", "How to compute it"),
        *("How to read the file", "What to write"),
    )
    with pytest.raises(SystemExit):
        app("run --help")
    shown = capsys.readouterr().out
    assert re.findall(r"╭─ (.*?) ─", shown) == list(groups)
    # Every flag is explained, and a default of nothing is not shown.
    assert not re.search(r"│ --[a-z-]+( [A-Z.]+)? +│", shown)
    assert "default: ()" not in shown
    assert "default: False" not in shown


def test_flags_that_commands_share_mean_the_same():
    run, marker = flags_of(["run", "t.csv"]), flags_of(["marker", "t.csv"])
    score = flags_of(["games", "score", "g.csv"])
    files = {"html", "md", "figures", "json", "csv"}
    reading = {"sep", "decimal", "encoding", "sheet", "header_row"}
    outcome = {"target", "positive", "classes", "ordered", "order", "time", "event"}
    reported = {"specificity", "confidence_level", "prevalence", "smooth", "at"}
    for flags in (run, marker, score):
        assert files | reading | outcome | reported | {"group", "rows", "quiet"} <= set(flags)
    assert reading <= set(flags_of(["validate", "m", "t.csv"]))
    assert {name: flag for name, flag in marker.items() if name in run}.items() <= run.items()
