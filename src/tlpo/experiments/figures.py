"""The paper's figures from the tables: the same panels and axes, PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from tlpo.displays import COLOURS, DASHES, RocDisplay
from tlpo.execution.replace import replacing
from tlpo.experiments import grid
from tlpo.experiments.paper import Pool
from tlpo.learners import RLS
from tlpo.roc.curve import roc_curve, wmw_auc
from tlpo.schemes.tournament import tournament

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tlpo.experiments.reproduce import Tables

SCHEMES = {"loo": "LOO", "lpo": "LPO", "tlpo": "TLPO", "harrell": "bootstrap"}
NAMES = {"ridge": "Ridge", "knn": "KNN"}
MARKERS = "osD^v<>"
MEAN_A, VARIANCE_A = "mean ΔA", "variance of ΔA"


def draw_figures(
    tables: Tables, pool: Pool | None, seed: int, names: list[str], out: Path
) -> list[Path]:
    """Draw some figures and return the files."""
    paths = []
    for name in names:
        figure = _FIGURES[name](tables) if name != "roc-example" else _roc_example(pool, seed)
        for kind in ("png", "svg"):
            path = out / f"{name}.{kind}"
            metadata = {"Date": None} if kind == "svg" else None
            with replacing(path) as beside:
                figure.savefig(beside, dpi=150, metadata=metadata)
            paths.append(path)
    return paths


def _roc_example(pool: Pool | None, seed: int) -> Figure:
    """Draw the curve of 30 units beside that of all others."""
    assert pool is not None
    units = pool.draw(0.5, 0, seed, apart=pool.is_large(0.5, grid.POOL_REPETITIONS))
    X, y = pool.X[units], pool.y[units]
    t = tournament(RLS(), X, y)
    scores, y_rest = pool.score_rest("ridge", units)
    own, others = f"TLPO, {y.size} units", f"Test, {y_rest.size} units ({pool.name})"
    display = RocDisplay(
        curves={own: t.roc_curve(), others: roc_curve(scores, y_rest)},
        aucs={own: t.tlpo_auc, others: wmw_auc(scores, y_rest)},
    )
    figure, axes = _panels(1, 1, width=4.4, height=4.4, share_y=False)
    display.plot(ax=axes[0][0])
    return figure


def _synthetic(column: str, label: str) -> Callable[[Tables], Figure]:
    def draw(tables: Tables) -> Figure:
        designs = (*grid.NO_SIGNAL, *grid.SIGNAL)
        figure, axes = _panels(2, len(designs), width=2.1, height=2.1)
        for row, learner in zip(axes, grid.LEARNERS, strict=True):
            for ax, (features, signal) in zip(row, designs, strict=True):
                own = _own(tables.auc, learner=learner, features=features, signal=signal)
                own = own[own["scheme"] != "harrell"]
                _lines(ax, own, "fraction", column, "scheme", SCHEMES)
                part = "(a)" if signal == 0 else "(b)"
                ax.set_title(f"{part} {NAMES[learner]}, {features} features\n{_signal(signal)}")
        return _finish(figure, axes, "fraction of positives", label)

    return draw


def _signal(signal: int) -> str:
    return "no signal" if signal == 0 else f"{signal} with signal"


def _pool_auc(tables: Tables) -> Figure:
    figure, axes = _panels(1, 2, width=3.4, height=3.0)
    for ax, learner in zip(axes[0], grid.LEARNERS, strict=True):
        own = _own(tables.pool, learner=learner)
        true = own[own["scheme"] == "lpo"]
        series = [("A(f)", true["fraction"], true["true_auc"], true["true_sd"])]
        for scheme in ("loo", "lpo", "tlpo"):
            part = own[own["scheme"] == scheme]
            series.append((SCHEMES[scheme], part["fraction"], part["auc"], part["sd"]))
        for k, (name, x, mean, sd) in enumerate(series):
            ax.errorbar(
                x + 0.008 * (k - 1.5),
                mean,
                yerr=sd,
                color="0.3" if k == 0 else COLOURS[k - 1],
                linestyle=DASHES[k],
                marker=MARKERS[k],
                markersize=3.5,
                linewidth=1.1,
                capsize=2,
                label=name,
            )
        ax.set_title(f"{NAMES[learner]}, {own['pool'].iloc[0]}")
    return _finish(figure, axes, "fraction of positives", "mean AUC ± SD", zero=False)


def _pool_bias_variance(tables: Tables) -> Figure:
    figure, axes = _panels(2, 2, width=3.2, height=2.4, share_y="row")
    for row, column, label, part in zip(
        axes, ("mean", "variance"), (MEAN_A, VARIANCE_A), "ab", strict=True
    ):
        for ax, learner in zip(row, grid.LEARNERS, strict=True):
            own = _own(tables.pool, learner=learner)
            own = own[own["scheme"] != "consistency"]
            _lines(ax, own, "fraction", column, "scheme", SCHEMES)
            ax.set_title(f"({part}) {NAMES[learner]}, {own['pool'].iloc[0]}")
        row[0].set_ylabel(label, fontsize=8)
    return _finish(figure, axes, "fraction of positives", None)


def _sensitivity(column: str, label: str) -> Callable[[Tables], Figure]:
    def draw(tables: Tables) -> Figure:
        figure, axes = _panels(2, 3, width=3.0, height=2.5)
        balanced = tables.sensitivity[tables.sensitivity["fraction"] == 0.5].copy()
        balanced["design"] = [
            f"{f} features, {_signal(s)}"
            for f, s in zip(balanced["features"], balanced["signal"], strict=True)
        ]
        for row, learner in zip(axes, grid.LEARNERS, strict=True):
            own = balanced[balanced["learner"] == learner]
            for ax, part in zip(
                row, (own[own["signal"] == 0], own[own["signal"] > 0]), strict=False
            ):
                names = {name: name for name in part["design"].unique()}
                _lines(ax, part, "specificity", column, "design", names)
            of_pool = _own(tables.pool_sensitivity, learner=learner)
            wanted = grid.POOL_FRACTIONS_OF_SENSITIVITY
            of_pool = of_pool[of_pool["fraction"].isin(wanted)]
            fractions = {f: f"{f:.0%} positive" for f in wanted}
            _lines(row[2], of_pool, "specificity", column, "fraction", fractions)
            titles = ("(a) no signal", "(b) signal", f"(c) {of_pool['pool'].iloc[0]}")
            for ax, title in zip(row, titles, strict=True):
                ax.set_title(f"{title}, {NAMES[learner]}")
                ax.legend(loc="best", frameon=False, fontsize=6)
        return _finish(figure, axes, "specificity", label, legend=False)

    return draw


def _bootstrap(tables: Tables) -> Figure:
    panels = [(learner, *design) for learner in grid.LEARNERS for design in grid.NO_SIGNAL]
    figure, axes = _panels(2, len(panels), width=2.4, height=2.2, share_y="row")
    for row, column, label, part in zip(
        axes, ("mean", "variance"), (MEAN_A, VARIANCE_A), "ab", strict=True
    ):
        for ax, (learner, features, signal) in zip(row, panels, strict=True):
            own = _own(tables.auc, learner=learner, features=features, signal=signal)
            _lines(ax, own, "fraction", column, "scheme", SCHEMES)
            ax.set_title(f"({part}) {NAMES[learner]}, {features} features")
        row[0].set_ylabel(label, fontsize=8)
    return _finish(figure, axes, "fraction of positives", None)


def _consistency(designs: tuple[tuple[int, int], ...]) -> Callable[[Tables], Figure]:
    def draw(tables: Tables) -> Figure:
        figure, axes = _panels(1, len(designs), width=2.6, height=2.6)
        for ax, (features, signal) in zip(axes[0], designs, strict=True):
            own = _own(tables.consistency, features=features, signal=signal)
            _lines(ax, own, "fraction", "mean", "learner", NAMES)
            ax.set_title(f"{features} features, {_signal(signal)}")
        return _finish(figure, axes, "fraction of positives", "mean ξ", zero=False)

    return draw


def _consistency_pool(tables: Tables) -> Figure:
    figure, axes = _panels(1, 1, width=3.6, height=2.8)
    own = tables.pool[tables.pool["scheme"] == "consistency"]
    _lines(axes[0][0], own, "fraction", "mean", "learner", NAMES)
    axes[0][0].set_title(str(own["pool"].iloc[0]))
    return _finish(figure, axes, "fraction of positives", "mean ξ", zero=False)


def _own(table: pd.DataFrame, **keys: Any) -> pd.DataFrame:
    for name, value in keys.items():
        table = table[table[name] == value]
    return table


def _panels(
    rows: int, columns: int, *, width: float, height: float, share_y: Any = True
) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    size = (max(width * columns, 4.0) + 0.6, height * rows + 0.6)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=share_y)
    return figure, axes


def _lines(ax: Axes, table: pd.DataFrame, x: str, y: str, by: str, names: dict[Any, str]) -> None:
    for k, (value, name) in enumerate(names.items()):
        own = table[table[by] == value]
        if len(own):
            ax.plot(
                own[x],
                own[y],
                color=COLOURS[k],
                linestyle=DASHES[k],
                marker=MARKERS[k],
                markersize=3.5,
                linewidth=1.1,
                label=name,
            )


def _finish(
    figure: Figure,
    axes: Any,
    x: str,
    y: str | None,
    *,
    legend: bool = True,
    zero: bool = True,
) -> Figure:
    for ax in np.ravel(axes):
        if zero:
            ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(8)
        ax.tick_params(labelsize=7)
    for ax in axes[-1]:
        ax.set_xlabel(x, fontsize=8)
    for row in axes:
        if y is not None:
            row[0].set_ylabel(y, fontsize=8)
    if legend:
        handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=len(labels),
            frameon=False,
            fontsize=8,
        )
    return figure


_FIGURES: dict[str, Callable[[Tables], Figure]] = {
    "synthetic-bias": _synthetic("mean", MEAN_A),
    "synthetic-variance": _synthetic("variance", VARIANCE_A),
    "pool-auc": _pool_auc,
    "pool-bias-variance": _pool_bias_variance,
    "sensitivity-bias": _sensitivity("mean", "mean ΔSe"),
    "sensitivity-variance": _sensitivity("variance", "variance of ΔSe"),
    "bootstrap": _bootstrap,
    "consistency-no-signal": _consistency(grid.NO_SIGNAL),
    "consistency-signal": _consistency(grid.SIGNAL),
    "consistency-pool": _consistency_pool,
}
