"""The engine for logistic regression behind steps without a closed form, such as PCA.

The steps are fitted to every training set, which takes a small part of the time of a fit; lbfgs is
followed on what they return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers
from tlpo.engines.doubts import settle_rows
from tlpo.engines.fitted_steps import FittedSteps
from tlpo.engines.linear import OnRows
from tlpo.engines.logistic.objective import ESTIMATORS, objective_of
from tlpo.engines.logistic.path import LogisticPath
from tlpo.engines.preparation.prepared import Prepared, unprepared
from tlpo.engines.preparation.stage import numbers
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.schedule import Schedule

# Games that take as long as one fit of the pipeline, at least.
GAMES_A_FIT = 2.0


class LogisticBehind(OnRows):
    """Logistic regression by lbfgs behind steps that are fitted to every training set."""

    name = "logistic-steps"
    estimators = ESTIMATORS
    fits_steps = True

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective = objective
        self._steps = FittedSteps(prepared, _dense)
        everyone = np.arange(self.problem.n_units)
        found = self._steps.matrices(Fit(everyone, everyone[:1]), WarningLog())
        if found is None or not np.isfinite(found[0]).all():
            raise EngineError(
                "What reaches LogisticRegression is not a matrix of finite numbers in double "
                "precision."
            )
        bare = unprepared(prepared.model, replace(self.problem, X=found[0]))
        why = LogisticPath.why_not(bare)
        if why is not None:
            raise EngineError(why)
        LogisticPath(bare).require_path()

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether steps have to be fitted."""
        return prepared.is_unknown and super().accepts(prepared)

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Fit the steps without each set, and follow the solver behind them."""
        everyone = np.arange(self.problem.n_units)
        fits = [Fit(np.setdiff1d(everyone, units), units) for units in sets]
        found = self._steps.in_threads(self._follow_all, fits, execution.n_jobs)
        return Answers(*(np.array(part) for part in zip(*found, strict=True)))

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Fit the steps to units that may be drawn repeatedly."""
        found = self._steps.in_threads(self._follow_all, fits, None)
        level = self.problem.labels.level
        # Each unit is a row of its own: units that only the steps make equal are fitted.
        return [
            settle_rows(np.arange(float(fit.test.size))[:, None], *answers, level[fit.test])
            for fit, answers in zip(fits, found, strict=True)
        ]

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Return the responses for a held-out pair."""
        found = super().answer_pair(pair, execution)
        self._steps.forget()  # nobody has seen these warnings
        return found

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:  # noqa: ARG002
        """Return about how many fits games are worth; nothing is played."""
        return 1.0 + len(schedule.games(self.problem.outcome)) / GAMES_A_FIT

    def _follow_all(self, fits: Sequence[Fit], log: WarningLog) -> list[Answers]:
        return [self._follow(fit, log) for fit in fits]

    def _follow(self, fit: Fit, log: WarningLog) -> Answers:
        """Fit the steps and follow the solver; errors are infinite where a fit must tell."""
        from tlpo.engines.logistic import lbfgs

        train, test = fit
        answers = Answers(np.zeros(test.size), np.full(test.size, np.inf))
        found = self._steps.matrices(fit, log)
        if found is None or not all(np.isfinite(rows).all() for rows in found):
            return answers
        n = found[0].shape[1]
        X = np.ones((train.size + test.size, n + self.objective.intercept))
        X[:, :n] = np.concatenate(found)
        alpha = np.full(X.shape[1], self.objective.alpha)
        alpha[n:] = 0.0
        target, weight = np.zeros(len(X)), np.zeros(len(X))
        target[: train.size] = self._target[train]
        weight[: train.size] = self._weights_of(train)
        tests = np.arange(train.size, len(X))
        start = np.zeros(alpha.size), np.zeros(alpha.size)
        limits = self.objective.tol, self.objective.max_iter
        lbfgs.respond(X, target, weight, alpha, lbfgs.TREMOR, *limits, tests, *start, *answers)
        return answers

    def _weights_of(self, units: IntArray) -> FloatArray:
        """Return the weight of each of some units, which may be drawn repeatedly."""
        times = np.bincount(units, minlength=self.problem.n_units)
        return self._drawn_weight(units)[units] / times[units]


def _dense(rows: Any) -> FloatArray:
    """Return rows as a matrix; the solver takes the same steps on sparse ones, but for rounding."""
    return numbers(rows.toarray() if hasattr(rows, "toarray") else rows)


ENGINE: type[Engine] = LogisticBehind
