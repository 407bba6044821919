"""Sequential minimal optimisation as libsvm does it: compiled loops.

The dual of a support vector machine is

    min ½ αᵀQα + pᵀα    with  yᵀα = constant,  0 ≤ α ≤ C,  Q_ij = y_i y_j K_ij,  y = ±1

libsvm takes the variable that violates optimality most and, by second-order information, a partner
for it, and moves both, until no violation exceeds ``tol`` (Fan, Chen and Lin 2005). Variables at
their bounds that seem to stay there are set aside now and then, and looked at again at the end.
For ν machines ``eᵀα`` is constant as well, so that partners have the same sign.

Where it stops depends on every step, so the loops here take the same steps, with the same rounding:
K in single precision, all else in double. Everything is written in terms of ``v = y ∇``, the
gradient times the sign, which saves the signs of Q: a step only changes them exactly.

A variable is in the *upper set* if y α can grow, in the *lower set* if it can fall. ``up`` and
``low`` are 0 in these sets, −∞ outside.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray, SingleArray
from tlpo.compiled import compiled

# libsvm takes this for a curvature that is not positive.
LEAST_CURVATURE = 1e-12
# Next to a bound, relative to it.
CLOSE = 1e-9
# Steps after which variables may be set aside.
PERIOD = 1000


@compiled
def solve(
    K: SingleArray,
    diagonal: FloatArray,
    y: FloatArray,
    p: FloatArray,
    C: FloatArray,
    alpha: FloatArray,
    tol: float,
    shrinking: bool,
    max_iter: int,
    is_nu: bool,
) -> tuple[float, float, bool, bool]:
    """Move ``alpha`` from a feasible point to where libsvm stops.

    Parameters
    ----------
    K : ndarray of float32, of shape (l, l)
        Kernel of the variables; rows and columns are reordered.
    diagonal : ndarray of shape (l,)
        Its diagonal, in double precision.
    y, p, C, alpha : ndarray of shape (l,)
        Signs, linear term, upper bounds and variables; all but ``alpha`` are reordered.
    tol, shrinking, max_iter
        When to stop, whether to set variables aside, and the most steps; -1 for any number.
    is_nu : bool
        Whether partners have the same sign.

    Returns
    -------
    float, float
        The threshold ρ and, for ν machines, by what the solution is divided.
    bool, bool
        Whether it stopped before ``max_iter``, and whether rounding may have decided if a variable
        came to its bound.
    """
    size, is_close = y.size, False
    own, place = alpha.copy(), np.arange(size)
    v, bound, room = y * p, np.zeros(size), np.empty(size)
    up, low, is_upper = np.empty(size), np.empty(size), np.empty(size, dtype=np.bool_)
    for k in range(size):
        note_bounds(k, own, C, y, up, low, is_upper)
    for k in range(size):
        if own[k] > 0.0 or is_upper[k]:
            add(v, K[k], y[k] * own[k], size)
            if is_upper[k]:
                add(bound, K[k], y[k] * C[k], size)
    period = min(size, PERIOD)
    active, steps, until, was_near, is_done = size, 0, period + 1, False, False
    while max_iter == -1 or steps < max_iter:
        until -= 1
        if until == 0:
            until = period
            if shrinking:
                most_up, most_low = violations(v, up, low, y, active, is_nu)
                worst = max(most_up[0] + most_low[0], most_up[1] + most_low[1])
                if not was_near and worst <= 10.0 * tol:
                    was_near = True
                    complete(K, y, p, own, up, low, bound, active, v)
                    active = size
                k = 0
                while k < active:
                    if stays(k, v, up, low, y, most_up, most_low, is_nu):
                        active -= 1
                        while active > k:
                            if not stays(active, v, up, low, y, most_up, most_low, is_nu):
                                swap_variables(k, active, y, p, C, own, v, bound, up, low, diagonal)
                                swap_rest(k, active, K, is_upper, place)
                                break
                            active -= 1
                    k += 1
        i, j, curvature = choose(K, diagonal, y, v, up, low, active, tol, is_nu, room)
        if j < 0:
            complete(K, y, p, own, up, low, bound, active, v)
            active = size
            i, j, curvature = choose(K, diagonal, y, v, up, low, active, tol, is_nu, room)
            if j < 0:
                is_done = True
                break
            until = 1
        steps += 1
        was_i, was_j = own[i], own[j]
        own[i], own[j] = moved(y[i], y[j], v[i], v[j], curvature, C[i], C[j], was_i, was_j)
        is_close |= is_near_both(was_i, was_j, own[i], own[j], C[i], C[j])
        step_i, step_j = y[i] * (own[i] - was_i), y[j] * (own[j] - was_j)
        Ki, Kj = K[i], K[j]
        for k in range(active):
            v[k] += Ki[k] * step_i + Kj[k] * step_j
        for t in (i, j):
            before = is_upper[t]
            note_bounds(t, own, C, y, up, low, is_upper)
            if before != is_upper[t]:
                add(bound, K[t], -y[t] * C[t] if before else y[t] * C[t], size)
    for k in range(size):
        alpha[place[k]] = own[k]
    if is_nu:
        first = threshold(v, up, low, y, 1.0, active)
        second = -threshold(v, up, low, y, -1.0, active)
        return 0.5 * (first - second), 0.5 * (first + second), is_done, is_close
    return threshold(v, up, low, y, 0.0, active), 1.0, is_done, is_close


@compiled
def add(total: FloatArray, row: SingleArray, factor: float, count: int) -> None:
    """Add a multiple of the first numbers of a row."""
    for k in range(count):
        total[k] += factor * row[k]


@compiled
def note_bounds(
    k: int,
    alpha: FloatArray,
    C: FloatArray,
    y: FloatArray,
    up: FloatArray,
    low: FloatArray,
    is_upper: BoolArray,
) -> None:
    """Write in which sets a variable is."""
    is_upper[k] = alpha[k] >= C[k]
    is_lower = not is_upper[k] and alpha[k] <= 0.0
    can_grow, can_fall = not is_upper[k], not is_lower
    if y[k] < 0.0:
        can_grow, can_fall = can_fall, can_grow
    up[k] = 0.0 if can_grow else -np.inf
    low[k] = 0.0 if can_fall else -np.inf


@compiled
def choose(
    K: SingleArray,
    diagonal: FloatArray,
    y: FloatArray,
    v: FloatArray,
    up: FloatArray,
    low: FloatArray,
    active: int,
    tol: float,
    is_nu: bool,
    room: FloatArray,
) -> tuple[int, int, float]:
    """Return which two variables move and their curvature; the second is -1 if none need to."""
    if not is_nu:
        for k in range(active):
            room[k] = up[k] - v[k]
        i = last_largest(room, active)
        most, own, row = up[i] - v[i], diagonal[i], K[i]
        n_open = 0
        for k in range(active):
            gap = most + (low[k] + v[k])
            n_open += gap >= tol
            curvature = own + diagonal[k] - 2.0 * row[k]
            curvature = curvature if curvature > 0.0 else LEAST_CURVATURE
            gain = gap * gap / curvature
            room[k] = gain if gap > 0.0 else -1.0
        j = last_largest(room, active)
        if n_open == 0 or room[j] < 0.0:
            return i, -1, 1.0
        curvature = own + diagonal[j] - 2.0 * row[j]
        return i, j, curvature if curvature > 0.0 else LEAST_CURVATURE
    first, most_first = most_violating_of(v, up, y, 1.0, active)
    second, most_second = most_violating_of(v, up, y, -1.0, active)
    return choose_of_sign(
        K, diagonal, y, v, low, active, tol, first, most_first, second, most_second
    )


@compiled
def last_largest(values: FloatArray, count: int) -> int:
    """Return where the largest number is, the last of equals.

    Four searches side by side take half the time of one.
    """
    i0 = i1 = i2 = i3 = 0
    a0 = a1 = a2 = a3 = -np.inf
    whole = count - count % 4
    for k in range(0, whole, 4):
        i0 = k if values[k] >= a0 else i0
        a0 = values[k] if values[k] >= a0 else a0
        i1 = k + 1 if values[k + 1] >= a1 else i1
        a1 = values[k + 1] if values[k + 1] >= a1 else a1
        i2 = k + 2 if values[k + 2] >= a2 else i2
        a2 = values[k + 2] if values[k + 2] >= a2 else a2
        i3 = k + 3 if values[k + 3] >= a3 else i3
        a3 = values[k + 3] if values[k + 3] >= a3 else a3
    found, most = i0, a0
    for i, a in ((i1, a1), (i2, a2), (i3, a3)):
        if a > most or (a == most and i > found):
            found, most = i, a
    for k in range(whole, count):
        if values[k] >= most:
            found, most = k, values[k]
    return found


@compiled
def most_violating_of(
    v: FloatArray, up: FloatArray, y: FloatArray, sign: float, active: int
) -> tuple[int, float]:
    """Do the same among variables of one sign."""
    found, most = 0, -np.inf
    for k in range(active):
        if y[k] == sign and up[k] - v[k] >= most:
            found, most = k, up[k] - v[k]
    return found, most


@compiled
def choose_of_sign(
    K: SingleArray,
    diagonal: FloatArray,
    y: FloatArray,
    v: FloatArray,
    low: FloatArray,
    active: int,
    tol: float,
    first: int,
    most_first: float,
    second: int,
    most_second: float,
) -> tuple[int, int, float]:
    """Return the partner of the same sign with which the objective falls most, and whose it is."""
    found, gain, curvature = -1, -1.0, 1.0
    other_first, other_second = -np.inf, -np.inf
    for k in range(active):
        value = low[k] + v[k]
        if y[k] > 0.0:
            i, gap, other_first = first, most_first + value, max(other_first, value)
        else:
            i, gap, other_second = second, most_second + value, max(other_second, value)
        if gap > 0.0:
            curved = diagonal[i] + diagonal[k] - 2.0 * K[i, k]
            if not curved > 0.0:
                curved = LEAST_CURVATURE
            quotient = gap * gap / curved
            if quotient >= gain:
                found, gain, curvature = k, quotient, curved
    if max(most_first + other_first, most_second + other_second) < tol or found < 0:
        return first, -1, curvature
    return first if y[found] > 0.0 else second, found, curvature


@compiled
def moved(
    yi: float,
    yj: float,
    vi: float,
    vj: float,
    curvature: float,
    Ci: float,
    Cj: float,
    ai: float,
    aj: float,
) -> tuple[float, float]:
    """Return two variables after their step, inside their bounds."""
    if yi != yj:
        step = yi * (vj - vi) / curvature
        gap = ai - aj
        ai, aj = ai + step, aj + step
        if gap > 0.0:
            if aj < 0.0:
                ai, aj = gap, 0.0
        elif ai < 0.0:
            ai, aj = 0.0, -gap
        if gap > Ci - Cj:
            if ai > Ci:
                ai, aj = Ci, Ci - gap
        elif aj > Cj:
            ai, aj = Cj + gap, Cj
        return ai, aj
    step = yi * (vi - vj) / curvature
    total = ai + aj
    ai, aj = ai - step, aj + step
    if total > Ci:
        if ai > Ci:
            ai, aj = Ci, total - Ci
    elif aj < 0.0:
        ai, aj = total, 0.0
    if total > Cj:
        if aj > Cj:
            ai, aj = total - Cj, Cj
    elif ai < 0.0:
        ai, aj = 0.0, total
    return ai, aj


@compiled
def is_near_both(was_i: float, was_j: float, ai: float, aj: float, Ci: float, Cj: float) -> bool:
    """Return whether a variable is at or next to a bound by rounding, after a step of two.

    Variables between their bounds may add up to a bound, because all add up to a constant. From
    bounds to bounds, and for the variable that a bound has stopped, there is no rounding.
    """
    near_i = min(ai, Ci - ai) <= CLOSE * Ci
    near_j = min(aj, Cj - aj) <= CLOSE * Cj
    if not (near_i or near_j):
        return False
    if (near_i and 0.0 < ai < Ci) or (near_j and 0.0 < aj < Cj):
        return True
    was_inside = 0.0 < was_i < Ci or 0.0 < was_j < Cj
    return near_i and near_j and was_inside


@compiled
def violations(
    v: FloatArray, up: FloatArray, low: FloatArray, y: FloatArray, active: int, is_nu: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the largest −v of the upper set and v of the lower set, by sign for ν machines."""
    up_first, up_second, low_first, low_second = -np.inf, -np.inf, -np.inf, -np.inf
    for k in range(active):
        if is_nu and y[k] < 0.0:
            up_second = max(up_second, up[k] - v[k])
            low_second = max(low_second, low[k] + v[k])
        else:
            up_first = max(up_first, up[k] - v[k])
            low_first = max(low_first, low[k] + v[k])
    return (up_first, up_second), (low_first, low_second)


