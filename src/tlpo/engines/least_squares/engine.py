"""Exact tournaments of penalised least squares, from one decomposition."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Answered, Execution, Played, Table
from tlpo.engines.least_squares.blocks import Predicted, predict_pairs, predict_sets
from tlpo.engines.least_squares.certified import Count, play_certified
from tlpo.engines.least_squares.families import Family, recognise
from tlpo.engines.least_squares.hat import Factor, Hat, IllPosedError, held_out
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Games
from tlpo.execution.threads import in_threads, thread_count
from tlpo.problem.problem import Problem, take_rows
from tlpo.response import outcomes
from tlpo.schedule import Schedule
from tlpo.standings import Standings, games_scheduled, tally

# Rows of H that are played at a time hold about this many entries.
ROWS_ENTRIES = 1 << 20
# Fewer games than this are not worth a second thread.
GAMES_A_THREAD = 200_000
# Below this many units every game is played: sorting would cost more than it saves.
CERTIFY_FROM = 400
# Doubtful games that are settled by refitting; with more, refitting decides all of a tournament
# of the second size, and larger ones count them as ties and say so.
MOST_REFITS = 1_000
MOST_GAMES = 500_000
# Games times units, whose left-out sets are listed at a time.
PART_ENTRIES = 1 << 26


@dataclass(frozen=True, eq=False)
class LeastSquaresTable:
    """Held-out predictions of every pair, computed when asked for.

    Attributes
    ----------
    hat : Factor or Inverse
        The decomposition.
    family : Family
        How predictions of labels become the estimator's responses.
    unscale : ndarray of shape (m,)
        1/√s.
    settled, responses : ndarray of shape (g, 2)
        Games that were refitted, and the responses of their units.
    """

    hat: Hat
    family: Family
    unscale: FloatArray
    settled: IntArray
    responses: FloatArray
    ceiling = np.inf

    def pairs(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the responses of the two units of some games."""
        hat = self.hat
        h = hat.entries(first, second)
        a_i, a_j, y_i, y_j = hat.a[first], hat.a[second], hat.y[first], hat.y[second]
        e_i, e_j = hat.u[first] - h * y_j, hat.u[second] - h * y_i
        det = a_i * a_j - h * h
        f_i = (a_j * e_i + h * e_j) / det * self.unscale[first]
        f_j = (a_i * e_j + h * e_i) / det * self.unscale[second]
        first_responses = self.family.respond_games(hat, first, second, f_i, f_j)
        second_responses = self.family.respond_games(hat, second, first, f_j, f_i)
        for (i, j), (response_i, response_j) in zip(self.settled, self.responses, strict=True):
            for one, other in ((response_i, response_j), (response_j, response_i)):
                here = (first == i) & (second == j)
                first_responses[here], second_responses[here] = one, other
                i, j = j, i
        return first_responses, second_responses

    def full(self) -> FloatArray:
        """Return the m × m table."""
        from tlpo.engines.least_squares.kernels import predict_rows

        m = self.hat.y.size
        F = np.empty((m, m))
        for start, rows in self.hat.row_blocks(ROWS_ENTRIES):
            predict_rows(rows, self.hat.sign, start, self.hat.a, self.hat.u, self.hat.y, F)
        F *= self.unscale[:, None]
        i, j = np.arange(m)[:, None], np.arange(m)[None, :]
        F = self.family.respond_games(self.hat, i, j, F, F.T)
        first, second = self.settled.T
        F[first, second], F[second, first] = self.responses.T
        return F


