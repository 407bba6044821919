"""The report of models whose outcome is numbers or grades: one function per section."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.packed_games import unpack_games
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import OrderedAnalysis, OrderedModel, SeveralAnalysis, SurvivalAnalysis
from tlpo.displays import ConcordanceDisplay
from tlpo.document.answer import Measure, answer_section
from tlpo.document.blocks import (
    Block,
    Bullets,
    Document,
    Figure,
    Folded,
    Heading,
    Paragraph,
    Quote,
    Section,
    SideBySide,
    Table,
)
from tlpo.document.chosen import chosen_blocks
from tlpo.document.equation import ordered_equation_blocks
from tlpo.document.numbers import capital, digits, limits, percent
from tlpo.document.ordered_narrative import (
    REFERENCES,
    choice_sentence,
    methods,
    say_outcome,
    sentence,
    title,
)
from tlpo.document.outcome_checklists import ordered_checklist
from tlpo.document.parts import (
    FEW_ROWS,
    XI,
    characteristic_cells,
    comparisons_table,
    drawn,
    flow_rows,
    footer,
    say_each,
)
from tlpo.document.played import (
    choice_section,
    final_blocks,
    say_played,
    schemes_figure,
    schemes_table,
)
from tlpo.document.without import without_each
from tlpo.plurals import counted
from tlpo.roc.planning import ordered_width

Ranked = OrderedAnalysis | SurvivalAnalysis


def ordered_document(a: OrderedAnalysis, word: Word) -> Document:
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
        ordered_checklist(a),
    ]
    return Document(
        title(a),
        f"Outcome: {a.target}, {say_outcome(a)}. {capital(a.units)}: {a.n_units}. Evaluated by "
        "tournament leave-pair-out cross-validation.",
        [section for section in sections if section.blocks],
        footer(a, f", seed {a.seed}"),
    )


def answer(a: OrderedAnalysis, word: Word) -> Section:
    """Say how well every model ranks, and what to know about it."""
    meaning = (
        f"two {a.units} with different {a.target} are compared by a model trained "
        "without either. The concordance is the share of these comparisons in which "
        f"the one with the larger {a.target} is predicted higher, which is almost "
        "unbiased; 0.5 is chance, 1 is perfect."
    )
    somers = "twice the concordance minus one: 0 is chance, 1 is perfect."
    biased = (
        "concordance by leave-one-out with pooled predictions, which is biased; shown for "
        "comparison."
    )
    found = [model.concordance for model in a.models]
    intervals = [model.interval for model in a.models]
    return answer_section(
        a,
        word,
        f"Concordance with {percent(a.confidence_level)} intervals",
        [
            Measure("Concordance", [digits(one) for one in found], ("Concordance", meaning)),
            Measure("Interval", [limits(one.low, one.high) for one in intervals]),
            Measure("Somers' D", [digits(2.0 * one - 1.0) for one in found], ("Somers' D", somers)),
            Measure("ξ", [digits(model.consistency) for model in a.models], XI),
            Measure("LOO", [digits(scheme(model, "loo")) for model in a.models], ("LOO", biased)),
        ],
        sentences=[sentence(model, a) for model in a.models],
    )


def scheme(model: OrderedModel, name: str) -> float | None:
    """Return another estimate of a model's concordance, or None if there is none."""
    return next((row.concordance for row in model.schemes if row.scheme == name), None)


def subgroups(a: Ranked) -> Section:
    """Tabulate the concordance within subgroups."""
    tables = []
    for model in a.models:
        rows = [
            [
                f"{row.by}: {'missing' if row.subgroup is None else row.subgroup}",
                str(row.n_units),
                digits(row.concordance),
                limits(row.low, row.high),
                row.note,
            ]
            for row in model.subgroups
        ]
        head = ["Subgroup", capital(a.units), "Concordance", "Interval", "Remark"]
        caption = (
            f"Concordance of {model.name} within subgroups: the same models, comparing only "
            f"{a.units} of the same subgroup"
        )
        tables += [Table(caption, head, rows, "wide")] if rows else []
    return Section("subgroups", "Subgroups", tables, is_short=True)


def each_model(a: OrderedAnalysis) -> Section:
    """Show what is particular to each model."""
    blocks = [
        block for k, model in enumerate(a.models, start=1) for block in _model_blocks(a, model, k)
    ]
    return Section("models", "Each model", blocks)


def _model_blocks(a: OrderedAnalysis, model: OrderedModel, k: int) -> list[Block]:
    blocks: list[Block] = [Heading(model.name), *played_blocks(a, model, k)]
    if a.sample.is_known:
        speak = f"go with a larger {a.target}"
        blocks += final_blocks(model, a.units, speak, "a concordance")
        blocks += ordered_equation_blocks(a, model)
    blocks += chosen_blocks(model.final.chosen, model.name, a.units, k)
    if model.notes:
        blocks.append(Bullets(model.notes))
    return blocks


