"""Relations among the numbers of a validation of times to an event."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.card import card_digest
from tlpo.analysis.json_values import numbers
from tlpo.analysis.relations.checks import Fault, Faults, enclosed, equal
from tlpo.analysis.relations.survival import (
    of_groups,
    of_interval,
    of_outcome,
    of_time,
    outcome_of,
)
from tlpo.analysis.relations.validation import of_change, of_compared, of_development
from tlpo.analysis.shapes import (
    CalibratedGroup,
    SurvivalCalibration,
    SurvivalValidation,
    ValidatedTime,
)
from tlpo.analysis.survival import as_kaplan_meier, risk_ratio
from tlpo.analysis.survival_card import find_survival_card_fault, order_in_development
from tlpo.problem.outcome import TimeToEvent
from tlpo.roc.kaplan_meier import KaplanMeier, kaplan_meier


def of_survival_validation(analysis: SurvivalValidation) -> Faults:
    """Check rows, the card, every estimate beside that of development, and calibration."""
    outcome, card, level = outcome_of(analysis), analysis.card, analysis.confidence_level
    yield from of_outcome(analysis, outcome)
    if analysis.n_read < analysis.n_units:
        yield Fault("n_read", analysis.n_read, "it is at least the number of patients")
    fault = find_survival_card_fault(card)
    if fault is not None or card.digest != card_digest(card):
        yield Fault("card", card.name, fault or "it is not the one that was saved")
    then = order_in_development(card.concordance, level)
    yield from of_compared(analysis.concordance, then, "concordance")
    yield from of_interval(analysis.uno, analysis.uno_interval, level, "uno_interval")
    yield from _of_division(analysis, outcome)
    times = numbers([one.found.time for one in analysis.at])
    if (np.diff(times) <= 0).any():
        yield Fault("at", times.tolist(), "times increase")
    for k, one in enumerate(analysis.at):
        yield from _of_time(one, analysis, outcome, f"at[{k}]")


def _of_division(analysis: SurvivalValidation, outcome: TimeToEvent) -> Faults:
    groups, cuts = analysis.groups, analysis.cuts
    n_cuts = 0 if groups is None else len(groups.curves) - 1
    yield from equal("cuts", len(cuts), n_cuts, "one between two groups")
    if (np.diff(numbers(cuts)) <= 0).any():
        yield Fault("cuts", cuts, "each leads to a higher risk")
    if analysis.cut_by == "development" and cuts != analysis.card.cuts:
        yield Fault("cuts", cuts, "they are those of the card")
    if groups is not None:
        yield from of_groups(groups, outcome.n_units, outcome, "groups")


def _of_time(
    one: ValidatedTime, analysis: SurvivalValidation, outcome: TimeToEvent, where: str
) -> Faults:
    card, level, found = analysis.card, analysis.confidence_level, one.found
    yield from of_time(found, level, outcome, f"{where}.found")
    known = next((at.auc for at in card.at if at.time == found.time), None)
    if (known is None) != (one.development is None) or (known is None) != (one.difference is None):
        yield Fault(f"{where}.development", one.development, "it is that of the card")
    if known is not None and one.development is not None and one.difference is not None:
        then = order_in_development(known, level)
        yield from of_development(one.development, then, where)
        yield from of_change(one.difference, found.auc - then.estimate, where)
    is_predicted = analysis.why_no_calibration is None and found.time <= card.data.last_time
    if is_predicted != (one.calibration is not None):
        yield Fault(f"{where}.calibration", one.calibration, "there is one, or a reason")
    if one.calibration is not None:
        at = f"{where}.calibration"
        yield from _of_calibration(one.calibration, found.time, analysis, outcome, at)


def _of_calibration(
    found: SurvivalCalibration,
    time: float,
    analysis: SurvivalValidation,
    outcome: TimeToEvent,
    where: str,
) -> Faults:
    curve = kaplan_meier(outcome.time, outcome.event)
    yield from _of_group(found.all, curve, time, f"{where}.all")
    if found.all.observed is None:
        yield Fault(f"{where}.all.observed", None, "somebody was followed that long")
    ratio = risk_ratio(found.all)
    for name in ("estimate", "low", "high"):
        stated, right = getattr(found.ratio, name), getattr(ratio, name)
        yield from equal(f"{where}.ratio.{name}", stated, right, "of observed and predicted")
    curves = [] if analysis.groups is None else analysis.groups.curves
    names = [group.name for group in found.groups]
    if names != [curve.name for curve in curves]:
        yield Fault(f"{where}.groups", names, "they are the groups of risk")
    for k, (group, own) in enumerate(zip(found.groups, curves, strict=False)):
        yield from _of_group(group, as_kaplan_meier(own), time, f"{where}.groups[{k}]")
    if found.groups:
        total = sum(group.n_units * group.predicted for group in found.groups)
        mean, said = total / analysis.n_units, "the mean over the groups"
        yield from equal(f"{where}.all.predicted", found.all.predicted, mean, said)


def _of_group(found: CalibratedGroup, curve: KaplanMeier, time: float, where: str) -> Faults:
    yield from equal(f"{where}.n_units", found.n_units, curve.at_risk[0], "of its curve")
    S = float(curve.at(np.array([time]))[0])
    is_unknown = S > 0 and time > curve.time[-1]
    if is_unknown != (found.observed is None):
        yield Fault(f"{where}.observed", found.observed, "it is known as long as one is followed")
    if found.observed is not None:
        yield from equal(f"{where}.observed.estimate", found.observed.estimate, S, "of its curve")
        yield from enclosed(f"{where}.observed", S, found.observed.low, found.observed.high)
