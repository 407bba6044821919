"""The path of the solver that LogisticRegression uses by default: compiled loops.

Games that the tolerance of the solver decides can only be played by the solver. scikit-learn calls
SciPy's L-BFGS: from zero or, in LogisticRegressionCV, from another fit, with the last ten moves,
the line search of Moré and Thuente (1994), and an end where no entry of the gradient exceeds
``tol``. The loops here take the same steps, except for rounding, in a small part of the time of a
fit. They give up, and leave the game to the estimator, at a step that SciPy would accept for
another reason than its two conditions, and at an end for another reason than the gradient.

Rounding also grows along a path: little in most fits, without limit in some long ones. So every
path is followed twice, the second time with rows that are off by up to `TREMOR`, about a thousand
times their rounding. If the log odds of no unit differ by more than `GROWTH` times that, `SAFETY`
times the largest difference is taken for the error. Otherwise the path is given up: two paths that
rounding drives apart say nothing about a third.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.preparation.kernels import prepare

# As SciPy calls them: changes of the gradient kept, and the conditions that end a line search.
MEMORY = 10
DECREASE = 1e-3
CURVATURE = 0.9
NARROW = 0.1
LONGEST_STEP = 1e10
# Trials of a line search; SciPy allows 50.
TRIALS = 20
# Steps that decrease the loss by this share, or less, end the path in SciPy; by twice that here,
# where rounding could decide.
LEAST_CHANGE = 64.0 * float(np.finfo(float).eps)
ULP = float(np.finfo(float).eps)
# Vectors of up to this length are multiplied in a loop.
SHORT = 24
# Products that are larger are put through a logarithm.
FULL = 1e300

# What a line search keeps: step, value and slope of the best step so far and of the other end, then
# these. And what it says of a step.
FIRST, FIRST_SLOPE, STEP, LOW, HIGH, WIDTH, EARLIER, IS_BRACKETED, WAS_LOW, LINE = range(6, 16)
AGAIN, ACCEPTED, LOST = range(3)
# What a path counts, and whether it goes on.
KEPT, STEPS, TRIED = range(3)
MORE, ENDED, GIVEN_UP = range(3)

TREMOR = 1e-12
GROWTH = 1e5
SAFETY = 100.0


@compiled
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the product of two vectors; a call of BLAS costs more than a short loop."""
    if a.size > SHORT:
        return float(np.dot(a, b))
    # Four sums at once: additions need not wait for each other.
    k = a.size
    r, s, t, u = 0.0, 0.0, 0.0, 0.0
    for c in range(0, k - 3, 4):
        r += a[c] * b[c]
        s += a[c + 1] * b[c + 1]
        t += a[c + 2] * b[c + 2]
        u += a[c + 3] * b[c + 3]
    for c in range(k - k % 4, k):
        r += a[c] * b[c]
    return (r + s) + (t + u)


@compiled
def loss(
    X: FloatArray,
    target: FloatArray,
    share: FloatArray,
    penalty: FloatArray,
    theta: FloatArray,
    gradient: FloatArray,
) -> float:
    """Return the mean loss with its penalty, and write its gradient; units of no share are out."""
    z = np.dot(X, theta)
    total, product, last = 0.0, 1.0, 0.0
    for u in range(z.size):
        if share[u] == 0.0:
            z[u] = 0.0
            continue
        e = np.exp(-abs(z[u]))
        p = 1.0 / (1.0 + e)
        if not z[u] > 0.0:
            p = e * p
        # Units of one weight share a logarithm.
        if share[u] != last or product > FULL:
            total += last * np.log(product)
            product, last = 1.0, share[u]
        product *= 1.0 + e
        total += share[u] * (max(z[u], 0.0) - target[u] * z[u])
        z[u] = share[u] * (p - target[u])
    total += last * np.log(product)
    np.dot(X.T, z, gradient)
    for c in range(theta.size):
        total += 0.5 * penalty[c] * theta[c] * theta[c]
        gradient[c] += penalty[c] * theta[c]
    return float(total)


@compiled
def descend(
    gradient: FloatArray, moves: FloatArray, turns: FloatArray, n_kept: int, direction: FloatArray
) -> None:
    """Write the direction of descent by the last moves and the turns of the gradient they made."""
    k = gradient.size
    along, bend = np.empty(MEMORY), np.empty(MEMORY)
    for c in range(k):
        direction[c] = -gradient[c]
    for h in range(n_kept - 1, -1, -1):
        bend[h] = dot(moves[h], turns[h])
        along[h] = dot(moves[h], direction) / bend[h]
        for c in range(k):
            direction[c] -= along[h] * turns[h, c]
    if n_kept:
        last = n_kept - 1
        stretch = bend[last] / dot(turns[last], turns[last])
        for c in range(k):
            direction[c] *= stretch
    for h in range(n_kept):
        ahead = along[h] - dot(turns[h], direction) / bend[h]
        for c in range(k):
            direction[c] += ahead * moves[h, c]


