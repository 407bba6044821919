"""Paths are followed in threads, each with one thread of BLAS."""

from __future__ import annotations

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from tlpo.execution.options import Execution
from tlpo.execution.threads import slices, thread_count

# Sets that one thread follows, at least.
SETS_A_THREAD = 50


def shares(count: int, execution: Execution) -> list[slice]:
    """Cut sets into parts for threads."""
    threads = min(thread_count(execution.n_jobs), 1 + count // SETS_A_THREAD)
    return slices(count, threads)


def one_blas_thread() -> Any:
    """Return a context in which BLAS uses one thread."""
    return _controller().limit(limits=1)


@cache
def _controller() -> Any:
    # Looking for the BLAS libraries takes as long as a small tournament.
    return ThreadpoolController()
