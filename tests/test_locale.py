"""Every command where the locale knows ASCII only, and Python is told not to help itself."""

import os
import subprocess
import sys

import pytest

from app.serving import ask, serving
from tables import patients
from tlpo.commands.cli import app

pytestmark = pytest.mark.long

ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
COMMANDS = [name for name in app if not name.startswith("-")]


def run(*arguments, folder=None):
    done = subprocess.run(
        [sys.executable, "-m", "tlpo.commands.cli", *arguments],
        capture_output=True,
        cwd=folder,
        env={**os.environ, **ASCII},
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    return (done.stdout + done.stderr).decode("ascii")


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command):
    assert run(command, "--help").startswith(f"Usage: tlpo {command}")


def test_demo_and_run(tmp_path):
    assert "Picture: out/roc-example.png" in run("demo", folder=tmp_path)
    table = patients(24).rename(columns={"age": "Größe"})
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("--target", "outcome", "--drop", "site", "--model", "ridge")
    assert "Gr??e" in run("run", "t.csv", *asked, "--html", "r.html", folder=tmp_path)
    assert "Größe" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_app():
    with serving(**ASCII) as server:
        url = f"{server.address}analyses/{server.analysis()}/table?name=Gr%C3%B6%C3%9Fe.csv"
        assert ask(url, data=b"a,b\n1,2\n")[0] == 200
        assert server.stop() == (0, "")
