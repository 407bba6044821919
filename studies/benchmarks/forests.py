"""What one larger forest saves, and how far its AUC is from that of refitting.

    python -m studies.benchmarks.forests [--seeds 20] [--write]

Refitting every pair would take hours: it is timed on a few games. ``--write`` puts both tables into
docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tlpo
from studies.benchmarks.engines import data
from studies.benchmarks.refits import against_refits
from studies.marked import DOCS, markdown_table, write_blocks

CASES: tuple[tuple[str, Any, int, int], ...] = (
    ("RandomForestClassifier(100)", RandomForestClassifier(100, random_state=0), 100, 300),
    ("RandomForestClassifier(500)", RandomForestClassifier(500, random_state=0), 200, 1000),
    ("BaggingClassifier(SVC(gamma='auto'))", BaggingClassifier(SVC(gamma="auto")), 60, 50),
    (
        "BaggingClassifier(make_pipeline(StandardScaler(), SVC()))",
        BaggingClassifier(make_pipeline(StandardScaler(), SVC())),
        60,
        50,
    ),
)


def speed(n_sampled: int = 12) -> list[tuple[str, str, str]]:
    rows = []
    for name, estimator, m, target in CASES:
        X, y = data(m, 10)
        found = against_refits(estimator, X, y, "forest", n_sampled)
        n_games = found.played.standings.n_games
        rows.append(
            (
                f"{name}, m = {m}, n = 10: {found.played.diagnostics.fits} models instead of "
                f"{n_games * estimator.n_estimators:,}",
                found.gain,
                f"≥ {target} ×",
            )
        )
    return rows


def spread(n_seeds: int) -> list[tuple[str, ...]]:
    """Compare the leave-pair-out AUC over seeds: the data stay the same."""
    rows = []
    for m, n_trees, seeds in ((30, 30, n_seeds), (60, 30, n_seeds // 2)):
        X, y = data(m, 10)
        aucs = {
            engine: np.array(
                [
                    tlpo.leave_pair_out(
                        RandomForestClassifier(n_trees, random_state=seed), X, y, engine=engine
                    ).auc
                    for seed in range(seeds)
                ]
            )
            for engine in ("refit", "forest")
        }
        a, b = aucs["refit"], aucs["forest"]
        error = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / seeds)
        rows.append(
            (
                f"{m}, {n_trees} trees, {seeds} seeds",
                *(f"{v.mean():.4f}, SD {v.std(ddof=1):.4f}" for v in (a, b)),
                f"{b.mean() - a.mean():+.4f} ± {error:.4f}",
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args()
    tlpo.tournament(RandomForestClassifier(2), *data(30, 3))  # imports and machine code
    start = time.perf_counter()
    table = markdown_table(("case", "measured", "target"), speed())
    print(table, flush=True)
    head = ("m", "refitting", "one forest", "difference")
    seeds = markdown_table(head, spread(options.seeds))
    print(seeds)
    if options.write:
        took = time.perf_counter() - start
        machine = f"{os.cpu_count()} cores, {platform.machine()}, Python"
        made = (
            f"Made by `python -m studies.benchmarks.forests --write`, {took:.0f} s, {machine} "
            f"{platform.python_version()}."
        )
        write_blocks(DOCS / "performance.md", {"forests": f"{table}\n\n{made}", "seeds": seeds})


if __name__ == "__main__":
    main()
