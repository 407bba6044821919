"""What may be exchanged in a permutation test."""

import numpy as np

import tlpo
from oracles import blobs
from schemes.drawn import permuted_labels


def test_groups_with_one_label_exchange_it():
    X, y = blobs(24, 2, seed=0)
    y = np.repeat(np.arange(8) % 2, 3)
    groups = np.repeat(np.arange(8), 3)
    test = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=10, groups=groups, random_state=0)
    assert test.exchanged == "groups"
    drawn = permuted_labels(X, y, 20, 0, groups)
    for labels in drawn:
        assert all(len(set(labels[groups == g])) == 1 for g in range(8))
        assert labels.sum() == 12
    assert len({tuple(labels) for labels in drawn}) > 5
    t = tlpo.tournament(tlpo.RLS(), X, drawn[0], groups=groups)
    assert test.null_distribution[0] == t.tlpo_auc


def test_groups_with_both_labels_keep_their_number():
    X, y = blobs(18, 2, seed=0)
    groups = np.arange(18) % 6
    y = (np.arange(18) // 6 == 0).astype(int)
    y[:2] = 0
    assert (
        tlpo.permutation_test(
            tlpo.RLS(), X, y, n_permutations=3, groups=groups, random_state=0
        ).exchanged
        == "units within groups"
    )
    drawn = permuted_labels(X, y, 20, 0, groups)
    for labels in drawn:
        assert np.bincount(groups, labels).tolist() == np.bincount(groups, y).tolist()
    assert len({tuple(labels) for labels in drawn}) > 5


def test_groups_of_unequal_size_are_drawn_again_until_they_can_be_played():
    X, _ = blobs(20, 2, seed=0)
    groups = np.array([0] * 8 + [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6])
    y = np.isin(groups, [1, 2, 3]).astype(int)
    for labels in permuted_labels(X, y, 20, 0, groups):
        assert 3 <= labels.sum() <= 17
        assert len(set(groups[labels == 1])) == 3


def test_says_when_there_is_too_little_to_exchange():
    X, y = blobs(12, 2, seed=0)
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    y = np.array([0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1])
    test = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=5, groups=groups, random_state=0)
    assert "Only 3 labellings can be drawn (units within groups are exchanged)" in repr(test)
