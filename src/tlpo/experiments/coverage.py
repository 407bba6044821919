"""Measure what intervals and tests promise: how often they hold the truth, how often they err.

    python -m tlpo.experiments.coverage --csv docs/coverage.csv --write docs/inference.md

Every setting is declared below. Every repetition has a seed of its own, so the table does not
depend on the number of cores. A setting that the table already holds with as many repetitions is
not measured again, so an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from tlpo.arrays import IntArray
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.run import run_tasks
from tlpo.experiments.samples import GroupedSetting, Setting, Truth
from tlpo.results.comparison import compare
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.methods import METHODS
from tlpo.roc.rates import point_limits
from tlpo.schemes.permutation import permutation_test

REPETITIONS = 2000
LEVEL = 0.95
# Learners that are refitted for every pair are given fewer repetitions.
SLOW = {"forest": 200, "boosting": 200}
PERMUTATIONS = 199

# learner, units, share of positives, features, signal features
KNOWN = [
    Setting(*row)
    for row in (
        ("ridge", 30, 0.1, 10, 0),
        ("ridge", 30, 0.5, 10, 0),
        ("ridge", 30, 0.3, 10, 1),
        ("ridge", 30, 0.2, 10, 4),
        ("ridge", 30, 0.5, 10, 4),
        ("ridge", 30, 0.5, 10, 10),
        ("ridge", 30, 0.5, 1000, 0),
        ("ridge", 30, 0.2, 1000, 10),
        ("ridge", 30, 0.5, 1000, 50),
        ("ridge", 60, 0.1, 10, 0),
        ("ridge", 60, 0.5, 10, 0),
        ("ridge", 60, 0.3, 10, 1),
        ("ridge", 60, 0.5, 10, 4),
        ("ridge", 60, 0.1, 10, 10),
        ("ridge", 60, 0.2, 1000, 0),
        ("ridge", 60, 0.5, 1000, 50),
        ("ridge", 100, 0.2, 10, 0),
        ("ridge", 100, 0.5, 10, 0),
        ("ridge", 100, 0.5, 10, 1),
        ("ridge", 100, 0.1, 10, 4),
        ("ridge", 100, 0.5, 10, 10),
        ("ridge", 100, 0.3, 1000, 10),
        ("ridge", 100, 0.5, 1000, 50),
        ("knn", 30, 0.5, 10, 0),
        ("knn", 30, 0.3, 10, 4),
        ("knn", 30, 0.2, 1000, 0),
        ("knn", 30, 0.5, 1000, 50),
        ("knn", 60, 0.1, 10, 0),
        ("knn", 60, 0.5, 10, 4),
        ("knn", 100, 0.5, 10, 0),
        ("knn", 100, 0.2, 10, 4),
        ("logistic", 30, 0.5, 10, 0),
        ("logistic", 30, 0.3, 10, 4),
        ("logistic", 60, 0.2, 10, 1),
        ("logistic", 60, 0.5, 10, 4),
        ("logistic", 100, 0.5, 10, 0),
        ("logistic", 100, 0.5, 10, 10),
    )
]
BEYOND = [
    Setting(*row)
    for row in (
        ("ridge", 20, 0.5, 10, 0),
        ("ridge", 20, 0.3, 10, 4),
        ("ridge", 20, 0.5, 1000, 50),
        ("knn", 20, 0.5, 10, 4),
        ("logistic", 20, 0.5, 10, 4),
        ("ridge", 200, 0.5, 10, 0),
        ("ridge", 200, 0.2, 10, 1),
        ("ridge", 200, 0.5, 10, 4),
        ("ridge", 200, 0.1, 1000, 10),
        ("knn", 200, 0.5, 10, 4),
        ("ridge", 30, 0.5, 10, 0, "skewed"),
        ("ridge", 30, 0.5, 10, 4, "skewed"),
        ("ridge", 60, 0.2, 10, 1, "skewed"),
        ("knn", 30, 0.3, 10, 4, "skewed"),
        ("logistic", 60, 0.5, 10, 1, "skewed"),
        ("ridge", 30, 0.5, 10, 0, "binary"),
        ("ridge", 30, 0.5, 10, 4, "binary"),
        ("ridge", 60, 0.2, 10, 2, "binary"),
        ("knn", 30, 0.5, 10, 4, "binary"),
        ("logistic", 30, 0.3, 10, 4, "binary"),
        ("boosting", 20, 0.5, 10, 0),
        ("boosting", 20, 0.5, 10, 4),
        ("boosting", 30, 0.3, 10, 4),
        ("forest", 20, 0.5, 10, 0),
        ("forest", 20, 0.5, 10, 4),
    )
]
# Two learners on the same units; the second is named beside the setting of the first.
RIVALS = [
    (Setting(*row), rival)
    for row, rival in (
        (("ridge", 30, 0.5, 10, 0), "knn"),
        (("ridge", 60, 0.2, 10, 0), "knn"),
        (("ridge", 100, 0.5, 10, 0), "knn"),
        (("ridge", 30, 0.5, 1000, 0), "knn"),
        (("ridge", 30, 0.3, 10, 0), "logistic"),
        (("ridge", 60, 0.5, 10, 0), "stiff ridge"),
        (("ridge", 30, 0.5, 10, 4), "knn"),
        (("ridge", 60, 0.3, 10, 4), "knn"),
        (("ridge", 60, 0.5, 10, 4), "stiff ridge"),
        (("ridge", 100, 0.3, 10, 1), "logistic"),
        (("ridge", 30, 0.5, 10, 10), "logistic"),
        (("ridge", 30, 0.2, 10, 10), "knn"),
        (("ridge", 60, 0.5, 10, 10), "knn"),
        (("ridge", 30, 0.5, 1000, 50), "knn"),
    )
]
# patients, images of each, features
GROUPED = [
    GroupedSetting(*row) for row in ((12, 5, 2), (20, 3, 2), (20, 5, 1), (40, 2, 2), (40, 5, 2))
]
PERMUTED = [
    Setting(*row)
    for row in (
        ("ridge", 30, 0.5, 10, 0),
        ("ridge", 30, 0.1, 10, 0),
        ("ridge", 60, 0.2, 1000, 0),
        ("ridge", 100, 0.5, 10, 0),
        ("knn", 30, 0.5, 10, 0),
        ("knn", 60, 0.2, 10, 0),
        ("ridge", 30, 0.5, 10, 4),
        ("ridge", 60, 0.5, 10, 1),
        ("ridge", 100, 0.2, 10, 1),
    )
]


@dataclass(frozen=True)
class Measurement:
    """One repetition after another of one setting.

    Attributes
    ----------
    name : str
        Unique.
    measure : callable
        From the number of a repetition to values by quantity: did it hold, how wide.
    repetitions : int
        How many.
    """

    name: str
    measure: Callable[[int], dict[str, tuple[float, float]]]
    repetitions: int


@dataclass
class _Chunk:
    values: list[dict[str, tuple[float, float]]]
    fits: int = 0

    @property
    def finished(self) -> int:
        return len(self.values)


def measure_intervals(setting: Setting, repetition: int) -> dict[str, tuple[float, float]]:
    """Draw a sample and note which intervals hold the truth, and their widths."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    t, truth = setting.play(X, y), setting.truth(X, y)
    found = {"true AUC": (truth.auc, 0.0), "LPO AUC": (t.lpo_auc, 0.0), "TLPO AUC": (t.auc, 0.0)}
    for method in METHODS:
        interval = t.auc_interval(LEVEL, method, random_state=rng)
        found[method] = _hold(interval.low, interval.high, truth.auc)
        if method == "placement-jackknife":
            found["miss below"] = (float(truth.auc > interval.high), 0.0)
            found["miss above"] = (float(truth.auc < interval.low), 0.0)
    about = t.auc_interval(LEVEL, centre="tlpo")
    found["placement-jackknife about TLPO"] = _hold(about.low, about.high, truth.auc)
    found |= _curve(t, truth)
    half = rng.permutation(setting.n_units) % 2
    half[y] = rng.permutation(setting.n_positive) % 2
    low, high = t.by(half, confidence_level=LEVEL)[["low", "high"]].to_numpy(float)[0]
    if not np.isnan(low):
        found["subgroup"] = _hold(low, high, truth.auc)
    return found


