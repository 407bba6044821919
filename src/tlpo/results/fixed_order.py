"""Scores fixed beforehand, and an outcome that says who should win."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import require_level
from tlpo.errors import InputError, explain
from tlpo.problem.exact import Exact
from tlpo.problem.outcome import Outcome
from tlpo.results.intervals import Interval
from tlpo.results.summary import Summary
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.order import Order, OrderEvidence, order_interval
from tlpo.synonyms import refuse_foreign_arguments


@dataclass(frozen=True, eq=False, repr=False)
class FixedOrder(Summary):
    """A score that was fixed beforehand, and its concordance with an outcome.

    Attributes
    ----------
    name : str
        What the score is called.
    values : ndarray of shape (m,)
        The score as it was measured; NaN where it is missing.
    outcome : Outcome
        Who should win.
    groups : ndarray of shape (m,) or None
        Units that belong together, and are not independent.
    larger_is_positive : bool
        Whether units with large values should win.
    """

    name: str
    values: FloatArray
    outcome: Outcome
    groups: IntArray | None = None
    larger_is_positive: bool = True
    # The order of values that are equal once they are rounded to doubles; None if none are.
    _exact: Exact | None = None

    @property
    def _is_rated(self) -> BoolArray:
        """Which units have a score."""
        return np.asarray(~np.isnan(self.values))

    @property
    def n_missing(self) -> int:
        """Number of units without a score, which take no part."""
        return int(np.count_nonzero(~self._is_rated))

    @property
    def concordance(self) -> float:
        """How often the unit that should win has the larger score, ties counting half."""
        return self._evidence.concordance

    @property
    def n_ordered(self) -> int:
        """Number of pairs of which one should win, both with a score."""
        return int(self._evidence.counts.games)

    @property
    def standard_error(self) -> float:
        """Standard error of the concordance; with groups, over groups."""
        return float(np.sqrt(self._evidence.placement_variance))

    @refuse_foreign_arguments
    def concordance_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return a score interval for the concordance.

        Notes
        -----
        The θ on either side with ``(C − θ)² = z² φ V₀(θ)``, V₀ as in
        `Concordance.concordance_interval` and ``φ = max(1, V/V₀(C))``, V the squared standard
        error. Unlike ``C ± z √V`` it does not collapse near 0 and 1.

        Examples
        --------
        >>> import tlpo
        >>> marker = tlpo.assess([3, 1, 4, 1, 5, 9, 2, 6], list(range(8)), order=True)
        >>> low, high = marker.concordance_interval()
        >>> f"{low:.2f} to {high:.2f}"
        '0.42 to 0.87'
        """
        require_level("confidence_level", confidence_level)
        return self._interval(self._evidence, confidence_level, "concordance")

    def _interval(self, found: OrderEvidence, confidence_level: float, what: str) -> Interval:
        phi = found.design_effect
        if found.own_variance > 0:
            phi = max(phi, found.placement_variance / found.own_variance)
        df = None if self.groups is None else found.degrees_of_freedom
        quantile = two_sided_quantile(confidence_level, df)
        low, high = order_interval(found.concordance, found.counts, phi, quantile)
        return Interval(
            what=what,
            estimate=found.concordance,
            low=low,
            high=high,
            confidence_level=float(confidence_level),
            method="score",
            phi=phi,
            variance=phi * found.own_variance,
            placement_variance=found.placement_variance,
            degrees_of_freedom=df,
        )

    def _evidence_with(self, other: FixedOrder) -> OrderEvidence:
        """Return the evidence of the units that have both scores."""
        if (
            self.outcome.n_units != other.outcome.n_units
            or self.outcome.differing(other.outcome).size
        ):
            raise InputError(
                explain(
                    "Only scores of the same units can be compared.",
                    f"You passed {self.outcome.count}, and {other.outcome.count}.",
                    "Assess both over the same units, in the same order.",
                )
            )
        return self._measure(self._is_rated & other._is_rated)

    @cached_property
    def _evidence(self) -> OrderEvidence:
        return self._measure(self._is_rated)

    @property
    def _ranks(self) -> FloatArray:
        """The scores, or their exact ranks, larger meaning a larger outcome."""
        ranks = self.values if self._exact is None else self._exact.ranks
        return ranks if self.larger_is_positive else -ranks

    def _measure(self, inside: BoolArray) -> OrderEvidence:
        return self._measure_games(Order(*self.outcome.should_win(), self.outcome.n_units), inside)

    def _measure_games(self, order: Order, inside: BoolArray) -> OrderEvidence:
        """Return the evidence of some ordered pairs, as far as both units are inside."""
        kept = inside[order.winner] & inside[order.loser]
        if not kept.any():
            raise InputError(
                explain(
                    "No two units of which one should win have a score.",
                    f"You passed {inside.size} units, {int(inside.sum())} of them with a score.",
                    "Check that scores and y belong together.",
                )
            )
        if self.groups is not None and np.unique(self.groups[inside]).size < 2:
            raise InputError(
                explain(
                    "The variance over groups needs at least two of them.",
                    f"You passed {int(inside.sum())} units with a score, all of one group.",
                    "Pass what tells groups apart, or none if all units are independent.",
                )
            )
        winner, loser = order.winner[kept], order.loser[kept]
        order = Order(winner, loser, order.n_units, order.weight[kept])
        U = np.heaviside(self._ranks[winner] - self._ranks[loser], 0.5)
        groups, off = self.groups, self.outcome.off_mode(inside)
        n_off_mode = int(off.sum()) if groups is None else np.unique(groups[off]).size
        moves = order.moves(U)[inside]
        own = None if groups is None else groups[inside]
        return OrderEvidence(order.concordance(U), order.counts, moves, n_off_mode, own)

    def _title(self) -> str:
        missing = f"; {self.n_missing} without a score" if self.n_missing else ""
        return f"{self.name}, fixed beforehand: {self.outcome.count}{missing}"
