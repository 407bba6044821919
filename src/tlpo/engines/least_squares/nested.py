"""Ridge regression that chooses its penalty by leave-one-out within every training set.

Without S, a unit k of the training set has residual and leverage

    e_k + h_kS r_S,    h_kk + h_kS (I − H_SS)^{-1} h_Sk,    r_S = (I − H_SS)^{-1} e_S

so its leave-one-out error follows from the hat matrix of all units, for every penalty: a nested
tournament without a single fit. Where the columns change with the training set, each gets an
eigendecomposition, which serves all penalties.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from sklearn.linear_model import RidgeClassifierCV, RidgeCV
from threadpoolctl import threadpool_limits

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import EPSILON, Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, thread_count
from tlpo.problem.outcome import Classes, Ordered

# Scores of two penalties that are closer than this, relative to their size, are too close to call.
TOO_CLOSE = 1e-9
# Rounding of the estimator's own leave-one-out errors, in units of the last place.
UNITS_IN_LAST_PLACE = 16.0
# Cells of training sets at a time.
CELLS = 1 << 19
# All hat matrices together may have this many entries.
HAT_ENTRIES = 1 << 25

_KNOWN = {
    "alphas",
    "fit_intercept",
    "scoring",
    "cv",
    "gcv_mode",
    "store_cv_results",
    "alpha_per_target",
    "class_weight",
}


class NestedRidge(BySets):
    """RidgeCV and RidgeClassifierCV with their own leave-one-out."""

    name = "least-squares"
    quick_games = 3_000_000
    estimators = frozenset({RidgeCV, RidgeClassifierCV})
    outcomes = frozenset({Classes, Ordered})
    notices_empty = False

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that the closed form does not cover."""
        model = prepared.model
        name = type(model).__name__
        unknown = sorted(set(model.get_params(deep=False)) - _KNOWN)
        if unknown:
            return f"The closed form of {name} does not cover its parameter {unknown[0]!r}."
        if model.cv is not None or model.scoring is not None:
            return f"{name} has a closed form only with its own leave-one-out: cv and scoring None."
        if getattr(model, "class_weight", None) is not None or prepared.given.params:
            return f"{name} with weights has no closed form."
        alphas = np.asarray(model.alphas, dtype=float)
        if alphas.ndim != 1 or not alphas.size or not np.all((alphas > 0) & np.isfinite(alphas)):
            return f"{name} needs a list of positive penalties."
        columns = prepared.columns
        if columns is not None and columns.n_best is not None:
            return f"{name} after a selection has no closed form."
        return None

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=not self.estimator.fit_intercept)

    @cached_property
    def alphas(self) -> FloatArray:
        """The penalties to choose from."""
        return np.asarray(self.estimator.alphas, dtype=float)

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Choose the penalty of every training set and predict with it."""
        threads = thread_count(execution.n_jobs)
        m = self.problem.n_units
        by_hat = (
            sets.shape[1] == 2
            and self.prepared.columns is None
            and self.alphas.size * m * m <= HAT_ENTRIES
        )
        act = self._by_hat if by_hat else self._by_rows
        parts = [part for part in np.array_split(sets, threads) if len(part)]
        with threadpool_limits(1, user_api="blas"):
            answers = in_threads(act, [(part,) for part in parts])
        return Answers(*(np.concatenate(column) for column in zip(*answers, strict=True)))

    def _by_hat(self, sets: IntArray) -> tuple[FloatArray, FloatArray]:
        from tlpo.engines.least_squares.kernels import choose_penalties

        M, e, size = self._hats
        f, growth = np.empty(sets.shape), np.empty(len(sets))
        best, gap = np.empty(len(sets), dtype=np.intp), np.empty(len(sets))
        y = self.problem.scaled_target
        choose_penalties(M, e, y, *self._blurs, sets, f, growth, best, gap)
        rounding = EPSILON * (16.0 + 4.0 * len(e[0]) + size / self.alphas[best])
        error = np.repeat((rounding * growth)[:, None], 2, axis=1)
        error[gap <= TOO_CLOSE] = np.inf
        return f, error

    @cached_property
    def _hats(self) -> tuple[FloatArray, FloatArray, float]:
        """``I − H`` for all penalties, the residuals, and the largest eigenvalue of K."""
        X, y = self.columns.values, self.problem.scaled_target
        m = y.size
        K = X @ X.T
        if self.estimator.fit_intercept:
            K += max(float(np.trace(K)), 1.0) / m**2  # moves the direction of ones out of the way
        values, vectors = np.linalg.eigh(K)
        # Not 1 − h: for small penalties that would be a difference of nearly equal numbers.
        share = self.alphas[:, None] / (np.maximum(values, 0.0) + self.alphas[:, None])
        if self.estimator.fit_intercept:
            share[:, np.argmax(np.abs(vectors.sum(axis=0)))] = 0.0
        M = np.einsum("kf,lf,jf->lkj", vectors, share, vectors, optimize=True)
        if self.estimator.fit_intercept and not isinstance(self.problem.outcome, Classes):
            y = y - y.mean()  # the same residuals, with digits that a large mean would cost
        return np.ascontiguousarray(M), M @ y, float(values[-1])

    @cached_property
    def _blurs(self) -> tuple[FloatArray, FloatArray]:
        y = self.problem.scaled_target
        blur, blur_e = self._blur(self.columns.values[None], y[None])
        return np.ascontiguousarray(blur[0].T), np.ascontiguousarray(blur_e[0].T)

    def _blur(self, Z: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how well the estimator knows 1 − leverage and residuals, (g, units, L).

        With fewer features than units it inverts ``ZᵀZ + αI``, whose inverse has entries up to 1/α
        and the rounding of these: that of ``zᵀ(ZᵀZ + αI)⁻¹z`` is up to ‖z‖²/α.
        """
        rounding = UNITS_IN_LAST_PLACE * EPSILON
        size = np.linalg.norm(Z, axis=2)[:, :, None] / self.alphas
        product = np.linalg.norm(np.einsum("gkf,gk->gf", Z, y), axis=1)[:, None, None]
        largest = np.abs(y).max(axis=1)[:, None, None]
        return (
            rounding * (1.0 + size**2 * self.alphas),
            rounding * (largest + size * product),
        )

    def _by_rows(self, sets: IntArray) -> tuple[FloatArray, FloatArray]:
        width = self.columns.n_units * self.columns.n_columns
        n_parts = 1 + len(sets) * width // CELLS
        answers = [self._solve(part) for part in np.array_split(sets, n_parts) if len(part)]
        f, error = zip(*answers, strict=True)
        return np.concatenate(f), np.concatenate(error)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Choose the penalty of every resample and predict with it."""
        with threadpool_limits(1, user_api="blas"):
            return [self._respond(fit) for fit in fits]

    def _respond(self, fit: Fit) -> FloatArray | None:
        fitted = self.columns.fit_on(fit.train)
        if self.prepared.is_exception(fit.train, self.notices_empty) or np.isinf(fitted.growth[0]):
            return None
        (response,), (error,) = self._decompose(fit.train[None], fit.test[None], fitted)
        level = self.problem.outcome.level[fit.test]
        return None if may_swap(response, error, level).any() else response

    def _solve(self, sets: IntArray) -> tuple[FloatArray, FloatArray]:
        inside = np.ones((len(sets), self.columns.n_units), dtype=bool)
        np.put_along_axis(inside, sets, False, axis=1)
        train = np.nonzero(inside)[1].reshape(len(sets), -1)
        return self._decompose(train, sets, self.columns.fit_without(sets))

    def _decompose(
        self, train: IntArray, tests: IntArray, fitted: Fitted
    ) -> tuple[FloatArray, FloatArray]:
        """Decompose training sets, given as rows, and predict with the penalties they choose."""
        columns, is_free = self.columns, self.estimator.fit_intercept
        g = len(train)

        def rows(units: IntArray) -> FloatArray:
            filled = columns.values[units]
            if columns.has_gaps:
                filled = filled + columns.missing[units] * fitted.fill[:, None, :]
            return np.asarray((filled - fitted.shift[:, None, :]) / fitted.scale[:, None, :])

        Z, new, y = rows(train), rows(tests), self.problem.scaled_target[train]
        left, n = Z.shape[1:]
        mean = np.zeros((g, 1))
        if is_free:
            centre = Z.mean(axis=1, keepdims=True)
            mean = y.mean(axis=1, keepdims=True)
            Z, new, y = Z - centre, new - centre, y - mean
        Zt = Z.transpose(0, 2, 1)
        is_tall = n < left
        values, vectors = np.linalg.eigh(Zt @ Z if is_tall else Z @ Zt)
        values = np.maximum(values, 0.0)
        inverse = 1.0 / (values[:, :, None] + self.alphas)  # (g, ·, L)
        P = Z @ vectors if is_tall else vectors
        b = np.einsum("gkf,gk->gf", P, y)
        share = inverse if is_tall else inverse * values[:, :, None]
        residual = y[:, :, None] - P @ (b[:, :, None] * share)
        leverage = P**2 @ share + (1.0 / left if is_free else 0.0)
        blur, blur_e = self._blur(Z, y)
        free = 1.0 - leverage
        with np.errstate(all="ignore"):
            errors = np.abs(residual / free)
            scores = np.mean(errors**2, axis=1)
            doubts = np.mean(2.0 * errors * (blur_e + errors * blur) / free, axis=1)
        doubts[(blur > 0.1 * free).any(axis=1)] = np.inf
        best = np.argmin(scores, axis=1)
        picked = np.take_along_axis(inverse, best[:, None, None], axis=2)[:, :, 0]
        w = np.einsum("gkf,gf->gk", vectors, b * picked)
        f = np.einsum("gsf,gf->gs", new, w if is_tall else np.einsum("gkf,gk->gf", Z, w)) + mean
        alpha = self.alphas[best]
        rounding = EPSILON * (left + n) * fitted.growth * (16.0 + 4.0 * values[:, -1] / alpha)
        error = rounding[:, None] * np.maximum(1.0, np.abs(f))
        if self.alphas.size > 1:
            own = np.take_along_axis(scores, best[:, None], axis=1)
            apart = scores - own - doubts - np.take_along_axis(doubts, best[:, None], axis=1)
            np.put_along_axis(apart, best[:, None], np.inf, axis=1)
            error[~(apart > TOO_CLOSE * own).all(axis=1)] = np.inf
        return f, error


ENGINE = NestedRidge
