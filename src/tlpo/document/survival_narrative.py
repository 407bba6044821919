"""What the report of times to an event says in sentences."""

from __future__ import annotations

from tlpo.analysis.shapes import (
    AtTime,
    SurvivalAnalysis,
    SurvivalMarkerAnalysis,
    SurvivalModel,
    SurvivalValidation,
    Timed,
)
from tlpo.document.narrative import (
    REFERENCES as OF_CLASSES,
)
from tlpo.document.narrative import (
    ask_of,
    name_models,
    said_of_sample,
    say_consistency,
    say_features,
    say_pairs,
    say_shared_trees,
    say_signal,
    say_software,
)
from tlpo.document.numbers import digits, figures, limits, median_limits, percent
from tlpo.document.ordered_narrative import say_comparisons, say_variance
from tlpo.plurals import counted

# What is not always cited comes last.
REFERENCES = (
    OF_CLASSES[0],
    "Harrell FE, Califf RM, Pryor DB, Lee KL, Rosati RA. Evaluating the yield of medical tests. "
    "JAMA 1982;247:2543-2546.",
    "Schemper M, Smith TL. A note on quantifying follow-up in studies of failure time. Controlled "
    "Clinical Trials 1996;17:343-346.",
    OF_CLASSES[2],
    "Uno H, Cai T, Pencina MJ, D'Agostino RB, Wei LJ. On the C-statistics for evaluating overall "
    "adequacy of risk prediction procedures with censored survival data. Statistics in Medicine "
    "2011;30:1105-1117.",
    "Uno H, Cai T, Tian L, Wei LJ. Evaluating prediction rules for t-year survivors with censored "
    "regression models. Journal of the American Statistical Association 2007;102:527-537.",
)


def title(analysis: SurvivalAnalysis | SurvivalMarkerAnalysis) -> str:
    """Name the outcome and the file, and ask the question that the report answers."""
    if isinstance(analysis, SurvivalAnalysis):
        who = ask_of([model.name for model in analysis.models])
    else:
        who = ask_of([marker.name for marker in analysis.markers], "markers")
    source = "" if analysis.source is None else f" ({analysis.source})"
    return f"Time to {analysis.target}{source}: how well {who} rank {analysis.units} by risk?"


def sentence(model: SurvivalModel, analysis: SurvivalAnalysis) -> str:
    """Say in a sentence or two how well a model ranks."""
    found, level = model.interval, percent(analysis.confidence_level)
    verdict = ""
    if found.high < 0.5:
        verdict = f" That is worse than chance: check how {analysis.target} is coded."
    elif float(digits(found.low)) <= 0.5:
        verdict = " The interval includes 0.5, so the model may rank no better than chance."
    return (
        f"{model.name} gives the {analysis.unit} with the earlier event the higher risk with "
        f"probability {digits(model.concordance)} (Harrell's concordance; {level} interval "
        f"{digits(found.low)} to {digits(found.high)}).{verdict}{say_signal(model.permutation)}"
    )


def at_time(name: str, found: AtTime, analysis: SurvivalAnalysis | SurvivalMarkerAnalysis) -> str:
    """Say in a sentence what a model or marker is worth at a time."""
    return (
        f"At {figures(found.time)} ({analysis.time_column}), {name} tells those with the "
        f"event from those without it with an AUC of {digits(found.auc)} "
        f"({limits(found.interval.low, found.interval.high)})."
    )


def follow_up(analysis: Timed) -> str:
    """Say how many events there were, and how long patients were followed."""
    n_events, found = sum(analysis.event), analysis.follow_up
    text = f"{n_events} of {analysis.n_units} {analysis.units} had the event"
    if found.median is None:
        return f"{text}; the median follow-up is not reached."
    interval = ""
    if found.low is not None:
        shown = median_limits(found.median, found.low, found.high)
        interval = f"; {percent(analysis.confidence_level)} interval {shown}"
    median = f"{figures(found.median)} ({analysis.time_column}{interval})"
    return f"{text}; the median follow-up was {median}."


def say_times(analysis: SurvivalAnalysis | SurvivalValidation) -> str:
    """Say what the outcome is, and how long patients were followed."""
    return f"Time ({analysis.time_column}) to {analysis.target}. {follow_up(analysis)}"


def say_event_counts(analysis: SurvivalAnalysis | SurvivalValidation) -> str:
    """Say how many patients and events there are."""
    return f"{analysis.n_units} {analysis.units}, {counted(sum(analysis.event), 'event')}."


def references(analysis: SurvivalAnalysis) -> tuple[str, ...]:
    """Return what the methods cite."""
    text = methods(analysis)
    return REFERENCES[: max(k for k in range(1, len(REFERENCES) + 1) if f"[{k}]" in text)]


def methods(analysis: SurvivalAnalysis) -> str:
    """Write a paragraph for a paper."""
    many, level = analysis.units, percent(analysis.confidence_level)
    uno = ""
    if any(model.uno is not None for model in analysis.models):
        uno = "; Uno's weights these pairs against the effect of censoring [5]"
    times = [found.time for found in analysis.models[0].at]
    at = ""
    if times:
        at = (
            f" AUCs and ROC curves at {', '.join(figures(time) for time in times)} "
            f"({analysis.time_column}) weight cases by "
            "the inverse probability of not having been censored [6]."
        )
    groups = ""
    if any(model.groups is not None for model in analysis.models):
        groups = (
            f" Risk groups are thirds of the {many} by their wins, or halves where wins are too "
            "few to tell thirds apart; each was ranked by models that had not seen them."
        )
    return (
        f"How well the time to {analysis.target} is predicted was estimated by tournament "
        f"leave-pair-out cross-validation [1] of {name_models(analysis.models)}"
        f"{say_features(analysis.sample)}, in {analysis.n_units} {many}. {follow_up(analysis)} "
        "Follow-up was estimated by reverse Kaplan-Meier [3]. "
        f"{say_pairs(analysis, analysis.rounds)}"
        f"{say_shared_trees(analysis.models, analysis.unit)} Harrell's concordance is the share "
        f"of pairs, of which one {analysis.unit} had the event while the other was known to be "
        f"without it, in which the first won [2]{uno}.{at} {level} intervals are score intervals "
        f"with the variance of independent scores, {say_variance(analysis)}."
        f"{say_consistency(analysis.models, 4)}{groups}"
        f"{said_of_sample(analysis.sample, many)}{say_comparisons(analysis)} "
        f"{say_software(analysis)}"
    )
