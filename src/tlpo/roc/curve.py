"""The ROC curve of scores, its area, and values at a given specificity or sensitivity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray

# Rates are ratios of small counts, and 1 − 0.9 is not exactly 0.1 in floating point.
_TOLERANCE = 1e-9


class RocCurve(NamedTuple):
    """A ROC curve, from (0, 0) to (1, 1).

    Attributes
    ----------
    fpr, tpr : ndarray
        False and true positive rate at each threshold.
    thresholds : ndarray
        Decreasing; a unit is called positive if its score is *greater* than the threshold.
        The first is the largest score (no unit is positive), the last −inf (all units are).

    Notes
    -----
    ``tpr`` and ``fpr`` at a threshold are the shares of positives and of negatives whose score
    exceeds it. On the leave-pair-out curve of a tournament they are shares of held-out predictions,
    shifted on the probit scale until the area is the AUC: ``Φ(Φ⁻¹(tpr) + δ/2)`` and ``Φ(Φ⁻¹(fpr) −
    δ/2)``.

    Examples
    --------
    >>> import tlpo
    >>> t = tlpo.tournament(tlpo.RLS(), [[1], [2], [5], [4], [7], [8]], [0, 0, 0, 1, 1, 1])
    >>> curve = t.roc_curve()
    >>> curve.tpr.round(2)
    array([0.  , 0.33, 0.67, 0.67, 1.  , 1.  , 1.  ])
    >>> fpr, tpr, thresholds = curve
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray


def wmw_auc(scores: FloatArray, is_positive: BoolArray) -> float:
    """Wilcoxon-Mann-Whitney AUC: how often a positive outscores a negative, ties counting half.

    Examples
    --------
    >>> wmw_auc(np.array([3.0, 1.0, 1.0, 0.0]), np.array([True, True, False, False]))
    0.875
    """
    return auc_of_sorted(np.sort(scores[is_positive]), np.sort(scores[~is_positive]))


def auc_of_sorted(positive: FloatArray, negative: FloatArray) -> float:
    """Return the same of the scores of each class, in increasing order."""
    if not (positive.size and negative.size):
        return float("nan")
    if np.isnan(positive[-1]) or np.isnan(negative[-1]):
        return float("nan")
    twice = np.searchsorted(negative, positive, side="left").sum()
    twice += np.searchsorted(negative, positive, side="right").sum()
    return float(twice / (2 * positive.size * negative.size))


def roc_curve(scores: FloatArray, is_positive: BoolArray) -> RocCurve:
    """Compute the ROC curve with the criterion "score > threshold".

    Examples
    --------
    >>> curve = roc_curve(np.array([3.0, 1.0, 1.0, 0.0]), np.array([True, True, False, False]))
    >>> curve.thresholds
    array([  3.,   1.,   0., -inf])
    >>> curve.tpr
    array([0. , 0.5, 1. , 1. ])
    """
    values, place = np.unique(-scores, return_inverse=True)
    positives = np.bincount(place[is_positive], minlength=values.size)
    negatives = np.bincount(place[~is_positive], minlength=values.size)
    return RocCurve(
        fpr=np.concatenate([[0.0], np.cumsum(negatives) / negatives.sum()]),
        tpr=np.concatenate([[0.0], np.cumsum(positives) / positives.sum()]),
        thresholds=np.concatenate([-values, [-np.inf]]),
    )


def sensitivity_at(curve: RocCurve, specificity: float, *, interpolate: bool = False) -> float:
    """Read the sensitivity at a specificity.

    The largest TPR among thresholds with FPR ≤ 1 − specificity, which is what can be attained in
    practice without randomising; ``interpolate=True`` interpolates between two thresholds.
    """
    limit = 1.0 - specificity
    if interpolate:
        return height_at(curve.fpr, curve.tpr, limit, upper=True)
    return float(curve.tpr[curve.fpr <= limit + _TOLERANCE].max())


def specificity_at(curve: RocCurve, sensitivity: float, *, interpolate: bool = False) -> float:
    """Read the specificity at a sensitivity.

    The largest specificity among thresholds with TPR ≥ sensitivity.
    """
    if interpolate:
        tnr, fnr = 1.0 - curve.fpr[::-1], 1.0 - curve.tpr[::-1]
        return height_at(fnr, tnr, 1.0 - sensitivity, upper=True)
    return float(1.0 - curve.fpr[curve.tpr >= sensitivity - _TOLERANCE].min())


def partial_auc(
    curve: RocCurve,
    *,
    specificity: tuple[float, float] | None = None,
    sensitivity: tuple[float, float] | None = None,
    corrected: bool = False,
) -> float:
    """Area under the part of the curve within a range of specificity or sensitivity.

    Parameters
    ----------
    curve : RocCurve
        The whole curve.
    specificity, sensitivity : (low, high)
        Exactly one of them. Over specificity the area lies under the curve; over
        sensitivity it lies to the right of it, where specificity is measured.
    corrected : bool
        McClish's correction: ½ for chance and 1 for a perfect curve, for any range.

    Examples
    --------
    >>> chance = RocCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([1.0, -np.inf]))
    >>> round(partial_auc(chance, specificity=(0.8, 1.0)), 12)
    0.02
    >>> round(partial_auc(chance, specificity=(0.8, 1.0), corrected=True), 12)
    0.5
    """
    if specificity is not None:
        low, high = 1.0 - specificity[1], 1.0 - specificity[0]
        x, y = curve.fpr, curve.tpr
    elif sensitivity is not None:
        # Mirrored at the second diagonal, specificity against 1 − sensitivity is again a ROC curve.
        low, high = 1.0 - sensitivity[1], 1.0 - sensitivity[0]
        x, y = 1.0 - curve.tpr[::-1], 1.0 - curve.fpr[::-1]
    else:
        raise TypeError("partial_auc needs a range of specificity or of sensitivity")
    area = _area_between(x, y, low, high)
    return correct(area, low, high) if corrected else area


def correct(area: float, low: float, high: float) -> float:
    """Return a partial area over false positive rates so that chance is ½ and perfect is 1."""
    chance, perfect = (high**2 - low**2) / 2, high - low
    return 0.5 * (1.0 + (area - chance) / (perfect - chance))


def _area_between(x: FloatArray, y: FloatArray, low: float, high: float) -> float:
    inside = (x > low) & (x < high)
    # The right edge approaches the curve from the left: a vertical step at `high` adds no area.
    xs = np.concatenate([[low], x[inside], [high]])
    ys = np.concatenate(
        [[height_at(x, y, low, upper=True)], y[inside], [height_at(x, y, high, upper=False)]]
    )
    return float(np.trapezoid(ys, xs))


def height_at(x: FloatArray, y: FloatArray, at: float, *, upper: bool) -> float:
    """Interpolate a monotone curve; return the top or the bottom of a vertical step."""
    touching = y[np.abs(x - at) <= _TOLERANCE]
    if touching.size:
        return float(touching.max() if upper else touching.min())
    return float(np.interp(at, x, y))
