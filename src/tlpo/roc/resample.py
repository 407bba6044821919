"""AUCs of resampled units, for the bootstrap of scores that were fixed beforehand."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray

# Weights of units held at a time.
_ENTRIES = 2_000_000


def resampled_aucs(
    scores: FloatArray,
    is_positive: BoolArray,
    groups: IntArray | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the AUC of every resample.

    The units of each class are drawn with replacement; with groups, whole groups are. Resamples of
    groups that lack a class are left out.

    Examples
    --------
    >>> scores, is_positive = np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, True, False, False])
    >>> aucs = resampled_aucs(scores, is_positive, None, 500, np.random.default_rng(0))
    >>> sorted(set(aucs.tolist()))
    [0.0, 0.5, 0.75, 1.0]
    """
    order = np.argsort(scores, kind="stable")
    is_positive = is_positive[order]
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.nan) != 0)
    members = None if groups is None else np.unique(groups[order], return_inverse=True)[1]
    found = []
    chunk = max(1, _ENTRIES // scores.size)
    for first in range(0, n_resamples, chunk):
        size = min(chunk, n_resamples - first)
        weights: FloatArray = np.empty((size, scores.size))
        if members is None:
            for kind in (is_positive, ~is_positive):
                count = int(np.count_nonzero(kind))
                weights[:, kind] = rng.multinomial(count, np.full(count, 1 / count), size)
        else:
            count = int(members.max()) + 1
            drawn = rng.multinomial(count, np.full(count, 1 / count), size)
            weights = drawn[:, members].astype(float)
        positive = np.add.reduceat(weights * is_positive, starts, axis=1)
        negative = np.add.reduceat(weights * ~is_positive, starts, axis=1)
        below = np.cumsum(negative, axis=1) - 0.5 * negative
        games = positive.sum(axis=1) * negative.sum(axis=1)
        wins = np.einsum("bk,bk->b", positive, below)
        found.append(wins[games > 0] / games[games > 0])
    return np.concatenate(found)
