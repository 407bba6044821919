"""Play the models over a sample: the analysis of ``tlpo run``."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import sklearn

import tlpo
from tlpo.analysis import shapes
from tlpo.analysis.baseline import tabulate_baseline
from tlpo.analysis.final_model import NOTHING, describe_final
from tlpo.analysis.gaps import find_gaps
from tlpo.analysis.json_values import finish
from tlpo.analysis.measures import measure, measure_sorts
from tlpo.analysis.models import ModelRun
from tlpo.analysis.options import Options
from tlpo.analysis.other_schemes import estimate_otherwise
from tlpo.analysis.probabilities import describe_probabilities
from tlpo.analysis.subgroups import tabulate
from tlpo.analysis.without import leave_out_each
from tlpo.engines.frozen import said_elsewhere
from tlpo.games.contest import Contest
from tlpo.plurals import Noun, counted, noun
from tlpo.problem.outcome import Classes
from tlpo.results.choice import choose
from tlpo.results.comparison import compare
from tlpo.results.difference import Comparison, Comparisons
from tlpo.results.quicksort import Quicksort
from tlpo.results.tournament import Tournament
from tlpo.schemes.permutation import permute
from tlpo.schemes.quicksort import play_sorts
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import Sample

OTHER_SCHEMES = ("loo", "kfold-pooled", "kfold-averaged", "harrell")
N_FOLDS, N_RESAMPLES = 10, 200


class Made(TypedDict):
    """When an analysis was made, and by what."""

    version: str
    sklearn: str
    python: str
    date: str


def made_here() -> Made:
    """Return what an analysis that is made now says about it."""
    return {
        "version": tlpo.__version__,
        "sklearn": sklearn.__version__,
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
    }


def summarize(
    sample: Sample,
    runs: Sequence[ModelRun],
    options: Options,
    *,
    source: str | None = None,
    model_file: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    played: dict[str, Tournament] | None = None,
    left_out: Mapping[str, Mapping[str, float]] | None = None,
) -> shapes.ModelAnalysis:
    """Play every model and compare them.

    Parameters
    ----------
    sample : Sample
        Whom to predict, from what.
    runs : sequence of ModelRun
        The models, at least one, and their contests; names must differ.
    options : Options
        What to report, and how to compute it.
    source : str, optional
        Where the table comes from, for the title.
    model_file : str, optional
        The file that the fitted model will be written to.
    say : callable
        Told what is being done.
    played : dict, optional
        Filled with the tournament of every model.
    left_out : mapping, optional
        By model, the schemes that take too long, and their seconds.
    """
    units = noun(options.unit or sample.unit)
    played = {} if played is None else played
    models = []
    for model, contest in runs:
        say(f"Playing {model.name} …")
        result: Tournament | Quicksort
        with said_elsewhere():
            if options.sorts is None:
                result = t = play_tournament(contest, options.rounds, options.seed)
                played[model.name] = t
            else:
                result = play_sorts(contest, options.sorts, options.seed)
        too_long = (left_out or {}).get(model.name)
        others = estimate_otherwise(contest, OTHER_SCHEMES, N_RESAMPLES, options.seed, too_long)
        measured = (
            measure(result, others, options)
            if isinstance(result, Tournament)
            else measure_sorts(result, others, options)
        )
        level = options.confidence_level
        probabilities, why = describe_probabilities(result, options)
        models.append(
            shapes.Model(
                name=model.name,
                what=model.what,
                described=model.described,
                **measured,
                subgroups=tabulate(t, sample.by, units, level) if sample.by else [],
                permutation=permute_labels(contest, units, options, say),
                final=describe_final(model, contest, list(sample.X.columns), sample.levels, level),
                probabilities=probabilities,
                why_no_probabilities=why,
            )
        )
    baseline = tabulate_baseline(
        sample.X, sample.numeric, sample.categorical, sample.labels.is_positive, sample.levels
    )
    without = leave_out_each(sample, runs, models, options)
    return complete(
        sample.labels,
        units,
        models,
        played,
        options,
        source=source,
        model_file=model_file,
        target=sample.target,
        sample=describe_sample(sample),
        baseline=baseline,
        without=without,
    )


def describe_tournament(
    name: str,
    t: Tournament,
    options: Options,
    what: str,
    described: str,
    subgroups: Sequence[shapes.Subgroup] = (),
) -> shapes.Model:
    """Return the numbers of a tournament that was played before, without features."""
    probabilities, why = describe_probabilities(t, options)
    return shapes.Model(
        name=name,
        what=what,
        described=described,
        **measure(t, None, options),
        subgroups=list(subgroups),
        permutation=None,
        final=NOTHING,
        probabilities=probabilities,
        why_no_probabilities=why,
    )


def complete(
    labels: Classes,
    units: Noun,
    models: list[shapes.Model],
    played: Mapping[str, Tournament],
    options: Options,
    *,
    source: str | None,
    model_file: str | None,
    target: str,
    sample: shapes.Flow,
    baseline: list[shapes.Baseline],
    without: shapes.WithoutEach | str | None = None,
) -> shapes.ModelAnalysis:
    """Add to the numbers of single models what they have in common."""
    comparisons, choice = compare_models(played, options.confidence_level)
    found, why_not = say_without(without, units)
    return finish(
        shapes.ModelAnalysis(
            **made_here(),
            source=source,
            model_file=model_file,
            target=target,
            sample=sample,
            baseline=baseline,
            unit=units.one,
            units=units.many,
            rounds=options.rounds,
            sorts=options.sorts,
            n_units=labels.n_units,
            n_positive=labels.n_positive,
            n_negative=labels.n_negative,
            positive=str(labels.positive),
            negative=str(labels.negative),
            seed=options.seed,
            confidence_level=options.confidence_level,
            specificity=options.specificity,
            prevalence=options.prevalence,
            is_positive=labels.is_positive.tolist(),
            models=models,
            comparisons=comparisons,
            choice=choice,
            without=found,
            why_not_without=why_not,
            smooth=options.smooth,
        )
    )


def say_without(
    found: shapes.WithoutEach | str | None, units: Noun
) -> tuple[shapes.WithoutEach | None, str | None]:
    """Return what is left without each feature, and why that is not known."""
    return (None, found.format(units=units.many)) if isinstance(found, str) else (found, None)


def compare_models(
    played: Mapping[str, Any], level: float
) -> tuple[list[shapes.Comparison], shapes.Choice | None]:
    """Compare every two models by their AUCs, and choose the best."""
    if len(played) < 2:
        return [], None
    first, second, *more = played.values()
    found = compare(first, second, *more, names=list(played), confidence_level=level)
    best = choose(first, second, *more, names=list(played), confidence_level=level)
    choice = shapes.Choice(
        best.winner, best.auc, best.low, best.high, best.uncorrected, best.optimism
    )
    return list_comparisons(found), choice


def list_comparisons(
    found: Comparison | Comparisons,
) -> list[shapes.Comparison]:
    """Return every pair that was compared."""
    if isinstance(found, Comparisons):
        rows = [pair.row(p) for pair, p in zip(found.pairs, found.adjusted, strict=True)]
    else:
        rows = [found.row()]
    known = shapes.Comparison.__struct_fields__
    return [
        shapes.Comparison(**{key: value for key, value in row.items() if key in known})
        for row in rows
    ]


def permute_labels(
    contest: Contest, units: Noun, options: Options, say: Callable[[str], None]
) -> shapes.Permutation | None:
    """Test whether a model finds any signal, if that was asked for."""
    if not options.permutations:
        return None
    say(f"Permuting the labels {counted(options.permutations, 'time')} …")
    test = permute(contest, "ordered", options.permutations, options.seed, None)
    low, high = test.p_value_interval(options.confidence_level)
    in_words = {"units": units.many, "units within groups": f"{units.many} within groups"}
    return shapes.Permutation(
        test.n_permutations,
        test.p_value,
        low,
        high,
        in_words.get(test.exchanged, test.exchanged),
        list(test.diagnostics.warnings),
    )


def describe_sample(sample: Sample) -> shapes.Flow:
    """Return what was read, and what became of it."""
    return shapes.Flow(
        is_known=True,
        read=sample.n_read,
        without_target=sample.n_without_target,
        incomplete=sample.n_incomplete,
        dropped=sample.n_dropped,
        missing_cells=sample.n_missing_cells,
        duplicates=sample.n_duplicates,
        expected_duplicates=sample.n_expected,
        chosen_by=sample.chosen_by,
        missing=sample.spec.gaps,
        numeric=list(sample.numeric),
        categorical=list(sample.categorical),
        group=sample.group,
        n_groups=None if sample.groups is None else len(set(sample.groups)),
        rows=list(sample.rows),
        unselected=sample.n_unselected,
        classes=list(sample.spec.classes),
        other_classes=sample.n_other_classes,
        left_out=dict(sample.left_out),
        suspects=suspects_of(sample),
        notes=list(sample.notes),
        gaps=find_gaps(sample.X),
    )


def suspects_of(sample: Sample) -> list[shapes.Suspect]:
    """Return the columns that may deceive."""
    return [shapes.Suspect(**found) for found in sample.suspects]


def doubtful_values(sample: Sample) -> list[shapes.Suspect]:
    """Return what concerns markers: no predictors, they need not be known before the outcome."""
    kinds = ("missing code", "decimals", "spelling", "shared")
    return [suspect for suspect in suspects_of(sample) if suspect.kind in kinds]
