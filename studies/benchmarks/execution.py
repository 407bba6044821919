"""Cost of scheduling chunks and writing a journal, with loky, dask and ray.

    python -m studies.benchmarks.execution [--write]

Models sleep, so that the workers' time is known: scheduling is the share of their time that was not
spent inside chunks, and the journal's cost is the share of the run spent appending to it.
``--write`` puts the table into docs/reliability.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.execution import journal, run

WORKERS = 2


class Nap(RegressorMixin, BaseEstimator):
    """Sleeps when fitted; predicts the first feature."""

    def __init__(self, seconds: float = 0.001) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Nap:
        """Sleep."""
        time.sleep(self.seconds)
        return self

    def predict(self, X: Any) -> Any:
        """Return the first feature."""
        return X[:, 0]


class Clock:
    """Sums the seconds spent in chunks and in appends."""

    def __init__(self) -> None:
        self.chunks = self.appends = 0.0
        self.n_chunks = 0
        learn, append = run._Chunker.learn, journal.Journal.append

        def learned(pace: Any, done: Any) -> None:
            self.chunks += done.seconds
            self.n_chunks += 1
            learn(pace, done)

        def appended(own: Any, *bodies: bytes) -> None:
            started = time.perf_counter()
            append(own, *bodies)
            self.appends += time.perf_counter() - started

        run._Chunker.learn, journal.Journal.append = learned, appended  # type: ignore[method-assign]


def measure(clock: Clock, backend: str, seconds: float, features: int) -> tuple[str, ...]:
    m = int(np.sqrt(2 * 20 * WORKERS / seconds))  # about 20 seconds
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, features)), np.arange(m) % 2
    with tempfile.TemporaryDirectory() as folder, joblib.parallel_config(backend, n_jobs=WORKERS):
        tlpo.tournament(Nap(0.02), X[:20], y[:20])  # workers start, and import what they need
        clock.chunks = clock.appends = 0.0
        clock.n_chunks = 0
        started = time.perf_counter()
        tlpo.tournament(Nap(seconds), X, y, journal=Path(folder, "run.tlpo"))
        wall = time.perf_counter() - started
    return (
        backend,
        f"{1000 * seconds:g} ms",
        f"{X.nbytes / 1e6:.1f} MB",
        f"{m * (m - 1) // 2}",
        f"{clock.n_chunks}",
        f"{1 - clock.chunks / (wall * WORKERS):.1%}",
        f"{clock.appends / wall:.2%}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    write = parser.parse_args().write
    from distributed import Client, LocalCluster

    clock = Clock()
    rows = []
    for backend in ("loky", "dask", "ray"):
        with ExitStack() as stack:
            if backend == "dask":
                cluster = LocalCluster(
                    n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"
                )
                stack.enter_context(cluster)
                stack.enter_context(Client(cluster))
            if backend == "ray":
                import ray
                from ray.util.joblib import register_ray

                here = {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
                ray.init(num_cpus=WORKERS, include_dashboard=False, runtime_env=here)
                register_ray()
                stack.callback(ray.shutdown)
            for seconds, features in ((0.001, 10), (0.01, 10), (0.1, 10), (0.1, 100_000)):
                rows.append(measure(clock, backend, seconds, features))
                print(*rows[-1], sep="\t", flush=True)
    head = ("backend", "a fit", "data", "games", "chunks", "scheduling", "journal")
    if write:
        made = "Made by `python -m studies.benchmarks.execution --write` with two workers."
        text = f"{markdown_table(head, rows)}\n\n{made}"
        write_blocks(DOCS / "reliability.md", {"execution": text})


if __name__ == "__main__":
    main()
