"""Relations in an analysis of times to an event."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.relations.checks import Fault, Faults, between, enclosed, equal
from tlpo.analysis.relations.ordered import of_ranked
from tlpo.analysis.shapes import AtTime, SurvivalAnalysis, SurvivalCurve, SurvivalModel
from tlpo.problem.outcome import TimeToEvent
from tlpo.roc.kaplan_meier import kaplan_meier


def of_survival(analysis: SurvivalAnalysis) -> Faults:
    """Check an analysis of models."""
    m, time = analysis.n_units, numbers(analysis.time)
    event = np.array(analysis.event, dtype=bool)
    yield from equal("n_units", m, time.size, "as 'time' has entries")
    yield from equal("n_units", m, event.size, "as 'event' has entries")
    outcome = TimeToEvent(time, event)
    if not outcome.n_ordered:
        yield Fault("event", analysis.event, "somebody outlived somebody with the event")
    ordered = np.zeros((m, m), dtype=bool)
    ordered[outcome.should_win()] = True
    yield from of_ranked(analysis, analysis.models, ordered)
    for k, model in enumerate(analysis.models):
        yield from _of_model(model, analysis, outcome, f"models[{k}]")


def _of_model(
    model: SurvivalModel, analysis: SurvivalAnalysis, outcome: TimeToEvent, where: str
) -> Faults:
    if (model.uno is None) != (model.uno_interval is None):
        yield Fault(f"{where}.uno_interval", model.uno_interval, "it is that of 'uno'")
    if model.uno is not None and model.uno_interval is not None:
        own = model.uno_interval
        yield from enclosed(f"{where}.uno_interval", model.uno, own.low, own.high)
    for k, found in enumerate(model.at):
        yield from _of_time(found, analysis, outcome, f"{where}.at[{k}]")
    if model.groups is not None:
        yield from _of_groups(model.groups.curves, analysis, f"{where}.groups")


def _of_time(found: AtTime, analysis: SurvivalAnalysis, outcome: TimeToEvent, where: str) -> Faults:
    cases = int((outcome.event & (outcome.time <= found.time)).sum())
    controls = int((outcome.time > found.time).sum())
    yield from equal(f"{where}.cases", found.cases, cases, "as 'time' and 'event' say")
    yield from equal(f"{where}.controls", found.controls, controls, "as 'time' says")
    total = cases + controls + found.censored
    yield from equal(f"{where}.censored", total, analysis.n_units, "with cases and controls, all")
    curve = kaplan_meier(outcome.time, outcome.event)
    survival = float(curve.at(np.array([found.time]))[0])
    yield from equal(f"{where}.survival", found.survival, survival, "as 'time' and 'event' say")
    yield from enclosed(f"{where}.interval", found.auc, found.interval.low, found.interval.high)
    level = analysis.confidence_level
    yield from equal(f"{where}.interval.level", found.interval.level, level, "of all")
    fpr, tpr = numbers(found.fpr), numbers(found.tpr)
    yield from equal(f"{where}.tpr", tpr.size, fpr.size, "as 'fpr' has")
    for name, rates in (("fpr", fpr), ("tpr", tpr)):
        if (np.diff(rates) < 0).any() or rates[0] != 0 or rates[-1] != 1:
            yield Fault(f"{where}.{name}", rates.tolist(), "it rises from 0 to 1")
    reached = tpr[fpr <= 1.0 - found.specificity + 1e-9].max()
    yield from between(f"{where}.sensitivity", found.sensitivity, 0, 1, "0", "1")
    if fpr.size < 400:  # a longer curve is not written in full
        yield from equal(f"{where}.sensitivity", found.sensitivity, reached, "as the curve says")


def _of_groups(curves: list[SurvivalCurve], analysis: SurvivalAnalysis, where: str) -> Faults:
    for k, curve in enumerate(curves):
        at = f"{where}.curves[{k}]"
        sizes = {len(curve.time), len(curve.survival), len(curve.at_risk), len(curve.events)}
        if len(sizes) > 1:
            yield Fault(f"{at}.time", len(curve.time), "all lists have as many entries")
        time, at_risk, events = (
            np.array(part) for part in (curve.time, curve.at_risk, curve.events)
        )
        if (np.diff(time) <= 0).any():
            yield Fault(f"{at}.time", curve.time, "it increases")
        left = np.append(at_risk[1:], 0)
        if (events + left > at_risk).any():
            yield Fault(f"{at}.at_risk", curve.at_risk, "who had the event is not at risk again")
        survival = np.cumprod(1.0 - events / at_risk)
        if (np.abs(survival - numbers(curve.survival)) > 1e-9).any():
            yield Fault(f"{at}.survival", curve.survival, "it is Kaplan and Meier's")
    total = sum(curve.at_risk[0] for curve in curves)
    yield from between(where, total, 2, analysis.n_units, "2", "all patients")
    n_events = sum(sum(curve.events) for curve in curves)
    if total == analysis.n_units:
        yield from equal(f"{where}.events", n_events, sum(analysis.event), "as 'event' counts")
