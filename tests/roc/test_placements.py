import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import games_without
from tlpo.roc.placements import (
    Placements,
    auc_without_each,
    games_of_scores,
    jackknife_variance,
    placements_of_games,
    placements_of_scores,
)


def opposite(F, y):
    U = np.where(F > F.T, 1.0, np.where(F == F.T, 0.5, 0.0))
    U[np.isnan(F)] = np.nan
    return U[np.ix_(y, ~y)]


def random_table(m, seed, decimals=None):
    """A model of each unit's merit, moved a little by whoever is left out."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(m, 1)) + 0.3 * rng.normal(size=(m, m))
    if decimals is not None:
        F = np.round(F, decimals)
    np.fill_diagonal(F, np.nan)
    y = np.zeros(m, dtype=bool)
    y[rng.permutation(m)[: m // 3 + 1]] = True
    return F, y


def test_placements_by_hand():
    # Positives 3 and 1, negatives 2 and 0: 3 beats both, 1 beats 0 only.
    placed = placements_of_scores(np.array([3.0, 1, 2, 0]), np.array([True, True, False, False]))
    assert placed.positive.tolist() == [1.0, 0.5]
    assert placed.negative.tolist() == [0.5, 1.0]
    # Each class: variance 1/8 of the placements, two units.
    assert placed.variance == (1 / 16, 1 / 16)
    assert placed.variance.total == 1 / 8


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.data())
def test_placements_of_scores_are_means_of_games(scores, data):
    values = np.array(scores, dtype=float)
    y = np.array(data.draw(st.permutations([True, False] + [True] * (values.size - 2))))
    placed = placements_of_scores(values, y)
    games = placements_of_games(games_of_scores(values, y))
    np.testing.assert_allclose(placed.positive, games.positive)
    np.testing.assert_allclose(placed.negative, games.negative)


def test_unfinished_games_do_not_count():
    U = np.array([[1.0, np.nan, 0.0], [np.nan, np.nan, np.nan]])
    placed = placements_of_games(U)
    np.testing.assert_array_equal(placed.positive, [0.5, np.nan])
    np.testing.assert_array_equal(placed.negative, [1.0, np.nan, 0.0])
    assert placed.variance == (0.0, 0.25)


def test_one_unit_has_no_spread():
    assert Placements(np.array([0.3]), np.array([0.0, 1.0])).variance == (0.0, 0.25)


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
    assert np.isfinite(found).all()


def test_a_function_that_never_changes_leaves_the_sampling_alone():
    """Without training there is only the ordinary jackknife of the AUC."""
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=12), np.arange(12) < 5
    F = np.repeat(scores[:, None], 12, axis=1)
    np.fill_diagonal(F, np.nan)
    U = games_of_scores(scores, y)
    found = auc_without_each(U, F, np.flatnonzero(y), np.flatnonzero(~y))
    for k in range(12):
        kept = np.arange(12) != k
        assert found[k] == pytest.approx(games_of_scores(scores[kept], y[kept]).mean())
    # For a mean of rows the jackknife is the variance of the placements, exactly.
    variance = jackknife_variance(found, [y, ~y])
    assert variance == pytest.approx(placements_of_games(U).variance.total)


def test_jackknife_by_hand():
    values = np.array([0.5, 0.7, 0.2, 0.2, np.nan])
    strata = [
        np.array([True, True, False, False, False]),
        ~np.array([True, True, False, False, False]),
    ]
    assert jackknife_variance(values, strata) == pytest.approx(0.5 * (0.01 + 0.01))
