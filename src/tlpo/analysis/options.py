"""What may be asked of an analysis; every option is checked here, before any data is read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from tlpo.checks import require_count, require_jobs, require_level, require_share, require_time
from tlpo.errors import UsageError, arg, as_usage, explain
from tlpo.plurals import noun


@dataclass(frozen=True)
class Options:
    """What to report, and how to compute it.

    Attributes
    ----------
    specificity : float
        The specificity at which to report the sensitivity.
    confidence_level : float
        Confidence level of all intervals.
    prevalence : float or None
        Prevalence where the test will be used, for predictive values; the sample's by default.
    seed : int
        Seed of folds, resamples, permutations, rounds and sorts; a whole tournament has no
        randomness.
    unit : str or None
        What a row stands for, such as "lesions"; patients by default.
    permutations : int
        Permutations of a test whether each model finds any signal; 0 for no test.
    at : tuple of float
        Times to an event: those at which to report the AUC; by default that of half the events.
    smooth : bool
        Whether to draw smooth ROC curves with the others, as `Ranking.smooth_curve`.
    rounds : int or None
        Opponents of every unit, instead of all others; at least 10.
    sorts : int or None
        Sorts to play instead of a tournament.
    n_jobs : int or None
        Number of processes, as in scikit-learn.
    progress : bool
        Whether to show a progress bar.
    """

    specificity: float = 0.9
    confidence_level: float = 0.95
    prevalence: float | None = None
    seed: int = 0
    unit: str | None = None
    permutations: int = 0
    rounds: int | None = None
    sorts: int | None = None
    n_jobs: int | None = None
    progress: bool = False
    at: tuple[float, ...] = ()
    smooth: bool = False

    def __post_init__(self) -> None:
        with as_usage():
            require_share("specificity", self.specificity)
            require_level("confidence_level", self.confidence_level)
            require_count("seed", self.seed, 0)
            require_jobs(self.n_jobs)
            if self.prevalence is not None:
                require_level("prevalence", self.prevalence)
            require_count("permutations", self.permutations, 0)
            if self.rounds is not None:
                from tlpo.results.intervals import LEAST_OPPONENTS

                require_count("rounds", self.rounds, LEAST_OPPONENTS)
            if self.sorts is not None:
                require_count("sorts", self.sorts, 1)
            if self.unit is not None:
                noun(self.unit)
            for time in self.at:
                require_time("at", time)
        if self.fewer is not None and self.permutations:
            raise UsageError(
                explain(
                    "A permutation test plays all games, many times.",
                    f"You passed {arg('permutations', self.permutations)} and {self.fewer}.",
                    "Leave out one of the two.",
                )
            )
        if self.rounds is not None and self.sorts is not None:
            raise UsageError(
                explain(
                    "Rounds and sorts are two ways to play fewer games.",
                    f"You passed {arg('rounds', self.rounds)} and {arg('sorts', self.sorts)}.",
                    f"Use {arg('rounds', 20)} for an AUC with an interval, or "
                    f"{arg('sorts', 5)} for "
                    "a ranking.",
                )
            )

    @property
    def fewer(self) -> str | None:
        """What makes a run play only some of the games, as an argument."""
        if self.rounds is not None:
            return arg("rounds", self.rounds)
        return None if self.sorts is None else arg("sorts", self.sorts)


@dataclass(frozen=True)
class OutputFiles:
    """Files to write; None means do not write.

    Attributes
    ----------
    html : Path or None
        The report: the ending says whether as a page, PDF or Word file.
    json, md, csv : Path or None
        The analysis, the report as Markdown, and a table of the patients.
    figures : Path or None
        Folder for the figures.
    save_model : Path or None
        The model, fitted on all patients.
    """

    html: Path | None = None
    json: Path | None = None
    md: Path | None = None
    csv: Path | None = None
    figures: Path | None = None
    save_model: Path | None = None

    def paths(self) -> dict[str, Path]:
        """Return the paths that were asked for, by argument."""
        found = {place.name: getattr(self, place.name) for place in fields(self)}
        return {name: Path(path) for name, path in found.items() if path is not None}
