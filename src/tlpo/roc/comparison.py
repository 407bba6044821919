"""Two AUCs of the same units: how far apart they are, and whether that could be chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from tlpo.arrays import FloatArray
from tlpo.roc.intervals import degrees_of_freedom, two_sided_quantile
from tlpo.roc.placements import Placements
from tlpo.roc.rates import Limits


class ZTest(NamedTuple):
    """A difference over its standard error, and the two-sided p-value."""

    z: float
    p_value: float


def paired_delong(first: Placements, second: Placements, difference: float) -> ZTest:
    """Test two AUCs by the placements of their scores: DeLong et al. (1988).

    Right for scores that no model learned from these units.
    """
    variance = (first - second).variance.total
    if variance <= 0:
        return ZTest(*((0.0, 1.0) if difference == 0 else (np.inf * np.sign(difference), 0.0)))
    z = difference / np.sqrt(variance)
    return ZTest(float(z), float(2 * norm.sf(abs(z))))


def t_interval(
    difference: float, variance: float, placements: Placements, confidence_level: float
) -> tuple[Limits, float, float]:
    """Return limits, p-value and degrees of freedom of a difference with a given variance."""
    p, n = placements.positive.size, placements.negative.size
    df = degrees_of_freedom(placements.variance, p, n)
    error = float(np.sqrt(variance))
    half = two_sided_quantile(confidence_level, df) * error
    return _within(difference - half, difference + half), _p_value(difference, error, df), df


def separate_interval(
    first: float, second: float, limits: tuple[Limits, Limits], confidence_level: float
) -> tuple[Limits, float]:
    """Return limits and p-value from an interval for each AUC (Newcombe's square-and-add).

    For differences that show no spread at all, such as a perfect against a constant learner.
    """
    (low1, high1), (low2, high2) = limits
    below = np.hypot(first - low1, high2 - second)
    above = np.hypot(high1 - first, second - low2)
    difference = first - second
    towards_zero = below if difference > 0 else above
    error = float(towards_zero) / two_sided_quantile(confidence_level)
    return _within(difference - below, difference + above), _p_value(difference, error, np.inf)


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p-values for the number of tests: Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, 0.03]))
    array([0.06, 0.03, 0.06])
    """
    order = np.argsort(p_values)
    left = p_values.size - np.arange(p_values.size)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(left * p_values[order]))
    return adjusted


def _p_value(difference: float, error: float, df: float) -> float:
    if difference == 0:
        return 1.0
    return float(2 * student.sf(abs(difference) / error, df)) if error > 0 else 0.0


def _within(low: float, high: float) -> Limits:
    return float(max(-1.0, low)), float(min(1.0, high))
