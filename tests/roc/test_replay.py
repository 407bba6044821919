"""Games replayed without each third unit, against loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import games_without
from roc.tables import opposite, random_table
from tlpo.roc.placements import auc_without_each
from tlpo.roc.replay import RARE, change_without, replay_without_each


@settings(max_examples=40, deadline=None)
@given(st.integers(6, 14), st.integers(0, 10**6), st.sampled_from([None, 1, 0]))
def test_auc_without_each_against_loops(m, seed, decimals):
    F, y = random_table(m, seed, decimals)
    found = auc_without_each(opposite(F, y), F, np.flatnonzero(y), np.flatnonzero(~y))
    assert found == pytest.approx([games_without(F, y, k) for k in range(m)], abs=1e-12)


def test_auc_without_each_of_a_subgroup():
    """Units outside it change the models, not the games that count."""
    F, y = random_table(14, 3)
    inside = np.arange(14) < 9
    positives, negatives = np.flatnonzero(y & inside), np.flatnonzero(~y & inside)
    U = np.heaviside(F - F.T, 0.5)[np.ix_(positives, negatives)]
    found = auc_without_each(U, F, positives, negatives)
    d = np.nanmean(F, axis=1)
    for k in range(14):
        results = [
            float(F[i, j] - F[j, i] + F[i, k] - d[i] - F[j, k] + d[j] > 0)
            for i in positives
            for j in negatives
            if k not in (i, j)
        ]
        assert found[k] == pytest.approx(np.mean(results))


def test_a_game_that_was_not_played_moves_nothing():
    F, y = random_table(10, 1)
    i, k = np.flatnonzero(y)[:2]
    F[i, k] = F[k, i] = np.nan
    found = auc_without_each(opposite(F, y), F, np.flatnonzero(y), np.flatnonzero(~y))
    d = np.nanmean(F, axis=1)
    for left in range(10):
        results = []
        for a in np.flatnonzero(y):
            for b in np.flatnonzero(~y):
                if left in (a, b):
                    continue
                shift = (F[a, left] - d[a]) - (F[b, left] - d[b])
                # if either has not met the third unit, nothing is known of its influence
                gap = F[a, b] - F[b, a] + (0.0 if np.isnan(shift) else shift)
                results.append(float(gap > 0))
        assert found[left] == pytest.approx(np.mean(results))


@pytest.mark.parametrize(("value", "m"), [(1 / 3, 31), (0.1, 50), (1e6 / 7, 40)])
def test_rounding_decides_no_tied_game(value, m):
    """Means of equal numbers differ in their last digits, as the diagonal is elsewhere."""
    F = np.full((m, m), value)
    np.fill_diagonal(F, np.nan)
    y = np.arange(m) % 2 == 0
    found = auc_without_each(opposite(F, y), F, np.flatnonzero(y), np.flatnonzero(~y))
    assert found.tolist() == [0.5] * m


@pytest.mark.parametrize("seed", range(6))
def test_predictions_that_mostly_repeat_are_replayed_alike(seed):
    """As those of nearest neighbours: few third units are neighbours of a unit."""
    rng = np.random.default_rng(seed)
    m = 60
    F = np.repeat(rng.integers(0, 6, m)[:, None] / 5.0, m, axis=1)
    moved = rng.random((m, m)) < 0.5 / RARE
    F[moved] += rng.choice([-0.2, 0.2], moved.sum())
    F[rng.random((m, m)) < 0.01] = np.nan
    np.fill_diagonal(F, np.nan)
    first, second = np.nonzero(np.triu(~np.isnan(F - F.T), 1))
    D = F[first, second] - F[second, first]
    weight = np.ones(first.size) if seed % 2 else rng.uniform(0.5, 2.0, first.size)
    games = first, second, D, np.heaviside(np.round(D, 9), 0.5), weight
    d, change = np.nanmean(F, axis=1), np.zeros(m)
    change_without(*games, F, d, change)
    found = replay_without_each(*games, F, d)
    assert found == pytest.approx(change, abs=1e-9)
    assert seed % 2 == 0 or np.array_equal(found, change)
    assert np.count_nonzero(change) > m / 2
