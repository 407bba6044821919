"""Loops over neighbours, compiled by numba. Free functions on arrays, no checks.

No fastmath: reordering additions may change a tie. Each has a plain NumPy twin that a test compares
it with.

**Who votes is not always certain.** Distances closer than ``near`` may come in the other order in
scikit-learn's arithmetic. `cast` therefore gets the k nearest units and counts of *rivals*: units
that are not among them but within reach of the last. Its error is how far the vote moves if rivals
take the places of units at the same distance.

``margin`` is (relative, absolute, squared): two distances near d are indistinguishable if they
differ by at most ``relative d + absolute``, or their squares by ``squared``. A negative relative
margin means that distances are exact, and that at equal distance the first unit is nearer.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.neighbors.voting import DIFFERENCE, SHARE, UNIFORM, Ballot
from tlpo.games.response import TIE_ATOL, TIE_RTOL

EPSILON = float(np.finfo(float).eps)


@compiled
def reach(distance: float, margin: FloatArray) -> float:
    """Return by how much a distance may be off."""
    relative, absolute, squared = margin
    if relative < 0.0:
        return -1.0
    off = relative * distance + absolute
    if distance * distance > squared:
        off += squared / distance
    else:
        off += np.sqrt(squared)
    return float(off)


@compiled
def tally_votes(positive: float, negative: float, k: int, style: int) -> float:
    """Return the response from the weights of positive and of negative neighbours."""
    if style == UNIFORM:
        return positive / k
    if style == SHARE:
        return positive / (positive + negative)
    return positive - negative


@compiled
def cast(
    distance: FloatArray,
    voter: IntArray,
    label: BoolArray,
    rivals: IntArray,
    style: int,
    is_strict: bool,
    margin: FloatArray,
) -> tuple[float, float]:
    """Return the vote of the k nearest units, and by how much it may differ.

    ``label`` tells which units are positive. ``rivals`` counts negative and positive units within
    reach of the last place. If ``is_strict``, a vote that depends on rivals has an infinite error.
    """
    k = distance.size
    relative, _, squared = margin
    last = distance[k - 1]
    n_zero = 0
    if style != UNIFORM:
        if squared > 0.0 and distance[0] * distance[0] <= 10.0 * squared:
            return 0.0, np.inf  # a distance of zero may be rounded to one that is not
        while n_zero < k and distance[n_zero] == 0.0:
            n_zero += 1
    voters = n_zero if n_zero else k
    edge = last - reach(last, margin)
    positive, negative = 0.0, 0.0
    sure_positive, sure_negative = 0.0, 0.0
    pool_negative, pool_positive = rivals[0], rivals[1]
    open_places = 0
    for r in range(voters):
        weight = 1.0 if style == UNIFORM or n_zero else 1.0 / distance[r]
        is_positive = label[voter[r]]
        if is_positive:
            positive += weight
        else:
            negative += weight
        if distance[r] >= edge:
            open_places += 1
            if is_positive:
                pool_positive += 1
            else:
                pool_negative += 1
        elif is_positive:
            sure_positive += weight
        else:
            sure_negative += weight
    response = tally_votes(positive, negative, k, style)
    error = 0.0
    if style != UNIFORM and not n_zero and relative >= 0.0:
        blur = relative + 8.0 * EPSILON + reach(distance[0], margin) / distance[0]
        total = positive + negative
        error = blur * total
        if style == SHARE:
            error = 4.0 * blur * (positive / total) * (negative / total)
    if rivals[0] + rivals[1] and (not n_zero or n_zero == k):
        weight = 1.0 if style == UNIFORM or n_zero else 1.0 / last
        moved = 0.0
        for own in (max(0, open_places - pool_negative), min(open_places, pool_positive)):
            other = tally_votes(
                sure_positive + own * weight,
                sure_negative + (open_places - own) * weight,
                k,
                style,
            )
            moved = max(moved, abs(other - response))
        if is_strict and moved > 1e-10 * (positive + negative if style == DIFFERENCE else 1.0):
            return response, np.inf
        error += moved
    return response, error


@compiled
def cast_numbers(
    distance: FloatArray,
    voter: IntArray,
    value: FloatArray,
    rivals: IntArray,
    span: FloatArray,
    style: int,
    is_strict: bool,
    margin: FloatArray,
) -> tuple[float, float]:
    """Return the mean of the k nearest units' numbers, and by how much it may differ.

    ``rivals`` are as many units within reach of the last place, with numbers within ``span``.
    """
    k = distance.size
    relative, _, squared = margin
    n_rivals = rivals[0] + rivals[1]
    last = distance[k - 1]
    n_zero = 0
    if style != UNIFORM:
        if squared > 0.0 and distance[0] * distance[0] <= 10.0 * squared:
            return 0.0, np.inf  # a distance of zero may be rounded to one that is not
        while n_zero < k and distance[n_zero] == 0.0:
            n_zero += 1
    voters = n_zero if n_zero else k
    edge = last - reach(last, margin)
    total, weights, size = 0.0, 0.0, 0.0
    low, high, open_low, open_high = np.inf, -np.inf, np.inf, -np.inf
    open_places = 0
    for r in range(voters):
        weight = 1.0 if style == UNIFORM or n_zero else 1.0 / distance[r]
        own = value[voter[r]]
        total += weight * own
        weights += weight
        size = max(size, abs(own))
        low, high = min(low, own), max(high, own)
        if distance[r] >= edge:
            open_places += 1
            open_low, open_high = min(open_low, own), max(open_high, own)
    response = total / weights
    error = 4.0 * k * EPSILON * size
    if style != UNIFORM and not n_zero and relative >= 0.0:
        blur = relative + 8.0 * EPSILON + reach(distance[0], margin) / distance[0]
        error += 2.0 * blur * (high - low)
    if n_rivals and open_places and (not n_zero or n_zero == k):
        weight = 1.0 if style == UNIFORM or n_zero else 1.0 / last
        apart = max(span[1] - open_low, open_high - span[0], 0.0)
        moved = min(n_rivals, open_places) * weight * apart / weights
        if is_strict and moved > 1e-10 * size:
            return response, np.inf
        error += moved
    return response, error


@compiled
def poll(
    distance: FloatArray,
    voter: IntArray,
    label: BoolArray,
    value: FloatArray,
    rivals: IntArray,
    span: FloatArray,
    style: int,
    is_strict: bool,
    margin: FloatArray,
) -> tuple[float, float]:
    """Let classes vote or, if there are any, numbers."""
    if value.size:
        return cast_numbers(distance, voter, value, rivals, span, style, is_strict, margin)
    return cast(distance, voter, label, rivals, style, is_strict, margin)


@compiled
def note_rival(
    unit: int, label: BoolArray, value: FloatArray, rivals: IntArray, span: FloatArray
) -> None:
    """Count a unit within reach of the last place, and its class or its number."""
    if value.size:
        rivals[0] += 1
        span[0], span[1] = min(span[0], value[unit]), max(span[1], value[unit])
    else:
        rivals[int(label[unit])] += 1


@compiled
def walk(
    order: IntArray,
    distance: FloatArray,
    label: BoolArray,
    value: FloatArray,
    is_out: BoolArray,
    style: int,
    is_strict: bool,
    margin: FloatArray,
    near: FloatArray,
    voter: IntArray,
) -> tuple[float, float, int]:
    """Let the nearest units of a sorted list vote, without those that are out.

    ``near`` and ``voter`` have k places to work in; ``value`` is empty where classes vote. Also
    returns how much of the list mattered.
    """
    k = near.size
    rivals, span = np.zeros(2, dtype=np.intp), np.array([np.inf, -np.inf])
    found, end, last = 0, 0.0, 0
    for r in range(order.size):
        unit = order[r]
        if found == k and distance[r] > end:
            break
        last = r + 1
        if is_out[unit]:
            continue
        if found < k:
            near[found], voter[found] = distance[r], unit
            found += 1
            if found == k:
                end = distance[r] + reach(distance[r], margin)
        else:
            note_rival(unit, label, value, rivals, span)
    if found < k:
        return 0.0, np.inf, last
    response, error = poll(near, voter, label, value, rivals, span, style, is_strict, margin)
    return response, error, last


@compiled
def vote_by_lists(
    sets: IntArray,
    order: IntArray,
    distance: FloatArray,
    ballot: Ballot,
    is_strict: bool,
    margin: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of the units of each set, from the lists of all others by distance."""
    label, value, k, style, _ = ballot
    is_out = np.zeros(len(order), dtype=np.bool_)
    near, voter = np.empty(k), np.empty(k, dtype=np.intp)
    for g in range(len(sets)):
        is_out[sets[g]] = True
        for s in range(sets.shape[1]):
            i = sets[g, s]
            response[g, s], error[g, s], _ = walk(
                order[i], distance[i], label, value, is_out, style, is_strict, margin, near, voter
            )
        is_out[sets[g]] = False


