"""Measure coverage of intervals and error rates of tests by simulation.

    python -m studies.coverage --csv docs/coverage.csv
    python -m studies.pages --csv docs/coverage.csv --page docs/inference.md

The first command measures (about two hours on two cores), the second writes the tables of the page;
``make coverage`` runs both. Every setting is declared below. Every repetition has its own seed, so
the table does not depend on the number of cores.

Finished repetitions are kept in a journal next to the CSV file, as in ``tlpo reproduce``: if
interrupted or killed, the same command resumes. The journal is bound to the exact source code and
refused after any change to it, so that no table mixes two versions of a method unnoticed. When
everything has been measured the journal is removed, and the next run starts afresh.

The CSV file is only an output: what it already holds is measured again. ``--only`` measures a part,
for example a new setting; it keeps the rows of all other settings, and the journal.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn

import tlpo
from studies.simulations import GroupedSimulation, Simulation, Truth
from tlpo.arrays import IntArray
from tlpo.execution.journal import Part, open_part
from tlpo.experiments.repetitions import Rows, repeat
from tlpo.results.comparison import compare
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.methods import METHODS
from tlpo.roc.rates import point_limits
from tlpo.schemes.permutation import permutation_test

REPETITIONS = 2000
LEVEL = 0.95
# Learners that are refitted for every pair get fewer repetitions.
SLOW = {"forest": 200, "boosting": 200}
PERMUTATIONS = 199

# learner, units, share of positives, features, signal features
KNOWN = [
    Simulation(*row)
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
    Simulation(*row)
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
# Two learners on the same units; the second is named after the setting of the first.
RIVALS = [
    (Simulation(*row), rival)
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
# patients, images per patient, features
GROUPED = [
    GroupedSimulation(*row) for row in ((12, 5, 2), (20, 3, 2), (20, 5, 1), (40, 2, 2), (40, 5, 2))
]
PERMUTED = [
    Simulation(*row)
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
    """Repetitions of one setting.

    Attributes
    ----------
    name : str
        Unique.
    measure : callable
        From the number of a repetition to a mean and a width by quantity. The quantities are the
        same in all repetitions; one that does not exist in a repetition is NaN.
    repetitions : int
        How many.
    """

    name: str
    measure: Callable[[int], dict[str, tuple[float, float]]]
    repetitions: int


def measure_intervals(setting: Simulation, repetition: int) -> dict[str, tuple[float, float]]:
    """Draw a sample; return which intervals contain the truth, and their widths."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    t, truth = setting.play(X, y), setting.truth(X, y)
    found = {"true AUC": (truth.auc, 0.0), "LPO AUC": (t.lpo_auc, 0.0), "TLPO AUC": (t.auc, 0.0)}
    for method in METHODS:
        interval = t.auc_interval(LEVEL, method, random_state=rng)  # type: ignore[arg-type]
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
    missing = (np.nan, np.nan)  # the half has too few units of a class
    found["subgroup"] = missing if np.isnan(low) else _hold(low, high, truth.auc)
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


def measure_groups(setting: GroupedSimulation, repetition: int) -> dict[str, tuple[float, float]]:
    """Play patients with several images; compute one interval as if the images were patients."""
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
    setting: Simulation, rival: str, repetition: int
) -> dict[str, tuple[float, float]]:
    """Compare two learners on one sample."""
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


def measure_permutation(setting: Simulation, repetition: int) -> dict[str, tuple[float, float]]:
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
    """Return everything that is measured."""
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


def measure(
    what: Measurement, n_jobs: int | None, progress: bool, journal: Part | None = None
) -> pd.DataFrame:
    """Repeat one measurement and average it: one row per quantity."""
    repeated = repeat(
        partial(_repeat, what.measure),
        what.repetitions,
        None if journal is None else journal.section(what.name),
        title=what.name,
        n_jobs=n_jobs,
        progress=progress,
    )
    rows = []
    for k, quantity in enumerate(repeated.names):
        values = repeated.values[:, k]
        values = values[~np.isnan(values[:, 0])]
        if not len(values):
            continue
        rows.append(
            {
                "measurement": what.name,
                "quantity": quantity,
                "mean": values[:, 0].mean(),
                "se": values[:, 0].std(ddof=1) / np.sqrt(len(values)),
                "width": values[:, 1].mean(),
                "repetitions": len(values),
                "requested": what.repetitions,
                "seconds": round(repeated.seconds, 1),
            }
        )
    return pd.DataFrame(rows)


def _repeat(one: Callable[[int], dict[str, tuple[float, float]]], repetitions: IntArray) -> Rows:
    found = [one(int(k)) for k in repetitions]
    return Rows(np.array([list(values.values()) for values in found]), tuple(found[0]))


def _hold(low: float, high: float, truth: float) -> tuple[float, float]:
    """Tell whether limits contain the truth, and how wide they are."""
    # Allow for rounding: limits of exactly 0 and 1 contain truths of 1 − 1e-16.
    return float(low - 1e-12 <= truth <= high + 1e-12), float(high - low)


def fingerprint() -> dict[str, str]:
    """Return what the numbers depend on: the code, and the libraries it calls."""
    code = hashlib.blake2b(digest_size=8)
    for package in (Path(tlpo.__file__).parent, Path(__file__).parent):
        for path in sorted(package.rglob("*.py")):
            code.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return {
        "study": "coverage",
        "code": code.hexdigest(),
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }


def merge(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Replace the rows of what was measured again; keep all others, and the order."""
    if old.empty:
        return new
    names = dict.fromkeys([*old["measurement"], *new["measurement"]])
    fresh = set(new["measurement"])

    def rows(name: str) -> pd.DataFrame:
        table = new if name in fresh else old
        return table[table["measurement"] == name]

    return pd.concat([rows(name) for name in names], ignore_index=True)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument(
        "--only", default="*", help="pattern of names, for example 'interval knn-*'"
    )
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--csv", type=Path, default=Path("coverage.csv"))
    arguments = parser.parse_args()
    chosen = [m for m in measurements(arguments.repetitions) if fnmatch(m.name, arguments.only)]
    if not chosen:
        parser.error(f"no measurement matches {arguments.only!r}")
    kept = arguments.csv.with_suffix(".tlpo")
    found = []
    with open_part(kept, "coverage", fingerprint) as journal:
        for what in chosen:
            found.append(measure(what, arguments.n_jobs, True, journal))
            print(f"{what.name}: {found[-1]['seconds'].iloc[0]:.0f} s", flush=True)
    old = pd.read_csv(arguments.csv) if arguments.csv.exists() else pd.DataFrame()
    table = merge(old, pd.concat(found, ignore_index=True))
    table.to_csv(arguments.csv, index=False, float_format="%.6g")
    if arguments.only == "*":
        kept.unlink()


if __name__ == "__main__":
    main()
