"""Kernels as libsvm computes them: compiled loops.

A kernel is a function of an *argument*: the squared distance of two units for the Gaussian one,
their product for all others. In training libsvm gets distances from products, and rounds kernels to
single precision; in predictions it adds squared differences, in double precision.

Single precision forgives: where arguments are off by rounding, kernels of training sets are almost
always the same numbers. Those few that are so close to the middle between two numbers of single
precision that they may be rounded either way are counted.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from tlpo.arrays import FloatArray, IntArray, SingleArray
from tlpo.compiled import compiled

Numbers = TypeVar("Numbers", FloatArray, SingleArray)

# Kernels: the argument itself, or a function of it.
ITSELF, GAUSSIAN, POLYNOMIAL, SIGMOID = range(4)
# Constants of exponentials: 1 / log 2, log 2 in two parts, and what makes numbers whole when added.
BITS_A_UNIT = 1.4426950408889634
LOG_2_HIGH = 0.6931471803691238
LOG_2_LOW = 1.9082149292705877e-10
TO_WHOLE = 1.5 * 2.0**52
# By how much more than the argument says a kernel may be off, relatively.
ROUNDING = 16.0 * float(np.finfo(float).eps)


class Kernel(NamedTuple):
    """A kernel.

    Attributes
    ----------
    kind : int
        One of the constants above.
    coef0, degree
        What is added to the argument, and the power of a polynomial.
    """

    kind: int
    coef0: float
    degree: int


class Doubt(NamedTuple):
    """How far arguments may be off.

    Attributes
    ----------
    blur : float
        By rounding of the rows, relative to their lengths or distances.
    rough : float
        By rounding of products, relative to the lengths.
    root : float
        The root of the number of columns.
    """

    blur: float
    rough: float
    root: float


@compiled
def power(base: float, times: int) -> float:
    """Multiply as libsvm does."""
    factor, result = base, 1.0
    while times > 0:
        if times % 2 == 1:
            result *= factor
        factor *= factor
        times //= 2
    return result


@compiled
def value_of(kernel: Kernel, gamma: float, argument: float) -> float:
    """Return the kernel of an argument."""
    if kernel.kind == GAUSSIAN:
        return float(np.exp(-gamma * argument))
    if kernel.kind == POLYNOMIAL:
        return power(gamma * argument + kernel.coef0, kernel.degree)
    if kernel.kind == SIGMOID:
        return float(np.tanh(gamma * argument + kernel.coef0))
    return argument


@compiled
def error_of(
    kernel: Kernel,
    gamma: float,
    argument: float,
    value: float,
    doubt: Doubt,
    one: float,
    other: float,
) -> float:
    """Return how far a kernel of two units may be off; ``one`` and ``other`` are their lengths."""
    if kernel.kind == GAUSSIAN:
        apart = 2.0 * doubt.blur * abs(argument) + doubt.rough * (one * one + other * other)
        return value * (gamma * apart + ROUNDING)
    apart = doubt.blur * (2.0 * one * other + doubt.root * (one + other))
    if kernel.kind == ITSELF:
        return apart + ROUNDING * abs(value)
    apart = gamma * apart + ROUNDING * (abs(gamma * argument) + abs(kernel.coef0))
    if kernel.kind == POLYNOMIAL:
        base = abs(gamma * argument + kernel.coef0)
        apart *= kernel.degree * power(base + apart, max(kernel.degree - 1, 0))
    return apart + ROUNDING * abs(value)


@compiled
def arguments(X: FloatArray, is_gaussian: bool, training: FloatArray, asked: FloatArray) -> None:
    """Write the arguments of all units in training and in predictions, with libsvm's rounding."""
    for i in range(len(X)):
        training[i, i] = np.dot(X[i], X[i])
    for i in range(len(X)):
        for j in range(i):
            product = np.dot(X[i], X[j])
            if is_gaussian:
                gap = X[i] - X[j]
                asked[i, j] = asked[j, i] = np.dot(gap, gap)
                product = training[i, i] + training[j, j] - 2.0 * product
            else:
                asked[i, j] = asked[j, i] = product
            training[i, j] = training[j, i] = product
    for i in range(len(X)):
        asked[i, i] = 0.0 if is_gaussian else training[i, i]
        if is_gaussian:
            training[i, i] = 0.0


@compiled
def products(Z: FloatArray, is_gaussian: bool, lengths: FloatArray, training: FloatArray) -> None:
    """Write the arguments of all units in training, by one product of matrices."""
    np.dot(Z, Z.T, training)
    m = len(Z)
    for i in range(m):
        lengths[i] = np.sqrt(training[i, i])
    if is_gaussian:
        for i in range(m):
            for j in range(i):
                apart = training[i, i] + training[j, j] - 2.0 * training[i, j]
                training[i, j] = training[j, i] = apart
        for i in range(m):
            training[i, i] = 0.0


@compiled
def exact_products(Z: FloatArray, training: FloatArray) -> None:
    """Write the products of all units with libsvm's rounding."""
    for i in range(len(Z)):
        for j in range(i + 1):
            training[i, j] = training[j, i] = np.dot(Z[i], Z[j])


@compiled
def argument_of(Z: FloatArray, i: int, j: int, is_gaussian: bool) -> float:
    """Return the argument of two units in predictions."""
    total = 0.0
    if is_gaussian:
        for f in range(Z.shape[1]):
            gap = Z[i, f] - Z[j, f]
            total += gap * gap
    else:
        for f in range(Z.shape[1]):
            total += Z[i, f] * Z[j, f]
    return total


