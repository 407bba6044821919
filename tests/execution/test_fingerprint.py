"""What tells one run from another, in this process and in the next."""

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import oracles
import tlpo
from tlpo.execution.fingerprint import describe_fully, digest, fingerprint
from tlpo.games.schedule import all_pairs
from tlpo.problem.problem import make_problem


class Power:
    """A function with a state."""

    def __init__(self, k):
        self.k = k

    def __call__(self, X):
        return X**self.k

    def apply(self, X):
        return X**self.k


def power(X, k):
    return X**k


def held(k):
    def inner(X):
        return inner if X is None else X**k

    return inner


def scaled(function):
    return make_pipeline(FunctionTransformer(function), LogisticRegression())


def columns(mask):
    return make_column_transformer((StandardScaler(), mask), remainder="drop")


def grid(values):
    return GridSearchCV(LogisticRegression(), {"C": values}, cv=KFold(3))


MASK = np.arange(1500) == 3
DATA = np.random.default_rng(0).normal(size=(20, 3))
# Two estimators that differ, and how.
DIFFERENT = {
    "lambda": (scaled(lambda X: X), scaled(lambda X: X**2)),
    "constant of a lambda": (scaled(lambda X: X**2), scaled(lambda X: X**3)),
    "closure": (scaled(held(1)), scaled(held(2))),
    "default": (scaled(lambda X, k=1: X**k), scaled(lambda X, k=2: X**k)),
    "partial": (scaled(partial(power, k=1)), scaled(partial(power, k=2))),
    "callable": (scaled(Power(1)), scaled(Power(2))),
    "bound method": (scaled(Power(1).apply), scaled(Power(2).apply)),
    "ufunc": (scaled(np.log1p), scaled(np.expm1)),
    "long mask": (columns(MASK), columns(np.roll(MASK, 1))),
    "array in a list": (grid([np.ones(2000)]), grid([np.ones(2000) + MASK.size * 1e-12])),
    "digits in a dict": (grid(np.logspace(0, 2, 5)), grid(np.logspace(0, 2, 5) * (1 + 1e-12))),
    "frame": (grid(pd.Series([1.0, 2.0])), grid(pd.Series([1.0, 2.5]))),
    "splitter": (
        GridSearchCV(LogisticRegression(), {}, cv=KFold(3)),
        GridSearchCV(LogisticRegression(), {}, cv=KFold(4)),
    ),
    "frozen state": (
        make_pipeline(FrozenEstimator(PCA(1).fit(DATA)), LogisticRegression()),
        make_pipeline(FrozenEstimator(PCA(1).fit(DATA[:10])), LogisticRegression()),
    ),
    "random state": (
        LogisticRegression(random_state=np.random.RandomState(0)),
        LogisticRegression(random_state=np.random.RandomState(1)),
    ),
    "nested": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), LogisticRegression(C=1.0000001)),
    ),
    "set": (scaled({"a", "b", "c"}), scaled({"a", "b", "d"})),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_other_parameters_are_told_apart(what):
    one, other = DIFFERENT[what]
    assert describe_fully(one) != describe_fully(other)
    assert describe_fully(one) == describe_fully(one)
    assert " at 0x" not in describe_fully(one)


@pytest.mark.long
def test_the_next_process_says_the_same():
    code = (
        "from execution.test_fingerprint import DIFFERENT, describe_fully\n"
        "print('\\n'.join(describe_fully(model) for pair in DIFFERENT.values() for model in pair))"
    )
    tests = os.path.dirname(os.path.dirname(__file__))
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": tests},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert len(said.pop().splitlines()) == 2 * len(DIFFERENT)


