"""Play models over a sample whose outcome is no classes: the analysis of ``tlpo run``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from tlpo.analysis import shapes
from tlpo.analysis.baseline import tabulate_by_outcome
from tlpo.analysis.final_model import NOTHING, describe_final
from tlpo.analysis.json_values import finish
from tlpo.analysis.measures import describe_interval
from tlpo.analysis.models import ModelRun
from tlpo.analysis.options import Options
from tlpo.analysis.other_schemes import estimate_otherwise
from tlpo.analysis.packed_games import MOST_UNITS, pack_games
from tlpo.analysis.summarize import (
    N_RESAMPLES,
    OTHER_SCHEMES,
    describe_sample,
    made_here,
    permute_labels,
    say_without,
)
from tlpo.analysis.survival import (
    complete_survival,
    count_coefficients,
    survival_model,
    times_to_report,
)
from tlpo.analysis.without import leave_out_each
from tlpo.engines.frozen import said_elsewhere
from tlpo.plurals import Noun, noun
from tlpo.problem.outcome import Ordered, TimeToEvent
from tlpo.results.choice import choose
from tlpo.results.comparison import compare
from tlpo.results.difference import Comparison, Comparisons
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.survival import Survival
from tlpo.schemes.ordered_games import play_ordered
from tlpo.tables.build_sample import Sample

if TYPE_CHECKING:
    import pandas as pd

Ranked = shapes.OrderedAnalysis | shapes.SurvivalAnalysis


def summarize_ordered(
    sample: Sample,
    runs: Sequence[ModelRun],
    options: Options,
    *,
    source: str | None = None,
    model_file: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    played: dict[str, OrderedGames] | None = None,
    left_out: Mapping[str, Mapping[str, float]] | None = None,
) -> Ranked:
    """Play every model and compare them; the arguments are those of `summarize.summarize`."""
    units = noun(options.unit or sample.unit)
    played = {} if played is None else played
    level, names = options.confidence_level, list(sample.X.columns)
    outcome = sample.outcome
    assert isinstance(outcome, Ordered | TimeToEvent)
    times = times_to_report(outcome, options.at) if isinstance(outcome, TimeToEvent) else ()
    models = []
    for model, contest in runs:
        say(f"Playing {model.name} …")
        with said_elsewhere():
            result = play_ordered(contest, options.rounds, options.seed)
        played[model.name] = result
        too_long = (left_out or {}).get(model.name)
        others = estimate_otherwise(contest, OTHER_SCHEMES, N_RESAMPLES, options.seed, too_long)
        models.append(
            _describe(
                model.name,
                result,
                options,
                what=model.what,
                described=model.described,
                others=others,
                subgroups=tabulate_ordered(result, sample.by, units, level),
                permutation=permute_labels(contest, units, options, say),
                final=describe_final(model, contest, names, sample.levels, level, times),
            )
        )
    without = leave_out_each(sample, runs, models, options)
    parts, baseline = tabulate_by_outcome(
        sample.X, sample.numeric, sample.categorical, outcome, sample.levels
    )
    return complete_ordered(
        outcome,
        units,
        models,
        played,
        options,
        source=source,
        target=sample.target,
        sample=describe_sample(sample),
        parts=parts,
        baseline=baseline,
        time_column=sample.spec.time or "",
        n_coefficients=count_coefficients(sample),
        model_file=model_file,
        without=without,
    )


def describe_concordance(
    name: str,
    result: OrderedGames,
    options: Options,
    subgroups: Sequence[shapes.OrderedSubgroup] = (),
) -> shapes.OrderedModel:
    """Return the numbers of a result that was played before, without features."""
    return _describe(
        name,
        result,
        options,
        what=result.estimator_name,
        described=result.estimator_name,
        others=None,
        subgroups=list(subgroups),
        permutation=None,
        final=NOTHING,
    )


def complete_ordered(
    outcome: Ordered | TimeToEvent,
    units: Noun,
    models: Sequence[shapes.OrderedModel],
    played: Mapping[str, OrderedGames],
    options: Options,
    *,
    source: str | None,
    target: str,
    sample: shapes.Flow,
    parts: list[shapes.Part],
    baseline: list[shapes.PartBaseline],
    time_column: str = "time",
    n_coefficients: int = 0,
    model_file: str | None = None,
    without: shapes.WithoutEach | str | None = None,
) -> Ranked:
    """Add to the numbers of single models what they have in common."""
    comparisons, choice = [], None
    if len(played) > 1:
        first, second, *more = played.values()
        level, names = options.confidence_level, list(played)
        found = compare(first, second, *more, names=names, confidence_level=level)
        comparisons = list_ordered_comparisons(found)
        best = choose(first, second, *more, names=names, confidence_level=level)
        choice = shapes.OrderedChoice(
            best.winner, best.auc, best.low, best.high, best.uncorrected, best.optimism
        )
    left, why_not = say_without(without, units)
    common = shapes.RankedAnalysis(
        **made_here(),
        source=source,
        target=target,
        unit=units.one,
        units=units.many,
        n_units=outcome.n_units,
        confidence_level=options.confidence_level,
        seed=options.seed,
        rounds=options.rounds,
        sample=sample,
        parts=parts,
        baseline=baseline,
        comparisons=comparisons,
        choice=choice,
        without=left,
        why_not_without=why_not,
    )
    if isinstance(outcome, TimeToEvent):
        own = [model for model in models if isinstance(model, shapes.SurvivalModel)]
        return complete_survival(common, outcome, own, time_column, n_coefficients, model_file)
    grades = outcome.grades
    return finish(
        shapes.OrderedAnalysis(
            **asdict(common),
            models=list(models),
            outcome=outcome.y.tolist(),
            grades=None if grades is None else [str(name) for name in grades],
        )
    )


def list_ordered_comparisons(found: Comparison | Comparisons) -> list[shapes.OrderedComparison]:
    """Return every pair that was compared."""
    if isinstance(found, Comparisons):
        rows = [pair.row(p) for pair, p in zip(found.pairs, found.adjusted, strict=True)]
    else:
        rows = [found.row()]
    return [shapes.OrderedComparison(**row) for row in rows]


def _describe(
    name: str,
    result: OrderedGames,
    options: Options,
    *,
    what: str,
    described: str,
    others: pd.DataFrame | None,
    subgroups: list[shapes.OrderedSubgroup],
    permutation: shapes.Permutation | None,
    final: shapes.FinalModel,
) -> shapes.OrderedModel:
    is_survival = isinstance(result, Survival)
    ordered = "of known order" if is_survival else "with different outcomes"
    own = shapes.OrderedScheme(
        "lpo", result.concordance, f"{result.n_ordered} comparisons {ordered}"
    )
    schemes = [own]
    if others is not None:
        schemes += [
            shapes.OrderedScheme(str(scheme), float(row["concordance"]), str(row["note"]))
            for scheme, row in others.iterrows()
        ]
    model = shapes.OrderedModel(
        name=name,
        what=what,
        described=described,
        estimator=result.estimator_name,
        engine=result.engine,
        concordance=result.concordance,
        interval=describe_interval(result.concordance_interval(options.confidence_level)),
        consistency=result.consistency,
        circular_triads=result.circular_triads,
        n_ties=result.n_ties,
        n_games=result.standings.n_games,
        n_ordered=result.n_ordered,
        scores=result.scores.tolist(),
        games=_games(result),
        schemes=schemes,
        fits=result.diagnostics.fits,
        seconds=result.diagnostics.seconds,
        notes=list(result.diagnostics.warnings),
        subgroups=subgroups,
        permutation=permutation,
        final=final,
    )
    if isinstance(result, Survival):
        return survival_model(model, result, options)
    return model


def _games(result: OrderedGames) -> list[str] | None:
    """Return the games as text, if all were played and a picture can show them."""
    wins = result.win_matrix()
    if wins is None or result.outcome.n_units > MOST_UNITS or result.opponents is not None:
        return None
    return pack_games(wins)


def tabulate_ordered(
    result: OrderedGames, by: dict[str, list[str | None]], units: Noun, level: float
) -> list[shapes.OrderedSubgroup]:
    """Return the concordance of a model within every subgroup of every column."""
    return [
        shapes.OrderedSubgroup(
            name,
            subgroup if isinstance(subgroup, str) else None,
            int(row["units"]),
            int(row["ordered"]),
            float(row["concordance"]),
            float(row["low"]),
            float(row["high"]),
            str(row["note"]),
        )
        for name, subgroups in by.items()
        for subgroup, row in result._by(subgroups, level, units.many).iterrows()
    ]
