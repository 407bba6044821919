"""Grows survival trees as scikit-survival does: splits are compared by the log-rank statistic.

The trees are those of `growing` but for this:

- A unit that was drawn twice is at risk twice. Weights are whole numbers, so no sum is rounded, and
  the order of units within a node does not matter.
- No node is pure. A node is split unless it is too deep or too small, or no split tells events
  apart.
- A time at which nobody in a node had the event adds 0 to both sums of the statistic, without
  rounding. It is passed over, where scikit-survival goes through the times of all units for every
  split.

A unit is answered with the cumulative hazard of its leaf (Nelson and Aalen), summed over the event
times of the training set.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.dividing import exchange
from tlpo.engines.trees.drawing import draw_features
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.sorting import sort_by
from tlpo.engines.trees.structure import CLOSEST, LEAF, Rows, Tree, empty_tree, leaf_of


class Times(NamedTuple):
    """When the units of a training set had the event.

    Attributes
    ----------
    place : ndarray of shape (n,)
        Where the time of a unit is among the distinct times.
    died : ndarray of shape (n,)
        Whether it had the event.
    is_of_event : ndarray of shape (n_times,)
        Whether anybody had the event at a time.
    """

    place: IntArray
    died: BoolArray
    is_of_event: BoolArray


class Risk(NamedTuple):
    """The event times of a node, in rooms that are large enough for all times.

    Attributes
    ----------
    group : ndarray of shape (n,)
        At how many of them a unit is at risk: at the first so many.
    at_risk, deaths : ndarray of shape (n_times,)
        How many are at risk, and how many have the event.
    spread : ndarray of shape (n_times,)
        What a time adds to the variance, but for the shares of both children.
    below, deaths_below : ndarray of shape (n_times,)
        How many of the left child are at risk, and have the event.
    """

    group: IntArray
    at_risk: FloatArray
    deaths: FloatArray
    spread: FloatArray
    below: FloatArray
    deaths_below: FloatArray


@compiled
def ask_logrank_trees(
    rows: Rows,
    times: Times,
    weights: FloatArray,
    limits: Limits,
    seeds: IntArray,
    test: SingleArray,
    answers: FloatArray,
) -> None:
    """Add what trees, one per row of weights, answer for a table (n_features, t)."""
    tree, risk = empty_tree(len(rows.x), rows.x.shape[1], 1), _rooms(times)
    for t in range(seeds.size):
        _grow(rows, times, weights[t], limits, seeds[t], tree, risk)
        for q in range(answers.size):
            answers[q] += tree.value[leaf_of(test, q, tree), 0]


@compiled
def note_logrank_tree(
    rows: Rows,
    times: Times,
    weights: FloatArray,
    limits: Limits,
    seed: int,
    total: FloatArray,
    leaf: FloatArray,
    hazard: FloatArray,
) -> None:
    """Grow a tree, and write for every row what it is answered with, its leaf, and more.

    Of rows that have a weight: the cumulative hazard of the leaf at their time.
    """
    tree, risk = empty_tree(len(rows.x), rows.x.shape[1], 1), _rooms(times)
    n_nodes = _grow(rows, times, weights, limits, seed, tree, risk)
    for u in range(leaf.size):
        own = leaf_of(rows.x, u, tree)
        leaf[u], total[u], hazard[u] = own, tree.value[own, 0], 0.0
    for node in range(n_nodes):
        if tree.feature[node] == LEAF:
            units = tree.units[tree.start[node] : tree.stop[node]]
            weight = 0.0
            for u in units:
                weight += weights[u]
            _sum_of_hazard(times, units, weights, weight, risk)
            for u in units:
                hazard[u] = risk.below[times.place[u]]


@compiled
def _rooms(times: Times) -> Risk:
    n, n_times = times.place.size, times.is_of_event.size
    return Risk(
        np.empty(n, np.intp),
        np.empty(n_times),
        np.empty(n_times),
        np.empty(n_times),
        np.empty(n_times),
        np.empty(n_times),
    )


@compiled
def _grow(
    rows: Rows,
    times: Times,
    weights: FloatArray,
    limits: Limits,
    seed: int,
    tree: Tree,
    risk: Risk,
) -> int:
    """Grow a tree on the rows that have a weight; return how many nodes it has."""
    n, n_features = 0, len(rows.x)
    for u in range(weights.size):
        tree.units[n] = u
        n += weights[u] != 0.0
    for f in range(n_features):
        tree.features[f] = f
    open_nodes = np.empty(n + 1, dtype=np.intp)
    open_nodes[0], n_open, n_nodes = 0, 1, 1
    tree.start[0], tree.stop[0], tree.depth[0], tree.n_constant[0] = 0, n, 0, 0
    while n_open:
        n_open -= 1
        node = open_nodes[n_open]
        start, stop = tree.start[node], tree.stop[node]
        units = tree.units[start:stop]
        weight = 0.0
        for u in units:
            weight += weights[u]
        at, threshold, place = LEAF, 0.0, 0
        if not (
            tree.depth[node] >= limits.depth
            or units.size < limits.least_split
            or units.size < 2 * limits.least_leaf
            or weight < 2.0 * limits.least_weight
        ):
            n_seen, tree.n_constant[node], seed = draw_features(
                *(rows.x, rows.is_ranked, tree.order, tree.units, start, stop, limits.n_tried),
                *(tree.n_constant[node], seed, tree.features, tree.constants, tree.visited),
            )
            n_times, best = _fill(times, units, weights, weight, risk), -np.inf
            for k in range(n_seen):
                x = rows.x[tree.visited[k]]
                sort_by(x, units, tree.values[start:stop])
                if x[units[-1]] <= x[units[0]] + CLOSEST:
                    continue
                found, p = _scan(x, units, times, weights, weight, limits, risk, n_times, best)
                if found > best:
                    best, at, place = found, tree.visited[k], start + p
                    threshold = x[units[p - 1]] / 2.0 + x[units[p]] / 2.0
        tree.feature[node] = at
        if at == LEAF:
            tree.value[node, 0] = _sum_of_hazard(times, units, weights, weight, risk)
            continue
        exchange(rows.x[at], threshold, units)
        left, right = n_nodes, n_nodes + 1
        tree.threshold[node], tree.left[node] = threshold, left
        tree.start[left], tree.stop[left] = start, place
        tree.start[right], tree.stop[right] = place, stop
        for child in (left, right):
            tree.depth[child] = tree.depth[node] + 1
            tree.n_constant[child] = tree.n_constant[node]
        open_nodes[n_open], open_nodes[n_open + 1] = right, left
        n_open += 2
        n_nodes += 2
    return n_nodes


@compiled
def _count(times: Times, units: Places, weights: FloatArray, risk: Risk) -> None:
    """Count at every time who had the event, and who is known until then but not longer."""
    for t in range(times.is_of_event.size):
        risk.at_risk[t], risk.deaths[t] = 0.0, 0.0
    for u in units:
        risk.at_risk[times.place[u]] += weights[u]
        if times.died[u]:
            risk.deaths[times.place[u]] += weights[u]


@compiled
def _fill(times: Times, units: Places, weights: FloatArray, n_at_risk: float, risk: Risk) -> int:
    """Find the event times of a node; return how many there are."""
    _count(times, units, weights, risk)
    k = 0
    for t in range(times.is_of_event.size):
        left, deaths = risk.at_risk[t], risk.deaths[t]
        if deaths > 0.0:
            risk.at_risk[k], risk.deaths[k], risk.spread[k] = n_at_risk, deaths, 0.0
            if n_at_risk > 1.0:
                risk.spread[k] = (n_at_risk - deaths) / (n_at_risk - 1.0) * deaths
            k += 1
        n_at_risk -= left
        risk.below[t] = k  # until groups are known
    for u in units:
        risk.group[u] = int(risk.below[times.place[u]])
    return k


@compiled
def _scan(
    x: SingleArray,
    order: Places,
    times: Times,
    weights: FloatArray,
    weight: float,
    limits: Limits,
    risk: Risk,
    n_times: int,
    best: float,
) -> tuple[float, int]:
    """Return the best split of a feature if it is better, and its place."""
    size, place, n_below = order.size, 0, 0.0
    for k in range(n_times):
        risk.below[k], risk.deaths_below[k] = 0.0, 0.0
    for p in range(1, size):
        u = order[p - 1]
        n_below += weights[u]
        for k in range(risk.group[u]):
            risk.below[k] += weights[u]
        if times.died[u]:
            risk.deaths_below[risk.group[u] - 1] += weights[u]
        if x[order[p]] <= x[u] + CLOSEST:
            continue
        if p < limits.least_leaf or size - p < limits.least_leaf:
            continue
        if n_below < limits.least_weight or weight - n_below < limits.least_weight:
            continue
        numerator, variance = 0.0, 0.0
        for k in range(n_times):
            ratio = risk.below[k] / risk.at_risk[k]
            numerator += risk.deaths_below[k] - risk.deaths[k] * ratio
            variance += ratio * (1.0 - ratio) * risk.spread[k]
        if variance != 0.0:
            found = abs(numerator / math.sqrt(variance))
            if found > best:
                best, place = found, p
    return best, place


@compiled
def _sum_of_hazard(
    times: Times, units: Places, weights: FloatArray, n_at_risk: float, risk: Risk
) -> float:
    """Sum the cumulative hazard of a leaf over the event times of the training set.

    The hazard at each time is left in ``risk.below``.
    """
    _count(times, units, weights, risk)
    hazard, total = 0.0, 0.0
    for t in range(times.is_of_event.size):
        left = risk.at_risk[t]
        if n_at_risk > 0.0:
            hazard += risk.deaths[t] / n_at_risk
        risk.below[t] = hazard
        if times.is_of_event[t]:
            total += hazard
        n_at_risk -= left
    return total
