"""Least squares with more columns than units, scaled anew in every training set.

With ``K = X diag(1/s²) Xᵀ`` a training set needs the solution a of ``(K + αI) a = y`` that is zero
on the left-out units and, with a free intercept, has the sum zero: ``Uᵀa = 0`` with U the unit
vectors of the left-out units and a column of ones. Scales hardly differ between training sets, so
``M = K₀ + αI`` with the scales of all units is a good preconditioner; within the constraints its
inverse is

    M^{-1} − M^{-1}U (Uᵀ M^{-1} U)^{-1} Uᵀ M^{-1} .

Conjugate gradients for many training sets at once are matrix products. A residual r moves the
prediction for i by at most ``√k_ii √(rᵀ(K + αI)^{-1} r) ≤ ‖r‖ √(k_ii / α)``.

Units with weights w have ``α/w`` in place of α: the intercept is then a weighted mean, and a
residual counts ``√w`` times.

Columns that are centred in every training set have ``K 1 = 0`` there: an intercept that is
penalised, or none, then only changes the constant, unless units have weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.least_squares.hat import Intercept
from tlpo.engines.preparation.columns import EPSILON, Centre, Columns
from tlpo.errors import EngineError

MOST_STEPS = 40
# Conjugate gradients stop when predictions are known to this precision.
PRECISION = 1e-11
# The smallest penalty, relative to the mean eigenvalue of K.
LEAST_ALPHA = 1e-9


class WideSolver:
    """Solves the training sets of one problem.

    Parameters
    ----------
    columns : Columns
        Features.
    y : ndarray of shape (m,)
        Labels ±1.
    alpha : float
        Penalty, positive.
    intercept : {"free", "penalised", "none"}
        Whether there is one, and whether it is penalised.
    weight : ndarray of shape (m,), optional
        Weights of the units, or nearly: every training set may bring its own.
    """

    def __init__(
        self,
        columns: Columns,
        y: FloatArray,
        alpha: float,
        intercept: Intercept,
        weight: FloatArray | None = None,
    ) -> None:
        is_centred = weight is None and bool((columns.centre == Centre.MEAN).all())
        if intercept == "penalised" and not is_centred:
            columns = Columns.join([columns, Columns.of_matrix(np.ones((y.size, 1)))])
        is_free = intercept == "free" or is_centred
        self.n_terms = columns.n_units + columns.n_columns
        if columns.is_fixed and columns.n_columns > columns.n_units:
            # Only products of rows matter: turned, the rows have as many columns as units.
            R: Any = np.linalg.qr(columns.values.T, mode="r")
            columns = Columns.of_matrix(np.ascontiguousarray(R.T))
        self.columns, self.intercept = columns, intercept
        everyone = np.arange(columns.n_units)
        Z = columns.prepared(columns.fit_on(everyone), 0, everyone)
        if is_free:
            Z = Z - Z.mean(axis=0)
        self.X, self.y, self.alpha, self.is_free = columns.values, y, alpha, is_free
        self.missing = columns.missing.astype(float) if columns.has_gaps else None
        K = Z @ Z.T
        self.size = float(np.trace(K))
        weight = np.ones(y.size) if weight is None else weight
        if not weight.min() > 0:
            raise EngineError("With more features than units, every class weight must be positive.")
        if not alpha >= LEAST_ALPHA * weight.max() * self.size / y.size:
            raise EngineError(
                "With more features than units and almost no penalty, what is predicted depends on "
                "rounding."
            )
        self.inverse = np.linalg.inv(K + alpha * np.diag(1.0 / weight))

    def answer(self, sets: IntArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return predictions for the units of left-out sets, and how far off they may be.

        Weights of the units are those of each training set, (m, g); one row if there are none.
        """
        fitted = self.columns.fit_without(sets)
        g, size = sets.shape
        m = self.y.size
        inside = np.ones((m, g))
        inside[sets.T, np.arange(g)] = 0.0
        left = m - size
        share = weight * inside
        total = share.sum(axis=0)
        penalty = self.alpha / weight
        constant = np.zeros(g)
        if self.is_free and self.intercept != "none":
            constant = (self.y @ share) / (total + self.alpha * (self.intercept == "penalised"))
        # Contiguous as the products are: otherwise multiplying them would take most of the time.
        W, fill = map(np.ascontiguousarray, (fitted.scale.T**-2, fitted.fill.T))
        # A free intercept takes up any shift.
        shift = None if self.is_free else np.ascontiguousarray(fitted.shift.T)

        def rows_times(A: FloatArray) -> FloatArray:
            """Return ``Xᵀ A`` of the filled and shifted columns of every set."""
            T = self.X.T @ A
            if self.missing is not None:
                T += fill * (self.missing.T @ A)
            if shift is not None:
                T -= shift * A.sum(axis=0)
            return T

        def times(A: FloatArray) -> FloatArray:
            """Return ``K A``, less what is the same for all units if the intercept is free."""
            T = W * rows_times(A)
            product = self.X @ T
            if self.missing is not None:
                product += self.missing @ (fill * T)
            if shift is not None:
                product -= np.einsum("fg,fg->g", shift, T)
            return product

        def project(R: FloatArray) -> FloatArray:
            R = R * inside
            return R - inside * (R.sum(axis=0) / left) if self.is_free else R

        precondition = self._preconditioner(sets)

        def constrain(R: FloatArray) -> FloatArray:
            # Rounding, many times as large where few units are left, must not break a constraint.
            return project(precondition(R))

        a = np.zeros((m, g))
        r = project(np.repeat(self.y[:, None], g, axis=1))
        z = constrain(r)
        p, rz = z.copy(), np.einsum("kg,kg->g", r, z)
        goal = PRECISION**2
        own = self._own_sizes(sets, W, fill, shift)
        largest = own.max(axis=0)
        for _ in range(MOST_STEPS):
            # Sets that are solved stay as they are: further steps would divide noise by noise.
            is_open = rz * largest > goal
            if not is_open.any():
                break
            q = project(times(p) + penalty * p)
            pq = np.einsum("kg,kg->g", p, q)
            step = np.divide(rz, pq, out=np.zeros(g), where=is_open & (pq > 0))
            a += step * p
            r -= step * q
            z = constrain(r)
            new = np.maximum(np.einsum("kg,kg->g", r, z), 0.0)
            p = z + np.divide(new, rz, out=np.zeros(g), where=is_open & (rz > 0)) * p
            rz = np.where(is_open, new, rz)
        T = times(a)
        # The residual itself, not the one carried along, which rounding may have made smaller.
        r = project(self.y[:, None] - T - penalty * a)
        left_over = np.einsum("kg,kg,kg->g", r, share, r) / self.alpha
        f = T[sets.T, np.arange(g)].T
        if self.is_free:
            # Predictions of centred columns sum to zero over the training set.
            f = f + (constant - np.einsum("kg,kg->g", share, T) / total)[:, None]
        # Solving amplifies rounding, ours and the estimator's, by the condition number.
        condition = 1.0 + self.size / penalty.min(axis=0)
        rounding = 4.0 * EPSILON * self.n_terms * fitted.growth * condition
        error = 4.0 * np.sqrt(own * left_over) + rounding * np.maximum(1.0, np.abs(f.T))
        return f, np.asarray(error.T)

    def _own_sizes(
        self, sets: IntArray, W: FloatArray, fill: FloatArray, shift: FloatArray | None
    ) -> FloatArray:
        """Return ``k_ii`` of the left-out units, (s, g)."""
        own = np.empty((sets.shape[1], len(sets)))
        for k, units in enumerate(sets.T):
            x = self.X[units].T
            if self.missing is not None:
                x = x + fill * self.missing[units].T
            if shift is not None:
                x = x - shift
            own[k] = np.einsum("fg,fg,fg->g", x, W, x)
        return own

    def _preconditioner(self, sets: IntArray) -> Callable[[FloatArray], FloatArray]:
        """Return the map by the constrained inverse of M."""
        g, size = sets.shape
        ones = self.inverse.sum(axis=1)
        width = size + self.is_free
        V = np.empty((g, self.y.size, width))
        V[:, :, :size] = self.inverse[:, sets].transpose(1, 0, 2)
        if self.is_free:
            V[:, :, size] = ones
        S = np.empty((g, width, width))
        S[:, :size] = np.take_along_axis(V, sets[:, :, None], axis=1)
        if self.is_free:
            S[:, size] = V.sum(axis=1)
        solved = np.linalg.inv(S)

        def precondition(R: FloatArray) -> FloatArray:
            Z = self.inverse @ R
            U = np.empty((g, width))
            U[:, :size] = Z[sets.T, np.arange(g)].T
            if self.is_free:
                U[:, size] = Z.sum(axis=0)
            weights = np.einsum("gab,gb->ga", solved, U)
            return np.asarray(Z - np.einsum("gkw,gw->kg", V, weights))

        return precondition
