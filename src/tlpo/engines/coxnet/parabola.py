"""The parabola that stands for Cox's likelihood at some linear predictors: compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled

# Linear predictors up to here are far from where exponentials overflow.
HIGHEST = 300.0
# Exponentials of moves up to here are a few terms of a series, in all digits.
NEAR = 0.05


class Units(NamedTuple):
    """Units of a training set, sorted by time, the last first.

    Attributes
    ----------
    Xt, squares : ndarray of shape (p, n)
        Their columns, and the squares of these.
    event : ndarray of shape (n,)
        1 for an event, 0 for none.
    begins : ndarray of shape (t + 1,)
        Where each time begins.
    events : ndarray of shape (t,)
        How many events there are at each.
    """

    Xt: FloatArray
    squares: FloatArray
    event: FloatArray
    begins: IntArray
    events: FloatArray


class Parabola(NamedTuple):
    """The parabola at some linear predictors.

    Attributes
    ----------
    residual, weight : ndarray of shape (n,)
        Its slopes and curvatures per unit.
    hazard : ndarray of shape (n,)
        Exponentials of the predictors, divided by n.
    at_risk : ndarray of shape (t,)
        Their sums over all who were at risk at each time.
    at : ndarray of shape (n,)
        The predictors.
    """

    residual: FloatArray
    weight: FloatArray
    hazard: FloatArray
    at_risk: FloatArray
    at: FloatArray


@compiled
def begins_of(time: FloatArray) -> IntArray:
    """Return where each time begins, and the number of units."""
    begins, count = np.empty(time.size + 1, dtype=np.intp), 0
    for k in range(time.size):
        if k == 0 or time[k] != time[k - 1]:
            begins[count] = k
            count += 1
    begins[count] = time.size
    return begins[: count + 1]


@compiled
def bend(units: Units, z: FloatArray, parabola: Parabola, anew: bool) -> bool:
    """Write the parabola at linear predictors z; return False if exponentials might overflow.

    Unless ``anew``, exponentials follow from the last ones if z has hardly moved since.
    """
    residual, weight, hazard, at_risk, at = parabola
    event, begins, events, n = units.event, units.begins, units.events, z.size
    each, total, farthest = 1.0 / n, 0.0, 0.0
    for k in range(n):
        farthest = max(farthest, abs(z[k] - at[k]))
        if not abs(z[k]) < HIGHEST:
            return False
    if anew or farthest > NEAR:
        for k in range(n):
            hazard[k] = np.exp(z[k]) * each
    else:
        for k in range(n):
            d = z[k] - at[k]
            power = 1.0 + d / 6.0 * (1.0 + d / 7.0 * (1.0 + d / 8.0))
            power = 1.0 + d / 3.0 * (1.0 + d / 4.0 * (1.0 + d / 5.0 * power))
            hazard[k] *= 1.0 + d * (1.0 + d / 2.0 * power)
    for t in range(events.size):
        for k in range(begins[t], begins[t + 1]):
            total += hazard[k]
        at_risk[t] = total
    first, second = 0.0, 0.0
    for t in range(events.size - 1, -1, -1):
        if events[t] > 0.0:
            inverse = 1.0 / at_risk[t]
            rate = events[t] * each * inverse
            first += rate
            second += rate * inverse
        for k in range(begins[t], begins[t + 1]):
            residual[k], weight[k] = first, second
    for k in range(n):
        at[k] = z[k]
        weight[k] = hazard[k] * (residual[k] - hazard[k] * weight[k])
        residual[k] = event[k] * each - hazard[k] * residual[k]
    return True


@compiled
def likelihood(units: Units, z: FloatArray, parabola: Parabola) -> float:
    """Return the logarithm of the likelihood per unit, as the solver counts it.

    To the solver, nobody else is at risk at the time of the very first unit, ties or not.
    """
    total: float = np.dot(units.event, z)
    for t in range(units.events.size):
        events = units.events[t]
        if t == 0 and units.event[0] > 0.0:
            total -= np.log(parabola.hazard[0])
            events -= 1.0
        if events > 0.0:
            total -= events * np.log(parabola.at_risk[t])
    return total / z.size


@compiled
def null_deviance(event: FloatArray) -> tuple[float, float]:
    """Return the deviance without features as the solver counts it, and the best likelihood."""
    n, total, events = event.size, 0.0, 0.0
    for k in range(n):
        if event[k] > 0.0:
            total += np.log((k + 1.0) / n)
            events += 1.0
    best = events * np.log(float(n)) / n
    return best + total / n, best
