"""The report of markers and times to an event."""

from __future__ import annotations

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import SurvivalMarker, SurvivalMarkerAnalysis
from tlpo.document import marker_narrative, ordered_markers, survival_narrative
from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Heading,
    Paragraph,
    Quote,
    Remarks,
    Section,
    Table,
    Terms,
)
from tlpo.document.equation import exact
from tlpo.document.numbers import capital, digits, figures, limits, p_value, percent
from tlpo.document.ordered_markers import comparison
from tlpo.document.parts import BEFORE, footer
from tlpo.document.survival_narrative import at_time, follow_up, title
from tlpo.document.survival_parts import groups_table, pictures, say_outcome, times_table

# Harrell, Uno's concordance, Uno's rates at a time, follow-up; jackknife, curves, test; Holm.
REFERENCES = (
    *(survival_narrative.REFERENCES[k] for k in (1, 4, 5, 2)),
    ordered_markers.REFERENCES[1],
    "Kaplan EL, Meier P. Nonparametric estimation from incomplete observations. Journal of the "
    "American Statistical Association 1958;53:457-481.",
    "Mantel N. Evaluation of survival data and two new rank order statistics arising in its "
    "consideration. Cancer Chemotherapy Reports 1966;50:163-170.",
    marker_narrative.REFERENCES[2],
)


def survival_marker_document(a: SurvivalMarkerAnalysis, word: Word) -> Document:
    """Return the report of markers."""
    sections = [answer(a, word), comparison(a), each_marker(a), methods_section(a)]
    return Document(
        title(a),
        f"{say_outcome(a)} No model was trained on them.",
        [section for section in sections if section.blocks],
        footer(a),
    )


def answer(a: SurvivalMarkerAnalysis, word: Word) -> Section:
    """Say how well every marker ranks."""
    rows = [
        [
            marker.name,
            f"{marker.n_rated} / {marker.n_events}",
            digits(marker.concordance),
            limits(marker.interval.low, marker.interval.high),
            digits(marker.uno),
            limits(marker.uno_interval.low, marker.uno_interval.high),
            digits(marker.standard_error),
            p_value(marker.p_value),
        ]
        for marker in a.markers
    ]
    counts = f"{capital(a.units)} / events"
    head = ["Marker", counts, "C", "Interval", "Uno's C", "Interval", "SE", "p"]
    caption = f"Harrell's concordance with {percent(a.confidence_level)} intervals"
    blocks: list[Block] = [
        *(Paragraph(sentence(marker, a), "lead") for marker in a.markers),
        Paragraph(follow_up(a)),
        Table(caption, head, rows, "wide"),
        *times_table(a, "Marker", [(marker.name, marker.at) for marker in a.markers]),
        Terms(
            [
                (
                    "C",
                    f"Harrell's concordance: of two {a.units}, of whom one had the event while the "
                    "other was known to be without it, how often the first has the value of higher "
                    "risk; equal values count half. 0.5 is chance, 1 is perfect.",
                ),
                ("Uno's C", "the same, weighted against the effect of censoring."),
                ("SE", "standard error of C (infinitesimal jackknife)."),
                ("p", "of no association, by the score test of C = 0.5."),
            ]
        ),
    ]
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    if remarks:
        blocks.append(Remarks(BEFORE, remarks))
    return Section("answer", "Answer", blocks, is_short=True)


def sentence(marker: SurvivalMarker, a: SurvivalMarkerAnalysis) -> str:
    """Say in a sentence or two how well a marker ranks."""
    side = "larger" if marker.larger_is_positive else "smaller"
    low, high = marker.interval.low, marker.interval.high
    text = (
        f"Of two {a.units}, the one with the earlier event has the {side} {marker.name} with "
        f"probability {digits(marker.concordance)} (Harrell's concordance; "
        f"{percent(a.confidence_level)} interval {digits(low)} to {digits(high)})."
    )
    if marker.concordance >= 0.5 and float(digits(low)) <= 0.5:
        text += " The interval includes 0.5, so it may rank no better than chance."
    return text


def each_marker(a: SurvivalMarkerAnalysis) -> Section:
    """Show survival and ROC curves by every marker."""
    blocks: list[Block] = []
    for k, marker in enumerate(a.markers, start=1):
        name = marker.name
        captions = (
            f"Survival of {a.units} divided by {name}.",
            f"ROC curves of {name} at these times; cases are weighted against the effect of "
            "censoring.",
        )
        note = ""
        if a.group is not None:
            note = f"It treats {a.units} of the same {a.group} as independent."
        blocks += [
            Heading(name),
            *pictures(a, k, name, marker.groups, marker.at, captions),
            *(Paragraph(at_time(name, found, a), "soft") for found in marker.at),
            *groups_table(a, name, marker.groups, note, [name, *say_ranges(marker)]),
        ]
    return Section("markers", "Each marker", blocks)


def say_ranges(marker: SurvivalMarker) -> list[str]:
    """Say which values each group has, from the lowest risk to the highest."""
    inside, outside = ("≥", "<") if marker.larger_is_positive else ("≤", ">")
    cuts = [exact(cut) for cut in marker.cuts]
    starts = ["", *(f"{inside} {cut}" for cut in cuts)]
    ends = [*(f"{outside} {cut}" for cut in cuts), ""]
    return [" and ".join(filter(None, pair)) for pair in zip(starts, ends, strict=True)]


def methods_section(a: SurvivalMarkerAnalysis) -> Section:
    """Write what a paper says about methods."""
    references = REFERENCES if len(a.comparisons) > 1 else REFERENCES[:-1]
    blocks: list[Block] = [
        Paragraph("Ready to paste into a paper.", "soft"),
        Quote(methods(a)),
        Bullets(references, is_numbered=True),
    ]
    return Section("methods", "Methods", blocks)


def methods(a: SurvivalMarkerAnalysis) -> str:
    """Write a paragraph for a paper."""
    names, many = ", ".join(marker.name for marker in a.markers), a.units
    at = ""
    if a.times:
        at = (
            f" AUCs and ROC curves at {', '.join(map(figures, a.times))} ({a.time_column}) weight "
            "cases by the inverse probability of not having been censored [3]."
        )
    grouped = "" if a.group is None else f" Variances are over groups of rows ({a.group})."
    compared = ""
    if a.comparisons:
        adjusted = "; p-values were adjusted by Holm's method [8]" if a.comparisons[1:] else ""
        compared = (
            f" Markers were compared by the difference of their concordances in the {many} who "
            f"have both{adjusted}."
        )
    groups = ""
    if any(marker.groups is not None for marker in a.markers):
        groups = (
            f" {capital(many)} were divided into thirds by each marker, as far as equal values "
            "allow; their survival was estimated by Kaplan-Meier [6] and compared by the log-rank "
            "test [7]."
        )
    return (
        f"How well {names} rank {many} by the time to {a.target} was measured in {a.n_units} "
        f"{many}. {follow_up(a)} Follow-up was estimated by reverse Kaplan-Meier [4]. Harrell's "
        f"concordance is the share of pairs, of which one {a.unit} had the event while the other "
        "was known to be without it, in which the first has the value of higher risk, equal values "
        "counting half [1]; Uno's weights these pairs against the effect of censoring [2]. The "
        f"direction of each marker was set beforehand. {percent(a.confidence_level)} intervals are "
        "score intervals whose variance is at least that of the infinitesimal jackknife [5]; "
        f"p-values are of two-sided score tests.{grouped}{at}{groups}{compared} Analysis: tlpo "
        f"{a.version}."
    )
