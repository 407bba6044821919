"""The engine for logistic regression without a penalty on columns that follow from others.

One-hot columns of a category add up to the intercept. Without a penalty coefficients are then not
unique, but responses are: one of the columns can be left out. Where the solver stops is bounded as
without it: its gradient is at most ``tol`` in every column, so in those that are left as well, and
its responses are those of some coefficients of these. What the bound leaves open is played by
following the solver on all columns.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import lstsq

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers
from tlpo.engines.logistic.engine import Logistic
from tlpo.engines.logistic.objective import objective_of
from tlpo.engines.logistic.pairs import Reference
from tlpo.engines.logistic.path import LogisticPath
from tlpo.engines.logistic.stopping_rule import require_known_stop
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import Columns
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.options import Execution

# A column may follow from those before it if this share of its length, or less, is left of it.
DEPENDENT = 1e-6


class LogisticOfLevels(Logistic):
    """Logistic regression without a penalty, solved without columns that follow from others."""

    name = "logistic"
    # Without its units a level that is left out would leave the others dependent.
    notices_empty = True
    # The path is that of all columns.
    bounds_by_path = False
    _prefers_path = False

    def __init__(self, prepared: Prepared) -> None:
        columns = _columns(prepared)
        objective = objective_of(prepared.model)
        follows = following(columns, not isinstance(objective, str) and objective.intercept)
        super().__init__(prepared.on(columns.take(np.flatnonzero(~follows))))
        self._whole = LogisticPath(prepared)
        self._follows = follows

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether there is no penalty, and a column follows from others."""
        if not super().accepts(prepared) or Logistic.why_not(prepared) is not None:
            return False
        objective = objective_of(prepared.model)
        if isinstance(objective, str) or objective.alpha > 0.0:
            return False
        return bool(following(_columns(prepared), objective.intercept).any())

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the estimator's solver on all columns."""
        return self._whole.answer(sets, execution)

    def _follow(self, X: FloatArray, weight: FloatArray, growth: float, tests: IntArray) -> Answers:
        return self._whole._follow(self._with_all(X), weight, growth, tests)

    def _with_all(self, X: FloatArray) -> FloatArray:
        """Return prepared rows with the columns that follow from others, which nothing changes."""
        rows = self._whole._rows(self._whole._full)
        n = self._follows.size
        rows[:, np.append(np.flatnonzero(~self._follows), np.arange(n, rows.shape[1]))] = X
        return rows

    @cached_property
    def _stop(self) -> FloatArray:
        """Where the estimator's own fit to all units stops; raises if that is not known."""
        own, problem = self._reference(0, 0), self.problem
        kept = np.append(~self._follows, np.ones(int(self.objective.intercept), dtype=bool))
        theta, inverse = np.zeros(kept.size), np.zeros((kept.size, kept.size))
        theta[kept], inverse[np.ix_(kept, kept)] = own.theta, own.inverse
        X, alpha = self._with_all(own.X), self._whole._alpha
        whole = Reference(X, own.target, own.weight, alpha, theta, inverse)
        with one_blas_thread():  # as refits are run
            return require_known_stop(
                self.estimator, self.objective, whole, problem.y, problem.params
            )

    @cached_property
    def can_answer_again(self) -> bool:
        """Whether `lbfgs` takes the estimator's steps on all columns."""
        return self.objective.solver == "lbfgs" and self._whole._has_path


def _columns(prepared: Prepared) -> Columns:
    given = prepared.columns
    return Columns.of_matrix(matrix_of(prepared.problem.X)) if given is None else given


def following(columns: Columns, intercept: bool) -> BoolArray:
    """Return which columns of whole numbers are exactly sums and differences of those before them.

    Examples
    --------
    >>> following(Columns.of_matrix(np.eye(3)[[0, 1, 2, 0]]), intercept=True)
    array([False, False,  True])
    """
    follows = np.zeros(columns.n_columns, dtype=bool)
    is_fixed = (columns.fill == 0) & (columns.centre == 0) & (columns.scale == 0)
    is_fixed &= (columns.unit == 1.0) & (columns.offset == 0.0) & (columns.factor == 1.0)
    values = columns.origin + columns.values
    is_fixed &= ~columns.missing.any(axis=0) & (values == np.rint(values)).all(axis=0)
    others = [np.ones(columns.n_units)] if intercept else []
    # Orthogonal directions of the others.
    Q = np.empty((columns.n_units, len(others) + np.count_nonzero(is_fixed)))
    for k, column in enumerate(others):
        Q[:, k] = column / np.linalg.norm(column)
    for f in np.flatnonzero(is_fixed):
        own, column = Q[:, : len(others)], values[:, f]
        left = column - own @ (own.T @ column)
        left -= own @ (own.T @ left)
        length = np.linalg.norm(left)
        if length <= DEPENDENT * np.linalg.norm(column) and _is_sum(column, others):
            follows[f] = True
            continue
        Q[:, len(others)] = left / length if length > 0.0 else 0.0
        others.append(column)
    return follows


def _is_sum(column: FloatArray, others: list[FloatArray]) -> bool:
    """Return whether a column is exactly a sum of others times whole numbers."""
    if not others:
        return not column.any()
    A = np.column_stack(others)
    return bool(np.array_equal(A @ np.rint(lstsq(A, column)[0]), column))


ENGINE: type[Engine] = LogisticOfLevels
