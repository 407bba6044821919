"""What a report says in words: title, sentences, warnings, the Methods paragraph, checklists."""

from __future__ import annotations

from typing import Any

from tlpo.report.plain import Summary
from tlpo.report.understand import SORTED

FEW = 10
LOW_CONSISTENCY = 0.9
MANY_TIES = 0.1

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


def title(summary: Summary) -> str:
    """Ask the question that the report answers."""
    models = summary["models"]
    who = f"does {models[0]['name']}" if len(models) == 1 else "do the models"
    source = "" if summary["source"] is None else f" ({summary['source']})"
    return f"How well {who} predict {summary['target']}?{source}"


def sentence(model: dict[str, Any], summary: Summary) -> str:
    """Say in two sentences how well a model discriminates."""
    found = model["headline"]
    unit, target, level = summary["unit"], summary["target"], percent(summary["confidence_level"])
    auc, low, high = (digits(found[key]) for key in ("auc", "low", "high"))
    at = model["sensitivity_at"][0]
    verdict = ""
    if found["high"] < 0.5:
        verdict = " That is worse than chance: check which label is positive."
    elif float(low) <= 0.5:
        verdict = " The interval includes 0.5, so the model may discriminate no better than chance."
    return (
        f"{model['name']} ranks a random {unit} with {target} '{summary['positive']}' above one "
        f"with {target} '{summary['negative']}' with probability {auc} (the AUC; {level} "
        f"interval {low} to {high}). At a specificity of {at['specificity']:g} its sensitivity is "
        f"{digits(at['sensitivity'])} ({digits(at['low'])} to {digits(at['high'])}).{verdict}"
    )


def choice_sentence(choice: dict[str, Any], summary: Summary) -> str:
    """Say what the best model is worth, given that it was chosen."""
    level = percent(summary["confidence_level"])
    return (
        f"If you report only the best model, {choice['winner']}: its AUC corrected for having been "
        f"chosen among {len(summary['models'])} is {digits(choice['auc'])} ({level} interval "
        f"{digits(choice['low'])} to {digits(choice['high'])}), instead of "
        f"{digits(choice['uncorrected'])}."
    )


def warn(summary: Summary) -> list[str]:
    """Say what a statistician would."""
    warnings = []
    sample, units = summary["sample"], f"{summary['unit']}s"
    if sample["chosen_by"] == SORTED:
        warnings.append(
            f"{summary['positive']!r} counts as positive only because it follows "
            f"{summary['negative']!r} in the alphabet. If that is the wrong way round, run the "
            "analysis again and name the positive label."
        )
    if sample["duplicates"]:
        warnings.append(
            f"{sample['duplicates']} rows have the same features as an earlier row. If they belong "
            "to the same patient, models were tested on data they had seen: remove these rows, or "
            "name the column that identifies patients as the group."
        )
    smallest = min(summary["n_positive"], summary["n_negative"])
    if smallest < FEW:
        warnings.append(
            f"The smaller class has only {smallest} {units}: every estimate is rough, whatever its "
            "interval says."
        )
    for model in summary["models"]:
        warnings += _warn_about(model)
    choice = summary["choice"]
    if choice is not None:
        warnings.append(
            f"{len(summary['models'])} models were tried, and the best of several looks better "
            f"than it is: report all of them, or only {choice['winner']} with its corrected AUC, "
            f"{digits(choice['auc'])} ({digits(choice['low'])} to {digits(choice['high'])})."
        )
    return warnings


def _warn_about(model: dict[str, Any]) -> list[str]:
    warnings = []
    name, xi = model["name"], model["consistency"]
    has_many_ties = model["n_ties"] > MANY_TIES * model["n_games"]
    if xi is not None and xi < LOW_CONSISTENCY and not has_many_ties:
        warnings.append(
            f"{name}: the consistency ξ = {xi:.2f} is low. Models trained without different pairs "
            "contradict each other, so the learner is unstable and the curve unreliable."
        )
    if model["curve"]["kind"] == "leave-pair-out":
        warnings.append(
            f"{name}: {model['n_ties']} of {model['n_games']} comparisons are ties. Ranking by "
            "wins would be biased, so the ROC curve is that of the pooled leave-pair-out "
            "predictions, shifted to the AUC; its operating points are rates, not counts."
        )
    elif has_many_ties:
        warnings.append(
            f"{name}: {model['n_ties']} of {model['n_games']} comparisons are ties, and the ROC "
            "curve of the wins is biased. The AUC is not."
        )
    return warnings


def methods(summary: Summary) -> str:
    """Write a paragraph for a paper."""
    unit, sample = summary["unit"], summary["sample"]
    n_pairs = summary["n_units"] * (summary["n_units"] - 1) // 2
    names = "; ".join(f"{model['name']} ({model['described']})" for model in summary["models"])
    kinds = [f"{len(sample[k])} {k}" for k in ("numeric", "categorical") if sample[k]]
    return (
        f"Discrimination between {summary['target']} {summary['positive']!r} "
        f"({summary['n_positive']} {unit}s) and {summary['negative']!r} "
        f"({summary['n_negative']} {unit}s) was estimated by tournament leave-pair-out "
        f"cross-validation [1] of {names}, with {' and '.join(kinds)} features. For each of the "
        f"{n_pairs} pairs of {unit}s, a model was trained without either, preprocessing included, "
        "and the "
        f"{unit} with the larger predicted score won.{_shared_trees(summary)} The AUC is the "
        "leave-pair-out AUC, the share "
        f"of positive–negative pairs that the positive {unit} won.{_drawn_from(summary)} "
        f"{percent(summary['confidence_level'])} intervals for the AUC are placement-jackknife "
        "intervals: score intervals [2] whose variance is inflated to the geometric mean of the "
        "placement and jackknife variances. The sensitivity is the largest at a specificity of at "
        f"least {summary['specificity']:g}; its limits are a score interval with the same "
        "inflation that treats the threshold as estimated. The consistency of the tournament is "
        f"Kendall's ξ [3].{_left_out(sample, unit)}{_grouped(sample)}{_compared(summary)} "
        f"Analysis: tlpo {summary['version']}, scikit-learn {summary['sklearn']}, Python "
        f"{summary['python']}, seed {summary['seed']}."
    )


