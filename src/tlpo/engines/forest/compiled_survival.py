"""Survival trees that are grown in compiled loops, split for split those of scikit-survival.

A tree of scikit-survival takes most of its time for checks, and for times at which nobody in a node
had the event. `CompiledSurvivalGrower` grows trees on bags of all units, and
`CompiledSurvivalForest` whole forests on any training set, as those of `compiled` do: with a
``random_state`` these are the forests that scikit-survival would grow.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from importlib import metadata
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.forest.compiled import Draws
from tlpo.engines.forest.hazards import SurvivalGrower
from tlpo.engines.optional import OptionalTypes
from tlpo.engines.trees.settings import LARGEST_SEED, Limits, is_followed, limits_of, seed_of

# Versions of scikit-survival whose trees `trees.logrank` follows.
FOLLOWED_VERSIONS = ((0, 28),)
COMPILED = OptionalTypes("sksurv.tree.SurvivalTree")


@dataclass(frozen=True, eq=False)
class CompiledSurvivalGrower(SurvivalGrower):
    """Grows the trees of a larger forest; see `SurvivalGrower`."""

    def grow(self, bag: IntArray, out: IntArray, rng: np.random.Generator) -> FloatArray:
        """Grow a tree on a bag; the notes on units outside it are unused but for their leaves."""
        from tlpo.engines.trees.logrank import note_logrank_tree

        m = self.times.time.size
        total, leaf, hazard = np.empty((3, m))
        note_logrank_tree(
            self._everyone,
            self._times,
            np.bincount(bag, minlength=m).astype(np.float64),
            self._limits,
            seed_of(int(rng.integers(LARGEST_SEED))),
            *(total, leaf, hazard),
        )
        return np.concatenate([total[out], leaf, hazard])

    @cached_property
    def features(self) -> Any:
        """The features as trees see them."""
        from tlpo.engines.trees.table import features_of

        return features_of(self.X)

    @cached_property
    def _everyone(self) -> Any:
        return self.features.rows(np.arange(self.times.time.size), ranks=False)

    @cached_property
    def _times(self) -> Any:
        from tlpo.engines.trees.logrank import Times

        return Times(self.times.place, self.times.event, self.times.n_events > 0)

    @cached_property
    def _limits(self) -> Limits:
        # Shares of the training set, which parameters may be, are those of as many units.
        n = self.times.time.size - self.n_left_out
        return limits_of(self.kind(**self.params), len(self.features.x), n, float(n))


@dataclass(frozen=True, eq=False)
class CompiledSurvivalForest:
    """Fits whole survival forests.

    Attributes
    ----------
    estimator : estimator
        The forest.
    grower : CompiledSurvivalGrower
        What grows on bags of all units.
    """

    estimator: Any
    grower: CompiledSurvivalGrower

    def respond(self, train: IntArray, test: IntArray) -> FloatArray | None:
        """Fit a forest to some units, which may be repeated; None if scikit-survival refuses."""
        from tlpo.engines.trees.logrank import Times, ask_logrank_trees

        features, times = self.grower.features, self.grower.times
        died, n = times.event[train], train.size
        distinct, place = np.unique(times.time[train], return_inverse=True)
        if distinct.size < 2 or not died.any():
            return None
        is_of_event = np.zeros(distinct.size, dtype=bool)
        is_of_event[place[died]] = True
        seeds, bags = self._draws.of(n)
        answers = np.zeros(test.size)
        ask_logrank_trees(
            features.rows(train, ranks=False),
            Times(place, died, is_of_event),
            np.array([np.bincount(bag, minlength=n) for bag in bags], dtype=np.float64),
            limits_of(self.estimator, len(features.x), n, float(n)),
            seeds,
            np.ascontiguousarray(features.x[:, test]),
            answers,
        )
        return answers / len(seeds)

    @cached_property
    def _draws(self) -> Draws:
        return Draws(self.estimator)


def compiled_survival_grower(grower: SurvivalGrower) -> SurvivalGrower:
    """Return what grows the trees of a grower in compiled loops, or the grower itself."""
    X = grower.X
    if (
        grower.kind not in COMPILED
        or not is_survival_followed()
        or grower.params["splitter"] != "best"
        or grower.params["max_leaf_nodes"] is not None
        or not isinstance(X, np.ndarray)
        or not np.isfinite(X).all()
    ):
        return grower
    return CompiledSurvivalGrower(
        **{field.name: getattr(grower, field.name) for field in fields(grower)}
    )


def compiled_survival_forest(estimator: Any, grower: Any) -> CompiledSurvivalForest | None:
    """Return what fits forests like that of a compiled grower; None of any other."""
    if not isinstance(grower, CompiledSurvivalGrower):
        return None
    return CompiledSurvivalForest(estimator, grower)


def is_survival_followed() -> bool:
    """Return whether it is known how this scikit-survival grows trees on this machine."""
    version = tuple(map(int, metadata.version("scikit-survival").split(".")[:2]))
    return version in FOLLOWED_VERSIONS and is_followed()
