"""The engine for Cox regression."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import linalg, sparse

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Answered, Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.cox.objective import Objective, objective_of
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of
from tlpo.engines.optional import OptionalTypes
from tlpo.engines.preparation.columns import Centre, Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.problem.outcome import TimeToEvent

if TYPE_CHECKING:
    from tlpo.engines.cox.kernels import Sample
    from tlpo.learners.cox_solver import Times

# Sets that are solved in one thread, at least.
SETS_A_THREAD = 50
# A model without a few units may take more steps than that of all: so many times as many.
SPARE = 4
# Linear predictors up to here are far from where exponentials overflow.
HIGHEST = 300.0
NO_FIT = "Without a larger penalty, Cox regression has no unique fit."


class Space(NamedTuple):
    """The columns in which models are solved: those of the user, or coordinates of the rows.

    Attributes
    ----------
    values, missing : ndarray of shape (m, k)
        Columns of all units.
    alpha : ndarray of shape (k,)
        Their penalties.
    basis : ndarray of shape (n, k) or None
        Turns rows of the user's columns into those coordinates.
    span, origin : ndarray of shape (k,)
        What rounding is relative to: the largest of their numbers, and all that had been subtracted
        from them, up to their signs.
    """

    values: FloatArray
    missing: BoolArray
    alpha: FloatArray
    basis: FloatArray | None
    span: FloatArray
    origin: FloatArray


class Cox(BySets):
    """Cox regression with a ridge penalty or none, also behind scalers and imputers.

    Every pair is solved by Newton's method, from what the models without each of its units say.
    Games closer than rounding, or than the estimator's own tolerance leaves open, are refitted.
    """

    name = "cox"
    quick_games = 10_000
    estimators = OptionalTypes("tlpo.learners.Cox", "sksurv.linear_model.CoxPHSurvivalAnalysis")
    outcomes = frozenset({TimeToEvent})
    notices_empty = False
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective: Objective = objective
        self._pooled = False

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

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Answer held-out sets; those whose order among all others is open are refitted."""
        self._pooled = True
        try:
            return super().hold_out(tests, execution)
        finally:
            self._pooled = False

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Solve models without some sets."""
        # What leaving out each unit changes, added up, is close to what leaving out all does.
        start = self._whole + (self._singles[sets] - self._whole).sum(axis=1)
        return self._solve(sets, start, execution)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Solve models of units that may be drawn repeatedly.

        None for those to be fitted: rounding or a tolerance could change the order of responses.
        """
        _ = self._singles  # raises if there are none
        return [self._respond(fit) for fit in fits]

    def _solve(self, sets: IntArray, start: FloatArray, execution: Execution) -> Answers:
        """Solve models without some sets; improves the starting points in place."""
        threads = min(thread_count(execution.n_jobs), 1 + len(sets) // SETS_A_THREAD)
        return self._run(self._sample, self._fitted(sets), sets, start, threads)

    def _run(
        self, sample: Sample, fitted: Fitted, sets: IntArray, start: FloatArray, threads: int
    ) -> Answers:
        from tlpo.engines.cox.kernels import solve_sets

        places = self._places[sets]
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        calls = []
        for part in slices(len(sets), threads):
            own = fitted._replace(growth=fitted.growth[part])
            if len(fitted.scale) > 1:
                own = Fitted(*(values[part] for values in fitted))
            outputs = (start[part], answers.response[part], answers.error[part])
            calls.append((sample, own, places[part], self._pooled, *outputs))
        with one_blas_thread():
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
    def _times(self) -> Times:
        from tlpo.learners.cox_solver import arrange

        return arrange(self.outcome.time, self.outcome.event)

    @cached_property
    def _places(self) -> IntArray:
        """Where every unit is, sorted by time."""
        places = np.empty(self.problem.n_units, dtype=np.intp)
        places[self._times.order] = np.arange(places.size)
        return places

    @cached_property
    def _is_wide(self) -> bool:
        """Whether rows are reduced anew in every training set."""
        return bool(self._space.values.shape[1] > self.problem.n_units)

    @cached_property
    def _space(self) -> Space:
        columns = self.columns
        m, n = columns.values.shape
        if np.shape(self.objective.alpha) not in ((), (n,)):
            raise EngineError(
                f"There are {n} columns and {np.size(self.objective.alpha)} penalties."
            )
        alpha = np.broadcast_to(self.objective.alpha, (n,)).astype(np.float64)
        span = np.abs(columns.values).max(axis=0)
        origin = np.abs(columns.origin) / columns.unit
        if n > m:
            if not alpha.min() > 0:
                raise EngineError(NO_FIT)
            if not columns.scale.any() and not columns.has_gaps:
                # A penalised solution is a combination of the rows: their coordinates are enough.
                root = np.sqrt(alpha)
                basis, corner = linalg.qr((columns.values / root).T, mode="economic")
                values = np.ascontiguousarray(corner.T, dtype=np.float64)
                missing = np.zeros((m, m), dtype=bool)
                even = [np.full(m, np.linalg.norm(x / root) / np.sqrt(m)) for x in (span, origin)]
                return Space(values, missing, np.ones(m), basis / root[:, None], *even)
        return Space(columns.values, columns.missing, alpha, None, span, origin)

    @cached_property
    def _sample(self) -> Sample:
        """All units and their loss."""
        return self._unsolved._replace(height=self._solved[1])

    @cached_property
    def _unsolved(self) -> Sample:
        from tlpo.engines.cox.kernels import Sample

        space, (order, edges, event) = self._space, self._times
        low = np.where(space.missing, np.inf, space.values).min(axis=0)
        high = np.where(space.missing, -np.inf, space.values).max(axis=0)
        return Sample(
            values=space.values[order],
            missing=space.missing[order],
            has_gaps=bool(space.missing.any()),
            edges=edges,
            event=event,
            alpha=space.alpha,
            efron=self.objective.efron,
            low=low,
            high=high,
            span=space.span,
            offset=space.origin,
            tol=self.objective.tol,
            height=0.0,
        )

    def _fitted(self, sets: IntArray) -> Fitted:
        """Fit the columns without each set; shifts are what responses are counted from."""
        columns = self.columns
        if columns.is_fixed:
            nothing, one = np.zeros((1, columns.n_columns)), np.ones((1, columns.n_columns))
            return self._shifted(Fitted(nothing, nothing, one, np.ones(len(sets))))
        return self._shifted(columns.fit_without(sets))

    def _shifted(self, fitted: Fitted) -> Fitted:
        """Count shifts from the user's numbers, in the columns in which models are solved."""
        columns, basis = self.columns, self._space.basis
        origin = np.where(columns.centre == Centre.NOTHING, columns.origin / columns.unit, 0.0)
        shift = fitted.shift - origin
        if basis is None:
            return fitted._replace(shift=shift)
        shift = np.ascontiguousarray(shift @ basis)
        return Fitted(np.zeros(shift.shape), shift, np.ones(shift.shape), fitted.growth)

    @cached_property
    def _solved(self) -> tuple[FloatArray, float]:
        """The model of all units, as `_solve` takes it to start from, and its loss."""
        from tlpo.engines.cox.kernels import rows_of
        from tlpo.learners.cox_solver import loss

        nobody = np.empty((1, 0), dtype=np.intp)
        sample, fitted = self._unsolved, self._fitted(nobody)
        start = np.zeros((1, min(sample.values.shape[1], self.problem.n_units)))
        self._run(sample, fitted, nobody, start, 1)
        if np.isnan(start).any():
            raise EngineError(NO_FIT)
        z = start[0]
        if not self._is_wide:
            z = rows_of(sample, *(part[0] for part in fitted)).X @ z
        height = loss(z, sample.edges, sample.event, np.ones(z.size), sample.efron)
        return start[0], float(height)

    @property
    def _whole(self) -> FloatArray:
        return self._solved[0]

    @cached_property
    def _singles(self) -> FloatArray:
        """The models without each unit; that of all units where there is none."""
        m = self.problem.n_units
        sets, w = np.arange(m)[:, None], np.tile(self._whole, (m, 1))
        if self.objective.tol:
            self._require_known_stop(sets)
        self._run(self._sample, self._fitted(sets), sets, w, 1)
        return np.where(np.isnan(w), self._whole, w)

    def _require_known_stop(self, sets: IntArray) -> None:
        """Refuse if the estimator's own solver may fail or run out of steps without some sets."""
        from tlpo.engines.cox.kernels import follow_sets

        steps, highest = np.zeros(len(sets), dtype=np.intp), np.zeros(len(sets))
        n_iter, name = self.objective.n_iter, type(self.estimator).__name__
        with one_blas_thread():
            places = self._places[sets]
            follow_sets(self._sample, self._fitted(sets), places, n_iter, steps, highest)
        if SPARE * steps.max() > n_iter:
            raise EngineError(
                f"{name} takes {steps.max()} of at most {n_iter} steps, and where it stops at that "
                f"limit is unknown; scale the features or pass n_iter={SPARE * steps.max()}."
            )
        if not highest.max() <= HIGHEST:
            raise EngineError(
                f"Exponentials of linear predictors may overflow in {name}; scale the features or "
                "pass a larger penalty."
            )

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.cox.kernels import answer_counted

        columns, places = self.columns, self._places
        fitted = self._fitted(np.empty((1, 0), dtype=np.intp))
        if not columns.is_fixed:
            fitted = self._shifted(columns.fit_on(fit.train))
        if self.prepared.is_exception(fit.train, self.notices_empty) or np.isinf(fitted.growth[0]):
            return None
        count = np.bincount(places[fit.train], minlength=columns.n_units).astype(np.float64)
        response, error = np.empty(fit.test.size), np.empty(fit.test.size)
        start = self._whole.copy()
        with one_blas_thread():
            answer_counted(self._sample, fitted, count, places[fit.test], start, response, error)
        level = self.outcome.level[fit.test]
        return None if may_swap(response, error, level).any() else response


ENGINE: type[Engine] = Cox
