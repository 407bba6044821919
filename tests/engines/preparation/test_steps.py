"""Pipelines taken apart, against refits of the whole, and what is refused with which sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from scipy.special import expit
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, VarianceThreshold, r_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

import tlpo
from engines.agreement import assert_close
from tlpo.engines.least_squares.families import BEFORE_1_9
from tlpo.engines.preparation.prepared import Guard, Prepared
from tlpo.engines.preparation.steps import prepare
from tlpo.games.contest import Contest, ContestOptions
from tlpo.problem.problem import make_problem


def table(m=14, seed=0):
    """Patients with numbers, words, gaps, and a rare word."""
    rng = np.random.default_rng(seed)
    y = (np.arange(m) % 3 == 0).astype(int)
    X = pd.DataFrame(
        {
            "age": rng.normal(60, 10, m) + 5 * y,
            "grade": rng.integers(1, 5, m).astype(float),
            "sex": rng.choice(["f", "m"], m),
            "site": rng.choice(["a", "b", "c"], m, p=[0.6, 0.3, 0.1]),
        }
    )
    X.loc[0, "site"] = "only here"
    X.loc[[3, 8], "age"] = np.nan
    X.loc[5, "sex"] = None
    return X, y


NUMBERS, WORDS = ["age", "grade"], ["sex", "site"]


def words(**options):
    return make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(sparse_output=False, **options),
    )


def mixed(numbers, words, **options):
    return ColumnTransformer([("numbers", numbers, NUMBERS), ("words", words, WORDS)], **options)


FILL = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
KNOWN = {
    "as in tlpo run": mixed(FILL, words(handle_unknown="ignore")),
    "scaled after encoding": make_pipeline(
        mixed(SimpleImputer(), words(handle_unknown="ignore")), StandardScaler()
    ),
    "dropping the first category": mixed(FILL, words(handle_unknown="ignore", drop="first")),
    "merging rare categories": mixed(
        FILL, words(handle_unknown="infrequent_if_exist", min_frequency=4)
    ),
    "merging by share": mixed(
        FILL, words(handle_unknown="infrequent_if_exist", min_frequency=0.12)
    ),
    "the commonest word": mixed(
        FILL,
        make_pipeline(
            SimpleImputer(strategy="most_frequent"),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        ),
    ),
    "ordinal": mixed(
        FILL,
        make_pipeline(
            SimpleImputer(strategy="constant", fill_value="missing"),
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        ),
    ),
    "columns by their type": make_column_transformer(
        (FILL, make_column_selector(dtype_include=float)),
        (words(handle_unknown="ignore"), make_column_selector(dtype_exclude=float)),
    ),
    "dense by its density": ColumnTransformer(
        [
            ("numbers", FILL, NUMBERS),
            ("words", OneHotEncoder(handle_unknown="ignore"), WORDS),
        ],
        sparse_threshold=0.1,
    ),
    "remainder": make_column_transformer(
        (words(handle_unknown="ignore"), WORDS), remainder=SimpleImputer()
    ),
}


def assert_as_refitted(estimator, X, y):
    fast = tlpo.tournament(estimator, X, y)
    slow = tlpo.tournament(estimator, X, y, engine="refit")
    assert fast.engine == "least-squares", fast.diagnostics.why_not_faster
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties
    assert_close(fast.predictions, slow.predictions, rtol=1e-9)
    sets = [np.arange(k, len(y), 4) for k in range(4)]
    held_out = Contest(estimator, X, y).hold_out(sets, "sets")
    refitted = Contest(estimator, X, y, ContestOptions(engine="refit")).hold_out(sets, "sets")
    for own, expected in zip(held_out.responses, refitted.responses, strict=True):
        assert_close(own, expected, rtol=1e-9)
    return fast


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(KNOWN))
@pytest.mark.filterwarnings("ignore")  # of unknown categories, where refitted
def test_mixed_tables_against_refits(name):
    X, y = table()
    assert_as_refitted(make_pipeline(KNOWN[name], RidgeClassifier()), X, y)


@pytest.mark.filterwarnings("ignore")
def test_a_vanishing_category_is_refitted_only_where_it_matters():
    X, y = table(26)
    ignoring = make_pipeline(KNOWN["as in tlpo run"], RidgeClassifier())
    dropping = make_pipeline(KNOWN["dropping the first category"], RidgeClassifier())
    assert tlpo.tournament(ignoring, X, y).diagnostics.fits == 1
    # The categories "only here" and "missing" have one unit each: 25 + 24 games.
    assert tlpo.tournament(dropping, X, y).diagnostics.fits == 1 + 25 + 24


@pytest.mark.exhaustive
def test_an_unknown_category_that_is_an_error_is_one():
    X, y = table()
    estimator = make_pipeline(mixed(FILL, words()), RidgeClassifier())
    with pytest.raises(tlpo.GameError, match="unknown categories"):
        tlpo.tournament(estimator, X, y)
    skipped = tlpo.tournament(estimator, X, y, on_error="skip")
    assert skipped.diagnostics.pairs_failed == 13 + 12 + 11


ON_NUMBERS = {
    "every row by itself": [
        FunctionTransformer(np.abs),
        PolynomialFeatures(2),
        Normalizer(),
        StandardScaler(),
    ],
    "a ufunc of scipy": [FunctionTransformer(expit), StandardScaler()],
    "binarised": [Binarizer(threshold=0.2), StandardScaler()],
    "side by side": [
        FeatureUnion(
            [("a", StandardScaler()), ("b", MinMaxScaler()), ("c", "passthrough"), ("d", "drop")]
        )
    ],
    "one scaler after another": [MaxAbsScaler(), StandardScaler()],
    "nested": [Pipeline([("a", "passthrough"), ("b", make_pipeline(StandardScaler()))])],
    "constant columns": [VarianceThreshold(), StandardScaler()],
    "all of the best": [SelectKBest(k="all"), StandardScaler()],
    "scaled, then selected": [RobustScaler(), SelectKBest(k=2)],
}


SOME = ("nested", "scaled, then selected", "side by side")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for kind in ("array", "pandas") for name in sorted(ON_NUMBERS)]
    + [(name, kind) for kind in ("polars", "list") for name in SOME],
)
@pytest.mark.filterwarnings("ignore")  # of constant columns, by refits
def test_numbers_in_any_container_against_refits(name, kind):
    if BEFORE_1_9 and (name, kind) == ("side by side", "polars"):
        pytest.skip("scikit-learn 1.7 itself fails")
    rng = np.random.default_rng(1)
    y = np.arange(14) % 2
    X = rng.normal(size=(14, 3)) + 0.5 * y[:, None]
    X[:, 2] = 0.0
    X[4, 2] = 1.0
    if kind in ("pandas", "polars"):
        X = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind](
            {name: X[:, k] for k, name in enumerate("abc")}
        )
    elif kind == "list":
        X = X.tolist()
    with sklearn.config_context(transform_output="pandas" if kind == "pandas" else "default"):
        assert_as_refitted(make_pipeline(*ON_NUMBERS[name], RidgeClassifier()), X, y)


class Renamed(StandardScaler):
    """A subclass may do anything."""


def shift(X):
    return X - X.mean(axis=0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([PCA(2)], "PCA is fitted anew without every pair: it has no closed form."),
        ([Renamed()], "Renamed is fitted anew without every pair: it has no closed form."),
        (
            [FunctionTransformer(shift)],
            "A FunctionTransformer with a function of your own may look at all rows, so it has no "
            "closed form; NumPy's elementwise functions have one.",
        ),
        ([MinMaxScaler(clip=True)], "A MinMaxScaler that clips has no closed form."),
        (
            [StandardScaler(), PolynomialFeatures()],
            "PolynomialFeatures comes after a step that changes with the training set, which has "
            "no closed form.",
        ),
        (
            [StandardScaler(), MaxAbsScaler()],
            "MaxAbsScaler comes after another scaler, which has no closed form.",
        ),
        ([VarianceThreshold(0.1)], "A VarianceThreshold above 0 has no closed form."),
        ([SelectKBest(r_regression, k=1)],
         "SelectKBest has a closed form only with f_classif and f_regression."),
        ([SimpleImputer(missing_values=-1)],
         "A SimpleImputer has a closed form only for missing_values=nan."),
        ([OneHotEncoder(handle_unknown="ignore")],
         "The model gets a sparse matrix, for which there is no closed form."),
        (
            [ColumnTransformer([("a", StandardScaler(), lambda X: [0])])],
            "A ColumnTransformer that calls a function of yours has no closed form.",
        ),
        (
            [FeatureUnion([("a", StandardScaler())], transformer_weights={"a": 2.0})],
            "A FeatureUnion with transformer_weights has no closed form.",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_is_named(steps, reason):
    rng = np.random.default_rng(2)
    y = np.arange(14) % 2
    X = np.round(rng.normal(size=(14, 3)), 1)
    estimator = make_pipeline(*steps, RidgeClassifier())
    assert prepare(estimator, make_problem(X, y)) == reason
    t = tlpo.tournament(estimator, X, y)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", reason)


@pytest.mark.parametrize(
    ("X", "params", "reason"),
    [
        (sparse.csr_array(np.eye(12)), None,
         "Steps of a pipeline have no closed form on sparse data."),
        (np.eye(12, dtype=np.float32), None,
         "On data in single precision, steps are computed in single precision."),
        (np.array([["a", "b"]] * 12), None, "The features are not a matrix of numbers."),
        (np.where(np.eye(12) > 0, np.inf, 0.0), None, "The features have infinite values."),
        (np.where(np.eye(12) > 0, np.nan, 0.0), None, "Missing values reach StandardScaler."),
        (np.eye(12), {"ridgeclassifier__sample_weight": np.ones(12)},
         "The fit arguments ridgeclassifier__sample_weight of a pipeline have no closed form."),
    ],
)  # fmt: skip
def test_what_data_is_refused(X, params, reason):
    problem = make_problem(X, np.arange(12) % 2, params=params)
    assert prepare(make_pipeline(StandardScaler(), RidgeClassifier()), problem) == reason


def test_an_estimator_that_stands_alone_is_left_alone():
    problem = make_problem(np.eye(12), np.arange(12) % 2)
    model = RidgeClassifier()
    bare = prepare(model, problem)
    assert bare.model is model
    assert bare.problem is problem
    wrapped = Pipeline([("a", "passthrough"), ("b", model)])
    assert prepare(wrapped, problem).model is model
    assert prepare(wrapped, problem).whole is wrapped


def test_guards_by_hand():
    # Units 0 and 1 share a category; unit 2 has one of its own.
    problem = make_problem(np.eye(6), np.arange(6) % 2)
    guards = (
        Guard(np.array([1.0, 1, 0, 0, 0, 0]), 2.0),
        Guard(np.array([0.0, 0, 1, 0, 0, 0]), 1.0, empties=True),
    )
    prepared = Prepared(None, problem, None, problem, None, guards)
    sets = np.array([[0, 1], [0, 3], [2, 3], [3, 4]])
    assert prepared.are_exceptions(sets).tolist() == [True, False, True, False]
    assert prepared.are_exceptions(sets, notices_empty=False).tolist() == [
        True,
        False,
        False,
        False,
    ]
    assert prepared.has_exceptions(2, notices_empty=False)
    assert not prepared.has_exceptions(1, notices_empty=False)
    assert prepared.is_exception(np.array([2, 3, 4, 5]))
    assert not prepared.is_exception(np.array([1, 2, 2, 3]))


@pytest.mark.exhaustive
def test_the_commonest_word_of_several_is_the_first_in_the_alphabet():
    """Whichever comes first in the table: without a unit the other one may be filled in."""
    X = pd.DataFrame(
        {
            "x": np.random.default_rng(0).normal(size=16),
            "site": ["e", "f", "e", "c", "e", "", "c", "d", "a", "c", "c", "g", "e", "a", "a", ""],
        }
    )
    X["site"] = X["site"].replace("", np.nan)
    y = np.arange(16) % 2
    words = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    prepared = ColumnTransformer([("x", StandardScaler(), ["x"]), ("words", words, ["site"])])
    assert_as_refitted(make_pipeline(prepared, RidgeClassifier()), X, y)
