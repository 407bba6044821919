"""The path of libsvm without some units, and what its model predicts for them: compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.svm.kernels import (
    GAUSSIAN,
    Doubt,
    Kernel,
    argument_of,
    error_of,
    exact_products,
    in_single,
    products,
    runs_of,
    take,
    value_of,
)
from tlpo.engines.svm.smo import solve

EPSILON = float(np.finfo(float).eps)
# Machines.
C_CLASSIFIER, NU_CLASSIFIER, C_REGRESSOR, NU_REGRESSOR = range(4)
# How sure the end of a path is: whether rounding before the solver may have changed what it is
# given, and whether its own rounding then decides.
SURE, UNSURE, CLOSE, UNFINISHED = range(4)
# The ends of two paths may be so far apart, relative to the tolerance and the responses, and the
# error is then taken for so many times that. Different paths end farther apart.
FARTHEST = 1e-4
SAFETY = 100.0


class Machine(NamedTuple):
    """A support vector machine.

    Attributes
    ----------
    loss : int
        One of the constants above.
    nu, epsilon
        Its parameters, where it has them.
    tol, shrinking, max_iter
        How its solver works.
    """

    loss: int
    nu: float
    epsilon: float
    tol: float
    shrinking: bool
    max_iter: int


class Arguments(NamedTuple):
    """Arguments of the kernel, for training and for predictions.

    Attributes
    ----------
    training, asked : ndarray of shape (m, m)
        Those of all units; ``asked`` is empty if they follow from the rows.
    rows : ndarray of shape (m, n)
        The rows.
    lengths : ndarray of shape (m,)
        Their lengths.
    single : ndarray of float32, of shape (m, m)
        The kernel in single precision; empty if it changes or any number of it is uncertain.
    diagonal : ndarray of shape (m,)
        Its diagonal in double precision.
    """

    training: FloatArray
    asked: FloatArray
    rows: FloatArray
    lengths: FloatArray
    single: SingleArray
    diagonal: FloatArray


@compiled
def begin(
    machine: Machine,
    target: FloatArray,
    C: FloatArray,
    units: IntArray,
    tremor: float,
    y: FloatArray,
    p: FloatArray,
    bounds: FloatArray,
    alpha: FloatArray,
) -> bool:
    """Write signs, linear term, bounds and start of a machine; return whether there is a start."""
    t = units.size
    is_regressor = machine.loss >= C_REGRESSOR
    for a in range(t):
        u = units[a]
        shake = 1.0 + tremor * np.sin(12.9898 * (u + 1))
        bounds[a], alpha[a] = C[u], 0.0
        if is_regressor:
            width = machine.epsilon if machine.loss == C_REGRESSOR else 0.0
            y[a], y[a + t] = 1.0, -1.0
            p[a], p[a + t] = shake * (width - target[u]), shake * (width + target[u])
            bounds[a + t], alpha[a + t] = C[u], 0.0
        else:
            y[a], p[a] = target[u], -shake if machine.loss == C_CLASSIFIER else 0.0
    if machine.loss == NU_CLASSIFIER:
        total = 0.0
        for a in range(t):
            total += machine.nu * bounds[a]
        first, second = total / 2.0, total / 2.0
        for a in range(t):
            if y[a] > 0.0:
                alpha[a] = min(bounds[a], first)
                first -= alpha[a]
            else:
                alpha[a] = min(bounds[a], second)
                second -= alpha[a]
        return first <= 0.0 and second <= 0.0
    if machine.loss == NU_REGRESSOR:
        total = 0.0
        for a in range(t):
            total += bounds[a] * machine.nu
        total /= 2.0
        for a in range(t):
            alpha[a] = alpha[a + t] = min(total, bounds[a])
            total -= alpha[a]
    return True


@compiled
def train(
    machine: Machine,
    kernel: Kernel,
    gamma: float,
    doubt: Doubt,
    arguments: Arguments,
    target: FloatArray,
    C: FloatArray,
    units: IntArray,
    side: int,
    tremor: float,
    K: SingleArray,
    coef: FloatArray,
) -> tuple[int, float]:
    """Write the coefficients where libsvm stops; return how sure that is, and the threshold.

    The first is one of the constants above.
    """
    t, size = units.size, len(K)
    diagonal, y, p = np.empty(size), np.empty(size), np.empty(size)
    bounds, alpha = np.empty(size), np.empty(size)
    if not begin(machine, target, C, units, side * tremor, y, p, bounds, alpha):
        return UNFINISHED, 0.0
    count = 0
    if arguments.single.size:
        runs = runs_of(units)
        take(arguments.diagonal, units, runs, diagonal)
        for a in range(t):
            take(arguments.single[units[a]], units, runs, K[a])
    else:
        count = in_single(
            *(arguments.training, units, kernel, gamma, doubt, arguments.lengths),
            *(side, K, diagonal),
        )
    is_regressor = machine.loss >= C_REGRESSOR
    if is_regressor:
        K[:t, t:], K[t:, :t], K[t:, t:] = K[:t, :t], K[:t, :t], K[:t, :t]
        diagonal[t:] = diagonal[:t]
    signs = y.copy()
    is_nu = machine.loss == NU_CLASSIFIER or machine.loss == NU_REGRESSOR
    rho, scale, is_done, is_close = solve(
        *(K, diagonal, y, p, bounds, alpha),
        *(machine.tol, machine.shrinking, machine.max_iter, is_nu),
    )
    for a in range(t):
        coef[a] = alpha[a] - alpha[a + t] if is_regressor else alpha[a] * signs[a]
    if machine.loss == NU_CLASSIFIER:
        is_done &= scale != 0.0
        scale = scale if scale != 0.0 else 1.0
        for a in range(t):
            coef[a] = alpha[a] * (signs[a] / scale)
        rho /= scale
    if not is_done:
        return UNFINISHED, rho
    # With the same numbers, the solver rounds the same way.
    is_same = count == 0 and tremor == 0.0
    is_same &= doubt.blur == 0.0 or kernel.kind == GAUSSIAN  # of which the diagonal is 1
    if is_same:
        return SURE, rho
    return CLOSE if is_close else UNSURE, rho


@compiled
def respond(
    kernel: Kernel,
    gamma: float,
    doubt: Doubt,
    arguments: Arguments,
    units: IntArray,
    tests: IntArray,
    coef: FloatArray,
    rho: float,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of a model for some units, and how far rounding may have moved them."""
    is_gaussian, lengths = kernel.kind == GAUSSIAN, arguments.lengths
    for s in range(tests.size):
        i, total, parts, apart = tests[s], 0.0, 0.0, 0.0
        for a in range(units.size):
            if coef[a] == 0.0:
                continue
            j = units[a]
            if arguments.asked.size:
                argument = arguments.asked[i, j]
            else:
                argument = argument_of(arguments.rows, i, j, is_gaussian)
            value = value_of(kernel, gamma, argument)
            total += coef[a] * value
            parts += abs(coef[a] * value)
            apart += abs(coef[a]) * error_of(
                kernel, gamma, argument, value, doubt, lengths[i], lengths[j]
            )
        response[s] = total - rho
        error[s] = apart + 4.0 * EPSILON * (units.size * parts + (abs(rho) if parts > 0.0 else 0.0))


