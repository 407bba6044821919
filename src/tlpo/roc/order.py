"""Concordance with an outcome that says of some pairs who should win, and its interval.

A pair is *ordered* if one of its units should win: the positive one, the one with the larger grade
or number, the one that had the event earlier. U is the result of an ordered game, 1, ½ or 0 for
whoever should win; the concordance C is the mean of U, weighted if pairs have weights.

Two classes are a special case: C is the AUC, the placement variance is DeLong's, and
`independent_variance` is that of Hanley and McNeil (1982). For numbers without ties and θ = ½ it
is the variance of Kendall's τ.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.roc.placements import _farthest, _mean, jackknife_variance
from tlpo.roc.rates import Limits, invert_score


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

    @cached_property
    def counts(self) -> Counts:
        """What the variance of independent scores depends on."""
        w, m = self.weight, self.n_units
        won, lost = (np.bincount(units, w, m) for units in (self.winner, self.loser))
        squares = float(w @ w)
        return Counts(
            games=float(w.sum()),
            same_winner=float(won @ won) - squares,
            same_loser=float(lost @ lost) - squares,
            chains=2.0 * float(won @ lost),
            squares=squares,
        )

    def concordance(self, U: FloatArray) -> float:
        """Return C; games that were not played (NaN) do not count."""
        played = ~np.isnan(U)
        return float(self.weight[played] @ U[played] / self.weight[played].sum())

    def placement_variance(self, U: FloatArray, groups: IntArray | None = None) -> float:
        """Return the variance that treats the models as fixed; with groups, summed within them.

        Each unit adds the deviations of its games from C, whichever side it should be on.
        """
        C, games = self.concordance(U), self.weight[~np.isnan(U)].sum()
        deviation = self.weight * np.nan_to_num(U - C)
        psi = sum(
            np.bincount(units, deviation, self.n_units) for units in (self.winner, self.loser)
        )
        if groups is not None:
            psi = np.bincount(np.unique(groups, return_inverse=True)[1], psi)
        n = psi.size
        return float(n / (n - 1) * (psi @ psi) / games**2)

    def without_each(self, U: FloatArray, F: FloatArray) -> FloatArray:
        """Estimate C without each unit, without refitting; see `placements.auc_without_each`."""
        from tlpo.roc.replay import change_without

        if not (self.weight == 1.0).all():
            raise NotImplementedError("Games with weights are replayed elsewhere.")
        m, i, j = self.n_units, self.winner, self.loser
        d = _mean(F, axis=1)
        D = F[i, j] - F[j, i]
        D[U == 0.5] = 0.0
        farthest = _farthest(F, d)
        # No third unit can change a game whose gap exceeds the largest shifts of its two units.
        near = np.flatnonzero(np.abs(D) <= (farthest[i] + farthest[j]) * (1.0 + 1e-9))
        change = np.zeros(m)
        change_without(i[near], j[near], D[near], U[near], F, d, change)
        played, won = (~np.isnan(U)).astype(float), np.nan_to_num(U)
        wins, games = won.sum() + change, np.full(m, played.sum())
        for units in (i, j):
            wins -= np.bincount(units, won, m)
            games -= np.bincount(units, played, m)
        return np.divide(wins, games, out=np.full(m, np.nan), where=games > 0)

    def jackknife_variance(self, U: FloatArray, F: FloatArray) -> float:
        """Return the variance that exaggerates how models change."""
        everyone: BoolArray = np.ones(self.n_units, dtype=bool)
        return jackknife_variance(self.without_each(U, F), [everyone])


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


def order_inflation(
    concordance: float, placement: float, jackknife: float, counts: Counts
) -> float:
    """Return φ: the geometric mean of the two variances divided by that of independent scores."""
    if not 0 < concordance < 1:
        return 1.0
    own = independent_variance(concordance, counts)
    return max(1.0, float(np.sqrt(placement * jackknife)) / own)
