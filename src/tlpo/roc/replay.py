"""The loops of the ROC calculations that are too slow in NumPy. No checks, no fastmath."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.roc.placements import TIE


@compiled
def _result(gap: float, tie: float, before: float) -> float:
    """Return the result of a game with a gap; the one before if the gap is not known."""
    if np.isnan(gap):
        return before
    if gap > tie:
        return 1.0
    return 0.0 if gap < -tie else 0.5


@compiled
def change_without(
    first: IntArray,
    second: IntArray,
    D: FloatArray,
    U: FloatArray,
    weight: FloatArray,
    F: FloatArray,
    d: FloatArray,
    change: FloatArray,
) -> None:
    """Replay games without each third unit k, and add up the changes.

    Game c is between the units ``first[c]`` and ``second[c]``; D is the difference of their
    predictions, U its result. Without k the difference is ``D + (F[i,k] − d_i) − (F[j,k] − d_j)``;
    the new result minus U, times the weight of the game, is added to ``change[k]``. Nothing changes
    where k has not played i or j (F is NaN), or where k is one of the two.
    """
    for c in range(first.size):
        i, j, gap, won, w = first[c], second[c], D[c], U[c], weight[c]
        F_i, F_j, d_i, d_j = F[i], F[j], d[i], d[j]
        kept_i, kept_j = change[i], change[j]
        for k in range(F.shape[1]):
            shift_i, shift_j = F_i[k] - d_i, F_j[k] - d_j
            x = gap + shift_i - shift_j
            # Relative to the predictions, not to the shifts, which are small differences of them.
            tie = TIE * (abs(F_i[k]) + abs(d_i) + abs(F_j[k]) + abs(d_j))
            change[k] += w * (_result(x, tie, won) - won)
        change[i], change[j] = kept_i, kept_j


@compiled
def change_in_blocks(
    first: IntArray,
    second: IntArray,
    D: FloatArray,
    U: FloatArray,
    weight: FloatArray,
    F: FloatArray,
    d: FloatArray,
    factor: float,
    block: IntArray,
    change: FloatArray,
) -> None:
    """Replay games without drawn third units, with shifts times ``factor``.

    As `change_without`, but changes are added to ``change[block of i, block of j, k]``. F has the
    third units as columns, NaN where k is i.
    """
    for c in range(first.size):
        i, j, gap, won, w = first[c], second[c], D[c], U[c], weight[c]
        d_i, d_j = d[i], d[j]
        own = change[block[i], block[j]]
        for k in range(F.shape[1]):
            F_i, F_j = F[i, k], F[j, k]
            x = gap + factor * ((F_i - d_i) - (F_j - d_j))
            tie = TIE * (abs(F_i) + abs(d_i) + abs(F_j) + abs(d_j))
            own[k] += w * (_result(x, tie, won) - won)
