"""A finished tournament of units with times to an event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, arg, explain
from tlpo.problem.outcome import TimeToEvent
from tlpo.problem.times import count_last_events, may_mean_opposite
from tlpo.results.intervals import Interval
from tlpo.results.ordered_games import OrderedGames, interval_of
from tlpo.results.time_measures import TimeMeasures
from tlpo.roc.order import Order

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.displays import ConcordanceDisplay


@dataclass(frozen=True, eq=False, repr=False)
class Survival(TimeMeasures, OrderedGames):
    """A tournament of units with times to an event. `survival` plays it.

    Attributes
    ----------
    standings : Standings
        ``standings.wins``: wins of each unit against those that should lose, those that should win,
        and peers, of which nobody knows who would have had the event first.
    outcome : TimeToEvent
        ``outcome.time`` and ``outcome.event`` of every unit.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Games played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.
    opponents : int or None
        How many others every unit met, if not all.
    matched : Matched or None
        How many pairs ``match`` left; None if every ordered pair met.

    Notes
    -----
    With ``F[i, j]`` and H of `tournament`, over the pairs in which i had the event and j was
    known to be without it at that time::

        concordance = Σ H(F[i, j] − F[j, i]) / number of such pairs

    which is Harrell's C, by leave-pair-out. ½ is chance. Scores and ``consistency`` are those of
    `Tournament`: units with many wins are ranked as those with an early event.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> time = rng.exponential(np.exp(-X[:, 0]))
    >>> s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
    >>> s
    Survival of 60 units, 32 events, times from 0.00557555 to 1
      estimator    Cox
      concordance  0.8103 (0.71... to 0.87..., 95 % interval)
      Uno's        0.8103
      games        1392 ordered, 378 between peers
      consistency  ξ = 0.999 (10 circular triads, 0 ties)
      played       1770 games, 1 fit, ..., engine cox
    """

    outcome: TimeToEvent = field(kw_only=True)

    _off_mode_in_words = "have had the event"
    _function = "survival"

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the units: time, event, score, rank, wins by kinds of opponents.

        Examples
        --------
        >>> import tlpo
        >>> X, time, event = [[6], [4], [5], [1], [2], [3]], [1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 0, 1]
        >>> print(tlpo.survival(tlpo.Cox(), X, time, event).to_frame()[["time", "event", "score"]])
              time  event  score
        unit
        0      1.0   True    5.0
        1      2.0   True    3.0
        2      3.0   True    4.0
        3      4.0   True    0.0
        4      5.0  False    1.0
        5      6.0   True    2.0
        """
        return self._frame({"time": self.outcome.time, "event": self.outcome.event})

    def plot(self, ax: Any = None, *, name: str | None = None) -> ConcordanceDisplay:
        """Draw wins against time, with a line for every game that ended the wrong way.

        Censored units are hollow. `plot_survival` draws the survival of risk groups.

        Examples
        --------
        >>> import tlpo
        >>> X, time, event = [[6], [4], [5], [1], [2], [3]], [1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 0, 1]
        >>> tlpo.survival(tlpo.Cox(), X, time, event).plot()
        ConcordanceDisplay(6 units, 3 of 14 pairs the wrong way)
        """
        from tlpo.displays import ConcordanceDisplay

        return ConcordanceDisplay.from_result(self, name=name).plot(ax)

    def _rows(self) -> list[tuple[str, str]]:
        outcome = self.outcome
        n_last = count_last_events(outcome.time, outcome.event)
        if may_mean_opposite(outcome.called) and not outcome.coding:
            note = f"the name {outcome.called!r} may mean the opposite: is the event reversed?"
        elif n_last:
            note = f"all {n_last} followed longest count as events: is the event reversed?"
        else:
            return super()._rows()
        return [*super()._rows(), ("note", note)]

    @property
    def _risk(self) -> FloatArray:
        return self.scores

    def _estimate(self, order: Order) -> float:
        if self._table is None or self.opponents is not None:
            raise _missing_games()
        return order.concordance(self._results(order))

    def _interval_of(self, order: Order, level: float, what: str) -> Interval:
        if self._table is None or self.opponents is not None or self._is_ordered_only:
            raise _missing_games()
        winners = np.zeros(self.outcome.n_units, dtype=bool)
        winners[order.winner] = True
        # Without groups the normal quantile covers .95 to .99 even with one to four cases, where
        # Student's covers .98 to 1 (docs/survival.md).
        n = self._n_off_mode(winners) if self.groups is not None else self.outcome.n_units
        evidence = self._measure_games(order, self._results(order), n)
        return interval_of(evidence, level, (), what)

    def _title(self) -> str:
        return f"Survival of {self.outcome.count}"

    def _further_estimates(self) -> list[tuple[str, str]]:
        if self._table is None or self.opponents is not None or self.matched is not None:
            return []
        return [("Uno's", f"{self.uno():.4f}")]


def _missing_games() -> InputError:
    return InputError(
        explain(
            "This needs the games of every pair.",
            "You passed a result without them.",
            f"Call tlpo.survival without {arg('rounds')}, and with {arg('predictions', True)}.",
        )
    )
