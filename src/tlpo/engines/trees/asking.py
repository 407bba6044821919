"""Trees that are grown to be asked about some units, and then forgotten."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import Goal
from tlpo.engines.trees.growing import grow
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.structure import Rows, empty_tree, leaf_of, leave_out


@compiled
def ask_trees(
    rows: Rows,
    goal: Goal,
    weights: FloatArray,
    limits: Limits,
    least_weights: FloatArray,
    seeds: IntArray,
    test: SingleArray,
    answers: FloatArray,
) -> None:
    """Add what some trees answer for a table (n_features, t) to answers (t, n_sums).

    Each tree has weights of the rows, a least weight of leaves and a seed of its own, in place of
    those in ``goal`` and ``limits``.
    """
    tree = empty_tree(len(rows.x), rows.x.shape[1], goal.n_sums)
    for t in range(seeds.size):
        own = Goal(goal.criterion, goal.n_sums, goal.number, goal.code, weights[t], goal.is_plain)
        ends = Limits(
            limits.depth,
            limits.n_tried,
            limits.least_split,
            limits.least_leaf,
            least_weights[t],
            limits.least_gain,
            limits.draws_thresholds,
        )
        grow(rows, own, ends, seeds[t], tree)
        for q in range(len(answers)):
            leaf = leaf_of(test, q, tree)
            for k in range(goal.n_sums):
                answers[q, k] += tree.value[leaf, k]


@compiled
def ask_sets(
    x: SingleArray,
    ranked: Places,
    is_ranked: BoolArray,
    goal: Goal,
    weights: FloatArray,
    limits: Limits,
    least_weights: FloatArray,
    seeds: IntArray,
    sets: IntArray,
    answers: FloatArray,
) -> None:
    """Write what a tree grown without each of some sets answers for its units.

    Weights (g, n) are those of the training sets; there is one seed for all or one for each.
    """
    n_features, m = x.shape
    size = sets.shape[1]
    n = m - size
    train, test = np.empty((n_features, n), np.float32), np.empty((n_features, size), np.float32)
    order, kept = np.empty((n_features, n), dtype=np.int32), np.empty(n, dtype=np.intp)
    for k in range(len(sets)):
        leave_out(x, ranked, is_ranked, sets[k], train, order, test, kept)
        own = Goal(
            *(goal.criterion, goal.n_sums, goal.number[kept], goal.code[kept]),
            *(weights[k], goal.is_plain),
        )
        rows = Rows(train, order, is_ranked, True)
        seed = min(k, seeds.size - 1)
        for q in range(size):
            for c in range(goal.n_sums):
                answers[k, q, c] = 0.0
        ask_trees(
            *(rows, own, weights[k : k + 1], limits, least_weights[k : k + 1]),
            *(seeds[seed : seed + 1], test, answers[k]),
        )
