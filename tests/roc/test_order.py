"""Concordance of any order: two classes and numbers are what they are known to be."""

import numpy as np
import pytest
from sksurv.metrics import concordance_index_censored

from roc.times import CASES, random_times
from tlpo.roc.intervals import hanley_mcneil_variance
from tlpo.roc.order import (
    BLOCK,
    Order,
    OrderEvidence,
    concordance_of_scores,
    independent_variance,
    levels_of_times,
    measure_order,
    order_interval,
)
from tlpo.roc.placements import auc_without_each, placements_of_games


def games(F, order):
    return np.heaviside(F[order.winner, order.loser] - F[order.loser, order.winner], 0.5)


def table(m, seed, digits=3):
    F = np.random.default_rng(seed).normal(size=(m, m)).round(digits)
    np.fill_diagonal(F, np.nan)
    return F


@pytest.mark.parametrize(("p", "n"), [(3, 9), (9, 3), (6, 6), (1, 5)])
@pytest.mark.parametrize("theta", [0.1, 0.5, 0.83, 1.0])
def test_two_classes_are_those_of_hanley_and_mcneil(p, n, theta):
    counts = Order.of_values(np.repeat([1.0, 0.0], [p, n])).counts
    expected = hanley_mcneil_variance(theta, p, n)
    assert independent_variance(theta, counts) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("m", [2, 3, 10, 57])
def test_numbers_without_ties_and_signal_are_kendalls(m):
    counts = Order.of_values(np.random.default_rng(m).normal(size=m)).counts
    tau = 2.0 * (2 * m + 5) / (9 * m * (m - 1))  # of τ = 2C − 1
    assert independent_variance(0.5, counts) == pytest.approx(tau / 4)


@pytest.mark.parametrize(
    "y", [[0, 1, 2, 0, 1, 2, 2], [3, 1, 4, 1.5, 9, 2.6, 5], [0, 0, 0, 0, 1, 1]]
)
def test_against_loops(y):
    y = np.array(y, dtype=float)
    m = y.size
    F = table(m, seed=1, digits=0)
    order = Order.of_values(y)
    pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > y[j]]

    def won(a, b):
        return 1.0 if a > b else 0.5 if a == b else 0.0

    U = {(i, j): won(F[i, j], F[j, i]) for i, j in pairs}
    C = sum(U.values()) / len(pairs)
    assert order.concordance(games(F, order)) == pytest.approx(C)
    psi = [sum(U[g] - C for g in pairs if k in g) for k in range(m)]
    expected = m / (m - 1) * sum(v**2 for v in psi) / len(pairs) ** 2
    assert order.placement_variance(games(F, order)) == pytest.approx(expected)
    counts = order.counts
    assert counts.same_winner == sum(g[0] == h[0] and g != h for g in pairs for h in pairs)
    assert counts.same_loser == sum(g[1] == h[1] and g != h for g in pairs for h in pairs)
    assert counts.chains == sum(g[1] == h[0] or g[0] == h[1] for g in pairs for h in pairs)
    F = table(m, seed=2)  # no ties that rounding would decide
    d = np.nanmean(F, axis=1)
    without = []
    for k in range(m):
        left = [(i, j) for i, j in pairs if k not in (i, j)]
        shift = F[:, k] - d
        without.append(np.mean([won(F[i, j] + shift[i], F[j, i] + shift[j]) for i, j in left]))
    found = order.without_each(games(F, order), F)
    assert found == pytest.approx(without)
    without = np.array(without)
    expected = (m - 1) / m * np.sum((without - without.mean()) ** 2)
    evidence = measure_order(order, games(F, order), F, None, m - 1)
    assert evidence.jackknife_variance == pytest.approx(expected)


def test_two_classes_are_replayed_as_ever():
    is_positive = np.arange(14) % 3 == 0
    F = table(14, seed=3)
    order = Order.of_values(is_positive.astype(float))
    p, n = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    U = np.heaviside(F[np.ix_(p, n)] - F[np.ix_(n, p)].T, 0.5)
    own = games(F, order)
    assert order.without_each(own, F) == pytest.approx(auc_without_each(U, F, p, n))
    # DeLong divides by m+ − 1 and m− − 1, this by m − 1.
    parts = placements_of_games(U).variance
    expected = (
        14 / 13 * (parts.positive * (p.size - 1) / p.size + parts.negative * (n.size - 1) / n.size)
    )
    assert order.placement_variance(own) == pytest.approx(expected)


