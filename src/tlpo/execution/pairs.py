"""The pairs of units that meet."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from tlpo.arrays import IntArray

Pairs = Literal["all", "opposite"]


def all_pairs(n_units: int) -> IntArray:
    """List every pair (i, j) with i < j, as rows."""
    return np.column_stack(np.triu_indices(n_units, k=1))


def opposite_pairs(is_positive: npt.NDArray[np.bool_]) -> IntArray:
    """List every pair of a positive and a negative unit, as rows, lower index first."""
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    pairs = np.column_stack(
        [np.repeat(positives, negatives.size), np.tile(negatives, positives.size)]
    )
    pairs.sort(axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
