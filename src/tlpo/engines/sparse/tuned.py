"""The engine for LassoCV and ElasticNetCV: the penalty is chosen anew without every pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import CELLS, Answers
from tlpo.engines.choice.folds import Splits, Unreadable
from tlpo.engines.matrix import shape_of
from tlpo.engines.preparation.columns import Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.sparse.engine import Lasso, why_not_columns
from tlpo.engines.sparse.grid import ESTIMATORS, Grid, grid_of
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads


class Followed(NamedTuple):
    """Mean squared errors of all penalties, over the folds of some training sets.

    Attributes
    ----------
    alphas : ndarray of shape (g, r, c)
        The penalties.
    low, high : ndarray of shape (g, r, c)
        Between what the errors lie.
    is_zero : ndarray of shape (g, r, c)
        Where no model has a coefficient other than 0.
    """

    alphas: FloatArray
    low: FloatArray
    high: FloatArray
    is_zero: BoolArray


class LassoCV(Lasso):
    """Lasso and elastic net whose penalty is chosen by cross-validation inside every fit."""

    estimators = ESTIMATORS

    def __init__(self, prepared: Prepared) -> None:
        super(Lasso, self).__init__(prepared)
        grid = grid_of(prepared.model)
        if isinstance(grid, str):
            raise EngineError(grid)
        self.grid: Grid = grid
        self.objective = grid.objective
        try:
            self.splits = Splits(prepared.model.cv, self.problem.target, is_classifier=False)
            if self.splits.looks_at_features and prepared.columns is not None:
                raise Unreadable("A splitter that may look at prepared features is not covered.")
            self.splits.require_same(self.problem)
        except (Unreadable, ValueError, TypeError) as error:
            raise EngineError(str(error)) from None

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        grid = grid_of(prepared.model)
        why = grid if isinstance(grid, str) else why_not_columns(prepared)
        if why is not None:
            return why
        columns, problem = prepared.columns, prepared.problem
        n = shape_of(problem.X)[1] if columns is None else columns.n_columns
        if n >= problem.n_units - 2:
            name = type(prepared.model).__name__
            return f"With more features than units, the path of {name} takes as long as its fits."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Choose a penalty without each set, and follow the fit with it."""
        _ = self._is_followed  # raises if it is not
        fitted = self._fitted(sets)
        chosen = self._choose(self._follow(sets, fitted, execution))
        return self._follow_prepared(sets, fitted, *chosen, execution)

    @property
    def can_answer_again(self) -> bool:
        """There is no more accurate way."""
        return False

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Leave units drawn with repetition to the estimator."""
        return super(Lasso, self).respond(fits)

    def _parts(self, count: int, size: int) -> Iterator[slice]:  # noqa: ARG002
        step = max(1, CELLS // max(self.grid.alphas.size, 10 * self.problem.n_units))
        for start in range(0, count, step):
            yield slice(start, min(count, start + step))

    def _follow(self, sets: IntArray, fitted: Fitted, execution: Execution) -> Followed:
        """Follow the solver on all folds."""
        from tlpo.engines.sparse.paths import follow_folds

        is_train, units = self.splits.cut(self.problem, sets)
        grid, shape = self.grid, (len(sets), *self.grid.alphas.shape)
        followed = Followed(
            np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape, dtype=bool)
        )
        calls = [
            (
                *shared,
                grid.shares,
                grid.eps,
                grid.alphas,
                sets[at],
                is_train[at],
                units[at],
                *(part[at] for part in followed),
            )
            for at, shared in self._shares(sets, fitted, execution)
        ]
        with one_blas_thread():
            in_threads(follow_folds, calls)
        return followed

    def _choose(self, followed: Followed) -> tuple[FloatArray, FloatArray]:
        """Return the penalty with the smallest error and its share of L1; NaN where it is open."""
        g, n_alphas = len(followed.low), followed.low.shape[2]
        low, high = followed.low.reshape(g, -1), followed.high.reshape(g, -1)
        may_win = low <= high.min(axis=1, keepdims=True)
        # Models without coefficients are the same: the first of them counts.
        is_zero = followed.is_zero.reshape(g, -1)
        may_win &= ~(is_zero & (np.cumsum(is_zero, axis=1) > 1))
        best = may_win.argmax(axis=1)
        alpha = followed.alphas.reshape(g, -1)[np.arange(g), best]
        alpha[may_win.sum(axis=1) > 1] = np.nan
        return alpha, np.repeat(self.grid.shares, n_alphas)[best]

    @property
    def _least_bound(self) -> float:
        """What products with residuals must reach, at least, for a feature to enter the model."""
        if not self.grid.eps:
            return float((self.grid.alphas.min(axis=1) * self.grid.shares).min()) * len(
                self.columns.values
            )
        return 0.5 * self.grid.eps * float(np.abs(self._moments.start).max())

    @cached_property
    def _is_followed(self) -> bool:
        """Whether errors of all units are those of the estimator; raises if they are not."""
        nobody, problem = np.empty((1, 0), dtype=np.intp), self.problem
        fitted = self._fitted(nobody)
        X = self.columns.prepared(fitted, 0, np.arange(problem.n_units))
        with one_blas_thread(), recording(WarningLog()):  # as refits are run
            own = clone(self.estimator).fit(np.ascontiguousarray(X), problem.target)
        followed = self._follow(nobody, fitted, Execution())
        # One row per share, and within it one per penalty.
        errors = own.mse_path_.reshape(*self.grid.alphas.shape, -1).mean(axis=2)
        slack = 1e-9 * errors
        is_within = (followed.low[0] - slack <= errors) & (errors <= followed.high[0] + slack)
        if not is_within.all():
            name = type(self.estimator).__name__
            raise EngineError(f"{name} has other errors than those of known steps.")
        return True


ENGINE: type[Engine] = LassoCV
