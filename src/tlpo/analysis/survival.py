"""What an analysis of times to an event has beside its concordance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tlpo.analysis import shapes
from tlpo.analysis.json_values import finish
from tlpo.analysis.measures import describe_interval
from tlpo.analysis.options import Options
from tlpo.errors import InputError, arg, explain
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.risk_groups import RiskGroups
from tlpo.results.survival import Survival
from tlpo.results.time_measures import TimeMeasures
from tlpo.roc.curve import sensitivity_at
from tlpo.roc.kaplan_meier import KaplanMeier, censoring_survival, kaplan_meier
from tlpo.tables.build_sample import Sample

# Risk groups, if there are ranks enough.
N_GROUPS = 3
# Points of a ROC curve that a picture shows.
MOST_POINTS = 500


def times_to_report(outcome: TimeToEvent, at: Sequence[float]) -> tuple[float, ...]:
    """Return the times that were asked for or, by default, that of half of the events."""
    if not at:
        middle = float(np.quantile(outcome.time[outcome.event], 0.5, method="lower"))
        return (middle,) if middle < outcome.time.max() else ()
    first, last = outcome.time[outcome.event].min(), outcome.time.max()
    outside = [time for time in at if not first <= time < last]
    if outside:
        raise InputError(
            explain(
                "At this time nobody had the event yet, or nobody is still followed.",
                f"You passed {arg('at', float(f'{outside[0]:.12g}'))}; the first event is at "
                f"{first:.6g}, and the longest follow-up is {last:.6g}.",
                f"Choose times from {first:.6g} to before {last:.6g}.",
            )
        )
    return tuple(sorted(set(map(float, at))))


def survival_model(
    common: dict[str, Any], result: Survival, options: Options
) -> shapes.SurvivalModel:
    """Add to what models of every outcome have what those of times to an event have."""
    level = options.confidence_level
    whole = result._table is not None and result.opponents is None
    uno = result.uno_interval(confidence_level=level) if whole else None
    times = times_to_report(result.outcome, options.at) if whole else ()
    return shapes.SurvivalModel(
        **common,
        uno=None if uno is None else uno.estimate,
        uno_interval=None if uno is None else describe_interval(uno),
        at=[describe_time(result, time, options) for time in times],
        groups=describe_groups(result),
    )


def describe_time(result: TimeMeasures, time: float, options: Options) -> shapes.AtTime:
    """Return what a ranking is worth at a time."""
    outcome = result.outcome
    interval = result.auc_at_interval(time, options.confidence_level)
    curve = result.roc_curve_at(time)
    cases, controls = outcome.event & (outcome.time <= time), outcome.time > time
    shown = np.unique(np.linspace(0, curve.fpr.size - 1, MOST_POINTS).astype(int))
    return shapes.AtTime(
        time=float(time),
        cases=int(cases.sum()),
        controls=int(controls.sum()),
        censored=int(outcome.n_units - cases.sum() - controls.sum()),
        survival=float(kaplan_meier(outcome.time, outcome.event).at(np.array([time]))[0]),
        auc=interval.estimate,
        interval=describe_interval(interval),
        specificity=options.specificity,
        sensitivity=sensitivity_at(curve, options.specificity),
        fpr=curve.fpr[shown].tolist(),
        tpr=curve.tpr[shown].tolist(),
    )


def describe_groups(result: TimeMeasures) -> shapes.RiskGroups | None:
    """Return thirds of the patients by rank, or None if there are too few ranks."""
    try:
        found: RiskGroups = result.risk_groups(N_GROUPS)
    except InputError:
        return None
    if len(found.curves) < 2:
        return None
    curves = [_curve(name, own) for name, own in zip(found.names, found.curves, strict=True)]
    test = found.test
    return shapes.RiskGroups(
        curves, shapes.LogRank(test.chi_square, test.degrees_of_freedom, test.p_value)
    )


def _curve(name: str, curve: KaplanMeier) -> shapes.SurvivalCurve:
    low, high = curve.median_limits(0.95)
    return shapes.SurvivalCurve(
        name,
        curve.time.tolist(),
        curve.survival.tolist(),
        curve.at_risk.tolist(),
        curve.events.tolist(),
        curve.median,
        low,
        high,
    )


def complete_survival(
    common: dict[str, Any],
    outcome: TimeToEvent,
    models: list[shapes.SurvivalModel],
    time_column: str,
    n_coefficients: int,
) -> shapes.SurvivalAnalysis:
    """Add to what analyses of every outcome have what those of times to an event have."""
    follow_up = censoring_survival(outcome.time, outcome.event)
    low, high = follow_up.median_limits(common["confidence_level"])
    return finish(
        shapes.SurvivalAnalysis(
            **common,
            models=models,
            time_column=time_column,
            coding=outcome.coding,
            time=outcome.time.tolist(),
            event=outcome.event.tolist(),
            n_coefficients=n_coefficients,
            follow_up=shapes.FollowUp(follow_up.median, low, high),
        )
    )


def count_coefficients(sample: Sample) -> int:
    """Count the columns that reach a linear model, categories one for each level but one."""
    levels = sum(max(0, len(found.kept) + bool(found.rare) - 1) for found in sample.levels.values())
    return len(sample.numeric) + levels
