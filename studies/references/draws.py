"""Random numbers that are the same everywhere: rounded draws of a frozen generator."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray


class Draws:
    """Rounded random numbers.

    NumPy promises that the stream of `RandomState` never changes; rounding removes what the
    mathematical functions of another machine may change in the last bit.

    Examples
    --------
    >>> Draws(1).normal(3)
    array([ 1.624, -0.612, -0.528])
    """

    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState(seed)

    def normal(self, *shape: int) -> FloatArray:
        """Draw from the standard normal distribution."""
        return np.asarray(np.round(self._state.standard_normal(shape), 3))

    def uniform(self, *shape: int) -> FloatArray:
        """Draw from 0 to 1."""
        return np.asarray(np.round(self._state.random_sample(shape), 4))
