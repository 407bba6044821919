"""Trees, boosting and random forests, fast enough to simulate thousands of tournaments.

The trees are scikit-learn's, split for split: those of ``DecisionTreeClassifier(max_depth=…,
random_state=0)``, of ``DecisionTreeRegressor`` and of ``GradientBoostingClassifier``. Features are
sorted once for all pairs. As in scikit-learn,

- features count in single precision, and a threshold is the midpoint of two neighbouring values
  that are more than 1e-7 apart;
- a node is split unless it is as deep as allowed, holds a single unit, is pure (an impurity of at
  most 2e-16), or has no two values to split between. A split need not gain anything;
- of equal gains the first is taken: within a feature that of the lowest threshold, and features
  are visited in the random order that scikit-learn's generator draws for every node.

In small samples gains are often equal. Those of boosted trees are sums of real numbers, so rounding
decides which is larger; sums are therefore taken in the order of scikit-learn 1.9. What remains
different is the rounding of exp, and of sums over more than 128 units, which NumPy takes in two
halves: 1 of 2 610 games of six samples of 30 units. Where a feature is constant within a node,
which continuous features are not, the order of features differs from scikit-learn's.

The trees of a forest are grown by the same code, on bags and with √n features tried at each node,
as ``RandomForestClassifier`` grows them; for numbers with all features, as
``RandomForestRegressor`` does. Bags and features come from a generator of our own, so
that a forest is scikit-learn's in distribution. It must have continuous features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled

LEAF = -1
IMPURE = np.finfo(np.float64).eps
# Single precision: a 64-bit constant would widen the sum it is compared in.
CLOSEST = np.float32(1e-7)
LARGEST_SEED = 2**31 - 1
LEARNING_RATE = 0.1


class Tree(NamedTuple):
    """A tree while it grows: its nodes, and the units in each of them.

    Attributes
    ----------
    order : ndarray of shape (n_features + 1, n)
        The units of all nodes: those of a node are ``order[f, start:stop]``, sorted by feature f,
        and ``order[-1, start:stop]`` in the order of the sample.
    start, stop, depth : ndarray of shape (n_nodes,)
        Where the units of a node stand, and how many splits lead to it.
    feature : ndarray of shape (n_nodes,)
        The feature a node is split by, or ``LEAF``.
    threshold : ndarray of shape (n_nodes,)
        Values up to it go left.
    left : ndarray of shape (n_nodes,)
        The left child; the right child follows it.
    """

    order: IntArray
    start: IntArray
    stop: IntArray
    depth: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray


def tree_table(X: FloatArray, y: BoolArray | FloatArray, depth: int) -> FloatArray:
    """Return F: the probability, or the number, of i by the tree grown without i and j."""
    F = np.full((len(X), len(X)), np.nan)
    values, target = X.astype(np.float32), y.astype(float)
    _fill_trees(values, _sorted(values), target, depth, y.dtype == bool, _seeds(1)[0], F)
    return F


def boosting_table(X: FloatArray, is_positive: BoolArray, n_trees: int, depth: int) -> FloatArray:
    """Return F: the log odds of i by the trees boosted without i and j."""
    F = np.full((len(X), len(X)), np.nan)
    values = X.astype(np.float32)
    # A pair has 0, 1 or 2 positives.
    prior = logit((is_positive.sum() - np.arange(3)) / (len(X) - 2))
    _fill_boosting(
        values, _sorted(values), is_positive.astype(float), prior, depth, _seeds(n_trees), F
    )
    return F


def forest_table(X: FloatArray, y: BoolArray | FloatArray, n_trees: int) -> FloatArray:
    """Return F: probability or number of i by the first trees whose bags hold neither i nor j."""
    m, n_features = X.shape
    F, n_votes = np.zeros((m, m)), np.zeros((m, m), dtype=np.int64)
    values, target, are_classes = X.astype(np.float32), y.astype(float), y.dtype == bool
    n_tried = int(np.sqrt(n_features)) if are_classes else n_features
    # A refit draws m − 2. Forests of classes draw two more, as docs/coverage.csv was measured.
    n_drawn = m if are_classes else m - 2
    # Other bags for every sample.
    rng = np.random.default_rng(X[0].view(np.uint64))
    played = ~np.eye(m, dtype=bool)
    while n_votes[played].min() < n_trees:
        bags = rng.multinomial(n_drawn, np.full(m, 1.0 / m), size=4 * n_trees)
        seeds = rng.integers(1, LARGEST_SEED, size=len(bags))
        order = _sorted(values)
        _add_votes(values, order, target, bags, seeds, n_tried, are_classes, n_trees, F, n_votes)
    np.fill_diagonal(F, np.nan)
    return F / n_trees


def _sorted(X: FloatArray) -> IntArray:
    return np.vstack([np.argsort(X, axis=0, kind="stable").T, np.arange(len(X))])


def _seeds(n_trees: int) -> IntArray:
    """Return what scikit-learn seeds the trees of an estimator with ``random_state=0`` with."""
    return np.random.RandomState(0).randint(0, LARGEST_SEED, size=n_trees)


@compiled
def _fill_trees(
    X: FloatArray,
    order: IntArray,
    target: FloatArray,
    depth: int,
    gini: bool,
    seed: int,
    F: FloatArray,
) -> None:
    m = len(X)
    n_features = X.shape[1]
    tree = _empty_tree(n_features, m - 2, 2 ** (depth + 1) - 1)
    for i in range(m):
        for j in range(i + 1, m):
            _drop(order, i, j, tree)
            _grow(X, target, depth, n_features, gini, seed, tree)
            F[i, j] = _mean(target, _leaf(X[i], tree), tree)
            F[j, i] = _mean(target, _leaf(X[j], tree), tree)


@compiled
def _fill_boosting(
    X: FloatArray,
    order: IntArray,
    target: FloatArray,
    prior: FloatArray,
    depth: int,
    seeds: IntArray,
    F: FloatArray,
) -> None:
    m = len(X)
    n_features = X.shape[1]
    tree = _empty_tree(n_features, m - 2, 2 ** (depth + 1) - 1)
    log_odds, residual = np.empty(m), np.empty(m)
    step = np.empty(tree.left.size)
    for i in range(m):
        for j in range(i + 1, m):
            log_odds[:] = prior[int(target[i] + target[j])]
            for seed in seeds:
                for u in range(m):
                    e = np.exp(-log_odds[u])
                    residual[u] = (target[u] * e - (1.0 - target[u])) / (1.0 + e)
                _drop(order, i, j, tree)
                n_nodes = _grow(X, residual, depth, n_features, False, seed, tree)
                for node in range(n_nodes):
                    if tree.feature[node] == LEAF:
                        step[node] = LEARNING_RATE * _newton_step(target, residual, node, tree)
                        for u in tree.order[-1, tree.start[node] : tree.stop[node]]:
                            log_odds[u] += step[node]
                log_odds[i] += step[_leaf(X[i], tree)]
                log_odds[j] += step[_leaf(X[j], tree)]
            F[i, j], F[j, i] = log_odds[i], log_odds[j]


@compiled
def _add_votes(
    X: FloatArray,
    order: IntArray,
    target: FloatArray,
    bags: IntArray,
    seeds: IntArray,
    n_tried: int,
    gini: bool,
    n_trees: int,
    F: FloatArray,
    n_votes: IntArray,
) -> None:
    m = len(X)
    tree = _empty_tree(X.shape[1], bags[0].sum(), 2 * m)
    votes = np.empty(m)
    for b in range(len(bags)):
        _fill_bag(order, bags[b], tree)
        _grow(X, target, m, n_tried, gini, seeds[b], tree)
        outside = np.flatnonzero(bags[b] == 0)
        for u in outside:
            votes[u] = _mean(target, _leaf(X[u], tree), tree)
        for i in outside:
            for j in outside:
                if i != j and n_votes[i, j] < n_trees:
                    F[i, j] += votes[i]
                    n_votes[i, j] += 1


@compiled
def _empty_tree(n_features: int, n: int, n_nodes: int) -> Tree:
    return Tree(
        np.empty((n_features + 1, n), dtype=np.int64),
        np.empty(n_nodes, dtype=np.int64),
        np.empty(n_nodes, dtype=np.int64),
        np.empty(n_nodes, dtype=np.int64),
        np.empty(n_nodes, dtype=np.int64),
        np.empty(n_nodes),
        np.empty(n_nodes, dtype=np.int64),
    )


@compiled
def _drop(order: IntArray, i: int, j: int, tree: Tree) -> None:
    """Put all units but i and j into the root."""
    for f in range(len(order)):
        p = 0
        for u in order[f]:
            if u not in (i, j):
                tree.order[f, p] = u
                p += 1


@compiled
def _fill_bag(order: IntArray, bag: IntArray, tree: Tree) -> None:
    """Put every unit into the root as often as the bag holds it."""
    for f in range(len(order)):
        p = 0
        for u in order[f]:
            for _ in range(bag[u]):
                tree.order[f, p] = u
                p += 1


@compiled
def _grow(
    X: FloatArray,
    target: FloatArray,
    depth: int,
    n_tried: int,
    gini: bool,
    seed: int,
    tree: Tree,
) -> int:
    """Grow a tree on the units in its root, depth first and left first; return its nodes."""
    n_features, n = len(tree.order) - 1, tree.order.shape[1]
    features = np.arange(n_features)
    # Units in the order in which scikit-learn sums over a node.
    summed = tree.order[-1].copy()
    open_nodes = np.empty(tree.left.size, dtype=np.int64)
    spare = np.empty(n, dtype=np.int64)
    open_nodes[0], n_open, n_nodes = 0, 1, 1
    tree.start[0], tree.stop[0], tree.depth[0] = 0, n, 0
    while n_open:
        n_open -= 1
        node = open_nodes[n_open]
        tree.feature[node] = LEAF
        start, stop = tree.start[node], tree.stop[node]
        size = stop - start
        total, squares = 0.0, 0.0
        for u in summed[start:stop]:
            total += target[u]
            squares += target[u] * target[u]
        # With labels 0 and 1 this is half of the Gini impurity.
        impurity = squares / size - (total / size) ** 2
        if tree.depth[node] == depth or size < 2 or impurity <= IMPURE:
            continue
        best, at, place = -np.inf, LEAF, start
        for n_left in range(n_features, n_features - n_tried, -1):
            seed = _next(seed)
            drawn = seed % 2**31 % n_left
            f = features[drawn]
            features[drawn], features[n_left - 1] = features[n_left - 1], f
            units = tree.order[f]
            below = 0.0
            for p in range(start + 1, stop):
                below += target[units[p - 1]]
                if X[units[p], f] <= X[units[p - 1], f] + CLOSEST:
                    continue
                gain = _gain(below, p - start, total - below, stop - p, gini)
                if gain > best:
                    best, at, place = gain, f, p
        if at == LEAF:
            continue
        units = tree.order[at]
        threshold = X[units[place - 1], at] / 2.0 + X[units[place], at] / 2.0
        tree.feature[node], tree.threshold[node], tree.left[node] = at, threshold, n_nodes
        # Of the features, f was visited last: scikit-learn leaves units sorted by it.
        summed[start:stop] = tree.order[f, start:stop]
        _exchange(X[:, at], threshold, summed[start:stop])
        for row in tree.order:
            _separate(X[:, at], threshold, row[start:stop], spare)
        tree.start[n_nodes], tree.stop[n_nodes] = start, place
        tree.start[n_nodes + 1], tree.stop[n_nodes + 1] = place, stop
        tree.depth[n_nodes] = tree.depth[n_nodes + 1] = tree.depth[node] + 1
        open_nodes[n_open], open_nodes[n_open + 1] = n_nodes + 1, n_nodes
        n_open += 2
        n_nodes += 2
    return n_nodes


@compiled
def _exchange(x: FloatArray, threshold: float, units: IntArray) -> None:
    """Put units up to a threshold first, in the order that scikit-learn's exchanges leave."""
    low, high = 0, len(units)
    while low < high:
        if x[units[low]] <= threshold:
            low += 1
        else:
            high -= 1
            units[low], units[high] = units[high], units[low]


