"""Which games of naive Bayes are decided by two numbers per unit.

The base of unit i is its log-odds by the model without i alone. If j, of class c, leaves as well,
the mean of c moves by δ and its variance v, smoothing included, becomes ``v ν``. With
``ε = 1 − 1/ν`` and ``z = (x_i − mean) / √v`` before that, the log density of i in c changes by

    ½ (z² − 1) ε − z δ/(√v ν) − ½ δ²/(v ν) + ½ (log(1 − ε) + ε)

per column. Over columns the first two terms are an inner product of a vector of i and one of j, at
most the product of their lengths. What j does depends a little on whether i is still there; its
vector is bounded over all i. Smoothing changes the variances of the other class too.

Probabilities near 1 come in steps: log-odds above `HIGHEST` are not told apart here, and games
between them are played.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.engines.bayes.gaussian import EPSILON, Gaussian
from tlpo.engines.preparation.changes import ScaleChanges
from tlpo.engines.preparation.columns import Scale
from tlpo.engines.ranges.bounds import Bounds

# Log-odds between these are told apart.
LOWEST, HIGHEST = -600.0, 30.0
# Units that change a variance by a larger share have all their games played.
MOST_CHANGED = 0.5
# Rows at a time.
BLOCK = 1 << 14
# Variances must be known better than this, relative to their size, with a margin.
MOST_BLURRED = 1e-7


def bound_games(sums: Gaussian, ordered: bool) -> list[Bounds] | None:
    """Return bounds for games of two classes, or None if they are not known."""
    columns = sums.columns
    kinds = np.unique(columns.scale)
    is_scaled = kinds.tolist() == [int(Scale.DEVIATION)]
    if ScaleChanges.why_not(columns) or not (is_scaled or kinds.tolist() == [int(Scale.NOTHING)]):
        return None
    if sums.total.size != 2 or sums.weight.min() < 0:
        return None
    heaviest = np.array([sums.weight[sums.kind == c].max() for c in (0, 1)])
    if not (sums.total - 2.0 * heaviest > 1e-3).all():
        return None
    alone = _single(sums, is_scaled)
    if alone is None:
        return None
    far, other_far, is_near = _moving(sums, alone, heaviest)
    slack = np.where(is_near, alone.slack, np.inf)
    members = [np.flatnonzero(sums.kind == c) for c in (0, 1)]
    every = np.arange(sums.kind.size)
    parts = [(every, alone.near_opposite, alone.other_own, True)]
    if not ordered:
        parts += [(own, alone.near_own, alone.other_opposite, False) for own in members]
    return [
        Bounds(
            units,
            alone.base[units],
            np.column_stack([near, other])[units],
            np.column_stack([far, other_far])[units],
            slack[units],
            is_between,
        )
        for units, near, other, is_between in parts
    ]


@dataclass(frozen=True, eq=False)
class Alone:
    """What models without each unit alone say of it.

    Attributes
    ----------
    base, slack : ndarray of shape (m,)
        Log-odds, and by how much these and those of games may be off.
    near_own, near_opposite : ndarray of shape (m,)
        Length of the vector ``(½ |z² − 1|, |z|)`` in the unit's class, and in the other.
    other_own, other_opposite : ndarray of shape (m,)
        Length of its first half.
    shift : ndarray of shape (2, n)
        By how much the mean of a class moves without one of its units, at most.
    least, most : ndarray of shape (2, n)
        The smallest variance with smoothing, and the largest without, in any training set.
    added : ndarray of shape (m, n) or (m, 1)
        By how much smoothing changes without each unit.
    is_near : ndarray of shape (m,)
        Whether bounds hold for a unit.
    """

    base: FloatArray
    slack: FloatArray
    near_own: FloatArray
    near_opposite: FloatArray
    other_own: FloatArray
    other_opposite: FloatArray
    shift: FloatArray
    least: FloatArray
    most: FloatArray
    added: FloatArray
    is_near: BoolArray


def _single(sums: Gaussian, is_scaled: bool) -> Alone | None:
    columns, kind = sums.columns, sums.kind
    m, n = columns.values.shape
    varying = replace(columns, scale=np.full(n, int(Scale.DEVIATION), dtype=np.intp))
    changes = ScaleChanges(columns if is_scaled else varying)
    varies = columns.n_odd > 0
    square = changes.scale**2
    # Smoothing refers to the largest variance of scaled columns, which is 1 for all that vary.
    of_all = square if is_scaled else np.where(varies, square, 0.0)
    added = sums.smoothing * (of_all if is_scaled else np.full(n, of_all.max()))
    variance = sums.scatter[:2] / sums.total[:, None]
    if not (varies.any() and np.all((variance + added > 1e-130) & (variance + added < 1e130))):
        return None
    names = ("base", "slack", "near own", "near opposite", "own", "opposite")
    rows = {name: np.empty(m) for name in names}
    change = np.zeros((m, n if is_scaled else 1))
    is_near = np.ones(m, dtype=bool)
    shift, most = np.zeros((2, n)), variance.copy()
    least = np.full((2, n), np.inf)
    lowest = added.copy()
    prior = _prior(sums)
    blurred = 32.0 * EPSILON * np.sqrt(m) + 4.0 * sums.noise**2 / (variance + added)
    ratio = float(np.max(added / (variance + added)))
    if not 8.0 * blurred.max() < MOST_BLURRED:
        return None
    for start in range(0, m, BLOCK):
        part = slice(start, min(start + BLOCK, m))
        units = np.arange(part.start, part.stop)
        found = changes.without(units)
        own, x, w = kind[part], columns.values[part], sums.weight[part, None]
        smooth = np.broadcast_to(added, x.shape)
        if sums.smoothing > 0:
            moved = sums.smoothing * np.where(varies, found.alone, 0.0)
            if not is_scaled:
                moved = sums.smoothing * np.max(of_all + found.alone * varies, axis=1) - added[0]
                moved = moved[:, None]
            smooth = added + moved
            change[part] = np.abs(moved)
        left = sums.total[own][:, None] - w
        away = x - sums.mean[own]
        delta = w * away / left
        scatter = sums.scatter[own] - w * away**2 * sums.total[own][:, None] / left
        v = np.maximum(scatter, 0.0) / left
        own_v, opposite_v = v + smooth, variance[1 - own] + smooth
        near = ~found.is_influential & np.isfinite(found.growth)
        near &= (own_v > MOST_CHANGED * (variance[own] + added)).all(axis=1)
        is_near[part] = near
        own_v = np.where(near[:, None], own_v, 1.0)
        z = (away + delta) ** 2 / own_v
        opposite_z = (x - sums.mean[1 - own]) ** 2 / opposite_v
        density = -0.5 * np.sum(np.log(own_v) + z, axis=1)
        opposite = -0.5 * np.sum(np.log(opposite_v) + opposite_z, axis=1)
        base = np.where(own == 1, 1.0, -1.0) * (density - opposite) + prior
        rows["own"][part] = np.sqrt(np.sum(0.25 * (z - 1.0) ** 2, axis=1))
        rows["opposite"][part] = np.sqrt(np.sum(0.25 * (opposite_z - 1.0) ** 2, axis=1))
        rows["near own"][part] = np.sqrt(rows["own"][part] ** 2 + z.sum(axis=1))
        rows["near opposite"][part] = np.sqrt(rows["opposite"][part] ** 2 + opposite_z.sum(axis=1))
        rows["base"][part] = np.clip(base, LOWEST, HIGHEST)
        # Rounding, as the kernel adds it up, in log-odds.
        distances = z.sum(axis=1) + opposite_z.sum(axis=1)
        size = n * 10.0 + np.abs(density) + np.abs(opposite) + np.abs(np.log(square)).sum()
        noise = np.sqrt(z) * sums.noise / np.sqrt(own_v)
        noise = noise + np.sqrt(opposite_z) * sums.noise / np.sqrt(opposite_v)
        blur = sums.blur + blurred.max() * (2.0 * n + distances) + noise.sum(axis=1)
        blur += 8.0 * EPSILON * np.where(near, found.growth, 1.0) * ratio * (2.0 * n + distances)
        step = EPSILON * (8.0 + 4.0 * size)
        step = step * np.exp(1.0 + np.maximum(rows["base"][part], 0.0))
        rows["slack"][part] = 8.0 * (blur + 4.0 * EPSILON * distances + step) + 1e-11
        for c in (0, 1):
            here = near & (own == c)
            if here.any():
                np.maximum(shift[c], np.abs(delta[here]).max(axis=0), out=shift[c])
                np.minimum(least[c], own_v[here].min(axis=0), out=least[c])
                np.maximum(most[c], v[here].max(axis=0), out=most[c])
        if near.any():
            np.minimum(lowest, smooth[near].min(axis=0), out=lowest)
    least = np.minimum(least, variance + lowest)
    # What else of the variance of all units changes if another unit has left before.
    rest = sums.smoothing * 0.6 * np.where(varies, square, 0.0) / (m - 4)
    change += 2.0 * (rest if is_scaled else np.full(1, rest.max()))
    return Alone(
        base=rows["base"],
        slack=rows["slack"],
        near_own=rows["near own"],
        near_opposite=rows["near opposite"],
        other_own=rows["own"],
        other_opposite=rows["opposite"],
        shift=shift,
        least=least,
        most=most,
        added=change,
        is_near=is_near,
    )


def _moving(
    sums: Gaussian, alone: Alone, heaviest: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return the lengths of the vectors of units that leave, and for which they are bounded."""
    m = sums.kind.size
    far, other, is_near = np.zeros(m), np.zeros(m), alone.is_near.copy()
    for start in range(0, m, BLOCK):
        part = slice(start, min(start + BLOCK, m))
        own, w = sums.kind[part], sums.weight[part, None]
        least, added = alone.least[own], alone.added[part]
        left = (sums.total - heaviest)[own][:, None] - w
        away = np.abs(sums.columns.values[part] - sums.mean[own]) + alone.shift[own]
        delta = w * away / left
        change = np.maximum(
            alone.most[own] * w / left, w * away**2 * sums.total[own][:, None] / left**2
        )
        share = (change + added) / least
        of_other = added / alone.least[1 - own]
        near = (share < MOST_CHANGED).all(axis=1) & (of_other < MOST_CHANGED).all(axis=1)
        is_near[part] &= near
        share, of_other = (np.where(near[:, None], x, 0.0) for x in (share, of_other))
        share, of_other = share / (1.0 - share), of_other / (1.0 - of_other)
        moved = (1.0 + share) * delta / np.sqrt(least)
        far[part] = np.sqrt(np.sum(share**2 + moved**2, axis=1))
        other[part] = np.sqrt(np.sum(of_other**2, axis=1))
        # ε is at most ⅓, so that |log(1 − ε) + ε| ≤ ¾ ε².
        constant = moved**2 + 0.75 * (share**2 + of_other**2)
        alone.slack[part] += 0.5 * constant.sum(axis=1)
    return far, other, is_near


def _prior(sums: Gaussian) -> float:
    """Return at least the log-odds of the priors of any training set without a pair."""
    if sums.log_prior.size:
        return float(sums.log_prior[1] - sums.log_prior[0])
    least = sums.total[0] - 2.0 * sums.weight[sums.kind == 0].max()
    return float(np.log(sums.total[1] / least))
