"""Limits for a summary of a ROC curve from the model of two normal classes.

On the ROC curve of two normal classes with equal variances, d standard deviations apart, a summary
such as a partial area has a value θ(d), and its estimate lies between two bounds with the given
confidence. The limits are the smallest and the largest θ(d) whose bounds hold the estimate. As
Newcombe's limits of the AUC, they stay within the range of the summary and do not collapse at its
ends; and where an estimate is biased, they are not.
"""

from __future__ import annotations

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.roc.rates import Limits

# Classes farther apart than the last are separated; the first are as far from chance, reversed.
DISTANCES = np.linspace(-3.0, 7.0, 51)
_FINER = np.linspace(DISTANCES[0], DISTANCES[-1], 5001)


def model_limits(
    estimate: float, value: FloatArray, lowest: FloatArray, highest: FloatArray
) -> Limits:
    """Return limits of a summary.

    Parameters
    ----------
    estimate : float
        The summary of the sample.
    value, lowest, highest : ndarray
        The summary of the true curve at each of `DISTANCES`, and the bounds of its estimate.

    Examples
    --------
    >>> share = np.linspace(0, 1, DISTANCES.size)
    >>> half = 1.96 * np.sqrt(share * (1 - share) / 50)
    >>> low, high = model_limits(0.9, share, share - half, share + half)
    >>> round(low, 2), round(high, 2)
    (0.79, 0.96)
    """
    value, lowest, highest = (
        np.interp(_FINER, DISTANCES, part) for part in (value, lowest, highest)
    )
    plausible = value[(lowest <= estimate) & (estimate <= highest)]
    if not plausible.size:  # the bounds leave almost nothing
        return estimate, estimate
    # A biased estimate may lie outside; a reader expects it inside.
    return min(estimate, float(plausible.min())), max(estimate, float(plausible.max()))
