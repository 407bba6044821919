"""What each threshold of a ROC curve means for a patient."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.roc.curve import RocCurve

# Digits that a threshold has at least, unless it is a number of wins.
_DIGITS = 3


def write_criteria(what: str, thresholds: FloatArray) -> list[str]:
    """Write which units each threshold of a curve calls positive.

    A threshold is rounded up to the fewest digits that call the same units positive.

    Parameters
    ----------
    what : str
        What is compared.
    thresholds : ndarray
        All values of it, decreasing.

    Examples
    --------
    >>> write_criteria("wins", np.array([1200.0, 1012.0, -np.inf]))
    ['wins > 1200', 'wins > 1012', 'wins > -inf']
    >>> write_criteria("prediction", np.array([1.3182, 1.3181792957645744, -0.4213879]))
    ['prediction > 1.32', 'prediction > 1.31818', 'prediction > -0.421']
    """
    above = np.concatenate([[np.inf], thresholds[:-1]])
    pairs = zip(thresholds.tolist(), above.tolist(), strict=True)
    written = [_round_up(threshold, next_one) for threshold, next_one in pairs]
    return [f"{what} > {np.format_float_positional(value, trim='-')}" for value in written]


def _round_up(threshold: float, above: float) -> float:
    """Return the shortest number that is at least a threshold, and less than what is above it."""
    if math.isinf(threshold) or (2 * threshold).is_integer():  # wins, of which ties are halves
        return threshold
    exact = Decimal(repr(threshold))
    for digits in range(_DIGITS, 17):
        found = float(Context(prec=digits, rounding=ROUND_CEILING).plus(exact))
        if threshold <= found < above:
            return found
    return threshold


def operating_points(
    curve: RocCurve, n_positive: int, n_negative: int, prevalence: float | None = None
) -> dict[str, FloatArray]:
    """Compute the usual measures at every threshold of a curve.

    Parameters
    ----------
    curve : RocCurve
        Thresholds and rates.
    n_positive, n_negative : int
        Size of each class.
    prevalence : float, optional
        Proportion of positives that PPV and NPV refer to; that of the sample by default. The
        proportion in a study is rarely that in the clinic.

    Returns
    -------
    dict of str to ndarray
        Columns in the order of a table. Undefined ratios (0/0) are NaN; a likelihood ratio
        with only a zero denominator is inf.
    """
    sensitivity, specificity = curve.tpr, 1.0 - curve.fpr
    tp, fp = np.rint(curve.tpr * n_positive), np.rint(curve.fpr * n_negative)
    fn, tn = n_positive - tp, n_negative - fp
    ill = n_positive / (n_positive + n_negative) if prevalence is None else prevalence
    well = 1.0 - ill
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "threshold": curve.thresholds,
            "sensitivity": sensitivity,
            "specificity": specificity,
            "ppv": sensitivity * ill / (sensitivity * ill + curve.fpr * well),
            "npv": specificity * well / (specificity * well + (1.0 - sensitivity) * ill),
            "lr_positive": curve.tpr / curve.fpr,
            "lr_negative": (fn / n_positive) / (tn / n_negative),
            "youden": sensitivity + specificity - 1.0,
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "tn": tn,
        }
