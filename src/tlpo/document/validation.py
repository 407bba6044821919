"""The report of a saved model on new patients."""

from __future__ import annotations

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import (
    Compared,
    ComparedRate,
    Limits,
    Validation,
)
from tlpo.document.blocks import Block, Document, Paragraph, Remarks, Section, Table
from tlpo.document.fixed_checklists import validation_checklist
from tlpo.document.numbers import change, percent
from tlpo.document.parts import cutoff, footer, probability_blocks
from tlpo.document.validation_narrative import estimate, say_developed, title


def validation_document(a: Validation, word: Word) -> Document:
    """Return the report of a validation."""
    return Document(
        title(a),
        f"{say_developed(a.card)}, tested on {a.n_units}: {a.n_positive} "
        f"positive ({a.positive}), {a.n_negative} negative ({a.negative}). Nothing was fitted to "
        "them.",
        [discrimination(a, word), calibration(a), validation_checklist(a)],
        footer(a, f", from {a.model}"),
    )


def discrimination(a: Validation, word: Word) -> Section:
    """Compare AUC and rates with those of development."""
    rows = [compared_row("AUC", a.auc)]
    for point in a.cutoffs:
        at = cutoff(a.card.scale, point.threshold)
        for name, found in (("Sensitivity", point.sensitivity), ("Specificity", point.specificity)):
            rows.append(compared_row(f"{name} at the cut-off for {point.point} ({at})", found))
    level = percent(a.confidence_level)
    blocks: list[Block] = []
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    if remarks:
        blocks.append(Remarks("First", remarks))
    blocks += [
        Paragraph(
            f"AUC {estimate(a.auc)} on {a.n_units} new {a.units}, in development "
            f"{estimate(a.auc.development)}: a difference of "
            f"{change_with_limits(a.auc.difference)}.",
            "lead",
        ),
        Table(
            f"With {level} intervals: {a.auc.method}'s for the AUC, Wilson's for rates. Cut-offs "
            "were fixed in development.",
            ["Measure", f"New {a.units}", "Development", "Difference"],
            rows,
            "wide",
        ),
        *(Paragraph(note, "soft") for note in a.auc.notes),
    ]
    return Section("answer", "Discrimination", blocks, is_short=True)


def calibration(a: Validation) -> Section:
    """Show what the probabilities are worth."""
    if a.probabilities is None:
        why = Paragraph(f"No calibration: {a.why_no_probabilities}.")
        return Section("calibration", "Calibration", [why], is_short=True)
    blocks = probability_blocks(a.probabilities, a.card.name, a.units, a.confidence_level)
    return Section("calibration", "Calibration", blocks, is_short=True)


def compared_row(name: str, found: Compared) -> list[str]:
    """Write an estimate in new patients, in development, and the difference."""
    of = f", {found.count} of {found.of}" if isinstance(found, ComparedRate) else ""
    then, by = estimate(found.development), change_with_limits(found.difference)
    return [name, f"{estimate(found)}{of}", then, by]


def change_with_limits(by: Limits) -> str:
    """Write a difference with its limits."""
    return f"{change(by.estimate)} ({change(by.low)} to {change(by.high)})"
