"""The card of a saved model of times to an event."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from msgspec.structs import replace

from tlpo.analysis.card import (
    Stated,
    describe_features,
    describe_numbers,
    describe_rows,
    find_column_fault,
    find_odd_limits,
    find_row_fault,
    made_with,
)
from tlpo.analysis.json_values import finish, numbers
from tlpo.analysis.models import Model
from tlpo.analysis.options import Options
from tlpo.analysis.predicted_survival import has_proportional_hazards
from tlpo.analysis.shapes import (
    BaselineSurvival,
    DevelopedAt,
    DevelopedOrder,
    Rate,
    SurvivalAnalysis,
    SurvivalCard,
    SurvivalDevelopment,
    SurvivalVersions,
)
from tlpo.analysis.survival import N_GROUPS, times_to_report
from tlpo.arrays import FloatArray
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.intervals import Interval
from tlpo.results.risk_groups import cut_between
from tlpo.results.survival import Survival
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.order import Counts, order_interval
from tlpo.tables.build_sample import Sample

# How far predictions may be from what follows from the baseline.
_ROUNDING = 1e-6


def make_survival_card(
    model: Model, sample: Sample, result: Survival, analysis: SurvivalAnalysis, options: Options
) -> SurvivalCard:
    """Say what a model is, what it was developed on, and how well it did there."""
    outcome, event = sample.outcome, sample.event
    assert isinstance(outcome, TimeToEvent)
    assert event is not None
    level = options.confidence_level
    times = times_to_report(outcome, options.at)
    is_whole = result._table is not None and result.opponents is None
    at = [
        DevelopedAt(
            time,
            _developed(result.auc_at_interval(time, level), result._order_at(time).counts),
        )
        for time in (times if is_whole else ())
    ]
    concordance = result.concordance_interval(level)
    return finish(
        SurvivalCard(
            **describe_features(model, sample),
            format=6,
            target=event.column,
            time=describe_numbers(analysis.time_column, outcome.time),
            event_value=event.value,
            codes=sample.codes,
            coding=outcome.coding,
            times=list(times),
            concordance=_developed(concordance, result._evidence.counts),
            at=at,
            cuts=_cuts(result) if is_whole else [],
            # These are known once the model is fitted.
            baseline=None,
            trial_survival=None,
            data=SurvivalDevelopment(
                **describe_rows(sample, analysis, outcome.event),
                n_events=outcome.n_events,
                last_time=float(outcome.time.max()),
            ),
            versions=SurvivalVersions(
                **made_with(), scikit_survival=version_of_scikit_survival(model.estimator)
            ),
        )
    )


def with_survival(card: SurvivalCard, fitted: Any, survival: FloatArray | None) -> SurvivalCard:
    """Add the survival that a model predicts for the rows of the trial."""
    if survival is None:
        return card
    baseline = None
    if has_proportional_hazards(fitted):
        baseline = BaselineSurvival(card.trial[1], survival[1].tolist())
    return replace(card, trial_survival=survival.tolist(), baseline=baseline)


def order_in_development(order: DevelopedOrder, level: float) -> Rate:
    """Return a concordance of development with limits of any confidence level."""
    counts = Counts(order.games, order.same_winner, order.same_loser, order.chains, order.squares)
    quantile = two_sided_quantile(level, order.degrees_of_freedom)
    return Rate(order.estimate, *order_interval(order.estimate, counts, order.phi, quantile))


def version_of_scikit_survival(estimator: Any) -> str | None:
    """Return the version of scikit-survival that is here, if an estimator is made of it."""
    kinds = [type(part).__module__ for part in _parts(estimator)]
    return version_here() if any(name.startswith("sksurv.") for name in kinds) else None


def version_here() -> str:
    """Return the version of scikit-survival that is installed."""
    try:
        return version("scikit-survival")
    except PackageNotFoundError:
        return "unknown"


def find_survival_card_fault(card: SurvivalCard) -> str | None:
    """Return the first place where a card contradicts itself, or None."""
    data = card.data
    fault = find_column_fault(card.columns, [card.target, card.time.name])
    if fault is not None:
        return fault
    if not card.time.q05 <= card.time.median <= card.time.q95 <= data.last_time:
        return "'time' has quantiles out of order"
    if data.n_events > data.n_units:
        return "'data' counts more events than units"
    if (card.event_value is None) != (True in card.codes.values()):
        return "'codes' do not say what means the event"
    if (np.diff(numbers(card.times)) <= 0).any():
        return "'times' do not increase"
    if [one.time for one in card.at] not in ([], card.times):
        return "'at' has other times"
    if (np.diff(numbers(card.cuts)) <= 0).any():
        return "'cuts' do not increase"
    if card.concordance.games > data.n_events * (data.n_units - 1):
        return "'concordance' counts more pairs than there are"
    return (
        find_row_fault(card.columns, data)
        or _find_odd_survival(card)
        or find_odd_limits(card, _stated_limits)
    )


def _find_odd_survival(card: SurvivalCard) -> str | None:
    if card.trial_survival is None:
        return None if card.baseline is None else "'baseline' is that of no survival"
    survival = card.trial_survival
    if any(len(row) != len(card.times) for row in survival):
        return "'trial_survival' has other times"
    if any((np.diff(numbers(row)) > _ROUNDING).any() for row in survival):
        return "'trial_survival' rises"
    if card.baseline is None:
        return None
    if len(card.baseline.survival) != len(card.times):
        return "'baseline' has other times"
    S = numbers(card.baseline.survival)
    for score, row in zip(card.trial, survival, strict=True):
        with np.errstate(over="ignore"):
            follows = S ** np.exp(score - card.baseline.score)
        if (np.abs(follows - numbers(row)) > _ROUNDING).any():
            return "'baseline' gives another survival than 'trial_survival'"
    return None


def _stated_limits(card: SurvivalCard) -> Stated:
    stated = {"concordance": card.concordance}
    stated |= {f"at[{k}].auc": one.auc for k, one in enumerate(card.at)}
    return {
        where: (Rate(one.estimate, one.low, one.high), order_in_development(one, one.level))
        for where, one in stated.items()
    }


def _developed(interval: Interval, counts: Counts) -> DevelopedOrder:
    assert interval.phi is not None
    return DevelopedOrder(
        estimate=interval.estimate,
        low=interval.low,
        high=interval.high,
        level=interval.confidence_level,
        method=f"leave-pair-out, {interval.method}",
        **counts._asdict(),
        phi=interval.phi,
        degrees_of_freedom=interval.degrees_of_freedom,
    )


def _cuts(result: Survival) -> list[float]:
    """Return scores that divide patients into thirds, by what models say who had not seen them.

    Scores of the final model would be those of patients it was fitted to: of a forest they are
    farther apart than those of new patients.
    """
    F = result.predictions
    assert F is not None
    known = ~np.isnan(F)
    n = known.sum(axis=1)
    total = np.where(known, F, 0.0).sum(axis=1)
    held_out = total[n > 0] / n[n > 0]
    return cut_between(held_out, N_GROUPS)


def _parts(estimator: Any) -> list[Any]:
    params = estimator.get_params() if hasattr(estimator, "get_params") else {}
    return [estimator, *params.values()]
