"""Games that a bound leaves open, compiled. Free functions on arrays, no checks."""

from __future__ import annotations

from tlpo.arrays import FloatArray, IntArray
from tlpo.compiled import compiled


@compiled
def list_open(
    start: int,
    base: FloatArray,
    near: FloatArray,
    far: FloatArray,
    slack: FloatArray,
    level: IntArray,
    ordered: bool,
    member: IntArray,
    edge: IntArray,
    at: IntArray,
    most_near: FloatArray,
    most_far: FloatArray,
    most_slack: FloatArray,
    only: IntArray,
    games: IntArray,
) -> tuple[int, int]:
    """Write games that the order of ``base`` does not decide, from place ``start`` on.

    Units are sorted by ``base``. Those of stratum s are ``member[edge[s] : edge[s + 1]]``, in
    order; ``most_near``, ``most_far`` (S, R) and ``most_slack`` (S,) are its largest numbers, and
    ``only[s]`` is the level of all its units, or −1. ``at[s]`` is its first member that has not
    been ``start`` yet; it moves on. ``games`` (g, 2) gets places, the lower first. Returns how many
    were written and the place to go on from: whenever there might be no room for the next unit.
    """
    m, n_terms = near.shape
    n_strata = edge.size - 1
    n_games = 0
    for i in range(start, m):
        if games.shape[0] - n_games < m - i:
            return n_games, i
        for s in range(n_strata):  # i meets later units only
            if at[s] < edge[s + 1] and member[at[s]] == i:
                at[s] += 1
        for s in range(n_strata):
            if ordered and only[s] == level[i]:
                continue
            reach = base[i] + slack[i] + most_slack[s]
            for q in range(n_terms):
                reach += near[i, q] * most_far[s, q] + far[i, q] * most_near[s, q]
            for k in range(at[s], edge[s + 1]):
                j = member[k]
                if base[j] > reach:
                    break
                if ordered and level[i] == level[j]:
                    continue
                bound = slack[i] + slack[j]
                for q in range(n_terms):
                    bound += near[i, q] * far[j, q] + far[i, q] * near[j, q]
                if not base[j] - base[i] > bound:
                    games[n_games, 0] = i
                    games[n_games, 1] = j
                    n_games += 1
    return n_games, m
