"""The memory of a tournament at its peak, as Linux counts it: buffers of compiled code included."""

from __future__ import annotations

import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

Sample = Callable[[int], tuple[Any, Any]]


def peak_memory(play: Callable[..., object], sample: Sample, m: int, few: int = 1000) -> int:
    """Return how many bytes a tournament needs at most besides its sample, in a fresh process.

    Parameters
    ----------
    play : callable
        Plays X and y.
    sample : callable
        Draws X and y of so many units.
    m : int
        How many units are played.
    few : int
        How many are played first, so that imports and compiled code do not count.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measure, play, sample, m, few).result()


def _measure(play: Callable[..., object], sample: Sample, m: int, few: int) -> int:
    play(*sample(few))
    X, y = sample(m)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what came before
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    play(X, y)
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    return peak - before
