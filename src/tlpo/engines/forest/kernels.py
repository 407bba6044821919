"""Loops over held-out sets and trees, compiled by numba. Free functions on arrays, no checks.

Each has a plain NumPy twin that a test compares it with. ``is_out`` (units, trees) says whether a
unit is missing from a tree's bag; trees are in the order in which their bags were drawn. ``sets``
has one row per held-out set: the two units of a game, or one unit.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled
from tlpo.engines.forest.hazards import SmallIntArray


@compiled
def list_trees(is_out: BoolArray, unit: int, trees: IntArray) -> int:
    """List the trees whose bags leave out a unit; return how many there are."""
    found = 0
    for tree in range(is_out.shape[1]):
        trees[found] = tree
        found += is_out[unit, tree]
    return found


@compiled
def list_shared(
    is_out: BoolArray, trees: IntArray, n_trees: int, unit: int, shared: IntArray
) -> int:
    """List those of some trees whose bags leave out another unit as well."""
    # Without branches, because nobody can predict them: several times as fast.
    found = 0
    for place in range(n_trees):
        shared[found] = trees[place]
        found += is_out[unit, trees[place]]
    return found


@compiled
def find_judges(
    is_out: BoolArray, sets: IntArray, n_judges: int, is_judge: BoolArray, is_short: BoolArray
) -> None:
    """Mark the first ``n_judges`` trees that qualify for each set, and sets that have fewer."""
    n_sets, size = sets.shape
    trees = np.empty(is_out.shape[1] + 1, dtype=np.intp)
    judges = np.empty(is_out.shape[1] + 1, dtype=np.intp)
    n_trees, last = 0, -1
    for k in range(n_sets):
        if sets[k, 0] != last:
            last = sets[k, 0]
            n_trees = list_trees(is_out, last, trees)
        found = list_shared(is_out, trees, n_trees, sets[k, size - 1], judges)
        is_short[k] = found < n_judges
        for place in range(min(found, n_judges)):
            is_judge[judges[place]] = True


@compiled
def ask_judges(
    is_out: BoolArray, answers: FloatArray, sets: IntArray, n_judges: int, responses: FloatArray
) -> None:
    """Write the mean answer of the first ``n_judges`` trees that qualify for each set.

    ``answers`` (units, trees). They are added up in the order of the trees, so that equal units
    get equal responses. ``responses`` (3, sets, size) are those of all judges, of the first half
    and of the second.
    """
    half = n_judges // 2
    n_sets, size = sets.shape
    trees = np.empty(is_out.shape[1] + 1, dtype=np.intp)
    judges = np.empty(is_out.shape[1] + 1, dtype=np.intp)
    n_trees, last = 0, -1
    for k in range(n_sets):
        if sets[k, 0] != last:
            last = sets[k, 0]
            n_trees = list_trees(is_out, last, trees)
        list_shared(is_out, trees, n_trees, sets[k, size - 1], judges)
        for place in range(size):
            unit, total, second = sets[k, place], 0.0, 0.0
            for judge in judges[:half]:
                total += answers[unit, judge]
            first = total
            for judge in judges[half:n_judges]:
                total += answers[unit, judge]
                second += answers[unit, judge]
            responses[0, k, place] = total / n_judges
            responses[1, k, place] = first / max(1, half)
            responses[2, k, place] = second / (n_judges - half)


@compiled
def hazard_at(when: SmallIntArray, hazard: FloatArray, first: int, last: int, place: int) -> float:
    """Return the height at a place of a function that has steps ``first`` to ``last``."""
    low, high = first, last
    while low < high:  # to the first step after the place
        middle = (low + high) // 2
        if when[middle] <= place:
            low = middle + 1
        else:
            high = middle
    return hazard[low - 1] if low > first else 0.0


@compiled
def ask_survival_trees(
    is_out: BoolArray,
    answers: FloatArray,
    steps: tuple[SmallIntArray, FloatArray, SmallIntArray, SmallIntArray],
    sets: IntArray,
    places: IntArray,
    is_lost: BoolArray,
    n_judges: int,
    responses: FloatArray,
) -> None:
    """Write the mean answer of the judges of each set without the hazards at lost times.

    ``steps`` are ``when`` and ``hazard`` (trees, steps), ``first`` and ``last`` (units, trees) of
    `SurvivalTrees`; ``places`` and ``is_lost`` belong to the units of ``sets``. Hazards at lost
    times are added up in the same order for both units, so that equal ones get equal responses.
    ``responses`` are as in `ask_judges`.
    """
    half = n_judges // 2
    when, hazard, first, last = steps
    n_sets, size = sets.shape
    trees = np.empty(is_out.shape[1] + 1, dtype=np.intp)
    judges = np.empty(is_out.shape[1] + 1, dtype=np.intp)
    n_trees, held = 0, -1
    for k in range(n_sets):
        if sets[k, 0] != held:
            held = sets[k, 0]
            n_trees = list_trees(is_out, held, trees)
        list_shared(is_out, trees, n_trees, sets[k, size - 1], judges)
        for at in range(size):
            unit, total, first_half, second_half = sets[k, at], 0.0, 0.0, 0.0
            for place in range(n_judges):
                judge = judges[place]
                lost = 0.0
                for other in range(size):
                    if is_lost[k, other]:
                        lost += hazard_at(
                            when[judge],
                            hazard[judge],
                            first[unit, judge],
                            last[unit, judge],
                            places[k, other],
                        )
                answer = answers[unit, judge] - lost
                total += answer
                if place < half:
                    first_half += answer
                else:
                    second_half += answer
            responses[0, k, at] = total / n_judges
            responses[1, k, at] = first_half / max(1, half)
            responses[2, k, at] = second_half / (n_judges - half)