def _shared_trees(summary: Summary) -> str:
    """Say which models are made of trees that pairs share."""
    names = [model["name"] for model in summary["models"] if model["engine"] == "forest"]
    if not names:
        return ""
    return (
        f" For {' and '.join(names)} these models share members: one larger ensemble was grown, "
        f"and each pair was compared by the members whose bootstrap sample contained neither "
        f"{summary['unit']}, which has the same distribution as refitting."
    )


def _drawn_from(summary: Summary) -> str:
    """Say which curves are drawn."""
    unit = summary["unit"]
    wins = f" ROC curves were drawn from {unit}s ranked by their number of wins"
    pooled = (
        "the pooled predictions of positive–negative pairs, shifted on the probit scale to the "
        "area of the AUC"
    )
    kinds = {m["name"]: m["curve"]["kind"] for m in summary["models"]}
    tied = [name for name, kind in kinds.items() if kind == "leave-pair-out"]
    if not tied:
        return f"{wins}."
    if len(tied) == len(kinds):
        return f" Because pairs tied, ROC curves were drawn from {pooled}."
    return f"{wins}; for {', '.join(tied)}, whose pairs tied, from {pooled}."


def _left_out(sample: dict[str, Any], unit: str) -> str:
    text = ""
    if sample["without_target"]:
        text = f" Rows without an outcome were excluded ({sample['without_target']})."
    if sample["missing"] == "impute" and sample["missing_cells"]:
        text += (
            f" Missing values ({sample['missing_cells']}) were imputed within every training set: "
            "numbers by the median, categories by a category of their own."
        )
    elif sample["dropped"]:
        text += f" {unit.capitalize()}s with missing values were excluded ({sample['dropped']})."
    return text


def _grouped(sample: dict[str, Any]) -> str:
    if sample["n_groups"] is None:
        return ""
    return (
        f" Rows of the same group ({sample['group']}, {sample['n_groups']} groups) were left out "
        "together, and intervals treat groups as the independent units."
    )


def _compared(summary: Summary) -> str:
    if not summary["comparisons"]:
        return ""
    adjusted = ", with p-values adjusted by Holm's method" if len(summary["models"]) > 2 else ""
    return (
        " Models were compared by the difference of their leave-pair-out AUCs in a paired test "
        f"that accounts for shared training data{adjusted}."
    )


def checklist(summary: Summary) -> dict[str, list[list[Any]]]:
    """List what the report covers and what it does not: item, covered, where or why not."""
    probabilities = any(m["probabilities"] is not None for m in summary["models"])
    several = len(summary["models"]) > 1
    return {
        "TRIPOD+AI": [
            ["Outcome and positive label", True, "top of the page, Sample"],
            ["Participants, events, missing data and their handling", True, "Sample"],
            ["Predictors and their preparation inside resampling", True, "Sample, Methods"],
            ["Model type and parameters", True, "Methods"],
            ["Internal validation, discrimination with intervals", True, "Answer, ROC curve"],
            ["Comparison of models", several, "Comparison" if several else "only one model"],
            [
                "Calibration and clinical utility",
                probabilities,
                "Each model" if probabilities else "the models give no probabilities",
            ],
            ["Setting, eligibility, dates, data source", False, "only you know"],
            ["Justification of the sample size", False, "tlpo.sample_size and tlpo.power help"],
            ["Fairness across subgroups", False, "Tournament.by(group) in Python"],
            ["External validation", False, "tlpo validate, with new patients"],
            ["The final model, for others to use", False, "tlpo run can save it (save-model)"],
        ],
        "STARD": [
            ["Positivity cut-offs, marked as exploratory", True, "Operating points"],
            ["Estimates of accuracy with intervals", True, "Answer, Operating points"],
            ["Flow of participants", True, "Sample"],
            ["Cross tabulation at the cut-off", True, "Operating points"],
            ["Reference standard, blinding, time between tests", False, "only you know"],
            ["Adverse events", False, "only you know"],
        ],
    }


def digits(value: float | None, count: int = 3) -> str:
    """Show a share; what is not quite 1 or 0 is not shown as such.

    Examples
    --------
    >>> digits(0.8125), digits(0.99999), digits(None)
    ('0.812', '0.999', '—')
    """
    if value is None:
        return "—"
    text = f"{value:.{count}f}"
    step = 10.0**-count
    if value < 1 and float(text) >= 1:
        return f"{1 - step:.{count}f}"
    return f"{step:.{count}f}" if value > 0 and float(text) <= 0 else text


def percent(level: float) -> str:
    """Show a level of confidence without rounding it to another.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.4g}%"
