"""The variance of a partial area under the ROC curve, from its placement values.

The area over the false positive rates from a to b is ``∫ TPR(t) dt``. A positive contributes the
length of the part of (a, b) on which it counts as positive; a negative with false positive rate u
contributes ``TPR(u)``, u clipped to (a, b). These generalise the placement values of DeLong et al.
(1988), which they are for a = 0, b = 1, ties included: along the line that joins two points of the
curve, tied units count in part.

Over a range of sensitivities the curve is mirrored at the second diagonal, and the classes change
roles.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.binormal import DISTANCES, model_limits
from tlpo.roc.curve import RocCurve, height_at
from tlpo.roc.placements import Placements
from tlpo.roc.rates import Limits


def partial_placements(
    curve: RocCurve,
    step: IntArray,
    is_positive: BoolArray,
    *,
    specificity: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
) -> Placements:
    """Return the contribution of every unit to a partial area; either class has it as its mean.

    Parameters
    ----------
    curve : RocCurve
        The curve of the units' scores.
    step : ndarray of shape (m,)
        The step of the curve, from point k to k + 1, that each unit is part of.
    is_positive : ndarray of shape (m,)
        Class of each unit.
    specificity, sensitivity : (low, high)
        Exactly one of them.

    Examples
    --------
    >>> curve = RocCurve(np.array([0, 0, 0.5, 1]), np.array([0, 0.5, 1, 1]), np.zeros(4))
    >>> step, is_positive = np.array([0, 1, 1, 2]), np.array([True, True, False, False])
    >>> partial_placements(curve, step, is_positive, specificity=(0, 1)).positive
    array([1.  , 0.75])
    """
    if specificity is not None:
        low, high = 1.0 - specificity[1], 1.0 - specificity[0]
        own, other = _contributions(curve.fpr, curve.tpr, low, high)
        return Placements(own[step[is_positive]], other[step[~is_positive]])
    assert sensitivity is not None
    low, high = 1.0 - sensitivity[1], 1.0 - sensitivity[0]
    own, other = _contributions(1.0 - curve.tpr[::-1], 1.0 - curve.fpr[::-1], low, high)
    mirrored = curve.fpr.size - 2 - step
    return Placements(other[mirrored[is_positive]], own[mirrored[~is_positive]])


def _contributions(
    x: FloatArray, y: FloatArray, low: float, high: float
) -> tuple[FloatArray, FloatArray]:
    """Return what a unit in each step of a curve contributes, if counted along y and along x."""
    left, right = x[:-1], x[1:]
    width = right - left
    is_wide = width > 0
    per_width = np.divide(1.0, width, out=np.zeros_like(width), where=is_wide)

    def reached(t: float) -> FloatArray:
        """Length below t on which a unit of the step counts; in part while t is inside it."""
        inside = np.clip(t, left, right) - left
        return np.asarray(np.maximum(0.0, t - right) + 0.5 * inside**2 * per_width)

    bottom, top = height_at(x, y, low, upper=True), height_at(x, y, high, upper=False)
    a, b = np.clip(left, low, high), np.clip(right, low, high)
    slope = np.diff(y) * per_width
    at_a = np.where(left < low, bottom, np.where(left > high, top, y[:-1]))
    area = (b - a) * (at_a + 0.5 * slope * (b - a))
    area += np.clip(low - left, 0.0, width) * bottom + np.clip(right - high, 0.0, width) * top
    return reached(high) - reached(low), area * per_width


def partial_limits(
    area: float, variance: float, model: tuple[FloatArray, FloatArray], factor: float
) -> tuple[Limits, float]:
    """Return limits of a partial area, and by how much its variance exceeds the model's.

    Parameters
    ----------
    area, variance : float
        The estimate, and what the contributions of the units say about its variance.
    model : (ndarray, ndarray)
        What `partial_model` returns. Its variance is multiplied by the factor by which the other
        one exceeds it, if it does.
    factor : float
        Squared quantile.
    """
    value, expected = model
    phi = 1.0
    if value[0] < area < value[-1]:
        phi = max(1.0, variance / float(np.interp(area, value, expected)))
    half = np.sqrt(factor * phi * expected)
    return model_limits(area, value, value - half, value + half), phi


@lru_cache(maxsize=256)
def partial_model(
    low: float, high: float, n_own: int, n_other: int
) -> tuple[FloatArray, FloatArray]:
    """Return a partial area and the variance of its estimate, by the distance of the classes.

    ``low`` and ``high`` limit the rate along which it is integrated; ``n_own`` units are counted by
    the height of the curve, ``n_other`` by that rate.
    """
    nodes, weights = np.polynomial.legendre.leggauss(80)
    t = low + (high - low) * (nodes + 1.0) / 2.0
    weights = weights * (high - low) / 2.0
    distance = DISTANCES[:, None]
    y = ndtr(distance + ndtri(t))
    bottom, top = ndtr(DISTANCES + ndtri(low)), ndtr(DISTANCES + ndtri(high))
    value = y @ weights
    own = y @ (2.0 * (high - t) * weights) - value**2
    mean = low * bottom + value + (1.0 - high) * top
    square = low * bottom**2 + y**2 @ weights + (1.0 - high) * top**2
    variance = np.maximum(0.0, own) / n_own + np.maximum(0.0, square - mean**2) / n_other
    return value, variance
