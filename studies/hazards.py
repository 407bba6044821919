"""Exponential times, some censored, and what is true of any score of them.

Given its log hazard ``β z``, z standard normal, a unit has the event at an exponential time. Loss
to follow-up has the log hazard ``γ z + log c``; whoever is left at ``end`` is censored there. How
often two units with given z are a pair that the first should win (Harrell), would be one if nobody
were censored (Uno), or are a case and a control at a time, has a closed form W. A score that is
jointly normal with z, at a correlation of r, ranks i above j with probability
``Φ(r (z_i − z_j) / √(2 (1 − r²)))``; so its concordance is a mean over two normal numbers, which is
integrated numerically. Other scores are judged on a sample of units, by the same W.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from tlpo.arrays import BoolArray, FloatArray

N_NODES = 80
# Beyond so many standard deviations nothing counts.
FARTHEST = 8.0

Weight = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Hazards:
    """Times of events and of censoring, given a standard normal number.

    Attributes
    ----------
    beta : float
        Change of the log hazard per unit of z.
    lost : float
        Hazard of being lost to follow-up at z = 0.
    gamma : float
        Change of its logarithm per unit of z.
    end : float
        When everybody who is left is censored.
    step : float
        Times are rounded up to multiples of it; 0 if they are not rounded.
    """

    beta: float
    lost: float = 0.0
    gamma: float = 0.0
    end: float = math.inf
    step: float = 0.0

    def draw(
        self, z: FloatArray, quantile: FloatArray, rng: np.random.Generator
    ) -> tuple[FloatArray, BoolArray]:
        """Return times and events; ``quantile`` says where in its distribution each event is."""
        event_at = -np.log1p(-quantile) / self._of_event(z)
        with np.errstate(divide="ignore"):
            lost_at = rng.exponential(size=z.size) / self._of_loss(z)
        followed = np.minimum(lost_at, self.end)
        time, event = np.minimum(event_at, followed), event_at <= followed
        return (np.ceil(time / self.step) * self.step if self.step else time), event

    # --- what is true of the units

    def share_of_events(self, by: float = math.inf) -> float:
        """Return the share of units that are seen to have the event by a time."""
        z, weight = _normal_nodes()
        event, both = self._of_event(z), self._of_event(z) + self._of_loss(z)
        seen = event / both * -np.expm1(-both * min(by, self.end))
        return float(weight @ seen)

    def time_of(self, share: float) -> float:
        """Return when a share of the events that are seen have happened."""
        wanted = share * self.share_of_events()
        return _root(lambda t: self.share_of_events(t) - wanted)

    # --- how often the first of two units should win

    def harrell(self, z: FloatArray, other: FloatArray) -> FloatArray:
        """Of two censored units: the first had the event, the second was known to be without it."""
        event, both = self._of_event(z), self._of_event(z) + self._of_loss(z)
        all_four = both + self._of_event(other) + self._of_loss(other)
        if not self.step:
            return np.asarray(event / all_four * -np.expm1(-all_four * self.end))
        # In every interval: the event of the first, while the second stays or is lost.
        of_event, of_loss = self._of_event(other), self._of_loss(other)
        stays = np.exp(-(of_event + of_loss) * self.step)
        stays_or_lost = stays + of_loss / (of_event + of_loss) * (1.0 - stays)
        in_first = event / both * -np.expm1(-both * self.step) * stays_or_lost
        return np.asarray(in_first / -np.expm1(-all_four * self.step))

    def uno(self, tau: float) -> Weight:
        """Of two uncensored units: the first has the event before ``tau``, and the second later."""

        def weight(z: FloatArray, other: FloatArray) -> FloatArray:
            first, both = self._of_event(z), self._of_event(z) + self._of_event(other)
            if not self.step:
                return np.asarray(first / both * -np.expm1(-both * min(tau, self.end)))
            n_steps = math.inf if math.isinf(tau) else math.ceil(tau / self.step) - 1
            in_first = -np.expm1(-first * self.step) * np.exp(-self._of_event(other) * self.step)
            every = np.expm1(-both * self.step * n_steps) / np.expm1(-both * self.step)
            return np.asarray(in_first * every)

        return weight

    def case_and_control(self, t: float) -> Weight:
        """Of two uncensored units: the first has the event by a time, and the second later."""

        def weight(z: FloatArray, other: FloatArray) -> FloatArray:
            return np.asarray(
                -np.expm1(-self._of_event(z) * t) * np.exp(-self._of_event(other) * t)
            )

        return weight

    def _of_event(self, z: FloatArray) -> FloatArray:
        return np.exp(self.beta * z)

    def _of_loss(self, z: FloatArray) -> FloatArray:
        return self.lost * np.exp(self.gamma * z)


def censored_at(share: float, beta: float, gamma: float = 0.0, *, at_end: bool = False) -> Hazards:
    """Return hazards with which a share of the units is censored: at random, or all at one time."""
    start = Hazards(beta, gamma=gamma)

    def with_rate(rate: float) -> Hazards:
        return replace(start, end=1.0 / rate) if at_end else replace(start, lost=rate)

    return with_rate(_root(lambda rate: 1.0 - with_rate(rate).share_of_events() - share))


@dataclass(frozen=True)
class PairMeasure:
    """How often a score ranks the first unit of a pair higher, for pairs weighted by W."""

    weight: Weight

    def of_correlation(self, r: float) -> float:
        """Return it for a score that is jointly normal with z."""
        slope = r / math.sqrt(max(1.0 - r * r, 1e-300))
        up, down = self._integrated
        gap, _ = _half_line()
        right = ndtr(slope * gap)
        return float((up @ right + down @ (1.0 - right)) / (up.sum() + down.sum()))

    @cached_property
    def _integrated(self) -> tuple[FloatArray, FloatArray]:
        """W of pairs by their gap: the first has the larger z, and the smaller."""
        (middle, of_middle), (gap, of_gap) = _normal_nodes(), _half_line()
        high = (middle[:, None] + gap[None, :]) / math.sqrt(2)
        low = (middle[:, None] - gap[None, :]) / math.sqrt(2)
        return of_middle @ self.weight(high, low) * of_gap, of_middle @ self.weight(
            low, high
        ) * of_gap


@cache
def _normal_nodes() -> tuple[FloatArray, FloatArray]:
    """Return numbers and weights whose weighted sums are means over a standard normal number."""
    x, weight = np.polynomial.hermite_e.hermegauss(N_NODES)
    return x, weight / weight.sum()


@cache
def _half_line() -> tuple[FloatArray, FloatArray]:
    """Return the same over its positive half, where a score may be right or wrong abruptly."""
    x, weight = np.polynomial.legendre.leggauss(2 * N_NODES)
    x = FARTHEST * (x + 1.0) / 2.0
    weight = weight * np.exp(-(x**2) / 2.0)
    return x, 0.5 * weight / weight.sum()


def _root(found: Callable[[float], float]) -> float:
    """Return where an increasing function of a positive number is zero."""
    return float(math.exp(brentq(lambda log: found(math.exp(log)), -25.0, 25.0)))
