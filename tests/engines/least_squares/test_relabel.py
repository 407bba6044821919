"""Other labels from one decomposition, against tournaments played by themselves."""

import numpy as np
from sklearn.linear_model import Ridge

import oracles
import tlpo
from oracles import blobs
from schemes.drawn import permuted_labels


def test_a_permutation_test_with_groups_plays_in_closed_form():
    X, y = oracles.blobs(m=18)
    groups = np.arange(18) % 6
    options = {"n_permutations": 5, "groups": groups, "random_state": 0}
    fast = tlpo.permutation_test(tlpo.RLS(), X, y, **options)
    slow = tlpo.permutation_test(tlpo.RLS(), X, y, **options, engine="refit")
    assert (fast.engine, slow.engine) == ("least-squares", "refit")
    assert np.array_equal(fast.null_distribution, slow.null_distribution)


def test_sample_weights_stay_with_their_units():
    X, y = blobs(16, 3, seed=2)
    params = {"sample_weight": np.linspace(0.5, 2, 16)}
    test = tlpo.permutation_test(Ridge(), X, y, n_permutations=10, random_state=3, params=params)
    assert test.engine == "least-squares"
    for auc, labels in zip(test.null_distribution, permuted_labels(X, y, 10, 3), strict=True):
        assert auc == tlpo.tournament(Ridge(), X, labels, params=params).auc
