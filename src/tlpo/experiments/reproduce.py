"""Run the paper's experiments: repetitions → journal → tidy tables → figures and findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tlpo
from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import require_count
from tlpo.errors import InputError, UsageError, arg, explain
from tlpo.execution.journal import open_part
from tlpo.execution.progress import Progress
from tlpo.execution.replace import is_same_file, write_text
from tlpo.experiments import grid
from tlpo.experiments.grid import N_UNITS
from tlpo.experiments.paper import (
    COLUMNS,
    Pool,
    repeat_harrell,
    repeat_pool,
    repeat_random,
    repeat_synthetic,
)
from tlpo.experiments.phantom import phantom
from tlpo.experiments.repetitions import Rows, repeat
from tlpo.experiments.samples import Setting

JOURNAL = "repetitions.tlpo"
TABLES = ("auc", "consistency", "sensitivity", "pool", "pool_sensitivity")


@dataclass(frozen=True)
class Series:
    """Repetitions of one setting.

    Attributes
    ----------
    part : str
        The part of the work it belongs to.
    keys : dict
        What identifies its rows in the tables.
    work : callable
        From numbers of repetitions to rows.
    repetitions : int
        How many.
    cost : float
        Rough number of milliseconds per repetition, used only to estimate the time left.
    digest : str
        Identifies the pool.
    """

    part: str
    keys: dict[str, Any]
    work: Callable[[IntArray], Rows]
    repetitions: int
    cost: float
    digest: str = ""

    @property
    def name(self) -> str:
        """Name of its section in the journal."""
        words = [self.part, *(str(value) for value in self.keys.values()), self.digest]
        return " ".join(words).strip()


@dataclass
class Tables:
    """Averages over the repetitions.

    Attributes
    ----------
    auc, consistency, sensitivity, pool, pool_sensitivity : pandas.DataFrame
        Tidy tables, one row per setting and scheme.
    random_consistency : (float, float)
        Mean ξ of the random learner and its standard error.
    seconds : dict of str to float
        Time spent on each part, by all runs that resumed one another.
    """

    auc: pd.DataFrame
    consistency: pd.DataFrame
    sensitivity: pd.DataFrame
    pool: pd.DataFrame
    pool_sensitivity: pd.DataFrame
    random_consistency: tuple[float, float] | None
    seconds: dict[str, float] = field(default_factory=dict)


def reproduce(
    out: Path,
    *,
    only: Sequence[str] = (),
    repetitions: int | None = None,
    seed: int = 0,
    n_jobs: int | None = -1,
    pool: Pool | None = None,
    progress: bool = True,
) -> Tables:
    """Run what the requested figures need; write tables, figures and findings to ``out``.

    Parameters
    ----------
    out : path
        A directory. It also keeps the journal, from which the same call resumes if interrupted.
    only : sequence of str
        Names of figures; all by default.
    repetitions : int, optional
        Instead of the paper's 10 000; at most 617 from the pool.
    seed : int
        Which samples are drawn.
    n_jobs : int, optional
        Processes; the numbers do not depend on it.
    pool : Pool, optional
        A large table to draw from instead of the phantom.
    progress : bool
        Show the time left in a terminal.
    """
    from tlpo.experiments.figures import draw_figures
    from tlpo.experiments.findings import write_findings

    out = Path(out)
    figures = _require_figures(only)
    needed = {part for figure in figures for part in grid.FIGURES[figure]}
    if repetitions is not None:
        require_count("repetitions", repetitions, 2)
    require_count("seed", seed, 0)
    if pool is None and "pool" in needed:
        pool = phantom(out / "phantom.npz")
    series = [s for s in declare(repetitions, seed, pool) if s.part in needed]
    fingerprint = {
        "experiment": "reproduce",
        "version": tlpo.__version__,
        "seed": seed,
    }
    found: dict[str, FloatArray] = {}
    seconds: dict[str, float] = {}
    total = sum(round(one.cost * one.repetitions) for one in series)
    with (
        open_part(out / JOURNAL, "reproduce", lambda: fingerprint) as journal,
        Progress(total, f"{len(series)} series of repetitions", progress) as bar,
    ):
        assert journal is not None
        for one in series:

            def advance(where: slice, cost: float = one.cost) -> None:
                bar.advance(round(cost * where.stop) - round(cost * where.start))

            section = journal.section(one.name)
            repeated = repeat(
                one.work,
                one.repetitions,
                section,
                title=one.name,
                n_jobs=n_jobs,
                n_columns=1 if one.part in ("harrell", "random") else len(COLUMNS),
                advance=advance,
            )
            found[one.name] = repeated.values
            seconds[one.part] = seconds.get(one.part, 0.0) + repeated.seconds
    tables = tabulate(series, found, seconds)
    write_tables(tables, out)
    draw_figures(tables, pool, seed, figures, out)
    write_findings(tables, out)
    return tables


def require_apart(pool: Path, out: Path) -> None:
    """Refuse a pool that a table of averages would overwrite."""
    if any(is_same_file(pool, out / f"{name}.csv") for name in TABLES):
        raise UsageError(
            explain(
                "A table of the results would overwrite the pool.",
                f"You passed {arg('pool', str(pool))} and {arg('out', str(out))}.",
                f"Pass another folder as {arg('out', ...)}.",
            )
        )


def declare(repetitions: int | None, seed: int, pool: Pool | None) -> list[Series]:
    """List every series of repetitions."""
    many = grid.REPETITIONS if repetitions is None else repetitions
    series = [
        Series(part, _keys(setting), partial(work, setting, seed), many, _cost(part, setting))
        for part, designs, work in (
            ("no signal", grid.NO_SIGNAL, repeat_synthetic),
            ("signal", grid.SIGNAL, repeat_synthetic),
            ("harrell", grid.NO_SIGNAL, repeat_harrell),
        )
        for setting in grid.synthetic(designs)
    ]
    series.append(Series("random", {}, partial(repeat_random, seed), many, 0.05))
    if pool is None:
        return series
    few = min(many, grid.POOL_REPETITIONS)
    for learner in grid.LEARNERS:
        for fraction in grid.FRACTIONS:
            apart = pool.is_large(fraction, grid.POOL_REPETITIONS)
            work = partial(repeat_pool, pool, learner, fraction, seed, apart)
            keys = {"pool": pool.name, "learner": learner, "fraction": fraction}
            cost = (2.0 if learner == "ridge" else 2.5) + 1e-4 * pool.y.size
            series.append(Series("pool", keys, work, few, cost, pool.digest))
    return series


def tabulate(
    series: list[Series], found: dict[str, FloatArray], seconds: dict[str, float]
) -> Tables:
    """Average the repetitions."""
    auc: list[dict[str, Any]] = []
    consistency: list[dict[str, Any]] = []
    sensitivity: list[dict[str, Any]] = []
    pool: list[dict[str, Any]] = []
    pool_sensitivity: list[dict[str, Any]] = []
    random = None
    for one in series:
        values = found[one.name]
        if one.part == "random":
            random = (float(values.mean()), _error(values[:, 0]))
            continue
        keys = one.keys
        if one.part == "harrell":
            auc.append(
                {**keys, "scheme": "harrell", **_moments(values[:, 0] - 0.5), "true_auc": 0.5}
            )
            continue
        column = {name: values[:, k] for k, name in enumerate(COLUMNS)}
        true = column["true"]
        target = pool if one.part == "pool" else auc
        for scheme in ("loo", "lpo", "tlpo"):
            row = {**keys, "scheme": scheme, **_moments(column[scheme] - true)}
            row["true_auc"] = float(true.mean())
            if one.part == "pool":
                row |= {"auc": float(column[scheme].mean()), "sd": _sd(column[scheme])}
                row["true_sd"] = _sd(true)
            target.append(row)
        xi = column["consistency"]
        if one.part == "pool":
            pool.append({**keys, "scheme": "consistency", **_moments(xi)})
        else:
            mean = {k: v for k, v in _moments(xi).items() if k != "variance"}
            consistency.append({**keys, **mean})
        for s in grid.SPECIFICITIES:
            gap = column[f"sensitivity {s:g}"] - column[f"true sensitivity {s:g}"]
            row = {**keys, "specificity": s, **_moments(gap)}
            (pool_sensitivity if one.part == "pool" else sensitivity).append(row)
    order = ["mean", "variance", "se", "true_auc", "repetitions"]
    return Tables(
        auc=_frame(auc, ["learner", "features", "signal", "fraction", "scheme", *order]),
        consistency=_frame(
            consistency, ["learner", "features", "signal", "fraction", "mean", "se", "repetitions"]
        ),
        sensitivity=_frame(
            sensitivity,
            [
                *("learner", "features", "signal", "fraction", "specificity"),
                *("mean", "variance", "se", "repetitions"),
            ],
        ),
        pool=_frame(
            pool, ["pool", "learner", "fraction", "scheme", *order, "auc", "sd", "true_sd"]
        ),
        pool_sensitivity=_frame(
            pool_sensitivity,
            [
                *("pool", "learner", "fraction", "specificity"),
                *("mean", "variance", "se", "repetitions"),
            ],
        ),
        random_consistency=random,
        seconds=seconds,
    )


def write_tables(tables: Tables, out: Path) -> None:
    """Write one file per table that has rows."""
    for name in TABLES:
        frame = getattr(tables, name)
        if len(frame):
            write_text(out / f"{name}.csv", frame.to_csv(index=False, float_format="%.6g"))
    if tables.random_consistency is not None:
        mean, se = tables.random_consistency
        text = json.dumps({"mean": mean, "se": se, "expected": 3 / (grid.N_UNITS + 2)}, indent=1)
        write_text(out / "random_consistency.json", text + "\n")


def _cost(part: str, setting: Setting) -> float:
    if part == "harrell":
        return 0.6
    wide = setting.n_features > N_UNITS
    if setting.learner == "knn" and setting.n_signal:
        return 8.0 if wide else 4.0
    return 1.5 if wide else 1.0


def _keys(setting: Setting) -> dict[str, Any]:
    return {
        "learner": setting.learner,
        "features": setting.n_features,
        "signal": setting.n_signal,
        "fraction": setting.fraction,
    }


def _moments(values: FloatArray) -> dict[str, Any]:
    return {
        "mean": float(values.mean()),
        "variance": _sd(values) ** 2,
        "se": _error(values),
        "repetitions": values.size,
    }


def _sd(values: FloatArray) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _error(values: FloatArray) -> float:
    return _sd(values) / float(np.sqrt(values.size))


def _frame(rows: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns)


def _require_figures(only: Sequence[str]) -> list[str]:
    unknown = [name for name in only if name not in grid.FIGURES]
    if unknown:
        raise InputError(
            explain(
                "There is no such figure.",
                f"You passed {', '.join(repr(name) for name in unknown)}.",
                f"Use 'all' or some of {', '.join(grid.FIGURES)}.",
            )
        )
    return list(only) or list(grid.FIGURES)
