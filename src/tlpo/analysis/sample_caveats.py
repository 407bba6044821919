"""Remarks on too many features for the patients, and on gaps."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tlpo.analysis.gaps import MANY_GAPS
from tlpo.analysis.models import NO_PENALTY
from tlpo.analysis.remarks import Drop, Remark, names
from tlpo.analysis.shapes import (
    Flow,
    Model,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedModel,
    SeveralAnalysis,
    SeveralModel,
    SurvivalAnalysis,
)
from tlpo.plurals import counted

# Patients with the rarer outcome for each feature: with fewer, a model without a penalty overfits.
ENOUGH_EACH = 10
# … and for each coefficient of any linear model: of a penalised one, if it has many, and unless a
# remark says that the class is small.
FEW_EACH, MANY, SMALL = 5, 10, 10
# Columns that an action names.
NAMED = 5
# If more than this share of the features have gaps, to leave some of them out changes little.
MOST = 0.5
# Suspicions that a column tells the outcome.
LEAKS = ("copy", "separates", "filled", "after")
# Models that have no penalty unless one is asked for by this parameter.
WITHOUT_PENALTY = {
    "LinearRegression": "",
    "LinearDiscriminantAnalysis": "shrinkage=",
    "QuadraticDiscriminantAnalysis": "reg_param=",
    "CoxPHSurvivalAnalysis": "alpha=",
}


def on_features(analysis: ModelAnalysis | SurvivalAnalysis) -> list[Remark]:
    """Warn of linear models that have many features for the patients."""
    each = events_each(analysis)
    found = [model.name for model in analysis.models if has_no_penalty(model)]
    if each is None or each >= ENOUGH_EACH or not found:
        return _on_coefficients(analysis) if isinstance(analysis, ModelAnalysis) else []
    is_timed = isinstance(analysis, SurvivalAnalysis)
    n_features = count_features(analysis.sample)
    if is_timed:
        whom = counted(_rarer(analysis), "event")
        measure, too = "concordance", "predicted risks tend to be too extreme"
    else:
        one, many = analysis.unit, analysis.units
        whom = f"{counted(_rarer(analysis), one, many)} in the smaller class"
        measure, too = "AUC", "probabilities tend to be too extreme"
    other = "cox with its usual alpha" if is_timed else "logistic, ridge or lasso"
    text = (
        f"{_joined(found)}: {whom} for {counted(n_features, 'feature')}, {each:.1f} each. With "
        f"fewer than {ENOUGH_EACH} and no penalty, coefficients and {too}, though the {measure} "
        f"here is not too high. Its interval allows for models that change with every "
        f"{analysis.unit} they are trained on, and is wider for that. Use fewer features, chosen "
        f"without looking at the outcome, or a penalty: {other}."
    )
    return [Remark("events per variable", text)]


def _on_coefficients(analysis: ModelAnalysis) -> list[Remark]:
    """Warn of linear models whose penalty is all that tells their coefficients apart."""
    n = {
        model.name: model.final.n
        for model in analysis.models
        if model.final.kind == "coefficients"
        and model.final.n >= MANY
        and SMALL <= _rarer(analysis) < FEW_EACH * model.final.n
    }
    if not analysis.sample.is_known or not n:
        return []
    most, size = max(n.values()), _rarer(analysis)
    each = f"{size / most:.1f} each" if size > most else "less than one each"
    text = (
        f"{_joined(n)}: {counted(size, analysis.unit, analysis.units)} in the smaller class for "
        f"{counted(most, 'coefficient')}, {each}. With fewer than {FEW_EACH}, even a penalised "
        f"model changes with every {analysis.unit} it is trained on; the interval of the AUC "
        "allows for that and is wider for it. Fewer features, chosen without looking at the "
        f"outcome, or more {analysis.units} would narrow it."
    )
    return [Remark("events per variable", text)]


def on_gaps(
    analysis: ModelAnalysis | SeveralAnalysis | OrderedAnalysis | SurvivalAnalysis,
) -> list[Remark]:
    """Ask about columns that many patients lack."""
    asked = {suspect.column for suspect in analysis.sample.suspects if suspect.kind in LEAKS}
    gaps = {name: n for name, n in analysis.sample.gaps.items() if name not in asked}
    if not gaps:
        return []
    columns, most = tuple(gaps), max(gaps.values())
    share = f"{most / analysis.n_units:.0%}"
    one = len(columns) == 1
    known = (
        f"{names(columns)} is missing in {most} of {analysis.n_units} {analysis.units} ({share})"
        if one
        else f"{names(columns)} are each missing in more than {MANY_GAPS:.0%} of the "
        f"{analysis.units}, up to {share}"
    )
    text = (
        f"{known}. Results and their intervals are those of {analysis.units} with as many gaps. "
        "If who has a value depends on the outcome, as with a test ordered only for the ill, they "
        f"do not hold for new {analysis.units}."
    )
    if len(columns) > max(NAMED, MOST * count_features(analysis.sample)):
        return [Remark("gaps", text)]
    return [Remark("gaps", text, (("In that case,", Drop(columns[:NAMED])),))]


def say_without(
    analysis: ModelAnalysis | OrderedAnalysis | SurvivalAnalysis, columns: Collection[str]
) -> str:
    """Say what is left without all columns that are asked about, behind the last question.

    Unless that is no less: then the result owes nothing to them.
    """
    found = analysis.without
    if found is None or found.questioned is None:
        return ""
    estimate = found.questioned.estimate
    if round(estimate, 3) >= round(found.estimate, 3):
        return ""
    asked = found.questioned.features
    whose = names(asked) if {*asked} - {*columns} else "it" if len(columns) == 1 else "them"
    measure = "AUC" if isinstance(analysis, ModelAnalysis) else "concordance"
    model = f" of {found.model}" if len(analysis.models) > 1 else ""
    return (
        f"; without {whose} the {measure}{model} is {estimate:.3f} instead of {found.estimate:.3f}"
    )


def events_each(analysis: ModelAnalysis | SurvivalAnalysis) -> float | None:
    """Return how many patients with the rarer outcome there are per feature, if they are known."""
    n = count_features(analysis.sample)
    return _rarer(analysis) / n if analysis.sample.is_known and n else None


def count_features(sample: Flow) -> int:
    """Return how many columns were offered to the models."""
    return len(sample.numeric) + len(sample.categorical)


def has_no_penalty(model: Model | OrderedModel | SeveralModel) -> bool:
    """Return whether a model is a regression without any penalty."""
    if NO_PENALTY in model.described:
        return True
    last = model.estimator.rpartition(" → ")[2]
    asks = WITHOUT_PENALTY.get(last)
    return asks is not None and (not asks or asks not in model.described)


def _rarer(analysis: ModelAnalysis | SurvivalAnalysis) -> int:
    if isinstance(analysis, SurvivalAnalysis):
        return sum(analysis.event)
    return min(analysis.n_positive, analysis.n_negative)


def _joined(found: Iterable[str]) -> str:
    return " and ".join(found)
