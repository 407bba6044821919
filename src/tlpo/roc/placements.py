"""Games between the classes, and the two variances of the AUC that follow from them.

``U[i, j]`` is 1, ½ or 0: the result of positive i against negative j. Its row and column means are
the placement values; their spread gives the variance of DeLong, DeLong and Clarke-Pearson (1988).
It is correct for independent scores and too small here, because a unit also influences the models
that score the others. The jackknife over units captures that influence, and overstates it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from tlpo.arrays import BoolArray, FloatArray, IntArray

# Largest difference that rounding leaves between equal predictions, relative to their size.
TIE = 1e-12
# What rounding leaves of a variance of equal placements.
NO_SPREAD = 1e-24


class Parts(NamedTuple):
    """A variance as the sum of the contributions of positives and negatives.

    ``shared`` is their joint contribution, where groups contain units of both classes.
    """

    positive: float
    negative: float
    shared: float = 0.0

    @property
    def total(self) -> float:
        """The variance."""
        return max(0.0, self.positive + self.negative + self.shared)


class Placements(NamedTuple):
    """Share of negatives that each positive beats, and of positives that beat each negative.

    Attributes
    ----------
    positive, negative : ndarray of shape (m+,), (m-,)
        Row and column means of U. NaN for a unit without games.
    groups : pair of ndarray, optional
        Group of each positive and each negative, if units are grouped.
    """

    positive: FloatArray
    negative: FloatArray
    groups: tuple[IntArray, IntArray] | None = None

    def __sub__(self, other: Placements) -> Placements:
        """Return the placements of the difference of two matrices U."""
        return Placements(
            self.positive - other.positive, self.negative - other.negative, self.groups
        )

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of independent units, or groups, in each class."""
        if self.groups is None:
            return self.positive.size, self.negative.size
        return np.unique(self.groups[0]).size, np.unique(self.groups[1]).size

    @property
    def effective_sizes(self) -> tuple[float, float, float]:
        """Number of groups of equal size that weigh as much: of each class, and of all (Kish)."""
        assert self.groups is not None
        first, second = self.groups
        return _kish(first), _kish(second), _kish(np.concatenate(self.groups))

    @property
    def n_groups(self) -> int | None:
        """Number of groups of both classes together; None if units are not grouped."""
        return None if self.groups is None else np.unique(np.concatenate(self.groups)).size

    @property
    def variance(self) -> Parts:
        """Variance of the mean of U: var(row means)/m+ and var(column means)/m-.

        A class of one unit shows no spread and contributes nothing. With groups, deviations are
        first summed within each group (Obuchowski 1997).
        """
        if self.groups is None:
            return Parts(_mean_variance(self.positive), _mean_variance(self.negative))
        highest = 1 + int(max(self.groups[0].max(), self.groups[1].max()))
        sums, parts = [], []
        for values, groups in zip((self.positive, self.negative), self.groups, strict=True):
            known = ~np.isnan(values)
            deviation = values[known] - values[known].mean()
            added = np.bincount(groups[known], deviation, highest) / float(known.sum())
            count = np.unique(groups[known]).size
            sums.append(added)
            parts.append(count / (count - 1) * float(added @ added) if count > 1 else 0.0)
        total = np.unique(np.concatenate(self.groups)).size
        shared = 2.0 * total / (total - 1) * float(sums[0] @ sums[1]) if total > 1 else 0.0
        return Parts(parts[0], parts[1], shared)


def placements_of_scores(scores: FloatArray, is_positive: BoolArray) -> Placements:
    """Return the placements of fixed scores, computed from ranks.

    Examples
    --------
    >>> placements_of_scores(np.array([3.0, 1.0, 1.0, 0.0]), np.array([True, True, False, False]))
    Placements(positive=array([1.  , 0.75]), negative=array([0.75, 1.  ]), groups=None)
    """
    ranks = rankdata(scores)
    positive, negative = scores[is_positive], scores[~is_positive]
    below = ranks[is_positive] - rankdata(positive)
    above = positive.size - (ranks[~is_positive] - rankdata(negative))
    return Placements(below / negative.size, above / positive.size)


def placements_of_games(
    U: FloatArray, groups: tuple[IntArray, IntArray] | None = None
) -> Placements:
    """Return row and column means; games that were not played (NaN) do not count."""
    return Placements(_mean(U, axis=1), _mean(U, axis=0), groups)


def auc_without_each(
    U: FloatArray, F: FloatArray, positives: IntArray, negatives: IntArray
) -> FloatArray:
    """Estimate the AUC that would have resulted without each unit, without refitting.

    Leaving k out of the training set of a game shifts the prediction for i by about
    ``F[i, k] − d_i``, as it does when k is i's opponent; ``d_i`` is the mean of ``F[i, ·]``.

    Parameters
    ----------
    U : ndarray of shape (m+, m-)
        Results of the games between `positives` and `negatives`.
    F : ndarray of shape (m, m)
        Held-out predictions, ``F[i, j] = f_{-{i,j}}(i)``.
    positives, negatives : ndarray
        Units whose games count: all, or those of a subgroup.

    Returns
    -------
    ndarray of shape (m,)
        One AUC per unit left out, including units outside the subgroup.
    """
    from tlpo.roc.replay import replay_without_each

    m = F.shape[0]
    d = _mean(F, axis=1)
    farthest = _farthest(F, d)
    D = F[np.ix_(positives, negatives)] - F[np.ix_(negatives, positives)].T
    D[U == 0.5] = 0.0
    # No third unit can change a game whose gap exceeds the largest shifts of its two units.
    reach = farthest[positives][:, None] + farthest[negatives][None, :]
    row, column = np.nonzero(np.abs(D) <= reach * (1.0 + 1e-9))
    first, second, alike = positives[row], negatives[column], np.ones(row.size)
    close = first, second, D[row, column], U[row, column], alike
    wins = np.nansum(U) + replay_without_each(*close, F, d)
    games = np.full(m, float(np.count_nonzero(~np.isnan(U))))
    for units, axis in ((positives, 1), (negatives, 0)):
        wins[units] -= np.nansum(U, axis=axis)
        games[units] -= np.count_nonzero(~np.isnan(U), axis=axis)
    return _ratio(wins, games)


