"""Games of neighbours from ranks: only those between neighbours need a look."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray, HalfWins, IntArray
from tlpo.engines.base import Played, Predictions
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.options import Execution
from tlpo.games.response import lowest_tie, outcomes
from tlpo.games.schedule import Schedule
from tlpo.games.standings import Standings, tally
from tlpo.problem.outcome import Outcome


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


def play_by_ranks(
    table: NeighborTable, schedule: Schedule, outcome: Outcome, execution: Execution
) -> Played:
    """Rank by leave-one-out responses and correct the games between neighbours."""
    started = time.perf_counter()
    ceiling = table.ceiling
    if schedule.listed is not None:
        return _play_listed(table, schedule.listed, outcome, execution, started)
    ordered, level = schedule.is_ordered, outcome.level
    half_wins, n_ties = half_wins_by_value(table.alone, level, ceiling, ordered)
    wins = np.asarray(outcome.arrange(half_wins / 2.0))
    changed = _neighbour_games(table.unit)
    if ordered:
        changed = changed[level[changed[:, 0]] != level[changed[:, 1]]]
    first, second = changed.T
    before = outcomes(table.alone[first], table.alone[second], ceiling)
    after = outcomes(*table.pairs(first, second), ceiling=ceiling)
    np.add.at(wins, (first, outcome.column(first, second)), after - before)
    np.add.at(wins, (second, outcome.column(second, first)), before - after)
    n_ties += int(np.count_nonzero(after == 0.5)) - int(np.count_nonzero(before == 0.5))
    standings = Standings(wins, outcome.scheduled(ordered), n_ties)
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


def _play_listed(
    table: NeighborTable,
    games: IntArray,
    who_wins: Outcome,
    execution: Execution,
    started: float,
) -> Played:
    """Play the games of a list, one by one."""
    responses = np.column_stack(table.pairs(*games.T))
    outcome = outcomes(responses[:, 0], responses[:, 1], table.ceiling)
    standings = tally(games, outcome, who_wins)
    predictions = None
    if execution.keep_predictions:
        predictions = Predictions.of_games(who_wins.n_units, games, responses, table.ceiling)
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
        responses=responses,
    )


def half_wins_by_value(
    values: FloatArray, level: IntArray, ceiling: float, ordered: bool
) -> tuple[HalfWins, int]:
    """Count half-wins when every game compares the same two values; also return how many tie.

    Columns are wins against units on lower levels, on higher ones, and peers.
    """
    from tlpo.games.levels import count_by_level

    order = np.argsort(values, kind="stable")
    ranked, level = values[order], level[order]
    edge = lowest_tie(ranked, ceiling=ceiling)
    # Unit at place r beats the places before low[r] and ties with those before high[r].
    low = np.searchsorted(ranked, edge, side="left")
    high = np.searchsorted(edge, ranked, side="right")
    m, n_levels = values.size, int(level.max()) + 1
    beaten, reached = np.empty((m, 3), dtype=np.int32), np.empty((m, 3), dtype=np.int32)
    count_by_level(level, n_levels, low, beaten)
    count_by_level(level, n_levels, high, reached)
    reached[:, 2] -= 1  # itself
    if ordered:
        beaten[:, 2] = reached[:, 2] = 0
    half_wins = np.empty_like(beaten)
    half_wins[order] = beaten + reached  # a tie is reached, not beaten
    return half_wins, int((reached - beaten).sum()) // 2


def _neighbour_games(unit: IntArray) -> IntArray:
    """List each pair in which one unit is a neighbour of the other once."""
    m, k = unit.shape
    first, second = np.repeat(np.arange(m), k), unit.reshape(-1)
    keys = np.unique(np.minimum(first, second) * m + np.maximum(first, second))
    return np.column_stack([keys // m, keys % m])
