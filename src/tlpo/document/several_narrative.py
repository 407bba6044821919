"""What the report of more than two classes says in sentences."""

from __future__ import annotations

from tlpo.analysis.shapes import SeveralAnalysis, SeveralModel
from tlpo.document.narrative import (
    REFERENCES as OF_TWO,
)
from tlpo.document.narrative import (
    ask_of,
    name_models,
    said_of_sample,
    say_compared,
    say_divided,
    say_features,
    say_shared_trees,
    say_signal,
    say_software,
    say_tested,
    say_training,
)
from tlpo.document.numbers import digits, percent

REFERENCES = (
    OF_TWO[0],
    "Hand DJ, Till RJ. A simple generalisation of the area under the ROC curve for multiple class "
    "classification problems. Machine Learning 2001;45:171-186.",
    "Hanley JA, McNeil BJ. The meaning and use of the area under a receiver operating "
    "characteristic (ROC) curve. Radiology 1982;143:29-36.",
    OF_TWO[2],
)


def title(analysis: SeveralAnalysis) -> str:
    """Name the outcome and the file, and ask the question that the report answers."""
    who = ask_of([model.name for model in analysis.models])
    source = "" if analysis.source is None else f" ({analysis.source})"
    return f"Predicting {analysis.target}{source}: how well {who} tell the classes apart?"


def sentence(model: SeveralModel, analysis: SeveralAnalysis) -> str:
    """Say in two or three sentences how well a model tells classes apart."""
    found, level = model.interval, percent(analysis.confidence_level)
    verdict = ""
    if found.high < 0.5:
        verdict = " That is worse than chance: check the labels."
    elif float(digits(found.low)) <= 0.5:
        verdict = " The interval includes 0.5, so the model may do no better than chance."
    worst = min(model.pairs, key=lambda pair: pair.auc)
    best = max(model.pairs, key=lambda pair: pair.auc)
    spread = (
        f"It is best at '{best.first}' and '{best.second}' ({digits(best.auc)}), worst at "
        f"'{worst.first}' and '{worst.second}' ({digits(worst.auc)}; {digits(worst.low)} to "
        f"{digits(worst.high)})."
    )
    if digits(best.auc) == digits(worst.auc):
        spread = f"It tells every two classes apart equally well ({digits(best.auc)})."
    return (
        f"{model.name} tells two random {analysis.units} of different classes of "
        f"{analysis.target} apart with probability {digits(model.auc)} (the AUC of several "
        f"classes, M; {level} interval {digits(found.low)} to {digits(found.high)}). "
        f"{spread}{verdict}{say_signal(model.permutation)}"
    )


def methods(analysis: SeveralAnalysis) -> str:
    """Write a paragraph for a paper."""
    one, many, m = analysis.unit, analysis.units, analysis.n_units
    level = percent(analysis.confidence_level)
    classes = ", ".join(f"{part.name!r} ({part.count})" for part in analysis.parts)
    n_pairs = m * (m - 1) // 2
    return (
        f"How well the {len(analysis.parts)} classes of {analysis.target}, {classes}, are told "
        "apart was estimated by tournament leave-pair-out cross-validation [1] of "
        f"{name_models(analysis.models)}{say_features(analysis.sample)}, in {m} {many}. "
        f"For each of the {n_pairs} pairs of {many}, {say_training(analysis.models)}; for every "
        f"class, the {one} with the larger response won (its "
        "predicted probability or, without probabilities, its decision function)."
        f"{say_shared_trees(analysis.models, one)} The AUC of two classes is the mean of two "
        f"shares: of pairs with one {one} of each, those in which the {one} of a class won in its "
        "response. The AUC of all is Hand and Till's M, the mean over all pairs of classes [2]. "
        f"{level} intervals for M and its parts are score intervals with Hanley and McNeil's "
        f"variance [3], {_say_variance(analysis)}, and Student's quantile with one degree of "
        "freedom less than the smallest class has members. The ROC curve of a class against all "
        f"others was drawn from the number of wins in its response; sensitivities are the largest "
        f"at a specificity of at least {analysis.specificity:g}.{_say_consistency(analysis)}"
        f"{said_of_sample(analysis.sample, many)}{say_compared(analysis)}"
        f"{say_divided(analysis.models[0].classes[0].subgroups, many)}"
        f"{say_tested(analysis.models[0].permutation)} "
        f"{say_software(analysis)}"
    )


def _say_variance(analysis: SeveralAnalysis) -> str:
    if any(model.interval.method == "inflated" for model in analysis.models):
        return "doubled"
    return "scaled to the geometric mean of the placement and jackknife variances"


def _say_consistency(analysis: SeveralAnalysis) -> str:
    if all(one.consistency is None for model in analysis.models for one in model.classes):
        return ""
    return " The consistency of the comparisons is Kendall's ξ [4]."
