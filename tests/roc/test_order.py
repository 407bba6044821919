"""Concordance of any order: two classes and numbers are what they are known to be."""

import numpy as np
import pytest

from tlpo.roc.intervals import hanley_mcneil_variance
from tlpo.roc.order import Order, OrderEvidence, independent_variance, measure_order, order_interval
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
