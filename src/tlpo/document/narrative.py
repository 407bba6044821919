"""What the report of models says in sentences: title, answers, the Methods paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from tlpo.analysis.shapes import (
    Choice,
    Flow,
    Model,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedModel,
    Permutation,
    RankedAnalysis,
    SeveralAnalysis,
    SeveralModel,
    Subgroup,
    SurvivalAnalysis,
)
from tlpo.document.numbers import capital, digits, equals, percent
from tlpo.document.parts import cutoff
from tlpo.document.smooth import METHODS
from tlpo.engines.base import ELSEWHERE
from tlpo.plurals import counted
from tlpo.roc.rates import CHOSEN

REFERENCES = (
    "Montoya Perez I, Airola A, Boström PJ, Jambor I, Pahikkala T. Tournament leave-pair-out "
    "cross-validation for receiver operating characteristic analysis. Statistical Methods in "
    "Medical Research 2019;28:2975-2991. doi:10.1177/0962280218795190",
    "Newcombe RG. Confidence intervals for an effect size measure based on the Mann-Whitney "
    "statistic. Part 2: asymptotic methods and evaluation. Statistics in Medicine "
    "2006;25:559-573.",
    "Kendall MG, Babington Smith B. On the method of paired comparisons. Biometrika "
    "1940;31:324-345.",
)


def title(analysis: ModelAnalysis) -> str:
    """Name the outcome and the file, and ask the question that the report answers."""
    who = ask_of([model.name for model in analysis.models])
    source = "" if analysis.source is None else f" ({analysis.source})"
    return f"Predicting {analysis.target}{source}: how well {who} discriminate?"


def ask_of(names: Sequence[str], many: str = "models") -> str:
    """Begin a question about models or markers; one without a name is called ``model``.

    Examples
    --------
    >>> ask_of(["lasso"]), ask_of(["model"]), ask_of(["PSA", "CRP"], "markers")
    ('does lasso', 'does the model', 'do the markers')
    """
    if len(names) > 1:
        return f"do the {many}"
    return "does the model" if names[0] == "model" else f"does {names[0]}"


def sentence(model: Model, analysis: ModelAnalysis) -> str:
    """Say in two sentences how well a model discriminates."""
    found = model.headline
    unit, target, level = analysis.unit, analysis.target, percent(analysis.confidence_level)
    auc, low, high = map(digits, (found.auc, found.low, found.high))
    at = model.sensitivity_at[0]
    verdict = ""
    if found.low is None or found.high is None:
        interval, limits = "no interval", ""
    else:
        interval = f"{level} interval {low} to {high}"
        limits = f" ({digits(at.low)} to {digits(at.high)})"
        if found.high < 0.5:
            verdict = " That is worse than chance: check which label is positive."
        elif float(low) <= 0.5:
            verdict = (
                " The interval includes 0.5, so the model may discriminate no better than chance."
            )
    return (
        f"{model.name} ranks a random {unit} with {target} '{analysis.positive}' above one "
        f"with {target} '{analysis.negative}' with probability {auc} (the AUC; {interval}). At a "
        f"cut-off with a specificity of at least {at.specificity:g}{_say_cutoff(model)} its "
        f"sensitivity is "
        f"{digits(at.sensitivity)}"
        f"{limits}.{verdict}{say_signal(model.permutation)}"
    )


def _say_cutoff(model: Model) -> str:
    """Say from where on a new patient is positive, if that is a number."""
    value = model.operating_points[0].cutoff
    is_number = value is not None and not isinstance(value, str)
    return f" ({cutoff(model.scale, value)})" if is_number else ""


def say_signal(test: Permutation | None) -> str:
    """Say what a permutation test found, if there was one."""
    if test is None:
        return ""
    return f" Permutation test of any signal: p {equals(test.p_value)}."


def choice_sentence(choice: Choice, analysis: ModelAnalysis | SeveralAnalysis) -> str:
    """Say what the best model is worth, given that it was chosen."""
    level = percent(analysis.confidence_level)
    return (
        f"If you report only the best model, {choice.winner}: its AUC corrected for having been "
        f"chosen among {len(analysis.models)} is {digits(choice.auc)} ({level} interval "
        f"{digits(choice.low)} to {digits(choice.high)}), instead of "
        f"{digits(choice.uncorrected)}."
    )


def methods(analysis: ModelAnalysis) -> str:
    """Write a paragraph for a paper."""
    one, many, sample = analysis.unit, analysis.units, analysis.sample
    scheme = "quicksort" if analysis.sorts is not None else "tournament"
    return (
        f"Discrimination between {analysis.target} {analysis.positive!r} "
        f"({counted(analysis.n_positive, one, many)}) and {analysis.negative!r} "
        f"({counted(analysis.n_negative, one, many)}) was estimated by {scheme} leave-pair-out "
        f"cross-validation [1] of {name_models(analysis.models)}{say_features(sample)}."
        f" {_played(analysis)}{say_shared_trees(analysis.models, one)} {_estimated(analysis)}"
        f"{said_of_sample(sample, many)}{say_compared(analysis)}{_divided(analysis)}"
        f"{METHODS if analysis.smooth else ''} "
        f"{say_software(analysis)}"
    )


def say_software(analysis: ModelAnalysis | RankedAnalysis | SeveralAnalysis) -> str:
    """Say what computed the analysis."""
    return (
        f"Analysis: tlpo {analysis.version}, scikit-learn {analysis.sklearn}, Python "
        f"{analysis.python}, seed {analysis.seed}."
    )


def say_consistency(models: Sequence[Model | OrderedModel], reference: int) -> str:
    """Say what the consistency is, if it is known of a model."""
    if all(model.consistency is None for model in models):
        return ""
    return f" The consistency of the tournament is Kendall's ξ [{reference}]."


def _played(analysis: ModelAnalysis) -> str:
    if analysis.sorts is not None:
        return (
            f"The {analysis.units} were sorted {counted(analysis.sorts, 'time')} by quicksort; for "
            f"each pair that a sort compared, {_trained(analysis)}"
        )
    return say_pairs(analysis, analysis.rounds)


def say_pairs(
    analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis, rounds: int | None
) -> str:
    """Say which pairs were compared, and how."""
    one, many, m = analysis.unit, analysis.units, analysis.n_units
    if rounds is not None and rounds < m - 1:
        return (
            f"Each {one} was compared with {rounds} others in a balanced random draw; for each of "
            f"these {m * rounds // 2} pairs of {many}, {_trained(analysis)}"
        )
    return f"For each of the {m * (m - 1) // 2} pairs of {many}, {_trained(analysis)}"


def _trained(analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis) -> str:
    return (
        f"{say_training(analysis.models)}, and the {analysis.unit} with the larger predicted score "
        "won."
    )


def say_training(models: Sequence[Model | OrderedModel | SeveralModel]) -> str:
    """Say how the model of a pair was trained; of others' models, only who says so."""
    how = "by other software" if is_elsewhere(models) else "preprocessing included"
    return f"a model was trained without either, {how}"


