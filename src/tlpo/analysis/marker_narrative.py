"""What a report about markers says in words."""

from __future__ import annotations

from typing import Any

from tlpo.analysis.json_values import Summary
from tlpo.analysis.narrative import FEW, digits, percent
from tlpo.problem.labels import SORTED

# Units of the smaller class, and the AUC: beyond them DeLong's 95 % interval held the truth in less
# than 93 % of samples (docs/inference.md).
ENOUGH, NEAR_ONE = 50, 0.9


def title(summary: Summary) -> str:
    """Ask the question that the report answers."""
    markers = summary["markers"]
    who = f"does {markers[0]['name']}" if len(markers) == 1 else "do the markers"
    source = "" if summary["source"] is None else f" ({summary['source']})"
    return f"How well {who} tell {summary['target']} apart?{source}"


def sentence(marker: dict[str, Any], summary: Summary) -> str:
    """Say how well a marker discriminates."""
    target, level = summary["target"], percent(summary["confidence_level"])
    comparison = "a larger" if marker["larger_is_positive"] else "a smaller"
    at = marker["sensitivity_at"]
    low, high = marker["interval"]["low"], marker["interval"]["high"]
    text = (
        f"A random {summary['unit']} with {target} '{summary['positive']}' has {comparison} "
        f"{marker['name']} than one with {target} '{summary['negative']}' with probability "
        f"{digits(marker['auc'])} (the AUC; {level} interval {digits(low)} to {digits(high)}). At "
        f"a specificity of {at['specificity']:g} its sensitivity is {digits(at['sensitivity'])} "
        f"({digits(at['low'])} to {digits(at['high'])}"
        + (", interpolated between cut-offs)." if at["interpolated"] else ").")
    )
    if marker["auc"] < 0.5:
        return f"{text} {turned(marker)}"
    if low <= 0.5:
        text += " The interval includes 0.5, so it may discriminate no better than chance."
    return text


def turned(marker: dict[str, Any]) -> str:
    """Say what the other direction would mean."""
    name = marker["name"]
    other, flag = "smaller", f"--smaller-is-positive {name!r}"
    if not marker["larger_is_positive"]:
        other, flag = "larger", f"without {flag}"
    return (
        f"That is below ½: if {other} values of {name} were expected in the positive class before "
        f"these data were seen, say so (on the command line {flag}); the AUC is then "
        f"{digits(1 - marker['auc'])}. The direction is never chosen from the data."
    )


def warn(summary: Summary) -> list[str]:
    """Say what a statistician would."""
    warnings = []
    if summary["chosen_by"] == SORTED:
        warnings.append(
            f"{summary['positive']!r} counts as positive only because it follows "
            f"{summary['negative']!r} in the alphabet. If that is the wrong way round, run the "
            "analysis again and name the positive label."
        )
    narrow = [
        marker["name"]
        for marker in summary["markers"]
        if min(marker["n_positive"], marker["n_negative"]) < ENOUGH or marker["auc"] > NEAR_ONE
    ]
    if narrow:
        warnings.append(
            f"With so few {summary['unit']}s, or so near an AUC of 1, DeLong's interval is too "
            f"narrow ({', '.join(narrow)}): report the score interval beside it."
        )
    for marker in summary["markers"]:
        name, units = marker["name"], f"{summary['unit']}s"
        if marker["n_missing"]:
            warnings.append(
                f"{name} is missing in {marker['n_missing']} of {summary['n_units']} {units}, who "
                "are left out."
            )
        smallest = min(marker["n_positive"], marker["n_negative"])
        if smallest < FEW:
            warnings.append(
                f"{name}: the smaller class has only {smallest} {units}, so every estimate is "
                "rough, whatever its interval says."
            )
    units = f"{summary['unit']}s"
    return [*warnings, *(note.replace("units", units) for note in summary["comparison_notes"])]


def methods(summary: Summary) -> str:
    """Write the paragraph for a paper."""
    level = percent(summary["confidence_level"])
    names = ", ".join(marker["name"] for marker in summary["markers"])
    text = (
        f"{names}: the area under the ROC curve (AUC) was estimated by the Mann-Whitney statistic, "
        f"with {level} intervals by DeLong et al. (1). "
        "The direction of each marker was set beforehand. p-values for an AUC of 0.5 are two-sided "
        "Mann-Whitney tests."
    )
    if summary["group"] is not None:
        text += f" Variances were computed over groups ({summary['group']}; Obuchowski 1997)."
    if summary["comparisons"]:
        text += " AUCs were compared by DeLong's test for the same patients (1)"
        text += ", adjusted by Holm's method (3)." if len(summary["comparisons"]) > 1 else "."
    return text + f" Analyses were made with tlpo {summary['version']}."