@compiled
def follow(
    machine: Machine,
    kernel: Kernel,
    gamma: float,
    doubt: Doubt,
    arguments: Arguments,
    target: FloatArray,
    C: FloatArray,
    units: IntArray,
    tests: IntArray,
    tremor: float,
    K: SingleArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of a model of some units for others, and how far they may be off.

    Where rounding may have changed what the solver is given, it is followed twice more, with that
    moved to either side: whatever hangs in the balance falls to different sides.
    """
    coef = np.empty(units.size)
    end, rho = train(machine, kernel, gamma, doubt, arguments, target, C, units, 0, tremor, K, coef)
    if end >= CLOSE:
        response[:], error[:] = 0.0, np.inf
        return
    respond(kernel, gamma, doubt, arguments, units, tests, coef, rho, response, error)
    if end == SURE:
        return
    other, ignored = np.empty(tests.size), np.empty(tests.size)
    apart, largest = 0.0, abs(rho)
    for side in (-1, 1):
        end, rho = train(
            machine, kernel, gamma, doubt, arguments, target, C, units, side, tremor, K, coef
        )
        if end >= CLOSE:
            error[:] = np.inf
            return
        respond(kernel, gamma, doubt, arguments, units, tests, coef, rho, other, ignored)
        for s in range(tests.size):
            apart = max(apart, abs(response[s] - other[s]))
            largest = max(largest, abs(response[s]))
    if apart <= FARTHEST * min(machine.tol, 1e-3) * largest:
        error += SAFETY * apart
    else:
        error[:] = np.inf


@compiled
def left(m: int, without: IntArray) -> IntArray:
    """Return all units but some."""
    is_in = np.ones(m, dtype=np.bool_)
    is_in[without] = False
    return np.flatnonzero(is_in)


@compiled
def follow_sets(
    machine: Machine,
    kernel: Kernel,
    gamma: FloatArray,
    doubt: Doubt,
    arguments: Arguments,
    target: FloatArray,
    weight: FloatArray,
    weights: FloatArray,
    tremor: float,
    sets: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of models without some sets for these sets, and how far they may be off.

    Parameters
    ----------
    machine, kernel, doubt, arguments, tremor
        The model, and what it is trained on.
    gamma : ndarray of shape (g,)
        The factor of the kernel's argument without each set.
    target : ndarray of shape (m,)
        Signs or numbers; units with sign 1 come first.
    weight : ndarray of shape (m,)
        Weights of the units.
    weights : ndarray of shape (g, 2)
        Bounds of units with sign -1 and 1 without each set; for numbers the same.
    sets : ndarray of shape (g, s)
        The sets.
    response, error : ndarray of shape (g, s)
        Where to write; an infinite error leaves the set to the estimator.
    """
    m = target.size
    size = (m - sets.shape[1]) * (2 if machine.loss >= C_REGRESSOR else 1)
    K, C = np.empty((size, size), dtype=np.float32), np.empty(m)
    for s in range(len(sets)):
        for k in range(m):
            C[k] = weight[k] * weights[s, 1 if target[k] > 0.0 else 0]
        units = left(m, sets[s])
        follow(
            *(machine, kernel, gamma[s], doubt, arguments, target, C, units, sets[s], tremor, K),
            *(response[s], error[s]),
        )


@compiled
def follow_prepared(
    machine: Machine,
    kernel: Kernel,
    gamma: FloatArray,
    values: FloatArray,
    missing: BoolArray,
    blur: FloatArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    weights: FloatArray,
    tremor: float,
    sets: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Do the same with columns that are filled and scaled without each set.

    Parameters
    ----------
    gamma : ndarray of shape (g,)
        NaN where it follows from the variance of the rows.
    values, missing : ndarray of shape (m, n)
        Columns, and marks of missing cells.
    blur : ndarray of shape (g,)
        How far rows may be off; infinite where they cannot be prepared. 0 if they are those of
        scikit-learn to the last digit; not for the Gaussian kernel.
    fill, shift, scale : ndarray of shape (g, n)
        By what missing cells are filled, columns shifted and divided.

    Other parameters are those of `follow_sets`.
    """
    m, n = values.shape
    size = (m - sets.shape[1]) * (2 if machine.loss >= C_REGRESSOR else 1)
    K, C = np.empty((size, size), dtype=np.float32), np.empty(m)
    Z, nothing, no_single = np.empty((m, n)), np.empty((0, 0)), np.empty((0, 0), dtype=np.float32)
    training, lengths = np.empty((m, m)), np.empty(m)
    root = np.sqrt(n)
    for s in range(len(sets)):
        if not blur[s] < np.inf:
            response[s], error[s] = 0.0, np.inf
            continue
        for k in range(m):
            C[k] = weight[k] * weights[s, 1 if target[k] > 0.0 else 0]
            for f in range(n):
                filled = values[k, f] + (fill[s, f] if missing[k, f] else 0.0)
                Z[k, f] = (filled - shift[s, f]) / scale[s, f]
        units = left(m, sets[s])
        own, factor = blur[s], gamma[s]
        if np.isnan(factor):
            factor, growth = gamma_of(Z, units)
            own *= growth
        if own > 0.0:
            products(Z, kernel.kind == GAUSSIAN, lengths, training)
            doubt = Doubt(own, 8.0 * EPSILON * root, root)
            arguments = Arguments(training, nothing, Z, lengths, no_single, lengths)
        else:
            exact_products(Z, training)
            lengths[:] = 0.0
            doubt = Doubt(0.0, 0.0, 0.0)
            arguments = Arguments(training, training, Z, lengths, no_single, lengths)
        follow(
            *(machine, kernel, factor, doubt, arguments, target, C, units, sets[s], tremor, K),
            *(response[s], error[s]),
        )


@compiled
def gamma_of(Z: FloatArray, units: IntArray) -> tuple[float, float]:
    """Return 1 / (n · variance) of all numbers of a training set, and by how much errors grow."""
    count, total = units.size * Z.shape[1], 0.0
    for k in units:
        for value in Z[k]:
            total += value
    mean, squares = total / count, 0.0
    for k in units:
        for value in Z[k]:
            squares += (value - mean) ** 2
    variance = squares / count
    if variance == 0.0:
        return 1.0, np.inf
    return 1.0 / (Z.shape[1] * variance), 3.0 + (abs(mean) + 1.0) / np.sqrt(variance)
