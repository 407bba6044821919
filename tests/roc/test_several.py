"""The interval of Hand and Till's M against the formulas of docs/multiclass.md, by plain loops."""

import numpy as np
import pytest
from scipy.stats import t
from sklearn.naive_bayes import GaussianNB

import tlpo


@pytest.fixture(params=[(5, 9, 7, 12), (6, 6, 6)], ids=str)
def played(request):
    sizes = request.param
    code = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).normal(size=(code.size, 3)) + np.eye(4)[code][:, 1:]
    return tlpo.multiclass(GaussianNB(), X, code)


def independent_variance(k, theta):
    """V₀: games that share a unit, listed one by one."""
    code, K = k.outcome.code, len(k.outcome.names)
    sizes = np.bincount(code)
    games = [(i, j) for i in range(code.size) for j in range(i) if code[i] != code[j]]
    weights = [2 / (K * (K - 1) * sizes[code[i]] * sizes[code[j]]) for i, j in games]
    win, lose = 2 * theta**2 / (1 + theta) - theta**2, theta / (2 - theta) - theta**2
    total = 0.0
    for own, a in zip(games, weights, strict=True):
        for other, b in zip(games, weights, strict=True):
            shared = len({*own} & {*other})
            total += a * b * (0.0, (win + lose) / 2, theta * (1 - theta))[shared]
    return total


def test_variance_of_independent_scores_against_a_list_of_games(played):
    found = played._evidence.own_variance
    assert found == pytest.approx(independent_variance(played, played.auc), rel=1e-9)


def test_placement_variance_against_loops(played):
    code, H = played.outcome.code, played._games.results
    K, shares = len(played.outcome.names), played.shares.to_numpy()
    expected = 0.0
    for a in range(K):
        size = np.sum(code == a)
        for i in np.flatnonzero(code == a):
            psi = 0.0
            for b in set(range(K)) - {a}:
                of_b = np.flatnonzero(code == b)
                psi += np.mean([(H[a][i, j] + H[b][j, i]) / 2 for j in of_b])
                psi -= (shares[a, b] + shares[b, a]) / 2
            expected += (2 / (K * (K - 1)) * psi) ** 2 / (size * (size - 1))
    assert played._evidence.placement_variance == pytest.approx(expected, rel=1e-9)


def test_limits_solve_their_equation(played):
    interval, auc = played.auc_interval(), played.auc
    variance = np.sqrt(interval.placement_variance * interval.jackknife_variance)
    phi = variance / independent_variance(played, auc)
    assert interval.phi == pytest.approx(phi)
    quantile = t.ppf(0.975, played.outcome.sizes.min() - 1)
    for limit in interval:
        expected = quantile**2 * phi * independent_variance(played, limit)
        assert (auc - limit) ** 2 == pytest.approx(expected, rel=1e-6)