class LeastSquares:
    """Ridge, kernel ridge, ordinary least squares and what is equivalent to them."""

    name = "least-squares"

    def why_not(self, estimator: Any, problem: Problem) -> str | None:
        """Name the first thing that the closed form does not cover."""
        family = recognise(estimator)
        if isinstance(family, str):
            return family
        return family.why_not(problem)

    def play(
        self, estimator: Any, problem: Problem, schedule: Schedule, execution: Execution
    ) -> Played:
        """Play all games, or only those that the order of leave-one-out predictions leaves open."""
        if schedule.listed is not None or problem.leaves_out_more:
            return _play_listed(estimator, problem, schedule, execution)
        started = time.perf_counter()
        hat, family, unscale = _decompose(estimator, problem)
        opposite = schedule.is_opposite
        is_positive = problem.labels.is_positive
        count = None
        if isinstance(hat, Factor) and not problem.params and hat.y.size >= CERTIFY_FROM:
            count = play_certified(hat, is_positive, opposite, thread_count(execution.n_jobs))
        if count is None:
            count = _play_all(hat, unscale, is_positive, opposite, execution.n_jobs)
        fits, remarks = 1, tuple[str, ...]()
        settled, responses = np.empty((0, 2), dtype=np.intp), np.empty((0, 2))
        if count.n_doubts:
            doubts = count.doubts[: count.n_doubts]
            i, j = doubts.T
            det = hat.a[i] * hat.a[j] - hat.entries(i, j) ** 2
            settled = doubts[_differ(problem, doubts) | (det <= hat.least_det)]
            if len(settled) <= MOST_REFITS and count.n_doubts <= len(count.doubts):
                responses = _settle(count, settled, Games(estimator, problem, execution))
                fits += len(settled)
            elif problem.n_units * (problem.n_units - 1) // 2 <= MOST_GAMES:
                raise IllPosedError(f"Rounding would decide {count.n_doubts} games.")
            else:
                remarks = (f"{count.n_doubts} games that rounding would decide count as ties.",)
                settled = settled[:0]
        standings = Standings(
            count.half_wins / 2.0, games_scheduled(is_positive, opposite), count.n_ties
        )
        table = LeastSquaresTable(hat, family, unscale, settled, responses)
        return Played(
            standings,
            table if execution.keeps_predictions(problem.n_units) else None,
            Diagnostics(
                pairs_played=standings.n_games,
                games_evaluated=count.evaluated,
                fits=fits,
                seconds=time.perf_counter() - started,
                warnings=remarks,
            ),
        )

    def hold_out(
        self,
        estimator: Any,
        problem: Problem,
        tests: list[IntArray],
        execution: Execution,  # noqa: ARG002
    ) -> Answered:
        """Predict any held-out sets by the block formula."""
        started = time.perf_counter()
        if not problem.leaves_out_more:
            hat, family, unscale = _decompose(estimator, problem)
            responses = [
                family.respond(hat, test, f * unscale[test])
                for test, f in zip(tests, held_out(hat, tests), strict=True)
            ]
        else:
            sets = [problem.left_out(test) for test in tests]
            largest = max(units.size for units in sets)
            hat, family, unscale = _decompose(estimator, problem, largest)
            responses = []
            for test, units, f in zip(tests, sets, held_out(hat, sets), strict=True):
                if not family.is_settled(hat, units, f):
                    raise IllPosedError("A held-out set leaves no scatter within the classes.")
                answers = family.respond(hat, units, f * unscale[units])
                responses.append(answers[np.searchsorted(units, test)])
        return Answered(responses, Diagnostics(fits=1, seconds=time.perf_counter() - started))


def _decompose(
    estimator: Any, problem: Problem, most_left_out: int = 2
) -> tuple[Hat, Family, FloatArray]:
    family = recognise(estimator)
    if isinstance(family, str):
        raise EngineError(family)
    weight = family.weight(problem)
    y = problem.signs
    hat = family.decompose(problem.X, y, weight, most_left_out)
    unscale = np.ones(y.size) if weight is None else 1.0 / np.sqrt(weight)
    return hat, family, unscale


