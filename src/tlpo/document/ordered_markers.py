"""The report of markers and an outcome of numbers or grades."""

from __future__ import annotations

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import OrderedMarker, OrderedMarkerAnalysis, SurvivalMarkerAnalysis
from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Paragraph,
    Quote,
    Remarks,
    Section,
    Table,
    Terms,
)
from tlpo.document.numbers import capital, digits, figures, limits, p_value, percent
from tlpo.document.parts import BEFORE, comparisons_table, footer

REFERENCES = (
    "Somers RH. A new asymmetric measure of association for ordinal variables. American "
    "Sociological Review 1962;27:799-811.",
    "Newson R. Confidence intervals for rank statistics: Somers' D and extensions. Stata Journal "
    "2006;6:309-334.",
)


def ordered_marker_document(a: OrderedMarkerAnalysis, word: Word) -> Document:
    """Return the report of markers."""
    names = ", ".join(marker.name for marker in a.markers)
    source = "" if a.source is None else f" ({a.source})"
    outcome = f"from {figures(a.lowest)} to {figures(a.highest)}"
    if a.grades is not None:
        outcome = f"with the grades {' < '.join(a.grades)}"
    sections = [answer(a, word), comparison(a), methods_section(a)]
    return Document(
        f"{names} and {a.target}{source}: how well do they agree?",
        f"Outcome: {a.target}, {outcome}. {capital(a.units)}: {a.n_units}. No model was trained on "
        "them.",
        [section for section in sections if section.blocks],
        footer(a),
    )


def answer(a: OrderedMarkerAnalysis, word: Word) -> Section:
    """Say how well every marker agrees with the outcome."""
    rows = [
        [
            marker.name,
            str(marker.n_rated),
            digits(marker.concordance),
            limits(marker.interval.low, marker.interval.high),
            digits(2.0 * marker.concordance - 1.0),
            digits(marker.standard_error),
            p_value(marker.p_value),
        ]
        for marker in a.markers
    ]
    head = ["Marker", capital(a.units), "Concordance", "Interval", "Somers' D", "SE", "p"]
    blocks: list[Block] = [
        *(Paragraph(sentence(marker, a), "lead") for marker in a.markers),
        Table(f"Concordance with {percent(a.confidence_level)} intervals", head, rows, "wide"),
        Terms(
            [
                (
                    "Concordance",
                    f"of two {a.units} with different {a.target}, how often the one with the "
                    "larger has the higher score; ties of the score count half. 0.5 is chance, 1 "
                    "is perfect.",
                ),
                ("Somers' D", "twice the concordance minus one."),
                (
                    "SE",
                    "standard error of the concordance (infinitesimal jackknife).",
                ),
                ("p", "of no association, by Kendall's τ."),
            ]
        ),
    ]
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    if remarks:
        blocks.append(Remarks(BEFORE, remarks))
    return Section("answer", "Answer", blocks, is_short=True)


def sentence(marker: OrderedMarker, a: OrderedMarkerAnalysis) -> str:
    """Say in a sentence how well a marker agrees with the outcome."""
    side = "larger" if marker.larger_is_positive else "smaller"
    return (
        f"{marker.name} ranks two random {a.units} with different {a.target} in the right order "
        f"with probability {digits(marker.concordance)} (the concordance; "
        f"{percent(a.confidence_level)} interval {digits(marker.interval.low)} to "
        f"{digits(marker.interval.high)}), {side} values going with a larger {a.target}."
    )


def comparison(a: OrderedMarkerAnalysis | SurvivalMarkerAnalysis) -> Section:
    """Compare the markers in pairs."""
    adjusted = "; p-values also adjusted by Holm's method" if len(a.comparisons) > 1 else ""
    caption = f"Differences in concordance{adjusted}"
    blocks = [comparisons_table(a.comparisons, caption, "Markers")] if a.comparisons else []
    return Section("comparison", "Comparison", blocks, is_short=True)


def methods_section(a: OrderedMarkerAnalysis) -> Section:
    """Write what a paper says about methods."""
    names = ", ".join(marker.name for marker in a.markers)
    grouped = "" if a.group is None else f" Variances are over groups of rows ({a.group})."
    text = (
        f"The agreement of {names} with {a.target} was measured in {a.n_units} {a.units} by the "
        f"concordance, the share of pairs with different {a.target} in which the larger has the "
        "higher score; twice the concordance minus one is Somers' D [1]. "
        f"{percent(a.confidence_level)} intervals are score intervals whose variance is at least "
        f"that of the infinitesimal jackknife [2].{grouped} Analysis: tlpo {a.version}."
    )
    blocks: list[Block] = [Quote(text), Bullets(REFERENCES, is_numbered=True)]
    return Section("methods", "Methods", blocks)
