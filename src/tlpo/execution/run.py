"""Rounds → chunks → joblib: the same results, in the same order, on any number of cores."""

from __future__ import annotations

import math
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from tlpo.execution.diagnostics import RunLog, WarningLog, recording
from tlpo.execution.framing import Values
from tlpo.execution.interrupt import end_with, interruptible
from tlpo.execution.journal import Record, Section
from tlpo.execution.progress import Progress
from tlpo.execution.workers import on_cluster, play_elsewhere, prepare

# A chunk should take this long: far above the cost of sending it (milliseconds), short enough
# for an honest progress bar and for cores to finish together.
CHUNK_SECONDS = 0.5
# One process hands out the chunks and writes the journal: with many workers chunks are longer, so
# that no more than this many come back in a second.
CHUNKS_A_SECOND = 20
# The first rounds are played at home for this long, to learn how long a round takes.
PROBE_SECONDS = 0.1


class Chunk(Protocol):
    """What the work returns for some rounds."""

    @property
    def fits(self) -> int:
        """Number of models fitted."""
        ...

    @property
    def finished(self) -> int:
        """Number of rounds that have a result: less than were asked for if one failed."""
        ...


C = TypeVar("C", bound=Chunk)


@dataclass(frozen=True)
class Keep(Generic[C]):
    """Where finished chunks are kept, and how, so that a run can go on from there."""

    section: Section
    pack: Callable[[C], Values]
    unpack: Callable[[Values], C]


@dataclass(frozen=True)
class Done(Generic[C]):
    """A chunk that was played, with what its models warned of and the seconds it took."""

    where: slice
    chunk: C
    warnings: WarningLog
    seconds: float


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
    share: slice | None = None,
) -> None:
    """Call ``collect(where, work(rounds[where]))`` for slices that cover all rounds, in order.

    With ``keep``, rounds that a journal holds are not played again, and others are on the disk
    as soon as they come back, whatever their order. With ``share``, only these rounds are played.

    Threads of BLAS and OpenMP are capped at one while rounds are played, at home as in
    workers: the rounds themselves are what runs in parallel, small linear algebra loses to
    thread start-up, and results stay the same bit for bit for any ``n_jobs``.
    """
    share = slice(0, len(rounds)) if share is None else share
    kept = [] if keep is None else _within(keep.section.done, share)
    left = _gaps(share, kept)
    n_left = sum(span.stop - span.start for span in left)
    n_rounds = share.stop - share.start
    prepare()
    workers = max(1, min(effective_n_jobs(n_jobs), n_left))
    desk = _Desk(collect, log, share.start, keep)
    pace = _Pace(left, workers, log.pace)

    def advice() -> str:
        return _how_to_resume(keep, n_rounds, bar.done)

    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        bar = stack.enter_context(Progress(n_rounds, title, progress, done=n_rounds - n_left))
        stack.enter_context(interruptible(advice))
        desk.take(kept)
        if not n_left:
            return

        def finish(done: Done[C]) -> None:
            pace.learn(done)
            log.pace = pace.seconds if pace.is_known else None
            stop = done.where.start + done.chunk.finished
            if keep is not None and stop > done.where.start:
                values = {**keep.pack(done.chunk), "warnings": done.warnings.pack()}
                keep.section.append(done.where.start, stop, len(rounds), values)
            bar.advance(done.chunk.finished)
            desk.deliver(done)

        if not on_cluster():
            while (where := pace.probe()) is not None:
                finish(_play(work, where, rounds[where]))
            if workers == 1 or pace.n_left * pace.seconds < CHUNK_SECONDS:
                for where in pace.cut(workers=1):
                    finish(_play(work, where, rounds[where]))
                return
        seeds, home = np.random.SeedSequence(), (_HOME, os.getpid())
        tasks = ((where, rounds[where], seeds.spawn(1)[0], home) for where in pace.cut(workers))
        with closing(play_elsewhere(_play_away, work, tasks, n_jobs, workers)) as results:
            for done in results:
                finish(done)


@dataclass
class _Desk(Generic[C]):
    """Takes chunks as they come and hands them on in order."""

    collect: Callable[[slice, C], None]
    log: RunLog
    next: int
    keep: Keep[C] | None
    kept: dict[int, Record] = field(default_factory=dict)
    waiting: dict[int, Done[C]] = field(default_factory=dict)

    def take(self, kept: list[Record]) -> None:
        """Take what a journal holds; it is unpacked when its turn comes."""
        self.kept = {record.start: record for record in kept}
        self._hand_on()

    def deliver(self, done: Done[C]) -> None:
        """Take a chunk."""
        self.waiting[done.where.start] = done
        self._hand_on()

    def _hand_on(self) -> None:
        while (ready := self._ready()) is not None:
            self.log.warnings.merge(ready.warnings)
            self.log.fits += ready.chunk.fits
            self.collect(ready.where, ready.chunk)
            self.next = ready.where.stop

    def _ready(self) -> Done[C] | None:
        record = self.kept.pop(self.next, None)
        if record is None or self.keep is None:
            return self.waiting.pop(self.next, None)
        warned = WarningLog.unpack(record.values.pop("warnings", []))
        chunk = self.keep.unpack(record.values)
        return Done(slice(record.start, record.stop), chunk, warned, 0.0)


