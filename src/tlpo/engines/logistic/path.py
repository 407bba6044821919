"""The engine for logistic regression that only its own solver can play."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Self

import numpy as np
from sklearn.base import clone

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers
from tlpo.engines.doubts import settle_rows
from tlpo.engines.logistic.engine import FOLLOWED, Logistic
from tlpo.engines.logistic.objective import objective_of
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution


class LogisticPath(Logistic):
    """Logistic regression by lbfgs, each model found by following the solver to where it stops.

    For what the tolerance of the solver decides: with more features than units it leaves many games
    open, and classes that are separated have no solution without a penalty.
    """

    name = "logistic-path"
    plays_each = True
    can_answer_again = False

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            return objective
        if objective.solver != "lbfgs":
            return "Of the solvers of LogisticRegression, only lbfgs is followed."
        return cls._why_not_data(prepared, objective)

    def on(self, prepared: Prepared) -> Self:
        """Return the engine on other columns, where the path is taken to be followed as well."""
        other = type(self)(prepared)
        other.__dict__["_has_path"] = self._has_path
        return other

    def bounds(self, ordered: bool, execution: Execution) -> None:
        """Return None: how far the solver is from the solution is not known."""

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the solver on the units without each set."""
        from tlpo.engines.logistic import lbfgs, wide_lbfgs

        self.require_path()
        kernel = wide_lbfgs.respond_sets if self._is_wide else lbfgs.respond_sets
        fitted = self._fitted(sets)
        is_known = np.isfinite(fitted.growth)
        tremor = lbfgs.TREMOR * np.where(is_known, fitted.growth, 1.0)
        limits = self.objective.tol, self.objective.max_iter
        answers = self._loop(kernel, sets, fitted, tremor, limits, execution)
        answers.error[~is_known] = np.inf
        self._n_solved += len(sets)
        return answers

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Follow the solver on units that may be drawn repeatedly."""
        self.require_path()
        return [self._respond(fit) for fit in fits]

    def _respond(self, fit: Fit) -> FloatArray | None:
        fitted = self._full if self.columns.is_fixed else self.columns.fit_on(fit.train)
        if self.prepared.is_exception(fit.train, self.notices_empty) or np.isinf(fitted.growth[0]):
            return None
        weight = self._drawn_weight(fit.train)
        X = self._rows(fitted)
        response, error = self._follow(X, weight, fitted.growth[0], fit.test)
        return settle_rows(X[fit.test], response, error, self.problem.labels.level[fit.test])

    def _follow(self, X: FloatArray, weight: FloatArray, growth: float, tests: IntArray) -> Answers:
        if not self._is_wide:
            return super()._follow(X, weight, growth, tests)
        from tlpo.engines.logistic import lbfgs, wide_lbfgs

        X = np.ascontiguousarray(X[:, : self.columns.n_columns])
        answers = Answers(np.empty(tests.size), np.empty(tests.size))
        limits = self.objective.tol, self.objective.max_iter
        own = X, X @ X.T, self._target, weight, self._alpha, lbfgs.TREMOR * growth
        wide_lbfgs.respond(*own, *limits, tests, *answers)
        return answers

    def require_path(self) -> None:
        """Raise if the estimator's own fit to all units is not where the path ends."""
        if not self._has_path:
            raise EngineError("The path of the solver of LogisticRegression could not be followed.")

    @property
    def _is_wide(self) -> bool:
        """Whether inner products of rows are fewer numbers than the rows."""
        return self.columns.n_columns > self.problem.n_units

    @cached_property
    def _has_path(self) -> bool:
        """Whether the estimator's own fit to all units is where the path ends."""
        problem = self.problem
        everyone = np.arange(problem.n_units)
        rows = self._rows(self._full)
        X = rows[:, : self.columns.n_columns]
        with one_blas_thread(), recording(WarningLog()):  # as refits are run
            fitted = clone(self.estimator).fit(X, problem.y, **problem.params)
        own = fitted.decision_function(X)
        if (problem.y == fitted.classes_[0])[problem.labels.is_positive].any():
            own = -own
        found = self._follow(rows, self._drawn_weight(everyone), self._full.growth[0], everyone)
        apart = np.abs(own - found.response)
        return bool(np.all((apart <= found.error) & (found.error < FOLLOWED)))


ENGINE: type[Engine] = LogisticPath
