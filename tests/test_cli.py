import os
import signal
import subprocess
import sys
import time

import pytest

from report.commands import run
from report.tables import patients


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
            *("--model", "forest", "--n-jobs", "1"),
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
