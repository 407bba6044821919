"""Calibration and net benefit of a played model, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.analysis.options import Options
from tlpo.arrays import FloatArray
from tlpo.results.probabilities import Probabilities, ProbabilityMeasure, why_not_of_model
from tlpo.results.quicksort import Quicksort
from tlpo.results.tournament import Tournament
from tlpo.roc.calibration import CalibrationCurve

# Points of a calibration curve that a page holds.
MOST_POINTS = 200
# Key, name and meaning of every measure.
MEASURES = (
    ("brier", "Brier score", "mean squared distance from the outcomes; lower is better"),
    ("scaled_brier", "Scaled Brier score", "0 for always predicting the prevalence, 1 if perfect"),
    ("slope", "Calibration slope", "1 if perfect, less if probabilities are too extreme"),
    ("intercept", "Calibration in the large", "0 if perfect, above if risks are underestimated"),
    ("observed_expected", "Observed / expected", "1 if perfect, above if too few are predicted"),
)


def describe_probabilities(t: Tournament | Quicksort, options: Options) -> dict[str, Any]:
    """Return what the held-out probabilities of a model say, or why there are none."""
    if isinstance(t, Quicksort):
        return {"probabilities": None, "why_no_probabilities": "sorting keeps no predictions"}
    why = why_not_of_model(t)
    if why is None and t.table is None:
        why = "held-out predictions of so many units take too much memory"
    found = None
    if why is None:
        found = describe(t.probabilities, options.confidence_level, options.seed)
    return {"probabilities": found, "why_no_probabilities": why}


def describe(p: Probabilities, level: float, seed: int) -> dict[str, Any]:
    """Return all measures of probabilities, their calibration curve and net benefit."""
    measures = {
        "brier": p.brier(level),
        "scaled_brier": p.scaled_brier(level),
        "slope": p.slope(level),
        "intercept": p.intercept(level),
        "observed_expected": p.observed_expected(level),
    }
    curve = _thinned(p.calibration_curve(level, random_state=seed))
    return {
        **{name: _plain(measure) for name, measure in measures.items()},
        "remarks": p.remarks,
        "curve": curve._asdict(),
        "net_benefit": p.net_benefit(confidence_level=level).to_dict("list"),
    }


def _plain(measure: ProbabilityMeasure) -> dict[str, float]:
    return {"estimate": measure.estimate, "low": measure.low, "high": measure.high}


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
