"""From wins to scores, the share of games won as they should be, and consistency.

Nothing here depends on a model. Formulas: Kendall & Babington Smith (1940),
as used by Montoya Perez et al. (2018), supplement 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray
from tlpo.problem.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Standings:
    """Wins of every unit, by kinds of opponents.

    Attributes
    ----------
    wins : ndarray of shape (m, 2) or (m, 3)
        Of two classes, wins against negatives and against positives; of numbers and grades, against
        units that should lose, that should win, and peers. A tie is half a win.
    games : ndarray of the same shape
        Games played against them.
    n_ties : int
        Number of tied games.
    """

    wins: FloatArray
    games: FloatArray
    n_ties: int

    @property
    def n_units(self) -> int:
        """Number of units, m."""
        return int(self.wins.shape[0])

    @cached_property
    def n_games(self) -> int:
        """Number of games played."""
        return int(self.games.sum()) // 2

    @property
    def is_complete(self) -> bool:
        """Whether every pair has played."""
        return self.n_games == self.n_units * (self.n_units - 1) // 2

    @cached_property
    def scores(self) -> FloatArray:
        """Tournament score S(i), the number of wins.

        If games are missing, it is the share of games won, times m − 1, so that a unit is not
        ranked low because it played fewer games; NaN for a unit without games.
        """
        wins: FloatArray = self.wins.sum(axis=1)
        if self.is_complete:
            return wins
        games = self.games.sum(axis=1)
        share = np.divide(wins, games, out=np.full(self.n_units, np.nan), where=games > 0)
        return np.asarray(share * (self.n_units - 1))

    def lpo_auc(self, is_positive: BoolArray) -> float:
        """Leave-pair-out AUC: the share of opposite-class games won by the positive unit."""
        games = self.games[is_positive, 0].sum()
        return float(self.wins[is_positive, 0].sum() / games) if games else float("nan")

    def concordance(self, outcome: Outcome) -> float:
        """Share of the games between ordered units won by the one that should win."""
        games = outcome.to_win(self.games).sum()
        return float(outcome.to_win(self.wins).sum() / games) if games else float("nan")

    @property
    def circular_triads(self) -> float:
        """Number of circular triads c; NaN unless every pair has played."""
        return circular_triads(self.scores) if self.is_complete else float("nan")

    @property
    def consistency(self) -> float:
        """Coefficient of consistency ξ = 1 − c/c_max; NaN unless every pair has played."""
        return 1.0 - self.circular_triads / max_circular_triads(self.n_units)


def tally(pairs: npt.NDArray[np.intp], results: FloatArray, outcome: Outcome) -> Standings:
    """Count the wins in a list of games.

    Parameters
    ----------
    pairs : ndarray of shape (g, 2)
        The two units of each game.
    results : ndarray of shape (g,)
        1, ½ or 0 for the first unit; NaN for a game that was not played.
    outcome : Outcome
        Who should win.
    """
    played = ~np.isnan(results)
    pairs, results = pairs[played], results[played]
    m, kinds = outcome.n_units, outcome.n_columns
    wins = np.zeros(kinds * m)
    games = np.zeros(kinds * m)
    for side, won in ((0, results), (1, 1.0 - results)):
        units, opponents = pairs[:, side], pairs[:, 1 - side]
        cell = kinds * units + outcome.column(units, opponents)
        wins += np.bincount(cell, weights=won, minlength=kinds * m)
        games += np.bincount(cell, minlength=kinds * m)
    n_ties = int(np.count_nonzero(results == 0.5))
    return Standings(wins.reshape(m, kinds), games.reshape(m, kinds), n_ties)


def circular_triads(scores: FloatArray) -> float:
    """Count circular triads from the scores of a complete tournament.

    A tie counts as half a win for each unit, and enters the count as such.

    Examples
    --------
    >>> circular_triads(np.array([1.0, 1.0, 1.0]))  # rock, paper, scissors
    1.0
    """
    m = scores.size
    # In integers, because m³ exceeds the 53 bits of a double at a few hundred thousand units:
    # with T = 2S − (m − 1), eight times c is m(m² − 1)/3 − Σ T².
    T = np.rint(2.0 * scores).astype(np.int64) - (m - 1)
    squares = sum(int(np.sum(part * part)) for part in np.array_split(T, m // 2**20 + 1))
    return (m * (m * m - 1) // 3 - squares) / 8


def max_circular_triads(n_units: int) -> float:
    """Return the largest number of circular triads ``n_units`` can form."""
    m = n_units
    return (m**3 - m) / 24 if m % 2 else (m**3 - 4 * m) / 24
