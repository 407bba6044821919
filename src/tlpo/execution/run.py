"""Tasks → chunks → joblib: the same results, in the same order, on any number of cores."""

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

from tlpo.errors import GameError, arg, enumerate_briefly, explain
from tlpo.execution.diagnostics import RunLog, WarningLog, recording
from tlpo.execution.framing import Values
from tlpo.execution.interrupt import end_with, interruptible
from tlpo.execution.journal import Section, without_overlaps
from tlpo.execution.progress import Progress
from tlpo.execution.workers import DeadWorkersError, on_cluster, prepare, run_elsewhere

# A chunk should take this long: far above the cost of sending it (milliseconds), short enough
# for an honest progress bar and for cores to finish together.
CHUNK_SECONDS = 0.5
# One process hands out the chunks and writes the journal: with many workers chunks are longer, so
# that no more than this many come back in a second.
CHUNKS_A_SECOND = 20
# The first tasks run in this process for this long, to learn how long a task takes.
PROBE_SECONDS = 0.1


class Chunk(Protocol):
    """What the work returns for some tasks."""

    @property
    def fits(self) -> int:
        """Number of models fitted."""
        ...

    @property
    def finished(self) -> int:
        """Number of tasks that have a result: fewer than were asked for if one failed."""
        ...


C = TypeVar("C", bound=Chunk)


@dataclass(frozen=True)
class Keep(Generic[C]):
    """Where finished chunks are kept, and how, so that a run can resume.

    Attributes
    ----------
    section : Section
        Where.
    pack : callable
        From a chunk to what is written.
    unpack : callable
        From what was read and the tasks it is said to be of, to the chunk; None if it cannot be
        theirs. Such a record is damaged, and its tasks are run again.
    """

    section: Section
    pack: Callable[[C], Values]
    unpack: Callable[[Values, Any], C | None]


@dataclass(frozen=True)
class Done(Generic[C]):
    """A finished chunk, with the warnings of its models and the seconds it took."""

    where: slice
    chunk: C
    warnings: WarningLog
    seconds: float

    @property
    def start(self) -> int:
        """The first task."""
        return int(self.where.start)

    @property
    def stop(self) -> int:
        """The task after the last."""
        return int(self.where.stop)


def run_tasks(
    work: Callable[[Any], C],
    tasks: Sequence[Any] | np.ndarray[Any, Any],
    collect: Callable[[slice, C], None],
    log: RunLog,
    *,
    n_jobs: int | None,
    progress: bool,
    title: str,
    keep: Keep[C] | None = None,
    share: slice | None = None,
) -> None:
    """Call ``collect(where, work(tasks[where]))`` for slices that cover all tasks, in order.

    With ``keep``, tasks that a journal holds are not run again, and others are on disk as soon as
    they come back, in whatever order. With ``share``, only these tasks are run.

    BLAS and OpenMP are limited to one thread while tasks run, here as in workers: the tasks
    themselves run in parallel, small linear algebra loses to thread start-up, and results stay
    the same bit for bit for any ``n_jobs``.
    """
    share = slice(0, len(tasks)) if share is None else share
    kept = [] if keep is None else _restore(keep, tasks, share)
    left = _gaps(share, kept)
    n_left = sum(span.stop - span.start for span in left)
    n_tasks = share.stop - share.start
    prepare()
    workers = max(1, min(effective_n_jobs(n_jobs), n_left))
    in_order = _InOrder(collect, log, share.start)
    chunker = _Chunker(left, workers, log.pace)

    def advice() -> str:
        return _how_to_resume(keep, title, n_tasks, bar.done)

    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        bar = stack.enter_context(Progress(n_tasks, title, progress, done=n_tasks - n_left))
        stack.enter_context(interruptible(advice))
        in_order.take(kept)
        if not n_left:
            return

        def finish(done: Done[C]) -> None:
            chunker.learn(done)
            log.pace = chunker.seconds if chunker.is_known else None
            stop = done.where.start + done.chunk.finished
            if keep is not None and stop > done.where.start:
                values = {**keep.pack(done.chunk), "warnings": done.warnings.pack()}
                keep.section.append(done.where.start, stop, len(tasks), values)
            bar.advance(done.chunk.finished)
            in_order.deliver(done)

        if not on_cluster():
            while (where := chunker.probe()) is not None:
                finish(_run(work, where, tasks[where]))
            if workers == 1 or chunker.n_left * chunker.seconds < CHUNK_SECONDS:
                for where in chunker.cut(workers=1):
                    finish(_run(work, where, tasks[where]))
                return
        seeds, here = np.random.SeedSequence(), (_HERE, os.getpid())
        calls = ((where, tasks[where], seeds.spawn(1)[0], here) for where in chunker.cut(workers))
        try:
            with closing(run_elsewhere(_run_elsewhere, work, calls, n_jobs, workers)) as results:
                for done in results:
                    finish(done)
        except DeadWorkersError as died:
            raise GameError(
                explain(
                    "Worker processes died again and again in the same fits, in the end with "
                    f"nothing else to do ({died.how}).",
                    f"{title}: {_names(tasks[died.arguments[0]])}.",
                    "Memory ran out, or the estimator ends its process: pass a smaller "
                    f"{arg('n_jobs', ...)} or fix it. {advice()}",
                )
            ) from died


