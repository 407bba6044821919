"""What is kept of a tree of several classes besides its answers for the first."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray, IntArray


def shares_with_notes(shares: FloatArray, out: IntArray, n_units: int) -> FloatArray:
    """Return the shares of the first class for the units outside a bag; the notes are the others.

    Notes have a row of all units for each further class, zero in the bag.
    """
    shares[~np.isfinite(shares).all(axis=1), 0] = np.nan
    notes = np.zeros((shares.shape[1] - 1, n_units))
    notes[:, out] = shares[:, 1:].T
    return np.concatenate([shares[:, 0], notes.reshape(-1)])
