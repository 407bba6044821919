"""The definition: clone, fit without the held-out units, predict them.

Every other engine must return what this one returns, game for game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Answered, Engine, Played, Predictions
from tlpo.execution.fits import Fit, run_fits
from tlpo.execution.options import Execution
from tlpo.schedule import Schedule
from tlpo.standings import tally


class Refit(Engine):
    """Refits the estimator for every pair."""

    name = "refit"
    is_exact = False
    plays_varying = True

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play by refitting."""
        is_positive = self.problem.labels.is_positive
        pairs = schedule.games(is_positive)
        outcome, responses, ceiling, failures, log = self.prepared.refits.play(pairs, execution)
        standings = tally(pairs, outcome, is_positive)
        predictions = None
        if execution.keep_predictions:
            predictions = Predictions.of_games(is_positive.size, pairs, responses, ceiling)
        diagnostics = log.diagnostics(
            pairs_played=standings.n_games,
            failures=dict(failures.most_common()),
            remarks=_remarks(standings.games.sum(axis=1), pairs, failures),
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


def _remarks(games: FloatArray, pairs: IntArray, failures: Counter[str]) -> tuple[str, ...]:
    if not failures:
        return ()
    n_failed, n_pairs = failures.total(), len(pairs)
    remarks = [f"{n_failed} of {n_pairs} games failed; estimates rest on {n_pairs - n_failed}."]
    idle = np.setdiff1d(pairs, np.flatnonzero(games))
    if idle.size:
        units = ", ".join(str(unit) for unit in idle[:6]) + (", …" if idle.size > 6 else "")
        units = f"Unit {units}" if idle.size == 1 else f"Units {units}"
        remarks.append(f"{units} finished no game and could not be ranked.")
    return tuple(remarks)


ENGINE = Refit