def _curve(t: Tournament, truth: Truth) -> dict[str, tuple[float, float]]:
    found = {}
    for s in (0.8, 0.9):
        name = f"sensitivity at {s:g}"
        interval = t.sensitivity_interval(s, confidence_level=LEVEL)
        found[name] = _hold(interval.low, interval.high, truth.sensitivity_at(s))
        found[f"bias of {name}"] = (interval.estimate - truth.sensitivity_at(s), 0.0)
    interval = t.specificity_interval(0.9, confidence_level=LEVEL)
    found["specificity at 0.9"] = _hold(interval.low, interval.high, truth.specificity_at(0.9))
    band = t.roc_band(LEVEL)
    tpr = np.array([truth.sensitivity_at(1.0 - fpr) for fpr in band.fpr[1:-1]])
    inside = (band.low[1:-1] <= tpr) & (tpr <= band.high[1:-1])
    found["band, pointwise"] = (float(inside.mean()), float(np.mean(band.high - band.low)))
    found["band, whole curve"] = (float(inside.all()), float(np.mean(band.high - band.low)))
    factor, _ = rate_factor(t, LEVEL)
    p, n = t.class_sizes
    for share in (0.5, 0.8):
        above = t.scores > share * (t.labels.n_units - 1)
        counts = [
            np.array([float(np.sum(above & (t.labels.is_positive == kind)))]) for kind in (1, 0)
        ]
        limits = point_limits(counts[0], counts[1], p, n, factor, prevalence=p / (p + n))
        se, sp = truth.rates_at_share(share)
        with np.errstate(divide="ignore"):
            ratios = np.divide([se, 1.0 - se], [1.0 - sp, sp])
        odds = p / n
        true = {
            "sensitivity": se,
            "specificity": sp,
            "lr_positive": ratios[0],
            "lr_negative": ratios[1],
            "ppv": 1.0 / (1.0 + 1.0 / (ratios[0] * odds)),
            "npv": 1.0 / (1.0 + ratios[1] * odds),
        }
        for name, (low, high) in limits.items():
            found[f"{name}, top {1 - share:.0%}"] = _hold(low[0], high[0], true[name])
    return found


