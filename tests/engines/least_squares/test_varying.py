"""Least squares behind steps that change with the training set, against refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

import tlpo
from engines.agreement import assert_close, assert_same_games, make, problems
from tlpo.engines.least_squares import pairs
from tlpo.engines.least_squares.families import BEFORE_1_9
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions

MODELS = {
    "ridge": lambda alpha: RidgeClassifier(alpha=alpha),
    "balanced": lambda alpha: RidgeClassifier(alpha=alpha, class_weight="balanced"),
    "weighted": lambda alpha: RidgeClassifier(alpha=alpha, class_weight={1: 3.0}),
    "no intercept": lambda alpha: Ridge(alpha=alpha, fit_intercept=False),
    "rls": lambda alpha: tlpo.RLS(alpha),
    "kernel": lambda alpha: KernelRidge(alpha=alpha),
    "lda": lambda _: LinearDiscriminantAnalysis(),
    "ols": lambda _: LinearRegression(),
}
STEPS = {
    "nothing": [],
    "standard": [StandardScaler()],
    "only scaled": [StandardScaler(with_mean=False)],
    "only centred": [StandardScaler(with_std=False)],
    "min-max": [MinMaxScaler((-1.0, 3.0))],
    "max-abs": [MaxAbsScaler()],
    "robust": [RobustScaler(quantile_range=(10.0, 75.0), unit_variance=True)],
    "selection": [StandardScaler(), SelectKBest(k=1)],
    "variance": [VarianceThreshold(), StandardScaler()],
}
FILLS = {
    "mean": SimpleImputer(),
    "median": SimpleImputer(strategy="median", add_indicator=True),
    "most frequent": SimpleImputer(strategy="most_frequent", keep_empty_features=True),
    "constant": SimpleImputer(strategy="constant", fill_value=2.0),
}


def pipeline(steps, model):
    return make_pipeline(*steps, model) if steps else model


def assert_plays(data, steps, model, alpha):
    X, y = data
    estimator = pipeline(STEPS[steps], MODELS[model](alpha))
    try:
        slow = tlpo.tournament(estimator, X, y, engine="refit")
    except tlpo.GameError:  # scikit-learn itself fails
        return
    assert_same_games(estimator, X, y, "least-squares", slow=slow)


examples = given(
    problems,
    st.sampled_from(sorted(STEPS)),
    st.sampled_from(sorted(MODELS)),
    st.sampled_from([1e-6, 1e-2, 1.0, 1e6]),
)


@pytest.mark.filterwarnings("ignore")  # refits of ill-posed training sets warn
@settings(max_examples=5, deadline=None)
@examples
def test_games_against_refits(data, steps, model, alpha):
    assert_plays(data, steps, model, alpha)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=15, deadline=None)
@examples
def test_many_games_against_refits(data, steps, model, alpha):
    assert_plays(data, steps, model, alpha)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=10, deadline=None)
@given(
    problems,
    st.sampled_from(sorted(FILLS)),
    st.sampled_from(["nothing", "standard", "min-max", "selection"]),
    st.sampled_from(["ridge", "balanced", "rls", "lda"]),
    st.sampled_from([0.05, 0.3]),
    st.integers(0, 99),
)
def test_games_with_missing_cells_against_refits(data, fill, steps, model, share, seed):
    X, y = data
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    estimator = make_pipeline(FILLS[fill], *STEPS[steps], MODELS[model](1.0))
    try:
        slow = tlpo.tournament(estimator, X, y, engine="refit")
    except tlpo.GameError:  # a training set without any column
        return
    assert_same_games(estimator, X, y, "least-squares", slow=slow)


@pytest.mark.exhaustive
@pytest.mark.parametrize("steps", sorted(STEPS))
@pytest.mark.parametrize("model", sorted(MODELS))
@pytest.mark.parametrize("n", [4, 30])
def test_held_out_sets_resamples_and_groups_against_refits(steps, model, n):
    X, y = make("plain", 14, n, 6, 0.5, seed=3)
    X[:, 1] = np.round(X[:, 1])
    estimator = pipeline(STEPS[steps], MODELS[model](0.5))
    sets = [*(np.array([k]) for k in range(14)), *(np.arange(k, 14, 4) for k in range(4))]
    rng = np.random.default_rng(0)
    everyone = np.arange(14)
    fits = [Fit(everyone, everyone), *(Fit(rng.integers(0, 14, 14), everyone) for _ in range(8))]
    groups = np.arange(14) // 2
    if has_no_closed_form(steps, model, n):
        assert tlpo.tournament(estimator, X, y, groups=groups).diagnostics.why_not_faster
        return
    fast, slow = (
        Contest(estimator, X, y, ContestOptions(engine=e)) for e in ("least-squares", "refit")
    )
    for one, other in (
        (fast.hold_out(sets, "sets"), slow.hold_out(sets, "sets")),
        (fast.fit(fits, "fits", "Fits"), slow.fit(fits, "fits", "Fits")),
    ):
        for own, expected in zip(one.responses, other.responses, strict=True):
            assert_close(own, expected, rtol=1e-8)
    one = tlpo.tournament(estimator, X, y, groups=groups, engine="least-squares")
    other = tlpo.tournament(estimator, X, y, groups=groups, engine="refit")
    assert np.array_equal(one.standings.wins, other.standings.wins)
    assert_close(one.predictions, other.predictions, rtol=1e-8)


def has_no_closed_form(steps, model, n):
    if steps == "selection":
        return model == "rls"
    is_saturated = n == 30 and model in ("lda", "ols")
    return is_saturated and (BEFORE_1_9 or (model, steps) != ("ols", "nothing"))


@pytest.mark.exhaustive
def test_listed_games_and_exclusions_against_refits():
    X, y = make("plain", 20, 3, 10, 0.5, seed=4)
    estimator = make_pipeline(StandardScaler(), RidgeClassifier())
    options = {"rounds": 6, "random_state": 1}, {"exclude": tlpo.Buffer(np.arange(20), 1.5)}
    for option in options:
        fast = tlpo.tournament(estimator, X, y, **option)
        slow = tlpo.tournament(estimator, X, y, engine="refit", **option)
        assert fast.engine == "least-squares"
        assert np.array_equal(fast.standings.wins, slow.standings.wins)


def test_a_column_that_one_pair_makes_constant():
    X, y = make("plain", 16, 3, 8, 0.5, seed=5)
    X[:, 1] = 0.0
    X[[2, 9], 1] = 1.0
    X[:, 2] = 7.0
    X[4, 2] = 1e9  # hides the variance of the others, which is 0
    t = tlpo.tournament(make_pipeline(StandardScaler(), RidgeClassifier()), X, y)
    assert_same_games(make_pipeline(StandardScaler(), RidgeClassifier()), X, y, "least-squares")
    assert t.engine == "least-squares"


def test_an_outlier_that_hides_the_variance_of_its_column_is_refitted():
    X, y = make("plain", 16, 3, 8, 0.5, seed=6)
    X[4, 2] = 1e12
    estimator = make_pipeline(StandardScaler(), RidgeClassifier())
    t = tlpo.tournament(estimator, X, y)
    assert t.diagnostics.fits == 1 + 15  # the games of one unit
    assert_same_games(estimator, X, y, "least-squares")


def test_compiled_solution_against_numpy():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(12, 4)), np.where(np.arange(12) % 2, 1.0, -1.0)
    A, b = X.T @ X + np.eye(4), X.T @ y
    f, error = np.empty(3), np.empty(3)
    U = np.triu(A)
    explained, trace = pairs.predict_set(
        U, b.copy(), X[:3], np.zeros(4), 0.25, 12.0, np.diag(A), 1e-14, True, f, error
    )
    w = np.linalg.solve(A, b)
    assert np.allclose(f, 0.25 + X[:3] @ w, rtol=1e-12)
    assert np.isclose(explained, b @ w)
    size = np.sqrt(np.diag(A))
    assert np.isclose(trace, np.trace(np.linalg.inv(A / size / size[:, None])))
    assert (np.abs(f - 0.25 - X[:3] @ w) <= error).all()


def test_a_singular_training_set_is_not_answered():
    f, error = np.empty(1), np.empty(1)
    A, one = np.ones((2, 2)), np.ones(2)
    explained, trace = pairs.predict_set(
        A, one.copy(), np.ones((1, 2)), np.zeros(2), 0.0, 2.0, one, 1e-14, True, f, error
    )
    assert np.isnan(explained)
    assert np.isinf([trace, error[0]]).all()


@pytest.mark.parametrize(
    ("estimator", "X", "reason"),
    [
        (
            make_pipeline(StandardScaler(), KernelRidge(kernel="rbf")),
            None,
            "A kernel of columns that change with the training set has no closed form.",
        ),
        (
            make_pipeline(StandardScaler(), RidgeClassifier(class_weight={1: 0.0})),
            np.random.default_rng(0).normal(size=(20, 40)),
            "With more features than units, every class weight must be positive.",
        ),
        (
            make_pipeline(SimpleImputer(), LinearRegression()),
            np.where(np.eye(20, 40) == 1, np.nan, np.arange(800.0).reshape(20, 40) % 7),
            "With more features than units and no penalty there is no closed form.",
        ),
    ],
)
def test_what_has_no_closed_form(estimator, X, reason):
    plain, y = make("plain", 20, 3, 10, 0.5, seed=8)
    t = tlpo.tournament(estimator, plain if X is None else X, y, rounds=2, random_state=0)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", reason)


@pytest.mark.filterwarnings("ignore")
def test_a_column_that_separates_the_classes_is_selected_as_scikit_learn_does():
    """Without variance inside the classes its F is rounding: scikit-learn's may be negative."""
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1])
    X = np.ones((14, 5))
    X[[1, 3, 4, 11], 0] = X[[3, 4, 5], 1] = X[[5, 11, 13], 2] = X[[3, 4, 5, 11, 13], 3] = 0.0
    X[[2, 3], 4] = 0.0
    # No power of two, so that sums are rounded.
    X *= np.arcsinh(1.0)
    estimator = make_pipeline(StandardScaler(with_mean=False), SelectKBest(k=1), Ridge(1e-6))
    fast = tlpo.tournament(estimator, X, y)
    slow = tlpo.tournament(estimator, X, y, engine="refit")
    assert fast.engine == "least-squares"
    assert np.array_equal(fast.win_matrix(), slow.win_matrix(), equal_nan=True)


