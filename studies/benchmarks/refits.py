"""An engine beside refits of a sample of its games, timed in turns."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Played
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule, ordered_pairs


@dataclass(frozen=True)
class Speed:
    """How long all games take without refitting, and what refits of them would.

    Attributes
    ----------
    fast : float
        Seconds for all games.
    slow : float
        Seconds for one refitted game.
    played : Played
        All games.
    games, results : ndarray
        Games that were refitted, and how they ended.
    """

    fast: float
    slow: float
    played: Played
    games: IntArray
    results: FloatArray

    @property
    def gain(self) -> str:
        """How much faster it is."""
        slow = self.played.standings.n_games * self.slow
        return f"{slow / self.fast:,.0f} × faster ({self.fast:.2f} s against {slow:,.0f} s)"

    @property
    def n_different(self) -> int:
        """How many of the refitted games ended otherwise."""
        assert self.played.predictions is not None
        F = self.played.predictions.full()
        i, j = self.games.T
        return int(np.count_nonzero(outcomes(F[i, j], F[j, i]) != self.results))


def against_refits(estimator: Any, X: Any, y: Any, engine: str, n_sampled: int) -> Speed:
    """Play all games by an engine and refit some, alternating so that load affects both."""
    refit = Contest(estimator, X, y, ContestOptions(engine="refit"))
    rng = np.random.default_rng(0)
    fast, slow, games, results = np.inf, np.inf, [], []
    for _ in range(2):
        games.append(rng.permutation(ordered_pairs(refit.outcome))[:n_sampled])
        start = time.perf_counter()
        results.append(refit.play(Schedule(listed=games[-1])).outcome)
        slow = min(slow, (time.perf_counter() - start) / n_sampled)
        start = time.perf_counter()
        played = Contest(estimator, X, y).play(Schedule())
        fast = min(fast, time.perf_counter() - start)
        assert played.engine == engine
    return Speed(fast, slow, played, np.concatenate(games), np.concatenate(results))
