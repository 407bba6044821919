"""The report of a saved model of times to an event on new patients."""

from __future__ import annotations

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import CalibratedGroup, SurvivalValidation
from tlpo.document.blocks import Block, Document, Paragraph, Remarks, Section, Table, Terms
from tlpo.document.equation import exact
from tlpo.document.fixed_checklists import survival_validation_checklist
from tlpo.document.numbers import capital, digits, figures, limits, percent, ratio
from tlpo.document.parts import footer
from tlpo.document.survival_narrative import follow_up
from tlpo.document.survival_parts import groups_table, pictures, say_outcome, times_table
from tlpo.document.validation import change_with_limits, compared_row
from tlpo.document.validation_narrative import estimate, say_developed, title


def survival_validation_document(a: SurvivalValidation, word: Word) -> Document:
    """Return the report of a validation."""
    card = a.card
    sections = [
        discrimination(a, word),
        risk_groups(a),
        calibration(a),
        survival_validation_checklist(a),
    ]
    return Document(
        title(a),
        f"{say_developed(card)}, {card.data.n_events} of them with the event. {say_outcome(a)} "
        "Nothing was fitted to them.",
        [section for section in sections if section.blocks],
        footer(a, f", from {a.model}"),
    )


def discrimination(a: SurvivalValidation, word: Word) -> Section:
    """Compare concordance and AUCs with those of development."""
    found = a.concordance
    uno = f"{digits(a.uno)} ({limits(a.uno_interval.low, a.uno_interval.high)})"
    rows = [compared_row("Harrell's C", found), ["Uno's C", uno, "—", "—"]]
    for one in a.at:
        at = one.found
        then = "—" if one.development is None else estimate(one.development)
        by = "—" if one.difference is None else change_with_limits(one.difference)
        new = f"{digits(at.auc)} ({limits(at.interval.low, at.interval.high)})"
        rows.append([f"AUC at {figures(at.time)} ({a.time_column})", new, then, by])
    blocks: list[Block] = []
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    if remarks:
        blocks.append(Remarks("First", remarks))
    blocks += [
        Paragraph(
            f"Harrell's concordance {estimate(found)} on {a.n_units} new {a.units}, in development "
            f"{estimate(found.development)}: a difference of "
            f"{change_with_limits(found.difference)}.",
            "lead",
        ),
        Paragraph(follow_up(a)),
        Table(
            f"With {percent(a.confidence_level)} score intervals; those of development by "
            "leave-pair-out",
            ["Measure", f"New {a.units}", "Development", "Difference"],
            rows,
            "wide",
        ),
        *times_table(a, "Model", [(a.card.name, [one.found for one in a.at])]),
        Terms(
            [
                (
                    "Harrell's C",
                    f"of two {a.units}, of whom one had the event while the other was known to be "
                    "without it, how often the first gets the higher risk; 0.5 is chance, 1 is "
                    "perfect. It depends on who was censored when.",
                ),
                ("Uno's C", "the same, weighted against the effect of censoring."),
            ]
        ),
        *(Paragraph(note, "soft") for note in found.notes),
    ]
    return Section("answer", "Discrimination", blocks, is_short=True)


def risk_groups(a: SurvivalValidation) -> Section:
    """Follow groups of risk, divided as in development if that can be."""
    name, times = a.card.name, [one.found for one in a.at]
    predicted = [
        (one.found.time, [group.predicted for group in one.calibration.groups])
        for one in a.at
        if one.calibration is not None and one.calibration.groups
    ]
    dots = " Diamonds are the survival that the model predicts." if predicted else ""
    captions = (
        f"Survival of new {a.units}, divided by the score of {name}.{dots}",
        "ROC curves at these times; cases are weighted against the effect of censoring.",
    )
    # Scores above a cut are in the group above it.
    cuts = [exact(cut) for cut in a.cuts]
    starts, ends = ["", *(f"> {cut}" for cut in cuts)], [*(f"≤ {cut}" for cut in cuts), ""]
    ranges = [" and ".join(filter(None, pair)) for pair in zip(starts, ends, strict=True)]
    note = "" if a.group is None else f"It treats {a.units} of the same {a.group} as independent."
    blocks = [
        *pictures(a, 1, name, a.groups, times, captions, predicted),
        *groups_table(a, name, a.groups, note, ["Score", *ranges]),
    ]
    if a.groups is not None:
        blocks.append(Paragraph(_say_cuts(a), "soft"))
    return Section("groups", "Risk groups", blocks)


def _say_cuts(a: SurvivalValidation) -> str:
    if a.cut_by == "development":
        return (
            f"The groups are divided at scores that were fixed in development: thirds of the "
            f"{a.card.data.n_units} {a.units} there, each scored by models that had not seen them."
        )
    why = "Development fixed no scores to divide groups at"
    if a.card.cuts:
        why = f"At the scores that were fixed in development, a group would have no new {a.units}"
    return f"{why}, so the groups are thirds of the new {a.units} by their scores."


def calibration(a: SurvivalValidation) -> Section:
    """Compare predicted with observed survival."""
    title = "Calibration"
    if a.why_no_calibration is not None:
        why = Paragraph(f"No calibration: {a.why_no_calibration}.")
        return Section("calibration", title, [why], is_short=True)
    rows = []
    for one in a.at:
        found = one.calibration
        if found is None:
            continue
        time = figures(one.found.time)
        by = (
            f"{ratio(found.ratio.estimate)} ({ratio(found.ratio.low)} to {ratio(found.ratio.high)})"
        )
        rows.append([time, *_calibrated(found.all), by])
        rows += [[time, *_calibrated(group), "—"] for group in found.groups]
    if not rows:
        return Section("calibration", title, [])
    head = [a.time_column, "Risk", capital(a.units), "Predicted survival", "Observed survival"]
    clustered = ""
    if a.group is not None:
        clustered = f" They treat {a.units} of the same {a.group} as independent."
    text = (
        "Predicted survival is the mean of what the model predicts; observed survival is Kaplan "
        f"and Meier's estimate with {percent(a.confidence_level)} limits.{clustered} Above 1, a "
        "ratio of observed to predicted risk says that the model predicts too few events."
    )
    return Section(
        "calibration",
        title,
        [
            Table(
                "Survival that was predicted and observed, in all and by risk",
                [*head, "Observed / predicted risk"],
                rows,
                "wide",
            ),
            Paragraph(text, "soft"),
        ],
        is_short=True,
    )


def _calibrated(group: CalibratedGroup) -> list[str]:
    observed = "not followed that long" if group.observed is None else estimate(group.observed)
    return [group.name, str(group.n_units), digits(group.predicted), observed]
