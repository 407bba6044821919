"""The hat matrix of penalised least squares: decompose once, predict for any held-out set.

Fitted values are ŷ = H y with a symmetric H that does not depend on y. For any held-out set S

    f_{-S}(S) = y_S − (I − H_SS)^{-1} (y − ŷ)_S .

Two forms, both giving ``a_i = 1 − h_ii``, ``u_i = ŷ_i − h_ii y_i`` and rows of H off the
diagonal, which is all that a game needs:

- `Factor`, fewer columns than units: ``H = Q Qᵀ`` with ``Q = Z R^{-1}``, ``RᵀR = ZᵀZ + Λ``.
  H is never stored, and Q only while it is small.
- `Inverse`, kernels and more columns than units: ``I − H = α M`` with ``M = (K + αI)^{-1}``, and α
  cancels from the formula above, so that α = 0 (interpolation) is no special case.

A free intercept is a column of ones that Λ does not penalise. Centring the other columns makes
it orthogonal to them: its share of H is 1/m everywhere.

With sample weights s, everything is in the units of ``√s``: the rows of Z and y are
multiplied by √s_i, and predictions come out multiplied by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import blas, lapack

from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import EngineError

Intercept = Literal["free", "penalised", "none"]

# Rows of a tall matrix processed at a time.
BLOCK = 1 << 14
# A Gram matrix squares the condition number: beyond the first limit its factor is refined by a
# second pass, beyond the second a QR decomposition takes over.
REFINE_BEYOND = 1e3
QR_BEYOND = 1e6
# Small matrices go straight to QR: it takes microseconds.
QR_ENTRIES = 1 << 16
# A held-out set whose block of I − H is smaller than this many errors is not predicted.
HELD_OUT_DIGITS = 1e6
EPSILON = float(np.finfo(float).eps)
# Below this reciprocal condition number no result is meaningful.
LEAST_RCOND = 1e-12
# Without a penalty, two units that carry nearly all of a direction leave a model that may drop
# it: det (I − H)_SS bounds how much of every direction is left.
LEAST_FREEDOM = 1e-4


class IllPosedError(EngineError):
    """The closed form would lose too many digits; refitting decides."""


@dataclass(frozen=True, eq=False)
class Design:
    """The matrix Z: centred features, a constant column, rows scaled by √s. Never stored whole.

    Attributes
    ----------
    X : ndarray of shape (m, n)
        Features.
    mean : ndarray of shape (n,) or None
        Subtracted from them.
    constant : float or None
        Value of the constant column, if there is one.
    scale : ndarray of shape (m,) or None
        √s.
    """

    X: FloatArray
    mean: FloatArray | None
    constant: float | None
    scale: FloatArray | None

    @property
    def n_columns(self) -> int:
        """Number of columns of Z."""
        return int(self.X.shape[1]) + (self.constant is not None)

    def rows(self, units: IntArray | slice) -> FloatArray:
        """Return some rows of Z."""
        rows = self.X[units]
        if self.mean is not None:
            rows = rows - self.mean
        if self.constant is not None:
            column = np.full((rows.shape[0], 1), self.constant)
            rows = np.concatenate([rows, column], axis=1)
        if self.scale is not None:
            rows = rows * self.scale[units][:, None]
        return np.asarray(rows)

    def blocks(self) -> list[slice]:
        """Cut the rows into blocks."""
        m = self.X.shape[0]
        return [slice(start, min(start + BLOCK, m)) for start in range(0, m, BLOCK)]


@dataclass(frozen=True, eq=False)
class Factor:
    """``H = Q Qᵀ`` with ``Q = Z T``.

    Attributes
    ----------
    design : Design
        Z.
    T : ndarray of shape (k, k)
        ``R^{-1}``.
    error : float
        Rounding error of the entries of H.
    a, u : ndarray of shape (m,)
        ``1 − h_ii`` and ``ŷ_i − h_ii y_i``.
    y : ndarray of shape (m,)
        Labels times √s.
    least_det : float
        Games whose determinant is smaller are doubtful.
    Q : ndarray of shape (m, k) or None
        Q itself, while it is small.
    """

    design: Design
    T: FloatArray
    error: float
    a: FloatArray
    u: FloatArray
    y: FloatArray
    least_det: float = 0.0
    Q: FloatArray | None = None
    sign = 1.0

    def q(self, units: IntArray | slice) -> FloatArray:
        """Return some rows of Q."""
        if self.Q is not None:
            return self.Q[units]
        return np.asarray(self.design.rows(units) @ self.T)

    def row_blocks(self, entries: int) -> Iterator[tuple[int, FloatArray]]:
        """Yield runs of rows of H, from the first row's column on, with the number of that row."""
        Q = self.q(slice(None))
        for start, stop in _runs(self.y.size, entries):
            yield start, np.asarray(Q[start:stop] @ Q[start:].T)

    def entries(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return single entries h_ij."""
        return np.asarray(np.einsum("ij,ij->i", self.q(first), self.q(second)))

    def block(self, units: IntArray) -> FloatArray:
        """Return ``(I − H)_SS``."""
        return np.asarray(self.blocks(units[None, :])[0])

    def blocks(self, sets: IntArray) -> FloatArray:
        """Return ``(I − H)_SS`` of sets of one size, given as rows."""
        q = self.q(sets.reshape(-1)).reshape(*sets.shape, -1)
        blocks = -(q @ q.swapaxes(1, 2))
        size = np.arange(sets.shape[1])
        blocks[:, size, size] = self.a[sets]
        return np.asarray(blocks)

    def solve(self, units: IntArray, r: FloatArray) -> tuple[FloatArray, float]:
        """Return the solution of ``(I − H)_SS z = r``, and the least eigenvalue of the block.

        Of more units than columns by ``(I − QQᵀ)^{-1} = I + Q (I − QᵀQ)^{-1} Qᵀ``.
        """
        q = self.q(units)
        k = q.shape[1]
        if units.size <= k:
            return _solve(self.block(units), r)
        inner, least = _solve(np.eye(k) - q.T @ q, q.T @ r)
        return r + q @ inner, least


@dataclass(frozen=True, eq=False)
class Inverse:
    """``I − H`` up to a factor, as a whole matrix.

    Attributes
    ----------
    M : ndarray of shape (m, m)
        The inverse of ``K + αI``; only its upper triangle counts.
    error : float
        Rounding error of the entries of M.
    a, u : ndarray of shape (m,)
        The diagonal of M, and ``a_i y_i − (M y)_i``.
    y : ndarray of shape (m,)
        Labels times √s.
    least_det : float
        Games whose determinant is smaller are doubtful: none.
    """

    M: FloatArray
    error: float
    a: FloatArray
    u: FloatArray
    y: FloatArray
    least_det: float = 0.0

    sign = -1.0

    def row_blocks(self, entries: int) -> Iterator[tuple[int, FloatArray]]:  # noqa: ARG002
        """Yield all rows of M at once, since M is stored; times ``sign`` they act as H."""
        yield 0, self.M

    def entries(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return single entries of −M."""
        return -self.M[np.minimum(first, second), np.maximum(first, second)]

    def block(self, units: IntArray) -> FloatArray:
        """Return ``M_SS``."""
        return np.asarray(self.blocks(units[None, :])[0])

    def blocks(self, sets: IntArray) -> FloatArray:
        """Return ``M_SS`` of sets of one size, given as rows."""
        return -self.entries(sets[:, :, None], sets[:, None, :])

    def solve(self, units: IntArray, r: FloatArray) -> tuple[FloatArray, float]:
        """Return the solution of ``M_SS z = r``, and the least eigenvalue of the block."""
        return _solve(self.block(units), r)


Hat = Factor | Inverse


def factorise(
    X: FloatArray,
    y: FloatArray,
    alpha: float,
    intercept: Intercept,
    weight: FloatArray | None = None,
    least_rcond: float = 0.0,
    normal_equations: bool = False,
) -> Factor:
    """Decompose a problem with fewer columns than units.

    An estimator that solves normal equations makes errors that grow with the square of the
    condition number; games within these are doubtful as well. Without a penalty (α = 0), features
    must have a reciprocal condition number of at least ``least_rcond``, and games that leave less
    than `LEAST_FREEDOM` of it are doubtful.
    """
    n = X.shape[1]
    scale = None if weight is None else np.sqrt(weight)
    mean, constant = None, None if intercept == "none" else 1.0
    if intercept == "free":
        mean = X.mean(axis=0) if weight is None else weight @ X / weight.sum()
    design = Design(X, mean, constant, scale)
    penalty = np.full(design.n_columns, float(alpha))
    if intercept == "free":
        penalty[n] = 0.0
    T, condition = _inverse_root(design, penalty)
    if alpha == 0 and least_rcond:
        singular = np.linalg.svd(T[:n, :n], compute_uv=False)
        if not singular[-1] >= least_rcond * singular[0]:
            raise IllPosedError("The features are nearly dependent and there is no penalty.")
    if scale is not None:
        y = y * scale
    parts = design.blocks()
    Q = design.rows(parts[0]) @ T if len(parts) == 1 else None
    if Q is not None:
        leverage, fitted = np.einsum("ij,ij->i", Q, Q), Q @ (y @ Q)
    else:
        leverage, fitted = np.empty(y.size), np.empty(y.size)
        moments = sum(y[part] @ design.rows(part) for part in parts) @ T
        for part in parts:
            q = design.rows(part) @ T
            leverage[part] = np.einsum("ij,ij->i", q, q)
            fitted[part] = q @ moments
    grown = condition**2 if normal_equations else condition
    error = EPSILON * (8.0 + np.sqrt(design.n_columns) + grown)
    least_det = LEAST_FREEDOM if alpha == 0 else 0.0
    a, u = 1.0 - leverage, fitted - leverage * y
    return Factor(design, T, error, a, u, y, least_det, Q)


def invert(
    K: FloatArray,
    y: FloatArray,
    alpha: float,
    free_intercept: bool = False,
    weight: FloatArray | None = None,
    least_rcond: float = LEAST_RCOND,
) -> Inverse:
    """Invert ``K + αI``, refusing if it is nearly singular; K is overwritten."""
    m = y.size
    share = np.full(m, 1.0 / m) if weight is None else weight / weight.sum()
    middling = 0.0
    if free_intercept:
        row = K @ share
        K -= row
        K -= (row - row @ share)[:, None]
    if weight is not None:
        scale = np.sqrt(weight)
        y = y * scale
        K *= scale
        K *= scale[:, None]
    if free_intercept:
        # Centring leaves K without the direction √share. It gets a moderate eigenvalue, which
        # keeps the inverse well conditioned for any α, and is removed again below.
        middling = max(float(np.trace(K)) / m, np.finfo(float).tiny)
        K += middling * np.outer(np.sqrt(share), np.sqrt(share))
    K.flat[:: m + 1] += alpha
    norm = np.sqrt(np.vdot(K, K))
    # LAPACK is column-major: its lower triangle is the upper one here.
    root, failed = lapack.dpotrf(K.T, lower=1, clean=0, overwrite_a=1)
    inverse = None if failed else lapack.dpotri(root, lower=1, overwrite_c=1)[0]
    rcond = 0.0 if inverse is None else 1.0 / float(norm * _largest_eigenvalue(inverse))
    if inverse is None or not rcond >= least_rcond:
        raise IllPosedError(
            "The kernel matrix is too close to singular for the closed form: units coincide, or "
            "the penalty is too small."
        )
    M = inverse.T
    if free_intercept:
        M -= np.outer(np.sqrt(share), np.sqrt(share)) / (alpha + middling)
    a = np.diag(M).copy()
    u = a * y - blas.dsymv(1.0, M.T, y, lower=1)
    error = EPSILON * (8.0 + 1.0 / rcond) * float(a.max())
    return Inverse(M, error, a, u, y)


def _largest_eigenvalue(lower: FloatArray) -> float:
    """Estimate it by three power iterations, from the column with the largest diagonal entry."""
    start = int(np.argmax(np.diag(lower)))
    vector, value = np.zeros(len(lower)), 0.0
    vector[start] = 1.0
    for _ in range(3):
        vector = blas.dsymv(1.0, lower, vector, lower=1)
        value = float(np.linalg.norm(vector))
        vector /= value
    return value


def predict_held_out(hat: Hat, tests: list[IntArray]) -> list[FloatArray]:
    """Return the predictions for held-out sets, times √s."""
    residual = hat.a * hat.y - hat.u
    answers = []
    for test in tests:
        if test.size == 1:
            least = float(hat.a[test[0]])
            answers.append(hat.u[test] / hat.a[test])
        else:
            solved, least = hat.solve(test, residual[test])
            answers.append(hat.y[test] - solved)
        if not least > HELD_OUT_DIGITS * hat.error:
            raise IllPosedError(
                f"The held-out set of unit {test[0]} determines a direction of the fit alone, so "
                "the closed form cannot tell what a model without it predicts."
            )
    return answers


def _solve(A: FloatArray, b: FloatArray) -> tuple[FloatArray, float]:
    """Solve a symmetric system; also return its least eigenvalue."""
    return np.asarray(np.linalg.solve(A, b)), float(np.linalg.eigvalsh(A)[0])


def _runs(m: int, entries: int) -> Iterator[tuple[int, int]]:
    """Cut rows into runs with about this many entries right of the diagonal."""
    start = 0
    while start < m:
        stop = min(m, start + max(1, entries // (m - start)))
        yield start, stop
        start = stop


def _inverse_root(design: Design, penalty: FloatArray) -> tuple[FloatArray, float]:
    """Return ``R^{-1}`` with ``RᵀR = ZᵀZ + diag(penalty)``, and its condition number."""
    k = design.n_columns
    if design.X.shape[0] * k <= QR_ENTRIES:
        return _by_qr(design, penalty)
    gram = np.diag(penalty)
    for part in design.blocks():
        rows = design.rows(part)
        gram += rows.T @ rows
    columns = np.sqrt(np.diag(gram))
    if not columns.min() > 0:
        return _by_qr(design, penalty)
    scaled = gram / columns / columns[:, None]
    values = np.linalg.eigvalsh(scaled)
    if not values[0] * QR_BEYOND > values[-1]:
        return _by_qr(design, penalty)
    T = np.linalg.inv(np.linalg.cholesky(scaled)).T / columns[:, None]
    if values[0] * REFINE_BEYOND < values[-1]:
        gram = (T.T * penalty) @ T
        for part in design.blocks():
            q = design.rows(part) @ T
            gram += q.T @ q
        T = T @ np.linalg.inv(np.linalg.cholesky(gram)).T
    return np.asarray(T), float(np.sqrt(values[-1] / values[0]))


def _by_qr(design: Design, penalty: FloatArray) -> tuple[FloatArray, float]:
    Z = np.concatenate([design.rows(slice(None)), np.diag(np.sqrt(penalty))])
    R = np.linalg.qr(Z, mode="r")
    T, singular = lapack.dtrtri(R)
    # Scaling the columns of Z changes neither Q nor H, so the condition number is that of R with
    # columns of length one: at most the product of the Frobenius norms of it and its inverse.
    sizes = np.einsum("ij,ij->j", R, R)
    condition = np.sqrt(sizes.size * (sizes @ np.einsum("ij,ij->i", T, T)))
    if singular or not condition * LEAST_RCOND < 1.0:
        raise IllPosedError("The features are linearly dependent and there is no penalty.")
    return np.asarray(T), float(condition)