def measure_groups(setting: GroupedSetting, repetition: int) -> dict[str, tuple[float, float]]:
    """Play patients with several images, and forget that once they belong together."""
    X, y, groups = setting.draw(repetition)
    t, truth = setting.play(X, y, groups), setting.truth(X, y)
    found = {"true AUC": (truth.auc, 0.0)}
    for name, one in (("with groups", t), ("as if alone", replace(t, groups=None))):
        interval = one.auc_interval(LEVEL)
        found[name] = _hold(interval.low, interval.high, truth.auc)
    inflated = t.auc_interval(LEVEL, "inflated")
    found["inflated"] = _hold(inflated.low, inflated.high, truth.auc)
    at = t.sensitivity_interval(0.8, confidence_level=LEVEL)
    found["sensitivity at 0.8"] = _hold(at.low, at.high, truth.sensitivity_at(0.8))
    return found


def measure_comparison(
    setting: Setting, rival: str, repetition: int
) -> dict[str, tuple[float, float]]:
    """Let two learners play over one sample, and compare them."""
    X, y = setting.draw(setting.rng(repetition))
    other = replace(setting, learner=rival)
    result = compare(setting.play(X, y), other.play(X, y), confidence_level=LEVEL)
    true = setting.truth(X, y).auc - other.truth(X, y).auc
    return {
        "true difference": (true, 0.0),
        "interval of difference": _hold(result.low, result.high, true),
        "rejected": (float(result.p_value <= 0.05), 0.0),
        "rejected by DeLong": (float(result.delong.p_value <= 0.05), 0.0),
    }


