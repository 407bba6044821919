"""Say beforehand how many fits a report takes, and about how long."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from tlpo.errors import InputError, explain
from tlpo.execution.fits import Fitter
from tlpo.report.models import Entrant, describe_error
from tlpo.report.summarize import N_FOLDS, N_RESAMPLES
from tlpo.results.summary import in_words
from tlpo.schedule import Schedule

AN_HOUR = 3600.0


@dataclass(frozen=True)
class Cost:
    """Number of fits of one model, and how long they take on one core."""

    name: str
    fits: int
    seconds: float


def forecast(entrants: Sequence[Entrant]) -> list[Cost]:
    """Estimate what each model costs from one fit of it."""
    found = []
    for model, contest in entrants:
        m = contest.problem.n_units
        try:
            fitter = Fitter(model.estimator, contest.problem)
            fitter.fit(np.arange(m))  # the first fit also imports; time the second
            started = time.perf_counter()
            fitter.fit(np.arange(m))
            seconds = time.perf_counter() - started
        # The estimator may be the user's, and raise anything or end the process.
        except (Exception, SystemExit) as error:
            raise InputError(
                explain(
                    f"The model {model.name!r} cannot be fitted to the table.",
                    describe_error(error),
                    "Check its parameters, or leave out the columns it cannot use.",
                )
            ) from error
        exact = contest.exact_engine(Schedule())
        games = m * (m - 1) // 2 if exact is None else ceil(exact.fits)
        fits = games + m + N_FOLDS + N_RESAMPLES
        found.append(Cost(model.name, fits, fits * seconds))
    return found


def say_forecast(costs: Sequence[Cost], cores: int) -> list[str]:
    """Put the forecast into words, with advice if it is long."""
    fits = sum(cost.fits for cost in costs)
    seconds = sum(cost.seconds for cost in costs) / cores
    lines = [f"{fits} fits, about {in_words(max(seconds, 1.0))}."]
    if seconds > AN_HOUR:
        slowest = max(costs, key=lambda cost: cost.seconds).name
        lines.append(
            f"Most of that is {slowest!r}. With a journal an interrupted run can resume, shards "
            "divide the work among machines, and tlpo.quicksort ranks with far fewer fits; 'rls' "
            "and 'lda' on numeric features need hardly any."
        )
    return lines
