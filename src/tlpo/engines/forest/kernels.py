"""Loops over held-out sets and trees, compiled by numba. Free functions on arrays, no checks.

Each has a plain NumPy twin that a test compares it with. ``sets`` has one row per held-out set,
two units for a game; trees are in the order in which their bags were drawn.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.compiled import compiled


@compiled
def find_judges(
    is_out: BoolArray, sets: IntArray, n_judges: int, is_judge: BoolArray, is_short: BoolArray
) -> None:
    """Mark the first ``n_judges`` trees that qualify for each set, and sets that have fewer.

    ``is_out`` (units, trees): whether the unit is missing from the tree's bag.
    """
    n_sets, size = sets.shape
    for k in range(n_sets):
        found = 0
        for tree in range(is_out.shape[1]):
            qualifies = True
            for place in range(size):
                qualifies = qualifies and is_out[sets[k, place], tree]
            if qualifies:
                is_judge[tree] = True
                found += 1
                if found == n_judges:
                    break
        is_short[k] = found < n_judges


@compiled
def ask_judges(answers: FloatArray, sets: IntArray, n_judges: int, responses: FloatArray) -> None:
    """Write the mean answer of the first ``n_judges`` trees that qualify for each set.

    ``answers`` (units, trees): NaN if the unit is in the tree's bag. Added up in the order of the
    trees, so that equal units get equal responses.
    """
    n_sets, size = sets.shape
    for k in range(n_sets):
        found = 0
        for tree in range(answers.shape[1]):
            qualifies = True
            for place in range(size):
                qualifies = qualifies and not np.isnan(answers[sets[k, place], tree])
            if qualifies:
                for place in range(size):
                    responses[k, place] += answers[sets[k, place], tree]
                found += 1
                if found == n_judges:
                    break
        for place in range(size):
            responses[k, place] /= n_judges
