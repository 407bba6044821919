"""A smooth ROC curve through the points of an empirical one: that of two normal classes.

As pROC's ``smooth(method = "binormal")``: a straight line through the curve's points where both
axes are quantiles of the normal distribution, fitted by least squares with the specificity as the
response.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from tlpo.arrays import FloatArray
from tlpo.roc.curve import RocCurve


class BinormalCurve(NamedTuple):
    """The ROC curve ``TPR = Φ(intercept + slope · Φ⁻¹(FPR))``.

    Attributes
    ----------
    intercept, slope : float
        Of normal classes, how far their means are apart and the standard deviation of the
        negatives, both in standard deviations of the positives.

    Notes
    -----
    If the slope is not 1, the curve crosses the diagonal near one of the corners.

    Examples
    --------
    >>> curve = BinormalCurve(intercept=1.2, slope=0.9)
    >>> round(curve.auc, 3)
    0.814
    >>> curve.tpr([0, 0.1, 0.5, 1]).round(3)
    array([0.   , 0.519, 0.885, 1.   ])
    """

    intercept: float
    slope: float

    @property
    def auc(self) -> float:
        """Area under the curve, ``Φ(intercept / √(1 + slope²))``."""
        return float(ndtr(self.intercept / np.hypot(1.0, self.slope)))

    def tpr(self, fpr: FloatArray) -> FloatArray:
        """Return the true positive rates at false positive rates."""
        found: FloatArray = ndtr(self.intercept + self.slope * ndtri(np.asarray(fpr, dtype=float)))
        return found

    def points(self, n: int = 512) -> tuple[FloatArray, FloatArray]:
        """Return points to draw, ``fpr`` and ``tpr``: as pROC's, at equal steps of the latter."""
        tpr = np.linspace(0.0, 1.0, n)
        return ndtr((ndtri(tpr) - self.intercept) / self.slope), tpr


def fit_binormal(curve: RocCurve) -> BinormalCurve | None:
    """Fit a binormal curve to the points of a curve, or None if it has too few.

    Points on the edges, where a rate is 0 or 1, have no place on the scale of quantiles. Of those
    inside there must be two with different sensitivities and different specificities.

    Examples
    --------
    >>> fpr, tpr = np.array([0, 0.1, 0.3, 1]), np.array([0, 0.4, 0.8, 1])
    >>> found = fit_binormal(RocCurve(fpr, tpr, np.array([3, 2, 1, -np.inf])))
    >>> round(found.intercept, 3), round(found.slope, 3), round(found.auc, 3)
    (1.6, 1.446, 0.819)
    """
    inside = (curve.fpr > 0) & (curve.fpr < 1) & (curve.tpr > 0) & (curve.tpr < 1)
    specificity, sensitivity = ndtri(1.0 - curve.fpr[inside]), ndtri(curve.tpr[inside])
    if not inside.any() or not (np.ptp(specificity) > 0 and np.ptp(sensitivity) > 0):
        return None
    along = sensitivity - sensitivity.mean()
    falls = -float(along @ specificity) / float(along @ along)  # positive: a curve rises
    height = float(specificity.mean() + falls * sensitivity.mean())
    return BinormalCurve(height / falls, 1.0 / falls)
