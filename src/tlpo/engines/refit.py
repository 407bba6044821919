"""The definition: clone, fit without the held-out units, predict them.

Every other engine must return what this one returns, game for game.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlpo.arrays import IntArray
from tlpo.engines.base import Answered, Engine, Played, Predictions, failure_remarks
from tlpo.execution.fits import Fit, run_fits
from tlpo.execution.options import Execution
from tlpo.games.schedule import Schedule
from tlpo.games.standings import tally


class Refit(Engine):
    """Refits the estimator for every pair."""

    name = "refit"
    is_exact = False
    plays_varying = True

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play by refitting."""
        who_wins = self.problem.outcome
        pairs = schedule.games(who_wins)
        outcome, responses, ceiling, failures, log = self.prepared.refits.play(pairs, execution)
        standings = tally(pairs, outcome, who_wins)
        predictions = None
        if execution.keep_predictions:
            predictions = Predictions.of_games(who_wins.n_units, pairs, responses, ceiling)
        diagnostics = log.diagnostics(
            pairs_played=standings.n_games,
            failures=dict(failures.most_common()),
            remarks=failure_remarks(standings.games.sum(axis=1), pairs, failures),
        )
        return Played(
            standings, predictions, diagnostics, None if schedule.listed is None else outcome
        )

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Fit once for every held-out set."""
        fits = [Fit(self.problem.training_set(test), test) for test in tests]
        return Answered(
            *run_fits(
                self.prepared.whole, self.prepared.given, fits, execution, title="Held-out sets"
            )
        )

    def fit(self, fits: Sequence[Fit], execution: Execution, title: str) -> Answered:
        """Fit all of them."""
        return Answered(*run_fits(self.prepared.whole, self.prepared.given, fits, execution, title))


ENGINE = Refit
