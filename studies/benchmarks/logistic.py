"""Speed of logistic regression without refitting, as ratios in one run.

    python -m studies.benchmarks.logistic [--only TEXT …] [--write]

``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.benchmarks.engines import best, data
from studies.benchmarks.rows import measure_rows
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule

Model = LogisticRegression | Pipeline


def scaled(**params: float) -> Pipeline:
    """Put a scaler before the model."""
    return make_pipeline(StandardScaler(), LogisticRegression(**params))


# Of models that are compared with all refits: units, features, and what must be reached.
CASES: tuple[tuple[int, int, Model, str], ...] = (
    (100, 10, scaled(), "≥ 200 ×"),
    *((200, 30, LogisticRegression(C=C), "≥ 50 ×") for C in (0.01, 1.0, 100.0)),
    *(
        (m, n, model, "≥ 20 ×")
        for m, n in ((30, 500), (100, 5000))
        for model in (LogisticRegression(), scaled())
    ),
)
# Of a thousand units.
LARGE = ((scaled(), "≤ 3 000"), (scaled(tol=1e-6), "≤ 300"))


def against_refits(m: int, n: int, estimator: Model, target: str) -> tuple[str, str]:
    """Time a tournament and all its refits, whose games are compared."""
    X, y = data(m, n)
    fast_result = tlpo.tournament(estimator, X, y)
    fast = best(lambda: tlpo.tournament(estimator, X, y))
    start = time.perf_counter()
    slow_result = tlpo.tournament(estimator, X, y, engine="refit")
    slow = time.perf_counter() - start
    assert fast_result.engine == ("logistic" if n < m else "logistic-path")
    assert np.array_equal(fast_result.standings.wins, slow_result.standings.wins)
    return (
        f"{slow / fast:,.0f} × faster ({1e3 * fast:.0f} ms against {slow:.1f} s; "
        f"{fast_result.diagnostics.fits - 1} games refitted)",
        target,
    )


def in_refits(estimator: Model, target: str) -> tuple[str, str]:
    """Time a tournament of a thousand units in refits; some games are compared."""
    X, y = data(1000, 10)
    sample = np.random.default_rng(0).permutation(499_500)[:300]
    games = np.column_stack(np.triu_indices(1000, 1))[sample]
    fits = Contest(estimator, X, y, ContestOptions(engine="refit"))
    start = time.perf_counter()
    slow_result = fits.play(Schedule(listed=games))
    one = (time.perf_counter() - start) / len(games)
    fast_result = tlpo.tournament(estimator, X, y)
    fast = best(lambda: tlpo.tournament(estimator, X, y), 2)
    F = fast_result.predictions
    assert F is not None
    assert fast_result.engine == "logistic"
    i, j = games.T
    assert np.array_equal(outcomes(F[i, j], F[j, i]), slow_result.outcome)
    diagnostics = fast_result.diagnostics
    return (
        f"{fast / one:,.0f} ({fast:.1f} s, a refit {1e3 * one:.1f} ms; "
        f"{diagnostics.games_evaluated} of 499 500 games solved, {diagnostics.fits - 1} refitted)",
        target,
    )


def _named(estimator: Model) -> str:
    if isinstance(estimator, Pipeline):
        return f"StandardScaler, {estimator[-1]}"
    return f"{estimator}"


def main() -> None:
    """Measure every case."""
    cases = {
        f"{_named(model)}, m = {m}, n = {n}, against refitting": partial(
            against_refits, m, n, model, target
        )
        for m, n, model, target in CASES
    }
    cases |= {
        f"{_named(model)}, m = 1 000, n = 10, in refits": partial(in_refits, model, target)
        for model, target in LARGE
    }
    measure_rows(
        __doc__,
        cases,
        head=("case", "measured", "target"),
        block="logistic",
        made="Made by `python -m studies.benchmarks.logistic --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
