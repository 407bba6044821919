"""The jackknife variance from a random part of the predictions, for samples of any size.

The table of all predictions has m² entries. What the jackknife needs of it can be estimated: by how
much C, the AUC or concordance, changes if some *third units* k, drawn at random, are left out of
training. That is a sum over games of i and j, of which those between units drawn at random are
replayed. A change of C is a mean of the derivative of results with respect to small shifts: where
few games of the draw are close enough to turn, shifts are widened by a factor λ and the change
divided by it.

The square of an estimated change is too large by the variance of the estimate. Units are drawn in
blocks, whose sums show that variance, and it is taken off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.placements import without_noise

# Third units, and units whose games are replayed without them.
THIRD, REPLAYED = 128, 4096
# A variance with a larger relative error, four times that of a width, is raised by it: without
# signal a few units of very many hardly show how models change.
LARGEST_ERROR = 0.2
# Entries of a table of pairs at a time.
ENTRIES = 1 << 21
# Blocks of units, and of third units, that show what the draw leaves open.
BLOCKS, THIRD_BLOCKS = 8, 16
# Games that are replayed: at least so many of every unit, at most so many in all.
CLOSE_GAMES, MOST_GAMES = 10, 1 << 18
# The draw is the same for all models of a sample.
SEED = 20180


class Estimate(NamedTuple):
    """A variance, and the standard error that the draw leaves."""

    value: float
    error: float

    @property
    def careful(self) -> float:
        """The variance, raised by its standard error where the draw leaves much open.

        Examples
        --------
        >>> Estimate(2.0, 0.1).careful, Estimate(2.0, 1.0).careful
        (2.0, 3.0)
        """
        is_known = self.error <= LARGEST_ERROR * self.value
        return self.value if is_known else self.value + self.error

    def width_error(self, seen: float) -> float:
        """Return the relative standard error of the width of an interval.

        The width grows as the square root of φ, which is ``seen``, but at least 1, and grows as
        the square root of this variance.

        Examples
        --------
        >>> round(Estimate(2.0, 0.1).width_error(1.5), 4), Estimate(2.0, 0.1).width_error(0.9)
        (0.0125, 0.0)
        """
        if self.careful <= 0:
            return 0.0
        share = self.error / self.careful
        ratios = np.array([max(0.0, 1.0 - share), 1.0, 1.0 + share])
        low, middle, high = np.sqrt(np.maximum(1.0, seen * np.sqrt(ratios)))
        return float((high - low) / (2.0 * middle))


@dataclass(frozen=True, eq=False)
class Draw:
    """Units drawn at random, equally many of every kind if there are enough.

    Attributes
    ----------
    third : ndarray of shape (t,)
        Units that are left out of training; of grouped units, groups.
    place : ndarray of shape (t,)
        These units; of every group one.
    weight : ndarray of shape (t,)
        How many units, or groups, each of them stands for.
    units : ndarray of shape (u,)
        Units that play.
    own : ndarray of shape (u,)
        What leaves with each of them: itself, or its group.
    kind : ndarray of shape (u,)
        Their kinds.
    share : ndarray of shape (u,)
        The share of their kind that was drawn.
    """

    third: IntArray
    place: IntArray
    weight: FloatArray
    units: IntArray
    own: IntArray
    kind: IntArray
    share: FloatArray

    @classmethod
    def of(
        cls,
        kind: IntArray,
        third: int | None = None,
        units: int | None = None,
        seed: int = SEED,
        groups: IntArray | None = None,
    ) -> Draw:
        """Draw from units of several kinds, and third units or groups; always the same ones.

        Groups are numbered from 0.

        Examples
        --------
        >>> draw = Draw.of(np.repeat([0, 1], [90, 10]), third=30, units=50)
        >>> np.bincount(draw.third >= 90), np.unique(draw.weight)
        (array([20, 10]), array([1. , 4.5]))
        """
        third, units = third or THIRD, units or REPLAYED
        rng = np.random.default_rng(seed)
        members = [rng.permutation(np.flatnonzero(kind == k)) for k in np.unique(kind)]
        leaving = members
        own_group, first = np.arange(kind.size), np.arange(kind.size)
        if groups is not None:
            own_group, first = groups, np.unique(groups, return_index=True)[1]
            kinds = kinds_of_groups(groups, kind)
            leaving = [rng.permutation(np.flatnonzero(kinds == k)) for k in np.unique(kinds)]
        sizes = np.array([own.size for own in leaving])
        chosen = [own[:n] for own, n in zip(leaving, _split(third, sizes), strict=True)]
        weight = [np.full(own.size, n / own.size) for own, n in zip(chosen, sizes, strict=True)]
        # Drawn anew: the third units are not those that play.
        members = [rng.permutation(own) for own in members]
        sizes = np.array([own.size for own in members])
        playing = [own[:n] for own, n in zip(members, _split(units, sizes), strict=True)]
        share = [np.full(own.size, own.size / n) for own, n in zip(playing, sizes, strict=True)]
        units_drawn, left_out = np.concatenate(playing), np.concatenate(chosen)
        return cls(
            left_out,
            first[left_out],
            np.concatenate(weight),
            units_drawn,
            own_group[units_drawn],
            kind[units_drawn],
            np.concatenate(share),
        )

    def first(self, count: int) -> Draw:
        """Keep about so many of the units that play, of every kind the same share."""
        kept = np.zeros(self.units.size, dtype=bool)
        for k in np.unique(self.kind):
            own = np.flatnonzero(self.kind == k)
            kept[own[: max(BLOCKS, own.size * count // self.units.size)]] = True
        share = self.share.copy()
        for k in np.unique(self.kind):
            own = self.kind == k
            share[own] *= np.count_nonzero(kept[own]) / np.count_nonzero(own)
        return replace(
            self,
            units=self.units[kept],
            own=self.own[kept],
            kind=self.kind[kept],
            share=share[kept],
        )

    @property
    def block(self) -> IntArray:
        """The block of every unit."""
        return np.arange(self.units.size) % BLOCKS

    def chance(self, winner: IntArray, loser: IntArray) -> FloatArray:
        """Return the chance that two of the units, given by their places, were both drawn."""
        share, kind = self.share, self.kind
        drawn = np.bincount(kind)[kind]
        there_are = drawn / share
        # Without replacement: the second of a kind is drawn from one fewer.
        again = (drawn - 1.0) / np.maximum(there_are - 1.0, 1.0)
        other = np.where(kind[winner] == kind[loser], again[winner], share[loser])
        return np.asarray(share[winner] * other)


def kinds_of_groups(groups: IntArray, kind: IntArray) -> IntArray:
    """Return which kinds of units each group has, as a number.

    Examples
    --------
    >>> kinds_of_groups(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 1, 0]))
    array([3, 2, 1])
    """
    has = np.zeros((int(groups.max()) + 1, int(kind.max()) + 1), dtype=bool)
    has[groups, kind] = True
    return np.asarray(has @ (1 << np.arange(has.shape[1])))


def _split(total: int, sizes: IntArray) -> IntArray:
    """Split a number evenly between kinds, of which each has so many units."""
    given = np.zeros(sizes.size, dtype=np.intp)
    while (left := min(total, int(sizes.sum())) - int(given.sum())) > 0:
        open_kinds = np.flatnonzero(given < sizes)
        more = max(1, left // open_kinds.size)
        for k in open_kinds[:left]:
            given[k] += min(more, int(sizes[k] - given[k]))
    return given


@dataclass(frozen=True, eq=False)
class Shifts:
    """How predictions for the units of a draw change without its third units.

    Attributes
    ----------
    draw : Draw
        The units.
    F : ndarray of shape (u, t)
        Predictions without the unit and the third unit, or their groups; NaN if they are the same.
    d : ndarray of shape (u,)
        The prediction that shifts are measured from: the mean, as in the whole table, if all are
        third units, and otherwise the median, which a single neighbour does not move.
    """

    draw: Draw
    F: FloatArray
    d: FloatArray

    @classmethod
    def of(cls, draw: Draw, F: FloatArray, is_whole: bool) -> Shifts:
        """Measure shifts in predictions."""
        middle = np.nanmean if is_whole else np.nanmedian
        return cls(draw, F, np.asarray(middle(F, axis=1)))

    @property
    def farthest(self) -> FloatArray:
        """The largest shift of every unit."""
        return np.asarray(np.nanmax(np.abs(self.F - self.d[:, None]), axis=1))

    def first(self, count: int) -> Shifts:
        """Keep about so many units."""
        draw = self.draw.first(count)
        kept = np.isin(self.draw.units, draw.units)
        return Shifts(draw, self.F[kept], self.d[kept])

    def close_games(
        self, level: IntArray, may_win: BoolArray | None
    ) -> tuple[float, IntArray, IntArray]:
        """Return λ, and winners and losers, by place, of games that shifts times λ may turn.

        Not all of them, if they are far more than `MOST_GAMES`.
        """
        own = level[self.draw.units]
        may = np.ones(own.size, dtype=bool) if may_win is None else may_win[self.draw.units]
        farthest = self.farthest * (1.0 + 1e-9)

        def within(factor: float) -> Iterator[tuple[IntArray, IntArray]]:
            step = max(1, ENTRIES // own.size)
            rows = np.flatnonzero(may)
            for start in range(0, rows.size, step):
                i = rows[start : start + step]
                near = np.abs(self.d[i, None] - self.d) <= factor * (farthest[i, None] + farthest)
                first, second = np.nonzero(near & (own[i, None] > own))
                yield i[first], second

        close = sum(first.size for first, _ in within(1.0))
        # Not wider than the units drawn are sparser.
        widest = 1.0 / float(self.draw.share.min())
        factor = min(max(1.0, CLOSE_GAMES * own.size / max(close, 1)), widest)
        # The gap of a game differs from that of d by the shifts of the two units themselves.
        found, total = [], 0
        for pairs in within(factor + 1.0):
            found.append(pairs)
            total += pairs[0].size
            if total > 4 * MOST_GAMES:
                break
        winner, loser = (np.concatenate(part) for part in zip(*found, strict=True))
        return factor, winner, loser

    def replay(
        self, winner: IntArray, loser: IntArray, D: FloatArray, U: FloatArray, factor: float
    ) -> FloatArray:
        """Return by how much the games, scaled to all, change without each third unit.

        Returns
        -------
        ndarray of shape (BLOCKS, BLOCKS, t)
            By the blocks of the units that should win, and should lose.
        """
        from tlpo.roc.replay import change_in_blocks

        draw = self.draw
        change = np.zeros((BLOCKS, BLOCKS, draw.third.size))
        weight = 1.0 / (factor * draw.chance(winner, loser))
        change_in_blocks(winner, loser, D, U, weight, self.F, self.d, factor, draw.block, change)
        return change


@dataclass(frozen=True, eq=False)
class Drawn:
    """By how much a draw says C changes without third units.

    Attributes
    ----------
    third, weight : ndarray of shape (t,)
        The third units, or groups, and how many each of them stands for.
    change : ndarray of shape (BLOCKS, BLOCKS, t)
        Changes of C, by blocks of the units that should win and that should lose.
    left : (float, float)
        The share of these units that was not drawn.
    halves : tuple of Drawn
        The same of either half of an ensemble; empty for other models.
    """

    third: IntArray
    weight: FloatArray
    change: FloatArray
    left: tuple[float, float]
    halves: tuple[Drawn, ...] = ()

    def __sub__(self, other: Drawn) -> Drawn:
        """Return the changes of the difference of two models over the same units."""
        halves: list[Drawn] = []
        if self.halves or other.halves:
            # A model that is no ensemble is the same in both halves.
            first, second = self.halves or (self,) * 2, other.halves or (other,) * 2
            halves = [
                replace(a, change=a.change - b.change, halves=())
                for a, b in zip(first, second, strict=True)
            ]
        return replace(self, change=self.change - other.change, halves=tuple(halves))

    def variance(self, own: FloatArray, strata: list[BoolArray], least: float = 0.0) -> Estimate:
        """Return the jackknife variance, of an ensemble without the noise of its models.

        Parameters
        ----------
        own : ndarray of shape (m,)
            C without the games of each unit, or group, under the same models. Those of halves of
            an ensemble are taken for equal: each is the mean of nearly all games.
        strata : list of masks
            The units, or groups, of each population.
        least : float
            See `without_noise`.
        """
        t = self.third.size
        everyone, part = np.ones(t, dtype=bool), np.arange(t) % THIRD_BLOCKS
        each = self._each_variance(own, strata, None, everyone)
        value = without_noise(each[0], each[1:], least) if self.halves else each[0]
        spread = 0.0
        if t < own.size:
            apart = [self._each_variance(own, strata, None, part != n) for n in np.unique(part)]
            spread += (1.0 - t / own.size) * _of_blocks(apart)
        if max(self.left) > 0.0:
            kept = [np.flatnonzero(np.arange(BLOCKS) != n) for n in range(BLOCKS)]
            apart = [self._each_variance(own, strata, blocks, everyone) for blocks in kept]
            spread += max(self.left) * _of_blocks(apart)
        return Estimate(max(value, 0.0), float(np.sqrt(spread)))

    def _each_variance(
        self,
        own: FloatArray,
        strata: list[BoolArray],
        blocks: IntArray | None,
        counts: BoolArray,
    ) -> list[float]:
        """Return the variance by some blocks and third units, and by those of the halves."""
        return [part._variance(own, strata, blocks, counts) for part in (self, *self.halves)]

    def _variance(
        self,
        own: FloatArray,
        strata: list[BoolArray],
        blocks: IntArray | None,
        counts: BoolArray,
    ) -> float:
        change = self.change
        if blocks is not None:
            change = (BLOCKS / (BLOCKS - 1.0)) ** 2 * change[np.ix_(blocks, blocks)]
        total = 0.0
        for members in strata:
            n = int(np.count_nonzero(members))
            mine = counts & members[self.third]
            t = int(np.count_nonzero(mine))
            if n < 2 or t < 2:
                continue
            weight = self.weight[mine] / self.weight[mine].sum()
            moved = change[:, :, mine]
            moved = moved - (moved @ weight)[:, :, None]
            alone = own[members]
            here = own[self.third[mine]]
            both = (here - weight @ here) * moved.sum(axis=(0, 1))
            drawn = t / (t - 1.0) * weight @ (2.0 * both + self._squares(moved))
            total += (n - 1.0) / n * (n - 1.0) * (float(np.var(alone, ddof=1)) + float(drawn))
        return total

    def _squares(self, change: FloatArray) -> FloatArray:
        """Return the squares of all changes, less the variance that the draw of units adds."""
        b = change.shape[0]
        squares = change.sum(axis=(0, 1)) ** 2
        rows, columns = change.mean(axis=1), change.mean(axis=0)
        mean = rows.mean(axis=0)
        left = np.sqrt(self.left)
        by_block = b * (left[0] * (rows - mean) + left[1] * (columns - mean))
        alone = left[0] * left[1] * (change - rows[:, None] - columns[None] + mean)
        # Games count in the block of either unit, so what is particular to them is there twice.
        added = b / (b - 1.0) * (by_block**2).sum(axis=0)
        twice = (b / (b - 1.0)) ** 2 * (alone**2).sum(axis=(0, 1))
        return np.asarray(squares - added + twice)


def drawn_difference(
    drawn: Drawn, own: FloatArray, strata: list[BoolArray], placement: float
) -> float:
    """Return the jackknife variance of a difference, at least that of the placements.

    Of models that hardly differ, a draw may show less than there is.
    """
    return max(drawn.variance(own, strata, placement).careful, placement)


def _of_blocks(each: list[list[float]]) -> float:
    """Return the variance of an estimate that was made without each of some blocks.

    For an ensemble, of what `without_noise` extrapolates.
    """
    values = np.array([2.0 * a - np.mean(halves) if halves else a for a, *halves in each])
    return float((values.size - 1) / values.size * np.sum((values - values.mean()) ** 2))
