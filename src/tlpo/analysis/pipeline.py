"""From a sample to its analysis: the one way, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from joblib import effective_n_jobs

from tlpo.analysis.forecast import forecast, say_forecast, say_left_out
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.markers import assess_markers, every_cutoff, summarize_markers
from tlpo.analysis.models import Model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.ordered import summarize_ordered
from tlpo.analysis.ordered_markers import (
    assess_ordered_markers,
    marker_values,
    summarize_ordered_markers,
)
from tlpo.analysis.remarks import Word
from tlpo.analysis.results import Played
from tlpo.analysis.several import summarize_several
from tlpo.analysis.shapes import (
    AnyRun,
    MarkerAnalysis,
    OrderedMarkerAnalysis,
    SurvivalMarkerAnalysis,
)
from tlpo.analysis.summarize import summarize
from tlpo.analysis.survival import times_to_report
from tlpo.analysis.survival_markers import (
    assess_survival_markers,
    summarize_survival_markers,
    survival_marker_values,
)
from tlpo.errors import InputError, UsageError, arg, enumerate_briefly, explain
from tlpo.execution.journal import Journal
from tlpo.problem.outcome import SeveralClasses, TimeToEvent
from tlpo.results.fixed import FixedScores
from tlpo.results.fixed_concordance import FixedConcordance
from tlpo.results.fixed_survival import FixedSurvival
from tlpo.tables.build_sample import Sample
from tlpo.tables.options import REST

if TYPE_CHECKING:
    import pandas as pd


def analyse(
    sample: Sample,
    models: Sequence[Model],
    options: Options,
    *,
    source: str | None = None,
    model_file: str | None = None,
    journal: Journal | None = None,
    say: Callable[[str], None] = lambda _: None,
    word: Word | None = None,
) -> tuple[AnyRun, dict[str, Played]]:
    """Say how long the models take, play them, and summarize.

    Parameters
    ----------
    sample, models, options
        The table, and what is asked of it.
    source, model_file : str, optional
        Names of the file that was read, and of the one that the model will be saved in.
    journal : Journal, optional
        Keeps every finished fit.
    say : callable, optional
        Called with what happens, in words.
    word : callable, optional
        Words what would be quicker, for a front end that offers it.

    Returns
    -------
    ModelAnalysis, SeveralAnalysis, OrderedAnalysis or SurvivalAnalysis, dict
        The analysis, and what was played by model: tournaments, or games of another outcome; none
        if the models were sorted.
    """
    require_possible(sample, options, model_file)  # before anything is played
    runs = make_runs(sample, models, options, journal)
    cores = effective_n_jobs(options.n_jobs)
    quicker = word if options.fewer is None else None
    if sample.is_several:
        quicker = None  # all games are needed
    costs = forecast(runs, options)
    for line in say_forecast(costs, cores, quicker, not sample.is_ordered):
        say(line)
    for cost in costs:
        for line in say_left_out(cost):
            say(line)
    played: dict[str, Played] = {}
    act: Callable[..., AnyRun] = summarize
    if sample.is_several:
        act = summarize_several
    elif sample.is_ordered:
        act = summarize_ordered
    found = act(
        sample,
        runs,
        options,
        source=source,
        model_file=model_file,
        say=say,
        played=played,
        left_out={cost.name: cost.left_out for cost in costs},
    )
    return found, played


def require_possible(sample: Sample, options: Options, model_file: str | None = None) -> None:
    """Refuse what the kind of outcome does not have."""
    if sample.is_ordered:
        _require_ordered(options, model_file, sample.is_survival)
    if sample.is_several:
        _require_several(sample, options, model_file)
    _require_times(sample, options.at)


def _require_ordered(options: Options, model_file: str | None, is_survival: bool) -> None:
    """Refuse what only classes have."""
    asked = None
    if model_file is not None and not is_survival:
        asked = "A saved model has cut-offs between two classes", arg("save_model", model_file)
    elif options.sorts is not None:
        asked = "Sorts give no interval of a concordance", arg("sorts", options.sorts)
    elif options.prevalence is not None:
        asked = "A prevalence applies only to two classes", arg("prevalence", options.prevalence)
    elif options.specificity != Options.specificity and not is_survival:
        asked = "A specificity applies only to two classes", arg("specificity", options.specificity)
    elif options.smooth:
        asked = "A smoothed ROC curve needs two classes", arg("smooth")
    if asked is not None:
        what, given = asked
        raise UsageError(
            explain(
                f"{what}, and the outcome is "
                f"{'a time to an event' if is_survival else 'numbers or grades'}.",
                f"You passed {given}.",
                "Leave it out."
                if is_survival
                else f"Leave it out, or cut the outcome into two classes, for example "
                f"{arg('target', 'column >= 5')}.",
            )
        )


def _require_several(sample: Sample, options: Options, model_file: str | None) -> None:
    """Refuse what only two classes have."""
    asked = {
        "A saved model has cut-offs between two classes": ("save_model", model_file),
        "Rounds give no interval for several classes": ("rounds", options.rounds),
        "Sorts rank by one response": ("sorts", options.sorts),
        "A prevalence applies only to two classes": ("prevalence", options.prevalence),
        "A smoothed ROC curve needs two classes": ("smooth", True if options.smooth else None),
    }
    outcome = sample.outcome
    assert isinstance(outcome, SeveralClasses)
    names = [str(name) for name in outcome.names]
    for what, (name, value) in asked.items():
        if value is not None:
            raise UsageError(
                explain(
                    f"{what}, and the outcome has {len(names)} classes.",
                    f"You passed {arg(name, value)}.",
                    f"Leave it out, or choose two classes, for example {arg('classes', names[:2])} "
                    f"or {arg('classes', [names[0], REST])}.",
                )
            )


def _require_times(sample: Sample, at: Sequence[float]) -> None:
    """Refuse times at which no AUC can be reported."""
    if isinstance(sample.outcome, TimeToEvent):
        times_to_report(sample.outcome, at)
    elif at:
        raise UsageError(
            explain(
                "Only a time to an event has times at which to report the AUC.",
                f"You passed {arg('at', at[0])}, but no column of times.",
                f"Name it, for example {arg('time', 'months')}.",
            )
        )


def require_two_classes(sample: Sample) -> None:
    """Refuse several classes, of which a marker cannot speak for one."""
    if isinstance(sample.outcome, SeveralClasses):
        names = [str(name) for name in sample.outcome.names]
        raise InputError(
            explain(
                "A marker tells two classes apart.",
                f"You passed {arg('target', sample.target)} with {len(names)}: "
                f"{enumerate_briefly(names)}.",
                f"Choose two, for example {arg('classes', names[:2])}, or one against the others, "
                f"for example {arg('classes', [names[0], REST])}.",
            )
        )


AnyMarkers = MarkerAnalysis | OrderedMarkerAnalysis | SurvivalMarkerAnalysis


def analyse_any_markers(
    sample: Sample, options: MarkerOptions, source: str | None = None
) -> tuple[AnyMarkers, Callable[[], pd.DataFrame]]:
    """Assess every marker, whatever the outcome.

    Returns
    -------
    MarkerAnalysis, OrderedMarkerAnalysis or SurvivalMarkerAnalysis
        The analysis.
    callable
        Returns the table that goes with it: of two classes every cut-off, else the values.
    """
    _require_times(sample, options.at)
    require_two_classes(sample)
    if sample.is_survival:
        survival, times = analyse_survival_markers(sample, options, source)
        return survival, lambda: survival_marker_values(sample, times)
    if sample.is_ordered:
        ordered, values = analyse_ordered_markers(sample, options, source)
        return ordered, lambda: marker_values(values)
    found, assessed = analyse_markers(sample, options, source)
    return found, lambda: every_cutoff(assessed, options)


def analyse_markers(
    sample: Sample, options: MarkerOptions, source: str | None = None
) -> tuple[MarkerAnalysis, dict[str, FixedScores]]:
    """Assess every marker of two classes, and summarize."""
    assessed = assess_markers(sample, options)
    return summarize_markers(sample, assessed, options, source), assessed


def analyse_ordered_markers(
    sample: Sample, options: MarkerOptions, source: str | None = None
) -> tuple[OrderedMarkerAnalysis, dict[str, FixedConcordance]]:
    """Assess every marker of numbers or grades, and summarize."""
    assessed = assess_ordered_markers(sample, options)
    return summarize_ordered_markers(sample, assessed, options, source), assessed


def analyse_survival_markers(
    sample: Sample, options: MarkerOptions, source: str | None = None
) -> tuple[SurvivalMarkerAnalysis, dict[str, FixedSurvival]]:
    """Assess every marker of times to an event, and summarize."""
    assessed = assess_survival_markers(sample, options)
    return summarize_survival_markers(sample, assessed, options, source), assessed
