"""What makes a split good, in scikit-learn's arithmetic: rounding decides between equal splits.

A node is described by sums over its units: of numbers, one; of classes, the weight of each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled

# Criteria.
SQUARES, GINI, ENTROPY = 0, 1, 2


class Goal(NamedTuple):
    """What a tree is grown to predict.

    Attributes
    ----------
    criterion : int
        Which impurity its splits reduce.
    n_sums : int
        One for numbers, otherwise the number of classes.
    number : ndarray of shape (n,)
        The number of every unit; unused for classes.
    code : ndarray of shape (n,)
        The class of every unit; unused for numbers.
    weight : ndarray of shape (n,)
        Weights; units without one do not take part.
    is_plain : bool
        Whether all weights are 1.
    """

    criterion: int
    n_sums: int
    number: FloatArray
    code: IntArray
    weight: FloatArray
    is_plain: bool


@compiled
def add_unit(goal: Goal, unit: int, sign: float, sums: FloatArray) -> None:
    """Add a unit to sums, or take it away."""
    if goal.criterion == SQUARES:
        sums[0] += sign * (goal.weight[unit] * goal.number[unit])
    else:
        sums[goal.code[unit]] += sign * goal.weight[unit]


@compiled
def gain_of(
    goal: Goal, below: FloatArray, n_below: float, total: FloatArray, n_above: float
) -> float:
    """Return how good a split is, up to what all splits of a node share."""
    if goal.criterion == SQUARES:
        above = total[0] - below[0]
        gain: float = below[0] * below[0] / n_below + above * above / n_above
        return gain
    impure_below, impure_above = impurities(goal.criterion, below, n_below, total, n_above)
    return -n_above * impure_above - n_below * impure_below


@compiled
def impurities(
    criterion: int, below: FloatArray, n_below: float, total: FloatArray, n_above: float
) -> tuple[float, float]:
    """Return the impurities of both children of a node of classes."""
    one, other = 0.0, 0.0
    if criterion == GINI:
        for k in range(total.size):
            above = total[k] - below[k]
            one += below[k] * below[k]
            other += above * above
        return 1.0 - one / (n_below * n_below), 1.0 - other / (n_above * n_above)
    for k in range(total.size):
        one -= _surprise(below[k], n_below)
        other -= _surprise(total[k] - below[k], n_above)
    return one, other


@compiled
def impurity_of(goal: Goal, total: FloatArray, squares: float, weight: float) -> float:
    """Return the impurity of a node; ``squares`` is the sum of squared numbers."""
    if goal.criterion == SQUARES:
        mean = total[0] / weight
        variance: float = squares / weight - mean * mean
        return variance
    if goal.criterion == GINI:
        counts = 0.0
        for k in range(total.size):
            counts += total[k] * total[k]
        return 1.0 - counts / (weight * weight)
    entropy = 0.0
    for k in range(total.size):
        entropy -= _surprise(total[k], weight)
    return entropy


@compiled
def _surprise(count: float, weight: float) -> float:
    """Return p log2 p."""
    if count <= 0.0:
        return 0.0
    share = count / weight
    return share * (math.log(share) / math.log(2.0))
