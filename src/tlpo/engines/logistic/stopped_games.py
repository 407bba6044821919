"""Games decided by where the solver of the estimator stops, rather than by the solution.

The tolerance is one of the mean loss. With 50 events among 20 000 units its gradient is small from
the beginning, the solver stops early, and log odds are off by tenths. Then many games can only be
decided by its path. Paths without a unit or two run near that of all units (`nearby_paths`), and
what two units change is nearly the sum of what each changes:

    θ_ij = θ + u_i + u_j + remainder,   |vᵀ remainder| ≤ Γ ‖v‖ (s_i + s_j)².

``s_i²`` bounds how far the loss is from a quadratic function along the path without i. The factor Γ
by which that grows along the path is measured on pairs whose paths are followed in full, and
enlarged by `SAFETY`. Units without which the solver may take another turn, or that move its path
much, such as those of a rare class, are *special*: the path without each is followed in full, and
all its games near that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.by_sets import Answers
from tlpo.engines.logistic.known_path import Known, Near, Training, lengths
from tlpo.engines.ranges.bounds import Bounds
from tlpo.execution.options import Execution

# If decisions would be the same with three times the change that a unit makes, they are the same
# without two units. Near a path without one of them, this much is enough.
OF_TWO, OF_ONE = 3.0, 1.5
# Pairs that are followed in full to measure the factor: of usual units, and of each special one.
MEASURED, MEASURED_EACH = 100, 6
SAFETY = 20.0
# It is at least this, a tenth of what the remainder alone can be.
LEAST_FACTOR = 0.05
# A quarter of the pairs and more are of this share of the units, those that move the path most.
LARGE = 0.05
# Ties and rounding, relative to log odds.
ROUNDING = 1e-11
# Units that would have more open games are special. A special unit takes about as long as following
# twice as many games.
MOST_OPEN = 40
SPECIAL_COST = 80.0
# The share of models without one unit that are followed in full.
FOLLOWED_SHARE = 0.01
# Other turns that are looked at beside the path without a special unit.
OTHER_TURNS = 3

Follow = Callable[[IntArray], Answers]


class Special(NamedTuple):
    """The path without a special unit, and by how much remainders grow along paths near it."""

    known: Known
    factor: float


@dataclass(frozen=True, eq=False)
class Stops:
    """Where the solver stops without units.

    Attributes
    ----------
    full : Known
        Its path on all units.
    X : ndarray of shape (m, k)
        Their rows.
    near : Near
        The path without each unit.
    factor : float
        By how much remainders grow along these.
    rounding : float
        By how much gaps are off by rounding.
    special : dict of int to Special
        Paths without special units.
    execution : Execution
        How to run.
    """

    full: Known
    X: FloatArray
    near: Near
    factor: float
    rounding: float
    special: dict[int, Special]
    execution: Execution

    @cached_property
    def is_special(self) -> BoolArray:
        """Which units are special."""
        found = np.zeros(len(self.X), dtype=bool)
        found[list(self.special)] = True
        return found

    def look(self, games: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return gaps of the models without both units, and by how much they may be off."""
        gap, error = np.empty(len(games)), np.empty(len(games))
        usual, special, side = self._divide(games)
        gap[usual], error[usual] = self._look_at_usual(games[usual])
        for unit, mine in special.items():
            found, error[mine] = self._look_at_special(unit, games[mine, 1 - side[mine]])
            gap[mine] = np.where(side[mine] == 0, found, -found)
        return gap, error + self.rounding + ROUNDING * np.abs(gap)

    def responses(self, games: IntArray) -> FloatArray:
        """Return the log odds of both units without them, (g, 2); NaN where they are not known."""
        found = np.full(games.shape, np.nan)
        usual, special, side = self._divide(games)
        i, j = games[usual].T
        theta = self.full.theta + self.near.moved[i] + self.near.moved[j]
        for column, units in enumerate((i, j)):
            found[usual, column] = np.einsum("gk,gk->g", self.X[units], theta)
        for unit, mine in special.items():
            known = self.special[unit].known
            if known.points is None:
                continue
            units, others = known.units(), games[mine, 1 - side[mine]]
            near = known.follow_near(units, others, OF_ONE, True, self.execution)
            theta = np.where(near.is_near[:, None], known.theta + near.moved, np.nan)
            found[mine, side[mine]] = theta @ units.X[unit]
            found[mine, 1 - side[mine]] = np.einsum("gk,gk->g", units.X[others], theta)
        return found

    def table(self) -> FloatArray:
        """Return ``F[i, j]``, the log odds of i without i and j, of usual units."""
        own = np.einsum("uk,uk->u", self.X, self.full.theta + self.near.moved)
        return np.asarray(own[:, None] + self.X @ self.near.moved.T)

    def _divide(self, games: IntArray) -> tuple[IntArray, dict[int, IntArray], IntArray]:
        """Return games of usual units, those of each special unit, and on which side it is.

        Of two special units, the one that moves the path more is left out of the known one.
        """
        are_special = self.is_special[games]
        side = np.argmax(np.where(are_special, self.near.size[games], -1.0), axis=1)
        first = games[np.arange(len(games)), side]
        left = np.flatnonzero(are_special.any(axis=1))
        special = {unit: left[first[left] == unit] for unit in np.unique(first[left]).tolist()}
        return np.flatnonzero(~are_special.any(axis=1)), special, side

    def _look_at_usual(self, games: IntArray) -> tuple[FloatArray, FloatArray]:
        i, j = games.T
        v, near = self.X[i] - self.X[j], self.near
        gap = np.einsum("gk,gk->g", v, self.full.theta + near.moved[i] + near.moved[j])
        return gap, self.factor * self.full.widths(v) * (near.size[i] + near.size[j]) ** 2

    def _look_at_special(self, unit: int, others: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return by how much a special unit exceeds others, and by how much that may be off."""
        known, factor = self.special[unit]
        if known.points is None:
            return np.zeros(others.size), np.full(others.size, np.inf)
        gap, size = _beside(known, unit, others, self.execution)
        for _ in range(OTHER_TURNS):
            lost = np.flatnonzero(np.isinf(size))
            if lost.size <= MOST_OPEN:
                break
            # Without these the solver takes another turn, as it does without this one of them.
            one = int(others[lost[np.argsort(self.near.size[others[lost]])[lost.size // 2]]])
            turned = replace(known, without=np.array([unit, one]), back=one)
            if turned.points is not None:
                gap[lost], size[lost] = _beside(turned, unit, others[lost], self.execution)
        if not np.isfinite(factor):
            size = np.full(others.size, np.inf)
        return gap, factor * size


def _beside(
    known: Known, unit: int, others: IntArray, execution: Execution
) -> tuple[FloatArray, FloatArray]:
    """Return by how much a unit exceeds others, and remainders relative to the factor."""
    units = known.units()
    near = known.follow_near(units, others, OF_ONE, True, execution)
    v = units.X[unit] - units.X[others]
    gap = np.einsum("gk,gk->g", v, known.theta + near.moved)
    return gap, np.where(near.is_near, known.widths(v) * near.size**2, np.inf)


def answer_singles(
    training: Training, follow: Follow, units: IntArray, execution: Execution
) -> Answers | None:
    """Answer for models without one unit each by where the solver stops; None if it is not known.

    Parameters
    ----------
    training : Training
        What is trained on.
    follow : callable
        Follows the solver without sets in full.
    units : ndarray of shape (g,)
        The units.
    execution : Execution
        How to run.
    """
    full = Known(training, np.empty(0, dtype=np.intp))
    if full.points is None:
        return None
    every = full.units()
    near = full.follow_near(every, units, OF_ONE, True, execution)
    rows = every.X[units]
    response = np.einsum("gk,gk->g", rows, full.theta + near.moved)
    size = np.where(near.is_near, full.widths(rows) * near.size**2, np.inf)
    # Those that would be off the most, and those that take another turn, are followed in full.
    order = np.argsort(-size, kind="stable")
    count = max(MEASURED, int(FOLLOWED_SHARE * units.size), int(np.isinf(size).sum()))
    others = np.random.default_rng(0).permutation(order[count : count + 5 * count])[:MEASURED]
    again = np.concatenate([order[:count], others])
    followed = follow(units[again, None])
    found, blur = followed.response[:, 0], followed.error[:, 0]
    is_known = np.isfinite(blur) & np.isfinite(size[again])
    off = np.abs(found - response[again]) - blur
    ratio = np.where(is_known, off, 0.0) / np.where(is_known, size[again], 1.0)
    if not is_known.any():
        return None
    factor = max(SAFETY * float(ratio.max()), LEAST_FACTOR)
    error = factor * size + float(blur[is_known].max())
    sure = np.isfinite(blur)
    response[again[sure]], error[again[sure]] = found[sure], blur[sure]
    return Answers(np.nan_to_num(response)[:, None], np.nan_to_num(error, nan=np.inf)[:, None])


def bound_by_path(
    training: Training,
    follow: Follow,
    units: IntArray,
    ordered: bool,
    n_loose: float,
    execution: Execution,
) -> tuple[Bounds, Stops] | None:
    """Bound the games between some units by where the solver stops.

    Parameters
    ----------
    training : Training
        What is trained on.
    follow : callable
        Follows the solver without pairs in full.
    units : ndarray of shape (g,)
        The units.
    ordered : bool
        Whether only units of opposite class play.
    n_loose : float
        How many games would be followed without these bounds.
    execution : Execution
        How to run.

    Returns
    -------
    (Bounds, Stops) or None
        The bounds, and where the solver stops; None if following would take less time.
    """
    full = Known(training, np.empty(0, dtype=np.intp))
    if full.points is None:
        return None
    every = full.units()
    X, m = every.X, len(every.X)
    near = Near(np.zeros(X.shape), np.zeros(m), np.zeros(m, dtype=bool))
    found = full.follow_near(every, units, OF_TWO, False, execution)
    for part, own in zip(near, found, strict=True):
        part[units] = own
    usual = units[near.is_near[units]]
    pairs = _draw(training.target, usual, near.size, ordered, MEASURED)
    stops = Stops(full, X, near, 1.0, 0.0, {}, execution)
    gap, size = stops._look_at_usual(pairs)
    factor, rounding = _measure(follow(pairs), gap, size)
    rows = X - training.weight @ X / full.total
    kappa = full.widths(rows)
    base = np.einsum("uk,uk->u", rows, full.theta + near.moved)
    moves = lengths(near.moved, full.hessian)
    grown = factor * near.size**2
    slack = kappa * grown + 0.5 * rounding + ROUNDING * np.maximum(1.0, np.abs(base))
    slack[~near.is_near] = np.inf
    slack[_are_crowded(base, kappa, np.sqrt(grown), usual)] = np.inf
    special = units[np.isinf(slack[units])]
    if special.size * SPECIAL_COST > n_loose:
        return None
    usual = units[np.isfinite(slack[units])]
    stops = replace(stops, factor=factor, rounding=rounding)
    stops = replace(stops, special=_specials(special, usual, stops, follow, ordered))
    bounds = Bounds(
        units,
        base[units],
        np.column_stack([kappa, 2.0 * factor * kappa * near.size])[units],
        np.column_stack([moves + grown, near.size])[units],
        slack[units],
        ordered,
        stops.look,
    )
    return bounds, stops


def _draw(
    target: FloatArray, usual: IntArray, size: FloatArray, ordered: bool, count: int
) -> IntArray:
    """Draw pairs of usual units: some at random, some of units that move the path most."""
    rng = np.random.default_rng(0)
    pools = [usual[target[usual] == own] for own in (0, 1)] if ordered else [usual, usual]
    if min(pool.size for pool in pools) == 0:
        return np.empty((0, 2), dtype=np.intp)
    larges = [_largest(pool, size) for pool in pools]
    parts = [
        np.column_stack([rng.choice(one, count // 4), rng.choice(other, count // 4)])
        for one in (pools[0], larges[0])
        for other in (pools[1], larges[1])
    ]
    pairs = np.unique(np.sort(np.concatenate(parts), axis=1), axis=0)
    return pairs[pairs[:, 0] < pairs[:, 1]]


def _largest(pool: IntArray, size: FloatArray) -> IntArray:
    """Return the units that move the path most."""
    order = np.argsort(-size[pool], kind="stable")
    return pool[order[: max(10, int(LARGE * pool.size))]]


def _measure(followed: Answers, gap: FloatArray, size: FloatArray) -> tuple[float, float]:
    """Return the factor of remainders, enlarged, and how far rounding moves gaps."""
    if not gap.size:
        return LEAST_FACTOR, 0.0
    blur = followed.error.sum(axis=1)
    is_known = np.isfinite(blur) & np.isfinite(size) & (size > 0.0)
    if not is_known.any():
        return np.inf, 0.0
    off = np.abs(followed.response[:, 0] - followed.response[:, 1] - gap) - blur
    factor = SAFETY * float((off[is_known] / size[is_known]).max())
    return max(factor, LEAST_FACTOR), float(blur[is_known].max())


def _are_crowded(
    base: FloatArray, kappa: FloatArray, size: FloatArray, usual: IntArray
) -> IntArray:
    """Return the units that would have too many open games; those of median size are the others."""
    if not usual.size:
        return usual
    own, ordered = base[usual], np.sort(base[usual])
    reach = (kappa[usual] + np.median(kappa[usual])) * (size[usual] + np.median(size[usual])) ** 2
    count = np.searchsorted(ordered, own + reach) - np.searchsorted(ordered, own - reach)
    return usual[count > MOST_OPEN]


def _specials(
    special: IntArray, usual: IntArray, stops: Stops, follow: Follow, ordered: bool
) -> dict[int, Special]:
    """Follow the paths without special units, and measure their factors."""
    training, execution = stops.full.training, stops.execution
    rng = np.random.default_rng(1)
    partners = []
    for unit in special.tolist():
        pool = usual[training.target[usual] != training.target[unit]] if ordered else usual
        half = min(MEASURED_EACH // 2, pool.size)
        some = [_largest(pool, stops.near.size)[:half], rng.choice(pool, half)] if half else []
        partners.append(np.unique(np.concatenate([np.empty(0, dtype=np.intp), *some])))
    pairs = np.array([(u, v) for u, own in zip(special, partners, strict=True) for v in own])
    followed = follow(pairs.reshape(-1, 2).astype(np.intp))
    found, first = {}, 0
    for unit, own in zip(special.tolist(), partners, strict=True):
        known, factor = Known(training, np.array([unit]), stops.full.points), np.inf
        at = slice(first, first + own.size)
        first += own.size
        if known.points is not None and own.size:
            mine = Answers(followed.response[at], followed.error[at])
            measured, _ = _measure(mine, *_beside(known, unit, own, execution))
            factor = max(stops.factor, measured)
        found[unit] = Special(known, factor)
    return found