def test_data_are_told_apart_and_nothing_else():
    X = np.arange(6.0).reshape(3, 2)
    assert digest(X) == digest(X.copy())
    assert digest(X) != digest(X.T.copy())
    assert digest(X) != digest(X.astype(np.float32))
    assert digest([1, 2]) != digest([2, 1])
    assert digest(["a", None]) != digest(["a", "None"])
    assert digest([[1], [2, 3]]) != digest([[1, 2], [3]])
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert digest(frame) != digest(frame.set_axis([7, 8, 9]))  # estimators see the index
    assert digest(frame) != digest(frame.rename(columns={"a": "c"}))
    assert digest(frame) != digest(frame[["b", "a"]])
    assert digest(pl.from_pandas(frame)) == digest(pl.from_pandas(frame.copy()))
    assert digest(sparse.csr_array(X)) == digest(sparse.csc_array(X))
    assert digest(sparse.csr_array(X)) != digest(sparse.csr_array(2 * X))
    assert digest({"a": X}) != digest({"a": X + 1})
    cells = pd.DataFrame({"a": [[1], [2]]})
    assert digest(cells) != digest(pd.DataFrame({"a": [[1], [3]]}))
    double = pd.DataFrame(X, columns=["a", "a"])
    assert digest(double) != digest(double * 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda column: column.astype("category"),
        lambda column: column.astype(bool),
        lambda column: column.astype(str),
        lambda column: column.astype(np.int32),
        lambda column: pd.Categorical(column, [1, 0]),
        lambda column: pd.Categorical(column, ordered=True),
    ],
)
def test_kinds_of_columns_are_told_apart(change):
    frame = pd.DataFrame({"a": [0, 1, 1, 0]})
    seen = {digest(frame), digest(frame.assign(a=change(frame["a"])))}
    assert len(seen) == 2
    category = frame.astype("category")
    assert digest(category) != digest(category.assign(a=pd.Categorical(frame["a"], [1, 0])))


def test_fingerprints_tell_exclusions_apart():
    X, y = oracles.blobs(m=8)

    def of(exclude):
        problem = make_problem(X, y, exclude=exclude)
        return fingerprint("games", tlpo.RLS(), problem, {}, all_pairs(8)).get("exclude")

    place = np.arange(8.0)
    known = [
        of(None),
        of(tlpo.Buffer(place, 1)),
        of(tlpo.Buffer(place, 2)),
        of(tlpo.Buffer(place + (place == 3), 1)),
        of(lambda i, j: []),
        of(lambda i, j: [0]),
        of(lambda i, j: [0] if i == 5 else []),
    ]
    assert known[0] is None
    assert len(set(known)) == len(known)
    assert of(tlpo.Buffer(place.tolist(), 1.0)) == known[1]
    assert of(lambda i, j: [0, 0]) == known[5]


def test_a_function_without_a_module_has_a_name():
    described = [describe_fully(scaled(function)) for function in (expit, logit, np.exp)]
    assert len(set(described)) == 3
    assert "expit" in described[0]
    assert "0x" not in described[0]


def test_a_journal_takes_a_universal_function_of_scipy(tmp_path):
    X, y = oracles.blobs(8, 2, seed=0)
    t = tlpo.tournament(scaled(expit), X, y, journal=tmp_path / "run.tlpo")
    again = tlpo.tournament(scaled(expit), X, y, journal=tmp_path / "run.tlpo")
    np.testing.assert_array_equal(t.predictions, again.predictions)


def test_tables_that_only_look_alike_differ():
    plain = pd.DataFrame({"a": pd.Series([1, "x"], dtype=object), "b": [1.0, 2.0]})
    text = plain.assign(a=pd.Series(["1", "x"], dtype=object))
    renumbered = plain.set_index(pd.Index([1, 2]))
    named = plain.set_index(pd.Index(["1", "2"]))
    assert len({digest(table) for table in (plain, text, renumbered, named)}) == 4
    assert digest(plain) == digest(plain.copy())
    ordered = [pd.Series(pd.Categorical(["a", "b"], ordered=flag)) for flag in (True, False)]
    assert digest(ordered[0]) != digest(ordered[1])
    assert digest(ordered[0]) == digest(ordered[0].copy())
