"""What reports of models of other outcomes than two classes say by item of TRIPOD+AI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tlpo.analysis.shapes import (
    OrderedAnalysis,
    OrderedModel,
    SeveralAnalysis,
    SurvivalAnalysis,
    SurvivalModel,
)
from tlpo.document.blocks import Section
from tlpo.document.checklists import (
    OF_RUNS,
    Answers,
    checklist_section,
    say_performance,
    say_size,
    say_written,
)
from tlpo.document.guidelines import TRIPOD_AI
from tlpo.document.numbers import digits, figures, limits, rounded_percent
from tlpo.document.ordered_narrative import say_outcome
from tlpo.document.ordered_narrative import title as ordered_title
from tlpo.document.several_narrative import title as several_title
from tlpo.document.survival_narrative import say_event_counts, say_times
from tlpo.document.survival_narrative import title as survival_title


def _title(text: str) -> str:
    return f"For example: {text}"


def _subgroups(columns: Iterable[str], measure: str) -> str | None:
    named = ", ".join(dict.fromkeys(columns))
    return f"{measure} by {named}: Subgroups." if named else None


# ----- numbers and grades, and what times share with them


def _concordance_by(a: OrderedAnalysis | SurvivalAnalysis) -> str | None:
    columns = (row.by for model in a.models for row in model.subgroups)
    return _subgroups(columns, "Concordance")


def _concordances(models: Sequence[OrderedModel], measure: str, where: str) -> str:
    said = [
        f"{model.name}: {measure} {digits(model.concordance)} "
        f"({limits(model.interval.low, model.interval.high)})"
        for model in models
    ]
    return say_performance(said, where)


def _ordered_counts(a: OrderedAnalysis) -> str:
    return f"{a.n_units} {a.units}; outcome: {say_outcome(a)}."


OF_ORDERED: Answers[OrderedAnalysis] = {
    **OF_RUNS,
    "1": lambda a: _title(ordered_title(a)),
    "8a": lambda a: f"{a.target}, {say_outcome(a)}.",
    "10": lambda a: say_size(f"{a.n_units} {a.units}."),
    "12e": lambda _: "Concordance and Somers' D; see Methods.",
    "13": lambda a: f"There are no classes: {a.target} is {say_outcome(a)}.",
    "14": _concordance_by,
    "15": lambda a: f"A score that is larger where a larger {a.target} is expected; no cut-offs.",
    "21": _ordered_counts,
    "22": lambda a: " ".join(say_written(a.models)) or None,
    "23a": lambda a: _concordances(a.models, "concordance", "See Answer."),
    "23b": _concordance_by,
}


def ordered_checklist(a: OrderedAnalysis) -> Section:
    """Return the checklist of models of numbers or grades."""
    return checklist_section(a, (TRIPOD_AI, OF_ORDERED))


# ----- several classes


def _class_counts(a: SeveralAnalysis) -> str:
    classes = ", ".join(f"'{part.name}' ({part.count})" for part in a.parts)
    return f"{a.n_units} {a.units}: {classes}."


def _class_auc_by(a: SeveralAnalysis) -> str | None:
    columns = (row.by for model in a.models for one in model.classes for row in one.subgroups)
    return _subgroups(columns, "AUC")


def _class_performance(a: SeveralAnalysis) -> str:
    said = [
        f"{model.name}: AUC (M) {digits(model.auc)} "
        f"({limits(model.interval.low, model.interval.high)})"
        for model in a.models
    ]
    where = "Single classes: Every two classes, and Each class against the others."
    return say_performance(said, where)


def _class_imbalance(a: SeveralAnalysis) -> str:
    shares = [part.count / a.n_units for part in a.parts]
    return (
        f"The smallest class has {rounded_percent(min(shares))} of all {a.units}, the largest "
        f"{rounded_percent(max(shares))}. Classes were not resampled; M gives every two classes "
        "the same weight."
    )


OF_SEVERAL: Answers[SeveralAnalysis] = {
    **OF_RUNS,
    "1": lambda a: _title(several_title(a)),
    "8a": lambda a: f"{a.target}, {len(a.parts)} classes.",
    "10": lambda a: f"{_class_counts(a)} Add the sample size justification.",
    "12e": lambda _: (
        "AUC of several classes (Hand and Till's M), of every two classes, and of each against the "
        "others with its ROC curve and a sensitivity; see Methods."
    ),
    "13": _class_imbalance,
    "14": _class_auc_by,
    "15": lambda _: (
        "For every class its probability or, without probabilities, a score; see Methods."
    ),
    "21": _class_counts,
    "22": lambda a: " ".join(say_written(a.models)) or None,
    "23a": _class_performance,
    "23b": _class_auc_by,
}


def several_checklist(a: SeveralAnalysis) -> Section:
    """Return the checklist of models of several classes."""
    return checklist_section(a, (TRIPOD_AI, OF_SEVERAL))


# ----- times to an event


def _time_measures(a: SurvivalAnalysis) -> str:
    times = ", ".join(figures(found.time) for found in a.models[0].at)
    at = f", AUC and ROC curve at {times} ({a.time_column})" if times else ""
    return f"Harrell's and Uno's concordance{at}, survival of risk groups; see Methods."


def _hazards(a: SurvivalAnalysis) -> str | None:
    saved = f"Saved as {a.model_file}, which tlpo validate applies to new {a.units}."
    said = [saved] if a.model_file else []
    for is_whole, what in ((False, "Hazard ratios"), (True, "Hazard ratios and baseline survival")):
        names = [model.name for model in a.models if _has_hazards(model, is_whole)]
        said += [f"{what} of {', '.join(names)}: Each model."] if names else []
    return " ".join(said) or None


def _has_hazards(model: SurvivalModel, is_whole: bool) -> bool:
    return model.final.equation is not None and (model.final.average is not None) == is_whole


OF_SURVIVAL: Answers[SurvivalAnalysis] = {
    **OF_RUNS,
    "1": lambda a: _title(survival_title(a)),
    "8a": say_times,
    "10": lambda a: say_size(say_event_counts(a)),
    "12e": _time_measures,
    "14": _concordance_by,
    "15": lambda _: "A score that is larger where an earlier event is expected; no cut-offs.",
    "21": say_event_counts,
    "22": _hazards,
    "23a": lambda a: _concordances(a.models, "C", "At single times: Answer."),
    "23b": _concordance_by,
}


def survival_checklist(a: SurvivalAnalysis) -> Section:
    """Return the checklist of models of times to an event."""
    return checklist_section(a, (TRIPOD_AI, OF_SURVIVAL))
