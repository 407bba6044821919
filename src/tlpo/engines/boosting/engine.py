"""The engine for gradient boosting."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logit
from sklearn._loss.link import MultinomialLogit
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.utils import check_random_state
from sklearn.utils.extmath import softmax

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Engine
from tlpo.engines.boosting.model import ESTIMATORS, LOSSES, MULTINOMIAL, why_not_boosted
from tlpo.engines.by_sets import Answers
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.trees.base import Growing, without
from tlpo.engines.trees.settings import LARGEST_SEED, limits_of
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads
from tlpo.problem.outcome import Classes, Ordered, SeveralClasses

if TYPE_CHECKING:
    from tlpo.engines.trees.table import Features

# Shares of classes are at least this, and at most 1 less it.
SMALLEST = np.finfo(np.float64).eps


class Boosting(Growing):
    """Gradient boosting of classes or of numbers, grown anew without every pair.

    Features are sorted once for all pairs, and all stages are one compiled loop.
    """

    name = "boosting"
    estimators = ESTIMATORS
    outcomes = frozenset({Classes, Ordered, SeveralClasses})

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        K = (prepared.problem.outcome.response_shape or (1,))[0]
        return why_not_boosted(prepared.model, K) or super().why_not(prepared)

    @property
    def n_trees(self) -> int:
        """How many trees a model has."""
        return int(self.estimator.n_estimators) * self._n_columns

    def answer_fixed(self, sets: IntArray, execution: Execution) -> Answers:
        """Boost without some sets."""
        from tlpo.engines.boosting.stages import boost_sets

        n = self.problem.n_units - sets.shape[1]
        features, response = self.features, np.empty((*sets.shape, self._n_columns))
        start = self._starts(self.target[without(self.problem.n_units, sets)])
        seeds, draws = self._randomness(len(sets), n)
        calls = [
            (
                *(features.x, features.ranked, features.is_ranked, self.target),
                self._plan(n, len(features.x)),
                *(start[part], *(own if len(own) == 1 else own[part] for own in (seeds, draws))),
                *(self._n_drawn(n), sets[part], response[part]),
            )
            for part in self.shares(len(sets), execution)
        ]
        in_threads(boost_sets, calls)
        found = self._in_units(response)
        error = np.zeros(found.shape)
        error[~np.isfinite(start[:, 0])] = np.inf
        return Answers(found, error)

    def respond_to(self, fit: Fit, features: Features, y: FloatArray) -> FloatArray | None:
        """Boost on units that may be repeated."""
        from tlpo.engines.boosting.stages import boost, memory_for
        from tlpo.engines.trees.structure import empty_tree

        train, test = fit
        n = train.size
        (start,) = self._starts(y[None])
        if not np.isfinite(start[0]):
            return None
        seeds, draws = self._randomness(1, n)
        response = np.empty((test.size, self._n_columns))
        n_features = len(features.x)
        plan = self._plan(n, n_features)
        memory = memory_for(n_features, n, features.is_ranked, plan)
        rows = features.rows(train, in_any_order=len(memory.entry) > 0)
        asked, tree = np.ascontiguousarray(features.x[:, test]), empty_tree(n_features, n, 1)
        drawn, n_drawn = draws[0], self._n_drawn(n)
        boost(rows, y, asked, plan, start, seeds[0], drawn, n_drawn, tree, memory, response)
        return self._in_units(response)

    def _in_units(self, raw: FloatArray) -> FloatArray:
        """Return responses: probabilities of several classes, otherwise one number."""
        if self._n_columns > 1:
            return np.asarray(softmax(raw.reshape(-1, self._n_columns)).reshape(raw.shape))
        response = raw[..., 0]
        if not self._is_regressor and not self.is_second_positive:
            return -response
        return np.asarray(response / self.problem.outcome.unit)

    @property
    def _n_columns(self) -> int:
        """How many trees a stage has: one for each of several classes."""
        return (self.problem.outcome.response_shape or (1,))[0]

    @property
    def _is_regressor(self) -> bool:
        return type(self.estimator) is GradientBoostingRegressor

    def _plan(self, n: int, n_features: int) -> Any:
        from tlpo.engines.boosting.stages import Plan

        model = self.estimator
        limits = limits_of(model, n_features, n, float(self._n_drawn(n) or n))
        loss = MULTINOMIAL if self._n_columns > 1 else LOSSES.index(model.loss)
        return Plan(loss, float(model.learning_rate), limits)

    def _n_drawn(self, n: int) -> int:
        """Return the size of subsamples, 0 if all units are taken."""
        return max(1, int(self.estimator.subsample * n)) if self.estimator.subsample < 1.0 else 0

    def _starts(self, y: FloatArray) -> FloatArray:
        """Return what is predicted without trees by training sets, NaN where a class is missing."""
        is_zero = self.estimator.init == "zero"
        if self._is_regressor:
            if is_zero:
                return np.zeros((len(y), 1))
            # In the shape in which scikit-learn takes the mean, for the same rounding.
            return np.array([np.average(own[:, None], axis=0) for own in y])
        if self._n_columns > 1:
            counts = np.stack([np.sum(y == k, axis=1) for k in range(self._n_columns)], axis=1)
            shares = np.clip(counts / y.shape[1], SMALLEST, 1.0 - SMALLEST)
            start = np.zeros(shares.shape) if is_zero else MultinomialLogit().link(shares)
            return np.where((counts > 0).all(axis=1, keepdims=True), start, np.nan)
        shares = y.sum(axis=1) / y.shape[1]
        has_both = (shares > 0.0) & (shares < 1.0)
        start = np.asarray(logit(np.where(has_both & (not is_zero), shares, 0.5)))
        if self.estimator.loss == "exponential":
            start *= 0.5
        return np.where(has_both, start, np.nan)[:, None]

    def _randomness(self, count: int, n: int) -> tuple[IntArray, FloatArray]:
        """Return seeds of trees and draws of subsamples: one row, or one per fit if unseeded."""
        rows, n_stages = 1 if self.is_seeded else count, int(self.estimator.n_estimators)
        shape = (rows, n_stages, self._n_columns)
        random = check_random_state(copy.deepcopy(self.estimator.random_state))
        if not self._n_drawn(n):
            seeds = random.randint(0, LARGEST_SEED, size=shape)
            return np.asarray(seeds, dtype=np.intp), np.empty((rows, 0, n))
        seeds, draws = np.empty(shape, dtype=np.intp), np.empty((rows, n_stages, n))
        for row in range(rows):
            for stage in range(n_stages):
                draws[row, stage] = random.uniform(size=n)
                seeds[row, stage] = random.randint(0, LARGEST_SEED, size=self._n_columns)
        return seeds, draws


ENGINE: type[Engine] = Boosting
