"""What the report says in words: sentences, warnings, the Methods paragraph, the checklists."""

from __future__ import annotations

from typing import Any

from tlpo.report.sample import SORTED

FEW = 10
LOW_CONSISTENCY = 0.9
APART = 0.02
MANY_TIES = 0.1

REFERENCES = [
    "Montoya Perez I, Airola A, Boström PJ, Jambor I, Pahikkala T. Tournament leave-pair-out "
    "cross-validation for receiver operating characteristic analysis. Statistical Methods in "
    "Medical Research 2019;28:2975-2991. doi:10.1177/0962280218795190",
    "Newcombe RG. Confidence intervals for an effect size measure based on the Mann-Whitney "
    "statistic. Part 2: asymptotic methods and evaluation. Statistics in Medicine "
    "2006;25:559-573.",
    "Kendall MG, Babington Smith B. On the method of paired comparisons. Biometrika "
    "1940;31:324-345.",
]


def checklist(summary: dict[str, Any]) -> dict[str, list[list[Any]]]:
    """List what this report answers and what it does not: item, answered, where or why not."""
    probabilities = any(m["probabilities"] is not None for m in summary["models"])
    several = len(summary["models"]) > 1
    return {
        "TRIPOD+AI": [
            ["Outcome and positive label", True, "headline, sample"],
            ["Participants, events, missing data and how they were handled", True, "sample"],
            ["Predictors, and how they were prepared inside resampling", True, "sample, methods"],
            ["Model type and its parameters", True, "methods"],
            ["Internal validation, discrimination with intervals", True, "answer, curve"],
            ["Comparison of models", several, "comparison" if several else "one model only"],
            [
                "Calibration and clinical utility",
                probabilities,
                "probabilities" if probabilities else "the models give no probabilities",
            ],
            ["Setting, eligibility, dates, data source", False, "only you know"],
            ["Sample size justification", False, "tlpo.sample_size and tlpo.power help"],
            ["Fairness in subgroups", False, "Tournament.by(group) in Python"],
            ["External validation", False, "needs other data"],
            ["The final model for others to use", False, "fit it on all units and publish it"],
        ],
        "STARD": [
            ["Positivity cut-offs, marked exploratory", True, "operating points"],
            ["Estimates of accuracy with intervals", True, "answer, operating points"],
            ["Flow of participants", True, "sample"],
            ["Cross tabulation at the cut-off", True, "operating points"],
            ["Reference standard, blinding, time between tests", False, "only you know"],
            ["Adverse events", False, "only you know"],
        ],
    }


def sentence(model: dict[str, Any], positive: str, negative: str) -> str:
    """Say in one sentence what a model is worth."""
    apart = abs(model["auc"]["lpo"] - model["auc"]["tlpo"]) > APART + 1e-9
    interval = model["interval_lpo"] if apart else model["interval"]
    auc = model["auc"]["lpo" if apart else "tlpo"]
    low, high = (digits(interval[end]) for end in ("low", "high"))
    at = model["sensitivity_at"][0]
    verdict = ""
    if interval["high"] < 0.5:
        verdict = " That is worse than chance: check which label is positive."
    elif float(low) <= 0.5:
        verdict = " The interval reaches ½, so chance is not excluded."
    return (
        f"{model['name']}: a unit of class '{positive}' is ranked above one of class '{negative}' "
        f"with probability {digits(auc)} ({percent(interval['level'])} interval {low} to {high}); "
        f"at a specificity of {at['specificity']:g} its sensitivity is "
        f"{digits(at['sensitivity'])} ({digits(at['low'])} to {digits(at['high'])}).{verdict}"
    )


def digits(value: float | None, count: int = 3) -> str:
    """Show a share; what is not quite 1 or 0 is not shown as such."""
    if value is None or value != value:
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
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.4g} %"