class _Pace:
    """Cuts the rounds that are left into chunks, by how long rounds have taken."""

    def __init__(self, left: list[slice], workers: int, seconds: float | None = None) -> None:
        self.left = list(reversed(left))
        self.n_left = sum(span.stop - span.start for span in left)
        self.chunk_seconds = max(CHUNK_SECONDS, workers / CHUNKS_A_SECOND)
        # What a round takes; a scheme that plays in several steps learns it in the first.
        self.seconds = math.inf if seconds is None else seconds
        self.spent = 0.0
        self.n_learned = 0
        self.is_known = seconds is not None

    def learn(self, done: Done[Any]) -> None:
        """Take note of how long a chunk took."""
        rounds = max(1, done.chunk.finished)
        took = done.seconds / rounds
        if not self.is_known:
            # The first fit pays for lazy imports; the quickest is the one to go by.
            self.seconds = min(self.seconds, took)
        else:
            self.seconds += 0.3 * (took - self.seconds)
        self.spent += done.seconds
        self.n_learned += rounds
        if self.spent > PROBE_SECONDS and (self.n_learned > 1 or self.spent > CHUNK_SECONDS):
            self.is_known = True

    def probe(self) -> slice | None:
        """Return the next few rounds to learn from, until enough is known."""
        if self.is_known or not self.n_left:
            return None
        return self._take(max(1, self.n_learned))  # twice as many every time: 1, 1, 2, 4, …

    def cut(self, workers: int) -> Iterator[slice]:
        """Yield chunks that shrink towards the end, so that cores end together."""
        while self.n_left:
            most = max(1, math.ceil(self.chunk_seconds / max(self.seconds, 1e-6)))
            least = max(1, most // 10)
            portion = math.ceil(self.n_left / (2 * workers))
            yield self._take(max(least, min(most, portion)))

    def _take(self, size: int) -> slice:
        span = self.left.pop()
        stop = min(span.stop, span.start + size)
        if stop < span.stop:
            self.left.append(slice(stop, span.stop))
        self.n_left -= stop - span.start
        return slice(span.start, stop)


def _play(work: Callable[[Any], C], where: slice, rounds: Any) -> Done[C]:
    log = WarningLog()
    started = time.perf_counter()
    with recording(log):
        chunk = work(rounds)
    return Done(where, chunk, log, time.perf_counter() - started)


# Tells this process from those of other machines, which may have the same number.
_HOME = uuid.uuid4().hex


def _play_away(
    work: Callable[[Any], C],
    where: slice,
    rounds: Any,
    seed: np.random.SeedSequence,
    home: tuple[str, int],
) -> Done[C]:
    """Play a chunk, in another process if joblib says so."""
    if home == (_HOME, os.getpid()):  # a thread: caps and random numbers are shared
        return _play(work, where, rounds)
    end_with(home[1])
    # Forked workers inherit one random state; fits with random_state=None must be independent.
    np.random.seed(seed.generate_state(8))  # noqa: NPY002
    with threadpool_limits(1):
        return _play(work, where, rounds)


def share_of(n_rounds: int, shard: tuple[int, int] | None) -> slice | None:
    """Return the rounds of the k-th of n shards; None is all of them.

    Examples
    --------
    >>> [share_of(10, (k, 3)) for k in (1, 2, 3)]
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    if shard is None:
        return None
    k, n = shard
    return slice(n_rounds * (k - 1) // n, n_rounds * k // n)


def _within(kept: list[Record], share: slice) -> list[Record]:
    """Return what a journal holds of some rounds; a record that reaches beyond is not used."""
    return [r for r in kept if share.start <= r.start and r.stop <= share.stop]


def _gaps(share: slice, kept: Iterable[Record]) -> list[slice]:
    gaps, place = [], share.start
    for where in kept:
        if place < where.start:
            gaps.append(slice(place, where.start))
        place = where.stop
    return [*gaps, slice(place, share.stop)] if place < share.stop else gaps


def _how_to_resume(keep: Keep[Any] | None, total: int, done: int) -> str:
    if keep is None:
        return "Nothing is kept of this run: pass a journal to be able to go on."
    return (
        f"{done} of {total} rounds are safe in {keep.section.path}: start the same run again with "
        "this journal, and it goes on from there."
    )
