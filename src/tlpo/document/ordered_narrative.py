"""What the report of numbers and grades says in sentences."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.shapes import (
    OrderedAnalysis,
    OrderedChoice,
    OrderedModel,
    SurvivalAnalysis,
)
from tlpo.document.narrative import (
    REFERENCES as OF_CLASSES,
)
from tlpo.document.narrative import (
    ask_of,
    name_models,
    said_of_sample,
    say_consistency,
    say_draw,
    say_features,
    say_pairs,
    say_shared_trees,
    say_signal,
    say_software,
)
from tlpo.document.numbers import digits, figures, percent

REFERENCES = (
    OF_CLASSES[0],
    "Somers RH. A new asymmetric measure of association for ordinal variables. American "
    "Sociological Review 1962;27:799-811.",
    OF_CLASSES[2],
)


def title(analysis: OrderedAnalysis) -> str:
    """Name the outcome and the file, and ask the question that the report answers."""
    who = ask_of([model.name for model in analysis.models])
    source = "" if analysis.source is None else f" ({analysis.source})"
    return f"Predicting {analysis.target}{source}: how well {who} rank?"


def say_outcome(analysis: OrderedAnalysis) -> str:
    """Say which numbers or grades there are."""
    if analysis.grades is not None:
        present = [analysis.grades[int(k)] for k in np.unique(numbers(analysis.outcome))]
        return f"with the grades {' < '.join(present)}"
    return f"a number from {figures(min(analysis.outcome))} to {figures(max(analysis.outcome))}"


def sentence(model: OrderedModel, analysis: OrderedAnalysis) -> str:
    """Say in a sentence or two how well a model ranks."""
    found, level = model.interval, percent(analysis.confidence_level)
    verdict = ""
    if found.high < 0.5:
        verdict = f" That is worse than chance: check whether {analysis.target} is coded upwards."
    elif float(digits(found.low)) <= 0.5:
        verdict = " The interval includes 0.5, so the model may rank no better than chance."
    return (
        f"{model.name} ranks two random {analysis.units} with different {analysis.target} in the "
        f"right order with probability {digits(model.concordance)} (the concordance; {level} "
        f"interval {digits(found.low)} to {digits(found.high)})."
        f"{verdict}{say_signal(model.permutation)}"
    )


def choice_sentence(choice: OrderedChoice, analysis: OrderedAnalysis | SurvivalAnalysis) -> str:
    """Say what the best model is worth, given that it was chosen."""
    return (
        f"If you report only the best model, {choice.winner}: its concordance corrected for having "
        f"been chosen among {len(analysis.models)} is {digits(choice.concordance)} "
        f"({percent(analysis.confidence_level)} interval {digits(choice.low)} to "
        f"{digits(choice.high)}), instead of {digits(choice.uncorrected)}."
    )


def methods(analysis: OrderedAnalysis) -> str:
    """Write a paragraph for a paper."""
    many, level = analysis.units, percent(analysis.confidence_level)
    return (
        f"How well {analysis.target} is predicted was estimated by tournament leave-pair-out "
        f"cross-validation [1] of {name_models(analysis.models)}"
        f"{say_features(analysis.sample)}, in {analysis.n_units} {many}. "
        f"{say_pairs(analysis, analysis.rounds)}"
        f"{say_shared_trees(analysis.models, analysis.unit)} The concordance is the share of pairs "
        f"with different {analysis.target} in which the {analysis.unit} with the larger won; "
        "twice the concordance minus one is Somers' D of the predictions given the outcome [2]. "
        f"{level} intervals are score intervals with the variance of independent scores, "
        f"{say_variance(analysis)}.{say_consistency(analysis.models, 3)}"
        f"{said_of_sample(analysis.sample, many)}{say_comparisons(analysis)} "
        f"{say_software(analysis)}"
    )


def say_variance(analysis: OrderedAnalysis | SurvivalAnalysis) -> str:
    """Say by how much the variance of independent scores is inflated."""
    if all(model.interval.method != "inflated" for model in analysis.models):
        drawn = say_draw(analysis.models, analysis.units)
        return f"inflated to the geometric mean of the placement and jackknife variances{drawn}"
    drawn = "" if analysis.rounds is None else ", plus the variance of the draw of pairs"
    return f"doubled{drawn}"


def say_comparisons(analysis: OrderedAnalysis | SurvivalAnalysis) -> str:
    """Say how models were compared, if they were."""
    if not analysis.comparisons:
        return ""
    adjusted = ", with p-values adjusted by Holm's method" if len(analysis.models) > 2 else ""
    return (
        " Models were compared by the difference of their concordances in a paired test that "
        f"accounts for shared training data{adjusted}."
    )
