"""Precision and recall at a given prevalence, from a ROC curve.

Where a share π of all units is positive, the precision at a threshold is
``P = π TPR / (π TPR + (1 − π) FPR)``, and the average precision is its mean over the positives,
``Σ P_k ΔTPR_k``. Both depend on π, which a study with a chosen number of patients and controls
does not show: it has to be given.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from tlpo.arrays import FloatArray
from tlpo.roc.binormal import DISTANCES, model_limits
from tlpo.roc.curve import RocCurve
from tlpo.roc.rates import Limits

# Normal scores drawn per distance to learn the bias and variance of an average precision.
MOST_DRAWS, MOST_UNITS = 60_000, 200


def precisions(curve: RocCurve, prevalence: float) -> FloatArray:
    """Return the precision at every threshold but the first, at which no unit is positive.

    Examples
    --------
    >>> curve = RocCurve(np.array([0, 0, 0.5, 1]), np.array([0, 0.5, 1, 1]), np.zeros(4))
    >>> precisions(curve, prevalence=0.5).round(3)
    array([1.   , 0.667, 0.5  ])
    """
    found = prevalence * curve.tpr[1:]
    alarms = (1.0 - prevalence) * curve.fpr[1:]
    # The prevalence, if nothing is found yet and nothing raised an alarm.
    share: FloatArray = np.full(found.shape, prevalence)
    np.divide(found, found + alarms, out=share, where=found + alarms > 0)
    return share


def average_precision(curve: RocCurve, prevalence: float) -> float:
    """Return the mean precision over the positives.

    Examples
    --------
    >>> curve = RocCurve(np.array([0, 0, 0.5, 1]), np.array([0, 0.5, 1, 1]), np.zeros(4))
    >>> round(average_precision(curve, prevalence=0.5), 3)
    0.833
    """
    return float(np.diff(curve.tpr) @ precisions(curve, prevalence))


def precision_limits(
    average: float,
    prevalence: float,
    sizes: tuple[int, int],
    phi: float,
    confidence_level: float,
    *,
    is_fixed: bool,
) -> Limits:
    """Return limits of an average precision in samples with ``sizes`` positives and negatives.

    Those of a model of two normal classes (`tlpo.roc.binormal`), with deviations from the mean
    multiplied by √φ. The bias of the estimate is known for scores that were fixed beforehand; that
    of cross-validated scores may be smaller, so theirs may also lie lower (``is_fixed=False``).
    """
    value, lowest, highest = _bounds(prevalence, sizes, phi, confidence_level, is_fixed)
    return model_limits(average, value, lowest, highest)


@lru_cache(maxsize=64)
def _bounds(
    prevalence: float, sizes: tuple[int, int], phi: float, level: float, is_fixed: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    value, drawn = precision_model(prevalence, *sizes)
    mean = drawn.mean(axis=1, keepdims=True)
    spread = np.minimum(1.0, mean + np.sqrt(phi) * (drawn - mean))
    lowest, highest = np.quantile(spread, [(1 - level) / 2, (1 + level) / 2], axis=1)
    if not is_fixed:
        lowest -= np.maximum(0.0, mean[:, 0] - value)
    return value, lowest, highest


@lru_cache(maxsize=64)
def precision_model(
    prevalence: float, n_positive: int, n_negative: int
) -> tuple[FloatArray, FloatArray]:
    """Return the average precision, and estimates of it in drawn samples, by distance.

    The estimate is biased upwards, much so in few units at a low prevalence: the first positive
    without a false alarm before it has the precision 1. Near 1 it is skewed as well. So samples of
    normal classes are drawn, the same ones at every distance, instead of a variance computed.
    """
    # Bias and variance are inversely proportional to the size of a large sample.
    smaller = min(1.0, MOST_UNITS / (n_positive + n_negative))
    n_positive, n_negative = (max(1, round(smaller * n)) for n in (n_positive, n_negative))
    size = n_positive + n_negative
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((min(1000, MOST_DRAWS // size), size))
    is_positive = np.arange(size) < n_positive
    ranks = np.arange(1, size + 1)
    thresholds = np.linspace(DISTANCES[-1] + 6.0, DISTANCES[0] - 6.0, 2000)
    values, drawn = [], []
    for distance in DISTANCES:
        true = RocCurve(ndtr(-thresholds), ndtr(distance - thresholds), thresholds)
        values.append(average_precision(true, prevalence))
        found = is_positive[np.argsort(-(noise + distance * is_positive), axis=1)]
        above = np.cumsum(found, axis=1)
        tp, fp = prevalence * above / n_positive, (1 - prevalence) * (ranks - above) / n_negative
        each = np.sum(found * tp / (tp + fp), axis=1) / n_positive
        mean = values[-1] + smaller * (each.mean() - values[-1])
        drawn.append(mean + np.sqrt(smaller) * (each - each.mean()))
    return np.array(values), np.array(drawn)
