"""TRIPOD+AI and STARD 2015, item by item: what the report says, and what only its author can.

The items are those of Collins et al. (BMJ 2024;385:e078378) and Bossuyt et al. (BMJ 2015;351:h5527)
in short words; the guidelines themselves say what each of them asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tlpo.analysis.shapes import ModelAnalysis
from tlpo.document.blocks import Block, Folded, Paragraph, Table
from tlpo.document.narrative import is_elsewhere, title
from tlpo.document.numbers import digits, limits, percent
from tlpo.plurals import counted

Answer = Callable[[ModelAnalysis], str | None]
TO_DO = "to be filled in: "


class Item(NamedTuple):
    """An item of a checklist: what we can say of it, or else what to fill in."""

    number: str
    asks: str
    to_do: str
    answer: Answer = lambda _: None


def checklist_blocks(a: ModelAnalysis) -> list[Block]:
    """Return both checklists, filled in as far as the analysis goes."""
    blocks: list[Block] = [
        Paragraph(
            "Every item of both guidelines, with what this report says about it. The rest only you "
            "know.",
            "soft",
        )
    ]
    for name, items in (("TRIPOD+AI", TRIPOD_AI), ("STARD 2015", STARD)):
        rows = [[item.number, item.asks, fill(item, a)] for item in items]
        done = sum(not row[2].startswith(TO_DO) for row in rows)
        summary = f"{name}: {done} of {len(rows)} entries filled in"
        table = Table(name, ["Item", "Asks for", "This report"], rows)
        blocks.append(Folded(summary, [table]))
    return blocks


def fill(item: Item, a: ModelAnalysis) -> str:
    """Return what an item says for an analysis."""
    found = item.answer(a)
    return f"{TO_DO}{item.to_do}" if found is None else found


def _outcome(a: ModelAnalysis) -> str:
    return f"{a.target}, of which '{a.positive}' counts as positive."


def _predictors(a: ModelAnalysis) -> str | None:
    s = a.sample
    if not s.is_known:
        return None
    listed = [*s.numeric, *s.categorical]
    named = ", ".join(listed) if len(listed) <= 30 else f"{len(listed)} columns, see Sample"
    return f"{len(s.numeric)} numeric, {len(s.categorical)} categorical: {named}."


def _missing(a: ModelAnalysis) -> str | None:
    s = a.sample
    if not s.is_known:
        return None
    if s.missing == "drop":
        return f"{counted(s.dropped, 'row')} with missing values left out."
    if not s.missing_cells:
        return "No values were missing."
    return (
        f"{counted(s.missing_cells, 'value')} in {counted(s.incomplete, 'row')}, imputed within "
        "every training set: numbers by the median, categories by a category of their own."
    )


def _flow(a: ModelAnalysis) -> str:
    s = a.sample
    if not s.is_known:
        return f"{a.n_units} {a.units} analysed."
    left_out = s.unselected + s.other_classes + s.without_target + s.dropped
    return f"{s.read} rows read, {left_out} left out, {a.n_units} analysed; see Sample."


def _counts(a: ModelAnalysis) -> str:
    return f"{a.n_units} {a.units}, {a.n_positive} with '{a.positive}'."


def _size(a: ModelAnalysis) -> str:
    return (
        f"{_counts(a)} What so many can show stands under Sample size; why so many were studied "
        "is yours to say."
    )


def _models(a: ModelAnalysis) -> str:
    named = "; ".join(f"{model.name}: {model.described}" for model in a.models)
    return f"{named}. Internal validation by leave-pair-out cross-validation, see Methods."


def _performance(a: ModelAnalysis) -> str:
    parts = [
        f"{model.name}: AUC {digits(model.headline.auc)}"
        + (
            ""
            if model.headline.low is None
            else f" ({limits(model.headline.low, model.headline.high)})"
        )
        for model in a.models
    ]
    return (
        f"{'; '.join(parts)}. Sensitivities, specificities and predictive values: Operating points."
    )


def _measures(a: ModelAnalysis) -> str:
    more = any(model.probabilities is not None for model in a.models)
    calibrated = ", calibration, Brier score and net benefit" if more else ""
    return f"AUC, ROC curve, sensitivity and specificity{calibrated}; see Methods."


def _fairness(a: ModelAnalysis) -> str | None:
    columns = dict.fromkeys(row.by for model in a.models for row in model.subgroups)
    return f"AUC by {', '.join(columns)}: Subgroups." if columns else None


def _groups(a: ModelAnalysis) -> str | None:
    if a.sample.n_groups is None:
        return None
    return f"{counted(a.sample.n_groups, 'group')} ({a.sample.group}), left out together."


def _specification(a: ModelAnalysis) -> str | None:
    if a.model_file is not None:
        return f"Saved as {a.model_file}, which tlpo validate applies to new {a.units}."
    shown = [model.name for model in a.models if model.final.kind == "coefficients"]
    return f"Coefficients of {', '.join(shown)}: Each model." if shown else None


def _output(a: ModelAnalysis) -> str | None:
    scales = {model.name: model.scale for model in a.models if model.scale}
    if not scales:
        return None
    said = "; ".join(f"{name}: a {scale}" for name, scale in scales.items())
    return f"{said}. Cut-offs with their rates: Operating points."


def _baseline(a: ModelAnalysis) -> str | None:
    return "Baseline table under Sample." if a.baseline else None


def _handling(a: ModelAnalysis) -> str | None:
    if is_elsewhere(a.models):
        return None
    return "Preparation was fitted within every training set, see Methods."


def _readers(a: ModelAnalysis) -> str | None:
    if is_elsewhere(a.models):
        return None
    return "The model saw predictors alone when it compared held-out pairs."


def _imbalance(a: ModelAnalysis) -> str | None:
    if is_elsewhere(a.models):
        return None
    share = f"{100 * a.n_positive / a.n_units:.0f} %"
    return (
        f"{share} are positive. Classes were not resampled; the AUC does not depend on the share."
    )


def _software(a: ModelAnalysis) -> str:
    return f"tlpo {a.version}, scikit-learn {a.sklearn}, Python {a.python}, seed {a.seed}."


def _cutoffs(_: ModelAnalysis) -> str:
    return "Chosen on these data, exploratory: Operating points."


def _cross_table(a: ModelAnalysis) -> str | None:
    if all(model.operating_points[0].tp is None for model in a.models):
        return None
    return "TP, FP, FN and TN at every cut-off: Operating points."


def _title(a: ModelAnalysis) -> str:
    return f"For example: {title(a)}"


def _divided(a: ModelAnalysis) -> str:
    every = f"every pair of {a.units} was left out in turn"
    if a.sorts or (a.rounds and a.rounds < a.n_units - 1):
        every = f"pairs of {a.units} were left out in turn, but not every pair"
    return f"No part was set aside: {every}."


def _comparison(a: ModelAnalysis) -> str:
    if a.sorts:
        return "AUC of a ranking by sorting, without intervals; see Methods."
    level = percent(a.confidence_level)
    pairs = ", paired tests of differences" if a.comparisons else ""
    return f"Leave-pair-out AUC with {level} intervals{pairs}; see Methods."


TRIPOD_AI = (
    Item("1", "Title: development of a prediction model, population, outcome", "the title", _title),
    Item("2", "Abstract", "the abstract (TRIPOD+AI for abstracts)"),
    Item("3a", "Health-care context and rationale", "why a model is needed"),
    Item("3b", "Target population and intended use", "whom the model is for, and who will use it"),
    Item("3c", "Known health inequalities", "differences between groups of people"),
    Item("4", "Objectives", "development, evaluation or both"),
    Item("5a", "Sources of data", "cohort, trial, registry, and why they represent the population"),
    Item("5b", "Dates of data", "start and end of inclusion, and of follow-up"),
    Item("6a", "Setting", "primary, secondary care; number and place of centres", _groups),
    Item("6b", "Eligibility criteria", "who was eligible"),
    Item("6c", "Treatments received", "treatments, and how they were handled"),
    Item("7", "Data preparation and quality checks", "cleaning before this table was made"),
    Item("8a", "Outcome: definition and time horizon", "how and when it was assessed", _outcome),
    Item("8b", "Outcome assessors", "who assessed it, with what qualification"),
    Item("8c", "Blinding of the outcome assessment", "what assessors knew"),
    Item("9a", "Choice of predictors", "why these, and any selection before modelling"),
    Item("9b", "Definition of predictors", "how and when they were measured", _predictors),
    Item("9c", "Predictor assessors", "who measured them, if that takes judgement"),
    Item("10", "Sample size", "why so many", _size),
    Item("11", "Missing data", "how they were handled", _missing),
    Item("12a", "Use of the data", "how data were divided", _divided),
    Item(
        "12b",
        "Handling of predictors",
        "transformations and scaling",
        _handling,
    ),
    Item("12c", "Type of model, building steps, internal validation", "the model", _models),
    Item("12d", "Heterogeneity between clusters", "centres or other clusters", _groups),
    Item("12e", "Measures of performance", "measures", _measures),
    Item("12f", "Model updating", "recalibration after evaluation, if any"),
    Item("12g", "How predictions were made for evaluation", "formula or software", _software),
    Item("13", "Class imbalance", "methods against it", _imbalance),
    Item("14", "Fairness", "approaches and their rationale", _fairness),
    Item("15", "Model output", "probability or class, and thresholds", _output),
    Item(
        "16",
        "Differences between training and evaluation",
        "setting, outcome, predictors",
        lambda a: (
            f"None: both are these {a.n_units} {a.units}; new ones need an external validation."
        ),
    ),
    Item("17", "Ethical approval", "committee, consent"),
    Item("18a", "Funding", "sources and role of funders"),
    Item("18b", "Conflicts of interest", "declarations of all authors"),
    Item("18c", "Protocol", "where it can be read"),
    Item("18d", "Registration", "register and number"),
    Item("18e", "Data sharing", "whether and how data are available"),
    Item("18f", "Code sharing", "whether and how code is available", _software),
    Item("19", "Patient and public involvement", "how they were involved, or that they were not"),
    Item("20a", "Flow of participants", "the flow", _flow),
    Item("20b", "Characteristics of participants", "the table", _baseline),
    Item(
        "20c",
        "Comparison of development and evaluation data",
        "not needed for one sample",
        lambda _: "One sample served both.",
    ),
    Item("21", "Participants and events in each analysis", "numbers", _counts),
    Item("22", "The full model", "formula, code or file for new predictions", _specification),
    Item("23a", "Performance with intervals, also in key subgroups", "performance", _performance),
    Item("23b", "Heterogeneity of performance between clusters", "results by cluster", _fairness),
    Item("24", "Results of model updating", "the updated model, if any"),
    Item("25", "Interpretation, with objectives and earlier studies", "the interpretation"),
    Item("26", "Limitations", "sample, missing data, generalisability"),
    Item("27a", "Poor quality or missing input when the model is used", "what then to do"),
    Item("27b", "Interaction with users and their expertise", "what users must do and know"),
    Item("27c", "Next steps", "external validation, studies of impact"),
)

STARD = (
    Item("1", "Title or abstract: a study of diagnostic accuracy", "the title", _title),
    Item("2", "Structured abstract", "the abstract"),
    Item("3", "Scientific and clinical background", "use and role of the index test"),
    Item("4", "Objectives and hypotheses", "objectives"),
    Item("5", "Whether data were collected before or after planning", "prospective or not"),
    Item("6", "Eligibility criteria", "who was eligible"),
    Item("7", "How participants were identified", "symptoms, earlier tests, a registry"),
    Item("8", "Where and when participants were identified", "setting, place, dates"),
    Item("9", "Consecutive, random or convenience series", "which of these"),
    Item("10a", "Index test, in detail", "how it is done", _models),
    Item("10b", "Reference standard, in detail", "how it is done", _outcome),
    Item("11", "Why this reference standard", "the reason, if there are others"),
    Item("12a", "Cut-offs of the index test, prespecified or not", "cut-offs", _cutoffs),
    Item("12b", "Cut-offs of the reference standard", "definition of its categories", _outcome),
    Item(
        "13a",
        "Whether readers of the index test knew the rest",
        "what they knew",
        _readers,
    ),
    Item(
        "13b", "Whether assessors of the reference standard knew the index test", "what they knew"
    ),
    Item("14", "Methods for accuracy and comparisons", "methods", _comparison),
    Item("15", "Indeterminate results", "how they were handled"),
    Item("16", "Missing data", "how they were handled", _missing),
    Item("17", "Analyses of variability", "which were planned", _fairness),
    Item("18", "Sample size", "how it was determined", _size),
    Item("19", "Flow of participants", "the flow", _flow),
    Item("20", "Baseline characteristics", "the table", _baseline),
    Item("21a", "Severity in those with the condition", "distribution of severity"),
    Item("21b", "Alternative diagnoses in those without it", "their distribution"),
    Item("22", "Time and interventions between both tests", "the interval"),
    Item("23", "Cross tabulation", "the table", _cross_table),
    Item("24", "Accuracy with intervals", "estimates", _performance),
    Item("25", "Adverse events", "of either test"),
    Item("26", "Limitations", "bias, uncertainty, generalisability"),
    Item("27", "Implications for practice", "intended use and role"),
    Item("28", "Registration", "number and register"),
    Item("29", "Protocol", "where it can be read"),
    Item("30", "Funding", "sources and role of funders"),
)
