"""All other units of every unit by distance, and how far these distances can be trusted."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.matrix import matrix_of
from tlpo.engines.neighbors.search import BY_PRODUCTS, largest_square
from tlpo.engines.neighbors.voting import Voting
from tlpo.errors import EngineError

EPSILON = float(np.finfo(float).eps)
# Searches add up in different orders. Of other distances than sums of powers less is known.
RELATIVE, RELATIVE_OF_OTHERS = 1e-13, 1e-10
# Distances are exact, and at equal distance the first unit is nearer.
EXACT = np.array([-1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Lists:
    """All other units of every unit, nearest first.

    Attributes
    ----------
    order, distance : ndarray of shape (m, m − 1)
        The units, and their distances; at equal distance the first comes first.
    voting : Voting
        How neighbours are found and vote.
    n_columns : int
        Number of features.
    size : float
        The largest squared length of a row.
    """

    order: IntArray
    distance: FloatArray
    voting: Voting
    n_columns: int
    size: float
    _margins: dict[int, FloatArray] = field(default_factory=dict)

    def margin(self, n_train: int) -> FloatArray:
        """Return how far distances can be trusted if scikit-learn trains on so many units."""
        if self.voting.search is None:
            return EXACT
        if n_train not in self._margins:
            rounding = rounding_of(self.voting, n_train, self.n_columns) * self.size
            is_root = _metric(self.voting) == "euclidean"
            relative = RELATIVE_OF_OTHERS if self.voting.power is None else RELATIVE
            self._margins[n_train] = np.array(
                [relative, 0.0, rounding] if is_root else [relative, rounding, rounding**2]
            )
        return self._margins[n_train]


def make_lists(voting: Voting, X: Any) -> Lists:
    """Compute and sort all distances."""
    distance = _all_distances(voting, X)
    m = len(distance)
    np.fill_diagonal(distance, -np.inf)  # first, and then dropped
    order = np.argsort(distance, axis=1, kind="stable")[:, 1:]
    size = 0.0
    if voting.search is not None and _metric(voting) in BY_PRODUCTS:
        size = 1.0 if _metric(voting) == "cosine" else largest_square(X)
    columns = int(np.shape(X)[1])
    return Lists(order, distance[np.arange(m)[:, None], order], voting, columns, size)


def rounding_of(voting: Voting, n_train: int, n_columns: int) -> float:
    """Return by how much squared distances are off, relative to squared lengths of rows."""
    assert voting.search is not None
    if _metric(voting) not in BY_PRODUCTS or n_train < 1:
        return 0.0
    # What it chooses depends on the shape only.
    finder = NearestNeighbors(n_neighbors=min(voting.k, n_train), **voting.search)
    if finder.fit(np.zeros((n_train, n_columns)))._fit_method != "brute":
        return 0.0
    return max(1e-13, 4.0 * n_columns * EPSILON)


def _metric(voting: Voting) -> Any:
    assert voting.search is not None
    return {1: "manhattan", 2: "euclidean"}.get(voting.power or 0, voting.search["metric"])


def _all_distances(voting: Voting, X: Any) -> FloatArray:
    try:
        if voting.power is not None and not sparse.issparse(X):
            X = matrix_of(X)
            distance = cdist(X, X, "cityblock" if voting.power == 1 else "euclidean")
        else:
            assert voting.search is not None
            metric, given = voting.search["metric"], voting.search["metric_params"] or {}
            if metric == "minkowski":
                given = {"p": voting.search["p"], **given}
            # Copies: a function may write into them, and need not be symmetric.
            X, Y = deepcopy(X), None if metric == "precomputed" else deepcopy(X)
            distance = np.array(pairwise_distances(X, Y, metric=metric, **given), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EngineError(f"The neighbour search fails: {error}") from error
    if distance.ndim != 2 or not np.isfinite(distance).all():
        raise EngineError("Some distances are not finite.")
    return np.ascontiguousarray(distance)
