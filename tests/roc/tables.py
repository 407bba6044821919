"""Made-up tables of held-out predictions."""

import numpy as np


def opposite(F, y):
    U = np.where(F > F.T, 1.0, np.where(F == F.T, 0.5, 0.0))
    U[np.isnan(F)] = np.nan
    return U[np.ix_(y, ~y)]


def random_table(m, seed, decimals=None):
    """A model of each unit's merit, moved a little by whoever is left out."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(m, 1)) + 0.3 * rng.normal(size=(m, m))
    if decimals is not None:
        F = np.round(F, decimals)
    np.fill_diagonal(F, np.nan)
    y = np.zeros(m, dtype=bool)
    y[rng.permutation(m)[: m // 3 + 1]] = True
    return F, y
