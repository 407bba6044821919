"""Learners with one trait each, for tests; importable by worker processes."""

import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import LogisticRegression


class FixedFunction(RegressorMixin, BaseEstimator):
    """Always the same function, whatever it learns from."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


class InverseFrequencies(RegressorMixin, BaseEstimator):
    """The constant 1/p − 1/n: useless, yet its leave-one-out AUC is 1."""

    def fit(self, X, y):
        self.value_ = 1 / np.sum(y > 0) - 1 / np.sum(y < 0)
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


class RandomLearner(RegressorMixin, BaseEstimator):
    """Ignores the training set; random_state as everywhere in scikit-learn."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.rng_ = (
            np.random if self.random_state is None else np.random.RandomState(self.random_state)
        )
        return self

    def predict(self, X):
        return self.rng_.uniform(-1, 1, len(X))


class Fussy(LogisticRegression):
    """Fails when the units with these first features are missing from the training set."""

    def __init__(self, needs=(), message="cannot do without {}"):
        super().__init__()
        self.needs = needs
        self.message = message

    def fit(self, X, y):
        for value in self.needs:
            if value not in X[:, 0]:
                raise ArithmeticError(self.message.format(value))
        return super().fit(X, y)


class Shouting(LogisticRegression):
    """Warns in every fit, never with the same words."""

    def fit(self, X, y):
        warnings.warn(f"no convergence: {X.sum()}", UserWarning, stacklevel=1)
        return super().fit(X, y)


class Answers(ClassifierMixin, BaseEstimator):
    """Returns a fixed value for units whose feature exceeds a limit."""

    def __init__(self, value=np.nan, limit=np.inf):
        self.value = value
        self.limit = limit

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.where(X[:, 0] > self.limit, self.value, X[:, 0])


class Traveller(RegressorMixin, BaseEstimator):
    """Predicts the process it was fitted in, and takes a moment to fit."""

    def __init__(self, seconds=0.02):
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        return self

    def predict(self, X):
        return np.full(len(X), float(os.getpid()))


class ThreadCount(RegressorMixin, BaseEstimator):
    """Predicts the largest number of BLAS threads it may use."""

    def fit(self, X, y):
        time.sleep(0.01)
        return self

    def predict(self, X):
        from threadpoolctl import threadpool_info

        np.linalg.inv(np.eye(2))
        blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        return np.full(len(X), float(max(blas)))


class UnpicklableError(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


class Unpicklable(LogisticRegression):
    """Raises an error that cannot travel back from a worker."""

    def fit(self, X, y):
        time.sleep(0.02)
        raise UnpicklableError("lost", "luggage")


class Pairless(LogisticRegression):
    """Fails when two of the units with these first features are missing from the training set."""

    def __init__(self, needs=()):
        super().__init__()
        self.needs = needs

    def fit(self, X, y):
        if sum(value not in X[:, 0] for value in self.needs) > 1:
            raise ArithmeticError("two are missing")
        return super().fit(X, y)


class OnlyThese(LogisticRegression):
    """Fails unless every unit has the label it is known by."""

    def __init__(self, labels=(), features=()):
        super().__init__()
        self.labels = labels
        self.features = features

    def fit(self, X, y):
        known = dict(zip(self.features, self.labels, strict=True))
        if any(known[x] != label for x, label in zip(X[:, 0], y, strict=True)):
            raise ArithmeticError("wrong labels")
        return super().fit(X, y)


class Mortal(LogisticRegression):
    """Ends its process, unless that is the main one, while a file holds a number above zero.

    It does so when the unit with this first feature is missing from the training set.
    """

    def __init__(self, deaths="", value=0.0, main=0):
        super().__init__()
        self.deaths = deaths
        self.value = value
        self.main = main

    def fit(self, X, y):
        time.sleep(0.005)
        if os.getpid() != self.main and self.value not in X[:, 0]:
            left = int(Path(self.deaths).read_text())
            if left:
                Path(self.deaths).write_text(str(left - 1))
                os._exit(3)
        return super().fit(X, y)


class Slow(LogisticRegression):
    """Takes a moment to fit."""

    def fit(self, X, y):
        time.sleep(0.005)
        return super().fit(X, y)
