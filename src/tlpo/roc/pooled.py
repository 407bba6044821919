"""The ROC curve of pooled held-out predictions, anchored to a given area.

Every opposite-class game predicts one positive and one negative by a model that was trained on
neither. Pooled over all games, the predictions of positives and negatives have a ROC curve whose
models all lack one unit of each class, so that class balance favours neither. Models differ in
level, though, and comparing predictions of different models pulls the area towards ½. The
leave-pair-out AUC compares within models only and has no such bias, so the curve is shifted on the
probit scale until its area is that AUC:

    TPR' = Φ(Φ⁻¹(TPR) + δ/2),   FPR' = Φ(Φ⁻¹(FPR) − δ/2) .

Shifting both rates treats the classes alike: exchanging them mirrors the curve.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from tlpo.arrays import BoolArray, FloatArray
from tlpo.roc.curve import RocCurve, roc_curve

# Beyond this shift a curve is flat or perfect.
FARTHEST = 12.0


def pooled_curve(F: FloatArray, is_positive: BoolArray) -> RocCurve:
    """Return the ROC curve of the predictions of all opposite-class games.

    Parameters
    ----------
    F : ndarray of shape (m, m)
        Held-out predictions, ``F[i, j] = f_{-{i,j}}(i)``; NaN for games that were not finished.
    is_positive : ndarray of shape (m,)
        Class of every unit.

    Examples
    --------
    >>> F = np.array([[np.nan, 0.2, 0.1], [0.6, np.nan, np.nan], [0.3, np.nan, np.nan]])
    >>> curve = pooled_curve(F, np.array([False, True, True]))
    >>> curve.tpr, curve.fpr
    (array([0. , 0.5, 1. , 1. , 1. ]), array([0. , 0. , 0. , 0.5, 1. ]))
    """
    positive = F[np.ix_(is_positive, ~is_positive)].ravel()
    negative = F.T[np.ix_(is_positive, ~is_positive)].ravel()
    played = ~(np.isnan(positive) | np.isnan(negative))
    values = np.concatenate([positive[played], negative[played]])
    return roc_curve(values, np.arange(values.size) < played.sum())


def anchor(curve: RocCurve, auc: float) -> RocCurve:
    """Shift a curve until its area is a given AUC.

    Where no shift reaches it (a curve without any point between its ends, an AUC of 0 or 1), the
    curve is shifted as far as it goes.

    Examples
    --------
    >>> curve = RocCurve(np.array([0, 0.3, 1]), np.array([0, 0.5, 1]), np.array([1, 0, -np.inf]))
    >>> round(area(curve), 3), round(area(anchor(curve, 0.7)), 3)
    (0.6, 0.7)
    """
    if abs(area(curve) - auc) < 1e-12:
        return curve
    low, high = -FARTHEST, FARTHEST
    if area(_shift(curve, low)) >= auc:
        return _shift(curve, low)
    if area(_shift(curve, high)) <= auc:
        return _shift(curve, high)
    return _shift(curve, brentq(lambda delta: area(_shift(curve, delta)) - auc, low, high))


def area(curve: RocCurve) -> float:
    """Area under the lines between the points of a curve."""
    return float(np.trapezoid(curve.tpr, curve.fpr))


def _shift(curve: RocCurve, delta: float) -> RocCurve:
    # Rates of exactly 0 and 1 would not move, so they count as a little more and less: points on
    # an edge of the square can leave it again. The two ends of the curve stay.
    inner = slice(1, -1)
    fpr, tpr = curve.fpr.copy(), curve.tpr.copy()
    edge = 1e-4
    tpr[inner] = ndtr(ndtri(np.clip(tpr[inner], edge, 1 - edge)) + delta / 2)
    fpr[inner] = ndtr(ndtri(np.clip(fpr[inner], edge, 1 - edge)) - delta / 2)
    return RocCurve(fpr, tpr, curve.thresholds)
