"""Estimators that ruin whatever they are given, once they have learned from it.

Each answers exactly as the same estimator without `ruins`, so results must be equal.
"""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.naive_bayes import GaussianNB

KINDS = ("X", "y", "sample_weight", "X at prediction", "answers")


def ruin(data):
    """Write nonsense into anything, cell by cell if it must be."""
    if sparse.issparse(data):
        data.data[:] = -77.0
        data.indices[:] = 0
    elif isinstance(data, pd.DataFrame):
        for k in range(data.shape[1]):
            cells = data.iloc[:, k]
            if isinstance(cells.iloc[0], list):
                for cell in cells:
                    cell[:] = [-77.0]
        data.iloc[:, :] = -77.0
        del data[data.columns[0]]
    elif isinstance(data, list):
        for row in data:
            if isinstance(row, list):
                row[:] = [-77.0] * len(row)
        data.clear()
    elif data.dtype.kind in "OU":
        for cell in data.flat:
            if isinstance(cell, list):
                cell[:] = [-77.0]
        data[:] = data[0]
    else:
        data[:] = -77.0


def matrix(X):
    """Return a copy of X as plain numbers, whatever it is."""
    if sparse.issparse(X):
        return X.toarray()
    if isinstance(X, pd.DataFrame):
        X = X.to_numpy(dtype=object)
    rows = [[cell[0] if isinstance(cell, list) else cell for cell in row] for row in X]
    return np.array(rows, dtype=float)


class Vandal(ClassifierMixin, BaseEstimator):
    """Naive Bayes that ruins what it is given."""

    buffer = np.empty((100, 5))

    def __init__(self, ruins=()):
        self.ruins = ruins

    def fit(self, X, y, sample_weight=None):
        self.model_ = GaussianNB().fit(matrix(X), np.array(y), sample_weight)
        self.classes_ = self.model_.classes_.copy()
        for name, data in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            if name in self.ruins and data is not None:
                ruin(data)
        return self

    def predict_proba(self, X):
        answers = self.model_.predict_proba(matrix(X))
        if "X at prediction" in self.ruins:
            ruin(X)
        if "answers" in self.ruins:  # the same array for every model
            shared = self.buffer[: len(answers), : answers.shape[1]]
            shared[:] = answers
            return shared
        return answers

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class VandalRegressor(RegressorMixin, BaseEstimator):
    """The first feature minus its mean in training, and then ruins everything."""

    def __init__(self, ruins=()):
        self.ruins = ruins

    def fit(self, X, y):
        self.mean_ = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
        if self.ruins:
            ruin(X)
            ruin(y)
        return self

    def predict(self, X):
        answers = X @ self.mean_
        if self.ruins:
            ruin(X)
        return answers


def vandal_kernel(x, z):
    """Compute a linear kernel and change both units."""
    answer = float(np.copy(x) @ np.copy(z))
    x += 0.01
    z -= 0.01
    return answer


# For `tlpo run --model hostile:vandal`.
vandal, behaved = Vandal(ruins=KINDS), Vandal()
