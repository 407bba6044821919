"""The engine for single decision trees."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.utils import check_random_state, compute_sample_weight

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.trees.base import Growing, without
from tlpo.engines.trees.settings import CRITERIA, LARGEST_SEED, Limits, limits_of, why_not_covered
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads
from tlpo.games.response import fits_numbers
from tlpo.problem.outcome import Classes, Ordered, SeveralClasses

if TYPE_CHECKING:
    from tlpo.engines.trees.table import Features


class DecisionTree(Growing):
    """Single trees of classes or numbers, grown anew without every pair."""

    name = "tree"
    estimators = frozenset(
        {DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor}
    )
    outcomes = frozenset({Classes, Ordered, SeveralClasses})

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        model, name = prepared.model, type(prepared.model).__name__
        why = why_not_covered(model, _KNOWN)
        if why is not None:
            return why
        if model.criterion not in CRITERIA:
            return f"{name} with criterion={model.criterion!r} is not covered."
        return super().why_not(prepared)

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self.ceiling = 1.0 if self._n_classes else np.inf

    def answer_fixed(self, sets: IntArray, execution: Execution) -> Answers:
        """Grow a tree without each of some sets."""
        from tlpo.engines.trees.asking import ask_sets

        features, n = self.features, self.problem.n_units - sets.shape[1]
        train = without(self.problem.n_units, sets)
        y = self.target[train]
        weights = self._weights(y)
        least = self.estimator.min_weight_fraction_leaf * weights.sum(axis=1)
        seeds, limits = self._seeds(len(sets)), self._limits(n, len(features.x))
        is_ranked = features.ranks(self._counts_units)
        if limits.draws_thresholds:  # between two ends, whatever the order
            is_ranked = np.zeros_like(is_ranked)
        found = np.empty((*sets.shape, max(1, self._n_classes)))
        calls = [
            (
                *(features.x, features.ranked, is_ranked),
                self._goal(self.target),
                *(weights[part], limits, least[part]),
                *(seeds if len(seeds) == 1 else seeds[part], sets[part], found[part]),
            )
            for part in self.shares(len(sets), execution)
        ]
        in_threads(ask_sets, calls)
        response = self._in_units(found)
        error = np.zeros(response.shape)
        error[~self._have_all(y)] = np.inf
        return Answers(response, error)

    def respond_to(self, fit: Fit, features: Features, y: FloatArray) -> FloatArray | None:
        """Grow a tree on units that may be repeated."""
        from tlpo.engines.trees.asking import ask_trees

        train, test = fit
        n_features = len(features.x)
        if not self._have_all(y[None])[0]:
            return None
        weights, found = self._weights(y[None]), np.zeros((test.size, max(1, self._n_classes)))
        limits = self._limits(train.size, n_features)
        ask_trees(
            features.rows(train, not limits.draws_thresholds, self._counts_units),
            *(self._goal(y), weights, limits),
            self.estimator.min_weight_fraction_leaf * weights.sum(axis=1),
            *(self._seeds(1), np.ascontiguousarray(features.x[:, test]), found),
        )
        return self._in_units(found)

    @property
    def _counts_units(self) -> bool:
        """Whether all that is summed are units of classes."""
        return bool(self._n_classes) and self.estimator.class_weight is None

    @property
    def _n_classes(self) -> int:
        """How many classes there are, 0 for numbers."""
        return 0 if fits_numbers(self.estimator) else int(self.target.max()) + 1

    def _have_all(self, y: FloatArray) -> BoolArray:
        """Return which training sets, given as rows, have units of all classes."""
        found = np.ones(len(y), dtype=bool)
        for k in range(self._n_classes):
            found &= (y == k).any(axis=1)
        return found

    def _weights(self, y: FloatArray) -> FloatArray:
        """Return the weights of the units of training sets, given as rows."""
        weight = getattr(self.estimator, "class_weight", None)
        if weight is None:
            return np.ones(y.shape)
        labels = np.unique(self.problem.y)[y.astype(np.intp)]
        return np.array([compute_sample_weight(weight, own) for own in labels])

    def _goal(self, y: FloatArray) -> Any:
        from tlpo.engines.trees.criteria import Goal

        is_plain = getattr(self.estimator, "class_weight", None) is None
        criterion, n_sums = CRITERIA[self.estimator.criterion], max(1, self._n_classes)
        return Goal(criterion, n_sums, y, y.astype(np.intp), np.ones(y.size), is_plain)

    def _limits(self, n: int, n_features: int) -> Limits:
        return limits_of(self.estimator, n_features, n, float(n))

    def _seeds(self, count: int) -> IntArray:
        random = check_random_state(copy.deepcopy(self.estimator.random_state))
        seeds = random.randint(0, LARGEST_SEED, size=1 if self.is_seeded else count)
        return np.asarray(seeds, dtype=np.intp)

    def _in_units(self, found: FloatArray) -> FloatArray:
        """Return responses: a number, the share of the positive class, or shares of all."""
        if self.problem.outcome.response_shape:
            return found
        column = int(self.is_second_positive) if self._n_classes else 0
        return np.asarray(found[..., column] / self.problem.outcome.unit)


_KNOWN = frozenset(
    {
        "ccp_alpha",
        "class_weight",
        "criterion",
        "max_depth",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "min_samples_leaf",
        "min_samples_split",
        "min_weight_fraction_leaf",
        "monotonic_cst",
        "random_state",
        "splitter",
    }
)
ENGINE: type[Engine] = DecisionTree
