"""The path of liblinear's L1-penalised logistic regression: compiled loops.

liblinear minimises ``‖w‖₁ + Σ C_k log(1 + exp(−y_k x_kᵀw))`` by the Newton method of Yuan, Ho and
Lin (2012); the intercept is the coefficient of a constant feature, and penalised as well. Every
quadratic approximation is minimised by coordinate descent in random order, features that seem to
stay at zero are set aside, and a line search decides how far to go. It stops where the violations
of optimality add up to ``tol`` of what they were at zero, which leaves log odds off by 1e-2 and
more with many features. The loops here take the same steps, except for rounding, with the same
random numbers: games are decided where liblinear stops.

They are cheaper because most features need no sums over units. With τ the gradients of the units'
losses and D their curvatures, slopes of a feature move by at most ``‖x_j‖ ‖Δτ‖`` from one Newton
step to another, and by ``√(x_jᵀDx_j · dᵀXᵀDXd)`` inside one, d being the step so far. Where that
shows that a feature stays at zero, and is set aside or not, it is not looked at.

Decisions that rounding could change are reported, and such a game is left to the estimator.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled

# How a path ends.
FOLLOWED = 0
STAYED_AT_ZERO = 1
DOUBTFUL = 2
UNFINISHED = 3
# Newton steps that are followed.
STEPS = 200
# How far responses of one path may be off by rounding, relative to their parts.
REACH = 1e-9
# Decisions closer than this may be those of rounding.
BLUR = 1e-11
# Rows of a second path are off by this; its end may be off by so many times that, and is then
# taken for so large an error.
TREMOR = 1e-12
GROWTH = 1e5
SAFETY = 100.0
# liblinear's constants.
RIDGE = 1e-12
SMALLEST_STEP = 1e-12
LONGEST_STEP = 10.0
CYCLES = 1000
SEARCHES = 20
DECREASE = 0.01
# Bounds on slopes leave this much room for rounding.
ROOM = 1e-6
# Rounding of sums, relative to their parts; those of a slope have the length of its feature times
# that of the units' gradients.
NOISE = 1e-13
# Violations at zero that add up to less may be rounding.
LEAST_TOTAL = 1e-6


@compiled
def draw(below: int, raw: IntArray, at: IntArray) -> int:
    """Return a random number below a bound; -1 if there are no more.

    ``raw`` are 32 random bits each, and ``at[0]`` says which is next. The rule is Lemire's.
    """
    while at[0] < raw.size:
        product = raw[at[0]] * below
        at[0] += 1
        low = product & 0xFFFFFFFF
        if low >= below or low >= (0x100000000 - below) % below:
            return int(product >> 32)
    return -1


@compiled
def squares(x: FloatArray, D: FloatArray) -> float:
    """Return ``Σ x² D``; four partial sums take less time than one."""
    a0 = a1 = a2 = a3 = 0.0
    whole = x.size - x.size % 4
    for k in range(0, whole, 4):
        a0 += x[k] * x[k] * D[k]
        a1 += x[k + 1] * x[k + 1] * D[k + 1]
        a2 += x[k + 2] * x[k + 2] * D[k + 2]
        a3 += x[k + 3] * x[k + 3] * D[k + 3]
    for k in range(whole, x.size):
        a0 += x[k] * x[k] * D[k]
    return (a0 + a1) + (a2 + a3)


@compiled
def distance(one: FloatArray, other: FloatArray, C: FloatArray) -> float:
    """Return the distance of two vectors over the units of the training set."""
    total = 0.0
    for k in range(C.size):
        if C[k] > 0.0:
            total += (one[k] - other[k]) ** 2
    return float(np.sqrt(total))


@compiled
def follow(
    Xt: FloatArray,
    y: FloatArray,
    C: FloatArray,
    norms: FloatArray,
    tol: float,
    max_iter: int,
    raw: IntArray,
    blur: float,
    history: FloatArray,
    w: FloatArray,
) -> int:
    """Write the coefficients where liblinear stops; return how its path ends.

    Parameters
    ----------
    Xt : ndarray of shape (p, m)
        Features of all units, a constant one among them for an intercept.
    y, C : ndarray of shape (m,)
        Labels ±1, and weights; those of left-out units are 0.
    norms : ndarray of shape (p,)
        Bounds on the lengths of the features.
    tol, max_iter
        When to stop.
    raw : ndarray of int
        Random numbers.
    blur : float
        Decisions that are closer than this are doubtful.
    history : ndarray of shape (q, m)
        Room for the gradients of the units' losses at up to q Newton steps.
    w : ndarray of shape (p,)
        Where to write.
    """
    p, m = Xt.shape
    n, n_positive = 0, 0
    for k in range(m):
        if C[k] > 0.0:
            n += 1
            n_positive += y[k] > 0.0
    eps = tol * max(min(n_positive, n - n_positive), 1) / n
    at = np.zeros(1, dtype=np.int64)
    index = np.arange(p)
    w[:] = 0.0
    aim, slopes, curved, roots = np.zeros(p), np.empty(p), np.empty(p), np.empty(p)
    seen, seen_at = np.empty(p), np.full(p, -1)
    odds, new_odds, negative = np.ones(m), np.empty(m), np.zeros(m)
    tau, D, move, v = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    most, apart = len(history), np.empty(len(history))
    is_known = np.empty(p, dtype=np.bool_)
    for k in range(m):
        tau[k], D[k] = 0.5 * C[k], 0.25 * C[k]
        if y[k] < 0.0:
            negative[k] = C[k]
    length, at_zero, worst_before, inner, n_looked = 0.0, 0.0, np.inf, 1.0, p
    for step in range(min(max_iter, most)):
        largest = 0.0
        for k in range(m):
            history[step, k] = tau[k] - negative[k]
            largest = max(largest, D[k])
        for t in range(step):
            apart[t] = distance(history[step], history[t], C)
        # Looking at many features one by one takes longer than a product with all of them.
        takes_all = n_looked > p // 4
        if takes_all:
            np.dot(Xt, history[step], slopes)
            slopes *= -1.0
            seen[:], seen_at[:] = slopes, step
        n_looked = 0
        is_known[:] = False
        steepest = np.sqrt(largest)
        noise, lost = NOISE * np.sqrt(np.dot(history[step], history[step])), 0.0
        worst, total, highest, n_active, s = 0.0, 0.0, 0.0, p, 0
        edge = 1.0 - worst_before / n
        near = blur * (2.0 - edge) if worst_before < np.inf else 0.0
        while s < n_active:
            j = index[s]
            if not takes_all:
                size = np.inf
                if w[j] == 0.0:
                    size = abs(seen[j]) + norms[j] * apart[seen_at[j]]
                if size < edge - ROOM:
                    n_active -= 1
                    index[s], index[n_active] = index[n_active], index[s]
                    continue
                n_looked += 1
                slopes[j] = -np.dot(Xt[j], history[step])
                seen[j], seen_at[j] = slopes[j], step
            violation = 0.0
            if w[j] == 0.0:
                size = abs(slopes[j])
                if not abs(size - edge) > near + noise * norms[j]:
                    return DOUBTFUL
                highest = max(highest, size + noise * norms[j])
                if size > 1.0:
                    violation = size - 1.0
                elif size < edge:
                    n_looked += takes_all and size > 0.7 * edge
                    n_active -= 1
                    index[s], index[n_active] = index[n_active], index[s]
                    continue
            else:
                violation = abs(slopes[j] + (1.0 if w[j] > 0.0 else -1.0))
            roots[j] = norms[j] * steepest  # a bound, until the curvature is asked for
            worst = max(worst, violation)
            total += violation
            lost += noise * norms[j]
            n_looked += takes_all
            s += 1
        if step == 0:
            at_zero = total
            if total < LEAST_TOTAL:
                return STAYED_AT_ZERO if highest < 1.0 - blur else DOUBTFUL
        if not abs(total - eps * at_zero) > blur * at_zero + lost:
            return DOUBTFUL
        if total <= eps * at_zero:
            return FOLLOWED
        # The quadratic approximation.
        n_inner, worst_inside, is_still = n_active, np.inf, True
        reach, n_cycles = 0.0, 0
        move[:] = 0.0
        v[:] = 0.0
        while n_cycles < CYCLES:
            worst_now, total_now, n_moved = 0.0, 0.0, 0
            for s in range(n_inner):
                other = draw(n_inner - s, raw, at)
                if other < 0:
                    return UNFINISHED
                other += s
                index[s], index[other] = index[other], index[s]
            edge = 1.0 - worst_inside / n
            near = blur * (2.0 - edge) if worst_inside < np.inf else 0.0
            s = 0
            while s < n_inner:
                j = index[s]
                if aim[j] == 0.0:
                    size = abs(slopes[j]) + roots[j] * reach
                    if size < edge - ROOM:
                        n_inner -= 1
                        index[s], index[n_inner] = index[n_inner], index[s]
                        continue
                    if worst_inside == np.inf and size < 1.0 - ROOM:
                        s += 1
                        continue
                x = Xt[j]
                if not is_known[j]:
                    curved[j] = squares(x, D) + RIDGE
                    roots[j], is_known[j] = np.sqrt(curved[j]), True
                H = curved[j]
                along = float(np.dot(x, v))
                G = slopes[j] + (aim[j] - w[j]) * RIDGE + along
                violation = 0.0
                if aim[j] == 0.0:
                    most_lost = (noise + NOISE * steepest * reach) * norms[j]
                    if not abs(abs(G) - edge) > near + most_lost:
                        return DOUBTFUL
                    if abs(G) > 1.0:
                        violation = abs(G) - 1.0
                    elif abs(G) < edge:
                        n_inner -= 1
                        index[s], index[n_inner] = index[n_inner], index[s]
                        continue
                else:
                    violation = abs(G + (1.0 if aim[j] > 0.0 else -1.0))
                s += 1
                if H * aim[j] > G + 1.0:
                    z = -(G + 1.0) / H
                elif H * aim[j] < G - 1.0:
                    z = -(G - 1.0) / H
                else:
                    z = -aim[j]
                if abs(z) < SMALLEST_STEP:
                    continue
                z = min(max(z, -LONGEST_STEP), LONGEST_STEP)
                is_still = False
                worst_now = max(worst_now, violation)
                total_now += violation
                n_moved += 1
                aim[j] += z
                for k in range(m):
                    move[k] += x[k] * z
                    v[k] = D[k] * move[k]
                square = reach * reach + z * (2.0 * along + z * (H - RIDGE))
                reach = np.sqrt(max(square, 0.0) * (1.0 + 1e-9))
            n_cycles += 1
            # A single feature that moves has the very violation that it had at zero.
            is_equal = n_moved == 1 and total_now == inner * at_zero
            if not (is_equal or abs(total_now - inner * at_zero) > blur * at_zero + lost):
                return DOUBTFUL
            if total_now <= inner * at_zero:
                if n_inner == n_active:
                    break
                n_inner, worst_inside = n_active, np.inf
                continue
            worst_inside = worst_now
        if is_still:
            return DOUBTFUL
        # How far to go.
        slope, new_length, tilt = 0.0, 0.0, 0.0
        for j in range(p):
            if aim[j] != w[j]:
                slope += slopes[j] * (aim[j] - w[j])
            new_length += abs(aim[j])
        slope += new_length - length
        for k in range(m):
            tilt += negative[k] * move[k]
        is_found = False
        for _ in range(SEARCHES):
            change = new_length - length + tilt - DECREASE * slope
            size = abs(new_length - length) + abs(tilt)
            for k in range(m):
                if C[k] > 0.0:
                    factor = np.exp(move[k])
                    new_odds[k] = odds[k] * factor
                    part = C[k] * np.log((1.0 + new_odds[k]) / (factor + new_odds[k]))
                    change += part
                    size += abs(part)
            if not abs(change) > NOISE * size:
                return DOUBTFUL
            if change <= 0.0:
                is_found = True
                break
            new_length = 0.0
            for j in range(p):
                if aim[j] != w[j]:
                    aim[j] = 0.5 * (w[j] + aim[j])
                new_length += abs(aim[j])
            slope *= 0.5
            tilt *= 0.5
            for k in range(m):
                move[k] *= 0.5
        if not is_found:
            return DOUBTFUL
        length = new_length
        w[:] = aim
        for k in range(m):
            if C[k] > 0.0:
                odds[k] = new_odds[k]
                share = 1.0 / (1.0 + odds[k])
                tau[k] = C[k] * share
                D[k] = C[k] * odds[k] * share * share
        if n_cycles == 1:
            inner *= 0.25
        worst_before = worst
    return UNFINISHED


@compiled
def follow_sets(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    bias: float,
    y: FloatArray,
    weights: FloatArray,
    tol: float,
    max_iter: int,
    raw: IntArray,
    first: IntArray,
    growth: FloatArray,
    twice: bool,
    sets: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of liblinear's models without some sets, and how far they may be off.

    Parameters
    ----------
    values, missing : ndarray of shape (n, m)
        Columns as rows, and marks of missing cells.
    fill, shift, scale : ndarray of shape (g, n) or (1, n)
        By what missing cells are filled, columns shifted and divided, without each set.
    bias : float
        The constant feature; 0 if there is none.
    y : ndarray of shape (m,)
        Labels ±1.
    weights : ndarray of shape (g, 2)
        Weights of negatives and positives without each set, times C.
    tol, max_iter
        When to stop.
    raw, first
        Random numbers, and with which each set begins.
    growth : ndarray of shape (g,)
        By how much rounding has grown.
    twice : bool
        Whether to follow a second path, on a training set that is off by `TREMOR`, which shows
        how much rounding grows.
    sets : ndarray of shape (g, s)
        The sets.
    response, error : ndarray of shape (g, s)
        Where to write; an infinite error leaves the set to the estimator.
    """
    n, m = values.shape
    p, size = n + (bias > 0.0), sets.shape[1]
    Xt, norms, C = np.full((p, m), bias), np.empty(p), np.empty(m)
    w, history, other = np.empty(p), np.empty((STEPS, m)), np.empty(size)
    for s in range(sets.shape[0]):
        response[s], error[s] = 0.0, np.inf
        if not growth[s] < np.inf:
            continue
        at = s if fill.shape[0] > 1 else 0
        if s == 0 or twice or fill.shape[0] > 1:
            for f in range(n):
                for k in range(m):
                    x = fill[at, f] if missing[f, k] else values[f, k]
                    Xt[f, k] = (x - shift[at, f]) / scale[at, f]
            for j in range(p):
                norms[j] = np.sqrt(np.dot(Xt[j], Xt[j]))
        for k in range(m):
            C[k] = weights[s, 1] if y[k] > 0.0 else weights[s, 0]
        C[sets[s]] = 0.0
        blur, mine = BLUR * growth[s], raw[first[s] :]
        end = follow(Xt, y, C, norms, tol, max_iter, mine, blur, history, w)
        if end > STAYED_AT_ZERO:
            continue
        parts, is_same = respond(Xt, sets[s], w, response[s])
        if end == STAYED_AT_ZERO:
            error[s] = 0.0
        elif not twice:
            error[s] = REACH * growth[s] * parts
        else:
            tremor = TREMOR * growth[s]
            for j in range(p):
                for k in range(m):
                    if C[k] > 0.0:
                        # Of no pattern, and the same in every run.
                        Xt[j, k] *= 1.0 + tremor * np.sin(12.9898 * (k + 1) + 78.233 * j)
            again = follow(Xt, y, C, norms, tol, max_iter, mine, blur, history, w)
            if bias > 0.0:
                for k in range(m):
                    Xt[n, k] = bias
            if again != end:
                continue
            _, is_still_same = respond(Xt, sets[s], w, other)
            apart, largest = 0.0, 0.0
            for u in range(size):
                apart = max(apart, abs(response[s, u] - other[u]))
                largest = max(largest, abs(response[s, u]))
            if is_same and is_still_same:
                error[s] = 0.0
            elif apart <= GROWTH * tremor * max(largest, parts):
                error[s] = SAFETY * (apart + tremor * largest)


@compiled
def respond(
    Xt: FloatArray, units: IntArray, w: FloatArray, response: FloatArray
) -> tuple[float, bool]:
    """Write log odds of some units; return the largest sum of their parts, and if all are equal."""
    largest, is_same = 0.0, True
    for u in range(units.size):
        value, parts = 0.0, 0.0
        for j in range(w.size):
            if w[j] != 0.0:
                value += Xt[j, units[u]] * w[j]
                parts += abs(Xt[j, units[u]] * w[j])
        response[u] = value
        largest = max(largest, parts)
        is_same = is_same and value == response[0]
    return largest, is_same
