"""The report of models of more than two classes: one function per section."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import drawn_curve
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import SeveralAnalysis, SeveralModel
from tlpo.displays import MulticlassDisplay
from tlpo.document.answer import Measure, answer_section
from tlpo.document.blocks import (
    Beside,
    Block,
    Bullets,
    Cell,
    Document,
    Figure,
    Heading,
    Paragraph,
    Quote,
    Section,
    SideBySide,
    Table,
    Terms,
)
from tlpo.document.equation import class_equation_blocks
from tlpo.document.narrative import choice_sentence
from tlpo.document.numbers import capital, digits, limits, percent
from tlpo.document.ordered import sample
from tlpo.document.outcome_checklists import several_checklist
from tlpo.document.parts import XI, comparisons_table, drawn, footer, subgroup_cells
from tlpo.document.played import (
    choice_section,
    final_blocks,
    say_played,
    schemes_figure,
    schemes_table,
)
from tlpo.document.several_narrative import REFERENCES, methods, sentence, title
from tlpo.document.without import without_each


def several_document(a: SeveralAnalysis, word: Word) -> Document:
    """Return the report."""
    sections = [
        answer(a, word),
        pairs(a),
        each_class(a),
        subgroups(a),
        each_model(a),
        without_each(a),
        comparison(a),
        choice_section(None if a.choice is None else choice_sentence(a.choice, a)),
        sample(a),
        methods_section(a),
        several_checklist(a),
    ]
    classes = ", ".join(f"'{part.name}' ({part.count})" for part in a.parts)
    return Document(
        title(a),
        f"Outcome: {a.target}, {len(a.parts)} classes: {classes}. {capital(a.units)}: {a.n_units}. "
        "Evaluated by tournament leave-pair-out cross-validation.",
        [section for section in sections if section.blocks],
        footer(a, f", seed {a.seed}"),
    )


def answer(a: SeveralAnalysis, word: Word) -> Section:
    """Say how well every model tells the classes apart, and what to know about it."""
    meaning = (
        f"two {a.units} of different classes are compared by a model trained without "
        "either. The AUC of two classes is the share of these comparisons in which "
        f"the {a.unit} of a class has the higher response for it, averaged over both "
        "classes; M is the mean over all pairs of classes. 0.5 is chance, 1 is "
        "perfect."
    )
    biased = (
        "the same by leave-one-out with pooled predictions, which is biased; shown for comparison."
    )
    intervals = [model.interval for model in a.models]
    worst = [min(model.pairs, key=lambda pair: pair.auc) for model in a.models]
    loo = [
        next((row.auc for row in model.schemes if row.scheme == "loo"), None) for model in a.models
    ]
    return answer_section(
        a,
        word,
        f"AUC of several classes (Hand and Till's M) with {percent(a.confidence_level)} intervals",
        [
            Measure("AUC (M)", [digits(model.auc) for model in a.models], ("AUC (M)", meaning)),
            Measure("Interval", [limits(one.low, one.high) for one in intervals]),
            Measure(
                "Worst pair",
                [f"{one.first}, {one.second}: {digits(one.auc)}" for one in worst],
            ),
            Measure("LOO", [digits(one) for one in loo], ("LOO", biased)),
        ],
        sentences=[sentence(model, a) for model in a.models],
    )


def pairs(a: SeveralAnalysis) -> Section:
    """Tabulate how well every two classes are told apart."""
    sizes = {part.name: part.count for part in a.parts}
    blocks: list[Block] = []
    for model in a.models:
        rows = [
            [
                f"{pair.first} and {pair.second}",
                f"{sizes[pair.first]}, {sizes[pair.second]}",
                digits(pair.auc),
                limits(pair.low, pair.high),
                digits(pair.first_by_own),
                digits(pair.second_by_own),
            ]
            for pair in model.pairs
        ]
        head = [
            "Classes",
            capital(a.units),
            "AUC",
            "Interval",
            "By response for the first",
            "For the second",
        ]
        blocks.append(Table(f"AUC of {model.name} for every two classes", head, rows, "wide"))
    return Section("pairs", "Every two classes", blocks, is_short=True)


def each_class(a: SeveralAnalysis) -> Section:
    """Show how well every class is told from the others."""
    blocks: list[Block] = []
    for k, model in enumerate(a.models, start=1):
        rows: list[list[Cell]] = []
        for one, part in zip(model.classes, a.parts, strict=True):
            at = one.sensitivity_at
            rows.append(
                [
                    one.name,
                    str(part.count),
                    digits(one.auc),
                    limits(one.interval.low, one.interval.high),
                    Beside(digits(at.sensitivity), f"{digits(at.low)}–{digits(at.high)}"),
                    digits(one.consistency),
                ]
            )
        head = [
            "Class",
            capital(a.units),
            "AUC",
            "Interval",
            f"Sensitivity at specificity {a.specificity:g}",
            "ξ",
        ]
        blocks.append(Table(f"{model.name}: every class against all others", head, rows, "wide"))
        blocks.append(SideBySide(_figures(a, model, k)))
        if model.confusion is not None:
            blocks.append(_confusion(a, model))
    blocks.append(
        Terms(
            [
                (
                    "Sensitivity",
                    f"the largest share of the class that is found where at least "
                    f"{a.specificity:g} of all others are not taken for it.",
                ),
                XI,
            ]
        )
    )
    return Section("classes", "Each class against the others", blocks)


def subgroups(a: SeveralAnalysis) -> Section:
    """Tabulate how well every class is told from the others within subgroups."""
    tables = []
    for model in a.models:
        rows = [
            [one.name, *subgroup_cells(row)]
            for place in range(len(model.classes[0].subgroups))
            for one in model.classes
            for row in [one.subgroups[place]]
        ]
        caption = (
            f"AUC of {model.name} for every class against all others within subgroups: the same "
            f"models, comparing only {a.units} of the same subgroup"
        )
        head = ["Class", "Subgroup", "Of the class / others", "AUC", "Interval", "Remark"]
        tables += [Table(caption, head, rows, "wide")] if rows else []
    return Section("subgroups", "Subgroups", tables, is_short=True)


def _figures(a: SeveralAnalysis, model: SeveralModel, k: int) -> list[Figure]:
    K = len(a.parts)
    aucs = np.full((K, K), np.nan)
    aucs[np.triu_indices(K, 1)] = [pair.auc for pair in model.pairs]
    display = MulticlassDisplay(
        tuple(part.name for part in a.parts),
        np.where(np.isnan(aucs), aucs.T, aucs),
        tuple(drawn_curve(one.curve) for one in model.classes),
        np.array([one.auc for one in model.classes]),
        model.auc,
    )
    return [
        Figure(
            f"pairs-{k}",
            f"AUC of every two classes under {model.name}",
            f"{model.name}: the AUC of every two classes.",
            lambda: drawn(display.plot_matrix, display.matrix_size),
        ),
        Figure(
            f"classes-{k}",
            f"ROC curve of every class under {model.name}",
            f"{model.name}: the ROC curve of every class against all others, with its AUC.",
            lambda: drawn(display.plot_curves, display.curves_size),
        ),
    ]


def _confusion(a: SeveralAnalysis, model: SeveralModel) -> Table:
    assert model.confusion is not None
    names = [part.name for part in a.parts]
    caption = (
        f"{model.name}: {a.units} by class and by the class with the largest mean held-out response"
    )
    rows = [[name, *map(str, row)] for name, row in zip(names, model.confusion, strict=True)]
    return Table(caption, ["Class", *(f"as {name}" for name in names)], rows, "wide")


def each_model(a: SeveralAnalysis) -> Section:
    """Show what is particular to each model."""
    blocks: list[Block] = []
    for k, model in enumerate(a.models, start=1):
        blocks += [Heading(model.name), say_played(model)]
        if len(model.schemes) > 1:
            interval = (model.interval.low, model.interval.high)
            blocks += [
                schemes_figure(model.name, model.schemes, interval, k),
                schemes_table(model.name, model.schemes),
            ]
        if a.sample.is_known:
            classes = [part.name for part in a.parts]
            blocks += final_blocks(model, a.units, "speak for the class", "an AUC (M)", classes)
            blocks += class_equation_blocks(a, model)
        if model.notes:
            blocks.append(Bullets(model.notes))
    return Section("models", "Each model", blocks)


def comparison(a: SeveralAnalysis) -> Section:
    """Compare the models in pairs."""
    blocks: list[Block] = []
    if a.comparisons:
        adjusted = ", p-values adjusted by Holm's method" if len(a.comparisons) > 1 else ""
        caption = f"Differences in AUC (M) on the same {a.units}{adjusted}"
        blocks.append(comparisons_table(a.comparisons, caption, "Models"))
    return Section("comparison", "Comparison", blocks)


def methods_section(a: SeveralAnalysis) -> Section:
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
