"""The report of markers: one function per section."""

from __future__ import annotations

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.json_values import numbers
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import MarkerAnalysis
from tlpo.displays import PrecisionRecallDisplay
from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Figure,
    Paragraph,
    Quote,
    Remarks,
    Section,
    SideBySide,
    Table,
    Terms,
)
from tlpo.document.fixed_checklists import marker_checklist
from tlpo.document.marker_narrative import methods, references, sentence, title
from tlpo.document.numbers import digits, limits, p_value, percent
from tlpo.document.parts import (
    BEFORE,
    MOST_BANDS,
    OF_BANDS,
    comparisons_table,
    drawn,
    footer,
    points_table,
    roc_display,
)
from tlpo.document.smooth import HEAD, TERM, say_smooth, smooth_cells


def marker_document(a: MarkerAnalysis, word: Word) -> Document:
    """Return the report of markers."""
    sections = [
        answer(a, word),
        comparison(a),
        curves(a),
        cutoffs(a),
        methods_section(a),
        marker_checklist(a),
    ]
    return Document(
        title(a),
        f"{a.n_units} {a.units}: {a.n_positive} positive ({a.positive}), {a.n_negative} negative "
        f"({a.negative}). Outcome: {a.target}. No model was trained on them.",
        [section for section in sections if section.blocks],
        footer(a),
    )


def answer(a: MarkerAnalysis, word: Word) -> Section:
    """Say how well every marker does."""
    rows, others = [], []
    smooth = smooth_cells([marker.curve for marker in a.markers], a.smooth)
    for marker, area in zip(a.markers, smooth, strict=True):
        at, average = marker.sensitivity_at, marker.average_precision
        rows.append(
            [
                marker.name,
                str(marker.n_positive + marker.n_negative),
                digits(marker.auc),
                limits(marker.interval.low, marker.interval.high),
                limits(marker.score_interval.low, marker.score_interval.high),
                p_value(marker.p_value),
            ]
        )
        others.append(
            [
                marker.name,
                f"{digits(at.sensitivity)} ({limits(at.low, at.high)})",
                f"{digits(average.value)} ({limits(average.low, average.high)})",
                *([area] if a.smooth else []),
            ]
        )
    level = percent(a.confidence_level)
    prevalence = digits(a.markers[0].average_precision.prevalence)
    of = ", that of the sample" if a.prevalence is None else ""
    head = ["Marker", a.units.capitalize(), "AUC", "Interval", "Score interval", "p"]
    blocks: list[Block] = [
        *(Paragraph(sentence(marker, a), "lead") for marker in a.markers),
        Table(f"AUC with {level} intervals, and p-value against 0.5", head, rows, "wide"),
        Table(
            f"Sensitivity at a specificity of {a.specificity:g}, and average precision",
            ["Marker", "Sensitivity", "Average precision", *([HEAD] if a.smooth else [])],
            others,
            "wide",
        ),
        Terms(
            [
                (
                    "Interval",
                    f"DeLong's, which most programs print. With few {a.units} or an AUC near 1 it "
                    "is too narrow.",
                ),
                ("Score interval", "holds there too (its coverage was measured)."),
                (
                    "Average precision",
                    f"at a prevalence of {prevalence}{of}, which is what a useless marker attains.",
                ),
                *([TERM] if a.smooth else []),
            ]
        ),
    ]
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    if remarks:
        blocks.append(Remarks(BEFORE, remarks))
    return Section("answer", "Answer", blocks, is_short=True)


def comparison(a: MarkerAnalysis) -> Section:
    """Compare the markers in pairs."""
    adjusted = "; p-values also adjusted by Holm's method" if len(a.comparisons) > 1 else ""
    caption = f"Differences in AUC by DeLong's test{adjusted}"
    blocks = [comparisons_table(a.comparisons, caption, "Markers")] if a.comparisons else []
    return Section("comparison", "Comparison", blocks, is_short=True)


def curves(a: MarkerAnalysis) -> Section:
    """Draw ROC curves, and precision over recall."""
    roc = roc_display(
        {marker.name: marker.curve for marker in a.markers},
        {marker.name: marker.auc for marker in a.markers},
        {marker.name: marker.band for marker in a.markers},
        a.specificity,
    )
    precision = PrecisionRecallDisplay(
        curves={
            marker.name: (
                numbers(marker.precision_recall.recall),
                numbers(marker.precision_recall.precision),
            )
            for marker in a.markers
        },
        averages={marker.name: marker.average_precision.value for marker in a.markers},
        prevalence=a.markers[0].average_precision.prevalence,
    )
    named = "; ".join(f"{marker.name}, AUC {digits(marker.auc)}" for marker in a.markers)
    caption = "ROC curves."
    if len(a.markers) <= MOST_BANDS:
        caption += f" Bands are pointwise {percent(a.confidence_level)} limits. {OF_BANDS}"
    caption += f" Dots mark the operating point with a specificity of at least {a.specificity:g}."
    caption += say_smooth([marker.curve for marker in a.markers])
    pictures = [
        Figure("roc", f"ROC curves of {named}", caption, lambda: drawn(roc.plot, (4.6, 4.6))),
        Figure(
            "precision",
            f"Precision and recall of {', '.join(marker.name for marker in a.markers)}",
            "Precision and recall; the line is the prevalence, the precision of a useless marker.",
            lambda: drawn(precision.plot, (4.6, 4.0)),
        ),
    ]
    return Section("curve", "Curves", [SideBySide(pictures)])


def cutoffs(a: MarkerAnalysis) -> Section:
    """Say what cut-offs mean."""
    share = "the prevalence in this sample"
    if a.prevalence is not None:
        share = f"a prevalence of {a.prevalence:g}"
    return Section(
        "points",
        "Cut-offs",
        [
            Paragraph(
                "In the units of the marker, halfway between values that occur. A cut-off that was "
                f"chosen on these {a.units} looks better than it is; its limits allow for that. "
                "Those of a cut-off as given hold if it was fixed beforehand. Predictive values "
                f"refer to {share}.",
                "soft",
            ),
            *(points_table(marker.name, marker.operating_points) for marker in a.markers),
        ],
    )


def methods_section(a: MarkerAnalysis) -> Section:
    """Write what a paper says about methods."""
    blocks: list[Block] = [Quote(methods(a)), Bullets(references(a), is_numbered=True)]
    return Section("methods", "Methods", blocks)
