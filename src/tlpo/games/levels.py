"""How many units that come before are on lower levels of the outcome, on higher ones, and peers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import IntArray
from tlpo.compiled import compiled


@compiled
def count_by_level(
    level: IntArray, n_levels: int, before: IntArray, counts: npt.NDArray[Any]
) -> None:
    """Write how many units before a place are on lower levels, on higher ones, and on the same.

    Row r is about the unit at place r and the ``before[r]`` first places, which never decrease.
    """
    # A binary indexed tree of the levels seen so far: m log L steps.
    tree = np.zeros(n_levels + 1, dtype=np.intp)
    own = np.zeros(n_levels, dtype=np.intp)
    seen = 0
    for r in range(level.size):
        while seen < before[r]:
            own[level[seen]] += 1
            place = level[seen] + 1
            while place <= n_levels:
                tree[place] += 1
                place += place & -place
            seen += 1
        place, lower = level[r], 0
        while place > 0:
            lower += tree[place]
            place -= place & -place
        same = own[level[r]]
        counts[r, 0], counts[r, 1], counts[r, 2] = lower, before[r] - lower - same, same
