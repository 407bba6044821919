"""Play the models over a sample and say what came out, as one plain dict that is rendered later."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone

import tlpo
from tlpo.arrays import BoolArray, FloatArray
from tlpo.contest import Contest
from tlpo.contest import Options as ContestOptions
from tlpo.errors import InputError, explain
from tlpo.execution.journal import Journal
from tlpo.problem.problem import make_problem
from tlpo.report.models import Model, features_of
from tlpo.report.probabilities import describe_probabilities
from tlpo.report.sample import Sample
from tlpo.report.words import REFERENCES, checklist, methods, sentence, warn
from tlpo.response import fits_signs
from tlpo.results.comparison import Comparison, Comparisons, compare
from tlpo.results.intervals import AucInterval
from tlpo.results.summary import in_words
from tlpo.results.tournament import Tournament
from tlpo.schedule import Schedule
from tlpo.schemes.evaluate import evaluate
from tlpo.schemes.tournament import tournament

OTHER_SCHEMES = ("loo", "kfold-pooled", "kfold-averaged", "harrell")
N_FOLDS, N_RESAMPLES = 10, 200
AN_HOUR = 3600.0


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    Attributes
    ----------
    specificity : float
        At which sensitivity is reported.
    confidence_level : float
        Of all intervals.
    prevalence : float or None
        Where the test will be used; the sample's by default.
    seed : int
        Of folds and resamples.
    n_jobs : int or None
        Processes.
    progress : bool
        Show the time left.
    missing : {"impute", "drop"}
        What was done about gaps.
    """

    specificity: float = 0.9
    confidence_level: float = 0.95
    prevalence: float | None = None
    seed: int = 0
    n_jobs: int | None = None
    progress: bool = False
    missing: str = "impute"


@dataclass(frozen=True, eq=False)
class Analysis:
    """The summary, and the results that pictures are drawn from."""

    summary: dict[str, Any]
    tournaments: dict[str, Tournament]


