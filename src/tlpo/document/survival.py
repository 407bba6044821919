"""The report of models of times to an event: what differs from that of numbers and grades."""

from __future__ import annotations

import math

import numpy as np

from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.json_values import numbers
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import SurvivalAnalysis, SurvivalCurve, SurvivalModel
from tlpo.displays import RocDisplay, SurvivalDisplay
from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Figure,
    Folded,
    Heading,
    Paragraph,
    Quote,
    Remarks,
    Section,
    SideBySide,
    Table,
    Terms,
)
from tlpo.document.equation import exact, term_name
from tlpo.document.numbers import (
    capital,
    digits,
    equals,
    figures,
    limits,
    percent,
)
from tlpo.document.ordered import (
    choice,
    comparison,
    played_blocks,
    sample,
    scheme,
    subgroups,
)
from tlpo.document.parts import BEFORE, drawn, footer
from tlpo.document.survival_checklist import checklist_section
from tlpo.document.survival_narrative import (
    REFERENCES,
    at_time,
    follow_up,
    methods,
    sentence,
    title,
)
from tlpo.problem.outcome import TimeToEvent
from tlpo.roc.curve import RocCurve
from tlpo.roc.kaplan_meier import KaplanMeier
from tlpo.roc.order import Order
from tlpo.roc.planning import width_of_counts

# Events for each coefficient below which a model without a penalty overfits badly.
LEAST_EVENTS = 10


def survival_document(a: SurvivalAnalysis, word: Word) -> Document:
    """Return the report."""
    sections = [
        answer(a, word),
        subgroups(a),
        each_model(a),
        comparison(a),
        choice(a),
        sample(a),
        sample_size(a),
        methods_section(a),
        checklist_section(a),
    ]
    coding = f" ({a.coding})" if a.coding else ""
    return Document(
        title(a),
        f"Outcome: {a.target}{coding} after {a.time_column}. {capital(a.units)}: {a.n_units}, "
        f"{sum(a.event)} with the event. Evaluated by tournament leave-pair-out cross-validation.",
        [section for section in sections if section.blocks],
        footer(a, f", seed {a.seed}"),
    )


def answer(a: SurvivalAnalysis, word: Word) -> Section:
    """Say how well every model ranks, and what to know about it."""
    rows = [
        [
            model.name,
            digits(model.concordance),
            limits(model.interval.low, model.interval.high),
            digits(model.uno),
            digits(model.consistency),
            digits(scheme(model, "loo")),
        ]
        for model in a.models
    ]
    blocks: list[Block] = [
        *(Paragraph(sentence(model, a), "lead") for model in a.models),
        Paragraph(follow_up(a)),
        Table(
            f"Harrell's concordance with {percent(a.confidence_level)} intervals",
            ["Model", "C", "Interval", "Uno's C", "ξ", "LOO"],
            rows,
            "wide",
        ),
        *_times_table(a),
        Terms(
            [
                *((model.name, f"{model.what}.") for model in a.models),
                (
                    "C",
                    f"Harrell's concordance: two {a.units}, of whom one had the event while the "
                    "other was known to be without it, are compared by a model trained without "
                    "either. C is the share of these comparisons in which the first gets the "
                    "higher risk, which is almost unbiased; 0.5 is chance, 1 is perfect.",
                ),
                ("Uno's C", "the same, weighted against the effect of censoring."),
                (
                    "ξ",
                    "consistency of the comparisons, 1 if none contradict each other (A beats B, "
                    "B beats C, C beats A), 0 if as many as possible do.",
                ),
                (
                    "LOO",
                    "C by leave-one-out with pooled predictions, which is biased; shown for "
                    "comparison.",
                ),
            ]
        ),
    ]
    remarks = [remark.worded(word) for remark in remarks_on(a)]
    if remarks:
        blocks.append(Remarks(BEFORE, remarks))
    return Section("answer", "Answer", blocks, is_short=True)