def played_blocks(a: Ranked, model: OrderedModel, k: int) -> list[Block]:
    """Show how a model was played, its wins, and other estimates of its concordance."""
    blocks: list[Block] = [say_played(model)]
    pictures = [_wins_figure(a, model, k)]
    if len(model.schemes) > 1:
        interval = (model.interval.low, model.interval.high)
        pictures.append(schemes_figure(model.name, model.schemes, interval, k))
    blocks.append(SideBySide(pictures) if len(pictures) > 1 else pictures[0])
    if len(model.schemes) > 1:
        blocks.append(schemes_table(model.name, model.schemes))
    return blocks


def _wins_figure(a: Ranked, model: OrderedModel, k: int) -> Figure:
    against = a.time_column if isinstance(a, SurvivalAnalysis) else a.target
    caption = f"Wins of every {a.unit} against {against}"
    if model.games is not None:
        caption += (
            f". Each line joins two {a.units} whom the model ranks the wrong way round; many lines "
            "merge into a shade"
        )
    grades, event, scores = None, None, numbers(model.scores)
    if isinstance(a, SurvivalAnalysis):
        y, event = numbers(a.time), np.array(a.event, dtype=bool)
    else:
        y, grades = numbers(a.outcome), None if a.grades is None else tuple(a.grades)

    def draw() -> object:
        if model.games is None:
            none = np.empty((0, 2), dtype=np.intp)
            display = ConcordanceDisplay(y, scores, none, 0, grades, None, event)
        else:
            wins = unpack_games(model.games)
            display = ConcordanceDisplay.from_games(wins, y, scores, grades, None, event)
        figure = drawn(display.plot, (4.6, 3.6))
        display.ax_.set_xlabel(against.replace("$", r"\$"))
        if model.games is None:
            display.ax_.set_title("")
        return figure

    alt = f"Wins of every {a.unit} under {model.name} against {against}"
    return Figure(f"wins-{k}", alt, f"{caption}.", draw)


def comparison(a: Ranked) -> Section:
    """Compare the models in pairs."""
    if not a.comparisons:
        return Section("comparison", "Comparison", [])
    adjusted = ", p-values adjusted by Holm's method" if len(a.comparisons) > 1 else ""
    caption = f"Differences in concordance on the same {a.units}{adjusted}"
    return Section(
        "comparison", "Comparison", [comparisons_table(a.comparisons, caption, "Models")]
    )


def choice(a: Ranked) -> Section:
    """Say what the best model is worth, given that it was chosen."""
    return choice_section(None if a.choice is None else choice_sentence(a.choice, a))


def sample(a: Ranked | SeveralAnalysis) -> Section:
    """Say who was studied."""
    s = a.sample
    groups = f", in {counted(s.n_groups, 'group')}" if s.n_groups else ""
    each = say_each(a) if isinstance(a, SurvivalAnalysis) else ""
    blocks: list[Block] = [
        Table(f"Flow of {a.units}", [], flow_rows(s, f"{a.n_units}{groups}", each)),
    ]
    if s.notes:
        blocks.append(Bullets(s.notes))
    if a.baseline:
        n_features = len(s.numeric) + len(s.categorical)
        n_shown = len({row.feature for row in a.baseline})
        which = f"the first {n_shown} of {n_features}" if n_shown < n_features else n_features
        head = [
            "Characteristic",
            f"All ({a.n_units})",
            *(f"{part.name} ({part.count})" for part in a.parts),
        ]
        divided = f"by {a.target}"
        if isinstance(a, OrderedAnalysis) and a.grades is not None:
            divided = "by grade"
        elif isinstance(a, SeveralAnalysis):
            divided = "by class"
        caption = (
            f"Characteristics of the {a.units} {divided}. Mean ± SD or, where the skewness exceeds "
            "1, median [quartiles]; number (share of known values). No p-values: whether single "
            "features differ is another question."
        )
        rows = [
            characteristic_cells(row.feature, row.level, row.kind, [row.all, *row.parts])
            for row in a.baseline
        ]
        blocks.append(
            Folded(
                f"Baseline table: {which} feature{'' if n_features == 1 else 's'} {divided}",
                [Table(caption, head, rows, "wide")],
                is_open=len(a.baseline) <= FEW_ROWS,
            )
        )
    return Section("sample", "Sample", blocks)


def sample_size(a: OrderedAnalysis) -> Section:
    """Say what so many patients can show."""
    counts = np.unique(numbers(a.outcome), return_counts=True)[1].tolist()
    level = a.confidence_level
    rows = [
        [f"{true:g}", limits(*ordered_width(true, counts, level), 2)]
        for true in (0.5, 0.6, 0.7, 0.8, 0.9)
    ]
    caption = f"The interval that {a.n_units} {a.units} are expected to give"
    head = ["True concordance", f"Expected {percent(level)} interval"]
    return Section(
        "size",
        "Sample size",
        [
            Table(caption, head, rows),
            Paragraph(
                f"Computed from {a.target} alone, with the variance of independent scores doubled, "
                "because models are trained on the same data.",
                "soft",
            ),
        ],
    )


def methods_section(a: OrderedAnalysis) -> Section:
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
