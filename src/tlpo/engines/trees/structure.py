"""Training sets and trees as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled

LEAF = -1
# Single precision: a 64-bit constant would widen the sum it is compared in.
CLOSEST = np.float32(1e-7)


class Rows(NamedTuple):
    """The training set of a tree.

    Attributes
    ----------
    x : ndarray of shape (n_features, n)
        Features.
    ranked : ndarray of shape (n_features, n)
        The rows in the order of each feature; only of those that are ranked.
    is_ranked : ndarray of shape (n_features,)
        Whether that order is known. It must be the only one, up to rows that are equal in all.
    are_apart : bool
        Whether no two values of a ranked feature are within 1e-7.
    """

    x: SingleArray
    ranked: Places
    is_ranked: BoolArray
    are_apart: bool


class Tree(NamedTuple):
    """A tree, and what is needed to grow it.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The feature a node is split by, or ``LEAF``.
    threshold : ndarray of shape (n_nodes,)
        Values up to it go left.
    left : ndarray of shape (n_nodes,)
        The left child; the right child follows it.
    value : ndarray of shape (n_nodes, n_sums)
        Mean number, or shares of the classes.
    start, stop, depth, n_constant : ndarray of shape (n_nodes,)
        Where the units of a node stand, how many splits lead to it, and how many features are known
        to be constant in it.
    impurity : ndarray of shape (n_nodes,)
        Impurities.
    units : ndarray of shape (n,)
        The units of all nodes, in the order in which sums over them are taken.
    order : ndarray of shape (n_features, n)
        The same in the order of each ranked feature.
    values, spare : ndarray of shape (n,)
        Room to sort in.
    is_right : ndarray of shape (n,)
        Who went right at the last split.
    features, constants : ndarray of shape (n_features,)
        The order in which features were drawn last, and those known to be constant.
    visited : ndarray of shape (n_features,)
        The features that are looked at in a node, in that order.
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    value: FloatArray
    start: IntArray
    stop: IntArray
    depth: IntArray
    n_constant: IntArray
    impurity: FloatArray
    units: Places
    order: Places
    values: SingleArray
    spare: Places
    is_right: BoolArray
    features: IntArray
    constants: IntArray
    visited: IntArray


@compiled
def empty_tree(n_features: int, n: int, n_sums: int) -> Tree:
    """Return room for any tree of n units."""
    n_nodes = 2 * n
    return Tree(
        np.empty(n_nodes, dtype=np.intp),
        np.empty(n_nodes),
        np.empty(n_nodes, dtype=np.intp),
        np.empty((n_nodes, n_sums)),
        np.empty(n_nodes, dtype=np.intp),
        np.empty(n_nodes, dtype=np.intp),
        np.empty(n_nodes, dtype=np.intp),
        np.empty(n_nodes, dtype=np.intp),
        np.empty(n_nodes),
        np.empty(n, dtype=np.int32),
        np.empty((n_features, n), dtype=np.int32),
        np.empty(n, dtype=np.float32),
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.bool_),
        np.empty(n_features, dtype=np.intp),
        np.empty(n_features, dtype=np.intp),
        np.empty(n_features, dtype=np.intp),
    )


@compiled
def leave_out(
    x: SingleArray,
    ranked: Places,
    is_ranked: BoolArray,
    units: IntArray,
    train: SingleArray,
    order: Places,
    test: SingleArray,
    kept: IntArray,
) -> None:
    """Write the features of all units but some, their order, and the features of these.

    ``kept`` are the units that are left, in their order.
    """
    n_features, m = x.shape
    place = np.zeros(m, dtype=np.int32)
    for u in units:
        place[u] = LEAF
    n = 0
    for u in range(m):
        if place[u] != LEAF:
            place[u], kept[n] = n, u
            n += 1
    for f in range(n_features):
        for p in range(n):
            train[f, p] = x[f, kept[p]]
        for q in range(units.size):
            test[f, q] = x[f, units[q]]
        if is_ranked[f]:
            p = 0
            for u in ranked[f]:
                if place[u] != LEAF:
                    order[f, p] = place[u]
                    p += 1


@compiled
def leaf_of(x: SingleArray, row: int, tree: Tree) -> int:
    """Return the leaf that a row of a table (n_features, n) falls into."""
    node = 0
    while tree.feature[node] != LEAF:
        goes_left = x[tree.feature[node], row] <= tree.threshold[node]
        node = tree.left[node] + (0 if goes_left else 1)
    return node
