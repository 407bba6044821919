"""What each threshold of a ROC curve means for a patient."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.roc.curve import RocCurve


def write_criterion(what: str, threshold: float) -> str:
    """Write which units a threshold calls positive.

    Examples
    --------
    >>> write_criterion("wins", 12.0)
    'wins > 12'
    """
    return f"{what} > {np.format_float_positional(threshold, trim='-')}"


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
