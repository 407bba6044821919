"""Compare models, or fixed scores, by their concordance with numbers or grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, explain
from tlpo.results.difference import Comparison
from tlpo.results.intervals import NOT_COMPARABLE
from tlpo.roc.difference import difference_variance, judge_difference, separate_interval
from tlpo.roc.intervals import INFLATION
from tlpo.roc.order import (
    Order,
    OrderEvidence,
    correlation_of_moves,
    difference_of,
)

if TYPE_CHECKING:
    from tlpo.results.fixed_order import FixedOrder
    from tlpo.results.multiclass import Multiclass
    from tlpo.results.ordered_games import OrderedGames


def compare_several(
    a: Multiclass, b: Multiclass, names: tuple[str, str], level: float
) -> Comparison:
    """Compare two models of several classes that played over the same units."""
    notes = []
    if not (a._is_complete and b._is_complete):
        notes.append("Games are missing; both rest on those that were finished.")
    is_same = all(
        np.array_equal(one.standings.wins, other.standings.wins)
        for one, other in zip(a.each, b.each, strict=True)
    )
    # The rule for noise was measured for other outcomes only.
    return _compare(a._evidence, b._evidence, names, level, notes, is_same, None, measure="AUC")


def compare_ordered(
    a: OrderedGames, b: OrderedGames, names: tuple[str, str], level: float
) -> Comparison:
    """Compare two models that played over the same units."""
    first, second, notes = _common_games(a, b)
    reason = None
    if a.opponents is not None or b.opponents is not None:
        reason = "Not every pair has met"
    elif not (a._are_comparable and b._are_comparable):
        reason = NOT_COMPARABLE
    noise = _own_noise(a, b)
    return _compare(first, second, names, level, notes, _are_same(a, b), noise, reason)


def _compare(
    first: OrderEvidence,
    second: OrderEvidence,
    names: tuple[str, str],
    level: float,
    notes: list[str],
    is_same: bool,
    noise: float | None,
    reason: str | None = None,
    measure: str = "concordance",
) -> Comparison:
    difference = first.concordance - second.concordance
    placement, jackknife = difference_of(first, second)
    if jackknife is None:
        variance = INFLATION * placement
        why = reason or "The table of held-out predictions was not kept"
        remedy = "; predictions=True keeps it" if reason is None else ""
        notes.append(
            f"{why}, so the variance of the placements was doubled instead of estimated{remedy}."
        )
    elif noise is None:
        variance = float(np.sqrt(placement * jackknife))
    else:
        factors = first.factor, second.factor
        variance = difference_variance(placement, jackknife, noise, factors)
    df = _degrees_of_freedom(first)
    tested = judge_difference(difference, variance, df, level)
    limits, p_value = (tested.low, tested.high), tested.p_value
    if min(first.seen, second.seen) < first.least_seen and not is_same:
        # Near perfect order games show no spread, although those of another sample would.
        apart, p_apart = separate_interval(
            (first.concordance, second.concordance),
            (first.limits(level), second.limits(level)),
            correlation_of_moves(first, second),
            level,
        )
        limits = min(limits[0], apart[0]), max(limits[1], apart[1])
        p_value = max(p_value, p_apart)
    return Comparison(
        names=names,
        aucs=(first.concordance, second.concordance),
        difference=difference,
        low=limits[0],
        high=limits[1],
        p_value=p_value,
        confidence_level=float(level),
        variance=variance,
        degrees_of_freedom=df,
        statistic=tested.statistic,
        placement_variance=placement,
        jackknife_variance=jackknife,
        notes=tuple(notes),
        measure=measure,
    )


def compare_fixed_ordered(
    a: FixedOrder, b: FixedOrder, names: tuple[str, str], level: float
) -> Comparison:
    """Compare two scores that were fixed beforehand, on the units that have both."""
    first, second = a._evidence_with(b), b._evidence_with(a)
    difference = first.concordance - second.concordance
    variance, _ = difference_of(first, second)
    df = np.inf if first.groups is None else _degrees_of_freedom(first)
    tested = judge_difference(difference, variance, df, level)
    return Comparison(
        names=names,
        aucs=(first.concordance, second.concordance),
        difference=difference,
        low=tested.low,
        high=tested.high,
        p_value=tested.p_value,
        confidence_level=float(level),
        variance=variance,
        degrees_of_freedom=df,
        statistic=tested.statistic,
        measure="concordance",
    )


def _degrees_of_freedom(evidence: OrderEvidence) -> float:
    if evidence.degrees_of_freedom is not None:
        return evidence.degrees_of_freedom
    groups = evidence.groups
    return float((evidence.moves.size if groups is None else np.unique(groups).size) - 1)


def _common_games(
    a: OrderedGames, b: OrderedGames
) -> tuple[OrderEvidence, OrderEvidence, list[str]]:
    """Return the evidence of the games that both have finished."""
    if a.standings.is_complete and b.standings.is_complete:
        return a._evidence, b._evidence, []
    if a._table is None or b._table is None:
        raise InputError(
            explain(
                "Games are missing, and without held-out predictions it is not known which.",
                f"You passed {a.diagnostics.pairs_played} and {b.diagnostics.pairs_played} games.",
                "Play both with predictions=True.",
            )
        )
    (order, U), (_, V) = a._ordered_games(), b._ordered_games()
    missing = np.isnan(U) | np.isnan(V)
    if missing.all():
        raise InputError(
            explain(
                "There is no game between ordered units that both have finished.",
                f"You passed {a.diagnostics.pairs_played} and {b.diagnostics.pairs_played} games.",
                "Fix the cause of the failures; diagnostics.failures counts them.",
            )
        )
    U[missing] = V[missing] = np.nan
    note = f"The {missing.size - missing.sum()} of {missing.size} games that both finished count."
    off = a._evidence.n_off_mode
    if a.opponents is not None or b.opponents is not None:
        # With few games, how models change without a unit cannot be seen.
        return _without_models(a, order, U, off), _without_models(b, order, V, off), [note]
    return a._measure_games(order, U, off), b._measure_games(order, V, off), [note]


def _own_noise(a: OrderedGames, b: OrderedGames) -> float | None:
    """Return what single games add to the variance of the difference; None if unknown."""
    if a._table is None or b._table is None:
        return None
    (order, U), (_, V) = a._ordered_games(), b._ordered_games()
    return order.own_noise(U - V, a.groups)


def _without_models(c: OrderedGames, order: Order, U: FloatArray, off: int) -> OrderEvidence:
    """Return the evidence of games alone."""
    return OrderEvidence(order.concordance(U), order.counts, order.moves(U), off, c.groups)


def _are_same(a: OrderedGames, b: OrderedGames) -> bool:
    if a.predictions is None or b.predictions is None:
        return np.array_equal(a.standings.wins, b.standings.wins)
    return np.array_equal(a.predictions, b.predictions, equal_nan=True)