@compiled
def _separate(x: FloatArray, threshold: float, units: IntArray, spare: IntArray) -> None:
    """Put units up to a threshold first; keep the order within either part."""
    to, n_spare = 0, 0
    for u in units:
        if x[u] <= threshold:
            units[to] = u
            to += 1
        else:
            spare[n_spare] = u
            n_spare += 1
    units[to:] = spare[:n_spare]


@compiled
def _gain(below: float, n_below: float, above: float, n_above: float, gini: bool) -> float:
    """Return how good a split is, in scikit-learn's arithmetic: rounding decides equal gains."""
    if not gini:
        return below * below / n_below + above * above / n_above
    others_below, others_above = n_below - below, n_above - above
    impurity_below = 1.0 - (others_below**2 + below**2) / (n_below * n_below)
    impurity_above = 1.0 - (others_above**2 + above**2) / (n_above * n_above)
    return -n_above * impurity_above - n_below * impurity_below


@compiled
def _next(seed: int) -> int:
    """Step the 32-bit xorshift generator that draws scikit-learn's features."""
    seed ^= (seed << 13) & 0xFFFFFFFF
    seed ^= seed >> 17
    return seed ^ ((seed << 5) & 0xFFFFFFFF)


@compiled
def _leaf(x: FloatArray, tree: Tree) -> int:
    """Return the leaf a unit falls into."""
    node = 0
    while tree.feature[node] != LEAF:
        goes_left = x[tree.feature[node]] <= tree.threshold[node]
        node = tree.left[node] + (0 if goes_left else 1)
    return node


@compiled
def _mean(target: FloatArray, node: int, tree: Tree) -> float:
    """Return the mean target of a node."""
    total = 0.0
    for u in tree.order[0, tree.start[node] : tree.stop[node]]:
        total += target[u]
    return total / (tree.stop[node] - tree.start[node])


@compiled
def _newton_step(target: FloatArray, residual: FloatArray, node: int, tree: Tree) -> float:
    """Return the step of the log odds that the residuals of a leaf call for."""
    units = tree.order[-1, tree.start[node] : tree.stop[node]]
    slopes = residual[units]
    probabilities = target[units] - slopes
    curvatures = probabilities * (1.0 - probabilities)
    return (_sum(slopes) / units.size) / (_sum(curvatures) / units.size)


@compiled
def _sum(values: FloatArray) -> float:
    """Sum as NumPy does up to 128 values: eight sums side by side, then the rest."""
    whole = values.size - values.size % 8
    sums = np.zeros(8)
    for k in range(whole):
        sums[k % 8] += values[k]
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (
        (sums[4] + sums[5]) + (sums[6] + sums[7])
    )
    for k in range(whole, values.size):
        total += values[k]
    return total
