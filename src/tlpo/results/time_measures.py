"""Scores and times to an event: Uno's concordance, AUC and ROC curve at a time, risk groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import require_count, require_level, require_share, require_time
from tlpo.errors import InputError, arg, explain
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.intervals import Interval
from tlpo.results.risk_groups import RiskGroups, divide
from tlpo.roc.curve import RocCurve, sensitivity_at
from tlpo.roc.kaplan_meier import KaplanMeier, censoring_survival
from tlpo.roc.order import Order
from tlpo.roc.survival import order_at, roc_curve_at, uno_weights
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    from tlpo.displays import SurvivalDisplay

# More groups are too small to tell apart, and their curves cannot be.
MOST_GROUPS = 10


class TimeMeasures(ABC):
    """Measures of a score of risk, for results whose outcome is a time to an event."""

    outcome: TimeToEvent

    @property
    @abstractmethod
    def _risk(self) -> FloatArray:
        """A score per unit, larger for an earlier event; NaN for units without."""

    @abstractmethod
    def _estimate(self, order: Order) -> float:
        """Return the weighted share of games won as they should be."""

    @abstractmethod
    def _interval_of(self, order: Order, level: float, what: str) -> Interval:
        """Return an interval for it."""

    @property
    def n_events(self) -> int:
        """Number of units that had the event."""
        return self.outcome.n_events

    @property
    def follow_up(self) -> KaplanMeier:
        """The curve of censoring: its ``median`` is the median follow-up."""
        return censoring_survival(self.outcome.time, self.outcome.event)

    @refuse_foreign_arguments
    def uno(self, tau: float | None = None) -> float:
        """Return Uno's concordance, which censoring does not bias.

        Parameters
        ----------
        tau : float, optional
            Only events before this time count; all by default. Late events get large weights if
            few were followed that long.

        Notes
        -----
        ``Σ ω_ij H(F[i, j] − F[j, i]) / Σ ω_ij`` over the ordered pairs, ``ω_ij = 1/G(T_i−)²`` for
        ``T_i < tau``, G the Kaplan-Meier curve of censoring (Uno et al. 2011).

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> time = np.random.default_rng(1).exponential(np.exp(-X[:, 0]))
        >>> s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
        >>> f"{s.concordance:.3f} {s.uno():.3f}"
        '0.772 0.772'
        """
        return self._estimate(self._uno_order(tau))

    @refuse_foreign_arguments
    def uno_interval(self, tau: float | None = None, confidence_level: float = 0.95) -> Interval:
        """Return an interval for Uno's concordance; see `concordance_interval`.

        The quantile is normal, or Student's for groups, however few have had the event.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> marker = tlpo.assess([3, 5, 1, 4, 2], y)
        >>> low, high = marker.uno_interval()
        >>> f"{marker.uno():.2f} ({low:.2f} to {high:.2f})"
        '0.78 (0.31 to 0.97)'
        """
        require_level("confidence_level", confidence_level)
        return self._interval_of(self._uno_order(tau), confidence_level, "Uno's concordance")

    @refuse_foreign_arguments
    def auc_at(self, time: float) -> float:
        """Return the AUC at a time: how often units with the event by then outrank those without.

        Notes
        -----
        Cases had the event at or before the time and have the weight ``1/G(T_i−)``, controls have
        a later time; units that were censored by then are neither.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> time = np.random.default_rng(1).exponential(np.exp(-X[:, 0]))
        >>> s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
        >>> round(s.auc_at(0.5), 3)
        0.8
        """
        return self._estimate(self._order_at(time))

    @refuse_foreign_arguments
    def auc_at_interval(self, time: float, confidence_level: float = 0.95) -> Interval:
        """Return an interval for the AUC at a time; see `concordance_interval`.

        The quantile is normal, or Student's for groups, however few have had the event.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> time = np.random.default_rng(1).exponential(np.exp(-X[:, 0]))
        >>> s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
        >>> low, high = s.auc_at_interval(0.5)
        >>> f"{low:.3f} to {high:.3f}"
        '0.651 to 0.894'
        """
        require_level("confidence_level", confidence_level)
        return self._interval_of(self._order_at(time), confidence_level, f"AUC at {time:.6g}")

    @refuse_foreign_arguments
    def roc_curve_at(self, time: float) -> RocCurve:
        """Return the ROC curve at a time, of the ranking of all units.

        True positive rates are weighted as in `auc_at`; units that were censored by the time do not
        count.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> marker = tlpo.assess([3, 5, 1, 4, 2], y)
        >>> marker.roc_curve_at(3.0).tpr
        array([0. , 0.5, 0.5, 0.5, 1. , 1. ])
        """
        self._order_at(time)  # refuses times without cases or controls
        rated, times, events = self._rated
        curve = roc_curve_at(self._risk[rated], times, events, float(time))
        assert curve is not None
        return curve

    @refuse_foreign_arguments
    def sensitivity_at(self, *, specificity: float, time: float) -> float:
        """Return the largest sensitivity at a time with at least this specificity.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> marker = tlpo.assess([3, 5, 1, 4, 2], y)
        >>> marker.sensitivity_at(specificity=0.9, time=3)
        0.5
        """
        require_share("specificity", specificity)
        return sensitivity_at(self.roc_curve_at(time), specificity)

    @refuse_foreign_arguments
    def risk_groups(self, n_groups: int = 3) -> RiskGroups:
        """Divide the units by rank into groups of about equal size, and follow each.

        A unit's rank comes from models that did not see it. Units of equal rank stay together.

        Parameters
        ----------
        n_groups : int
            How many; 3 are thirds.

        Returns
        -------
        RiskGroups
            Kaplan-Meier curves, numbers at risk and a log-rank test.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X = np.random.default_rng(0).normal(size=(60, 3))
        >>> time = np.random.default_rng(1).exponential(np.exp(-X[:, 0]))
        >>> s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
        >>> s.risk_groups(2).to_frame()[["units", "events"]]
               units  events
        group
        low       30       6
        high      30      26
        """
        most = min(MOST_GROUPS, self.outcome.n_units)
        limit = "the number of units" if most < MOST_GROUPS else "which are tenths"
        require_count("n_groups", n_groups, 2, most, limit)
        return divide(self._risk, self.outcome, n_groups)

    def plot_survival(self, ax: Any = None, *, n_groups: int = 3) -> SurvivalDisplay:
        """Draw the Kaplan-Meier curves of `risk_groups`, with numbers at risk.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> marker = tlpo.assess([3, 5, 1, 4, 2], y)
        >>> marker.plot_survival(n_groups=2)
        SurvivalDisplay(low 2 units, high 3 units)
        """
        return self.risk_groups(n_groups).plot(ax)

    def _uno_order(self, tau: float | None) -> Order:
        if tau is not None:
            require_time("tau", tau)
        outcome = self.outcome
        rated, times, events = self._rated
        weight = np.zeros(outcome.n_units)
        weight[rated] = uno_weights(times, events, tau)
        order = Order(*outcome.should_win(), outcome.n_units).weighted(weight)
        if not order.winner.size:
            raise InputError(
                explain(
                    f"No unit that another outlived had the event before {arg('tau')}.",
                    f"You passed {arg('tau', tau)}; there are {outcome.count}.",
                    "Pass a later time.",
                )
            )
        return order

    @cached_property
    def _rated(self) -> tuple[IntArray, FloatArray, BoolArray]:
        """The units that have a rank, with their times and events."""
        rated = np.flatnonzero(~np.isnan(self._risk))
        return rated, self.outcome.time[rated], self.outcome.event[rated]

    def _order_at(self, time: float) -> Order:
        outcome = self.outcome
        rated, times, events = self._rated
        require_time("time", time)
        order = order_at(times, events, float(time))
        if order is None:
            first = outcome.time[outcome.event].min()
            raise InputError(
                explain(
                    f"{arg('time')} must be a time by which some units had the event and others "
                    "were followed without it.",
                    f"You passed {arg('time', time)}.",
                    f"Pass a time from {first:.6g} to before {outcome.time.max():.6g}.",
                )
            )
        winner, loser = rated[order.winner], rated[order.loser]
        return Order(winner, loser, outcome.n_units, order.weight)
