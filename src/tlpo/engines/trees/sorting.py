"""The order in which scikit-learn leaves the units of a node when it has sorted them by a feature.

Sums over a node are taken in that order, and their rounding decides which of several equal splits
is taken. Where values are equal the order depends on the steps of the sort, so these are followed:
quicksort around the median of three values, in three parts, heapsort if that goes too deep, and
insertion for 15 units or fewer.
"""

from __future__ import annotations

import math

import numpy as np

from tlpo.arrays import Places, SingleArray
from tlpo.compiled import compiled

SMALL = 15
# More parts than a sort ever has to come back to.
MOST = 256


@compiled
def copy_units(units: Places, into: Places) -> None:
    """Copy units, in a loop: numba takes seconds to compile the assignment of a slice."""
    for p in range(units.size):
        into[p] = units[p]


@compiled
def sort_by(x: SingleArray, units: Places, values: SingleArray) -> None:
    """Sort units by a feature; ``values`` is room for theirs."""
    for p in range(units.size):
        values[p] = x[units[p]]
    sort_units(values, units)


@compiled
def sort_units(values: SingleArray, units: Places) -> None:
    """Sort values and the units that have them, in place."""
    if values.size <= SMALL:
        _insert(values, units, 0, values.size)
        return
    # Parts that are still to be sorted: numba does not cache functions that call themselves.
    lows, highs, depths = np.empty(MOST, np.intp), np.empty(MOST, np.intp), np.empty(MOST, np.intp)
    lows[0], highs[0], depths[0] = 0, values.size, 2 * int(math.log2(values.size))
    n_parts = 1
    while n_parts:
        n_parts -= 1
        low, high, depth = lows[n_parts], highs[n_parts], depths[n_parts]
        if high - low <= SMALL:
            _insert(values, units, low, high)
        elif depth <= 0:
            _sort_by_heap(values[low:high], units[low:high])
        else:
            below, above = _divide(values, units, low, high)
            for first, last in ((low, below), (above, high)):
                lows[n_parts], highs[n_parts], depths[n_parts] = first, last, depth - 1
                n_parts += 1


@compiled
def _divide(values: SingleArray, units: Places, low: int, high: int) -> tuple[int, int]:
    """Put smaller values before a pivot and larger ones after it; return where it stands."""
    pivot = _median(values[low], values[low + (high - low) // 2], values[high - 1])
    below, at, above = low, low, high
    while at < above:
        if values[at] < pivot:
            _swap(values, units, at, below)
            at += 1
            below += 1
        elif values[at] > pivot:
            above -= 1
            _swap(values, units, at, above)
        else:
            at += 1
    return below, above


@compiled
def _median(first: float, second: float, third: float) -> float:
    """Return the median; of equal values it does not matter which."""
    return max(min(first, second), min(max(first, second), third))


@compiled
def _swap(values: SingleArray, units: Places, i: int, j: int) -> None:
    values[i], values[j] = values[j], values[i]
    units[i], units[j] = units[j], units[i]


@compiled
def _insert(values: SingleArray, units: Places, low: int, high: int) -> None:
    for i in range(low + 1, high):
        value, unit = values[i], units[i]
        j = i
        while j > low and values[j - 1] > value:
            values[j], units[j] = values[j - 1], units[j - 1]
            j -= 1
        values[j], units[j] = value, unit


@compiled
def _sort_by_heap(values: SingleArray, units: Places) -> None:
    for start in range((values.size - 2) // 2, -1, -1):
        _sift(values, units, start, values.size)
    for end in range(values.size - 1, 0, -1):
        _swap(values, units, 0, end)
        _sift(values, units, 0, end)


@compiled
def _sift(values: SingleArray, units: Places, root: int, end: int) -> None:
    while True:
        largest = root
        for child in (2 * root + 1, 2 * root + 2):
            if child < end and values[largest] < values[child]:
                largest = child
        if largest == root:
            return
        _swap(values, units, root, largest)
        root = largest
