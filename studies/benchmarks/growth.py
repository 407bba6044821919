"""How the time of a tournament grows with units and features, for models people use.

    python -m studies.benchmarks.growth --write

All games, without refitting, beside what refitting would take (some games are timed). ``--write``
draws docs/growth.png.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.marked import DOCS

PICTURE = DOCS / "growth.png"
UNITS, FEATURES = (50, 100, 200, 400, 800), (5, 10, 20, 40, 80)
MODELS: dict[str, tuple[Any, int]] = {
    "scaler + ridge": (make_pipeline(StandardScaler(), RidgeClassifier()), 800),
    "scaler + logistic": (
        make_pipeline(StandardScaler(), LogisticRegression(tol=1e-6, max_iter=1000)),
        800,
    ),
    "forest of 100 trees": (RandomForestClassifier(100, random_state=0), 200),
}
Points = dict[str, list[tuple[int, float, float]]]


def sample(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw some signal in the first two features."""
    y = np.arange(m) % 2
    X = np.random.default_rng(m + n).normal(size=(m, n))
    X[:, :2] += 0.5 * (2 * y - 1)[:, None]
    return X, y


def seconds(model: Any, m: int, n: int) -> tuple[float, float]:
    """Return the time of all games, and what refitting them would take."""
    X, y = sample(m, n)
    tlpo.tournament(model, X[:20], y[:20])  # compiled
    started = time.perf_counter()
    tlpo.tournament(model, X, y)
    all_games = time.perf_counter() - started
    times = []
    for k in range(5):
        keep = np.setdiff1d(np.arange(m), [2 * k, 2 * k + 1])
        started = time.perf_counter()
        model.fit(X[keep], y[keep])
        times.append(time.perf_counter() - started)
    return all_games, float(np.median(times)) * m * (m - 1) / 2


def draw(by_units: Points, by_features: Points, path: Path) -> None:
    """Draw both pictures: thick lines without refitting, thin ones with."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    from tlpo.displays import COLOURS

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
    for ax, points, label, ticks in (
        (axes[0], by_units, "units (10 features)", UNITS),
        (axes[1], by_features, "features (100 units)", FEATURES),
    ):
        for (name, rows), colour in zip(points.items(), COLOURS, strict=False):
            x, fast, slow = zip(*rows, strict=True)
            ax.loglog(x, fast, "o-", color=colour, linewidth=2, markersize=4, label=name)
            ax.loglog(x, slow, "--", color=colour, linewidth=0.9)
        ax.set(xlabel=label)
        ax.set_xticks(ticks, [str(value) for value in ticks])
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set(ylabel="seconds for all games")
    axes[0].plot([], [], "--", color="0.4", linewidth=0.9, label="refitting, one core")
    axes[0].legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=130)


def main() -> None:
    """Measure, print, and draw if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"draw {PICTURE.name}")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    by_units: Points = {}
    by_features: Points = {}
    for name, (model, most) in MODELS.items():
        by_units[name] = [(m, *seconds(model, m, 10)) for m in UNITS if m <= most]
        by_features[name] = [(n, *seconds(model, 100, n)) for n in FEATURES]
        print(name, by_units[name], by_features[name], flush=True)
    if wanted.write:
        draw(by_units, by_features, PICTURE)


if __name__ == "__main__":
    main()
