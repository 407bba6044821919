"""Models with an L1 penalty behind all kinds of steps, and what it means to agree with refits."""

import warnings

import numpy as np
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

import tlpo

BEFORE = {
    "nothing": (),
    "StandardScaler": (StandardScaler(),),
    "not centred": (StandardScaler(with_mean=False),),
    "MinMaxScaler": (MinMaxScaler(feature_range=(-1, 2)),),
    "MaxAbsScaler": (MaxAbsScaler(),),
    "RobustScaler": (RobustScaler(),),
    "imputer": (SimpleImputer(strategy="median"), StandardScaler()),
}


def behind(before, model):
    return make_pipeline(*BEFORE[before], model) if BEFORE[before] else model


def lasso_of(before="nothing", share=1.0, **params):
    model = Lasso(**params) if share == 1.0 else ElasticNet(l1_ratio=share, **params)
    return behind(before, model)


lassos = st.builds(
    lasso_of,
    before=st.sampled_from(list(BEFORE)),
    share=st.sampled_from([1.0, 1.0, 0.5, 0.05]),
    alpha=st.sampled_from([1e-3, 0.01, 0.05, 0.2, 0.7, 2.0]),
    fit_intercept=st.sampled_from([True, True, False]),
    positive=st.sampled_from([False, False, True]),
    precompute=st.sampled_from([False, False, True]),
    tol=st.sampled_from([1e-4, 1e-2, 1e-6]),
    max_iter=st.sampled_from([1000, 1000, 5]),
)


# scikit-learn 1.8 replaced penalty="l1" by l1_ratio=1.
L1 = {"penalty": "l1"} if LogisticRegression().penalty == "l2" else {"l1_ratio": 1.0}


def logistic_of(before="nothing", **params):
    model = LogisticRegression(**{**L1, "solver": "liblinear", **params})
    return behind(before, model)


logistics = st.builds(
    logistic_of,
    before=st.sampled_from(list(BEFORE)),
    C=st.sampled_from([0.05, 0.3, 1.0, 10.0, 1000.0]),
    fit_intercept=st.sampled_from([True, True, False]),
    intercept_scaling=st.sampled_from([1, 1, 20.0]),
    class_weight=st.sampled_from([None, None, "balanced", {0: 3.0, 1: 0.5}]),
    tol=st.sampled_from([1e-4, 1e-2, 1e-6]),
    max_iter=st.sampled_from([1000, 1000, 5]),
    random_state=st.integers(0, 1000),
)


def with_gaps(X, seed=0):
    """Take a tenth of the cells away, but no column."""
    rng = np.random.default_rng(seed)
    X = X.copy()
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, np.isnan(X).all(axis=0)] = 0.0
    return X


def assert_same_games(estimator, X, y, engine, **options):
    """Every game as by refitting; returns the tournament, or None if the engine did not apply."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fast = tlpo.tournament(estimator, X, y, **options)
        if fast.engine != engine:
            assert fast.engine == "refit"
            assert fast.diagnostics.why_not_faster
            return None
        slow = tlpo.tournament(estimator, X, y, **{**options, "engine": "refit"})
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.n_ties == slow.n_ties
    return fast


def assert_same_with_gaps(estimator, problem, seed, engine):
    """Agree on a problem, with gaps if the estimator fills them."""
    X, y = problem
    if hasattr(estimator, "steps") and isinstance(estimator[0], SimpleImputer):
        X = with_gaps(X, seed)
    assert_same_games(estimator, X, y, engine)
