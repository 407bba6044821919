"""Thousands of units: how long a tournament takes, and how many games are played.

    python -m studies.benchmarks.many_units [--write]

Times are those of the processor, over all threads. Tests of the engines compare the games with
refits. ``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.arrays import FloatArray, IntArray

CASES = (
    ("5-NN", KNeighborsClassifier(5), (1_000, 3_000, 10_000)),
    ("5-NN by distance", KNeighborsClassifier(5, weights="distance"), (3_000, 10_000)),
    ("logistic, tol = 1e-6", LogisticRegression(tol=1e-6), (1_000, 3_000, 10_000, 100_000)),
    ("logistic, tol = 1e-4 (default)", LogisticRegression(), (1_000, 3_000)),
)


def sample(m: int) -> tuple[FloatArray, IntArray]:
    """Draw ten normal columns, each a little larger among positives."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([1, 0], [m // 2, m - m // 2]))
    return rng.normal(size=(m, 10)) + 0.3 * y[:, None], y


def measure() -> list[tuple[str, ...]]:
    """Time every case."""
    rows = []
    for name, model, sizes in CASES:
        estimator = make_pipeline(StandardScaler(), model)
        tlpo.tournament(estimator, *sample(1_200))  # compiles
        rows += [_row(f"{name}, m = {m:,}", estimator, m) for m in sizes]
    return rows


def _row(name: str, estimator: Any, m: int) -> tuple[str, ...]:
    X, y = sample(m)
    start = time.process_time()
    diagnostics = tlpo.tournament(estimator, X, y).diagnostics
    seconds = time.process_time() - start
    row = (
        name,
        f"{seconds:.1f} s",
        f"{diagnostics.pairs_played:,}",
        f"{diagnostics.games_evaluated:,}",
        f"{diagnostics.fits - 1:,}",
        " ".join(diagnostics.warnings) or "—",
    )
    print(*row, sep=" | ", flush=True)
    return row


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    write = parser.parse_args().write
    heads = ("StandardScaler and …", "processor time", "games", "solved or played", "refitted", "")
    table = markdown_table(heads, measure())
    print(table)
    if write:
        made = "Made by `python -m studies.benchmarks.many_units --write`."
        write_blocks(DOCS / "performance.md", {"many units": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
