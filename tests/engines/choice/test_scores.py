"""Scores from responses, and folds, against scikit-learn's own."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from engines.agreement import make
from tlpo.engines.choice import folds
from tlpo.engines.choice.scores import Judged, Score, roc_auc
from tlpo.problem.problem import make_problem


def test_an_auc_has_the_rounding_of_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(200):
        y = rng.permutation(np.arange(rng.integers(4, 30)) % 3 == 0)
        response = rng.normal(size=y.size) + y
        for values in (response, np.round(response)):
            assert roc_auc(y, values) == roc_auc_score(y, values)
    assert np.isnan(roc_auc(np.ones(3, dtype=bool), np.arange(3.0)))


@pytest.mark.parametrize(
    "splitter",
    [
        StratifiedKFold(3),
        StratifiedKFold(3, shuffle=True, random_state=0),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=1),
        StratifiedShuffleSplit(3, test_size=0.3, random_state=2),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_folds_are_those_of_the_splitter(splitter):
    X, y = make("plain", 20, 2, 8, 1.0, 0)
    problem = make_problem(X, y)
    ours = folds.Splits(splitter, y, True, _left_to_compare=0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        train = np.sort(rng.permutation(20)[:18])
        found = ours.folds(problem, train)
        for fold, (own, test) in zip(found, splitter.split(X[train], y[train]), strict=True):
            assert np.array_equal(fold.train, own)
            assert np.array_equal(fold.test, test)
            assert np.array_equal(np.sort(fold.rest), np.setdiff1d(np.arange(18), own))
    assert len(ours._known) <= 6


def test_folds_that_do_not_follow_ranks_are_asked_of_the_splitter(monkeypatch):
    class Odd(StratifiedKFold):
        def split(self, X, y, groups=None):
            yield np.arange(2, y.size), np.arange(2)
            yield np.arange(y.size - 2), np.arange(y.size - 2, y.size)

    monkeypatch.setattr(folds, "LOOK_AT_LABELS", frozenset({Odd}))
    X, y = make("plain", 12, 2, 6, 1.0, 0)
    problem = make_problem(X, y)
    ours = folds.Splits(Odd(2), y, True)
    for first in range(6):
        train = np.setdiff1d(np.arange(12), [first, first + 6])
        assert ours.folds(problem, train)[0].test.tolist() == [0, 1]
    assert not ours._is_by_rank


def test_bounds_enclose_every_score_within_the_errors():
    rng = np.random.default_rng(1)
    labels = np.arange(12) % 2
    for function, method in ((roc_auc_score, "decision_function"), (cautious, "predict")):
        scorer = make_scorer(function, response_method=method)
        score = Score(scorer, RidgeClassifier(), labels, labels * 1.0, True, False)
        response = rng.normal(size=(30, 12))
        error = np.full(response.shape, 0.05)
        units = np.tile(np.arange(12), (30, 1))
        bounds = score.bounds(Judged(response, error, units))
        assert bounds.sure.any()
        assert not bounds.sure.all()
        for row in range(30):
            moved = response[row] + rng.uniform(-0.05, 0.05, size=12)
            own = function(labels, moved if function is roc_auc_score else moved > 0)
            assert bounds.low[row] - 1e-12 <= own <= bounds.high[row] + 1e-12
            if bounds.sure[row]:
                assert score.exact(Judged(response, error, units), row) == own


def cautious(actual, predicted):
    return np.mean(actual == predicted) - 0.1 * np.mean(predicted)
