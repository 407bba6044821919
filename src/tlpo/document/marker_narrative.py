"""What the report of markers says in sentences."""

from __future__ import annotations

from tlpo.analysis.shapes import Marker, MarkerAnalysis
from tlpo.document.numbers import digits, percent
from tlpo.document.smooth import METHODS

REFERENCES = (
    "DeLong ER, DeLong DM, Clarke-Pearson DL. Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach. Biometrics "
    "1988;44:837-845.",
    "Newcombe RG. Confidence intervals for an effect size measure based on the Mann-Whitney "
    "statistic. Part 2: asymptotic methods and evaluation. Statistics in Medicine "
    "2006;25:559-573.",
    "Holm S. A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 1979;6:65-70.",
)


def references(analysis: MarkerAnalysis) -> tuple[str, ...]:
    """Return what the methods cite."""
    return REFERENCES if len(analysis.comparisons) > 1 else REFERENCES[:2]


def title(analysis: MarkerAnalysis) -> str:
    """Ask the question that the report answers."""
    markers = analysis.markers
    who = f"does {markers[0].name}" if len(markers) == 1 else "do the markers"
    source = "" if analysis.source is None else f" ({analysis.source})"
    return f"How well {who} tell {analysis.target} apart?{source}"


def sentence(marker: Marker, analysis: MarkerAnalysis) -> str:
    """Say how well a marker discriminates."""
    target, level = analysis.target, percent(analysis.confidence_level)
    comparison = "a larger" if marker.larger_is_positive else "a smaller"
    at = marker.sensitivity_at
    low, high = marker.interval.low, marker.interval.high
    text = (
        f"A random {analysis.unit} with {target} '{analysis.positive}' has {comparison} "
        f"{marker.name} than one with {target} '{analysis.negative}' with probability "
        f"{digits(marker.auc)} (the AUC; {level} interval {digits(low)} to {digits(high)}). At "
        f"a cut-off with a specificity of at least {at.specificity:g} its sensitivity is "
        f"{digits(at.sensitivity)} ({digits(at.low)} to {digits(at.high)})."
    )
    if marker.auc >= 0.5 and low <= 0.5:
        text += " The interval includes 0.5, so it may discriminate no better than chance."
    return text


def methods(analysis: MarkerAnalysis) -> str:
    """Write the paragraph for a paper."""
    level = percent(analysis.confidence_level)
    names = ", ".join(marker.name for marker in analysis.markers)
    text = (
        f"{names}: the area under the ROC curve (AUC) was estimated by the Mann-Whitney statistic, "
        f"with {level} intervals by DeLong et al. (1) and score intervals (2). "
        "The direction of each marker was set beforehand. p-values for an AUC of 0.5 are two-sided "
        "Mann-Whitney tests."
    )
    if analysis.group is not None:
        text += f" Variances were computed over groups ({analysis.group}; Obuchowski 1997)."
    if analysis.comparisons:
        text += " AUCs were compared by DeLong's test for the same patients (1)"
        text += ", adjusted by Holm's method (3)." if len(analysis.comparisons) > 1 else "."
    text += METHODS if analysis.smooth else ""
    return text + f" Analyses were made with tlpo {analysis.version}."
