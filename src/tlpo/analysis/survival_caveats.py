"""Remarks on times to an event, and on outcomes that should be one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.remarks import Action, Drop, Event, Remark, Time
from tlpo.analysis.sample_caveats import FEW_EACH, LEAKS, on_features, say_without
from tlpo.analysis.shapes import (
    ModelAnalysis,
    SurvivalAnalysis,
    SurvivalMarker,
    SurvivalMarkerAnalysis,
    SurvivalModel,
    SurvivalValidation,
    Timed,
)
from tlpo.plurals import counted
from tlpo.problem.times import count_last_events, may_mean_opposite
from tlpo.tables.survival import find_time_column

# Fewer events leave every estimate rough.
FEW_EVENTS = 10
# Harrell's and Uno's concordance differ notably if by more than this share of the interval.
SHARE = 0.25


def on_censoring(analysis: ModelAnalysis) -> list[Remark]:
    """Ask whether two classes are a time to an event: censored is not negative."""
    time = followed_for(analysis)
    if time is None:
        return []
    ways: list[tuple[str, Action]] = [("If so,", Time(time, analysis.target))]
    too = ""
    if time in analysis.sample.numeric:
        asked = {one.column for one in analysis.sample.suspects if one.kind in LEAKS} - {time}
        said = "" if asked else say_without(analysis, (time,))
        too = f" Nor can {time!r} then be a predictor: it is known only afterwards{said}."
        ways.append(("to keep two classes,", Drop((time,))))
    return [
        Remark(
            "censoring",
            f"{analysis.target!r} may say who had an event during {time!r}. Then those who were "
            "followed for a shorter time are censored, so they are not true negatives, and this "
            f"AUC answers another question.{too}",
            tuple(ways),
        )
    ]


def followed_for(analysis: ModelAnalysis) -> str | None:
    """Return the column that seems to say how long patients were followed until the outcome."""
    sample = analysis.sample
    asked = {suspect.column for suspect in sample.suspects if suspect.kind in LEAKS}
    return find_time_column([*sample.numeric, *sample.left_out], analysis.target, asked)


def on_times(analysis: SurvivalAnalysis) -> list[Remark]:
    """Return what should be known about times and events."""
    return [
        *_on_coding(analysis),
        *_on_events(analysis),
        *(on_features(analysis) or _on_coefficients(analysis)),
        *_on_weights(analysis.models),
    ]


def on_marker_times(analysis: SurvivalMarkerAnalysis) -> list[Remark]:
    """Return what should be known about times and events of markers."""
    few = _on_events(analysis)
    for marker in analysis.markers:
        if not few and marker.n_events < FEW_EVENTS:
            text = (
                f"{marker.name}: of those with a value, only {marker.n_events} had the event. "
                "Every estimate is rough, whatever its interval says."
            )
            few.append(Remark("few events", text))
    return [
        *_on_coding(analysis),
        *few,
        *(remark for marker in analysis.markers for remark in _on_left_times(marker, analysis)),
        *_on_weights(analysis.markers),
    ]


def on_new_times(analysis: SurvivalValidation) -> list[Remark]:
    """Return what should be known about a model on new patients."""
    return [*(Remark("new rows", text) for text in analysis.remarks), *_on_events(analysis)]


def _on_left_times(marker: SurvivalMarker, analysis: SurvivalMarkerAnalysis) -> list[Remark]:
    known = [found.time for found in marker.at]
    missing = [f"{time:.6g}" for time in analysis.times if time not in known]
    if not missing:
        return []
    text = (
        f"{marker.name} has no AUC at {', '.join(missing)}: of the {analysis.units} with a value, "
        "none had the event by then, or none was followed any longer."
    )
    return [Remark("times", text)]


def _on_coding(analysis: Timed) -> list[Remark]:
    event, time = np.array(analysis.event, dtype=bool), numbers(analysis.time)
    n_last = count_last_events(time, event)
    called = may_mean_opposite(analysis.target) and not analysis.coding
    if not (called or n_last):
        return []
    why = (
        f"the name {analysis.target!r} may mean the opposite"
        if called
        else f"all {n_last} {analysis.units} followed longest count as events, which is "
        "what censored ones look like"
    )
    # Of words, only the one that means the event is known here.
    other = {"": "0", "2 is the event": "1"}.get(analysis.coding)
    action = Event(f"{analysis.target} == {other}")
    return [
        Remark(
            "reversed event",
            f"{int(event.sum())} of {analysis.n_units} {analysis.units} count as having had the "
            f"event, but {why}.",
            () if other is None else (("If they were censored instead,", action),),
        )
    ]


def _on_events(analysis: Timed) -> list[Remark]:
    n_events = sum(analysis.event)
    if n_events >= FEW_EVENTS:
        return []
    text = (
        f"There {'is' if n_events == 1 else 'are'} only {counted(n_events, 'event')}: every "
        "estimate is rough, whatever its interval says."
    )
    return [Remark("few events", text)]


def _on_coefficients(analysis: SurvivalAnalysis) -> list[Remark]:
    n_events, n = sum(analysis.event), analysis.n_coefficients
    if not n or n_events / n >= FEW_EACH:
        return []
    text = (
        f"{counted(n_events, 'event')} for {counted(n, 'coefficient')} are few: without a "
        "strong penalty a model overfits."
    )
    return [Remark("events per variable", text)]


def _on_weights(rows: Sequence[SurvivalModel | SurvivalMarker]) -> list[Remark]:
    found = []
    for model in rows:
        width = model.interval.high - model.interval.low
        if model.uno is not None and abs(model.uno - model.concordance) > SHARE * width:
            text = (
                f"{model.name}: Uno's concordance, {model.uno:.3f}, differs from Harrell's, "
                f"{model.concordance:.3f}, by more than a quarter of the interval. Harrell's "
                "depends on who was censored when; report both."
            )
            found.append(Remark("effect of censoring", text))
    return found
