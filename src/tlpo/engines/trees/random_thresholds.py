"""Splits at random thresholds, as scikit-learn's extra trees draw them.

Features are drawn as for other trees, and after each that is not constant a threshold between its
smallest and largest value. The best of these splits is taken, the first of equals. Units are left
in the order that scikit-learn's exchanges around one threshold after the other leave.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import Goal, gain_of
from tlpo.engines.trees.dividing import exchange, sums_below
from tlpo.engines.trees.drawing import LARGEST_DRAW, next_random
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.structure import CLOSEST, LEAF, Rows, Tree


@compiled
def draw_split(
    rows: Rows,
    goal: Goal,
    limits: Limits,
    node: int,
    total: FloatArray,
    weight: float,
    below: FloatArray,
    seed: int,
    tree: Tree,
) -> tuple[int, float, int, int]:
    """Return feature, threshold and place of a split of a node, and the generator's state.

    ``below`` is room for sums. The units of the node are divided by the split.
    """
    start, stop = tree.start[node], tree.stop[node]
    units, features = tree.units[start:stop], tree.features
    n_known = tree.n_constant[node]
    n_constant, n_found, n_drawn = n_known, 0, 0
    n_left, n_visited = features.size, 0
    best, at, last, place, threshold = -np.inf, LEAF, LEAF, 0, 0.0
    while n_left > n_constant and (n_visited < limits.n_tried or n_visited <= n_found + n_drawn):
        n_visited += 1
        seed = next_random(seed)
        drawn = n_drawn + seed % 2**31 % (n_left - n_found - n_drawn)
        if drawn < n_known:
            features[n_drawn], features[drawn] = features[drawn], features[n_drawn]
            n_drawn += 1
            continue
        drawn += n_found
        f = features[drawn]
        x, last = rows.x[f], f
        low, high = x[units[0]], x[units[0]]
        for u in units:
            low, high = min(low, x[u]), max(high, x[u])
        if high <= low + CLOSEST:
            features[drawn], features[n_constant] = features[n_constant], f
            n_found += 1
            n_constant += 1
            continue
        n_left -= 1
        features[drawn], features[n_left] = features[n_left], f
        seed = next_random(seed)
        floor, ceiling = float(low), float(high)
        cut = (ceiling - floor) * float(seed % 2**31) / LARGEST_DRAW + floor
        if cut == ceiling:
            cut = floor
        p = exchange(x, cut, units)
        if p < limits.least_leaf or units.size - p < limits.least_leaf:
            continue
        n_below = sums_below(goal, units, p, total, weight, below)
        n_above = weight - n_below
        if n_below < limits.least_weight or n_above < limits.least_weight:
            continue
        gain = gain_of(goal, below, n_below, total, n_above)
        if gain > best:
            best, at, place, threshold = gain, f, start + p, cut
    if at not in (LEAF, last):
        exchange(rows.x[at], threshold, units)
    for p in range(n_known):
        features[p] = tree.constants[p]
    for p in range(n_known, n_constant):
        tree.constants[p] = features[p]
    tree.n_constant[node] = n_constant
    return at, threshold, place, seed
