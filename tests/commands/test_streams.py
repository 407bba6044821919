"""Whatever happens to the terminal, files are written and the exit code tells the truth."""

import io
import json
import os
import subprocess
import sys

import pytest

from tables import patients
from tlpo.commands.streams import PLAIN, TolerantStream, tolerate_stream_errors

pytestmark = pytest.mark.long

RUN = (
    *("run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site", "--n-jobs", "1"),
    *("--json", "r.json", "--html", "r.html"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table, and the files that "tlpo run" makes of it."""
    folder = tmp_path_factory.mktemp("streams")
    patients(12).to_csv(folder / "t.csv", index=False)
    done = shell(folder, RUN, "")
    assert done.returncode == 0
    assert "ξ" in done.stdout
    return folder


def shell(folder, arguments, redirection, **environment):
    """Run tlpo in a shell, with stdout or stderr somewhere else."""
    return subprocess.run(
        f'"{sys.executable}" -m tlpo.commands.cli {" ".join(arguments)} {redirection}',
        shell=True,
        executable="/bin/bash",
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        ("cp1252", RUN),
        ("cp1252", ("demo", "--out", ".", "--units", "6")),
        ("ascii", ("render", "r.json")),
    ],
)
def test_a_narrow_encoding_shows_ascii_instead(folder, encoding, command):
    done = shell(folder, command, "", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert " xi" in done.stdout


def test_a_full_stdout_loses_no_file(folder):
    for name in ("r.json", "r.html"):
        (folder / name).unlink()
    done = shell(folder, RUN, "> /dev/full")
    assert done.returncode == 1
    assert json.loads((folder / "r.json").read_text())["n_units"] == 12
    assert (folder / "r.html").read_text().endswith("</html>")
    assert done.stderr.splitlines()[-1] == (
        "tlpo: Not everything could be printed to standard output (No space left on device); "
        "files are not affected."
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_full_stderr_loses_neither_answer_nor_file(folder):
    (folder / "r.json").unlink()
    done = shell(folder, RUN, "2> /dev/full")
    assert done.returncode == 0
    assert "rls ranks a random" in " ".join(done.stdout.split())
    assert json.loads((folder / "r.json").read_text())["n_units"] == 12


def test_closed_streams_lose_no_file(folder):
    (folder / "r.json").unlink()
    done = shell(folder, RUN, ">&-")
    assert done.returncode == 1
    assert "printed to standard output (it is closed)" in done.stderr.splitlines()[-1]
    assert (folder / "r.json").exists()
    (folder / "r.json").unlink()
    done = shell(folder, RUN, "2>&-")
    assert done.returncode == 0
    assert "Written" not in done.stdout  # print(file=None) would print it there
    assert (folder / "r.json").exists()
    done = shell(folder, ("run", "-", "--target", "outcome"), "<&-")
    assert done.returncode == 1
    assert done.stderr.startswith("tlpo: The file is empty.\n")


def test_a_closed_stdout_does_not_become_the_journal(folder):
    """The first file opened would be number 1, and whatever C code prints would go into it."""
    (folder / "loud.py").write_text(
        "import os\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "class Loud(LogisticRegression):\n"
        "    def fit(self, X, y):\n"
        "        os.write(1, b'printed by C')\n"
        "        return super().fit(X, y)\n"
        "model = Loud()\n"
    )
    (folder / "run.tlpo").unlink(missing_ok=True)
    arguments = (*RUN[:4], "--model", "loud:model", "--drop", "site", "--n-jobs", "1")
    done = shell(folder, (*arguments, "--journal", "run.tlpo"), ">&-", PYTHONPATH=".:" + _path())
    assert "Not everything could be printed" in done.stderr
    assert b"printed by C" not in (folder / "run.tlpo").read_bytes()


def _path():
    return os.pathsep.join(filter(None, sys.path))


@pytest.mark.parametrize("command", [("render", "r.json"), ("models",), ("run", "--help")])
def test_a_reader_that_has_enough_is_no_error(folder, command):
    done = shell(folder, command, "| true; exit ${PIPESTATUS[0]}")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "Broken" not in done.stderr
    assert "printed" not in done.stderr


def test_the_first_failure_is_kept_and_later_text_dropped():
    with open("/dev/full", "w", encoding="ascii") as full:
        stream = TolerantStream(full)
        stream.write("a" * 100_000)
        stream.flush()
        stream.write("more")
        stream.flush()
        assert stream.reason == "No space left on device"
    stream.write("closed")
    assert stream.reason == "No space left on device"


def test_all_replacements_are_ascii_and_only_where_needed():
    assert "".join(PLAIN.values()).isascii()
    raw = io.BytesIO()
    narrow = io.TextIOWrapper(raw, "cp1252", write_through=True)
    TolerantStream(narrow).write("ξ – ½ → 中 \udcff")
    assert raw.getvalue().decode("cp1252") == "xi – ½ -> ? ?"


def test_the_streams_of_the_caller_come_back():
    before = sys.stdin, sys.stdout, sys.stderr
    with tolerate_stream_errors() as out:
        assert sys.stdout is out
    assert (sys.stdin, sys.stdout, sys.stderr) == before
