"""Test a saved model of times to an event on new patients.

Nothing is fitted here: the score was fixed beforehand, and is assessed as any such score is
(`tlpo.assess`). Survival that the model predicts is compared with what Kaplan and Meier's curve
shows, at the times that were asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from tlpo.analysis.compared import difference, require_scores, say_versions, unscored
from tlpo.analysis.json_values import finish
from tlpo.analysis.measures import describe_interval
from tlpo.analysis.model_file import score, survival
from tlpo.analysis.models import describe_error
from tlpo.analysis.new_times import take_times
from tlpo.analysis.options import Options
from tlpo.analysis.predicted_survival import why_no_survival
from tlpo.analysis.shapes import (
    CalibratedGroup,
    ComparedAuc,
    Rate,
    SurvivalCalibration,
    SurvivalCard,
    SurvivalValidation,
    ValidatedTime,
)
from tlpo.analysis.summarize import made_here
from tlpo.analysis.survival import (
    N_GROUPS,
    describe_follow_up,
    describe_groups,
    describe_time,
    risk_ratio,
    survival_at,
    times_to_report,
)
from tlpo.analysis.survival_card import order_in_development
from tlpo.arrays import BoolArray, FloatArray
from tlpo.plurals import noun
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.fixed_survival import FixedSurvival
from tlpo.results.risk_groups import RiskGroups, cut_between, divide_at
from tlpo.roc.kaplan_meier import kaplan_meier
from tlpo.schemes.assess import assess
from tlpo.tables.groups import name_groups
from tlpo.tables.known_rows import recognise

if TYPE_CHECKING:
    import pandas as pd


class Tried(NamedTuple):
    """A model, its card and its file; and the name of the table that it is tried on."""

    fitted: Any
    card: SurvivalCard
    path: str
    source: str


class Columns(NamedTuple):
    """Columns of the new table: times, events (a condition, or None), groups."""

    time: str
    event: str | None
    groups: tuple[str, ...]


class _Predicted(NamedTuple):
    """Scores, and survival at some times; None, and why, if there is none."""

    scores: FloatArray
    survival: dict[float, FloatArray]
    why_none: str | None


def validate_times(
    tried: Tried, table: pd.DataFrame, columns: Columns, at: Sequence[float], level: float
) -> SurvivalValidation:
    """Say how well a saved model of times to an event does on new patients."""
    card, units = tried.card, noun(tried.card.data.unit)
    new = take_times(table, card, *columns)
    outcome = new.outcome
    again = recognise(msgspec.structs.asdict(card.data.rows), new.X, outcome.event)
    remarks = [*([] if again is None else [again]), *say_versions(card), *new.remarks]
    times, more = _choose_times(card, outcome, at)
    predicted = _predict(tried, new.X, times)
    scores = assess(predicted.scores, outcome.structured, groups=new.groups)
    assert isinstance(scores, FixedSurvival)
    uno = scores.uno_interval(confidence_level=level)
    cuts, groups, is_own = _divide(predicted.scores, outcome, card)
    late = [time for time in times if time > card.data.last_time]
    if late and predicted.why_none is None:
        more.append(
            f"Development followed nobody beyond {card.data.last_time:.6g}, so there is no "
            f"calibration at {', '.join(f'{time:.6g}' for time in late)}."
        )
    return finish(
        SurvivalValidation(
            **made_here(),
            model=Path(tried.path).name,
            source=tried.source,
            target=new.event,
            unit=units.one,
            units=units.many,
            confidence_level=level,
            n_read=len(table),
            n_units=outcome.n_units,
            card=card,
            remarks=[*remarks, *more],
            group=name_groups(columns.groups),
            time_column=columns.time,
            coding=outcome.coding,
            time=outcome.time.tolist(),
            event=outcome.event.tolist(),
            follow_up=describe_follow_up(outcome, level),
            concordance=_compare(scores, card, level),
            uno=uno.estimate,
            uno_interval=describe_interval(uno),
            at=[_at(scores, card, time, predicted, groups, level) for time in times],
            groups=describe_groups(groups),
            cuts=cuts,
            cut_by="new patients" if is_own else "development",
            why_no_calibration=predicted.why_none,
        )
    )


def _choose_times(
    card: SurvivalCard, outcome: TimeToEvent, at: Sequence[float]
) -> tuple[tuple[float, ...], list[str]]:
    """Return the times asked for or, as far as these patients allow, those of development."""
    if at:
        return times_to_report(outcome, at), []
    first, last = outcome.time[outcome.event].min(), outcome.time.max()
    known = tuple(time for time in card.times if first <= time < last)
    absent = [f"{time:.6g}" for time in card.times if time not in known]
    if not absent:
        return known, []
    return known, [
        f"No AUC at {', '.join(absent)}: of these patients, none had the event by then, or none "
        "was followed any longer."
    ]


def _predict(tried: Tried, X: pd.DataFrame, times: Sequence[float]) -> _Predicted:
    fitted, card = tried.fitted, tried.card
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scores = score(fitted, card, X)
            require_scores(scores, len(X))
        except Exception as error:  # a model from elsewhere may raise anything
            raise unscored(card, tried.path, error) from error
        why = why_no_survival(fitted)
        known = [time for time in times if time <= card.data.last_time]
        if why is not None or not known:
            return _Predicted(scores, {}, why)
        try:
            found = survival(fitted, card, X, known)
        except Exception as error:
            return _Predicted(scores, {}, f"the model fails ({describe_error(error)})")
    return _Predicted(scores, dict(zip(known, found.T, strict=True)), None)


def _compare(scores: FixedSurvival, card: SurvivalCard, level: float) -> ComparedAuc:
    interval = scores.concordance_interval(level)
    then = order_in_development(card.concordance, level)
    found = Rate(interval.estimate, interval.low, interval.high)
    return ComparedAuc(
        **msgspec.structs.asdict(found),
        development=then,
        difference=difference(found, then, level),
        method=interval.method,
        notes=list(interval.notes),
    )


def _divide(
    risk: FloatArray, outcome: TimeToEvent, card: SurvivalCard
) -> tuple[list[float], RiskGroups | None, bool]:
    """Divide patients at the cuts of development or, if a group would be empty, into thirds.

    Returns
    -------
    list of float, RiskGroups or None, bool
        The cuts, the groups, and whether the cuts come from these patients.
    """
    if card.cuts:
        groups = divide_at(risk, outcome, card.cuts)
        if groups is not None:
            return list(card.cuts), groups, False
    cuts = cut_between(risk, N_GROUPS)
    return cuts, divide_at(risk, outcome, cuts) if cuts else None, True


def _at(
    scores: FixedSurvival,
    card: SurvivalCard,
    time: float,
    predicted: _Predicted,
    groups: RiskGroups | None,
    level: float,
) -> ValidatedTime:
    """Return AUC, that of development, and calibration at a time."""
    found = describe_time(scores, time, level, Options.specificity)
    known = next((one.auc for one in card.at if one.time == time), None)
    then = None if known is None else order_in_development(known, level)
    own = Rate(found.auc, found.interval.low, found.interval.high)
    S = predicted.survival.get(time)
    return ValidatedTime(
        found,
        then,
        None if then is None else difference(own, then, level),
        None if S is None else _calibrate(S, scores.outcome, time, groups, level),
    )


def _calibrate(
    S: FloatArray, outcome: TimeToEvent, time: float, groups: RiskGroups | None, level: float
) -> SurvivalCalibration:
    """Compare predicted with observed survival, of all patients and by groups."""

    def one(name: str, inside: BoolArray) -> CalibratedGroup:
        curve = kaplan_meier(outcome.time[inside], outcome.event[inside])
        observed = survival_at(curve, time, level)
        return CalibratedGroup(name, int(inside.sum()), float(S[inside].mean()), observed)

    everyone = one("all", np.ones(S.size, dtype=bool))
    named = () if groups is None else enumerate(groups.names)
    parts = [] if groups is None else [one(name, groups.member == k) for k, name in named]
    return SurvivalCalibration(everyone, risk_ratio(everyone), parts)
