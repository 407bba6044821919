"""Classes that a combination of features separates: then coefficients have no finite estimate."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray

# Cells of a table that takes about a second.
MOST_CELLS = 1_000_000
# A weight below this, of at most 1, is rounding.
NOTHING = 1e-6


def separating(X: FloatArray, is_positive: BoolArray) -> IntArray | None:
    """Return the columns of a combination that separates the classes; None if there is none.

    Separated means that no unit is on the wrong side, and some are not on the border: the
    likelihood then grows as the combination does, without end (Albert and Anderson). A column that
    does it alone is found first. Of combinations, with weights from -1 to 1, a linear program finds
    the one with the largest sum of margins.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [1.5, 1.0]])
    >>> separating(X, np.array([False, False, True, True]))
    array([1])
    >>> separating(X[:, :1], np.array([False, True, False, True])) is None
    True
    """
    from scipy.optimize import linprog

    m, n = X.shape
    for one, other in ((X[is_positive], X[~is_positive]), (X[~is_positive], X[is_positive])):
        alone = (one.min(axis=0) >= other.max(axis=0)) & (one.max(axis=0) > other.min(axis=0))
        if alone.any():
            return np.flatnonzero(alone)[:1]
    if m * n > MOST_CELLS:
        return None
    centred = X - X.mean(axis=0)
    spread = np.abs(centred).max(axis=0)
    centred /= np.where(spread > 0, spread, 1.0)
    margins = np.where(is_positive, 1.0, -1.0)[:, None] * np.column_stack([centred, np.ones(m)])
    found = linprog(-margins.sum(axis=0), -margins, np.zeros(m), bounds=(-1, 1))
    if found.x is None or found.fun is None or -found.fun <= NOTHING * m:
        return None
    return np.flatnonzero(np.abs(found.x[:-1]) > NOTHING)
