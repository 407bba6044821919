import itertools
import json
import os
import threading
import time
import warnings
from dataclasses import dataclass

import joblib
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from tlpo.execution import progress, run
from tlpo.execution.diagnostics import RunLog, WarningLog, recording
from tlpo.execution.run import run_tasks


@dataclass
class Squares:
    values: list
    pids: set
    fits: int

    @property
    def finished(self):
        return len(self.values)


def work(rounds):
    time.sleep(0.004 * len(rounds))
    return Squares([r * r for r in rounds], {os.getpid()}, len(rounds))


def warn(rounds):
    for r in rounds:
        warnings.warn(f"digits {r}", UserWarning, stacklevel=1)
    time.sleep(0.004 * len(rounds))
    return Squares([r * r for r in rounds], set(), len(rounds))


def gather(function, n, n_jobs, log=None):
    log = RunLog() if log is None else log
    chunks = []

    def collect(where, chunk):
        chunks.append((where, chunk))

    run_tasks(function, np.arange(n), collect, log, n_jobs=n_jobs, progress=False, title="Rounds")
    slices = [where for where, _ in chunks]
    assert [s.start for s in slices] == [0, *(s.stop for s in slices[:-1])]
    return log, chunks


@pytest.mark.parametrize("n_jobs", [1, 2, -1, None])
def test_every_round_once_in_order(n_jobs):
    log, chunks = gather(work, 250, n_jobs)
    assert [v for _, chunk in chunks for v in chunk.values] == [k * k for k in range(250)]
    assert log.fits == 250


def test_two_jobs_use_other_processes_and_one_does_not():
    _, chunks = gather(work, 250, 2)
    assert set().union(*(chunk.pids for _, chunk in chunks)) - {os.getpid()}
    _, chunks = gather(work, 250, 1)
    assert set().union(*(chunk.pids for _, chunk in chunks)) == {os.getpid()}


def test_parallel_config_is_respected():
    with joblib.parallel_config("threading", n_jobs=2):
        _, chunks = gather(work, 250, None)
    assert set().union(*(chunk.pids for _, chunk in chunks)) == {os.getpid()}
    with joblib.parallel_config("loky", n_jobs=2):
        _, chunks = gather(work, 250, None)
    assert set().union(*(chunk.pids for _, chunk in chunks)) - {os.getpid()}


@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_warnings_are_counted_not_printed(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        log, _ = gather(warn, 250, None)
    (line,) = log.warnings.lines(log.fits)
    assert line.startswith("UserWarning, 250 times in 250 fits: digits ")
    with pytest.warns(UserWarning, match="250 times in 250 fits: digits") as caught:
        log.warnings.emit(log.fits)
    assert len(caught) == 1


def test_threads_that_overlap_keep_their_warnings_apart():
    """One enters first and leaves first: Python's own catch_warnings would be left in disorder."""
    shown, filters = warnings.showwarning, list(warnings.filters)
    logs = [WarningLog(), WarningLog()]
    entered, left = threading.Event(), threading.Event()

    def first():
        with recording(logs[0]):
            entered.wait()
            warnings.warn("first", UserWarning, stacklevel=1)
        left.set()

    def second():
        with recording(logs[1]):
            entered.set()
            left.wait()
            warnings.warn("second", RuntimeWarning, stacklevel=1)

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [log.lines(1) for log in logs] == [
        ["UserWarning, 1 times in 1 fits: first"],
        ["RuntimeWarning, 1 times in 1 fits: second"],
    ]
    assert (warnings.showwarning, list(warnings.filters)) == (shown, filters)


def test_a_run_within_a_run_hands_its_warnings_over():
    shown = warnings.showwarning
    outer = WarningLog()
    with recording(outer):
        for _ in range(2):
            inner = WarningLog()
            with recording(inner):
                pass
            warnings.warn("between", UserWarning, stacklevel=1)
            with recording(inner):
                warnings.warn("inside", UserWarning, stacklevel=1)
            inner.emit(7)
    assert sorted(outer.lines(9)) == [
        "UserWarning, 2 times in 9 fits: between",
        "UserWarning, 2 times in 9 fits: inside",
    ]
    assert warnings.showwarning is shown


def test_warnings_survive_the_way_to_a_journal_and_back():
    log = WarningLog()
    for category in (UserWarning, ConvergenceWarning, type("Own", (FutureWarning,), {})):
        for _ in range(3):
            log.add(category, f"of {category.__name__}", (category.__name__, 7))
    back = WarningLog.unpack(json.loads(json.dumps(log.pack())))
    assert back.counts == log.counts
    # A category that is not Python's or scikit-learn's own is not imported from a name in a file.
    assert [c for c, _ in back.first.values()] == [UserWarning, ConvergenceWarning, UserWarning]
    assert WarningLog.unpack([["f", 1, "eval", "text", 1]]).first["f", 1][0] is UserWarning


def test_chunks_that_come_in_any_order_are_collected_in_order():
    collected = []
    log = RunLog()
    desk = run._InOrder(
        lambda where, chunk: collected.append((where.start, chunk.values)), log, 0, None
    )
    for start in (4, 0, 8, 6, 2):
        chunk = Squares([start], set(), 1)
        desk.deliver(run.Done(slice(start, start + 2), chunk, WarningLog(), 0.1))
        assert [place for place, _ in collected] == list(range(0, 2 * len(collected), 2))
    assert collected == [(k, [k]) for k in (0, 2, 4, 6, 8)]
    assert log.fits == 5
    assert not desk.waiting


@pytest.mark.parametrize("workers", [1, 2, 16])
@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 0.02, 1.0, 100.0])
@pytest.mark.parametrize("total", [1, 7, 435, 20_000])
def test_chunks_cover_all_and_suit_the_pace(total, seconds, workers):
    pace = run._Chunker([slice(0, total)], workers)
    pace.seconds = seconds
    cuts = list(pace.cut(workers))
    assert cuts[0].start == 0
    assert cuts[-1].stop == total
    assert all(a.stop == b.start for a, b in itertools.pairwise(cuts))
    sizes = [cut.stop - cut.start for cut in cuts]
    assert max(sizes) == 1 or max(sizes) * seconds <= 2 * run.CHUNK_SECONDS
    if len(sizes) > 2 * workers:
        assert sizes[-1] <= max(1, sizes[0])


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass


def test_progress_shows_time_left_in_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with progress.Progress(10, "Games", show=True) as bar:
        for _ in range(10):
            time.sleep(0.02)
            bar.advance(1)
    assert "Games" in terminal.text
    assert "10/10" in terminal.text
    assert "left" in terminal.text


def test_progress_is_silent_elsewhere(monkeypatch, capsys):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    with progress.Progress(10, "Games", show=True) as bar:
        bar.advance(10)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress.Progress(10, "Games", show=False) as bar:
        bar.advance(10)
    assert terminal.text == ""
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