def measure_permutation(setting: Setting, repetition: int) -> dict[str, tuple[float, float]]:
    """Test one sample by permutation."""
    X, y = setting.draw(setting.rng(repetition))
    found = {"true AUC": (setting.truth(X, y).auc, 0.0)}
    for statistic in ("lpo", "tlpo"):
        test = permutation_test(
            setting.estimator,
            X,
            y,
            n_permutations=PERMUTATIONS,
            statistic=statistic,
            random_state=repetition,
            n_jobs=1,
        )
        found[f"rejected by {statistic}"] = (float(test.p_value <= 0.05), 0.0)
    return found


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything there is to measure."""
    found = []
    for setting in (*KNOWN, *BEYOND):
        most = min(repetitions, SLOW.get(setting.learner, repetitions))
        found.append(
            Measurement(f"interval {setting.name}", partial(measure_intervals, setting), most)
        )
    for setting, rival in RIVALS:
        work = partial(measure_comparison, setting, rival)
        found.append(Measurement(f"compare {setting.name} {rival}", work, repetitions))
    for grouped in GROUPED:
        work = partial(measure_groups, grouped)
        found.append(Measurement(f"groups {grouped.name}", work, repetitions))
    for setting in PERMUTED:
        work = partial(measure_permutation, setting)
        found.append(Measurement(f"permute {setting.name}", work, repetitions))
    return found


def measure(what: Measurement, n_jobs: int | None, progress: bool) -> pd.DataFrame:
    """Repeat one measurement and average it."""
    started = time.perf_counter()
    values: list[dict[str, tuple[float, float]]] = []
    run_tasks(
        partial(_repeat, what.measure),
        np.arange(what.repetitions),
        lambda _, chunk: values.extend(chunk.values),
        RunLog(),
        n_jobs=n_jobs,
        progress=progress,
        title=what.name,
    )
    seconds = time.perf_counter() - started
    rows = []
    for quantity in dict.fromkeys(name for value in values for name in value):
        held = np.array([value[quantity] for value in values if quantity in value])
        rows.append(
            {
                "measurement": what.name,
                "quantity": quantity,
                "mean": held[:, 0].mean(),
                "se": held[:, 0].std(ddof=1) / np.sqrt(len(held)),
                "width": held[:, 1].mean(),
                "repetitions": len(held),
                "requested": what.repetitions,
                "seconds": round(seconds, 1),
            }
        )
    return pd.DataFrame(rows)


def _repeat(one: Callable[[int], dict[str, tuple[float, float]]], rounds: IntArray) -> _Chunk:
    return _Chunk([one(int(k)) for k in rounds])


def _hold(low: float, high: float, truth: float) -> tuple[float, float]:
    """Tell whether limits hold the truth, and how wide they are."""
    # A share of rounding error: limits of exactly 0 and 1 hold truths of 1 − 1e-16.
    return float(low - 1e-12 <= truth <= high + 1e-12), float(high - low)


def main() -> None:
    """Measure what is missing, and write it down."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument(
        "--only", default="*", help="pattern of names, for example 'interval knn-*'"
    )
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--csv", type=Path, default=Path("coverage.csv"))
    parser.add_argument("--write", type=Path, help="page whose tables are to be written")
    arguments = parser.parse_args()
    table = pd.read_csv(arguments.csv) if arguments.csv.exists() else pd.DataFrame()
    for what in measurements(arguments.repetitions):
        if not fnmatch(what.name, arguments.only):
            continue
        if len(table):
            own = table[table["measurement"] == what.name]
            if len(own) and own["requested"].iloc[0] >= what.repetitions:
                continue
            table = table[table["measurement"] != what.name]
        found = measure(what, arguments.n_jobs, progress=True)
        table = pd.concat([table, found], ignore_index=True)
        arguments.csv.parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(arguments.csv, index=False, float_format="%.6g")
        print(f"{what.name}: {found['seconds'].iloc[0]:.0f} s", flush=True)
    if arguments.write is not None:
        from tlpo.experiments.pages import write_tables

        write_tables(arguments.write, table)


if __name__ == "__main__":
    main()
