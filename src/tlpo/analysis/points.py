"""What any threshold of a model's curve means, at any prevalence, from the summary alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.analysis.json_values import Summary, numbers, plain
from tlpo.arrays import FloatArray
from tlpo.roc.curve import RocCurve
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.operating_points import operating_points
from tlpo.roc.rates import point_limits


def points_at(summary: Summary, model: dict[str, Any], prevalence: float) -> list[dict[str, Any]]:
    """Return every operating point of a model's curve, as `Tournament.operating_points` has them.

    Parameters
    ----------
    summary : dict
        The summary.
    model : dict
        One of its models.
    prevalence : float
        Strictly between 0 and 1; what predictive values refer to.

    Returns
    -------
    list of dict
        From few positives to all: ``criterion``, ``threshold``, ``sensitivity``,
        ``specificity``, ``ppv``, ``npv`` and the limits of these four, ``…_low`` and ``…_high``,
        for a threshold fixed beforehand. ``tp``, ``fp``, ``fn``, ``tn`` are None on the
        leave-pair-out curve, which counts no patients.
    """
    curve = RocCurve(*(numbers(model["curve"][name]) for name in RocCurve._fields))
    ranked = ~np.isnan(numbers(model["scores"]))
    is_positive = np.array(summary["is_positive"], dtype=bool)[ranked]
    p, n = int(is_positive.sum()), int((~is_positive).sum())
    interval = model["interval"]
    quantile = two_sided_quantile(interval["level"], interval["degrees_of_freedom"])
    found = operating_points(curve, p, n, prevalence)
    # On the leave-pair-out curve these counts are not whole numbers.
    tp, fp = p * curve.tpr, n * curve.fpr
    limits = point_limits(tp, fp, p, n, quantile**2 * interval["phi"], prevalence)
    counts_patients = model["curve"]["kind"] == "tournament"
    columns: dict[str, FloatArray | list[None] | list[str]] = {
        "criterion": _criteria(curve.thresholds, "wins" if counts_patients else "prediction"),
        "threshold": curve.thresholds,
    }
    for count in ("tp", "fp", "fn", "tn"):
        columns[count] = found[count] if counts_patients else [None] * curve.fpr.size
    for rate in ("sensitivity", "specificity", "ppv", "npv"):
        values = found[f"{rate}_at_prevalence" if rate in ("ppv", "npv") else rate]
        low, high = limits[rate]
        # The last threshold calls everybody positive, so nothing is estimated.
        low[-1] = high[-1] = values[-1]
        columns |= {rate: values, f"{rate}_low": low, f"{rate}_high": high}
    rows = zip(*(plain(values) for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _criteria(thresholds: FloatArray, what: str) -> list[str]:
    shown = (np.format_float_positional(t, trim="-") for t in thresholds)
    return ["always" if t == "-inf" else f"{what} > {t}" for t in shown]
