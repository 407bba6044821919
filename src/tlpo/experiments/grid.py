"""Every setting of the paper's experiments, in one place, and what each figure needs.

Montoya Perez, Airola, Boström, Jambor, Pahikkala (2018), sections 4.1-4.4 and supplement.
"""

from __future__ import annotations

from tlpo.experiments.samples import Setting

N_UNITS = 30
FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5)
LEARNERS = ("ridge", "knn")
# features, signal features
NO_SIGNAL = ((10, 0), (1000, 0))
SIGNAL = ((10, 1), (10, 4), (1000, 10), (1000, 50))
SPECIFICITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPETITIONS = 10_000
# With 15 of 9 268 tumour voxels at a time, the paper's pool gives 617 samples that share none.
POOL_REPETITIONS = 617
POOL_FRACTIONS_OF_SENSITIVITY = (0.3, 0.5)
RESAMPLES = 200


def synthetic(designs: tuple[tuple[int, int], ...]) -> list[Setting]:
    """Return the settings of some numbers of features and signal features."""
    return [
        Setting(learner, N_UNITS, fraction, *design)
        for learner in LEARNERS
        for design in designs
        for fraction in FRACTIONS
    ]


# Parts of the work, by name, that each figure is drawn from.
FIGURES: dict[str, tuple[str, ...]] = {
    "roc-example": ("pool",),
    "synthetic-bias": ("no signal", "signal"),
    "synthetic-variance": ("no signal", "signal"),
    "pool-auc": ("pool",),
    "pool-bias-variance": ("pool",),
    "sensitivity-bias": ("no signal", "signal", "pool"),
    "sensitivity-variance": ("no signal", "signal", "pool"),
    "bootstrap": ("no signal", "harrell"),
    "consistency-no-signal": ("no signal", "random"),
    "consistency-signal": ("signal",),
    "consistency-pool": ("pool",),
}
PARTS = ("no signal", "signal", "harrell", "random", "pool")
