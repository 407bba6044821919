"""Ctrl-C, SIGTERM and SIGKILL: the run ends soon, nobody is left, and it says how to go on."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tlpo.execution.interrupt import interruptible

pytestmark = pytest.mark.long

TESTS = os.path.dirname(os.path.dirname(__file__))
CODE = f"""
import sys
sys.path.insert(0, {TESTS!r})
from estimators import Traveller
from oracles import blobs
import tlpo
X, y = blobs(30, 3, seed=1)
tlpo.tournament(Traveller(0.02), X, y, journal=sys.argv[1], n_jobs=int(sys.argv[2]))
"""
TIME = 2.0  # seconds to end in


def group(pid):
    """List the processes of a process group that are not dead yet."""
    shown = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True).stdout
    rows = (line.split() for line in shown.splitlines())
    return [stat for pgid, stat in rows if int(pgid) == pid and not stat.startswith("Z")]


def stop(arguments, number, when, whole_group=False):
    """Start a process, wait for something, send it a signal; return how it ended."""
    with subprocess.Popen(
        arguments, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            while not when():
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.02)
            sent = time.monotonic()
            (os.killpg if whole_group else os.kill)(process.pid, number)
            process.wait(20)
            took = time.monotonic() - sent
            while group(process.pid) and time.monotonic() - sent < 2 * TIME:
                time.sleep(0.02)
            assert not group(process.pid)
            return process.returncode, process.stderr.read(), took
        finally:
            if group(process.pid):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("number", "whole_group", "n_jobs", "code", "says"),
    [
        (signal.SIGINT, True, 1, -signal.SIGINT, "KeyboardInterrupt\n"),
        (signal.SIGINT, True, 2, -signal.SIGINT, "KeyboardInterrupt\n"),
        (signal.SIGTERM, False, 2, 143, "Terminated. "),
        (signal.SIGKILL, False, 2, -signal.SIGKILL, None),
    ],
    ids=["Ctrl-C", "Ctrl-C, 2 jobs", "SIGTERM, 2 jobs", "SIGKILL, 2 jobs"],
)
@pytest.mark.long
def test_it_ends_soon_and_leaves_nobody(tmp_path, number, whole_group, n_jobs, code, says):
    journal = tmp_path / "run.tlpo"

    def when():  # two workers play, if there are to be two
        enough = 2_000 if n_jobs == 1 else 6_000
        return journal.exists() and journal.stat().st_size > enough

    arguments = [sys.executable, "-c", CODE, str(journal), str(n_jobs)]
    ended, text, took = stop(arguments, number, when, whole_group)
    assert ended == code
    assert took < TIME
    if says is not None:
        assert says in text
        assert f"of 435 are safe in {journal}. Start the same run again with" in text


def marked(mark):
    """List the processes that have a mark in their environment and are not dead yet."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="finds processes by /proc")
@pytest.mark.parametrize("delay", [0.15, 0.3, 0.6, 1.2])
def test_workers_without_work_yet_do_not_outlive_a_killed_parent(tmp_path, delay):
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import joblib"], check=True)
    start_up = time.monotonic() - began  # what a worker needs before it can look, under this load
    mark = f"tlpo-test-{os.getpid()}-{delay}"
    code = CODE.replace("import sys\n", "import joblib, sys\n", 1).replace(
        "tlpo.tournament", "print('ready', flush=True)\ntlpo.tournament"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "run.tlpo"), "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TLPO_MARK": mark},
    ) as process:
        process.stdout.readline()
        time.sleep(delay * max(1.0, start_up))
        process.kill()
        killed = time.monotonic()
    try:
        while marked(mark) and time.monotonic() - killed < 1.5 + 4 * start_up:
            time.sleep(0.02)
        assert not marked(mark)
    finally:
        for pid in marked(mark):
            os.kill(pid, signal.SIGKILL)


def test_a_fit_that_does_not_return_does_not_hold_up_the_command_line(tmp_path):
    (tmp_path / "busy.py").write_text(
        "import numpy as np\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "class Busy(LogisticRegression):\n"
        "    def fit(self, X, y):\n"
        "        if len(X) < 40:\n"  # not when it is tried on the whole table
        "            matrix = np.random.default_rng(0).normal(size=(4000, 4000))\n"
        "            open('fitting', 'w').close()\n"
        "            np.linalg.eig(matrix)\n"
        "        return super().fit(X, y)\n"
        "model = Busy()\n"
    )
    rows = "\n".join(f"{k % 7},{'yes' if k % 2 else 'no'}" for k in range(40))
    (tmp_path / "t.csv").write_text(f"a,b\n{rows}\n")
    arguments = [
        *(
            sys.executable,
            "-m",
            "tlpo.commands.cli",
            "run",
            str(tmp_path / "t.csv"),
            "--target",
            "b",
        ),
        *("--model", "busy:model", "--journal", str(tmp_path / "run.tlpo")),
    ]
    code = f"import os, sys; os.chdir({str(tmp_path)!r}); sys.path.insert(0, '.')\n"
    code += f"sys.argv = {arguments[2:]!r}\nfrom tlpo.commands.cli import main; main()"

    def when():
        if not (tmp_path / "fitting").exists():
            return False
        time.sleep(0.3)  # it is in compiled code now
        return True

    ended, text, took = stop([sys.executable, "-c", code], signal.SIGINT, when)
    assert ended == 130
    assert 1.4 < took < TIME + 0.5  # 1.5 were given to the fit
    assert "Interrupted. Games: 0 of 780 are safe in " in text


@pytest.fixture
def default_sigterm():
    """Undo what libraries of other tests did (ray has a handler of its own)."""
    handler = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, handler)


@pytest.mark.usefixtures("default_sigterm")
def test_a_forked_worker_dies_of_sigterm_at_once():
    """A pool of multiprocessing ends its workers so, and waits for them."""
    with interruptible(lambda: "advice"):
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        child = os.fork()
        if not child:
            while True:
                with contextlib.suppress(BaseException):  # as may happen anywhere
                    time.sleep(10)
        time.sleep(0.2)
        os.kill(child, signal.SIGTERM)
        for _ in range(100):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.02)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
