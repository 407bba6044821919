"""What the tournament and leave-pair-out share: games were played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import require_choice
from tlpo.engines.base import Execution, Predictions, delegate
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fingerprint import digest, fingerprint
from tlpo.execution.fits import require_estimator
from tlpo.execution.journal import JournalLike, Part, open_part
from tlpo.problem.labels import Labels
from tlpo.problem.problem import Problem, make_problem
from tlpo.results.summary import Summary, describe, played_row
from tlpo.schedule import Schedule
from tlpo.standings import Standings

# The cause of a game that could not be played, before any estimator was asked.
EMPTIED = "one class only would be left to learn from"


@dataclass(frozen=True, eq=False, repr=False)
class GamesResult(Summary):
    """Games that were played, and what they took.

    Attributes
    ----------
    standings : Standings
        Wins against negatives and positives; everything else follows from these.
    labels : Labels
        Class of every unit.
    held_out : Predictions or None
        Where `predictions` come from.
    engine : str
        How the games were played.
    diagnostics : Diagnostics
        Pairs played, fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    groups : ndarray of shape (m,) or None
        Units that were left out together.
    """

    standings: Standings
    labels: Labels
    held_out: Predictions | None
    engine: str
    diagnostics: Diagnostics
    estimator_name: str
    groups: IntArray | None = None

    @property
    def n_ties(self) -> int:
        """Number of tied games."""
        return self.standings.n_ties

    def _played(self, n_games: int) -> str:
        games = f"{self.diagnostics.pairs_played} games"
        if self.diagnostics.pairs_failed:
            games += f" of {n_games}"
        return f"{games}, {played_row(self.diagnostics)}, engine {self.engine}"


def play_games(
    estimator: Any,
    X: Any,
    y: Any,
    plan: Callable[[Problem], Schedule],
    *,
    min_per_class: int,
    positive: Any,
    groups: Any,
    exclude: Any,
    engine: str,
    n_jobs: int | None,
    progress: bool,
    params: Mapping[str, Any] | None,
    on_error: str,
    predictions: bool | None,
    journal: JournalLike,
) -> tuple[dict[str, Any], FloatArray | None]:
    """Check what was passed, and let the right engine play the games that are planned.

    Returns
    -------
    fields : dict
        The fields of a result.
    outcome : ndarray or None
        The result of each game of a list, NaN if it was not finished.
    """
    require_estimator(estimator)
    require_choice("on_error", on_error, ("raise", "skip"))
    execution = Execution(n_jobs, progress, on_error, predictions)
    name = describe(estimator)
    problem = make_problem(
        X,
        y,
        positive=positive,
        groups=groups,
        params=params,
        min_per_class=min_per_class,
        exclude=exclude,
    )
    schedule, is_playable = playable(problem, plan(problem), skip=on_error == "skip")
    with open_games(journal, estimator, problem, schedule, on_error) as part:
        execution = replace(execution, journal=part)
        engine, played = delegate(
            engine,
            estimator,
            problem,
            lambda player: player.play(estimator, problem, schedule, execution),
        )
    outcome, diagnostics = played.outcome, played.diagnostics
    if is_playable is not None and not is_playable.all():
        assert outcome is not None
        finished, outcome = outcome, np.full(is_playable.size, np.nan)
        outcome[is_playable] = finished
        diagnostics = _count_unplayable(diagnostics, outcome, is_playable)
    fields = {
        "standings": played.standings,
        "labels": problem.labels,
        "held_out": played.predictions,
        "engine": engine,
        "diagnostics": diagnostics,
        "estimator_name": name,
        "groups": problem.groups,
    }
    return fields, outcome


def playable(
    problem: Problem, schedule: Schedule, *, skip: bool
) -> tuple[Schedule, BoolArray | None]:
    """Refuse games that leave one class only to learn from, or take them off the list.

    Where all pairs meet and only groups leave together, the engine knows a quicker way.
    """
    if problem.exclude is None and (problem.groups is None or schedule.listed is None):
        return schedule, None
    games = schedule.games(problem.labels.is_positive)
    emptied = problem.empties_a_class(games)
    if not emptied.any():
        return schedule, None
    is_opposite = np.diff(problem.labels.is_positive[games].astype(int), axis=1)[:, 0] != 0
    if not skip or emptied[is_opposite].all():
        raise problem.emptied_by(games[np.argmax(emptied)])
    return replace(schedule, listed=games[~emptied]), ~emptied


def _count_unplayable(
    diagnostics: Diagnostics, outcome: FloatArray, is_playable: BoolArray
) -> Diagnostics:
    """Add games that were not played, because one class only was left, to those that failed."""
    n_emptied = int(np.count_nonzero(~is_playable))
    finished = int(np.count_nonzero(~np.isnan(outcome)))
    return replace(
        diagnostics,
        failures={EMPTIED: n_emptied, **diagnostics.failures},
        warnings=(
            f"{n_emptied} of {is_playable.size} games would leave one class only to learn from; "
            f"estimates rest on {finished}.",
            *diagnostics.warnings,
        ),
    )


def open_games(
    journal: JournalLike, estimator: Any, problem: Problem, schedule: Schedule, on_error: str
) -> AbstractContextManager[Part | None]:
    """Open what a journal holds of some games; None without a journal."""
    task = "leave-pair-out" if schedule.is_opposite else "tournament"

    def depends_on() -> dict[str, Any]:
        games = schedule.games(problem.labels.is_positive)
        which = "all" if schedule.listed is None else f"{schedule.why}, {digest(games)}"
        options = {"on_error": on_error, "which games": which}
        return fingerprint(task, estimator, problem, games, **options)

    return open_part(journal, task, depends_on)