def test_groups_add_up_within():
    y = np.random.default_rng(0).normal(size=9)
    order, F, groups = Order.of_values(y), table(9, 4), np.arange(9) // 3
    U = games(F, order)
    C = order.concordance(U)
    psi = np.zeros(9)
    for i, j, u in zip(order.winner, order.loser, U, strict=True):
        psi[[i, j]] += u - C
    sums = psi.reshape(3, 3).sum(axis=1)
    expected = 3 / 2 * np.sum(sums**2) / U.size**2
    assert order.placement_variance(U, groups) == pytest.approx(expected)


@pytest.mark.parametrize("C", [0.0, 0.4, 0.9, 1.0])
def test_limits_solve_their_equation(C):
    counts = Order.of_values(np.arange(20.0)).counts
    low, high = order_interval(C, counts, 1.5, 1.96)
    assert 0 <= low <= C <= high <= 1
    assert low < high
    for theta in (low, high):
        if 0 < theta < 1:
            expected = 1.96**2 * 1.5 * independent_variance(theta, counts)
            assert (C - theta) ** 2 == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("C", [0.0, 0.4, 0.9, 1.0])
@pytest.mark.parametrize("size", [1e-3, 0.02])
def test_inflation_by_hand(C, size):
    order, moves = Order.of_values(np.arange(20.0)), np.full(20, size)
    without = C + size * np.arange(20.0)
    found = OrderEvidence(C, order.counts, moves, n_off_mode=19, without_each=without)
    placement = 20 / 19 * 20 * size**2
    jackknife = 19 / 20 * np.sum((without - without.mean()) ** 2)
    assert found.placement_variance == pytest.approx(placement)
    assert found.jackknife_variance == pytest.approx(jackknife)
    own = independent_variance(C, order.counts)
    expected = 1.0 if C in (0, 1) else max(1.0, np.sqrt(placement * jackknife) / own)
    assert found.phi() == pytest.approx(expected)


def test_times_by_hand():
    # A had the event at 2, B left then, C left at 1, D had it at 2, E at 3, F left at 5.
    time = np.array([2.0, 2.0, 1.0, 2.0, 3.0, 5.0])
    event = np.array([True, False, False, True, True, False])
    order = Order.of_times(time, event)
    # A and D beat B, E and F, not each other; E beats F. C is ordered with nobody.
    expected = [(0, 1), (0, 4), (0, 5), (3, 1), (3, 4), (3, 5), (4, 5)]
    assert list(zip(order.winner.tolist(), order.loser.tolist(), strict=True)) == expected
    assert order.n_units == 6
    assert levels_of_times(time, event).tolist() == [3, 2, 4, 3, 1, 0]


@pytest.mark.parametrize("case", CASES)
def test_times_against_scikit_survival(case):
    time, event = random_times(*case)
    scores = np.random.default_rng(case[-1]).normal(size=time.size).round(1)
    expected, concordant, discordant, tied, _ = concordance_index_censored(event, time, scores)
    order = Order.of_times(time, event)
    U = np.heaviside(scores[order.winner] - scores[order.loser], 0.5)
    assert order.winner.size == concordant + discordant + tied
    assert order.concordance(U) == pytest.approx(expected, abs=1e-12)
    found = concordance_of_scores(scores, levels_of_times(time, event), event)
    assert found == pytest.approx(expected, abs=1e-12)


def test_scores_in_blocks_against_all_at_once():
    rng = np.random.default_rng(0)
    m = 2100
    assert m**2 > BLOCK  # two blocks
    level, scores = rng.integers(0, 30, m), rng.normal(size=m).round(2)
    may_win, weight = rng.random(m) < 0.3, rng.integers(0, 3, m) / 7
    counts = (level[:, None] > level) & may_win[:, None]
    beats = np.heaviside(scores[:, None] - scores, 0.5)
    expected = np.sum(weight[:, None] * counts * beats) / np.sum(weight[:, None] * counts)
    assert concordance_of_scores(scores, level, may_win, weight) == pytest.approx(expected)
    assert concordance_of_scores(scores, level, may_win) == beats[counts].mean()
    alone = concordance_of_scores(scores, level, weight=may_win.astype(float))
    assert alone == beats[counts].mean()


