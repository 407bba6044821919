import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roc.tables import opposite, random_table
from tlpo.roc.placements import (
    Placements,
    auc_without_each,
    auc_without_groups,
    jackknife_variance,
    placements_of_games,
    placements_of_scores,
    without_noise,
)


def games_of_scores(scores, is_positive):
    """The games that fixed scores would play."""
    return np.heaviside(scores[is_positive][:, None] - scores[~is_positive][None, :], 0.5)


def test_placements_by_hand():
    # Positives 3 and 1, negatives 2 and 0: 3 beats both, 1 beats 0 only.
    placed = placements_of_scores(np.array([3.0, 1, 2, 0]), np.array([True, True, False, False]))
    assert placed.positive.tolist() == [1.0, 0.5]
    assert placed.negative.tolist() == [0.5, 1.0]
    # Each class: variance 1/8 of the placements, two units.
    assert placed.variance == (1 / 16, 1 / 16, 0)
    assert placed.variance.total == 1 / 8


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.data())
def test_placements_of_scores_are_means_of_games(scores, data):
    values = np.array(scores, dtype=float)
    rest = data.draw(st.lists(st.booleans(), min_size=len(scores) - 2, max_size=len(scores) - 2))
    y = np.array(data.draw(st.permutations([True, False, *rest])))
    placed = placements_of_scores(values, y)
    games = placements_of_games(games_of_scores(values, y))
    np.testing.assert_allclose(placed.positive, games.positive)
    np.testing.assert_allclose(placed.negative, games.negative)


def test_unfinished_games_do_not_count():
    U = np.array([[1.0, np.nan, 0.0], [np.nan, np.nan, np.nan]])
    placed = placements_of_games(U)
    np.testing.assert_array_equal(placed.positive, [0.5, np.nan])
    np.testing.assert_array_equal(placed.negative, [1.0, np.nan, 0.0])
    assert placed.variance == (0.0, 0.25, 0.0)


def test_one_unit_has_no_spread():
    assert Placements(np.array([0.3]), np.array([0.0, 1.0])).variance == (0.0, 0.25, 0.0)


def test_groups_by_hand():
    # Two groups of positives, each of twins, and four negatives that are groups of their own.
    placed = Placements(
        np.array([1.0, 1.0, 0.5, 0.5]),
        np.array([0.5, 1.0, 0.5, 1.0]),
        (np.array([0, 0, 1, 1]), np.array([2, 3, 4, 5])),
    )
    assert placed.sizes == (2, 4)
    # Deviations ±¼ add up to ±½ in a group, over 4 units: 2/1 · (⅛² + ⅛²).
    assert placed.variance.positive == pytest.approx(2 * 2 / 64)
    assert placed.variance.negative == pytest.approx(np.var([0.5, 1, 0.5, 1], ddof=1) / 4)
    assert placed.variance.shared == 0


@given(st.integers(0, 1000))
def test_groups_of_one_are_units(seed):
    F, y = random_table(12, seed)
    U = opposite(F, y)
    alone = np.arange(12)
    units, groups = placements_of_games(U), placements_of_games(U, (alone[y], alone[~y]))
    assert groups.variance == pytest.approx(units.variance)
    positives, negatives = np.flatnonzero(y), np.flatnonzero(~y)
    np.testing.assert_allclose(
        auc_without_groups(U, F, positives, negatives, alone),
        auc_without_each(U, F, positives, negatives),
    )


def test_twins_are_one_unit():
    """Copies of every unit, in one group with it, tell nothing new."""
    F, y = random_table(12, 4)
    U = opposite(F, y)
    twice = np.repeat(np.arange(12), 2)
    once = placements_of_games(U).variance.total
    doubled = placements_of_games(np.repeat(np.repeat(U, 2, axis=0), 2, axis=1))
    grouped = doubled._replace(groups=(twice[np.repeat(y, 2)], twice[~np.repeat(y, 2)]))
    assert grouped.variance.total == pytest.approx(once)
    assert doubled.variance.total < 0.6 * once


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


def test_noise_of_an_ensemble_is_extrapolated_by_hand():
    assert without_noise(0.5, [0.7, 0.6], 0.1) == pytest.approx(0.35)
    assert without_noise(0.5, [0.95, 0.95], 0.1) == 0.1  # not below the variance of fixed models
    assert without_noise(0.5, [0.3, 0.3], 0.1) == 0.5  # noise does not narrow
    assert without_noise(0.05, [0.2, 0.2], 0.1) == 0.05


def test_groups_of_unequal_size_count_as_fewer():
    units = np.zeros(6), np.zeros(4)
    alike = Placements(*units, (np.repeat([0, 1, 2], 2), np.repeat([3, 4], 2)))
    assert alike.effective_sizes == (3.0, 2.0, 5.0)
    unequal = Placements(*units, (np.array([0, 0, 0, 0, 1, 2]), np.array([0, 3, 3, 3])))
    assert unequal.effective_sizes == pytest.approx((36 / 18, 16 / 10, 100 / (25 + 1 + 1 + 9)))
