"""Calibration and net benefit of a played model, as plain values."""

from __future__ import annotations

import numpy as np

from tlpo.analysis import shapes
from tlpo.analysis.options import Options
from tlpo.arrays import FloatArray
from tlpo.results.intervals import Interval
from tlpo.results.probabilities import Probabilities, why_not_of_model
from tlpo.results.quicksort import Quicksort
from tlpo.results.tournament import Tournament
from tlpo.roc.calibration import CalibrationCurve

# Points of a calibration curve that a page holds.
MOST_POINTS = 200


def describe_probabilities(
    t: Tournament | Quicksort, options: Options
) -> tuple[shapes.Probabilities | None, str | None]:
    """Return what the held-out probabilities of a model say, or why there are none."""
    if isinstance(t, Quicksort):
        return None, "sorting keeps no predictions"
    why = why_not_of_model(t)
    if why is None and t._table is None:
        why = "held-out predictions of so many units take too much memory"
    if why is not None:
        return None, why
    return describe(t.probabilities, options.confidence_level, options.seed), None


def describe(p: Probabilities, level: float, seed: int) -> shapes.Probabilities:
    """Return all measures of probabilities, their calibration curve and net benefit."""
    curve = _thinned(p.calibration_curve(level, random_state=seed))
    benefit = p.net_benefit(confidence_level=level).to_dict("list")
    return shapes.Probabilities(
        brier=_limits(p.brier(level)),
        scaled_brier=_limits(p.scaled_brier(level)),
        slope=_limits(p.slope(level)),
        intercept=_limits(p.intercept(level)),
        observed_expected=_limits(p.observed_expected(level)),
        remarks=list(p.remarks),
        curve=shapes.CalibrationPoints(*(values.tolist() for values in curve)),
        net_benefit=shapes.NetBenefit(**{str(name): values for name, values in benefit.items()}),
    )


def _limits(measure: Interval) -> shapes.Limits:
    return shapes.Limits(measure.estimate, measure.low, measure.high)


def _thinned(curve: CalibrationCurve) -> CalibrationCurve:
    """Leave out points that no picture shows."""
    n = curve.predicted.size
    if n <= MOST_POINTS:
        return curve
    # Evenly over probabilities, not over points: rare ones matter as much.
    wanted = np.linspace(curve.predicted[0], curve.predicted[-1], MOST_POINTS)
    near: FloatArray = np.searchsorted(curve.predicted, wanted).clip(0, n - 1)
    kept = np.unique(np.concatenate([[0], near, [n - 1]]).astype(int))
    return CalibrationCurve(*(values[kept] for values in curve))
