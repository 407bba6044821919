"""Which precision an estimator computes in, for every container of numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_array

import tlpo
from tlpo.engines.matrix import is_double, matrix_of
from tlpo.errors import EngineError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(14, 3))
Y = np.arange(14) % 2
FRAME = pd.DataFrame(X, columns=list("abc"))

NARROW = {
    "array": X.astype(np.float32),
    "half": X.astype(np.float16),
    "frame": FRAME.astype(np.float32),
    "frame of half": FRAME.astype(np.float16),
    "with small integers": FRAME.astype(np.float32).assign(d=np.arange(14, dtype=np.int8)),
    "nullable": FRAME.astype("Float32"),
    "arrow": FRAME.astype("float[pyarrow]"),
    "sparse columns": FRAME.astype(pd.SparseDtype(np.float32)),
    "categories": FRAME.astype(np.float32).round().astype("category"),
    "polars": pl.DataFrame(FRAME).cast(pl.Float32),
    "rows of a list": list(X.astype(np.float32)),
    "numbers of a list": [[np.float32(v) for v in row] for row in X],
    "sparse": sparse.csr_matrix(X.astype(np.float32)),
    "extended": X.astype(np.longdouble),
}
DOUBLE = {
    "array": X,
    "whole numbers": np.arange(28).reshape(14, 2),
    "yes and no": X > 0,
    "frame": FRAME,
    "mixed": FRAME.assign(d=np.arange(14), e="word"),
    "nullable": FRAME.astype("Float64").assign(d=pd.array([1] * 14, dtype="Int32")),
    "arrow": FRAME.astype("double[pyarrow]"),
    "polars": pl.DataFrame(FRAME),
    "lists": X.tolist(),
    "objects": X.astype(np.float32).astype(object),
    "sparse": sparse.csr_matrix(X),
}


@pytest.mark.parametrize("name", NARROW)
def test_other_precision_is_seen(name):
    assert not is_double(NARROW[name])


@pytest.mark.parametrize("name", DOUBLE)
def test_double_precision_is_seen(name):
    assert is_double(DOUBLE[name])


@pytest.mark.parametrize("name", [n for n in DOUBLE if n != "mixed"])
def test_what_is_double_is_double_to_scikit_learn(name):
    seen = check_array(DOUBLE[name], accept_sparse=True, dtype=[np.float64, np.float32])
    assert seen.dtype == np.float64


# Their responses to these data differ between single and double precision.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        LogisticRegression(),
        LinearRegression(),
        RidgeCV(),
        KNeighborsClassifier(3, weights="distance"),
        make_pipeline(StandardScaler(), LinearRegression()),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["frame", "nullable", "polars", "rows of a list", "half"])
def test_games_in_other_precision_against_refits(estimator, name):
    fast = tlpo.tournament(estimator, NARROW[name], Y)
    slow = tlpo.tournament(estimator, NARROW[name], Y, engine="refit")
    assert fast.engine == "refit"
    assert "precision" in fast.diagnostics.why_not_faster
    np.testing.assert_array_equal(fast.predictions, slow.predictions)


def test_weights_in_single_precision_are_left_to_refits():
    weight = {"sample_weight": np.linspace(1, 2, 14).astype(np.float32)}
    why = tlpo.tournament(GaussianNB(), X, Y, params=weight).diagnostics.why_not_faster
    assert why == "GaussianNB computes in the precision of sample_weight, which is not double."


def test_our_learners_compute_in_double_precision_whatever_the_data():
    for learner in (tlpo.RLS(), tlpo.InverseDistanceKNN()):
        fast = tlpo.tournament(learner, NARROW["frame"], Y)
        slow = tlpo.tournament(learner, NARROW["frame"], Y, engine="refit")
        assert fast.engine != "refit"
        np.testing.assert_allclose(fast.predictions, slow.predictions, rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (X + 1j, "X is not a matrix of numbers, but of type complex128."),
        (X.astype("S"), "X is not a matrix of numbers, but of type |S32."),
        ([[1.0], [1.0, 2.0]], "X is not a matrix of numbers: "),
        ([["a"], ["b"]], "X is not a matrix of numbers, but of type <U1."),
        (np.array([["a"], ["b"]], dtype=object), "X is not a matrix of numbers: "),
        (np.ones(3), "X is not a matrix of numbers."),
        (np.ones((3, 0)), "X is not a matrix of numbers."),
        (X * np.inf, "X has missing or infinite values."),
        (np.asmatrix(X), "X is a numpy.matrix, which scikit-learn does not take."),
    ],
)
def test_what_is_no_matrix_is_named(given, reason):
    with pytest.raises(EngineError) as caught:
        matrix_of(given)
    assert str(caught.value).startswith(reason)
