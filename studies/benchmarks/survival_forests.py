"""What one larger survival forest saves, what it holds, and how far it is from refitting.

    python -m studies.benchmarks.survival_forests [--only TEXT …] [--write]

Refitting every pair would take hours: it is timed on a few games. ``--write`` puts the table into
docs/performance.md. Needs scikit-survival.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sksurv.ensemble import ExtraSurvivalTrees, RandomSurvivalForest

from studies.benchmarks.memory import peak_memory
from studies.benchmarks.refits import against_refits
from studies.benchmarks.rows import measure_rows
from studies.benchmarks.survival import data
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

UNITS, LARGEST = (50, 100, 200), 300
SEEDS = 20
# What must be reached, against refits.
GOALS = {100: "≥ 100 ×"}
MODELS: dict[str, Any] = {
    "RandomSurvivalForest(100)": RandomSurvivalForest(100, random_state=0),
    "ExtraSurvivalTrees(100)": ExtraSurvivalTrees(100, random_state=0),
}


def speed(name: str, m: int, n_sampled: int = 6) -> tuple[str, str]:
    """Time all games, and some refits."""
    estimator = MODELS[name]
    X, y = data(m)
    Contest(estimator, *data(20)).play(Schedule())  # imports and machine code
    found = against_refits(estimator, X, y, "forest", n_sampled)
    refitted = found.played.standings.n_games * estimator.n_estimators
    trees = f"{found.played.diagnostics.fits:,} trees instead of {refitted:,}"
    return f"{found.gain}; {trees}", GOALS.get(m, "—")


def play(X: Any, y: Any) -> None:
    """Play all games of a forest."""
    Contest(MODELS["RandomSurvivalForest(100)"], X, y).play(Schedule())


def memory(m: int) -> tuple[str, str]:
    """Say how much memory all games need."""
    return f"{peak_memory(play, data, m, 20) / 1e6:.0f} MB", "—"


def spread(n_seeds: int, m: int = 20, n_trees: int = 10) -> tuple[str, str]:
    """Compare the concordance over seeds: the data stay the same."""
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
                        ContestOptions(engine=engine),
                    )
                    for seed in range(n_seeds)
                )
            ]
        )
        for engine in ("refit", "forest")
    }
    a, b = found["refit"], found["forest"]
    error = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / n_seeds)
    refits, forest = (f"{v.mean():.4f} (SD {v.std(ddof=1):.4f})" for v in (a, b))
    difference = f"{b.mean() - a.mean():+.4f} ± {error:.4f}"
    return f"{refits} by refits, {forest} by one forest, difference {difference}", "—"


def main() -> None:
    """Measure speed, memory and the concordance over seeds."""
    cases = {f"{name}, m = {m}": partial(speed, name, m) for name in MODELS for m in UNITS}
    cases[f"memory of all games of RandomSurvivalForest(100), m = {LARGEST}"] = partial(
        memory, LARGEST
    )
    cases[f"concordance over {SEEDS} seeds, m = 20, 10 trees"] = partial(spread, SEEDS)
    measure_rows(
        __doc__,
        cases,
        head=("case", "measured", "goal"),
        block="survival forests",
        made="Made by `python -m studies.benchmarks.survival_forests --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
