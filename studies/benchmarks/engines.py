"""Cost of the exact engines, as ratios between alternatives in one run.

    python -m studies.benchmarks.engines [--write]

``--write`` puts the table into docs/performance.md and the picture next to it.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy.linalg import cholesky
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

import tlpo
from studies.benchmarks.memory import peak_memory
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.engines.least_squares import engine as least_squares

Row = tuple[str, str, str]


def data(m: int, n: int, shift: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Return two classes that differ in a third of the features."""
    rng = np.random.default_rng(0)
    y = np.arange(m) % 2
    X = rng.normal(size=(m, n))
    X[y == 1, : max(1, n // 3)] += shift
    return X, y


def best(action: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several timings."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def play_all(X: np.ndarray, y: np.ndarray) -> tlpo.Tournament:
    """Play every game by its 2 × 2 block in numba, without certification."""
    least, least_squares.CERTIFY_FROM = least_squares.CERTIFY_FROM, 10**9
    try:
        return tlpo.tournament(tlpo.RLS(), X, y)
    finally:
        least_squares.CERTIFY_FROM = least


def large_ridge() -> list[Row]:
    rows = []
    X, y = data(1_000_000, 10)
    signs = 2.0 * y - 1.0
    fit, sort = best(lambda: Ridge().fit(X, signs)), best(lambda: np.argsort(X[:, 0]))
    t = best(lambda: tlpo.tournament(tlpo.RLS(), X, y), 3)
    rows.append(
        (
            "RLS, m = 1 000 000, n = 10, against one `Ridge().fit` and one `argsort`",
            f"{t / (fit + sort):.1f} × ({t:.2f} s against {fit:.2f} + {sort:.2f} s)",
            "≤ 3 ×",
        )
    )
    extra = peak_memory(partial(tlpo.tournament, tlpo.RLS()), partial(data, n=10), 1_000_000)
    rows.append(("the same, peak memory with X", f"{1 + extra / X.nbytes:.1f} × X", "≤ 5 × X"))
    X, y = data(100_000, 100)
    signs = 2.0 * y - 1.0
    fit = best(lambda: Ridge().fit(X, signs))
    t = best(lambda: tlpo.tournament(tlpo.RLS(), X, y), 3)
    rows.append(
        (
            "RLS, m = 100 000, n = 100, against one `Ridge().fit`",
            f"{t / fit:.1f} × ({t:.2f} s against {fit:.2f} s)",
            "≤ 6 ×",
        )
    )
    return rows


def games_per_unit() -> list[Row]:
    rows = []
    for shift, name, target in ((0.5, "", "flat"), (0.0, ", no signal", "")):
        counts = []
        for m in (1_000, 10_000, 100_000, 1_000_000):
            if shift == 0 and m > 100_000:
                continue
            t = tlpo.tournament(tlpo.RLS(), *data(m, 10, shift))
            counts.append(f"{t.diagnostics.games_evaluated / m:.0f}")
        sizes = "1e3 … 1e6" if shift else "1e3 … 1e5"
        rows.append(
            (f"games evaluated per unit, n = 10, m = {sizes}{name}", ", ".join(counts), target)
        )
    return rows


def small_and_middling() -> list[Row]:
    X, y = data(3000, 10)
    pruned, all_games = (
        best(lambda: tlpo.tournament(tlpo.RLS(), X, y)),
        best(lambda: play_all(X, y)),
    )
    small = data(30, 10)

    def many() -> None:
        for _ in range(200):
            tlpo.tournament(tlpo.RLS(), *small)

    once = best(many) / 200
    K = rbf_kernel(data(3000, 10)[0]) + np.eye(3000)
    factor = best(lambda: cholesky(K))
    kernel = best(lambda: tlpo.tournament(KernelRidge(kernel="rbf"), X, y))
    return [
        (
            "RLS, m = 3 000, n = 10, against every pair by 2 × 2 blocks in numba",
            f"{all_games / pruned:.0f} × faster ({1e3 * pruned:.1f} ms, {1e3 * all_games:.0f} ms)",
            "≥ 10 ×",
        ),
        ("one RLS tournament, m = 30, n = 10", f"{1e3 * once:.2f} ms", "≤ 0.4 ms"),
        (
            "KernelRidge rbf, m = 3 000, against one Cholesky factorisation",
            f"{kernel / factor:.1f} × ({kernel:.2f} s against {factor:.2f} s)",
            "≤ 3 ×",
        ),
    ]


def neighbours() -> list[Row]:
    X, y = data(100_000, 10)
    cores = os.cpu_count()
    searches, tournaments = [], []
    for _ in range(3):  # alternating, so that a change of load affects both
        finder = NearestNeighbors(n_neighbors=4, n_jobs=cores).fit(X)
        searches.append(best(finder.kneighbors, repeats=1))
        tournaments.append(
            best(lambda: tlpo.tournament(tlpo.InverseDistanceKNN(3), X, y), repeats=1)
        )
    search, t = min(searches), min(tournaments)
    return [
        (
            "InverseDistanceKNN, m = 100 000, n = 10, k = 3, against `kneighbors` for 4",
            f"{t / search:.2f} × ({t:.1f} s against {search:.1f} s)",
            "≤ 1.3 ×",
        )
    ]


def against_refitting() -> list[Row]:
    X, y = data(200, 10)
    rows = []
    for estimator in (
        tlpo.RLS(),
        Ridge(),
        RidgeClassifier(),
        LinearRegression(),
        LinearDiscriminantAnalysis(),
        KernelRidge(kernel="rbf"),
        tlpo.InverseDistanceKNN(),
        KNeighborsClassifier(),
        KNeighborsRegressor(weights="distance"),
        GaussianNB(),
    ):
        fast_result = tlpo.tournament(estimator, X, y)
        fast = best(lambda e=estimator: tlpo.tournament(e, X, y))
        start = time.perf_counter()
        slow_result = tlpo.tournament(estimator, X, y, engine="refit")
        slow = time.perf_counter() - start
        assert fast_result.engine != "refit"
        assert np.array_equal(fast_result.standings.wins, slow_result.standings.wins)
        rows.append(
            (
                f"{type(estimator).__name__}, m = 200, against refitting 19 900 models",
                f"{slow / fast:,.0f} × faster ({1e3 * fast:.1f} ms against {slow:.1f} s)",
                "report",
            )
        )
    return rows


def equal_distances() -> list[Row]:
    """Test neighbours by permutation, where many are at the same distance."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, size=(24, 4)).astype(float), np.arange(24) % 2
    model = KNeighborsClassifier()
    times, results = [], []
    for engine in ("neighbors", "refit"):
        start = time.perf_counter()
        results.append(
            tlpo.permutation_test(model, X, y, n_permutations=99, random_state=0, engine=engine)
        )
        times.append(time.perf_counter() - start)
    assert np.array_equal(results[0].null_distribution, results[1].null_distribution)
    return [
        (
            "KNeighborsClassifier, m = 24, ordinal features, 99 permutations, against refitting",
            f"{times[1] / times[0]:,.0f} × faster ({times[0]:.1f} s against {times[1]:.1f} s)",
            "report",
        )
    ]


def larger_sets() -> list[Row]:
    """Games that leave out more than their two units."""
    X, y = data(200, 10)
    places = np.random.default_rng(0).uniform(size=(200, 2))
    buffer = tlpo.Buffer(places, 0.1)
    near = np.mean([buffer.units(np.array(pair)).size for pair in ((0, 1), (50, 99), (7, 150))])
    ways: dict[str, dict[str, object]] = {
        "groups of 4": {"groups": np.arange(200) // 4},
        f"a buffer (about {near:.0f} units left out)": {"exclude": buffer},
        "a function that names 10 units": {"exclude": lambda i, j: (i + j + np.arange(10)) % 200},
    }
    rows = []
    for name, options in ways.items():
        fast_result = tlpo.tournament(tlpo.RLS(), X, y, **options)
        fast = best(lambda o=options: tlpo.tournament(tlpo.RLS(), X, y, **o), 2)
        start = time.perf_counter()
        slow_result = tlpo.tournament(tlpo.RLS(), X, y, engine="refit", **options)
        slow = time.perf_counter() - start
        assert fast_result.engine == "least-squares"
        assert np.array_equal(fast_result.standings.wins, slow_result.standings.wins)
        rows.append(
            (
                f"RLS, m = 200, with {name}, against refitting",
                f"{slow / fast:,.0f} × faster ({1e3 * fast:.0f} ms against {slow:.1f} s)",
                "report",
            )
        )
    return rows


def picture(path: Path) -> None:
    """Plot time against m for the ways to play one tournament."""
    from matplotlib.figure import Figure

    curves: dict[str, tuple[list[int], list[float]]] = {}

    def measure(name: str, sizes: list[int], action: Callable[[int], Callable[[], object]]) -> None:
        curves[name] = (sizes, [best(action(m), 2) for m in sizes])

    def played(m: int, how: Callable[[np.ndarray, np.ndarray], object]) -> Callable[[], object]:
        X, y = data(m, 10)
        return lambda: how(X, y)

    tens = [30, 100, 300, 1_000, 3_000, 10_000]
    measure(
        "refitting (scikit-learn Ridge)",
        [30, 60, 100],
        lambda m: played(m, lambda X, y: tlpo.tournament(Ridge(), X, y, engine="refit")),
    )
    measure("every game by its 2 × 2 block", tens, lambda m: played(m, play_all))
    measure(
        "certified (RLS)",
        [*tens, 30_000, 100_000, 300_000, 1_000_000],
        lambda m: played(m, lambda X, y: tlpo.tournament(tlpo.RLS(), X, y)),
    )
    measure(
        "neighbours (k = 3)",
        [*tens, 30_000],
        lambda m: played(m, lambda X, y: tlpo.tournament(tlpo.InverseDistanceKNN(), X, y)),
    )
    measure(
        "one Ridge().fit",
        [*tens, 30_000, 100_000, 300_000, 1_000_000],
        lambda m: played(m, lambda X, y: Ridge().fit(X, y)),
    )
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    ax = figure.subplots()
    colours = ("#D55E00", "#E69F00", "#0072B2", "#009E73", "0.6")
    markers = ("s", "^", "o", "D", ".")
    for (name, (sizes, times)), colour, marker in zip(
        curves.items(), colours, markers, strict=True
    ):
        ax.loglog(sizes, times, marker=marker, markersize=4, color=colour, label=name)
    ax.set(xlabel="units m (10 features)", ylabel="seconds for the whole tournament")
    ax.grid(True, which="major", color="0.9")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    write = parser.parse_args().write
    start = time.perf_counter()
    tlpo.tournament(tlpo.RLS(), *data(300, 3))  # imports, and machine code from the cache
    rows: list[Row] = []
    for part in (
        *(large_ridge, games_per_unit, small_and_middling, neighbours, against_refitting),
        *(equal_distances, larger_sets),
    ):
        rows += part()
    table = markdown_table(("case", "measured", "target"), rows)
    print(table)
    if not write:
        return
    picture(DOCS / "performance.png")
    took = time.perf_counter() - start
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    made = f"Made by `python -m studies.benchmarks.engines --write`, {took:.0f} s, {machine}."
    write_blocks(DOCS / "performance.md", {"engines": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
