"""Fills, shifts and scales without some units, against scikit-learn fitted without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from engines.agreement import problems
from tlpo.engines.preparation.columns import Columns
from tlpo.engines.preparation.stage import Stage
from tlpo.engines.preparation.steps import pass_through

SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler((2.0, 5.0)),
    MaxAbsScaler(),
    RobustScaler(),
    RobustScaler(quantile_range=(5.0, 60.0), unit_variance=True),
]
STRATEGIES = ["mean", "median", "most_frequent"]


def prepared_by(columns, train, test):
    fitted = columns.fit_on(train)
    return columns.prepared(fitted, 0, test), fitted.growth[0]


def prepared_without(columns, units):
    fitted = columns.fit_without(units[None, :])
    everyone = np.arange(columns.n_units)
    return columns.prepared(fitted, 0, everyone), fitted.growth[0]


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=50, deadline=None)
@given(
    problems,
    st.sampled_from(range(len(SCALERS))),
    st.sampled_from([None, *STRATEGIES]),
    st.integers(1, 4),
    st.integers(0, 999),
    st.booleans(),
)
def test_without_units_and_on_units_against_scikit_learn(data, which, fill, size, seed, condition):
    X, _ = data
    rng = np.random.default_rng(seed)
    scaler = SCALERS[which]
    steps = [scaler]
    if fill is not None:
        X = X.copy()
        X[rng.random(X.shape) < 0.15] = np.nan
        X[:2] = np.where(np.isnan(X[:2]), 1.0, X[:2])
        if isinstance(scaler, RobustScaler):
            steps = []  # order statistics of filled columns have no closed form
        steps = [SimpleImputer(strategy=fill), *steps]
    stage = Stage(X)
    for step in steps:
        stage = pass_through(step, stage)
    columns = stage.as_columns()
    if condition:
        columns = columns.conditioned(shift_matters=True)
    out = rng.choice(len(X), size=size, replace=False)
    train = np.setdiff1d(np.arange(len(X)), out)
    drawn = rng.choice(train, size=len(X))
    for own, growth, on in (
        (*prepared_without(columns, out), train),
        (*prepared_by(columns, drawn, np.arange(len(X))), drawn),
    ):
        if not np.isfinite(growth) or np.isnan(X[on]).all(axis=0).any():
            continue
        expected = make_pipeline(*steps).fit(X[on]).transform(X)
        scale = np.maximum(1.0, np.abs(expected))
        assert np.max(np.abs(own - expected) / scale) < 1e-6 * growth


@settings(max_examples=20, deadline=None)
@given(problems, st.integers(0, 999))
@pytest.mark.filterwarnings("ignore")
def test_selection_against_scikit_learn(data, seed):
    X, y = data
    if X.shape[1] < 2:
        return
    columns = pass_through(SelectKBest(k=1), Stage(X)).as_columns().conditioned(shift_matters=False)
    rng = np.random.default_rng(seed)
    out = rng.choice(len(X), size=2, replace=False)
    train = np.setdiff1d(np.arange(len(X)), out)
    if len(np.unique(y[train])) < 2:
        return
    fitted, signs = columns.fit_without(out[None, :]), np.where(y == 1, 1.0, -1.0)
    chosen, is_clear = columns.best_without(out[None, :], signs, fitted)
    plain = columns.best_on(train, signs, columns.fit_on(train))
    expected = SelectKBest(k=1).fit(X[train], y[train]).get_support(indices=True)
    if is_clear[0]:
        assert chosen[0].tolist() == expected.tolist()
    if plain is not None:
        assert plain.tolist() == expected.tolist()


@settings(max_examples=20, deadline=None)
@given(problems, st.integers(0, 999), st.sampled_from([None, "mean", "median"]))
@pytest.mark.filterwarnings("ignore")
def test_selection_by_correlation_against_scikit_learn(data, seed, fill):
    X, _ = data
    if X.shape[1] < 2:
        return
    rng = np.random.default_rng(seed)
    y = X[:, 0] / max(1.0, np.abs(X[:, 0]).max()) + rng.normal(size=len(X))
    steps = [SelectKBest(f_regression, k=1)]
    if fill is not None:
        X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
        steps = [SimpleImputer(strategy=fill), *steps]
    stage = Stage(X)
    for step in steps:
        stage = pass_through(step, stage)
    columns = stage.as_columns().conditioned(shift_matters=False)
    out = rng.choice(len(X), size=2, replace=False)
    train = np.setdiff1d(np.arange(len(X)), out)
    if np.isnan(X[train]).all(axis=0).any():
        return
    fitted = columns.fit_without(out[None, :])
    chosen, is_clear = columns.best_without(out[None, :], y, fitted)
    plain = columns.best_on(train, y, columns.fit_on(train))
    selector = make_pipeline(*steps).fit(X[train], y[train])[-1]
    expected = selector.get_support(indices=True)
    if is_clear[0]:
        assert chosen[0].tolist() == expected.tolist()
    if plain is not None:
        assert plain.tolist() == expected.tolist()


def test_what_an_outlier_hides_is_not_answered():
    X = np.random.default_rng(0).normal(size=(20, 1))
    X[3] = 1e12
    columns = pass_through(StandardScaler(), Stage(X)).as_columns().conditioned(True)
    growth = columns.fit_without(np.array([[3, 4], [4, 5]])).growth
    assert np.isinf(growth[0])
    assert growth[1] < 10


def test_a_column_constant_without_a_pair_is_not_scaled():
    X = np.full((10, 1), 4.0)
    X[[2, 5]] = 9.0
    columns = pass_through(StandardScaler(), Stage(X)).as_columns()
    assert columns.fit_without(np.array([[2, 5]])).scale.tolist() == [[1.0]]
    assert columns.fit_without(np.array([[2, 4]])).scale[0, 0] == pytest.approx(
        np.delete(X, [2, 4]).std()
    )


@pytest.mark.parametrize("scaler", [MinMaxScaler(), MaxAbsScaler(), RobustScaler()])
@pytest.mark.parametrize("size", [1e-18, 1e-16, 0.9e-15, 5e-15, 1e-12])
@pytest.mark.parametrize("offset", [0.0, 1e-14])
def test_ranges_that_scikit_learn_takes_for_zero(scaler, size, offset):
    X = offset + size * np.random.default_rng(1).uniform(-1, 1, size=(12, 3))
    columns = pass_through(scaler, Stage(X)).as_columns().conditioned(shift_matters=True)
    out = np.array([2, 7])
    train = np.setdiff1d(np.arange(12), out)
    expected = scaler.fit(X[train]).transform(X)
    for own, growth in (
        prepared_without(columns, out),
        prepared_by(columns, train, np.arange(12)),
    ):
        assert np.isfinite(growth)
        assert np.abs(own - expected).max() < 1e-12 * growth * np.abs(expected).max()


def test_a_range_that_only_rounding_makes_zero_is_not_answered():
    X = np.linspace(0.0, 10.0 * np.finfo(float).eps, 9)[:, None]
    columns = pass_through(MinMaxScaler(), Stage(X)).as_columns()
    assert np.isinf(columns.fit_without(np.array([[3, 4]])).growth[0])
    assert np.isinf(columns.fit_on(np.arange(9)).growth[0])


def test_rounding_grows_far_from_zero():
    X = 1.0 + 1e-9 * np.random.default_rng(2).normal(size=(12, 1))
    out = np.array([[2, 7]])

    def growth(scaler, shift_matters):
        columns = pass_through(scaler, Stage(X)).as_columns().conditioned(shift_matters)
        both = columns.fit_without(out).growth[0], columns.fit_on(np.arange(12)).growth[0]
        assert both[0] == pytest.approx(both[1], rel=0.5)
        return both[0]

    assert growth(MinMaxScaler(), False) > 1e8
    assert growth(RobustScaler(), False) > 1e8
    assert growth(StandardScaler(), False) < 10
    assert growth(StandardScaler(), True) > 1e7


def test_taken_and_joined_columns_keep_their_treatment():
    X = np.arange(12.0).reshape(4, 3)
    scaled = pass_through(MinMaxScaler(), Stage(X)).as_columns()
    both = Columns.join([scaled.take(np.array([2])), Columns.of_matrix(X[:, :1])])
    prepared = both.prepared(both.fit_on(np.arange(4)), 0, np.arange(4))
    assert prepared[:, 0].tolist() == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])
    assert prepared[:, 1].tolist() == X[:, 0].tolist()
    assert both.matrix.tolist() == X[:, [2, 0]].tolist()
