"""Scores fixed beforehand, and times to an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

from tlpo.arrays import FloatArray
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.fixed_order import FixedOrder
from tlpo.results.intervals import Interval
from tlpo.results.summary import tabulate_units
from tlpo.results.time_measures import TimeMeasures
from tlpo.roc.order import Order, independent_variance

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class FixedSurvival(TimeMeasures, FixedOrder):
    """A score that was fixed beforehand, and its concordance with times to an event.

    ``tlpo.assess(scores, tlpo.time_to_event(time, event))`` makes it.

    Attributes
    ----------
    name : str
        What the score is called.
    values : ndarray of shape (m,)
        The score as it was measured; NaN where it is missing.
    outcome : TimeToEvent
        Time and event of every unit.
    groups : ndarray of shape (m,) or None
        Units that belong together, and are not independent.
    larger_is_positive : bool
        Whether large values go with early events.

    Notes
    -----
    ``concordance`` is Harrell's C: the share of pairs, of which one unit had the event while the
    other was known to be without it, in which the first has the larger score, ties of the score
    counting half. ``standard_error`` is that of the infinitesimal jackknife, times
    √(m/(m − 1)), and ``p_value`` that of the score test of C = ½.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=80)
    >>> time = rng.exponential(np.exp(-x))
    >>> y = tlpo.time_to_event(np.minimum(time, 1.5), time <= 1.5)
    >>> tlpo.assess(x, y)
    score, fixed beforehand: 80 units, 53 events, times from 0.00191865 to 1.5
      concordance  0.7433 (95 % interval 0.6653 to 0.8066)
      Uno's        0.7433
      p-value      6.804e-09 (no association, score test)
      earlier      larger values
    """

    outcome: TimeToEvent

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value of no association; None for grouped units."""
        if self.groups is not None:
            return None
        found = self._evidence
        z = (found.concordance - 0.5) / np.sqrt(independent_variance(0.5, found.counts))
        return float(2.0 * norm.sf(abs(z)))

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: time, event and score.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([10, 20, 30], [True, False, True])
        >>> print(tlpo.assess([3, 1, 2], y).to_frame())
              time  event  score
        unit
        0     10.0   True    3.0
        1     20.0  False    1.0
        2     30.0   True    2.0
        """
        outcome = self.outcome
        columns = {"time": outcome.time, "event": outcome.event, "score": self.values}
        return tabulate_units(outcome, columns)

    @property
    def _risk(self) -> FloatArray:
        return self._ranks

    def _estimate(self, order: Order) -> float:
        return self._measure_games(order, self._is_rated).concordance

    def _interval_of(self, order: Order, level: float, what: str) -> Interval:
        return self._interval(self._measure_games(order, self._is_rated), level, what)

    def _rows(self) -> list[tuple[str, str]]:
        low, high = self.concordance_interval()
        rows = [
            ("concordance", f"{self.concordance:.4f} (95 % interval {low:.4f} to {high:.4f})"),
            ("Uno's", f"{self.uno():.4f}"),
        ]
        if self.p_value is not None:
            rows.append(("p-value", f"{self.p_value:.4g} (no association, score test)"))
        direction = "larger" if self.larger_is_positive else "smaller"
        return [*rows, ("earlier", f"{direction} values")]
