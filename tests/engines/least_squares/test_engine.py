"""The closed form against refitting, game for game."""

import pickle

import joblib
import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression

import oracles
import tlpo
from engines.agreement import assert_close, assert_same_games, make, problems
from engines.least_squares.learners import ALPHAS, ESTIMATORS, WEIGHTED
from tlpo.engines.least_squares import certified
from tlpo.engines.least_squares import engine as least_squares
from tlpo.engines.least_squares.families import BEFORE_1_9
from tlpo.games.contest import Contest, ContestOptions


def assert_plays(problem, name, alpha, weighting):
    X, y = problem
    params = None
    if weighting == 0 and name in WEIGHTED:
        weight = np.random.default_rng(len(y)).uniform(0.1, 3.0, len(y))
        params = {"sample_weight": weight}
    try:
        assert_same_games(ESTIMATORS[name](alpha), X, y, "least-squares", params)
    except tlpo.GameError:  # scikit-learn itself refuses, e.g. a kernel that overflows
        reject()


examples = given(
    problems, st.sampled_from(list(ESTIMATORS)), st.sampled_from(ALPHAS), st.integers(0, 3)
)


@pytest.mark.filterwarnings("ignore")  # singular fits warn when they are refitted
@settings(max_examples=20, deadline=None)
@examples
def test_games_against_refits(problem, name, alpha, weighting):
    assert_plays(problem, name, alpha, weighting)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=80, deadline=None)
@examples
def test_many_games_against_refits(problem, name, alpha, weighting):
    assert_plays(problem, name, alpha, weighting)


@pytest.mark.exhaustive
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        (name, shape)
        for name in ESTIMATORS
        for shape in ((14, 3), (14, 30))
        # Discriminant analysis needs more units than features.
        if shape[0] > shape[1] or not name.startswith("lda")
        # Before scikit-learn 1.9 it predicts by rounding here: it is refitted.
        if shape[0] > shape[1] or not (BEFORE_1_9 and name == "ols")
    ],
)
def test_ordinary_problems_are_not_refitted(name, shape, alpha):
    X, y = make("plain", *shape, 6, 0.5, seed=3)
    assert assert_same_games(ESTIMATORS[name](alpha), X, y, "least-squares")


def test_wide_least_squares_depends_on_rounding_before_1_9():
    """Why it is refitted there: the order of the rows changes predictions."""
    X, y = make("plain", 12, 30, 6, 0.5, seed=3)
    X += 100.0
    turned = LinearRegression().fit(X[::-1], y[::-1]).predict(X + 0.5)
    moved = np.abs(LinearRegression().fit(X, y).predict(X + 0.5) - turned).max()
    assert (moved > 1e-3) == BEFORE_1_9
    assert moved < 1e-9 or BEFORE_1_9


@pytest.mark.parametrize("name", ["rls", "ridge", "ridge-classifier", "kernel-rbf", "lda-svd"])
def test_identical_units_always_tie(name):
    X, y = make("plain", 20, 3, 10, 0.5, seed=4)
    X[10:] = X[:10]
    for scale in (1e-8, 1.0, 1e8):
        t = tlpo.tournament(ESTIMATORS[name](1.0), X * scale, y)
        F = t.predictions
        assert np.array_equal(
            np.diag(F[:10, 10:]) == pytest.approx(np.diag(F[10:, :10]), rel=1e-9), True
        )
        assert t.n_ties >= 10


@pytest.mark.parametrize("name", ["rls", "ridge", "kernel-rbf"])
def test_all_units_equal(name):
    y = np.arange(11) % 2
    t = tlpo.tournament(ESTIMATORS[name](1.0), np.full((11, 3), 2.5), y)
    assert t.engine == "least-squares"
    assert t.n_ties == 55
    assert t.auc == t.lpo_auc == 0.5


@pytest.mark.parametrize("name", ["rls", "ridge", "ols", "kernel-rbf", "lda-svd"])
@pytest.mark.parametrize("kind", ["plain", "duplicates", "integers"])
def test_order_of_rows_does_not_matter(name, kind):
    X, y = make(kind, 40, 4, 15, 0.5, seed=5)
    order = np.random.default_rng(0).permutation(40)
    t = tlpo.tournament(ESTIMATORS[name](1.0), X, y)
    shuffled = tlpo.tournament(ESTIMATORS[name](1.0), X[order], y[order])
    assert np.array_equal(shuffled.standings.wins, t.standings.wins[order])


