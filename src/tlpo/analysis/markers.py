"""Assess the markers of a sample: the analysis of ``tlpo marker``."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tlpo.analysis import shapes
from tlpo.analysis.json_values import finish
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.measures import (
    BEST,
    describe_band,
    describe_curve,
    describe_interval,
    describe_point,
    read_sensitivity,
)
from tlpo.analysis.summarize import doubtful_values, list_comparisons, made_here
from tlpo.errors import InputError, explain
from tlpo.plurals import noun
from tlpo.results.comparison import adjust
from tlpo.results.fixed import FixedScores
from tlpo.results.fixed_concordance import FixedConcordance
from tlpo.results.fixed_survival import FixedSurvival
from tlpo.results.marker_comparison import compare_fixed
from tlpo.roc.curve import RocCurve
from tlpo.roc.precision import precisions
from tlpo.schemes.assess import assess
from tlpo.tables.build_sample import Sample

if TYPE_CHECKING:
    import pandas as pd


def assess_markers(sample: Sample, options: MarkerOptions) -> dict[str, FixedScores]:
    """Return every marker of a sample, assessed."""
    return assess_each(sample, options, FixedScores, positive=sample.labels.positive)


Kind = TypeVar("Kind", FixedScores, FixedConcordance, FixedSurvival)


def assess_each(
    sample: Sample, options: MarkerOptions, kind: type[Kind], **how: Any
) -> dict[str, Kind]:
    """Assess every marker of a sample; ``how`` says what the outcome is."""
    import pandas as pd

    found: dict[str, Kind] = {}
    for name in options.markers:
        require_marker(sample, name)
        assessed = assess(
            pd.Series(sample.exact.get(name, sample.X[name]).to_numpy(), name=name),
            sample.y,
            groups=sample.groups,
            larger_is_positive=name not in options.smaller_is_positive,
            **how,
        )
        assert isinstance(assessed, kind)
        found[name] = assessed
    return found


def require_marker(sample: Sample, name: str) -> None:
    """Refuse a column that is no score."""
    if name not in sample.numeric:
        raise InputError(
            explain(
                "A marker must be a column of numbers that differ.",
                f"You passed {name!r}, which is not.",
                "Code ordered categories as numbers, 1, 2, 3 …, or choose another column.",
            )
        )


def summarize_markers(
    sample: Sample, assessed: dict[str, FixedScores], options: MarkerOptions, source: str | None
) -> shapes.MarkerAnalysis:
    """Summarize what was assessed."""
    labels, units = sample.labels, noun(sample.unit)
    level = options.confidence_level
    comparisons: list[shapes.Comparison] = []
    notes: list[str] = []
    if len(assessed) > 1:
        pairs = tuple(
            compare_fixed(one, other, (a, b), level, None, units.many)
            for (a, one), (b, other) in combinations(assessed.items(), 2)
        )
        found = adjust(pairs)
        comparisons, notes = list_comparisons(found), list(found._notes())
    return finish(
        shapes.MarkerAnalysis(
            **made_here(),
            source=source,
            unit=units.one,
            units=units.many,
            n_units=labels.n_units,
            n_positive=labels.n_positive,
            n_negative=labels.n_negative,
            positive=str(labels.positive),
            negative=str(labels.negative),
            target=sample.target,
            group=sample.group,
            chosen_by=sample.chosen_by,
            n_read=sample.n_read,
            n_without_target=sample.n_without_target,
            suspects=doubtful_values(sample),
            confidence_level=level,
            specificity=options.specificity,
            prevalence=options.prevalence,
            markers=[_describe(a, options) for a in assessed.values()],
            comparisons=comparisons,
            comparison_notes=notes,
            smooth=options.smooth,
        )
    )


def every_cutoff(assessed: dict[str, FixedScores], options: MarkerOptions) -> pd.DataFrame:
    """Tabulate every cut-off of every marker, with limits."""
    import pandas as pd

    tables = []
    for name, a in assessed.items():
        table = a.operating_points(options.prevalence, options.confidence_level)
        table.insert(0, "marker", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _describe(a: FixedScores, options: MarkerOptions) -> shapes.Marker:
    level, share = options.confidence_level, options.specificity
    p, n = a.class_sizes
    points = _points(a, options)
    pr = a.precision_recall(options.prevalence, confidence_level=level)
    curve = describe_curve(a.roc_curve(), "marker", "no model was trained", smooth=options.smooth)
    shown = RocCurve(*(np.array(values) for values in (curve.fpr, curve.tpr, curve.thresholds)))
    return shapes.Marker(
        name=str(a.name),
        larger_is_positive=a.larger_is_positive,
        n_positive=p,
        n_negative=n,
        n_missing=a.n_missing,
        n_values=int(np.unique(a._rated()[0]).size),
        auc=a.auc,
        interval=describe_interval(a.auc_interval(level)),
        standard_error=a.standard_error,
        score_interval=describe_interval(a.auc_interval(level, "score")),
        p_value=a.p_value,
        sensitivity_at=read_sensitivity(share, points),
        average_precision=shapes.AveragePrecision(
            pr.prevalence, pr.average_precision, pr.low, pr.high
        ),
        operating_points=points,
        curve=curve,
        band=describe_band(a.roc_band(level)),
        precision_recall=shapes.PrecisionRecall(
            curve.tpr[1:], precisions(shown, pr.prevalence).tolist()
        ),
    )


def _points(a: FixedScores, options: MarkerOptions) -> list[shapes.Point]:
    """Return the points that papers report, and the cut-offs that were asked for."""
    share = options.specificity
    find = partial(
        a.operating_point,
        prevalence=options.prevalence,
        confidence_level=options.confidence_level,
    )
    given = options.cutoffs[a.name]
    return [
        *(
            describe_point(f"cut-off {cutoff:g}, as given", find(cutoff=cutoff), given=True)
            for cutoff in given
        ),
        describe_point(f"specificity at least {share:g}", find(specificity=share)),
        describe_point(f"sensitivity at least {share:g}", find(sensitivity=share)),
        describe_point(BEST, find("youden")),
        describe_point("closest to the upper left corner", find("closest")),
    ]