def nearly_constant():
    X, y = make("plain", 13, 4, 6, 0.5, seed=1)
    X[:, 0] = 1.0 + 1e-9 * X[:, 0]
    return X, y


def nearly_constant_and_many_columns():
    X, y = make("plain", 13, 26, 6, 0.5, seed=0)
    X[:, 0] = 1.0 + 1e-9 * X[:, 0]
    return X, y


def tiny_products():
    X, y = make("times 1e-8", 13, 3, 6, 0.5, seed=0)
    return PolynomialFeatures().fit_transform(X), y


def same_sign_but_for_one_group():
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1, 1, 0])
    X = np.ones((10, 1))
    X[[0, 2, 6]] = -1.0
    return X, y


def coinciding_and_many_columns():
    X, y = make("binary", 15, 8, 7, 0.5, seed=47)
    X[[5, 7]], X[9], X[11] = X[3], X[8], X[10]
    return PolynomialFeatures().fit_transform(X), y


def few_are_left():
    X = [[1, 0, 0, 0, 1, 0], [-1, 0.9, 0, 1, 0, 0], [1.4, 0.9, 0.9, 0, 0, 1]]
    X += [[0.9, 0, -1.4, 1, 0, 0], [0.9, 0, -0.9, 1, 0, 0], [-0.9, 0, -1.4, 1, 0, 0]]
    X += [[0, 0, 0.9, 0, 1, 0], [0, 0, -0.9, 0, 0, 1]]
    return np.array(X), np.array([0, 0, 0, 1, 1, 1, 0, 1])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("estimator", "data", "groups"),
    [
        (make_pipeline(VarianceThreshold(), LinearRegression()), nearly_constant(), None),
        (
            make_pipeline(VarianceThreshold(), KernelRidge(alpha=1e-6)),
            make("offset", 11, 2, 5, 0.5, seed=0),
            None,
        ),
        (
            RidgeClassifier(alpha=1e-6, class_weight="balanced"),
            same_sign_but_for_one_group(),
            np.array([4, 1, 4, 3, 0, 3, 4, 0, 1, 3]),
        ),
        (tlpo.RLS(1e-6), coinciding_and_many_columns(), None),
        # The mean of the first column is rounded, and the penalty is as small.
        (
            make_pipeline(StandardScaler(), KernelRidge(alpha=1e-6)),
            nearly_constant_and_many_columns(),
            None,
        ),
        # To scikit-learn the range of squares is zero.
        (
            make_pipeline(RobustScaler(), RidgeClassifier(class_weight={1: 3.0})),
            tiny_products(),
            None,
        ),
        # All predictions nearly the same: one gap is the widest tie, to the last digit but one.
        (RidgeClassifier(0.01), make("times 1e-8", 16, 13, 5, 0.5, seed=90074), None),
        (
            make_pipeline(
                StandardScaler(),
                RidgeClassifier(1e-6, class_weight="balanced", fit_intercept=False),
            ),
            make("mixed scales", 13, 39, 5, 0.5, seed=73),
            None,
        ),
        # Without two groups, two units are left to fit six coefficients.
        (
            make_pipeline(RobustScaler(), RidgeClassifier(1e-6, class_weight={1: 3.0})),
            few_are_left(),
            np.array([3, 2, 0, 0, 2, 1, 2, 0]),
        ),
    ],
)
def test_what_rounding_would_decide_is_refitted(estimator, data, groups):
    """The estimator's own rounding too: it drops directions, and solves by units."""
    X, y = data
    fast = tlpo.tournament(estimator, X, y, groups=groups)
    slow = tlpo.tournament(estimator, X, y, groups=groups, engine="refit")
    assert fast.engine == "least-squares"
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.win_matrix(), slow.win_matrix(), equal_nan=True)
