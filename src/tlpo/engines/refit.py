"""The definition: clone, fit without the held-out units, predict them.

Every other engine must return what this one returns, game for game.
"""

from __future__ import annotations

from functools import cached_property

from tlpo.arrays import IntArray
from tlpo.engines.base import Answered, Engine, Played, Predictions, failure_remarks
from tlpo.execution.fits import Fit, GameFits, run_fits
from tlpo.execution.options import Execution
from tlpo.schedule import Schedule
from tlpo.standings import tally


class Refit(Engine):
    """Refits the estimator for every pair."""

    name = "refit"
    is_exact = False

    @cached_property
    def games(self) -> GameFits:
        """The fits that play games."""
        return GameFits(self.estimator, self.problem)

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play by refitting."""
        is_positive = self.problem.labels.is_positive
        pairs = schedule.games(is_positive)
        outcome, responses, ceiling, failures, log = self.games.play(pairs, execution)
        standings = tally(pairs, outcome, is_positive)
        predictions = None
        if execution.keep_predictions:
            predictions = Predictions.of_games(is_positive.size, pairs, responses, ceiling)
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
            *run_fits(self.estimator, self.problem, fits, execution, title="Held-out sets")
        )


ENGINE = Refit
