"""The engine for partial least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.cross_decomposition import PLSRegression

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of, shape_of
from tlpo.engines.preparation.columns import Centre, Columns, Scale
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.problem.outcome import Classes, Ordered

# Fewer cells of training sets than this are not worth a second thread.
CELLS_A_THREAD = 500_000
KNOWN = {"copy", "max_iter", "n_components", "scale", "tol"}


class PartialLeastSquares(BySets):
    """Partial least squares, bare and behind scalers and imputers.

    Every model is fitted, in a loop without anything else: with one target there is nothing to
    iterate. Games that rounding could decide are refitted by scikit-learn.
    """

    name = "pls"
    estimators = frozenset({PLSRegression})
    outcomes = frozenset({Classes, Ordered})

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        model, problem, columns = prepared.model, prepared.problem, prepared.columns
        unknown = sorted(set(type(model)._get_param_names()) - KNOWN)
        if unknown:
            return f"Partial least squares does not cover the parameter {unknown[0]!r}."
        n = shape_of(problem.X)[1] if columns is None else columns.n_columns
        most = min(problem.n_units - 2, n)
        count = model.n_components
        if not (isinstance(count, Integral) and 1 <= int(count) <= most):
            return f"Partial least squares needs 1 to {most} components."
        if problem.params:
            return "PLSRegression takes no fit arguments."
        if columns is not None and columns.n_best is not None:
            return "PLSRegression after a selection of features is not covered."
        if sparse.issparse(problem.X):
            return "PLSRegression does not take sparse data."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Fit without each set."""
        from tlpo.engines.pls.kernels import fit_sets

        columns = self.columns
        fitted = columns.fit_without(sets)
        growth = np.where(columns.are_oddly_constant(sets).any(axis=1), np.inf, fitted.growth)
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        threads = 1 + len(sets) * columns.values.size // CELLS_A_THREAD
        if threads > 1:
            threads = min(threads, thread_count(execution.n_jobs))
        calls = []
        for part in slices(len(sets), threads):
            own = (fitted.fill[part], fitted.shift[part], fitted.scale[part], growth[part])
            outputs = (answers.response[part], answers.error[part])
            calls.append((sets[part], *self._sample, *own, self._n_components, *outputs))
        with one_blas_thread():
            in_threads(fit_sets, calls)
        return answers

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Fit on units that may be repeated, None where rounding could change the order."""
        with one_blas_thread():
            return [self._respond(fit) for fit in fits]

    @cached_property
    def columns(self) -> Columns:
        """The columns, centred and scaled as the model does it itself."""
        columns = self.prepared.columns
        if columns is None:
            columns = Columns.of_matrix(matrix_of(self.problem.X))
        n = columns.n_columns
        columns = replace(columns, centre=np.full(n, int(Centre.MEAN)), offset=np.zeros(n))
        if self.estimator.scale:
            by_deviation = np.full(n, int(Scale.DEVIATION))
            columns = replace(columns, scale=by_deviation, factor=np.ones(n))
        return columns.conditioned(shift_matters=False)

    @property
    def _n_components(self) -> int:
        return int(self.estimator.n_components)

    @cached_property
    def _sample(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Features, where they are missing, and the target."""
        columns = self.columns
        gaps = columns.missing.astype(np.float64) if columns.has_gaps else np.empty((0, 0))
        return columns.values, gaps, self.problem.scaled_target

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.pls.kernels import fit_one

        columns, problem = self.columns, self.problem
        fill, shift, scale, growth = (part[0] for part in columns.fit_on(fit.train))
        left_out = np.setdiff1d(np.arange(problem.n_units), fit.train)
        is_odd = columns.are_oddly_constant(left_out[None]).any()
        if is_odd or self.prepared.is_exception(fit.train, self.notices_empty):
            return None
        count = np.bincount(fit.train, minlength=problem.n_units).astype(np.float64)
        response = np.empty(problem.n_units)
        off = fit_one(*self._sample, count, fill, shift, scale, self._n_components, response)
        error = growth * off
        asked, level = response[fit.test], problem.outcome.level[fit.test]
        if not np.isfinite(error) or may_swap(asked, np.full(asked.size, error), level).any():
            return None
        return asked


ENGINE = PartialLeastSquares
