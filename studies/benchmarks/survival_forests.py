"""What one larger survival forest saves, what it holds, and how far it is from refitting.

    python -m studies.benchmarks.survival_forests [--seeds 20] [--most 200]

Refitting every pair would take hours: it is timed on a few games. ``--most 300`` adds the largest
size, where memory matters. Needs scikit-survival.
"""

from __future__ import annotations

import argparse
import tracemalloc
from typing import Any

import numpy as np
from sksurv.ensemble import ExtraSurvivalTrees, RandomSurvivalForest

from studies.benchmarks.refits import against_refits
from studies.benchmarks.survival import UNITS, data
from studies.marked import markdown_table
from tlpo.games.contest import Contest, Options
from tlpo.games.schedule import Schedule

TARGET = 100
MODELS: dict[str, Any] = {
    "RandomSurvivalForest(100)": RandomSurvivalForest(100, random_state=0),
    "ExtraSurvivalTrees(100)": ExtraSurvivalTrees(100, random_state=0),
}


def speed(most: int, n_sampled: int = 6) -> list[tuple[str, str, str]]:
    rows = []
    for name, estimator in MODELS.items():
        for m in (m for m in UNITS if m <= most):
            X, y = data(m)
            found = against_refits(estimator, X, y, "forest", n_sampled)
            n_games = found.played.standings.n_games
            rows.append(
                (
                    f"{name}, m = {m}: {found.played.diagnostics.fits} trees instead of "
                    f"{n_games * estimator.n_estimators:,}",
                    found.gain,
                    f"≥ {TARGET} ×",
                )
            )
            print(*rows[-1], sep=" | ", flush=True)
    return rows


def memory(m: int) -> str:
    """Say how much is allocated while all games are played."""
    X, y = data(m)
    contest = Contest(MODELS["RandomSurvivalForest(100)"], X, y)
    tracemalloc.start()
    contest.play(Schedule())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"{peak / 2**20:.0f} MB allocated at most, m = {m}"


def spread(n_seeds: int) -> list[tuple[str, ...]]:
    """Compare the concordance over seeds: the data stay the same."""
    m, n_trees = 20, 10
    X, y = data(m)
    found = {
        engine: np.array(
            [
                contest.play(Schedule("ordered")).standings.concordance(contest.outcome)
                for contest in (
                    Contest(
                        RandomSurvivalForest(n_trees, random_state=seed),
                        X,
                        y,
                        Options(engine=engine),
                    )
                    for seed in range(n_seeds)
                )
            ]
        )
        for engine in ("refit", "forest")
    }
    a, b = found["refit"], found["forest"]
    error = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / n_seeds)
    return [
        (
            f"{m}, {n_trees} trees, {n_seeds} seeds",
            *(f"{v.mean():.4f}, SD {v.std(ddof=1):.4f}" for v in (a, b)),
            f"{b.mean() - a.mean():+.4f} ± {error:.4f}",
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--most", type=int, default=200, help="the largest number of units")
    options = parser.parse_args()
    Contest(RandomSurvivalForest(2), *data(20)).play(Schedule())  # imports and machine code
    print(markdown_table(("case", "measured", "target"), speed(options.most)), flush=True)
    print(memory(options.most), flush=True)
    head = ("m", "refitting", "one forest", "difference")
    print(markdown_table(head, spread(options.seeds)))


if __name__ == "__main__":
    main()
