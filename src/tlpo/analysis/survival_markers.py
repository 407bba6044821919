"""Assess markers against times to an event."""

from __future__ import annotations

import numpy as np
import pandas as pd
from msgspec.structs import asdict

from tlpo.analysis import shapes
from tlpo.analysis.json_values import finish
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.markers import assess_each
from tlpo.analysis.measures import describe_interval
from tlpo.analysis.ordered_markers import describe_marker, in_common
from tlpo.analysis.survival import (
    describe_follow_up,
    describe_groups,
    describe_time,
    find_groups,
    times_to_report,
)
from tlpo.errors import UsageError, arg, explain
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.fixed_survival import FixedSurvival
from tlpo.results.risk_groups import RiskGroups
from tlpo.tables.build_sample import Sample


def assess_survival_markers(sample: Sample, options: MarkerOptions) -> dict[str, FixedSurvival]:
    """Return every marker of a sample with times to an event, assessed."""
    for name, given in (
        ("cutoff", list(options.cutoff)),
        ("prevalence", options.prevalence),
        ("smooth", options.smooth),
    ):
        if given:
            raise UsageError(
                explain(
                    "Cut-offs, prevalences and smoothed ROC curves are of two classes, and the "
                    "outcome is a time to an event.",
                    f"You passed {arg(name, given)}.",
                    f"Leave it out; {arg('at', 36)} gives the ROC curve at a time.",
                )
            )
    return assess_each(sample, options, FixedSurvival)


def summarize_survival_markers(
    sample: Sample,
    assessed: dict[str, FixedSurvival],
    options: MarkerOptions,
    source: str | None,
) -> shapes.SurvivalMarkerAnalysis:
    """Summarize what was assessed."""
    outcome = sample.outcome
    assert isinstance(outcome, TimeToEvent)
    times = times_to_report(outcome, options.at)
    return finish(
        shapes.SurvivalMarkerAnalysis(
            **asdict(in_common(sample, assessed, options, source)),
            time_column=str(sample.spec.time),
            coding=outcome.coding,
            time=outcome.time.tolist(),
            event=outcome.event.tolist(),
            follow_up=describe_follow_up(outcome, options.confidence_level),
            times=list(times),
            markers=[_describe(a, times, options) for a in assessed.values()],
        )
    )


def survival_marker_values(sample: Sample, assessed: dict[str, FixedSurvival]) -> pd.DataFrame:
    """Tabulate time, event and every marker of every patient."""
    outcome = sample.outcome
    assert isinstance(outcome, TimeToEvent)
    happened = np.where(outcome.event, "event", "censored")
    columns = {name: a.values for name, a in assessed.items()}
    return pd.DataFrame({str(sample.spec.time): outcome.time, sample.target: happened, **columns})


def _describe(
    a: FixedSurvival, times: tuple[float, ...], options: MarkerOptions
) -> shapes.SurvivalMarker:
    level = options.confidence_level
    _, own_times, own_events = a._rated
    first, last = own_times[own_events].min(), own_times.max()
    uno, groups = a.uno_interval(confidence_level=level), find_groups(a)
    return shapes.SurvivalMarker(
        **asdict(describe_marker(a, level)),
        n_events=int(own_events.sum()),
        uno=uno.estimate,
        uno_interval=describe_interval(uno),
        # Of patients with a value, nobody may have had the event by then, or been followed on.
        at=[
            describe_time(a, time, level, options.specificity)
            for time in times
            if first <= time < last
        ],
        groups=describe_groups(groups),
        cuts=[] if groups is None else _cuts(a, groups),
    )


def _cuts(a: FixedSurvival, groups: RiskGroups) -> list[float]:
    """Return where the groups of a marker meet, in its own units."""
    nearest = np.min if a.larger_is_positive else np.max
    return [float(nearest(a.values[groups.member == k])) for k in range(1, len(groups.names))]
