"""Which features of a node are looked at, and in which order: scikit-learn draws them."""

from __future__ import annotations

from tlpo.arrays import BoolArray, IntArray, Places, SingleArray
from tlpo.compiled import compiled
from tlpo.engines.trees.structure import CLOSEST

LARGEST_DRAW = float(2**31 - 1)


@compiled
def draw_features(
    x: SingleArray,
    is_ranked: BoolArray,
    order: Places,
    units: Places,
    start: int,
    stop: int,
    n_tried: int,
    n_known: int,
    seed: int,
    features: IntArray,
    constants: IntArray,
    visited: IntArray,
) -> tuple[int, int, int]:
    """Write the features that are looked at, and those found to be constant.

    Arguments are those of `Rows` and `Tree`, one by one: passing these on would take longer than
    all the rest. Features known to be constant are drawn too, but not looked at.

    Returns
    -------
    n_seen, n_constant, seed : int
        How many features are looked at, how many are known to be constant now, and the state of
        the generator.
    """
    n_constant, n_found, n_drawn = n_known, 0, 0
    n_left, n_visited, n_seen = features.size, 0, 0
    while n_left > n_constant and (n_visited < n_tried or n_visited <= n_found + n_drawn):
        n_visited += 1
        seed = next_random(seed)
        drawn = n_drawn + seed % 2**31 % (n_left - n_found - n_drawn)
        if drawn < n_known:
            features[n_drawn], features[drawn] = features[drawn], features[n_drawn]
            n_drawn += 1
            continue
        drawn += n_found
        f = features[drawn]
        visited[n_seen] = f
        n_seen += 1
        if is_ranked[f]:
            low, high = x[f, order[f, start]], x[f, order[f, stop - 1]]
        else:
            low, high = x[f, units[start]], x[f, units[start]]
            for p in range(start + 1, stop):
                low, high = min(low, x[f, units[p]]), max(high, x[f, units[p]])
        if high <= low + CLOSEST:
            features[drawn], features[n_constant] = features[n_constant], features[drawn]
            n_found += 1
            n_constant += 1
        else:
            n_left -= 1
            features[drawn], features[n_left] = features[n_left], features[drawn]
    for p in range(n_known):
        features[p] = constants[p]
    for p in range(n_known, n_constant):
        constants[p] = features[p]
    return n_seen, n_constant, seed


@compiled
def next_random(seed: int) -> int:
    """Step the 32-bit xorshift generator that draws scikit-learn's features."""
    seed = seed if seed else 1
    seed ^= (seed << 13) & 0xFFFFFFFF
    seed ^= seed >> 17
    return seed ^ ((seed << 5) & 0xFFFFFFFF)
