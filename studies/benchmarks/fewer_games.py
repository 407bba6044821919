"""Error of a partial tournament against the full one: rounds and quicksort by number of fits.

    python -m studies.benchmarks.fewer_games [--write]

``--write`` puts table and picture into docs/fewer_games.md. Every game is played once, in closed
form; schedules and sorts then look up its outcome, so nothing is refitted.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import matplotlib
import numpy as np

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from studies.simulations import Simulation
from tlpo.games.schedule import draw_rounds
from tlpo.games.standings import tally
from tlpo.roc.curve import wmw_auc
from tlpo.schemes.quicksort import sort_units

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullLocator

PICTURE = DOCS / "fewer_games.png"
# learner, units, samples drawn
CASES = (("ridge", 100, 400), ("ridge", 300, 150), ("knn", 100, 200))
NAMES = {"ridge": "RLS", "knn": "InverseDistanceKNN"}
ROUNDS = (4, 10, 20, 50)
SORTS = (1, 2, 5, 10)
# Half of the units positive, 10 features of which 2 tell the classes apart.
FRACTION, FEATURES, SIGNAL = 0.5, 10, 2
COLOURS = {"rounds": "#0072B2", "rounds, LPO AUC": "#56B4E9", "quicksort": "#D55E00"}


class Row(NamedTuple):
    """One way to play, with its errors over the samples."""

    way: str
    option: int
    fits: float
    from_full: np.ndarray  # of the full tournament: ξ
    from_truth: np.ndarray

    @property
    def name(self) -> str:
        """What the table calls it."""
        if self.way == "full":
            return "full tournament"
        if self.way == "quicksort":
            return f"`quicksort(n_sorts={self.option})`"
        return f"`rounds={self.option}`" + (", LPO AUC" if "LPO" in self.way else "")


def rmse(errors: np.ndarray) -> tuple[float, float]:
    """Return the root mean square and its Monte-Carlo error."""
    squares = errors**2
    root = float(np.sqrt(squares.mean()))
    error = squares.std(ddof=1) / np.sqrt(squares.size)
    return root, float(error / (2 * root)) if root else 0.0


def one_sample(setting: Simulation, repetition: int) -> dict[tuple[str, int], tuple[float, ...]]:
    """Return fits, distance from the full tournament's AUC and from the truth, by way."""
    X, y = setting.draw(setting.rng(repetition))
    m = y.size
    t = tlpo.tournament(setting.estimator, X, y)
    W, truth = t.win_matrix(), setting.truth(X, y).auc
    found = {("full", 0): (m * (m - 1) / 2, t.consistency, t.tlpo_auc - truth)}
    for r in ROUNDS:
        games = draw_rounds(m, r, repetition).reshape(-1, 2)
        standings = tally(games, W[games[:, 0], games[:, 1]], t.labels)
        auc, lpo = wmw_auc(standings.scores, y), standings.lpo_auc(y)
        found["rounds", r] = (len(games), auc - t.tlpo_auc, auc - truth)
        found["rounds, LPO AUC", r] = (len(games), lpo - t.tlpo_auc, lpo - truth)
    for n_sorts in SORTS:
        asked: set[int] = set()

        def outcomes(first: np.ndarray, second: np.ndarray, asked: set[int] = asked) -> np.ndarray:
            low, high = np.minimum(first, second), np.maximum(first, second)
            asked.update((low * m + high).tolist())
            return W[first, second]

        ranks, _ = sort_units(m, n_sorts, repetition, outcomes)
        auc = float(np.mean([wmw_auc(rank, y) for rank in ranks]))
        found["quicksort", n_sorts] = (len(asked), auc - t.tlpo_auc, auc - truth)
    return found


class Case(NamedTuple):
    """One learner and number of units, with what was measured."""

    learner: str
    m: int
    rows: list[Row]

    @property
    def title(self) -> str:
        """What the picture calls it."""
        full = next(row for row in self.rows if row.way == "full")
        return f"{NAMES[self.learner]}, {self.m} units, ξ = {full.from_full.mean():.3f}"


