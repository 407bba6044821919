"""What a report says in words: title, sentences, warnings, the Methods paragraph, checklists."""

from __future__ import annotations

import math
from typing import Any

from tlpo.analysis.caveats import caveats
from tlpo.analysis.json_values import Summary
from tlpo.engines.frozen import is_about_learning
from tlpo.plurals import counted

FEW = 10
LOW_CONSISTENCY = 0.9
MANY_TIES = 0.1
# Whom a cell of the baseline table is about.
PARTS = ("all", "positive", "negative")

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


def add_words(summary: Summary) -> Summary:
    """Add all that a report says in words, which follows from the plain values of a summary."""
    for model in summary["models"]:
        model["sentence"] = sentence(model, summary)
    if summary["choice"] is not None:
        summary["choice"]["sentence"] = choice_sentence(summary["choice"], summary)
    return {
        **summary,
        "title": title(summary),
        "warnings": warn(summary),
        "methods": methods(summary),
        "references": list(REFERENCES),
        "checklist": checklist(summary),
    }


def title(summary: Summary) -> str:
    """Name the outcome and the file, and ask the question that the report answers."""
    models = summary["models"]
    who = f"does {models[0]['name']}" if len(models) == 1 else "do the models"
    source = "" if summary["source"] is None else f" ({summary['source']})"
    return f"Predicting {summary['target']}{source}: how well {who} discriminate?"


def sentence(model: dict[str, Any], summary: Summary) -> str:
    """Say in two sentences how well a model discriminates."""
    found = model["headline"]
    unit, target, level = summary["unit"], summary["target"], percent(summary["confidence_level"])
    auc, low, high = (digits(found[key]) for key in ("auc", "low", "high"))
    at = model["sensitivity_at"][0]
    verdict = ""
    if found["low"] is None:
        interval, limits = "no interval", ""
    else:
        interval = f"{level} interval {low} to {high}"
        limits = f" ({digits(at['low'])} to {digits(at['high'])})"
        if found["high"] < 0.5:
            verdict = " That is worse than chance: check which label is positive."
        elif float(low) <= 0.5:
            verdict = (
                " The interval includes 0.5, so the model may discriminate no better than chance."
            )
    return (
        f"{model['name']} ranks a random {unit} with {target} '{summary['positive']}' above one "
        f"with {target} '{summary['negative']}' with probability {auc} (the AUC; {interval}). At a "
        f"specificity of {at['specificity']:g} its sensitivity is {digits(at['sensitivity'])}"
        f"{limits}.{verdict}{_signal(model['permutation'])}"
    )


def _signal(test: dict[str, Any] | None) -> str:
    if test is None:
        return ""
    return f" Permutation test of any signal: p {equals(test['p_value'])}."


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
    warnings = caveats(summary)
    units = (summary["unit"], summary["units"])
    smallest = min(summary["n_positive"], summary["n_negative"])
    if smallest < FEW:
        warnings.append(
            f"The smaller class has only {counted(smallest, *units)}: every estimate is rough, "
            "whatever its interval says."
        )
    warnings += fewer_games(summary)
    for model in summary["models"]:
        warnings += _warn_about(model)
    choice, n_models = summary["choice"], len(summary["models"])
    if choice is not None:
        warnings.append(
            f"{n_models} models were tried, and the best of several looks better "
            f"than it is: report all of them, or only {choice['winner']} with its corrected AUC, "
            f"{digits(choice['auc'])} ({digits(choice['low'])} to {digits(choice['high'])})."
        )
    elif n_models > 1:
        warnings.append(
            f"{n_models} models were tried, and the best of several looks better than it is: "
            "report all of them."
        )
    return warnings


