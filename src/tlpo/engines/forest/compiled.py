"""Trees of forests that are grown in compiled loops, split for split those of scikit-learn.

A tree of scikit-learn takes half a millisecond, most of it for checks; here it takes a tenth.
`make_grower` grows trees on bags of all units this way, and `CompiledForest` whole forests on any
training set: with a ``random_state`` these are the forests that scikit-learn would grow.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.utils import compute_sample_weight

from tlpo.arrays import FloatArray, IntArray, SingleArray
from tlpo.engines.forest.notes import shares_with_notes
from tlpo.engines.trees.settings import (
    CRITERIA,
    Limits,
    bags_of,
    is_followed,
    limits_of,
    seed_of,
)

TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)
# Larger numbers have squares that overflow.
LARGEST = 1e100
_SEEDS = np.iinfo(np.int32).max


def is_compiled(tree: Any, X: Any, y: FloatArray) -> bool:
    """Return whether compiled loops grow such trees on these data."""
    return (
        is_followed()
        and type(tree) in TREES
        and tree.criterion in CRITERIA
        and tree.ccp_alpha == 0.0
        and tree.max_leaf_nodes is None
        and tree.monotonic_cst is None
        and isinstance(X, np.ndarray)
        and bool(np.isfinite(X).all())
        and bool(np.abs(y).max() <= LARGEST)
    )


@dataclass(frozen=True, eq=False)
class CompiledTrees:
    """Grows trees on weighted units.

    Attributes
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        A tree with the parameters.
    X : ndarray of shape (m, n_features)
        Features in single precision.
    y : ndarray of shape (m,)
        Numbers, or numbers of classes.
    n_classes : int
        0 for numbers.
    balanced : bool
        Whether classes are weighted by their counts in the bag.
    """

    tree: Any
    X: Any
    y: FloatArray
    n_classes: int
    balanced: bool

    @cached_property
    def _features(self) -> Any:
        from tlpo.engines.trees.table import features_of

        return features_of(self.X)

    def limits(self, n: int) -> Limits:
        """Return where trees end that are given n units."""
        return limits_of(self.tree, len(self._features.x), n, 0.0)

    @cached_property
    def _everyone(self) -> Any:
        """All units as a training set."""
        m = len(self.y)
        return self._features.rows(np.arange(m), self._tries_all, self._counts_units)

    @property
    def _tries_all(self) -> bool:
        """Whether every split of every feature is tried, so that features are worth sorting."""
        limits = self.limits(2)
        return not limits.draws_thresholds and limits.n_tried >= len(self._features.x)

    @property
    def _counts_units(self) -> bool:
        """Whether all that is summed are units of classes: weights are how often one is drawn."""
        return self.n_classes > 0 and not self.balanced

    def weights_in(self, bag: IntArray, y: FloatArray) -> FloatArray:
        """Return the weights that scikit-learn gives to units of which some are in a bag."""
        weight = np.bincount(bag, minlength=y.size).astype(np.float64)
        if self.balanced:
            weight *= compute_sample_weight("balanced", y, indices=bag)
        return weight

    def ask(
        self,
        train: IntArray | None,
        weights: FloatArray,
        limits: Limits,
        seeds: IntArray,
        test: IntArray,
    ) -> FloatArray:
        """Return the sum of what trees, one per row of weights, answer for some units.

        They are grown on all units, or on some, which may be repeated.
        """
        rows, y = self._everyone, self.y
        if train is not None:
            has_repeats = np.unique(train).size < train.size
            ranks = self._tries_all and not has_repeats
            rows = self._features.rows(train, ranks, self._counts_units)
            y = y[train]
        return ask_forest(
            *(rows, self.tree, self.n_classes, y, weights, False, limits, seeds),
            np.ascontiguousarray(self._features.x[:, test]),
        )


def ask_forest(
    rows: Any,
    tree: Any,
    n_classes: int,
    y: FloatArray,
    weights: FloatArray,
    is_plain: bool,
    limits: Limits,
    seeds: IntArray,
    test: SingleArray,
    answers: FloatArray | None = None,
) -> FloatArray:
    """Return the sum of what trees, one per row of weights, answer for a table (n_features, t).

    Parameters
    ----------
    rows : Rows
        The training set.
    tree : estimator
        A tree or a forest with the parameters.
    n_classes : int
        0 for numbers.
    y : ndarray of shape (n,)
        Numbers, or numbers of classes.
    weights : ndarray of shape (n_trees, n)
        Weights.
    is_plain : bool
        Whether all weights are 1.
    limits, seeds
        Where trees end, and their seeds.
    answers : ndarray of shape (t, n_sums), optional
        What other trees answer, to add to.
    """
    from tlpo.engines.trees.asking import ask_trees
    from tlpo.engines.trees.criteria import Goal

    n_sums = max(1, n_classes)
    answers = np.zeros((test.shape[1], n_sums)) if answers is None else answers
    share = tree.min_weight_fraction_leaf
    ask_trees(
        rows,
        Goal(CRITERIA[tree.criterion], n_sums, y, y.astype(np.intp), weights[0], is_plain),
        weights,
        limits,
        np.array([share * np.sum(weight) for weight in weights]),
        seeds,
        test,
        answers,
    )
    return answers


@dataclass(frozen=True, eq=False)
class CompiledGrower:
    """Grows the trees of a larger forest; see `Grower`.

    Attributes
    ----------
    trees : CompiledTrees
        What grows.
    limits : Limits
        Where trees end.
    column : int or None
        The positive class; None for numbers, and for several classes.
    """

    bag_size: int
    method: str
    trees: CompiledTrees
    limits: Limits
    column: int | None
    n_notes: int = 0

    def grow(self, bag: IntArray, out: IntArray, rng: np.random.Generator) -> FloatArray:
        """Grow a tree on a bag."""
        seeds = np.array([seed_of(int(rng.integers(_SEEDS)))])
        trees = self.trees
        answers = trees.ask(None, trees.weights_in(bag, trees.y)[None], self.limits, seeds, out)
        if self.n_notes:
            return shares_with_notes(answers, out, trees.y.size)
        return np.asarray(answers[:, self.column or 0])


@dataclass(frozen=True, eq=False)
class CompiledForest:
    """Fits whole forests.

    Attributes
    ----------
    estimator : estimator
        The forest.
    trees : CompiledTrees
        What grows.
    column : int or None
        The positive class; None for numbers, and for several classes.
    """

    estimator: Any
    trees: CompiledTrees
    column: int | None

    def respond(self, train: IntArray, test: IntArray) -> FloatArray | None:
        """Fit a forest to some units, which may be repeated; None if a class is missing."""
        trees, n = self.trees, train.size
        y = trees.y[train]
        if trees.n_classes and np.unique(y).size < trees.n_classes:
            return None
        seeds, bags = self._draws.of(n)
        weights = np.array([trees.weights_in(bag, y) for bag in bags])
        answers = trees.ask(train, weights, trees.limits(n), seeds, test) / len(seeds)
        if trees.n_classes and self.column is None:
            return answers
        return np.asarray(answers[:, self.column or 0])

    @cached_property
    def _draws(self) -> Draws:
        return Draws(self.estimator)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws seeds and bags as a forest does.

    Attributes
    ----------
    estimator : estimator
        The forest.
    """

    estimator: Any

    def of(self, n: int) -> tuple[IntArray, IntArray]:
        """Return seeds and bags; with a seed they are the same for all sets of one size."""
        if n in self._drawn:
            return self._drawn[n]
        state, n_trees = copy.deepcopy(self.estimator.random_state), self.estimator.n_estimators
        drawn = bags_of(state, int(n_trees), n, bag_size(self.estimator.max_samples, n, float(n)))
        if state is not None:
            self._drawn[n] = drawn
        return drawn

    @cached_property
    def _drawn(self) -> dict[int, tuple[IntArray, IntArray]]:
        return {}


