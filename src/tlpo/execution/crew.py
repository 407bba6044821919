"""Who plays chunks elsewhere: joblib's processes or threads, a dask cluster, a ray cluster.

What is needed for all chunks, the data above all, goes to each worker once. Results come back as
they are finished, in any order.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from tlpo.execution.record import WarningLog, recording

Task = tuple[Any, ...]


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
    work: Callable[..., Any], tasks: Iterator[Task], n_jobs: int | None, workers: int
) -> Generator[Any, None, None]:
    """Yield ``work(*task)`` for every task, as they come.

    Tasks are drawn a few ahead of the workers, so that their size can follow what was learned.
    """
    if _backend() == "RayBackend":
        yield from _on_ray(work, tasks, workers)
        return
    if _backend() == "DaskDistributedBackend":
        import cloudpickle  # dask brings it

        # As the result of a task, and not scattered: if the only worker that has it dies, the
        # scheduler knows how to make it again.
        client = get_active_backend()[0].client
        with recording(WarningLog()):  # dask would rather have large data in a file
            work = client.submit(pickle.loads, cloudpickle.dumps(work), pure=False)
    calls = (delayed(_call)(work, task) for task in tasks)
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


def _on_ray(
    work: Callable[..., Any], tasks: Iterator[Task], workers: int
) -> Generator[Any, None, None]:
    """Play on ray by tasks: joblib's own way, a pool of actors, fails when one of them dies."""
    import ray

    options = getattr(get_active_backend()[0], "ray_remote_args", None) or {"num_cpus": 1}
    shipped = [ray.put(work)]  # in a list ray leaves it alone; bare, it unpacks it for every task
    play = ray.remote(**options)(_call_on_ray)
    pending: list[Any] = []
    try:
        while True:
            pending += [play.remote(shipped, t) for t in islice(tasks, 2 * workers - len(pending))]
            if not pending:
                return
            ready, pending = ray.wait(pending, num_returns=1)
            yield from ray.get(ready)
    finally:
        for reference in pending:
            with suppress(Exception):
                ray.cancel(reference, force=True)


def _call(work: Callable[..., Any], task: Task) -> Any:
    return work(*task)


_unpacked: dict[Any, Callable[..., Any]] = {}  # in a worker of ray's: the work it got last


def _call_on_ray(shipped: list[Any], task: Task) -> Any:
    import ray

    (reference,) = shipped
    if reference not in _unpacked:
        _unpacked.clear()
        _unpacked[reference] = ray.get(reference)
    return _unpacked[reference](*task)


def _backend() -> str:
    return type(get_active_backend()[0]).__name__
