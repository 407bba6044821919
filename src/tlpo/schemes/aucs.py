"""AUCs of many contests that differ in their labels or units, and how a journal keeps them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.execution.framing import Values, is_array, is_whole


@dataclass
class AucChunk:
    """AUCs of some permutations or resamples."""

    aucs: FloatArray
    fits: int
    failures: Counter[str]

    @property
    def finished(self) -> int:
        """Number of permutations or resamples."""
        return len(self.aucs)


def pack_aucs(chunk: AucChunk) -> Values:
    """Return what a journal keeps."""
    return {"aucs": chunk.aucs, "fits": chunk.fits, "failures": dict(chunk.failures)}


def unpack_aucs(
    values: Values, numbers: IntArray, *, most_fits: int, skip: bool
) -> AucChunk | None:
    """Restore a chunk; None if `pack_aucs` would not have written it."""
    if values.keys() != {"aucs", "fits", "failures"}:
        return None
    aucs, fits, failures = values["aucs"], values["fits"], values["failures"]
    if not (
        is_array(aucs, np.float64, numbers.shape)
        and ((aucs >= 0) & (aucs <= 1) | np.isnan(aucs)).all()
        and is_whole(fits)
        and 0 <= fits <= most_fits * numbers.size
        and isinstance(failures, dict)
        and all(is_whole(count) and 0 < count < 2**63 for count in failures.values())
        and (skip or not failures)
        and np.count_nonzero(np.isnan(aucs)) <= sum(failures.values())
    ):
        return None
    return AucChunk(aucs, fits, Counter(failures))