def _times_table(a: SurvivalAnalysis) -> list[Block]:
    rows = [
        [
            model.name,
            figures(found.time),
            digits(found.auc),
            limits(found.interval.low, found.interval.high),
            f"{found.cases} / {found.controls} / {found.censored}",
            digits(found.sensitivity, 2),
        ]
        for model in a.models
        for found in model.at
    ]
    if not rows:
        return []
    share = f"{a.models[0].at[0].specificity:g}"
    head = ["Model", a.time_column, "AUC", "Interval", "Event / without / censored"]
    caption = (
        f"AUC at a time, with {percent(a.confidence_level)} intervals: {a.units} with the event by "
        "then against those followed beyond it without; who was censored before counts through "
        "the weights of the others"
    )
    return [Table(caption, [*head, f"Sensitivity at specificity {share}"], rows, "wide")]


def each_model(a: SurvivalAnalysis) -> Section:
    """Show what is particular to each model."""
    blocks: list[Block] = []
    for k, model in enumerate(a.models, start=1):
        blocks += [Heading(model.name), *played_blocks(a, model, k)]
        pictures = [*_survival_figure(a, model, k), *_roc_figure(a, model, k)]
        blocks += [SideBySide(pictures)] if len(pictures) > 1 else pictures
        blocks += [Paragraph(at_time(model, found, a), "soft") for found in model.at]
        blocks += _groups_table(a, model)
        blocks += _final_blocks(a, model)
        if model.notes:
            blocks.append(Bullets(model.notes))
    return Section("models", "Each model", blocks)


def _survival_figure(a: SurvivalAnalysis, model: SurvivalModel, k: int) -> list[Figure]:
    groups = model.groups
    if groups is None:
        return []
    names = [curve.name for curve in groups.curves]
    curves = [_as_curve(curve) for curve in groups.curves]
    display = SurvivalDisplay(names, curves, groups.test.p_value, a.time_column)
    caption = (
        f"Survival of risk groups: {a.units} divided by their wins under {model.name}, each ranked "
        "by models that had not seen them. Ticks are censored; below, numbers at risk."
    )
    alt = f"Kaplan-Meier curves of risk groups by {model.name}"
    return [Figure(f"survival-{k}", alt, caption, lambda: drawn(display.plot, (4.8, 4.2)))]


def _as_curve(curve: SurvivalCurve) -> KaplanMeier:
    at_risk, events = np.array(curve.at_risk), np.array(curve.events)
    censored = at_risk - events - np.append(at_risk[1:], 0)
    time, survival = numbers(curve.time), numbers(curve.survival)
    return KaplanMeier(time, survival, np.full(time.size, np.nan), at_risk, events, censored)


def _roc_figure(a: SurvivalAnalysis, model: SurvivalModel, k: int) -> list[Figure]:
    if not model.at:
        return []
    curves, aucs = {}, {}
    for found in model.at:
        fpr, tpr = numbers(found.fpr), numbers(found.tpr)
        name = f"{a.time_column} {figures(found.time)}"
        curves[name], aucs[name] = RocCurve(fpr, tpr, np.full(fpr.size, np.nan)), found.auc
    display = RocDisplay(curves, aucs, specificity=model.at[0].specificity)
    caption = (
        "ROC curves at these times, of the ranking of all; cases are weighted against the effect "
        "of censoring. The AUC is that of the comparisons of cases with controls."
    )
    alt = f"ROC curves of {model.name} at {len(model.at)} times"
    return [Figure(f"roc-{k}", alt, caption, lambda: drawn(display.plot, (4.2, 4.2)))]


