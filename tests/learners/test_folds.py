"""Folds that a unit keeps."""

import numpy as np
import pytest

from tlpo.learners.folds import assign, folds_of, is_split, unit_hashes


def units(seed, m=40):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, 3)), rng.permutation(np.arange(m) % 2)


@pytest.mark.parametrize("seed", range(5))
def test_a_unit_keeps_its_fold_in_any_order_and_company(seed):
    X, y = units(seed)
    fold = folds_of(X, y, 10, seed)
    some = np.random.default_rng(seed).permutation(40)[:30]
    assert np.array_equal(folds_of(X[some], y[some], 10, seed), fold[some])


def test_identical_units_have_folds_as_if_the_last_had_left():
    X, y = units(0)
    X[:15], y[:15] = X[0], y[0]
    X[15:25], y[15:25] = X[0], 1 - y[0]
    hashes, number = unit_hashes(X, y, 0)
    assert number[:15].tolist() == list(range(15))
    assert number[15:25].tolist() == list(range(10))
    assert not number[25:].any()
    assert np.unique(hashes[:25]).size == 2
    fold = folds_of(X, y, 10, 0)
    assert np.unique(fold[:15]).size > 4
    without = np.delete(np.arange(40), 3)
    assert sorted(folds_of(X[without], y[without], 10, 0)[:14]) == sorted(fold[:14])


def test_folds_are_as_chance_gives_them():
    X, y = units(1, m=10_000)
    for seed in range(3):
        sizes = np.bincount(folds_of(X, y, 10, seed), minlength=10)
        assert np.sum((sizes - 1000.0) ** 2 / 1000.0) < 30.0  # χ² of 9 degrees, p = .0004
    one, other = (folds_of(X, y, 10, seed) for seed in (0, 1))
    assert abs(np.mean(one == other) - 0.1) < 0.02
    positive = folds_of(X, np.ones(10_000, dtype=int) - (np.arange(10_000) < 2), 10, 0)
    assert abs(np.mean(positive == one) - 0.55) < 0.05  # the class is hashed


@pytest.mark.parametrize("n_folds", [2, 10])
def test_no_fold_takes_a_whole_class(n_folds):
    for seed in range(50):
        X, y = units(seed, m=6)
        y = np.array([1, 1, 0, 0, 0, 0])
        assert is_split(folds_of(X, y, n_folds, seed), y)
    first = [
        is_split(assign(*unit_hashes(*units(s, 4), 0), 0, 2), units(s, 4)[1]) for s in range(9)
    ]
    assert not all(first)  # some needed another attempt


def test_zeros_of_both_signs_are_one_number():
    X, y = units(2)
    X[:, 0] = 0.0
    assert np.array_equal(folds_of(X, y, 5, 0), folds_of(X * [-1.0, 1.0, 1.0], y, 5, 0))
