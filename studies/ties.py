"""Measure how wrong ROC curves and AUCs are where games tie.

    python -m studies.ties --csv docs/ties.csv
    python -m studies.ties_page

The first command measures, the second writes the tables and the picture of docs/ties.md. The truth
is the curve, on new test units, of the model trained on all units of the sample. Errors of the
sensitivity are given as read off the line between two thresholds and, "attainable", at the best
threshold that keeps the specificity.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from studies.measure import Measurement, Quantities, command
from studies.simulations import DEPTHS, Simulation
from tlpo.arrays import BoolArray, FloatArray
from tlpo.games.response import fit_and_respond
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve, roc_curve, sensitivity_at, wmw_auc
from tlpo.roc.pooled import anchor, pooled_curve

TEST_UNITS = 4000
RATES = np.linspace(0, 1, 401)[1:-1]
N_FEATURES = 4
SIGNALS = {"no": 0, "some": 2, "strong": 4}
# Learner, sizes, repetitions at each of them, features.
SETTINGS: list[tuple[str, dict[int, int], str]] = [
    # One point makes up the curve, so readings between points vary most.
    ("1-NN", {30: 2000, 60: 2000, 100: 2000, 200: 2000}, "normal"),
    ("3-NN", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("5-NN", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("11-NN", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("25-NN", {60: 400, 100: 400, 200: 200}, "normal"),
    *((f"tree of depth {d}", {30: 400, 60: 400, 100: 200, 200: 40}, "normal") for d in DEPTHS),
    ("boosting", {30: 400, 60: 200, 100: 50, 200: 10}, "normal"),
    ("naive Bayes", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("forest", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("forest of 100", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    # Refitted for every pair, so repeated less often.
    ("SVC", {30: 200, 60: 60, 100: 30, 200: 16}, "normal"),
    ("ridge", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("knn", {30: 400, 60: 400, 100: 400, 200: 200}, "normal"),
    ("logistic", {30: 400, 60: 400, 100: 200, 200: 60}, "normal"),
    ("ridge", {30: 400, 60: 400, 100: 400, 200: 200}, "ordinal"),
    ("ridge", {30: 400, 60: 400, 100: 400, 200: 200}, "binary"),
    ("logistic", {30: 400, 60: 400, 100: 200, 200: 60}, "ordinal"),
    ("logistic", {30: 400, 60: 400, 100: 200, 200: 60}, "binary"),
]
# With few positives.
RARE = [("3-NN", 60), ("5-NN", 100), ("ridge", 60), ("knn", 60)]


def curves(t: Tournament, y: BoolArray) -> dict[str, RocCurve]:
    """Return every curve that was considered.

    "Mean" ranks the units by the mean of their predictions over opponents.
    """
    F = t.predictions
    assert F is not None
    pooled = pooled_curve(F, y)
    mean = np.where(y, np.nanmean(F[:, ~y], axis=1), np.nanmean(F[:, y], axis=1))
    return {
        "tournament": roc_curve(t.scores, y),
        "pooled": pooled,
        "anchored": anchor(pooled, t.auc),
        "mean, anchored": anchor(roc_curve(mean, y), t.auc),
    }


def measure_curves(setting: Simulation, repetition: int) -> Quantities:
    """Draw a sample and compare every curve with the truth on new units."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    t = setting.play(X, y)
    y_test = np.arange(TEST_UNITS) % 2 == 1
    X_test = setting.draw_features(rng, y_test)
    scores = fit_and_respond(setting.estimator, X, y, X_test)
    truth = roc_curve(scores, y_test)
    true_auc = wmw_auc(scores, y_test)
    found = {
        "tied games": t.n_ties / t.standings.n_games,
        "true AUC": true_auc,
        "error of the TLPO AUC": t.tlpo_auc - true_auc,
        "error of the LPO AUC": t.auc - true_auc,
    }
    for name, curve in curves(t, y).items():
        for s in (0.8, 0.9):
            found[f"{name}: sensitivity at {s:g}"] = _line(curve, 1 - s) - _line(truth, 1 - s)
            found[f"{name}: attainable sensitivity at {s:g}"] = sensitivity_at(
                curve, s
            ) - sensitivity_at(truth, s)
        difference = _line(curve, RATES) - _line(truth, RATES)
        found[f"{name}: root mean square error"] = np.sqrt(np.mean(difference**2))
    return {name: (float(value), 0.0) for name, value in found.items()}


def _line(curve: RocCurve, fpr: FloatArray | float) -> FloatArray:
    return np.interp(fpr, curve.fpr, curve.tpr)


def name_of(setting: Simulation) -> str:
    """Name a setting: learner, features, size, share of positives, signal."""
    signal = next(word for word, n in SIGNALS.items() if n == setting.n_signal)
    features = "" if setting.features == "normal" else f", {setting.features} features"
    return f"{setting.learner}{features}, m = {setting.n_units}, {setting.fraction:.0%}, {signal}"


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    settings = [
        (Simulation(learner, m, 0.5, N_FEATURES, n_signal, features), most)  # type: ignore[arg-type]
        for learner, sizes, features in SETTINGS
        for m, most in sizes.items()
        for n_signal in SIGNALS.values()
    ]
    settings += [
        (Simulation(learner, m, 0.2, N_FEATURES, n_signal), 400)
        for learner, m in RARE
        for n_signal in (0, 2)
    ]
    return [
        Measurement(name_of(setting), partial(measure_curves, setting), min(most, repetitions))
        for setting, most in settings
    ]


def main() -> None:
    """Measure, and write the table."""
    command("ties", __doc__.split("\n")[0], measurements, 2000)


if __name__ == "__main__":
    main()
