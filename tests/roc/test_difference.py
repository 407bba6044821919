import itertools

import numpy as np
import pytest
from scipy.stats import norm

from oracles import delong_covariance
from tlpo.roc import difference as comparison
from tlpo.roc.curve import wmw_auc
from tlpo.roc.placements import placements_of_scores


@pytest.mark.parametrize("seed", range(5))
def test_paired_delong_against_loops(seed):
    """A continuous and an ordinal marker of 113 patients, a third of them ill."""
    rng = np.random.default_rng(seed)
    y = (np.arange(113) < 41).astype(int)
    first = rng.exponential(0.2 + 0.2 * y)
    second = np.clip(np.round(rng.normal(2 + 1.5 * y, 1.2)), 1, 5)
    (a, b), cov = delong_covariance(first, second, y)
    placed = [placements_of_scores(s, y == 1) for s in (first, second)]
    assert wmw_auc(first, y == 1) == pytest.approx(a)
    assert placed[0].variance.total == pytest.approx(cov[0][0])
    assert placed[1].variance.total == pytest.approx(cov[1][1])
    test = comparison.paired_delong(*placed)
    z = (a - b) / np.sqrt(cov[0][0] + cov[1][1] - 2 * cov[0][1])
    assert test.z == pytest.approx(z)
    assert test.p_value == pytest.approx(2 * norm.cdf(-abs(z)))


def test_paired_delong_of_a_marker_with_itself():
    placed = placements_of_scores(np.array([1.0, 2, 3, 0]), np.array([True, False, True, False]))
    assert comparison.paired_delong(placed, placed) == (0.0, 1.0)


def test_separate_intervals_are_added_in_squares():
    limits = ((0.7, 1.0), (0.3, 0.7))
    (low, high), p_value = comparison.separate_interval((1.0, 0.5), limits, 0.0, 0.95)
    assert low == pytest.approx(0.5 - np.hypot(0.3, 0.2))
    assert high == pytest.approx(0.5 + 0.2)
    assert p_value == pytest.approx(2 * norm.sf(0.5 / (np.hypot(0.3, 0.2) / norm.ppf(0.975))))
    (low, _), _ = comparison.separate_interval((1.0, 0.5), limits, 0.5, 0.95)
    assert low == pytest.approx(0.5 - np.sqrt(0.3**2 + 0.2**2 - 0.3 * 0.2))


def test_correlation_of_scores():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2 == 0
    score, noise = rng.normal(size=400) + y, rng.normal(size=400)
    own = placements_of_scores(score, y)
    assert comparison.correlation(own, own) == pytest.approx(1)
    assert comparison.correlation(own, placements_of_scores(noise, y)) < 0.2
    perfect = placements_of_scores(y.astype(float), y)
    assert comparison.correlation(own, perfect) == 0


def test_own_noise_against_analysis_of_variance():
    """Rows and columns as dummy variables; what they leave, per degree of freedom and per game."""
    rng = np.random.default_rng(0)
    E = rng.normal(size=(6, 5)) + rng.normal(size=(6, 1)) + rng.normal(size=5)
    Z = np.column_stack([np.repeat(np.eye(6), 5, axis=0), np.tile(np.eye(5), (6, 1))])
    left = E.ravel() - Z @ np.linalg.lstsq(Z, E.ravel(), rcond=None)[0]
    assert comparison.own_noise(E) == pytest.approx(left @ left / 20 / 30)
    # A positive that has not played does not matter.
    more = np.vstack([E, np.full(5, np.nan)])
    assert comparison.own_noise(more) == pytest.approx(comparison.own_noise(E))


def test_one_unit_of_a_class_shows_no_noise_of_games():
    assert comparison.own_noise(np.array([[0.0, 1.0, 0.5]])) == 0.0
    assert comparison.own_noise(np.full((2, 2), np.nan)) == 0.0


def test_own_noise_of_pairs_against_analysis_of_variance():
    """A mean and an effect of each unit; what they leave, per degree of freedom."""
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(7, 1)
    effect = rng.normal(size=7)
    moves = rng.normal(size=21) + effect[first] + effect[second]
    Z = np.eye(7)[first] + np.eye(7)[second]
    left = moves - Z @ np.linalg.lstsq(Z, moves, rcond=None)[0]
    expected = 21 * (left @ left) / (21 - 7)
    assert comparison.own_noise_of_pairs(first, second, moves, 7) == pytest.approx(expected)
    # A pair that adds nothing need not be listed, and units need not be in order.
    moves[4] = 0.0
    whole = comparison.own_noise_of_pairs(first, second, moves, 7)
    some = np.delete(np.arange(21), 4)[::-1]
    found = comparison.own_noise_of_pairs(second[some], first[some], moves[some], 7)
    assert found == pytest.approx(whole)


def test_own_noise_of_pairs_is_unbiased():
    """All samples of four units from three kinds: its mean is the variance that pairs leave."""
    rng = np.random.default_rng(2)
    value = rng.normal(size=(3, 3))
    value += value.T
    first, second = np.triu_indices(4, 1)
    noises = []
    for kinds in itertools.product(range(3), repeat=4):
        own = value[np.take(kinds, first), np.take(kinds, second)]
        noises.append(comparison.own_noise_of_pairs(first, second, own, 4))
    own_effect = value.mean(axis=1) - value.mean()
    left = value - value.mean() - own_effect[:, None] - own_effect
    assert np.mean(noises) == pytest.approx(6 * np.mean(left**2))


def test_own_noise_of_groups_against_a_loop():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 6, size=(2, 80)) * 10
    moves = rng.normal(size=80)
    between = dict.fromkeys(itertools.combinations(range(0, 60, 10), 2), 0.0)
    for one, other, move in zip(*groups, moves, strict=True):
        if one != other:
            between[min(one, other), max(one, other)] += move
    first, second = np.array(list(between)).T // 10
    expected = comparison.own_noise_of_pairs(first, second, np.array(list(between.values())), 6)
    assert comparison.own_noise_of_groups(*groups, moves) == pytest.approx(expected)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_three_units_show_no_noise_of_pairs(n):
    first, second = np.triu_indices(n, 1)
    assert comparison.own_noise_of_pairs(first, second, np.arange(float(first.size)), n) == 0.0


@pytest.mark.parametrize(
    ("jackknife", "noise", "factors", "expected"),
    [
        (0.9, 0.0, (1.0, 1.0), 0.2),  # √9 = 3, at most 2
        (0.9, 0.0, (2.5, 1.0), 0.25),  # at most that of the first AUC
        (0.9, 0.0, (4.0, 1.0), 0.3),
        (0.225, 0.02, (1.0, 1.0), 0.12),  # √2.25 = 1.5, of what single games leave
        (0.225, 0.09, (1.0, 1.0), 0.075),  # of half at least
        (0.01, 0.0, (1.0, 1.0), 0.1),  # never less than the placements say
    ],
)
def test_variance_of_a_difference_by_hand(jackknife, noise, factors, expected):
    found = comparison.difference_variance(0.1, jackknife, noise, factors)
    assert found == pytest.approx(expected)


def test_equal_games_have_a_difference_without_variance():
    assert comparison.difference_variance(0.0, 0.0, 0.0, (2.0, 2.0)) == 0.0


def test_holm_by_hand():
    # Smallest times 4, next times 3, never falling, never above 1.
    adjusted = comparison.holm(np.array([0.5, 0.01, 0.02, 0.9]))
    np.testing.assert_allclose(adjusted, [1.0, 0.04, 0.06, 1.0])
