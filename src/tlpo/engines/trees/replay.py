"""Scikit-learn's order of the units of a node, found when it is needed.

A node gets its units in the order that its parent left them in: sorted by one feature after the
other, of which equal values keep traces, then exchanged around the threshold. A feature without
equal values in a node wipes out these traces, so that sorting need only be followed from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import Goal
from tlpo.engines.trees.dividing import exchange, sums_below
from tlpo.engines.trees.growing import add_up, variances
from tlpo.engines.trees.sorting import copy_units, sort_by
from tlpo.engines.trees.structure import Rows, Tree


class Memory(NamedTuple):
    """What is remembered of a tree so that the order of its units can be found later.

    Attributes
    ----------
    parent : ndarray of shape (n_nodes,)
        Parents.
    is_known : ndarray of shape (n_nodes,)
        Whether the order in which a node got its units is known.
    entry : ndarray of shape (depth + 1, n)
        That order, for all nodes of a depth.
    slack : ndarray of shape (n_nodes,)
        By how much an impurity may differ from scikit-learn's.
    visit : ndarray of shape (n_nodes,)
        The row of ``visits`` that has the features a node was searched by.
    visits : ndarray of shape (n_visits, n_features)
        These features in their order.
    n_seen : ndarray of shape (n_visits,)
        How many there are.
    units : ndarray of shape (n,)
        Room to sort units in.
    is_in : ndarray of shape (n,)
        Room to mark units; nobody is marked.
    """

    parent: IntArray
    is_known: BoolArray
    entry: Places
    slack: FloatArray
    visit: IntArray
    visits: Places
    n_seen: IntArray
    units: Places
    is_in: BoolArray


@compiled
def empty_memory(n_features: int, n: int, depth: int) -> Memory:
    """Return room for what is remembered of any tree of n units, up to a depth."""
    n_nodes, n_visits = 2 * n, min(2 * n, 2**depth)
    return Memory(
        np.empty(n_nodes, dtype=np.intp),
        np.empty(n_nodes, dtype=np.bool_),
        np.empty((depth + 1, n), dtype=np.int32),
        np.empty(n_nodes),
        np.empty(n_nodes, dtype=np.intp),
        np.empty((n_visits, n_features), dtype=np.int32),
        np.empty(n_visits, dtype=np.intp),
        np.empty(n, dtype=np.int32),
        np.zeros(n, dtype=np.bool_),
    )


@compiled
def find_order(rows: Rows, goal: Goal, node: int, tree: Tree, memory: Memory) -> None:
    """Find the order in which a node got its units, and its impurity."""
    while not memory.is_known[node]:
        known = memory.parent[node]
        while not memory.is_known[known]:
            known = memory.parent[known]
        order_children(rows, goal, known, tree, memory)


@compiled
def order_children(rows: Rows, goal: Goal, node: int, tree: Tree, memory: Memory) -> None:
    """Find the order in which the children of a node got their units, and their impurities."""
    start, stop = tree.start[node], tree.stop[node]
    left = tree.left[node]
    right, place = left + 1, tree.stop[left] - start
    units, entry = memory.units[: stop - start], memory.entry[tree.depth[node], start:stop]
    visit = memory.visit[node]
    last = memory.n_seen[visit] - 1
    sort_through(rows, entry, memory.visits[visit], last, units, tree.values, memory.is_in)
    total, below = np.empty(1), np.empty(1)
    squares, weight = add_up(goal, entry, total)
    exchange(rows.x[tree.feature[node]], tree.threshold[node], units)
    n_below = sums_below(goal, units, place, total, weight, below)
    n_above = weight - n_below
    tree.impurity[left], tree.impurity[right] = variances(
        goal, units, place, squares, below[0], n_below, total[0], n_above
    )
    copy_units(units, memory.entry[tree.depth[left], start:stop])
    for child in (left, right):
        memory.is_known[child], memory.slack[child] = True, 0.0


@compiled
def sort_through(
    rows: Rows,
    entry: Places,
    features: Places,
    last: int,
    units: Places,
    values: SingleArray,
    is_in: BoolArray,
) -> None:
    """Put units into the order that sorting them by features up to ``last`` leaves."""
    for u in entry:
        is_in[u] = True
    k = last
    while k >= 0 and not _has_one_order(
        rows.x[features[k]], rows.ranked[features[k]], is_in, units
    ):
        k -= 1
    for u in entry:
        is_in[u] = False
    if k < 0:
        copy_units(entry, units)
    for later in range(k + 1, last + 1):
        sort_by(rows.x[features[later]], units, values[: units.size])


@compiled
def _has_one_order(x: SingleArray, ranked: Places, is_in: BoolArray, units: Places) -> bool:
    """Write units in the order of a feature, unless some are equal."""
    n = 0
    for u in ranked:
        if is_in[u]:
            if n > 0 and x[u] == x[units[n - 1]]:
                return False
            units[n] = u
            n += 1
    return True
