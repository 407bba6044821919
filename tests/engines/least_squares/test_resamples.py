"""Fits on units drawn with repetition against the estimator's own, where rounding would be seen."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from engines.agreement import assert_close
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions

Y = np.arange(14) % 2
EVERYONE = np.arange(14)


def constant_but_for_one():
    """A column that is constant in every training set without unit 11."""
    X = np.random.default_rng(0).normal(size=(14, 3))
    X[:, 0] = 0.0
    X[11, 0] = 1.0
    X[2::5] = np.nan
    return X


def nearly_constant():
    X = np.random.default_rng(1).normal(size=(14, 2))
    X[:, 0] = 1.0 + 1e-9 * X[:, 0]
    return X


@pytest.mark.filterwarnings("ignore:UserWarning, 12 times")  # singular, says KernelRidge
@pytest.mark.parametrize(
    ("model", "X"),
    [
        (make_pipeline(SimpleImputer(), LinearRegression()), constant_but_for_one()),
        (
            make_pipeline(SimpleImputer(strategy="most_frequent"), LinearRegression()),
            constant_but_for_one(),
        ),
        (make_pipeline(SimpleImputer(), Ridge()), constant_but_for_one()),
        (
            make_pipeline(StandardScaler(with_mean=False), KernelRidge(alpha=1e-6)),
            nearly_constant(),
        ),
    ],
    ids=["mean", "most frequent", "ridge", "nearly constant"],
)
def test_rounding_of_nearly_constant_columns_is_left_to_refits(model, X):
    rng = np.random.default_rng(2)
    drawn = [rng.integers(14, size=14) for _ in range(12)]
    fits = [Fit(train, EVERYONE) for train in drawn]
    assert any(11 not in train for train in drawn)
    fast, slow = (
        Contest(model, X, Y, ContestOptions(engine=engine)).fit(fits, "fits", "Fits")
        for engine in ("least-squares", "refit")
    )
    for own, expected in zip(fast.responses, slow.responses, strict=True):
        assert_close(own, expected, rtol=1e-7)


def test_columns_of_very_different_size_are_left_to_refits():
    """Without a penalty scikit-learn drops what is small beside the largest column."""
    x = 1e-7 * np.random.default_rng(3).normal(size=14)
    X = np.column_stack([x, x**2, x**3])
    rng = np.random.default_rng(4)
    fits = [Fit(rng.integers(14, size=14), EVERYONE) for _ in range(12)]
    fast, slow = (
        Contest(LinearRegression(), X, Y, ContestOptions(engine=engine)).fit(fits, "fits", "Fits")
        for engine in ("auto", "refit")
    )
    for own, expected in zip(fast.responses, slow.responses, strict=True):
        np.testing.assert_array_equal(np.argsort(own), np.argsort(expected))


@pytest.mark.filterwarnings("ignore")  # of the F statistics
def test_selection_among_nearly_constant_columns_is_left_to_refits():
    """Large means cost scikit-learn the digits of their F statistics."""
    rng = np.random.default_rng(5)
    X = np.column_stack([1.0 + 1e-9 * rng.normal(size=14), rng.normal(size=(14, 2))])
    model = make_pipeline(SelectKBest(k=1), RidgeClassifier())
    fits = [Fit(rng.integers(14, size=14), EVERYONE) for _ in range(20)]
    fast, slow = (
        Contest(model, X, Y, ContestOptions(engine=engine)).fit(fits, "fits", "Fits")
        for engine in ("auto", "refit")
    )
    for own, expected in zip(fast.responses, slow.responses, strict=True):
        np.testing.assert_allclose(own, expected, rtol=1e-7, atol=1e-9)
