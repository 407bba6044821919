"""The engine for ridge regression of log times, weighted for censoring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, sparse

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Answered, Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of
from tlpo.engines.optional import OptionalTypes
from tlpo.engines.parameters import is_number
from tlpo.engines.preparation.columns import Centre, Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.problem.outcome import TimeToEvent

if TYPE_CHECKING:
    from tlpo.engines.ipc_ridge.kernels import Sample

# Sets that are solved in one thread, at least.
SETS_A_THREAD = 100
# Both solve normal equations by Cholesky's method if the data are dense.
DIRECT_SOLVERS = ("auto", "cholesky")


class IpcRidge(BySets):
    """scikit-survival's ``IPCRidge``, also behind scalers and imputers.

    Weighted least squares of log times, solved anew without every held-out set: the weights of all
    events change with it. Games closer than rounding are refitted.
    """

    name = "ipc-ridge"
    estimators = OptionalTypes("sksurv.linear_model.IPCRidge")
    outcomes = frozenset({TimeToEvent})
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self.alpha = float(prepared.model.alpha)
        self.is_free = bool(prepared.model.fit_intercept)
        # A column of zeros gets no weight if weights are penalised.
        self.notices_empty = self.alpha == 0
        self._pooled = False

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        model, problem, columns = prepared.model, prepared.problem, prepared.columns
        name = type(model).__name__
        unknown = sorted(set(model.get_params(deep=False)) - _KNOWN)
        if unknown:
            return f"The solution of {name} does not cover its parameter {unknown[0]!r}."
        if model.solver not in DIRECT_SOLVERS:
            return f"The solution of {name} would differ from that of solver={model.solver!r}."
        if model.positive:
            return "Coefficients that must be positive are not covered."
        if not (is_number(model.alpha) and 0 <= model.alpha < np.inf):
            return f"{name} needs one penalty that is a non-negative number."
        if columns is None:
            if sparse.issparse(problem.X):
                return f"The solution of {name} does not cover sparse data."
        elif columns.n_best is not None:
            return f"{name} after a selection of features is not covered."
        if problem.params:
            return f"The solution does not cover the fit arguments {', '.join(problem.params)}."
        assert isinstance(problem.outcome, TimeToEvent)
        if not problem.outcome.time.min() > 0:
            return f"{name} predicts the logarithms of times, and that of 0 is infinite."
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
        from tlpo.engines.ipc_ridge.kernels import solve_sets

        fitted, places = self._fitted(sets), self._places[sets]
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        threads = min(thread_count(execution.n_jobs), 1 + len(sets) // SETS_A_THREAD)
        calls = []
        for part in slices(len(sets), threads):
            own = fitted._replace(growth=fitted.growth[part])
            if len(fitted.scale) > 1:
                own = Fitted(*(values[part] for values in fitted))
            outputs = (answers.response[part], answers.error[part])
            calls.append((self._sample, own, places[part], self._pooled, *outputs))
        with one_blas_thread():
            in_threads(solve_sets, calls)
        return answers

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Solve models of units that may be drawn repeatedly.

        None for those to be fitted: rounding could change the order of responses.
        """
        with one_blas_thread():
            return [self._respond(fit) for fit in fits]

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        if self.alpha == 0 and columns.n_columns >= self.outcome.n_events:
            raise EngineError("Without a penalty, there must be more events than features.")
        return columns.conditioned(shift_matters=not self.is_free)

    @cached_property
    def outcome(self) -> TimeToEvent:
        """Times and events."""
        assert isinstance(self.problem.outcome, TimeToEvent)
        return self.problem.outcome

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.outcome.time, kind="stable")

    @cached_property
    def _places(self) -> IntArray:
        """Where every unit is, sorted by time."""
        places = np.empty(self.problem.n_units, dtype=np.intp)
        places[self._order] = np.arange(places.size)
        return places

    @cached_property
    def _basis(self) -> FloatArray | None:
        """Turns rows into coordinates, if there are more columns than units and these are fixed.

        Penalised coefficients are a combination of rows, so the coordinates of these are enough.
        """
        columns = self.columns
        if not columns.is_fixed or columns.n_columns <= columns.n_units + self._spare:
            return None
        return np.asarray(linalg.qr(columns.values.T, mode="economic")[0], dtype=np.float64)

    @property
    def _spare(self) -> int:
        """How many columns may vanish from a training set."""
        return sum(guard.empties for guard in self.prepared.guards)

    @cached_property
    def _sample(self) -> Sample:
        """All units, and what is minimised."""
        from tlpo.engines.ipc_ridge.kernels import Sample

        columns, basis, time = self.columns, self._basis, self.outcome.time[self._order]
        values, missing = columns.values, columns.missing
        span, offset = np.abs(values).max(axis=0), np.abs(columns.origin) / columns.unit
        if basis is not None:
            k = basis.shape[1]
            values, missing = values @ basis, np.zeros((len(values), k), dtype=bool)
            span, offset = (np.full(k, np.linalg.norm(x) / np.sqrt(k)) for x in (span, offset))
        starts = np.flatnonzero(np.diff(time, prepend=-np.inf))
        own: BoolArray = missing[self._order]
        return Sample(
            values=values[self._order],
            missing=own,
            has_gaps=bool(own.any()),
            edges=np.append(starts, time.size),
            event=self.outcome.event[self._order],
            log_time=np.log(time),
            alpha=self.alpha,
            is_free=self.is_free,
            span=span,
            offset=offset,
            is_rotated=basis is not None,
            n_given=columns.n_columns,
            spare=self._spare,
        )

    def _fitted(self, sets: IntArray) -> Fitted:
        """Fit the columns without each set."""
        if self.columns.is_fixed:
            n = self.columns.n_columns
            fixed = Fitted(np.zeros((1, n)), np.zeros((1, n)), np.ones((1, n)), np.ones(len(sets)))
            return self._shifted(fixed)
        return self._shifted(self.columns.fit_without(sets))

    def _shifted(self, fitted: Fitted) -> Fitted:
        """Count shifts from the user's numbers, in the columns in which models are solved."""
        columns, basis = self.columns, self._basis
        origin = np.where(columns.centre == Centre.NOTHING, columns.origin / columns.unit, 0.0)
        shift = fitted.shift - origin
        if basis is None:
            return fitted._replace(shift=shift)
        shift = np.ascontiguousarray(shift @ basis)
        return Fitted(np.zeros(shift.shape), shift, np.ones(shift.shape), fitted.growth)

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.ipc_ridge.kernels import solve_one

        columns, places = self.columns, self._places
        fitted = self._fitted(np.empty((1, 0), dtype=np.intp))
        if not columns.is_fixed:
            fitted = self._shifted(columns.fit_on(fit.train))
        if self.prepared.is_exception(fit.train, self.notices_empty):
            return None
        count = np.bincount(places[fit.train], minlength=columns.n_units).astype(np.float64)
        response, error = np.empty(fit.test.size), np.empty(fit.test.size)
        fill, shift, scale, growth = (part[0] for part in fitted)
        solve_one(
            self._sample,
            fill,
            shift,
            scale,
            growth,
            count,
            places[fit.test],
            False,
            np.empty(count.size),
            response,
            error,
        )
        response[np.isinf(error)] = 0.0
        is_open = may_swap(response, error, self.outcome.level[fit.test]).any()
        return None if is_open else response


_KNOWN = {
    "alpha",
    "copy_X",
    "fit_intercept",
    "max_iter",
    "positive",
    "random_state",
    "solver",
    "tol",
}

ENGINE: type[Engine] = IpcRidge