@compiled
def vote_by_columns(
    sets: IntArray,
    values: FloatArray,
    missing: BoolArray,
    has_gaps: BoolArray,
    ballot: Ballot,
    fill: FloatArray,
    scale: FloatArray,
    margins: FloatArray,
    is_strict: bool,
    response: FloatArray,
    error: FloatArray,
) -> None:
    """Write the responses of the units of each set, from distances in its own scale.

    ``values`` and ``missing`` are (n, m), so that the innermost loop runs over units. ``fill`` and
    ``scale`` have one row per set, or one for all.
    """
    label, value, k, style, by_squares = ballot
    n, m = values.shape
    is_out = np.zeros(m, dtype=np.bool_)
    distance = np.empty(m)
    near, voter = np.empty(k), np.empty(k, dtype=np.intp)
    rivals, span = np.empty(2, dtype=np.intp), np.empty(2)
    for g in range(len(sets)):
        r = g if len(scale) > 1 else 0
        is_out[sets[g]] = True
        for s in range(sets.shape[1]):
            i = sets[g, s]
            distance[:] = 0.0
            for f in range(n):
                column = values[f]
                weight = 1.0 / scale[r, f]
                x = fill[r, f] if missing[f, i] else column[i]
                if has_gaps[f]:
                    filler, gaps = fill[r, f], missing[f]
                    for j in range(m):
                        away = ((filler if gaps[j] else column[j]) - x) * weight
                        distance[j] += away * away if by_squares else abs(away)
                elif by_squares:
                    for j in range(m):
                        away = (column[j] - x) * weight
                        distance[j] += away * away
                else:
                    for j in range(m):
                        distance[j] += abs((column[j] - x) * weight)
            found = 0
            for j in range(m):
                if is_out[j] or (found == k and distance[j] >= near[k - 1]):
                    continue
                place = found if found < k else k - 1
                while place > 0 and near[place - 1] > distance[j]:
                    near[place], voter[place] = near[place - 1], voter[place - 1]
                    place -= 1
                near[place], voter[place] = distance[j], j
                found = min(found + 1, k)
            if found < k:
                response[g, s], error[g, s] = 0.0, np.inf
                continue
            far = np.sqrt(near[k - 1]) if by_squares else near[k - 1]
            far += reach(far, margins[r])
            end = far * far if by_squares else far
            rivals[:] = 0
            span[0], span[1] = np.inf, -np.inf
            if margins[r, 0] >= 0.0:
                for place in range(k):
                    is_out[voter[place]] = True
                for j in range(m):
                    if distance[j] <= end and not is_out[j]:
                        note_rival(j, label, value, rivals, span)
                for place in range(k):
                    is_out[voter[place]] = False
            if by_squares:
                near[:] = np.sqrt(near)
            response[g, s], error[g, s] = poll(
                near, voter, label, value, rivals, span, style, is_strict, margins[r]
            )
        is_out[sets[g]] = False