def test_scores_of_which_none_should_win():
    level, scores = np.array([0, 1, 2]), np.array([0.0, 1.0, np.nan])
    nobody = np.zeros(3, dtype=bool)
    assert np.isnan(concordance_of_scores(scores, level, nobody))
    assert np.isnan(concordance_of_scores(scores, level, None, np.zeros(3)))
    # That of a unit without games may be anything.
    assert concordance_of_scores(scores, level, np.array([True, True, False])) == 1
    weight = np.array([1.0, 1.0, 0.0])
    assert concordance_of_scores(scores, level, ~nobody, weight) == 1


def weighted_table(seed, m=12):
    """Times, weights by winner of which some are 0, and a table of which a few games are missing.

    The table has no ties that rounding would decide.
    """
    rng = np.random.default_rng(seed)
    F = table(m, seed)
    for i, j in rng.integers(0, m, (4, 2)):
        F[i, j] = F[j, i] = np.nan
    order = Order.of_times(rng.integers(1, 8, m).astype(float), rng.random(m) < 0.6)
    return order, rng.integers(0, 4, m).astype(float), F


@pytest.mark.parametrize("seed", range(20))
def test_weighted_games_are_replayed_as_in_loops(seed):
    order, weight, F = weighted_table(seed)
    weight, m = weight / 3, order.n_units
    own = order.weighted(weight)
    assert (own.weight > 0).all()
    d = np.nanmean(F, axis=1)
    groups = np.arange(m) // 3

    def without(units, shift):
        wins = games = 0.0
        for i, j in zip(order.winner, order.loser, strict=True):
            if i in units or j in units or np.isnan(F[i, j]):
                continue
            gap = F[i, j] - F[j, i] + shift(i, j)
            wins, games = wins + weight[i] * (gap > 0), games + weight[i]
        return wins / games if games else np.nan

    def by_unit(k):
        def shift(i, j):
            both = (F[i, k] - d[i]) - (F[j, k] - d[j])
            return 0.0 if np.isnan(both) else both

        return shift

    def by_group(group):
        known = ~np.isnan(F) & (groups == group)
        means = np.nansum(np.where(known, F, 0.0), axis=1) / known.sum(axis=1)
        return lambda i, j: (means[i] - d[i]) - (means[j] - d[j])

    U = games(F, own)
    expected = [without([k], by_unit(k)) for k in range(m)]
    assert own.without_each(U, F) == pytest.approx(expected, nan_ok=True)
    expected = [without(np.flatnonzero(groups == g), by_group(g)) for g in range(4)]
    assert own.without_groups(U, F, groups) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("seed", range(20))
def test_a_weight_of_three_is_a_game_played_three_times(seed):
    order, weight, F = weighted_table(seed)
    own = order.weighted(weight)
    times = own.weight.astype(int)
    again = Order(np.repeat(own.winner, times), np.repeat(own.loser, times), own.n_units)
    U, V, groups = games(F, own), games(F, again), np.arange(12) // 4
    assert own.concordance(U) == pytest.approx(again.concordance(V))
    assert own.moves(U) == pytest.approx(again.moves(V))
    assert own.without_each(U, F) == pytest.approx(again.without_each(V, F), nan_ok=True)
    found = own.without_groups(U, F, groups)
    assert found == pytest.approx(again.without_groups(V, F, groups), nan_ok=True)


def test_the_scale_of_weights_does_not_matter():
    order, weight, F = weighted_table(0)
    one, other = order.weighted(weight), order.weighted(0.1 * weight)
    U = games(F, one)
    first, second = (measure_order(each, U, F, None, 11) for each in (one, other))
    assert first.limits(0.95) == pytest.approx(second.limits(0.95))


@pytest.mark.parametrize("seed", range(4))
def test_without_the_only_winner_nothing_is_left(seed):
    """Weights that add up to the total but for rounding are gone."""
    winner, loser = np.zeros(129, dtype=int), np.arange(1, 130)
    order = Order(winner, loser, 130, np.random.default_rng(seed).random(129))
    F = table(130, seed)
    assert np.flatnonzero(np.isnan(order.without_each(games(F, order), F))).tolist() == [0]
