"""Trees of several classes: each answers with the share of every class."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.forest.bags import Grown, Trees, TreeSequence


class ClassTrees(Trees):
    """Trees whose notes are the shares of further classes."""

    def __init__(self, sequence: TreeSequence, n_judges: int) -> None:
        super().__init__(sequence, n_judges)
        n_further = sequence.grower.n_notes // sequence.n_units
        self.further = [self.answers] * n_further

    def take(self, numbers: IntArray, grown: Grown) -> None:
        """Keep what trees answered."""
        super().take(numbers, grown)
        notes = grown.answers[:, self.sequence.n_units :]
        for table, own in zip(
            self.further, np.split(notes, len(self.further), axis=1), strict=True
        ):
            table[:, numbers] = own.T

    def responses(self, sets: IntArray) -> FloatArray:
        """Return the responses for each unit of some sets; not finite where a judge failed.

        Three tables: of all judges, of the first half and of the second.
        """
        from tlpo.engines.forest.kernels import ask_judges

        responses = np.empty((3, *sets.shape, 1 + len(self.further)))
        for k, answers in enumerate((self.answers, *self.further)):
            own = np.empty((3, *sets.shape))
            ask_judges(self.is_out, answers, sets, self.n_judges, own)
            responses[..., k] = own
        return responses

    def _draw(self, more: int) -> None:
        super()._draw(more)
        empty = np.full((self.sequence.n_units, more), np.nan)
        self.further = [np.hstack([table, empty]) for table in self.further]
