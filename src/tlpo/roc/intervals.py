"""Intervals for an AUC from its variance: plain numbers in, two limits out.

Symbols: ``p``, ``n`` numbers of positives and negatives; θ a true AUC; φ the factor by which the
variance exceeds that of independent scores.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from tlpo.arrays import FloatArray
from tlpo.roc.placements import Parts
from tlpo.roc.rates import Limits, invert_score

# With at most this many units in a class, Student's quantile is used.
FEW = 10
# The φ assumed where it cannot be estimated.
INFLATION = 2.0


def score_variance(theta: float, p: int, n: int) -> float:
    """Variance of an AUC whose true value is θ: Newcombe (2006), method 5.

    Hanley and McNeil's exponential model, with both class sizes replaced by their mean.
    """
    other = (p + n) / 2 - 1
    spread = 1 + other * (1 - theta) / (2 - theta) + other * theta / (1 + theta)
    return float(theta * (1 - theta) * spread / (p * n))


def hanley_mcneil_variance(auc: float, p: int, n: int) -> float:
    """Variance of an AUC by the exponential model of Hanley and McNeil (1982)."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    return (auc * (1 - auc) + (p - 1) * (q1 - auc**2) + (n - 1) * (q2 - auc**2)) / (p * n)


def score_interval(auc: float, p: int, n: int, phi: float, quantile: float) -> Limits:
    """Return the θ on either side for which ``(A − θ)² = quantile² φ V_N(θ)``.

    The limits stay within 0 … 1 and do not collapse to a point at an AUC of 0 or 1.

    Examples
    --------
    >>> low, high = score_interval(1.0, 10, 10, 1.0, 1.96)
    >>> round(low, 3), high
    (0.8, 1.0)
    """
    return invert_score(auc, lambda theta: score_variance(theta, p, n), quantile**2 * phi)


def inflation(auc: float, placement: float, jackknife: float, p: int, n: int) -> float:
    """Return φ: the geometric mean of the two variances divided by that of independent scores."""
    if not 0 < auc < 1:
        return 1.0
    return max(1.0, float(np.sqrt(placement * jackknife)) / score_variance(auc, p, n))


def refit_inflation(mean: float, variance: float, p: int, n: int) -> float:
    """Return φ from the mean and the variance of the AUCs of resamples.

    The variance is compared with that of independent scores at the mean of the resamples, which is
    below the AUC of the sample. At the AUC itself intervals were up to 50 % wider than needed.
    """
    return max(1.0, variance / score_variance(mean, p, n)) if 0 < mean < 1 else 1.0


def wald_interval(auc: float, variance: float, quantile: float) -> Limits:
    """Return ``A ± quantile · SD``, clipped to 0 … 1."""
    half = quantile * np.sqrt(variance)
    return float(max(0.0, auc - half)), float(min(1.0, auc + half))


def logit_interval(auc: float, variance: float, quantile: float) -> Limits:
    """Wald interval on the log-odds scale; a single point at an AUC of 0 or 1."""
    if not 0 < auc < 1:
        return auc, auc
    centre = np.log(auc / (1 - auc))
    half = quantile * np.sqrt(variance) / (auc * (1 - auc))
    low, high = 1 / (1 + np.exp(-(centre - half))), 1 / (1 + np.exp(-(centre + half)))
    return float(low), float(high)


def bootstrap_interval(
    U: FloatArray, confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> Limits:
    """Percentile bootstrap: resample the units of each class, keep the games played."""
    p, n = U.shape
    rows = rng.multinomial(p, np.full(p, 1 / p), size=n_resamples).astype(float)
    columns = rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).astype(float)
    played = ~np.isnan(U)
    wins = np.einsum("bi,bi->b", rows @ np.where(played, U, 0.0), columns)
    games = wins * 0 + p * n if played.all() else np.einsum("bi,bi->b", rows @ played, columns)
    aucs = wins[games > 0] / games[games > 0]
    low, high = np.quantile(aucs, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    return float(low), float(high)


def degrees_of_freedom(parts: Parts, p: float, n: float, n_groups: float | None = None) -> float:
    """Return Satterthwaite's degrees of freedom for a sum of two variances, at least one.

    Without any spread, the smallest possible value. Groups with units of both classes add a
    covariance, which may make the sum smaller or larger than its parts; but all ``n_groups`` carry
    no less than the smaller class does, and no more than their number.
    """
    smallest = max(1.0, min(p, n) - 1.0)
    if parts.total <= 0:
        return smallest
    each = sum(
        part**2 / (size - 1)
        for part, size in ((parts.positive, p), (parts.negative, n))
        if size > 1 and part > 0
    )
    most = np.inf if n_groups is None else max(smallest, n_groups - 1.0)
    return float(np.clip(parts.total**2 / each, smallest, most))


def two_sided_quantile(confidence_level: float, df: float | None = None) -> float:
    """Return the normal quantile, or Student's if ``df`` is given."""
    return _quantile(float((1 + confidence_level) / 2), None if df is None else float(df))


# Planning a sample asks hundreds of times for the same few.
@lru_cache(maxsize=1024)
def _quantile(tail: float, df: float | None) -> float:
    return float(norm.ppf(tail) if df is None else student.ppf(tail, df))
