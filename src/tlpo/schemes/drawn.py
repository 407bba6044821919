"""How much the AUC or concordance of a large sample changes without a unit, from drawn games.

Below a certain size the table of all predictions is kept and shows it. Above, the games of a few
units are played again: with third units, and with each other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Played
from tlpo.games.contest import Contest
from tlpo.games.response import outcomes
from tlpo.problem.outcome import Classes, Outcome
from tlpo.roc.drawn import MOST_GAMES, Draw, Drawn, Shifts


def draw_changes(contest: Contest, played: Played) -> Drawn | None:
    """Return how C changes without drawn units; None where the table shows it, or nothing can.

    Nothing can if models are refitted, if ``exclude`` says who leaves the training set, if games
    are missing, and if the user did not want predictions at all.
    """
    if (
        played.predictions is not None
        or contest.options.predictions is False
        or contest.problem.exclude is not None
        or not _are_all_played(contest.outcome, played)
    ):
        return None
    draw = Draw.of(_kinds(contest.outcome), groups=contest.problem.groups)
    tables = _predictions(contest, draw)
    found = [_change(contest, draw, F, part) for part, F in enumerate(tables)]
    known = [drawn for drawn in found if drawn is not None]
    if not known or len(known) < len(found):
        return None
    return replace(known[0], halves=tuple(known[1:]))


def _are_all_played(outcome: Outcome, played: Played) -> bool:
    """Return whether every two units that are ordered have met."""
    return bool(np.all(played.standings.games >= outcome.scheduled(ordered=True)))


def _change(contest: Contest, draw: Draw, F: FloatArray, part: int) -> Drawn | None:
    """Return how C changes by the predictions of a model, or of one half of an ensemble."""
    outcome = contest.outcome
    groups = contest.problem.groups
    n_leaving = outcome.n_units if groups is None else int(groups.max()) + 1
    shifts = Shifts.of(draw, F, is_whole=draw.third.size == n_leaving)
    factor, winner, loser = shifts.close_games(outcome.level, outcome.may_win)
    while winner.size > MOST_GAMES:
        shifts = shifts.first(int(0.9 * draw.units.size * np.sqrt(MOST_GAMES / winner.size)))
        draw = shifts.draw
        factor, winner, loser = shifts.close_games(outcome.level, outcome.may_win)
    found = contest.predict_pairs(np.column_stack([draw.units[winner], draw.units[loser]]))
    if found is None or not winner.size:
        return None
    responses = found[part]
    U = outcomes(*responses.T)
    D = np.where(U == 0.5, 0.0, responses[:, 0] - responses[:, 1])
    known = ~np.isnan(D)
    winner, loser = winner[known], loser[known]
    change = shifts.replay(winner, loser, D[known], U[known], factor)
    left = outcome.n_ordered_without(groups)[draw.third]
    shares = 1.0 - draw.share[winner].mean(), 1.0 - draw.share[loser].mean()
    return Drawn(draw.third, draw.weight, change / left, (float(shares[0]), float(shares[1])))


def _kinds(outcome: Outcome) -> IntArray:
    """Return the kinds of units that are drawn apart: classes, or with and without the event."""
    if isinstance(outcome, Classes):
        return outcome.level
    may_win = outcome.may_win
    return np.zeros(outcome.n_units, np.intp) if may_win is None else may_win.astype(np.intp)


def _predictions(contest: Contest, draw: Draw) -> list[FloatArray]:
    """Return what is predicted for the units of a draw without its third units.

    Of an ensemble, also by either half; an empty list if no engine predicts.
    """
    row, column = np.nonzero(draw.own[:, None] != draw.third[None, :])
    pairs = np.column_stack([draw.units[row], draw.place[column]])
    tables = []
    for responses in contest.predict_pairs(pairs) or []:
        F = np.full((draw.units.size, draw.third.size), np.nan)
        F[row, column] = responses[:, 0]
        tables.append(F)
    return tables
