"""Compilation of loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
from numba.core.event import Listener, install_listener

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a function that releases the interpreter lock, and cache the machine code on disk.

    numba writes it to ``__pycache__`` next to the function's file or, if that is not writable, to
    the user's cache directory (``NUMBA_CACHE_DIR`` overrides both). If neither is writable, every
    process compiles again.
    """
    options: Any = {"nogil": True}
    try:
        result: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        result = numba.njit(**options)(function)
    return result  # type: ignore[no-any-return]


@contextmanager
def before_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Have something told before the first function is compiled: not if all are in the cache."""
    with install_listener("numba:compile", _Once(tell)):
        yield


class _Once(Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell, self._has_told = tell, False

    def on_start(self, event: object) -> None:  # noqa: ARG002
        if not self._has_told:
            self._has_told = True
            self._tell()

    def on_end(self, event: object) -> None:
        """Say nothing."""
