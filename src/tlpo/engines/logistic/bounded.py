"""How far a game of logistic regression can be from the difference of two numbers.

In the notation of `pairs`, let ``q_k = −g_k x_k + v_k`` be what unit k adds to the gradient at θ*
when it leaves; ``v_k`` is what it adds by the scale of the columns, to first order. Without unit i
alone, one step gives

    b_i = z_i − a_i/(1 − h_i),   a_i = x_iᵀG⁻¹q_i,   h_i = w_i K_ii.

Without i and j, one step gives log odds ``z_S − (I − K_SS W_S)⁻¹ X_S G⁻¹(q_i + q_j)``. With
``κ_i = √K_ii``, ``c_i = ‖q_i‖`` and ``t_i = h_i/(1 − h_i)``, those of i differ from b_i by at most

    { κ_i (c_j + κ_j w_j |a_j|/(1 − h_j)) + (κ_i c_i + t_i |a_i|) t_j } / (1 − h_i)(1 − t_i t_j).

What one step leaves, and what the solver of the estimator leaves, is bounded as in `pairs`, with
the worst numbers of any two units. A few unusual units would widen that for all: their games are
played.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.logistic.pairs import Reference
from tlpo.engines.preparation.limits import MOST_UNUSUAL, UNUSUAL_SHARE, Limits
from tlpo.engines.ranges.bounds import Bounds

# Ties and rounding, relative to log odds.
ROUNDING = 1e-11
# All units of a rare class may be unusual. Up to this share of all units are set apart.
LARGEST_SHARE = 0.05
# Games that are drawn to estimate how many the tolerance leaves open.
DRAWN = 4096


def bound_games(
    reference: Reference,
    limits: Limits | None,
    tol: float,
    blur: float,
    units: IntArray,
    ordered: bool,
) -> Bounds | None:
    """Bound the games between some units.

    Parameters
    ----------
    reference : Reference
        The fit to all units.
    limits : Limits or None
        How far scales of columns move; None if they are fixed.
    tol : float
        The largest gradient of the mean loss that the solver of the estimator leaves.
    blur : float
        Rounding of prepared columns, relative to log odds.
    units : ndarray of shape (g,)
        The units.
    ordered : bool
        Whether only units of opposite class play.

    Returns
    -------
    Bounds or None
        None if even most pairs are too far from the fit to all units.
    """
    kappa, h = np.sqrt(reference.leverage), reference.curvature * reference.leverage
    added, beyond = _scale_changes(reference, limits)
    q = added - reference.gradient[:, None] * reference.X
    a = np.einsum("uk,uk->u", reference.influence, q)
    c = np.sqrt(np.maximum(np.einsum("uk,uk->u", q @ reference.inverse, q), 0.0)) + beyond
    room = 1.0 - np.minimum(h, 0.9)
    t = h / room
    for is_unusual in _unusual(kappa, c, h, limits):
        usual = units[~is_unusual[units]]
        if usual.size < 2:
            nothing = np.zeros((units.size, 1))
            unknown = np.full(units.size, np.inf)
            return Bounds(units, reference.z[units], nothing, nothing, unknown, ordered)
        least = 1.0 - _two_largest(h[usual]).sum()
        curved, slack = _beyond_one_step(reference, limits, tol, kappa, c, usual, least, t)
        if np.isfinite(curved):
            break
    else:
        return None
    shrunk = 1.0 - float(np.prod(_two_largest(t[usual])))
    base = reference.z - a / room
    size = np.abs(a)
    near = np.column_stack([kappa * (1.0 / (room * shrunk) + curved), kappa * c + t * size])
    near[:, 1] /= room * shrunk
    far = np.column_stack([c + kappa * reference.curvature * size / room, t])
    slack += (ROUNDING + blur) * np.maximum(1.0, np.maximum(np.abs(base), np.abs(reference.z)))
    slack[is_unusual] = np.inf
    return Bounds(units, base[units], near[units], far[units], slack[units], ordered)


def _scale_changes(reference: Reference, limits: Limits | None) -> tuple[FloatArray | float, float]:
    """Return what each unit adds to the gradient by the scale of columns, and how much is missing.

    Without units i and j the squared scale of a standardised column changes by the factor
    ``1 + 2/q − (1/q + 1/q²)(x_i² + x_j²) − 2 x_i x_j/q²``, q units being left.
    """
    alpha = float(reference.alpha.max(initial=0.0))
    if limits is None or alpha == 0.0:
        return 0.0, 0.0
    columns, n = limits.columns, limits.full.size
    left = columns.n_units - 2
    theta = np.where(limits.by_deviation, reference.theta[:n], 0.0)
    x = (columns.values - columns.values.mean(axis=0)) / (limits.full / columns.factor)
    added = np.zeros(reference.X.shape)
    added[:, :n] = alpha * theta * (1.0 / left - (1.0 / left + 1.0 / left**2) * x**2)
    usual = x[~limits.is_unusual]
    crossed = 2.0 / left**2 * np.abs(usual[:, limits.by_deviation]).max(initial=0.0)
    crossed *= float(np.sqrt(np.max((usual * theta) ** 2 @ np.ones(n))))
    others = np.where(limits.by_deviation, 0.0, reference.theta[:n]) * _penalty_changes(limits)
    return added, float(np.sqrt(alpha)) * (crossed + float(np.linalg.norm(others)))


def _penalty_changes(limits: Limits) -> FloatArray:
    """Return the largest relative change of the penalty of every column."""
    least, most = limits.extremes
    return np.maximum(np.abs(1.0 / least**2 - 1.0), np.abs(1.0 / most**2 - 1.0))


def _unusual(
    kappa: FloatArray, c: FloatArray, h: FloatArray, limits: Limits | None
) -> Iterator[BoolArray]:
    """Set apart more and more units: those that move the fit, or are moved by others, the most."""
    given = np.zeros(kappa.size, dtype=bool) if limits is None else limits.is_unusual
    size = kappa / np.median(kappa) + c / max(float(np.median(c)), 1e-300)
    order = np.argsort(-size, kind="stable")
    count = min(MOST_UNUSUAL, int(UNUSUAL_SHARE * kappa.size))
    while count <= LARGEST_SHARE * kappa.size:
        is_unusual = given | (h > 0.4)
        is_unusual[order[:count]] = True
        yield is_unusual
        count = 2 * count + 1


def _beyond_one_step(
    reference: Reference,
    limits: Limits | None,
    tol: float,
    kappa: FloatArray,
    c: FloatArray,
    usual: IntArray,
    least: float,
    t: FloatArray,
) -> tuple[float, FloatArray]:
    """Bound what one step and the solver leave; see `pairs.Block.error`.

    Returns
    -------
    float
        The factor of ``κ_i c_j`` and ``κ_j c_i``; infinite if there is no bound.
    ndarray of shape (m,)
        What each unit adds.
    """
    eta, stretch, moved_by = 0.0, 1.0, np.zeros(1)
    if limits is not None:
        moved_by = limits.shifts
        stretch = max(1.0, float((1.0 / limits.extremes[0]).max()))
        if reference.alpha.any():
            eta = float(_penalty_changes(limits).max())
    box = tol * float(reference.weight.sum())
    farthest = np.sqrt(float(reference.leverage.max()) / least)
    length = float(_two_largest(c[usual]).sum()) / np.sqrt(least)
    moved = farthest * length
    if not (moved < 5.0 and eta < 0.9):
        return np.inf, np.empty(0)
    bent = eta + (0.6 * moved if moved < 1e-4 else (np.expm1(moved) - moved) / moved)
    most = reference.box_length * stretch + reference.column_length * np.linalg.norm(moved_by)
    most *= box / np.sqrt(least)
    curvature = min(np.exp(-moved), 1.0 - eta)
    share = farthest * (most + length * bent) / curvature
    if not share < 0.9:
        return np.inf, np.empty(0)
    growth = -np.log1p(-share) / share / curvature if share > 0.0 else 1.0 / curvature
    curved = growth * bent / least
    B = reference.influence
    widest = 2.0 * float(kappa[usual].max()) * (1.0 + float(t[usual].max()))
    turned = reference.curvature * kappa * widest / least
    reach = np.abs(B - B.mean(axis=0)).sum(axis=1) + turned * np.abs(B).sum(axis=1)
    slack = curved * kappa * c + kappa * most * (growth - 1.0) / np.sqrt(least)
    return float(curved), slack + box * (stretch + float(moved_by.max())) * reach


def _two_largest(values: FloatArray) -> FloatArray:
    return np.partition(values, -2)[-2:]


def n_loose(reference: Reference, tol: float, units: IntArray, ordered: bool) -> float:
    """Estimate the number of games that the tolerance of the solver leaves open."""
    rng, target = np.random.default_rng(0), reference.target[units]
    pools = [units[target == own] for own in (0, 1)] if ordered else [units, units]
    n_games = pools[0].size * pools[1].size / (1 if ordered else 2)
    if not n_games:
        return 0.0
    i, j = (rng.choice(pool, DRAWN) for pool in pools)
    box = tol * float(reference.weight.sum())
    reach = box * np.abs(reference.influence[i] - reference.influence[j]).sum(axis=1)
    # Pairs that are drawn with themselves are not open games.
    is_loose = (np.abs(reference.z[i] - reference.z[j]) <= reach) & (i != j)
    return float(n_games * is_loose.mean())
