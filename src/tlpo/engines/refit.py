"""The definition: clone, fit without the held-out units, ask about them.

Every other engine must return what this one returns, game for game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Answered, Execution, Played, Table
from tlpo.errors import GameError, explain
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.fits import Games, Round, answer_rounds
from tlpo.problem.problem import Problem
from tlpo.schedule import Schedule
from tlpo.standings import tally


class Refit:
    """Fits the estimator anew for every pair."""

    name = "refit"

    def why_not(self, estimator: Any, problem: Problem) -> str | None:  # noqa: ARG002
        """Return None: refitting always applies."""
        return None

    def play(
        self, estimator: Any, problem: Problem, schedule: Schedule, execution: Execution
    ) -> Played:
        """Play by refitting."""
        if schedule.listed is None and problem.exclude is None:
            problem.require_playable_pairs(schedule.is_opposite)
        games = Games(estimator, problem, execution)
        m = problem.n_units
        to_play = schedule.games(problem.labels.is_positive)
        outcome, responses = games.play(to_play)
        failures = dict(games.failures.most_common())
        if sum(failures.values()) == len(to_play):
            raise _nothing_played(failures)
        standings = tally(to_play, outcome, problem.labels.is_positive)
        if not standings.games[problem.labels.is_positive, 0].any():
            raise _nothing_played(failures, "between the classes ")
        table = None
        if execution.keeps_predictions(m):
            table = Table.of(m, to_play, responses, games.ceiling)
        games.log.warnings.emit(games.log.fits)
        return Played(
            standings,
            table,
            games.log.diagnostics(
                pairs_played=standings.n_games,
                failures=failures,
                remarks=_remarks(standings.games.sum(axis=1), to_play, failures),
            ),
            None if schedule.listed is None else outcome,
        )

    def hold_out(
        self, estimator: Any, problem: Problem, tests: list[IntArray], execution: Execution
    ) -> Answered:
        """Fit once for every held-out set."""
        log = RunLog()
        rounds = [Round(problem.training_set(test), test) for test in tests]
        responses = answer_rounds(estimator, problem, rounds, log, execution, title="Held-out sets")
        log.warnings.emit(log.fits)
        return Answered(responses, log.diagnostics())


def _nothing_played(failures: dict[str, int], which: str = "") -> GameError:
    causes = "\n".join(f"  {count} × {cause}" for cause, count in failures.items())
    return GameError(
        explain(
            f"No game {which}could be played; {sum(failures.values())} failed.",
            f"The causes, with counts:\n{causes}",
            "Fix the cause; try estimator.fit(X, y) on the whole data first.",
        )
    )


def _remarks(games: FloatArray, to_play: IntArray, failures: dict[str, int]) -> tuple[str, ...]:
    if not failures:
        return ()
    n_failed, n_pairs = sum(failures.values()), len(to_play)
    remarks = [f"{n_failed} of {n_pairs} games failed; estimates rest on {n_pairs - n_failed}."]
    idle = np.setdiff1d(to_play, np.flatnonzero(games))
    if idle.size:
        units = ", ".join(str(unit) for unit in idle[:6]) + (", …" if idle.size > 6 else "")
        units = f"Unit {units}" if idle.size == 1 else f"Units {units}"
        remarks.append(f"{units} finished no game and could not be ranked.")
    return tuple(remarks)


ENGINE = Refit()
