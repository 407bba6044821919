"""Gradient boosting without one held-out set after another, compiled by numba.

A stage computes the slopes of the loss, grows a tree on them, and moves the prediction of every
unit by a share of the step that its leaf calls for. Arithmetic is scikit-learn's: in small samples
splits are often equally good, and rounding decides which is taken.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.any_order import DEEPEST, grow_loosely
from tlpo.engines.trees.criteria import SQUARES, Goal
from tlpo.engines.trees.growing import grow
from tlpo.engines.trees.replay import Memory, empty_memory
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.structure import LEAF, Rows, Tree, empty_tree, leaf_of, leave_out

# Losses.
SQUARED, LOG, EXPONENTIAL, MULTINOMIAL = 0, 1, 2, 3
# Numbers that NumPy sums without halving them, and more parts than halving leaves.
BLOCK, MOST = 128, 256


class Plan(NamedTuple):
    """What all fits have in common.

    Attributes
    ----------
    loss : int
        Which loss is reduced.
    rate : float
        The share of each step that is taken.
    limits : Limits
        Where trees end.
    """

    loss: int
    rate: float
    limits: Limits


@compiled
def boost_sets(
    x: SingleArray,
    ranked: Places,
    is_ranked: BoolArray,
    y: FloatArray,
    plan: Plan,
    start: FloatArray,
    seeds: IntArray,
    draws: FloatArray,
    n_drawn: int,
    sets: IntArray,
    responses: FloatArray,
) -> None:
    """Write the responses for every unit of some held-out sets, boosted without the set.

    Parameters
    ----------
    x, ranked, is_ranked
        Features of all units, see `Features`.
    y : ndarray of shape (m,)
        What is predicted: numbers, or numbers of classes.
    start : ndarray of shape (g, K)
        What is predicted without trees, for each of several classes.
    seeds : ndarray of shape (1 or g, n_stages, K)
        Seeds of the trees.
    draws : ndarray of shape (1 or g, n_stages, n)
        Uniform numbers that decide who is in the subsample of a stage; empty if all are.
    n_drawn : int
        The size of subsamples.
    responses : ndarray of shape (g, s, K)
        The responses.
    """
    n_features, m = x.shape
    size = sets.shape[1]
    n = m - size
    train, test = np.empty((n_features, n), np.float32), np.empty((n_features, size), np.float32)
    order, kept = np.empty((n_features, n), dtype=np.int32), np.empty(n, dtype=np.intp)
    tree, memory = empty_tree(n_features, n, 1), memory_for(n_features, n, is_ranked, plan)
    is_loose = len(memory.entry) > 0
    are_ordered = is_ranked | is_loose
    for k in range(len(sets)):
        leave_out(x, ranked, are_ordered, sets[k], train, order, test, kept)
        rows = Rows(train, order, are_ordered, not is_loose)
        drawn = draws[min(k, len(draws) - 1)]
        boost(
            *(rows, y[kept], test, plan, start[k], seeds[min(k, len(seeds) - 1)]),
            *(drawn, n_drawn, tree, memory, responses[k]),
        )


@compiled
def memory_for(n_features: int, n: int, is_ranked: BoolArray, plan: Plan) -> Memory:
    """Return room to grow trees loosely, or none if that would not be faster."""
    for f in range(n_features):
        if not is_ranked[f] and plan.limits.depth <= DEEPEST:
            return empty_memory(n_features, n, plan.limits.depth)
    return empty_memory(0, 0, -1)


@compiled
def boost(
    rows: Rows,
    y: FloatArray,
    test: SingleArray,
    plan: Plan,
    start: FloatArray,
    seeds: IntArray,
    draws: FloatArray,
    n_drawn: int,
    tree: Tree,
    memory: Memory,
    responses: FloatArray,
) -> None:
    """Boost on a training set and write the responses for a test set.

    Arguments are those of `boost_sets`, for one set. A stage has one tree for each of K classes.
    """
    n, K = y.size, start.size
    raw, slope, weight = np.empty((K, n)), np.empty((K, n)), np.ones(n)
    own = y if K == 1 else np.empty(n)
    leaves, step = np.empty(n, dtype=np.intp), np.empty(tree.left.size)
    gathered = np.empty((2, n))
    is_plain = draws.size == 0
    for k in range(K):
        for u in range(n):
            raw[k, u] = start[k]
        for q in range(len(responses)):
            responses[q, k] = start[k]
    for stage in range(len(seeds)):
        if not is_plain:
            _draw(draws[stage], n_drawn, weight)
        _find_slopes(plan.loss, y, raw, slope)
        for k in range(K):
            if K > 1:
                for u in range(n):
                    own[u] = y[u] == k
            goal = Goal(SQUARES, 1, slope[k], np.empty(0, dtype=np.intp), weight, is_plain)
            if len(memory.entry) > 0:
                needs_values = plan.loss == SQUARED
                n_nodes = grow_loosely(
                    *(rows, goal, plan.limits, seeds[stage, k], tree, memory, test, needs_values)
                )
            else:
                n_nodes = grow(rows, goal, plan.limits, seeds[stage, k], tree)
            _find_leaves(rows, goal, n_nodes, tree, leaves)
            if plan.loss != SQUARED:
                _take_newton_steps(plan.loss, K, n_nodes, leaves, own, goal, tree, gathered)
            for node in range(n_nodes):
                step[node] = plan.rate * tree.value[node, 0]
            for u in range(n):
                raw[k, u] += step[leaves[u]]
            for q in range(len(responses)):
                responses[q, k] += step[leaf_of(test, q, tree)]


@compiled
def _draw(draws: FloatArray, n_drawn: int, weight: FloatArray) -> None:
    """Give the units of a subsample the weight 1, and others none."""
    found, n = 0, weight.size
    for u in range(n):
        is_in = draws[u] * (n - u) < n_drawn - found
        weight[u] = 1.0 if is_in else 0.0
        found += is_in


@compiled
def _find_slopes(loss: int, y: FloatArray, raw: FloatArray, slope: FloatArray) -> None:
    """Write the negative derivatives of the loss in the prediction of every class."""
    K, n = raw.shape
    for u in range(n):
        if loss != MULTINOMIAL:
            slope[0, u] = _slope(loss, y[u], raw[0, u])
            continue
        largest, total = raw[0, u], 0.0
        for k in range(1, K):
            largest = max(largest, raw[k, u])
        for k in range(K):
            slope[k, u] = math.exp(raw[k, u] - largest)
            total += slope[k, u]
        for k in range(K):
            slope[k, u] = -(slope[k, u] / total - (1.0 if y[u] == k else 0.0))


@compiled
def _slope(loss: int, y: float, raw: float) -> float:
    """Return the negative derivative of the loss."""
    if loss == SQUARED:
        return y - raw
    if loss == EXPONENTIAL:
        e = math.exp(raw)
        return -(-y / e + (1.0 - y) * e)
    if raw > -37.0:
        e = math.exp(-raw)
        return -(((1.0 - y) - y * e) / (1.0 + e))
    return -(math.exp(raw) - y)


@compiled
def _find_leaves(rows: Rows, goal: Goal, n_nodes: int, tree: Tree, leaves: IntArray) -> None:
    """Write the leaf of every row, also of those outside the subsample."""
    for node in range(n_nodes):
        if tree.feature[node] == LEAF:
            for u in tree.units[tree.start[node] : tree.stop[node]]:
                leaves[u] = node
    if not goal.is_plain:
        for u in range(leaves.size):
            if goal.weight[u] == 0.0:
                leaves[u] = leaf_of(rows.x, u, tree)


@compiled
def _take_newton_steps(
    loss: int,
    K: int,
    n_nodes: int,
    leaves: IntArray,
    y: FloatArray,
    goal: Goal,
    tree: Tree,
    gathered: FloatArray,
) -> None:
    """Give every leaf the step that its slopes call for."""
    slope, curvature = gathered
    # Units of a leaf stand side by side, in the order of the training set.
    place = tree.start[:n_nodes].copy()
    for u in range(y.size):
        if goal.weight[u] != 0.0:
            p = place[leaves[u]]
            place[leaves[u]] += 1
            own = goal.number[u]
            slope[p] = own
            if loss != EXPONENTIAL:
                share = y[u] - own
                curvature[p] = share * (1.0 - share)
            else:
                curvature[p] = own if y[u] != 0.0 else -own
    for node in range(n_nodes):
        if tree.feature[node] == LEAF:
            start, stop = tree.start[node], tree.stop[node]
            size = float(stop - start)
            below = sum_pairwise(curvature[start:stop]) / size
            above = sum_pairwise(slope[start:stop]) / size
            if loss == MULTINOMIAL:
                above *= (K - 1) / K
            tree.value[node, 0] = above / below if abs(below) >= 1e-150 else 0.0


@compiled
def sum_pairwise(values: FloatArray) -> float:
    """Sum as NumPy does: halves of more than 128 numbers are summed apart."""
    if values.size <= BLOCK:
        return _sum_block(values)
    # Parts that are still to be summed, and sums that are still to be added: an empty part adds
    # the two last sums.
    low, high, sums = np.empty(MOST, np.intp), np.empty(MOST, np.intp), np.empty(MOST)
    low[0], high[0], n_parts, n_sums = 0, values.size, 1, 0
    while n_parts:
        n_parts -= 1
        first, last = low[n_parts], high[n_parts]
        size = last - first
        if size == 0:
            n_sums -= 1
            sums[n_sums - 1] += sums[n_sums]
        elif size <= BLOCK:
            sums[n_sums] = _sum_block(values[first:last])
            n_sums += 1
        else:
            middle = first + size // 2 - size // 2 % 8
            for a, b in ((0, 0), (middle, last), (first, middle)):
                low[n_parts], high[n_parts] = a, b
                n_parts += 1
    total: float = sums[0]
    return total


@compiled
def _sum_block(values: FloatArray) -> float:
    """Take eight sums side by side, then the rest."""
    total, whole = 0.0, values.size - values.size % 8
    if whole:
        a, b, c, d = values[0], values[1], values[2], values[3]
        e, f, g, h = values[4], values[5], values[6], values[7]
        for k in range(8, whole, 8):
            a += values[k]
            b += values[k + 1]
            c += values[k + 2]
            d += values[k + 3]
            e += values[k + 4]
            f += values[k + 5]
            g += values[k + 6]
            h += values[k + 7]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(whole, values.size):
        total += values[k]
    return total
