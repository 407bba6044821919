"""Which trees are covered, and where they end."""

from __future__ import annotations

import platform
from collections.abc import Callable
from math import ceil
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.utils import check_random_state

from tlpo.arrays import FloatArray, IntArray
from tlpo.execution.diagnostics import first_line

# Versions of scikit-learn whose trees `growing` follows.
FOLLOWED_VERSIONS = ((1, 9),)
# Elsewhere compilers fuse products and sums, and rounding decides otherwise between equal splits.
FOLLOWED_MACHINES = ("x86_64", "amd64")
LARGEST_SEED = 2**31 - 1
# Criteria that are followed, by their numbers in `criteria`.
CRITERIA = {"squared_error": 0, "gini": 1, "entropy": 2, "log_loss": 2}


class Limits(NamedTuple):
    """Where a tree ends.

    Attributes
    ----------
    depth : int
        Most splits that lead to a node.
    n_tried : int
        Features that are tried at a node.
    least_split, least_leaf : int
        Units of a node that is split, and of a leaf.
    least_weight : float
        Weight of a leaf.
    least_gain : float
        By how much a split must reduce the impurity.
    draws_thresholds : bool
        Whether features are split at random, as in extra trees.
    """

    depth: int
    n_tried: int
    least_split: int
    least_leaf: int
    least_weight: float
    least_gain: float
    draws_thresholds: bool


def is_followed() -> bool:
    """Return whether it is known how this scikit-learn grows trees on this machine."""
    version = tuple(map(int, sklearn.__version__.split(".")[:2]))
    return version in FOLLOWED_VERSIONS and platform.machine().lower() in FOLLOWED_MACHINES


def why_not_covered(estimator: Any, known: frozenset[str]) -> str | None:
    """Say why the trees of an estimator are not covered, or None if they are."""
    name = type(estimator).__name__
    if not is_followed():
        where = f"scikit-learn {sklearn.__version__} on {platform.machine()}"
        return f"How {where} rounds when it grows the trees of {name} is not known."
    unknown = sorted(set(type(estimator)._get_param_names()) - known)
    if unknown:
        return f"The parameter {unknown[0]!r} of {name} is not covered."
    try:
        estimator._validate_params()
    except (TypeError, ValueError) as error:
        return f"{name} rejects its parameters: {first_line(str(error))}"
    if estimator.ccp_alpha != 0.0:
        return f"{name} with pruned trees (ccp_alpha) is not covered."
    if estimator.max_leaf_nodes is not None:
        return f"{name} with max_leaf_nodes is not covered."
    if getattr(estimator, "monotonic_cst", None) is not None:
        return f"{name} with monotonic constraints is not covered."
    return None


def limits_of(estimator: Any, n_features: int, n: int, weight: float) -> Limits:
    """Return where the trees of an estimator end.

    Parameters
    ----------
    estimator : estimator
        A tree, or an ensemble that passes its parameters on to trees.
    n_features, n : int
        Features and units that trees are given.
    weight : float
        The weight of these units.
    """
    leaf, split, depth = (
        estimator.min_samples_leaf,
        estimator.min_samples_split,
        estimator.max_depth,
    )
    least_leaf = int(leaf) if isinstance(leaf, Integral) else ceil(leaf * n)
    least_split = int(split) if isinstance(split, Integral) else max(2, ceil(split * n))
    return Limits(
        depth=int(np.iinfo(np.int32).max if depth is None else depth),
        n_tried=n_tried_of(estimator.max_features, n_features),
        least_split=max(least_split, 2 * least_leaf),
        least_leaf=least_leaf,
        least_weight=float(estimator.min_weight_fraction_leaf * weight),
        least_gain=float(getattr(estimator, "min_impurity_decrease", 0.0)),
        draws_thresholds=getattr(estimator, "splitter", "best") == "random",
    )


def n_tried_of(max_features: Any, n_features: int) -> int:
    """Return how many features are tried at a node."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(np.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(np.log2(n_features)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * n_features))


def bags_of(random_state: Any, n_trees: int, n: int, bag_size: int) -> tuple[IntArray, IntArray]:
    """Return what the trees of a forest with this state are seeded with, and their bags.

    With a seed they are those of scikit-learn's forest; without one, another draw.
    """
    seeds, bags = _draw(random_state, n_trees, lambda own, k: own.randint(0, n, (*k, bag_size)))
    return seeds, bags.astype(np.intp)


def weighted_bags_of(random_state: Any, n_trees: int, bag_size: int) -> tuple[IntArray, FloatArray]:
    """Do the same where units have weights: the uniform numbers that `draw_by_weight` takes."""
    return _draw(random_state, n_trees, lambda own, k: own.random_sample((*k, bag_size)))


def draw_by_weight(uniform: FloatArray, weight: FloatArray) -> IntArray:
    """Return units drawn in proportion to their weight, as NumPy's ``choice`` draws them."""
    reached = np.cumsum(weight / np.sum(weight))
    reached /= reached[-1]
    return np.asarray(reached.searchsorted(uniform, side="right"), dtype=np.intp)


def _draw(
    random_state: Any,
    n_trees: int,
    draw: Callable[[np.random.RandomState, tuple[int, ...]], Any],
) -> tuple[IntArray, Any]:
    """Return seeds of trees, and a draw for each: from generators of their own if seeded."""
    random = check_random_state(random_state)
    if random_state is None:
        seeds = random.randint(0, LARGEST_SEED, size=n_trees)
        return np.asarray(seeds, dtype=np.intp), draw(random, (n_trees,))
    states = [int(random.randint(LARGEST_SEED)) for _ in range(n_trees)]
    seeds = np.array([seed_of(own) for own in states], dtype=np.intp)
    return seeds, np.array([draw(np.random.RandomState(own), ()) for own in states])


def seed_of(random_state: int) -> int:
    """Return the state of the generator that draws the features of a tree with this seed."""
    return int(np.random.RandomState(random_state).randint(0, LARGEST_SEED))
