"""The definition: clone, fit without the held-out units, predict them.

Every other engine must return what this one returns, game for game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlpo.arrays import IntArray
from tlpo.engines.base import (
    Answered,
    Decided,
    Engine,
    Played,
    PlayedClasses,
    failure_remarks,
)
from tlpo.execution.fits import Fit, run_fits
from tlpo.execution.options import Execution
from tlpo.games.schedule import Schedule


class Refit(Engine):
    """Refits the estimator for every pair."""

    name = "refit"
    is_exact = False
    plays_varying = True
    fits_steps = True

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play by refitting."""
        return self._decide(schedule, execution).described(schedule, execution)

    def play_classes(self, schedule: Schedule, execution: Execution) -> PlayedClasses:
        """Do the same with the response of every class."""
        return self._decide(schedule, execution).by_class(schedule, execution)

    def _decide(self, schedule: Schedule, execution: Execution) -> Decided:
        who_wins = self.problem.outcome
        pairs = schedule.games(who_wins)
        outcome, responses, ceiling, failures, log = self.prepared.refits.play(pairs, execution)
        finished = pairs[~np.isnan(outcome.reshape(len(pairs), -1)[:, 0])]
        diagnostics = log.diagnostics(
            pairs_played=len(finished),
            failures=dict(failures.most_common()),
            remarks=failure_remarks(np.bincount(finished.ravel()), pairs, failures),
        )
        return Decided(who_wins, pairs, outcome, responses, ceiling, diagnostics)

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
