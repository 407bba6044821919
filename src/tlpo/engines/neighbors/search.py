"""The nearest neighbours of every unit, in the order the estimator would find them.

Ties in distance. At the k-th place they decide which units vote. `InverseDistanceKNN` takes the
unit that comes first, and so does this search. Which one scikit-learn takes depends on its search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.matrix import matrix_of
from tlpo.engines.neighbors.voting import Vote, Voting
from tlpo.errors import EngineError
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem, copy_rows

# Distances closer than this, relative to their size, are treated as equal: searches round
# differently.
NEAR = 1e-7
# Up to this many distances, all are simply computed.
ALL_DISTANCES = 1 << 22
# scikit-learn computes these from inner products, with errors in proportion to their size.
BY_PRODUCTS = ("euclidean", "sqeuclidean", "minkowski", "l2", "cosine", "nan_euclidean")


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Neighbours of every unit, nearest first, without the unit itself.

    Attributes
    ----------
    unit, distance : ndarray of shape (m, k + 1)
        The neighbours, and their distances.
    value : ndarray of shape (m, k + 1)
        What they vote for: whether they are positive, or a number.
    """

    unit: IntArray
    distance: FloatArray
    value: npt.NDArray[Any]

    @property
    def k(self) -> int:
        """Number of neighbours that vote; one more is kept to replace one left out."""
        return int(self.unit.shape[1]) - 1

    def vote(self, vote: Vote) -> FloatArray:
        """Return the leave-one-out responses."""
        return vote(self.distance[:, : self.k], self.value[:, : self.k])

    def vote_without(self, vote: Vote) -> FloatArray:
        """Return the responses without each of the k nearest neighbours in turn, (m, k)."""
        answers = np.empty((len(self.unit), self.k))
        for place in range(self.k):
            others = np.delete(np.arange(self.k + 1), place)
            answers[:, place] = vote(self.distance[:, others], self.value[:, others])
        return answers


def find_neighbours(voting: Voting, problem: Problem, threads: int) -> Neighbourhood | None:
    """Find the k + 1 nearest neighbours of every unit, in the order the estimator would.

    None if scikit-learn's choice between units at equal distance matters.
    """
    outcome = problem.outcome
    found: tuple[IntArray, FloatArray] | None
    if voting.search is None:
        found = _first_come(voting.k, problem.X, threads)
    else:
        found = _as_scikit_learn(voting.k, voting.search, problem.X, outcome.level, threads)
    if found is None:
        return None
    unit, distance = found
    value: npt.NDArray[Any] = problem.scaled_target
    if isinstance(outcome, Classes):
        value = outcome.is_positive
    return Neighbourhood(unit, distance, value[unit])


def _first_come(k: int, X: Any, threads: int) -> tuple[IntArray, FloatArray]:
    """Search for the learner of the paper: at equal distance the first unit is nearer."""
    X = matrix_of(X)
    m = len(X)
    if m * m <= ALL_DISTANCES:
        return _by_all_distances(k, X, np.arange(m))
    with threadpool_limits(threads):
        search = NearestNeighbors(n_neighbors=k + 2, n_jobs=threads).fit(X)
        rough, candidates = search.kneighbors()
    # The last of these only shows whether others compete for the place before it.
    # Errors of squared distances grow with the size of the vectors they are taken between.
    size = float(np.max(np.einsum("ij,ij->i", X, X)))
    crowded = rough[:, -1] ** 2 - rough[:, -2] ** 2 <= NEAR * rough[:, -1] ** 2 + 1e-13 * size
    unit = np.sort(candidates[:, :-1], axis=1)
    distance = np.sqrt(_squared_distances(X, unit))
    order = np.argsort(distance, axis=1, kind="stable")
    unit = np.take_along_axis(unit, order, axis=1)
    distance = np.take_along_axis(distance, order, axis=1)
    for units in np.array_split(np.flatnonzero(crowded), 1 + crowded.sum() * m // ALL_DISTANCES):
        unit[units], distance[units] = _by_all_distances(k, X, units)
    return unit, distance


def _squared_distances(X: FloatArray, unit: IntArray) -> FloatArray:
    """Add up feature by feature, so as to round as ``cdist`` does."""
    total = np.zeros(unit.shape)
    for column in X.T:
        total += (column[:, None] - column[unit]) ** 2
    return total


def _by_all_distances(k: int, X: FloatArray, units: IntArray) -> tuple[IntArray, FloatArray]:
    distance = cdist(X[units], X)
    distance[np.arange(units.size), units] = np.inf
    nearest = np.argsort(distance, axis=1, kind="stable")[:, : k + 1]
    return nearest, np.take_along_axis(distance, nearest, axis=1)


def _as_scikit_learn(
    k: int, search: dict[str, Any], X: Any, level: IntArray, threads: int
) -> tuple[IntArray, FloatArray] | None:
    """Search as scikit-learn does, unless its choice between equals matters."""
    if callable(search["metric"]):  # the user's function gets copies, as in a fit
        X = copy_rows(X, np.arange(level.size))
    try:
        finder = NearestNeighbors(n_neighbors=k + 2, n_jobs=threads, **search).fit(X)
        distance, unit = finder.kneighbors()
    except (TypeError, ValueError) as error:
        raise EngineError(f"The neighbour search fails: {error}") from error
    size = 0.0
    if finder._fit_method == "brute" and finder.effective_metric_ in BY_PRODUCTS:
        size = largest_square(X)
    squared = distance**2
    if size and np.any(squared[:, 0] <= 1e-12 * size):
        return None  # some units all but coincide, and scikit-learn's distances are rounded
    margin = NEAR * squared[:, 1:] + 1e-13 * size
    equal = squared[:, 1:] - squared[:, :-1] <= margin
    differ = level[unit[:, 1:]] != level[unit[:, :-1]]
    # A run of equal distances that reaches the k-th place or the one after it, with different
    # outcomes.
    reach = np.zeros(len(unit), dtype=bool)
    mixed = np.zeros(len(unit), dtype=bool)
    for place in range(k, -1, -1):
        tied = equal[:, place] & (reach | (place >= k - 1))
        mixed |= tied & differ[:, place]
        reach = tied
    # A run that continues beyond the units found may contain any outcome.
    mixed |= equal[:, k]
    if mixed.any():
        return None
    return unit[:, :-1], distance[:, :-1]


def largest_square(X: Any) -> float:
    """Return the largest squared length of a row."""
    rows: Any = X
    if sparse.issparse(X):
        return float(rows.multiply(rows).sum(axis=1).max())
    return float(np.max(np.nansum(np.square(np.asarray(X, dtype=np.float64)), axis=1)))
