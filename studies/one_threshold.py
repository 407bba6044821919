"""How far a curve of as many new units is off where a model has a single threshold.

    python -m studies.one_threshold

A reading between that threshold and the corner is a ratio of two estimated rates, which is too high
on average. No curve from as many units can be expected to do better than one of new units.
"""

from __future__ import annotations

import numpy as np

from studies.simulations import Simulation
from studies.ties import N_FEATURES, SIGNALS, TEST_UNITS
from tlpo.games.response import fit_and_respond
from tlpo.roc.curve import roc_curve

REPETITIONS = 1500
SPECIFICITY = 0.9


def error_on_new_units(setting: Simulation, repetition: int) -> float:
    """Return the error of the sensitivity on as many new units as were trained on."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    readings = []
    for size in (TEST_UNITS, setting.n_units):
        is_positive = np.arange(size) % 2 == 1
        scores = fit_and_respond(setting.estimator, X, y, setting.draw_features(rng, is_positive))
        curve = roc_curve(scores, is_positive)
        readings.append(np.interp(1.0 - SPECIFICITY, curve.fpr, curve.tpr))
    return float(readings[1] - readings[0])


def main() -> None:
    """Print the mean error and its Monte-Carlo error."""
    setting = Simulation("1-NN", 60, 0.5, N_FEATURES, SIGNALS["strong"])
    errors = [error_on_new_units(setting, k) for k in range(REPETITIONS)]
    se = np.std(errors, ddof=1) / np.sqrt(REPETITIONS)
    print(f"{setting.name}: {np.mean(errors):+.3f} ± {se:.3f} ({REPETITIONS} samples)")


if __name__ == "__main__":
    main()
