"""How the time of a tournament grows with units and features, for models people use.

    python -m studies.benchmarks.growth --write

All games, without refitting, beside what refitting would take (some games are timed). A model goes
on to more units while these are expected to take less than `PATIENCE` seconds. Said of every model
as well: how the time grows with units from 10 000 on (from the last three sizes if there are
fewer), the time of most units in fits with one sort and one scaling, and the memory that they need.
``--write`` draws docs/growth.png, and puts the rest into docs/performance.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from studies.benchmarks.memory import peak_memory
from studies.marked import DOCS, write_rows

PICTURE = DOCS / "growth.png"
UNITS = (50, 100, 200, 400, 800, 3000, 10_000, 30_000, 100_000)
FEATURES = (5, 10, 20, 40, 80)
# Seconds that the next number of units may take.
PATIENCE = 60.0
MODELS: dict[str, Any] = {
    "scaler + ridge": make_pipeline(StandardScaler(), RidgeClassifier()),
    "LDA": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "scaler + logistic": make_pipeline(
        StandardScaler(), LogisticRegression(tol=1e-6, max_iter=1000)
    ),
    "scaler + 5-NN": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "forest of 100 trees": RandomForestClassifier(100, random_state=0),
}
HEAD = (
    "model, 10 features",
    "most units",
    "time",
    "in fits + sort + scaling",
    "exponent of the time in units",
    "memory with X",
    "goal",
)
# From 10 000 to 100 000 units; of memory: with the table at most.
GOALS = {
    "scaler + ridge": "exponent ≤ 1.3, ≤ 15 fits, ≤ 6 × X",
    "LDA": "exponent ≤ 1.3, ≤ 6 × X",
    "naive Bayes": "≤ 6 × X",
    "scaler + logistic": "≤ 60 s, ≤ 6 × X",
}
# Of fewer units, X is smaller than buffers of a fixed size.
MANY = 10_000
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
    tlpo.tournament(model, X[:450], y[:450])  # compiled, for few units and for many
    started = time.perf_counter()
    tlpo.tournament(model, X, y)
    all_games = time.perf_counter() - started
    return all_games, fit_seconds(model, X, y) * m * (m - 1) / 2


def fit_seconds(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the time of a fit without a pair."""
    times = []
    for k in range(5):
        keep = np.setdiff1d(np.arange(len(y)), [2 * k, 2 * k + 1])
        started = time.perf_counter()
        model.fit(X[keep], y[keep])
        times.append(time.perf_counter() - started)
    return float(np.median(times))


def grow(model: Any, most: int) -> list[tuple[int, float, float]]:
    """Time more and more units, up to a number, while they are expected not to take too long."""
    rows: list[tuple[int, float, float]] = []
    for m in (m for m in UNITS if m <= most):
        if len(rows) > 1:
            (m_before, before, _), (m_last, last, _) = rows[-2:]
            power = max(1.0, np.log(last / before) / np.log(m_last / m_before))
            if last * (m / m_last) ** power > PATIENCE:
                break
        rows.append((m, *seconds(model, m, 10)))
    return rows


def exponent(rows: list[tuple[int, float, float]]) -> str:
    """Fit the exponent of the time in units, and say over which."""
    many = [row for row in rows if row[0] >= 10_000]
    m, fast, _ = zip(*(many if len(many) >= 3 else rows[-3:]), strict=True)
    found = np.polyfit(np.log(m), np.log(fast), 1)[0]
    return f"{found:.2f} ({m[0]:,} to {m[-1]:,})"


def describe(name: str, rows: list[tuple[int, float, float]]) -> tuple[str, ...]:
    """Say how far the model went, what that took in fits, and how much memory."""
    model, (m, taken, _) = MODELS[name], rows[-1]
    X, y = sample(m, 10)
    unit = fit_seconds(model, X, y)
    started = time.perf_counter()
    np.sort(X[:, 0])
    StandardScaler().fit_transform(X)
    unit += time.perf_counter() - started
    memory = "—"
    if m >= MANY:
        play = partial(tlpo.tournament, model, predictions=False)
        extra = peak_memory(play, partial(sample, n=10), m)
        memory = f"{(extra + X.nbytes) / 1e6:.0f} MB, {1 + extra / X.nbytes:.1f} × X"
    goal = GOALS.get(name, "—")
    return name, f"{m:,}", f"{taken:.2g} s", f"{taken / unit:,.1f}", exponent(rows), memory, goal


def draw(by_units: Points, by_features: Points, path: Path) -> None:
    """Draw both pictures: thick lines without refitting, thin ones with."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    from tlpo.displays import COLOURS

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
    for ax, points, label, ticks in (
        (axes[0], by_units, "units (10 features)", (100, 1000, 10_000, 100_000)),
        (axes[1], by_features, "features (100 units)", FEATURES),
    ):
        for (name, rows), colour in zip(points.items(), COLOURS, strict=False):
            x, fast, slow = zip(*rows, strict=True)
            ax.loglog(x, fast, "o-", color=colour, linewidth=2, markersize=4, label=name)
            ax.loglog(x, slow, "--", color=colour, linewidth=0.9)
        ax.set(xlabel=label)
        ax.set_xticks(ticks, [f"{value:,}".replace(",", " ") for value in ticks])
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
    parser.add_argument("--write", action="store_true", help=f"draw {PICTURE.name}, write the page")
    parser.add_argument("--only", nargs="*", choices=MODELS, help="only these, all if not given")
    parser.add_argument("--most", type=int, default=max(UNITS), help="the largest number of units")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    by_units: Points = {}
    by_features: Points = {}
    for name in wanted.only or MODELS:
        model = MODELS[name]
        by_units[name] = grow(model, wanted.most)
        by_features[name] = [(n, *seconds(model, 100, n)) for n in FEATURES]
        row = describe(name, by_units[name])
        print(*row, sep=" | ")
        print("  units", by_units[name], "\n  features", by_features[name], flush=True)
        if wanted.write:
            made = "Made by `python -m studies.benchmarks.growth --write` on 2 cores."
            write_rows(DOCS / "performance.md", "growth", HEAD, list(MODELS), [row], made)
    # A picture of some models would replace that of all.
    if wanted.write and not wanted.only:
        draw(by_units, by_features, PICTURE)


if __name__ == "__main__":
    main()
