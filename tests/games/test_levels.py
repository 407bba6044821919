"""How many units come before, by level: against loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tlpo.games.levels import count_by_level


def by_loop(level, before):
    counts = np.zeros((len(level), 3), dtype=int)
    for place, own in enumerate(level):
        for other in level[: before[place]]:
            counts[place, 0 if other < own else 1 if other > own else 2] += 1
    return counts


def counted(level, n_levels, before, kind=np.intp):
    counts = np.full((len(level), 3), -1, dtype=kind)
    level, before = np.array(level, dtype=np.intp), np.array(before, dtype=np.intp)
    count_by_level(level, n_levels, before, counts)
    return counts


def test_four_places_by_hand():
    # Before the places: nobody; level 2; levels 2 and 0; all, itself included.
    found = counted([2, 0, 1, 1], 3, [0, 1, 2, 4])
    assert found.tolist() == [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 2]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(0, 3), st.data())
def test_counts_against_a_double_loop(level, unused, data):
    before = sorted(
        data.draw(
            st.lists(st.integers(0, len(level)), min_size=len(level), max_size=len(level)),
            label="before",
        )
    )
    # Levels above the highest that occurs change nothing.
    n_levels = max(level) + 1 + unused
    assert counted(level, n_levels, before).tolist() == by_loop(level, before).tolist()


def test_many_levels_against_sorting():
    rng = np.random.default_rng(0)
    level = rng.permutation(3000)
    found = counted(level, 3000, np.arange(3000), np.int32)
    for place in (0, 1, 17, 1024, 2999):
        lower = np.count_nonzero(level[:place] < level[place])
        assert found[place].tolist() == [lower, place - lower, 0]
