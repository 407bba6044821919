"""Estimators of packages that start threads of their own."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from tlpo.execution.own_threads import one_thread_each


class Boosted(ClassifierMixin, BaseEstimator):
    """Tells how many threads its fits were given."""

    def __init__(self, n_jobs=None, seen=()):
        self.n_jobs = n_jobs
        self.seen = seen

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append(self.n_jobs)
        self.centre_ = X[y == self.classes_[1]].mean(axis=0)
        return self

    def decision_function(self, X):
        return X @ self.centre_


Boosted.__module__ = "lightgbm.sklearn"


class Mine(Boosted):
    """A subclass in another module."""


Mine.__module__ = "mine"


class Seen(list):
    """A list that clones share."""

    def __deepcopy__(self, memo):
        return self


@pytest.mark.parametrize(("asked", "given"), [(None, 1), (-1, 1), (0, 1), (3, 3)])
def test_fits_have_one_thread_unless_a_number_is_asked_for(asked, given):
    seen, rng = Seen(), np.random.default_rng(0)
    model = Boosted(asked, seen)
    tlpo.tournament(model, rng.normal(size=(8, 2)), np.arange(8) % 2, n_jobs=1)
    assert len(seen) >= 28
    assert set(seen) == {given}
    assert model.n_jobs == asked


def test_parts_of_other_estimators_are_found():
    behind = make_pipeline(StandardScaler(), Mine())
    assert one_thread_each(behind) == {"mine__n_jobs": 1}
    assert one_thread_each(GridSearchCV(Boosted(), {"n_jobs": [None]})) == {"estimator__n_jobs": 1}
    assert one_thread_each(LogisticRegression()) == {}


def test_an_estimator_without_parameters_is_left_alone():
    class Broken:
        def get_params(self, deep=True):
            raise RuntimeError("no")

    assert one_thread_each(Broken()) == {}
    assert one_thread_each(object()) == {}
