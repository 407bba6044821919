"""Which trees are covered, and where they end."""

from __future__ import annotations

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
import sklearn
from sklearn.utils import check_random_state

from tlpo.arrays import IntArray
from tlpo.engines.trees.growing import Limits
from tlpo.execution.diagnostics import first_line

# Versions of scikit-learn whose trees `growing` follows.
FOLLOWED_VERSIONS = ((1, 9),)
LARGEST_SEED = 2**31 - 1


def is_followed() -> bool:
    """Return whether it is known how this scikit-learn grows trees."""
    return tuple(map(int, sklearn.__version__.split(".")[:2])) in FOLLOWED_VERSIONS


def why_not_covered(estimator: Any, known: frozenset[str]) -> str | None:
    """Say why the trees of an estimator are not covered, or None if they are."""
    name = type(estimator).__name__
    if not is_followed():
        return f"How scikit-learn {sklearn.__version__} grows the trees of {name} is not known."
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
        least_gain=float(estimator.min_impurity_decrease),
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


def seeds_of(random_state: Any, count: int) -> IntArray:
    """Return what the trees of an ensemble with this state are seeded with."""
    random = check_random_state(random_state)
    return np.asarray(random.randint(0, LARGEST_SEED, size=count), dtype=np.intp)
