"""Exact tournaments of nearest neighbours, from one neighbour search.

The prediction for i of a model without i and j differs from that of the model without i alone
**only if j is among the k nearest neighbours of i**. So k + 2 neighbours of every unit are
found once; the order of the leave-one-out responses gives all games except those in which one unit
is a neighbour of the other, at most k·m, and these are corrected.

Ties in distance. At the k-th place they decide which units vote. `InverseDistanceKNN` takes the
unit that comes first, and so does this engine. Which one scikit-learn takes depends on its search;
where units of both classes compete for the place, refitting decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from threadpoolctl import threadpool_limits

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Answered, Engine, Played, Predictions
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.options import Execution
from tlpo.execution.threads import thread_count
from tlpo.learners import InverseDistanceKNN, inverse_distance_vote
from tlpo.problem.problem import Problem, copy_rows
from tlpo.response import lowest_tie, outcomes
from tlpo.schedule import Schedule
from tlpo.standings import Standings, games_scheduled, tally

Vote = Callable[[FloatArray, BoolArray], FloatArray]

# Distances closer than this, relative to their size, are treated as equal: searches round
# differently.
NEAR = 1e-7
# Up to this many distances, all are simply computed.
ALL_DISTANCES = 1 << 22


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Neighbours of every unit, nearest first, without the unit itself.

    Attributes
    ----------
    unit, distance : ndarray of shape (m, k + 1)
        The neighbours, and their distances.
    is_positive : ndarray of shape (m, k + 1)
        Their class.
    """

    unit: IntArray
    distance: FloatArray
    is_positive: BoolArray

    @property
    def k(self) -> int:
        """Number of neighbours that vote; one more is kept to replace one left out."""
        return int(self.unit.shape[1]) - 1

    def vote(self, vote: Vote) -> FloatArray:
        """Return the leave-one-out responses."""
        return vote(self.distance[:, : self.k], self.is_positive[:, : self.k])

    def vote_without(self, vote: Vote) -> FloatArray:
        """Return the responses without each of the k nearest neighbours in turn, (m, k)."""
        answers = np.empty((len(self.unit), self.k))
        for place in range(self.k):
            others = np.delete(np.arange(self.k + 1), place)
            answers[:, place] = vote(self.distance[:, others], self.is_positive[:, others])
        return answers


@dataclass(frozen=True)
class Voting:
    """How an estimator finds neighbours and lets them vote.

    Attributes
    ----------
    k : int
        Number of neighbours.
    vote : callable
        From distances and classes of neighbours, one row per unit, to responses.
    ceiling : float
        The largest possible response.
    search : dict or None
        Parameters of scikit-learn's search, or None for the learner of the paper.
    """

    k: int
    vote: Vote
    ceiling: float
    search: dict[str, Any] | None


