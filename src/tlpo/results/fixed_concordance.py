"""Scores fixed beforehand, and numbers or grades: a laboratory value and a tumour grade."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import kendalltau

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import require_level
from tlpo.errors import InputError, explain
from tlpo.problem.exact import Exact
from tlpo.problem.outcome import Ordered
from tlpo.results.intervals import Interval
from tlpo.results.summary import Summary
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.order import Order, OrderEvidence, order_interval
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class FixedConcordance(Summary):
    """A score that was fixed beforehand, and its concordance with numbers or grades.

    ``tlpo.assess(scores, y, order=…)`` makes it.

    Attributes
    ----------
    name : str
        What the score is called.
    values : ndarray of shape (m,)
        The score as it was measured; NaN where it is missing.
    outcome : Ordered
        The outcome of every unit.
    groups : ndarray of shape (m,) or None
        Units that belong together, and are not independent.
    larger_is_positive : bool
        Whether large values go with large outcomes.
    exact : Exact or None
        The order of values that are equal once they are rounded to doubles; None if none are.

    Notes
    -----
    ``concordance`` is the share of pairs with different outcomes in which the larger outcome has
    the larger score, ties of the score counting half; ``2 · concordance − 1`` is Somers' D of the
    score given the outcome. ``standard_error`` is that of the infinitesimal jackknife, which R's
    ``survival::concordance`` reports as well.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> grade = rng.integers(1, 5, 60)
    >>> marker = tlpo.assess(grade + rng.normal(scale=2, size=60), grade, order=True)
    >>> marker
    score, fixed beforehand: 60 units, 4 values: 1 (14), 2 (12), 3 (19), 4 (15)
      concordance  0.6432 (95 % interval 0.5329 to 0.7368)
      Somers' D    0.2865
      p-value      0.01122 (no association, Kendall)
      higher       larger values
    """

    name: str
    values: FloatArray
    outcome: Ordered
    groups: IntArray | None = None
    larger_is_positive: bool = True
    exact: Exact | None = None

    @property
    def is_rated(self) -> BoolArray:
        """Which units have a score."""
        return np.asarray(~np.isnan(self.values))

    @property
    def n_missing(self) -> int:
        """Number of units without a score, which take no part."""
        return int(np.count_nonzero(~self.is_rated))

    @property
    def concordance(self) -> float:
        """How often the larger outcome has the larger score, ties counting half."""
        return self._evidence.concordance

    @property
    def somers_d(self) -> float:
        """Somers' D of the score given the outcome: ``2 · concordance − 1``."""
        return 2.0 * self.concordance - 1.0

    @property
    def n_ordered(self) -> int:
        """Number of pairs with different outcomes, both with a score."""
        return int(self._evidence.counts.games)

    @property
    def standard_error(self) -> float:
        """Standard error of the concordance; with groups, over groups."""
        return float(np.sqrt(self._evidence.placement_variance))

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value of no association, by Kendall's τ; None for grouped units."""
        if self.groups is not None:
            return None
        rated = self.is_rated
        return float(kendalltau(self._ranks[rated], self.outcome.level[rated]).pvalue)

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
        found = self._evidence
        phi = found.design_effect
        if found.own_variance > 0:
            phi = max(phi, found.placement_variance / found.own_variance)
        df = None if self.groups is None else found.degrees_of_freedom
        quantile = two_sided_quantile(confidence_level, df)
        low, high = order_interval(found.concordance, found.counts, phi, quantile)
        return Interval(
            what="concordance",
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

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: outcome and score.

        Examples
        --------
        >>> import tlpo
        >>> print(tlpo.assess([3, 1, 4], [10, 20, 30], order=True).to_frame())
              outcome  score
        unit
        0        10.0    3.0
        1        20.0    1.0
        2        30.0    4.0
        """
        import pandas as pd

        frame = pd.DataFrame(
            {"outcome": self.outcome.values, "score": self.values},
            index=pd.RangeIndex(self.outcome.n_units, name="unit"),
        )
        if self.outcome.unit_names is not None:
            frame.index = self.outcome.unit_names
        return frame

    def evidence_with(self, other: FixedConcordance) -> OrderEvidence:
        """Return the evidence of the units that have both scores."""
        if self.outcome.n_units != other.outcome.n_units or not np.array_equal(
            self.outcome.y, other.outcome.y
        ):
            raise InputError(
                explain(
                    "Only scores of the same units can be compared.",
                    f"You passed {self.outcome.count}, and {other.outcome.count}.",
                    "Assess both over the same units, in the same order.",
                )
            )
        return self._measure(self.is_rated & other.is_rated)

    @cached_property
    def _evidence(self) -> OrderEvidence:
        return self._measure(self.is_rated)

    @property
    def _ranks(self) -> FloatArray:
        """The scores, or their exact ranks, larger meaning a larger outcome."""
        ranks = self.values if self.exact is None else self.exact.ranks
        return ranks if self.larger_is_positive else -ranks

    def _measure(self, inside: BoolArray) -> OrderEvidence:
        winner, loser = self.outcome.should_win()
        kept = inside[winner] & inside[loser]
        if not kept.any():
            raise InputError(
                explain(
                    "No two units with different outcomes have a score.",
                    f"You passed {inside.size} units, {int(inside.sum())} of them with a score.",
                    "Check that scores and y belong together.",
                )
            )
        order = Order(winner[kept], loser[kept], self.outcome.n_units)
        U = np.heaviside(self._ranks[order.winner] - self._ranks[order.loser], 0.5)
        level, groups = self.outcome.level, self.groups
        off = inside & (level != np.argmax(np.bincount(level[inside])))
        n_off_mode = int(off.sum()) if groups is None else np.unique(groups[off]).size
        moves = order.moves(U)[inside]
        own = None if groups is None else groups[inside]
        return OrderEvidence(order.concordance(U), order.counts, moves, n_off_mode, own)

    def _title(self) -> str:
        missing = f"; {self.n_missing} without a score" if self.n_missing else ""
        return f"{self.name}, fixed beforehand: {self.outcome.count}{missing}"

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.concordance_interval()
        p_value = self.p_value
        rows = [
            ("concordance", f"{self.concordance:.4f} (95 % interval {low:.4f} to {high:.4f})"),
            ("Somers' D", f"{self.somers_d:.4f}"),
        ]
        if p_value is not None:
            rows.append(("p-value", f"{p_value:.4g} (no association, Kendall)"))
        direction = "larger" if self.larger_is_positive else "smaller"
        return [*rows, ("higher", f"{direction} values")]
