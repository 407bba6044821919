"""Who plays chunks elsewhere: joblib's processes or threads, a dask cluster, a ray cluster.

What is needed for all chunks, the data above all, goes to each worker once. Results come back as
they are finished, in any order.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from tlpo.execution.diagnostics import WarningLog, recording

Task = tuple[Any, ...]

# A cluster is asked this often how many workers it has.
LOOK_SECONDS = 5.0


def on_cluster() -> bool:
    """Tell whether workers are not this machine's: nothing should be played at home then."""
    return _backend() in ("DaskDistributedBackend", "RayBackend")


def prepare() -> None:
    """Start a local ray, as joblib would, if ray is to be used and does not run yet."""
    if _backend() == "RayBackend":
        import ray

        if not ray.is_initialized():
            ray.init()


def play_elsewhere(
    function: Callable[..., Any],
    work: Any,
    tasks: Iterator[Task],
    n_jobs: int | None,
    workers: int,
) -> Generator[Any, None, None]:
    """Yield ``function(work, *task)`` for every task, as they come.

    Tasks are drawn a few ahead of the workers, so that their size can follow what was learned.
    """
    if on_cluster():
        on = _on_ray if _backend() == "RayBackend" else _on_dask
        yield from on(function, work, tasks, workers)
        return
    calls = (delayed(function)(work, *task) for task in tasks)
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    except ValueError:
        # Backends built on multiprocessing return lists only: give them a wave at a time.
        with Parallel(n_jobs=n_jobs, batch_size=1) as pool:
            while wave := list(islice(calls, 4 * workers)):
                yield from pool(wave)
    else:
        stream = parallel(calls)
        try:
            for result in stream:  # noqa: UP028, "yield from" would close it before we can
                yield result
        finally:
            with recording(WarningLog()):  # joblib complains of tasks that an error cut off
                stream.close()


def _on_dask(
    function: Callable[..., Any], work: Any, tasks: Iterator[Task], workers: int
) -> Generator[Any, None, None]:
    """Play on dask by its own client.

    joblib's way plays at home while there is one worker only, and scatters arrays to workers that
    may die with them.
    """
    import cloudpickle
    from distributed import as_completed

    backend = get_active_backend()[0]
    client = backend.client

    def send(work: Any) -> Any:
        # As the result of a task, not scattered: if the only worker that has it dies, the scheduler
        # knows how to make it again.
        with recording(WarningLog()):  # dask would rather have large data in a file
            return client.submit(pickle.loads, cloudpickle.dumps(work), pure=False)

    def submit(task: Task) -> Any:
        return client.submit(_call, function, sent, task, pure=False, **backend.submit_kwargs)

    sent = _sent_once(work, send)
    looked = time.monotonic()
    pending = {submit(task) for task in islice(tasks, 2 * workers)}
    arriving: Any = as_completed(pending)  # type: ignore[no-untyped-call]
    try:
        for future in arriving:
            pending.remove(future)
            yield future.result()
            if time.monotonic() - looked > LOOK_SECONDS:  # clusters grow and shrink
                workers, looked = max(1, sum(client.ncores().values())), time.monotonic()
            following = [submit(task) for task in islice(tasks, max(1, 2 * workers - len(pending)))]
            pending.update(following)
            arriving.update(following)
    finally:
        client.cancel(list(pending))


def _on_ray(
    function: Callable[..., Any], work: Any, tasks: Iterator[Task], workers: int
) -> Generator[Any, None, None]:
    """Play on ray by tasks: joblib's own way, a pool of actors, fails when one of them dies."""
    import ray

    options = getattr(get_active_backend()[0], "ray_remote_args", None) or {"num_cpus": 1}
    # In a list ray leaves it alone; bare, it unpacks it for every task.
    sent = [_sent_once(work, ray.put)]
    play = ray.remote(**options)(_call_on_ray)
    pending: list[Any] = []
    try:
        while True:
            free = 2 * workers - len(pending)
            pending += [play.remote(function, sent, task) for task in islice(tasks, free)]
            if not pending:
                return
            ready, pending = ray.wait(pending, num_returns=1)
            yield from ray.get(ready)
    finally:
        for reference in pending:
            with suppress(Exception):
                ray.cancel(reference, force=True)


def _call(function: Callable[..., Any], work: Any, task: Task) -> Any:
    return function(work, *task)


# What clusters have been sent. A scheme that plays in several steps sends it with the first; it is
# forgotten with the run.
_sent: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def _sent_once(work: Any, send: Callable[[Any], Any]) -> Any:
    if work not in _sent:
        _sent[work] = send(work)
    return _sent[work]


_unpacked: dict[Any, Any] = {}  # in a worker of ray's: the work it got last


def _call_on_ray(function: Callable[..., Any], sent: list[Any], task: Task) -> Any:
    import ray

    (reference,) = sent
    if reference not in _unpacked:
        _unpacked.clear()
        _unpacked[reference] = ray.get(reference)
    return function(_unpacked[reference], *task)


def _backend() -> str:
    return type(get_active_backend()[0]).__name__
