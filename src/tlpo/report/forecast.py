"""Say beforehand how long models that are refitted for every pair take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tlpo.contest import Contest
from tlpo.errors import InputError, explain
from tlpo.execution.fits import Fitter
from tlpo.report.models import Entrant, describe_error
from tlpo.report.summarize import N_FOLDS, N_RESAMPLES
from tlpo.results.summary import in_words

AN_HOUR = 3600.0
# How often a game is timed, at most, and for how long.
TRIALS, MOST_SECONDS = 5, 2.0


@dataclass(frozen=True)
class Cost:
    """Number of fits of one model, and how long they take on one core."""

    name: str
    fits: int
    seconds: float


def forecast(entrants: Sequence[Entrant]) -> list[Cost]:
    """Measure what each model costs that is refitted for every pair; the others take seconds."""
    found = []
    for model, contest in entrants:
        m = contest.problem.n_units
        try:
            # The first fit also imports, so it is not timed.
            Fitter(model.estimator, contest.problem).fit(np.arange(m))
        # The estimator may be the user's, and raise anything or end the process.
        except (Exception, SystemExit) as error:
            raise InputError(
                explain(
                    f"The model {model.name!r} cannot be fitted to the table.",
                    describe_error(error),
                    "Check its parameters, or leave out the columns it cannot use.",
                )
            ) from error
        if contest.has_exact_engine:
            continue
        seconds = _seconds_per_fit(model.estimator, contest)
        if seconds is not None:
            fits = m * (m - 1) // 2 + m + N_FOLDS + N_RESAMPLES
            found.append(Cost(model.name, fits, fits * seconds))
    return found


def _seconds_per_fit(estimator: object, contest: Contest) -> float | None:
    """Time what a game takes; None if it fails, which is reported when games are played."""
    fitter = Fitter(estimator, contest.problem)
    everyone, two = np.arange(contest.problem.n_units), np.arange(2)
    times: list[float] = []
    while len(times) < TRIALS and sum(times) < MOST_SECONDS:
        started = time.perf_counter()
        try:
            fitter.ask(everyone, two)
        except Exception:  # the estimator may raise anything
            return None
        times.append(time.perf_counter() - started)
    return median(times)


def say_forecast(costs: Sequence[Cost], cores: int) -> list[str]:
    """Put the forecast into words, with advice if it is long."""
    if not costs:
        return []
    fits = sum(cost.fits for cost in costs)
    seconds = sum(cost.seconds for cost in costs) / cores
    names = ", ".join(cost.name for cost in costs)
    lines = [f"{names}: {fits} fits, about {in_words(max(seconds, 1.0))}."]
    if seconds > AN_HOUR:
        slowest = max(costs, key=lambda cost: cost.seconds).name
        lines.append(
            f"Most of that is {slowest!r}. With a journal an interrupted run can resume, shards "
            "divide the work among machines, and tlpo.quicksort ranks with far fewer fits."
        )
    return lines
