"""Hand and Till's M: the AUC of several classes, and its interval.

For classes a ≠ b, A(a|b) is the share of pairs, one unit of each, in which the unit of a has the
larger response of a. M is the mean of A(a|b) over all a ≠ b. A *block* is such a pair of classes.

Each unit counts in the blocks of its own class, so the variance adds up what it does in all of
them; classes are drawn apart, so deviations are within classes. The variance of independent scores
is that of Hanley and McNeil (1982), with games that share a unit in any two blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.curve import wmw_auc
from tlpo.roc.intervals import INFLATION
from tlpo.roc.order import Counts, Order, OrderEvidence, variance_of_moves
from tlpo.roc.placements import NO_SPREAD, Replayed

Block = tuple[int, int]


@dataclass(frozen=True, eq=False)
class SeveralEvidence(OrderEvidence):
    """What the games say about an AUC of several classes.

    Attributes
    ----------
    code : ndarray of shape (m,)
        The class of every unit.
    """

    code: IntArray = field(kw_only=True)
    # Responses of several classes err apart, so that most samples show .2 to .7 of V₀.
    least_seen: ClassVar[float] = 0.15

    def variance_of(self, moves: FloatArray) -> float:
        """Return the variance of a sum that every unit moves by so much, within classes."""
        if self.groups is not None:
            return super().variance_of(moves)
        return sum(variance_of_moves(moves[self.code == k]) for k in np.unique(self.code))

    def jackknife_of(self, replayed: Replayed, placement: float) -> float:
        """Return the variance of what is known without each unit, within classes."""
        if self.groups is not None:
            return super().jackknife_of(replayed, placement)
        return replayed.variance([self.code == k for k in np.unique(self.code)], placement)

    @property
    def degrees_of_freedom(self) -> float:
        """Of Student's quantile: one less than the units, or groups, of the smallest class."""
        return float(max(1, self.n_off_mode - 1))

    def phi(self) -> float:
        """Return the ratio of the variance to that of independent scores.

        It may be below one: the responses of different classes err apart, which that of
        independent scores does not know.
        """
        if not 0 < self.concordance < 1 or self.variance <= NO_SPREAD:
            return self.design_effect * (1.0 if self.jackknife_variance is not None else INFLATION)
        return self.variance / self.own_variance


