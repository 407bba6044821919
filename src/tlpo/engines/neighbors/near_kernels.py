"""Loops over the units that may vote, compiled by numba; see `candidates`.

Distances are added up as in `kernels.vote_by_columns`, so that every digit is the same.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.neighbors.candidates import Candidates
from tlpo.engines.neighbors.kernels import (
    half_wins,
    note_rival,
    poll,
    reach,
    tally_votes,
)
from tlpo.engines.neighbors.voting import UNIFORM, Ballot

# Rounding of distances at the scale of all units, with a margin.
ROUNDING = 1e-9
EPSILON = float(np.finfo(float).eps)


@compiled
def vote_by_candidates(
    sets: IntArray,
    values: FloatArray,
    candidates: Candidates,
    ballot: Ballot,
    scale: FloatArray,
    margins: FloatArray,
    is_strict: bool,
    response: FloatArray,
    error: FloatArray,
    is_left: BoolArray,
) -> None:
    """Write the responses of the units of each set from the candidates of each.

    ``is_left`` tells in which sets a unit that is not listed might vote as well.
    """
    unit, listed, beyond, full = candidates
    label, value, k, style, by_squares = ballot
    n = values.shape[1]
    count = unit.shape[1]
    is_out = np.zeros(len(values), dtype=np.bool_)
    weight, distance = np.empty(n), np.empty(count)
    near, voter = np.empty(k), np.empty(k, dtype=np.intp)
    rivals, span = np.empty(2, dtype=np.intp), np.empty(2)
    for g in range(len(sets)):
        r = g if len(scale) > 1 else 0
        is_left[g] = False
        least = np.inf
        for f in range(n):
            weight[f] = 1.0 / scale[r, f]
            least = min(least, full[f] * weight[f])
        least *= 1.0 - ROUNDING
        for s in range(sets.shape[1]):
            is_out[sets[g, s]] = True
        for s in range(sets.shape[1]):
            i = sets[g, s]
            found, seen, end = 0, 0, np.inf
            for c in range(count):
                # From here on, all are farther than the last that votes.
                if least * listed[i, c] > end:
                    break
                seen = c + 1
                j = unit[i, c]
                if is_out[j]:
                    continue
                away = 0.0
                for f in range(n):
                    step = (values[j, f] - values[i, f]) * weight[f]
                    away += step * step if by_squares else abs(step)
                distance[c] = away
                if found == k and (
                    away > near[k - 1] or (away == near[k - 1] and j > voter[k - 1])
                ):
                    continue
                place = found if found < k else k - 1
                # At equal distance the first unit is nearer.
                while place > 0 and (
                    near[place - 1] > away or (near[place - 1] == away and voter[place - 1] > j)
                ):
                    near[place], voter[place] = near[place - 1], voter[place - 1]
                    place -= 1
                near[place], voter[place] = away, j
                found = min(found + 1, k)
                if found == k:
                    far = np.sqrt(near[k - 1]) if by_squares else near[k - 1]
                    end = far + max(0.0, reach(far, margins[r]))
            if found < k or not least * beyond[i] > end:
                is_left[g] = True
                break
            rivals[:] = 0
            span[0], span[1] = np.inf, -np.inf
            if margins[r, 0] >= 0.0:
                far = np.sqrt(near[k - 1]) if by_squares else near[k - 1]
                far += reach(far, margins[r])
                edge = far * far if by_squares else far
                for place in range(k):
                    is_out[voter[place]] = True
                for c in range(seen):
                    if not is_out[unit[i, c]] and distance[c] <= edge:
                        note_rival(unit[i, c], label, value, rivals, span)
                for place in range(k):
                    is_out[voter[place]] = False
            if by_squares:
                for place in range(k):
                    near[place] = np.sqrt(near[place])
            response[g, s], error[g, s] = poll(
                near, voter, label, value, rivals, span, style, is_strict, margins[r]
            )
        for s in range(sets.shape[1]):
            is_out[sets[g, s]] = False


@compiled
def weigh_sure(
    style: int,
    nearest: FloatArray,
    farthest: FloatArray,
    positive: BoolArray,
    is_sure: BoolArray,
    may_vote: BoolArray,
    k: int,
    blur: float,
) -> tuple[float, float]:
    """Return between what the vote of classes lies.

    ``nearest`` and ``farthest`` limit the distances of candidates. Those that are sure vote; the
    other places go to some of those that may.
    """
    sums = np.zeros((2, 2))  # of negatives and positives, at least and at most
    pool = np.zeros(2, dtype=np.intp)
    places = k
    light, heavy = np.inf, 0.0
    for c in range(nearest.size):
        if not may_vote[c]:
            continue
        own = int(positive[c])
        least, most = 1.0, 1.0
        if style != UNIFORM:
            least, most = (1.0 - blur) / farthest[c], (1.0 + blur) / nearest[c]
        if is_sure[c]:
            sums[own, 0] += least
            sums[own, 1] += most
            places -= 1
        else:
            pool[own] += 1
            light, heavy = min(light, least), max(heavy, most)
    fewest, largest = max(0, places - pool[0]), min(places, pool[1])
    low = tally_votes(
        sums[1, 0] + (fewest * light if fewest else 0.0),
        sums[0, 1] + (places - fewest) * heavy,
        k,
        style,
    )
    high = tally_votes(
        sums[1, 1] + largest * heavy,
        sums[0, 0] + ((places - largest) * light if places > largest else 0.0),
        k,
        style,
    )
    return low, high


@compiled
def average_sure(
    style: int,
    nearest: FloatArray,
    farthest: FloatArray,
    number: FloatArray,
    is_sure: BoolArray,
    may_vote: BoolArray,
    k: int,
    blur: float,
    middle: float,
) -> tuple[float, float]:
    """Return between what the mean of numbers lies, ``middle`` being one they may have."""
    sums, total = np.zeros(2), np.zeros(2)
    places, size = k, 0.0
    ends, weights = np.array([np.inf, -np.inf]), np.array([np.inf, 0.0])
    for c in range(nearest.size):
        if not may_vote[c]:
            continue
        least, most = 1.0, 1.0
        if style != UNIFORM:
            least, most = (1.0 - blur) / farthest[c], (1.0 + blur) / nearest[c]
        away = number[c] - middle
        low, high = min(least * away, most * away), max(least * away, most * away)
        size = max(size, abs(number[c]))
        if is_sure[c]:
            sums[0] += low
            sums[1] += high
            total[0] += least
            total[1] += most
            places -= 1
        else:
            ends[0], ends[1] = min(ends[0], low), max(ends[1], high)
            weights[0], weights[1] = min(weights[0], least), max(weights[1], most)
    if places:
        sums += places * ends
        total += places * weights
    low = sums[0] / (total[0] if sums[0] < 0.0 else total[1])
    high = sums[1] / (total[0] if sums[1] > 0.0 else total[1])
    error = 32.0 * k * EPSILON * max(size, abs(middle))
    return middle + low - error, middle + high + error


@compiled
def limit_votes(
    units: IntArray,
    values: FloatArray,
    candidates: Candidates,
    smallest: FloatArray,
    largest: FloatArray,
    ballot: Ballot,
    margin: FloatArray,
    low: FloatArray,
    high: FloatArray,
    alone: FloatArray,
    matters: BoolArray,
) -> None:
    """Write between what the responses of units lie, without any one candidate that ``matters``.

    ``smallest`` and ``largest`` limit the ratios of full to new scales, one row per unit. ``alone``
    is a response at the full scale. Limits are infinite where units that are not listed may vote.
    """
    unit, _, beyond, full = candidates
    label, value, k, style, by_squares = ballot
    n, count = values.shape[1], unit.shape[1]
    nearest, farthest, middle = np.empty(count), np.empty(count), np.empty(count)
    positive, number = np.zeros(count, dtype=np.bool_), np.zeros(count)
    is_sure, may_vote = np.empty(count, dtype=np.bool_), np.empty(count, dtype=np.bool_)
    no_rivals, span = np.zeros(2, dtype=np.intp), np.zeros(2)
    for u in range(units.size):
        i = units[u]
        for c in range(count):
            j = unit[i, c]
            least, most, own = 0.0, 0.0, 0.0
            for f in range(n):
                step = abs(values[j, f] - values[i, f]) / full[f]
                near, far = step * smallest[u, f], step * largest[u, f]
                least += near * near if by_squares else near
                most += far * far if by_squares else far
                own += step * step if by_squares else step
            if by_squares:
                least, most, own = np.sqrt(least), np.sqrt(most), np.sqrt(own)
            nearest[c], farthest[c], middle[c] = least, most, own
            if value.size:
                number[c] = value[j]
            else:
                positive[c] = label[j]
        outside = np.inf
        for f in range(n):
            outside = min(outside, smallest[u, f])
        outside *= beyond[i] * (1.0 - ROUNDING)
        last = np.partition(farthest, k - 1)[k - 1]
        last += 4.0 * reach(last, margin)
        after = min(outside, np.partition(nearest, k)[k])
        after -= 4.0 * reach(after, margin)
        order = np.argsort(middle)[:k]
        voters = unit[i, order].astype(np.intp)
        own, _ = poll(middle[order], voters, label, value, no_rivals, span, style, False, margin)
        alone[i] = own
        first = nearest.min()
        if outside <= last or (
            style != UNIFORM and (first == 0.0 or first * first <= 20.0 * margin[2])
        ):
            low[i], high[i] = -np.inf, np.inf
            matters[i] = False
            continue
        for c in range(count):
            may_vote[c] = nearest[c] <= last
            is_sure[c] = farthest[c] < after
            matters[i, c] = may_vote[c]
        blur = 0.0
        if style != UNIFORM:
            blur = 4.0 * (margin[0] + 8.0 * EPSILON + reach(first, margin) / first) + ROUNDING
        given = (is_sure, may_vote, k, blur)
        if value.size:
            low[i], high[i] = average_sure(style, nearest, farthest, number, *given, own)
        else:
            low[i], high[i] = weigh_sure(style, nearest, farthest, positive, *given)
        alone[i] = min(max(own, low[i]), high[i])


@compiled
def are_open(low: FloatArray, high: FloatArray, i: int, j: int, ceiling: float) -> bool:
    """Return whether a game may end in several ways if responses lie between these limits."""
    if not (high[i] < np.inf and high[j] < np.inf):
        return True
    return half_wins(low[i], high[j], ceiling) != half_wins(high[i], low[j], ceiling)


@compiled
def list_overlaps(
    start: int,
    order: IntArray,
    low: FloatArray,
    high: FloatArray,
    level: IntArray,
    ordered: bool,
    ceiling: float,
    games: IntArray,
) -> tuple[int, int]:
    """Write games that the limits of two units leave open, from place ``start`` of the order on.

    ``order`` sorts units by ``low``. Returns how many were written and the place to go on from:
    whenever there might be no room for the next unit.
    """
    m = order.size
    n_games = 0
    for r in range(start, m):
        if games.shape[0] - n_games < m - r:
            return n_games, r
        i = order[r]
        end = high[i] + 1e-9 * max(1.0, abs(high[i]))
        for s in range(r + 1, m):
            j = order[s]
            if low[j] > end:
                break
            if ordered and level[i] == level[j]:
                continue
            if are_open(low, high, i, j, ceiling):
                games[n_games, 0], games[n_games, 1] = min(i, j), max(i, j)
                n_games += 1
    return n_games, m


@compiled
def are_decided(
    games: IntArray, low: FloatArray, high: FloatArray, ceiling: float, is_new: BoolArray
) -> None:
    """Write which games the limits of their two units decide."""
    for g in range(len(games)):
        is_new[g] = not are_open(low, high, games[g, 0], games[g, 1], ceiling)
