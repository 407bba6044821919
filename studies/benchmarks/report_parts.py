"""Thousands of units: how long every part of a report takes, and what was forecast.

    python -m studies.benchmarks.report_parts [--write]

Times are those of the processor, over all threads. ``--write`` puts the table into
docs/performance.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.benchmarks.many_units import sample
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.analysis.summarize import N_FOLDS, N_RESAMPLES
from tlpo.analysis.timing import time_pieces
from tlpo.games.contest import Contest
from tlpo.schemes.evaluate import evaluate_contest
from tlpo.schemes.tournament import play_tournament

CASES = (
    ("ridge", RidgeClassifier(), (3_000, 20_000)),
    ("LDA", LinearDiscriminantAnalysis(), (3_000, 20_000)),
    ("naive Bayes", GaussianNB(), (3_000, 20_000)),
    ("5-NN", KNeighborsClassifier(5), (3_000, 20_000)),
)
HEADS = (
    "StandardScaler and …",
    "tournament",
    "interval",
    "leave-one-out",
    "10 folds",
    "200 resamples",
    "all",
    "forecast / actual",
)


def measure() -> list[tuple[str, ...]]:
    """Time every case."""
    return [
        _row(f"{name}, m = {m:,}", make_pipeline(StandardScaler(), model), m)
        for name, model, sizes in CASES
        for m in sizes
    ]


def _row(name: str, estimator: Any, m: int) -> tuple[str, ...]:
    contest = Contest(estimator, *sample(m))
    with patch("time.perf_counter", time.process_time):
        forecast = time_pieces(contest, m * (m - 1) // 2, N_FOLDS, N_RESAMPLES)
    assert forecast is not None
    found: list[Any] = []
    seconds = [_timed(lambda: found.append(play_tournament(contest)))]
    seconds.append(_timed(found[0].auc_interval))
    for scheme in ("loo", "kfold-averaged", "harrell"):
        seconds.append(_timed(partial(evaluate_contest, contest, [scheme], random_state=0)))
    total = sum(seconds)
    shown = [f"{part:.2g} s" for part in (*seconds, total)]
    row = (name, *shown, f"{sum(forecast) / total:.2f}")
    print(*row, sep=" | ", flush=True)
    return row


def _timed(act: Callable[[], object]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    write = parser.parse_args().write
    table = markdown_table(HEADS, measure())
    print(table)
    if write:
        made = "Made by `python -m studies.benchmarks.report_parts --write`."
        write_blocks(DOCS / "performance.md", {"report parts": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