def is_elsewhere(models: Sequence[Model | OrderedModel | SeveralModel]) -> bool:
    """Return whether games of some model were played elsewhere."""
    return any(model.engine == ELSEWHERE for model in models)


def name_models(models: Sequence[Model | OrderedModel | SeveralModel]) -> str:
    """Name models, and what they are."""
    return "; ".join(f"{model.name} ({model.described})" for model in models)


def say_features(sample: Flow) -> str:
    """Say how many features of which kinds there are, if that is known."""
    counts = {"numeric": len(sample.numeric), "categorical": len(sample.categorical)}
    kinds = [f"{n} {kind}" for kind, n in counts.items() if n]
    if not kinds:  # not known
        return ""
    return f", with {' and '.join(kinds)} feature{'' if sum(counts.values()) == 1 else 's'}"


def _estimated(analysis: ModelAnalysis) -> str:
    """Say how AUC, curve and limits were computed."""
    one, level = analysis.unit, percent(analysis.confidence_level)
    at = f"The sensitivity is the largest at a specificity of at least {analysis.specificity:g}"
    if analysis.sorts is not None:
        return (
            "The AUC is the mean over the sorts of the area under the ROC curve; the curve was "
            f"drawn from the mean place of each {one}. {at}."
        )
    inflated = any(
        model.interval and model.interval.method == "inflated" for model in analysis.models
    )
    variance = "is inflated to the geometric mean of the placement and jackknife variances"
    if inflated:
        variance = "is twice that of independent scores"
        if analysis.rounds is not None:
            variance += ", plus that of the draw of pairs"
    else:
        variance += say_draw(analysis.models, analysis.units)
    return (
        "The AUC is the leave-pair-out AUC, the share of pairs of one "
        f"{one} with {analysis.positive!r} and one with {analysis.negative!r} in which the "
        f"former won.{_drawn_from(analysis)} {level} intervals for the AUC are "
        f"{'' if inflated else 'placement-jackknife intervals: '}score intervals [2] whose "
        f"variance {variance}. {at}; its limits are Wilson's, the binomial variance multiplied by "
        f"the same inflation and by {CHOSEN:g}, because the cut-off was chosen on these "
        f"{analysis.units}.{say_consistency(analysis.models, 3)}"
    )


