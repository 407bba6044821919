import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_validate
from sklearn.neighbors import KNeighborsClassifier

import oracles
import tlpo


def test_every_pair_once():
    X, y = oracles.blobs(m=7)
    splits = list(tlpo.LeavePairOut(pairs="all").split(X, y))
    assert len(splits) == tlpo.LeavePairOut(pairs="all").get_n_splits(X, y) == 21
    assert len({tuple(test) for _, test in splits}) == 21
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(7))


def test_in_cross_validate_it_is_leave_pair_out():
    X, y = oracles.blobs(m=12)
    scoring = {"pair": tlpo.pair_score, "roc": "roc_auc"}
    result = cross_validate(LogisticRegression(), X, y, cv=tlpo.LeavePairOut(), scoring=scoring)
    auc = tlpo.leave_pair_out(LogisticRegression(), X, y).auc
    assert len(result["test_pair"]) == 36
    assert result["test_pair"].mean() == pytest.approx(auc)
    assert result["test_roc"].mean() == pytest.approx(auc)


@pytest.mark.parametrize("model", [Ridge(), KNeighborsClassifier(3), LogisticRegression()])
def test_pair_score_of_any_model_and_labels(model):
    X, y = oracles.blobs(m=14)
    X = np.round(X)  # ties
    labels = y if isinstance(model, Ridge) else np.array(["ill", "well"])[y]
    scores = cross_validate(model, X, labels, cv=tlpo.LeavePairOut(), scoring=tlpo.pair_score)
    assert scores["test_score"].mean() == pytest.approx(tlpo.leave_pair_out(model, X, y).auc)


def test_pair_score_of_one_class():
    with pytest.raises(tlpo.InputError, match=r"labels \[1\].\nUse it with .*opposite"):
        tlpo.pair_score(Ridge(), [[1.0], [2.0]], [1, 1])


def test_groups_leave_with_their_units():
    X, y = oracles.blobs(m=12)
    groups = np.arange(12) // 2
    for train, test in tlpo.LeavePairOut(pairs="all").split(X, y, groups):
        assert not set(groups[train]) & set(groups[test])


def test_errors():
    with pytest.raises(tlpo.InputError, match="Leave-pair-out needs labels"):
        tlpo.LeavePairOut().get_n_splits(np.zeros((4, 1)))
    with pytest.raises(tlpo.InputError, match="pairs must be one of 'opposite', 'all'"):
        tlpo.LeavePairOut(pairs="same").get_n_splits(None, [0, 1, 0, 1, 0, 1])
    assert repr(tlpo.LeavePairOut(pairs="opposite")) == "LeavePairOut(pairs='opposite')"
