"""Workers that run chunks: joblib's processes or threads, a dask cluster, a ray cluster.

Whatever all chunks need, above all the data, is sent to each worker once. Results come back as
they finish, in any order.
"""

from __future__ import annotations

import os
import pickle
import re
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from joblib.parallel import get_active_backend

from tlpo.execution.diagnostics import WarningLog, outside, recording
from tlpo.execution.interrupt import end_with

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
    yield from _on_processes(function, work, chunks, n_jobs, workers)


class DeadWorkersError(Exception):
    """Workers died again and again in the same chunk."""

    def __init__(self, arguments: Arguments, how: str) -> None:
        super().__init__(how)
        self.arguments = arguments
        self.how = how


def _on_processes(
    function: Callable[..., Any],
    work: Any,
    chunks: Iterator[Arguments],
    n_jobs: int | None,
    workers: int,
) -> Generator[Any, None, None]:
    """Run chunks on joblib's workers; if one dies, start new ones and run the lost chunks again.

    joblib does not tell which chunk killed its worker. All that were out are run again, together;
    those that are lost a second time are then run one by one, which also leaves them all the
    memory. The one that dies alone is the culprit.
    """
    queue = _Queue(chunks)

    def run(numbered: Iterable[tuple[int, Arguments]]) -> Iterator[tuple[int, Any]]:
        calls = (delayed(_numbered)(k, function, work, arguments) for k, arguments in numbered)
        return _stream(calls, n_jobs, workers)

    while True:
        try:
            for number, result in run(queue.draw()):
                queue.finish(number)
                yield result
        except TerminatedWorkerError as error:
            warnings.warn(
                f"A worker process died ({_how(error)}). Its fits are run again; if memory is "
                "short, a smaller n_jobs needs less.",
                RuntimeWarning,
                stacklevel=outside(),
            )
            for suspect in queue.put_back():
                try:
                    ((_, result),) = run([suspect])
                except TerminatedWorkerError as again:
                    raise DeadWorkersError(suspect[1], _how(again)) from again
                yield result
        else:
            return


class _Queue:
    """Chunks that are still to be run, and those that are out, by number."""

    def __init__(self, chunks: Iterator[Arguments]) -> None:
        self._ahead: Iterator[tuple[int, Arguments]] = enumerate(chunks)
        self._out: dict[int, Arguments] = {}
        self._lost: Counter[int] = Counter()
        self._draws = 0
        # joblib draws in threads of its own, and one may still be drawing when workers have died.
        self._lock = threading.Lock()

    def draw(self) -> Iterator[tuple[int, Arguments]]:
        """Yield chunks until there are no more, or until they are put back."""
        draw = self._draws
        while True:
            with self._lock:
                drawn = next(self._ahead, None) if draw == self._draws else None
                if drawn is None:
                    return
                self._out.update([drawn])
            yield drawn

    def finish(self, number: int) -> None:
        """Take note of a result."""
        with self._lock:
            del self._out[number]

    def put_back(self) -> list[tuple[int, Arguments]]:
        """Put back what is out; return what was lost before, and is to be run alone."""
        with self._lock:
            self._draws += 1
            lost, self._out = sorted(self._out.items()), {}
            self._lost.update(number for number, _ in lost)
            again = [chunk for chunk in lost if self._lost[chunk[0]] < 2]
            self._ahead = chain(again, self._ahead)
            return [chunk for chunk in lost if self._lost[chunk[0]] >= 2]


def _numbered(
    number: int, function: Callable[..., Any], work: Any, arguments: Arguments
) -> tuple[int, Any]:
    return number, function(work, *arguments)


def _how(error: Exception) -> str:
    """Return how a worker ended, such as "SIGKILL(-9)"."""
    found = re.search(r"exit codes of the workers are \{(.*?)\}", str(error))
    return found[1] if found else "exit code unknown"


def _stream(calls: Iterator[Any], n_jobs: int | None, workers: int) -> Generator[Any, None, None]:
    """Yield the results of calls as they finish."""
    options: dict[str, Any] = {"n_jobs": n_jobs, "batch_size": 1}
    backend = get_active_backend()[0]
    has_own = "initializer" in getattr(backend, "backend_kwargs", {})
    if _backend() in ("LokyBackend", "MultiprocessingBackend") and not has_own:
        # From the first moment: a worker that has no chunk yet would wait for one for ever.
        options |= {"initializer": end_with, "initargs": (os.getpid(),)}
    try:
        parallel = Parallel(return_as="generator_unordered", **options)
    except ValueError:
        # Backends built on multiprocessing return only lists: send them a batch at a time.
        with Parallel(**options) as pool:
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
    from distributed import KilledWorker, as_completed

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
    pending = {submit(arguments): arguments for arguments in islice(chunks, 2 * workers)}
    arriving: Any = as_completed(pending)  # type: ignore[no-untyped-call]
    try:
        for future in arriving:
            arguments = pending.pop(future)
            try:
                result = future.result()
            except KilledWorker as error:  # it was tried on several workers
                raise DeadWorkersError(arguments, type(error).__name__) from error
            yield result
            if time.monotonic() - polled > POLL_SECONDS:  # clusters grow and shrink
                workers, polled = max(1, sum(client.ncores().values())), time.monotonic()
            free = max(1, 2 * workers - len(pending))
            submitted = {submit(arguments): arguments for arguments in islice(chunks, free)}
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
    pending: dict[Any, Arguments] = {}
    try:
        while True:
            for arguments in islice(chunks, 2 * workers - len(pending)):
                pending[call.remote(function, sent, arguments)] = arguments
            if not pending:
                return
            (ready,), _ = ray.wait([*pending], num_returns=1)
            arguments = pending.pop(ready)
            try:
                result = ray.get(ready)
            except ray.exceptions.RayTaskError:  # raised by the chunk itself
                raise
            except ray.exceptions.RayError as error:  # ray has tried it several times
                raise DeadWorkersError(arguments, type(error).__name__) from error
            yield result
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
