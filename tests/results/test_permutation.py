import numpy as np
from scipy.stats import binomtest

import tlpo
from oracles import blobs


def test_p_value_counts():
    X, y = blobs(20, 3, shift=0.5, seed=3)
    test = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=500, random_state=0)
    count = sum(auc >= test.observed for auc in test.null_distribution)
    assert 0 < count < 500
    assert test.p_value == (1 + count) / 501
    exact = binomtest(count, 500).proportion_ci(0.9)
    assert test.p_value_interval(0.9) == (exact.low, exact.high)
    assert test.p_value_bounds == (test.p_value, test.p_value)
    again = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=500, random_state=0)
    other = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=500, random_state=1)
    np.testing.assert_array_equal(test.null_distribution, again.null_distribution)
    assert (test.null_distribution != other.null_distribution).any()
    # More permutations are the same ones, and more.
    more = tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=600, random_state=0)
    np.testing.assert_array_equal(test.null_distribution, more.null_distribution[:500])
