"""Overhead of a tournament over a bare loop, and the speed-up from a second core.

    python -m studies.benchmarks.dispatch

Everything is a ratio between alternatives measured in the same run, the best of several
repetitions, so that the figures carry over to other machines.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

import tlpo


class Busy(RegressorMixin, BaseEstimator):
    """Keeps a core busy for 20 ms per fit."""

    def __init__(self, seconds: float = 0.02) -> None:
        self.seconds = seconds

    def fit(self, X: np.ndarray, y: np.ndarray) -> Busy:
        """Spin."""
        end = time.thread_time() + self.seconds  # time on a core, not on the clock
        while time.thread_time() < end:
            pass
        self.centre_ = X.mean(axis=0)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the centred first feature."""
        return X[:, 0] - self.centre_[0]


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def bare_loop(X: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Fit the same models by hand, without clone, checks, errors, warnings or progress."""
    m = len(signs)
    wins = np.zeros(m)
    for i in range(m):
        for j in range(i + 1, m):
            train = np.ones(m, dtype=bool)
            train[[i, j]] = False
            a, b = Ridge().fit(X[train], signs[train]).predict(X[[i, j]])
            wins[i] += a > b
            wins[j] += a < b
    return wins


def overhead(m: int = 200, repeats: int = 3) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, 10)), np.arange(m) % 2
    signs = 2.0 * y - 1.0
    with threadpool_limits(1):  # as the tournament does
        loop = min(timed(lambda: bare_loop(X, signs)) for _ in range(repeats))
    ours = min(
        timed(lambda: tlpo.tournament(Ridge(), X, y, engine="refit", n_jobs=1))
        for _ in range(repeats)
    )
    print(f"Ridge, m = {m}, {m * (m - 1) // 2} fits, one core")
    print(f"  bare loop   {loop:7.2f} s")
    print(f"  tournament  {ours:7.2f} s   overhead {100 * (ours / loop - 1):.1f} % (limit 15 %)")


def speed_up(m: int = 60) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, 5)), np.arange(m) % 2
    one = timed(lambda: tlpo.tournament(Busy(), X, y, n_jobs=1))
    cold = timed(lambda: tlpo.tournament(Busy(), X, y, n_jobs=2))
    warm = timed(lambda: tlpo.tournament(Busy(), X, y, n_jobs=2))
    print(f"A fit of 20 ms, m = {m}, {m * (m - 1) // 2} fits")
    print(f"  one core                 {one:7.2f} s")
    print(f"  two, starting workers    {cold:7.2f} s   {one / cold:.2f} × (goal 1.7 ×)")
    print(f"  two, workers running     {warm:7.2f} s   {one / warm:.2f} ×")


if __name__ == "__main__":
    overhead()
    speed_up()
