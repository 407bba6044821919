"""What the tournament and leave-pair-out share: games were played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tlpo.arrays import IntArray
from tlpo.engines.base import Execution, Predictions, delegate
from tlpo.engines.fingerprint import journaled
from tlpo.engines.learner import require_estimator
from tlpo.execution.journal import JournalLike
from tlpo.execution.pairs import Pairs
from tlpo.execution.record import Diagnostics
from tlpo.labels import Labels
from tlpo.problem import make_problem
from tlpo.schemes.options import require_choice
from tlpo.schemes.summary import Summary, describe, played_row
from tlpo.standings import Standings


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
    pairs: Pairs,
    *,
    min_per_class: int,
    positive: Any,
    groups: Any,
    engine: str,
    n_jobs: int | None,
    progress: bool,
    params: Mapping[str, Any] | None,
    on_error: str,
    predictions: bool | None,
    journal: JournalLike,
) -> dict[str, Any]:
    """Check what was passed, let the right engine play, and return the fields of a result."""
    require_estimator(estimator)
    require_choice("on_error", on_error, ("raise", "skip"))
    execution = Execution(n_jobs, progress, on_error, predictions)
    name = describe(estimator)
    problem = make_problem(
        X, y, positive=positive, groups=groups, params=params, min_per_class=min_per_class
    )
    task = "tournament" if pairs == "all" else "leave-pair-out"
    with journaled(journal, task, estimator, problem, on_error=on_error) as part:
        execution = replace(execution, journal=part)
        engine, played = delegate(
            engine,
            estimator,
            problem,
            lambda player: player.play(estimator, problem, pairs, execution),
        )
    return {
        "standings": played.standings,
        "labels": problem.labels,
        "held_out": played.predictions,
        "engine": engine,
        "diagnostics": played.diagnostics,
        "estimator_name": name,
        "groups": problem.groups,
    }
