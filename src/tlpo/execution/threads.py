"""Threads for compiled loops: all cores by default, one inside a joblib worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

from joblib import cpu_count, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

R = TypeVar("R")


def thread_count(n_jobs: int | None) -> int:
    """Return how many threads a compiled loop may use; ``n_jobs`` is a cap."""
    backend, configured = get_active_backend()
    if getattr(backend, "nesting_level", 0):
        return 1
    if n_jobs is None and configured in (None, 1):
        return _cores()
    return min(_cores(), int(effective_n_jobs(n_jobs)))


@cache
def _cores() -> int:
    # Cached: joblib reads system files to count cores, which takes as long as a small tournament.
    return int(cpu_count())


def slices(count: int, parts: int) -> list[slice]:
    """Cut a range into parts of nearly equal size."""
    edges = [count * k // parts for k in range(parts + 1)]
    return [slice(low, high) for low, high in pairwise(edges)]


def in_threads(function: Callable[..., R], calls: Sequence[tuple[Any, ...]]) -> list[R]:
    """Call a function that releases the interpreter lock once per tuple of arguments."""
    if len(calls) <= 1:
        return [function(*arguments) for arguments in calls]
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(lambda arguments: function(*arguments), calls))


@contextmanager
def fits_in_threads() -> Iterator[None]:
    """Let fits that release the interpreter lock run in threads, unless workers were configured.

    Processes would take longer to start than such fits take.
    """
    backend, n_jobs = get_active_backend()
    if (n_jobs is not None and n_jobs != 1) or type(backend).__name__ != "LokyBackend":
        yield
        return
    with parallel_config(backend="threading"):
        yield
