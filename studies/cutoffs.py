"""Measure what the limits at cut-offs hold, and those of readings where games tie.

    python -m studies.cutoffs --csv docs/cutoffs.csv
    python -m studies.pages

Cut-offs are chosen on the sample: for a specificity or a sensitivity of at least 0.9, and for the
largest sum of both. The truth is what new units would show: the rates of the model fitted to all
units at the cut-off it is given, or of the marker at that cut-off. A cut-off that was fixed
beforehand is, for a marker, the one with a true specificity of 0.8 (for grades, the fourth).

Where games tie, the sensitivity at a specificity is read between two points of the curve, and so is
the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from studies.markers import Marker
from studies.measure import Measurement, Quantities, command, holds
from studies.simulations import Simulation, TestTruth
from tlpo.games.response import fit_and_respond
from tlpo.results.points import pick_point
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import sensitivity_at, specificity_at
from tlpo.roc.rates import CHOSEN, point_limits
from tlpo.schemes.assess import assess

LEVEL = 0.95
REPETITIONS = 500
RATE = 0.9
ENDS = ((0, "low"), (1, "high"))
# rule, sensitivity, specificity, as `pick_point` takes them
POINTS: dict[str, tuple[str | None, float | None, float | None]] = {
    f"Sp ≥ {RATE:g}": (None, None, RATE),
    f"Se ≥ {RATE:g}": (None, RATE, None),
    "Youden": ("youden", None, None),
}
MODELS = [
    Simulation(*row)
    for row in (
        ("ridge", 30, 0.5, 10, 0),
        ("ridge", 30, 0.5, 10, 4),
        ("ridge", 60, 0.3, 10, 1),
        ("ridge", 60, 0.5, 10, 4),
        ("ridge", 100, 0.2, 10, 1),
        ("ridge", 100, 0.5, 10, 4),
        ("logistic", 30, 0.5, 10, 4),
        ("logistic", 60, 0.3, 10, 4),
        ("logistic", 100, 0.5, 10, 4),
        ("1-NN", 60, 0.5, 4, 2),
        ("3-NN", 30, 0.5, 4, 2),
        ("5-NN", 60, 0.5, 4, 0),
        ("5-NN", 60, 0.3, 4, 2),
        ("5-NN", 100, 0.5, 4, 4),
        ("tree of depth 2", 60, 0.5, 4, 2),
        *(("forest of 100", m, 0.5, 10, 4) for m in (30, 60, 100)),
        ("forest of 100", 60, 0.5, 10, 0),
    )
]
# units, share of positives, AUC, whether it has five grades only
MARKERS = [Marker(m, 0.5, auc, g) for m in (30, 60, 200) for auc in (0.6, 0.8) for g in (0, 1)]


def measure_model(setting: Simulation, repetition: int) -> Quantities:
    """Choose cut-offs on one sample, and look at the model of all units at them."""
    X, y = setting.draw(setting.rng(repetition))
    t = setting.play(X, y)
    points = t.operating_points(confidence_level=LEVEL)
    X_test, y_test = setting.test_set
    scores = fit_and_respond(setting.estimator, X, y, X_test)
    found: Quantities = {}
    for name, asked in POINTS.items():
        point = points.iloc[pick_point(points, *asked)]
        called = scores > point["cutoff"]
        found |= _rates(
            name, dict(point), called[y_test].mean(), 1.0 - called[~y_test].mean(), y.mean()
        )
    return found | _readings(t, TestTruth(scores, y_test, setting.fraction))


def measure_marker(setting: Marker, repetition: int) -> Quantities:
    """Choose cut-offs of a marker, and use one that was fixed beforehand."""
    y = setting.labels()
    a = assess(setting.draw(setting.rng(repetition).normal(size=y.size)), y)
    curve = a.roc_curve()
    points = pd.DataFrame({"sensitivity": curve.tpr, "specificity": 1.0 - curve.fpr})
    at = {name: curve.thresholds[pick_point(points, *asked)] for name, asked in POINTS.items()}
    at["fixed"] = 4.0 if setting.is_graded else float(ndtri(0.8))
    factor, _ = a._rate_factor(LEVEL)
    p, n = a.class_sizes
    found: Quantities = {}
    for name, cutoff in at.items():
        called = a.values >= cutoff
        tp, fp = (np.array([np.count_nonzero(called & kind)], dtype=float) for kind in (y, ~y))
        own = factor * (1.0 if name == "fixed" else CHOSEN)
        limits = point_limits(tp, fp, p, n, own, p / (p + n))
        shown = {f"{rate}_{end}": ends[k][0] for rate, ends in limits.items() for k, end in ENDS}
        edge = cutoff
        if setting.is_graded and np.isfinite(cutoff):  # the edge between two grades
            edge = np.concatenate([[-np.inf], setting.cuts, [np.inf]])[int(np.ceil(cutoff)) - 1]
        se, sp = float(ndtr(setting.distance - edge)), float(ndtr(edge))
        found |= _rates(name, shown, se, sp, y.mean())
    return found


def _rates(
    name: str, point: Mapping[Any, Any], se: float, sp: float, prevalence: float
) -> Quantities:
    """Compare the limits at a point with the true rates."""
    ill, well = prevalence, 1.0 - prevalence
    true = {"sensitivity": se, "specificity": sp}
    if se + 1.0 - sp > 0:
        true["ppv"] = se * ill / (se * ill + (1.0 - sp) * well)
    if 1.0 - se + sp > 0:
        true["npv"] = sp * well / (sp * well + (1.0 - se) * ill)
    return {
        f"{rate}, {name}": holds(point[f"{rate}_low"], point[f"{rate}_high"], true[rate])
        if rate in true
        else (np.nan, np.nan)
        for rate in ("sensitivity", "specificity", "ppv", "npv")
    }


def _readings(t: Tournament, truth: TestTruth) -> Quantities:
    """Read the curve between its points, if it has few."""
    names = ("reading, Se at Sp 0.8", "reading, Se at Sp 0.9", "reading, Sp at Se 0.9", "band")
    if not t._has_few_points:
        return dict.fromkeys(names, (np.nan, np.nan))
    curve = truth.curve
    found = [
        (
            t.sensitivity_interval(s, confidence_level=LEVEL),
            sensitivity_at(curve, s, interpolate=True),
        )
        for s in (0.8, 0.9)
    ]
    true = specificity_at(curve, 0.9, interpolate=True)
    found.append((t.specificity_interval(0.9, confidence_level=LEVEL), true))
    band = t.roc_band(LEVEL)
    tpr = np.interp(band.fpr[1:-1], curve.fpr, curve.tpr)
    inside = (band.low[1:-1] <= tpr) & (tpr <= band.high[1:-1])
    return {
        **{
            name: holds(interval.low, interval.high, true)
            for name, (interval, true) in zip(names, found, strict=False)
        },
        "band": (float(inside.mean()), float(np.mean(band.high - band.low))),
    }


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    found = [
        Measurement(f"marker {m.name}", partial(measure_marker, m), min(repetitions, REPETITIONS))
        for m in MARKERS
    ]
    for setting in MODELS:
        most = min(repetitions, REPETITIONS)
        found.append(Measurement(f"model {setting.name}", partial(measure_model, setting), most))
    return found


def main() -> None:
    """Measure, and write the table."""
    command("cutoffs", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    main()
