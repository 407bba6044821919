"""Concordance with an outcome that says of some pairs who should win, and its interval.

A pair is *ordered* if one of its units should win: the positive one, the one with the larger grade
or number, the one that had the event earlier. U is the result of an ordered game, 1, ½ or 0 for
whoever should win; the concordance C is the mean of U, weighted if pairs have weights.

Two classes are a special case: C is the AUC, the placement variance is DeLong's, and
`independent_variance` is that of Hanley and McNeil (1982). For numbers without ties and θ = ½ it
is the variance of Kendall's τ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.difference import own_noise_of_groups, own_noise_of_pairs
from tlpo.roc.drawn import Drawn, Estimate, drawn_difference
from tlpo.roc.intervals import FEW, INFLATION, two_sided_quantile
from tlpo.roc.placements import NO_SPREAD, TIE, Replayed, _farthest, _mean
from tlpo.roc.rates import Limits, invert_score

# Rows of a table of pairs are compared so many entries at a time.
BLOCK = 1 << 22


class Counts(NamedTuple):
    """How many ordered games there are, and how many pairs of games share a unit.

    Attributes
    ----------
    games : float
        Ordered games; with weights, their sum.
    same_winner, same_loser : float
        Pairs of games, in order, with the same intended winner or the same intended loser.
    chains : float
        Pairs in which the intended loser of one should win the other.
    squares : float
        The sum of squared weights: ``games`` if there are none.
    """

    games: float
    same_winner: float
    same_loser: float
    chains: float
    squares: float

    @classmethod
    def of(cls, to_win: FloatArray, to_lose: FloatArray, squares: float | None = None) -> Counts:
        """Count from the games that every unit should win, and should lose."""
        games = float(to_win.sum())
        squares = games if squares is None else squares
        return cls(
            games,
            float(to_win @ to_win) - squares,
            float(to_lose @ to_lose) - squares,
            2.0 * float(to_win @ to_lose),
            squares,
        )


class Order:
    """The ordered pairs of a sample.

    Parameters
    ----------
    winner, loser : ndarray of shape (g,)
        Who should win each ordered game, and who should lose it.
    n_units : int
        Number of units, m.
    weight : ndarray of shape (g,), optional
        Weights of the games.
    """

    def __init__(
        self, winner: IntArray, loser: IntArray, n_units: int, weight: FloatArray | None = None
    ) -> None:
        self.winner, self.loser, self.n_units = winner, loser, n_units
        self.weight = np.ones(winner.size) if weight is None else weight

    @classmethod
    def of_values(cls, y: FloatArray) -> Order:
        """Order the units by a number: the larger should win, equal ones are peers.

        Examples
        --------
        >>> order = Order.of_values(np.array([2.0, 1.0, 2.0]))
        >>> order.winner.tolist(), order.loser.tolist()
        ([0, 2], [1, 1])
        """
        winner, loser = np.nonzero(y[:, None] > y[None, :])
        return cls(winner, loser, y.size)

    @classmethod
    def of_times(cls, time: FloatArray, event: BoolArray) -> Order:
        """Order the units by times to an event: who had it should win over those without it then.

        i should win over j if i had the event and j's time is later, or the same and censored.

        Examples
        --------
        >>> order = Order.of_times(np.array([1.0, 2.0, 2.0]), np.array([False, True, False]))
        >>> order.winner.tolist(), order.loser.tolist()
        ([1], [2])
        """
        level = levels_of_times(time, event)
        winner, loser = np.nonzero((level[:, None] > level[None, :]) & event[:, None])
        return cls(winner, loser, time.size)

    def weighted(self, weight: FloatArray) -> Order:
        """Multiply the weight of every game by that of the unit that should win it.

        Games without weight are dropped: if only they are left, there is no C.
        """
        total = self.weight * weight[self.winner]
        kept = total > 0
        return Order(self.winner[kept], self.loser[kept], self.n_units, total[kept])

    @cached_property
    def counts(self) -> Counts:
        """What the variance of independent scores depends on."""
        w, m = self.weight, self.n_units
        won, lost = _sums(self.winner, w, m), _sums(self.loser, w, m)
        return Counts.of(won, lost, float(w @ w))

    def concordance(self, U: FloatArray) -> float:
        """Return C; games that were not played (NaN) do not count."""
        played = ~np.isnan(U)
        games = self.weight[played].sum()
        return float(self.weight[played] @ U[played] / games) if games else float("nan")

    def moves(self, U: FloatArray) -> FloatArray:
        """Return by how much every unit moves C: the deviations of its games, over all games."""
        own, m = self._moves_of_games(U), self.n_units
        return _sums(self.winner, own, m) + _sums(self.loser, own, m)

    def own_noise(self, E: FloatArray, groups: IntArray | None = None) -> float:
        """Return what single games add to the variance of a difference; see `own_noise_of_pairs`.

        Parameters
        ----------
        E : ndarray of shape (g,)
            Differences of the results of two models.
        groups : ndarray of shape (m,), optional
            Units that are not independent.
        """
        own, i, j = self._moves_of_games(E), self.winner, self.loser
        if groups is None:
            return own_noise_of_pairs(i, j, own, self.n_units)
        return own_noise_of_groups(groups[i], groups[j], own)

    def _moves_of_games(self, U: FloatArray) -> FloatArray:
        """Return by how much every game moves C."""
        deviation = self.weight * np.nan_to_num(U - self.concordance(U))
        return np.asarray(deviation / self.weight[~np.isnan(U)].sum())

    def placement_variance(self, U: FloatArray, groups: IntArray | None = None) -> float:
        """Return the variance that treats the models as fixed; with groups, summed within them."""
        return variance_of_moves(self.moves(U), groups)

    def without_each(self, U: FloatArray, F: FloatArray) -> FloatArray:
        """Estimate C without each unit, without refitting; see `placements.auc_without_each`.

        The weights of the games that are left stay as they are.
        """
        from tlpo.roc.replay import replay_without_each

        m, i, j = self.n_units, self.winner, self.loser
        d, D = self._gaps(U, F)
        farthest = _farthest(F, d)
        # No third unit can change a game whose gap exceeds the largest shifts of its two units.
        near = np.flatnonzero(np.abs(D) <= (farthest[i] + farthest[j]) * (1.0 + 1e-9))
        close = i[near], j[near], D[near], U[near], self.weight[near]
        change = replay_without_each(*close, F, d)
        played = ~np.isnan(U)
        weight = self.weight * played
        won = weight * np.nan_to_num(U)
        wins, games = won.sum() + change, np.full(m, weight.sum())
        left = np.full(m, np.count_nonzero(played))
        for units in (i, j):
            wins -= _sums(units, won, m)
            games -= _sums(units, weight, m)
            left -= np.bincount(units[played], minlength=m)
        # Rounding may leave something of weights that are all gone.
        return np.asarray(np.divide(wins, games, out=np.full(m, np.nan), where=left > 0))

    def without_groups(self, U: FloatArray, F: FloatArray, groups: IntArray) -> FloatArray:
        """Estimate C without each group; see `placements.auc_without_groups`."""
        i, j = self.winner, self.loser
        d, D = self._gaps(U, F)
        names = np.unique(groups)
        found = np.full(names.size, np.nan)
        for place, group in enumerate(names):
            means = _mean(F[:, groups == group], axis=1)
            shift = np.nan_to_num(means - d)
            size = np.abs(np.nan_to_num(means)) + np.abs(np.nan_to_num(d))
            moved = D + shift[i] - shift[j]
            moved[np.abs(moved) <= TIE * (size[i] + size[j])] = 0.0
            left = (groups[i] != group) & (groups[j] != group) & ~np.isnan(U)
            if left.any():
                weight = self.weight[left]
                found[place] = weight @ np.heaviside(moved[left], 0.5) / weight.sum()
        return found

    def _gaps(self, U: FloatArray, F: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean prediction of every unit, and the gap of every game."""
        D = F[self.winner, self.loser] - F[self.loser, self.winner]
        D[U == 0.5] = 0.0
        return _mean(F, axis=1), D


