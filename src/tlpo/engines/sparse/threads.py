"""How many threads follow paths."""

from __future__ import annotations

from tlpo.execution.options import Execution
from tlpo.execution.threads import slices, thread_count

# Sets that one thread follows, at least.
SETS_A_THREAD = 50


def shares(count: int, execution: Execution) -> list[slice]:
    """Cut sets into parts for threads."""
    threads = min(thread_count(execution.n_jobs), 1 + count // SETS_A_THREAD)
    return slices(count, threads)
