"""A balanced part of a tournament: every unit meets the same number of opponents.

With an even number of units, the circle method arranges all games into m − 1 rounds in which
everybody plays once; some of these rounds are drawn. With an odd number somebody would have to
sit out, so a round is a cycle instead: unit k meets the units k ± d, and everybody plays twice.
Units are numbered at random first, which makes every pair equally likely to meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import RandomState, journal_seed, require_count, seed_sequence
from tlpo.errors import InputError, explain
from tlpo.execution.journal import JournalLike
from tlpo.roc.curve import wmw_auc
from tlpo.schedule import Schedule
from tlpo.standings import tally

# A bias of this size is worth a remark.
MATERIAL = 0.01
# Density of scores is taken over so many standard errors to either side.
WIDTH = 1.5


@dataclass(frozen=True)
class Rounds:
    """What it means that only some rounds of a tournament were played.

    Attributes
    ----------
    opponents : int
        Games of every unit, r.
    added_sd : float
        Standard deviation that the draw of the rounds adds to the TLPO AUC.
    lpo_added_sd : float
        The same of the LPO AUC, at most: balanced rounds add a little less.
    bias : float
        By how much the TLPO AUC is expected to differ from that of the full tournament.
        Shares of few games are coarse, which draws the AUC towards ½. The LPO AUC has no such
        bias. NaN if there was one round only, which does not show it.
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
        """Say what the reader of the AUC should know."""
        if not abs(self.bias) >= MATERIAL:
            return ()
        return (
            f"With {self.opponents} games each, scores are coarse: the TLPO AUC is expected to be "
            f"{abs(self.bias):.3f} {'below' if self.bias < 0 else 'above'} that of all games. The "
            "LPO AUC is not biased.",
        )


def require_rounds(rounds: int, n_units: int) -> None:
    """Refuse a number of opponents that cannot be the same for every unit."""
    require_count("rounds", rounds, 2, n_units - 1, "the number of opponents there are")
    if n_units % 2 and rounds % 2:
        raise InputError(
            explain(
                "An odd number of units cannot play an odd number of games each.",
                f"You passed rounds={rounds} for {n_units} units.",
                f"Use rounds={rounds - 1} or rounds={rounds + 1}.",
            )
        )


def plan_rounds(
    n_units: int, rounds: int | None, random_state: RandomState, journal: JournalLike
) -> tuple[IntArray | None, Schedule]:
    """Return the rounds that are wanted, None if everybody is to meet everybody, and the games."""
    if rounds is None:
        return None, Schedule()
    require_rounds(rounds, n_units)
    if rounds == n_units - 1:
        return None, Schedule()
    journal_seed(journal, random_state)
    drawn = draw_rounds(n_units, rounds, random_state)
    why = f"{rounds} rounds of seed {random_state}"
    return drawn, Schedule(listed=drawn.reshape(-1, 2), why=why)


def draw_rounds(n_units: int, opponents: int, random_state: RandomState) -> IntArray:
    """Draw rounds such that everybody meets ``opponents`` others, and all are connected.

    Returns
    -------
    ndarray of shape (R, g, 2)
        The games of every round, lower index first. R is ``opponents``, or half of it if the
        number of units is odd. Depends on nothing but the two numbers and the seed.

    Examples
    --------
    >>> games = draw_rounds(6, 3, random_state=0)
    >>> games.shape
    (3, 3, 2)
    >>> np.bincount(games.ravel())
    array([3, 3, 3, 3, 3, 3])
    """
    rng = np.random.default_rng(seed_sequence(random_state))
    is_odd = n_units % 2 == 1
    there_are = (n_units - 1) // 2 if is_odd else n_units - 1
    wanted = opponents // 2 if is_odd else opponents
    arranged = _cycle if is_odd else _matching
    while True:
        names = rng.permutation(n_units)
        drawn = rng.choice(there_are, wanted, replace=False)
        games = np.stack([names[arranged(n_units, int(k))] for k in drawn])
        games.sort(axis=2)
        if _is_connected(games.reshape(-1, 2), n_units):
            return games


def _matching(n_units: int, k: int) -> IntArray:
    """Return round k of the circle method: one unit stands still, the others move on by one."""
    circle = n_units - 1
    step = np.arange(1, n_units // 2)
    moving = np.column_stack([(k + step) % circle, (k - step) % circle])
    return np.concatenate([[[k, circle]], moving])


def _cycle(n_units: int, k: int) -> IntArray:
    """Return the games of every unit with the one k + 1 places on."""
    unit = np.arange(n_units)
    return np.column_stack([unit, (unit + k + 1) % n_units])


def _is_connected(games: IntArray, n_units: int) -> bool:
    graph = sparse.coo_matrix((np.ones(len(games)), games.T), shape=(n_units, n_units))
    return int(connected_components(graph, directed=False)[0]) == 1


def judge_rounds(games: IntArray, outcome: FloatArray, is_positive: BoolArray) -> Rounds:
    """Estimate what other rounds could have changed.

    Parameters
    ----------
    games : ndarray of shape (R, g, 2)
        The games of every round.
    outcome : ndarray of shape (R, g)
        Their results for the first unit; NaN for a game that was not finished.
    is_positive : ndarray of shape (m,)
        Class of every unit.

    Notes
    -----
    *Bias*: the delete-one-round jackknife.

    *Standard deviations*: with R rounds that jackknife has R − 1 degrees of freedom, and with few
    it is hardly an estimate (measured: one varies by 40 to 79 % with 4 rounds, by 23 to 39 % with
    10). Games are many, so they are asked instead. The share of unit i is a mean of r results,
    each off by ``d = result − share``; the AUC moves by ``G_i d / r`` with it, where G_i is the
    density of the other class about the share of i, over the number of units of its own class. The
    sum of squares over games of both units' moves is the variance (one estimate varies by 3 to
    15 %). A density needs a width: 1½ times the standard error of the share. The LPO AUC is a
    share of games itself.

    All are times the share of games that were not drawn: there is nothing to add if all were.
    """
    R, g, _ = games.shape
    opponents = 2 * R * g // is_positive.size
    left = 1.0 - opponents / (is_positive.size - 1)
    pairs, results = games.reshape(-1, 2), outcome.reshape(-1)
    played = ~np.isnan(results)
    variance = _share_variance(pairs[played], results[played], is_positive)
    standings = tally(pairs, results, is_positive)
    lpo = standings.lpo_auc(is_positive)
    lpo_variance = lpo * (1.0 - lpo) / standings.games[is_positive, 0].sum()
    bias = np.nan
    if R > 1:
        without = [
            _tlpo(np.delete(games, k, axis=0), np.delete(outcome, k, axis=0), is_positive)
            for k in range(R)
        ]
        bias = left * (R - 1) * (np.mean(without) - _tlpo(games, outcome, is_positive))
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
    # Nobody is known to win always: a share of 0 or 1 counts as if half a game were open.
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


def _tlpo(games: IntArray, outcome: FloatArray, is_positive: BoolArray) -> float:
    """Return the TLPO AUC of some rounds."""
    standings = tally(games.reshape(-1, 2), outcome.reshape(-1), is_positive)
    rated = ~np.isnan(standings.scores)
    return wmw_auc(standings.scores[rated], is_positive[rated])