def forecast(sample: Sample, models: Sequence[Model]) -> list[dict[str, Any]]:
    """Say how many fits each model takes, and about how long, from one fit of it."""
    problem = make_problem(
        features_of(sample), sample.y, positive=sample.labels.positive, groups=sample.groups
    )
    found = []
    for model in models:
        target = problem.signs if fits_signs(model.estimator) else problem.y
        X = model.features(sample)
        try:
            clone(model.estimator).fit(X, target)  # imports are not what is timed
            started = time.perf_counter()
            clone(model.estimator).fit(X, target)
            seconds = time.perf_counter() - started
        except Exception as error:  # whatever an estimator of the user's raises
            raise InputError(
                explain(
                    f"The model {model.name!r} cannot be fitted to the table.",
                    f"{type(error).__name__}: {str(error).strip().splitlines()[0]}",
                    "Check its parameters, or leave out the columns that it does not take.",
                )
            ) from error
        m = problem.n_units
        contest = _contest(model, sample)
        by_refitting = contest.exact_engine(Schedule()) is None
        fits = (m * (m - 1) // 2 if by_refitting else 1) + m + N_FOLDS + N_RESAMPLES
        found.append({"name": model.name, "fits": fits, "seconds": fits * seconds})
    return found


def say_forecast(expected: Sequence[dict[str, Any]], cores: int) -> list[str]:
    """Put the forecast into words, with advice if it is long."""
    fits = sum(one["fits"] for one in expected)
    seconds = sum(one["seconds"] for one in expected) / cores
    lines = [f"{fits} fits, about {in_words(max(seconds, 1.0))}."]
    if seconds > AN_HOUR:
        slowest = max(expected, key=lambda one: float(one["seconds"]))["name"]
        lines.append(
            f"That is long, mostly {slowest!r}. --journal FILE keeps what is done, --shard divides "
            "it among machines, tlpo.quicksort ranks units with far fewer fits; 'rls' and 'lda' on "
            "numeric features need hardly any."
        )
    return lines


def analyse(
    sample: Sample,
    models: Sequence[Model],
    options: Options,
    say: Callable[[str], None] = lambda _: None,
    journal: Journal | None = None,
) -> Analysis:
    """Play every model, compare them, and summarise."""
    labels = sample.labels
    played: dict[str, Tournament] = {}
    parts = []
    for model in models:
        say(f"Playing {model.name} …")
        X = model.features(sample)
        how: dict[str, Any] = {
            "positive": labels.positive,
            "groups": sample.groups,
            "n_jobs": options.n_jobs,
            "progress": options.progress,
            "journal": None if journal is None else journal.under(model.name),
        }
        t = tournament(model.estimator, X, sample.y, **how)
        played[model.name] = t
        others = evaluate(
            model.estimator,
            X,
            sample.y,
            schemes=OTHER_SCHEMES,
            n_resamples=N_RESAMPLES,
            random_state=options.seed,
            **how,
        )
        parts.append(_model(model, t, others, sample, X, options))
    names = list(played)
    pairs = _pairs(compare(*played.values(), names=names)) if len(names) > 1 else []
    summary: dict[str, Any] = {
        "schema": 1,
        "version": tlpo.__version__,
        "sklearn": sklearn.__version__,
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
        "n_units": labels.n_units,
        "n_positive": labels.n_positive,
        "n_negative": labels.n_negative,
        "positive": labels.positive,
        "negative": labels.negative,
        "target": sample.target,
        "seed": options.seed,
        "confidence_level": options.confidence_level,
        "specificity": options.specificity,
        "prevalence": options.prevalence,
        "sample": {
            "read": sample.n_read,
            "without_target": sample.n_without_target,
            "incomplete": sample.n_incomplete,
            "dropped": sample.n_dropped,
            "missing_cells": sample.n_missing_cells,
            "duplicates": sample.n_duplicates,
            "chosen_by": sample.chosen_by,
            "missing": options.missing,
            "numeric": sample.numeric,
            "categorical": sample.categorical,
            "group": sample.group,
            "n_groups": None if sample.groups is None else len(set(sample.groups)),
            "notes": sample.notes,
        },
        "models": parts,
        "comparisons": pairs,
        "warnings": [],
    }
    summary["warnings"] = warn(summary)
    summary["methods"] = methods(summary)
    summary["references"] = REFERENCES
    summary["checklist"] = checklist(summary)
    return Analysis(summary, played)


def play_shards(
    sample: Sample,
    models: Sequence[Model],
    options: Options,
    path: Path,
    shard: tuple[int, int],
    say: Callable[[str], None] = lambda _: None,
) -> bool:
    """Play a share of the games of every model that must be refitted, into a journal, if any."""
    slow = []
    for model in models:
        exact = _contest(model, sample).exact_engine(Schedule())
        if exact is None:
            slow.append(model)
        else:
            say(f"{model.name} needs no refits (engine {exact}): left to the last run.")
    if not slow:
        return False
    with Journal(path) as journal:
        for model in slow:
            say(f"Playing shard {shard[0]} of {shard[1]} of {model.name} …")
            how = ContestOptions(
                positive=sample.labels.positive,
                groups=sample.groups,
                n_jobs=options.n_jobs,
                progress=options.progress,
                journal=journal.under(model.name),
            )
            contest = Contest(model.estimator, model.features(sample), sample.y, how)
            contest.play_share(Schedule(), shard)
    return True


def _contest(model: Model, sample: Sample) -> Contest:
    options = ContestOptions(positive=sample.labels.positive, groups=sample.groups)
    return Contest(model.estimator, model.features(sample), sample.y, options)


def _model(
    model: Model, t: Tournament, others: Any, sample: Sample, X: Any, options: Options
) -> dict[str, Any]:
    level = options.confidence_level
    interval, about_lpo = t.auc_interval(level, centre="tlpo"), t.auc_interval(level)
    at = t.sensitivity_interval(options.specificity, confidence_level=level)
    schemes = [
        {"scheme": "tlpo", "auc": t.auc, "note": "ranks by wins; almost unbiased"},
        {"scheme": "lpo", "auc": t.lpo_auc, "note": "almost unbiased, no curve"},
        *(
            {
                "scheme": str(name),
                "auc": float(row["auc"]),
                "note": "" if str(row["note"]).startswith("0 of") else str(row["note"]),
            }
            for name, row in others.iterrows()
        ),
    ]
    part: dict[str, Any] = {
        "name": model.name,
        "estimator": t.estimator_name,
        "engine": t.engine,
        "auc": {"tlpo": t.auc, "lpo": t.lpo_auc, "loo": float(others.loc["loo", "auc"])},
        "described": model.described,
        "interval": _interval(interval),
        "interval_lpo": _interval(about_lpo),
        "consistency": t.consistency,
        "circular_triads": t.circular_triads,
        "n_ties": t.n_ties,
        "n_games": t.standings.n_games,
        "sensitivity_at": [
            {
                "specificity": options.specificity,
                "sensitivity": at.estimate,
                "low": at.low,
                "high": at.high,
            }
        ],
        "scores": t.scores.tolist(),
        "schemes": schemes,
        "operating_points": _points(t, options),
        "fits": t.diagnostics.fits,
        "seconds": t.diagnostics.seconds,
        "notes": list(t.diagnostics.warnings),
        "probabilities": describe_probabilities(
            model.estimator,
            X,
            sample.y,
            sample.labels.is_positive,
            sample.labels.positive,
            sample.groups,
            options.seed,
        ),
    }
    part["sentence"] = sentence(part, sample.labels.positive, sample.labels.negative)
    return part


def _interval(interval: AucInterval) -> dict[str, Any]:
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.confidence_level,
        "method": interval.method,
        "centre": interval.centre,
        "phi": interval.phi,
    }


