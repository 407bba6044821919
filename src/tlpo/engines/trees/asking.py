"""Trees that are grown to be asked about some units, and then forgotten."""

from __future__ import annotations

from tlpo.arrays import FloatArray, IntArray, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.criteria import Goal
from tlpo.engines.trees.growing import Rows, empty_tree, grow, leaf_of
from tlpo.engines.trees.settings import Limits


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
        own = Goal(
            goal.criterion, goal.n_sums, goal.number, goal.code, weights[t], goal.is_plain
        )
        ends = Limits(
            limits.depth,
            limits.n_tried,
            limits.least_split,
            limits.least_leaf,
            least_weights[t],
            limits.least_gain,
        )
        grow(rows, own, ends, seeds[t], tree)
        for q in range(len(answers)):
            leaf = leaf_of(test, q, tree)
            for k in range(goal.n_sums):
                answers[q, k] += tree.value[leaf, k]
