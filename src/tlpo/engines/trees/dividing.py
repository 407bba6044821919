"""Units of a node divided by a split, and the sums over its left child."""

from __future__ import annotations

from tlpo.arrays import FloatArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import Goal, add_unit


@compiled
def exchange(x: SingleArray, threshold: float, units: Places) -> int:
    """Put units up to a threshold first, in the order that scikit-learn's exchanges leave.

    Returns how many there are.
    """
    low, high = 0, units.size
    while low < high:
        if x[units[low]] <= threshold:
            low += 1
        else:
            high -= 1
            units[low], units[high] = units[high], units[low]
    return low


@compiled
def sums_below(
    goal: Goal, units: Places, place: int, total: FloatArray, weight: float, below: FloatArray
) -> float:
    """Sum over the left child; return its weight."""
    if place <= units.size - place:
        n_below = 0.0
        for k in range(total.size):
            below[k] = 0.0
        for u in units[:place]:
            add_unit(goal, u, 1.0, below)
            n_below += goal.weight[u]
        return n_below
    n_below = weight
    for k in range(total.size):
        below[k] = total[k]
    for p in range(units.size - 1, place - 1, -1):
        add_unit(goal, units[p], -1.0, below)
        n_below -= goal.weight[units[p]]
    return n_below
