"""What playing only some rounds of a tournament does to its AUCs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.games.standings import tally
from tlpo.problem.outcome import Classes
from tlpo.roc.curve import wmw_auc

# A bias of this size is worth a remark.
MATERIAL = 0.01
# The density of scores is estimated over this many standard errors to either side.
WIDTH = 1.5


@dataclass(frozen=True)
class Rounds:
    """What playing only some rounds of a tournament does to its AUCs.

    Attributes
    ----------
    opponents : int
        Games of every unit, r.
    added_sd : float
        Standard deviation that the draw of the rounds adds to the TLPO AUC.
    lpo_added_sd : float
        The same for the LPO AUC, at most: balanced rounds add a little less.
    bias : float
        By how much the TLPO AUC is expected to differ from that of the full tournament.
        Shares of few games are coarse, which pulls the AUC towards ½. The LPO AUC has no such
        bias. NaN if there was only one round, which does not show it.

    Notes
    -----
    Formulas: `tlpo.results.rounds.judge_rounds`; measured: docs/fewer_games.md.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(60) % 2
    >>> X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    >>> rounds = tlpo.tournament(tlpo.RLS(), X, y, rounds=12, random_state=0).rounds
    >>> print(rounds)
    adds SD 0.0229 to the TLPO AUC, 0.0242 to the LPO AUC
    >>> rounds.opponents, round(rounds.bias, 3)
    (12, -0.02)
    """

    opponents: int
    added_sd: float
    lpo_added_sd: float
    bias: float

    def __str__(self) -> str:
        return (
            f"adds SD {self.added_sd:.4f} to the TLPO AUC, {self.lpo_added_sd:.4f} to the LPO AUC"
        )

    def remarks(self) -> tuple[str, ...]:
        """Return what the reader of the AUC should know.

        Examples
        --------
        >>> import tlpo
        >>> print(*tlpo.Rounds(opponents=4, added_sd=0.04, lpo_added_sd=0.03, bias=-0.05).remarks())
        With 4 games each, scores are coarse: the TLPO AUC is expected to be 0.050 below that of
        all games. The LPO AUC is not biased.
        """
        if not abs(self.bias) >= MATERIAL:
            return ()
        return (
            f"With {self.opponents} games each, scores are coarse: the TLPO AUC is expected to be "
            f"{abs(self.bias):.3f} {'below' if self.bias < 0 else 'above'} that of all games. The "
            "LPO AUC is not biased.",
        )


def judge_rounds(games: IntArray, outcome: FloatArray, labels: Classes) -> Rounds:
    """Estimate what other rounds could have changed.

    Parameters
    ----------
    games : ndarray of shape (R, g, 2)
        The games of every round.
    outcome : ndarray of shape (R, g)
        Their results for the first unit; NaN for a game that was not finished.
    labels : Classes
        Class of every unit.

    Notes
    -----
    *Bias*: the delete-one-round jackknife.

    *Standard deviations*: with R rounds that jackknife has R − 1 degrees of freedom, and with few
    it is a poor estimate (measured: one varies by 40 to 79 % with 4 rounds, by 23 to 39 % with 10).
    There are many games, so these are used instead. The share of unit i is a mean of r results,
    each off by ``d = result − share``; the AUC moves by ``G_i d / r`` with it, where G_i is the
    density of the other class about the share of i, over the number of units of its own class. The
    sum of squares over games of both units' moves is the variance (one estimate varies by 3 to
    15 %). A density needs a width: 1½ times the standard error of the share. The LPO AUC is itself
    a share of games.

    The variances and the bias are multiplied by the share of games not drawn: 0 if all were.
    """
    R, g, _ = games.shape
    is_positive = labels.is_positive
    opponents = 2 * R * g // is_positive.size
    left = 1.0 - opponents / (is_positive.size - 1)
    pairs, results = games.reshape(-1, 2), outcome.reshape(-1)
    played = ~np.isnan(results)
    variance = _share_variance(pairs[played], results[played], is_positive)
    standings = tally(pairs, results, labels)
    lpo = standings.lpo_auc(is_positive)
    lpo_variance = lpo * (1.0 - lpo) / standings.games[is_positive, 0].sum()
    bias = np.nan
    if R > 1:
        without = [
            _tlpo(np.delete(games, k, axis=0), np.delete(outcome, k, axis=0), labels)
            for k in range(R)
        ]
        bias = left * (R - 1) * (np.mean(without) - _tlpo(games, outcome, labels))
    return Rounds(
        opponents, float(np.sqrt(left * variance)), float(np.sqrt(left * lpo_variance)), float(bias)
    )


def _share_variance(games: IntArray, results: FloatArray, is_positive: BoolArray) -> float:
    """Return the variance of the AUC of win shares, if games are drawn at random."""
    m = is_positive.size
    first, second = games.T
    played = np.bincount(games.reshape(-1), minlength=m).astype(float)
    wins = np.bincount(first, results, m) + np.bincount(second, 1.0 - results, m)
    r = np.maximum(played, 1.0)
    share = wins / r
    # No unit is known to always win: a share of 0 or 1 counts as if half a game were open.
    error = np.sqrt(np.maximum(share * (1.0 - share), 0.25 / r) / r)
    slope = np.zeros(m)
    for own, sign in ((is_positive, 1.0), (~is_positive, -1.0)):
        others = np.sort(share[~own & (played > 0)])
        width = WIDTH * error[own]
        below = _share_below(others, share[own] + width) - _share_below(others, share[own] - width)
        slope[own] = sign * below / (2.0 * width) / np.count_nonzero(own)
    move = slope / r
    moved = move[first] * (results - share[first]) + move[second] * (1.0 - results - share[second])
    # Shares were estimated from the same games: r results have r − 1 degrees of freedom.
    mean = float(played.mean())
    return float(moved @ moved) * mean / (mean - 1.0) if mean > 1 else np.nan


def _share_below(ranked: FloatArray, x: FloatArray) -> FloatArray:
    """Return the share of sorted values below x, counting equal ones half."""
    low, high = (np.searchsorted(ranked, x, side=side) for side in ("left", "right"))
    return np.asarray((low + high) / (2.0 * ranked.size))


def _tlpo(games: IntArray, outcome: FloatArray, labels: Classes) -> float:
    """Return the TLPO AUC of some rounds."""
    standings = tally(games.reshape(-1, 2), outcome.reshape(-1), labels)
    rated = ~np.isnan(standings.scores)
    return wmw_auc(standings.scores[rated], labels.is_positive[rated])
