"""Workers that run chunks: joblib's processes or threads, a dask cluster, a ray cluster.

Whatever all chunks need, above all the data, is sent to each worker once. Results come back as
they finish, in any order.
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

Arguments = tuple[Any, ...]

# How often a cluster is asked how many workers it has.
POLL_SECONDS = 5.0


def on_cluster() -> bool:
    """Whether the workers belong to a cluster; the main process should then run no chunks."""
    return _backend() in ("DaskDistributedBackend", "RayBackend")


def prepare() -> None:
    """Start a local ray, as joblib would, if the backend is ray and it is not running yet."""
    if _backend() == "RayBackend":
        import ray

        if not ray.is_initialized():
            ray.init()


def run_elsewhere(
    function: Callable[..., Any],
    work: Any,
    chunks: Iterator[Arguments],
    n_jobs: int | None,
    workers: int,
) -> Generator[Any, None, None]:
    """Yield ``function(work, *arguments)`` for the arguments of every chunk, as they finish.

    Chunks are drawn only a few ahead of the workers, so that their size can adapt to measured
    times.
    """
    if on_cluster():
        run_on = _on_ray if _backend() == "RayBackend" else _on_dask
        yield from run_on(function, work, chunks, workers)
        return
    calls = (delayed(function)(work, *arguments) for arguments in chunks)
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    except ValueError:
        # Backends built on multiprocessing return only lists: send them a batch at a time.
        with Parallel(n_jobs=n_jobs, batch_size=1) as pool:
            while batch := list(islice(calls, 4 * workers)):
                yield from pool(batch)
    else:
        stream = parallel(calls)
        try:
            for result in stream:  # noqa: UP028, "yield from" would close the stream first
                yield result
        finally:
            with recording(WarningLog()):  # joblib warns about calls that an error cut off
                stream.close()


def _on_dask(
    function: Callable[..., Any], work: Any, chunks: Iterator[Arguments], workers: int
) -> Generator[Any, None, None]:
    """Run chunks on dask through its own client.

    joblib's dask backend computes in the main process while there is only one worker, and scatters
    arrays to workers that may die with them.
    """
    import cloudpickle
    from distributed import as_completed

    backend = get_active_backend()[0]
    client = backend.client

    def send(work: Any) -> Any:
        # As the result of a dask task, not scattered: if the only worker that holds it dies, the
        # scheduler can compute it again.
        with recording(WarningLog()):  # dask warns about large data in the task graph
            return client.submit(pickle.loads, cloudpickle.dumps(work), pure=False)

    def submit(arguments: Arguments) -> Any:
        return client.submit(_call, function, sent, arguments, pure=False, **backend.submit_kwargs)

    sent = _sent_once(work, send)
    polled = time.monotonic()
    pending = {submit(arguments) for arguments in islice(chunks, 2 * workers)}
    arriving: Any = as_completed(pending)  # type: ignore[no-untyped-call]
    try:
        for future in arriving:
            pending.remove(future)
            yield future.result()
            if time.monotonic() - polled > POLL_SECONDS:  # clusters grow and shrink
                workers, polled = max(1, sum(client.ncores().values())), time.monotonic()
            free = max(1, 2 * workers - len(pending))
            submitted = [submit(arguments) for arguments in islice(chunks, free)]
            pending.update(submitted)
            arriving.update(submitted)
    finally:
        client.cancel(list(pending))


def _on_ray(
    function: Callable[..., Any], work: Any, chunks: Iterator[Arguments], workers: int
) -> Generator[Any, None, None]:
    """Run chunks as ray tasks: joblib's ray backend, a pool of actors, fails when an actor dies."""
    import ray

    options = getattr(get_active_backend()[0], "ray_remote_args", None) or {"num_cpus": 1}
    # Inside a list, ray passes the reference on; a bare reference is fetched for every call.
    sent = [_sent_once(work, ray.put)]
    call = ray.remote(**options)(_call_on_ray)
    pending: list[Any] = []
    try:
        while True:
            free = 2 * workers - len(pending)
            following = islice(chunks, free)
            pending += [call.remote(function, sent, arguments) for arguments in following]
            if not pending:
                return
            ready, pending = ray.wait(pending, num_returns=1)
            yield from ray.get(ready)
    finally:
        for reference in pending:
            with suppress(Exception):
                ray.cancel(reference, force=True)


def _call(function: Callable[..., Any], work: Any, arguments: Arguments) -> Any:
    return function(work, *arguments)


# Work already sent to a cluster. A scheme with several steps sends it once, with the first step;
# the entry disappears with the run.
_sent: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def _sent_once(work: Any, send: Callable[[Any], Any]) -> Any:
    if work not in _sent:
        _sent[work] = send(work)
    return _sent[work]


_unpacked: dict[Any, Any] = {}  # in a ray worker: the work it received last


def _call_on_ray(function: Callable[..., Any], sent: list[Any], arguments: Arguments) -> Any:
    import ray

    (reference,) = sent
    if reference not in _unpacked:
        _unpacked.clear()
        _unpacked[reference] = ray.get(reference)
    return function(_unpacked[reference], *arguments)


def _backend() -> str:
    return type(get_active_backend()[0]).__name__