@dataclass(frozen=True, eq=False)
class NeighborTable:
    """Held-out responses of every pair.

    Attributes
    ----------
    alone : ndarray of shape (m,)
        Leave-one-out responses.
    unit : ndarray of shape (m, k)
        The k nearest neighbours of each unit.
    without : ndarray of shape (m, k)
        Responses without each of them.
    ceiling : float
        The largest value a response can take.
    """

    alone: FloatArray
    unit: IntArray
    without: FloatArray
    ceiling: float

    def pairs(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the responses of the two units of some games."""
        return self._response(first, second), self._response(second, first)

    def _response(self, unit: IntArray, other: IntArray) -> FloatArray:
        answer = self.alone[unit].copy()
        game, place = np.nonzero(self.unit[unit] == other[:, None])
        answer[game] = self.without[unit[game], place]
        return answer

    def full(self) -> FloatArray:
        """Return the m × m table."""
        m = self.alone.size
        F = np.repeat(self.alone[:, None], m, axis=1)
        np.put_along_axis(F, self.unit, self.without, axis=1)
        np.fill_diagonal(F, np.nan)
        return F


class Neighbors(Engine):
    """Nearest neighbours: the paper's and scikit-learn's."""

    name = "neighbors"
    estimators = frozenset({InverseDistanceKNN, KNeighborsClassifier, KNeighborsRegressor})

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        voting = voting_of(prepared.model)
        if isinstance(voting, str):
            raise EngineError(voting)
        self.voting: Voting = voting
        self._near: Neighbourhood | None = None

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that one neighbour search does not cover."""
        voting, problem = voting_of(prepared.model), prepared.problem
        if isinstance(voting, str):
            return voting
        if prepared.columns is not None or prepared.guards:
            return "One neighbour search needs features that are the same in every training set."
        if problem.groups is not None:
            return "The neighbour search leaves out two units, not groups."
        if problem.exclude is not None:
            return "The neighbour search leaves out two units, not those that exclude names."
        if problem.params:
            names = ", ".join(problem.params)
            return f"The neighbour search does not cover the fit arguments {names}."
        if not 1 <= voting.k <= problem.n_units - 3:
            return f"There are too few units for {voting.k} neighbours with two units held out."
        if voting.search is None and sparse.issparse(problem.X):
            return "InverseDistanceKNN does not take sparse data."
        if voting.search is not None and getattr(problem.X, "dtype", None) == np.float32:
            return "On data in single precision scikit-learn computes distances in it."
        return None

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Rank by leave-one-out responses and correct the games between neighbours."""
        started = time.perf_counter()
        vote, ceiling = self.voting.vote, self.voting.ceiling
        near = self._search(execution)
        table = NeighborTable(near.vote(vote), near.unit[:, :-1], near.vote_without(vote), ceiling)
        is_positive = self.problem.labels.is_positive
        if schedule.listed is not None:
            return _play_listed(table, schedule.listed, is_positive, execution, started)
        opposite = schedule.is_opposite
        wins, n_ties = _wins_by_value(table.alone, is_positive, ceiling, opposite)
        changed = _neighbour_games(table.unit)
        if opposite:
            changed = changed[is_positive[changed[:, 0]] != is_positive[changed[:, 1]]]
        first, second = changed.T
        before = outcomes(table.alone[first], table.alone[second], ceiling)
        after = outcomes(*table.pairs(first, second), ceiling=ceiling)
        np.add.at(wins, (first, is_positive[second].astype(int)), after - before)
        np.add.at(wins, (second, is_positive[first].astype(int)), before - after)
        n_ties += int(np.count_nonzero(after == 0.5)) - int(np.count_nonzero(before == 0.5))
        standings = Standings(wins, games_scheduled(is_positive, opposite), n_ties)
        return Played(
            standings,
            Predictions(table.full, ceiling) if execution.keep_predictions else None,
            Diagnostics(
                pairs_played=standings.n_games,
                games_evaluated=len(changed),
                fits=1,
                seconds=time.perf_counter() - started,
            ),
        )

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Return leave-one-out responses; larger sets are refitted."""
        if any(test.size > 1 for test in tests):
            raise EngineError("One neighbour search leaves out single units, not folds.")
        started = time.perf_counter()
        alone = self._search(execution).vote(self.voting.vote)
        return Answered(
            [alone[test] for test in tests],
            Diagnostics(fits=1, seconds=time.perf_counter() - started),
        )

    def _search(self, execution: Execution) -> Neighbourhood:
        """Search once, for all games and held-out units."""
        if self._near is None:
            threads = thread_count(execution.n_jobs)
            self._near = find_neighbours(self.voting, self.problem, threads)
        return self._near


def _play_listed(
    table: NeighborTable,
    games: IntArray,
    is_positive: BoolArray,
    execution: Execution,
    started: float,
) -> Played:
    """Play the games of a list, one by one."""
    responses = np.column_stack(table.pairs(*games.T))
    outcome = outcomes(responses[:, 0], responses[:, 1], table.ceiling)
    standings = tally(games, outcome, is_positive)
    predictions = None
    if execution.keep_predictions:
        predictions = Predictions.of_games(is_positive.size, games, responses, table.ceiling)
    return Played(
        standings,
        predictions,
        Diagnostics(
            pairs_played=standings.n_games,
            games_evaluated=len(games),
            fits=1,
            seconds=time.perf_counter() - started,
        ),
        outcome,
    )


def voting_of(estimator: Any) -> Voting | str:
    """Return how the estimator finds neighbours and lets them vote, or why that is unknown."""
    kind, name = type(estimator), type(estimator).__name__
    if kind is InverseDistanceKNN:
        return Voting(estimator.n_neighbors, inverse_distance_vote, np.inf, None)
    unknown = sorted(set(kind._get_param_names()) - _KNOWN)
    if unknown:
        return f"The neighbour search does not cover the parameter {unknown[0]!r} of {name}."
    if estimator.weights not in ("uniform", "distance"):
        return "The neighbour search covers only uniform and distance weights."
    if not isinstance(estimator.n_neighbors, int | np.integer):
        return "The neighbour search needs a whole number of neighbours."
    search = {parameter: getattr(estimator, parameter) for parameter in _SEARCH}
    vote: Vote = uniform_vote if estimator.weights == "uniform" else distance_vote
    if kind is KNeighborsClassifier:
        return Voting(int(estimator.n_neighbors), vote, 1.0, search)
    return Voting(int(estimator.n_neighbors), partial(as_signs, vote), np.inf, search)


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


def find_neighbours(voting: Voting, problem: Problem, threads: int) -> Neighbourhood:
    """Find the k + 1 nearest neighbours of every unit, in the order the estimator would."""
    is_positive = problem.labels.is_positive
    if voting.search is None:
        unit, distance = _first_come(voting.k, problem.X, threads)
    else:
        unit, distance = _as_scikit_learn(voting.k, voting.search, problem.X, is_positive, threads)
    return Neighbourhood(unit, distance, is_positive[unit])


def _first_come(k: int, X: Any, threads: int) -> tuple[IntArray, FloatArray]:
    """Search for the learner of the paper: at equal distance the first unit is nearer."""
    X = np.asarray(X)
    if X.dtype.kind not in "biufO":  # complex numbers, dates, text: as a refit takes them
        raise EngineError(f"X is not a matrix of numbers, but of type {X.dtype}.")
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or not np.isfinite(X.sum()):
        raise EngineError("X is not a matrix of finite numbers.")
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
    k: int, search: dict[str, Any], X: Any, is_positive: BoolArray, threads: int
) -> tuple[IntArray, FloatArray]:
    """Search as scikit-learn does, unless its choice between equals matters."""
    if callable(search["metric"]):  # the user's function gets copies, as in a fit
        X = copy_rows(X, np.arange(is_positive.size))
    try:
        finder = NearestNeighbors(n_neighbors=k + 2, n_jobs=threads, **search).fit(X)
        distance, unit = finder.kneighbors()
    except (TypeError, ValueError) as error:
        raise EngineError(f"The neighbour search fails: {error}") from error
    method = finder._fit_method
    size = 0.0
    if method == "brute" and not sparse.issparse(X) and finder.effective_metric_ in _BY_PRODUCTS:
        # Distances come from inner products, with errors in proportion to these.
        size = float(np.max(np.einsum("ij,ij->i", np.asarray(X, float), np.asarray(X, float))))
    squared = distance**2
    if size and np.any(squared[:, 0] <= 1e-12 * size):
        raise EngineError("Some units all but coincide, and scikit-learn's distances are rounded.")
    margin = NEAR * squared[:, 1:] + 1e-13 * size
    equal = squared[:, 1:] - squared[:, :-1] <= margin
    differ = is_positive[unit[:, 1:]] != is_positive[unit[:, :-1]]
    # A run of equal distances that reaches the k-th place or the one after it, with both classes.
    reach = np.zeros(len(unit), dtype=bool)
    mixed = np.zeros(len(unit), dtype=bool)
    for place in range(k, -1, -1):
        tied = equal[:, place] & (reach | (place >= k - 1))
        mixed |= tied & differ[:, place]
        reach = tied
    # A run that continues beyond the units found may contain either class.
    mixed |= equal[:, k]
    if mixed.any():
        raise EngineError(
            f"At unit {int(np.argmax(mixed))} units compete for the last place among the "
            "neighbours at equal distance, and which one scikit-learn takes depends on its search."
        )
    return unit[:, :-1], distance[:, :-1]


