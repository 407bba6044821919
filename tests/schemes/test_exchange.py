"""What may be exchanged in a permutation test."""

import itertools

import numpy as np
import pytest

import tlpo
from oracles import blobs
from schemes.drawn import permuted_labels
from tlpo.games.contest import Contest, ContestOptions
from tlpo.schemes.exchange import exchange


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


# --- numbers


def exchanged(y, groups=None):
    y = np.asarray(y, dtype=float)
    X = np.random.default_rng(0).normal(size=(y.size, 2))
    return exchange(Contest(tlpo.RLS(), X, y, ContestOptions(order=True, groups=groups)), "ordered")


def orders_of(draw, y, n=800):
    rng = np.random.default_rng(0)
    return {tuple(np.asarray(y)[draw(rng)]) for _ in range(n)}


def test_numbers_are_exchanged_between_units():
    y = [1, 1, 2, 5, 5]
    draw = exchanged(y)
    assert draw.kind == "units"
    assert draw.n_orders == len(set(itertools.permutations(y))) == 30
    assert orders_of(draw, y) == set(itertools.permutations(y))


def test_numbers_of_whole_groups_are_exchanged():
    """Groups of one value exchange it, as long as the rest can be played."""
    y, groups = np.repeat([1, 1, 2, 5, 9], 2), np.repeat(np.arange(5), 2)
    draw = exchanged(y, groups)
    assert draw.kind == "groups"
    assert draw.n_orders == 60
    assert orders_of(draw, y) == {
        tuple(np.repeat(own, 2)) for own in itertools.permutations([1, 1, 2, 5, 9])
    }


def test_numbers_are_exchanged_within_groups():
    y, groups = np.array([1, 1, 2, 5, 9, 9]), np.array([0, 0, 0, 1, 1, 2])
    draw = exchanged(y, groups)
    assert draw.kind == "units within groups"
    assert draw.n_orders == 3 * 2
    firsts = set(itertools.permutations([1, 1, 2]))
    assert orders_of(draw, y) == {
        (*first, *second, 9) for first in firsts for second in ((5, 9), (9, 5))
    }


def test_groups_whose_numbers_cannot_be_exchanged():
    """Whoever gets the one other value, its group leaves nothing else to train on."""
    draw = exchanged([1] * 6 + [2] * 2, np.repeat(np.arange(4), 2))
    with pytest.raises(tlpo.InputError) as caught:
        draw(np.random.default_rng(0))
    assert str(caught.value) == (
        "Almost no exchange of outcomes between groups leaves different ones to train on.\n"
        "You passed 4 groups, and 8 units, 2 values: 1 (6), 2 (2).\n"
        "A permutation test needs more groups with different outcomes."
    )
