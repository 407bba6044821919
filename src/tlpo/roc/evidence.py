"""What the games say about an AUC: the estimate, its two variances, and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.drawn import Drawn, Estimate, kinds_of_groups
from tlpo.roc.intervals import (
    FEW,
    INFLATION,
    degrees_of_freedom,
    inflation,
    score_interval,
    score_variance,
    two_sided_quantile,
)
from tlpo.roc.placements import (
    NO_SPREAD,
    Placements,
    Replayed,
    auc_without_each,
    auc_without_groups,
    placements_of_games,
)
from tlpo.roc.rates import Limits


@dataclass(frozen=True, eq=False)
class GameEvidence:
    """Games between some positives and some negatives.

    Attributes
    ----------
    auc : float
        Share of games won by the positives.
    placements : Placements
        Row and column means.
    without_each : ndarray or None
        The AUC without each unit or group; None if there are no held-out predictions.
    strata : list of masks
        Which entries of ``without_each`` belong to the same population.
    without_halves : sequence of ndarray
        The same as ``without_each``, for either half of an ensemble; empty for other models.
    drawn : Drawn or None
        How drawn units change the AUC, where not all are known.
    own : ndarray or None
        The AUC without the games of each unit, for ``drawn``.
    """

    auc: float
    placements: Placements
    without_each: FloatArray | None
    strata: list[BoolArray]
    without_halves: Sequence[FloatArray] = ()
    drawn: Drawn | None = None
    own: FloatArray | None = None

    @property
    def counts(self) -> tuple[int, int]:
        """Number of positives and of negatives that played."""
        return (
            int(np.count_nonzero(~np.isnan(self.placements.positive))),
            int(np.count_nonzero(~np.isnan(self.placements.negative))),
        )

    @cached_property
    def placement_variance(self) -> float:
        """The variance that treats the models as fixed; too small."""
        return self.placements.variance.total

    @cached_property
    def jackknife_variance(self) -> float | None:
        """The jackknife variance, which overstates how models change; too large."""
        if self.without_each is not None:
            replayed = Replayed(self.without_each, self.without_halves)
            return replayed.variance(self.strata, self.placement_variance)
        return None if self.drawn_variance is None else self.drawn_variance.careful

    @cached_property
    def drawn_variance(self) -> Estimate | None:
        """The jackknife variance with its standard error, if it is estimated from a draw."""
        if self.drawn is None or self.own is None:
            return None
        return self.drawn.variance(self.own, self.strata, self.placement_variance)

    @property
    def width_error(self) -> float | None:
        """The relative standard error of the interval's width that a draw leaves."""
        if self.drawn_variance is None:
            return None
        return self.drawn_variance.width_error(self.seen)

    def minus(self, other: GameEvidence) -> GameEvidence:
        """Return the evidence of the difference of two AUCs of the same games."""
        found = GameEvidence(
            self.auc - other.auc, self.placements - other.placements, None, self.strata
        )
        if self.without_each is not None and other.without_each is not None:
            first = Replayed(self.without_each, self.without_halves)
            without = first - Replayed(other.without_each, other.without_halves)
            return replace(found, without_each=without.values, without_halves=without.halves)
        if self.drawn is not None and other.drawn is not None:
            assert self.own is not None
            assert other.own is not None
            return replace(found, drawn=self.drawn - other.drawn, own=self.own - other.own)
        return found

    @property
    def factor(self) -> float:
        """By how much the variance of the placements is too small, as the jackknife says."""
        if self.jackknife_variance is None or not self.has_spread:
            return 1.0
        return float(np.sqrt(self.jackknife_variance / self.placement_variance))

    @property
    def is_small(self) -> bool:
        """Whether a class has ten or fewer units (or groups)."""
        return min(self.placements.sizes) <= FEW

    @cached_property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom of Student's quantile; None for the normal one.

        For groups, or if a class is small. Groups of unequal size count as fewer.
        """
        placements = self.placements
        shows_groups = self.without_each is not None or self.drawn is not None
        if placements.groups is not None and shows_groups:
            return degrees_of_freedom(placements.variance, *placements.effective_sizes)
        if not self.is_small:
            return None
        return degrees_of_freedom(placements.variance, *placements.sizes, placements.n_groups)

    def phi(self) -> float:
        """Return the factor by which the variance exceeds that of independent scores."""
        if self.jackknife_variance is None:
            return INFLATION * self.design_effect
        if not self.has_spread:
            return self.design_effect
        phi = inflation(self.auc, self.placement_variance, self.jackknife_variance, *self.counts)
        return max(phi, self.design_effect)

    @property
    def seen(self) -> float:
        """The variance visible in the games, relative to that of independent scores."""
        model = score_variance(self.auc, *self.counts)
        jackknife = self.jackknife_variance
        shown = INFLATION * self.placement_variance
        if jackknife is not None:
            shown = float(np.sqrt(self.placement_variance * jackknife))
        return shown / model if model > 0 else 0.0

    @property
    def design_effect(self) -> float:
        """The factor by which groups increase the variance of the placements; at least one.

        Where nothing spreads there is no such factor to see, and groups count as units.
        """
        if self.placements.groups is None:
            return 1.0
        alone = self.placements._replace(groups=None).variance.total
        if alone <= NO_SPREAD:
            per_class = zip(self.counts, self.placements.sizes, strict=True)
            return max(n_units / n_groups for n_units, n_groups in per_class)
        return max(1.0, self.placement_variance / alone)

    @property
    def has_spread(self) -> bool:
        """Whether the placements differ: those of a perfect or a constant score do not."""
        return self.placement_variance > NO_SPREAD

    def limits(self, confidence_level: float) -> Limits:
        """Return the default interval."""
        quantile = two_sided_quantile(confidence_level, self.degrees_of_freedom)
        return score_interval(self.auc, *self.counts, self.phi(), quantile)


def measure_games(
    U: FloatArray,
    F: FloatArray,
    is_positive: BoolArray,
    groups: IntArray | None,
    inside: BoolArray | None = None,
    halves: Sequence[tuple[FloatArray, FloatArray]] = (),
) -> GameEvidence:
    """Collect the evidence of the games of all units, or of those ``inside`` a subgroup.

    Parameters
    ----------
    U : ndarray
        Results of the games between the positives and negatives that count.
    F : ndarray of shape (m, m)
        Held-out predictions of all units.
    is_positive : ndarray of shape (m,)
        Class of every unit.
    groups : ndarray of shape (m,) or None
        Group of every unit. Units of one group are not independent: they were left out together,
        and are left out together in the jackknife too.
    inside : ndarray of shape (m,), optional
        Units whose games count. The others do not play here, but were in training sets: they
        form separate strata in the jackknife.
    halves : sequence of pairs of ndarray
        U and F of either half of an ensemble, if known.
    """
    inside = np.ones(is_positive.size, dtype=bool) if inside is None else inside
    positives, negatives = (
        np.flatnonzero(is_positive & inside),
        np.flatnonzero(~is_positive & inside),
    )
    played = ~np.isnan(U)
    auc = float(np.nansum(U) / played.sum()) if played.any() else float("nan")
    by_class = None
    if groups is None:
        kind = 2 * inside + is_positive
    else:
        names = np.unique(groups)
        kind = np.array([_group_kind(groups == g, is_positive, inside) for g in names])
        by_class = groups[positives], groups[negatives]

    def without(U: FloatArray, F: FloatArray) -> FloatArray:
        if groups is not None:
            return auc_without_groups(U, F, positives, negatives, groups)
        found = auc_without_each(U, F, positives, negatives)
        found[np.isnan(F).all(axis=1)] = np.nan  # played no game: its influence is unknown
        return found

    return GameEvidence(
        auc,
        placements_of_games(U, by_class),
        without(U, F),
        [kind == k for k in np.unique(kind)],
        [without(*half) for half in halves],
    )


def measure_drawn(
    auc: float, placements: Placements, is_positive: BoolArray, drawn: Drawn | None
) -> GameEvidence:
    """Collect the evidence of all games from their placements and what a draw of them shows."""
    if drawn is None:
        return GameEvidence(auc, placements, None, [])
    p, n = placements.positive.size, placements.negative.size
    wins, games = np.empty(is_positive.size), np.empty(is_positive.size)
    for kind, values, others in (
        (is_positive, placements.positive, n),
        (~is_positive, placements.negative, p),
    ):
        wins[kind], games[kind] = values * others, others
    strata = [is_positive, ~is_positive]
    if placements.groups is not None:
        groups = np.empty(is_positive.size, dtype=np.intp)
        groups[is_positive], groups[~is_positive] = placements.groups
        within = np.prod([np.bincount(groups, kind) for kind in strata], axis=0)
        wins, games = by_group(wins, games, groups, within, auc)
        kinds = kinds_of_groups(groups, is_positive.astype(np.intp))
        strata = [kinds == k for k in np.unique(kinds)]
    own = (auc * p * n - wins) / (p * n - games)
    return GameEvidence(auc, placements, None, strata, drawn=drawn, own=own)


def by_group(
    wins: FloatArray, games: FloatArray, groups: IntArray, within: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    """Sum wins and games over the units of each group; games within it are there twice.

    Of these few it is known how many there are, and taken that as many were won as of all.
    """
    return (
        np.bincount(groups, wins) - share * within,
        np.bincount(groups, games) - within,
    )


def _group_kind(member: BoolArray, is_positive: BoolArray, inside: BoolArray) -> int:
    """Classify a group: has units inside, has positives, has negatives."""
    return int(
        4 * (member & inside).any()
        + 2 * (member & is_positive).any()
        + (member & ~is_positive).any()
    )
