"""One thread for the libraries of linear algebra, whose products are small here."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS uses one thread."""
    return _controller().limit(limits=1)  # type: ignore[no-any-return]


@cache
def _controller() -> ThreadpoolController:
    # Looking for the libraries takes 2 ms, as long as a small tournament.
    return ThreadpoolController()
