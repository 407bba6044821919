"""The engine for Cox regression with an L1 penalty."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.coxnet.objective import Objective, objective_of
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of
from tlpo.engines.optional import OptionalTypes
from tlpo.engines.preparation.columns import Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.problem.outcome import TimeToEvent

if TYPE_CHECKING:
    from tlpo.engines.coxnet.path import Settings

# Sets that one thread follows, at least.
SETS_A_THREAD = 20
# How far responses may be off by rounding, relative to their parts.
REACH = 1e-9


class Coxnet(BySets):
    """Cox regression with an L1 penalty, also behind scalers and imputers.

    Its solver is followed to where it stops, without every pair. Games that rounding could decide
    are followed once more, to see how it grows, or refitted.
    """

    name = "coxnet"
    estimators = OptionalTypes("sksurv.linear_model.CoxnetSurvivalAnalysis")
    outcomes = frozenset({TimeToEvent})
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective: Objective = objective
        factors = objective.factors
        if factors is not None and factors.size != self.columns.n_columns:
            raise EngineError(
                f"There are {self.columns.n_columns} columns and {factors.size} penalty factors."
            )

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective, problem = objective_of(prepared.model), prepared.problem
        if isinstance(objective, str):
            return objective
        name = type(prepared.model).__name__
        if prepared.columns is None:
            if sparse.issparse(problem.X):
                return f"The path of {name} on sparse data is not covered."
        elif prepared.columns.n_best is not None:
            return f"{name} after a selection of features is not covered."
        if problem.params:
            given = ", ".join(problem.params)
            return f"The path of {name} does not cover the fit arguments {given}."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the solver without some sets."""
        self._require_end()
        return self._follow(sets, REACH, execution)

    @property
    def can_answer_again(self) -> bool:
        """Whether a second path may show that rounding grows less than is assumed."""
        return True

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the solver twice, the second time on rows that are a little off."""
        return self._follow(sets, 0.0, execution)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Follow the solver on units that may be drawn repeatedly.

        None for those to be fitted: rounding could change the order of responses.
        """
        self._require_end()
        with one_blas_thread():
            return [self._respond(fit) for fit in fits]

    def _follow(self, sets: IntArray, reach: float, execution: Execution) -> Answers:
        from tlpo.engines.coxnet.sets import follow_sets

        columns, fitted = self.columns, self._fitted(sets)
        settings = self._settings(columns.n_units - sets.shape[1])
        growth = fitted.growth * self._growth
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        threads = min(thread_count(execution.n_jobs), 1 + len(sets) // SETS_A_THREAD)
        calls = [
            (
                columns.values,
                columns.missing,
                *(own if len(own) == 1 else own[part] for own in fitted[:3]),
                growth[part],
                *self._times,
                self._order,
                settings,
                self._size,
                reach,
                sets[part],
                answers.response[part],
                answers.error[part],
            )
            for part in slices(len(sets), threads)
        ]
        with one_blas_thread():
            in_threads(follow_sets, calls)
        return answers

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.coxnet.sets import follow_twice

        columns = self.columns
        fitted = self._unchanged if columns.is_fixed else columns.fit_on(fit.train)
        if self.prepared.is_exception(fit.train, self.notices_empty):
            return None
        time = self.outcome.time
        response = np.empty(fit.test.size)
        error = follow_twice(
            np.ascontiguousarray(columns.prepared(fitted, 0, np.arange(columns.n_units))),
            *self._times,
            fit.train[np.argsort(-time[fit.train], kind="stable")],
            fit.test,
            self._settings(fit.train.size),
            self._size,
            float(fitted.growth[0]) * self._growth,
            response,
        )
        level = self.outcome.level[fit.test]
        is_open = may_swap(response, np.full(response.size, error), level).any()
        return None if is_open else response

    def _require_end(self) -> None:
        """Raise if the solver ends at ``max_iter`` even with all units.

        Where it ends there is known, too, but only a fit gives the estimator's own warning.
        """
        if self._is_unfinished:
            raise EngineError(
                f"{type(self.estimator).__name__} does not converge within "
                f"max_iter={self.objective.max_iter}; with more, or a larger alpha, it may."
            )

    @cached_property
    def _is_unfinished(self) -> bool:
        from tlpo.engines.coxnet.path import UNFINISHED
        from tlpo.engines.coxnet.sets import BLUR, follow_units

        columns, everyone = self.columns, np.arange(self.problem.n_units)
        fitted = self._unchanged if columns.is_fixed else columns.fit_on(everyone)
        if not np.isfinite(fitted.growth[0]):
            return False
        rows = np.ascontiguousarray(columns.prepared(fitted, 0, everyone))
        coef, centre = np.empty(columns.n_columns), np.empty(columns.n_columns)
        settings, size = self._settings(everyone.size), self._size
        with one_blas_thread():
            end = follow_units(
                rows, *self._times, self._order, settings, size, BLUR, 0.0, coef, centre
            )
        return bool(end == UNFINISHED)

    def _settings(self, n: int) -> Settings:
        """Return what is followed on so many units."""
        from tlpo.engines.coxnet.path import Settings

        objective, p = self.objective, self.columns.n_columns
        length, factors = objective.alphas.size, objective.factors
        return Settings(
            alphas=objective.alphas,
            makes_path=objective.makes_path,
            factor=objective.least_of(n, p) ** (1.0 / max(1, length - 1)),
            share=objective.share,
            penalty=np.ones(p) if factors is None else factors * p / factors.sum(),
            normalize=objective.normalize,
            tol=objective.tol,
            max_iter=objective.max_iter,
        )

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=False)

    @cached_property
    def outcome(self) -> TimeToEvent:
        """Times and events."""
        assert isinstance(self.problem.outcome, TimeToEvent)
        return self.problem.outcome

    @cached_property
    def _times(self) -> tuple[FloatArray, FloatArray]:
        return self.outcome.time.astype(np.float64), self.outcome.event.astype(np.float64)

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(-self.outcome.time, kind="stable")

    @cached_property
    def _unchanged(self) -> Fitted:
        n = self.columns.n_columns
        return Fitted(np.zeros((1, n)), np.zeros((1, n)), np.ones((1, n)), np.ones(1))

    def _fitted(self, sets: IntArray) -> Fitted:
        """Fit the columns without each set; one row for all if they are the same."""
        if self.columns.is_fixed:
            return self._unchanged._replace(growth=np.ones(len(sets)))
        return self.columns.fit_without(sets)

    @cached_property
    def _size(self) -> FloatArray:
        """The largest numbers that the estimator centres, in the units of `columns`."""
        columns = self.columns
        return np.asarray(
            np.abs(columns.origin) / columns.unit + np.abs(columns.values).max(axis=0)
        )

    @cached_property
    def _growth(self) -> float:
        """By how much more than their own digits columns lose when they are centred."""
        columns = self.columns
        spread = columns.values.std(axis=0)
        varies = spread > 1e-9 * self._size
        return float(np.max(1e-3 * self._size[varies] / spread[varies], initial=1.0))


ENGINE: type[Engine] = Coxnet
