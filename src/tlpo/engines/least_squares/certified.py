"""Certified pruning: the exact tournament without playing every game.

H is positive semi-definite, so ``|h_ij| ≤ q_i q_j`` with ``q_i = √h_ii``. With leave-one-out
predictions p, residuals ``r = y − p`` and ``a = 1 − h_ii``, the gap of a game differs from the gap
in p by at most

    [ q_i q_j (|r_i|/a_j + |r_j|/a_i) + ρ² |r_i − r_j| ] / (1 − ρ²),   ρ² = t_i t_j,  t = h_ii/a_i .

Sorted by p, a unit is certain to lose to every later unit whose p exceeds its own by more; only
games against nearer units are played. Where the classes are separated, about 2n games per unit
remain, however many units there are. Without any signal p is crowded and about √(n m) remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tlpo.arrays import FloatArray, HalfWins, IntArray
from tlpo.engines.least_squares.hat import BLOCK, Factor
from tlpo.engines.ranges.bounds import later_wins
from tlpo.execution.threads import in_threads, slices

# Most doubtful games that are recorded.
DOUBTS = 4096
# Fewer candidates than this are not worth a second thread.
CANDIDATES_A_THREAD = 200_000
# So are fewer units than this.
UNITS_A_THREAD = 50_000
# Costs in nanoseconds, measured: looking at a candidate, playing it alone, playing it in a block
# by BLAS; each with what a column of Q adds. They only decide which way is used.
LOOK, ALONE, ALONE_COLUMN, BLOCKED, BLOCKED_COLUMN = 2.0, 12.0, 0.6, 10.0, 0.15
SAMPLE = 64


@dataclass
class Count:
    """Counts from playing, in one thread or in all.

    Attributes
    ----------
    half_wins : ndarray of shape (m, 3)
        Wins against units that should lose, that should win, and peers, in halves.
    doubts : ndarray of shape (·, 2)
        Doubtful games, counted as ties; `n_doubts` of them, unless there was no room for all.
    n_ties, n_doubts, evaluated : int
        Games that were tied, doubtful, computed.
    """

    half_wins: HalfWins
    doubts: IntArray
    n_ties: int = 0
    n_doubts: int = 0
    evaluated: int = 0

    @classmethod
    def empty(cls, n_rows: int, n_units: int) -> Count:
        """Start counting."""
        room = min(DOUBTS, n_units * (n_units - 1) // 2)
        return cls(np.zeros((n_rows, 3), dtype=np.int32), np.zeros((room, 2), dtype=np.intp))

    def room(self) -> IntArray:
        """Return the part of ``doubts`` that is free."""
        return self.doubts[self.n_doubts :]

    def add(self, other: Count, first: int) -> None:
        """Add another count, whose rows begin at ``first``."""
        self.half_wins[first : first + len(other.half_wins)] += other.half_wins
        kept = min(len(self.room()), other.n_doubts)
        self.room()[:kept] = other.doubts[:kept]
        self.n_ties += other.n_ties
        self.n_doubts += other.n_doubts
        self.evaluated += other.evaluated


def play_certified(hat: Factor, level: IntArray, ordered: bool, threads: int) -> Count | None:
    """Play the tournament, or return None if playing every game in blocks is cheaper."""
    from tlpo.engines.least_squares.kernels import find_ends, play_near, sort_units

    m = hat.a.size
    if not hat.a.min() > 0:
        return None
    order = np.argsort(hat.u / hat.a)
    rows = np.empty((8, m))
    shares = slices(m, max(1, min(threads, m // UNITS_A_THREAD)))
    given = (order, hat.a, hat.u, hat.y, rows)
    in_threads(sort_units, [(part.start, part.stop, *given) for part in shares])
    a, u, y, p, v, w, t, r = rows
    second, T = np.partition(t, -2)[-2:]
    least = float(a.min())
    if not least**2 * (1.0 - second * T) > hat.least_det:
        return None
    # The tie tolerance and rounding, with a margin.
    sizes = max(1.0, -float(p[0]), float(p[-1]), float(r.max()))
    slack = (1e-11 + 100.0 * hat.error) * sizes / least**2
    most = np.array([v.max(), w.max(), T, r.max()])
    end = np.empty(m, dtype=np.intp)
    bounds = (p, v, w, t, r, most, slack, end)
    in_threads(find_ends, [(part.start, part.stop, *bounds) for part in shares])
    if _is_cheaper_in_blocks(p, v, w, t, r, end, hat.T.shape[1]):
        return None
    Q = _gather(hat, order, shares)
    level = level[order]
    runs = _shares(end, threads)
    parts = [Count.empty(int(end[low:high].max()) - low, p.size) for low, high in runs]
    same = (end, Q, p, v, w, t, r, a, u, y, level, slack, ordered, hat.error)
    calls = [
        (low, high, *same, part.half_wins, part.doubts)
        for (low, high), part in zip(runs, parts, strict=True)
    ]
    total = Count.empty(p.size, p.size)
    for (low, _), part, counted in zip(runs, parts, in_threads(play_near, calls), strict=True):
        part.evaluated, part.n_ties, part.n_doubts = counted
        total.add(part, low)
    total.half_wins += later_wins(level, ordered)
    back = np.empty_like(total.half_wins)
    back[order] = total.half_wins
    total.half_wins = back
    total.doubts = order[total.doubts]
    return total


def _gather(hat: Factor, order: IntArray, shares: list[slice]) -> FloatArray:
    """Return the rows of Q in the given order."""
    if hat.Q is not None:
        return np.asarray(hat.Q[order])
    from tlpo.engines.least_squares.kernels import gather_rows

    design = hat.design
    X, mean, constant, scale = design.X, design.mean, design.constant, design.scale
    rows = np.empty((order.size, hat.T.shape[1]))
    given = (
        X,
        np.zeros(X.shape[1]) if mean is None else mean,
        0.0 if constant is None else constant,
        np.empty(0) if scale is None else scale,
    )
    in_threads(gather_rows, [(part.start, part.stop, order, *given, rows) for part in shares])
    for start in range(0, order.size, BLOCK):
        block = rows[start : start + BLOCK]
        block[:] = block @ hat.T
    return rows


def _is_cheaper_in_blocks(
    p: FloatArray,
    v: FloatArray,
    w: FloatArray,
    t: FloatArray,
    r: FloatArray,
    end: IntArray,
    n: int,
) -> bool:
    """Estimate from a few units whether playing all games is cheaper."""
    m = p.size
    candidates = float(np.sum(end - np.arange(m)))
    open_share, looked = 0, 1
    for i in np.linspace(0, m - 2, SAMPLE).astype(int):
        j = slice(i + 1, int(end[i]))
        rho = t[i] * t[j]
        bound = v[i] * w[j] + w[i] * v[j] + rho * (r[i] + r[j])
        open_share += int(np.count_nonzero((p[j] - p[i]) * (1.0 - rho) <= bound))
        looked += int(end[i]) - i - 1
    evaluated = candidates * open_share / looked
    pruned = LOOK * candidates + (ALONE + ALONE_COLUMN * n) * evaluated
    return pruned > (BLOCKED + BLOCKED_COLUMN * n) * m * (m - 1) / 2


def _shares(end: IntArray, threads: int) -> list[tuple[int, int]]:
    """Divide the units so that all threads look at equally many candidates."""
    work = np.cumsum(end - np.arange(end.size))
    threads = max(1, min(threads, int(work[-1]) // CANDIDATES_A_THREAD))
    goals = work[-1] * np.arange(1, threads) / threads
    cuts = [0, *np.searchsorted(work, goals).tolist(), end.size]
    return [(low, high) for low, high in pairwise(cuts) if high > low]
