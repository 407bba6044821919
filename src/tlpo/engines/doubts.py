"""Games that rounding would decide: one policy for every exact engine.

A closed form has rounding errors. A game whose gap is smaller than these errors, or whose training
set is too poorly determined, is *doubtful*. Doubtful games are settled by refitting, if they are at
most `MOST_REFITS` or `LARGEST_SHARE` of all. Otherwise the engine gives up and every game is
refitted, unless that would take more than `MOST_GAMES` fits: then doubtful games count as ties,
with a warning. An engine whose doubts come from the estimator's own solver, and are a small share
of any number of games, may allow that share to be refitted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import EngineError
from tlpo.execution.fits import GameFits
from tlpo.execution.options import Execution

MOST_REFITS = 1_000
LARGEST_SHARE = 0.5
MOST_GAMES = 500_000


@dataclass(frozen=True, eq=False)
class Settled:
    """How doubtful games were settled.

    Attributes
    ----------
    games : ndarray of shape (g, 2)
        Games that were refitted; every other doubtful game counts as a tie.
    outcome : ndarray of shape (g,)
        1, ½ or 0 for the first unit of each.
    responses : ndarray of shape (g, 2)
        Their responses.
    warnings : tuple of str
        What the reader should know.
    """

    games: IntArray = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))
    outcome: FloatArray = field(default_factory=lambda: np.empty(0))
    responses: FloatArray = field(default_factory=lambda: np.empty((0, 2)))
    warnings: tuple[str, ...] = ()


NOTHING_DOUBTFUL = Settled()


def settle(
    doubtful: IntArray,
    n_doubtful: int,
    n_games: int,
    refits: GameFits,
    execution: Execution,
    share: float = 0.0,
) -> Settled:
    """Decide doubtful games.

    Parameters
    ----------
    doubtful : ndarray of shape (g, 2)
        The games to settle, or as many as were recorded.
    n_doubtful : int
        How many there are.
    n_games : int
        Games of the whole schedule.
    refits : GameFits
        How to refit.
    execution : Execution
        How to run.
    share : float
        The share of more than `MOST_GAMES` games that may be refitted.
    """
    if not n_doubtful:
        return NOTHING_DOUBTFUL
    most = max(MOST_REFITS, (share if n_games > MOST_GAMES else LARGEST_SHARE) * n_games)
    if n_doubtful <= most and n_doubtful == len(doubtful):
        played = refits.play(doubtful, execution)
        if np.isnan(played.outcome).any():
            raise EngineError("The estimator fails on a game that rounding would decide.")
        return Settled(doubtful, played.outcome, played.responses)
    if n_games <= MOST_GAMES:
        raise EngineError(f"Rounding would decide {n_doubtful} games.")
    return Settled(warnings=(f"{n_doubtful} games that rounding would decide count as ties.",))


def may_swap(response: FloatArray, error: FloatArray, level: IntArray) -> BoolArray:
    """Return which units may change order with one on another level if all are off that much.

    Examples
    --------
    >>> import numpy as np
    >>> response, level = np.array([0.0, 1.0, 1.5, 4.0]), np.array([0, 0, 1, 0])
    >>> may_swap(response, np.array([0.1, 0.3, 0.3, 0.1]), level)
    array([False,  True,  True, False])
    """
    low, high = response - error, response + error
    touched = _overlaps(low, high)
    _, place, sizes = np.unique(level, return_inverse=True, return_counts=True)
    touched[sizes[place] == 1] -= 1  # itself
    for shared in np.flatnonzero(sizes > 1):
        own = place == shared
        touched[own] -= _overlaps(low[own], high[own])
    return np.asarray(~np.isfinite(error) | (touched > 0))


def settle_rows(
    rows: FloatArray, response: FloatArray, error: FloatArray, level: IntArray
) -> FloatArray | None:
    """Return responses if no error changes the order of units on different levels, else None.

    Units with equal rows get equal responses from any model: they tie, and cannot change order.

    Examples
    --------
    >>> import numpy as np
    >>> rows, level = np.array([[1.0], [1.0], [2.0]]), np.array([0, 1, 1])
    >>> settle_rows(rows, np.array([0.5, 0.5, 0.7]), np.full(3, 0.05), level)
    array([0.5, 0.5, 0.7])
    >>> settle_rows(rows, np.array([0.5, 0.5, 0.7]), np.full(3, 0.15), level) is None
    True
    """
    if not may_swap(response, error, level).any():
        return response
    _, first, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    same = same.reshape(-1)
    n_rows = first.size
    if n_rows == same.size:
        return None
    lowest, highest = level[first].copy(), level[first].copy()
    np.minimum.at(lowest, same, level)
    np.maximum.at(highest, same, level)
    # Equal rows on several levels are ordered with all others, as if on a level of their own.
    mixed = level.max() + 1 + np.arange(n_rows)
    own = np.where(lowest == highest, lowest, mixed)
    if may_swap(response[first], error[first], own).any():
        return None
    return np.asarray(response[first][same])


def _overlaps(low: FloatArray, high: FloatArray) -> IntArray:
    """Count the intervals that each touches: those begun before it ends, but for those ended."""
    begun = np.searchsorted(np.sort(low), high, side="right")
    return np.asarray(begun - np.searchsorted(np.sort(high), low, side="left"))