def bag_size(max_samples: Any, n: int, weight: float) -> int:
    """Return how many units a forest draws for a bag from n units of some weight in all."""
    if max_samples is None:
        return n
    if isinstance(max_samples, int | np.integer):
        return int(max_samples)
    return max(1, int(max_samples * weight))


def compiled_grower(grower: Any, tree: Any) -> Any:
    """Return what grows the trees of a `TreeGrower` in compiled loops, or the grower itself."""
    y = np.array(grower.y[:, 0])  # numba would compile again for one that is read-only
    if not is_compiled(tree, grower.X, y):
        return grower
    n_classes = 0 if grower.method == "predict" else int(y.max()) + 1
    tree = copy.deepcopy(tree).set_params(**grower.params)
    trees = CompiledTrees(tree, grower.X_new, y, n_classes, grower.balanced)
    return CompiledGrower(
        bag_size=grower.bag_size,
        method=grower.method,
        trees=trees,
        limits=trees.limits(y.size),
        column=grower.column,
        n_notes=grower.n_notes,
    )


def compiled_forest(estimator: Any, grower: Any) -> CompiledForest | None:
    """Return what fits forests like that of a compiled grower; None of any other."""
    if not isinstance(grower, CompiledGrower):
        return None
    shares = {name: getattr(estimator, name) for name in ("min_samples_leaf", "min_samples_split")}
    tree = copy.deepcopy(grower.trees.tree).set_params(**shares)
    return CompiledForest(estimator, replace(grower.trees, tree=tree), grower.column)
