"""The engine for Lasso and ElasticNet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import EPSILON, Columns, Fitted, Scale
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.sparse.objective import ESTIMATORS, Objective, objective_of
from tlpo.engines.sparse.threads import shares
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads
from tlpo.problem.outcome import Classes, Ordered

# Sets of up to this many units are left out of sums over all units.
MOST_LEFT_OUT = 10
# Numbers in the products of columns that a thread keeps.
CELLS = 1 << 23
# How far responses may be off by rounding, relative to their parts, besides what columns lost.
REACH = 1e-9


class Moments(NamedTuple):
    """The columns of all units, and sums over them.

    Attributes
    ----------
    X, Xt : ndarray of shape (m, p) and (p, m)
        Columns, centred if there is an intercept.
    y, mean
        What is predicted, centred likewise, and what was subtracted.
    start, squares : ndarray of shape (p,)
        ``Xᵀy``, and the sums of squares.
    lift : ndarray of shape (p,)
        What was subtracted from the columns, up to its sign.
    """

    X: FloatArray
    Xt: FloatArray
    y: FloatArray
    mean: float
    start: FloatArray
    squares: FloatArray
    lift: FloatArray


class Lasso(BySets):
    """Lasso and elastic net at a given penalty, also behind scalers and imputers.

    Their solver is followed to where it stops, without every pair, from sums over all units. Games
    that rounding could decide are followed once more on their own training sets, or refitted.
    """

    name = "lasso"
    estimators = ESTIMATORS
    outcomes = frozenset({Classes, Ordered})
    notices_empty = False
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective: Objective = objective

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective = objective_of(prepared.model)
        return objective if isinstance(objective, str) else why_not_columns(prepared)

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the solver without some sets."""
        self._require_end()
        if not self._sums_suffice or sets.shape[1] > MOST_LEFT_OUT:
            return self.answer_again(sets, execution)
        from tlpo.engines.sparse.descent import BLUR, follow_sets

        fitted, moments = self._fitted(sets), self._moments
        growth = fitted.growth * self._growth
        scale = 1.0 / fitted.scale
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        calls = [
            (
                *moments,
                self.objective.intercept,
                self.objective.settings,
                scale[part] if len(scale) > 1 else scale,
                BLUR * growth[part],
                REACH * growth[part],
                sets[part],
                self._most_rows,
                answers.response[part],
                answers.error[part],
            )
            for part in shares(len(sets), execution)
        ]
        with one_blas_thread():
            in_threads(follow_sets, calls)
        return self._in_units(answers)

    @property
    def can_answer_again(self) -> bool:
        """Whether columns of a training set differ from those of `answer`."""
        return self._sums_suffice

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the solver on the training set of each set."""
        objective, ones = self.objective, np.ones(len(sets))
        alpha, share = objective.alpha * ones, objective.share * ones
        return self._follow_prepared(sets, self._fitted(sets), alpha, share, execution)

    def _follow_prepared(
        self,
        sets: IntArray,
        fitted: Fitted,
        alpha: FloatArray,
        share: FloatArray,
        execution: Execution,
    ) -> Answers:
        """Follow the solver with a penalty and a share of L1 for each set."""
        from tlpo.engines.sparse.descent import follow_prepared

        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        calls = [
            (*shared, sets[at], alpha[at], share[at], answers.response[at], answers.error[at])
            for at, shared in self._shares(sets, fitted, execution)
        ]
        with one_blas_thread():
            in_threads(follow_prepared, calls)
        return self._in_units(answers)

    def _shares(
        self, sets: IntArray, fitted: Fitted, execution: Execution
    ) -> Iterator[tuple[slice, tuple[Any, ...]]]:
        """Yield a part of the sets for every thread, and what compiled loops need of it."""
        columns, objective = self.columns, self.objective
        one_fit = len(fitted.scale) == 1
        for at in shares(len(sets), execution):
            yield (
                at,
                (
                    columns.values,
                    columns.missing,
                    *(np.ascontiguousarray(own if one_fit else own[at]) for own in fitted[:3]),
                    self.problem.target,
                    objective.intercept,
                    fitted.growth[at] * self._growth,
                    self._most_rows,
                    (objective.tol, objective.max_iter, objective.positive),
                ),
            )

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Follow the solver on units that may be drawn repeatedly.

        None for those to be fitted: rounding could change an AUC of their responses.
        """
        self._require_end()
        with one_blas_thread():
            return [self._respond(fit) for fit in fits]

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.sparse.descent import follow_twice

        columns = self.columns
        fitted = self._unchanged if columns.is_fixed else columns.fit_on(fit.train)
        if self.prepared.is_exception(fit.train, self.notices_empty):
            return None
        rows = columns.prepared(fitted, 0, np.arange(columns.n_units))
        response, other = np.empty(fit.test.size), np.empty(fit.test.size)
        error = follow_twice(
            np.ascontiguousarray(rows),
            self.problem.target,
            np.ascontiguousarray(fit.train),
            fit.test,
            self.objective.intercept,
            self.objective.settings,
            float(fitted.growth[0]) * self._growth,
            self._most_rows,
            response,
            other,
        )
        level = self.problem.outcome.level[fit.test]
        if may_swap(response, np.full(response.size, error), level).any():
            return None
        return np.asarray(response / self.problem.outcome.unit)

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
        from tlpo.engines.sparse.descent import UNFINISHED, follow_units

        columns, everyone = self.columns, np.arange(self.problem.n_units)
        fitted = self._unchanged if columns.is_fixed else columns.fit_on(everyone)
        if not np.isfinite(fitted.growth[0]):
            return False
        rows = np.ascontiguousarray(columns.prepared(fitted, 0, everyone))
        own = (self.objective.intercept, self.objective.settings, 0.0, 0.0, self._most_rows)
        with one_blas_thread():
            end = follow_units(rows, self.problem.target, everyone, everyone[:1], *own, np.empty(1))
        return bool(end == UNFINISHED)

    def _in_units(self, answers: Answers) -> Answers:
        unit = self.problem.outcome.unit
        return Answers(answers.response / unit, answers.error / unit)

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=not self.objective.intercept)

    @cached_property
    def _sums_suffice(self) -> bool:
        """Whether prepared columns are the same columns, scaled and, without effect, shifted."""
        columns = self.columns
        is_shifted = columns.centre.any() or columns.offset.any()
        return not columns.has_gaps and (self.objective.intercept or not bool(is_shifted))

    @cached_property
    def _most_rows(self) -> int:
        n = self.columns.n_columns
        return min(n, max(100, CELLS // n))

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
    def _moments(self) -> Moments:
        X, y = self.columns.values, self.problem.target
        lift, mean = np.abs(self.columns.origin) / self.columns.unit, 0.0
        if self.objective.intercept:
            centre, mean = X.mean(axis=0), float(y.mean())
            X, y, lift = X - centre, y - mean, lift + np.abs(centre)
        X = np.ascontiguousarray(X)
        squares = np.einsum("kf,kf->f", X, X)
        return Moments(X, np.ascontiguousarray(X.T), y, mean, y @ X, squares, lift)

    @property
    def _least_bound(self) -> float:
        """What products with residuals must reach, at least, for a feature to enter the model."""
        return self.objective.alpha * self.objective.share * self.problem.n_units

    @cached_property
    def _growth(self) -> float:
        """By how much more than their own digits columns lose when they are centred.

        Raises
        ------
        EngineError
            If so much is lost that the rest could enter the model.
        """
        if not self.objective.intercept:
            return 1.0
        X, _, y, _, _, squares, lift = self._moments
        bound = self._least_bound
        size = lift + np.abs(X).max(axis=0)
        is_scaled = self.columns.scale != Scale.NOTHING
        noise = np.where(is_scaled, 0.0, 8.0 * EPSILON * size * np.abs(y).sum())
        if not noise.max() < 0.1 * bound:
            raise EngineError(
                "Features of this scale are centred with errors as large as the penalty; with a "
                "scaler, they would not be."
            )
        # A feature whose products with residuals cannot reach the penalty stays out.
        may_enter = is_scaled | (np.sqrt(squares * (y @ y)) > 0.5 * bound)
        may_enter &= squares > 0.0
        if not may_enter.any():
            return 1.0
        spread = np.sqrt(squares[may_enter] / len(X))
        return float(max(1.0, 1e-3 * np.max(size[may_enter] / spread)))


def why_not_columns(prepared: Prepared) -> str | None:
    """Return why columns or arguments of a model with an L1 penalty are not covered, or None."""
    problem = prepared.problem
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


ENGINE: type[Engine] = Lasso
