"""What reports of markers say by item of STARD, and those of validations by item of TRIPOD+AI.

Nothing was fitted in either. STARD is about diagnoses, so reports of numbers and times have none.
"""

from __future__ import annotations

from tlpo.analysis.shapes import (
    Analysis,
    CategoricalColumn,
    Marker,
    MarkerAnalysis,
    SurvivalValidation,
    Validation,
)
from tlpo.document.blocks import Section
from tlpo.document.checklists import Answers, checklist_section, say_columns, say_performance
from tlpo.document.guidelines import EVALUATION, STARD
from tlpo.document.marker_narrative import title as marker_title
from tlpo.document.numbers import digits, limits, percent, rounded_percent
from tlpo.document.survival_narrative import say_event_counts, say_times
from tlpo.document.validation_narrative import estimate, say_developed
from tlpo.document.validation_narrative import title as validation_title

# ----- markers of two classes


def _tests(a: MarkerAnalysis) -> str:
    said = []
    for marker in a.markers:
        which = "larger" if marker.larger_is_positive else "smaller"
        said.append(f"{marker.name}, of which {which} values speak for '{a.positive}'")
    return f"{'; '.join(said)}. Add how it is measured."


def _marker_outcome(a: MarkerAnalysis) -> str:
    return f"{a.target}, of which '{a.positive}' counts as positive."


def _marker_cutoffs(a: MarkerAnalysis) -> str:
    given = [
        point.criterion for marker in a.markers for point in marker.operating_points if point.given
    ]
    fixed = f"Given, not chosen on these data: {', '.join(given)}. " if given else ""
    return f"{fixed}{'Others' if given else 'They'} were chosen on these data: Cut-offs."


def _marker_methods(a: MarkerAnalysis) -> str:
    pairs = ", paired tests of differences" if a.comparisons else ""
    return f"AUC with {percent(a.confidence_level)} intervals{pairs}; see Methods."


def _marker_gaps(a: MarkerAnalysis) -> str:
    gaps = [f"{m.name} in {m.n_missing}" for m in a.markers if m.n_missing]
    if not gaps:
        return "No values were missing."
    return f"Missing: {', '.join(gaps)}; each marker was judged on those who have it."


def _marker_flow(a: MarkerAnalysis) -> str:
    others = a.n_read - a.n_without_target - a.n_units
    left = f"{a.n_without_target} without an outcome"
    if others:
        left += f" and {others} others"
    return f"{a.n_read} rows read, {left} left out, {a.n_units} analysed."


def _marker_counts(a: MarkerAnalysis) -> str:
    return (
        f"{a.n_units} {a.units}, {a.n_positive} with '{a.positive}'. Why so many were studied is "
        "yours to say."
    )


def _marker_performance(a: MarkerAnalysis) -> str:
    said = [f"{m.name}: AUC {digits(m.auc)} ({_score_limits(m)})" for m in a.markers]
    return say_performance(said, "Sensitivities, specificities and predictive values: Cut-offs.")


def _score_limits(marker: Marker) -> str:
    return limits(marker.score_interval.low, marker.score_interval.high)


OF_MARKERS: Answers[MarkerAnalysis] = {
    "1": lambda a: f"For example: {marker_title(a)}",
    "10a": _tests,
    "10b": _marker_outcome,
    "12a": _marker_cutoffs,
    "12b": _marker_outcome,
    "14": _marker_methods,
    "16": _marker_gaps,
    "18": _marker_counts,
    "19": _marker_flow,
    "23": lambda _: "TP, FP, FN and TN at every cut-off: Cut-offs.",
    "24": _marker_performance,
}


def marker_checklist(a: MarkerAnalysis) -> Section:
    """Return the checklist of markers."""
    return checklist_section(a, (STARD, OF_MARKERS))


# ----- a saved model on new patients

Validated = Validation | SurvivalValidation


def _new_predictors(a: Validated) -> str:
    numeric: list[str] = []
    categorical: list[str] = []
    for column in a.card.columns:
        is_category = isinstance(column, CategoricalColumn)
        (categorical if is_category else numeric).append(column.name)
    named = say_columns(numeric, categorical)
    return f"{named} Add whether they were measured as in development."