@compiled
def stays(
    k: int,
    v: FloatArray,
    up: FloatArray,
    low: FloatArray,
    y: FloatArray,
    most_up: tuple[float, float],
    most_low: tuple[float, float],
    is_nu: bool,
) -> bool:
    """Return whether a variable seems to stay at its bound."""
    side = 1 if is_nu and y[k] < 0.0 else 0
    if up[k] < 0.0:
        return bool(-v[k] > most_up[side])
    if low[k] < 0.0:
        return bool(v[k] > most_low[side])
    return False


@compiled
def complete(
    K: SingleArray,
    y: FloatArray,
    p: FloatArray,
    alpha: FloatArray,
    up: FloatArray,
    low: FloatArray,
    bound: FloatArray,
    active: int,
    v: FloatArray,
) -> None:
    """Write v of the variables that were set aside; ``bound`` is what those at C add to it."""
    size = y.size
    if active == size:
        return
    for k in range(active, size):
        v[k] = bound[k] + y[k] * p[k]
    n_free = 0
    for k in range(active):
        n_free += up[k] == 0.0 and low[k] == 0.0
    if n_free * size > 2 * active * (size - active):
        for i in range(active, size):
            for k in range(active):
                if up[k] == 0.0 and low[k] == 0.0:
                    v[i] += y[k] * alpha[k] * K[i, k]
    else:
        for i in range(active):
            if up[i] == 0.0 and low[i] == 0.0:
                for k in range(active, size):
                    v[k] += y[i] * alpha[i] * K[i, k]


