"""The engine for gradient boosting."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.utils import check_random_state

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Engine
from tlpo.engines.boosting.model import ESTIMATORS, LOSSES, why_not_boosted
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, Ordered

# Cells of training sets, times trees, that are grown between two reports of progress: seconds.
CELLS = 2e8
# Games that take as long as one fit of the estimator, at least.
GAMES_A_FIT = 30.0
# Larger numbers have squares that overflow.
LARGEST = 1e100


class Boosting(BySets):
    """Gradient boosting, grown anew without every pair.

    Features are sorted once for all pairs, and trees are grown in a compiled loop: split for split
    those of scikit-learn, whose generator draws the order in which features are visited. With a
    ``random_state``, games are those of refitting; without one, refitting is random where splits
    are equally good, and games have its distribution.
    """

    name = "boosting"
    estimators = ESTIMATORS
    outcomes = frozenset({Classes, Ordered})
    plays_varying = False

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        why = why_not_boosted(prepared.model)
        if why is None and prepared.problem.params:
            given = ", ".join(prepared.problem.params)
            why = f"{type(prepared.model).__name__} with the fit arguments {given} is not covered."
        return why

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Boost without some sets."""
        from tlpo.engines.boosting.stages import boost_sets

        n = self.problem.n_units - sets.shape[1]
        start, seeds, draws = self._starts(sets), *self._randomness(len(sets), n)
        features, response = self._features, np.empty(sets.shape)
        parts = slices(len(sets), min(thread_count(execution.n_jobs), len(sets)))
        calls = [
            (
                *(features.x, features.ranked, features.is_ranked, self._y, self._plan(n)),
                *(start[part], *(own if len(own) == 1 else own[part] for own in (seeds, draws))),
                *(self._n_drawn(n), sets[part], response[part]),
            )
            for part in parts
        ]
        in_threads(boost_sets, calls)
        error = np.where(np.isfinite(start), 0.0, np.inf)
        return Answers(self._in_units(response), np.repeat(error[:, None], sets.shape[1], axis=1))

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Return the responses for a held-out pair; another fit may find others if random."""
        response, error = super().answer_pair(pair, execution)
        return response, error if self._is_seeded else np.inf

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Boost on units that may be drawn repeatedly."""
        parts = slices(len(fits), min(thread_count(None), max(1, len(fits))))
        found = in_threads(self._respond, [(fits[part],) for part in parts])
        return [response for part in found for response in part]

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:  # noqa: ARG002
        """Return about how many fits games are worth; nothing is grown."""
        self._features  # noqa: B018
        return float(1.0 + len(schedule.games(self.problem.outcome)) / GAMES_A_FIT)

    def _respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        from tlpo.engines.boosting.stages import boost
        from tlpo.engines.trees.growing import empty_tree

        features = self._features
        found: list[FloatArray | None] = []
        for train, test in fits:
            (start,) = self._starts_on(train[None])
            if self.prepared.is_exception(train) or not np.isfinite(start):
                found.append(None)
                continue
            seeds, draws = self._randomness(1, train.size)
            response = np.empty(test.size)
            boost(
                *(features.rows(train), self._y[train], np.ascontiguousarray(features.x[:, test])),
                *(self._plan(train.size), start, seeds[0], draws[0], self._n_drawn(train.size)),
                *(empty_tree(len(features.x), train.size, 1), response),
            )
            found.append(self._in_units(response))
        return found

    def _in_units(self, response: FloatArray) -> FloatArray:
        sign = 1.0
        if not self._is_regressor:  # its responses are those of the second label
            sign = 1.0 if self.problem.labels.positive == self.problem.labels.in_order[1] else -1.0
        return np.asarray(sign * response / self.problem.outcome.unit)

    @property
    def _is_regressor(self) -> bool:
        return type(self.estimator) is GradientBoostingRegressor

    @property
    def _is_seeded(self) -> bool:
        return self.estimator.random_state is not None

    @cached_property
    def _features(self) -> Any:
        from tlpo.engines.trees.table import features_of

        return features_of(self.problem.X)

    @cached_property
    def _y(self) -> FloatArray:
        if self._is_regressor:
            if np.abs(self.problem.target).max() > LARGEST:
                raise EngineError("The squares of such large numbers overflow.")
            return self.problem.target
        labels = self.problem.labels
        return np.asarray(labels.is_positive == (labels.positive == labels.in_order[1]), dtype=float)

    def _plan(self, n: int) -> Any:
        from tlpo.engines.boosting.stages import Plan
        from tlpo.engines.trees.settings import limits_of

        model = self.estimator
        limits = limits_of(model, len(self._features.x), n, float(self._n_drawn(n) or n))
        return Plan(LOSSES.index(model.loss), float(model.learning_rate), limits)

    def _n_drawn(self, n: int) -> int:
        """Return the size of subsamples, 0 if all units are taken."""
        return max(1, int(self.estimator.subsample * n)) if self.estimator.subsample < 1.0 else 0

    def _starts(self, sets: IntArray) -> FloatArray:
        """Return what is predicted without trees, NaN where a class is missing."""
        everyone = np.arange(self.problem.n_units)
        return self._starts_on(np.array([np.delete(everyone, units) for units in sets]))

    def _starts_on(self, train: IntArray) -> FloatArray:
        y = self._y[train]
        if self._is_regressor:
            if self.estimator.init == "zero":
                return np.zeros(len(train))
            # In the shape in which scikit-learn takes the mean, for the same rounding.
            return np.array([np.average(own[:, None], axis=0)[0] for own in y])
        shares = y.sum(axis=1) / y.shape[1]
        is_both = (shares > 0.0) & (shares < 1.0)
        if self.estimator.init == "zero":
            start = np.zeros(len(train))
        else:
            start = logit(np.where(is_both, shares, 0.5))
            if self.estimator.loss == "exponential":
                start *= 0.5
        return np.where(is_both, start, np.nan)

    def _randomness(self, count: int, n: int) -> tuple[IntArray, FloatArray]:
        """Return seeds of trees and draws of subsamples: one row, or one per fit if unseeded."""
        from tlpo.engines.trees.settings import LARGEST_SEED

        n_trees, rows = int(self.estimator.n_estimators), 1 if self._is_seeded else count
        random = check_random_state(copy.deepcopy(self.estimator.random_state))
        if not self._n_drawn(n):
            seeds = random.randint(0, LARGEST_SEED, size=(rows, n_trees))
            return np.asarray(seeds, dtype=np.intp), np.empty((rows, 0, n))
        seeds, draws = np.empty((rows, n_trees), dtype=np.intp), np.empty((rows, n_trees, n))
        for row in range(rows):
            for stage in range(n_trees):
                draws[row, stage] = random.uniform(size=n)
                seeds[row, stage] = random.randint(0, LARGEST_SEED)
        return seeds, draws

    def _parts(self, count: int, size: int) -> Iterator[slice]:
        cells = self._features.x.size * self.estimator.n_estimators
        step = min(count, max(1, int(CELLS / cells)))
        for part in super()._parts(count, size):
            for start in range(part.start, part.stop, step):
                yield slice(start, min(part.stop, start + step))


ENGINE: type[Engine] = Boosting
