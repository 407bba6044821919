"""Separated classes, found by a linear program."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tlpo.analysis.separation import separating


@pytest.mark.parametrize("seed", range(20))
def test_some_are_separated_and_others_not(seed):
    """The likelihood of separated classes goes to 1, that of others does not."""
    rng = np.random.default_rng(seed)
    m, n = 12, int(rng.integers(1, 8))
    X, is_positive = rng.normal(size=(m, n)), np.arange(m) % 2 == 1
    fitted = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, is_positive)
    margins = np.where(is_positive, 1, -1) * fitted.decision_function(X)
    assert (separating(X, is_positive) is not None) == (margins.min() > 0)


def test_a_level_that_only_one_class_has():
    rng = np.random.default_rng(0)
    X, is_positive = rng.normal(size=(60, 3)), np.arange(60) % 2 == 1
    X[:, 1] = 0
    X[[1, 3, 5], 1] = 1
    assert separating(X, is_positive).tolist() == [1]
    X[0, 1] = 1
    assert separating(X, is_positive) is None


def test_a_combination():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    is_positive = X[:, 0] + X[:, 2] > 0
    found = separating(X, is_positive)
    assert {0, 2} <= set(found.tolist())
    assert separating(X[:, [0, 1, 3]], is_positive) is None


def test_more_features_than_units():
    X = np.random.default_rng(2).normal(size=(10, 20))
    assert separating(X, np.arange(10) % 2 == 1) is not None
