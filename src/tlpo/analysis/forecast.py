"""Say beforehand how long models take, and leave out what takes too long."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np
from joblib import effective_n_jobs

from tlpo.analysis.models import ModelRun, describe_error
from tlpo.analysis.options import Options
from tlpo.analysis.remarks import Rounds, Sorts, Word
from tlpo.analysis.summarize import N_FOLDS, N_RESAMPLES
from tlpo.analysis.timing import time_pieces
from tlpo.blas import one_blas_thread
from tlpo.errors import EngineError, InputError, explain
from tlpo.execution.fits import Fitter
from tlpo.execution.journal import JournalView
from tlpo.games.contest import Contest
from tlpo.plurals import counted
from tlpo.results.summary import in_words

AN_HOUR = 3600.0
# A run that takes longer is offered ways to play fewer games.
LONG = 60.0
ROUNDS, SORTS = 20, 5
# Another scheme that takes longer is left out, unless the games take as long.
TOO_LONG = 600.0
OTHERS = {"loo": "leave-one-out", "kfold-averaged": "K-fold", "harrell": "the bootstrap"}
# A model that is not refitted is announced if it takes longer, and why another one is.
WORTH_SAYING = 10.0
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
    is_refitted : bool
        Whether it is refitted for every pair. If not, fits are games, and seconds are those that
        threads take together.
    schemes : dict of str to float
        Of a model that is not refitted, the seconds of every other scheme.
    """

    name: str
    fits: int
    seconds: float
    fits_of_rounds: int
    fits_of_sorts: int
    n_done: int = 0
    why: str | None = None
    added_error: float = 0.0
    is_refitted: bool = True
    schemes: Mapping[str, float] = field(default_factory=dict)

    def lasts(self, cores: int, fits: int | None = None) -> float:
        """Return how long it takes on so many cores, with other numbers of fits as well."""
        share = 1.0 if fits is None else fits / self.fits
        if self.is_refitted:
            return self.seconds * share / cores
        others = sum(self.schemes.values())
        return (self.seconds - others) * share + others - sum(self.left_out.values())

    @property
    def left_out(self) -> dict[str, float]:
        """The schemes that take too long, and their seconds.

        They are there for comparison, so they may take minutes, or as long as the games.
        """
        games = self.seconds - sum(self.schemes.values())
        return {name: s for name, s in self.schemes.items() if s > max(TOO_LONG, games)}


def forecast(runs: Sequence[ModelRun], options: Options) -> list[Cost]:
    """Measure what each model costs, except those that are quick."""
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
            try:
                cost = _cost_of_engine(model.name, contest, options)
                found += [] if cost is None else [cost]
                continue
            except EngineError:  # then it is refitted
                pass
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


def _cost_of_engine(name: str, contest: Contest, options: Options) -> Cost | None:
    """Measure what a model costs that is not refitted; None if it is quick."""
    m, n_games = contest.problem.n_units, count_games(contest, options)
    is_whole = options.sorts is None and options.rounds is None
    pieces = time_pieces(contest, n_games, N_FOLDS, N_RESAMPLES, is_whole)
    if pieces is None:
        return None
    rounds = sorts = n_games  # fewer games would not be quicker
    if contest.plays_each:
        rounds, sorts = m * min(ROUNDS, m - 1) // 2, round(games_of_sorts(m, SORTS))
    return Cost(
        name,
        n_games,
        sum(pieces),
        min(rounds, n_games),
        min(sorts, n_games),
        added_error=_error_of_rounds(contest),
        is_refitted=False,
        schemes={
            "loo": pieces.loo,
            "kfold-averaged": pieces.folds,
            "harrell": pieces.resamples,
        },
    )


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
    lines = []
    refitted = [cost for cost in costs if cost.is_refitted]
    n_done = sum(cost.n_done for cost in refitted)
    if refitted:
        fits = sum(cost.fits for cost in refitted)
        done = f" left ({n_done} are in the journal)" if n_done else ""
        lines.append(
            f"{_names(refitted)}: {counted(fits, 'fit')}{done}, {_about(refitted, cores)}."
        )
    engines = [cost for cost in costs if not cost.is_refitted]
    engines = [cost for cost in engines if cost.lasts(cores) > WORTH_SAYING]
    if engines:
        lines.append(f"{_names(engines)}: {_about(engines, cores)}, without refitting.")
    costs = refitted + engines
    seconds = sum(cost.lasts(cores) for cost in costs)
    lines += [
        f"{cost.name}: {cost.why} Refitting takes {_about([cost], cores)}; change what is named, "
        "or choose another model."
        for cost in refitted
        if cost.why is not None and cost.lasts(cores) > WORTH_SAYING
    ]
    by_rounds = sum(cost.lasts(cores, cost.fits_of_rounds) for cost in costs)
    by_sorts = sum(cost.lasts(cores, cost.fits_of_sorts) for cost in costs)
    if seconds > LONG and by_rounds < seconds and word is not None and not n_done:
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
        slowest = max(costs, key=lambda cost: cost.lasts(cores))
        kept = (
            "With a journal an interrupted run can resume, and shards divide the work among "
            "machines."
        )
        lines.append(
            f"Most of that is {slowest.name!r}. {kept if slowest.is_refitted else ''}".strip()
        )
    return lines


def _names(costs: Sequence[Cost]) -> str:
    return ", ".join(cost.name for cost in costs)


def _about(costs: Sequence[Cost], cores: int) -> str:
    return f"about {in_words(max(sum(cost.lasts(cores) for cost in costs), 1.0))}"


def say_left_out(cost: Cost) -> list[str]:
    """Say which schemes are left out, and why."""
    return [
        f"{cost.name}: {OTHERS[name]} is left out; it would take about {in_words(seconds)}."
        for name, seconds in cost.left_out.items()
    ]