@compiled
def half_wins(first: float, second: float, ceiling: float) -> int:
    """Return the result of a game in halves, by the tie rule of `tlpo.games.response`."""
    low, high = min(first, second), max(first, second)
    size = max(abs(low), abs(high))
    if ceiling == np.inf:
        width = max(TIE_RTOL * size, TIE_ATOL)
    else:
        width = TIE_RTOL * size
        if high <= ceiling:  # a sum of shares may round to more
            width = min(width, TIE_RTOL / (1.0 - TIE_RTOL) * (ceiling - high))
    if low >= high - width:
        return 1
    return 2 if first > second else 0


@compiled
def find_open(
    order: IntArray, distance: FloatArray, k: int, margin: FloatArray, is_open: BoolArray
) -> None:
    """Mark i and j if distances do not tell who votes for i without i and j."""
    m, others = order.shape
    for i in range(m):
        place = np.full(m, others, dtype=np.intp)
        for r in range(others):
            place[order[i, r]] = r
        for j in range(m):
            # Without j, the k-th and the next place move on if j comes before them.
            last = k if place[j] <= k - 1 else k - 1
            after = last + 1 if place[j] != last + 1 else last + 2
            if i != j and after < others:
                end = distance[i, last]
                is_open[i, j] = distance[i, after] <= end + reach(end, margin)


