"""How long the parts of an analysis take that are computed without refitting, from timed pieces.

Engines that play one game after the other are timed on a few games. Others decide most games of
many units without playing them: they are timed on a part of the units. Where games share their
models, it is known how many fits all of them are worth, and one is timed. Held-out units, folds and
resamples are timed on a few of each.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from tlpo.errors import EngineError, GameError, InputError
from tlpo.execution.options import keeps_predictions
from tlpo.execution.threads import thread_count
from tlpo.games.contest import Contest
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, SeveralClasses
from tlpo.roc.drawn import MOST_GAMES, REPLAYED, THIRD
from tlpo.schemes.bootstrap import fit_resamples
from tlpo.schemes.ordered_games import play_ordered
from tlpo.schemes.tournament import play_tournament

# Units of the part that is played: with its interval, and without. All are so many times as many.
PART, LARGE_PART, LEAST_RATIO = 700, 1100, 1.5
# How long pieces of one kind are timed, at least, if there are that many.
ENOUGH = 0.2
# Fewer units whose games take less are not worth timing.
FEW_UNITS, QUICK = 1000, 2.0
# The time of a part grows with this power of its units, if bounds decide most of its games.
POWER = 1.3
# Tables of many units do not fit into the caches of a processor.
CACHES = 1.3
# Bags without two units are this many times rarer than bags without one.
RARER = math.e


class Pieces(NamedTuple):
    """Seconds that the parts of an analysis take.

    Attributes
    ----------
    games : float
        The tournament, or all pairs that are ordered.
    interval : float
        What the interval needs besides.
    loo, folds, resamples : float
        Leave-one-out, K-fold and the bootstrap.
    """

    games: float
    interval: float
    loo: float
    folds: float
    resamples: float


def time_pieces(
    contest: Contest, n_games: int, n_folds: int, n_resamples: int, is_whole: bool = True
) -> Pieces | None:
    """Time what an exact engine does; None if that is quick, or nothing can be said.

    Parameters
    ----------
    contest : Contest
        What is played.
    n_games, n_folds, n_resamples : int
        How many games, folds and resamples there are.
    is_whole : bool
        Whether these are all games.

    Raises
    ------
    EngineError
        If the engine finds only now that it does not apply.
    """
    if isinstance(contest.outcome, SeveralClasses):
        return None
    m, trial, rng = contest.problem.n_units, contest.aside(), np.random.default_rng(0)
    is_each = contest.plays_each or not is_whole or contest.problem.leaves_out_more
    try:
        is_small = m < LEAST_RATIO * PART
        if contest.shares_models and (is_small or not is_whole):
            played = _grow_one(trial, n_games, rng)
        elif is_each or is_small:
            played = Part(n_games * _seconds_per_game(trial, n_games, rng), 0.0, False)
            if m < FEW_UNITS and played.games < QUICK:
                return None
        else:
            played = _play_part(trial, rng)
        if played.is_shared:
            loo = played.games / RARER
        else:
            units = [np.array([unit]) for unit in rng.permutation(m)]
            loo = m * pace(lambda count: trial.hold_out(units[:count], "forecast"), m)
        parts = np.array_split(rng.permutation(m), n_folds)
        folds = n_folds * pace(lambda count: trial.hold_out(parts[:count], "forecast"), n_folds)
        # The model of all units is one more.
        resample = pace(lambda n: fit_resamples(trial, n - 1, 0).corrected(), n_resamples + 1)
        return Pieces(played.games, played.interval, loo, folds, (n_resamples + 1) * resample)
    except (GameError, InputError):  # reported when games are played
        return None


class Part(NamedTuple):
    """Seconds that games and interval of all units take, and whether games share their models."""

    games: float
    interval: float
    is_shared: bool


def pace(act: Callable[[int], object], most: int) -> float:
    """Return the seconds per piece, from enough of at most so many."""
    count = min(most, max(2, thread_count(None)))
    # Also imports, compiles and decomposes: of no use, however long it takes.
    act(count)
    while True:
        seconds = _timed(partial(act, count))
        if seconds >= ENOUGH or count == most:
            break
        # As many as will take long enough, by this measurement.
        count = min(most, count * int(np.clip(1.2 * ENOUGH / max(seconds, 1e-6), 2, 16)))
    return seconds / count


def _grow_one(contest: Contest, most: int, rng: np.random.Generator) -> Part:
    """Time what one game needs whose models are not known, and say what all games take."""
    pairs = rng.permutation(contest.problem.n_units)[:4].reshape(-1, 2)
    exact = contest.exact_engine(Schedule())
    if exact is None or contest.predict_pairs(pairs[:1]) is None:  # also imports, compiles
        raise EngineError("No exact engine applies.")
    seconds = _timed(lambda: contest.predict_pairs(pairs[1:]))
    return Part(min(exact.fits, most) * seconds, 0.0, True)


def _timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _seconds_per_game(contest: Contest, most: int, rng: np.random.Generator) -> float:
    """Time games between random units."""
    first, second = rng.integers(contest.problem.n_units, size=(2, 1 << 16))
    pairs = np.column_stack([first, second])[first != second][:most]
    if contest.predict_pairs(pairs[:1]) is None:
        raise EngineError("No exact engine applies.")
    return pace(lambda count: contest.predict_pairs(pairs[:count]), len(pairs))


def _play_part(contest: Contest, rng: np.random.Generator) -> Part:
    """Play a part of the units, and half of it, and say what all of them take."""
    m, level = contest.problem.n_units, contest.outcome.level
    has_table = keeps_predictions(m)
    size = PART if has_table else LARGE_PART
    # Every level keeps its share: in the order of levels, units at equal steps.
    order = np.lexsort([rng.random(m), level])
    half, part = (
        contest.aside(np.sort(order[np.linspace(0, m - 1, n).astype(np.intp)]))
        for n in (size // 2, size)
    )
    _time_games(half, has_table)  # imports, compiles
    before, played = _time_games(half, has_table), _time_games(part, has_table)
    # Of a part that is too small for bounds every game was played. If bounds decide those of all
    # units, they are played for the table of predictions instead: it comes to the same.
    power = 2.0
    if played.is_pruned:
        power = POWER
    elif played.is_shared:
        power = float(np.clip(np.log2(played.games / before.games), 1.0, 2.0))
    games = played.games * (m / size) ** power
    if has_table:
        return Part(games, CACHES * played.interval * (m / size) ** 2, played.is_shared)
    n_drawn = THIRD * REPLAYED + MOST_GAMES
    interval = n_drawn * _seconds_per_game(contest, n_drawn, rng)
    return Part(games, interval, played.is_shared)


class Played(NamedTuple):
    """Seconds that games and interval took, and how the games were played."""

    games: float
    interval: float
    is_pruned: bool
    is_shared: bool


def _time_games(contest: Contest, has_table: bool) -> Played:
    """Play a contest; what its interval takes is known only if predictions are kept."""
    started = time.perf_counter()
    if not has_table:
        done = contest.play(Schedule()).diagnostics
        seconds, interval = time.perf_counter() - started, 0.0
    elif isinstance(contest.outcome, Classes):
        result = play_tournament(contest)
        seconds, done = time.perf_counter() - started, result.diagnostics
        interval = _timed(result.auc_interval)
    else:
        ranked = play_ordered(contest)
        seconds, done = time.perf_counter() - started, ranked.diagnostics
        interval = _timed(ranked.concordance_interval)
    is_shared = done.games_evaluated == 0
    is_pruned = not is_shared and 2 * done.games_evaluated < done.pairs_played
    return Played(seconds, interval, is_pruned, is_shared)
