"""The report of models: one function per section."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import number, numbers
from tlpo.analysis.packed_games import unpack_games
from tlpo.analysis.plan import plan_sample
from tlpo.analysis.remarks import Word
from tlpo.analysis.shapes import Model, ModelAnalysis
from tlpo.displays import ScoreDisplay, TournamentDisplay
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
from tlpo.document.checklists import class_checklists
from tlpo.document.chosen import chosen_blocks
from tlpo.document.equation import equation_blocks
from tlpo.document.narrative import REFERENCES, choice_sentence, methods, sentence, title
from tlpo.document.numbers import (
    capital,
    digits,
    in_brackets,
    limits,
    percent,
)
from tlpo.document.parts import (
    FEW_ROWS,
    MOST_BANDS,
    OF_BANDS,
    XI,
    baseline_cells,
    comparisons_table,
    drawn,
    flow_rows,
    footer,
    points_table,
    probability_blocks,
    roc_display,
    say_each,
    subgroup_cells,
)
from tlpo.document.played import (
    choice_section,
    final_blocks,
    say_played,
    schemes_figure,
    schemes_table,
)
from tlpo.document.smooth import HEAD, TERM, say_smooth, smooth_cells
from tlpo.document.without import without_each
from tlpo.plurals import counted


def model_document(a: ModelAnalysis, word: Word) -> Document:
    """Return the report of models."""
    scheme = "quicksort" if a.sorts else "tournament"
    sections = [
        answer(a, word),
        roc_curve(a),
        operating_points(a),
        subgroups(a),
        each_model(a),
        without_each(a),
        comparison(a),
        choice(a),
        sample(a),
        sample_size(a),
        methods_section(a),
        class_checklists(a),
    ]
    return Document(
        title(a),
        f"Outcome: {a.target}. {a.n_units} {a.units}: {a.n_positive} with '{a.positive}', which "
        f"counts as positive, and {a.n_negative} with '{a.negative}'. Evaluated by {scheme} "
        "leave-pair-out cross-validation.",
        [section for section in sections if section.blocks],
        footer(a, f", seed {a.seed}"),
    )


def answer(a: ModelAnalysis, word: Word) -> Section:
    """Say how well every model does, and what to know about it."""
    found = [model.headline for model in a.models]
    at = [model.sensitivity_at[0] for model in a.models]
    with_intervals = "" if a.sorts else f" with {percent(a.confidence_level)} intervals"
    auc = (
        f"the share of comparisons between one {a.unit} with '{a.positive}' and one with "
        f"'{a.negative}' that the former wins (leave-pair-out), which is almost unbiased"
    )
    if a.sorts:
        auc = (
            f"the area under the ROC curve of the {a.units} sorted by such comparisons, averaged "
            "over the sorts"
        )
    meaning = (
        f"two {a.units} are compared by a model trained without either; the one predicted "
        f"higher wins. The AUC is {auc}; 0.5 is chance, 1 is perfect."
    )
    biased = "leave-one-out with pooled predictions, which is biased; shown for comparison."
    return answer_section(
        a,
        word,
        f"AUC{with_intervals}, and sensitivity at a specificity of {a.specificity:g}",
        [
            Measure("AUC", [digits(one.auc) for one in found], ("AUC", meaning)),
            Measure("Interval", [limits(one.low, one.high) for one in found]),
            Measure(
                "Sensitivity",
                [digits(one.sensitivity) + in_brackets(one.low, one.high) for one in at],
            ),
            Measure(HEAD, smooth_cells([model.curve for model in a.models], a.smooth), TERM),
            Measure("ξ", [digits(model.consistency) for model in a.models], XI),
            Measure("LOO AUC", [digits(model.auc.loo) for model in a.models], ("LOO", biased)),
        ],
        sentences=[sentence(model, a) for model in a.models],
    )


def roc_curve(a: ModelAnalysis) -> Section:
    """Draw the ROC curves."""
    alike = len({(model.curve.kind, model.curve.why) for model in a.models}) == 1
    said = []
    for model in a.models[:1] if alike else a.models:
        what = {
            "tournament": f"{a.units} ranked by their wins, the comparisons that each won",
            "quicksort": f"{a.units} ranked by sorting",
        }.get(
            model.curve.kind,
            f"pooled predictions of pairs of one {a.unit} with '{a.positive}' and one with "
            f"'{a.negative}', shifted to the AUC, because comparisons tie",
        )
        said.append(f"{capital(what) if alike else f'{model.name}: {what}'} ({model.curve.why}).")
    said.append(f"Dots mark the operating point with a specificity of at least {a.specificity:g}.")
    if len(a.models) <= MOST_BANDS and not a.sorts:
        said.append(
            f"Bands are pointwise {percent(a.confidence_level)} limits: each point lies within "
            f"its limits with that confidence, the whole curve with less. {OF_BANDS}"
        )
    named = "; ".join(f"{model.name}, AUC {digits(model.headline.auc)}" for model in a.models)
    display = roc_display(
        {model.name: model.curve for model in a.models},
        {model.name: model.headline.auc for model in a.models},
        {model.name: model.band for model in a.models},
        a.specificity,
    )
    picture = Figure(
        "roc",
        f"ROC curves of {named}",
        " ".join(said) + say_smooth([model.curve for model in a.models]),
        lambda: drawn(display.plot, (4.6, 4.6)),
    )
    return Section("curve", "ROC curve", [picture])


def operating_points(a: ModelAnalysis) -> Section:
    """Say what cut-offs mean."""
    text = (
        f"{'A place in a sort' if a.sorts else 'A number of wins'} ranks the {a.units} of this "
        f"sample; a new {a.unit} was compared with none of them and has none. "
    )
    if any(model.scale for model in a.models):
        text += (
            f"What a new {a.unit} gets is the score of the model fitted to all {a.units}. Its "
            f"cut-off calls as many of these {a.units} positive, by the mean of what models that "
            "had not seen them predicted. "
        )
    text += (
        f"All cut-offs were chosen on these data and are exploratory: with new {a.units} their "
        "rates are likely to be worse."
    )
    if any(model.curve.kind == "leave-pair-out" for model in a.models):
        text += (
            " Where comparisons tie, the points are rates of pooled predictions, which count no "
            f"{a.units}."
        )
    if not a.sorts:
        text += (
            " The limits allow for that choice: those of a cut-off fixed beforehand would be "
            "narrower."
        )
    share = f"the prevalence in this sample ({digits(a.n_positive / a.n_units)})"
    if a.prevalence is not None:
        share = f"a prevalence of {a.prevalence:g}"
    return Section(
        "points",
        "Operating points",
        [
            Paragraph(f"{text} Predictive values refer to {share}.", "soft"),
            *(
                points_table(model.name, model.operating_points, model.scale, a.unit)
                for model in a.models
            ),
            Paragraph(
                "TP, FP, FN, TN: true and false positives, false and true negatives. PPV, NPV: "
                "positive and negative predictive value. LR: likelihood ratio.",
                "soft",
            ),
        ],
    )


def subgroups(a: ModelAnalysis) -> Section:
    """Tabulate the AUC within subgroups."""
    tables = []
    for model in a.models:
        rows = [subgroup_cells(row) for row in model.subgroups]
        head = ["Subgroup", f"{a.positive} / {a.negative}", "AUC", "Interval", "Remark"]
        caption = (
            f"AUC of {model.name} within subgroups: the same models, comparing only {a.units} of "
            "the same subgroup"
        )
        tables += [Table(caption, head, rows)] if rows else []
    return Section("subgroups", "Subgroups", tables, is_short=True)


def each_model(a: ModelAnalysis) -> Section:
    """Show what is particular to each model."""
    blocks = [
        block for k, model in enumerate(a.models, start=1) for block in _model_blocks(a, model, k)
    ]
    return Section("models", "Each model", blocks)


def _model_blocks(a: ModelAnalysis, model: Model, k: int) -> list[Block]:
    low, high = model.headline.low, model.headline.high
    interval = None if low is None or high is None else (low, high)
    blocks: list[Block] = [
        Heading(model.name),
        say_played(model),
        SideBySide(
            [
                _scores_figure(a, model, k),
                schemes_figure(model.name, model.schemes, interval, k),
            ]
        ),
        schemes_table(model.name, model.schemes),
    ]
    final: list[Block] = []
    if a.sample.is_known:
        final = final_blocks(model, a.units, f"speak for {a.target} '{a.positive}'")
        final += equation_blocks(a, model)
    if model.games is not None:
        final = [SideBySide([_games_figure(a, model, k), *final[:1]]), *final[1:]]
    blocks += final
    blocks += chosen_blocks(model.final.chosen, model.name, a.units, k)
    if model.notes:
        blocks.append(Bullets(model.notes))
    if model.probabilities is None:
        why = f"No calibration or net benefit: {model.why_no_probabilities}."
        return [*blocks, Paragraph(why, "soft")]
    return [
        *blocks,
        Heading(f"{model.name}: probabilities"),
        Paragraph(
            "Held-out probabilities of the same models that decided the positive–negative pairs, "
            f"with {percent(a.confidence_level)} intervals.",
            "soft",
        ),
        *probability_blocks(model.probabilities, model.name, a.units, a.confidence_level, f"-{k}"),
    ]


def _scores_figure(a: ModelAnalysis, model: Model, k: int) -> Figure:
    what = "Mean place" if a.sorts else "Wins"
    is_positive = np.array(a.is_positive, dtype=bool)

    def draw() -> object:
        display = ScoreDisplay(numbers(model.scores), is_positive, (a.negative, a.positive))
        figure = drawn(display.plot, (4.6, 2.5))
        if a.sorts:
            display.ax_.set_xlabel("mean place")
        return figure

    return Figure(
        f"scores-{k}",
        f"{what} of every {a.unit} under {model.name}, by outcome",
        f"{what} of every {a.unit}, by outcome.",
        draw,
    )


def _games_figure(a: ModelAnalysis, model: Model, k: int) -> Figure:
    caption = "All comparisons"
    if k == 1:
        caption += (
            f": dark where the {a.unit} of the row won. Dark cells left of the diagonal are wins "
            f"of the lower-ranked {a.unit}"
        )
    caption += (
        ". ξ is not defined because comparisons are missing."
        if model.consistency is None
        else f". ξ = {digits(model.consistency)}."
    )
    if model.n_ties:
        caption += (
            f" {model.n_ties} of {model.n_games} comparisons are ties; they count half for either "
            "side and lower ξ although they contradict nothing."
        )

    def draw() -> object:
        assert model.games is not None
        matrix = TournamentDisplay.from_games(
            unpack_games(model.games),
            numbers(model.scores),
            np.array(a.is_positive, dtype=bool),
            number(model.consistency),
        )
        return drawn(matrix.plot, (4.6, 4.8))

    alt = f"Win matrix of {model.name}, {a.units} sorted by wins"
    return Figure(f"games-{k}", alt, caption, draw)


def comparison(a: ModelAnalysis) -> Section:
    """Compare the models in pairs."""
    if not a.comparisons:
        return Section("comparison", "Comparison", [])
    adjusted = "; p-values also adjusted by Holm's method" if len(a.comparisons) > 1 else ""
    caption = f"Differences in AUC on the same {a.units}{adjusted}"
    return Section(
        "comparison",
        "Comparison",
        [
            comparisons_table(a.comparisons, caption, "Models"),
            Paragraph(
                "DeLong's paired test treats the models as fixed, although they were trained on "
                "the same data, and rejects true null hypotheses too often. It is shown because "
                "readers ask for it.",
                "soft",
            ),
        ],
    )


def choice(a: ModelAnalysis) -> Section:
    """Say what the best model is worth, given that it was chosen."""
    return choice_section(None if a.choice is None else choice_sentence(a.choice, a))


def sample(a: ModelAnalysis) -> Section:
    """Say who was studied."""
    s = a.sample
    groups = f", in {counted(s.n_groups, 'group')}" if s.n_groups else ""
    analysed = (
        f"{a.n_units}: {a.n_positive} with '{a.positive}', {a.n_negative} with "
        f"'{a.negative}'{groups}"
    )
    blocks: list[Block] = [Table(f"Flow of {a.units}", [], flow_rows(s, analysed, say_each(a)))]
    if s.notes:
        blocks.append(Bullets(s.notes))
    if a.baseline:
        n_features = len(s.numeric) + len(s.categorical)
        n_shown = len({row.feature for row in a.baseline})
        which = f"the first {n_shown} of {n_features}" if n_shown < n_features else n_features
        head = [
            "Characteristic",
            f"All ({a.n_units})",
            f"{a.positive} ({a.n_positive})",
            f"{a.negative} ({a.n_negative})",
        ]
        caption = (
            f"Characteristics of the {a.units}. Mean ± SD or, where the skewness exceeds 1, median "
            "[quartiles]; number (share of known values). No p-values: whether single features "
            "differ is another question."
        )
        blocks.append(
            Folded(
                f"Baseline table: {which} feature{'' if n_features == 1 else 's'} by outcome",
                [Table(caption, head, [baseline_cells(row) for row in a.baseline])],
                is_open=len(a.baseline) <= FEW_ROWS,
            )
        )
    return Section("sample", "Sample", blocks)


def sample_size(a: ModelAnalysis) -> Section:
    """Say what so many patients can show."""
    plan = plan_sample(a.n_units, a.n_positive / a.n_units, a.confidence_level)
    rows = [
        [f"{row.auc:g}", digits(row.power, 2), limits(row.low, row.high, 2), str(row.needed)]
        for row in plan
    ]
    head = [
        "True AUC",
        "Power against 0.5",
        f"Expected {percent(a.confidence_level)} interval",
        f"{capital(a.units)} needed",
    ]
    caption = (
        f"What {a.n_units} {a.units} can show if the true AUC is as given, and how many would give "
        f"an interval {plan[0].width:g} wide"
    )
    return Section(
        "size",
        "Sample size",
        [
            Table(caption, head, rows),
            Paragraph(
                f"Computed from the number of {a.units} alone, with the variance of independent "
                "scores doubled, because models are trained on the same data; a one-sided test at "
                f"5%. The same share of '{a.positive}' is assumed.",
                "soft",
            ),
        ],
    )


def methods_section(a: ModelAnalysis) -> Section:
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