@pytest.mark.parametrize("name", ["rls", "kernel-rbf"])
def test_any_number_of_threads_gives_the_same(name, monkeypatch):
    monkeypatch.setattr(least_squares, "GAMES_A_THREAD", 100)
    monkeypatch.setattr(certified, "CANDIDATES_A_THREAD", 100)
    monkeypatch.setattr(least_squares, "ROWS_ENTRIES", 5000)
    monkeypatch.setattr("tlpo.execution.threads._cores", lambda: 4)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 100)
    X, y = make("integers", 300, 4, 100, 0.5, seed=8)
    results = [
        tlpo.tournament(ESTIMATORS[name](1.0), X, y, n_jobs=n_jobs) for n_jobs in (1, 2, 3, None)
    ]
    with joblib.parallel_config("loky", n_jobs=2):
        results.append(tlpo.tournament(ESTIMATORS[name](1.0), X, y))
    for t in results[1:]:
        assert np.array_equal(t.standings.wins, results[0].standings.wins)
        assert t.n_ties == results[0].n_ties


@pytest.mark.parametrize("name", ESTIMATORS)
def test_leave_one_out_and_folds_against_refits(name):
    X, y = make("plain", 30, 4, 12, 0.5, seed=9)
    for scheme, options in (
        (tlpo.leave_one_out, {}),
        (tlpo.kfold, {"n_splits": 5, "random_state": 0}),
    ):
        fast = scheme(ESTIMATORS[name](0.5), X, y, **options)
        slow = scheme(ESTIMATORS[name](0.5), X, y, engine="refit", **options)
        assert_close(fast.scores, slow.scores, rtol=1e-9)
        assert fast.diagnostics.fits == 1 < slow.diagnostics.fits
        assert fast.auc == slow.auc


@pytest.mark.parametrize("name", ["rls", "ridge", "kernel-rbf"])
def test_weights_in_folds_against_refits(name):
    X, y = make("plain", 30, 4, 12, 0.5, seed=9)
    params = {"sample_weight": np.linspace(0.2, 3, 30)}
    options = {"n_splits": 5, "random_state": 0, "params": params}
    fast = tlpo.kfold(ESTIMATORS[name](0.5), X, y, **options)
    slow = tlpo.kfold(ESTIMATORS[name](0.5), X, y, engine="refit", **options)
    assert_close(fast.scores, slow.scores, rtol=1e-9)


def test_folds_that_empty_a_direction_are_refitted():
    X, y = make("plain", 20, 3, 10, 0.5, seed=10)
    X[:, 2] = 0.0
    X[4, 2] = 1.0  # unit 4 alone has the third feature: its leverage is one
    loo = tlpo.leave_one_out(LinearRegression(), X, y)
    assert loo.engine == "refit"
    assert "unit 4" in loo.diagnostics.why_not_faster
    # in the tournament only its own games are refitted
    t = tlpo.tournament(LinearRegression(), X, y)
    slow = tlpo.tournament(LinearRegression(), X, y, engine="refit")
    assert t.engine == "least-squares"
    assert t.diagnostics.fits == 1 + 19
    assert np.array_equal(t.standings.wins, slow.standings.wins)
    assert_close(t.predictions, slow.predictions)


def test_predictions_come_when_asked_for():
    X, y = make("plain", 30, 4, 12, 0.5, seed=11)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    assert t._table.compute is not None
    slow = tlpo.tournament(tlpo.RLS(), X, y, engine="refit")
    assert t.predictions == pytest.approx(slow.predictions, nan_ok=True)
    assert t._table.compute is None
    again = pickle.loads(pickle.dumps(t))
    assert np.array_equal(again.predictions, t.predictions, equal_nan=True)
    assert tlpo.tournament(tlpo.RLS(), X, y, predictions=False).predictions is None


def test_evaluate_uses_the_closed_form():
    X, y = oracles.blobs(m=40)
    table = tlpo.evaluate(tlpo.RLS(), X, y, schemes=("tlpo", "lpo", "loo", "kfold-pooled"))
    assert table["fits"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("alpha", "X"),
    [
        (100.0, 1e-9 * np.random.default_rng(0).normal(size=(8, 3))),
        (1e-6, np.array([[1.0], [1.0], [2.0], [2.0], [-1.0], [-1.0], [3.0], [3.0]])),
    ],
    ids=["tiny features", "nothing to learn"],
)
def test_held_out_responses_as_small_as_rounding_are_left_to_refits(alpha, X):
    """Their order is that of the estimator's own rounding."""
    y = np.arange(8) % 2
    pairs = [np.array([k, k + 1]) for k in range(0, 8, 2)]
    own, expected = (
        Contest(KernelRidge(alpha=alpha), X, y, ContestOptions(engine=engine)).hold_out(
            pairs, "pairs"
        )
        for engine in ("auto", "refit")
    )
    assert own.engine == "refit"
    for found, right in zip(own.responses, expected.responses, strict=True):
        np.testing.assert_array_equal(found, right)
