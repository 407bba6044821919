"""Which penalty a training set without a pair chooses, and what its model predicts.

See `kernels` for what is known of the deviances beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.lasso.kernels import (
    Room,
    Rule,
    Sample,
    Singles,
    average,
    leave_out,
    make_room,
    predict_sums,
    resolve,
    solve_sums,
    start,
)
from tlpo.engines.lasso.margins import REACH
from tlpo.learners.elastic_net_solver import CLOSE

# So many times the largest error that was measured is allowed for.
SAFETY = 3.0
# Share of the largest deviance by which a sum may be off besides.
ROUNDING = 1e-7
# Where several penalties compete, their models are first solved up to about the square of this.
ROUGH = 0.03
# Shares by which the learner takes deviances for equal, and by which ours may be off.
EQUAL = 1e-9
SOLVED = 5e-11
# Share of the largest linear predictor by which predictions may be off.
PREDICTED = 1e-9


class Path(NamedTuple):
    """The penalties of one training set and what is known of them.

    Attributes
    ----------
    mean, above : ndarray of shape (c,)
        Mean deviance, and with its standard error added.
    known : ndarray of bool of shape (c,)
        Whether it was solved.
    off : ndarray of shape (c,)
        By how much they may be off, if it was.
    unit : ndarray of shape (c,)
        What errors are relative to.
    sums : ndarray of shape (K,)
        Is written over.
    solved : ndarray of shape (1,)
        How many were solved in all.
    """

    mean: FloatArray
    above: FloatArray
    known: BoolArray
    off: FloatArray
    unit: FloatArray
    sums: FloatArray
    solved: IntArray


@compiled
def choose(
    sample: Sample,
    singles: Singles,
    rule: Rule,
    i: int,
    j: int,
    first: int,
    room: Room,
    path: Path,
    sums: FloatArray,
) -> int:
    """Return the penalty that the training set without a pair chooses, −1 if that is doubtful.

    Parameters
    ----------
    i, j : int
        The pair.
    first : int
        Where its path begins.
    room, path, sums
        Are written over.
    """
    low, high = max(first, rule.low), min(first + rule.n_penalties, rule.high)
    n = high - low
    mean, above, known = path.mean, path.above, path.known
    known[:] = False
    for c in range(n):
        d = low + c
        if not (sample.is_clear[d] and singles.is_clear[i, d] and singles.is_clear[j, d]):
            return -1
    if not rule.solve_all and n > 0:
        predict_sums(sample, singles, i, j, low, sums[:n], path.unit)
        for c in range(n):
            mean[c], error = average(sample, i, j, sums[c])
            above[c] = mean[c] + error
        found = choose_near(sample, singles, rule, i, j, low, n, room, path)
        if found == -1:
            return -1
        if found >= 0 and is_inside(rule, first, found):
            return found
    known[:] = False
    for c in range(rule.n_penalties):
        if not solve_one(sample, singles, rule, i, j, first, c, CLOSE, room, path):
            return -1
    return choose_solved(rule, first, rule.n_penalties, path)


@compiled
def is_inside(rule: Rule, first: int, found: int) -> bool:
    """Return whether a choice stands: at an end of what was compared, others might be chosen."""
    is_above = found > rule.low or first >= rule.low
    last = first + rule.n_penalties
    return bool(is_above and (found < rule.high - 1 or last <= rule.high))


@compiled
def allowed(rule: Rule, unit: FloatArray, first: int, b: int, c: int, e: int) -> float:
    """Return by how much the difference of two approximate deviances may be off.

    Parameters
    ----------
    unit : ndarray
        What errors are relative to.
    first, b : int
        The first of the penalties, and the one with the smallest approximate deviance.
    c, e : int
        The two; e is b, or a penalty near it.
    """
    margin = np.inf
    if max(abs(c - b), abs(e - b)) <= REACH:
        margin = rule.near[abs(c - e)] * (unit[c] + unit[e])
    if e == b:
        gaps = rule.gaps[abs(c - b)]
        values = rule.values[first + b, 2] + rule.values[first + c, 2]
        margin = min(margin, gaps[0] * unit[b], gaps[1] * (unit[b] + unit[c]), values)
    return float(SAFETY * margin)


@compiled
def choose_near(
    sample: Sample,
    singles: Singles,
    rule: Rule,
    i: int,
    j: int,
    first: int,
    n: int,
    room: Room,
    path: Path,
) -> int:
    """Choose from approximate deviances; solve those that compete.

    What is solved tells about how far approximations near it are off, so the most promising comes
    first, and most of its neighbours need not be solved. Returns −1 if the choice is doubtful, −2
    if an error was larger than it should be.
    """
    mean, above, known, off = path.mean, path.above, path.known, path.off
    top, b = mean[:n].max(), int(np.argmin(mean[:n]))
    extra = (ROUNDING + EQUAL) * top
    guess, least, best = mean[:n].copy(), mean[b], b
    while True:
        pick, lowest, low, high = -1, np.inf, 0.0, 0.0
        for c in range(n):
            if known[c] or c == b:
                continue
            at_least, at_most = -np.inf, np.inf
            for e in range(n):
                if known[e] or e == b:
                    margin = allowed(rule, path.unit, first, b, c, e) + extra
                    if known[e]:
                        margin += off[e]
                    about = guess[c] + mean[e] - guess[e]
                    at_least, at_most = max(at_least, about - margin), min(at_most, about + margin)
            if at_least <= least and at_least + at_most < lowest:
                pick, lowest, low, high = c, at_least + at_most, at_least, at_most
        if pick < 0:
            break
        if not known[b]:
            pick, low, high, least = b, -np.inf, np.inf, np.inf
        if not solve_one(sample, singles, rule, i, j, first, pick, ROUGH, room, path):
            return -1
        if not low - off[pick] <= mean[pick] <= high + off[pick]:
            return -2
        least = min(least, mean[pick] + off[pick])
    if known[b]:
        rivals = 0
        for c in range(n):
            known[c] = known[c] and mean[c] - path.off[c] <= least + EQUAL * top
            if known[c]:
                rivals += 1
                best = c
        if rivals > 1:
            for c in range(n):
                if known[c] and not solve_one(
                    sample, singles, rule, i, j, first, c, CLOSE, room, path
                ):
                    return -1
            best = smallest(n, mean, known)
            if best < 0:
                return -1
    if rule.is_min:
        return first + best
    for c in range(best):
        edge = above[best] + EQUAL * top
        slack = extra
        for e in (c, best):
            if known[e]:
                slack += 2.0 * path.off[e]
            else:
                slack += SAFETY * path.unit[e] * rule.values[first + e, 0 if e == c else 1]
        if mean[c] > edge + slack:
            continue
        if mean[c] < edge - slack:
            return first + c
        for e in (c, best):
            if not solve_one(sample, singles, rule, i, j, first, e, CLOSE, room, path):
                return -1
        apart = mean[c] - above[best] - EQUAL * top
        if abs(apart) <= SOLVED * top:
            return -1
        if apart < 0.0:
            return first + c
    return first + best


@compiled
def choose_solved(rule: Rule, first: int, n: int, path: Path) -> int:
    """Choose where all deviances are solved; −1 if rounding would decide."""
    mean, above = path.mean, path.above
    top = mean[:n].max()
    best = smallest(n, mean, path.known)
    if best < 0 or rule.is_min:
        return first + best if best >= 0 else -1
    for c in range(best):
        apart = mean[c] - above[best] - EQUAL * top
        if abs(apart) <= SOLVED * top:
            return -1
        if apart < 0.0:
            return first + c
    return first + best


@compiled
def smallest(n: int, mean: FloatArray, known: BoolArray) -> int:
    """Return the first of the smallest known deviances, −1 if rounding would decide."""
    top, least = mean[:n].max(), np.inf
    for c in range(n):
        if known[c]:
            least = min(least, mean[c])
    for c in range(n):
        if known[c]:
            apart = mean[c] - least - EQUAL * top
            if abs(apart) <= SOLVED * top:
                return -1
            if apart < 0.0:
                return c
    return -1


@compiled
def solve_one(
    sample: Sample,
    singles: Singles,
    rule: Rule,
    i: int,
    j: int,
    first: int,
    c: int,
    close: float,
    room: Room,
    path: Path,
) -> bool:
    """Solve a penalty of a path; return whether all models are unique."""
    off = solve_sums(sample, singles, rule, i, j, first + c, room, close, path.sums)
    path.mean[c], error = average(sample, i, j, path.sums)
    path.above[c] = path.mean[c] + error
    path.known[c] = True
    path.off[c] = off
    path.solved[0] += 1
    return off < np.inf


@compiled
def play(
    sample: Sample,
    singles: Singles,
    rule: Rule,
    pairs: IntArray,
    first: IntArray,
    response: FloatArray,
    error: FloatArray,
    chosen: IntArray,
    used: IntArray,
    count: IntArray,
) -> None:
    """Write what the models without some pairs predict for them, and by how much it may be off.

    Parameters
    ----------
    pairs : ndarray of shape (g, 2)
        The pairs.
    first : ndarray of shape (g,)
        Where their paths begin; those below 0 are not played.
    response, error : ndarray of shape (g, 2)
        Get predictions and errors, infinite where it must be refitted.
    chosen : ndarray of shape (g,)
        Below 0 for pairs that are not to be counted; the others get the number of their penalty.
    used : ndarray of shape (p,)
        Counts the models that use a column.
    count : ndarray of shape (1,)
        How many penalties were solved.
    """
    p, m = sample.Xt.shape
    K, n = sample.edges.size - 1, rule.n_penalties
    room, sums = make_room(m, p), np.empty((n, K))
    known = np.zeros(n, dtype=np.bool_)
    path = Path(np.empty(n), np.empty(n), known, np.empty(n), np.empty(n), np.empty(K), count)
    for g in range(first.size):
        i, j = pairs[g]
        response[g] = 0.0
        error[g] = np.inf
        if first[g] < 0:
            continue
        c = choose(sample, singles, rule, i, j, first[g], room, path, sums)
        if c < 0:
            continue
        start(sample, K, c, room)
        leave_out(sample, K, i, j, room)
        if resolve(sample, c, room, CLOSE):
            for side in range(2):
                response[g, side] = room.z[pairs[g, side]]
            largest = 0.0
            for k in range(m):
                largest = max(largest, abs(room.z[k]))
            error[g] = PREDICTED * (1.0 + largest)
            if chosen[g] >= 0:
                chosen[g] = c + 1
                for f in range(p):
                    used[f] += room.w[f] != 0.0


@compiled
def play_alone(
    sample: Sample,
    singles: Singles,
    rule: Rule,
    units: IntArray,
    first: IntArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write what the models without some units, each left out alone, predict for them.

    All penalties that compete are solved beforehand. Parameters are as in `play`.
    """
    p, m = sample.Xt.shape
    K, most = sample.edges.size - 1, rule.n_penalties
    room, count = make_room(m, p), np.zeros(1, dtype=np.intp)
    known, off, unit = np.ones(most, dtype=np.bool_), np.zeros(most), np.zeros(most)
    path = Path(np.empty(most), np.empty(most), known, off, unit, np.empty(K), count)
    for g in range(units.size):
        i = units[g]
        response[g, 0] = 0.0
        error[g, 0] = np.inf
        low, n = max(first[g], rule.low), min(first[g] + most, rule.high) - max(first[g], rule.low)
        if first[g] < 0 or n <= 0:
            continue
        is_clear = True
        for c in range(n):
            d = low + c
            is_clear = is_clear and sample.is_clear[d] and singles.is_clear[i, d]
            path.sums[:] = singles.sums[i, d]
            path.sums[sample.fold[i]] -= singles.loss[i, d, i]
            path.mean[c], spread = average(sample, i, -1, path.sums)
            path.above[c] = path.mean[c] + spread
        c = choose_solved(rule, low, n, path) if is_clear else -1
        if c < 0 or not is_inside(rule, first[g], c):
            continue
        start(sample, K, c, room)
        leave_out(sample, K, i, -1, room)
        if resolve(sample, c, room, CLOSE):
            response[g, 0] = room.z[i]
            error[g, 0] = PREDICTED * (1.0 + np.abs(room.z).max())
