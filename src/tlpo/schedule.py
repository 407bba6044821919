"""Which pairs of units play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tlpo.arrays import IntArray

Pairs = Literal["all", "opposite"]


@dataclass(frozen=True, eq=False)
class Schedule:
    """The games to play: all pairs, all pairs of opposite class, or a list of games.

    Attributes
    ----------
    kind : {"all", "opposite"}
        Which pairs may play.
    listed : ndarray of shape (g, 2) or None
        The games, lower index first, if only some of these pairs play.
    why : str
        Where the list comes from, in a few words.
    """

    kind: Pairs = "all"
    listed: IntArray | None = None
    why: str = "some"

    @property
    def is_opposite(self) -> bool:
        """Whether only units of opposite class play."""
        return self.kind == "opposite"

    def games(self, is_positive: npt.NDArray[np.bool_]) -> IntArray:
        """List the games, one per row."""
        if self.listed is not None:
            return self.listed
        return opposite_pairs(is_positive) if self.is_opposite else all_pairs(is_positive.size)


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
