"""Speed of several classes without refitting, as ratios in one run.

    python -m studies.benchmarks.multiclass [--most 60] [--write]

Refitting every pair would take up to an hour: it is timed on a sample of the games, which must end
alike unless the model is random. ``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import tlpo
from studies.benchmarks.engines import Row
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.arrays import FloatArray
from tlpo.engines.base import PlayedClasses
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule

CLASSES, SIZES, FEATURES, REPEATS = 3, (30, 60), 10, 3
# What takes milliseconds is timed more often.
QUICK = 10
# The model, its engine, and how many games are refitted.
MODELS: dict[str, tuple[Any, str, int]] = {
    "RidgeClassifier": (RidgeClassifier(), "least-squares", 100),
    "RLS": (tlpo.RLS(), "least-squares", 100),
    "LinearDiscriminantAnalysis": (LinearDiscriminantAnalysis(), "discriminant", 100),
    "GaussianNB": (GaussianNB(), "bayes", 100),
    "KNeighborsClassifier": (KNeighborsClassifier(), "neighbors", 100),
    "RandomForestClassifier(100)": (RandomForestClassifier(100, random_state=0), "forest", 30),
}


def data(size: int) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Draw classes of one size, each moved along a feature of its own."""
    y = np.repeat(np.arange(CLASSES), size)
    X = np.random.default_rng(size).normal(size=(y.size, FEATURES))
    X[np.arange(y.size), y] += 1.0
    return X, y


def n_different(played: PlayedClasses, refitted: PlayedClasses, games: npt.NDArray[Any]) -> int:
    """Count results that differ, of some games in the response of every class."""
    i, j = games.T
    found = 0
    for own, other in zip(played.each, refitted.each, strict=True):
        assert own.predictions is not None
        F = own.predictions.full()
        results = outcomes(F[i, j], F[j, i], own.predictions.ceiling)
        found += np.count_nonzero(results != other.outcome)
    return found


def against_refits(name: str, size: int) -> str:
    """Play all games and refit some, in turns so that load affects both."""
    model, engine, n_sampled = MODELS[name]
    X, y = data(size)
    refit = Contest(model, X, y, ContestOptions(several=True, engine="refit", n_jobs=1))
    every = np.array(np.triu_indices(y.size, k=1)).T
    fast, slow = np.inf, np.inf
    for repeat in range(REPEATS):
        games = np.random.default_rng(repeat).permutation(every)[:n_sampled]
        start = time.perf_counter()
        refitted = refit.play_classes(Schedule(listed=games))
        slow = min(slow, (time.perf_counter() - start) / n_sampled)
        for _ in range(1 if engine == "forest" else QUICK):
            start = time.perf_counter()
            played = Contest(model, X, y, ContestOptions(several=True)).play_classes(Schedule())
            fast = min(fast, time.perf_counter() - start)
        assert played.engine == engine
        assert engine == "forest" or not n_different(played, refitted, games)
    whole = len(every) * slow
    return f"{whole / fast:,.0f} × faster ({1e3 * fast:,.0f} ms against {whole:,.0f} s)"


def measure(most: int) -> list[Row]:
    """Time every case."""
    rows = []
    for name in MODELS:
        for size in (size for size in SIZES if size <= most):
            n_games = CLASSES * size * (CLASSES * size - 1) // 2
            case = f"{name}, {CLASSES} × {size} units, n = {FEATURES}: {n_games:,} games"
            rows.append((case, against_refits(name, size), "report"))
            print(*rows[-1], sep=" | ", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=60, help="the largest number of units a class")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args()
    for model, _, _ in MODELS.values():  # imports and machine code
        Contest(model, *data(5), ContestOptions(several=True)).play_classes(Schedule())
    table = markdown_table(("case", "measured", "target"), measure(options.most))
    print(table)
    if options.write:
        made = "Made by `python -m studies.benchmarks.multiclass --write` on 2 cores."
        write_blocks(DOCS / "performance.md", {"several classes": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
