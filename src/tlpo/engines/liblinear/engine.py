"""The engine for what liblinear's trust-region solver fits: LinearSVC and logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers
from tlpo.engines.doubts import settle_rows
from tlpo.engines.liblinear.objective import Objective, is_meant, objective_of
from tlpo.engines.linear import OnRows
from tlpo.engines.preparation.columns import Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution

# The length of the gradient that is left is enlarged by this share, which covers its rounding.
ROUNDING = 1e-6
# Rounding of prepared columns and of the solution, relative to responses.
BLUR = 1e-12
# A model without two units may take so many times the iterations of the fit to all.
SPARE = 4


class Liblinear(OnRows):
    """Linear models with an L2 penalty by liblinear, also behind scalers and imputers.

    Games whose gap exceeds what the tolerance of the solver leaves open are decided by the exact
    solution, the others by refitting.
    """

    name = "liblinear"
    estimators = frozenset({LinearSVC, LogisticRegression})
    refitted_share = 0.02
    objective: Objective

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective = objective

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether it is a model of two classes that this solver may fit."""
        return super().accepts(prepared) and is_meant(prepared.model)

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective, problem = objective_of(prepared.model), prepared.problem
        name = type(prepared.model).__name__
        if isinstance(objective, str):
            return objective
        if prepared.columns is None:
            if sparse.issparse(problem.X):
                return f"The solution of {name} does not cover sparse data."
        elif prepared.columns.n_best is not None:
            return f"{name} after a selection of features is not covered."
        unknown = sorted(set(problem.params) - {"sample_weight"})
        if unknown:
            return f"The solution does not cover the fit arguments {', '.join(unknown)}."
        if problem.params and objective.is_balanced:
            return "Balanced classes together with sample weights are not covered."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Solve models without some sets."""
        from tlpo.engines.liblinear.newton import solve_sets

        _ = self._solution  # raises if it is not known where the solver stops
        if not self._is_primal(self.problem.n_units - sets.shape[1]):
            return Answers(np.empty(sets.shape), np.full(sets.shape, np.inf))
        fitted = self._fitted(sets)
        of, shared = (self._signs, self._weight), (self.objective.is_hinge, self.objective.bias)
        start = self._starts(fitted)
        if len(start) == 1:
            start = np.repeat(start, len(sets), axis=0)
        answers = self._run_over_sets(
            solve_sets, sets, fitted, of, shared, start, (self._tol,), execution
        )
        blur = BLUR * fitted.growth[:, None] * np.maximum(1.0, np.abs(answers.response))
        return Answers(answers.response, answers.error + blur)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Solve models of units that may be drawn repeatedly; None for those to be fitted."""
        _ = self._solution
        return [self._respond(fit) for fit in fits]

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.liblinear import newton

        columns, level = self.columns, self.problem.labels.level
        fitted = self._full if columns.is_fixed else columns.fit_on(fit.train)
        if (
            self.prepared.is_exception(fit.train, self.notices_empty)
            or np.isinf(fitted.growth[0])
            or not self._is_primal(fit.train.size)
        ):
            return None
        # What is drawn twice counts twice, also where the solver counts units.
        X, sign = self._rows(fitted)[fit.train], self._signs[fit.train]
        weight = self._drawn_weight(fit.train)[fit.train]
        weight /= np.bincount(fit.train)[fit.train]
        w = self._starts(fitted)[0].copy()
        error, hessian = np.empty(fit.test.size), np.empty((w.size, w.size))
        of = (X, sign, weight, self.objective.is_hinge)
        with one_blas_thread():
            length = newton.minimise(*of, w, hessian)
            N = newton.left_gradient(*of, self._tol) + length
            rows = self._rows(fitted)[fit.test]
            # Only their order counts, so a number that is the same for all is left out.
            newton.reaches(*of, w, N, rows - rows.mean(axis=0), error)
        response = np.asarray(rows @ w)
        error += BLUR * fitted.growth[0] * np.maximum(1.0, np.abs(response))
        return settle_rows(rows, response, error, level[fit.test])

    def _is_primal(self, n_units: int) -> bool:
        """Return whether this solver fits training sets of so many units."""
        return not self.objective.needs_tall or n_units >= self.columns.n_columns

    @property
    def _tol(self) -> float:
        return self.objective.tol * (1.0 + ROUNDING)

    @cached_property
    def _signs(self) -> FloatArray:
        return 2.0 * self._target - 1.0

    @cached_property
    def _weight(self) -> FloatArray:
        return self.objective.C * super()._weight

    def _rows(self, fitted: Fitted) -> FloatArray:
        X = super()._rows(fitted)
        if self.objective.intercept:
            X[:, -1] = self.objective.bias
        return X

    def _starts(self, fitted: Fitted) -> FloatArray:
        """Return the solution of all units, for the columns of each set."""
        w = self._solution[None]
        if self.columns.is_fixed:
            return w
        n, full = self.columns.n_columns, self._full
        shift = (fitted.shift - full.shift) / full.scale
        w = np.repeat(w, len(fitted.scale), axis=0)
        if self.objective.intercept:
            w[:, n] += np.einsum("gf,gf->g", w[:, :n], shift) / self.objective.bias
        w[:, :n] *= fitted.scale / full.scale
        return w

    @cached_property
    def _solution(self) -> FloatArray:
        """The solution of all units; raises if it is not known where the solver stops."""
        from tlpo.cholesky import factorise, solve
        from tlpo.engines.liblinear import newton

        objective, problem, name = self.objective, self.problem, type(self.estimator).__name__
        everyone = np.empty((1, 0), dtype=np.intp)
        X, sign = self._rows(self._full), self._signs
        weight = self._weight * self._factors(everyone)[0][self._target.astype(int)]
        of = (X, sign, weight, objective.is_hinge)
        if not self._is_primal(problem.n_units - 2):
            raise EngineError(
                f"With more features than units, {name} solves its dual in random order, and where "
                "it stops only a fit can tell; with dual=False it is not refitted."
            )
        k = X.shape[1]
        w, hessian, gradient = np.zeros(k), np.empty((k, k)), np.empty(k)
        with one_blas_thread():
            length = newton.minimise(*of, w, hessian)
            left = newton.left_gradient(*of, self._tol)
            if not np.isfinite(length):
                raise EngineError(f"The solution of {name} is not found on features of this scale.")
            with recording(WarningLog()):
                rows = X[:, : self.columns.n_columns]
                fitted = clone(self.estimator).fit(rows, problem.y, **problem.params)
        n_iter = int(np.max(fitted.n_iter_))
        if SPARE * n_iter > objective.max_iter:
            raise EngineError(
                f"{name} took {n_iter} of at most {objective.max_iter} iterations on all units, "
                "and where it stops at that limit is unknown; scale the features or pass "
                f"max_iter={SPARE * n_iter} or more."
            )
        own = fitted.coef_[0]
        if objective.intercept:
            own = np.append(own, fitted.intercept_ / objective.bias)
        if (problem.y == fitted.classes_[0])[sign > 0].any():
            own = -own
        newton.derivatives(*of, own, gradient, hessian)
        reached = float(np.linalg.norm(gradient))
        factorise(hessian, newton.LEAST_PIVOT)
        step = gradient.copy()
        solve(hessian, step)
        has_stalled = gradient @ step <= newton.STALLED * newton.loss(*of, own)
        if not (reached <= left * (1.0 + ROUNDING) or has_stalled):
            raise EngineError(
                f"{name} stopped where its gradient is {reached:.1e}, not at {left:.1e}, as its "
                "tolerance says."
            )
        return w


ENGINE: type[Engine] = Liblinear
