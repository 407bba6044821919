"""Grows a tree of numbers as scikit-learn does where features have equal values.

Equal values leave open in which order sums over units are taken, and following scikit-learn's
order takes most of the time. But the order changes sums by rounding only. So sums are taken in any
order, and splits that rounding could not make the best one are dropped. Often one is left, or some
that are alike: they divide the units of the node, and those whom the tree will be asked about, in
the same way, so it makes no difference which of them is taken. Only otherwise is scikit-learn's
order followed.

Notes
-----
Let a node have n units, let Q be the sum of their squared numbers g, and u = 2**-53. Sums over
units, taken in any order or as a difference from a total, are off by at most 6 n u sum|g|, and
sum|g| <= sqrt(n Q). The gain below**2 / n_below + above**2 / n_above has derivatives of at most
2 sqrt(Q), so that it is off by at most 20 n u sqrt(n) Q, and 64 n**1.5 eps Q is more than what two
gains can change by, twice. Impurities of children are off by less than that over their size.
"""

from __future__ import annotations

import math

import numpy as np

from tlpo.arrays import FloatArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import Goal, impurity_of
from tlpo.engines.trees.drawing import draw_features
from tlpo.engines.trees.growing import PURE, add_up, fill_root, scan, separate
from tlpo.engines.trees.replay import Memory, find_order, order_children, sort_through
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.sorting import copy_units, sort_by
from tlpo.engines.trees.structure import CLOSEST, LEAF, Rows, Tree, leaf_of

# Trees up to this depth are grown loosely: deeper down, nodes are small and quick to sort.
DEEPEST = 8
# Splits that may be equally good without the order being followed.
MOST_NEAR = 32
# See the notes.
ROUNDING = 64.0 * np.finfo(np.float64).eps


@compiled
def grow_loosely(
    rows: Rows,
    goal: Goal,
    limits: Limits,
    seed: int,
    tree: Tree,
    memory: Memory,
    test: SingleArray,
    needs_values: bool,
) -> int:
    """Grow a tree on the rows that have a weight, which is 1; return how many nodes it has.

    All features must be ranked, in any order of equal values. Leaves are those of scikit-learn's
    tree for all rows and for ``test``; values are only written if they are needed.
    """
    n, everyone = fill_root(rows, goal, tree)
    n_features = len(rows.x)
    for f in range(n_features):
        tree.features[f] = f
    total = np.empty(1)
    near = np.empty((MOST_NEAR, 2), dtype=np.intp), np.empty(MOST_NEAR)
    open_nodes = np.empty(n + 1, dtype=np.intp)
    open_nodes[0], n_open, n_nodes, n_visits = 0, 1, 1, 0
    tree.start[0], tree.stop[0], tree.depth[0], tree.n_constant[0] = 0, n, 0, 0
    tree.feature[0], memory.is_known[0], memory.slack[0] = LEAF, True, 0.0
    copy_units(tree.units[:n], memory.entry[0, :n])
    while n_open:
        n_open -= 1
        node = open_nodes[n_open]
        start, stop = tree.start[node], tree.stop[node]
        units = tree.units[start:stop]
        squares, weight = add_up(goal, units, total)
        if node == 0:
            tree.impurity[0] = impurity_of(goal, total, squares, weight)
        if (
            tree.depth[node] >= limits.depth
            or stop - start < limits.least_split
            or stop - start < 2 * limits.least_leaf
            or weight < 2.0 * limits.least_weight
        ):
            continue
        if abs(tree.impurity[node] - PURE) <= memory.slack[node]:
            find_order(rows, goal, node, tree, memory)
        if tree.impurity[node] <= PURE:
            continue
        n_seen, tree.n_constant[node], seed = draw_features(
            *(rows.x, rows.is_ranked, tree.order, tree.units, start, stop, limits.n_tried),
            *(tree.n_constant[node], seed, tree.features, tree.constants, tree.visited),
        )
        memory.visit[node], memory.n_seen[n_visits] = n_visits, n_seen
        for k in range(n_seen):
            memory.visits[n_visits, k] = tree.visited[k]
        n_visits += 1
        slack = ROUNDING * weight * math.sqrt(weight) * squares
        k, place = _choose(
            rows, goal, limits, node, total[0], slack, tree, memory, test, near, needs_values
        )
        if k == LEAF:
            continue
        at = tree.visited[k]
        copy_units(tree.order[at, start:stop], units)
        left, right = n_nodes, n_nodes + 1
        tree.feature[node], tree.left[node] = at, left
        tree.threshold[node] = _threshold(rows, at, place, node, tree)
        tree.start[left], tree.stop[left] = start, start + place
        tree.start[right], tree.stop[right] = start + place, stop
        for child in (left, right):
            tree.feature[child] = LEAF
            tree.depth[child] = tree.depth[node] + 1
            tree.n_constant[child] = tree.n_constant[node]
            memory.parent[child], memory.is_known[child] = node, False
            first, last = tree.start[child], tree.stop[child]
            tree.impurity[child] = _variance(goal.number, tree.units, first, last)
            memory.slack[child] = slack / (last - first)
        share, n_below = weight / everyone, float(place)
        gain = _decrease(tree.impurity, node, left, weight, n_below, share)
        error = share * (memory.slack[node] + 4.0 * slack / weight)
        if abs(gain + PURE - limits.least_gain) <= error:
            find_order(rows, goal, node, tree, memory)
            order_children(rows, goal, node, tree, memory)
            gain = _decrease(tree.impurity, node, left, weight, n_below, share)
        if gain + PURE < limits.least_gain:
            tree.feature[node] = LEAF
            continue
        # Leaves need no order.
        if tree.depth[left] < limits.depth:
            for p in range(stop - start):
                tree.is_right[units[p]] = p >= place
            for f in range(n_features):
                separate(tree.is_right, tree.order[f, start:stop], tree.spare)
        open_nodes[n_open], open_nodes[n_open + 1] = right, left
        n_open += 2
        n_nodes += 2
    if needs_values:
        _find_values(rows, goal, n_nodes, tree, memory)
    return n_nodes


