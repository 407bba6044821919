"""Trees and boosting without refitting, timed against fits of the estimator.

    python -m studies.benchmarks.trees [--write]

Refits are timed on a few games, which must end alike. ``--write`` puts the table into
docs/performance.md.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tlpo
from studies.benchmarks.engines import best, data
from studies.benchmarks.refits import against_refits
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.execution.fits import Fit
from tlpo.games.contest import Contest, ContestOptions

CASES: tuple[tuple[str, Any, str, int, int], ...] = (
    ("DecisionTreeClassifier", DecisionTreeClassifier(random_state=0), "tree", 100, 5),
    ("GradientBoostingClassifier", GradientBoostingClassifier(random_state=0), "boosting", 50, 30),
    ("GradientBoostingClassifier", GradientBoostingClassifier(random_state=0), "boosting", 100, 30),
    ("GradientBoostingRegressor", GradientBoostingRegressor(random_state=0), "boosting", 100, 30),
    (
        "StandardScaler, GradientBoostingClassifier",
        make_pipeline(StandardScaler(), GradientBoostingClassifier(random_state=0)),
        "boosting",
        50,
        10,
    ),
    ("ExtraTreesClassifier(100)", ExtraTreesClassifier(random_state=0), "forests", 50, 10),
    (
        'RandomForestClassifier(100, class_weight="balanced")',
        RandomForestClassifier(class_weight="balanced", random_state=0),
        "forests",
        50,
        10,
    ),
)


def games(n_sampled: int = 20) -> list[tuple[str, str, str]]:
    rows = []
    for name, estimator, engine, m, target in CASES:
        X, y = data(m, 10)
        found = against_refits(estimator, X, y, engine, n_sampled)
        assert found.n_different == 0
        rows.append((f"{name}, m = {m}, n = 10", found.gain, f"≥ {target} ×"))
    return rows


def resamples(n_fits: int = 20) -> list[tuple[str, str, str]]:
    """Time forests that are fitted to resamples, in compiled loops and by scikit-learn."""
    X, y = data(100, 10)
    rng = np.random.default_rng(0)
    fits = [
        Fit(train, np.setdiff1d(np.arange(100), train))
        for train in rng.integers(0, 100, (n_fits, 100))
    ]
    estimator = RandomForestClassifier(random_state=0)
    seconds, responses = [], []
    for engine in ("forest", "refit"):
        contest = Contest(estimator, X, y, ContestOptions(engine=engine))
        responses.append(contest.fit(fits, "fits", "Fits").responses)
        seconds.append(best(lambda own=contest: own.fit(fits, "fits", "Fits")) / n_fits)
    assert all(map(np.array_equal, *responses))
    fast, slow = seconds
    gain = f"{slow / fast:,.0f} × faster ({1e3 * fast:.1f} ms a fit against {1e3 * slow:.0f} ms)"
    return [("RandomForestClassifier(100), resamples, m = 100, n = 10", gain, "≥ 5 ×")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args()
    for _, estimator, *_ in CASES:
        tlpo.tournament(estimator, *data(20, 3))  # imports and machine code
    table = markdown_table(("case", "measured", "target"), games() + resamples())
    print(table, flush=True)
    if options.write:
        made = "Made by `python -m studies.benchmarks.trees --write` on 2 cores."
        write_blocks(DOCS / "performance.md", {"trees": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
