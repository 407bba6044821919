"""Folds of units drawn repeatedly, and of units without a set, against the splitter's own."""

import numpy as np
import pytest
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from tlpo.engines.choice.folds import Splits
from tlpo.problem.problem import make_problem

LABELS = np.array([0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1])
PROBLEM = make_problem(np.arange(12.0)[:, None], LABELS)


@pytest.mark.parametrize("cv", [3, KFold(3), StratifiedKFold(2, shuffle=True, random_state=0)])
def test_drawn_units_against_the_splitter(cv):
    splits, rng = Splits(cv, LABELS, is_classifier=True), np.random.default_rng(0)
    for _ in range(5):
        drawn = np.concatenate([rng.integers(12, size=9), np.flatnonzero(LABELS), [0, 3, 4]])
        is_train, judges = splits.cut_drawn(PROBLEM, drawn)
        own = list(splits.splitter.split(np.zeros((drawn.size, 1)), LABELS[drawn]))
        assert is_train.shape[:2] == (1, len(own))
        for (train, test), found, judging in zip(own, is_train[0], judges[0], strict=True):
            assert np.array_equal(np.flatnonzero(found), train)
            assert np.array_equal(judging[judging >= 0], test)


@pytest.mark.parametrize(
    ("cv", "expected"),
    [
        (4, True),
        (5, False),
        (RepeatedStratifiedKFold(n_splits=4), True),
        (RepeatedStratifiedKFold(n_splits=5), False),
        (KFold(2), False),
        (StratifiedShuffleSplit(2, random_state=0), False),
    ],
)
def test_which_folds_keep_all_classes(cv, expected):
    assert Splits(cv, LABELS, is_classifier=True).keeps_classes is expected
