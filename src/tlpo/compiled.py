"""Compilation of loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

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
