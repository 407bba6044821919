"""Which games of prepared least squares are decided by two numbers per unit.

Weights ω of the units are the same in all games meant here. With all units, rows z, penalties λ
(α times squared scales; 0 for a free intercept), residuals e, ``G = Zᵀ diag(ω) Z + diag(λ)`` and
coefficients θ, let

    κ_i² = z_iᵀ G^{-1} z_i,   a_i = 1 − ω_i κ_i²,   r_i = e_i / a_i,   E_k = (λ_{-k} − λ) ∘ θ .

A free intercept is of columns centred by ω, so that it is apart in G; κ' is κ without it, and all
that matters where it is common to both units. Were penalties the same in every training set, the
block formula would give the gap ``d°_ij``:
``f_i = y_i − (r_i + ω_j K_ij r_j / a_i) / (1 − ω_i ω_j K_ij² / (a_i a_j))``. They are not, and

    d_ij = d°_ij − (z_i − z_j)ᵀ G^{-1} (E_i + E_j) + rest,
    |rest| ≤ (κ'_i + κ'_j) [χ_i + χ_j + c (η_i + η_j)(s_i + s_j) + c (τ_i + τ_j)(ψ_i + ψ_j)] .

Here ``s = ω κ |e|``, ψ is the length of E in the norm of G^{-1}, and χ that of what is not additive
in the change of penalties (`preparation/changes.py`); it counts in ψ. η bounds this change relative
to G, and ``τ = ω κ² + η`` all of what a unit takes from G; ``c = (1 − 2 max τ)^{-2}``. That decides
almost every game that a bound by products leaves open:

    b_i = z'_iᵀθ − ω_i κ'_i² r_i − z_iᵀ G^{-1} E_i,
    |d_ij − (b_i − b_j)| ≤ |rest| + κ'_i ψ_j + (i ↔ j) + [ κ'_i ω_j κ'_j |r_j|
        + ω_i κ'_i² (κ_i/a_i ω_j κ_j |r_j| + t_i |r_i| t_j)
        + κ'_i ω_i κ_i |r_i| ω_j κ'_j κ_j/a_j + (i ↔ j) ] / (1 − t_i t_j),

with ``t = ω κ² / a`` and z' the row without the intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.preparation.changes import ScaleChanges
from tlpo.engines.preparation.columns import EPSILON
from tlpo.engines.ranges.bounds import Bounds
from tlpo.execution.threads import in_threads, slices

# Units that take more than this of G have all their games played.
MOST_TAKEN = 0.25
# Larger condition numbers of G, with a diagonal of ones, leave all games to be played.
MOST_CONDITION = 1e8
# Rows at a time.
BLOCK = 1 << 14
# Fewer games than this are not worth a second thread.
GAMES_A_THREAD = 50_000


@dataclass(frozen=True, eq=False)
class Reference:
    """The least squares of all units, and what each unit takes from it.

    Attributes
    ----------
    Q, moved : ndarray of shape (m, p)
        Rows whose products are K, and E in the same coordinates; ``moved`` has no rows if scales
        do not change.
    weight, y, a, r, e, fitted : ndarray of shape (m,)
        Weights, targets, the numbers above, and z'ᵀθ.
    kappa, inner, psi, chi, eta, tau : ndarray of shape (m,)
        Likewise, ``inner`` is κ'; τ is infinite for units whose games are all played.
    c : float
        The factor of second orders.
    error : float
        Of entries of K, relative to κ_i κ_j, and of residuals, relative to the largest target.
    theta, root : ndarray of shape (p,)
        Coefficients θ, and the roots of the diagonal of G.
    scale : ndarray of shape (n,)
        Scales of the columns.
    trace, least : float
        Of G with a diagonal of ones: the trace of the inverse, and the smallest eigenvalue.
    growth : float
        The largest growth of rounding errors of prepared columns.
    """

    Q: FloatArray
    moved: FloatArray
    weight: FloatArray
    y: FloatArray
    a: FloatArray
    r: FloatArray
    e: FloatArray
    fitted: FloatArray
    kappa: FloatArray
    inner: FloatArray
    psi: FloatArray
    chi: FloatArray
    eta: FloatArray
    tau: FloatArray
    c: float
    error: float
    theta: FloatArray
    root: FloatArray
    scale: FloatArray
    trace: float
    least: float
    growth: float

    @property
    def is_near(self) -> Any:
        """Whether bounds hold for a unit."""
        return np.isfinite(self.tau)

    def bounds(self, units: IntArray, slack: FloatArray, ordered: bool, threads: int) -> Bounds:
        """Return the bounds of games between some units, in increasing order."""
        is_near = self.is_near
        kappa, inner, tau, eta, psi, chi = (
            np.where(is_near, x, 0.0)
            for x in (self.kappa, self.inner, self.tau, self.eta, self.psi, self.chi)
        )
        weight, r, a = self.weight, np.abs(self.r), np.where(is_near, self.a, 1.0)
        t = weight * kappa**2 / a
        second, most = np.partition(t, -2)[-2:]
        factor = 1.0 / (1.0 - second * most)
        s, lever = weight * kappa * np.abs(self.e), weight * inner**2
        pulled = self.c * (eta * s + tau * psi)
        near = np.column_stack(
            [
                inner,
                factor * lever * kappa / a,
                factor * inner * weight * kappa * r,
                self.c * inner * tau,
                self.c * inner * (s + psi) + factor * lever * t * r,
            ]
        )
        far = np.column_stack(
            [
                factor * weight * inner * r + psi + pulled,
                weight * kappa * r,
                weight * inner * kappa / a,
                s + psi,
                np.maximum(t, tau),
            ]
        )
        own = inner * (chi + pulled)
        base = self.fitted - lever * self.r
        if len(self.moved):
            base = base - np.einsum("ij,ij->i", self.Q, self.moved)
        whole = np.where(is_near, own + slack, np.inf)
        if units.size < whole.size:
            base, near, far, whole = base[units], near[units], far[units], whole[units]
        closer = partial(self.look, slack=slack, threads=threads)
        return Bounds(units, base, near, far, whole, ordered, closer)

    def look(
        self, games: IntArray, slack: FloatArray, threads: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return gaps of games to first order in the changes of penalties, and their errors."""
        from tlpo.engines.least_squares.kernels import look_at_games

        gap, error = np.empty(len(games)), np.empty(len(games))
        threads = max(1, min(threads, len(games) // GAMES_A_THREAD))
        given = (
            *(self.Q, self.moved, self.weight, self.y, self.a, self.r, self.e),
            *(self.kappa, self.inner, self.psi, self.chi, self.eta, self.tau, slack, self.c),
        )
        calls = [(games[at], *given, gap[at], error[at]) for at in slices(len(games), threads)]
        in_threads(look_at_games, calls)
        return gap, error


def refer(
    X: FloatArray,
    y: FloatArray,
    weight: FloatArray,
    alpha: float,
    is_free: bool,
    changes: ScaleChanges,
) -> Reference | None:
    """Solve the least squares of all units; None if it is too badly conditioned.

    Columns and scales are those of ``changes``; ``is_free`` adds a free intercept to X.
    """
    m, n = X.shape
    p = n + is_free
    mean = weight @ X / weight.sum() if is_free else np.zeros(n)
    penalty = np.zeros(p)
    penalty[:n] = alpha * changes.scale**2
    gram, crossed = np.diag(penalty), np.zeros(p)
    blocks = [slice(k, min(k + BLOCK, m)) for k in range(0, m, BLOCK)]
    for part in blocks:
        Z = _rows(X[part], mean, is_free)
        weighted = Z * weight[part, None]
        gram += weighted.T @ Z
        crossed += weighted.T @ y[part]
    root = np.sqrt(np.diag(gram))
    if not (root.min() > 0 and np.isfinite(root).all()):
        return None
    values = np.linalg.eigvalsh(gram / root / root[:, None])
    if not values[0] * MOST_CONDITION > values[-1]:
        return None
    upper = np.linalg.cholesky(gram / root / root[:, None]).T
    inverse = solve_triangular(upper, np.eye(p)) / root[:, None]  # G^{-1} = inverse inverseᵀ
    theta = inverse @ (inverse.T @ crossed)
    spread = np.sqrt(np.einsum("ij,ij->i", inverse, inverse))[:n]  # roots of the diagonal
    moves = alpha > 0 and bool(changes.columns.scale.any())
    Q, moved = np.empty((m, p)), np.empty((m if moves else 0, p))
    psi, chi, eta, growth = np.zeros(m), np.zeros(m), np.zeros(m), np.ones(m)
    kept = np.abs(theta[:n])
    for part in blocks:
        Q[part] = _rows(X[part], mean, is_free) @ inverse
        found = changes.without(np.arange(part.start, part.stop))
        growth[part] = found.growth
        eta[part][found.is_influential] = np.inf
        if moves:
            moved[part] = (alpha * found.alone * theta[:n]) @ inverse[:n]
            rest = alpha * found.rest
            chi[part] = rest @ (spread * kept)
            psi[part] = np.sqrt(np.einsum("ij,ij->i", moved[part], moved[part])) + chi[part]
            change = alpha * found.whole
            relative = change / np.where(penalty[:n] > 0, penalty[:n], np.inf)
            eta[part] += np.minimum(relative.max(axis=1), change @ spread**2)
    lever = np.einsum("ij,ij->i", Q, Q)
    tau = weight * lever + eta
    tau[~(tau <= MOST_TAKEN)] = np.inf
    is_near = np.isfinite(tau)
    if not is_near.any():
        return None
    inner = np.einsum("ij,ij->i", Q[:, :n], Q[:, :n])
    turned = inverse.T @ crossed
    fitted = Q[:, :n] @ turned[:n]
    e = y - Q @ turned
    a = 1.0 - weight * lever
    return Reference(
        *(Q, moved, weight, y, a, np.where(is_near, e / np.where(is_near, a, 1.0), 0.0), e),
        *(fitted, np.sqrt(lever), np.sqrt(inner), psi, chi, np.where(is_near, eta, 0.0), tau),
        c=(1.0 - 2.0 * float(tau[is_near].max())) ** -2,
        error=EPSILON * (16.0 + 4.0 * p + 2.0 * np.sqrt(m)) * float(values[-1] / values[0]),
        theta=theta,
        root=root,
        scale=changes.scale,
        trace=float(np.sum(1.0 / values)),
        least=float(values[0]),
        growth=float(growth[is_near].max()),
    )


def _rows(X: FloatArray, mean: FloatArray, is_free: bool) -> FloatArray:
    return np.column_stack([X - mean, np.ones(len(X))]) if is_free else X