def fewer_games(summary: Summary) -> list[str]:
    """Say what was played instead of all games, and what is missing for it."""
    one, many, m = summary["unit"], summary["units"], summary["n_units"]
    if summary["rounds"] is not None and summary["rounds"] < m - 1:
        return [
            f"Not every pair of {many} was compared: each {one} met {summary['rounds']} of "
            f"{m - 1} others, drawn at random. The AUC is not biased by that, and its interval "
            "accounts for it, which makes it wider. The area of the tournament's curve (TLPO) is "
            "biased, usually downwards. Missing, because they need all comparisons: ξ, the "
            "picture of all comparisons, subgroups."
        ]
    if summary["sorts"] is not None:
        return [
            f"Not every pair of {many} was compared: the {many} were sorted "
            f"{counted(summary['sorts'], 'time')} by comparisons with pivots. That gives nearly "
            "the ranking and the AUC of all comparisons. Missing, because they need all "
            "comparisons: the interval of the AUC, limits of the curve and of the operating "
            "points, ξ, the comparison of models, subgroups."
        ]
    return []


def _warn_about(model: dict[str, Any]) -> list[str]:
    name, xi = model["name"], model["consistency"]
    warnings = [f"{name}: {note}" for note in model["notes"] if is_about_learning(note)]
    has_many_ties = (model["n_ties"] or 0) > MANY_TIES * model["n_games"]
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
    one, many, sample = summary["unit"], summary["units"], summary["sample"]
    names = "; ".join(f"{model['name']} ({model['described']})" for model in summary["models"])
    kinds = [f"{len(sample[k])} {k}" for k in ("numeric", "categorical") if sample[k]]
    only = sum(len(sample[k]) for k in ("numeric", "categorical")) == 1
    scheme = "quicksort" if summary["sorts"] is not None else "tournament"
    return (
        f"Discrimination between {summary['target']} {summary['positive']!r} "
        f"({counted(summary['n_positive'], one, many)}) and {summary['negative']!r} "
        f"({counted(summary['n_negative'], one, many)}) was estimated by {scheme} leave-pair-out "
        f"cross-validation [1] of {names}, with {' and '.join(kinds)} feature{'' if only else 's'}."
        f" {_played(summary)}{_shared_trees(summary)} {_estimated(summary)}"
        f"{_left_out(sample, many)}{_grouped(sample)}{_compared(summary)}{_divided(summary)} "
        f"Analysis: tlpo {summary['version']}, scikit-learn {summary['sklearn']}, Python "
        f"{summary['python']}, seed {summary['seed']}."
    )


def _played(summary: Summary) -> str:
    one, many, m = summary["unit"], summary["units"], summary["n_units"]
    trained = (
        f"a model was trained without either, preprocessing included, and the {one} with the "
        "larger predicted score won."
    )
    if summary["sorts"] is not None:
        return (
            f"The {many} were sorted {counted(summary['sorts'], 'time')} by quicksort; for each "
            f"pair that a sort compared, {trained}"
        )
    if summary["rounds"] is not None and summary["rounds"] < m - 1:
        n_pairs = m * summary["rounds"] // 2
        return (
            f"Each {one} was compared with {summary['rounds']} others in a balanced random draw; "
            f"for each of these {n_pairs} pairs of {many}, {trained}"
        )
    return f"For each of the {m * (m - 1) // 2} pairs of {many}, {trained}"


def _estimated(summary: Summary) -> str:
    """Say how AUC, curve and limits were computed."""
    one, level = summary["unit"], percent(summary["confidence_level"])
    at = f"The sensitivity is the largest at a specificity of at least {summary['specificity']:g}"
    if summary["sorts"] is not None:
        return (
            "The AUC is the mean over the sorts of the area under the ROC curve; the curve was "
            f"drawn from the mean place of each {one}. {at}."
        )
    inflated = any(model["interval"]["method"] == "inflated" for model in summary["models"])
    variance = "is inflated to the geometric mean of the placement and jackknife variances"
    if inflated:
        variance = "is twice that of independent scores"
        if summary["rounds"] is not None:
            variance += ", plus that of the draw of pairs"
    consistency = (
        ""
        if all(model["consistency"] is None for model in summary["models"])
        else " The consistency of the tournament is Kendall's ξ [3]."
    )
    return (
        "The AUC is the leave-pair-out AUC, the share of pairs of one "
        f"{one} with {summary['positive']!r} and one with {summary['negative']!r} in which the "
        f"former won.{_drawn_from(summary)} {level} intervals for the AUC are "
        f"{'' if inflated else 'placement-jackknife intervals: '}score intervals [2] whose "
        f"variance {variance}. {at}; its limits are a score interval with the same inflation that "
        f"treats the threshold as estimated.{consistency}"
    )


