"""Thousands of units: how long a tournament takes, and how many games are played.

    python -m studies.benchmarks.many_units [--only TEXT …] [--write]

Times are those of the processor, over all threads. Tests of the engines compare the games with
refits. ``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.benchmarks.rows import measure_rows
from tlpo.arrays import FloatArray, IntArray

# Of every model: the sizes, and the seconds that may pass on two cores.
MODELS: dict[str, tuple[Any, dict[int, str]]] = {
    "ridge": (RidgeClassifier(), {3_000: "≤ 0.5 s", 10_000: "≤ 2 s", 100_000: ""}),
    "LDA": (LinearDiscriminantAnalysis(), {3_000: "≤ 0.5 s", 10_000: "≤ 2 s", 100_000: ""}),
    "naive Bayes": (GaussianNB(), {3_000: "≤ 0.5 s", 10_000: "≤ 2 s", 100_000: ""}),
    "5-NN": (KNeighborsClassifier(5), {1_000: "", 3_000: "≤ 3 s", 10_000: "≤ 10 s"}),
    "5-NN by distance": (
        KNeighborsClassifier(5, weights="distance"),
        {3_000: "", 10_000: ""},
    ),
    "logistic, tol = 1e-6": (
        LogisticRegression(tol=1e-6),
        {1_000: "", 3_000: "≤ 2 s", 10_000: "≤ 8 s", 100_000: "≤ 60 s"},
    ),
    "logistic, tol = 1e-4 (default)": (LogisticRegression(), {1_000: "", 3_000: ""}),
}
RARE = ("logistic, tol = 1e-6", "logistic, tol = 1e-4 (default)")


def sample(m: int, n: int = 10, positives: int | None = None) -> tuple[FloatArray, IntArray]:
    """Draw normal columns, each a little larger among positives."""
    rng = np.random.default_rng(0)
    n_positive = m // 2 if positives is None else positives
    y = rng.permutation(np.repeat([1, 0], [n_positive, m - n_positive]))
    return rng.normal(size=(m, n)) + 0.3 * y[:, None], y


def rare(m: int = 20_000) -> tuple[FloatArray, IntArray]:
    """Draw a registry: twenty columns, 50 patients with the event."""
    return sample(m, 20, 50)


def measure(
    model: Any, goal: str, draw: Callable[[], tuple[FloatArray, IntArray]]
) -> tuple[str, ...]:
    """Play all games."""
    X, y = draw()
    estimator = make_pipeline(StandardScaler(), model)
    tlpo.tournament(estimator, *sample(1_200))  # compiles
    start, started = time.perf_counter(), time.process_time()
    diagnostics = tlpo.tournament(estimator, X, y).diagnostics
    seconds, processor = time.perf_counter() - start, time.process_time() - started
    return (
        f"{seconds:.2g} s",
        f"{processor:.2g} s",
        goal or "—",
        f"{diagnostics.pairs_played:,}",
        f"{diagnostics.games_evaluated:,}",
        f"{diagnostics.fits - 1:,}",
        " ".join(diagnostics.warnings) or "—",
    )


def main() -> None:
    """Measure every model and size."""
    cases = {
        f"{name}, m = {m:,}": partial(measure, model, goal, partial(sample, m))
        for name, (model, goals) in MODELS.items()
        for m, goal in goals.items()
    }
    cases |= {
        f"{name}, 20 columns, m = 20,000, 50 events": partial(measure, MODELS[name][0], "", rare)
        for name in RARE
    }
    measure_rows(
        __doc__,
        cases,
        head=(
            "StandardScaler and …",
            "time",
            "processor time",
            "goal",
            "games",
            "solved or played",
            "refitted",
            "",
        ),
        block="many units",
        made="Made by `python -m studies.benchmarks.many_units --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
