"""Trees, boosting and random forests, fast enough to simulate thousands of tournaments.

Trees are grown by the package's own loops (`tlpo.engines.trees`), split for split those of
``DecisionTreeClassifier(max_depth=…, random_state=0)``, of ``DecisionTreeRegressor`` and of
``GradientBoostingClassifier``. Here they are called without the checks of an engine.

The trees of a forest have √n features tried at each node, as those of ``RandomForestClassifier``;
for numbers all features, as ``RandomForestRegressor`` tries. Bags and seeds come from a generator
of our own, so that a forest is scikit-learn's in distribution.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.base import Halves
from tlpo.engines.boosting.stages import LOG, Plan, boost_sets
from tlpo.engines.trees.asking import ask_sets, ask_trees
from tlpo.engines.trees.criteria import GINI, SQUARES, Goal
from tlpo.engines.trees.growing import grow
from tlpo.engines.trees.settings import LARGEST_SEED, Limits
from tlpo.engines.trees.structure import Rows, empty_tree, leaf_of
from tlpo.engines.trees.table import features_of

LEARNING_RATE = 0.1


def tree_table(X: FloatArray, y: BoolArray | FloatArray, depth: int) -> FloatArray:
    """Return F: the probability, or the number, of i by the tree grown without i and j."""
    m, features, goal = len(X), features_of(X), _goal(y)
    sets = _pairs(m)
    answers = np.empty((*sets.shape, goal.n_sums))
    ask_sets(
        *(features.x, features.ranked, features.is_ranked, goal, np.ones((len(sets), m - 2))),
        *(_limits(depth, X.shape[1]), np.zeros(len(sets)), _seeds(1), sets, answers),
    )
    return _table(m, sets, answers[:, :, -1])


def boosting_table(X: FloatArray, is_positive: BoolArray, n_trees: int, depth: int) -> FloatArray:
    """Return F: the log odds of i by the trees boosted without i and j."""
    m, features = len(X), features_of(X)
    sets = _pairs(m)
    start = logit((is_positive.sum() - is_positive[sets].sum(axis=1)) / (m - 2))
    plan = Plan(LOG, LEARNING_RATE, _limits(depth, X.shape[1]))
    responses = np.empty((*sets.shape, 1))
    boost_sets(
        *(features.x, features.ranked, features.is_ranked, is_positive.astype(float), plan),
        *(start[:, None], _seeds(n_trees)[None, :, None], np.empty((1, 0, 0)), 0, sets, responses),
    )
    return _table(m, sets, responses[:, :, 0])


def forest_tables(
    X: FloatArray, y: BoolArray | FloatArray, n_trees: int
) -> tuple[FloatArray, Halves]:
    """Return F: probability or number of i by the first trees whose bags hold neither i nor j.

    Then the same of either half of these trees.
    """
    m, n_features = X.shape
    votes, n_votes = np.zeros((2, m, m)), np.zeros((m, m), dtype=np.int64)
    goal = _goal(y)
    are_classes = goal.criterion == GINI
    n_tried = _n_tried(goal, n_features)
    # Other bags for every sample.
    rng = np.random.default_rng(X[0].view(np.uint64))
    played = ~np.eye(m, dtype=bool)
    rows, limits = features_of(X).rows(np.arange(m), not are_classes), _limits(m, n_tried)
    while n_votes[played].min() < n_trees:
        bags = rng.multinomial(m - 2, np.full(m, 1.0 / m), size=4 * n_trees).astype(float)
        seeds = rng.integers(1, LARGEST_SEED, size=len(bags))
        _add_votes(rows, goal, limits, bags, seeds, n_trees, votes, n_votes)
    votes[:, ~played] = np.nan
    half = n_trees // 2
    return votes.sum(axis=0) / n_trees, (votes[0] / max(1, half), votes[1] / (n_trees - half))


def forest_scores(
    X: FloatArray, y: BoolArray | FloatArray, n_trees: int, X_new: FloatArray
) -> FloatArray:
    """Return the probabilities, or numbers, of other units by a forest grown on all."""
    m, n_features = X.shape
    # The weights of the units are their numbers in the bags.
    goal = _goal(y)._replace(is_plain=False)
    rng = np.random.default_rng(X[0].view(np.uint64) + 1)
    bags = rng.multinomial(m, np.full(m, 1.0 / m), size=n_trees).astype(float)
    answers = np.zeros((len(X_new), goal.n_sums))
    ask_trees(
        *(features_of(X).rows(np.arange(m), goal.criterion != GINI), goal, bags),
        _limits(m, _n_tried(goal, n_features)),
        *(np.zeros(n_trees), rng.integers(1, LARGEST_SEED, size=n_trees)),
        *(np.ascontiguousarray(X_new.T, dtype=np.float32), answers),
    )
    return np.asarray(answers[:, -1] / n_trees)


def _n_tried(goal: Goal, n_features: int) -> int:
    return int(np.sqrt(n_features)) if goal.criterion == GINI else n_features


def _pairs(m: int) -> IntArray:
    return np.column_stack(np.triu_indices(m, 1))


def _table(m: int, sets: IntArray, responses: FloatArray) -> FloatArray:
    F = np.full((m, m), np.nan)
    F[sets[:, 0], sets[:, 1]], F[sets[:, 1], sets[:, 0]] = responses.T
    return F


def _goal(y: BoolArray | FloatArray) -> Goal:
    is_class = y.dtype == bool
    criterion, n_sums = (GINI, 2) if is_class else (SQUARES, 1)
    return Goal(
        criterion, n_sums, y.astype(float), y.astype(np.intp), np.ones(y.size), not is_class
    )


def _limits(depth: int, n_tried: int) -> Limits:
    return Limits(depth, n_tried, 2, 1, 0.0, 0.0, draws_thresholds=False)


def _seeds(n_trees: int) -> IntArray:
    """Return what scikit-learn seeds the trees of an estimator with ``random_state=0`` with."""
    return np.random.RandomState(0).randint(0, LARGEST_SEED, size=n_trees)


@compiled
def _add_votes(
    rows: Rows,
    goal: Goal,
    limits: Limits,
    bags: FloatArray,
    seeds: IntArray,
    n_trees: int,
    votes: FloatArray,
    n_votes: IntArray,
) -> None:
    m = rows.x.shape[1]
    tree = empty_tree(len(rows.x), m, goal.n_sums)
    own_votes = np.empty(m)
    for b in range(len(bags)):
        own = Goal(goal.criterion, goal.n_sums, goal.number, goal.code, bags[b], False)
        grow(rows, own, limits, seeds[b], tree)
        outside = np.flatnonzero(bags[b] == 0)
        for u in outside:
            own_votes[u] = tree.value[leaf_of(rows.x, u, tree), goal.n_sums - 1]
        for i in outside:
            for j in outside:
                if i != j and n_votes[i, j] < n_trees:
                    votes[int(n_votes[i, j] >= n_trees // 2), i, j] += own_votes[i]
                    n_votes[i, j] += 1
