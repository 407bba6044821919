"""How estimators let neighbours vote, read from their parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from tlpo.arrays import BoolArray, FloatArray
from tlpo.learners import InverseDistanceKNN, inverse_distance_vote

# From distances and classes, or numbers, of neighbours.
Vote = Callable[[FloatArray, Any], FloatArray]

# Of the neighbours: the share of positives; the same weighted by 1/d; the difference of Σ 1/d.
UNIFORM, SHARE, DIFFERENCE = 0, 1, 2


@dataclass(frozen=True)
class Voting:
    """How an estimator finds neighbours and lets them vote.

    Attributes
    ----------
    k : int
        Number of neighbours.
    vote : callable
        From distances and classes or numbers of neighbours, one row per unit, to responses.
    style : int
        The same for compiled loops: `UNIFORM`, `SHARE` or `DIFFERENCE`.
    is_signed : bool
        Whether shares of positives become means of labels ±1.
    ceiling : float
        The largest possible response.
    search : dict or None
        Parameters of scikit-learn's search, or None for the learner of the paper.
    """

    k: int
    vote: Vote
    style: int
    is_signed: bool
    ceiling: float
    search: dict[str, Any] | None

    @property
    def power(self) -> int | None:
        """1 for Manhattan distances, 2 for Euclidean ones, None for any other."""
        if self.search is None:
            return 2
        metric, p = self.search["metric"], self.search["p"]
        if self.search["metric_params"] or not isinstance(metric, str):
            return None
        if metric == "minkowski":
            return int(p) if p in (1, 2) else None
        return {"manhattan": 1, "l1": 1, "cityblock": 1, "euclidean": 2, "l2": 2}.get(metric)


class Ballot(NamedTuple):
    """What compiled loops need to know of a vote.

    Attributes
    ----------
    label, value : ndarray of shape (m,)
        What every unit votes for: its class or, if there are any, its number.
    k : int
        Number of neighbours.
    style : int
        How their votes are weighted.
    by_squares : bool
        Whether distances are Euclidean; otherwise they are sums.
    """

    label: BoolArray
    value: FloatArray
    k: int
    style: int
    by_squares: bool


def voting_of(estimator: Any) -> Voting | str:
    """Return how the estimator finds neighbours and lets them vote, or why that is unknown."""
    kind, name = type(estimator), type(estimator).__name__
    if kind is InverseDistanceKNN:
        k = estimator.n_neighbors
        return Voting(k, inverse_distance_vote, DIFFERENCE, False, np.inf, None)
    unknown = sorted(set(kind._get_param_names()) - _KNOWN)
    if unknown:
        return f"The neighbour search does not cover the parameter {unknown[0]!r} of {name}."
    if estimator.weights not in ("uniform", "distance"):
        return "The neighbour search covers only uniform and distance weights."
    if not isinstance(estimator.n_neighbors, int | np.integer):
        return "The neighbour search needs a whole number of neighbours."
    if not _is_known(estimator.metric, estimator.metric_params, estimator.algorithm):
        return (
            f"Distances by metric={estimator.metric!r} depend on the training set, or on how "
            "scikit-learn searches."
        )
    search = {parameter: getattr(estimator, parameter) for parameter in _SEARCH}
    vote: Vote = uniform_vote if estimator.weights == "uniform" else distance_vote
    style = UNIFORM if estimator.weights == "uniform" else SHARE
    k = int(estimator.n_neighbors)
    if kind is KNeighborsClassifier:
        return Voting(k, vote, style, False, 1.0, search)
    return Voting(k, partial(as_signs, vote), style, True, np.inf, search)


def uniform_vote(distance: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Return the share of positive neighbours."""
    return np.asarray(np.count_nonzero(is_positive, axis=1) / distance.shape[1])


def distance_vote(distance: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Return the share of positive neighbours, each weighted by 1/d; at d = 0 only those count."""
    at_zero = distance == 0
    with np.errstate(divide="ignore"):
        weight = np.where(at_zero.any(axis=1, keepdims=True), at_zero, 1.0 / distance)
    positive = np.cumsum(np.where(is_positive, weight, 0.0), axis=1)[:, -1]
    negative = np.cumsum(np.where(is_positive, 0.0, weight), axis=1)[:, -1]
    return np.asarray(positive / (positive + negative))


def as_signs(vote: Vote, distance: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Turn a share of positives into a mean of labels ±1."""
    return 2.0 * vote(distance, is_positive) - 1.0


def by_numbers(voting: Voting) -> Voting:
    """Return the same for neighbours that vote by a number each."""
    vote = mean_vote if voting.style == UNIFORM else weighted_vote
    return replace(voting, vote=vote, is_signed=False)


def mean_vote(distance: FloatArray, value: FloatArray) -> FloatArray:  # noqa: ARG001
    """Return the mean of the neighbours' numbers."""
    return np.asarray(np.mean(value, axis=1))


def weighted_vote(distance: FloatArray, value: FloatArray) -> FloatArray:
    """Return the mean of the neighbours' numbers, weighted by 1/d; at d = 0 only those count."""
    at_zero = distance == 0
    with np.errstate(divide="ignore"):
        weight = np.where(at_zero.any(axis=1, keepdims=True), at_zero, 1.0 / distance)
    return np.asarray((weight * value).sum(axis=1) / weight.sum(axis=1))


def _is_known(metric: Any, params: Any, algorithm: str) -> bool:
    """Return whether a distance depends on its two rows alone, however neighbours are searched."""
    if callable(metric):
        # A tree finds the nearest by a true distance only, and a function may be anything.
        return algorithm == "brute"
    needed = _FITTED.get(metric) if isinstance(metric, str) else None
    return metric in _METRICS or (needed is not None and bool(needed & set(params or {})))


# Where SciPy, which computes all distances, agrees with scikit-learn, which searches. They do not
# by metric="braycurtis" on negative numbers, and by those for yes and no on any others.
_METRICS = {
    *("euclidean", "l2", "sqeuclidean", "nan_euclidean", "manhattan", "l1", "cityblock"),
    *("minkowski", "chebyshev", "canberra", "hamming", "cosine", "correlation", "haversine"),
    "precomputed",
}
# Computed from the training set unless it is given.
_FITTED = {"seuclidean": {"V"}, "mahalanobis": {"V", "VI"}}
_SEARCH = ("algorithm", "leaf_size", "metric", "metric_params", "p")
_KNOWN = {*_SEARCH, "n_jobs", "n_neighbors", "weights"}
