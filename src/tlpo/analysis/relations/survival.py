"""Relations in analyses of times to an event."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.packed_games import unpack_games
from tlpo.analysis.relations.checks import Fault, Faults, between, enclosed, equal
from tlpo.analysis.relations.ordered import of_each_marker, of_ranked
from tlpo.analysis.relations.several import of_without
from tlpo.analysis.shapes import (
    AtTime,
    Interval,
    RiskGroups,
    SurvivalAnalysis,
    SurvivalCurve,
    SurvivalMarker,
    SurvivalMarkerAnalysis,
    SurvivalModel,
    Timed,
)
from tlpo.analysis.survival import as_kaplan_meier
from tlpo.arrays import FloatArray, IntArray
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.time_measures import TimeMeasures
from tlpo.roc.kaplan_meier import censoring_survival, kaplan_meier, log_rank
from tlpo.roc.order import Order

# A longer curve is not written in full.
LONG = 400


def of_survival(analysis: SurvivalAnalysis) -> Faults:
    """Check an analysis of models."""
    outcome = outcome_of(analysis)
    yield from of_outcome(analysis, outcome)
    m = analysis.n_units
    ordered = np.zeros((m, m), dtype=bool)
    ordered[outcome.should_win()] = True
    yield from of_ranked(analysis, analysis.models, ordered)
    yield from of_without(analysis)
    for k, model in enumerate(analysis.models):
        yield from _of_model(model, analysis, outcome, f"models[{k}]")


def of_survival_markers(analysis: SurvivalMarkerAnalysis) -> Faults:
    """Check an analysis of markers."""
    outcome = outcome_of(analysis)
    yield from of_outcome(analysis, outcome)
    yield from of_each_marker(analysis)
    if (np.diff(numbers(analysis.times)) <= 0).any():
        yield Fault("times", analysis.times, "they increase")
    for k, marker in enumerate(analysis.markers):
        yield from _of_marker(marker, analysis, outcome, f"markers[{k}]")


def outcome_of(analysis: Timed) -> TimeToEvent:
    """Return times and events."""
    return TimeToEvent(numbers(analysis.time), np.array(analysis.event, dtype=bool))


def of_outcome(analysis: Timed, outcome: TimeToEvent) -> Faults:
    """Check times, events and follow-up."""
    m = analysis.n_units
    yield from equal("n_units", m, outcome.time.size, "as 'time' has entries")
    yield from equal("n_units", m, outcome.event.size, "as 'event' has entries")
    if not outcome.n_ordered:
        yield Fault("event", analysis.event, "somebody outlived somebody with the event")
    found, right = analysis.follow_up, censoring_survival(outcome.time, outcome.event)
    names = ("follow_up.median", "follow_up.low", "follow_up.high")
    yield from _of_median((found.median, found.low, found.high), right.median, names)


def _of_median(
    stated: tuple[float | None, float | None, float | None],
    right: float | None,
    names: tuple[str, str, str],
) -> Faults:
    """Check a median and its limits; one that is not reached is later than any time.

    The lower limit may be unknown all the same: where everybody leaves at once.
    """
    yield from equal(names[0], stated[0], right, "as times and events say")
    median, low, high = (math.inf if value is None else value for value in stated)
    if stated[1] is not None and low > median:
        yield Fault(names[1], stated[1], "it is reached before the median")
    if high < median:
        yield Fault(names[2], stated[2], "it is reached after the median")


def _of_model(
    model: SurvivalModel, analysis: SurvivalAnalysis, outcome: TimeToEvent, where: str
) -> Faults:
    if (model.uno is None) != (model.uno_interval is None):
        yield Fault(f"{where}.uno_interval", model.uno_interval, "it is that of 'uno'")
    if model.uno is not None and model.uno_interval is not None:
        level = analysis.confidence_level
        yield from of_interval(model.uno, model.uno_interval, level, f"{where}.uno_interval")
    rated = outcome.reordered(np.flatnonzero(~np.isnan(numbers(model.scores))))
    if not rated.n_ordered:
        yield Fault(f"{where}.scores", model.scores, "somebody who should win has one")
    again = _Again(outcome, model)
    if model.games is not None and model.uno is not None:
        yield from equal(f"{where}.uno", model.uno, again.uno(), "as the games say")
    for k, found in enumerate(model.at):
        at = f"{where}.at[{k}]"
        yield from of_time(found, analysis.confidence_level, rated, at)
        yield from _of_ranking(found, again, at)
    average = model.final.average
    if average is not None and model.at and average.times != [found.time for found in model.at]:
        yield Fault(f"{where}.final.average.times", average.times, "they are those of 'at'")
    if model.groups is not None:
        yield from of_groups(model.groups, rated.n_units, rated, f"{where}.groups")


def _of_marker(
    marker: SurvivalMarker, analysis: SurvivalMarkerAnalysis, outcome: TimeToEvent, where: str
) -> Faults:
    level, rated = analysis.confidence_level, None if marker.n_missing else outcome
    yield from of_interval(marker.uno, marker.uno_interval, level, f"{where}.uno_interval")
    if marker.groups is not None:
        yield from of_groups(marker.groups, marker.n_rated, rated, f"{where}.groups")
        # Who has a value is not written, but when each of them had the event.
        rated = _members(marker.groups)[0]
        more = _cells(rated) - _cells(outcome)
        if more:
            yield Fault(f"{where}.groups", min(more), "its times and events are some of all")
    yield from _of_cuts(marker, where)
    most = min(marker.n_rated, outcome.n_events)
    yield from between(f"{where}.n_events", marker.n_events, 1, most, "1", "all events")
    if rated is not None:
        said = "as times and events say"
        yield from equal(f"{where}.n_events", marker.n_events, rated.n_events, said)
        yield from equal(f"{where}.n_ordered", marker.n_ordered, rated.n_ordered, said)
    times = [found.time for found in marker.at]
    if times != [time for time in analysis.times if time in times]:
        yield Fault(f"{where}.at", times, "they are some of 'times', in their order")
    for k, found in enumerate(marker.at):
        at = f"{where}.at[{k}]"
        total = found.cases + found.controls + found.censored
        yield from equal(f"{at}.censored", total, marker.n_rated, "with cases and controls, all")
        yield from of_time(found, level, rated, at)


class _Again(TimeMeasures):
    """What the scores and the games of a model say, once more."""

    def __init__(self, outcome: TimeToEvent, model: SurvivalModel) -> None:
        self.outcome, self.scores = outcome, numbers(model.scores)
        self.wins = None if model.games is None else unpack_games(model.games)

    @property
    def _risk(self) -> FloatArray:
        return self.scores

    def _estimate(self, order: Order) -> float:
        assert self.wins is not None
        return order.concordance(self.wins[order.winner, order.loser])

    def _interval_of(self, order: Order, level: float, what: str) -> Any:
        raise NotImplementedError  # limits depend on how a version estimates


def _of_ranking(found: AtTime, again: _Again, where: str) -> Faults:
    """Check what follows from scores and games at a time."""
    if again.wins is not None:
        yield from equal(f"{where}.auc", found.auc, again.auc_at(found.time), "as the games say")
    curve = again.roc_curve_at(found.time)
    for name, stated, right in (("fpr", found.fpr, curve.fpr), ("tpr", found.tpr, curve.tpr)):
        if right.size < LONG and not (
            len(stated) == right.size and np.allclose(numbers(stated), right, rtol=0, atol=1e-9)
        ):
            yield Fault(f"{where}.{name}", stated, "it follows from the scores")


def _of_cuts(marker: SurvivalMarker, where: str) -> Faults:
    n_cuts = 0 if marker.groups is None else len(marker.groups.curves) - 1
    yield from equal(f"{where}.cuts", len(marker.cuts), n_cuts, "one between two groups")
    steps = np.diff(numbers(marker.cuts))
    if (steps <= 0 if marker.larger_is_positive else steps >= 0).any():
        yield Fault(f"{where}.cuts", marker.cuts, "each leads to a higher risk")


def of_interval(estimate: float, found: Interval, level: float, where: str) -> Faults:
    """Check an interval."""
    yield from enclosed(where, estimate, found.low, found.high)
    yield from equal(f"{where}.level", found.level, level, "of all")


def of_time(found: AtTime, level: float, outcome: TimeToEvent | None, where: str) -> Faults:
    """Check what a ranking is worth at a time; ``outcome`` is of those ranked, if it is known."""
    if not found.time > 0:
        yield Fault(f"{where}.time", found.time, "it is above 0")
    if outcome is not None:
        said = "as times and events say"
        cases = int((outcome.event & (outcome.time <= found.time)).sum())
        controls = int((outcome.time > found.time).sum())
        yield from equal(f"{where}.cases", found.cases, cases, said)
        yield from equal(f"{where}.controls", found.controls, controls, said)
        censored = outcome.n_units - cases - controls
        yield from equal(f"{where}.censored", found.censored, censored, said)
        curve = kaplan_meier(outcome.time, outcome.event)
        survival = float(curve.at(np.array([found.time]))[0])
        yield from equal(f"{where}.survival", found.survival, survival, said)
    yield from of_interval(found.auc, found.interval, level, f"{where}.interval")
    fpr, tpr = numbers(found.fpr), numbers(found.tpr)
    yield from equal(f"{where}.tpr", tpr.size, fpr.size, "as 'fpr' has")
    for name, rates in (("fpr", fpr), ("tpr", tpr)):
        if (np.diff(rates) < 0).any() or rates[0] != 0 or rates[-1] != 1:
            yield Fault(f"{where}.{name}", rates.tolist(), "it rises from 0 to 1")
    if fpr.size < LONG:
        reached = tpr[fpr <= 1.0 - found.specificity + 1e-9].max()
        yield from equal(f"{where}.sensitivity", found.sensitivity, reached, "as the curve says")


def of_groups(groups: RiskGroups, n: int, outcome: TimeToEvent | None, where: str) -> Faults:
    """Check groups of so many patients; ``outcome`` is theirs, if it is known."""
    total = sum(curve.at_risk[0] for curve in groups.curves)
    yield from equal(where, total, n, "they are all patients who are ranked")
    for k, curve in enumerate(groups.curves):
        yield from _of_curve(curve, f"{where}.curves[{k}]")
    own, member = _members(groups)
    if outcome is not None and _cells(own) != _cells(outcome):
        yield Fault(where, own.n_units, "they have the times and events of all")
    test, right = groups.test, log_rank(own.time, own.event, member)
    for name in ("chi_square", "degrees_of_freedom", "p_value"):
        stated, expected = getattr(test, name), getattr(right, name)
        yield from equal(f"{where}.test.{name}", stated, expected, "as times and events say")


def _of_curve(curve: SurvivalCurve, where: str) -> Faults:
    sizes = {len(curve.time), len(curve.survival), len(curve.at_risk), len(curve.events)}
    if len(sizes) > 1:
        yield Fault(f"{where}.time", len(curve.time), "all lists have as many entries")
    if (np.diff(numbers(curve.time)) <= 0).any():
        yield Fault(f"{where}.time", curve.time, "it increases")
    found = as_kaplan_meier(curve)
    if (found.censored < 0).any():
        yield Fault(f"{where}.at_risk", curve.at_risk, "who had the event is not at risk again")
    if (found.events + found.censored < 1).any():
        yield Fault(f"{where}.at_risk", curve.at_risk, "somebody leaves at every time")
    survival = np.cumprod(1.0 - found.events / found.at_risk)
    if (np.abs(survival - found.survival) > 1e-9).any():
        yield Fault(f"{where}.survival", curve.survival, "it is Kaplan and Meier's")
    names = (f"{where}.median", f"{where}.median_low", f"{where}.median_high")
    stated = curve.median, curve.median_low, curve.median_high
    yield from _of_median(stated, found.median, names)


def _members(groups: RiskGroups) -> tuple[TimeToEvent, IntArray]:
    """Return time and event of every patient in groups, and in which."""
    time, event, member = [], [], []
    for k, curve in enumerate(map(as_kaplan_meier, groups.curves)):
        for count, happened in ((curve.events, True), (curve.censored, False)):
            time.append(np.repeat(curve.time, count))
            event.append(np.full(count.sum(), happened))
            member.append(np.full(count.sum(), k))
    return TimeToEvent(np.concatenate(time), np.concatenate(event)), np.concatenate(member)


def _cells(outcome: TimeToEvent) -> Counter[tuple[float, bool]]:
    """Count the patients by time and event."""
    return Counter(zip(outcome.time.tolist(), outcome.event.tolist(), strict=True))