@compiled
def runs_of(units: IntArray) -> IntArray:
    """Return where runs of consecutive units begin, and the number of units.

    Copying runs takes a tenth of the time of copying one by one.
    """
    edges, count = np.empty(units.size + 1, dtype=np.intp), 0
    for a in range(units.size):
        if a == 0 or units[a] != units[a - 1] + 1:
            edges[count] = a
            count += 1
    edges[count] = units.size
    return edges[: count + 1]


@compiled
def take(row: Numbers, units: IntArray, runs: IntArray, chosen: Numbers) -> None:
    """Copy the numbers of some units."""
    for r in range(runs.size - 1):
        first, offset = runs[r], units[runs[r]] - runs[r]
        for a in range(first, runs[r + 1]):
            chosen[a] = row[a + offset]


@compiled
def exponentials(x: FloatArray, count: int, scale: FloatArray, bits: IntArray) -> None:
    """Replace numbers that are not positive by their exponentials.

    ``2^k e^r`` with a polynomial for the second factor: without calls, a processor computes
    several at a time. They are off by one or two digits, and numbers below -700 count as that.

    Parameters
    ----------
    x : ndarray
        The numbers.
    count : int
        How many there are.
    scale, bits : ndarray of double and of int64
        Room for the first factor, seen as numbers and as bits.
    """
    for k in range(count):
        x[k] = x[k] if x[k] > -700.0 else -700.0
        scale[k] = x[k] * BITS_A_UNIT + TO_WHOLE
    for k in range(count):
        whole = scale[k] - TO_WHOLE
        r = (x[k] - whole * LOG_2_HIGH) - whole * LOG_2_LOW
        value = 1.0 / 6227020800.0
        value = value * r + 1.0 / 479001600.0
        value = value * r + 1.0 / 39916800.0
        value = value * r + 1.0 / 3628800.0
        value = value * r + 1.0 / 362880.0
        value = value * r + 1.0 / 40320.0
        value = value * r + 1.0 / 5040.0
        value = value * r + 1.0 / 720.0
        value = value * r + 1.0 / 120.0
        value = value * r + 1.0 / 24.0
        value = value * r + 1.0 / 6.0
        value = value * r + 0.5
        value = value * r + 1.0
        x[k] = value * r + 1.0
    for k in range(count):  # the whole number is in the last bits, an exponent in the first
        bits[k] = (bits[k] << 52) + (1023 << 52)
    for k in range(count):
        x[k] *= scale[k]


@compiled
def gaussian_in_single(
    training: FloatArray,
    units: IntArray,
    gamma: float,
    doubt: Doubt,
    lengths: FloatArray,
    side: int,
    K: SingleArray,
) -> int:
    """Do what `in_single` does for the Gaussian kernel, whose diagonal is 1."""
    t, count = units.size, 0
    values, errors, scale = np.empty(t), np.empty(t), np.empty(t)
    squares = lengths[units] ** 2
    bits, runs = scale.view(np.int64), runs_of(units)
    for a in range(t):
        own = K[a]
        take(training[units[a]], units, runs, values)
        for b in range(t):
            argument = values[b]
            values[b] = -gamma * argument
            apart = 2.0 * doubt.blur * abs(argument) + doubt.rough * (squares[a] + squares[b])
            errors[b] = gamma * apart + ROUNDING
        exponentials(values, t, scale, bits)
        for b in range(t):
            error = values[b] * errors[b]
            low, high = np.float32(values[b] - error), np.float32(values[b] + error)
            count += low != high
            own[b] = np.float32(values[b])
            if side:
                own[b] = low if side < 0 else high
        own[a] = 1.0
    return count


@compiled
def in_single(
    training: FloatArray,
    units: IntArray,
    kernel: Kernel,
    gamma: float,
    doubt: Doubt,
    lengths: FloatArray,
    side: int,
    K: SingleArray,
    diagonal: FloatArray,
) -> int:
    """Write the kernel of some units in single precision; return how many numbers are uncertain.

    Parameters
    ----------
    training : ndarray of shape (m, m)
        Arguments.
    units : ndarray of shape (t,)
        The units.
    kernel, gamma, doubt, lengths
        The kernel, and how far arguments may be off.
    side : int
        To which side uncertain numbers are moved, and the diagonal: 0 for none, -1 or 1.
    K : ndarray of float32, of shape (t, t) at least
        Where to write.
    diagonal : ndarray of shape (t,) at least
        The same for the diagonal in double precision.
    """
    count = 0
    if kernel.kind == GAUSSIAN:
        diagonal[: units.size] = 1.0
        return gaussian_in_single(training, units, gamma, doubt, lengths, side, K)
    for a in range(units.size):
        i = units[a]
        for b in range(units.size):
            j = units[b]
            value = value_of(kernel, gamma, training[i, j])
            error = error_of(kernel, gamma, training[i, j], value, doubt, lengths[i], lengths[j])
            low, high = np.float32(value - error), np.float32(value + error)
            count += low != high
            K[a, b] = np.float32(value)
            if side:
                K[a, b] = low if side < 0 else high
            if a == b:
                # Of no pattern, and the same in every run.
                diagonal[a] = value + side * error * np.sin(12.9898 * (i + 1))
    return count
