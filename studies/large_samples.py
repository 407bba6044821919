"""Measure intervals of samples too large for the table of predictions: from units that are drawn.

    python -m studies.large_samples --csv docs/large_samples.csv
    python -m studies.pages

Without signal a draw leaves much of the jackknife variance open, and it is raised by its standard
error; with signal it is known to a few per cent.
"""

from __future__ import annotations

from functools import partial

from studies.measure import Measurement, Quantities, command, holds
from studies.simulations import Simulation

REPETITIONS = 400
LEVEL = 0.95
SETTINGS = [
    Simulation(*row)
    for row in (
        ("ridge", 6_000, 0.5, 10, 0),
        ("ridge", 6_000, 0.5, 10, 1),
        ("ridge", 6_000, 0.02, 10, 0),
        ("ridge", 6_000, 0.02, 10, 1),
    )
]


def measure_draw(setting: Simulation, repetition: int) -> Quantities:
    """Judge the interval of one sample, and that with a doubled variance."""
    X, y = setting.draw(setting.rng(repetition))
    t, truth = setting.play(X, y), setting.truth(X, y).auc
    default, doubled = t.auc_interval(LEVEL), t.auc_interval(LEVEL, "inflated")
    return {
        "true AUC": (truth, 0.0),
        "default": holds(default.low, default.high, truth),
        "inflated": holds(doubled.low, doubled.high, truth),
        "width error": (default.width_error or 0.0, 0.0),
    }


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    return [
        Measurement(f"draw {setting.name}", partial(measure_draw, setting), repetitions)
        for setting in SETTINGS
    ]


def main() -> None:
    """Measure, and write the table."""
    command("large_samples", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    main()