def warn(summary: dict[str, Any]) -> list[str]:
    """Say what a statistician would."""
    warnings = []
    if summary["sample"]["chosen_by"] == SORTED:
        warnings.append(
            f"{summary['positive']!r} counts as positive because it sorts after "
            f"{summary['negative']!r}. Pass --positive if the other is meant."
        )
    twice = summary["sample"]["duplicates"]
    if twice:
        warnings.append(
            f"{twice} rows have the same features as an earlier one. If they are the same patient, "
            "models saw the answer: use --group, or remove them."
        )
    smallest = min(summary["n_positive"], summary["n_negative"])
    if smallest < FEW:
        warnings.append(
            f"Only {smallest} units of a class: every estimate is rough, whatever its interval."
        )
    for model in summary["models"]:
        name, auc = model["name"], model["auc"]
        xi, games = model["consistency"], model["n_games"]
        if xi == xi and xi < LOW_CONSISTENCY and model["n_ties"] <= MANY_TIES * games:
            warnings.append(
                f"{name}: ξ = {xi:.2f} is low. The models of different rounds contradict each "
                "other, so the curve rests on an unstable learner."
            )
        if abs(auc["lpo"] - auc["tlpo"]) > APART + 1e-9:
            warnings.append(
                f"{name}: LPO ({auc['lpo']:.3f}) and TLPO ({auc['tlpo']:.3f}) are more than "
                f"{APART} apart; report LPO, and the curve with care."
            )
        if model["n_ties"] > MANY_TIES * games:
            warnings.append(
                f"{name}: {model['n_ties']} of {games} games are ties. They count half: ξ is "
                "lower than it would be, and the curve has slanted pieces."
            )
    if len(summary["models"]) > 2:
        warnings.append(
            f"{len(summary['models'])} models were tried. The best of several looks better than "
            "it is: report all, or test the chosen one on other data."
        )
    return warnings


def methods(summary: dict[str, Any]) -> str:
    """Write a paragraph for a paper."""
    sample = summary["sample"]
    names = "; ".join(f"{m['name']} ({m['described']})" for m in summary["models"])
    level = percent(summary["confidence_level"])
    m = summary["n_units"]
    n_pairs = m * (m - 1) // 2
    kinds = (
        f"{len(sample['numeric'])} numeric and {len(sample['categorical'])} categorical features"
    )
    gaps = ""
    if sample["without_target"]:
        gaps = f" {sample['without_target']} rows without a target were left out."
    if sample["missing"] == "impute" and sample["missing_cells"]:
        gaps += (
            f" Missing cells ({sample['missing_cells']}) were imputed (median; categories "
            "as a level of their own) within every training set."
        )
    elif sample["dropped"]:
        gaps += f" {sample['dropped']} units with missing cells were left out."
    groups = ""
    if sample["n_groups"] is not None:
        groups = (
            f" Units of one of {sample['n_groups']} groups ({sample['group']}) were left out "
            "together, and intervals treat groups as the independent units."
        )
    compared = ""
    if summary["comparisons"]:
        compared = (
            " Models were compared by the difference of their leave-pair-out AUCs with a paired "
            "test that accounts for shared training data"
            + (", p-values adjusted by Holm's method." if len(summary["models"]) > 2 else ".")
        )
    return (
        f"Discrimination between {summary['positive']!r} ({summary['n_positive']} units) and "
        f"{summary['negative']!r} ({summary['n_negative']} units) was estimated by tournament "
        f"leave-pair-out cross-validation [1] of {names}, with {kinds}. For each of the {n_pairs} "
        "pairs of units a model was trained without both, preprocessing included, and the unit "
        "with the larger score won; units were ranked by wins, and the ROC curve is that of the "
        f"wins. {level} intervals of the AUC are placement-jackknife intervals (a score interval "
        "[2] whose variance is inflated by the geometric mean of the placement and jackknife "
        "variances); "
        f"sensitivity is the largest at a specificity of at least {summary['specificity']:g}, its "
        "limits a score interval with the same inflation that counts the threshold as estimated. "
        "Consistency of the tournament is Kendall's ξ [3]."
        f"{gaps}{groups}{compared} Analysis: tlpo {summary['version']}, "
        f"scikit-learn {summary['sklearn']}, Python {summary['python']}, seed {summary['seed']}."
    )
