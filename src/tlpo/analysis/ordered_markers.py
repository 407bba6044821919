"""Assess markers against numbers or grades: the analysis of ``tlpo marker``."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from msgspec.structs import asdict

from tlpo.analysis import shapes
from tlpo.analysis.json_values import finish
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.markers import assess_each
from tlpo.analysis.measures import describe_interval
from tlpo.analysis.ordered import list_ordered_comparisons
from tlpo.analysis.summarize import doubtful_values, made_here
from tlpo.errors import UsageError, arg, explain
from tlpo.plurals import noun
from tlpo.problem.outcome import Ordered
from tlpo.results.comparison import compare
from tlpo.results.fixed_concordance import FixedConcordance
from tlpo.results.fixed_survival import FixedSurvival
from tlpo.tables.build_sample import Sample

FixedMarker = FixedConcordance | FixedSurvival


def assess_ordered_markers(sample: Sample, options: MarkerOptions) -> dict[str, FixedConcordance]:
    """Return every marker of a sample with an ordered outcome, assessed."""
    is_usual = options.specificity == MarkerOptions.specificity
    for name, given in (
        ("cutoff", list(options.cutoff)),
        ("prevalence", options.prevalence),
        ("specificity", None if is_usual else options.specificity),
        ("smooth", options.smooth),
    ):
        if given:
            raise UsageError(
                explain(
                    "Cut-offs, prevalences, specificities and smoothed ROC curves are of two "
                    "classes, and the outcome is numbers or grades.",
                    f"You passed {arg(name, given)}.",
                    "Leave it out, or cut the outcome into two classes, for example "
                    f"{arg('target', 'column >= 5')}.",
                )
            )
    return assess_each(sample, options, FixedConcordance, order=True)


def summarize_ordered_markers(
    sample: Sample,
    assessed: dict[str, FixedConcordance],
    options: MarkerOptions,
    source: str | None,
) -> shapes.OrderedMarkerAnalysis:
    """Summarize what was assessed."""
    outcome = sample.outcome
    assert isinstance(outcome, Ordered)
    grades = outcome.grades
    return finish(
        shapes.OrderedMarkerAnalysis(
            **asdict(in_common(sample, assessed, options, source)),
            grades=None if grades is None else [str(name) for name in grades],
            lowest=float(outcome.y.min()),
            highest=float(outcome.y.max()),
            markers=[describe_marker(a, options.confidence_level) for a in assessed.values()],
        )
    )


def in_common(
    sample: Sample,
    assessed: Mapping[str, FixedMarker],
    options: MarkerOptions,
    source: str | None,
) -> shapes.RankedMarkerAnalysis:
    """Return what analyses of markers have whose outcome is no classes."""
    units, level = noun(sample.unit), options.confidence_level
    comparisons: list[shapes.OrderedComparison] = []
    if len(assessed) > 1:
        first, second, *more = assessed.values()
        found = compare(first, second, *more, confidence_level=level)
        comparisons = list_ordered_comparisons(found)
    return shapes.RankedMarkerAnalysis(
        **made_here(),
        source=source,
        unit=units.one,
        units=units.many,
        n_units=sample.outcome.n_units,
        target=sample.target,
        confidence_level=level,
        group=sample.group,
        n_read=sample.n_read,
        n_without_target=sample.n_without_target,
        suspects=doubtful_values(sample),
        comparisons=comparisons,
    )


def describe_marker(a: FixedMarker, level: float) -> shapes.OrderedMarker:
    """Return what a marker has whose outcome is no classes."""
    return shapes.OrderedMarker(
        name=str(a.name),
        larger_is_positive=a.larger_is_positive,
        n_rated=a.outcome.n_units - a.n_missing,
        n_missing=a.n_missing,
        n_ordered=a.n_ordered,
        concordance=a.concordance,
        interval=describe_interval(a.concordance_interval(level)),
        standard_error=a.standard_error,
        p_value=a.p_value,
    )


def marker_values(assessed: dict[str, FixedConcordance]) -> pd.DataFrame:
    """Tabulate the outcome and every marker of every patient."""
    columns = {name: a.values for name, a in assessed.items()}
    outcome = next(iter(assessed.values())).outcome.values
    return pd.DataFrame({"outcome": outcome, **columns})
