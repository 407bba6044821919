"""Which estimators and problems the closed form covers, and what it says of the others."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor, LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel

import tlpo
from engines.agreement import make
from tlpo.engines.least_squares import engine as least_squares
from tlpo.engines.preparation.prepared import unprepared
from tlpo.problem.problem import make_problem


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


class Renamed(Ridge):
    """A subclass might override predict."""


def why_not(estimator, X=None, **kwargs):
    data, y = make("plain", 12, 3, 6, 0.5, seed=15)
    problem = make_problem(data if X is None else X(data), y, **kwargs)
    return least_squares.ENGINE.why_not(unprepared(estimator, problem))


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
            "Class weights change with the training set.",
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


@pytest.mark.parametrize("estimator", [HuberRegressor(), Renamed()])
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
        "Use engine='auto', which uses an exact engine or refits."
    )


def test_problems_it_refuses():
    assert why_not(Ridge(), groups=np.arange(12) // 2) is None
    assert why_not(Ridge(), params={"check": 1}) == (
        "The closed form does not cover the fit arguments check."
    )
    assert why_not(Ridge(), X=sparse.csr_matrix).startswith("On sparse data")
    assert why_not(Ridge(), X=pd.DataFrame) is None


def test_an_unknown_parameter_is_refused(monkeypatch):
    from tlpo.engines.least_squares import families

    monkeypatch.setitem(families._PARAMETERS, Ridge, ["alpha", "brand_new"])
    assert why_not(Ridge()) == "The closed form of Ridge does not cover its parameter 'brand_new'."


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (
            lambda X: np.where(X[3, 1] == X, np.nan, X),
            "A fit of the estimator itself fails: ValueError: Input X contains NaN.",
        ),
        (
            lambda X: X[:, 0].tolist(),
            "A fit of the estimator itself fails: ValueError: Expected 2D array, got 1D array "
            "instead.",
        ),
    ],
)
def test_asking_by_name_raises_the_reason(spoil, reason):
    X, y = make("plain", 12, 3, 6, 0.5, seed=16)
    with pytest.raises(tlpo.EngineError) as caught:
        tlpo.tournament(Ridge(), spoil(X), y, engine="least-squares")
    assert str(caught.value) == (
        "Engine 'least-squares' does not apply.\n"
        f"{reason}\n"
        "Use engine='auto', which uses an exact engine or refits."
    )


@pytest.mark.parametrize(
    ("value", "reason"),
    [(0.0, "sample weights that are positive"), (-1.0, "A fit of the estimator itself fails")],
)
def test_weights_it_leaves_to_refitting(value, reason):
    X, y = make("plain", 12, 3, 6, 0.5, seed=18)
    weight = np.where(np.arange(12) == 2, value, 1.0)
    with pytest.raises(tlpo.EngineError, match=reason):
        tlpo.tournament(Ridge(), X, y, params={"sample_weight": weight}, engine="least-squares")


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