@compiled
def next_trial(
    ends: FloatArray,
    step: float,
    value: float,
    slope: float,
    is_bracketed: bool,
    low: float,
    high: float,
) -> tuple[float, bool]:
    """Return the next step to try, and whether a minimum is bracketed; update the two ends.

    ``ends`` has step, value and slope of the best step so far, then of the other end. The step is
    taken from the cubic and the quadratic through the two, by the four cases of the line search.
    """
    near, f_near, s_near, far, f_far, s_far = ends[0], ends[1], ends[2], ends[3], ends[4], ends[5]
    turned = slope * np.sign(s_near) < 0.0
    if value > f_near:
        # Higher: the cubic if its minimum is closer, else halfway to the quadratic's.
        cubic = _minimum(near, f_near, s_near, step, value, slope)
        chord = (f_near - value) / (step - near) + s_near
        quadratic = near + 0.5 * s_near / chord * (step - near)
        if abs(cubic - near) < abs(quadratic - near):
            trial = cubic
        else:
            trial = cubic + 0.5 * (quadratic - cubic)
        is_bracketed = True
    elif turned:
        # Lower, and past a minimum: the farther one.
        cubic = _minimum(step, value, slope, near, f_near, s_near)
        secant = step + slope / (slope - s_near) * (near - step)
        trial = cubic if abs(cubic - step) > abs(secant - step) else secant
        is_bracketed = True
    elif abs(slope) < abs(s_near):
        # Lower and flatter: the cubic may have no minimum in this direction.
        theta = 3.0 * (f_near - value) / (step - near) + s_near + slope
        size = max(abs(theta), abs(s_near), abs(slope))
        root = size * np.sqrt(max(0.0, (theta / size) ** 2 - (s_near / size) * (slope / size)))
        if step > near:
            root = -root
        r = ((root - slope) + theta) / ((root + (s_near - slope)) + root)
        if r < 0.0 and root != 0.0:
            cubic = step + r * (near - step)
        else:
            cubic = high if step > near else low
        secant = step + slope / (slope - s_near) * (near - step)
        if is_bracketed:
            trial = cubic if abs(cubic - step) < abs(secant - step) else secant
            limit = step + 0.66 * (far - step)
            trial = min(limit, trial) if step > near else max(limit, trial)
        else:
            trial = cubic if abs(cubic - step) > abs(secant - step) else secant
            trial = min(high, max(low, trial))
    elif is_bracketed:
        trial = _minimum(step, value, slope, far, f_far, s_far)
    else:
        trial = high if step > near else low
    if value > f_near:
        ends[3], ends[4], ends[5] = step, value, slope
    else:
        if turned:
            ends[3], ends[4], ends[5] = near, f_near, s_near
        ends[0], ends[1], ends[2] = step, value, slope
    return trial, is_bracketed


@compiled
def _minimum(a: float, f_a: float, s_a: float, b: float, f_b: float, s_b: float) -> float:
    """Return where the cubic with these values and slopes at a and b has its minimum."""
    theta = 3.0 * (f_a - f_b) / (b - a) + s_a + s_b
    size = max(abs(theta), abs(s_a), abs(s_b))
    root = size * np.sqrt(max(0.0, (theta / size) ** 2 - (s_a / size) * (s_b / size)))
    if b < a:
        root = -root
    r = ((root - s_a) + theta) / (((root - s_a) + root) + s_b)
    return float(a + r * (b - a))


@compiled
def _tilt(ends: FloatArray, by: float) -> None:
    """Add a straight line to the values and slopes of two ends."""
    ends[1] += by * ends[0]
    ends[2] += by
    ends[4] += by * ends[3]
    ends[5] += by


@compiled
def begin(line: FloatArray, value: float, slope: float, step: float) -> None:
    """Begin a line search where a value and a slope are known, with a step to try."""
    for end in (0, 3):
        line[end], line[end + 1], line[end + 2] = 0.0, value, slope
    line[FIRST], line[FIRST_SLOPE], line[STEP] = value, slope, step
    line[LOW], line[HIGH] = 0.0, 5.0 * step
    line[WIDTH], line[EARLIER] = LONGEST_STEP, 2.0 * LONGEST_STEP
    line[IS_BRACKETED] = line[WAS_LOW] = 0.0


