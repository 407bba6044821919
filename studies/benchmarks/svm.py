"""Support vector machines without refitting, against fits.

    python -m studies.benchmarks.svm [--only TEXT …] [--write]

Times of refits are those of some, each without one pair, times the number of games. These games are
compared first. ``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC

from studies.benchmarks.engines import best
from studies.benchmarks.rows import measure_rows
from studies.benchmarks.sparse import M, data, seconds_a_fit
from tlpo.games.contest import Contest
from tlpo.games.schedule import Schedule

N = 10
PAIRS = 100
# What must be reached, in fits.
GOALS = {"SVC": "≥ 30 ×", "SVC, C = 100": "≥ 8 ×"}
MODELS: dict[str, Any] = {
    "SVC": SVC(),
    "SVC, C = 100": SVC(C=100.0),
    "SVC, gamma = 0.1": SVC(gamma=0.1),
    "SVC, linear": SVC(kernel="linear"),
    "NuSVC": NuSVC(),
    "SVR": SVR(),
    "scaler + SVC": make_pipeline(StandardScaler(), SVC()),
    "scaler + SVC, C = 100": make_pipeline(StandardScaler(), SVC(C=100.0)),
    "scaler + SVC, linear": make_pipeline(StandardScaler(), SVC(kernel="linear")),
    "scaler + SVR": make_pipeline(StandardScaler(), SVR()),
}


def measure(name: str) -> tuple[str, str, str, str]:
    """Time a machine: a game, and how many times longer a fit takes; count refitted games."""
    X, y = data(N)
    pairs = np.column_stack(np.triu_indices(M, 1))
    games = pairs[np.random.default_rng(0).permutation(len(pairs))[:PAIRS]]
    contest = Contest(MODELS[name], X, y)
    some = contest.play(Schedule(listed=games))
    slow, outcome = seconds_a_fit(MODELS[name], X, y, games)
    assert some.engine == "svm"
    assert np.array_equal(some.outcome, outcome)
    played = contest.play(Schedule())
    fast = best(lambda: contest.play(Schedule())) / len(pairs)
    refitted = f"{played.diagnostics.fits - 1:,}"
    return f"{1e6 * fast:.0f} µs", f"{slow / fast:.0f} ×", refitted, GOALS.get(name, "—")


def main() -> None:
    """Measure every machine."""
    measure_rows(
        __doc__,
        {name: partial(measure, name) for name in MODELS},
        head=(f"m = {M}, n = {N}", "a game", "a fit takes", "games refitted", "goal"),
        block="svm",
        made="Made by `python -m studies.benchmarks.svm --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
