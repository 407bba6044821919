"""Survival curves by Kaplan and Meier, of events and of censoring, and the log-rank test.

Every unit has a time, and either had the event then or was last seen without it (it is censored).
Where both happen at one time, events come first: whoever is censored then was still at risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.intervals import two_sided_quantile

# What rounding leaves between a product of ratios and ½.
_HALF = 1e-9
# Eigenvalues of a covariance that are zero but for rounding, relative to the largest.
_RANK = 1e-10


@dataclass(frozen=True, eq=False)
class KaplanMeier:
    """A survival curve: a step function that falls where units had the event.

    Attributes
    ----------
    time : ndarray of shape (k,)
        The distinct times of all units, events or not, increasing.
    survival : ndarray of shape (k,)
        S(t): the share of units without the event after each time.
    standard_error : ndarray of shape (k,)
        Greenwood's, of S(t). NaN where S(t) is 0.
    at_risk : ndarray of shape (k,)
        Units that might have had the event at each time.
    events, censored : ndarray of shape (k,)
        Units that had it, and units that left without it.

    Notes
    -----
    With d events among n at risk::

        S(t) = Π (1 − d/n)        SE(t) = S(t) √ Σ d / (n (n − d))        over times ≤ t

    Beyond the last time the curve stays where it is. If that is above 0, nothing is known there.
    """

    time: FloatArray
    survival: FloatArray
    standard_error: FloatArray
    at_risk: IntArray
    events: IntArray
    censored: IntArray

    def at(self, times: FloatArray) -> FloatArray:
        """Return S at any times: the share without the event by then, the time itself included."""
        return self._step(self.survival, times, "right")

    def before(self, times: FloatArray) -> FloatArray:
        """Return S(t−): the share without the event before any times."""
        return self._step(self.survival, times, "left")

    def n_at_risk(self, times: FloatArray) -> IntArray:
        """Count the units that were still followed just before any times."""
        leaving = self.events + self.censored
        gone = np.concatenate([[0], np.cumsum(leaving)])
        return np.asarray(gone[-1] - gone[np.searchsorted(self.time, times, side="left")])

    def limits(
        self, confidence_level: float, times: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return pointwise limits of S, symmetric for log(−log S), which keeps them in 0 … 1.

        Parameters
        ----------
        confidence_level : float
            Of the limits.
        times : ndarray, optional
            Where; by default at the times of the curve.

        Returns
        -------
        low, high : ndarray
            1 before the first event; NaN where S is 0, of which this scale says nothing.
        """
        z = two_sided_quantile(confidence_level)
        low, high = np.ones(self.time.size), np.ones(self.time.size)
        low[self.survival == 0] = high[self.survival == 0] = np.nan
        inside = (self.survival > 0) & (self.survival < 1)
        S, error = self.survival[inside], self.standard_error[inside]
        factor = np.exp(z * error / (S * -np.log(S)))
        low[inside], high[inside] = S**factor, S ** (1 / factor)
        if times is None:
            return low, high
        return self._step(low, times, "right"), self._step(high, times, "right")

    @property
    def median(self) -> float | None:
        """The time by which half had the event; None if fewer did.

        Where S is exactly ½ for a stretch, the middle of it, as for the median of numbers.
        """
        return _falls_to_half(self.time, self.survival)

    def median_limits(self, confidence_level: float) -> tuple[float | None, float | None]:
        """Return limits of the median: where those of S fall to ½ (Brookmeyer and Crowley 1982).

        A limit that is never reached is None.
        """
        low, high = self.limits(confidence_level)
        return _falls_to_half(self.time, low), _falls_to_half(self.time, high)

    def _step(self, values: FloatArray, times: FloatArray, side: Any) -> FloatArray:
        place = np.searchsorted(self.time, times, side=side)
        return np.asarray(np.concatenate([[1.0], values])[place])


def kaplan_meier(time: FloatArray, event: BoolArray) -> KaplanMeier:
    """Estimate the survival curve of units.

    Examples
    --------
    Four units; the third was last seen at 3 without the event:

    >>> curve = kaplan_meier(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, False, True]))
    >>> curve.survival
    array([0.75, 0.5 , 0.5 , 0.  ])
    >>> curve.median
    3.0
    """
    times, events, censored, at_risk = _departures(time, event)
    return _product_limit(times, at_risk, events, censored)


def censoring_survival(time: FloatArray, event: BoolArray) -> KaplanMeier:
    """Estimate the curve of censoring, G: how many would still be followed but for the event.

    The two trade places: ``events`` of this curve are censorings. Units that have the event at a
    time are not at risk of being censored at it. Its median is the median follow-up of reverse
    Kaplan-Meier (Schemper and Smith 1996).

    Notes
    -----
    Events first makes the two curves fit: ``S(t) G(t)`` is the share of units with a time beyond
    t, exactly. It follows that ``G(T−)`` is positive at the time T of every unit in the sample.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 2.0, 4.0]), np.array([True, True, False, False])
    >>> censoring_survival(time, event).survival
    array([1. , 0.5, 0. ])
    """
    times, events, censored, at_risk = _departures(time, event)
    return _product_limit(times, at_risk - events, censored, events)