@compiled
def judge(line: FloatArray, value: float, slope: float) -> int:
    """Accept the step that was tried, or say that SciPy's search is lost, or give another step."""
    first_slope, step = line[FIRST_SLOPE], line[STEP]
    low, high, is_bracketed = line[LOW], line[HIGH], line[IS_BRACKETED] > 0.0
    if not np.isfinite(value):
        return LOST
    enough = line[FIRST] + DECREASE * step * first_slope
    if value <= enough and abs(slope) <= -CURVATURE * first_slope:
        return ACCEPTED
    if is_bracketed and (step <= low or step >= high or high - low <= NARROW * high):
        return LOST
    if value <= enough and slope >= 0.0:
        line[WAS_LOW] = 1.0
    # Until a step was low enough, those between two limits are compared on a slant.
    tilt = 0.0
    if enough < value <= line[1] and line[WAS_LOW] == 0.0:
        tilt = DECREASE * first_slope
    ends = line[:6]
    _tilt(ends, -tilt)
    step, is_bracketed = next_trial(
        ends, step, value - step * tilt, slope - tilt, is_bracketed, low, high
    )
    _tilt(ends, tilt)
    if is_bracketed:
        gap = abs(ends[3] - ends[0])
        if gap >= 0.66 * line[EARLIER]:
            step = ends[0] + 0.5 * (ends[3] - ends[0])
        line[EARLIER], line[WIDTH] = line[WIDTH], gap
        line[LOW], line[HIGH] = min(ends[0], ends[3]), max(ends[0], ends[3])
    else:
        line[LOW] = step + 1.1 * (step - ends[0])
        line[HIGH] = step + 4.0 * (step - ends[0])
    line[IS_BRACKETED] = 1.0 if is_bracketed else 0.0
    line[STEP] = min(LONGEST_STEP, max(0.0, step))
    return AGAIN


@compiled
def largest(v: FloatArray) -> float:
    """Return the largest absolute value of a vector."""
    found = 0.0
    for c in range(v.size):
        size = abs(v[c])
        if size > found or np.isnan(size):
            found = size
    return found


class Path(NamedTuple):
    """Where a path stands.

    Attributes
    ----------
    moves, turns : ndarray of shape (MEMORY, k)
        The last moves, and the turns of the gradient that they made.
    start, old : ndarray of shape (k,)
        Where the line search began, and the gradient there.
    direction : ndarray of shape (k,)
        Its direction.
    line : ndarray of shape (LINE,)
        What it keeps.
    counts : ndarray of shape (3,)
        Moves kept, steps begun, and trials of the last one.
    """

    moves: FloatArray
    turns: FloatArray
    start: FloatArray
    old: FloatArray
    direction: FloatArray
    line: FloatArray
    counts: IntArray


@compiled
def new_path(k: int) -> Path:
    """Begin a path in k dimensions."""
    return Path(
        np.empty((MEMORY, k)),
        np.empty((MEMORY, k)),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(LINE),
        np.zeros(3, dtype=np.intp),
    )


@compiled
def proceed(
    path: Path, value: float, gradient: FloatArray, tol: float, max_iter: int, theta: FloatArray
) -> int:
    """Move theta from where value and gradient are known to where they are needed next.

    Returns whether there are `MORE` to come, the path has `ENDED`, or it must be `GIVEN_UP`.
    """
    moves, turns, start, old, direction, line, counts = path
    k = theta.size
    if counts[STEPS]:
        slope: float = dot(gradient, direction)
        verdict = judge(line, value, slope)
        if verdict == AGAIN and counts[TRIED] < TRIALS:
            counts[TRIED] += 1
            for c in range(k):
                theta[c] = start[c] + line[STEP] * direction[c]
            return MORE
        if verdict != ACCEPTED:
            return GIVEN_UP
        first, first_slope = line[FIRST], line[FIRST_SLOPE]
        if largest(gradient) > tol and (first - value) <= 2.0 * LEAST_CHANGE * max(
            abs(first), abs(value), 1.0
        ):
            return GIVEN_UP
        if (slope - first_slope) > -ULP * first_slope:
            if counts[KEPT] == MEMORY:
                for h in range(MEMORY - 1):
                    for c in range(k):
                        moves[h, c], turns[h, c] = moves[h + 1, c], turns[h + 1, c]
                counts[KEPT] -= 1
            last = counts[KEPT]
            for c in range(k):
                moves[last, c], turns[last, c] = theta[c] - start[c], gradient[c] - old[c]
            counts[KEPT] += 1
    if counts[STEPS] == max_iter:
        return GIVEN_UP
    if largest(gradient) <= tol:
        return ENDED
    descend(gradient, moves, turns, counts[KEPT], direction)
    downhill: float = dot(gradient, direction)
    if not downhill < 0.0:
        return GIVEN_UP
    step = 1.0 if counts[KEPT] else min(1.0 / np.sqrt(dot(direction, direction)), LONGEST_STEP)
    begin(line, value, downhill, step)
    counts[STEPS] += 1
    counts[TRIED] = 1
    for c in range(k):
        start[c], old[c] = theta[c], gradient[c]
        theta[c] += step * direction[c]
    return MORE


