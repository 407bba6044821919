"""Which penalties may be chosen, and by how much approximate deviances may be off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from tlpo.engines.lasso.kernels import Sample, Singles

# So many times their largest move, a deviance must be above that of the chosen penalty.
FARTHEST = 4.0
# So many penalties from that with the smallest deviance, errors of any two are compared.
REACH = 10


def in_play(singles: Singles, sample: Sample, units: IntArray, is_min: bool) -> tuple[int, int]:
    """Return the range of penalties that training sets without a pair may choose.

    Leaving out some units one by one tells how far a deviance moves, compared with that of the
    chosen penalty. Two units move it about twice as far; penalties farther off than `FARTHEST`
    times the largest of these moves are left out.
    """
    sizes = np.diff(sample.edges)
    m = sizes.sum()
    whole = singles.whole
    mean = 2.0 * whole.sum(axis=1) / m
    fold = 2.0 * whole / sizes
    error = np.sqrt(((fold - mean[:, None]) ** 2 @ (sizes / m)) / (sizes.size - 1))
    best = int(np.argmin(mean))
    own = np.array([singles.loss[i, :, i] for i in units])  # of the unit itself
    alone = 2.0 * (singles.sums[units].sum(axis=2) - own) / (m - 1)
    move = np.abs((alone - mean) - (alone - mean)[:, [best]]).max(axis=0)
    near = np.flatnonzero(mean - mean[best] <= FARTHEST * move)
    low, high = int(min(near.min(), best)), int(max(near.max(), best)) + 1
    if not is_min:
        edge = mean[best] + error[best]
        low = min(low, int(np.argmax(mean <= edge + FARTHEST * (move + error / m))))
    return max(0, low - 1), min(mean.size, high + 1)


def errors_of(about: FloatArray, unit: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the largest errors of approximate deviances, in units of `predict_sums`.

    Parameters
    ----------
    about : ndarray of shape (g, c, 4)
        Means, and means plus standard errors, as approximated and as solved.
    unit : ndarray of shape (g, c)
        The units.

    Returns
    -------
    gaps : ndarray of shape (c, 2)
        Of differences between the smallest and others, by how many penalties they are apart, in
        units of the smallest and in the sum of both.
    near : ndarray of shape (c,)
        Of differences between any two that are at most `REACH` from the smallest, by how many
        penalties they are apart, in the sum of both units.
    values : ndarray of shape (c, 3)
        Of means, and of means plus standard errors, in units; and of means as they are.
    """
    g, c = unit.shape
    off = about[:, :, 2:] - about[:, :, :2]
    shares = (_shares(off[:, :, 0], unit), _shares(off[:, :, 1], unit), np.abs(off[:, :, 0]))
    values = np.array([share.max(axis=0) for share in shares]).T
    padded = np.pad(values, ((1, 1), (0, 0)))
    values = np.max([padded[:-2], values, padded[2:]], axis=0)
    best = about[:, :, 0].argmin(axis=1)
    at_best = np.arange(g), best
    apart = off[:, :, 0] - off[:, :, 0][at_best][:, None]
    own = np.broadcast_to(unit[at_best][:, None], unit.shape)
    gaps = np.zeros((c, 2))
    for side, units in enumerate((own, own + unit)):
        distance = np.abs(np.arange(c) - best[:, None])
        np.maximum.at(gaps[:, side], distance, _shares(apart, units))
    error = off[:, :, 0]
    near, is_near = np.zeros(c), np.abs(np.arange(c) - best[:, None]) <= REACH
    for distance in range(1, min(c, 2 * REACH + 1)):
        one, other = slice(distance, None), slice(None, -distance)
        share = _shares(error[:, one] - error[:, other], unit[:, one] + unit[:, other])
        near[distance] = share[is_near[:, one] & is_near[:, other]].max(initial=0.0)
    return np.maximum.accumulate(gaps), np.maximum.accumulate(near), values


def _shares(values: FloatArray, unit: FloatArray) -> FloatArray:
    """Return absolute values in some units, 0 where the unit is."""
    return np.divide(np.abs(values), unit, out=np.zeros(values.shape), where=unit > 0)
