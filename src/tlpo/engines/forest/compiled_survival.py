"""Survival forests that are grown in compiled loops, split for split those of scikit-survival.

A tree of scikit-survival takes most of its time for checks, and for times at which nobody in a node
had the event. `CompiledSurvivalForest` fits whole forests on any training set, as
`compiled.CompiledForest` does: with a ``random_state`` these are the forests that scikit-survival
would grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.forest.compiled import Draws
from tlpo.engines.forest.hazards import EventTimes, SurvivalGrower
from tlpo.engines.optional import OptionalTypes
from tlpo.engines.trees.settings import is_followed, limits_of

# Versions of scikit-survival whose trees `trees.logrank` follows.
FOLLOWED_VERSIONS = ((0, 28),)
COMPILED = OptionalTypes("sksurv.ensemble.RandomSurvivalForest")


@dataclass(frozen=True, eq=False)
class CompiledSurvivalForest:
    """Fits whole survival forests.

    Attributes
    ----------
    estimator : estimator
        The forest.
    X : ndarray of shape (m, n_features)
        Features in single precision.
    times : EventTimes
        When units had the event.
    """

    estimator: Any
    X: Any
    times: EventTimes

    def respond(self, train: IntArray, test: IntArray) -> FloatArray | None:
        """Fit a forest to some units, which may be repeated; None if scikit-survival refuses."""
        from tlpo.engines.trees.logrank import Times, ask_logrank_trees

        died, n = self.times.event[train], train.size
        distinct, place = np.unique(self.times.time[train], return_inverse=True)
        if distinct.size < 2 or not died.any():
            return None
        is_of_event = np.zeros(distinct.size, dtype=bool)
        is_of_event[place[died]] = True
        seeds, bags = self._draws.of(n)
        answers = np.zeros(test.size)
        ask_logrank_trees(
            self._features.rows(train, ranks=False),
            Times(place, died, is_of_event),
            np.array([np.bincount(bag, minlength=n) for bag in bags], dtype=np.float64),
            limits_of(self.estimator, len(self._features.x), n, float(n)),
            seeds,
            np.ascontiguousarray(self._features.x[:, test]),
            answers,
        )
        return answers / len(seeds)

    @cached_property
    def _features(self) -> Any:
        from tlpo.engines.trees.table import features_of

        return features_of(self.X)

    @cached_property
    def _draws(self) -> Draws:
        return Draws(self.estimator)


def compiled_survival_forest(
    estimator: Any, grower: SurvivalGrower
) -> CompiledSurvivalForest | None:
    """Return what fits survival forests in compiled loops, if these are covered."""
    X = grower.X
    if (
        type(estimator) not in COMPILED
        or not _is_followed()
        or estimator.max_leaf_nodes is not None
        or not isinstance(X, np.ndarray)
        or not np.isfinite(X).all()
    ):
        return None
    return CompiledSurvivalForest(estimator, X, grower.times)


def _is_followed() -> bool:
    """Return whether it is known how this scikit-survival grows trees on this machine."""
    version = tuple(map(int, metadata.version("scikit-survival").split(".")[:2]))
    return version in FOLLOWED_VERSIONS and is_followed()
