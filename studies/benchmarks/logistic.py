"""Speed of logistic regression without refitting, as ratios in one run.

    python -m studies.benchmarks.logistic [--write]

``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.benchmarks.engines import Row, best, data
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.games.contest import Contest, Options
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule


def measure() -> list[Row]:
    """Time every case; its games are compared with those of refits first."""
    rows = []

    def scaled(**params: float) -> Pipeline:
        return make_pipeline(StandardScaler(), LogisticRegression(**params))

    for m, n, estimator, target in (
        (100, 10, scaled(), "≥ 200 ×"),
        *((200, 30, LogisticRegression(C=C), "≥ 50 ×") for C in (0.01, 1.0, 100.0)),
        *((30, 500, estimator, "≥ 20 ×") for estimator in (LogisticRegression(), scaled())),
        *((100, 5000, estimator, "≥ 20 ×") for estimator in (LogisticRegression(), scaled())),
    ):
        X, y = data(m, n)
        fast_result = tlpo.tournament(estimator, X, y)
        fast = best(lambda e=estimator, X=X, y=y: tlpo.tournament(e, X, y))
        start = time.perf_counter()
        slow_result = tlpo.tournament(estimator, X, y, engine="refit")
        slow = time.perf_counter() - start
        assert fast_result.engine == ("logistic" if n < m else "logistic-path")
        assert np.array_equal(fast_result.standings.wins, slow_result.standings.wins)
        refitted = fast_result.diagnostics.fits - 1
        rows.append(
            (
                f"{_named(estimator)}, m = {m}, n = {n}, against refitting",
                f"{slow / fast:,.0f} × faster ({1e3 * fast:.0f} ms against {slow:.1f} s; "
                f"{refitted} games refitted)",
                target,
            )
        )
    X, y = data(1000, 10)
    for estimator, target in ((scaled(), "≤ 3 000"), (scaled(tol=1e-6), "≤ 300")):
        sample = np.random.default_rng(0).permutation(499_500)[:300]
        games = np.column_stack(np.triu_indices(1000, 1))[sample]
        fits = Contest(estimator, X, y, Options(engine="refit"))
        start = time.perf_counter()
        slow_result = fits.play(Schedule(listed=games))
        one = (time.perf_counter() - start) / len(games)
        fast_result = tlpo.tournament(estimator, X, y)
        fast = best(lambda e=estimator: tlpo.tournament(e, X, y), 2)
        F = fast_result.predictions
        assert fast_result.engine == "logistic"
        assert np.array_equal(
            outcomes(F[games[:, 0], games[:, 1]], F[games[:, 1], games[:, 0]]), slow_result.outcome
        )
        diagnostics = fast_result.diagnostics
        rows.append(
            (
                f"{_named(estimator)}, m = 1 000, n = 10, in refits ({1e3 * one:.1f} ms each)",
                f"{fast / one:,.0f} ({fast:.1f} s; {diagnostics.games_evaluated} of 499 500 games "
                f"solved, {diagnostics.fits - 1} refitted)",
                target,
            )
        )
    return rows


def _named(estimator: LogisticRegression | Pipeline) -> str:
    if isinstance(estimator, Pipeline):
        return f"StandardScaler, {estimator[-1]}"
    return f"{estimator}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    write = parser.parse_args().write
    table = markdown_table(("case", "measured", "target"), measure())
    print(table)
    if write:
        made = "Made by `python -m studies.benchmarks.logistic --write` on 2 cores."
        write_blocks(DOCS / "performance.md", {"logistic": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
