"""The analysis of results that were played before, without features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from tlpo.analysis.options import Options
from tlpo.analysis.ordered import complete_ordered, describe_concordance, tabulate_ordered
from tlpo.analysis.several import complete_several, describe_multiclass
from tlpo.analysis.shapes import AnyRun, Flow
from tlpo.analysis.subgroups import tabulate
from tlpo.analysis.summarize import complete, describe_tournament
from tlpo.errors import UsageError, arg, explain
from tlpo.plurals import noun
from tlpo.results.multiclass import Multiclass
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.tournament import Tournament
from tlpo.schemes.elsewhere import NOT_CHECKED

Played: TypeAlias = Tournament | OrderedGames | Multiclass


def describe_results(
    played: Mapping[str, Any],
    options: Options,
    sample: Flow,
    *,
    target: str,
    unit: str,
    source: str | None = None,
    time_column: str = "time",
    by: dict[str, list[str | None]] | None = None,
) -> AnyRun:
    """Summarize results of one kind, over the same units.

    Parameters
    ----------
    played : mapping of str to Tournament, Multiclass, Concordance or Survival
        The results, by the name of the model.
    options : Options
        What to report.
    sample : Flow
        What is known about the units.
    target, unit : str
        What the outcome is called, and what a row is.
    source : str, optional
        Where the outcome was read from.
    time_column : str
        What the time to an event is called.
    by : dict, optional
        Subgroup of every unit, by column.
    """
    units, by, level = noun(unit), by or {}, options.confidence_level
    played = {name: _without(NOT_CHECKED, result) for name, result in played.items()}
    first = next(iter(played.values()))
    if options.smooth and not isinstance(first, Tournament):
        raise UsageError(
            explain(
                "A smoothed ROC curve needs two classes.",
                f"You passed {arg('smooth', True)} and a result of {type(first).__name__}.",
                "Leave it out.",
            )
        )
    if isinstance(first, Multiclass):
        classes = [
            describe_multiclass(
                name,
                k,
                options,
                what=k.estimator_name,
                described=k.estimator_name,
                by=by,
                units=units,
            )
            for name, k in played.items()
        ]
        return complete_several(
            first.outcome,
            units,
            classes,
            played,
            options,
            source=source,
            target=target,
            sample=sample,
        )
    if isinstance(first, OrderedGames):
        outcome: Any = first.outcome
        return complete_ordered(
            outcome,
            units,
            [
                describe_concordance(name, c, options, tabulate_ordered(c, by, units, level))
                for name, c in played.items()
            ],
            played,
            options,
            source=source,
            target=target,
            sample=sample,
            parts=[],
            baseline=[],
            time_column=time_column,
        )
    models = [
        describe_tournament(
            name, t, options, t.estimator_name, t.estimator_name, tabulate(t, by, units, level)
        )
        for name, t in played.items()
    ]
    return complete(
        first.labels,
        units,
        models,
        played,
        options,
        source=source,
        model_file=None,
        target=target,
        sample=sample,
        baseline=[],
    )


def _without(remark: str, result: Played) -> Played:
    """Take away a remark that `caveats` makes of its own."""
    said = tuple(text for text in result.diagnostics.warnings if text != remark)
    return replace(result, diagnostics=replace(result.diagnostics, warnings=said))


def opponents_of(result: Played) -> int | None:
    """Return how many others every unit met; None for all."""
    if isinstance(result, Multiclass):
        return None
    if isinstance(result, OrderedGames):
        return result.opponents
    return None if result.rounds is None else result.rounds.opponents
