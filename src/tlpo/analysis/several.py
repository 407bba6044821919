"""Play models over a sample of more than two classes: the analysis of ``tlpo run``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tlpo.analysis import shapes
from tlpo.analysis.baseline import tabulate_by_outcome
from tlpo.analysis.equation import find_equations
from tlpo.analysis.final_model import MOST_ROWS, last_step, shown_names
from tlpo.analysis.json_values import finish
from tlpo.analysis.measures import describe_curve, describe_interval, list_other_schemes
from tlpo.analysis.models import Model, ModelRun
from tlpo.analysis.options import Options
from tlpo.analysis.other_schemes import estimate_otherwise
from tlpo.analysis.subgroups import tabulate
from tlpo.analysis.summarize import (
    N_RESAMPLES,
    OTHER_SCHEMES,
    compare_models,
    describe_sample,
    made_here,
    permute_labels,
)
from tlpo.engines.frozen import said_elsewhere
from tlpo.execution.fits import Fitter
from tlpo.games.contest import Contest
from tlpo.plurals import Noun, noun
from tlpo.problem.outcome import SeveralClasses
from tlpo.results.curves import choose_curve
from tlpo.results.fixed_multiclass import FixedMulticlass
from tlpo.results.multiclass import Multiclass
from tlpo.results.tournament import Tournament
from tlpo.schemes.multiclass import play_several
from tlpo.tables.build_sample import Sample

if TYPE_CHECKING:
    import pandas as pd

PAIR = ("auc", "low", "high", "first_by_own", "second_by_own")
NOTHING = shapes.SeveralFinal(None, 0, [], None)


def summarize_several(
    sample: Sample,
    runs: Sequence[ModelRun],
    options: Options,
    *,
    source: str | None = None,
    model_file: str | None = None,  # noqa: ARG001  # none is saved
    say: Callable[[str], None] = lambda _: None,
    played: dict[str, Multiclass] | None = None,
    left_out: Mapping[str, Mapping[str, float]] | None = None,
) -> shapes.SeveralAnalysis:
    """Play every model and compare them; the arguments are those of `summarize.summarize`."""
    units = noun(options.unit or sample.unit)
    played = {} if played is None else played
    models = []
    for model, contest in runs:
        say(f"Playing {model.name} …")
        with said_elsewhere():
            result = played[model.name] = play_several(contest)
        too_long = (left_out or {}).get(model.name)
        others = estimate_otherwise(contest, OTHER_SCHEMES, N_RESAMPLES, options.seed, too_long)
        models.append(
            describe_multiclass(
                model.name,
                result,
                options,
                what=model.what,
                described=model.described,
                others=others,
                permutation=permute_labels(contest, units, options, say),
                by=sample.by,
                units=units,
                final=_describe_final(model, contest, sample),
            )
        )
    outcome = sample.outcome
    assert isinstance(outcome, SeveralClasses)
    parts, baseline = tabulate_by_outcome(
        sample.X, sample.numeric, sample.categorical, outcome, sample.levels
    )
    return complete_several(
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
    )


def describe_multiclass(
    name: str,
    result: Multiclass,
    options: Options,
    *,
    what: str,
    described: str,
    others: pd.DataFrame | None = None,
    permutation: shapes.Permutation | None = None,
    by: dict[str, list[str | None]] | None = None,
    units: Noun,
    final: shapes.SeveralFinal = NOTHING,
) -> shapes.SeveralModel:
    """Return the numbers of a model; ``by`` has the subgroup of every unit, by column."""
    level = options.confidence_level
    confusion = result.confusion
    own = shapes.Scheme("lpo", result.auc, "the AUC to report: almost unbiased")
    return shapes.SeveralModel(
        name=name,
        what=what,
        described=described,
        estimator=result.estimator_name,
        engine=result.engine,
        auc=result.auc,
        interval=describe_interval(result.auc_interval(level)),
        pairs=[
            shapes.ClassPair(str(row["first"]), str(row["second"]), *(row[key] for key in PAIR))
            for row in result.pair_intervals(level).reset_index().to_dict("records")
        ],
        classes=[
            _describe_class(str(name), t, options, tabulate(t, by or {}, units, level))
            for name, t in result.one_vs_rest.items()
        ],
        confusion=None if confusion is None else confusion.to_numpy().tolist(),
        n_games=result.each[0].standings.n_games,
        schemes=[own, *([] if others is None else list_other_schemes(others))],
        fits=result.diagnostics.fits,
        seconds=result.diagnostics.seconds,
        notes=list(result.diagnostics.warnings),
        permutation=permutation,
        final=final,
    )


def complete_several(
    outcome: SeveralClasses,
    units: Noun,
    models: list[shapes.SeveralModel],
    played: Mapping[str, Multiclass],
    options: Options,
    *,
    source: str | None,
    target: str,
    sample: shapes.Flow,
    parts: list[shapes.Part] | None = None,
    baseline: Sequence[shapes.PartBaseline] = (),
) -> shapes.SeveralAnalysis:
    """Add to the numbers of single models what they have in common."""
    comparisons, choice = compare_models(played, options.confidence_level)
    if parts is None:
        parts = [
            shapes.Part(str(name), int(size))
            for name, size in zip(outcome.names, outcome.sizes, strict=True)
        ]
    return finish(
        shapes.SeveralAnalysis(
            **made_here(),
            source=source,
            target=target,
            unit=units.one,
            units=units.many,
            n_units=outcome.n_units,
            confidence_level=options.confidence_level,
            seed=options.seed,
            specificity=options.specificity,
            outcome=outcome.code.tolist(),
            sample=sample,
            parts=parts,
            baseline=list(baseline),
            models=models,
            comparisons=comparisons,
            choice=choice,
        )
    )


def _describe_class(
    name: str, t: Tournament, options: Options, subgroups: list[shapes.Subgroup]
) -> shapes.OneClass:
    level, share = options.confidence_level, options.specificity
    at = t.operating_point(specificity=share, confidence_level=level)
    sensitivity = (float(at[f"sensitivity{end}"]) for end in ("", "_low", "_high"))
    return shapes.OneClass(
        name=name,
        auc=t.auc,
        interval=describe_interval(t.auc_interval(level)),
        sensitivity_at=shapes.SensitivityAt(share, *sensitivity),
        consistency=t.consistency,
        n_ties=t.n_ties,
        scores=t.scores.tolist(),
        curve=describe_curve(t.roc_curve(), str(t.curve), choose_curve(t, "comparisons").why),
        subgroups=subgroups,
    )


def _describe_final(model: Model, contest: Contest, sample: Sample) -> shapes.SeveralFinal:
    """Fit a copy of the model to all patients, and describe it."""
    fitter = Fitter(model.estimator, contest.problem)
    found, auc = NOTHING, None
    equations: list[shapes.Equation] = []
    everyone = np.arange(contest.problem.n_units)
    # The model may be the user's and raise anything; a report does without what it cannot say.
    with warnings.catch_warnings(), suppress(Exception, SystemExit):
        warnings.simplefilter("ignore")  # the games have counted and reported them
        responses, _ = fitter.ask(everyone, everyone)
        auc = FixedMulticlass(responses, contest.problem.several).auc
        fitted = fitter.fit(everyone)
        with suppress(Exception, SystemExit):
            found = _list_weights(fitted, model, sample, contest.problem.several.n_columns)
        equations = find_equations(fitted, fitter, list(sample.X.columns), sample.levels)
    return shapes.SeveralFinal(found.kind, found.n, found.rows, auc, equations)


def _list_weights(fitted: Any, model: Model, sample: Sample, n_classes: int) -> shapes.SeveralFinal:
    """Return the largest coefficients or importances, by feature."""
    fits = fitted if isinstance(fitted, list) else [fitted]  # a regressor for each class
    steps = [last_step(one, list(sample.X.columns)) for one in fits]
    reach = steps[0][1]
    kind: Literal["coefficients", "importances"] = "coefficients"
    values = [getattr(last, "coef_", None) for last, _ in steps]
    if values[0] is None:
        kind, values = "importances", [getattr(steps[0][0], "feature_importances_", None)]
    if values[0] is None:
        return NOTHING
    weights = np.vstack([np.asarray(value, dtype=float) for value in values]).T
    is_fit = weights.shape == (len(reach), n_classes if kind == "coefficients" else 1)
    if not is_fit or not np.isfinite(weights).all():
        return NOTHING
    order = np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:MOST_ROWS]
    names = shown_names([reach[k] for k in order], sample.levels, model.is_own)
    rows = [
        shapes.ClassTerms(name, weights[k].tolist()) for name, k in zip(names, order, strict=True)
    ]
    return shapes.SeveralFinal(kind, len(reach), rows, None)
