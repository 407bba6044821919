"""Public data sets through ``tlpo run --time --event``, as a new user would put them.

    make realdata    # or: python -m studies.realdata_survival [--only NAME] [--write]

As `studies/realdata.py`, for the tables that come with scikit-survival; of large ones some rows,
drawn once. Harrell's C of a few rows is compared with a loop that clones, fits and predicts without
any code of the package but `tlpo.Cox`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import tlpo
from studies.public_tables import USEFUL, USELESS, Case
from studies.realdata import deceiving, go_through, rows_of, run
from tlpo.analysis.models import Model
from tlpo.tables.build_sample import Sample
from tlpo.tables.options import Specification

if TYPE_CHECKING:
    import pandas as pd

# Rows that the plain loop plays: one fit for every ordered pair of them.
FEW = 24
HEAD = ("data", "patients", "events", "columns", "left out", "warned of", "Harrell's C", "Uno's C",
        "AUC when half of the events have happened", "seconds", "C of a few rows",
        "by the plain loop")  # fmt: skip


def bundled(name: str, n_rows: int | None = None) -> Callable[[], pd.DataFrame]:
    """Return a table of scikit-survival's, or some rows, with columns ``time`` and ``event``."""

    def load() -> pd.DataFrame:
        from sksurv import datasets

        X, y = getattr(datasets, f"load_{name}")()
        event, time = y.dtype.names
        table: pd.DataFrame = X.assign(time=y[time], event=y[event].astype(int))
        return table if n_rows is None else table.sample(n_rows, random_state=0)

    return load


def _case(
    name: str,
    load: str,
    warned: dict[str, str] | None = None,
    remarks: dict[str, str] | None = None,
    event: str = "event",
    n_rows: int | None = None,
    leaks: tuple[str, ...] = (),
) -> Case:
    asked = Specification(event, time="time")
    some = "" if n_rows is None else f"-{n_rows}-rows"
    return Case(
        f"scikit-survival/{name}{some}",
        asked,
        warned or {},
        left_out=(),
        leaks=leaks,
        remarks=remarks or {},
        load=bundled(load, n_rows),
    )


CASES = (
    _case("veterans", "veterans_lung_cancer"),
    _case("GBSG2", "gbsg2"),
    _case(
        "WHAS500",
        "whas500",
        {"los": "after"},
        {"known after the outcome": USEFUL, "effect of censoring": USEFUL},
    ),
    # Drug use, ethnicity and treatment are numbers of categories.
    _case(
        "AIDS",
        "aids",
        {"ivdrug": "codes", "raceth": "codes", "txgrp": "codes"},
        {"codes": USEFUL, "events per variable": USEFUL},
        n_rows=400,
    ),
    # Uno's C depends on few patients who were followed for long.
    _case(
        "GSE7390",
        "breast_cancer",
        remarks={"events per variable": USEFUL, "effect of censoring": USEFUL},
    ),
    # The only predictor is one of two diseases: nobody knows beforehand which is worse.
    _case(
        "BMT",
        "bmt",
        remarks={"one predictor": USELESS, "few events": USEFUL},
        event="event == 1",
    ),
    _case("cGvHD", "cgvhd", event="event == 1"),
    # The chapter of the cause of death is missing in whoever lives.
    _case(
        "FLChain",
        "flchain",
        {"chapter": "filled"},
        {"told by gaps": USEFUL},
        n_rows=500,
        leaks=("chapter",),
    ),
)


def try_out(case: Case) -> tuple[list[object], list[str]]:
    """Run the command; return a line of the table, and what is not as expected."""
    analysis, sample, made, seconds, warned, wrong = run(case)
    few, plain = compare(sample, made)
    if few != plain:
        wrong.append(f"{case.name}: C {few} of a few rows, {plain} by the plain loop")
    model = analysis.models[0]
    (at,) = model.at
    return [
        case.name,
        analysis.n_units,
        sum(analysis.event),
        sample.X.shape[1],
        *deceiving(sample, warned),
        _limits(model.concordance, model.interval),
        _limits(model.uno, model.uno_interval),
        f"{_limits(at.auc, at.interval)} at {at.time:g}",
        f"{seconds:.1f}",
        f"{few:.4f}",
        f"{plain:.4f}",
    ], wrong


def compare(sample: Sample, model: Model) -> tuple[float, float]:
    """Return Harrell's C of a few rows by the package, and by a loop over their pairs."""
    rows = np.sort(np.random.default_rng(0).permutation(len(sample.y))[:FEW])
    X, y = rows_of(model.features(sample), rows), sample.y[rows]
    by_package = tlpo.survival(model.estimator, X, y, n_jobs=1)
    return by_package.concordance, plain_loop(model.estimator, X, y)


def plain_loop(estimator: Any, X: Any, y: Any) -> float:
    """Return the share of ordered pairs that a model fitted without both ranks correctly."""
    from sklearn.base import clone

    wins = []
    time, event = y["time"], y["event"]
    for i in np.flatnonzero(event):
        for j in range(len(y)):
            if not (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                continue
            train = np.delete(np.arange(len(y)), (i, j))
            fitted = clone(estimator).fit(rows_of(X, train), y[train])
            first, second = fitted.predict(rows_of(X, [i, j]))
            wins.append(1.0 if first > second else 0.5 if first == second else 0.0)
    return float(np.mean(wins))


def _limits(estimate: float, interval: Any) -> str:
    return f"{estimate:.3f} ({interval.low:.3f} to {interval.high:.3f})"


def main() -> None:
    """Run every table of times to an event."""
    go_through(__doc__.split("\n")[0], CASES, try_out, HEAD, "survival.md")


if __name__ == "__main__":
    main()
