"""Ridge regressions of log times without some sets of units, and how far a refit may be from them.

An event at time t weighs 1/G(t), with G the Kaplan-Meier curve of censoring in the training set,
which events leave first where times tie. Units that were censored weigh nothing. With rows x and
log times z of the events, both times √weight and, if there is an intercept, less their weighted
means, the coefficients are

    β = (XᵀX + αI)⁻¹ Xᵀz  =  Xᵀ(XXᵀ + αI)⁻¹ z,

by columns or by events, whichever are fewer. All is computed anew for every set: one unit less
changes the weight of everybody who had the event later.

**Rounding.** Whoever solves by Cholesky's method has solved a system in which ``A = XᵀX + αI`` is
off by at most ``3γ c_f c_g`` off its diagonal and ``γ A_ff`` on it. γ is rounding times the number
of operations, and c are the lengths of the columns of X: a product of entries of the triangle is
at most that of two of them. Entries of X are off by a few digits of the numbers that a mean was
subtracted from, so that its columns are off by lengths s. With ``q = A⁻¹x`` a prediction ``xᵀβ`` is
then off by about

    Σ|q_f|(3γ c_f + s_f) (Σ c_g|β_g| + ‖z‖) + Σ|q_f| c_f Σ s_g|β_g| + γ Σ|q_f| A_ff |β_f|,

and the same holds by events. scikit-learn solves by columns unless there are more of these than
units, so with more columns than events, but not than units, both bounds are added. The difference
of two predictions is that of two rows: features that both units share, or that no event has, do
not blur it, and units that differ in nothing else tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.cholesky import LEAST_PIVOT, factorise, solve, solve_lower
from tlpo.compiled import compiled
from tlpo.engines.preparation.columns import Fitted

EPSILON = float(np.finfo(float).eps)
# Where rounding may change a solution by more than this share, its first order says nothing.
LARGEST_SHARE = 0.1
# Log times that may be off by more than this are left to refitting.
PRECISION = 1e-7
# Exponentials of larger numbers overflow; a refit says so.
LARGEST_LOG = 709.0


class Sample(NamedTuple):
    """All units, sorted by time, and what is minimised.

    Attributes
    ----------
    values, missing : ndarray of shape (m, n)
        Columns.
    has_gaps : bool
        Whether any cell is missing.
    edges : ndarray
        Where runs of equal times begin, and the number of units.
    event : ndarray of bool of shape (m,)
        Who had the event.
    log_time : ndarray of shape (m,)
        What is predicted.
    alpha : float
        The penalty of prepared columns.
    is_free : bool
        Whether there is an intercept.
    span, offset : ndarray of shape (n,)
        The largest number of each column, and by how much these were shifted, up to their signs.
    is_rotated : bool
        Whether columns are coordinates of the rows, not those that the estimator sees.
    n_given : int
        The number of the latter.
    spare : int
        How many of these it may not see in some training sets.
    """

    values: FloatArray
    missing: BoolArray
    has_gaps: bool
    edges: IntArray
    event: BoolArray
    log_time: FloatArray
    alpha: float
    is_free: bool
    span: FloatArray
    offset: FloatArray
    is_rotated: bool
    n_given: int
    spare: int


class Events(NamedTuple):
    """The events of one training set.

    Attributes
    ----------
    X : ndarray of shape (k, n)
        Prepared rows less the centre, times √weight.
    z : ndarray of shape (k,)
        Log times less their mean, times √weight.
    root, times : ndarray of shape (k,)
        √weight, and how often each is in the training set.
    centre : ndarray of shape (n,)
        What is subtracted from columns, before scaling.
    mean : float
        What was subtracted from log times.
    total : float
        The sum of the weights.
    size : ndarray of shape (n,)
        What rounding of prepared numbers is relative to.
    rounding : float
        Rounding of these, relative.
    blur : ndarray of shape (n,)
        Rounding of the columns of events, beyond a shift of all: 0 if all numbers are the same.
    blur_z : float
        Rounding of log times.
    gamma : float
        Rounding of sums and solutions, relative.
    by_columns : bool
        Whether the estimator may solve by columns.
    """

    X: FloatArray
    z: FloatArray
    root: FloatArray
    times: FloatArray
    centre: FloatArray
    mean: float
    total: float
    size: FloatArray
    rounding: float
    blur: FloatArray
    blur_z: float
    gamma: float
    by_columns: bool


@compiled
def weigh(edges: IntArray, event: BoolArray, count: FloatArray, weight: FloatArray) -> bool:
    """Write the weights of a training set in which units are counted so often.

    In the order of operations of scikit-survival, so that they are equal to the last bit.

    Returns
    -------
    bool
        Whether all are numbers: not if an event is at the very end of the curve of censoring.
    """
    at_risk, followed = 0.0, 1.0
    for u in range(count.size):
        at_risk += count[u]
    for g in range(edges.size - 1):
        events, censored = 0.0, 0.0
        for u in range(edges[g], edges[g + 1]):
            if event[u]:
                events += count[u]
            else:
                censored += count[u]
        if censored > 0.0:
            followed *= 1.0 - censored / (at_risk - events)
        if events > 0.0 and not followed > 0.0:
            return False
        at_risk -= events + censored
        for u in range(edges[g], edges[g + 1]):
            is_in = event[u] and count[u] > 0.0
            weight[u] = count[u] * (1.0 / followed) if is_in else 0.0
    return True


@compiled
def is_constant(sample: Sample, units: IntArray, f: int) -> bool:
    """Return whether some units have the same number in a column, or all none."""
    first = units[0]
    for u in units:
        if sample.values[u, f] != sample.values[first, f]:
            return False
        if sample.has_gaps and sample.missing[u, f] != sample.missing[first, f]:
            return False
    return True


@compiled
def events_of(
    sample: Sample,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    growth: float,
    count: FloatArray,
    weight: FloatArray,
) -> Events:
    """Return the events of a training set as the estimator sees them."""
    m, n = sample.values.shape
    units = np.empty(m, dtype=np.intp)
    k, left, total, mean, largest = 0, 0.0, 0.0, 0.0, 0.0
    for u in range(m):
        left += count[u]
        if weight[u] > 0.0:
            units[k] = u
            k += 1
            total += weight[u]
            mean += weight[u] * sample.log_time[u]
            largest = max(largest, abs(sample.log_time[u]))
    X, z, root, own = np.empty((k, n)), np.empty(k), np.empty(k), np.empty(k)
    centre, size, blur = np.zeros(n), np.empty(n), np.empty(n)
    rounding = EPSILON * (left + 16.0)
    has_means = sample.is_free and not sample.is_rotated
    mean = mean / total if sample.is_free else 0.0
    for e in range(k):
        u = units[e]
        root[e], own[e] = np.sqrt(weight[u]), count[u]
        z[e] = root[e] * (sample.log_time[u] - mean)
        for f in range(n):
            X[e, f] = sample.values[u, f]
            if sample.has_gaps and sample.missing[u, f]:
                X[e, f] = fill[f]
            centre[f] += weight[u] * X[e, f]
    for f in range(n):
        size[f] = growth * sample.span[f] + sample.offset[f]
        if sample.is_free:
            centre[f] /= total
        else:
            centre[f] = shift[f]
            size[f] += abs(shift[f])
        size[f] /= scale[f]
        blur[f] = rounding * size[f]
        is_negligible = total * blur[f] * blur[f] < EPSILON * sample.alpha
        if has_means and is_negligible and is_constant(sample, units[:k], f):
            # Numbers that were equal before a mean was subtracted are so after it, and what is left
            # of them is orthogonal to all that has been centred: its weight is rounding squared.
            blur[f] = 0.0
            centre[f] = X[0, f]
    for e in range(k):
        for f in range(n):
            X[e, f] = root[e] * ((X[e, f] - centre[f]) / scale[f])
    gamma = EPSILON * growth * (2.0 * left + 4.0 * sample.n_given + 16.0)
    by_columns = sample.n_given <= left + sample.spare
    off = rounding * largest
    return Events(
        X, z, root, own, centre, mean, total, size, rounding, blur, off, gamma, by_columns
    )


@compiled
def read_unit(
    sample: Sample, fill: FloatArray, scale: FloatArray, centre: FloatArray, u: int, x: FloatArray
) -> None:
    """Write the prepared row of a unit, less the centre."""
    for f in range(x.size):
        value = sample.values[u, f]
        if sample.has_gaps and sample.missing[u, f]:
            value = fill[f]
        x[f] = (value - centre[f]) / scale[f]


@compiled
def weighted_sum(values: FloatArray, weights: FloatArray) -> float:
    """Return ``Σ |v| w``."""
    total = 0.0
    for f in range(values.size):
        total += abs(values[f]) * weights[f]
    return total


@compiled
def is_first_order(gamma: float, squares: float, blurred: float) -> bool:
    """Return whether rounding changes a solution by a small share only.

    ``squares`` is ``Σ A_ff (A⁻¹)_ff`` and ``blurred`` is ``Σ s_f² (A⁻¹)_ff``.
    """
    share = gamma * squares + 2.0 * np.sqrt(squares * blurred) + blurred
    return bool(share < LARGEST_SHARE)


@compiled
def bound(
    q: FloatArray,
    beta: FloatArray,
    c: FloatArray,
    diagonal: FloatArray,
    s: FloatArray,
    length: float,
    length_blur: float,
    gamma: float,
) -> float:
    """Return how far rounding of a solution β may move ``xᵀβ``, where q = A⁻¹x.

    ``diagonal`` is that of A, ``length`` is ‖z‖, ``length_blur`` by how much z is off.
    """
    plain, blurred = weighted_sum(q, c), weighted_sum(q, s)
    fitted, off = weighted_sum(beta, c) + length, weighted_sum(beta, s) + length_blur
    own = 0.0
    for f in range(q.size):
        own += abs(q[f] * beta[f]) * diagonal[f]
    own = gamma * (3.0 * plain * fitted + own) + blurred * fitted + (plain + blurred) * off
    return float(own)


@compiled
def bound_product(sample: Sample, events: Events, beta: FloatArray, log: float) -> float:
    """Return the rounding of ``xᵀβ`` and the intercept that is left if all else is exact."""
    if sample.is_rotated:
        sizes = np.sqrt(np.dot(events.size, events.size) * np.dot(beta, beta))
    else:
        sizes = weighted_sum(beta, events.size)
    own = (sample.n_given + 4.0) * sizes + 4.0 * (abs(events.mean) + abs(log))
    return float(EPSILON * own)


@compiled
def bound_rows(
    sample: Sample, events: Events, beta: FloatArray, units: IntArray, as_pair: bool
) -> float:
    """Return how far rounding of a row may move ``xᵀβ``; of a pair, only where they differ."""
    if sample.is_rotated:
        sizes = np.sqrt(np.dot(events.size, events.size) * np.dot(beta, beta))
        return float(2.0 * events.rounding * sizes)
    total = 0.0
    for f in range(beta.size):
        if as_pair:
            i, j = units[0], units[1]
            if (
                sample.values[i, f] == sample.values[j, f]
                and sample.missing[i, f] == sample.missing[j, f]
            ):
                continue
        total += 2.0 * events.size[f] * abs(beta[f])
    return events.rounding * total


@compiled
def solve_by_columns(
    sample: Sample,
    events: Events,
    fill: FloatArray,
    scale: FloatArray,
    units: IntArray,
    logs: FloatArray,
    error: FloatArray,
) -> float:
    """Write log times of some units, and by how much they may be off, infinite if unknown.

    Returns
    -------
    float
        By how much the difference of the first two may be off.
    """
    n, alpha, gamma = scale.size, sample.alpha, events.gamma
    A = np.dot(events.X.T, events.X)
    c, diagonal, s, x = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    wide = np.sqrt(events.total)
    squares, blurred = 0.0, 0.0
    for f in range(n):
        c[f], s[f] = np.sqrt(A[f, f]), wide * events.blur[f]
        A[f, f] += alpha
        diagonal[f] = A[f, f]
        squares += A[f, f]
        blurred += s[f] * s[f]
    if not factorise(A, LEAST_PIVOT):
        return np.inf
    if not (alpha > 0.0 and is_first_order(gamma, squares / alpha, blurred / alpha)):
        squares, blurred = 0.0, 0.0
        for f in range(n):
            for g in range(n):
                x[g] = 0.0
            x[f] = 1.0
            inverse = solve_lower(A, x)
            squares += diagonal[f] * inverse
            blurred += s[f] * s[f] * inverse
        if not is_first_order(gamma, squares, blurred):
            return np.inf
    beta = np.dot(events.z, events.X)
    solve(A, beta)
    length, off = np.sqrt(np.dot(events.z, events.z)), wide * events.blur_z
    first = np.zeros(n)
    apart = np.inf
    for t in range(units.size):
        read_unit(sample, fill, scale, events.centre, units[t], x)
        logs[t] = events.mean + np.dot(x, beta)
        solve(A, x)
        product = bound_product(sample, events, beta, logs[t])
        own = bound(x, beta, c, diagonal, s, length, off, gamma) + product + events.blur_z
        error[t] = 2.0 * (own + bound_rows(sample, events, beta, units, False))
        if t == 0:
            first[:] = x
        elif t == 1:
            own = bound(first - x, beta, c, diagonal, s, length, off, gamma) + 2.0 * product
            apart = 2.0 * (own + bound_rows(sample, events, beta, units, True))
    return apart


@compiled
def solve_by_events(
    sample: Sample,
    events: Events,
    fill: FloatArray,
    scale: FloatArray,
    units: IntArray,
    logs: FloatArray,
    error: FloatArray,
) -> float:
    """Do the same by events; there must be a penalty."""
    n, k, alpha, gamma = scale.size, events.z.size, sample.alpha, events.gamma
    K = np.dot(events.X, events.X.T)
    C, diagonal, S, dual = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    blur = np.sqrt(np.dot(events.blur, events.blur))
    squares, blurred = 0.0, 0.0
    for e in range(k):
        # An event that is there c times is c rows of the estimator's own system.
        C[e], diagonal[e] = np.sqrt(K[e, e]), K[e, e] + events.times[e] * alpha
        S[e] = blur * events.root[e]
        squares += diagonal[e]
        blurred += S[e] * S[e]
        K[e, e] += alpha
        dual[e] = events.z[e]
    if not is_first_order(gamma, squares / alpha, blurred / alpha) or not factorise(K, LEAST_PIVOT):
        return np.inf
    solve(K, dual)
    beta = np.dot(dual, events.X)
    wide = np.sqrt(events.total)
    # Of the columns, and how far β may be off as a combination of rows.
    c, columns, s, share = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    squares, blurred, rows = 0.0, 0.0, weighted_sum(dual, events.root)
    for f in range(n):
        square, combined = 0.0, 0.0
        for e in range(k):
            square += events.X[e, f] * events.X[e, f]
            combined += abs(events.X[e, f] * dual[e])
        c[f], columns[f] = np.sqrt(square), square + alpha
        s[f] = wide * events.blur[f]
        share[f] = gamma * combined + rows * events.blur[f]
        squares += columns[f]
        blurred += s[f] * s[f]
    if events.by_columns and not is_first_order(gamma, squares / alpha, blurred / alpha):
        return np.inf
    combined = gamma * weighted_sum(dual, C) + weighted_sum(dual, S)
    length, off = np.sqrt(np.dot(events.z, events.z)), wide * events.blur_z
    x, first_x, first_p = np.empty(n), np.zeros(n), np.zeros(k)
    apart = np.inf
    for t in range(units.size):
        read_unit(sample, fill, scale, events.centre, units[t], x)
        logs[t] = events.mean + np.dot(x, beta)
        p = np.dot(events.X, x)
        solve(K, p)
        product = bound_product(sample, events, beta, logs[t])
        for as_pair in range(2):
            if as_pair:
                if t == 0:
                    first_x[:], first_p[:] = x, p
                if t != 1:
                    break
                x, p = first_x - x, first_p - p
            own = bound(p, dual, C, diagonal, S, 0.0, 0.0, gamma)
            for e in range(k):
                own += abs(p[e]) * (gamma * abs(events.z[e]) + events.root[e] * events.blur_z)
            if sample.is_rotated:
                own += combined * np.sqrt(np.dot(x, x))
            else:
                own += weighted_sum(x, share)
            if events.by_columns:
                q = (x - np.dot(p, events.X)) / alpha
                own += bound(q, beta, c, columns, s, length, off, gamma)
            own += bound_rows(sample, events, beta, units, bool(as_pair))
            if as_pair:
                apart = 2.0 * (own + 2.0 * product)
            else:
                error[t] = 2.0 * (own + product + events.blur_z)
    return apart


@compiled
def solve_one(
    sample: Sample,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    growth: float,
    count: FloatArray,
    units: IntArray,
    pooled: bool,
    weight: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve one training set, and write the risks of some units: their times, less than 0.

    Parameters
    ----------
    sample : Sample
        All units.
    fill, shift, scale, growth
        How columns are prepared.
    count : ndarray of shape (m,)
        How often every unit is in the training set.
    units : ndarray of shape (s,)
        Places of the units to answer for.
    pooled : bool
        Whether they are compared with those that other models answer for. Otherwise errors of two
        units are those of their difference, to which they sum.
    weight : ndarray of shape (m,)
        Overwritten.
    response, error : ndarray of shape (s,)
        Risks, and by how much they may be off; infinite where a refit must tell.
    """
    for t in range(units.size):
        response[t], error[t] = np.nan, np.inf
    if not growth < np.inf or not weigh(sample.edges, sample.event, count, weight):
        return
    events = events_of(sample, fill, shift, scale, growth, count, weight)
    apart = np.inf
    if events.z.size >= scale.size and not sample.is_rotated:
        apart = solve_by_columns(sample, events, fill, scale, units, response, error)
    elif sample.alpha > 0.0:
        apart = solve_by_events(sample, events, fill, scale, units, response, error)
    off = 0.0
    for t in range(units.size):
        off = max(off, error[t])
        if error[t] <= PRECISION and response[t] < LARGEST_LOG:
            time = np.exp(response[t])
            response[t] = -time
            error[t] = time * (np.expm1(error[t]) + 4.0 * EPSILON)
        else:
            error[t] = np.inf
    if units.size == 2 and not pooled and error[0] + error[1] < np.inf:
        gap, largest = abs(response[0] - response[1]), -min(response[0], response[1])
        total = gap * np.expm1(off) + largest * (np.exp(off) * np.expm1(apart) + 8.0 * EPSILON)
        error[0] = error[1] = 0.5 * total


@compiled
def solve_sets(
    sample: Sample,
    fitted: Fitted,
    sets: IntArray,
    pooled: bool,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Solve training sets without some sets.

    Parameters
    ----------
    sample : Sample
        All units.
    fitted : Fitted
        How columns are prepared without each set, or without any.
    sets : ndarray of shape (g, s)
        Places of the units left out.
    pooled : bool
        As in `solve_one`.
    response, error : ndarray of shape (g, s)
        As in `solve_one`.
    """
    m = sample.event.size
    varies = fitted.scale.shape[0] > 1
    count, weight = np.ones(m), np.empty(m)
    for s in range(len(sets)):
        own = s if varies else 0
        for t in range(sets.shape[1]):
            count[sets[s, t]] = 0.0
        solve_one(
            sample,
            fitted.fill[own],
            fitted.shift[own],
            fitted.scale[own],
            fitted.growth[s],
            count,
            sets[s],
            pooled,
            weight,
            response[s],
            error[s],
        )
        for t in range(sets.shape[1]):
            count[sets[s, t]] = 1.0
