"""The engine for Cox regression."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import ThreadpoolController

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.cox.objective import Objective, is_of_scikit_survival, loss, objective_of
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import Centre, Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.learners import Cox as CoxRegression
from tlpo.problem.outcome import TimeToEvent

# Sets that are solved in one thread, at least.
SETS_A_THREAD = 50


class Cox(BySets):
    """Cox regression with a ridge penalty or none, also behind scalers and imputers.

    Every pair is solved by Newton's method from what the solutions without each of its units say.
    Games closer than rounding or the estimator's own tolerance are refitted.
    """

    name = "cox"
    estimators = frozenset({CoxRegression})
    outcomes = frozenset({TimeToEvent})
    notices_empty = False
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective: Objective = objective

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether the model is a Cox regression of times to an event."""
        kind = type(prepared.model)
        is_covered = kind in cls.estimators or is_of_scikit_survival(kind)
        return is_covered and type(prepared.problem.outcome) in cls.outcomes

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective, problem = objective_of(prepared.model), prepared.problem
        if isinstance(objective, str):
            return objective
        if prepared.columns is None:
            if sparse.issparse(problem.X):
                return "The solution of Cox regression does not cover sparse data."
        elif prepared.columns.n_best is not None:
            return "Cox regression after a selection of features is not covered."
        if problem.params:
            return f"The solution does not cover the fit arguments {', '.join(problem.params)}."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Solve models without some sets."""
        # What leaving out one unit changes, added up, is close to what leaving out several does.
        start = self._whole + (self._singles[sets] - self._whole).sum(axis=1)
        return self._solve(sets, start, execution)

    def _solve(self, sets: IntArray, w: FloatArray, execution: Execution) -> Answers:
        """Solve models without some sets, in threads; improves w in place."""
        from tlpo.engines.cox.kernels import solve_sets

        columns, times, fitted = self.columns, self._times, self._fitted(sets)
        values, missing = self._sorted
        places = self._places[sets]
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        threads = min(thread_count(execution.n_jobs), 1 + len(sets) // SETS_A_THREAD)
        calls: list[tuple[Any, ...]] = []
        for part in slices(len(sets), threads):
            own = part if len(fitted.fill) > 1 else slice(None)
            calls.append(
                (
                    values,
                    missing,
                    fitted.fill[own],
                    fitted.shift[own],
                    fitted.scale[own],
                    fitted.growth[part],
                    places[part],
                    times.edges,
                    times.event,
                    self._alpha,
                    self.objective.efron,
                    *self._extent,
                    self.objective.tol,
                    self._height,
                    w[part],
                    answers.response[part],
                    answers.error[part],
                )
            )
        with _controller().limit(limits=1):
            in_threads(solve_sets, calls)
        return answers

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
    def _times(self) -> Any:
        from tlpo.learners.cox_solver import arrange

        return arrange(self.outcome.time, self.outcome.event)

    @cached_property
    def _places(self) -> IntArray:
        """Where every unit is, sorted by time."""
        places = np.empty(self.problem.n_units, dtype=np.intp)
        places[self._times.order] = np.arange(places.size)
        return places

    @cached_property
    def _sorted(self) -> tuple[FloatArray, Any]:
        order = self._times.order
        return self.columns.values[order], self.columns.missing[order]

    @cached_property
    def _extent(self) -> tuple[FloatArray, FloatArray]:
        """The range of each column, and the largest of its numbers before it was shifted."""
        columns = self.columns
        low = np.where(columns.missing, np.inf, columns.values).min(axis=0)
        high = np.where(columns.missing, -np.inf, columns.values).max(axis=0)
        offset = np.abs(columns.origin) / columns.unit
        return np.maximum(high - low, 0.0), np.maximum(np.abs(low), np.abs(high)) + offset

    @cached_property
    def _alpha(self) -> FloatArray:
        alpha, n = self.objective.alpha, self.columns.n_columns
        found = np.full(n, alpha) if np.ndim(alpha) == 0 else np.asarray(alpha)
        if found.shape != (n,):
            raise EngineError(f"There are {n} columns and {found.size} penalties.")
        return found

    def _fitted(self, sets: IntArray) -> Fitted:
        """Fit the columns without each set; shifts are those from where responses count."""
        columns = self.columns
        if columns.is_fixed:
            nothing, one = np.zeros((1, columns.n_columns)), np.ones((1, columns.n_columns))
            fitted = Fitted(nothing, nothing, one, np.ones(len(sets)))
        else:
            fitted = columns.fit_without(sets)
        origin = np.where(columns.centre == Centre.NOTHING, columns.origin / columns.unit, 0.0)
        return fitted._replace(shift=fitted.shift - origin)

    @cached_property
    def _whole(self) -> FloatArray:
        """The coefficients of all units, of columns before scaling."""
        from tlpo.learners.cox_solver import FOUND, fit

        columns, everyone = self.columns, np.arange(self.problem.n_units)
        fitted = self._fitted(np.empty((1, 0), dtype=np.intp))
        X = columns.values + columns.missing * fitted.fill[0]
        penalty = self._alpha * fitted.scale[0] ** 2
        w, end = fit(
            X[everyone], self.outcome.time, self.outcome.event, penalty, self.objective.efron
        )
        if end != FOUND:
            raise EngineError("Without a larger penalty, Cox regression has no unique fit.")
        self._loss = loss(
            X @ w, self.outcome.time, self.outcome.event, np.ones(len(X)), self.objective.efron
        )
        return w

    @cached_property
    def _height(self) -> float:
        _ = self._whole
        return self._loss

    @cached_property
    def _singles(self) -> FloatArray:
        """The coefficients without each unit; those of all units where they are unknown."""
        m = self.problem.n_units
        w = np.tile(self._whole, (m, 1))
        sets = np.arange(m)[:, None]
        error = self._solve(sets, w, Execution()).error
        return np.where(np.isfinite(error), w, self._whole)


@cache
def _controller() -> ThreadpoolController:
    """Limits the threads of BLAS, whose products are small; looked up once, which takes 2 ms."""
    return ThreadpoolController()


ENGINE: type[Engine] = Cox
