"""A few units of a larger table, to try things with."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import InputError, arg, explain


def draw_units(malignant: BoolArray, n_units: int, seed: int) -> IntArray:
    """Draw as many malignant as benign tumours."""
    half = n_units // 2
    if n_units % 2 or not 3 <= half <= 100:
        raise InputError(
            explain(
                "The demonstration draws as many malignant as benign tumours.",
                f"You passed {arg('n_units', n_units)}.",
                f"Pass an even number from 6 to 200, for example {arg('n_units', 30)}.",
            )
        )
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [
            rng.choice(np.flatnonzero(malignant == kind), half, replace=False)
            for kind in (True, False)
        ]
    )
