"""Numbers beside two classes: the same units and features, played by the same engine.

    python -m studies.benchmarks.ordered
    python -m studies.benchmarks.ordered --most 1000000

Everything is a ratio between the two, measured in turns in the same run, the best of several
repetitions.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo

MODELS = {
    "ridge": (Ridge(), (30, 100, 400, 2000)),
    "ridge, scaled": (make_pipeline(StandardScaler(), Ridge()), (30, 100, 400)),
    "ridge, penalty chosen": (RidgeCV(), (30, 100)),
    "nearest neighbours": (KNeighborsRegressor(), (30, 100, 400, 2000)),
    "forest": (RandomForestRegressor(50, random_state=0), (30, 100)),
}
SECONDS = 2.0


def measure(m: int, model: object) -> tuple[float, float]:
    """Return the best times of two classes and of numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 10))
    y = X @ np.full(10, 0.5) + rng.normal(size=m)
    is_high, keep = y > np.median(y), m <= 2000
    calls: list[Callable[[], object]] = [
        lambda: tlpo.tournament(model, X, is_high, predictions=keep),
        lambda: tlpo.concordance(model, X, y, predictions=keep),
    ]
    best = [np.inf, np.inf]
    started = time.perf_counter()
    while time.perf_counter() - started < SECONDS or np.isinf(best[1]):
        for k, call in enumerate(calls):
            before = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - before)
    return best[0], best[1]


def main() -> None:
    """Print a line for every model and size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=20_000, help="the largest sample of ridge")
    most = parser.parse_args().most
    for name, (model, sizes) in MODELS.items():
        large = (20_000, 200_000, 1_000_000) if name == "ridge" else ()
        for m in (*sizes, *(size for size in large if size <= most)):
            classes, numbers = measure(m, model)
            print(
                f"{name:<22} m = {m:>8}: two classes {1e3 * classes:10.2f} ms, numbers "
                f"{1e3 * numbers:10.2f} ms, ratio {numbers / classes:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