@dataclass
class _InOrder(Generic[C]):
    """Takes chunks as they come and passes them on in order."""

    collect: Callable[[slice, C], None]
    log: RunLog
    next: int
    waiting: dict[int, Done[C]] = field(default_factory=dict)

    def take(self, kept: list[Done[C]]) -> None:
        """Take what a journal holds."""
        self.waiting = {done.start: done for done in kept}
        self._pass_on()

    def deliver(self, done: Done[C]) -> None:
        """Take a chunk."""
        self.waiting[done.where.start] = done
        self._pass_on()

    def _pass_on(self) -> None:
        while (ready := self.waiting.pop(self.next, None)) is not None:
            self.log.warnings.merge(ready.warnings)
            self.log.fits += ready.chunk.fits
            self.collect(ready.where, ready.chunk)
            self.next = ready.where.stop


class _Chunker:
    """Cuts the tasks that are left into chunks, by how long tasks have taken."""

    def __init__(self, left: list[slice], workers: int, seconds: float | None = None) -> None:
        self.left = list(reversed(left))
        self.n_left = sum(span.stop - span.start for span in left)
        self.chunk_seconds = max(CHUNK_SECONDS, workers / CHUNKS_A_SECOND)
        # What a task takes; a scheme that runs in several steps learns it in the first.
        self.seconds = math.inf if seconds is None else seconds
        self.spent = 0.0
        self.n_learned = 0
        self.is_known = seconds is not None

    def learn(self, done: Done[Any]) -> None:
        """Note how long a chunk took."""
        tasks = max(1, done.chunk.finished)
        took = done.seconds / tasks
        if not self.is_known:
            # The first fit pays for lazy imports; the quickest is the one to go by.
            self.seconds = min(self.seconds, took)
        else:
            self.seconds += 0.3 * (took - self.seconds)
        self.spent += done.seconds
        self.n_learned += tasks
        if self.spent > PROBE_SECONDS and (self.n_learned > 1 or self.spent > CHUNK_SECONDS):
            self.is_known = True

    def probe(self) -> slice | None:
        """Return the next few tasks to learn from, until enough is known."""
        if self.is_known or not self.n_left:
            return None
        return self._take(max(1, self.n_learned))  # twice as many every time: 1, 1, 2, 4, …

    def cut(self, workers: int) -> Iterator[slice]:
        """Yield chunks that shrink towards the end, so that cores finish together."""
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


def _run(work: Callable[[Any], C], where: slice, tasks: Any) -> Done[C]:
    log = WarningLog()
    started = time.perf_counter()
    with recording(log):
        chunk = work(tasks)
    return Done(where, chunk, log, time.perf_counter() - started)


# Tells this process from those of other machines, which may have the same number.
_HERE = uuid.uuid4().hex


def _run_elsewhere(
    work: Callable[[Any], C],
    where: slice,
    tasks: Any,
    seed: np.random.SeedSequence,
    parent: tuple[str, int],
) -> Done[C]:
    """Run a chunk, in another process if joblib says so."""
    if parent == (_HERE, os.getpid()):  # a thread: thread limits and random numbers are shared
        return _run(work, where, tasks)
    if os.getppid() == parent[1]:  # not a worker of a cluster
        end_with(parent[1])
    # Forked workers inherit one random state; fits with random_state=None must be independent.
    np.random.seed(seed.generate_state(8))  # noqa: NPY002
    with threadpool_limits(1):
        return _run(work, where, tasks)


def share_of(n_tasks: int, shard: tuple[int, int] | None) -> slice | None:
    """Return the tasks of the k-th of n shards; None is all of them.

    Examples
    --------
    >>> [share_of(10, (k, 3)) for k in (1, 2, 3)]
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    if shard is None:
        return None
    k, n = shard
    return slice(n_tasks * (k - 1) // n, n_tasks * k // n)


def _restore(keep: Keep[C], tasks: Any, share: slice) -> list[Done[C]]:
    """Return what a journal holds of some tasks, in order.

    A record that reaches beyond them is not used, nor is one that cannot be of its tasks.
    """
    found = []
    for record in keep.section.done:
        if not (share.start <= record.start and record.stop <= share.stop):
            continue
        values, where = dict(record.values), slice(record.start, record.stop)
        warned = WarningLog.unpack(values.pop("warnings", []))
        chunk = None if warned is None else keep.unpack(values, tasks[where])
        if warned is not None and chunk is not None:
            found.append(Done(where, chunk, warned, 0.0))
    return without_overlaps(found)


def _gaps(share: slice, kept: Iterable[Done[Any]]) -> list[slice]:
    gaps, place = [], share.start
    for where in kept:
        if place < where.start:
            gaps.append(slice(place, where.start))
        place = where.stop
    return [*gaps, slice(place, share.stop)] if place < share.stop else gaps


def _names(tasks: Iterable[Any]) -> str:
    """Name tasks: the pair of a game, the units that a fit predicts, the number of a repetition."""
    units = (np.asarray(getattr(task, "test", task)).tolist() for task in tasks)
    return enumerate_briefly(tuple(unit) if isinstance(unit, list) else unit for unit in units)


def _how_to_resume(keep: Keep[Any] | None, title: str, total: int, done: int) -> str:
    if keep is None:
        return "Nothing of this run is kept: pass a journal to be able to resume."
    return (
        f"{title}: {done} of {total} are safe in {keep.section.path}. Start the same run again "
        "with this journal to resume."
    )