def measure(learner: str, m: int, repetitions: int) -> Case:
    setting = Simulation(learner, m, FRACTION, FEATURES, SIGNAL)
    samples = [one_sample(setting, k) for k in range(repetitions)]
    rows = []
    for way, option in samples[0]:
        values = np.array([sample[way, option] for sample in samples])
        rows.append(Row(way, option, values[:, 0].mean(), values[:, 1], values[:, 2]))
    return Case(learner, m, sorted(rows, key=lambda row: (row.fits, row.way)))


def table(measured: list[Case]) -> str:
    lines = []
    for learner, m, rows in measured:
        for row in rows:
            (full, full_error), (true, true_error) = rmse(row.from_full), rmse(row.from_truth)
            near = "—" if row.way == "full" else f"{full:.5f} ± {full_error:.5f}"
            bias = "—" if row.way == "full" else f"{row.from_full.mean():+.4f}"
            share = row.fits / (m * (m - 1) / 2)
            lines.append(
                (
                    *(NAMES[learner], m, row.name, f"{row.fits:.0f}", f"{share:.0%}"),
                    *(near, bias, f"{true:.4f} ± {true_error:.4f}"),
                )
            )
    return markdown_table(
        (
            *("learner", "units", "way", "fits", "of all"),
            *("RMSE from the full TLPO AUC", "bias", "RMSE from the true AUC"),
        ),
        lines,
    )


def draw(measured: list[Case]) -> None:
    figure, panels = plt.subplots(1, 3, figsize=(12.4, 4.2), sharey=True, layout="constrained")
    for axes, case in zip(panels, measured, strict=True):
        m, rows = case.m, case.rows
        for way, colour in COLOURS.items():
            own = [row for row in rows if row.way == way]
            fits = [row.fits for row in own]
            values, errors = np.array([rmse(row.from_full) for row in own]).T
            axes.errorbar(
                fits,
                values,
                2 * errors,
                color=colour,
                marker="s" if way == "quicksort" else "o",
                markersize=5,
                capsize=2,
                linestyle="--" if "LPO" in way else "-",
                label={"rounds": "rounds, TLPO AUC"}.get(way, way),
            )
            name = {"rounds": "r = {}", "quicksort": "{} sorts"}.get(way)
            for row, value in zip(own, values, strict=True):
                if name is not None:
                    axes.annotate(
                        "1 sort"
                        if name.format(row.option) == "1 sorts"
                        else name.format(row.option),
                        (row.fits, value),
                        xytext=(0, 8) if way == "rounds" else (0, -14),
                        textcoords="offset points",
                        fontsize=7.5,
                        color=colour,
                        ha="center",
                    )
        everything = m * (m - 1) // 2
        axes.axvline(everything, color="0.5", linewidth=1)
        axes.annotate(
            f"all {everything} games",
            (everything, 0.97),
            xycoords=("data", "axes fraction"),
            xytext=(-4, 0),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="top",
            fontsize=8,
            color="0.35",
        )
        axes.set(xscale="log", yscale="log", xlabel="fits", title=case.title)
        for axis, digits in ((axes.xaxis, (1, 2, 5)), (axes.yaxis, (1, 3))):
            axis.set_major_locator(LogLocator(subs=digits))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_locator(NullLocator())
        axes.grid(True, color="0.92", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("RMSE from the full tournament's AUC")
    panels[0].legend(frameon=False, fontsize=8.5, loc="lower left")
    figure.savefig(PICTURE, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/fewer_games.md")
    write = parser.parse_args().write
    measured = [measure(*case) for case in CASES]
    text = table(measured)
    print(text)
    if write:
        draw(measured)
        samples = ", ".join(f"{n} ({NAMES[learner]}, {m} units)" for learner, m, n in CASES)
        made = (
            f"Made by `python -m studies.benchmarks.fewer_games --write` from {samples} samples, "
            f"half of the units positive, {FEATURES} features of which {SIGNAL} tell the classes "
            "apart; ± is one Monte-Carlo standard error."
        )
        write_blocks(DOCS / "fewer_games.md", {"fewer games": f"{text}\n\n{made}"})


if __name__ == "__main__":
    main()