@dataclass(frozen=True, eq=False)
class LogRank:
    """Whether the survival of groups differs.

    Attributes
    ----------
    chi_square : float
        The statistic.
    degrees_of_freedom : int
        One less than the groups that were at risk at some event. 0 if nothing can be compared.
    p_value : float
        Of the hypothesis that all groups have the same survival. NaN if nothing can be compared.
    groups : ndarray of shape (g,)
        Their names, sorted.
    sizes, observed : ndarray of shape (g,)
        Units and events of each group.
    expected : ndarray of shape (g,)
        Events that each would have had if its risk were that of all.
    """

    chi_square: float
    degrees_of_freedom: int
    p_value: float
    groups: npt.NDArray[Any]
    sizes: IntArray
    observed: IntArray
    expected: FloatArray


def log_rank(time: FloatArray, event: BoolArray, group: npt.NDArray[Any]) -> LogRank:
    """Compare the survival of two or more groups by the log-rank test.

    Notes
    -----
    At every time with d events among n units at risk, of whom n_g are in group g, the events of
    the groups are a draw without replacement: they have the expectation ``d n_g / n`` and the
    covariance ``d (n − d)/(n − 1) · (n_g/n) (1[g = h] − n_h/n)``. Both are summed over times.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, True, True, False])
    >>> test = log_rank(time, event, np.array(["high", "high", "low", "low"]))
    >>> test.observed, test.expected.round(2)
    (array([2, 1]), array([0.83, 2.17]))
    """
    groups, member = np.unique(group, return_inverse=True)
    times, place = np.unique(time, return_inverse=True)
    cells = place * groups.size + member
    shape = (times.size, groups.size)
    leaving = np.bincount(cells, minlength=times.size * groups.size).reshape(shape)
    events = np.bincount(cells[event], minlength=times.size * groups.size).reshape(shape)
    happens = events.any(axis=1)
    n_g = leaving[::-1].cumsum(axis=0)[::-1][happens]
    n, d = n_g.sum(axis=1), events[happens].sum(axis=1)
    share = n_g / n[:, None]
    expected = d @ share
    # A single unit at risk has no variance.
    spread = d * (n - d) / np.maximum(n - 1, 1)
    covariance = np.diag(spread @ share) - (share * spread[:, None]).T @ share
    observed = events.sum(axis=0)
    chi_square, df = _quadratic(observed - expected, covariance)
    p_value = float(chi2.sf(chi_square, df)) if df else float("nan")
    return LogRank(chi_square, df, p_value, groups, leaving.sum(axis=0), observed, expected)


def _quadratic(gap: FloatArray, covariance: FloatArray) -> tuple[float, int]:
    """Return ``gap' V⁻ gap`` and the rank of V, which has at least one dimension too many.

    Dropping one group and solving, as is usual, fails if another was gone before the first event.
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _RANK * max(values[-1], 0.0)
    along = vectors[:, kept].T @ gap
    return float(along**2 @ (1 / values[kept])), int(np.count_nonzero(kept))


def _departures(
    time: FloatArray, event: BoolArray
) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Return the distinct times, the events and censorings at each, and who was still there."""
    times, place = np.unique(time, return_inverse=True)
    events = np.bincount(place[event], minlength=times.size)
    leaving = np.bincount(place, minlength=times.size)
    return times, events, leaving - events, np.cumsum(leaving[::-1])[::-1]


def _product_limit(
    times: FloatArray, at_risk: IntArray, events: IntArray, censored: IntArray
) -> KaplanMeier:
    share = np.divide(events, at_risk, out=np.zeros(times.size), where=events > 0)
    S: FloatArray = np.cumprod(1.0 - share, dtype=np.float64)
    left = at_risk * (at_risk - events)
    term = np.divide(events, left, out=np.zeros(times.size), where=left > 0)
    error = np.where(S > 0, S * np.sqrt(np.cumsum(term)), np.nan)
    return KaplanMeier(times, S, error, at_risk, events, censored)


def _falls_to_half(times: FloatArray, values: FloatArray) -> float | None:
    """Return when a falling curve reaches ½; NaN values are unknown."""
    known = ~np.isnan(values)
    times, values = times[known], values[known]
    reached, below = times[values <= 0.5 + _HALF], times[values < 0.5 - _HALF]
    if not reached.size:
        return None
    # If the curve stays at ½ to its end, that stretch has no known middle.
    return float((reached[0] + below[0]) / 2 if below.size else reached[0])
