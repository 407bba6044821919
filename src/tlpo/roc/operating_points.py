"""What each threshold of a ROC curve means for a patient."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.roc.curve import RocCurve


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
        Proportion of positives where the test will be used. PPV and NPV depend on it, and the
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
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = {
            "threshold": curve.thresholds,
            "sensitivity": sensitivity,
            "specificity": specificity,
            "ppv": tp / (tp + fp),
            "npv": tn / (tn + fn),
            "lr_positive": curve.tpr / curve.fpr,
            "lr_negative": (fn / n_positive) / (tn / n_negative),
            "youden": sensitivity + specificity - 1.0,
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "tn": tn,
        }
        if prevalence is not None:
            ill, well = prevalence, 1.0 - prevalence
            columns["ppv_at_prevalence"] = (
                sensitivity * ill / (sensitivity * ill + curve.fpr * well)
            )
            columns["npv_at_prevalence"] = (
                specificity * well / (specificity * well + (1.0 - sensitivity) * ill)
            )
    return columns
