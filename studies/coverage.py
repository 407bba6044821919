"""Measure coverage of intervals and error rates of tests by simulation.

    python -m studies.coverage --csv docs/coverage.csv
    python -m studies.pages

The first command measures (about two hours on two cores), the second writes the tables of the page;
``make coverage`` runs both. Every setting is declared below; ``studies/measure.py`` says how an
interrupted run resumes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from studies.concordances import judge_difference
from studies.markers import (
    GROUPED_MARKERS,
    MARKERS,
    RIVAL_MARKERS,
    TOURNAMENTS,
    measure_grouped_marker,
    measure_marker,
    measure_markers,
    measure_tournament,
)
from studies.markers import REPETITIONS as ENOUGH
from studies.measure import Measurement, Quantities, command, holds
from studies.probabilities import Cohort
from studies.refits import resampled_auc
from studies.simulations import GroupedSimulation, Simulation, Truth
from tlpo.arrays import BoolArray, IntArray
from tlpo.results.bootstrap_refit import BootstrapRefit
from tlpo.results.comparison import compare
from tlpo.results.intervals import rate_factor
from tlpo.results.tournament import Tournament
from tlpo.roc.methods import METHODS
from tlpo.roc.rates import point_limits
from tlpo.schemes.permutation import permutation_test

REPETITIONS = 2000
LEVEL = 0.95
# Learners that take longer get fewer repetitions.
SLOW = {"forest": 1000, "forest of 100": 1000, "boosting": 1000}
MOST_GROUPED, MOST_COMPARED = 1000, 1000
# The rule for comparisons was chosen on the first samples of each setting; later ones judge it.
CHOSEN_ON = 400
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
# Settings the intervals were not tuned on: learners whose games tie, other features, pipelines.
NEW = [
    Simulation(*row)
    for row in (
        ("1-NN", 60, 0.5, 4, 0),
        ("1-NN", 60, 0.5, 4, 2),
        ("3-NN", 30, 0.5, 4, 2),
        ("5-NN", 60, 0.5, 4, 0),
        ("5-NN", 60, 0.3, 4, 2),
        ("5-NN", 100, 0.5, 4, 4),
        ("tree of depth 2", 30, 0.5, 4, 0),
        ("tree of depth 2", 30, 0.5, 4, 2),
        *(("forest of 100", m, 0.5, 10, n) for m in (30, 60, 100, 200) for n in (0, 4)),
        ("ridge", 60, 0.5, 4, 0, "ordinal"),
        ("ridge", 60, 0.5, 4, 2, "ordinal"),
        ("logistic", 60, 0.3, 4, 2, "ordinal"),
        ("ridge", 60, 0.5, 10, 0, "heavy-tailed"),
        ("ridge", 60, 0.5, 10, 4, "heavy-tailed"),
        ("ridge", 60, 0.5, 10, 4, "correlated"),
        ("logistic", 60, 0.5, 10, 4, "correlated"),
        ("selection + LDA", 30, 0.5, 20, 0),
        ("selection + LDA", 30, 0.5, 20, 4),
        ("PCA + ridge", 30, 0.5, 10, 4),
        ("least squares", 30, 0.5, 22, 4),
        ("least squares", 60, 0.5, 50, 4),
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
        (("selection + LDA", 30, 0.5, 20, 4), "ridge"),
        (("least squares", 60, 0.5, 50, 4), "ridge"),
    )
]
# patients, images per patient, features; kind of groups, signal features
GROUPED = [
    GroupedSimulation(*row)
    for row in (
        (6, 5, 2),
        (8, 5, 2),
        (12, 2, 2),
        (12, 5, 2),
        (12, 10, 2),
        (12, 5, 2, "", 0),
        (15, 5, 2),
        (20, 5, 1),
        (40, 2, 2),
        (6, 5, 2, "unequal"),
        (12, 5, 2, "unequal"),
        (12, 10, 2, "unequal"),
        (20, 5, 2, "unequal"),
        (8, 10, 2, "mixed"),
        (12, 5, 2, "mixed"),
        (12, 5, 2, "mixed", 0),
        (10, 5, 2, "mixed unequal"),
        (15, 5, 2, "mixed unequal"),
    )
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
# Probabilities: learner, units, prevalence, features, signal features.
COHORTS = [
    Cohort(*row)
    for row in (
        ("logistic", 30, 0.5, 4, 2),
        ("logistic", 60, 0.3, 5, 2),
        ("logistic", 60, 0.3, 10, 4),
        ("logistic", 60, 0.5, 10, 0),
        ("logistic", 100, 0.2, 5, 2),
        ("LDA", 60, 0.3, 5, 2),
        ("LDA", 200, 0.3, 10, 4),
        ("naive Bayes", 60, 0.3, 5, 2),
        ("naive Bayes", 200, 0.3, 5, 2),
        ("5-NN", 60, 0.3, 4, 2),
        ("5-NN", 200, 0.3, 4, 2),
        ("boosting", 30, 0.5, 4, 2),
        ("logistic", 20, 0.5, 4, 2, "normal", 3),
        ("logistic", 30, 0.5, 4, 2, "normal", 3),
        ("naive Bayes", 30, 0.5, 4, 2, "normal", 3),
        ("right", 60, 0.3, 2, 2),
        ("right", 200, 0.1, 2, 2),
        ("right", 500, 0.3, 2, 2),
        ("too extreme", 60, 0.3, 2, 2),
        ("too extreme", 200, 0.3, 2, 2),
    )
]
COHORT_REPETITIONS = 1000
# Everything repeated on resamples: learners that `studies/refits.py` has.
REFITTED = [
    Simulation(*row)
    for row in (
        ("ridge", 30, 0.5, 10, 0),
        ("ridge", 30, 0.5, 10, 4),
        ("ridge", 30, 0.5, 10, 10),
        ("ridge", 60, 0.5, 10, 0),
        ("ridge", 60, 0.5, 10, 4),
        ("ridge", 60, 0.2, 10, 1),
        ("knn", 30, 0.5, 10, 0),
        ("knn", 30, 0.5, 10, 4),
    )
]
REFIT_REPETITIONS = 1000
N_RESAMPLES = 200
BENEFITS = (0.1, 0.3, 0.5)


def measure_intervals(setting: Simulation, repetition: int) -> Quantities:
    """Draw a sample; return which intervals contain the truth, and their widths."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    t, truth = setting.play(X, y), setting.truth(X, y)
    found = {"true AUC": (truth.auc, 0.0), "LPO AUC": (t.auc, 0.0), "TLPO AUC": (t.tlpo_auc, 0.0)}
    for method in METHODS:
        interval = t.auc_interval(LEVEL, method, random_state=rng)
        found[method] = holds(interval.low, interval.high, truth.auc)
        if method == "placement-jackknife":
            found["miss below"] = (float(truth.auc > interval.high), 0.0)
            found["miss above"] = (float(truth.auc < interval.low), 0.0)
    found |= _curve(t, truth)
    half = rng.permutation(setting.n_units) % 2
    half[y] = rng.permutation(setting.n_positive) % 2
    low, high = t.by(half, confidence_level=LEVEL)[["low", "high"]].to_numpy(float)[0]
    missing = (np.nan, np.nan)  # the half has too few units of a class
    found["subgroup"] = missing if np.isnan(low) else holds(low, high, truth.auc)
    return found


