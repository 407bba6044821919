"""Votes of training sets in which units have copies, compiled by numba; see `resamples`."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.neighbors.candidates import Candidates
from tlpo.engines.neighbors.kernels import note_rival, poll, reach
from tlpo.engines.neighbors.voting import Ballot


@compiled
def measure(Z: FloatArray, i: int, j: int, by_squares: bool, limit: float) -> float:
    """Return the distance of two rows, or its square; something larger once above a limit."""
    away = 0.0
    for f in range(Z.shape[1]):
        step = Z[j, f] - Z[i, f]
        away += step * step if by_squares else abs(step)
        if away > limit:
            break
    return away


@compiled
def take_places(
    j: int, away: float, copies: int, near: FloatArray, voter: IntArray, found: int
) -> int:
    """Give the copies of a unit the places they have among the nearest; return how many are taken.

    ``near`` and ``voter`` are sorted by distance, and have a place for each that votes.
    """
    k = near.size
    for _ in range(min(copies, k)):
        if found == k and away >= near[k - 1]:
            break
        place = min(found, k - 1)
        while place > 0 and near[place - 1] > away:
            near[place], voter[place] = near[place - 1], voter[place - 1]
            place -= 1
        near[place], voter[place] = away, j
        found = min(found + 1, k)
    return found


@compiled
def farthest(near: FloatArray, by_squares: bool, margin: FloatArray) -> float:
    """Return the largest distance at which a unit may compete for the last place."""
    last = near[near.size - 1]
    last = np.sqrt(last) if by_squares else last
    return float(last + reach(last, margin))


@compiled
def vote_on_copies(
    test: IntArray,
    copies: IntArray,
    Z: FloatArray,
    candidates: Candidates,
    least: float,
    drift: float,
    ballot: Ballot,
    margin: FloatArray,
    response: FloatArray,
    error: FloatArray,
) -> int:
    """Write the responses for some units of a model trained on copies of units.

    ``Z`` are the prepared rows. A unit listed at a distance d from another is at least ``least`` d
    − ``drift`` away from it, and any other at least as far as one ``beyond``. Returns for how many
    units all distances were measured. Errors are infinite where rounding decides who votes.
    """
    unit, listed, beyond, _ = candidates
    label, value, k, style, by_squares = ballot
    m, count = len(Z), unit.shape[1]
    seen, distance = np.empty(m, dtype=np.intp), np.empty(m)
    near, voter = np.empty(k), np.empty(k, dtype=np.intp)
    rivals, span = np.empty(2, dtype=np.intp), np.empty(2)
    n_scanned = 0
    for t in range(test.size):
        i = test[t]
        n_seen, found, end, edge = 0, 0, np.inf, np.inf
        for c in range(-1, count):  # itself comes first
            j = i
            if c >= 0:
                if least * listed[i, c] - drift > end:
                    break
                j = unit[i, c]
            if copies[j] == 0:
                continue
            away = measure(Z, i, j, by_squares, edge)
            seen[n_seen], distance[n_seen] = j, away
            n_seen += 1
            found = take_places(j, away, copies[j], near, voter, found)
            if found == k:
                end = farthest(near, by_squares, margin)
                edge = end * end if by_squares else end
        if found < k or not least * beyond[i] - drift > end:
            n_scanned += 1
            n_seen, found, edge = 0, 0, np.inf
            for j in range(m):
                if copies[j] == 0:
                    continue
                away = measure(Z, i, j, by_squares, edge)
                if away > edge:
                    continue
                seen[n_seen], distance[n_seen] = j, away
                n_seen += 1
                found = take_places(j, away, copies[j], near, voter, found)
                if found == k:
                    end = farthest(near, by_squares, margin)
                    edge = end * end if by_squares else end
        rivals[:] = 0
        span[0], span[1] = np.inf, -np.inf
        for c in range(n_seen):
            if distance[c] > edge:
                continue
            left = copies[seen[c]]
            for place in range(k):
                left -= voter[place] == seen[c]
            for _ in range(min(left, k)):
                note_rival(seen[c], label, value, rivals, span)
        if by_squares:
            for place in range(k):
                near[place] = np.sqrt(near[place])
        response[t], error[t] = poll(near, voter, label, value, rivals, span, style, True, margin)
    return n_scanned