def _play_all(
    hat: Hat, unscale: FloatArray, is_positive: BoolArray, opposite: bool, n_jobs: int | None
) -> Count:
    """Play every game, a few rows of H at a time."""
    from tlpo.engines.least_squares.kernels import play_rows

    m = hat.y.size
    n_positive = int(np.count_nonzero(is_positive))
    n_games = n_positive * (m - n_positive) if opposite else m * (m - 1) // 2
    threads = max(1, n_games // GAMES_A_THREAD)
    if threads > 1:
        threads = min(threads, thread_count(n_jobs))
    counts = [Count.empty(m, m) for _ in range(threads)]
    for first, rows in hat.row_blocks(ROWS_ENTRIES):
        edges = [first + len(rows) * k // threads for k in range(threads + 1)]
        same = (hat.a, hat.u, hat.y, unscale, is_positive, opposite, hat.error, hat.least_det)
        calls = [
            (rows, hat.sign, first, low, high, *same, own.half_wins, own.room())
            for (low, high), own in zip(pairwise(edges), counts, strict=True)
        ]
        for own, (ties, doubts) in zip(counts, in_threads(play_rows, calls), strict=True):
            own.n_ties += ties
            own.n_doubts += doubts
    total = counts[0]
    for own in counts[1:]:
        total.add(own, 0)
    total.evaluated = n_games
    return total


def _differ(problem: Problem, games: IntArray) -> BoolArray:
    """Tell which games are not between identical units.

    Those tie anyway, and need no refit unless their predictions are missing.
    """
    first, second = (np.asarray(take_rows(problem.X, units)) for units in games.T)
    return np.asarray((first != second).any(axis=tuple(range(1, first.ndim))))


def _play_listed(
    estimator: Any, problem: Problem, schedule: Schedule, execution: Execution
) -> Played:
    """Play game by game: some games only, or games that leave out more than two units."""
    started = time.perf_counter()
    if schedule.listed is None and problem.exclude is None:
        problem.require_playable_pairs(schedule.is_opposite)
    is_positive, m = problem.labels.is_positive, problem.n_units
    games = schedule.games(is_positive)
    if problem.leaves_out_more:
        # A part at a time: the sets of millions of games would not fit into memory.
        parts = np.array_split(games, 1 + len(games) * m // PART_ENTRIES)
        left_out = lru_cache(maxsize=1)(lambda k: problem.left_out_of(parts[k]))
        largest = max(units.size for k in range(len(parts)) for units in left_out(k).sets)
        hat, family, unscale = _decompose(estimator, problem, largest)
        found = [
            predict_sets(hat, family, unscale, part, left_out(k)) for k, part in enumerate(parts)
        ]
        predicted = Predicted(*map(np.concatenate, zip(*found, strict=True)))
    else:
        hat, family, unscale = _decompose(estimator, problem)
        predicted = predict_pairs(hat, family, unscale, games)
    outcome, responses = outcomes(*predicted.f.T), predicted.response
    is_doubtful, is_known = predicted.is_doubtful, np.isfinite(predicted.error)
    doubts = np.flatnonzero(is_doubtful)
    tied = np.flatnonzero(~_differ(problem, games) & is_known)
    outcome[doubts] = outcome[tied] = 0.5
    responses[tied] = responses[tied].mean(axis=1, keepdims=True)
    settled = np.setdiff1d(doubts, tied)
    fits, remarks = 1, tuple[str, ...]()
    if settled.size > MOST_REFITS:
        if len(games) <= MOST_GAMES:
            raise IllPosedError(f"Rounding would decide {doubts.size} games.")
        remarks = (f"{doubts.size} games that rounding would decide count as ties.",)
    elif settled.size:
        outcome[settled], responses[settled] = Games(estimator, problem, execution).play(
            games[settled]
        )
        if np.isnan(outcome).any():
            raise IllPosedError("The estimator fails on a game that rounding would decide.")
        fits += settled.size
    standings = tally(games, outcome, is_positive)
    return Played(
        standings,
        Table.of(m, games, responses, np.inf) if execution.keeps_predictions(m) else None,
        Diagnostics(
            pairs_played=standings.n_games,
            games_evaluated=len(games),
            fits=fits,
            seconds=time.perf_counter() - started,
            warnings=remarks,
        ),
        None if schedule.listed is None else outcome,
    )


def _settle(count: Count, games: IntArray, refits: Games) -> FloatArray:
    """Refit doubtful games, which were counted as ties, and correct the count."""
    if not len(games):
        return np.empty((0, 2))
    outcome, responses = refits.play(games)
    if np.isnan(outcome).any():
        raise IllPosedError("The estimator fails on a game that rounding would decide.")
    is_positive = refits.problem.labels.is_positive.astype(int)
    first, second = games.T
    won = np.rint(2.0 * outcome - 1.0).astype(np.int32)
    np.add.at(count.half_wins, (first, is_positive[second]), won)
    np.add.at(count.half_wins, (second, is_positive[first]), -won)
    count.n_ties -= int(np.count_nonzero(won))
    return responses


ENGINE = LeastSquares()