def _curve(t: Tournament, truth: Truth) -> Quantities:
    found = _readings(t, truth)
    if t._has_few_points:  # these are read between points: studies/cutoffs.py
        found = dict.fromkeys(found, (np.nan, np.nan))
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
            # Thresholds are numbers of wins only on the tournament's own curve.
            is_threshold = t.curve == "tournament"
            found[f"{name}, top {1 - share:.0%}"] = (
                holds(low[0], high[0], true[name]) if is_threshold else (np.nan, np.nan)
            )
    return found


def _readings(t: Tournament, truth: Truth) -> Quantities:
    found = {}
    for s in (0.8, 0.9):
        name = f"sensitivity at {s:g}"
        interval = t.sensitivity_interval(s, confidence_level=LEVEL)
        found[name] = holds(interval.low, interval.high, truth.sensitivity_at(s))
        found[f"bias of {name}"] = (interval.estimate - truth.sensitivity_at(s), 0.0)
    interval = t.specificity_interval(0.9, confidence_level=LEVEL)
    found["specificity at 0.9"] = holds(interval.low, interval.high, truth.specificity_at(0.9))
    band = t.roc_band(LEVEL)
    tpr = np.array([truth.sensitivity_at(1.0 - fpr) for fpr in band.fpr[1:-1]])
    inside = (band.low[1:-1] <= tpr) & (tpr <= band.high[1:-1])
    found["band, pointwise"] = (float(inside.mean()), float(np.mean(band.high - band.low)))
    found["band, whole curve"] = (float(inside.all()), float(np.mean(band.high - band.low)))
    return found


