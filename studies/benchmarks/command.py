"""How long `tlpo run` takes with its page, for every model it knows by name and for larger tables.

    python -m studies.benchmarks.command [--only TEXT …] [--write]

Every run is a process of its own; the second is counted, so that compiled code is in its cache, but
for the first runs, whose cache is empty. What takes more than `LIMIT` seconds is ended. ``--only``
measures cases whose names have one of the texts in them. ``--write`` puts every case into
docs/performance.md as soon as it is measured, and keeps what the table says of the others.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from studies.benchmarks.rows import measure_rows
from tlpo.analysis.models import MODELS
from tlpo.problem.outcome import Classes, TimeToEvent

LIMIT = 180.0
# A goal of one model that is less than that of the others.
EARLIER = {(100, "forest"): 5.0}
HEAD = ("case", "seconds", "goal")
MADE = "Made by `python -m studies.benchmarks.command --write` on 2 cores."


class Case(NamedTuple):
    """A line of the table: what is run, on what, and how many seconds it may take."""

    name: str
    table: Callable[[], pd.DataFrame]
    model: str | None
    goal: float
    is_survival: bool = False
    is_first: bool = False


def normal(m: int, n: int, positives: int | None = None) -> pd.DataFrame:
    """Draw normal columns; the first five are a little larger among positives."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(m) < (m // 2 if positives is None else positives))
    X = rng.normal(size=(m, n))
    X[:, :5] += 0.5 * y[:, None]
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(n)])
    table["outcome"] = np.where(y, "yes", "no")
    return table


def followed(m: int) -> pd.DataFrame:
    """Draw ten columns and exponential times, about half of which are censored."""
    rng = np.random.default_rng(0)
    table = normal(m, 10).drop(columns="outcome")
    death = rng.exponential(np.exp(-table[["x0", "x1"]].sum(axis=1)))
    end = rng.exponential(1.0, size=m)
    table["months"], table["died"] = 12.0 * np.minimum(death, end), (death <= end).astype(int)
    return table


def with_gaps() -> pd.DataFrame:
    """Return 227 patients: 40 numbers and 6 categories, 10 % of the cells missing."""
    rng = np.random.default_rng(1)
    table = normal(227, 40)
    for k in range(6):
        table[f"category{k}"] = rng.choice(list("abcd")[: 2 + k % 3], size=227)
    features = table.columns.drop("outcome")
    table[features] = table[features].mask(rng.random((227, len(features))) < 0.1)
    return table


def whole_numbers() -> pd.DataFrame:
    """Return 699 patients with nine scores from 1 to 10, as a pathologist gives them."""
    table = normal(699, 9)
    scores = table.columns.drop("outcome")
    table[scores] = np.clip(np.round(3 + 2 * table[scores]), 1, 10).astype(int)
    return table


def with_labels() -> pd.DataFrame:
    """Return 48 patients with four numbers and a label for each of them."""
    table = normal(48, 5)
    table["place"] = [f"{a}{b}" for a in "abcdefgh" for b in "uvwxyz"]
    return table


def cases() -> list[Case]:
    """List every case, in the order of the table."""
    found = [
        Case(f"{m} × 10, {name}", partial(normal, m, 10), name, EARLIER.get((m, name), goal))
        for m, goal in ((100, 6.0), (300, 15.0))
        for name, entry in MODELS.items()
        if entry.maker(Classes) is not None
    ]
    found += [
        Case(f"survival, {m} × 10, {name}", partial(followed, m), name, goal, is_survival=True)
        for m, goal in ((100, 6.0), (300, 12.0))
        for name, entry in MODELS.items()
        if entry.maker(TimeToEvent) is not None
    ]
    found += [
        Case("100 × 30, lasso", partial(normal, 100, 30), "lasso", 8.0),
        Case("100 × 1 000, lasso", partial(normal, 100, 1000), "lasso", 60.0),
        Case("3 000 × 10, default model", partial(normal, 3000, 10), None, 12.0),
        Case(
            "20 000 × 20 with 50 events, default model",
            partial(normal, 20_000, 20, 50),
            None,
            60.0,
        ),
        Case("227 × 46 with gaps, default model", with_gaps, None, 8.0),
        Case("699 × 9 whole numbers, default model", whole_numbers, None, 8.0),
        Case("48 × 6, one column of 48 labels, default model", with_labels, None, 8.0),
        Case("30 × 500, default model", partial(normal, 30, 500), None, 8.0),
    ]
    return found + [
        Case(f"first run, 100 × 10, {name}", partial(normal, 100, 10), name, 10.0, is_first=True)
        for name in ("glm", "logistic", "lasso", "svm", "forest")
    ]


def seconds_of(command: Sequence[str], limit: float = LIMIT, **environment: str) -> float | None:
    """Return how long a command takes; None, and it and its workers are ended, above the limit."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"{command} failed: {said.decode()}")
    return seconds


def measure(case: Case) -> tuple[str, str]:
    """Time one case, and say whether it reached its goal."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = time_case(case, Path(folder))
    shown = f"more than {LIMIT:.0f}" if seconds is None else f"{seconds:.1f}"
    is_missed = seconds is None or seconds > case.goal
    return shown, f"≤ {case.goal:.0f}{', missed' if is_missed else ''}"


def time_case(case: Case, folder: Path) -> float | None:
    """Return the seconds of one case; None if it took too long."""
    path = folder / "table.csv"
    case.table().to_csv(path, index=False)
    tlpo = str(Path(sys.executable).with_name("tlpo"))
    command = [tlpo, "run", str(path), "--html", str(folder / "page.html")]
    if case.is_survival:
        command += ["--time", "months", "--event", "died", "--at", "6", "12"]
    else:
        command += ["--target", "outcome"]
    if case.model is not None:
        command += ["--model", case.model]
    if case.is_first:
        empty = folder / "compiled"
        empty.mkdir()
        return seconds_of(command, NUMBA_CACHE_DIR=str(empty))
    if seconds_of(command) is None:  # the first compiles
        return None
    return seconds_of(command)


def main() -> None:
    """Measure what is asked for."""
    known = {case.name: partial(measure, case) for case in cases()}
    measure_rows(__doc__, known, head=HEAD, block="command", made=MADE)


if __name__ == "__main__":
    main()
