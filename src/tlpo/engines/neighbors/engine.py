"""Exact tournaments of nearest neighbours, without refitting.

The prediction for i of a model without i and j differs from that of the model without i alone
**only if j is among the k nearest neighbours of i**. So k + 2 neighbours of every unit are found
once; the order of the leave-one-out responses gives all games except those in which one unit is a
neighbour of the other, at most k·m, and these are corrected (`ranks`).

Where that is not enough, games are played one by one. If units at equal distance compete for the
last place, or more than two units are left out, the list of all others by distance gives each
response (`lists`). If columns are filled and scaled anew in every training set, distances are
computed in the scale of each (`kernels.vote_by_columns`): to all units, or to those that may be
near at any scale (`candidates`). Of many units, limits to the responses decide most games
(`overlaps`).

Ties in distance. `InverseDistanceKNN` takes the unit that comes first, and so does this engine.
Which one scikit-learn takes depends on its search; games whose result depends on it are refitted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import Normalizer

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Answered, Played
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.matrix import matrix_of
from tlpo.engines.neighbors.candidates import Candidates, find_candidates
from tlpo.engines.neighbors.choices import ask
from tlpo.engines.neighbors.lists import EXACT, Lists, make_lists
from tlpo.engines.neighbors.overlaps import Overlaps, find_overlaps
from tlpo.engines.neighbors.ranks import NeighborTable, play_by_ranks
from tlpo.engines.neighbors.relabel import ListsReordering
from tlpo.engines.neighbors.resamples import Resamples
from tlpo.engines.neighbors.search import ALL_DISTANCES, find_neighbours
from tlpo.engines.neighbors.trust import Trust
from tlpo.engines.neighbors.voting import UNIFORM, Ballot, Voting, by_numbers, voting_of
from tlpo.engines.preparation.columns import Columns, Fitted
from tlpo.engines.preparation.limits import limits_of
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.games.schedule import Schedule
from tlpo.learners import InverseDistanceKNN
from tlpo.problem.outcome import Classes, Ordered

# Fewer cells than this are not worth a second thread.
CELLS_A_THREAD = 4_000_000
# Fewer units are measured against all others: a search would take as long.
LIST_FROM = 60
# With fewer units every game is played, so that all predictions are those of the estimator, also
# where units at equal distance compete and the game does not depend on it.
LIMIT_FROM = 1001


class Neighbors(BySets):
    """Nearest neighbours: the paper's and scikit-learn's."""

    name = "neighbors"
    quick_games = 300_000
    plays_each = False
    estimators = frozenset({InverseDistanceKNN, KNeighborsClassifier, KNeighborsRegressor})
    outcomes = frozenset({Classes, Ordered})

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        voting = voting_of(prepared.model)
        if isinstance(voting, str):
            raise EngineError(voting)
        outcome = self.problem.outcome
        label: BoolArray = np.empty(0, dtype=bool)
        value: FloatArray = np.empty(0)
        if isinstance(outcome, Classes):
            label = outcome.is_positive
        else:
            voting, value = by_numbers(voting), self.problem.scaled_target
        self.voting: Voting = voting
        self._ballot = Ballot(label, value, voting.k, voting.style, voting.power == 2)
        self.ceiling = voting.ceiling
        self._table: NeighborTable | None = None
        self._is_searched = False
        self._lists: Lists | None = None
        self._columns: Columns | None = None
        self._candidates: Candidates | None = None
        self._is_listed = False

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that neighbour searches do not cover."""
        voting, problem = voting_of(prepared.model), prepared.problem
        if isinstance(voting, str):
            return voting
        if prepared.columns is not None:
            if voting.power is None:
                return (
                    "Neighbours in columns that change with the training set are found by "
                    "Euclidean and Manhattan distances only."
                )
            if prepared.columns.n_best is not None:
                return "Neighbours need the same columns in every training set."
        if problem.params:
            names = ", ".join(problem.params)
            return f"The neighbour search does not cover the fit arguments {names}."
        if voting.style != UNIFORM and _normalizes(prepared.whole):
            return (
                "Normalizer rounds by the rows that it is given together, and that decides which "
                "distances are zero."
            )
        if not 1 <= voting.k <= problem.n_units - 3:
            return f"There are too few units for {voting.k} neighbours with two units held out."
        if voting.search is None and sparse.issparse(problem.X):
            return "InverseDistanceKNN does not take sparse data."
        return None

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play from ranks, or game by game where ties in distance or larger sets matter."""
        started = time.perf_counter()
        table = self._search(execution)
        if table is None or self.prepared.has_exceptions(2):
            overlaps = self._overlaps(schedule, execution)
            if overlaps is None:
                return super().play(schedule, execution)
            count, listed = overlaps.count_decided()
            m = self.problem.n_units
            return self._play_open(count, listed, m, schedule, execution, started)
        played = play_by_ranks(table, schedule, self.problem.outcome, execution)
        seconds = time.perf_counter() - started
        return replace(played, diagnostics=replace(played.diagnostics, seconds=seconds))

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Return leave-one-out responses from one search; larger sets from lists or columns."""
        started = time.perf_counter()
        single = all(test.size == 1 for test in tests)
        table = self._search(execution) if single else None
        if table is None or self.prepared.has_exceptions(1):
            return super().hold_out(tests, replace(execution, keep_predictions=True))
        return Answered(
            [table.alone[test] for test in tests],
            Diagnostics(fits=1, seconds=time.perf_counter() - started),
        )

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Let the copies of the nearest units vote."""
        if _normalizes(self.prepared.whole):
            return [None] * len(fits)
        return self._resamples.respond(fits)

    def reordering(self) -> ListsReordering | None:
        """Share the lists between all orders of two classes: they do not depend on them."""
        outcome = self.problem.outcome
        if not isinstance(outcome, Classes):
            return None
        if not self._leaves_out_pairs or not self._has_lists or self.prepared.has_exceptions(2):
            return None
        try:
            lists = self._make_lists()
            return ListsReordering(lists, ask(self.estimator, self.problem.X, lists), outcome)
        except EngineError:
            return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Let the nearest units outside each set vote for the units of it."""
        response, error = np.empty(sets.shape), np.empty(sets.shape)
        if self._has_lists:
            self._answer_by_lists(sets, execution, response, error)
        else:
            self._answer_by_columns(sets, execution, response, error)
        if self.voting.is_signed:
            response, error = 2.0 * response - 1.0, 2.0 * error
        return Answers(response, error)

    @property
    def _leaves_out_pairs(self) -> bool:
        """Whether every model is trained on the same columns of all but two units."""
        prepared = self.prepared
        is_same = prepared.columns is None and not prepared.guards
        return is_same and not self.problem.leaves_out_more

    @property
    def _has_lists(self) -> bool:
        """Whether distances are the same in every training set, and all fit into memory."""
        return self.prepared.columns is None and self.problem.n_units**2 <= ALL_DISTANCES

    def _search(self, execution: Execution) -> NeighborTable | None:
        """Search once, for all games and held-out units; None if that does not decide them."""
        if not self._is_searched and self._leaves_out_pairs:
            vote, threads = self.voting.vote, thread_count(execution.n_jobs)
            near = find_neighbours(self.voting, self.problem, threads)
            if near is not None:
                self._table = NeighborTable(
                    near.vote(vote), near.unit[:, :-1], near.vote_without(vote), self.ceiling
                )
        self._is_searched = True
        return self._table

    def _make_lists(self) -> Lists:
        if self._lists is None:
            self._lists = make_lists(self.voting, self.problem.X)
        return self._lists

    def _answer_by_lists(
        self, sets: IntArray, execution: Execution, response: FloatArray, error: FloatArray
    ) -> None:
        from tlpo.engines.neighbors.kernels import vote_by_lists

        lists = self._make_lists()
        vote_by_lists(
            sets,
            lists.order,
            lists.distance,
            self._ballot,
            execution.keep_predictions,
            lists.margin(self.problem.n_units - sets.shape[1]),
            response,
            error,
        )

    def _answer_by_columns(
        self, sets: IntArray, execution: Execution, response: FloatArray, error: FloatArray
    ) -> None:
        columns = self._prepare()
        fitted, margins = self._fit(sets)
        candidates = self._find_candidates(execution)
        if candidates is None:
            self._measure_all(sets, fitted, margins, execution, response, error)
        else:
            given = (sets, fitted, margins, execution)
            left = self._measure_near(candidates, *given, response, error)
            if left.size:
                own = Answers(np.empty((left.size, sets.shape[1])), np.empty(sets[left].shape))
                rows = left if len(fitted.scale) > 1 else slice(None)
                some = Fitted(*(part[rows] for part in fitted))
                self._measure_all(sets[left], some, margins[rows], execution, *own)
                response[left], error[left] = own
        if not columns.is_fixed:
            error[~np.isfinite(fitted.growth)] = np.inf

    def _measure_all(
        self,
        sets: IntArray,
        fitted: Fitted,
        margins: FloatArray,
        execution: Execution,
        response: FloatArray,
        error: FloatArray,
    ) -> None:
        """Find who votes by the distances to all units."""
        from tlpo.engines.neighbors.kernels import vote_by_columns

        columns = self._prepare()
        values, missing = np.ascontiguousarray(columns.values.T), columns.missing.T.copy()
        calls = []
        for part in self._shares(sets, columns.values.size, execution):
            rows = part if len(fitted.scale) > 1 else slice(None)
            calls.append(
                (
                    sets[part],
                    values,
                    missing,
                    missing.any(axis=1),
                    self._ballot,
                    fitted.fill[rows],
                    fitted.scale[rows],
                    margins[rows],
                    execution.keep_predictions,
                    response[part],
                    error[part],
                )
            )
        in_threads(vote_by_columns, calls)

    def _measure_near(
        self,
        candidates: Candidates,
        sets: IntArray,
        fitted: Fitted,
        margins: FloatArray,
        execution: Execution,
        response: FloatArray,
        error: FloatArray,
    ) -> IntArray:
        """Find who votes among candidates; return the sets for which they are not enough."""
        from tlpo.engines.neighbors.near_kernels import vote_by_candidates

        columns = self._prepare()
        is_left = np.zeros(len(sets), dtype=bool)
        calls = []
        for part in self._shares(sets, columns.n_columns * self.voting.k, execution):
            rows = part if len(fitted.scale) > 1 else slice(None)
            calls.append(
                (
                    sets[part],
                    columns.values,
                    candidates,
                    self._ballot,
                    fitted.scale[rows],
                    margins[rows],
                    execution.keep_predictions,
                    response[part],
                    error[part],
                    is_left[part],
                )
            )
        in_threads(vote_by_candidates, calls)
        return np.flatnonzero(is_left)

    def _shares(self, sets: IntArray, cells: int, execution: Execution) -> list[slice]:
        """Cut sets into one part per thread, if that many cells each are worth it."""
        threads = 1 + sets.size * cells // CELLS_A_THREAD
        if threads > 1:
            threads = min(threads, len(sets), thread_count(execution.n_jobs))
        return slices(len(sets), threads)

    def _overlaps(self, schedule: Schedule, execution: Execution) -> Overlaps | None:
        """Limit the responses of all units behind a scaler; None where every game is played."""
        problem = self.problem
        is_whole = schedule.listed is None and not problem.leaves_out_more
        if not is_whole or self.prepared.columns is None or problem.n_units < LIMIT_FROM:
            return None
        limits, candidates = limits_of(self._prepare()), self._find_candidates(execution)
        if limits is None or candidates is None:
            return None
        limits.is_unusual[self.prepared.may_change(self.notices_empty)] = True
        return find_overlaps(
            self.voting,
            candidates,
            limits,
            self._ballot,
            self._trust.margin_within(limits),
            problem.outcome.level,
            schedule.is_ordered,
            thread_count(execution.n_jobs),
        )

    def _find_candidates(self, execution: Execution) -> Candidates | None:
        """Search once, at the scale of all units."""
        if not self._is_listed:
            columns = self._prepare()
            if columns.n_units >= LIST_FROM:
                threads = thread_count(execution.n_jobs)
                self._candidates = find_candidates(self.voting, columns, threads)
            self._is_listed = True
        return self._candidates

    def _prepare(self) -> Columns:
        """Return the columns in units in which sums lose few digits; as they are, if fixed."""
        if self._columns is None:
            columns = self.prepared.columns
            if columns is None:
                if self.voting.power is None or sparse.issparse(self.problem.X):
                    raise EngineError(
                        "Neighbours of so many units are found by Euclidean and Manhattan "
                        "distances in dense data only."
                    )
                self._columns = Columns.of_matrix(matrix_of(self.problem.X))
            else:
                # Distances do not see a shift.
                self._columns = columns.conditioned(shift_matters=False)
        return self._columns

    @cached_property
    def _trust(self) -> Trust:
        return Trust(self.voting, self._prepare(), self.prepared.columns is not None)

    @cached_property
    def _resamples(self) -> Resamples:
        return Resamples(self.prepared, self._trust, self._ballot)

    def _fit(self, sets: IntArray) -> tuple[Fitted, FloatArray]:
        """Fit the columns without each set, and say how far distances can be trusted."""
        columns, voting = self._prepare(), self.voting
        if self.prepared.columns is None:
            zero = np.zeros((1, columns.n_columns))
            fitted = Fitted(zero, zero, zero + 1.0, np.ones(1))
            if voting.search is None:
                return fitted, EXACT[None]
        else:
            fitted = columns.fit_without(sets)
        return fitted, self._trust.margins(fitted, self.problem.n_units - sets.shape[1])


ENGINE = Neighbors


def _normalizes(whole: Any) -> bool:
    """Return whether rows are normalized anywhere before the neighbours are found."""
    return any(isinstance(step, Normalizer) for step in whole.get_params(deep=True).values())
