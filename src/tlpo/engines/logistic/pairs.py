"""Models without two units, from the fit to all: matrix products for many pairs at once.

At the fit θ* to all units let ``w`` be the curvatures, ``g`` the gradients of the units, ``G`` the
Hessian, ``B = X G⁻¹`` and ``K = B Xᵀ``. Without a pair S the Hessian at θ* is
``G₀ = G − X_SᵀW_SX_S`` and

    G₀⁻¹ q = G⁻¹q + B_Sᵀ M X_S G⁻¹q,   M = W_S^½ (I − W_S^½ K_SS W_S^½)⁻¹ W_S^½.

Columns that are scaled anew in every training set are kept in the scale of all units; the penalty
becomes ``α r²`` with the ratio ``r`` of the two scales. The gradient at θ* is then
``q = −X_Sᵀg_S + α(r² − 1)θ*``, and the pair's model is

1. ``θ* − G₀⁻¹q`` after one step. No pass over the units is needed for that, nor for a bound on what
   is left: with ``N = ‖q‖`` in the norm of ``G₀⁻¹``, ``c = κN`` and ``η = max |r² − 1|`` the
   gradient there is at most ``N [η + (e^c − 1 − c)/c]``.
2. ``θ − G₀⁻¹∇F(θ)``, repeated until the gradient vanishes. With ``c`` the farthest that log odds of
   a training unit have moved, curvature is at least ``min(e^{−c}, 1 − η)`` times that of ``G₀``.

Where the solver of the estimator may stop is bounded as in `newton`, with that curvature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import EngineError

# Steps are repeated until the gradient is shorter than this; log odds are off by about as much,
# which is a hundredth of what the estimator's own solver leaves by default, or less.
CONVERGED = 1e-6
PASSES = 30
# Cells of a table of units by pairs at a time: they should fit into a cache.
CELLS = 1 << 16
PAIRS_AT_A_TIME = 4096


@dataclass(frozen=True, eq=False)
class Reference:
    """The fit to all units, and what models without two of them need of it.

    Attributes
    ----------
    X : ndarray of shape (m, k)
        Prepared columns, and one of ones for an intercept.
    target, weight : ndarray of shape (m,)
        Labels of 0 and 1, and weights.
    alpha : ndarray of shape (k,)
        The penalty of each column.
    theta : ndarray of shape (k,)
        The fit.
    inverse : ndarray of shape (k, k)
        G⁻¹.
    """

    X: FloatArray
    target: FloatArray
    weight: FloatArray
    alpha: FloatArray
    theta: FloatArray
    inverse: FloatArray

    @classmethod
    def fit(
        cls, X: FloatArray, target: FloatArray, weight: FloatArray, alpha: FloatArray
    ) -> Reference:
        """Fit all units."""
        theta = np.zeros(alpha.size)
        from tlpo.engines.logistic import newton

        inverse = newton.fit(X, target, weight, alpha, theta)
        if inverse is None:
            raise EngineError("Without a larger penalty, logistic regression has no unique fit.")
        return cls(X, target, weight, alpha, theta, inverse)

    @cached_property
    def z(self) -> FloatArray:
        """Log odds."""
        return np.asarray(self.X @ self.theta)

    @cached_property
    def probability(self) -> FloatArray:
        """Probabilities."""
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(-self.z)))

    @cached_property
    def curvature(self) -> FloatArray:
        """Second derivatives of the losses, w."""
        return np.asarray(self.weight * self.probability * (1.0 - self.probability))

    @cached_property
    def gradient(self) -> FloatArray:
        """First derivatives of the losses, g."""
        return np.asarray(self.weight * (self.probability - self.target))

    @cached_property
    def influence(self) -> FloatArray:
        """``B = X G⁻¹``."""
        return np.asarray(self.X @ self.inverse)

    @cached_property
    def leverage(self) -> FloatArray:
        """The diagonal of ``K``."""
        return np.asarray(np.einsum("uk,uk->u", self.influence, self.X))

    @cached_property
    def box_length(self) -> float:
        """A bound on ``‖γ‖`` for gradients with entries of at most 1."""
        return float(np.sqrt(np.abs(self.inverse).sum()))

    @cached_property
    def column_length(self) -> float:
        """A bound on ``‖v‖`` for unit vectors v."""
        return float(np.sqrt(np.linalg.eigvalsh(self.inverse)[-1]))


class Changes(NamedTuple):
    """How the columns of some training sets differ from those of all units.

    Attributes
    ----------
    ratio : ndarray of shape (g, n)
        Their scale, relative to that of all units.
    shift : ndarray of shape (g, n)
        By how much more is subtracted from them, in scales of all units.
    """

    ratio: FloatArray
    shift: FloatArray


class Solved(NamedTuple):
    """Models without pairs.

    Attributes
    ----------
    theta : ndarray of shape (g, k)
        Coefficients, in the columns of all units.
    response : ndarray of shape (g, 2)
        Log odds of the two units.
    error : ndarray of shape (g,)
        By how much the difference of the estimator's own may differ; infinite if unknown.
    is_solved : ndarray of shape (g,)
        Which took more than one step.
    is_loose : ndarray of shape (g,)
        Games that the tolerance of the solver leaves open, whatever the solution: another step
        would be in vain. Only if certified.
    """

    theta: FloatArray
    response: FloatArray
    error: FloatArray
    is_solved: BoolArray
    is_loose: BoolArray


@dataclass(frozen=True, eq=False)
class Block:
    """Some pairs, and the inverse Hessians of their training sets at the fit to all units.

    Attributes
    ----------
    reference : Reference
        The fit to all units.
    pairs : ndarray of shape (g, 2)
        The pairs.
    changes : Changes or None
        How their columns differ.
    """

    reference: Reference
    pairs: IntArray
    changes: Changes | None

    def take(self, which: IntArray) -> Block:
        """Keep some pairs."""
        changes = self.changes
        if changes is not None:
            changes = Changes(changes.ratio[which], changes.shift[which])
        return replace(self, pairs=self.pairs[which], changes=changes)

    @cached_property
    def rows(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Rows of X and of B, of the first and of the second units."""
        (i, j), reference = self.pairs.T, self.reference
        return reference.X[i], reference.X[j], reference.influence[i], reference.influence[j]

    @cached_property
    def kernel(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """``K_ii, K_jj, K_ij``."""
        i, j = self.pairs.T
        x_j, b_i = self.rows[1], self.rows[2]
        leverage = self.reference.leverage
        return leverage[i], leverage[j], np.einsum("gk,gk->g", b_i, x_j)

    @cached_property
    def middle(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """``M_ii, M_jj, M_ij``, and 1 − ρ, the smaller eigenvalue of ``I − W^½ K W^½``."""
        i, j = self.pairs.T
        k_ii, k_jj, k_ij = self.kernel
        w_i, w_j = self.reference.curvature[i], self.reference.curvature[j]
        root = np.sqrt(w_i * w_j)
        a, d, o = 1.0 - w_i * k_ii, 1.0 - w_j * k_jj, root * k_ij
        least = 0.5 * (a + d) - np.hypot(0.5 * (a - d), o)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1.0 / (a * d - o * o)
        return w_i * d * scale, w_j * a * scale, root * o * scale, least

    @cached_property
    def alpha(self) -> FloatArray:
        """Penalties of the columns, (g, k) or (k,)."""
        alpha = self.reference.alpha
        if self.changes is None:
            return alpha
        own = np.tile(alpha, (len(self.pairs), 1))
        own[:, : self.changes.ratio.shape[1]] *= self.changes.ratio**2
        return own

    @cached_property
    def eta(self) -> FloatArray:
        """The largest relative change of a penalty."""
        if self.changes is None or not self.reference.alpha.any():
            return np.zeros(len(self.pairs))
        return np.asarray(np.abs(self.changes.ratio**2 - 1.0).max(axis=1))

    @cached_property
    def kappa(self) -> FloatArray:
        """A bound on ``‖x_k‖`` of any unit in the norm of ``G₀⁻¹``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.sqrt(self.reference.leverage.max() / self.middle[3]))

    def apply(self, q: FloatArray) -> FloatArray:
        """Return ``G₀⁻¹q``, row by row."""
        x_i, x_j, b_i, b_j = self.rows
        m_ii, m_jj, m_ij, _ = self.middle
        u = q @ self.reference.inverse
        a_i, a_j = np.einsum("gk,gk->g", x_i, u), np.einsum("gk,gk->g", x_j, u)
        u += (m_ii * a_i + m_ij * a_j)[:, None] * b_i
        u += (m_ij * a_i + m_jj * a_j)[:, None] * b_j
        return np.asarray(u)

    def first_step(self) -> tuple[FloatArray, FloatArray]:
        """Return the models after one step, and its lengths."""
        (i, j), reference = self.pairs.T, self.reference
        x_i, x_j = self.rows[:2]
        q = -reference.gradient[i, None] * x_i - reference.gradient[j, None] * x_j
        if self.changes is not None:
            q += (self.alpha - reference.alpha) * reference.theta
        step = self.apply(q)
        return reference.theta - step, _root(np.einsum("gk,gk->g", q, step))

    def left_after_one(self, length: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bound the gradient after one step, and how far log odds have moved."""
        with np.errstate(over="ignore", invalid="ignore"):
            moved = self.kappa * length
            curved = np.where(
                moved > 1e-4, (np.expm1(moved) - moved) / np.maximum(moved, 1e-4), 0.6 * moved
            )
            return length * (self.eta + curved), moved

    def repeat(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Repeat the step until the gradient vanishes.

        Returns
        -------
        ndarray of shape (g, k)
            The models.
        ndarray of shape (g,)
            Lengths of their gradients.
        ndarray of shape (g,)
            The farthest that log odds of their training units have moved.
        """
        reference = self.reference
        wanted = reference.weight * reference.target
        theta = theta.copy()
        left, moved = np.full(len(theta), np.inf), np.full(len(theta), np.inf)
        going, block, own = np.arange(len(theta)), self, theta
        for _ in range(PASSES):
            at = np.arange(len(own))[:, None], block.pairs
            minus_z = own @ -reference.X.T
            with np.errstate(over="ignore"):
                p = np.exp(minus_z)
            p += 1.0
            np.divide(reference.weight, p, out=p)
            p -= wanted
            p[at] = 0.0
            q = p @ reference.X + block.alpha * own
            step = block.apply(q)
            length = _root(np.einsum("gk,gk->g", q, step))
            done = length <= CONVERGED
            if done.any():
                away = minus_z[done] + reference.z
                away[at[0][: len(away)], block.pairs[done]] = 0.0
                which = going[done]
                theta[which], left[which] = own[done], length[done]
                moved[which] = np.maximum(away.max(axis=1), -away.min(axis=1))
            keep = np.flatnonzero(~done & np.isfinite(length))
            if not keep.size:
                break
            own = own - step
            if keep.size < 0.75 * length.size:  # otherwise gathering costs more than it saves
                block, going, own = block.take(keep), going[keep], own[keep]
        return theta, left, moved

    def error(
        self, left: FloatArray, moved: FloatArray, tol: float
    ) -> tuple[FloatArray, FloatArray]:
        """Bound how far the difference of the estimator's two responses is from ours.

        Also return the part of it that the tolerance leaves, however exact our solution.

        Parameters
        ----------
        left, moved : ndarray of shape (g,)
            Length of our gradient, and the farthest that log odds have moved.
        tol : float
            The largest gradient of the mean loss that the solver leaves.
        """
        reference, kappa = self.reference, self.kappa
        m_ii, m_jj, m_ij, least = self.middle
        k_ii, k_jj, k_ij = self.kernel
        _, _, b_i, b_j = self.rows
        box = tol * (reference.weight.sum() - reference.weight[self.pairs].sum(axis=1))
        a_i, a_j = k_ii - k_ij, k_ij - k_jj
        v_i, v_j = m_ii * a_i + m_ij * a_j, m_ij * a_i + m_jj * a_j
        h = (1.0 + v_i)[:, None] * b_i - (1.0 - v_j)[:, None] * b_j
        width = _root(a_i - a_j + a_i * v_i + a_j * v_j)
        stretch, extra = 1.0, 0.0
        if self.changes is not None:
            # The solver's gradient is that of columns shifted and scaled for the training set.
            ratio, shift = self.changes
            n = ratio.shape[1]
            stretch = np.maximum(1.0, ratio.max(axis=1))
            if h.shape[1] > n:
                h[:, n] += np.einsum("gf,gf->g", shift, h[:, :n])
                extra = reference.column_length * np.sqrt(np.einsum("gf,gf->g", shift, shift))
            h[:, :n] *= ratio
        with np.errstate(all="ignore"):
            most = box * (stretch * reference.box_length + extra) / np.sqrt(least)
            curvature = np.minimum(np.exp(-moved), 1.0 - self.eta)
            share = kappa * (most + left) / curvature
            radius = -np.log1p(-share) / kappa
            loose = box * np.abs(h).sum(axis=1)
            bound = loose + width * (radius - most)
            sound = (least > 1e-9) & (curvature > 0) & (share < 1.0)
        return np.where(sound, bound, np.inf), loose


def block_size(m: int, certify: bool) -> int:
    """Return how many pairs are solved at a time; the last digits of products depend on it."""
    return PAIRS_AT_A_TIME if certify else max(1, CELLS // m)


def solve_pairs(
    reference: Reference, pairs: IntArray, changes: Changes | None, tol: float, certify: bool
) -> Solved:
    """Solve models without pairs.

    Parameters
    ----------
    reference : Reference
        The fit to all units.
    pairs : ndarray of shape (g, 2)
        The pairs.
    changes : Changes or None
        How their columns differ from those of all units.
    tol : float
        The largest gradient of the mean loss that the solver of the estimator leaves.
    certify : bool
        Whether one step is enough where its bound decides the game.
    """
    g, k = len(pairs), reference.alpha.size
    solved = Solved(
        *(np.empty((g, k)), np.empty((g, 2)), np.empty(g)),
        *(np.ones(g, dtype=bool), np.zeros(g, dtype=bool)),
    )
    at_a_time = block_size(len(reference.X), certify)
    whole = Block(reference, pairs, changes)
    for first in range(0, g, at_a_time):
        at = np.arange(first, min(g, first + at_a_time))
        block = whole.take(at)
        theta, length = block.first_step()
        if certify:
            solved.error[at], loose = block.error(*block.left_after_one(length), tol)
            solved.theta[at], solved.response[at] = theta, _responses(block, theta)
            gap = np.abs(solved.response[at, 0] - solved.response[at, 1])
            solved.is_loose[at] = _are_loose(gap, solved.error[at], loose)
            is_open = ~(gap > solved.error[at]) & ~solved.is_loose[at]
            solved.is_solved[at] = is_open
            again = np.flatnonzero(is_open)
            at, block, theta = at[again], block.take(again), theta[again]
            if not at.size:
                continue
        # A table of all units for many pairs would not fit into a cache.
        n_parts = 1 + at.size * len(reference.X) // (2 * CELLS)
        for part in np.array_split(np.arange(at.size), n_parts):
            own = block.take(part)
            final, left, moved = own.repeat(theta[part])
            which = at[part]
            solved.theta[which], solved.response[which] = final, _responses(own, final)
            solved.error[which], loose = own.error(left, moved, tol)
            if certify:
                gap = np.abs(solved.response[which, 0] - solved.response[which, 1])
                solved.is_loose[which] = _are_loose(gap, solved.error[which], loose)
    return solved


def _are_loose(gap: FloatArray, error: FloatArray, loose: FloatArray) -> BoolArray:
    """Return which gaps are certain to be within what the tolerance leaves."""
    # The latter is taken at a curvature that is off by as little as the rest of the error.
    return np.asarray(gap + 2.0 * (error - loose) < 0.99 * loose)


def _responses(block: Block, theta: FloatArray) -> FloatArray:
    x_i, x_j = block.rows[:2]
    return np.stack([np.einsum("gk,gk->g", x_i, theta), np.einsum("gk,gk->g", x_j, theta)], axis=1)


def _root(square: FloatArray) -> FloatArray:
    """Return square roots; NaN stays, and rounding below 0 counts as 0."""
    return np.sqrt(np.maximum(square, 0.0))