def _sums(units: IntArray, values: FloatArray, n_units: int) -> FloatArray:
    """Add up values by unit."""
    sums: FloatArray = np.bincount(units, values, n_units).astype(np.float64, copy=False)
    return sums


def variance_of_moves(moves: FloatArray, groups: IntArray | None = None) -> float:
    """Return the variance of a sum that every unit, or group, moves by so much."""
    if groups is not None:
        names, which = np.unique(groups, return_inverse=True)
        moves = _sums(which, moves, names.size)
    n = moves.size
    return float(n / (n - 1) * (moves @ moves))


def levels_of_times(time: FloatArray, event: BoolArray) -> IntArray:
    """Rank units by time, earlier ones higher, and an event above a censoring at the same time.

    Only those that had the event should win over units on lower levels.

    Examples
    --------
    >>> levels_of_times(np.array([1.0, 2.0, 2.0, 5.0]), np.array([True, False, True, False]))
    array([3, 1, 2, 0])
    """
    place = np.unique(time, return_inverse=True)[1]
    latest_first = -(2 * place + ~event)
    return np.asarray(np.unique(latest_first, return_inverse=True)[1], dtype=np.intp)


def concordance_of_scores(
    scores: FloatArray,
    level: IntArray,
    may_win: BoolArray | None = None,
    weight: FloatArray | None = None,
) -> float:
    """Return how often the unit on the higher level has the higher score, ties counting half.

    Parameters
    ----------
    scores : ndarray of shape (m,)
        Of the units.
    level : ndarray of shape (m,)
        Who should win: the unit on the higher level.
    may_win : ndarray of shape (m,), optional
        Units that should win at all: of times to an event, those that had it.
    weight : ndarray of shape (m,), optional
        Weight of the pairs that each unit should win.

    Returns
    -------
    float
        NaN if no two units are ordered.

    Examples
    --------
    >>> concordance_of_scores(np.array([0.1, 0.5, 0.5, 0.2]), np.array([0, 1, 2, 1]))
    0.9
    """
    weight = np.ones(scores.size) if weight is None else weight
    may_win = weight > 0 if may_win is None else may_win & (weight > 0)
    won, games = 0.0, 0.0
    step = max(1, BLOCK // max(1, scores.size))
    for start in range(0, scores.size, step):
        own = slice(start, start + step)
        above = (level[own, None] > level[None, :]) & may_win[own, None]
        beats = np.heaviside(scores[own, None] - scores[None, :], 0.5)
        beats[~above] = 0.0
        won += float(weight[own] @ beats.sum(axis=1))
        games += float(weight[own] @ np.count_nonzero(above, axis=1))
    return won / games if games else float("nan")


def independent_variance(theta: float, counts: Counts) -> float:
    """Variance of the concordance of independent scores whose true value is θ.

    Games that share their intended loser are both won with probability ``θ/(2 − θ)``, games that
    share their intended winner with ``2θ²/(1 + θ)``: the exponential model of Hanley and McNeil.
    Chains have the covariance ``−θ(1 − θ)/6`` each way, which is exact at ½ and at the ends.
    """
    own = theta * (1 - theta)
    loser, winner = theta / (2 - theta) - theta**2, 2 * theta**2 / (1 + theta) - theta**2
    total = (
        counts.squares * own
        + counts.same_loser * loser
        + counts.same_winner * winner
        - counts.chains * own / 3
    )
    return float(total / counts.games**2)


def order_interval(concordance: float, counts: Counts, phi: float, quantile: float) -> Limits:
    """Return the θ on either side for which ``(C − θ)² = quantile² φ V_0(θ)``."""
    return invert_score(
        concordance, lambda theta: independent_variance(theta, counts), quantile**2 * phi
    )


@dataclass(frozen=True, eq=False)
class OrderEvidence:
    """What ordered games say about a concordance.

    Attributes
    ----------
    concordance : float
        C.
    counts : Counts
        Of the games.
    moves : ndarray of shape (m,)
        By how much every unit moves C.
    n_off_mode : int
        Units, or groups, that differ from the most common outcome.
    groups : ndarray of shape (m,) or None
        Units that are not independent.
    without_each : ndarray or None
        C without each unit, or group; None if there are no held-out predictions.
    without_halves : sequence of ndarray
        The same of either half of an ensemble; empty for other models.
    added_variance : float
        What a draw of games adds.
    drawn : Drawn or None
        How drawn units change C, where not all are known.
    own : ndarray or None
        C without the games of each unit, for ``drawn``.
    """

    concordance: float
    counts: Counts
    moves: FloatArray
    n_off_mode: int
    groups: IntArray | None = None
    without_each: FloatArray | None = None
    without_halves: Sequence[FloatArray] = ()
    added_variance: float = 0.0
    drawn: Drawn | None = None
    own: FloatArray | None = None
    # Comparing two models: games that show less (`seen`) leave it to the intervals of both too.
    least_seen: ClassVar[float] = 0.5

    @cached_property
    def placement_variance(self) -> float:
        """The variance that treats the models as fixed; too small."""
        return self.variance_of(self.moves)

    @cached_property
    def jackknife_variance(self) -> float | None:
        """The variance that exaggerates how models change; too large."""
        if self.replayed is not None:
            return self.jackknife_of(self.replayed, self.placement_variance)
        return None if self.drawn_variance is None else self.drawn_variance.careful

    @cached_property
    def drawn_variance(self) -> Estimate | None:
        """The jackknife variance with its standard error, if it is estimated from a draw."""
        if self.drawn is None or self.own is None:
            return None
        everyone = [np.ones(self.own.size, dtype=bool)]
        return self.drawn.variance(self.own, everyone, self.placement_variance)

    @property
    def width_error(self) -> float | None:
        """The relative standard error of the interval's width that a draw leaves."""
        if self.drawn_variance is None:
            return None
        return self.drawn_variance.width_error(self.seen)

    def variance_of(self, moves: FloatArray) -> float:
        """Return the variance of a sum that every unit moves by so much."""
        return variance_of_moves(moves, self.groups)

    @property
    def replayed(self) -> Replayed | None:
        """C without each unit, or group, if it is known."""
        if self.without_each is None:
            return None
        return Replayed(self.without_each, self.without_halves)

    def jackknife_of(self, replayed: Replayed, placement: float) -> float:
        """Return the variance of what is known without each unit, or group."""
        return replayed.variance([np.ones(replayed.values.size, dtype=bool)], placement)

    @property
    def degrees_of_freedom(self) -> float | None:
        """Of Student's quantile, for groups or if few units differ from the most common outcome."""
        is_few = self.groups is not None or self.n_off_mode <= FEW
        return float(max(1, self.n_off_mode - 1)) if is_few else None

    @property
    def design_effect(self) -> float:
        """The factor by which groups increase the variance; at least one."""
        if self.groups is None:
            return 1.0
        alone = variance_of_moves(self.moves)
        return max(1.0, self.placement_variance / alone) if alone > NO_SPREAD else 1.0

    @cached_property
    def own_variance(self) -> float:
        """The variance of independent scores with this concordance."""
        return independent_variance(self.concordance, self.counts)

    @cached_property
    def variance(self) -> float:
        """The variance that the games show."""
        if self.jackknife_variance is None:
            return INFLATION * self.design_effect * self.own_variance + self.added_variance
        return float(np.sqrt(self.placement_variance * self.jackknife_variance))

    def phi(self) -> float:
        """Return the factor by which the variance exceeds that of independent scores."""
        if not 0 < self.concordance < 1:
            return self.design_effect * (1.0 if self.jackknife_variance is not None else INFLATION)
        if self.jackknife_variance is not None and self.placement_variance <= NO_SPREAD:
            return self.design_effect
        return max(1.0, self.variance / self.own_variance)

    @property
    def factor(self) -> float:
        """By how much the variance of the placements is too small, as the jackknife says."""
        if self.jackknife_variance is None or self.placement_variance <= NO_SPREAD:
            return 1.0
        return float(np.sqrt(self.jackknife_variance / self.placement_variance))

    @property
    def seen(self) -> float:
        """The variance visible in the games, relative to that of independent scores."""
        own = self.own_variance
        return self.variance / own if own > 0 else 0.0

    def limits(self, confidence_level: float) -> Limits:
        """Return the interval."""
        quantile = two_sided_quantile(confidence_level, self.degrees_of_freedom)
        return order_interval(self.concordance, self.counts, self.phi(), quantile)


def difference_of(first: OrderEvidence, second: OrderEvidence) -> tuple[float, float | None]:
    """Return the two variances of the difference of two concordances of the same games."""
    placement = first.variance_of(first.moves - second.moves)
    if first.replayed is None or second.replayed is None:
        return placement, _drawn_difference(first, second, placement)
    return placement, first.jackknife_of(first.replayed - second.replayed, placement)


def _drawn_difference(
    first: OrderEvidence, second: OrderEvidence, placement: float
) -> float | None:
    """Return the jackknife variance of a difference from draws of both, if there are any."""
    if first.drawn is None or second.drawn is None or first.own is None or second.own is None:
        return None
    everyone = [np.ones(first.own.size, dtype=bool)]
    return drawn_difference(first.drawn - second.drawn, first.own - second.own, everyone, placement)


def correlation_of_moves(first: OrderEvidence, second: OrderEvidence) -> float:
    """Return the correlation of two concordances on the same units, clipped to 0 … 1."""
    own, other = first.placement_variance, second.placement_variance
    if own <= 0 or other <= 0:
        return 0.0
    apart = first.variance_of(first.moves - second.moves)
    return float(np.clip((own + other - apart) / (2 * np.sqrt(own * other)), 0.0, 1.0))


def measure_order(
    order: Order,
    U: FloatArray,
    F: FloatArray,
    groups: IntArray | None,
    n_off_mode: int,
    halves: Sequence[tuple[FloatArray, FloatArray]] = (),
) -> OrderEvidence:
    """Collect the evidence of ordered games and the held-out predictions of all units.

    ``halves`` are U and F of either half of an ensemble, if known.
    """

    def without(U: FloatArray, F: FloatArray) -> FloatArray:
        if groups is not None:
            return order.without_groups(U, F, groups)
        found = order.without_each(U, F)
        found[np.isnan(F).all(axis=1)] = np.nan  # played no game: its influence is unknown
        return found

    played = ~np.isnan(U)
    counts = order.counts
    if not played.all():
        weight = order.weight[played]
        counts = Order(order.winner[played], order.loser[played], order.n_units, weight).counts
    return OrderEvidence(
        order.concordance(U),
        counts,
        order.moves(U),
        n_off_mode,
        groups,
        without(U, F),
        [without(*half) for half in halves],
    )