def _new_gaps(a: Validated) -> str | None:
    if not a.card.fills_gaps:
        return "The model fills none: rows with missing values were left out."
    return "Filled by the model as in development."


def _new_flow(a: Validated) -> str:
    return f"{a.n_read} rows read, {a.n_read - a.n_units} left out, {a.n_units} analysed."


def _new_groups(a: Validated) -> str | None:
    if a.group is None:
        return None
    return f"Intervals treat {a.units} of the same {a.group} as dependent."


def _applied(a: Validated) -> str:
    return f"The saved model {a.model}, applied by tlpo {a.version}."


def _software(a: Analysis) -> str:
    return f"tlpo {a.version}, scikit-learn {a.sklearn}, Python {a.python}."


_NOT_UPDATED = "None: nothing was fitted to the new data."

_OF_VALIDATIONS: Answers[Validated] = {
    "1": lambda a: f"For example: {validation_title(a)}",
    "4": lambda a: f"Evaluation of {a.card.name}, which was developed before.",
    "9b": _new_predictors,
    "11": _new_gaps,
    "12d": _new_groups,
    "12f": lambda _: _NOT_UPDATED,
    "12g": _applied,
    "18f": _software,
    "20a": _new_flow,
    "24": lambda _: _NOT_UPDATED,
}


def _new_counts(a: Validation) -> str:
    return f"{a.n_units} {a.units}, {a.n_positive} with '{a.positive}'."


def _prevalences(a: Validation) -> str:
    then = rounded_percent(a.card.data.n_positive / a.card.data.n_units)
    now = rounded_percent(a.n_positive / a.n_units)
    return (
        f"{say_developed(a.card)}, {then} of them with '{a.positive}'; of the {a.n_units} new "
        f"{a.units} {now}. Differences in setting, eligibility and measurement are yours to say."
    )


def _validated_measures(a: Validation) -> str:
    more = ", calibration, Brier score and net benefit" if a.probabilities is not None else ""
    return f"AUC, sensitivity and specificity at the cut-offs of development{more}."


OF_VALIDATION: Answers[Validation] = {
    **_OF_VALIDATIONS,
    "8a": lambda a: f"{a.target}, of which '{a.positive}' counts as positive.",
    "10": lambda a: f"{_new_counts(a)} Add the sample size justification.",
    "12e": _validated_measures,
    "13": lambda a: (
        f"{rounded_percent(a.n_positive / a.n_units)} are positive; nothing was resampled."
    ),
    "16": _prevalences,
    "21": _new_counts,
    "23a": lambda a: f"AUC {estimate(a.auc)}. Rates at cut-offs: Discrimination.",
}

OF_SURVIVAL_VALIDATION: Answers[SurvivalValidation] = {
    **_OF_VALIDATIONS,
    "8a": say_times,
    "10": lambda a: f"{say_event_counts(a)} Add the sample size justification.",
    "12e": lambda a: (
        "Harrell's and Uno's concordance, AUC at single times, survival of risk groups"
        f"{', calibration' if a.why_no_calibration is None else ''}."
    ),
    "16": lambda a: (
        f"{say_developed(a.card)}, {a.card.data.n_events} of them with the event; of the "
        f"{a.n_units} new {a.units} {sum(a.event)}. Differences in setting, eligibility, "
        "measurement and follow-up are yours to say."
    ),
    "21": say_event_counts,
    "23a": lambda a: f"C {estimate(a.concordance)}. At single times: Discrimination.",
}


def validation_checklist(a: Validation) -> Section:
    """Return the checklist of a saved model of two classes."""
    return checklist_section(a, (EVALUATION, OF_VALIDATION))


def survival_validation_checklist(a: SurvivalValidation) -> Section:
    """Return the checklist of a saved model of times to an event."""
    return checklist_section(a, (EVALUATION, OF_SURVIVAL_VALIDATION))
