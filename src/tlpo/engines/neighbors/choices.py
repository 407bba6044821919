"""Which of several units at equal distance scikit-learn takes, found out by asking it.

The choice depends on its search, not on labels: a model that is fitted with one label per unit
tells who votes, and that serves every labelling.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.neighbors.lists import Lists

# More models than this are not fitted in advance.
MOST_FITS = 20_000


@dataclass(frozen=True, eq=False)
class Choices:
    """Who votes for i in models without i and j, where distances do not tell.

    Attributes
    ----------
    which : ndarray of shape (m, m)
        Row of ``unit`` and ``weight`` for i and j; −1 where distances tell.
    unit : ndarray of shape (c, k)
        The neighbours.
    weight : ndarray of shape (c, k)
        Their weights.
    """

    which: IntArray
    unit: IntArray
    weight: FloatArray


def ask(model: Any, X: Any, lists: Lists) -> Choices:
    """Ask scikit-learn about all pairs for which distances do not tell who votes."""
    from tlpo.engines.neighbors.kernels import find_open

    m, k = len(lists.order), lists.voting.k
    which = np.full((m, m), -1, dtype=np.intp)
    unit, weight = np.empty((0, k), dtype=np.intp), np.empty((0, k))
    if lists.voting.search is None or lists.voting.power is None:
        return Choices(which, unit, weight)
    is_open = np.zeros((m, m), dtype=bool)
    find_open(lists.order, lists.distance, k, lists.margin(m - 2), is_open)
    pairs = np.argwhere(np.triu(is_open | is_open.T, 1))
    if not len(pairs) or len(pairs) > MOST_FITS:
        return Choices(which, unit, weight)
    X = np.asarray(X)
    unit = np.empty((2 * len(pairs), k), dtype=np.intp)
    weight = np.empty((2 * len(pairs), k))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so many labels are unusual
        for row, pair in enumerate(pairs):
            rest = np.delete(np.arange(m), pair)
            found, own = _voters(clone(model), X[rest], X[pair])
            unit[2 * row : 2 * row + 2], weight[2 * row : 2 * row + 2] = rest[found], own
    first, second = pairs.T
    which[first, second] = 2 * np.arange(len(pairs))
    which[second, first] = 1 + which[first, second]
    return Choices(which, unit, weight)


def _voters(model: Any, X: Any, X_new: Any) -> tuple[IntArray, FloatArray]:
    """Return who votes for new rows, and with which weights."""
    k = int(model.n_neighbors)
    if type(model) is KNeighborsClassifier:
        # The way to probabilities is not the way to neighbours: ask for what is needed.
        shares = model.fit(X, np.arange(len(X))).predict_proba(X_new)
        found = np.argsort(-shares, axis=1, kind="stable")[:, :k]
        return found, np.take_along_axis(shares, found, axis=1)
    distance, found = model.fit(X, np.zeros(len(X))).kneighbors(X_new)
    if model.weights == "uniform":
        return found, np.ones(found.shape)
    at_zero = distance == 0
    with np.errstate(divide="ignore"):
        weight = np.where(at_zero.any(axis=1, keepdims=True), at_zero, 1.0 / distance)
    return found, weight
