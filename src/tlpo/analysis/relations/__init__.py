"""What must hold among the numbers of an analysis, whoever wrote them.

An analysis that is read back was a file in between. Here its counts add up, its curves rise, its
limits enclose their estimates, and whatever follows from the games is what the games say. Nothing
is checked that depends on how this version estimates: files of others stay readable.

Every check yields what is wrong, in order; later checks may rely on earlier ones, so only the first
is to be read.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from tlpo.analysis.json_values import numbers
from tlpo.analysis.relations.checks import Fault, Faults
from tlpo.analysis.relations.classes import of_classes
from tlpo.analysis.relations.curves import (
    Ranked,
    of_aucs,
    of_band,
    of_curve,
    of_games,
    of_scores,
    of_smooth,
)
from tlpo.analysis.relations.draws import of_draws
from tlpo.analysis.relations.markers import of_markers
from tlpo.analysis.relations.ordered import of_ordered, of_ordered_markers
from tlpo.analysis.relations.points import of_final, of_permutation, of_points, of_subgroups
from tlpo.analysis.relations.probabilities import of_probabilities
from tlpo.analysis.relations.sample import of_baseline, of_flow, of_units
from tlpo.analysis.relations.several import of_choice, of_comparisons, of_without
from tlpo.analysis.relations.survival import of_survival, of_survival_markers
from tlpo.analysis.relations.survival_validation import of_survival_validation
from tlpo.analysis.relations.validation import of_validation
from tlpo.analysis.shapes import (
    AnyAnalysis,
    MarkerAnalysis,
    Model,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedMarkerAnalysis,
    SeveralAnalysis,
    SurvivalAnalysis,
    SurvivalMarkerAnalysis,
    SurvivalValidation,
)


def find_contradiction(analysis: AnyAnalysis) -> Fault | None:
    """Return the first number of an analysis that others contradict, or None."""
    with np.errstate(all="ignore"):  # numbers may be of any size
        never = isinstance(analysis, SeveralAnalysis)
        drawn = of_draws(analysis, has_games=never)
        return next(chain(_of_kind(analysis), drawn), None)


def _of_kind(analysis: AnyAnalysis) -> Faults:
    """Return what is wrong with an analysis of one kind."""
    if isinstance(analysis, ModelAnalysis):
        return _of_models(analysis)
    if isinstance(analysis, SeveralAnalysis):
        return of_classes(analysis)
    if isinstance(analysis, OrderedAnalysis):
        return of_ordered(analysis)
    if isinstance(analysis, SurvivalAnalysis):
        return of_survival(analysis)
    if isinstance(analysis, OrderedMarkerAnalysis):
        return of_ordered_markers(analysis)
    if isinstance(analysis, SurvivalMarkerAnalysis):
        return of_survival_markers(analysis)
    if isinstance(analysis, MarkerAnalysis):
        return of_markers(analysis)
    if isinstance(analysis, SurvivalValidation):
        return of_survival_validation(analysis)
    return of_validation(analysis)


def _of_models(analysis: ModelAnalysis) -> Faults:
    yield from of_units(analysis)
    yield from of_flow(analysis.sample, analysis.n_units)
    yield from of_baseline(analysis)
    names = [model.name for model in analysis.models]
    if len(set(names)) < len(names):
        yield Fault("models", names, "every model has a name of its own")
    for k, model in enumerate(analysis.models):
        yield from _of_model(model, analysis, f"models[{k}]")
    aucs = {model.name: model.headline.auc for model in analysis.models}
    yield from of_comparisons(analysis.comparisons, aucs, analysis.sorts is None)
    yield from of_choice(analysis)
    yield from of_without(analysis)


def _of_model(model: Model, analysis: ModelAnalysis, where: str) -> Faults:
    scores, is_positive = numbers(model.scores), np.array(analysis.is_positive, dtype=bool)
    if scores.size != analysis.n_units:
        yield Fault(f"{where}.scores", scores.size, "there is one per patient")
    sizes = Ranked(is_positive, ~np.isnan(scores))
    if not (sizes.p and sizes.n):
        yield Fault(f"{where}.scores", model.scores, "patients of both classes have one")
    yield from of_games(model, analysis, scores, where)
    yield from of_aucs(model, analysis, scores, sizes, where)
    yield from of_curve(model.curve, f"{where}.curve")
    yield from of_smooth(model.curve, analysis.smooth, f"{where}.curve")
    yield from of_scores(model.curve, scores, sizes, f"{where}.curve")
    if model.band is not None:
        level = analysis.confidence_level
        yield from of_band(model.band, model.curve, level, f"{where}.band")
    yield from of_points(model, analysis, sizes, where)
    yield from of_subgroups(model, sizes, where)
    if model.permutation is not None:
        level = analysis.confidence_level
        yield from of_permutation(model.permutation, level, f"{where}.permutation")
    yield from of_final(model, analysis, f"{where}.final")
    if model.probabilities is not None:
        yield from of_probabilities(model.probabilities, f"{where}.probabilities")
    why = model.why_no_probabilities
    if (why is None) != (model.probabilities is not None):
        yield Fault(f"{where}.why_no_probabilities", why, "there are probabilities, or a reason")
