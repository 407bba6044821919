"""Gaussian naive Bayes for all pairs of a sample at once: scikit-learn's ``GaussianNB()``.

Means and variances without a pair follow from sums over all units, less those of the pair.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from tlpo.arrays import BoolArray, FloatArray

VAR_SMOOTHING = 1e-9


def held_out_table(X: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Return F: the probability of i by the model fitted without i and j."""
    m = len(X)
    X = X - X.mean(axis=0)
    _, _, variance = _moments(X, np.ones(m, dtype=bool))
    smoothing = VAR_SMOOTHING * variance.max(axis=2, keepdims=True)
    joint = []
    for own in (~is_positive, is_positive):
        size, mean, variance = _moments(X, own)
        variance += smoothing
        distance = (X[:, None] - mean) ** 2 / variance
        joint.append(np.log(size[:, :, 0]) - 0.5 * (np.log(variance) + distance).sum(axis=2))
    F = expit(joint[1] - joint[0])
    np.fill_diagonal(F, np.nan)
    return F


def _moments(X: FloatArray, own: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return size, means and variances of a class without i and j, by i, j and feature."""

    def without(values: FloatArray) -> FloatArray:
        values = values * own[:, None]
        sums = values.sum(axis=0) - values[:, None] - values[None, :]
        sums[np.diag_indices(len(X))] += values  # i is left out once, not twice
        return sums

    size = without(np.ones((len(X), 1)))
    mean = without(X) / size
    return size, mean, without(X**2) / size - mean**2
