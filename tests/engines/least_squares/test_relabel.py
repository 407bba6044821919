"""Outcomes in other orders from one decomposition, against tournaments played by themselves."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge

import oracles
import tlpo
from oracles import blobs
from schemes.drawn import permuted_labels
from tlpo.engines.least_squares import relabel
from tlpo.engines.least_squares.engine import LeastSquares
from tlpo.engines.preparation.prepared import unprepared
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem


def test_a_permutation_test_with_groups_plays_in_closed_form():
    X, y = oracles.blobs(m=18)
    groups = np.arange(18) % 6
    options = {"n_permutations": 5, "groups": groups, "random_state": 0}
    fast = tlpo.permutation_test(tlpo.RLS(), X, y, **options)
    slow = tlpo.permutation_test(tlpo.RLS(), X, y, **options, engine="refit")
    assert (fast.engine, slow.engine) == ("least-squares", "refit")
    assert np.array_equal(fast.null_distribution, slow.null_distribution)


def test_sample_weights_stay_with_their_units():
    X, y = blobs(16, 3, seed=2)
    params = {"sample_weight": np.linspace(0.5, 2, 16)}
    test = tlpo.permutation_test(Ridge(), X, y, n_permutations=10, random_state=3, params=params)
    assert test.engine == "least-squares"
    for auc, labels in zip(test.null_distribution, permuted_labels(X, y, 10, 3), strict=True):
        assert auc == tlpo.tournament(Ridge(), X, labels, params=params).tlpo_auc


NASTY = {
    "tall": lambda X: X,
    "wide": lambda X: np.random.default_rng(0).normal(size=(len(X), 60)),
    "duplicates": lambda X: np.repeat(X[: len(X) // 2], 2, axis=0),
    "constant column": lambda X: np.column_stack([X, np.ones(len(X))]),
    "binary": lambda X: (X > 0).astype(float),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize(
    "estimator",
    [tlpo.RLS(), Ridge(alpha=0.5), KernelRidge(kernel="rbf", alpha=0.1)],
    ids=lambda e: type(e).__name__,
)
def test_shares_against_tournaments(estimator, kind, weighted):
    X, y = oracles.blobs(m=14, n=3, n_positive=6, seed=1)
    X = NASTY[kind](X)
    params = {"sample_weight": np.linspace(0.5, 2, 14)} if weighted else None
    rng = np.random.default_rng(2)
    orders = np.array([rng.permutation(14) for _ in range(5)])
    shared = LeastSquares(unprepared(estimator, make_problem(X, y, params=params))).reordering()
    for pairs, auc in (("all", lambda t: t.tlpo_auc), ("ordered", lambda t: t.lpo_auc)):
        found, n_doubtful = shared.shares(orders, pairs)
        # Identical units may be doubtful; such orders are played by themselves.
        sure = n_doubtful == 0
        assert sure.all() or kind in ("duplicates", "binary")
        played = [tlpo.tournament(estimator, X, y[own], params=params) for own in orders[sure]]
        assert found[sure].tolist() == [auc(t) for t in played]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize("n_values", [4, 1000])
@pytest.mark.parametrize(
    "estimator",
    [tlpo.RLS(), Ridge(alpha=0.5), KernelRidge(kernel="rbf", alpha=0.1)],
    ids=lambda e: type(e).__name__,
)
def test_shares_of_numbers_against_contests(estimator, n_values, kind, weighted):
    X, _ = oracles.blobs(m=14, n=3, n_positive=6, seed=1)
    X = NASTY[kind](X)
    rng = np.random.default_rng(2)
    y = rng.integers(0, n_values, 14) * 0.3 + 5.0
    params = {"sample_weight": np.linspace(0.5, 2, 14)} if weighted else None
    orders = np.array([rng.permutation(14) for _ in range(5)])
    options = ContestOptions(order=True, params=params)
    shared = Contest(estimator, X, y, options).reordering()
    found, n_doubtful = shared.shares(orders, "ordered")
    sure = n_doubtful == 0
    assert sure.all() or kind in ("duplicates", "binary")
    contests = [Contest(estimator, X, y[own], options) for own in orders[sure]]
    played = [contest.play(Schedule()).standings for contest in contests]
    expected = [one.concordance(c.outcome) for one, c in zip(played, contests, strict=True)]
    assert found[sure].tolist() == expected


@pytest.mark.parametrize(
    ("estimator", "options", "why"),
    [
        (LinearDiscriminantAnalysis(), {}, "whether it is well posed depends on the labels"),
        (tlpo.RLS(), {"groups": np.arange(14) // 2}, "games leave out more than two units"),
        (tlpo.RLS(), {"exclude": tlpo.Buffer(np.arange(14), 1)}, "the same"),
        (LinearRegression(), {"params": {"sample_weight": -np.ones(14)}}, "negative weights"),
    ],
)
def test_when_every_order_has_to_be_played_by_itself(estimator, options, why):
    X, y = oracles.blobs(m=14)
    assert (
        LeastSquares(unprepared(estimator, make_problem(X, y, **options))).reordering() is None
    ), why


def test_a_hat_matrix_that_is_too_large_is_not_kept(monkeypatch):
    X, y = oracles.blobs(m=14)
    monkeypatch.setattr(relabel, "HAT_BUDGET", 8 * 14 * 14 - 1)
    assert LeastSquares(unprepared(tlpo.RLS(), make_problem(X, y))).reordering() is None
    monkeypatch.setattr(relabel, "HAT_BUDGET", 8 * 14 * 14)
    shared = LeastSquares(unprepared(tlpo.RLS(), make_problem(X, y))).reordering()
    Z = np.column_stack([X, np.ones(14)])
    H = shared.sign * Z @ np.linalg.solve(Z.T @ Z + np.eye(4), Z.T)
    off = ~np.eye(14, dtype=bool)
    assert shared.H[off] == pytest.approx(H[off])
    assert shared.a == pytest.approx(1 - shared.sign * np.diag(H))


def test_doubtful_games_are_counted():
    """Unit 4 alone has the third feature: without it the least squares are undetermined."""
    X, y = oracles.blobs(m=14)
    X[:, 2] = np.arange(14) == 4
    shared = LeastSquares(unprepared(LinearRegression(), make_problem(X, y))).reordering()
    _, n_doubtful = shared.shares(np.arange(14)[None], "all")
    assert n_doubtful.tolist() == [13]
    _, n_doubtful = shared.shares(np.arange(14)[None], "ordered")
    assert n_doubtful.tolist() == [7]