def measure_refits(setting: Simulation, repetition: int) -> Quantities:
    """Repeat leave-pair-out on resamples of one sample; also try what was rejected."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    t, truth = setting.play(X, y), setting.truth(X, y).auc
    default = t.auc_interval(LEVEL)
    aucs = np.array(
        [resampled_auc(setting.learner, X, y, _copies(rng, y)) for _ in range(N_RESAMPLES)]
    )
    found = BootstrapRefit(
        t.auc, aucs, default.degrees_of_freedom, t.labels, "", t.diagnostics, setting.learner
    )
    refit = found.auc_interval(LEVEL)
    low, high = np.quantile(aucs, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    shift = t.auc - aucs.mean()
    return {
        "true AUC": (truth, 0.0),
        "default": holds(default.low, default.high, truth),
        "bootstrap-refit": holds(refit.low, refit.high, truth),
        "percentile": holds(low, high, truth),
        "basic": holds(max(0.0, 2 * t.auc - high), min(1.0, 2 * t.auc - low), truth),
        "shifted percentile": holds(max(0.0, low + shift), min(1.0, high + shift), truth),
        "bias of resamples": (-shift, 0.0),
        "squared error": ((t.auc - truth) ** 2, 0.0),
        "variance of resamples": (float(aucs.var(ddof=1)), 0.0),
    }


def _copies(rng: np.random.Generator, y: BoolArray) -> IntArray:
    """Draw as many units of each class as there are, and count."""
    copies = np.zeros(y.size, dtype=int)
    for kind in (y, ~y):
        size = np.count_nonzero(kind)
        copies[kind] = rng.multinomial(size, np.full(size, 1 / size))
    return copies


def measure_groups(setting: GroupedSimulation, repetition: int) -> Quantities:
    """Play patients with several images; also compute an interval as if images were patients."""
    X, y, groups = setting.draw(repetition)
    t, truth = setting.play(X, y, groups), setting.truth(X, y)
    found = {"true AUC": (truth.auc, 0.0)}
    for name, one in (("with groups", t), ("as if alone", replace(t, groups=None))):
        interval = one.auc_interval(LEVEL)
        found[name] = holds(interval.low, interval.high, truth.auc)
    inflated = t.auc_interval(LEVEL, "inflated")
    found["inflated"] = holds(inflated.low, inflated.high, truth.auc)
    at = t.sensitivity_interval(0.8, confidence_level=LEVEL)
    found["sensitivity at 0.8"] = holds(at.low, at.high, truth.sensitivity_at(0.8))
    return found


def measure_comparison(setting: Simulation, rival: str, repetition: int) -> Quantities:
    """Compare two learners on one sample, also with the geometric mean of the two variances."""
    X, y = setting.draw(setting.rng(CHOSEN_ON + repetition))
    other = replace(setting, learner=rival)
    result = compare(setting.play(X, y), other.play(X, y), confidence_level=LEVEL)
    true = setting.truth(X, y).auc - other.truth(X, y).auc
    return {
        **judge_difference(result, true),
        "rejected by DeLong": (float(result.delong.p_value <= 0.05), 0.0),
    }


def measure_permutation(setting: Simulation, repetition: int) -> Quantities:
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


def measure_probabilities(setting: Cohort, repetition: int) -> Quantities:
    """Draw a cohort; return which intervals about its probabilities contain the truth."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    p, truth = setting.judge(X, y)
    missing = (np.nan, np.nan)
    found: Quantities = {}
    for name in ("brier", "scaled_brier", "slope", "intercept", "observed_expected"):
        measure, true = getattr(p, name)(LEVEL), getattr(truth, name)
        is_known = not (np.isnan(measure.estimate) or np.isnan(true))
        error = measure.estimate - true
        found[name] = holds(measure.low, measure.high, true) if is_known else missing
        found[f"error of {name}"] = (error, 0.0) if is_known else missing
        found[f"squared error of {name}"] = (error**2, 0.0) if is_known else missing
    for row in p.net_benefit(BENEFITS, LEVEL).itertuples():
        true = truth.net_benefit(row.threshold)
        found[f"net benefit at {row.threshold:g}"] = holds(row.low, row.high, true)
        found[f"error of net benefit at {row.threshold:g}"] = (row.model - true, 0.0)
    # The band says what calibrated probabilities would show.
    found["consistency band"] = missing
    if setting.learner == "right":
        curve = p.calibration_curve(LEVEL, n_resamples=400, random_state=repetition)
        values = (np.interp(p.p, curve.predicted, line) for line in curve[1:])
        observed, low, high = values
        inside = (low - 1e-12 <= observed) & (observed <= high + 1e-12)
        found["consistency band"] = (float(inside.mean()), float(np.mean(high - low)))
    return found


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    found = []
    for setting in (*KNOWN, *BEYOND, *NEW):
        most = min(repetitions, SLOW.get(setting.learner, repetitions))
        found.append(
            Measurement(f"interval {setting.name}", partial(measure_intervals, setting), most)
        )
    for setting, rival in RIVALS:
        work = partial(measure_comparison, setting, rival)
        most = min(repetitions, MOST_COMPARED)
        found.append(Measurement(f"compare {setting.name} {rival}", work, most))
    for grouped in GROUPED:
        work = partial(measure_groups, grouped)
        most = min(repetitions, MOST_GROUPED)
        found.append(Measurement(f"groups {grouped.name}", work, most))
    for setting in PERMUTED:
        work = partial(measure_permutation, setting)
        found.append(Measurement(f"permute {setting.name}", work, repetitions))
    for setting in REFITTED:
        most = min(repetitions, REFIT_REPETITIONS)
        found.append(Measurement(f"refits {setting.name}", partial(measure_refits, setting), most))
    most = min(repetitions, ENOUGH)
    for marker in MARKERS:
        work = partial(measure_marker, marker)
        found.append(Measurement(f"marker {marker.name}", work, most))
    for marker, auc, together in RIVAL_MARKERS:
        work = partial(measure_markers, marker, auc, together)
        found.append(Measurement(f"markers {marker.name} {100 * auc:.0f}", work, most))
    for several in GROUPED_MARKERS:
        work = partial(measure_grouped_marker, several)
        found.append(Measurement(f"marker groups {several.name}", work, most))
    for setting in TOURNAMENTS:
        work = partial(measure_tournament, setting)
        found.append(Measurement(f"precision {setting.name}", work, min(repetitions, 400)))
    for cohort in COHORTS:
        work = partial(measure_probabilities, cohort)
        most = min(repetitions, COHORT_REPETITIONS)
        found.append(Measurement(f"probabilities {cohort.name}", work, most))
    return found


def main() -> None:
    """Measure, and write the table."""
    command("coverage", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    main()
