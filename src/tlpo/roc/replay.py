"""The loops of the ROC calculations that are too slow in NumPy. No checks, no fastmath."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.roc.placements import TIE

# Predictions of which fewer than one in so many differ from the usual one of their unit.
RARE = 8


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


def replay_without_each(
    first: IntArray,
    second: IntArray,
    D: FloatArray,
    U: FloatArray,
    weight: FloatArray,
    F: FloatArray,
    d: FloatArray,
) -> FloatArray:
    """Return the changes of `change_without`, in far fewer steps if most predictions repeat.

    Most third units are no neighbours of either unit, for example.
    """
    change = np.zeros(F.shape[0])
    most = F.size // RARE
    usual, ends, odd = (
        np.empty(F.shape[0]),
        np.empty(F.shape[0] + 1, dtype=np.intp),
        np.empty(most, dtype=np.intp),
    )
    if list_unusual(F, usual, ends, odd):
        change_from_usual(first, second, D, U, weight, F, d, usual, ends, odd, change)
    else:
        change_without(first, second, D, U, weight, F, d, change)
    return change


@compiled
def list_unusual(F: FloatArray, usual: FloatArray, ends: IntArray, odd: IntArray) -> bool:
    """Write the value that most entries of every row have, and where a row has another one.

    Returns
    -------
    bool
        Whether the list is long enough for them.
    """
    count = 0
    ends[0] = 0
    for i in range(F.shape[0]):
        # The value of more than half of the entries, if there is one, outlives all others.
        value, lead = np.nan, 0
        for k in range(F.shape[1]):
            if lead == 0:
                value, lead = F[i, k], 1
            elif F[i, k] == value:
                lead += 1
            else:
                lead -= 1
        usual[i] = value
        for k in range(F.shape[1]):
            if F[i, k] != value:
                if count == odd.size:
                    return False
                odd[count] = k
                count += 1
        ends[i + 1] = count
    return True


@compiled
def change_from_usual(
    first: IntArray,
    second: IntArray,
    D: FloatArray,
    U: FloatArray,
    weight: FloatArray,
    F: FloatArray,
    d: FloatArray,
    usual: FloatArray,
    ends: IntArray,
    odd: IntArray,
    change: FloatArray,
) -> None:
    """As `change_without`; third units that leave both predictions usual are replayed at once."""
    total = 0.0
    for c in range(first.size):
        i, j, gap, won, w = first[c], second[c], D[c], U[c], weight[c]
        d_i, d_j = d[i], d[j]
        x = gap + (usual[i] - d_i) - (usual[j] - d_j)
        tie = TIE * (abs(usual[i]) + abs(d_i) + abs(usual[j]) + abs(d_j))
        common = w * (_result(x, tie, won) - won)
        total += common
        kept_i, kept_j = change[i] - common, change[j] - common
        for side in range(2):
            own = i if side == 0 else j
            for place in range(ends[own], ends[own + 1]):
                k = odd[place]
                F_i, F_j = F[i, k], F[j, k]
                if side == 1 and F_i != usual[i]:
                    continue  # counted with i
                x = gap + (F_i - d_i) - (F_j - d_j)
                tie = TIE * (abs(F_i) + abs(d_i) + abs(F_j) + abs(d_j))
                change[k] += w * (_result(x, tie, won) - won) - common
        change[i], change[j] = kept_i, kept_j
    for k in range(change.size):
        change[k] += total


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
