"""Which features of a node are looked at, and in which order: scikit-learn draws them."""

from __future__ import annotations

from tlpo.compiled import compiled
from tlpo.engines.trees.settings import Limits
from tlpo.engines.trees.structure import CLOSEST, Rows, Tree


@compiled
def draw_features(rows: Rows, limits: Limits, node: int, seed: int, tree: Tree) -> tuple[int, int]:
    """Write the features that are looked at; return how many, and the generator's state.

    Features known to be constant are drawn too, but not looked at; those found to be constant are
    remembered for the nodes below.
    """
    features = tree.features
    n_known = tree.n_constant[node]
    n_constant, n_found, n_drawn = n_known, 0, 0
    n_left, n_visited, n_seen = features.size, 0, 0
    while n_left > n_constant and (n_visited < limits.n_tried or n_visited <= n_found + n_drawn):
        n_visited += 1
        seed = next_random(seed)
        drawn = n_drawn + seed % 2**31 % (n_left - n_found - n_drawn)
        if drawn < n_known:
            features[n_drawn], features[drawn] = features[drawn], features[n_drawn]
            n_drawn += 1
            continue
        drawn += n_found
        f = features[drawn]
        tree.visited[n_seen] = f
        n_seen += 1
        if _is_constant(rows, f, node, tree):
            features[drawn], features[n_constant] = features[n_constant], features[drawn]
            n_found += 1
            n_constant += 1
        else:
            n_left -= 1
            features[drawn], features[n_left] = features[n_left], features[drawn]
    for p in range(n_known):
        features[p] = tree.constants[p]
    for p in range(n_known, n_constant):
        tree.constants[p] = features[p]
    tree.n_constant[node] = n_constant
    return n_seen, seed


@compiled
def _is_constant(rows: Rows, f: int, node: int, tree: Tree) -> bool:
    """Return whether all values of a feature in a node are too close to be split."""
    x, start, stop = rows.x[f], tree.start[node], tree.stop[node]
    if rows.is_ranked[f]:
        low, high = x[tree.order[f, start]], x[tree.order[f, stop - 1]]
    else:
        low, high = x[tree.units[start]], x[tree.units[start]]
        for p in range(start + 1, stop):
            low, high = min(low, x[tree.units[p]]), max(high, x[tree.units[p]])
    return bool(high <= low + CLOSEST)


@compiled
def next_random(seed: int) -> int:
    """Step the 32-bit xorshift generator that draws scikit-learn's features."""
    seed = seed if seed else 1
    seed ^= (seed << 13) & 0xFFFFFFFF
    seed ^= seed >> 17
    return seed ^ ((seed << 5) & 0xFFFFFFFF)
