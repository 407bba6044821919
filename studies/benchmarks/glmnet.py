"""A tournament of the lasso with its penalty chosen inside, against a loop of fits and of R's.

    python -m studies.benchmarks.glmnet [--only TEXT …] [--write]

The penalty is one of 30, chosen in ten folds without every pair. A loop is timed on some pairs, in
turns with the tournament. Where Rscript with glmnet and jsonlite is not installed, R's column is
empty. ``--write`` puts the table into docs/tuning.md.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tlpo
from studies.benchmarks.rows import measure_rows
from studies.benchmarks.sparse import M, data, seconds_a_fit
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

REPEATS = 3
# Pairs that are refitted in each repetition.
SAMPLED = 20
HEAD = (
    "units × features",
    "tournament",
    "a loop of fits",
    "a loop of cv.glmnet in R",
    "goal, against R",
)
# By the number of features.
GOALS = {10: "≥ 50 ×", 1000: "≥ 20 ×"}


def has_glmnet() -> bool:
    """Return whether R can be asked."""
    if shutil.which("Rscript") is None:
        return False
    load = "library(glmnet); library(jsonlite)"
    return subprocess.run(["Rscript", "-e", load], capture_output=True).returncode == 0


def seconds_of_r(X: Any, y: Any, pairs: Any) -> float:
    """Return how long R takes for one pair, its start not counted."""
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "asked.json"), Path(folder, "told.json")
        asked.write_text(json.dumps({"X": X.tolist(), "y": y.tolist(), "pairs": pairs.tolist()}))
        script = Path(__file__).with_suffix(".R")
        subprocess.run(["Rscript", str(script), str(asked), str(told)], check=True)
        return float(json.loads(told.read_text()))


def measure(n: int) -> tuple[str, str, str, str]:
    """Return the shortest of a few times, and how many times longer loops take."""
    with_r = has_glmnet()
    X, y = data(n)
    model = tlpo.ElasticNetLogisticCV()
    every = np.column_stack(np.triu_indices(M, 1))
    Contest(model, X[:20], y[:20]).play(Schedule())  # machine code
    ours, loop, loop_of_r = np.inf, np.inf, np.inf
    for repeat in range(REPEATS):
        games = np.random.default_rng(repeat).permutation(every)[:SAMPLED]
        if with_r:
            loop_of_r = min(loop_of_r, seconds_of_r(X, y, games))
        loop = min(loop, seconds_a_fit(model, X, y, games)[0])
        start = time.perf_counter()
        played = Contest(model, X, y, ContestOptions(n_jobs=1)).play(Schedule())
        ours = min(ours, time.perf_counter() - start)
        assert played.engine != "refit"

    def against(seconds: float) -> str:
        whole = len(every) * seconds
        return f"{whole:,.0f} s, {whole / ours:.1f} × longer" if np.isfinite(seconds) else ""

    return f"{ours:,.1f} s", against(loop), against(loop_of_r), GOALS[n]


def main() -> None:
    """Measure with few features and with many."""
    measure_rows(
        __doc__,
        {f"{M} × {n}": partial(measure, n) for n in GOALS},
        head=HEAD,
        block="glmnet",
        made="One process each. Made by `python -m studies.benchmarks.glmnet --write`.",
        page="tuning.md",
    )


if __name__ == "__main__":
    main()
