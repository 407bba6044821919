"""Rounds → chunks → joblib: the same results, in the same order, on any number of cores."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import threadpool_limits

from tlpo.execution.journal import Section, Values
from tlpo.execution.progress import Progress
from tlpo.execution.record import RunLog, WarningLog, recording

# A chunk should take this long: far above the cost of sending it (milliseconds), short enough
# for an honest progress bar and for cores to finish together.
CHUNK_SECONDS = 0.5
# The first rounds are played at home for this long, to learn how long a round takes.
PROBE_SECONDS = 0.1


class Chunk(Protocol):
    """What the work returns for some rounds; `fits` tells how many models it fitted."""

    @property
    def fits(self) -> int:
        """Number of models fitted."""
        ...


C = TypeVar("C", bound=Chunk)


@dataclass(frozen=True)
class Keep(Generic[C]):
    """Where finished chunks are kept, and how, so that a run can go on from there."""

    section: Section
    pack: Callable[[C], Values]
    unpack: Callable[[Values], C]


def run_rounds(
    work: Callable[[Any], C],
    rounds: Sequence[Any] | np.ndarray[Any, Any],
    collect: Callable[[slice, C], None],
    log: RunLog,
    *,
    n_jobs: int | None,
    progress: bool,
    title: str,
    keep: Keep[C] | None = None,
) -> None:
    """Call ``collect(where, work(rounds[where]))`` for slices that cover all rounds, in order.

    With ``keep``, rounds that a journal holds are not played again, and others are on the disk
    before they are collected.

    Threads of BLAS and OpenMP are capped at one while rounds are played, at home as in
    workers: the rounds themselves are what runs in parallel, small linear algebra loses to
    thread start-up, and results stay the same bit for bit for any ``n_jobs``.
    """
    total = len(rounds)
    workers = max(1, min(effective_n_jobs(n_jobs), total))
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        stack.enter_context(recording(log.warnings))
        bar = stack.enter_context(Progress(total, title, progress))

        def finish(where: slice, chunk: C, is_kept: bool = False) -> None:
            if keep is not None and not is_kept:
                keep.section.append(where.start, where.stop, keep.pack(chunk))
            log.fits += chunk.fits
            collect(where, chunk)
            bar.advance(where.stop - where.start)

        pace = _Pace()
        missing = 0
        for kept in [] if keep is None else keep.section.done:
            assert keep is not None
            _play(work, rounds, slice(missing, kept.start), finish, log, pace, n_jobs, workers)
            finish(slice(kept.start, kept.stop), keep.unpack(kept.values), is_kept=True)
            missing = kept.stop
        _play(work, rounds, slice(missing, total), finish, log, pace, n_jobs, workers)


def _play(
    work: Callable[[Any], C],
    rounds: Any,
    span: slice,
    finish: Callable[[slice, C], None],
    log: RunLog,
    pace: _Pace,
    n_jobs: int | None,
    workers: int,
) -> None:
    """Play a run of rounds, the first few at home to learn how long a round takes."""
    done, total, size = span.start, span.stop, 1
    while done < total and not pace.known:
        where = slice(done, min(done + size, total))
        with pace.over(where.stop - where.start):
            chunk = work(rounds[where])
        finish(where, chunk)
        done, size = where.stop, 2 * size
    if workers == 1 or (total - done) * pace.seconds < CHUNK_SECONDS:
        for where in _cut(done, total, pace.seconds, workers=1):
            finish(where, work(rounds[where]))
        return
    seeds = np.random.SeedSequence()
    cuts = list(_cut(done, total, pace.seconds, workers))
    tasks = (
        delayed(_away)(work, rounds[where], seed, os.getpid())
        for where, seed in zip(cuts, seeds.spawn(len(cuts)), strict=True)
    )
    with closing(_results(tasks, n_jobs, workers)) as results:
        for where, (chunk, warned) in zip(cuts, results, strict=True):
            if warned is not None:
                log.warnings.merge(warned)
            finish(where, chunk)


def _results(tasks: Iterator[Any], n_jobs: int | None, workers: int) -> Generator[Any, None, None]:
    """Yield results in order, as they come."""
    try:
        stream = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=1)(tasks)
    except ValueError:
        # Backends built on multiprocessing return lists only: give them a wave at a time.
        with Parallel(n_jobs=n_jobs, batch_size=1) as pool:
            while wave := list(islice(tasks, 4 * workers)):
                yield from pool(wave)
    else:
        with closing(stream):
            yield from stream


@dataclass
class _Pace:
    """Seconds a round takes, learned from the first few."""

    spent: float = 0.0
    seconds: float = math.inf
    rounds: int = 0

    @contextmanager
    def over(self, rounds: int) -> Iterator[None]:
        """Take the time of some rounds."""
        started = time.perf_counter()
        yield
        took = time.perf_counter() - started
        self.spent += took
        self.rounds += rounds
        # The first fit pays for lazy imports; the quickest is the one to go by.
        self.seconds = min(self.seconds, took / rounds)

    @property
    def known(self) -> bool:
        return self.spent > PROBE_SECONDS and (self.rounds > 1 or self.spent > CHUNK_SECONDS)


def _cut(start: int, stop: int, round_seconds: float, workers: int) -> Iterator[slice]:
    """Cut the rounds left into chunks that shrink towards the end, so that cores end together."""
    most = max(1, math.ceil(CHUNK_SECONDS / max(round_seconds, 1e-6)))
    least = max(1, most // 10)
    while start < stop:
        share = math.ceil((stop - start) / (2 * workers))
        size = min(stop - start, max(least, min(most, share)))
        yield slice(start, start + size)
        start += size


def _away(
    work: Callable[[Any], C], rounds: Any, seed: np.random.SeedSequence, home: int
) -> tuple[C, WarningLog | None]:
    """Play a chunk, in another process if joblib says so."""
    if os.getpid() == home:  # a thread: caps, warnings and random numbers are the parent's
        return work(rounds), None
    # Forked workers inherit one random state; fits with random_state=None must be independent.
    np.random.seed(seed.generate_state(8))  # noqa: NPY002
    log = WarningLog()
    with threadpool_limits(1), recording(log):
        chunk = work(rounds)
    return chunk, log
