"""The units that may vote for each unit, whichever scale its columns have.

Scales of training sets differ little from those of all units. Units far away at the scale of all
units are not among the nearest at any such scale, so it is enough to measure distances to a few.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from tlpo.arrays import FloatArray
from tlpo.engines.neighbors.search import largest_square
from tlpo.engines.neighbors.voting import Voting
from tlpo.engines.preparation.columns import Columns

# Units that are listed beyond those that vote.
SPARE = 11
# With more units, trees find neighbours faster than products of matrices, unless there are many
# columns: then scikit-learn decides.
BRUTE_UP_TO = 20_000
BRUTE_FROM_COLUMNS = 5


class Candidates(NamedTuple):
    """The nearest units of every unit at the scale of all units.

    Attributes
    ----------
    unit : ndarray of shape (m, K)
        The units, nearest first.
    distance : ndarray of shape (m, K)
        Their distances.
    beyond : ndarray of shape (m,)
        No other unit is nearer than this.
    scale : ndarray of shape (n,)
        The scale of all units.
    """

    unit: npt.NDArray[np.int32]
    distance: FloatArray
    beyond: FloatArray
    scale: FloatArray


def find_candidates(voting: Voting, columns: Columns, threads: int) -> Candidates | None:
    """Find the nearest units of every unit; None where these do not tell who may vote."""
    count = voting.k + SPARE
    if columns.has_gaps or voting.power is None or count >= columns.n_units - 1:
        return None
    fitted = columns.fit_without(np.empty((1, 0), dtype=np.intp))
    if not np.isfinite(fitted.growth[0]):
        return None
    X = columns.values / fitted.scale[0]
    return list_nearest(X, voting.power, count, fitted.scale[0], threads)


def list_nearest(
    X: FloatArray, power: int, count: int, scale: FloatArray, threads: int
) -> Candidates:
    """List so many nearest rows of every row, other than itself; ``scale`` is that of X."""
    m, n = X.shape
    brute = m <= BRUTE_UP_TO and n >= BRUTE_FROM_COLUMNS
    with threadpool_limits(threads):
        search = NearestNeighbors(
            n_neighbors=count,
            algorithm="brute" if brute else "auto",
            metric="euclidean" if power == 2 else "manhattan",
            n_jobs=threads,
        )
        rough, unit = search.fit(X).kneighbors()
    # Squares come from products, and are off in proportion to the size of the rows.
    blur = 1e-12 * largest_square(X)
    beyond = np.sqrt(np.maximum(rough[:, -1] ** 2 * (1.0 - 1e-9) - blur, 0.0))
    distance = np.zeros(unit.shape)
    for column in X.T:
        away = column[:, None] - column[unit]
        distance += away**2 if power == 2 else np.abs(away)
    if power == 2:
        np.sqrt(distance, out=distance)
    order = np.argsort(distance, axis=1, kind="stable")
    return Candidates(
        np.take_along_axis(unit, order, axis=1).astype(np.int32),
        np.take_along_axis(distance, order, axis=1),
        beyond,
        scale,
    )
