"""Exact tournaments of naive Bayes, from sums of every class."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.bayes.bounded import bound_games
from tlpo.engines.bayes.gaussian import Gaussian
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import Columns
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.ranges.bounds import Bounds
from tlpo.errors import EngineError
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.problem.outcome import Classes, SeveralClasses
from tlpo.problem.problem import Problem

# Fewer cells of sets than this are not worth a second thread.
CELLS_A_THREAD = 200_000


class Bayes(BySets):
    """Naive Bayes with normal features."""

    name = "bayes"
    quick_games = 300_000
    plays_each = False
    estimators = frozenset({GaussianNB})
    ceiling = 1.0
    outcomes = frozenset({Classes, SeveralClasses})

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self._sums: Gaussian | None = None

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that corrected sums do not cover."""
        problem, model = prepared.problem, prepared.model
        unknown = sorted(set(type(model)._get_param_names()) - {"priors", "var_smoothing"})
        if unknown:
            return f"Naive Bayes from sums does not cover the parameter {unknown[0]!r}."
        smoothing = model.var_smoothing
        if not (isinstance(smoothing, Real) and 0 <= float(smoothing) < np.inf):
            return "Naive Bayes from sums needs a var_smoothing that is a non-negative number."
        if model.priors is not None and _priors(model, problem) is None:
            return "Naive Bayes from sums needs positive priors of every class whose sum is 1."
        unknown = sorted(set(problem.params) - {"sample_weight"})
        if unknown:
            return f"Naive Bayes from sums does not cover the fit argument {unknown[0]}."
        if prepared.columns is not None and prepared.columns.n_best is not None:
            return "Naive Bayes from sums needs the same columns in every training set."
        if sparse.issparse(problem.X):
            return "GaussianNB does not take sparse data."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Correct the sums of every class by the units of each set."""
        from tlpo.engines.bayes.kernels import gaussian_sets

        if self._sums is None:
            self._sums = self._add_up()
        shape = (*sets.shape, self._sums.asked.size)
        response, error = np.empty(shape), np.empty(shape)
        threads = 1 + sets.size * self._sums.columns.n_columns // CELLS_A_THREAD
        if threads > 1:
            threads = min(threads, thread_count(execution.n_jobs))
        calls = [
            (*self._sums.arguments(sets[part]), response[part], error[part])
            for part in slices(len(sets), threads)
        ]
        in_threads(gaussian_sets, calls)
        if not self.problem.outcome.response_shape:
            return Answers(response[:, :, 0], error[:, :, 0])
        return Answers(response, error)

    def bounds(self, ordered: bool, execution: Execution) -> list[Bounds] | None:  # noqa: ARG002
        """Bound log-odds by how much each unit changes means and variances."""
        if self._sums is None:
            self._sums = self._add_up()
        return bound_games(self._sums, ordered)

    def _add_up(self) -> Gaussian:
        problem, columns = self.problem, self.prepared.columns
        if columns is None:
            columns = Columns.of_matrix(matrix_of(problem.X))
        return Gaussian(
            columns,
            problem.outcome.level,
            _weight(problem),
            float(self.estimator.var_smoothing),
            _priors(self.estimator, problem),
            range(problem.several.n_columns) if problem.outcome.response_shape else (1,),
        )


def _priors(model: Any, problem: Problem) -> FloatArray | None:
    """Return the priors of the classes, or None if they do not hold."""
    if model.priors is None:
        return None
    try:
        priors = np.asarray(model.priors, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    shape = problem.outcome.response_shape or (2,)
    if priors.shape != shape or not np.isclose(priors.sum(), 1.0) or not priors.min() > 0:
        return None
    if problem.outcome.response_shape:
        return priors
    labels = problem.labels
    return priors if labels.in_order[1] == labels.positive else priors[::-1].copy()


def _weight(problem: Problem) -> FloatArray:
    given = problem.params.get("sample_weight")
    if given is None:
        return np.ones(problem.n_units)
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (problem.n_units,):
        raise EngineError("Naive Bayes from sums needs one sample weight per unit.")
    if not (weight.min() >= 0 and np.isfinite(weight).all()):
        raise EngineError("Naive Bayes from sums needs sample weights that are not negative.")
    return weight


ENGINE = Bayes
