"""Certified pruning: whole ranges of games are decided by two numbers per unit and a bound.

Let ``b_i`` be a number of unit i, such as the prediction of a model without it alone. If the gap
``d_ij`` in the model without both units is known to obey

    |d_ij − (b_i − b_j)| ≤ Σ_q (near_iq far_jq + near_jq far_iq) + slack_i + slack_j ,

then, sorted by b, a unit is certain to lose to every later unit whose b exceeds its own by more.
Only games with nearer units are open. Units are divided into strata by the size of these numbers,
so that a few influential ones do not widen the ranges of all. The number of open games per unit
hardly grows with the number of units where both gaps and bounds shrink like 1/m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, HalfWins, IntArray

# Open games that are listed at a time; more if a single unit could have more.
AT_A_TIME = 1 << 17
# Each stratum has numbers up to twice as large as the one before; the first has half of the units.
STRATA = 16
# Rounding of the bound itself: far below what slack must cover.
MARGIN = 1.0 + 1e-9

# For some games: gaps of the model without both units, and by how much these may be off.
Closer = Callable[[IntArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Bounds:
    """Numbers of some units that bound the gaps of all games between them.

    Attributes
    ----------
    units : ndarray of shape (g,)
        The units.
    base : ndarray of shape (g,)
        The numbers whose differences are close to the gaps.
    near, far : ndarray of shape (g, R)
        Factors of the bound: how far a unit is moved by others, and moves them.
    slack : ndarray of shape (g,)
        What each unit adds to the bound. It must cover rounding and the width of a tie. Infinite
        for a unit all of whose games are to be played.
    ordered : bool
        Whether only games between units on different levels are meant.
    closer : callable or None
        A quicker way than playing to decide most open games.
    """

    units: IntArray
    base: FloatArray
    near: FloatArray
    far: FloatArray
    slack: FloatArray
    ordered: bool = False
    closer: Closer | None = None


class Ranges:
    """The games between some units, decided or open.

    Parameters
    ----------
    bounds : Bounds
        What is known of the units; its factors are sorted in place, to save memory.
    level : ndarray of shape (m,)
        The level of every unit of the problem.
    """

    def __init__(self, bounds: Bounds, level: IntArray) -> None:
        is_known = np.isfinite(bounds.slack) & np.isfinite(bounds.base)
        is_known &= np.isfinite(bounds.near).all(axis=1) & np.isfinite(bounds.far).all(axis=1)
        base = np.where(is_known, bounds.base, 0.0)
        order = np.argsort(base, kind="stable")
        known = is_known[order]
        self.ordered, self.closer = bounds.ordered, bounds.closer
        self.units = bounds.units[order]
        self.base = base[order]
        self.near, self.far = bounds.near, bounds.far
        for factors in (self.near, self.far):
            for q in range(factors.shape[1]):
                factors[:, q] = factors[order, q]
        self.near[~known] = self.far[~known] = 0.0
        self.near *= MARGIN
        self.slack = np.where(known, bounds.slack[order], np.inf)
        _, self.level = np.unique(level[self.units], return_inverse=True)

    def half_wins(self) -> HalfWins:
        """Return half-wins if every game goes to the unit with the larger base; see `later_wins`.

        Rows are in the order of ``units``.
        """
        return later_wins(self.level, self.ordered)

    def open_games(self) -> Iterator[tuple[IntArray, int]]:
        """Yield games that are not decided, the one of the smaller base first, and of how many.

        The latter are units whose games with all others of a larger base are among these.
        """
        from tlpo.engines.ranges.kernels import list_open

        m = self.units.size
        member, edge, only = self._strata
        most = [np.maximum.reduceat(x[member], edge[:-1]) for x in (self.near, self.far)]
        room = np.empty((max(AT_A_TIME, m), 2), dtype=np.intp)
        given: list[Any] = [
            *(self.base, self.near, self.far, self.slack, self.level, self.ordered),
            *(member, edge, edge[:-1].copy(), *most),
            *(np.maximum.reduceat(self.slack[member], edge[:-1]), only, room),
        ]
        start = 0
        while start < m:
            n_games, stop = list_open(start, *given)
            yield self.units[room[:n_games]], stop - start
            start = stop

    @cached_property
    def _strata(self) -> tuple[IntArray, IntArray, IntArray]:
        """Places by stratum, where each stratum begins, and the level of all its units or −1."""
        size = self.slack + self.near @ self.far.mean(axis=0) + self.far @ self.near.mean(axis=0)
        middle = float(np.median(size))
        middle = middle if 0.0 < middle < np.inf else 1.0
        with np.errstate(divide="ignore"):
            stratum = np.clip(np.ceil(np.log2(size / middle)), 0, STRATA).astype(np.intp)
        stratum[np.isinf(size)] += 1
        is_two = int(self.level.max()) <= 1
        if is_two:
            stratum = 2 * stratum + self.level
        member = np.argsort(stratum, kind="stable")
        found, edge = np.unique(stratum[member], return_index=True)
        only = found % 2 if is_two else np.full(found.size, -1)
        return member, np.append(edge, member.size), only


def later_wins(level: IntArray, ordered: bool) -> HalfWins:
    """Return half-wins, (m, 3), if every unit beats all earlier ones.

    They are wins against units on lower levels, on higher ones, and peers, as in `Count`; peers do
    not play if ``ordered``.
    """
    from tlpo.games.levels import count_by_level

    wins = np.empty((level.size, 3), dtype=np.int32)
    count_by_level(level, int(level.max()) + 1, np.arange(level.size), wins)
    wins *= 2
    if ordered:
        wins[:, 2] = 0
    return wins