@compiled
def play_by_lists(
    order: IntArray,
    distance: FloatArray,
    label: BoolArray,
    k: int,
    style: int,
    is_signed: bool,
    ceiling: float,
    margin: FloatArray,
    which: IntArray,
    unit: IntArray,
    weight: FloatArray,
    ordered: bool,
    table: FloatArray,
    errors: FloatArray,
    wins: IntArray,
) -> int:
    """Play all games, or those between the classes; return how many are doubtful.

    Where ``which[i, j]`` is not negative, that row of ``unit`` votes for i with ``weight``.
    ``table`` and ``errors`` (m, m) are there to work in. Adds to ``wins`` (m, 2), in halves.
    """
    m = label.size
    is_out = np.zeros(m, dtype=np.bool_)
    near, voter, no_value = np.empty(k), np.empty(k, dtype=np.intp), np.empty(0)
    for i in range(m):
        alone, blur, last = walk(
            order[i], distance[i], label, no_value, is_out, style, False, margin, near, voter
        )
        table[i, :] = alone
        errors[i, :] = blur
        for r in range(last):
            j = order[i, r]
            is_out[j] = True
            table[i, j], errors[i, j], _ = walk(
                order[i], distance[i], label, no_value, is_out, style, False, margin, near, voter
            )
            is_out[j] = False
        for j in range(m):
            row = which[i, j]
            if row >= 0:
                positive, negative = 0.0, 0.0
                for r in range(k):
                    if label[unit[row, r]]:
                        positive += weight[row, r]
                    else:
                        negative += weight[row, r]
                table[i, j], errors[i, j] = positive / (positive + negative), 0.0
    if is_signed:
        for i in range(m):
            for j in range(m):
                table[i, j], errors[i, j] = 2.0 * table[i, j] - 1.0, 2.0 * errors[i, j]
    n_doubts = 0
    for i in range(m):
        for j in range(i + 1, m):
            if ordered and label[i] == label[j]:
                continue
            blur = errors[i, j] + errors[j, i]
            won = half_wins(table[i, j], table[j, i], ceiling)
            if blur > 0.0:
                above = half_wins(table[i, j] + blur, table[j, i], ceiling)
                below = half_wins(table[i, j] - blur, table[j, i], ceiling)
                n_doubts += above != below or blur == np.inf
            wins[i, int(label[j])] += won
            wins[j, int(label[i])] += 2 - won
    return n_doubts
