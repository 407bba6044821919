"""The report of models of times to an event: what differs from that of numbers and grades."""

from __future__ import annotations

import math

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import AverageSurvival, Equation, SurvivalAnalysis, SurvivalModel
from tlpo.document.answer import Measure, answer_section
from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Folded,
    Heading,
    Paragraph,
    Quote,
    Section,
    Table,
)
from tlpo.document.equation import exact, term_name
from tlpo.document.numbers import digits, figures, limits, minus, percent
from tlpo.document.ordered import (
    choice,
    comparison,
    played_blocks,
    sample,
    scheme,
    subgroups,
)
from tlpo.document.outcome_checklists import survival_checklist
from tlpo.document.parts import XI, footer
from tlpo.document.played import final_blocks, say_apparent
from tlpo.document.survival_narrative import (
    at_time,
    follow_up,
    methods,
    references,
    sentence,
    title,
)
from tlpo.document.survival_parts import groups_table, pictures, say_outcome, times_table
from tlpo.document.without import without_each
from tlpo.problem.outcome import TimeToEvent
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
        without_each(a),
        comparison(a),
        choice(a),
        sample(a),
        sample_size(a),
        methods_section(a),
        survival_checklist(a),
    ]
    return Document(
        title(a),
        f"{say_outcome(a)} Evaluated by tournament leave-pair-out cross-validation.",
        [section for section in sections if section.blocks],
        footer(a, f", seed {a.seed}"),
    )


def answer(a: SurvivalAnalysis, word: Word) -> Section:
    """Say how well every model ranks, and what to know about it."""
    meaning = (
        f"Harrell's concordance: two {a.units}, of whom one had the event while the "
        "other was known to be without it, are compared by a model trained without "
        "either. C is the share of these comparisons in which the first gets the "
        "higher risk, which is almost unbiased; 0.5 is chance, 1 is perfect."
    )
    weighted = "the same, weighted against the effect of censoring."
    biased = "C by leave-one-out with pooled predictions, which is biased; shown for comparison."
    intervals = [model.interval for model in a.models]
    return answer_section(
        a,
        word,
        f"Harrell's concordance with {percent(a.confidence_level)} intervals",
        [
            Measure("C", [digits(model.concordance) for model in a.models], ("C", meaning)),
            Measure("Interval", [limits(one.low, one.high) for one in intervals]),
            Measure("Uno's C", [digits(model.uno) for model in a.models], ("Uno's C", weighted)),
            Measure("ξ", [digits(model.consistency) for model in a.models], XI),
            Measure("LOO", [digits(scheme(model, "loo")) for model in a.models], ("LOO", biased)),
        ],
        sentences=[sentence(model, a) for model in a.models],
        about=[Paragraph(follow_up(a))],
        also=times_table(a, "Model", [(model.name, model.at) for model in a.models]),
    )


def each_model(a: SurvivalAnalysis) -> Section:
    """Show what is particular to each model."""
    blocks: list[Block] = []
    for k, model in enumerate(a.models, start=1):
        blocks += [Heading(model.name), *played_blocks(a, model, k)]
        captions = (
            f"Survival of risk groups: {a.units} divided by their wins under {model.name}, each "
            "ranked by models that had not seen them.",
            "ROC curves at these times, of the ranking of all; cases are weighted against the "
            "effect of censoring. The AUC is that of the comparisons of cases with controls.",
        )
        blocks += pictures(a, k, model.name, model.groups, model.at, captions)
        blocks += [Paragraph(at_time(model.name, found, a), "soft") for found in model.at]
        note = (
            f"The groups were made by models that share most of their training {a.units}, so its "
            "p-value is approximate; a permutation test of the model is exact."
        )
        blocks += groups_table(a, model.name, model.groups, note)
        blocks += _final_blocks(a, model)
        if model.notes:
            blocks.append(Bullets(model.notes))
    return Section("models", "Each model", blocks)


def _final_blocks(a: SurvivalAnalysis, model: SurvivalModel) -> list[Block]:
    final, equation = model.final, model.final.equation
    if not a.sample.is_known:
        return []
    if equation is None:
        return final_blocks(model, a.units, "go with earlier events", "a concordance")
    rows = [
        [term_name(term, equation), exact(term.value), _ratio(term.value)]
        for term in equation.terms
    ]
    caption = (
        f"Hazard ratios of the final model {model.name}, fitted to all {a.units}: not validated "
        "one by one"
    )
    text = (
        "Each is the factor by which the hazard changes with one unit of the feature in the table, "
        "or with a level instead of the reference. A penalty draws them towards 1, so they have no "
        f"intervals. {say_apparent(final.apparent_auc, a.units, 'a concordance')}"
    )
    table = Table(caption, ["Feature", "Coefficient", "Hazard ratio"], rows)
    blocks: list[Block] = [table, Paragraph(text.strip(), "soft")]
    if final.average is None:
        return [Folded(f"Hazard ratios of {model.name}", blocks)]
    blocks += _baseline_blocks(a, model.name, equation, final.average)
    return [Folded(f"The whole model {model.name}: hazard ratios and baseline survival", blocks)]


def _baseline_blocks(
    a: SurvivalAnalysis, name: str, equation: Equation, average: AverageSurvival
) -> list[Block]:
    """Say how survival follows from the coefficients."""
    rows = [
        [figures(time), exact(survival)]
        for time, survival in zip(average.times, average.survival, strict=True)
    ]
    caption = f"Baseline survival of {name}: that of a {a.unit} of average risk"
    start = minus(f"{equation.intercept - average.score:.6g}")
    text = (
        f"The log hazard ratio of a {a.unit} to that average is {start} plus each coefficient "
        "times its feature, in the units of the table; a level counts 1 if it applies. The "
        "probability of being without the event at a time is the baseline survival then, to the "
        "power exp(log hazard ratio). These probabilities were not validated; tlpo validate does "
        f"so on new {a.units}."
    )
    return [Table(caption, [a.time_column, "Survival"], rows), Paragraph(text, "soft")]


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
            Bullets(references(a), is_numbered=True),
        ],
    )
