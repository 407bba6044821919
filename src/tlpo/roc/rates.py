"""Intervals for sensitivity, specificity and likelihood ratios from dependent scores.

Units are ranked by models that share training data, so counts of them vary more than binomial
counts. They are treated as binomial with the variance multiplied by φ, the factor by which the
variance of the AUC exceeds that of independent scores.

**The rates of a cut-off** have Wilson's limits (`point_limits`). A cut-off that was chosen on the
same units looks better than it is, and what it is on new units varies with the choice: variances
are then multiplied by `CHOSEN`. Coverage of both rules: docs/inference.md.

**A reading of the curve**, the sensitivity at exactly a given specificity, whatever cut-off that
takes, also inherits the uncertainty of the threshold, which is set by the negatives: on the ROC
curve of two normal classes with equal variance, the slope at
(1 − s, π) is ``g = ϕ(Φ⁻¹(π)) / ϕ(Φ⁻¹(1 − s))``, and

    V(π) = π(1 − π)/m+ + g² s(1 − s)/m- .

Limits are the π on either side of the estimate with ``(estimate − π)² = quantile² φ V(π)``.

For g, the larger of the slopes at π and at the estimate is used: near a perfect curve the slope at
the limit vanishes, and with it most of the uncertainty of the threshold (coverage then fell to
0.85). Two rejected alternatives had less even coverage: a percentile bootstrap of the games, and
limits that vary the threshold and the proportion separately.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from tlpo.arrays import FloatArray

Limits = tuple[float, float]
# By how much more the rates of a cut-off vary that was chosen on the same units.
CHOSEN = 1.5


def invert_score(estimate: float, variance: Callable[[float], float], factor: float) -> Limits:
    """Return the values on either side for which ``(estimate − x)² = factor · variance(x)``.

    For proportions: limits stay within 0 … 1 and do not collapse at an estimate of 0 or 1.
    """

    def excess(x: float) -> float:
        return (estimate - x) ** 2 - factor * variance(x)

    # At 0 and 1 the variance may vanish; that root is not the one wanted.
    edge = 1e-12
    low, high = 0.0, 1.0
    inner = min(max(estimate, edge), 1 - edge)
    if excess(inner) >= 0:  # the quantile is close to zero
        return estimate, estimate
    if estimate > edge and excess(edge) > 0:
        low = float(brentq(excess, edge, inner, xtol=1e-12))
    if estimate < 1 - edge and excess(1 - edge) > 0:
        high = float(brentq(excess, inner, 1 - edge, xtol=1e-12))
    return low, high


def share_at(estimate: float, other: float, n_own: int, n_other: int, factor: float) -> Limits:
    """Limits of a sensitivity at a given specificity, or vice versa.

    Parameters
    ----------
    estimate : float
        The sensitivity read off the curve.
    other : float
        The given specificity. Thresholds beyond the last unit cannot be estimated, so it is moved
        to at least half a unit from 0 and 1.
    n_own, n_other : int
        Number of units in the class that the estimate is a proportion of, and in the other class.
    factor : float
        Squared quantile times φ.
    """
    s = min(max(other, 0.5 / n_other), 1 - 0.5 / n_other)
    threshold = s * (1 - s) / n_other / _density_squared(s)
    here = _density_squared((estimate * n_own + 0.5) / (n_own + 1))

    def variance(share: float) -> float:
        return share * (1 - share) / n_own + max(_density_squared(share), here) * threshold

    return invert_score(estimate, variance, factor)


def _density_squared(share: float) -> float:
    """Return ϕ(Φ⁻¹(share))²."""
    return math.exp(-(float(ndtri(share)) ** 2)) / (2 * math.pi)


def share_limits(share: FloatArray, n: int, factor: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's limits of proportions among n units at given thresholds."""
    shrink = 1.0 + factor / n
    centre = (share + factor / (2 * n)) / shrink
    half = np.sqrt(factor * share * (1 - share) / n + (factor / (2 * n)) ** 2) / shrink
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    # At shares of 0 and 1 rounding may leave the share itself just outside.
    return np.minimum(low, share), np.maximum(high, share)


def factor_of_limits(share: float, n: int, limit: float) -> float:
    """Return the factor that `share_limits` had, from one limit of a proportion.

    Examples
    --------
    >>> low, high = share_limits(np.array([0.7]), 20, 5.0)
    >>> [round(factor_of_limits(0.7, 20, float(limit[0])), 9) for limit in (low, high)]
    [5.0, 5.0]
    """
    return n * (share - limit) ** 2 / (limit * (1.0 - limit))


def ratio_limits(
    count: FloatArray, n: int, other_count: FloatArray, n_other: int, factor: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of a ratio of two proportions, on the log scale, with ½ added to each count.

    If the count in the denominator is zero, the upper limit is infinite; if that in the numerator
    is zero, the lower limit is 0.
    """
    above, below = count + 0.5, other_count + 0.5
    ratio = np.log(above / (n + 1.0)) - np.log(below / (n_other + 1.0))
    variance = 1 / above - 1 / (n + 1.0) + 1 / below - 1 / (n_other + 1.0)
    half = np.sqrt(factor * variance)
    low = np.where(count > 0, np.exp(ratio - half), 0.0)
    high = np.where(other_count > 0, np.exp(ratio + half), np.inf)
    return low, high


def point_limits(
    tp: FloatArray, fp: FloatArray, p: int, n: int, factor: float, prevalence: float
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Limits of all measures at operating points, from the counts above their thresholds.

    Predictive values follow from the likelihood ratios and the prevalence.
    """
    positive = ratio_limits(tp, p, fp, n, factor)
    negative = ratio_limits(p - tp, p, n - fp, n, factor)
    least, most = (1.0 - predictive_value(limit, prevalence) for limit in negative)
    return {
        "sensitivity": share_limits(tp / p, p, factor),
        "specificity": share_limits(1.0 - fp / n, n, factor),
        "lr_positive": positive,
        "lr_negative": negative,
        "ppv": (
            predictive_value(positive[0], prevalence),
            predictive_value(positive[1], prevalence),
        ),
        "npv": (most, least),
    }


def predictive_value(ratio: FloatArray, prevalence: float) -> FloatArray:
    """Convert a likelihood ratio and a prevalence to a post-test probability.

    Examples
    --------
    >>> predictive_value(np.array([0.0, 1.0, np.inf]), prevalence=0.5)
    array([0. , 0.5, 1. ])
    """
    if prevalence in (0, 1):  # certainty before the test remains certainty after it
        return np.full(ratio.shape, float(prevalence))
    odds = prevalence / (1.0 - prevalence)
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / (1.0 + 1.0 / (ratio * odds)))