@dataclass(frozen=True, eq=False)
class ClassGames:
    """The games of several classes, in the response of each.

    Attributes
    ----------
    code : ndarray of shape (m,)
        The class of every unit.
    wins, games : list of ndarray of shape (m, K)
        Of every response, wins of each unit against each class, and games played.
    results : list of ndarray of shape (m, m), or None
        Of every response, 1, ½ or 0 for the row's unit.
    predictions : list of ndarray of shape (m, m), or None
        Held-out responses.
    groups : ndarray of shape (m,) or None
        Units that are not independent.
    halves : sequence of pairs of lists
        Results and predictions of either half of an ensemble; empty for other models.
    """

    code: IntArray
    wins: Sequence[FloatArray]
    games: Sequence[FloatArray]
    results: Sequence[FloatArray] | None = None
    predictions: Sequence[FloatArray] | None = None
    groups: IntArray | None = None
    halves: Sequence[tuple[Sequence[FloatArray], Sequence[FloatArray]]] = ()

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.wins)

    @cached_property
    def shares(self) -> FloatArray:
        """A(a|b), a row for each a; NaN on the diagonal."""
        K = self.n_classes
        found = np.full((K, K), np.nan)
        for a in range(K):
            own = self.code == a
            with np.errstate(invalid="ignore"):
                found[a] = self.wins[a][own].sum(axis=0) / self.games[a][own].sum(axis=0)
            found[a, a] = np.nan
        return found

    def blocks(self) -> list[Block]:
        """Return all pairs of classes, both ways."""
        K = self.n_classes
        return [(a, b) for a in range(K) for b in range(K) if a != b]

    def auc(self) -> float:
        """Return M."""
        return float(np.nanmean(self.shares))

    def measure(self, blocks: Sequence[Block]) -> SeveralEvidence:
        """Return what the games of some blocks say about the mean of their shares."""
        auc = float(np.mean([self.shares[block] for block in blocks]))
        named = np.unique(blocks)
        without = None
        if self.results is not None and self.predictions is not None:
            without = self._without(blocks, self.results, self.predictions)
        return SeveralEvidence(
            auc,
            self._counts(blocks),
            np.sum([self._moves(block) for block in blocks], axis=0) / len(blocks),
            min(self._size(k) for k in named),
            self.groups,
            without,
            [] if without is None else [self._without(blocks, *half) for half in self.halves],
            code=self.code,
        )

    @property
    def has_played(self) -> BoolArray:
        """Which units have finished a game."""
        return np.asarray(self.games[0].any(axis=1))

    def _size(self, k: int) -> int:
        own = (self.code == k) & self.has_played
        return int(own.sum() if self.groups is None else np.unique(self.groups[own]).size)

    def _counts(self, blocks: Sequence[Block]) -> Counts:
        """Count the games that were played, each with the weight of its block."""
        pairs = {tuple(sorted(block)) for block in blocks}
        games = self.games[0]  # a game has a result in every response, or in none
        own = np.zeros(self.code.size)  # the weights of the games of every unit
        squares = 0.0
        for a, b in pairs:
            first, second = self.code == a, self.code == b
            played = games[first, b].sum()
            weight = 1.0 / (len(pairs) * played)
            own[first] += weight * games[first, b]
            own[second] += weight * games[second, a]
            squares += weight**2 * played
        shared = float(own @ own) - 2.0 * squares
        return Counts(1.0, shared / 2, shared / 2, 0.0, squares)

    def _moves(self, block: Block) -> FloatArray:
        """Return by how much every unit moves the share of a block."""
        a, b = block
        wins, games, share = self.wins[a], self.games[a], self.shares[block]
        moves = np.zeros(self.code.size)
        own, other = self.code == a, self.code == b
        moves[own] = wins[own, b] - share * games[own, b]
        # What a unit of b lost to those of a.
        moves[other] = games[other, a] - wins[other, a] - share * games[other, a]
        return np.asarray(moves / games[own, b].sum())

    def _without(
        self,
        blocks: Sequence[Block],
        results: Sequence[FloatArray],
        predictions: Sequence[FloatArray],
    ) -> FloatArray:
        """Estimate the mean of the shares without each unit, or group."""
        found = []
        for a, b in blocks:
            first, second = np.flatnonzero(self.code == a), np.flatnonzero(self.code == b)
            winner, loser = np.repeat(first, second.size), np.tile(second, first.size)
            order = Order(winner, loser, self.code.size)
            U, F = results[a][winner, loser], predictions[a]
            if self.groups is None:
                found.append(order.without_each(U, F))
            else:
                found.append(order.without_groups(U, F, self.groups))
        without = np.mean(found, axis=0)
        if self.groups is None:
            without[~self.has_played] = np.nan  # what it would do to M is unknown
        return np.asarray(without)


def auc_of_scores(scores: FloatArray, code: IntArray) -> float:
    """Return M of scores, a column for each class; NaN if a class has no unit.

    Examples
    --------
    >>> scores = np.array([[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
    >>> auc_of_scores(scores, np.array([0, 1, 2, 1]))
    1.0
    """
    shares = []
    for a, b in unordered(scores.shape[1]):
        both = (code == a) | (code == b)
        shares += [wmw_auc(scores[both, own], code[both] == own) for own in (a, b)]
    return float(np.mean(shares))


def unordered(n_classes: int) -> list[Block]:
    """Return all pairs of classes, once."""
    return list(combinations(range(n_classes), 2))
