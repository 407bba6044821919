"""Relations among the numbers of markers."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.relations.checks import TOLERANCE, Fault, Faults, between, enclosed, equal
from tlpo.analysis.relations.curves import Ranked, drawn_curve, of_band, of_curve
from tlpo.analysis.relations.points import of_point
from tlpo.analysis.relations.several import of_comparisons
from tlpo.analysis.shapes import Marker, MarkerAnalysis
from tlpo.roc.pooled import area
from tlpo.roc.precision import precisions


def of_markers(analysis: MarkerAnalysis) -> Faults:
    """Check rows, markers and their comparisons."""
    total = analysis.n_positive + analysis.n_negative
    yield from equal("n_units", analysis.n_units, total, "the sum over both classes")
    read = analysis.n_read - analysis.n_without_target
    yield from between("n_units", analysis.n_units, 2, read, "2", "the rows with an outcome")
    if analysis.prevalence in (0, 1):
        yield Fault("prevalence", analysis.prevalence, "it is strictly between 0 and 1")
    names = [marker.name for marker in analysis.markers]
    if len(set(names)) < len(names):
        yield Fault("markers", names, "every marker has a name of its own")
    for k, marker in enumerate(analysis.markers):
        yield from _of_marker(marker, analysis, f"markers[{k}]")
    if not any(marker.n_missing for marker in analysis.markers):
        aucs = {marker.name: marker.auc for marker in analysis.markers}
        yield from of_comparisons(analysis.comparisons, aucs, has_pairs=True)


def _of_marker(marker: Marker, analysis: MarkerAnalysis, where: str) -> Faults:
    p, n, level = marker.n_positive, marker.n_negative, analysis.confidence_level
    if p > analysis.n_positive or n > analysis.n_negative:
        yield Fault(f"{where}.n_positive", (p, n), "there are not so many patients")
    missing = analysis.n_units - p - n
    yield from equal(f"{where}.n_missing", marker.n_missing, missing, "whom the marker lacks")
    yield from between(f"{where}.n_values", marker.n_values, 1, p + n, "1", "all patients")
    for name in ("interval", "score_interval"):
        interval = getattr(marker, name)
        yield from enclosed(f"{where}.{name}", marker.auc, interval.low, interval.high)
        yield from equal(f"{where}.{name}.level", interval.level, level, "that of all limits")
    curve = drawn_curve(marker.curve)
    yield from of_curve(marker.curve, f"{where}.curve")
    if curve.fpr.size < marker.n_values + 2 and curve.fpr.size == marker.n_values + 1:
        yield from equal(f"{where}.auc", marker.auc, area(curve), "the area of the curve")
    yield from of_band(marker.band, marker.curve, level, f"{where}.band")
    at = marker.sensitivity_at
    share = analysis.specificity
    yield from equal(f"{where}.sensitivity_at.specificity", at.specificity, share, "that asked for")
    yield from enclosed(f"{where}.sensitivity_at", at.sensitivity, at.low, at.high)
    sizes = Ranked(np.arange(p + n) < p, np.ones(p + n, dtype=bool))
    for k, point in enumerate(marker.operating_points):
        place = f"{where}.operating_points[{k}]"
        yield from of_point(
            *(point, marker.curve, sizes, analysis.prevalence, True, place),
            upwards=marker.larger_is_positive,
        )
    average = marker.average_precision
    prevalence = p / (p + n) if analysis.prevalence is None else analysis.prevalence
    yield from equal(
        *(f"{where}.average_precision.prevalence", average.prevalence, prevalence),
        "that asked for, or of the sample",
    )
    yield from enclosed(f"{where}.average_precision", average.value, average.low, average.high)
    pairs = marker.precision_recall
    expected = precisions(curve, prevalence)
    for name, found, right in (
        ("recall", pairs.recall, curve.tpr[1:]),
        ("precision", pairs.precision, expected),
    ):
        same = len(found) == right.size and np.allclose(found, right, rtol=0, atol=TOLERANCE)
        if not same:
            yield Fault(f"{where}.precision_recall.{name}", found, "it follows from the curve")
