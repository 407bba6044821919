"""Games behind scalers that limits to the responses of two units decide.

Scales move little without a pair, so most units have the same neighbours, or nearly the same
weights of them, whoever leaves with them. That limits the response of every unit, but for games
with a candidate to vote for it. Limits of two units that do not overlap decide their game, and so
do equal shares of votes, which tie. The other games are played.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.neighbors.candidates import Candidates
from tlpo.engines.neighbors.ranks import half_wins_by_value
from tlpo.engines.neighbors.voting import Ballot, Voting
from tlpo.engines.preparation.limits import Limits
from tlpo.engines.ranges.counting import RangeCount
from tlpo.execution.threads import in_threads, slices
from tlpo.games.response import outcomes

# Units whose limits are found at a time, and games that are listed at a time.
UNITS, GAMES = 4096, 1 << 15
# Fewer units than this are not worth a second thread.
UNITS_A_THREAD = 1000


@dataclass(frozen=True, eq=False)
class Overlaps:
    """What is known of the responses of units in all games but those with a candidate.

    Attributes
    ----------
    low, high : ndarray of shape (m,)
        Limits to the responses; infinite where nothing is known.
    alone : ndarray of shape (m,)
        Numbers between them.
    near : ndarray of shape (g, 2)
        Games with a candidate.
    level : ndarray of shape (m,)
        The level of every unit of the outcome.
    ordered : bool
        Whether only units on different levels play.
    ceiling : float
        The largest value a response can take.
    """

    low: FloatArray
    high: FloatArray
    alone: FloatArray
    near: IntArray
    level: IntArray
    ordered: bool
    ceiling: float

    def count_decided(self) -> tuple[RangeCount, Iterator[tuple[IntArray, int]]]:
        """Count the games that are decided, and list the others as they are played."""
        half_wins, n_ties = half_wins_by_value(self.alone, self.level, self.ceiling, self.ordered)
        count = RangeCount(half_wins, self.level, n_ties)

        def listed() -> Iterator[tuple[IntArray, int]]:
            for games, n_units in self.open_games():
                first, second = games.T
                count.reopen(games, outcomes(self.alone[first], self.alone[second], self.ceiling))
                yield games, n_units

        return count, listed()

    def open_games(self) -> Iterator[tuple[IntArray, int]]:
        """Yield games to be played, each once, and of how many more units all are listed."""
        from tlpo.engines.neighbors.near_kernels import list_overlaps

        yield self._near_only, 0
        order = np.argsort(self.low, kind="stable")
        given = (order, self.low, self.high, self.level, self.ordered, self.ceiling)
        room = np.empty((max(GAMES, order.size), 2), dtype=np.intp)
        start = 0
        while start < order.size:
            n_games, stop = list_overlaps(start, *given, room)
            for first in range(0, n_games, GAMES):
                yield room[first : min(first + GAMES, n_games)], 0
            yield room[:0], stop - start
            start = stop

    @cached_property
    def _near_only(self) -> IntArray:
        """Games with a candidate that limits would decide."""
        from tlpo.engines.neighbors.near_kernels import are_decided

        games = self.near
        if self.ordered:
            games = games[self.level[games[:, 0]] != self.level[games[:, 1]]]
        is_new = np.empty(len(games), dtype=bool)
        are_decided(games, self.low, self.high, self.ceiling, is_new)
        return games[is_new]


def find_overlaps(
    voting: Voting,
    candidates: Candidates,
    limits: Limits,
    ballot: Ballot,
    margin: FloatArray,
    level: IntArray,
    ordered: bool,
    threads: int,
) -> Overlaps:
    """Limit the responses of all units."""
    from tlpo.engines.neighbors.near_kernels import limit_votes

    m = limits.columns.n_units
    low, high = np.full(m, -np.inf), np.full(m, np.inf)
    alone, matters = np.zeros(m), np.zeros(candidates.unit.shape, dtype=bool)
    usual = np.flatnonzero(~limits.is_unusual)
    for first in range(0, usual.size, UNITS):
        units = usual[first : first + UNITS]
        ratios = limits.ratios(units)
        calls = [
            (
                units[part],
                limits.columns.values,
                candidates,
                *(ratio[part] for ratio in ratios),
                ballot,
                margin,
                low,
                high,
                alone,
                matters,
            )
            for part in slices(units.size, max(1, min(threads, units.size // UNITS_A_THREAD)))
        ]
        in_threads(limit_votes, calls)
    if voting.is_signed:
        low, high, alone = (2.0 * limit - 1.0 for limit in (low, high, alone))
    unit, place = np.nonzero(matters)
    games = np.sort(np.column_stack([unit, candidates.unit[unit, place]]), axis=1)
    near = np.unique(games, axis=0).reshape(-1, 2)
    return Overlaps(low, high, alone, near, level, ordered, voting.ceiling)