@compiled
def follow(
    X: FloatArray,
    target: FloatArray,
    share: FloatArray,
    penalty: FloatArray,
    tol: float,
    max_iter: int,
    theta: FloatArray,
) -> bool:
    """Move theta to where the solver stops; return whether that is certain.

    ``share`` and ``penalty`` are weights and penalties divided by the sum of the weights.
    """
    path, gradient, state = new_path(theta.size), np.empty(theta.size), MORE
    while state == MORE:
        value = loss(X, target, share, penalty, theta, gradient)
        state = proceed(path, value, gradient, tol, max_iter, theta)
    return state == ENDED


@compiled
def shake(X: FloatArray, tremor: float, shaken: FloatArray) -> None:
    """Write rows that are off by up to ``tremor``, in no pattern, and the same in every run."""
    for u in range(X.shape[0]):
        for c in range(X.shape[1]):
            noise = ((u * 40503 + c * 30011 + 1) * 2654435761 & 0xFFFFFFFF) / 2147483648.0 - 1.0
            shaken[u, c] = X[u, c] * (1.0 + tremor * noise)


@compiled
def spread(apart: float, largest: float, tremor: float) -> float:
    """Return how far log odds may be off if those of two paths are that far apart."""
    return SAFETY * (apart + tremor * largest) if apart <= GROWTH * tremor * largest else np.inf


@compiled
def respond(
    X: FloatArray,
    target: FloatArray,
    weight: FloatArray,
    alpha: FloatArray,
    tremor: float,
    tol: float,
    max_iter: int,
    tests: IntArray,
    theta: FloatArray,
    other: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write what the solver's model of weighted units responds to some, and how far that is off.

    Two paths start at ``theta`` and ``other``. The error is infinite where they could not be
    followed.
    """
    m, k = X.shape
    total = 0.0
    for u in range(m):
        total += weight[u]
    share, penalty = np.empty(m), np.empty(k)
    for u in range(m):
        share[u] = weight[u] / total
    for c in range(k):
        penalty[c] = alpha[c] / total
    shaken = np.empty((m, k))
    shake(X, tremor, shaken)
    found = follow(X, target, share, penalty, tol, max_iter, theta)
    found = found and follow(shaken, target, share, penalty, tol, max_iter, other)
    for t in range(tests.size):
        error[t] = np.inf
    if not found:
        return
    z = np.dot(X, theta)
    apart, most = 0.0, 1.0
    for u in range(m):
        if weight[u] > 0.0:
            apart = max(apart, abs(np.dot(X[u], other) - z[u]))
            most = max(most, abs(z[u]))
    for t in range(tests.size):
        response[t] = z[tests[t]]
        apart = max(apart, abs(np.dot(X[tests[t]], other) - response[t]))
        most = max(most, abs(response[t]))
    for t in range(tests.size):
        error[t] = spread(apart, most, tremor)


@compiled
def respond_sets(
    values: FloatArray,
    missing: BoolArray,
    fill: FloatArray,
    shift: FloatArray,
    scale: FloatArray,
    sets: IntArray,
    target: FloatArray,
    weight: FloatArray,
    factor: FloatArray,
    alpha: FloatArray,
    tremor: FloatArray,
    tol: float,
    max_iter: int,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of the solver's models without some sets; as `newton.solve_sets`."""
    m = values.shape[0]
    X, own = np.ones((m, alpha.size)), np.empty(m)
    theta, other = np.empty(alpha.size), np.empty(alpha.size)
    varies = fill.shape[0] > 1
    for s in range(sets.shape[0]):
        row = s if varies else 0
        if varies or s == 0:
            prepare(values, missing, fill[row], shift[row], scale[row], X)
        for u in range(m):
            own[u] = weight[u] * factor[s, int(target[u])]
        for t in range(sets.shape[1]):
            own[sets[s, t]] = 0.0
        for c in range(alpha.size):
            theta[c] = other[c] = 0.0
        respond(
            X,
            target,
            own,
            alpha,
            tremor[s],
            tol,
            max_iter,
            sets[s],
            theta,
            other,
            response[s],
            error[s],
        )
