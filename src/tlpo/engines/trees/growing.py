"""Grows a tree as scikit-learn does, depth first and left first.

- Features count in single precision. A threshold is the midpoint of two neighbouring values that
  are more than 1e-7 apart.
- A node is split unless it is as deep as allowed, too small, pure (an impurity of at most 2e-16),
  or has no two values to split between. A split need not gain anything.
- Of equal gains the first is taken: within a feature that of the lowest threshold. Features are
  visited in the random order that scikit-learn's generator draws for every node, those known to be
  constant without being looked at.
- Sums are taken in scikit-learn's order of units, because their rounding decides between splits
  that are equally good.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import SQUARES, Goal, add_unit, gain_of, impurities, impurity_of
from tlpo.engines.trees.dividing import exchange, sums_below
from tlpo.engines.trees.drawing import draw_features
from tlpo.engines.trees.random_thresholds import draw_split
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.sorting import copy_units, sort_by
from tlpo.engines.trees.structure import CLOSEST, LEAF, Rows, Tree

PURE = np.finfo(np.float64).eps
# Splits that are worse by more than rounding need not be computed exactly.
ALMOST = 1.0 - 1e-12


@compiled
def grow(rows: Rows, goal: Goal, limits: Limits, seed: int, tree: Tree) -> int:
    """Grow a tree on the rows that have a weight; return how many nodes it has."""
    n, everyone = fill_root(rows, goal, tree)
    n_features = len(rows.x)
    for f in range(n_features):
        tree.features[f] = f
    total, below = np.empty(goal.n_sums), np.empty(goal.n_sums)
    open_nodes = np.empty(n + 1, dtype=np.intp)
    open_nodes[0], n_open, n_nodes = 0, 1, 1
    tree.start[0], tree.stop[0], tree.depth[0], tree.n_constant[0] = 0, n, 0, 0
    while n_open:
        n_open -= 1
        node = open_nodes[n_open]
        start, stop = tree.start[node], tree.stop[node]
        squares, weight = add_up(goal, tree.units[start:stop], total)
        if node == 0:
            tree.impurity[0] = impurity_of(goal, total, squares, weight)
        for k in range(goal.n_sums):
            tree.value[node, k] = total[k] / weight
        tree.feature[node] = LEAF
        if (
            tree.depth[node] >= limits.depth
            or stop - start < limits.least_split
            or stop - start < 2 * limits.least_leaf
            or weight < 2.0 * limits.least_weight
            or tree.impurity[node] <= PURE
        ):
            continue
        units = tree.units[start:stop]
        if limits.draws_thresholds:
            at, threshold, place, seed = draw_split(
                rows, goal, limits, node, total, weight, below, seed, tree
            )
        else:
            at, threshold, place, seed = _best_split(
                rows, goal, limits, node, total, weight, seed, tree
            )
            if at != LEAF:
                exchange(rows.x[at], threshold, units)
        if at == LEAF:
            continue
        n_below = sums_below(goal, units, place - start, total, weight, below)
        n_above = weight - n_below
        left, right = n_nodes, n_nodes + 1
        if goal.criterion == SQUARES:
            one, other = variances(
                goal, units, place - start, squares, below[0], n_below, total[0], n_above
            )
        else:
            one, other = impurities(goal.criterion, below, n_below, total, n_above)
        gain = (weight / everyone) * (
            tree.impurity[node] - (n_above / weight * other) - (n_below / weight * one)
        )
        if gain + PURE < limits.least_gain:
            continue
        tree.feature[node], tree.threshold[node], tree.left[node] = at, threshold, left
        tree.impurity[left], tree.impurity[right] = one, other
        tree.start[left], tree.stop[left] = start, place
        tree.start[right], tree.stop[right] = place, stop
        for child in (left, right):
            tree.depth[child] = tree.depth[node] + 1
            tree.n_constant[child] = tree.n_constant[node]
        # Leaves need no order.
        if tree.depth[left] < limits.depth:
            for p in range(start, stop):
                tree.is_right[tree.units[p]] = p >= place
            for f in range(n_features):
                if rows.is_ranked[f]:
                    separate(tree.is_right, tree.order[f, start:stop], tree.spare)
        open_nodes[n_open], open_nodes[n_open + 1] = right, left
        n_open += 2
        n_nodes += 2
    return n_nodes


@compiled
def fill_root(rows: Rows, goal: Goal, tree: Tree) -> tuple[int, float]:
    """Put every row that has a weight into the root; return how many, and the weight of all."""
    n, everyone = 0, 0.0
    for u in range(rows.x.shape[1]):
        tree.units[n] = u
        n += goal.weight[u] != 0.0
        everyone += goal.weight[u]
    for f in range(len(rows.x)):
        if rows.is_ranked[f]:
            p = 0
            for u in rows.ranked[f]:
                if goal.is_plain or goal.weight[u] != 0.0:
                    tree.order[f, p] = u
                    p += 1
    return n, everyone


@compiled
def add_up(goal: Goal, units: Places, total: FloatArray) -> tuple[float, float]:
    """Sum over a node; return the sum of squares and of weights."""
    squares, weight = 0.0, 0.0
    if goal.criterion == SQUARES:
        numbers = 0.0
        for u in units:
            own = goal.weight[u] * goal.number[u]
            numbers += own
            squares += own * goal.number[u]
            weight += goal.weight[u]
        total[0] = numbers
    else:
        for k in range(total.size):
            total[k] = 0.0
        for u in units:
            total[goal.code[u]] += goal.weight[u]
            weight += goal.weight[u]
    return squares, weight


@compiled
def _best_split(
    rows: Rows,
    goal: Goal,
    limits: Limits,
    node: int,
    total: FloatArray,
    weight: float,
    seed: int,
    tree: Tree,
) -> tuple[int, float, int, int]:
    """Return feature, threshold and place of the best split of a node, and the generator's state.

    The units of the node are left in the order of the feature that was visited last.
    """
    start, stop = tree.start[node], tree.stop[node]
    units, values = tree.units[start:stop], tree.values[start:stop]
    n_seen, tree.n_constant[node], seed = draw_features(
        *(rows.x, rows.is_ranked, tree.order, tree.units, start, stop, limits.n_tried),
        *(tree.n_constant[node], seed, tree.features, tree.constants, tree.visited),
    )
    best, at, place, threshold = -np.inf, LEAF, 0, 0.0
    last = LEAF  # the ranked feature whose order the units should be in, but are not
    for k in range(n_seen):
        f = tree.visited[k]
        x = rows.x[f]
        if rows.is_ranked[f]:
            order, last = tree.order[f, start:stop], f
        else:
            if last != LEAF:
                copy_units(tree.order[last, start:stop], units)
                last = LEAF
            sort_by(x, units, values)
            order = units
        if x[order[-1]] <= x[order[0]] + CLOSEST:
            continue
        if rows.is_ranked[f] and rows.are_apart and goal.is_plain and goal.criterion == SQUARES:
            gain, p = _scan_numbers(goal.number, order, total[0], limits, best)
        else:
            gain, p = scan(x, goal, order, total, weight, limits, best)
        if gain > best:
            best, at, place = gain, f, start + p
            threshold = x[order[p - 1]] / 2.0 + x[order[p]] / 2.0
    if last != LEAF:
        copy_units(tree.order[last, start:stop], units)
    return at, threshold, place, seed


@compiled
def _scan_numbers(
    number: FloatArray, order: Places, total: float, limits: Limits, best: float
) -> tuple[float, int]:
    """Return the best split of a feature without equal values if it is better, and its place."""
    size, place, below = order.size, 0, 0.0
    n_below, n_above, reach = 0.0, float(size), best * ALMOST
    for p in range(size - 1):
        below += number[order[p]]
        n_below += 1.0
        n_above -= 1.0
        above = total - below
        # Without the divisions, which take most of the time.
        reached = below * below * n_above + above * above * n_below
        if reached <= reach * (n_below * n_above):
            continue
        least = min(n_below, n_above)
        if least < limits.least_leaf or least < limits.least_weight:
            continue
        gain = below * below / n_below + above * above / n_above
        if gain > best:
            best, place, reach = gain, p + 1, gain * ALMOST
    return best, place


@compiled
def scan(
    x: SingleArray,
    goal: Goal,
    order: Places,
    total: FloatArray,
    weight: float,
    limits: Limits,
    best: float,
) -> tuple[float, int]:
    """Return the best split of a feature if it is better, and its place."""
    size, place = order.size, 0
    below, n_below, done = np.zeros(goal.n_sums), 0.0, 0
    for p in range(1, size):
        if x[order[p]] <= x[order[p - 1]] + CLOSEST:
            continue
        if p < limits.least_leaf or size - p < limits.least_leaf:
            continue
        # From whichever end is nearer.
        if p - done <= size - p:
            for q in range(done, p):
                add_unit(goal, order[q], 1.0, below)
                n_below += goal.weight[order[q]]
        else:
            n_below = weight
            for k in range(total.size):
                below[k] = total[k]
            for q in range(size - 1, p - 1, -1):
                add_unit(goal, order[q], -1.0, below)
                n_below -= goal.weight[order[q]]
        done = p
        n_above = weight - n_below
        if n_below < limits.least_weight or n_above < limits.least_weight:
            continue
        gain = gain_of(goal, below, n_below, total, n_above)
        if gain > best:
            best, place = gain, p
    return best, place


@compiled
def variances(
    goal: Goal,
    units: Places,
    place: int,
    squares: float,
    below: float,
    n_below: float,
    total: float,
    n_above: float,
) -> tuple[float, float]:
    """Return the impurities of both children of a node of numbers."""
    own = 0.0
    for u in units[:place]:
        own += goal.weight[u] * goal.number[u] * goal.number[u]
    mean, other_mean = below / n_below, (total - below) / n_above
    return own / n_below - mean * mean, (squares - own) / n_above - other_mean * other_mean


@compiled
def separate(is_right: BoolArray, units: Places, spare: Places) -> None:
    """Put the units of the left child first; keep the order within either part."""
    kept, n_spare = 0, 0
    for u in units:
        # Without branches, because nobody can predict them.
        goes_right = is_right[u]
        units[kept] = u
        spare[n_spare] = u
        kept += not goes_right
        n_spare += goes_right
    for p in range(n_spare):
        units[kept + p] = spare[p]