def _divided(summary: Summary) -> str:
    text = ""
    columns = list(dict.fromkeys(row["by"] for row in summary["models"][0]["subgroups"]))
    if columns:
        text = (
            f" AUCs within subgroups ({', '.join(columns)}) compare only {summary['units']} of the "
            "same subgroup, under the same models."
        )
    test = summary["models"][0]["permutation"]
    if test is not None:
        text += (
            " Whether a model finds any signal was tested by repeating its comparisons with "
            f"{counted(test['n'], 'permutation')} of the labels."
        )
    return text


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
    wins = f" ROC curves were drawn from {summary['units']} ranked by their number of wins"
    pooled = (
        f"the pooled predictions of pairs of one {summary['unit']} of each class, shifted on the "
        "probit scale to the area of the AUC"
    )
    kinds = {m["name"]: m["curve"]["kind"] for m in summary["models"]}
    tied = [name for name, kind in kinds.items() if kind == "leave-pair-out"]
    if not tied:
        return f"{wins}."
    if len(tied) == len(kinds):
        return f" Because pairs tied, ROC curves were drawn from {pooled}."
    return f"{wins}; for {', '.join(tied)}, whose pairs tied, from {pooled}."


def _left_out(sample: dict[str, Any], units: str) -> str:
    text = ""
    if sample["unselected"]:
        text = f" Only rows selected by {' and '.join(sample['rows'])} were analysed."
    if sample["other_classes"]:
        text += f" Rows with another outcome were excluded ({sample['other_classes']})."
    if sample["without_target"]:
        text += f" Rows without an outcome were excluded ({sample['without_target']})."
    if sample["missing"] == "impute" and sample["missing_cells"]:
        text += (
            f" Missing values ({sample['missing_cells']}) were imputed within every training set: "
            "numbers by the median, categories by a category of their own."
        )
    elif sample["dropped"]:
        text += f" {capital(units)} with missing values were excluded ({sample['dropped']})."
    return text