def _points(t: Tournament, options: Options) -> list[dict[str, Any]]:
    """Pick three rows: at the specificity asked for, at the same sensitivity, and the best.

    Thresholds are taken from the data, so the rate that was asked about has the limits that
    count its threshold as estimated.
    """
    level, share = options.confidence_level, options.specificity
    table = t.operating_points(options.prevalence, level)
    se, sp = table["sensitivity"].to_numpy(), table["specificity"].to_numpy()
    # Of equal points the one that is better in the other rate.
    rows = [
        (f"specificity at least {share:g}", _best(sp >= share - 1e-9, se, sp)),
        (f"sensitivity at least {share:g}", _best(se >= share - 1e-9, sp, se)),
        ("largest sensitivity + specificity", _best(np.ones(se.size, dtype=bool), se + sp, se)),
    ]
    limits = {
        0: ("sensitivity", t.sensitivity_interval(share, confidence_level=level)),
        1: ("specificity", t.specificity_interval(share, confidence_level=level)),
    }
    found = []
    for number, (name, row) in enumerate(rows):
        point: dict[str, Any] = {"point": name}
        for key, value in table.iloc[row].items():
            point[str(key)] = value if isinstance(value, str) else float(value)
        if point["threshold"] == -np.inf:
            point["criterion"] = "everybody"
        if number in limits:
            rate, interval = limits[number]
            point[f"{rate}_low"], point[f"{rate}_high"] = interval.low, interval.high
        found.append(point)
    return found


def _best(allowed: BoolArray, first: FloatArray, second: FloatArray) -> int:
    return int(np.lexsort((np.where(allowed, second, -1.0), np.where(allowed, first, -1.0)))[-1])


def _pairs(result: Comparison | Comparisons) -> list[dict[str, Any]]:
    if isinstance(result, Comparison):
        return [result.row()]
    return [pair.row(p) for pair, p in zip(result.pairs, result.adjusted, strict=True)]