@compiled
def _variance(number: FloatArray, units: Places, start: int, stop: int) -> float:
    """Return the impurity of a node whose units are in any order."""
    total, squares = 0.0, 0.0
    for p in range(start, stop):
        own = number[units[p]]
        total += own
        squares += own * own
    mean = total / (stop - start)
    return squares / (stop - start) - mean * mean


@compiled
def _gains_clearly(
    limits: Limits, node: int, gain: float, slack: float, tree: Tree, memory: Memory
) -> bool:
    """Return whether a split gains enough whatever the rounding."""
    error = 8.0 * slack + 2.0 * (tree.stop[node] - tree.start[node]) * memory.slack[node]
    return bool(gain - error > limits.least_gain * tree.stop[0])


@compiled
def _decrease(
    impurity: FloatArray, node: int, left: int, weight: float, n_below: float, share: float
) -> float:
    """Return by how much a split reduces the impurity, in scikit-learn's arithmetic."""
    one, other, n_above = impurity[left], impurity[left + 1], weight - n_below
    decrease: float = share * (
        impurity[node] - (n_above / weight * other) - (n_below / weight * one)
    )
    return decrease


@compiled
def _find_values(rows: Rows, goal: Goal, n_nodes: int, tree: Tree, memory: Memory) -> None:
    """Write the mean of every leaf, summed in scikit-learn's order."""
    total = np.empty(1)
    for node in range(n_nodes):
        if tree.feature[node] == LEAF:
            find_order(rows, goal, node, tree, memory)
            entry = memory.entry[tree.depth[node], tree.start[node] : tree.stop[node]]
            _, weight = add_up(goal, entry, total)
            tree.value[node, 0] = total[0] / weight


@compiled
def _choose(
    rows: Rows,
    goal: Goal,
    limits: Limits,
    node: int,
    total: float,
    slack: float,
    tree: Tree,
    memory: Memory,
    test: SingleArray,
    near: tuple[IntArray, FloatArray],
    needs_values: bool,
) -> tuple[int, int]:
    """Return which of the features looked at has the best split of a node, and its place."""
    start, stop = tree.start[node], tree.stop[node]
    visit = memory.visit[node]
    n_seen = memory.n_seen[visit]
    splits, gains = near
    best, n_near = -np.inf, 0
    for k in range(n_seen):
        x, order = rows.x[tree.visited[k]], tree.order[tree.visited[k], start:stop]
        if x[order[-1]] > x[order[0]] + CLOSEST:
            best, n_near = _scan_loosely(
                x, goal.number, order, total, limits, slack, k, best, n_near, splits, gains
            )
    if n_near == 0:
        return LEAF, 0
    if n_near > MOST_NEAR:
        return _settle(rows, goal, limits, node, 0, n_seen - 1, tree, memory)
    # Those that came first may have been left behind little by little.
    kept = 0
    for c in range(n_near):
        if gains[c] >= best - slack:
            splits[kept, 0], splits[kept, 1] = splits[c, 0], splits[c, 1]
            kept += 1
    if kept > 1:
        may_mirror = (
            tree.depth[node] + 1 >= limits.depth
            and not needs_values
            and _gains_clearly(
                limits, node, best - total * total / (stop - start), slack, tree, memory
            )
        )
        if not _are_alike(rows, goal, node, splits[:kept], may_mirror, tree, test):
            first, last = splits[0, 0], splits[kept - 1, 0]
            return _settle(rows, goal, limits, node, first, last, tree, memory)
    return splits[0, 0], splits[0, 1]