def _grouped(sample: dict[str, Any]) -> str:
    if sample["n_groups"] is None:
        return ""
    groups = counted(sample["n_groups"], "group")
    return (
        f" Rows of the same group ({sample['group']}, {groups}) were left out "
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
    models, units = summary["models"], summary["units"]
    probabilities = any(m["probabilities"] is not None for m in models)
    compared = bool(summary["comparisons"])
    subgroups = any(m["subgroups"] for m in models)
    weighed = all(m["final"]["kind"] is not None for m in models)
    limits = all(m["interval"] is not None for m in models)
    return {
        "TRIPOD+AI": [
            ["Outcome and positive label", True, "top of the page, Sample"],
            ["Participants, events, missing data and their handling", True, "Sample"],
            [f"Characteristics of the {units} by outcome", True, "Sample"],
            ["Predictors and their preparation inside resampling", True, "Sample, Methods"],
            ["Model type and parameters", True, "Methods"],
            [
                "Internal validation, discrimination with intervals",
                limits,
                "Answer, ROC curve" if limits else "no intervals: not all pairs were compared",
            ],
            [
                "Comparison of models",
                compared,
                "Comparison" if compared else "only one model, or not all pairs compared",
            ],
            [
                "Calibration and clinical utility",
                probabilities,
                "Each model" if probabilities else "the models give no probabilities",
            ],
            [
                "Fairness across subgroups",
                subgroups,
                "Subgroups" if subgroups else "name a column, such as the sex, to see it",
            ],
            [
                "Coefficients or importances of the final model",
                weighed,
                "Each model" if weighed else "not every model has them",
            ],
            ["Setting, eligibility, dates, data source", False, "only you know"],
            ["Justification of the sample size", False, "only you know; Sample size helps"],
            [
                "External validation",
                False,
                f"needs new {units}; tlpo validate tests a saved model on them",
            ],
            [
                "The final model, for others to use",
                summary["model_file"] is not None,
                summary["model_file"] or "not saved in this run; tlpo can write it to a file",
            ],
        ],
        "STARD": [
            ["Positivity cut-offs, marked as exploratory", True, "Operating points"],
            [
                "Estimates of accuracy with intervals",
                limits,
                "Answer, Operating points" if limits else "no intervals",
            ],
            ["Flow of participants", True, "Sample"],
            ["Cross tabulation at the cut-off", True, "Operating points"],
            ["Reference standard, blinding, time between tests", False, "only you know"],
            ["Adverse events", False, "only you know"],
        ],
    }


def baseline_cells(row: dict[str, Any]) -> list[str]:
    """Write a row of the baseline table: characteristic, all, by outcome.

    Examples
    --------
    >>> part = {"count": 9, "missing": 1, "values": [61.25, 8.5]}
    >>> row = {"feature": "age", "level": None, "kind": "mean"} | dict.fromkeys(PARTS, part)
    >>> baseline_cells(row)[:2]
    ['age, mean ± SD', '61.2 ± 8.5 (1 missing)']
    """
    shown = {"mean": "mean ± SD", "median": "median [quartiles]", "share": "n (%)"}[row["kind"]]
    name = row["feature"] if row["level"] is None else f"{row['feature']}: {row['level']}"
    # All cells of a row have the decimals that suit the spread of all values.
    _, *spread = row["all"]["values"]
    size = spread[0] if row["kind"] == "mean" else spread[-1] - spread[0] if spread[1:] else None
    cells = []
    for part in PARTS:
        first, *rest = row[part]["values"]
        if row["kind"] == "share":
            text = f"{first} ({'—' if rest[0] is None else f'{100 * rest[0]:.0f}%'})"
        elif first is None:
            text = "—"
        elif row["kind"] == "median":
            text = f"{measured(first, size)} [{measured(rest[0], size)}, {measured(rest[1], size)}]"
        else:
            text = f"{measured(first, size)} ± {measured(rest[0], size)}"
        missing = row[part]["missing"]
        cells.append(text + (f" ({missing} missing)" if missing else ""))
    return [f"{name}, {shown}", *cells]


def measured(value: float | None, spread: float | None) -> str:
    """Show a measurement with the decimals that make sense for its spread.

    Examples
    --------
    >>> measured(61.25, 8.5), measured(-0.0106, 1.18), measured(12345.6, 890.0), measured(None, 1.0)
    ('61.2', '−0.01', '12346', '—')
    """
    if value is None:
        return "—"
    if not spread or not 1e-6 < spread < 1e7:
        return figures(value)
    decimals = max(0, 1 - math.floor(math.log10(spread / 2)))
    return minus(f"{value:.{decimals}f}")


def figures(value: float | None) -> str:
    """Show a number with three significant figures, thousands in full.

    Examples
    --------
    >>> [figures(value) for value in (-61.25, 12345.6, 0.001234, 0.0, 1.2e-7, None)]
    ['−61.2', '12346', '0.00123', '0', '1.2e−07', '—']
    """
    if value is None:
        return "—"
    return minus(f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}")


def minus(text: str) -> str:
    """Write a minus sign for a hyphen, and none before a number that was rounded to zero."""
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text.replace("-", "−")


def p_value(value: float | None) -> str:
    """Show a p-value."""
    if value is None:
        return "—"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def equals(value: float) -> str:
    """Continue "p …" with a p-value."""
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"


def capital(text: str) -> str:
    """Write the first letter as a capital, and leave the others alone."""
    return text[:1].upper() + text[1:]


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
