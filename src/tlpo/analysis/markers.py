"""Assess the markers of a sample; the result is one plain dict, all that any renderer needs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

import tlpo
from tlpo.analysis.json_values import Summary, plain
from tlpo.analysis.marker_narrative import methods, sentence, title, warn
from tlpo.analysis.marker_options import MarkerOptions
from tlpo.analysis.measures import thinned
from tlpo.errors import InputError, explain
from tlpo.results.comparison import Comparisons, compare
from tlpo.results.fixed import FixedScores
from tlpo.roc.precision import precisions
from tlpo.schemes.assess import assess
from tlpo.tables.build_sample import Sample

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
# A marker with fewer values is read between its cut-offs: its steps are too large to stand on.
FEW_VALUES = 20
REFERENCES = (
    "DeLong ER, DeLong DM, Clarke-Pearson DL. Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach. Biometrics "
    "1988;44:837-845.",
    "Newcombe RG. Confidence intervals for an effect size measure based on the Mann-Whitney "
    "statistic. Part 2: asymptotic methods and evaluation. Statistics in Medicine "
    "2006;25:559-573.",
    "Holm S. A simple sequentially rejective multiple test procedure. Scandinavian Journal of "
    "Statistics 1979;6:65-70.",
)


def assess_markers(sample: Sample, options: MarkerOptions) -> dict[str, FixedScores]:
    """Return every marker of a sample, assessed."""
    import pandas as pd

    found = {}
    for name in options.markers:
        if name not in sample.numeric:
            raise InputError(
                explain(
                    "A marker must be a column of numbers that differ.",
                    f"You passed {name!r}, which is not.",
                    "Code ordered categories as numbers, 1, 2, 3 …, or choose another column.",
                )
            )
        found[name] = assess(
            pd.Series(sample.exact.get(name, sample.X[name]).to_numpy(), name=name),
            sample.y,
            positive=sample.labels.positive,
            groups=sample.groups,
            larger_is_positive=name not in options.smaller_is_positive,
        )
    return found


def summarize_markers(
    sample: Sample, assessed: dict[str, FixedScores], options: MarkerOptions, source: str | None
) -> Summary:
    """Summarize what was assessed; the dict follows ``marker/schema.json``."""
    labels = sample.labels
    level = options.confidence_level
    comparisons: list[dict[str, Any]] = []
    notes: list[str] = []
    if len(assessed) > 1:
        first, second, *more = assessed.values()
        result = compare(first, second, *more, confidence_level=level)
        if isinstance(result, Comparisons):
            pairs = zip(result.pairs, result.adjusted, strict=True)
            comparisons = [pair.row(adjusted) for pair, adjusted in pairs]
        else:
            comparisons = [result.row()]
        notes = list(result._notes())
    summary: Summary = plain(
        {
            "kind": "marker",
            "schema": SCHEMA,
            "version": tlpo.__version__,
            "date": time.strftime("%Y-%m-%d"),
            "source": source,
            "unit": sample.unit,
            "n_units": labels.n_units,
            "n_positive": labels.n_positive,
            "n_negative": labels.n_negative,
            "positive": labels.positive,
            "negative": labels.negative,
            "target": sample.question.target,
            "group": sample.question.group,
            "chosen_by": sample.chosen_by,
            "n_read": sample.n_read,
            "n_without_target": sample.n_without_target,
            "confidence_level": level,
            "specificity": options.specificity,
            "prevalence": options.prevalence,
            "markers": [_describe(a, options) for a in assessed.values()],
            "comparisons": comparisons,
            "comparison_notes": notes,
        }
    )
    for marker in summary["markers"]:
        marker["sentence"] = sentence(marker, summary)
    return {
        **summary,
        "title": title(summary),
        "warnings": warn(summary),
        "methods": methods(summary),
        "references": list(REFERENCES),
    }


def every_cutoff(assessed: dict[str, FixedScores], options: MarkerOptions) -> pd.DataFrame:
    """Tabulate every cut-off of every marker, with limits."""
    import pandas as pd

    tables = []
    for name, a in assessed.items():
        table = a.operating_points(options.prevalence, options.confidence_level)
        table.insert(0, "marker", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _describe(a: FixedScores, options: MarkerOptions) -> dict[str, Any]:
    level, share = options.confidence_level, options.specificity
    p, n = a.class_sizes
    n_values = int(np.unique(a.rated()[0]).size)
    between = n_values < FEW_VALUES
    interval, score = a.auc_interval(level), a.auc_interval(level, "score")
    at = a.sensitivity_interval(share, confidence_level=level, interpolate=between)
    curve, band = thinned(a.roc_curve()), a.roc_band(level)
    pr = a.precision_recall(options.prevalence, confidence_level=level)
    return {
        "name": a.name,
        "larger_is_positive": a.larger_is_positive,
        "n_positive": p,
        "n_negative": n,
        "n_missing": a.n_missing,
        "n_values": n_values,
        "auc": a.auc,
        "interval": {"low": interval.low, "high": interval.high, "method": interval.method},
        "standard_error": a.standard_error,
        "score_interval": {"low": score.low, "high": score.high},
        "p_value": a.p_value,
        "sensitivity_at": {
            "specificity": share,
            "sensitivity": at.estimate,
            "low": at.low,
            "high": at.high,
            "interpolated": between,
        },
        "average_precision": {
            "prevalence": pr.prevalence,
            "value": pr.average_precision,
            "low": pr.low,
            "high": pr.high,
        },
        "operating_points": _points(a, options),
        "curve": curve._asdict(),
        "band": {"fpr": band.fpr, "low": band.low, "high": band.high, "level": level},
        "precision_recall": {
            "recall": curve.tpr[1:],
            "precision": precisions(curve, pr.prevalence),
        },
    }


def _points(a: FixedScores, options: MarkerOptions) -> list[dict[str, Any]]:
    """Return the points that papers report, and the cut-offs that were asked for."""
    share = options.specificity
    asked: list[tuple[str, dict[str, Any]]] = [
        (f"cut-off {cutoff:g}, as given", {"cutoff": cutoff}) for cutoff in options.cutoffs[a.name]
    ]
    asked += [
        (f"specificity at least {share:g}", {"specificity": share}),
        (f"sensitivity at least {share:g}", {"sensitivity": share}),
        ("largest sensitivity + specificity", {"rule": "youden"}),
        ("closest to the upper left corner", {"rule": "closest"}),
    ]
    found = []
    for name, given in asked:
        row = a.operating_point(
            **given, prevalence=options.prevalence, confidence_level=options.confidence_level
        )
        point = {
            str(key): value if isinstance(value, str) else float(value)
            for key, value in row.items()
        }
        found.append({"point": name, "given": "cutoff" in given, **point})
    return found
