"""Exact tournaments of penalised least squares, from one decomposition."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Answered, Engine, Played, Predictions
from tlpo.engines.by_sets import BySets
from tlpo.engines.doubts import NOTHING_DOUBTFUL, Settled, settle
from tlpo.engines.least_squares.blocks import Predicted, predict_pairs, predict_sets
from tlpo.engines.least_squares.certified import Count, play_certified
from tlpo.engines.least_squares.families import ESTIMATORS, Family, family_of
from tlpo.engines.least_squares.hat import Factor, Hat, IllPosedError, predict_held_out
from tlpo.engines.least_squares.relabel import HatReordering, share_hat
from tlpo.engines.least_squares.resamples import fit_resamples
from tlpo.engines.least_squares.varying import VaryingLeastSquares
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import EPSILON, Columns
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.ranges.counting import shift_wins
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, thread_count
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule
from tlpo.games.standings import Standings, tally
from tlpo.problem.outcome import Classes, Ordered
from tlpo.problem.problem import Problem, take_rows

# Rows of H played at a time hold about this many entries.
ROWS_ENTRIES = 1 << 20
# Fewer games than this are not worth a second thread.
GAMES_A_THREAD = 200_000
# Below this many units every game is played: sorting would cost more than it saves.
CERTIFY_FROM = 400
# Responses within so many roundings are not told from 0.
NOISE = 1e3
# Left-out sets are listed for this many games times units at a time.
PART_ENTRIES = 1 << 26


class LeastSquares(Engine):
    """Ridge, kernel ridge, ordinary least squares, and estimators equivalent to these."""

    name = "least-squares"
    quick_games = 3_000_000
    plays_each = False
    estimators = ESTIMATORS
    outcomes = frozenset({Classes, Ordered})

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        family = family_of(prepared.model)
        if isinstance(family, str):
            raise EngineError(family)
        self.family: Family = family
        self._hats: dict[bool, Hat] = {}

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that the closed form does not cover."""
        family = family_of(prepared.model)
        if isinstance(family, str):
            return family
        problem = prepared.problem
        if prepared.guards and (
            problem.leaves_out_more or prepared.has_exceptions(2, family.notices_empty)
        ):
            return "Some training sets are prepared in another way."
        return family.why_not(problem)

    @classmethod
    def by_sets(cls, prepared: Prepared) -> BySets | str:
        """Return the engine of columns that change: it answers any sets."""
        return VaryingLeastSquares.by_sets(prepared)

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play all games, or only those that the order of leave-one-out predictions leaves open."""
        if schedule.listed is not None or self.problem.leaves_out_more:
            return self._play_listed(schedule, execution)
        started = time.perf_counter()
        hat, unscale = self._decompose()
        outcome, ordered = self.problem.outcome, schedule.is_ordered
        level = outcome.level
        count = None
        if isinstance(hat, Factor) and not self.problem.params and hat.y.size >= CERTIFY_FROM:
            count = play_certified(hat, level, ordered, thread_count(execution.n_jobs))
        if count is None:
            count = _play_all(hat, unscale, level, ordered, execution.n_jobs)
        settled, ties = NOTHING_DOUBTFUL, np.empty((0, 2), dtype=np.intp)
        if count.n_doubts:
            n_games = schedule.n_games(outcome)
            settled, ties = self._settle(count, hat, n_games, execution)
            _correct(count, settled, level)
        standings = Standings(
            outcome.arrange(count.half_wins / 2.0), outcome.scheduled(ordered), count.n_ties
        )
        predictions = None
        if execution.keep_predictions:
            predictions = Predictions(
                partial(_full_table, hat, self.family, unscale, settled, ties)
            )
        return Played(
            standings,
            predictions,
            Diagnostics(
                pairs_played=standings.n_games,
                games_evaluated=count.evaluated,
                fits=1 + len(settled.games),
                seconds=time.perf_counter() - started,
                warnings=settled.warnings,
            ),
        )

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:  # noqa: ARG002
        """Predict any held-out sets by the block formula."""
        started = time.perf_counter()
        family = self.family
        responses = []
        largest = max(test.size for test in tests)
        if self.prepared.guards and self.prepared.has_exceptions(largest, family.notices_empty):
            raise EngineError("Some training sets are prepared in another way.")
        if not self.problem.leaves_out_more:
            hat, unscale = self._decompose()
            for test, f in zip(tests, predict_held_out(hat, tests), strict=True):
                responses.append(family.respond(hat, test, f * unscale[test]))
        else:
            sets = [self.problem.left_out(test) for test in tests]
            hat, unscale = self._decompose(max(units.size for units in sets))
            for test, units, f in zip(tests, sets, predict_held_out(hat, sets), strict=True):
                if not family.is_settled(hat, units, f):
                    raise IllPosedError("A held-out set leaves no scatter within the classes.")
                answers = family.respond(hat, units, f * unscale[units])
                responses.append(answers[np.searchsorted(units, test)])
        if np.abs(np.concatenate(responses)).max() <= self._rounding():
            raise IllPosedError("Responses are as small as rounding.")
        return Answered(responses, Diagnostics(fits=1, seconds=time.perf_counter() - started))

    def _rounding(self) -> float:
        """Return a size of responses below which rounding decides, the estimator's own as well."""
        alpha = self.family.alpha
        squares = float(np.sum(matrix_of(self.problem.X) ** 2)) if alpha > 0 else 0.0
        return NOISE * EPSILON * (1.0 + squares / (alpha or 1.0))

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:  # noqa: ARG002
        """Return the responses for a held-out pair, and by how much their gap may be off."""
        predicted = self._predict(pair[None])
        apart = np.ptp(predicted.f[0])
        stretch = np.ptp(predicted.response[0]) / apart if apart else 1.0
        return predicted.response[0], float(predicted.error[0] * stretch)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Solve the least squares of every resample."""
        columns = Columns.of_matrix(matrix_of(self.problem.X))
        return fit_resamples(self.family, self.prepared, columns, fits)

    def reordering(self) -> HatReordering | None:
        """Share one hat matrix between all orders: it does not depend on them."""
        return share_hat(self.family, self.problem, lambda: self._decompose()[0])

    def _decompose(self, most_left_out: int = 2) -> tuple[Hat, FloatArray]:
        """Decompose by columns or by units, each at most once."""
        family, problem = self.family, self.problem
        weight = family.weight(problem)
        by_columns = family.is_tall(problem.X, most_left_out)
        if by_columns not in self._hats:
            self._hats[by_columns] = family.decompose(
                problem.X, problem.scaled_target, weight, most_left_out
            )
        m = problem.n_units
        return self._hats[by_columns], np.ones(m) if weight is None else 1.0 / np.sqrt(weight)

    def _settle(
        self, count: Count, hat: Hat, n_games: int, execution: Execution
    ) -> tuple[Settled, IntArray]:
        """Settle doubtful games; those between identical units tie, whatever rounding says.

        The latter are returned as well.
        """
        listed = count.doubts[: count.n_doubts]
        i, j = listed.T
        det = hat.a[i] * hat.a[j] - hat.entries(i, j) ** 2
        is_open = _differ(self.problem, listed) | (det <= hat.least_det)
        n_open = int(np.count_nonzero(is_open)) + count.n_doubts - len(listed)
        settled = settle(listed[is_open], n_open, n_games, self.prepared.refits, execution)
        return settled, listed[~is_open]

    def _play_listed(self, schedule: Schedule, execution: Execution) -> Played:
        """Play game by game: listed games, or games that leave out more than two units."""
        started = time.perf_counter()
        problem = self.problem
        games = schedule.games(problem.outcome)
        predicted = self._predict(games)
        outcome, responses = outcomes(*predicted.f.T), predicted.response
        is_identical = ~_differ(problem, games) & np.isfinite(predicted.error)
        doubtful = predicted.is_doubtful
        outcome[doubtful | is_identical] = 0.5
        responses[is_identical] = responses[is_identical].mean(axis=1, keepdims=True)
        open_games = np.flatnonzero(doubtful & ~is_identical)
        settled = NOTHING_DOUBTFUL
        if open_games.size:
            refits = self.prepared.refits
            settled = settle(games[open_games], open_games.size, len(games), refits, execution)
            if len(settled.games):
                outcome[open_games], responses[open_games] = settled.outcome, settled.responses
        standings = tally(games, outcome, problem.outcome)
        predictions = None
        if execution.keep_predictions:
            predictions = Predictions.of_games(problem.n_units, games, responses, np.inf)
        return Played(
            standings,
            predictions,
            Diagnostics(
                pairs_played=standings.n_games,
                games_evaluated=len(games),
                fits=1 + len(settled.games),
                seconds=time.perf_counter() - started,
                warnings=settled.warnings,
            ),
            None if schedule.listed is None else outcome,
            responses=None if schedule.listed is None else responses,
        )

    def _predict(self, games: IntArray) -> Predicted:
        problem, family = self.problem, self.family
        if not problem.leaves_out_more:
            hat, unscale = self._decompose()
            return predict_pairs(hat, family, unscale, games)
        # A part at a time: the sets of millions of games would not fit into memory.
        parts = np.array_split(games, 1 + len(games) * problem.n_units // PART_ENTRIES)
        left_out = lru_cache(maxsize=1)(lambda k: problem.left_out_of(parts[k]))
        largest = max(units.size for k in range(len(parts)) for units in left_out(k).sets)
        hat, unscale = self._decompose(largest)
        found = [
            predict_sets(hat, family, unscale, part, left_out(k)) for k, part in enumerate(parts)
        ]
        return Predicted(*map(np.concatenate, zip(*found, strict=True)))


def _play_all(
    hat: Hat, unscale: FloatArray, level: IntArray, ordered: bool, n_jobs: int | None
) -> Count:
    """Play every game, a few rows of H at a time."""
    from tlpo.engines.least_squares.kernels import play_rows

    m = hat.y.size
    n_games = m * (m - 1) // 2
    if ordered:
        sizes = np.bincount(level)
        n_games -= int(np.sum(sizes * (sizes - 1))) // 2
    threads = max(1, n_games // GAMES_A_THREAD)
    if threads > 1:
        threads = min(threads, thread_count(n_jobs))
    counts = [Count.empty(m, m) for _ in range(threads)]
    for first, rows in hat.row_blocks(ROWS_ENTRIES):
        edges = [first + len(rows) * k // threads for k in range(threads + 1)]
        same = (hat.a, hat.u, hat.y, unscale, level, ordered, hat.error, hat.least_det)
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


def _correct(count: Count, settled: Settled, level: IntArray) -> None:
    """Correct wins by games that were counted as ties and have been refitted."""
    won = np.rint(2.0 * settled.outcome - 1.0).astype(np.intp)
    shift_wins(count.half_wins, level, settled.games, won)
    count.n_ties -= int(np.count_nonzero(won))


def _full_table(
    hat: Hat, family: Family, unscale: FloatArray, settled: Settled, ties: IntArray
) -> FloatArray:
    """Return the m × m table of held-out predictions, the same for both units of each tie."""
    from tlpo.engines.least_squares.kernels import predict_rows

    m = hat.y.size
    F = np.empty((m, m))
    for start, rows in hat.row_blocks(ROWS_ENTRIES):
        predict_rows(rows, hat.sign, start, hat.a, hat.u, hat.y, F)
    F *= unscale[:, None]
    i, j = np.arange(m)[:, None], np.arange(m)[None, :]
    F = family.respond_games(hat, i, j, F, F.T)
    first, second = settled.games.T
    F[first, second], F[second, first] = settled.responses.T
    first, second = ties.T
    F[first, second] = F[second, first] = 0.5 * (F[first, second] + F[second, first])
    return F


def _differ(problem: Problem, games: IntArray) -> BoolArray:
    """Return which games are between units that differ."""
    first, second = (np.asarray(take_rows(problem.X, units)) for units in games.T)
    return np.asarray((first != second).any(axis=tuple(range(1, first.ndim))))


ENGINE = LeastSquares