@compiled
def _scan_loosely(
    x: SingleArray,
    number: FloatArray,
    order: Places,
    total: float,
    limits: Limits,
    slack: float,
    k: int,
    best: float,
    n_near: int,
    splits: IntArray,
    gains: FloatArray,
) -> tuple[float, int]:
    """Collect splits of a feature that may be the best so far; return its gain and their number."""
    size, below = order.size, 0.0
    n_below, n_above, reach = 0.0, float(size), best - slack
    for p in range(size - 1):
        below += number[order[p]]
        n_below += 1.0
        n_above -= 1.0
        above = total - below
        # Without the divisions, which take most of the time.
        reached = below * below * n_above + above * above * n_below
        if reached <= reach * (n_below * n_above):
            continue
        if x[order[p + 1]] <= x[order[p]] + CLOSEST:
            continue
        least = min(n_below, n_above)
        if least < limits.least_leaf or least < limits.least_weight:
            continue
        gain = below * below / n_below + above * above / n_above
        if gain > best + slack:
            n_near = 0
        if n_near < MOST_NEAR:
            splits[n_near, 0], splits[n_near, 1], gains[n_near] = k, p + 1, gain
            n_near += 1
        else:
            n_near = MOST_NEAR + 1
        if gain > best:
            best, reach = gain, gain - slack
    return best, n_near


@compiled
def _are_alike(
    rows: Rows,
    goal: Goal,
    node: int,
    splits: IntArray,
    may_mirror: bool,
    tree: Tree,
    test: SingleArray,
) -> bool:
    """Return whether splits divide the units of a node, and others that come to it, the same way.

    Those that lead to leaves may also have the sides exchanged.
    """
    start, stop = tree.start[node], tree.stop[node]
    size, place = stop - start, splits[0, 1]
    first = tree.visited[splits[0, 0]]
    for p in range(size):
        tree.is_right[tree.order[first, start + p]] = p >= place
    for c in range(1, len(splits)):
        f, p = tree.visited[splits[c, 0]], splits[c, 1]
        order = tree.order[f, start:stop]
        is_mirrored = tree.is_right[order[0]]
        if p != (size - place if is_mirrored else place) or (is_mirrored and not may_mirror):
            return False
        for u in order[:p]:
            if tree.is_right[u] != is_mirrored:
                return False
        one = _threshold(rows, first, place, node, tree)
        other = _threshold(rows, f, p, node, tree)
        for q in range(test.shape[1]):
            is_apart = (test[first, q] <= one) != (test[f, q] <= other)
            if is_apart != is_mirrored and leaf_of(test, q, tree) == node:
                return False
        if not goal.is_plain:
            for u in range(goal.weight.size):
                if goal.weight[u] == 0.0:
                    is_apart = (rows.x[first, u] <= one) != (rows.x[f, u] <= other)
                    if is_apart != is_mirrored and leaf_of(rows.x, u, tree) == node:
                        return False
    return True


@compiled
def _threshold(rows: Rows, f: int, place: int, node: int, tree: Tree) -> float:
    """Return the midpoint of the values on either side of a split."""
    at = tree.start[node] + place
    threshold: float = rows.x[f, tree.order[f, at - 1]] / 2.0 + rows.x[f, tree.order[f, at]] / 2.0
    return threshold


@compiled
def _settle(
    rows: Rows,
    goal: Goal,
    limits: Limits,
    node: int,
    first: int,
    last: int,
    tree: Tree,
    memory: Memory,
) -> tuple[int, int]:
    """Return the best split by the features from ``first`` to ``last``, in scikit-learn's order."""
    find_order(rows, goal, node, tree, memory)
    start, stop = tree.start[node], tree.stop[node]
    entry, units = memory.entry[tree.depth[node], start:stop], memory.units[: stop - start]
    total = np.empty(1)
    _, weight = add_up(goal, entry, total)
    features = memory.visits[memory.visit[node]]
    best, at, place = -np.inf, LEAF, 0
    for k in range(first, last + 1):
        x = rows.x[features[k]]
        if k == first:
            sort_through(rows, entry, features, first, units, tree.values, memory.is_in)
        else:
            sort_by(x, units, tree.values[: stop - start])
        if x[units[-1]] > x[units[0]] + CLOSEST:
            gain, p = scan(x, goal, units, total, weight, limits, best)
            if gain > best:
                best, at, place = gain, k, p
    return at, place
