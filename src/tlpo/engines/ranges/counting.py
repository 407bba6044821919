"""Wins of games that were decided in ranges, and of those that were left open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray, HalfWins, IntArray
from tlpo.engines.doubts import Settled
from tlpo.engines.ranges.bounds import Closer


@dataclass
class RangeCount:
    """Wins so far. The second unit of each open game counts as the winner before it is played.

    Attributes
    ----------
    half_wins : ndarray of shape (m, 3)
        Wins against units that should lose, that should win, and peers, in halves.
    level : ndarray of shape (m,)
        The level of every unit.
    n_ties, evaluated : int
        Games that were tied, and that were open.
    """

    half_wins: HalfWins
    level: IntArray
    n_ties: int = 0
    evaluated: int = 0

    @classmethod
    def empty(cls, level: IntArray) -> RangeCount:
        """Start counting."""
        return cls(np.zeros((level.size, 3), dtype=np.int32), level)

    def decide(self, games: IntArray, closer: Closer | None) -> IntArray:
        """Count open games that a closer look decides; return the others."""
        self.evaluated += len(games)
        if closer is None or not len(games):
            return games
        gap, error = closer(games)
        is_decided = np.abs(gap) > error
        won = games[is_decided & (gap > 0)]
        shift_wins(self.half_wins, self.level, won, np.full(len(won), 2))
        return games[~is_decided]

    def add(self, games: IntArray, outcome: FloatArray) -> None:
        """Count open games that were played: 1, ½ or 0 for the first unit."""
        won = np.rint(2.0 * outcome).astype(np.intp)
        shift_wins(self.half_wins, self.level, games, won)
        self.n_ties += int(np.count_nonzero(won == 1))

    def reopen(self, games: IntArray, outcome: FloatArray) -> None:
        """Take back games that were counted so, and let their second units count as winners."""
        won = np.rint(2.0 * outcome).astype(np.intp)
        shift_wins(self.half_wins, self.level, games, -won)
        self.n_ties -= int(np.count_nonzero(won == 1))
        self.evaluated += len(games)

    def correct(self, settled: Settled) -> None:
        """Correct games that were counted as ties and have been refitted."""
        won = np.rint(2.0 * settled.outcome - 1.0).astype(np.intp)
        shift_wins(self.half_wins, self.level, settled.games, won)
        self.n_ties -= int(np.count_nonzero(won))


def shift_wins(half_wins: HalfWins, level: IntArray, games: IntArray, won: IntArray) -> None:
    """Give so many half-wins to the first unit of each game, and take them from the second."""
    first, second = games.T
    one, other = level[first], level[second]
    for units, column, change in (
        (first, (other > one) + 2 * (other == one), won),
        (second, (one > other) + 2 * (other == one), -won),
    ):
        np.add.at(half_wins.reshape(-1), 3 * units + column, change.astype(half_wins.dtype))
