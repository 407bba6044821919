"""Exact tournaments of linear discriminant analysis with several classes.

Without a set of units the scatter within classes is that of all units minus an outer product for
each; it is decomposed anew, which takes n³ operations for n features and does not depend on the
number of units. Two classes are least squares (`engines/least_squares`).
"""

from __future__ import annotations

from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.problem.outcome import SeveralClasses

# Fewer operations of sets than this are not worth a second thread.
WORK_A_THREAD = 2_000_000


class Discriminant(BySets):
    """Linear discriminant analysis by the solver svd, for several classes."""

    name = "discriminant"
    quick_games = 1_000_000
    estimators = frozenset({LinearDiscriminantAnalysis})
    outcomes = frozenset({SeveralClasses})
    ceiling = 1.0

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self._sums: tuple[Any, ...] | None = None

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that corrected sums do not cover."""
        problem, model = prepared.problem, prepared.model
        if model.solver != "svd":
            return "Discriminants of several classes are updated only for solver='svd'."
        if model.shrinkage is not None or model.covariance_estimator is not None:
            return "Discriminants with shrinkage are fitted one by one."
        if not (isinstance(model.tol, Real) and 0 <= float(model.tol) < 1):
            return "Discriminants of several classes need a tol between 0 and 1."
        if model.priors is not None and _priors(model, problem.several.n_columns) is None:
            return "Discriminants of several classes need positive priors whose sum is 1."
        if problem.params:
            return f"Discriminants do not cover the fit argument {min(problem.params)}."
        columns = prepared.columns
        if columns is not None and (columns.n_best is not None or columns.missing.any()):
            return "Discriminants of several classes need the same columns in every training set."
        if sparse.issparse(problem.X):
            return "LinearDiscriminantAnalysis does not take sparse data."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Correct the sums of every class by the units of each set."""
        from tlpo.engines.discriminant.kernels import discriminant_sets

        sums = self._add_up()
        outcome = self.problem.several
        shape = (*sets.shape, outcome.n_columns)
        response, error = np.full(shape, 0.5), np.full(shape, np.inf)
        n = sums[0].shape[1]
        if n > outcome.n_units - sets.shape[1] - outcome.n_columns:
            raise EngineError("With so many features, discriminants have no closed form.")
        threads = 1 + len(sets) * n**3 // WORK_A_THREAD
        if threads > 1:
            threads = min(threads, thread_count(execution.n_jobs))
        calls = [
            (sets[part], *sums, response[part], error[part]) for part in slices(len(sets), threads)
        ]
        in_threads(discriminant_sets, calls)
        return Answers(response, error)

    def _add_up(self) -> tuple[Any, ...]:
        if self._sums is None:
            # Neither a shift nor a scale of a column changes what svd finds.
            columns, outcome = self.prepared.columns, self.problem.several
            X = matrix_of(self.problem.X) if columns is None else columns.values
            X = X - X.mean(axis=0)
            code, K = outcome.code, outcome.n_columns
            mean = np.array([X[code == c].mean(axis=0) for c in range(K)])
            within = X - mean[code]
            spread = np.sqrt((within**2).sum(axis=0))
            if not (spread > 1e-10 * np.sqrt((X**2).sum(axis=0))).all():
                raise EngineError("A column does not vary within the classes.")
            priors = _priors(self.estimator, K)
            self._sums = (
                np.ascontiguousarray(X / spread),
                code,
                np.ascontiguousarray(mean / spread),
                (within / spread).T @ (within / spread),
                outcome.sizes,
                np.empty(0) if priors is None else np.log(priors),
                0.0 if _divides_by_units() else float(K),
                float(self.estimator.tol),
            )
        return self._sums


@cache
def _divides_by_units() -> bool:
    """Whether covariances are scatter over units; older releases subtract the classes."""
    X, y = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 6.0])[:, None], np.repeat([0, 1], 3)
    slope = LinearDiscriminantAnalysis().fit(X, y).coef_[0, 0]  # 4/(4/6) or 4/(4/4)
    return bool(slope > 5.0)


def _priors(model: Any, n_classes: int) -> FloatArray | None:
    """Return the priors of the classes, or None if they do not hold."""
    if model.priors is None:
        return None
    try:
        priors = np.asarray(model.priors, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    fit = priors.shape == (n_classes,) and np.isclose(priors.sum(), 1.0) and priors.min() > 0
    return priors if fit else None


ENGINE = Discriminant
