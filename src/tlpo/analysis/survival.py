"""What an analysis of times to an event has beside its concordance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import asdict

from tlpo.analysis import shapes
from tlpo.analysis.json_values import finish, numbers
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
        return (middle,) if 0 < middle < outcome.time.max() else ()
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
    model: shapes.OrderedModel, result: Survival, options: Options
) -> shapes.SurvivalModel:
    """Add to what models of every outcome have what those of times to an event have."""
    level = options.confidence_level
    whole = result._table is not None and result.opponents is None
    uno = result.uno_interval(confidence_level=level) if whole else None
    times = times_to_report(result.outcome, options.at) if whole else ()
    return shapes.SurvivalModel(
        **asdict(model),
        uno=None if uno is None else uno.estimate,
        uno_interval=None if uno is None else describe_interval(uno),
        at=[describe_time(result, time, level, options.specificity) for time in times],
        groups=describe_groups(find_groups(result)),
    )


def describe_time(
    result: TimeMeasures, time: float, level: float, specificity: float
) -> shapes.AtTime:
    """Return what a ranking is worth at a time, for those who have a rank."""
    _, times, events = result._rated
    interval = result.auc_at_interval(time, level)
    curve = result.roc_curve_at(time)
    cases, controls = events & (times <= time), times > time
    shown = np.unique(np.linspace(0, curve.fpr.size - 1, MOST_POINTS).astype(int))
    return shapes.AtTime(
        time=float(time),
        cases=int(cases.sum()),
        controls=int(controls.sum()),
        censored=int(times.size - cases.sum() - controls.sum()),
        survival=float(kaplan_meier(times, events).at(np.array([time]))[0]),
        auc=interval.estimate,
        interval=describe_interval(interval),
        specificity=specificity,
        sensitivity=sensitivity_at(curve, specificity),
        fpr=curve.fpr[shown].tolist(),
        tpr=curve.tpr[shown].tolist(),
    )


def find_groups(result: TimeMeasures) -> RiskGroups | None:
    """Return thirds of the patients by rank, halves of two ranks, or None if all are equal."""
    n_ranks = np.unique(result._risk[result._rated[0]]).size
    if n_ranks < 2:
        return None
    found: RiskGroups = result.risk_groups(min(N_GROUPS, n_ranks))
    return found if len(found.curves) > 1 else None


def describe_groups(found: RiskGroups | None) -> shapes.RiskGroups | None:
    """Return the survival of groups."""
    if found is None:
        return None
    curves = [_curve(name, own) for name, own in zip(found.names, found.curves, strict=True)]
    test = found.test
    return shapes.RiskGroups(
        curves, shapes.LogRank(test.chi_square, test.degrees_of_freedom, test.p_value)
    )


def describe_follow_up(outcome: TimeToEvent, level: float) -> shapes.FollowUp:
    """Return the median follow-up with limits."""
    follow_up = censoring_survival(outcome.time, outcome.event)
    return shapes.FollowUp(follow_up.median, *follow_up.median_limits(level))


def survival_at(curve: KaplanMeier, time: float, level: float) -> shapes.Rate | None:
    """Return the survival at a time with limits; None if nobody was followed that long.

    Notes
    -----
    Limits are symmetric for log(−log S). Where nobody, or everybody, had the event, that scale says
    nothing: there they are exact ones of a binomial share, of those followed beyond the time, or of
    all.
    """
    at = np.array([time])
    S, beyond = (
        float(curve.at(at)[0]),
        int(np.sum((curve.events + curve.censored)[curve.time > time])),
    )
    if S > 0 and time > curve.time[-1]:
        return None
    tail = (1.0 - level) / 2.0
    if S == 1.0:
        return shapes.Rate(1.0, tail ** (1.0 / max(1, beyond)), 1.0)
    if S == 0.0:
        return shapes.Rate(0.0, 0.0, 1.0 - tail ** (1.0 / int(curve.at_risk[0])))
    low, high = curve.limits(level, at)
    return shapes.Rate(S, float(low[0]), float(high[0]))


def risk_ratio(all_patients: shapes.CalibratedGroup) -> shapes.Limits:
    """Return the observed risk of the event by that predicted; limits are those of the former.

    Examples
    --------
    >>> from tlpo.analysis.shapes import CalibratedGroup, Rate
    >>> risk_ratio(CalibratedGroup("all", 50, 0.8, Rate(0.7, 0.6, 0.9)))
    Limits(estimate=1.5..., low=0.5..., high=2.0...)
    """
    observed, risk = all_patients.observed, 1.0 - all_patients.predicted
    if observed is None or risk <= 0:
        return shapes.Limits(None)
    return shapes.Limits(
        *((1.0 - S) / risk for S in (observed.estimate, observed.high, observed.low))
    )


def as_kaplan_meier(curve: shapes.SurvivalCurve) -> KaplanMeier:
    """Return a curve that was written; of standard errors, nothing was."""
    at_risk, events = np.array(curve.at_risk), np.array(curve.events)
    censored = at_risk - events - np.append(at_risk[1:], 0)
    time, survival = numbers(curve.time), numbers(curve.survival)
    return KaplanMeier(time, survival, np.full(time.size, np.nan), at_risk, events, censored)


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
    common: shapes.RankedAnalysis,
    outcome: TimeToEvent,
    models: list[shapes.SurvivalModel],
    time_column: str,
    n_coefficients: int,
    model_file: str | None,
) -> shapes.SurvivalAnalysis:
    """Add to what analyses of every outcome have what those of times to an event have."""
    return finish(
        shapes.SurvivalAnalysis(
            **asdict(common),
            models=models,
            time_column=time_column,
            coding=outcome.coding,
            time=outcome.time.tolist(),
            event=outcome.event.tolist(),
            n_coefficients=n_coefficients,
            model_file=model_file,
            follow_up=describe_follow_up(outcome, common.confidence_level),
        )
    )


def count_coefficients(sample: Sample) -> int:
    """Count the columns that reach a linear model, categories one for each level but one."""
    levels = sum(max(0, len(found.kept) + bool(found.rare) - 1) for found in sample.levels.values())
    return len(sample.numeric) + levels
