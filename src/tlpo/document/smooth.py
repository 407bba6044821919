"""What documents say about smooth ROC curves."""

from __future__ import annotations

from collections.abc import Sequence

from tlpo.analysis.shapes import Curve
from tlpo.document.numbers import digits

HEAD = "Smoothed area"
TERM = (
    HEAD,
    "under a binormal curve: a straight line through the points of the ROC curve, where both axes "
    "are normal quantiles. Not the AUC to report.",
)
METHODS = (
    " Smoothed ROC curves are binormal: least squares of the normal quantile of specificity on "
    "that of sensitivity over the points of the empirical curve."
)
# A curve that was to be smoothed, and could not be.
_TOO_FEW = "too few points"


def smooth_cells(curves: Sequence[Curve], is_asked: bool) -> list[str]:
    """Return the areas of smooth curves, or nothing if none was asked for."""
    if not is_asked:
        return [""] * len(curves)
    return [_TOO_FEW if c.smooth is None else digits(c.smooth.area) for c in curves]


def say_smooth(curves: Sequence[Curve]) -> str:
    """Say in the caption of a figure what its smooth curves are."""
    if all(curve.smooth is None for curve in curves):
        return ""
    return " Thin lines are smoothed (binormal) curves; bands and dots belong to the others."
