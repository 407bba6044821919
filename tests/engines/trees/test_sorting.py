"""The order of equal values against scikit-learn's own sort."""

import numpy as np
import pytest
from sklearn.utils import _sorting

from tlpo.engines.trees.settings import is_followed
from tlpo.engines.trees.sorting import sort_units

pytestmark = pytest.mark.skipif(not is_followed(), reason="another sort than scikit-learn 1.9's")


def assert_same_order(values):
    own, units = values.astype(np.float32), np.arange(values.size, dtype=np.int32)
    other, expected = own.copy(), np.arange(values.size, dtype=np.intp)
    _sorting._py_simultaneous_sort(other, expected, values.size, use_three_way_partition=True)
    sort_units(own, units)
    assert np.array_equal(units, expected)
    assert np.array_equal(own, np.sort(values.astype(np.float32)))


@pytest.mark.parametrize("n", [1, 2, 15, 16, 40, 500])
def test_units_are_sorted_in_scikit_learns_order(n):
    rng = np.random.default_rng(n)
    for n_levels in (1, 2, 5, n, 1000 * n):
        for _ in range(5):
            assert_same_order(rng.integers(0, n_levels, size=n))


def test_values_that_make_quicksort_slow_are_sorted_by_a_heap():
    """The medians of three of these values are always the second smallest."""
    n = 400
    values = np.zeros(n)
    values[: n // 2 : 2] = np.arange(1, n // 2, 2)
    values[1 : n // 2 : 2] = n // 2 + np.arange(1, n // 2, 2)
    values[n // 2 :] = np.arange(2, n + 1, 2)
    assert_same_order(values // 3)
