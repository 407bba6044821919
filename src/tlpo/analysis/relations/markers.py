"""Relations among the numbers of markers."""

from __future__ import annotations

import math

import numpy as np

from tlpo.analysis.json_values import drawn_curve, number
from tlpo.analysis.measures import MOST_POINTS
from tlpo.analysis.relations.checks import TOLERANCE, Fault, Faults, between, enclosed, equal
from tlpo.analysis.relations.curves import Ranked, of_band, of_curve, of_smooth
from tlpo.analysis.relations.points import of_point, of_reading
from tlpo.analysis.relations.sample import of_suspects
from tlpo.analysis.relations.several import of_comparisons
from tlpo.analysis.shapes import Marker, MarkerAnalysis, Point
from tlpo.roc.intervals import two_sided_quantile, wald_interval
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
    yield from of_suspects(analysis.suspects, analysis.n_read, "suspects")
    names = [marker.name for marker in analysis.markers]
    if len(set(names)) < len(names):
        yield Fault("markers", names, "every marker has a name of its own")
    for k, marker in enumerate(analysis.markers):
        yield from _of_marker(marker, analysis, f"markers[{k}]")
    has_gaps = any(marker.n_missing for marker in analysis.markers)
    aucs = {marker.name: None if has_gaps else marker.auc for marker in analysis.markers}
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
        if interval.phi is not None and interval.phi < 1.0 - TOLERANCE:
            rule = "it is at least 1: variances are inflated by it"
            yield Fault(f"{where}.{name}.phi", interval.phi, rule)
        if interval.degrees_of_freedom is not None:
            yield from between(
                f"{where}.{name}.degrees_of_freedom",
                *(interval.degrees_of_freedom, 0, p + n, "0", "the number of patients"),
            )
    yield from _of_standard_error(marker, f"{where}.interval")
    curve = drawn_curve(marker.curve)
    yield from of_curve(marker.curve, f"{where}.curve")
    yield from of_smooth(marker.curve, analysis.smooth, f"{where}.curve")
    if curve.fpr.size < MOST_POINTS:
        values = curve.fpr.size - 1
        yield from equal(f"{where}.n_values", marker.n_values, values, "as the curve has")
        yield from equal(f"{where}.auc", marker.auc, area(curve), "the area of the curve")
    yield from of_band(marker.band, marker.curve, level, f"{where}.band")
    at = marker.sensitivity_at
    share = analysis.specificity
    yield from equal(f"{where}.sensitivity_at.specificity", at.specificity, share, "that asked for")
    own = next(
        (p for p in marker.operating_points if p.point == f"specificity at least {share:g}"), None
    )
    if own is None:
        rule = f"one is that of a specificity of at least {share:g}"
        yield Fault(f"{where}.operating_points", [p.point for p in marker.operating_points], rule)
    else:
        yield from of_reading(at, own, f"{where}.sensitivity_at")
    sizes = Ranked(np.arange(p + n) < p, np.ones(p + n, dtype=bool))
    for k, point in enumerate(marker.operating_points):
        place = f"{where}.operating_points[{k}]"
        yield from of_point(
            *(point, marker.curve, sizes, analysis.prevalence, True, place),
            upwards=marker.larger_is_positive,
        )
        yield from _of_criterion(point, marker, place)
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


def _of_standard_error(marker: Marker, where: str) -> Faults:
    """Compare DeLong's interval with the standard error that it follows from."""
    interval, error = marker.interval, marker.standard_error
    if interval.method != "delong":
        return
    if error is None:
        yield Fault(f"{where}.method", interval.method, "there is no standard error")
        return
    quantile = two_sided_quantile(interval.level, interval.degrees_of_freedom)
    ends = wald_interval(marker.auc, min(error, 1.0) ** 2, quantile)
    for name, right in zip(("low", "high"), ends, strict=True):
        found = getattr(interval, name)
        yield from equal(f"{where}.{name}", found, right, "by 'standard_error'")


def _of_criterion(point: Point, marker: Marker, where: str) -> Faults:
    """Check that a point says what its threshold is: a value of the marker itself."""
    if point.cutoff is not None:
        yield Fault(f"{where}.cutoff", point.cutoff, "the threshold of a marker is its cut-off")
    threshold = number(point.threshold)
    if math.isinf(threshold):
        right = "always" if (threshold < 0) == marker.larger_is_positive else "never"
        says = point.criterion == right
    else:
        sign = "≥" if marker.larger_is_positive else "≤"
        name, _, value = point.criterion.rpartition(f" {sign} ")
        says = name == marker.name and _is_number(value, threshold)
    if not says:
        yield Fault(f"{where}.criterion", point.criterion, "it says the threshold")


def _is_number(text: str, value: float) -> bool:
    try:
        return math.isclose(float(text), value, rel_tol=1e-9)
    except ValueError:
        return False