@compiled
def swap_variables(
    a: int,
    b: int,
    y: FloatArray,
    p: FloatArray,
    C: FloatArray,
    alpha: FloatArray,
    v: FloatArray,
    bound: FloatArray,
    up: FloatArray,
    low: FloatArray,
    diagonal: FloatArray,
) -> None:
    """Exchange two variables."""
    for values in (y, p, C, alpha, v, bound, up, low, diagonal):
        values[a], values[b] = values[b], values[a]


@compiled
def swap_rest(a: int, b: int, K: SingleArray, is_upper: BoolArray, place: IntArray) -> None:
    """Exchange their rows and columns, and what is known of them."""
    is_upper[a], is_upper[b] = is_upper[b], is_upper[a]
    place[a], place[b] = place[b], place[a]
    size = place.size
    for k in range(size):
        K[a, k], K[b, k] = K[b, k], K[a, k]
    for k in range(size):
        K[k, a], K[k, b] = K[k, b], K[k, a]


@compiled
def threshold(
    v: FloatArray, up: FloatArray, low: FloatArray, y: FloatArray, sign: float, active: int
) -> float:
    """Return the mean v of variables between their bounds, of one sign or (0) of any.

    If there are none, the middle between the bounds that the others set.
    """
    n_free, total, least, most = 0, 0.0, np.inf, -np.inf
    for k in range(active):
        if sign != 0.0 and y[k] != sign:
            continue
        if up[k] < 0.0:
            most = max(most, v[k])
        elif low[k] < 0.0:
            least = min(least, v[k])
        else:
            n_free += 1
            total += v[k]
    return total / n_free if n_free else 0.5 * (least + most)
