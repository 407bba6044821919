"""Scores fixed beforehand, and numbers or grades: a laboratory value and a tumour grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.stats import kendalltau

from tlpo.problem.outcome import Ordered
from tlpo.results.fixed_order import FixedOrder
from tlpo.results.summary import tabulate_units

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class FixedConcordance(FixedOrder):
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

    Notes
    -----
    ``concordance`` is the share of pairs with different outcomes in which the larger outcome has
    the larger score, ties of the score counting half; ``2 · concordance − 1`` is Somers' D of the
    score given the outcome. ``standard_error`` is that of the infinitesimal jackknife, times
    √(m/(m − 1)).

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

    outcome: Ordered

    @property
    def somers_d(self) -> float:
        """Somers' D of the score given the outcome: ``2 · concordance − 1``."""
        return 2.0 * self.concordance - 1.0

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value of no association, by Kendall's τ; None for grouped units."""
        if self.groups is not None:
            return None
        rated = self._is_rated
        return float(kendalltau(self._ranks[rated], self.outcome.level[rated]).pvalue)

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
        return tabulate_units(self.outcome, {"outcome": self.outcome.values, "score": self.values})

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
