import itertools
import os
import time

import joblib
import pytest

from execution.squares import Squares, gather
from tlpo.execution import run
from tlpo.execution.diagnostics import RunLog, WarningLog


def work(rounds):
    time.sleep(0.004 * len(rounds))
    return Squares([r * r for r in rounds], {os.getpid()}, len(rounds))


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


def test_chunks_that_come_in_any_order_are_collected_in_order():
    collected = []
    log = RunLog()
    desk = run._InOrder(lambda where, chunk: collected.append((where.start, chunk.values)), log, 0)
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
