"""Play the models over a sample; the result is one plain dict, all that any renderer needs.

The dict follows ``schema.json``; ``plain.py`` says how undefined and infinite numbers are written.
It names columns and labels, and summarizes each column by outcome, but holds no features and no
identifiers of single patients, nor the name of a level that few patients have (``levels.py``): it
can be mailed around.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sklearn

import tlpo
from tlpo.analysis.baseline import tabulate_baseline
from tlpo.analysis.final_model import describe_final
from tlpo.analysis.json_values import SCHEMA, Summary, plain
from tlpo.analysis.measures import measure, measure_sorts
from tlpo.analysis.models import Entrant
from tlpo.analysis.narrative import add_words
from tlpo.analysis.options import Options
from tlpo.analysis.plan import plan_sample
from tlpo.analysis.probabilities import describe_probabilities
from tlpo.analysis.subgroups import tabulate
from tlpo.engines.frozen import said_elsewhere
from tlpo.games.contest import Contest
from tlpo.plurals import Noun, counted, noun
from tlpo.problem.labels import Labels
from tlpo.results.choice import Choice, choose
from tlpo.results.comparison import Comparison, Comparisons, compare
from tlpo.results.quicksort import Quicksort
from tlpo.results.tournament import Tournament
from tlpo.schemes.evaluate import evaluate_contest
from tlpo.schemes.permutation import permute
from tlpo.schemes.quicksort import play_sorts
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import Sample

OTHER_SCHEMES = ("loo", "kfold-pooled", "kfold-averaged", "harrell")
N_FOLDS, N_RESAMPLES = 10, 200


def summarize(
    sample: Sample,
    entrants: Sequence[Entrant],
    options: Options,
    *,
    source: str | None = None,
    model_file: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    played: dict[str, Tournament] | None = None,
) -> Summary:
    """Play every model, compare them, and summarize.

    Parameters
    ----------
    sample : Sample
        Whom to predict, from what.
    entrants : sequence of Entrant
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
    """
    units = noun(options.unit or sample.unit)
    played = {} if played is None else played
    parts = []
    for model, contest in entrants:
        say(f"Playing {model.name} …")
        result: Tournament | Quicksort
        with said_elsewhere():
            if options.sorts is None:
                result = t = play_tournament(contest, options.rounds, options.seed)
                played[model.name] = t
            else:
                result = play_sorts(contest, options.sorts, options.seed)
        others = evaluate_contest(
            contest, OTHER_SCHEMES, n_resamples=N_RESAMPLES, random_state=options.seed
        )
        measured = (
            measure(result, others, options)
            if isinstance(result, Tournament)
            else measure_sorts(result, others, options)
        )
        names, points = list(sample.X.columns), measured["operating_points"]
        parts.append(
            {
                "name": model.name,
                "what": model.what,
                "described": model.described,
                **measured,
                "subgroups": []
                if not sample.by
                else tabulate(t, sample.by, units, options.confidence_level),
                "permutation": _permute(contest, units, options, say),
                "final": describe_final(model, contest, names, sample.levels, points),
                **describe_probabilities(result, options),
            }
        )
    table = {
        "source": source,
        "model_file": model_file,
        "target": sample.question.target,
        "sample": describe_sample(sample),
        "baseline": tabulate_baseline(
            sample.X, sample.numeric, sample.categorical, sample.labels.is_positive, sample.levels
        ),
    }
    return complete(sample.labels, units, parts, played, options, table)


def complete(
    labels: Labels,
    units: Noun,
    parts: list[dict[str, Any]],
    played: Mapping[str, Tournament],
    options: Options,
    table: dict[str, Any],
) -> Summary:
    """Add to the numbers of single models what they have in common, and the words.

    ``table`` has what is known about the table: source, model file, target, sample, baseline.
    """
    pairs, choice = None, None
    if len(played) > 1:
        first, second, *more = played.values()
        level = options.confidence_level
        pairs = compare(first, second, *more, names=list(played), confidence_level=level)
        choice = choose(first, second, *more, names=list(played), confidence_level=level)
    summary: Summary = plain(
        {
            "schema": SCHEMA,
            "version": tlpo.__version__,
            "sklearn": sklearn.__version__,
            "python": platform.python_version(),
            "date": time.strftime("%Y-%m-%d"),
            **table,
            "unit": units.one,
            "units": units.many,
            "rounds": options.rounds,
            "sorts": options.sorts,
            "n_units": labels.n_units,
            "n_positive": labels.n_positive,
            "n_negative": labels.n_negative,
            "positive": str(labels.positive),
            "negative": str(labels.negative),
            "seed": options.seed,
            "confidence_level": options.confidence_level,
            "specificity": options.specificity,
            "prevalence": options.prevalence,
            "is_positive": labels.is_positive,
            "planning": plan_sample(
                labels.n_units, labels.n_positive / labels.n_units, options.confidence_level
            ),
            "models": parts,
            "comparisons": [] if pairs is None else _rows(pairs),
            "choice": None if choice is None else _chosen(choice),
        }
    )
    return add_words(summary)


def _permute(
    contest: Contest, units: Noun, options: Options, say: Callable[[str], None]
) -> dict[str, Any] | None:
    """Test whether a model finds any signal, if that was asked for."""
    if not options.permutations:
        return None
    say(f"Permuting the labels {counted(options.permutations, 'time')} …")
    test = permute(contest, "opposite", options.permutations, options.seed, None)
    low, high = test.p_value_interval(options.confidence_level)
    return {
        "n": test.n_permutations,
        "p_value": test.p_value,
        "low": low,
        "high": high,
        "exchanged": test.exchanged.replace("units", units.many),
        "notes": test.diagnostics.warnings,
    }


def describe_sample(sample: Sample) -> dict[str, Any]:
    """Return what was read, and what became of it."""
    return {
        "is_known": True,
        "read": sample.n_read,
        "without_target": sample.n_without_target,
        "incomplete": sample.n_incomplete,
        "dropped": sample.n_dropped,
        "missing_cells": sample.n_missing_cells,
        "duplicates": sample.n_duplicates,
        "chosen_by": sample.chosen_by,
        "missing": sample.question.missing,
        "numeric": sample.numeric,
        "categorical": sample.categorical,
        "group": sample.question.group,
        "n_groups": None if sample.groups is None else len(set(sample.groups)),
        "rows": sample.rows,
        "unselected": sample.n_unselected,
        "classes": list(sample.question.classes),
        "other_classes": sample.n_other_classes,
        "left_out": sample.left_out,
        "suspects": sample.suspects,
        "notes": sample.notes,
    }


def _chosen(choice: Choice) -> dict[str, Any]:
    return {
        "winner": choice.winner,
        "auc": choice.auc,
        "low": choice.low,
        "high": choice.high,
        "uncorrected": choice.uncorrected,
        "optimism": choice.optimism,
    }


def _rows(result: Comparison | Comparisons) -> list[dict[str, Any]]:
    if isinstance(result, Comparison):
        return [result.row()]
    return [pair.row(p) for pair, p in zip(result.pairs, result.adjusted, strict=True)]
