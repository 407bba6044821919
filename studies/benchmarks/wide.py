"""Many columns: what comes before the first game, what a game takes, and what a fit would take.

    python -m studies.benchmarks.wide [--only TEXT …] [--write]

All games are played where bounds decide most of them, or where a sample says that they take less
than `PATIENCE` seconds; else the sample says what they would take. ``--write`` puts the table into
docs/performance.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.benchmarks.growth import fit_seconds
from studies.benchmarks.rows import measure_rows
from tlpo.games.contest import Contest
from tlpo.games.schedule import Schedule

SIZES = ((3_000, 300), (500, 20_000))
SAMPLED, PATIENCE = 40, 120.0
MODELS: dict[str, Any] = {
    "ridge": RidgeClassifier(),
    "scaler + ridge": make_pipeline(StandardScaler(), RidgeClassifier()),
    "logistic, tol = 1e-6": LogisticRegression(tol=1e-6, max_iter=1000),
    "scaler + logistic, tol = 1e-6": make_pipeline(
        StandardScaler(), LogisticRegression(tol=1e-6, max_iter=1000)
    ),
}
HEAD = (
    "case",
    "before the first game",
    "the Gram matrix of X",
    "a game",
    "all games",
    "a fit",
    "fits instead of games",
)


def sample(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw normal columns, the first twenty a little larger among positives."""
    rng = np.random.default_rng(0)
    y = np.arange(m) % 2
    X = rng.normal(size=(m, n))
    X[:, :20] += 0.3 * y[:, None]
    return X, y


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long something takes, and what it returns."""
    started = time.perf_counter()
    found = act()
    return time.perf_counter() - started, found


def measure(name: str, m: int, n: int) -> tuple[str, ...]:
    """Time a model: its games, or some of them, and a fit."""
    estimator = MODELS[name]
    X, y = sample(m, n)
    Contest(estimator, X[:100], y[:100]).play(Schedule())  # imports and machine code
    pairs = np.column_stack(np.triu_indices(m, 1))
    games = pairs[np.random.default_rng(1).permutation(len(pairs))[: SAMPLED + 2]]
    contest = Contest(estimator, X, y)
    before, some = timed(lambda: contest.play(Schedule(listed=games[:2])))
    assert some.engine != "refit"
    per_game = timed(lambda: contest.play(Schedule(listed=games[2:])))[0] / SAMPLED
    expected = before + per_game * len(pairs)
    whole = f"about {expected:,.0f} s"
    if m > n or expected < PATIENCE:
        expected, played = timed(lambda: Contest(estimator, X, y).play(Schedule()))
        whole = f"{expected:.2g} s ({played.diagnostics.games_evaluated:,} played)"
    gram = timed(lambda: X @ X.T if n > m else X.T @ X)[0]
    fit = fit_seconds(estimator, X, y)
    refits = fit * len(pairs)
    return (
        f"{before:.2g} s",
        f"{gram:.2g} s",
        f"{1e3 * per_game:.2g} ms",
        whole,
        f"{fit:.2g} s",
        f"{refits / 3600:,.1f} h, {refits / expected:,.0f} ×",
    )


def main() -> None:
    """Measure every model on both tables."""
    measure_rows(
        __doc__,
        {f"{name}, {m} × {n}": partial(measure, name, m, n) for m, n in SIZES for name in MODELS},
        head=HEAD,
        block="wide",
        made="Made by `python -m studies.benchmarks.wide --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
