"""A model that does not learn is remarked upon; one that learns is not."""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, IsolationForest, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

import tlpo
from estimators import FixedFunction

X = np.random.default_rng(0).normal(size=(16, 3))
Y = np.arange(16) % 2
LABELS = np.where(Y == 1, "yes", "no")
FITTED = LogisticRegression().fit(X, Y)


class Prefit(ClassifierMixin, BaseEstimator):
    """Has been fitted before, and says so by its parameter alone."""

    def __init__(self, cv=None):
        self.cv = cv

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)


def remarks(act, *args, **kwargs):
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        result = act(*args, **kwargs)
    texts = [text for text in result.diagnostics.warnings if "tlpo.assess" in text]
    assert texts == [str(w.message) for w in shown if "tlpo.assess" in str(w.message)]
    return texts


@pytest.mark.parametrize(
    ("estimator", "part"),
    [
        (FrozenEstimator(FITTED), "FrozenEstimator"),
        (make_pipeline(FrozenEstimator(PCA(2).fit(X)), LogisticRegression()), "FrozenEstimator"),
        (BaggingClassifier(FrozenEstimator(FITTED), 3), "FrozenEstimator"),
        (Prefit(cv="prefit"), "cv='prefit'"),
        (StackingClassifier([("a", FrozenEstimator(FITTED))], cv="prefit"), "cv='prefit'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_frozen_parts_are_named(estimator, part):
    (text,) = remarks(tlpo.leave_pair_out, estimator, X, Y)
    assert text == (
        f"A part of the model is not fitted here: {part}. If it was fitted on these units, the "
        "result is that of its own training data and says nothing about new ones. If it comes from "
        "elsewhere, it is a fixed score: tlpo.assess is for these."
    )


@pytest.mark.parametrize("labels", [Y, LABELS], ids=["numbers", "words"])
@pytest.mark.parametrize(
    "act",
    [
        tlpo.tournament,
        lambda *args: tlpo.tournament(*args, predictions=False),
        lambda *args: tlpo.tournament(*args, rounds=2, random_state=0),
        tlpo.leave_one_out,
        lambda *args: tlpo.kfold(*args, n_splits=4, random_state=0),
        lambda *args: tlpo.quicksort(*args, n_sorts=2, random_state=0),
        lambda *args: tlpo.bootstrap(*args, n_resamples=5, random_state=0),
    ],
)
def test_a_fit_that_does_nothing_is_noticed_by_every_scheme(act, labels):
    (text,) = remarks(act, FixedFunction(), X, labels)
    assert text.startswith("The model does not change with its training set. ")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=1, random_state=0),
        SVC(),
        OneClassSVM(),
        IsolationForest(random_state=0, n_estimators=5),
        DummyClassifier(strategy="prior"),
        DummyClassifier(strategy="constant", constant=1),
    ],
    ids=str,
)
@pytest.mark.parametrize("signal", [0.0, 20.0])
def test_models_that_learn_are_not_remarked_upon(estimator, signal):
    separated = X + signal * Y[:, None]
    for act in (tlpo.tournament, tlpo.leave_one_out):
        assert remarks(act, estimator, separated, Y) == []


@pytest.mark.filterwarnings("ignore:The model does not change")
def test_the_report_says_so_in_its_warnings(tmp_path):
    t = tlpo.tournament(FixedFunction(), X, Y)
    paths = [tmp_path / f"report.{ending}" for ending in ("html", "md", "json")]
    tlpo.report(t, *paths)
    warnings = json.loads(paths[-1].read_text())["warnings"]
    (said,) = [text for text in warnings if text.startswith("FixedFunction: ")]
    assert said.startswith("FixedFunction: The model does not change with its training set. ")
    for path in paths:
        assert "FixedFunction: The model does not change" in path.read_text()