def auc_without_groups(
    U: FloatArray,
    F: FloatArray,
    positives: IntArray,
    negatives: IntArray,
    groups: IntArray,
) -> FloatArray:
    """Estimate the AUC without each group, as `auc_without_each` does without each unit.

    Any opponent from a group removes the whole group from i's training set, so each of its units
    shows by how much that shifts the prediction.
    """
    d = _mean(F, axis=1)
    D = F[np.ix_(positives, negatives)] - F[np.ix_(negatives, positives)].T
    D[U == 0.5] = 0.0
    names = np.unique(groups)
    found = np.full(names.size, np.nan)
    for place, group in enumerate(names):
        k = np.flatnonzero(groups == group)
        kept = np.ix_(groups[positives] != group, groups[negatives] != group)
        if not (kept[0].size and kept[1].size):
            continue
        means = _mean(F[:, k], axis=1)
        shift = np.nan_to_num(means - d)
        size = np.abs(np.nan_to_num(means)) + np.abs(np.nan_to_num(d))
        moved = D + shift[positives][:, None] - shift[negatives]
        moved[np.abs(moved) <= TIE * (size[positives][:, None] + size[negatives])] = 0.0
        results = np.where(np.isnan(U), np.nan, np.heaviside(moved, 0.5))[kept]
        played = ~np.isnan(results)
        if played.any():
            found[place] = np.nansum(results) / played.sum()
    return found


class Replayed(NamedTuple):
    """What would have resulted without each unit, or group.

    Attributes
    ----------
    values : ndarray of shape (m,)
        The estimate without each.
    halves : sequence of ndarray of shape (m,)
        The same of either half of an ensemble; empty for other models.
    """

    values: FloatArray
    halves: Sequence[FloatArray] = ()

    def __sub__(self, other: Replayed) -> Replayed:
        """Return the difference of two models over the same units."""
        halves: list[FloatArray] = []
        if self.halves or other.halves:
            # A model that is no ensemble is the same in both halves.
            first, second = self.halves or (self.values,) * 2, other.halves or (other.values,) * 2
            halves = [a - b for a, b in zip(first, second, strict=True)]
        return Replayed(self.values - other.values, halves)

    def variance(self, strata: list[BoolArray], least: float) -> float:
        """Return the jackknife variance, of an ensemble without the noise of its models.

        See `jackknife_variance` and `without_noise`.
        """
        own = jackknife_variance(self.values, strata)
        if not self.halves:
            return own
        return without_noise(own, [jackknife_variance(half, strata) for half in self.halves], least)


def jackknife_variance(values: FloatArray, strata: list[BoolArray]) -> float:
    """Return the delete-one variance, with each stratum centred on its own mean.

    Parameters
    ----------
    values : ndarray of shape (m,)
        The estimate without each unit.
    strata : list of masks
        The units of each population.
    """
    total = 0.0
    for members in strata:
        part = values[members]
        part = part[~np.isnan(part)]
        if part.size > 1:
            total += (part.size - 1) / part.size * float(np.sum((part - part.mean()) ** 2))
    return total


def without_noise(variance: float, halves: Sequence[float], least: float) -> float:
    """Return what the jackknife variance of an ensemble would be with infinitely many models.

    The jackknife takes the randomness of B models for influence of the units, which adds a term of
    order 1/B. Half as many models add twice as much, so that ``2 V(B) − V(B/2)`` is free of it
    (Wager, Hastie and Efron 2014 correct their jackknife in the same way).

    Parameters
    ----------
    variance : float
        Of all models.
    halves : sequence of float
        Of either half of them.
    least : float
        The variance that treats the models as fixed. The result is not below it, nor above
        ``variance``.
    """
    extrapolated = 2.0 * variance - float(np.mean(halves))
    return min(variance, max(extrapolated, least))


def _mean(values: FloatArray, axis: int) -> FloatArray:
    """Mean without NaN; NaN if there are no other values."""
    count = np.count_nonzero(~np.isnan(values), axis=axis)
    return _ratio(np.nansum(values, axis=axis), count.astype(float))


def _ratio(wins: FloatArray, games: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(wins, games, out=np.full(wins.shape, np.nan), where=games > 0)
    return ratio


def _kish(groups: IntArray) -> float:
    """Return (Σ n)² / Σ n² of the sizes n of some groups."""
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def _mean_variance(values: FloatArray) -> float:
    values = values[~np.isnan(values)]
    return float(np.var(values, ddof=1) / values.size) if values.size > 1 else 0.0


def _farthest(F: FloatArray, d: FloatArray) -> FloatArray:
    """Return the largest ``|F[i, k] − d_i|`` over k."""
    low, high = np.fmin.reduce(F, axis=1), np.fmax.reduce(F, axis=1)
    farthest: FloatArray = np.maximum(high - d, d - low)
    return farthest
