"""What reports of times to an event have in common: tables and pictures at times and of groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.shapes import AtTime, RiskGroups, Timed
from tlpo.analysis.survival import as_kaplan_meier
from tlpo.displays import RocDisplay, SurvivalDisplay
from tlpo.document.blocks import Block, Figure, Paragraph, SideBySide, Table
from tlpo.document.numbers import (
    capital,
    digits,
    equals,
    figures,
    limits,
    median_limits,
    percent,
    reached,
)
from tlpo.document.parts import drawn
from tlpo.roc.curve import RocCurve

# By time, the survival that a model predicts for each group.
Predicted = Sequence[tuple[float, Sequence[float]]]


def say_outcome(a: Timed) -> str:
    """Say what the event is, and how many patients had it."""
    coding = f" ({a.coding})" if a.coding else ""
    return (
        f"Outcome: time ({a.time_column}) to {a.target}{coding}. {capital(a.units)}: {a.n_units}, "
        f"{sum(a.event)} with the event."
    )


def times_table(a: Timed, what: str, ranked: Sequence[tuple[str, Sequence[AtTime]]]) -> list[Block]:
    """Tabulate AUC and sensitivity at every time; ``what`` heads the names of what ranks."""
    rows = [
        [
            name,
            figures(found.time),
            digits(found.auc),
            limits(found.interval.low, found.interval.high),
            f"{found.cases} / {found.controls} / {found.censored}",
            digits(found.sensitivity, 2),
        ]
        for name, times in ranked
        for found in times
    ]
    if not rows:
        return []
    share = f"{next(found.specificity for _, times in ranked for found in times):g}"
    head = [what, a.time_column, "AUC", "Interval", "Event / without / censored"]
    caption = (
        f"AUC at a time, with {percent(a.confidence_level)} intervals: {a.units} with the event by "
        "then against those followed beyond it without; earlier censoring is handled by "
        "inverse-probability weights"
    )
    return [Table(caption, [*head, f"Sensitivity at specificity {share}"], rows, "wide")]


def pictures(
    a: Timed,
    k: int,
    name: str,
    groups: RiskGroups | None,
    times: Sequence[AtTime],
    captions: tuple[str, str],
    predicted: Predicted = (),
) -> list[Block]:
    """Draw the survival of risk groups beside ROC curves at times, as far as there are any.

    ``predicted`` is what a model predicts for the groups, by time; it is drawn as well.
    """
    found: list[Block] = []
    if groups is not None:
        found.append(_survival_figure(a, k, name, groups, captions[0], predicted))
    if times:
        found.append(_roc_figure(a, k, name, times, captions[1]))
    return [SideBySide(found)] if len(found) > 1 else found


def _survival_figure(
    a: Timed, k: int, name: str, groups: RiskGroups, caption: str, predicted: Predicted
) -> Figure:
    names = [curve.name for curve in groups.curves]
    curves = [as_kaplan_meier(curve) for curve in groups.curves]
    display = SurvivalDisplay(names, curves, groups.test.p_value, a.time_column)
    alt = f"Kaplan-Meier curves of risk groups by {name}"
    caption = f"{caption} Ticks are censored; below, numbers at risk."

    def draw() -> object:
        figure = drawn(display.plot, (4.8, 4.2))
        for time, survivals in predicted:
            for line, survival in zip(display.lines_, survivals, strict=True):
                display.ax_.plot(time, survival, "D", color=line.get_color(), markersize=5)
        return figure

    return Figure(f"survival-{k}", alt, caption, draw)


def _roc_figure(a: Timed, k: int, name: str, times: Sequence[AtTime], caption: str) -> Figure:
    curves, aucs = {}, {}
    for found in times:
        fpr, tpr = numbers(found.fpr), numbers(found.tpr)
        label = f"{a.time_column} {figures(found.time)}"
        curves[label], aucs[label] = RocCurve(fpr, tpr, np.full(fpr.size, np.nan)), found.auc
    display = RocDisplay(curves, aucs, specificity=times[0].specificity)
    alt = f"ROC curves of {name} at {len(times)} times"
    return Figure(f"roc-{k}", alt, caption, lambda: drawn(display.plot, (4.2, 4.2)))


def groups_table(
    a: Timed, name: str, groups: RiskGroups | None, note: str, column: Sequence[str] = ()
) -> list[Block]:
    """Tabulate risk groups, and say what their test is worth.

    ``column`` is one more: its head, and a cell for each group.
    """
    if groups is None:
        return []
    rows = []
    cells = [[cell] for cell in column[1:]] or [[] for _ in groups.curves]
    for curve, cell in zip(groups.curves, cells, strict=True):
        counts = [str(curve.at_risk[0]), str(sum(curve.events))]
        ends = median_limits(curve.median, curve.median_low, curve.median_high)
        rows.append([curve.name, *cell, *counts, reached(curve.median), ends])
    head = ["Risk", *column[:1], capital(a.units), "Events", f"Median {a.time_column}"]
    test = groups.test
    text = "" if test.p_value is None else f"Log-rank test: p {equals(test.p_value)}. "
    text += f"It asks whether all groups have the same survival, whatever their order. {note}"
    return [
        Table(f"Risk groups of {name}", [*head, "95% interval"], rows, "wide"),
        Paragraph(text.strip(), "soft"),
    ]
