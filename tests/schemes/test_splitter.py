import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import oracles
import tlpo


def test_every_pair_once():
    X, y = oracles.blobs(m=7)
    splits = list(tlpo.LeavePairOut().split(X, y))
    assert len(splits) == tlpo.LeavePairOut().get_n_splits(X, y) == 21
    assert len({tuple(test) for _, test in splits}) == 21
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(7))


def test_in_cross_validate_it_is_leave_pair_out():
    X, y = oracles.blobs(m=12)
    result = cross_validate(
        LogisticRegression(), X, y, cv=tlpo.LeavePairOut(pairs="opposite"), scoring="roc_auc"
    )
    auc = tlpo.leave_pair_out(LogisticRegression(), X, y).auc
    assert len(result["test_score"]) == 36
    assert result["test_score"].mean() == pytest.approx(auc)


def test_groups_leave_with_their_units():
    X, y = oracles.blobs(m=12)
    groups = np.arange(12) // 2
    for train, test in tlpo.LeavePairOut().split(X, y, groups):
        assert not set(groups[train]) & set(groups[test])


def test_errors():
    with pytest.raises(tlpo.InputError, match="Leave-pair-out needs labels"):
        tlpo.LeavePairOut().get_n_splits(np.zeros((4, 1)))
    with pytest.raises(tlpo.InputError, match="pairs must be one of 'all', 'opposite'"):
        tlpo.LeavePairOut(pairs="same").get_n_splits(None, [0, 1, 0, 1, 0, 1])
    assert repr(tlpo.LeavePairOut(pairs="opposite")) == "LeavePairOut(pairs='opposite')"
