"""Forests that are grown anew without every pair, where no tree can be shared.

Trees are those of scikit-learn, in compiled loops. With a ``random_state`` the forest of a pair is
the very forest that refitting would fit.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.utils import compute_sample_weight

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Decided, Engine, Halves
from tlpo.engines.by_sets import Answers
from tlpo.engines.forest.compiled import ask_forest, bag_size
from tlpo.engines.forest.growing import FORESTS, OF_FORESTS
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.trees.base import Growing
from tlpo.engines.trees.settings import (
    CRITERIA,
    bags_of,
    draw_by_weight,
    limits_of,
    weighted_bags_of,
    why_not_covered,
)
from tlpo.execution.diagnostics import WarningLog
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.response import fits_numbers
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, Ordered, SeveralClasses

if TYPE_CHECKING:
    from tlpo.engines.trees.table import Features


class GrownForests(Growing):
    """Forests of classes or numbers, grown anew without every pair."""

    name = "forests"
    estimators = FORESTS
    outcomes = frozenset({Classes, Ordered, SeveralClasses})

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        model, name = prepared.model, type(prepared.model).__name__
        why = why_not_covered(model, OF_FORESTS)
        if why is not None:
            return why
        if model.criterion not in CRITERIA:
            return f"{name} with criterion={model.criterion!r} is not covered."
        if model.warm_start:
            return f"{name} with warm_start=True is not covered."
        return super().why_not(prepared)

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self.ceiling = 1.0 if self._n_classes else np.inf
        self._drawn: dict[tuple[int, int, bool], tuple[IntArray, Any]] = {}
        self._halves: dict[bytes, FloatArray] | None = None

    @property
    def n_trees(self) -> int:
        """How many trees a forest has."""
        return int(self.estimator.n_estimators)

    @property
    def fits_anew(self) -> bool:
        """Whether steps are fitted to every training set: what scales moves thresholds a little."""
        return self.prepared.steps is not None

    def answer_fixed(self, sets: IntArray, execution: Execution) -> Answers:
        """Grow a forest without each of some sets."""
        return self.answer_anew(sets, execution)

    def respond_to(self, fit: Fit, features: Features, y: FloatArray) -> FloatArray | None:
        """Grow a forest on units that may be repeated.

        Returns the responses of all trees, and those of either half of them.
        """
        train, test = fit
        n, K = train.size, self._n_classes
        if K and np.unique(y).size < K:
            return None
        weight = self._class_weights(y)
        is_plain = weight is None and not self.estimator.bootstrap
        seeds, weights = self._weights(weight, y)
        kind = type(self.estimator)
        limits = limits_of(self.estimator, len(features.x), n, 0.0)._replace(
            draws_thresholds=kind in (ExtraTreesClassifier, ExtraTreesRegressor)
        )
        tries_all = not limits.draws_thresholds and limits.n_tried >= len(features.x)
        counts_units = K > 0 and getattr(self.estimator, "class_weight", None) is None
        ranks = tries_all and (is_plain or np.unique(train).size == n)
        rows = features.rows(train, ranks, counts_units)
        asked = np.ascontiguousarray(features.x[:, test])
        # The second half adds to what the first answers: rounding is that of adding tree by tree.
        half = self.n_trees // 2
        sums: list[FloatArray] = []
        for own in (slice(half), slice(half, None)) if half else (slice(None),):
            sums.append(
                ask_forest(
                    *(
                        rows,
                        self.estimator,
                        K,
                        y,
                        weights[own],
                        is_plain,
                        limits,
                        seeds[own],
                        asked,
                    ),
                    answers=sums[-1].copy() if sums else None,
                )
            )
        found = [sums[-1] / self.n_trees]
        if half:
            found += [sums[0] / half, (sums[1] - sums[0]) / (self.n_trees - half)]
        if self.problem.outcome.response_shape:
            return np.array(found)
        column = int(self.is_second_positive) if K else 0
        return np.array(found)[:, :, column] / self.problem.outcome.unit

    def _respond(self, fits: Sequence[Fit], log: WarningLog) -> list[FloatArray | None]:
        """Return the responses of all trees; those of halves are kept while somebody asks."""
        found: list[FloatArray | None] = []
        for fit, each in zip(fits, super()._respond(fits, log), strict=True):
            found.append(None if each is None else each[0])
            if self._halves is not None and each is not None and len(each) > 1:
                self._halves[fit.test.tobytes()] = each[1:]
        return found

    def _decide(self, schedule: Schedule, execution: Execution) -> Decided:
        """Play, and also tell what either half of the trees answers."""
        if not execution.keep_predictions:
            return super()._decide(schedule, execution)
        with self._keeping_halves():
            decided = super()._decide(schedule, execution)
            return replace(
                decided, halves=self._halves_of(decided.games, decided.responses, execution)
            )

    def predict_parts(self, pairs: IntArray, execution: Execution) -> list[FloatArray]:
        """Return the responses of all trees for held-out pairs, and of either half of them."""
        with self._keeping_halves():
            responses = self.predict_pairs(pairs, execution)
            return [responses, *(self._halves_of(pairs, responses, execution) or ())]

    @contextmanager
    def _keeping_halves(self) -> Iterator[None]:
        self._halves = {}
        try:
            yield
        finally:
            self._halves = None

    def _halves_of(
        self, games: IntArray, responses: FloatArray, execution: Execution
    ) -> Halves | None:
        """Return what either half of the trees answers; where games were refitted, what all do."""
        kept = self._halves
        if not kept:
            return None

        def recall(half: int, sets: IntArray, _: Execution) -> Answers:
            unknown = np.full((2, sets.shape[1], *responses.shape[2:]), np.nan)
            found = np.array([kept.get(own.tobytes(), unknown)[half] for own in sets])
            return Answers(found, np.zeros(found.shape))

        tables = []
        for half in (0, 1):
            found, error = self._answer_games(games, execution, partial(recall, half))
            known = np.isfinite(error).all(axis=tuple(range(1, error.ndim)))
            tables.append(np.where(known.reshape(-1, *(1,) * (found.ndim - 1)), found, responses))
        return tables[0], tables[1]

    @property
    def _n_classes(self) -> int:
        """How many classes there are, 0 for numbers."""
        return 0 if fits_numbers(self.estimator) else int(self.target.max()) + 1

    def _class_weights(self, y: FloatArray) -> FloatArray | None:
        """Return the weights of a training set by classes, None if bags alone decide."""
        model = self.estimator
        weight = getattr(model, "class_weight", None)
        if weight is None or (weight == "balanced_subsample" and model.bootstrap):
            return None
        labels = np.unique(self.problem.y)[y.astype(np.intp)]
        asked = "balanced" if weight == "balanced_subsample" else weight
        return np.asarray(compute_sample_weight(asked, labels), dtype=np.float64)

    def _weights(self, weight: FloatArray | None, y: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return seeds of trees, and the weights each gives to the units of a training set."""
        n, model = y.size, self.estimator
        seeds, bags = self._draw(n, weight)
        if not model.bootstrap:
            own = np.ones(n) if weight is None else weight
            return seeds, np.broadcast_to(own, (self.n_trees, n)).copy()
        weights = np.array([np.bincount(bag, minlength=n) for bag in bags], dtype=np.float64)
        if getattr(model, "class_weight", None) == "balanced_subsample":
            for own, bag in zip(weights, bags, strict=True):
                own *= compute_sample_weight("balanced", y, indices=bag)
        return seeds, weights

    def _draw(self, n: int, weight: FloatArray | None) -> tuple[IntArray, IntArray]:
        """Return seeds and bags; with a seed they are drawn once for all sets of one size."""
        model: Any = self.estimator
        whole = float(n) if weight is None else float(weight.sum())
        size = bag_size(model.max_samples, n, whole) if model.bootstrap else 0
        key = n, size, weight is None
        drawn: Any = self._drawn.get(key)
        if drawn is None:
            state = copy.deepcopy(model.random_state)
            if weight is None:
                drawn = bags_of(state, self.n_trees, n, size)
            else:
                drawn = weighted_bags_of(state, self.n_trees, size)
            if state is not None:
                self._drawn[key] = drawn
        seeds, bags = drawn
        return seeds, bags if weight is None else draw_by_weight(bags, weight)


ENGINE: type[Engine] = GrownForests
