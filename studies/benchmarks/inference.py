"""Cost of intervals and permutation tests, compared with computing them without shortcuts.

    python -m studies.benchmarks.inference [--write]

``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.roc.placements import auc_without_each


def data(m: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(m)
    y = np.arange(m) % 2
    return rng.normal(size=(m, 10)) + shift * y[:, None], y


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def every_game(F: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Replay every game without every unit, one unit at a time, in NumPy."""
    positive, negative = np.flatnonzero(y), np.flatnonzero(y == 0)
    shift = F - np.nanmean(F, axis=1)[:, None]
    D = F[np.ix_(positive, negative)] - F[np.ix_(negative, positive)].T
    found = np.empty(y.size)
    for k in range(y.size):
        moved = D + shift[positive, k][:, None] - shift[negative, k]
        kept = np.ix_(positive != k, negative != k)
        found[k] = np.heaviside(moved[kept], 0.5).mean()
    return found


def intervals() -> list[tuple[str, str, str]]:
    rows = []
    for m, shift, target in ((200, 0.0, "≤ 50 ms"), (2000, 0.0, "≤ 5 s"), (2000, 0.5, "≤ 5 s")):
        X, y = data(m, shift)
        t = tlpo.tournament(tlpo.RLS(), X, y)
        _ = t.predictions

        def fresh(X: np.ndarray = X, y: np.ndarray = y) -> None:
            tlpo.tournament(tlpo.RLS(), X, y).auc_interval()

        whole = seconds(fresh)
        U = t._games_between(y == 1, y == 0)
        units = np.flatnonzero(y), np.flatnonzero(y == 0)
        quick = seconds(lambda U=U, t=t, units=units: auc_without_each(U, t.predictions, *units))
        slow = seconds(lambda t=t, y=y: every_game(t.predictions, y), repeats=1)
        assert np.array_equal(
            auc_without_each(U, t.predictions, *units), every_game(t.predictions, y)
        )
        kind = "no signal" if shift == 0 else "signal"
        rows.append(
            (
                f"RLS tournament and `auc_interval()`, m = {m}, {kind}",
                f"{1e3 * whole:.1f} ms; the jackknife {1e3 * quick:.1f} ms, "
                f"{slow / quick:.0f} × faster than NumPy over all games",
                target,
            )
        )
    return rows


def permutations() -> list[tuple[str, str, str]]:
    rows = []
    for m, target in ((30, "≤ 3 s"), (100, "≤ 30 s")):
        X, y = data(m)
        shared = seconds(
            lambda X=X, y=y: tlpo.permutation_test(
                tlpo.RLS(), X, y, n_permutations=10_000, random_state=0, n_jobs=2
            )
        )
        drawn = [np.random.default_rng(k).permutation(y) for k in range(200)]
        alone = 50 * seconds(
            lambda X=X, drawn=drawn: [
                tlpo.tournament(tlpo.RLS(), X, labels).tlpo_auc for labels in drawn
            ]
        )
        rows.append(
            (
                f"10 000 permutations of RLS, m = {m}, n = 10",
                f"{shared:.2f} s, {alone / shared:.1f} × faster than as many tournaments",
                target,
            )
        )
    return rows


def markers() -> list[tuple[str, str, str]]:
    rows = []
    for m, target in ((4000, "≤ 50 ms"), (1_000_000, "≤ 2 s")):
        rng = np.random.default_rng(m)
        y = np.arange(m) % 3 == 0
        x = rng.normal(size=m) + y

        def whole(x: np.ndarray = x, y: np.ndarray = y) -> None:
            a = tlpo.assess(x, y)
            _ = a.auc, a.auc_interval(), a.auc_interval(method="delong"), a.roc_curve()

        quick = seconds(whole)
        found = f"{1e3 * quick:.0f} ms"
        if m < 10_000:
            slow = seconds(lambda x=x, y=y: np.heaviside(x[y][:, None] - x[~y], 0.5).mean(axis=1))
            found += f"; all pairs {1e3 * slow:.0f} ms"
        rows.append((f"`assess`: AUC, intervals and curve of {m} values", found, target))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    write = parser.parse_args().write
    X, y = data(30)
    tlpo.tournament(tlpo.RLS(), X, y).auc_interval()  # imports, and machine code from the cache
    tlpo.permutation_test(tlpo.RLS(), X, y, n_permutations=10)
    table = markdown_table(
        ("case", "measured", "target"), [*intervals(), *permutations(), *markers()]
    )
    print(table)
    if write:
        made = "Made by `python -m studies.benchmarks.inference --write` on the same machine."
        write_blocks(DOCS / "performance.md", {"inference": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