def _groups_table(a: SurvivalAnalysis, model: SurvivalModel) -> list[Block]:
    groups = model.groups
    if groups is None:
        return []
    rows = []
    for curve in groups.curves:
        ends = [figures(end) if end is not None else "—" for end in _ends(curve)]
        median = "not reached" if curve.median is None else figures(curve.median)
        events = str(sum(curve.events))
        rows.append([curve.name, str(curve.at_risk[0]), events, median, " to ".join(ends)])
    head = ["Risk", capital(a.units), "Events", f"Median {a.time_column}", "95 % interval"]
    test = groups.test
    text = "" if test.p_value is None else f"Log-rank test: p {equals(test.p_value)}. "
    text += (
        "It asks whether all groups have the same survival, whatever their order. The groups were "
        f"made by models that share most of their training {a.units}, so its p-value is "
        "approximate; a permutation test of the model is exact."
    )
    return [
        Table(f"Risk groups of {model.name}", head, rows, "wide"),
        Paragraph(text, "soft"),
    ]


def _ends(curve: SurvivalCurve) -> tuple[float | None, float | None]:
    return curve.median_low, curve.median_high


def _final_blocks(a: SurvivalAnalysis, model: SurvivalModel) -> list[Block]:
    final, equation = model.final, model.final.equation
    if not a.sample.is_known:
        return []
    apparent = (
        ""
        if final.apparent_auc is None
        else f"On the {a.units} that it was fitted to, this model has a concordance of "
        f"{digits(final.apparent_auc)} (apparent, not to be reported)."
    )
    if equation is not None:
        rows = [
            [term_name(term, equation), exact(term.value), _ratio(term.value)]
            for term in equation.terms
        ]
        caption = (
            f"Hazard ratios of the final model {model.name}, fitted to all {a.units}: not "
            "validated one by one"
        )
        text = (
            "Each is the factor by which the hazard changes with one unit of the feature in the "
            "table, or with a level instead of the reference. The penalty draws them towards 1, "
            f"so they have no intervals. {apparent}"
        )
        table = Table(caption, ["Feature", "Coefficient", "Hazard ratio"], rows)
        return [Folded(f"Hazard ratios of {model.name}", [table, Paragraph(text.strip(), "soft")])]
    if final.kind is None:
        text = f"{model.name} has neither coefficients nor importances to show. {apparent}"
        return [Paragraph(text.strip(), "soft")]
    caption = f"{capital(final.kind)} of the final model, fitted to all {a.units}"
    head = ["Feature", "Coefficient" if final.kind == "coefficients" else "Importance"]
    return [
        Table(caption, head, [[row.feature, figures(row.value)] for row in final.rows]),
        *([Paragraph(apparent, "soft")] if apparent else []),
    ]


def _ratio(value: float) -> str:
    return f"{math.exp(value):.3g}" if abs(value) < 50 else ("∞" if value > 0 else "0")


def sample_size(a: SurvivalAnalysis) -> Section:
    """Say what so many events can show."""
    outcome = TimeToEvent(numbers(a.time), np.array(a.event, dtype=bool))
    counts = Order(*outcome.should_win(), outcome.n_units).counts
    level = a.confidence_level
    rows = [
        [f"{true:g}", limits(*width_of_counts(true, counts, outcome.n_events, level), 2)]
        for true in (0.5, 0.6, 0.7, 0.8, 0.9)
    ]
    head = ["True concordance", f"Expected {percent(level)} interval"]
    blocks: list[Block] = [
        Table(f"The interval that {outcome.n_events} events are expected to give", head, rows),
        Paragraph(
            "Computed from times and events alone, with the variance of independent scores "
            "doubled, because models are trained on the same data.",
            "soft",
        ),
    ]
    if a.n_coefficients:
        share = outcome.n_events / a.n_coefficients
        blocks.append(
            Paragraph(
                f"Events per coefficient: {share:.1f} ({outcome.n_events} events, "
                f"{a.n_coefficients} coefficients of a linear model)."
            )
        )
    return Section("size", "Sample size", blocks)


def methods_section(a: SurvivalAnalysis) -> Section:
    """Write what a paper says about methods."""
    return Section(
        "methods",
        "Methods",
        [
            Paragraph("Ready to paste into a paper.", "soft"),
            Quote(methods(a)),
            Bullets(REFERENCES, is_numbered=True),
        ],
    )
