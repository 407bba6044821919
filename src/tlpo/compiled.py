"""How loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile without the interpreter lock, and keep the machine code on disk.

    numba puts it into ``__pycache__`` beside the function's file or, where that cannot be
    written, into the user's cache directory (``NUMBA_CACHE_DIR`` overrides both); with neither,
    every process compiles anew.
    """
    options: Any = {"nogil": True}
    try:
        result: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        result = numba.njit(**options)(function)
    return result  # type: ignore[no-any-return]