def say_draw(models: Sequence[Model] | Sequence[OrderedModel], units: str) -> str:
    """Say that a jackknife variance was estimated from a draw, if it was."""
    errors = [model.interval.width_error for model in models if model.interval is not None]
    known = [error for error in errors if error is not None]
    if not known:
        return ""
    left = ""
    if max(known) >= 0.0005:
        left = (
            f"; the draw leaves widths of intervals a standard error of {100 * max(known):.1g}% "
            "or less"
        )
    return f" (the latter estimated from {units} drawn at random{left})"


def _divided(analysis: ModelAnalysis) -> str:
    first = analysis.models[0]
    return say_divided(first.subgroups, analysis.units) + say_tested(first.permutation)


def say_divided(rows: Sequence[Subgroup], units: str) -> str:
    """Say what AUCs within subgroups are, if there are any."""
    columns = list(dict.fromkeys(row.by for row in rows))
    if not columns:
        return ""
    return (
        f" AUCs within subgroups ({', '.join(columns)}) compare only {units} of the same "
        "subgroup, under the same models."
    )


def say_tested(test: Permutation | None) -> str:
    """Say how it was tested whether there is any signal, if it was."""
    if test is None:
        return ""
    return (
        " Whether a model finds any signal was tested by repeating its comparisons with "
        f"{counted(test.n, 'permutation')} of the labels."
    )


def say_shared_trees(models: Sequence[Model | OrderedModel | SeveralModel], unit: str) -> str:
    """Say which models are made of trees that pairs share."""
    names = [model.name for model in models if model.engine == "forest"]
    if not names:
        return ""
    return (
        f" For {' and '.join(names)} these models share members: one larger ensemble was grown, "
        f"and each pair was compared by the members whose bootstrap sample contained neither "
        f"{unit}, which has the same distribution as refitting."
    )


def _drawn_from(analysis: ModelAnalysis) -> str:
    """Say which curves are drawn."""
    wins = f" ROC curves were drawn from {analysis.units} ranked by their number of wins"
    pooled = (
        f"the pooled predictions of pairs of one {analysis.unit} of each class, shifted on the "
        "probit scale to the area of the AUC"
    )
    kinds = {m.name: m.curve.kind for m in analysis.models}
    tied = [name for name, kind in kinds.items() if kind == "leave-pair-out"]
    if not tied:
        return f"{wins}."
    if len(tied) == len(kinds):
        return f" Because pairs tied, ROC curves were drawn from {pooled}."
    return f"{wins}; for {', '.join(tied)}, whose pairs tied, from {pooled}."


def said_of_sample(sample: Flow, units: str) -> str:
    """Say which rows were left out, and which belong together."""
    return _left_out(sample, units) + _grouped(sample)


def _left_out(sample: Flow, units: str) -> str:
    text = ""
    if sample.unselected:
        text = f" Only rows selected by {' and '.join(sample.rows)} were analysed."
    if sample.other_classes:
        text += f" Rows with another outcome were excluded ({sample.other_classes})."
    if sample.without_target:
        text += f" Rows without an outcome were excluded ({sample.without_target})."
    if sample.missing == "impute" and sample.missing_cells:
        text += (
            f" Missing values ({sample.missing_cells}) were imputed within every training set: "
            "numbers by the median, categories by a separate category for missing values."
        )
    elif sample.dropped:
        text += f" {capital(units)} with missing values were excluded ({sample.dropped})."
    return text


def _grouped(sample: Flow) -> str:
    if sample.n_groups is None:
        return ""
    groups = counted(sample.n_groups, "group")
    return (
        f" Rows of the same group ({sample.group}, {groups}) were left out "
        "together, and intervals treat groups as the independent units."
    )


def say_compared(analysis: ModelAnalysis | SeveralAnalysis) -> str:
    """Say how models were compared, if they were."""
    if not analysis.comparisons:
        return ""
    adjusted = ", with p-values adjusted by Holm's method" if len(analysis.models) > 2 else ""
    return (
        " Models were compared by the difference of their leave-pair-out AUCs in a paired test "
        f"that accounts for shared training data{adjusted}."
    )
