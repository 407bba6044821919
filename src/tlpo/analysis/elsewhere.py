"""The analysis of games that were played elsewhere: the outcome is in a table, games in files."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
import numpy as np

from tlpo.analysis.options import Options
from tlpo.analysis.pipeline import require_possible
from tlpo.analysis.results import describe_results, opponents_of
from tlpo.analysis.shapes import AnyRun
from tlpo.analysis.summarize import describe_sample
from tlpo.errors import InputError, explain
from tlpo.plurals import counted
from tlpo.problem.outcome import Classes
from tlpo.results.intervals import LEAST_OPPONENTS
from tlpo.results.multiclass import Multiclass
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.tournament import Tournament
from tlpo.schemes.elsewhere import Result, Scale, from_predictions, pairs
from tlpo.tables.build_sample import Sample

if TYPE_CHECKING:
    import pandas as pd


class Asked(TypedDict):
    """What the functions for games are told about the outcome."""

    y: Any
    positive: object | None
    order: bool | None


def draw_games(
    sample: Sample, names: list[str], rounds: int | None, seed: int, *, train: bool = False
) -> pd.DataFrame:
    """List the games of a sample; rows are called by their names."""
    return pairs(
        **_outcome_of(sample),
        groups=sample.groups,
        rounds=rounds,
        random_state=seed,
        ids=names,
        train=train,
    )


def score_games(
    sample: Sample, games: Mapping[str, pd.DataFrame], names: list[str], scale: Scale
) -> dict[str, Result]:
    """Return the result of every model's games."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # results hold what they say
        found = {
            name: from_predictions(
                table,
                **_outcome_of(sample),
                groups=sample.groups,
                ids=names,
                scale=scale,
                name="a model from elsewhere",
            )
            for name, table in games.items()
        }
    # What grades are called, only the table knows.
    outcome: Any = sample.outcome
    return {
        name: replace(result, outcome=outcome) if isinstance(result, OrderedGames) else result
        for name, result in found.items()
    }


def analyse_games(
    sample: Sample, results: Mapping[str, Result], options: Options, source: str | None
) -> AnyRun:
    """Summarize results of games that were played elsewhere."""
    require_possible(sample, options)
    flow = msgspec.structs.replace(describe_sample(sample), is_known=False)
    return describe_results(
        results,
        options,
        flow,
        target=sample.target,
        unit=options.unit or sample.unit,
        source=source,
        time_column=sample.spec.time or "time",
        by=sample.by,
    )


def met_by_each(results: Mapping[str, Result], n_units: int) -> int | None:
    """Return how many others every unit met, None for all; too few for a report are refused."""
    found = {name: opponents_of(result) for name, result in results.items()}
    met = set(found.values())
    if len(met) > 1:
        shown = ", ".join(
            f"{name} has {'all' if n is None else f'{n} of {n_units - 1}'} opponents of each"
            for name, n in found.items()
        )
        raise InputError(
            explain(
                "Models are compared by the same games.",
                f"You passed games of which {shown}.",
                "Pass them one by one, or play the missing games.",
            )
        )
    (opponents,) = met
    if opponents is not None and opponents < LEAST_OPPONENTS:
        left = (LEAST_OPPONENTS * n_units + 1) // 2
        raise InputError(
            explain(
                "Too few games have been played for a report.",
                f"You passed games in which every row met about {opponents} others.",
                f"Play at least {left} games, in the order of the file: {LEAST_OPPONENTS} for "
                'every row. "tlpo games status" shows the answer so far.',
            )
        )
    return opponents


def say_so_far(name: str, result: Result, level: float) -> str:
    """Say what the games that were played give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the answer so far needs no more words
        if isinstance(result, OrderedGames):
            what, found = "concordance", result.concordance_interval(level)
        elif isinstance(result, Multiclass):
            what, found = "AUC (M)", result.auc_interval(level)
        else:
            what, found = "AUC", result.auc_interval(level)
    limits = f"{100 * level:g}% interval {found.low:.3f} to {found.high:.3f}"
    return f"{name}: {what} {found.estimate:.3f} ({limits})."


def look_like_probabilities(results: Mapping[str, Result]) -> bool:
    """Whether all predictions of two classes lie between 0 and 1, and are no classes."""
    for result in results.values():
        if not isinstance(result, Tournament) or result.predictions is None:
            return False
        values = np.unique(result.predictions)
        values = values[~np.isnan(values)]
        if values.size < 3 or values[0] < 0 or values[-1] > 1:
            return False
    return True


def say_games(n_games: int, n_units: int, units: str) -> str:
    """Say how many games there are."""
    whole = n_units * (n_units - 1) // 2
    part = "every pair once" if n_games == whole else f"a balanced part of all {whole} pairs"
    return f"{counted(n_games, 'game')} of {n_units} {units}: {part}."


def _outcome_of(sample: Sample) -> Asked:
    outcome = sample.outcome
    return {
        "y": sample.y,
        "positive": outcome.positive if isinstance(outcome, Classes) else None,
        "order": True if sample.is_ordered and not sample.is_survival else None,
    }
