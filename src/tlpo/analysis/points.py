"""What any threshold of a model's curve means, at any prevalence, from the analysis alone."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.shapes import Model, ModelAnalysis, Point
from tlpo.roc.curve import RocCurve
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.operating_points import operating_points, write_criteria
from tlpo.roc.rates import CHOSEN, factor_of_limits, point_limits


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
        From few positives to all, with the limits of a cut-off chosen on these units.
    """
    curve = RocCurve(*(numbers(getattr(model.curve, name)) for name in RocCurve._fields))
    ranked = ~np.isnan(numbers(model.scores))
    is_positive = np.array(analysis.is_positive, dtype=bool)[ranked]
    p, n = int(is_positive.sum()), int((~is_positive).sum())
    factor = _factor(model, p, n)
    columns = operating_points(curve, p, n, prevalence)
    # On the leave-pair-out curve these counts are not whole numbers.
    limits = point_limits(p * curve.tpr, n * curve.fpr, p, n, factor, prevalence)
    for name, (low, high) in limits.items():
        # The last threshold calls everybody positive, so nothing is estimated.
        low[-1] = high[-1] = columns[name][-1]
        columns |= {f"{name}_low": low, f"{name}_high": high}
    counts_patients = model.curve.kind == "tournament"
    criteria = write_criteria("wins" if counts_patients else "prediction", curve.thresholds)
    criteria[-1] = "always"
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


def _factor(model: Model, p: int, n: int) -> float:
    """Return what the binomial variances of the model's own operating points are multiplied by."""
    for point in model.operating_points:
        for n_own, share, limit in (
            (p, point.sensitivity, point.sensitivity_low),
            (n, point.specificity, point.specificity_low),
        ):
            if share is not None and limit is not None and 0 < limit < share:
                return factor_of_limits(share, n_own, limit)
    # No point of this curve calls some units positive and some negative.
    interval = model.interval
    assert interval is not None
    assert interval.phi is not None
    quantile = two_sided_quantile(interval.level, interval.degrees_of_freedom)
    return quantile**2 * interval.phi * CHOSEN


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
