"""What any threshold of a model's curve means, at any prevalence, from the analysis alone."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.shapes import Model, ModelAnalysis, Point
from tlpo.arrays import FloatArray
from tlpo.roc.curve import RocCurve
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.operating_points import operating_points
from tlpo.roc.rates import point_limits


def points_at(analysis: ModelAnalysis, model: Model, prevalence: float) -> list[Point]:
    """Return every operating point of a model's curve, as `Tournament.operating_points` has them.

    Parameters
    ----------
    analysis : ModelAnalysis
        The analysis.
    model : Model
        One of its models; one with an interval.
    prevalence : float
        Strictly between 0 and 1; what predictive values refer to.

    Returns
    -------
    list of Point
        From few positives to all, with limits for a threshold fixed beforehand.
    """
    curve = RocCurve(*(numbers(getattr(model.curve, name)) for name in RocCurve._fields))
    ranked = ~np.isnan(numbers(model.scores))
    is_positive = np.array(analysis.is_positive, dtype=bool)[ranked]
    p, n = int(is_positive.sum()), int((~is_positive).sum())
    interval = model.interval
    assert interval is not None
    assert interval.phi is not None
    factor = two_sided_quantile(interval.level, interval.degrees_of_freedom) ** 2 * interval.phi
    columns = operating_points(curve, p, n, prevalence)
    # On the leave-pair-out curve these counts are not whole numbers.
    limits = point_limits(p * curve.tpr, n * curve.fpr, p, n, factor, prevalence)
    for name, (low, high) in limits.items():
        # The last threshold calls everybody positive, so nothing is estimated.
        low[-1] = high[-1] = columns[name][-1]
        columns |= {f"{name}_low": low, f"{name}_high": high}
    counts_patients = model.curve.kind == "tournament"
    criteria = _criteria(curve.thresholds, "wins" if counts_patients else "prediction")
    del columns["youden"], columns["threshold"]
    if not counts_patients:
        columns |= dict.fromkeys(("tp", "fp", "fn", "tn"), np.full(curve.fpr.size, np.nan))
    cutoffs = model.curve.cutoffs or [None] * curve.fpr.size
    return [
        Point(
            point="",
            criterion=criterion,
            threshold=float(curve.thresholds[k]),
            cutoff=cutoffs[k],
            **{name: _known(values[k]) for name, values in columns.items()},  # type: ignore[arg-type]
        )
        for k, criterion in enumerate(criteria)
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _criteria(thresholds: FloatArray, what: str) -> list[str]:
    shown = (np.format_float_positional(t, trim="-") for t in thresholds)
    return ["always" if t == "-inf" else f"{what} > {t}" for t in shown]
