"""Guidelines item by item: what a report says, and what only its author can.

An answer is a function from an analysis to a sentence, or to None where the analysis says nothing
about the item. Here are those of all models that were played, and of models of two classes;
what other outcomes say is in `outcome_checklists.py`, markers and validations in
`fixed_checklists.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from tlpo.analysis.shapes import (
    Analysis,
    AnyRun,
    Model,
    ModelAnalysis,
    OrderedModel,
    SeveralFinal,
    SeveralModel,
)
from tlpo.document.blocks import Block, Folded, Paragraph, Section, Table
from tlpo.document.guidelines import STARD, TRIPOD_AI, Guideline, Item
from tlpo.document.narrative import is_elsewhere, title
from tlpo.document.numbers import digits, limits, percent, rounded_percent
from tlpo.plurals import counted

A = TypeVar("A", bound=Analysis)
Answers = Mapping[str, Callable[[A], str | None]]
TO_DO = "to be filled in: "


def checklist_section(a: A, *filled: tuple[Guideline, Answers[A]]) -> Section:
    """Return guidelines, filled in as far as the analysis goes."""
    each = "Every item of both guidelines"
    if len(filled) == 1:
        each = f"Every item of the guideline{filled[0][0].which}"
    said = f"{each}, with what this report says about it. Please complete the remaining items."
    blocks: list[Block] = [Paragraph(said, "soft")]
    for guideline, answers in filled:
        name = guideline.name
        rows = [[item.number, item.asks, fill(item, answers, a)] for item in guideline.items]
        done = sum(not row[2].startswith(TO_DO) for row in rows)
        summary = f"{name}: {done} of {len(rows)} entries filled in"
        table = Table(name, ["Item", "Asks for", "This report"], rows)
        blocks.append(Folded(summary, [table]))
    return Section("checklist", "Checklists" if len(filled) > 1 else "Checklist", blocks)


def fill(item: Item, answers: Answers[A], a: A) -> str:
    """Return what a report says about an item."""
    found = answers[item.number](a) if item.number in answers else None
    return f"{TO_DO}{item.to_do}" if found is None else found


# ----- models of any outcome


def say_size(counts: str) -> str:
    """Say how many were studied, and where the report says what so many can show."""
    return (
        f"{counts} What so many can show stands under Sample size; add the sample size "
        "justification."
    )


def say_performance(said: Sequence[str], where: str) -> str:
    """Say what every model is worth, and where there is more about it."""
    return f"{'; '.join(said)}. {where}"


def say_columns(numeric: Sequence[str], categorical: Sequence[str]) -> str:
    """Name the predictors, unless they are many."""
    listed = [*numeric, *categorical]
    named = ", ".join(listed) if len(listed) <= 30 else f"{len(listed)} columns"
    return f"{len(numeric)} numeric, {len(categorical)} categorical: {named}."


def say_written(models: Sequence[Model | OrderedModel | SeveralModel]) -> list[str]:
    """Name the models that are written down in full, and those of which only coefficients are."""
    written, others = [], []
    for model in models:
        final = model.final
        is_whole = final.equations if isinstance(final, SeveralFinal) else final.equation
        if is_whole:
            written.append(model.name)
        elif final.kind == "coefficients":
            others.append(model.name)
    said = [f"Equation of {', '.join(written)}: Each model."] if written else []
    return said + ([f"Coefficients of {', '.join(others)}: Each model."] if others else [])


def software(a: AnyRun) -> str:
    """Say what computed the analysis."""
    return f"tlpo {a.version}, scikit-learn {a.sklearn}, Python {a.python}, seed {a.seed}."


def _predictors(a: AnyRun) -> str | None:
    return say_columns(a.sample.numeric, a.sample.categorical) if a.sample.is_known else None


def _missing(a: AnyRun) -> str | None:
    s = a.sample
    if not s.is_known:
        return None
    if s.missing == "drop":
        return f"{counted(s.dropped, 'row')} with missing values left out."
    if not s.missing_cells:
        return "No values were missing."
    return (
        f"{counted(s.missing_cells, 'value')} in {counted(s.incomplete, 'row')}, imputed within "
        "every training set: numbers by the median, categories by a separate category for "
        "missing values."
    )


def _flow(a: AnyRun) -> str:
    s = a.sample
    if not s.is_known:
        return f"{a.n_units} {a.units} analysed."
    left_out = s.unselected + s.other_classes + s.without_target + s.dropped
    return f"{s.read} rows read, {left_out} left out, {a.n_units} analysed; see Sample."


def _models(a: AnyRun) -> str:
    named = "; ".join(f"{model.name}: {model.described}" for model in a.models)
    return f"{named}. Internal validation by leave-pair-out cross-validation, see Methods."


def _groups(a: AnyRun) -> str | None:
    if a.sample.n_groups is None:
        return None
    return f"{counted(a.sample.n_groups, 'group')} ({a.sample.group}), left out together."


def _baseline(a: AnyRun) -> str | None:
    return "Baseline table under Sample." if a.baseline else None


def _handling(a: AnyRun) -> str | None:
    if is_elsewhere(a.models):
        return None
    return "Preparation was fitted within every training set, see Methods."


def _divided(a: AnyRun) -> str:
    every = f"every pair of {a.units} was left out in turn"
    rounds, sorts = getattr(a, "rounds", None), getattr(a, "sorts", None)
    if sorts or (rounds and rounds < a.n_units - 1):
        every = f"pairs of {a.units} were left out in turn, but not every pair"
    return f"No part was set aside: {every}."


# Of TRIPOD+AI.
OF_RUNS: Answers[AnyRun] = {
    "9b": _predictors,
    "11": _missing,
    "12a": _divided,
    "12b": _handling,
    "12c": _models,
    "12d": _groups,
    "12g": software,
    "16": lambda a: (
        f"None: both are these {a.n_units} {a.units}; new ones need an external validation."
    ),
    "18f": software,
    "20a": _flow,
    "20b": _baseline,
    "20c": lambda _: "One sample served both.",
}


# ----- models of two classes


def class_outcome(a: ModelAnalysis) -> str:
    """Say what the outcome is."""
    return f"{a.target}, of which '{a.positive}' counts as positive."


def _counts(a: ModelAnalysis) -> str:
    return f"{a.n_units} {a.units}, {a.n_positive} with '{a.positive}'."


def _size(a: ModelAnalysis) -> str:
    return say_size(_counts(a))


def _performance(a: ModelAnalysis) -> str:
    said = []
    for model in a.models:
        low, high = model.headline.low, model.headline.high
        interval = "" if low is None else f" ({limits(low, high)})"
        said.append(f"{model.name}: AUC {digits(model.headline.auc)}{interval}")
    where = "Sensitivities, specificities and predictive values: Operating points."
    return say_performance(said, where)


def _measures(a: ModelAnalysis) -> str:
    more = any(model.probabilities is not None for model in a.models)
    calibrated = ", calibration, Brier score and net benefit" if more else ""
    return f"AUC, ROC curve, sensitivity and specificity{calibrated}; see Methods."


def _fairness(a: ModelAnalysis) -> str | None:
    columns = dict.fromkeys(row.by for model in a.models for row in model.subgroups)
    return f"AUC by {', '.join(columns)}: Subgroups." if columns else None


def _specification(a: ModelAnalysis) -> str | None:
    said = []
    if a.model_file is not None:
        said.append(f"Saved as {a.model_file}, which tlpo validate applies to new {a.units}.")
    return " ".join([*said, *say_written(a.models)]) or None


def _output(a: ModelAnalysis) -> str | None:
    scales = {model.name: model.scale for model in a.models if model.scale}
    if not scales:
        return None
    said = "; ".join(f"{name}: a {scale}" for name, scale in scales.items())
    return f"{said}. Cut-offs with their rates: Operating points."


def _readers(a: ModelAnalysis) -> str | None:
    if is_elsewhere(a.models):
        return None
    return "The model saw predictors alone when it compared held-out pairs."


def _imbalance(a: ModelAnalysis) -> str | None:
    if is_elsewhere(a.models):
        return None
    part = rounded_percent(a.n_positive / a.n_units)
    return f"{part} are positive. Classes were not resampled; the AUC does not depend on the share."


def _cross_table(a: ModelAnalysis) -> str | None:
    if all(model.operating_points[0].tp is None for model in a.models):
        return None
    return "TP, FP, FN and TN at every cut-off: Operating points."


def _title(a: ModelAnalysis) -> str:
    return f"For example: {title(a)}"


def _comparison(a: ModelAnalysis) -> str:
    if a.sorts:
        return "AUC of a ranking by sorting, without intervals; see Methods."
    level = percent(a.confidence_level)
    pairs = ", paired tests of differences" if a.comparisons else ""
    return f"Leave-pair-out AUC with {level} intervals{pairs}; see Methods."


TRIPOD_OF_CLASSES: Answers[ModelAnalysis] = {
    **OF_RUNS,
    "1": _title,
    "8a": class_outcome,
    "10": _size,
    "12e": _measures,
    "13": _imbalance,
    "14": _fairness,
    "15": _output,
    "21": _counts,
    "22": _specification,
    "23a": _performance,
    "23b": _fairness,
}

STARD_OF_CLASSES: Answers[ModelAnalysis] = {
    "1": _title,
    "10a": _models,
    "10b": class_outcome,
    "12a": lambda _: "Chosen on these data, exploratory: Operating points.",
    "12b": class_outcome,
    "13a": _readers,
    "14": _comparison,
    "16": _missing,
    "17": _fairness,
    "18": _size,
    "19": _flow,
    "20": _baseline,
    "23": _cross_table,
    "24": _performance,
}


def class_checklists(a: ModelAnalysis) -> Section:
    """Return the checklists of models of two classes."""
    return checklist_section(a, (TRIPOD_AI, TRIPOD_OF_CLASSES), (STARD, STARD_OF_CLASSES))
