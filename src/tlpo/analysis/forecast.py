"""Say beforehand how long models that are refitted for every pair take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from joblib import effective_n_jobs

from tlpo.analysis.models import ModelRun, describe_error
from tlpo.analysis.options import Options
from tlpo.analysis.remarks import Rounds, Sorts, Word
from tlpo.analysis.summarize import N_FOLDS, N_RESAMPLES
from tlpo.blas import one_blas_thread
from tlpo.errors import InputError, explain
from tlpo.execution.fits import Fitter
from tlpo.execution.journal import JournalView
from tlpo.games.contest import Contest
from tlpo.plurals import counted
from tlpo.results.summary import in_words

AN_HOUR = 3600.0
# A run that takes longer is offered ways to play fewer games.
LONG = 60.0
ROUNDS, SORTS = 20, 5
# How often a game is timed, at most, and for how long.
TRIALS, MOST_SECONDS = 5, 2.0


@dataclass(frozen=True)
class Cost:
    """Number of fits of one model, and how long they take on one core.

    Attributes
    ----------
    name : str
        The model.
    fits : int
        As many as are left to be done.
    seconds : float
        How long they take.
    fits_of_rounds, fits_of_sorts : int
        How many there would be with `ROUNDS` rounds or `SORTS` sorts.
    n_done : int
        How many a journal has.
    why : str or None
        Why it is refitted.
    added_error : float
        The standard error that `ROUNDS` rounds add to the AUC or concordance, at most.
    """

    name: str
    fits: int
    seconds: float
    fits_of_rounds: int
    fits_of_sorts: int
    n_done: int = 0
    why: str | None = None
    added_error: float = 0.0


def forecast(runs: Sequence[ModelRun], options: Options) -> list[Cost]:
    """Measure what each model costs that is refitted for every pair; the others take seconds."""
    found = []
    for model, contest in runs:
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
            others = m + N_FOLDS + N_RESAMPLES
            journal = contest.options.journal
            n_done = journal.n_done if isinstance(journal, JournalView) else 0
            fits = count_games(contest, options) + others - n_done
            if fits <= 0:
                continue
            rounds = m * min(ROUNDS, m - 1) // 2 + others
            sorts = round(games_of_sorts(m, SORTS)) + others
            cost = Cost(model.name, fits, fits * seconds, rounds, sorts, n_done)
            found.append(
                replace(cost, why=contest.why_refitted, added_error=_error_of_rounds(contest))
            )
    return found


def _error_of_rounds(contest: Contest) -> float:
    """Return the largest standard error of a mean over the ordered games of `ROUNDS` rounds."""
    m = contest.problem.n_units
    share = min(1.0, ROUNDS / (m - 1))
    return float(0.5 * np.sqrt((1.0 - share) / max(1.0, share * contest.outcome.n_ordered)))


def count_games(contest: Contest, options: Options) -> int:
    """Return the games that will be played, those of permutations included."""
    m = contest.problem.n_units
    if options.sorts is not None:
        return round(games_of_sorts(m, options.sorts))
    if options.rounds is not None:
        return m * min(options.rounds, m - 1) // 2
    games = m * (m - 1) // 2
    if options.permutations:
        games += (1 + options.permutations) * contest.outcome.n_ordered
    return games


def games_of_sorts(n_units: int, n_sorts: int) -> float:
    """Return how many different games some sorts are expected to play.

    Units d places apart meet in a sort if one of them is the first pivot among the d + 1 units
    from one to the other: with probability 2/(d + 1).

    Examples
    --------
    >>> round(games_of_sorts(100, 1)), round(games_of_sorts(100, 5))
    (648, 1891)
    """
    d = np.arange(1, n_units)
    return float(((n_units - d) * (1.0 - (1.0 - 2.0 / (d + 1)) ** n_sorts)).sum())


def _seconds_per_fit(estimator: object, contest: Contest) -> float | None:
    """Time what a game takes; None if it fails, which is reported when games are played."""
    fitter = Fitter(estimator, contest.problem)
    everyone, two = np.arange(contest.problem.n_units), np.arange(2)
    times: list[float] = []
    while len(times) < TRIALS and sum(times) < MOST_SECONDS:
        # Several workers leave a fit one thread.
        with nullcontext() if effective_n_jobs(contest.options.n_jobs) == 1 else one_blas_thread():
            started = time.perf_counter()
            try:
                fitter.ask(everyone, two)
            except Exception:  # the estimator may raise anything
                return None
            times.append(time.perf_counter() - started)
    return median(times)


def say_forecast(
    costs: Sequence[Cost], cores: int, word: Word | None = None, can_sort: bool = True
) -> list[str]:
    """Put the forecast into words, with advice if it is long.

    Parameters
    ----------
    costs : sequence of Cost
        What each model costs.
    cores : int
        How many fits run at once.
    word : callable, optional
        Words what would be quicker; None if there is nothing to offer.
    can_sort : bool
        Whether sorts answer the question as well.
    """
    if not costs:
        return []
    fits = sum(cost.fits for cost in costs)
    seconds = sum(cost.seconds for cost in costs) / cores
    names = ", ".join(cost.name for cost in costs)
    n_done = sum(cost.n_done for cost in costs)
    done = f" left ({n_done} are in the journal)" if n_done else ""
    lines = [f"{names}: {counted(fits, 'fit')}{done}, about {in_words(max(seconds, 1.0))}."]
    if seconds > LONG:
        lines += list(dict.fromkeys(f"{c.name}: {c.why}" for c in costs if c.why is not None))
    if seconds > LONG and word is not None and not n_done:
        by_rounds, by_sorts = (
            sum(cost.seconds * n / cost.fits for cost, n in zip(costs, parts, strict=True)) / cores
            for parts in (
                [cost.fits_of_rounds for cost in costs],
                [cost.fits_of_sorts for cost in costs],
            )
        )
        added = max(cost.added_error for cost in costs)
        quicker = (
            f"Quicker: {word(Rounds(ROUNDS))} (every unit meets {ROUNDS} others; that adds a "
            f"standard error of at most {added:.3f}, and the interval accounts for it), about "
            f"{in_words(max(by_rounds, 1.0))}"
        )
        if can_sort:
            quicker += (
                f", or {word(Sorts(SORTS))} (a ranking and its AUC, no interval), about "
                f"{in_words(max(by_sorts, 1.0))}"
            )
        lines.append(f"{quicker}.")
    if seconds > AN_HOUR:
        slowest = max(costs, key=lambda cost: cost.seconds).name
        lines.append(
            f"Most of that is {slowest!r}. With a journal an interrupted run can resume, and "
            "shards divide the work among machines."
        )
    return lines