def _wins_by_value(
    values: FloatArray, is_positive: BoolArray, ceiling: float, opposite: bool
) -> tuple[FloatArray, int]:
    """Count wins when every game compares the same two values; also return the number of ties."""
    order = np.argsort(values, kind="stable")
    ranked, positive = values[order], is_positive[order].astype(np.intp)
    edge = lowest_tie(ranked, ceiling=ceiling)
    # Unit at place r beats the places before low[r] and ties with those before high[r].
    low = np.searchsorted(ranked, edge, side="left")
    high = np.searchsorted(edge, ranked, side="right")
    m = values.size
    wins = np.empty((m, 2))
    n_ties = 0
    for other, member in ((0, 1 - positive), (1, positive)):
        before = np.concatenate([[0], np.cumsum(member)])
        tied = before[high] - before[low] - member
        played = positive != other if opposite else np.ones(m, dtype=bool)
        wins[order, other] = np.where(played, before[low] + 0.5 * tied, 0.0)
        n_ties += int(tied[played].sum())
    return wins, n_ties // 2


def _neighbour_games(unit: IntArray) -> IntArray:
    """List each pair in which one unit is a neighbour of the other once."""
    m, k = unit.shape
    first, second = np.repeat(np.arange(m), k), unit.reshape(-1)
    keys = np.unique(np.minimum(first, second) * m + np.maximum(first, second))
    return np.column_stack([keys // m, keys % m])


_SEARCH = ("algorithm", "leaf_size", "metric", "metric_params", "p")
_KNOWN = {*_SEARCH, "n_jobs", "n_neighbors", "weights"}
_BY_PRODUCTS = ("euclidean", "sqeuclidean", "minkowski", "l2", "cosine")

ENGINE = Neighbors
