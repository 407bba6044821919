"""Relations among the games, scores, AUCs and curves of a model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tlpo.analysis.json_values import drawn_curve, drawn_smooth, numbers
from tlpo.analysis.measures import MOST_POINTS
from tlpo.analysis.packed_games import unpack_games
from tlpo.analysis.relations.checks import TOLERANCE, Fault, Faults, between, enclosed, equal
from tlpo.analysis.shapes import Band, Curve, Model, ModelAnalysis
from tlpo.arrays import BoolArray, FloatArray
from tlpo.games.standings import circular_triads, max_circular_triads
from tlpo.roc.curve import RocCurve, roc_curve, sensitivity_at, wmw_auc
from tlpo.roc.smooth import fit_binormal

SCHEMES = "as among 'schemes'"
# What is larger for positives, by the kind of a curve.
WHAT_WINS = {
    "tournament": "wins",
    "leave-pair-out": "prediction",
    "quicksort": "mean place",
    "marker": "value",
}


class Ranked(NamedTuple):
    """Whom a model has ranked."""

    is_positive: BoolArray
    ranked: BoolArray

    @property
    def p(self) -> int:
        """Positive patients."""
        return int((self.is_positive & self.ranked).sum())

    @property
    def n(self) -> int:
        """Negative patients."""
        return int((~self.is_positive & self.ranked).sum())


def of_games(model: Model, analysis: ModelAnalysis, scores: FloatArray, where: str) -> Faults:
    """Check scores, ties and triads against the games."""
    m, lines, n_games = analysis.n_units, model.games, model.n_games
    pairs = m * (m - 1) // 2
    yield from between(f"{where}.n_games", n_games, 1, pairs, "1", "the number of pairs")
    if analysis.sorts is not None:
        for name in ("n_ties", "circular_triads", "consistency", "games", "interval", "band"):
            if getattr(model, name) is not None:
                yield Fault(f"{where}.{name}", getattr(model, name), "sorts have none")
        return
    for name in ("n_ties", "interval", "band"):
        if getattr(model, name) is None:
            yield Fault(f"{where}.{name}", None, "every tournament has it")
    yield from between(f"{where}.n_ties", model.n_ties, 0, n_games, "0", "'n_games'")
    ranked = scores[~np.isnan(scores)]
    if ranked.max() > m - 1 + TOLERANCE:
        yield Fault(f"{where}.scores", float(ranked.max()), f"nobody has more than {m - 1} wins")
    complete = n_games == pairs
    if complete and ranked.size < m:
        yield Fault(f"{where}.scores", None, "every patient has one if all pairs have played")
    if complete and not abs(ranked.sum() - pairs) <= 1e-6 * pairs:
        yield Fault(f"{where}.scores", float(ranked.sum()), f"they add up to {pairs} games")
    triads = circular_triads(scores) if complete else None
    yield from equal(*(f"{where}.circular_triads", model.circular_triads, triads, "by the scores"))
    xi = None if triads is None else 1.0 - triads / max_circular_triads(m)
    yield from equal(f"{where}.consistency", model.consistency, xi, "by the circular triads")
    if lines is None:
        return
    if [*map(len, lines)] != [*range(m)][::-1]:
        yield Fault(f"{where}.games", len(lines), "line k has the games against all later patients")
    text = "".join(lines)
    played = len(text) - text.count(".")
    yield from equal(f"{where}.n_games", n_games, played, "as 'games' counts")
    yield from equal(f"{where}.n_ties", model.n_ties, text.count("="), "as 'games' counts")
    wins = unpack_games(lines)
    met = (~np.isnan(wins)).sum(axis=1)
    share = np.divide(np.nansum(wins, axis=1), met, out=np.full(m, np.nan), where=met > 0)
    expected = share * (m - 1)
    for k in np.flatnonzero(~np.isclose(scores, expected, rtol=0, atol=1e-6, equal_nan=True)):
        yield Fault(f"{where}.scores[{k}]", model.scores[k], "it is what 'games' say")
    is_positive = np.array(analysis.is_positive, dtype=bool)
    opposite = wins[np.ix_(is_positive, ~is_positive)]
    if not np.isnan(opposite).all():
        auc = float(np.nanmean(opposite))
        yield from equal(f"{where}.auc.lpo", model.auc.lpo, auc, "as 'games' say")


def of_aucs(
    model: Model, analysis: ModelAnalysis, scores: FloatArray, sizes: Ranked, where: str
) -> Faults:
    """Check the AUCs of a model against its scores, its interval and each other."""
    aucs, headline, interval = model.auc, model.headline, model.interval
    rows = {row.scheme: row.auc for row in model.schemes}
    if interval is None:
        yield from equal(f"{where}.headline.auc", headline.auc, rows.get("quicksort"), SCHEMES)
        ends: tuple[Any, Any] = (None, None)
    else:
        area = wmw_auc(scores[sizes.ranked], sizes.is_positive[sizes.ranked])
        yield from equal(f"{where}.auc.tlpo", aucs.tlpo, area, "the area of the scores' curve")
        yield from equal(f"{where}.headline.auc", headline.auc, aucs.lpo, "'auc.lpo'")
        ends = (interval.low, interval.high)
        yield from enclosed(f"{where}.interval", headline.auc, *ends)
        level = analysis.confidence_level
        yield from equal(f"{where}.interval.level", interval.level, level, "that of all limits")
        if interval.phi is None or interval.phi < 1.0 - TOLERANCE:
            yield Fault(
                f"{where}.interval.phi",
                interval.phi,
                "it is at least 1: variances are inflated by it",
            )
        most = analysis.n_units
        if interval.degrees_of_freedom is not None:
            yield from between(
                f"{where}.interval.degrees_of_freedom",
                *(interval.degrees_of_freedom, 0, most, "0", "the number of patients"),
            )
    for name, end in zip(("low", "high"), ends, strict=True):
        yield from equal(
            f"{where}.headline.{name}", getattr(headline, name), end, "the AUC's interval"
        )
    for name in ("lpo", "tlpo", "loo"):
        if name in rows:
            yield from equal(f"{where}.auc.{name}", getattr(aucs, name), rows[name], SCHEMES)


def of_curve(curve: Curve, where: str) -> Faults:
    """Check that a curve rises from corner to corner while its threshold falls."""
    drawn = drawn_curve(curve)
    if curve.kind not in WHAT_WINS:
        yield Fault(f"{where}.kind", curve.kind, f"it is one of {', '.join(WHAT_WINS)}")
    if len({values.size for values in drawn}) != 1:
        yield Fault(where, drawn.fpr.size, "its lists have one length")
    for name in ("fpr", "tpr"):
        values = getattr(drawn, name)
        if values[0] != 0 or values[-1] != 1 or (np.diff(values) < 0).any():
            yield Fault(f"{where}.{name}", getattr(curve, name), "it rises from 0 to 1")
    # Not by differences: the last is infinite. Whole numbers of a marker may be equal as doubles.
    is_marker = curve.kind == "marker"
    above, below = drawn.thresholds[:-1], drawn.thresholds[1:]
    rises = below > above if is_marker else below >= above
    if np.isnan(drawn.thresholds).any() or rises.any() or drawn.thresholds[-1] != -np.inf:
        yield Fault(f"{where}.thresholds", curve.thresholds, "they fall to -Infinity")
    if np.isposinf(drawn.thresholds[0]) != is_marker:
        rule = "it is above all values" if is_marker else "it is the largest score"
        yield Fault(f"{where}.thresholds[0]", curve.thresholds[0], rule)


def of_smooth(curve: Curve, is_asked: bool, where: str) -> Faults:
    """Check that a curve is smoothed if that was asked for, and how."""
    where, smooth, drawn = f"{where}.smooth", curve.smooth, drawn_curve(curve)
    if smooth is None or not is_asked:
        fits = is_asked and drawn.fpr.size < MOST_POINTS and fit_binormal(drawn) is not None
        if smooth is not None or fits:
            yield Fault(where, smooth, f"'smooth' is {str(is_asked).lower()} above")
        return
    yield from equal(f"{where}.area", smooth.area, drawn_smooth(smooth).auc, "by its line")
    if drawn.fpr.size < MOST_POINTS:
        expected = fit_binormal(drawn)
        for name in ("intercept", "slope"):
            right = None if expected is None else getattr(expected, name)
            yield from equal(f"{where}.{name}", getattr(smooth, name), right, "by the curve")


def of_scores(curve: Curve, scores: FloatArray, sizes: Ranked, where: str) -> Faults:
    """Check that a curve is that of the scores, unless points were left out."""
    if curve.kind == "leave-pair-out":
        return
    drawn = drawn_curve(curve)
    expected = roc_curve(scores[sizes.ranked], sizes.is_positive[sizes.ranked])
    if expected.fpr.size > MOST_POINTS:
        return
    for name in RocCurve._fields:
        found, right = getattr(drawn, name), getattr(expected, name)
        if found.size != right.size or not np.allclose(found, right, rtol=0, atol=1e-6):
            yield Fault(f"{where}.{name}", getattr(curve, name), "it is that of the scores")


def of_band(band: Band, curve: Curve, level: float, where: str) -> Faults:
    """Check that limits of a curve rise and enclose it."""
    fpr, low, high = (numbers(getattr(band, name)) for name in ("fpr", "low", "high"))
    if not fpr.size == low.size == high.size:
        yield Fault(where, fpr.size, "its lists have one length")
    if fpr[0] != 0 or fpr[-1] != 1 or (np.diff(fpr) <= 0).any():
        yield Fault(f"{where}.fpr", band.fpr, "it rises from 0 to 1")
    for name, values in (("low", low), ("high", high)):
        if (np.diff(values) < -TOLERANCE).any():
            rule = "a ROC curve rises, and so do its limits"
            yield Fault(f"{where}.{name}", getattr(band, name), rule)
    drawn = drawn_curve(curve)
    if drawn.fpr.size < MOST_POINTS:
        tpr = drawn.tpr[np.searchsorted(drawn.fpr, fpr + TOLERANCE, side="right") - 1]
        tpr[0] = max(tpr[0], low[0])
        # Where a curve has few points, its limits are those of the lines between them.
        lines = [sensitivity_at(drawn, 1.0 - at, interpolate=True) for at in fpr]
        above = np.maximum(tpr, lines)
        for name, wrong in (("low", low > above + TOLERANCE), ("high", high < tpr - TOLERANCE)):
            for k in np.flatnonzero(wrong):
                limit = getattr(band, name)[k]
                yield Fault(f"{where}.{name}[{k}]", limit, "limits enclose the curve")
    elif (low > high + TOLERANCE).any():
        yield Fault(f"{where}.low", band.low, "it is not above 'high'")
    yield from equal(f"{where}.level", band.level, level, "of all limits")
