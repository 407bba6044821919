"""The closed form against refitting, game for game."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracles
import tlpo
from engines.agreement import assert_close, assert_same_games, make, problems
from tlpo.engines import doubts
from tlpo.engines.least_squares import certified
from tlpo.engines.least_squares import engine as least_squares
from tlpo.engines.least_squares.hat import Factor
from tlpo.problem.problem import make_problem

ALPHAS = [0.0, 1e-8, 1e-3, 1.0, 1e3, 1e10]
ESTIMATORS = {
    "rls": tlpo.RLS,
    "ridge": Ridge,
    "ridge-svd": lambda alpha: Ridge(alpha, solver="svd"),
    "ridge-no-intercept": lambda alpha: Ridge(alpha, fit_intercept=False),
    "ridge-classifier": RidgeClassifier,
    "ols": lambda _: LinearRegression(),
    "ols-no-intercept": lambda _: LinearRegression(fit_intercept=False),
    "kernel-rbf": lambda alpha: KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3),
    "kernel-linear": lambda alpha: KernelRidge(alpha=alpha),
    "kernel-poly": lambda alpha: KernelRidge(alpha=alpha, kernel="poly", degree=2),
    "lda-svd": lambda _: LinearDiscriminantAnalysis(),
    "lda-lsqr": lambda _: LinearDiscriminantAnalysis(solver="lsqr"),
    "lda-eigen": lambda _: LinearDiscriminantAnalysis(solver="eigen"),
}
WEIGHTED = [name for name in ESTIMATORS if not name.startswith("lda")]


@pytest.mark.filterwarnings("ignore")  # singular fits warn when they are refitted
@settings(max_examples=200, deadline=None)
@given(problems, st.sampled_from(list(ESTIMATORS)), st.sampled_from(ALPHAS), st.integers(0, 3))
def test_games_against_refits(problem, name, alpha, weighting):
    X, y = problem
    params = None
    if weighting == 0 and name in WEIGHTED:
        weight = np.random.default_rng(len(y)).uniform(0.1, 3.0, len(y))
        params = {"sample_weight": weight}
    try:
        assert_same_games(ESTIMATORS[name](alpha), X, y, "least-squares", params)
    except tlpo.GameError:  # scikit-learn itself refuses, e.g. a kernel that overflows
        return


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("shape", [(14, 3), (14, 30)])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_ordinary_problems_are_not_refitted(name, shape, alpha):
    X, y = make("plain", *shape, 6, 0.5, seed=3)
    if name.startswith("lda") and shape[1] > shape[0]:
        return  # discriminant analysis needs more units than features
    assert assert_same_games(ESTIMATORS[name](alpha), X, y, "least-squares")


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


@pytest.mark.parametrize("m", [200, 1000])
@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("name", ["rls", "ridge", "ridge-no-intercept", "ols", "lda-svd"])
def test_certified_games_against_all_games(name, shift, m, monkeypatch):
    X, y = make("plain", m, 5, m // 3, shift, seed=6)
    X[5] = X[6]
    X[7] *= 30  # a unit with leverage
    monkeypatch.setattr(certified, "_is_cheaper_in_blocks", lambda *_: False)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 100)
    estimator, engine = ESTIMATORS[name](1.0), "least-squares"
    pruned = tlpo.tournament(estimator, X, y, engine=engine)
    pair = tlpo.leave_pair_out(estimator, X, y, engine=engine)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 10**9)
    full = tlpo.tournament(estimator, X, y, engine=engine)
    assert np.array_equal(pruned.standings.wins, full.standings.wins)
    assert pruned.n_ties == full.n_ties >= 1
    assert pair.auc == full.lpo_auc
    assert full.diagnostics.games_evaluated == m * (m - 1) // 2
    assert pruned.diagnostics.games_evaluated < full.diagnostics.games_evaluated


def test_certified_games_against_all_games_at_5000_units(monkeypatch):
    X, y = make("plain", 5000, 8, 2000, 0.4, seed=7)
    pruned = tlpo.tournament(tlpo.RLS(), X, y)
    assert pruned.diagnostics.games_evaluated < 100 * 5000
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 10**9)
    full = tlpo.tournament(tlpo.RLS(), X, y)
    assert np.array_equal(pruned.standings.wins, full.standings.wins)
    assert pruned.n_ties == full.n_ties


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


def test_too_many_doubtful_games_are_left_to_refitting(monkeypatch):
    X, y = make("plain", 20, 3, 10, 0.5, seed=10)
    X[:, 2] = 0.0
    X[4, 2] = 1.0
    monkeypatch.setattr(doubts, "MOST_REFITS", 5)
    t = tlpo.tournament(LinearRegression(), X, y)
    assert t.engine == "refit"
    assert "Rounding would decide 19 games" in t.diagnostics.why_not_faster
    monkeypatch.setattr(doubts, "MOST_GAMES", 5)  # too many to refit all
    t = tlpo.tournament(LinearRegression(), X, y)
    assert t.engine == "least-squares"
    assert t.diagnostics.warnings == ("19 games that rounding would decide count as ties.",)


def test_predictions_come_when_asked_for():
    X, y = make("plain", 30, 4, 12, 0.5, seed=11)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    assert t.table.compute is not None
    slow = tlpo.tournament(tlpo.RLS(), X, y, engine="refit")
    assert t.predictions == pytest.approx(slow.predictions, nan_ok=True)
    assert t.table.compute is None
    again = pickle.loads(pickle.dumps(t))
    assert np.array_equal(again.predictions, t.predictions, equal_nan=True)
    assert tlpo.tournament(tlpo.RLS(), X, y, predictions=False).predictions is None


def test_precomputed_and_callable_kernels():
    X, y = make("plain", 20, 3, 8, 0.5, seed=12)
    K = rbf_kernel(X, gamma=0.3)
    by_name = tlpo.tournament(KernelRidge(kernel="rbf", gamma=0.3), X, y)
    for estimator, given_X in (
        (KernelRidge(kernel="precomputed"), K),
        (KernelRidge(kernel=_rbf, kernel_params={"gamma": 0.3}), X),
    ):
        t = tlpo.tournament(estimator, given_X, y)
        assert t.engine == "least-squares"
        assert np.array_equal(t.standings.wins, by_name.standings.wins)
    skew = K + np.triu(np.full((20, 20), 0.01), 1)
    t = tlpo.tournament(KernelRidge(kernel="precomputed"), skew, y)
    assert t.diagnostics.why_not_faster.startswith("The kernel matrix is not symmetric.")


def _rbf(x, z, gamma):
    return np.exp(-gamma * np.sum((x - z) ** 2))


def test_h_is_never_stored_when_units_outnumber_features(monkeypatch):
    """The blocks of H that are played are narrow, and the decomposition keeps m × n numbers."""
    X, y = make("plain", 2000, 5, 800, 0.0, seed=13)
    largest = []
    original = Factor.row_blocks

    def watched(self, entries):
        for start, rows in original(self, entries):
            largest.append(rows.size)
            yield start, rows

    monkeypatch.setattr(Factor, "row_blocks", watched)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 10**9)
    tlpo.tournament(tlpo.RLS(), X, y)
    assert max(largest) <= least_squares.ROWS_ENTRIES < 2000**2


@pytest.mark.parametrize("rounds", ["refine", "plain", "qr"])
def test_every_way_to_decompose_gives_the_same_hat(rounds, monkeypatch):
    from tlpo.engines.least_squares import hat

    X, y = make("plain", 60, 5, 30, 0.5, seed=14)
    X[:, 4] = X[:, 3] + 1e-3 * X[:, 4]
    signs = np.where(y == 1, 1.0, -1.0)
    expected = hat.factorise(X, signs, 0.1, "free")
    monkeypatch.setattr(hat, "QR_ENTRIES", 0)
    monkeypatch.setattr(hat, "BLOCK", 7)
    monkeypatch.setattr(hat, "REFINE_BEYOND", 1.0 if rounds == "refine" else 1e30)
    monkeypatch.setattr(hat, "QR_BEYOND", 1.0 if rounds == "qr" else 1e30)
    other = hat.factorise(X, signs, 0.1, "free")
    assert other.a == pytest.approx(expected.a, abs=1e-9)
    assert other.u == pytest.approx(expected.u, abs=1e-9)
    units = np.array([3, 50, 7])
    assert other.block(units) == pytest.approx(expected.block(units), abs=1e-9)


# --- when it does not apply


class Renamed(Ridge):
    """A subclass might override predict."""


def why_not(estimator, X=None, **kwargs):
    data, y = make("plain", 12, 3, 6, 0.5, seed=15)
    problem = make_problem(data if X is None else X(data), y, **kwargs)
    return least_squares.ENGINE.why_not(estimator, problem)


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (Ridge(solver="saga"), "A closed form would differ from the iterative solver 'saga'."),
        (Ridge(positive=True), "Coefficients that must be positive have no closed form."),
        (
            LinearRegression(positive=True),
            "Coefficients that must be positive have no closed form.",
        ),
        (
            Ridge(alpha=[1.0, 2.0]),
            "The closed form of Ridge needs one non-negative penalty.",
        ),
        (
            RidgeClassifier(class_weight="balanced"),
            "Class weights change with the training set, which the closed form does not know.",
        ),
        (
            LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
            "Discriminant analysis with shrinkage is not least squares.",
        ),
        (
            LinearDiscriminantAnalysis(priors=[0.5, 0.5]),
            "Discriminant analysis with given priors is not least squares.",
        ),
    ],
)
def test_estimators_it_refuses(estimator, reason):
    assert why_not(estimator) == reason


@pytest.mark.parametrize(
    "estimator", [Lasso(), Renamed(), make_pipeline(StandardScaler(), Ridge())]
)
def test_estimators_it_does_not_know(estimator):
    X, y = make("plain", 12, 3, 6, 0.5, seed=15)
    name = type(estimator).__name__
    t = tlpo.tournament(estimator, X, y)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", f"No exact engine plays {name}.")
    with pytest.raises(tlpo.EngineError) as caught:
        tlpo.tournament(estimator, X, y, engine="least-squares")
    assert str(caught.value) == (
        "Engine 'least-squares' does not apply.\n"
        f"It does not play estimators of type {name}.\n"
        "Use engine='auto', which takes an exact engine or refits."
    )


def test_problems_it_refuses():
    assert why_not(Ridge(), groups=np.arange(12) // 2) is None
    assert why_not(Ridge(), params={"check": 1}) == (
        "The closed form does not know the fit arguments check."
    )
    assert why_not(Ridge(), X=sparse.csr_matrix).startswith("On sparse data")
    assert why_not(Ridge(), X=np.float32) == (
        "On data in single precision Ridge computes in single precision."
    )
    assert why_not(tlpo.RLS(), X=np.float32) is None
    assert why_not(Ridge(), X=pd.DataFrame) is None


def test_an_unknown_parameter_is_refused(monkeypatch):
    from tlpo.engines.least_squares import families

    monkeypatch.setitem(families._PARAMETERS, Ridge, ["alpha", "brand_new"])
    assert why_not(Ridge()) == "The closed form of Ridge does not know its parameter 'brand_new'."


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda X: np.where(X[3, 1] == X, np.nan, X), "X has missing or infinite values."),
        (lambda X: X[:, 0].tolist(), "X is not a matrix of numbers."),
    ],
)
def test_asking_by_name_raises_the_reason(spoil, reason):
    X, y = make("plain", 12, 3, 6, 0.5, seed=16)
    with pytest.raises(tlpo.EngineError) as caught:
        tlpo.tournament(Ridge(), spoil(X), y, engine="least-squares")
    assert str(caught.value) == (
        "Engine 'least-squares' does not apply.\n"
        f"{reason}\n"
        "Use engine='auto', which takes an exact engine or refits."
    )


def test_auto_records_why_it_refits():
    X, y = make("plain", 12, 3, 6, 0.5, seed=17)
    t = tlpo.tournament(Ridge(positive=True), X, y)
    assert t.engine == "refit"
    assert t.diagnostics.why_not_faster == (
        "Coefficients that must be positive have no closed form."
    )
    assert tlpo.tournament(Ridge(), X, y).diagnostics.why_not_faster is None


@pytest.mark.parametrize("weight", [np.zeros(12), -np.ones(12), np.full(12, np.nan)])
def test_weights_it_leaves_to_refitting(weight):
    X, y = make("plain", 12, 3, 6, 0.5, seed=18)
    weight = np.where(np.arange(12) == 2, weight, 1.0)
    with pytest.raises(tlpo.EngineError, match="sample weights that are positive"):
        tlpo.tournament(Ridge(), X, y, params={"sample_weight": weight}, engine="least-squares")


def test_evaluate_uses_the_closed_form():
    X, y = oracles.blobs(m=40)
    table = tlpo.evaluate(tlpo.RLS(), X, y, schemes=("tlpo", "lpo", "loo", "kfold-pooled"))
    assert table["fits"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.filterwarnings("ignore")
def test_two_units_that_alone_keep_the_classes_from_a_perfect_fit(solver):
    """Without the two the first feature is the label, and scikit-learn may refuse to fit."""
    X = np.array(
        [[0, 0], [1, 1], [0, 1], [1, 1], [1, 1], [0, 0], [1, 0], [0, 1], [1, 1]] * 2, float
    )
    y = X[:, 0].astype(int)
    y[[6, 15]] = 0
    model = LinearDiscriminantAnalysis(solver=solver)
    auto = tlpo.tournament(model, X, y, on_error="skip")
    slow = tlpo.tournament(model, X, y, on_error="skip", engine="refit")
    assert auto.engine == "refit"
    assert "fitted perfectly" in auto.diagnostics.why_not_faster
    assert np.array_equal(auto.standings.games, slow.standings.games)
    assert slow.diagnostics.pairs_failed == (solver == "eigen")
