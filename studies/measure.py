"""Repeat declared measurements and keep their means in a CSV file.

A study declares measurements: a name, a function from the number of a repetition to a mean and a
width by quantity, and how often to repeat it. Every repetition has its own seed, so the table does
not depend on the number of cores.

Finished repetitions are kept in a journal next to the CSV file, as in ``tlpo reproduce``: if
interrupted or killed, the same command resumes. The journal is bound to the exact source code and
refused after any change to it, so that no table mixes two versions of a method unnoticed. When
everything has been measured the journal is removed, and the next run starts afresh.

The CSV file is only an output, written again after every setting: what it already holds is measured
again. ``--only`` measures a part, for example a new setting; it keeps the rows of all other
settings, and the journal.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn

import tlpo
from tlpo.arrays import IntArray
from tlpo.execution.journal import Part, open_part
from tlpo.experiments.repetitions import Rows, repeat

Quantities = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Measurement:
    """Repetitions of one setting.

    Attributes
    ----------
    name : str
        Unique.
    measure : callable
        From the number of a repetition to a mean and a width by quantity. The quantities are the
        same in all repetitions; one that does not exist in a repetition is NaN.
    repetitions : int
        How many.
    """

    name: str
    measure: Callable[[int], Quantities]
    repetitions: int


def measure(
    what: Measurement, n_jobs: int | None, progress: bool, journal: Part | None = None
) -> pd.DataFrame:
    """Repeat one measurement and average it: one row per quantity."""
    repeated = repeat(
        partial(_repeat, what.measure),
        what.repetitions,
        None if journal is None else journal.section(what.name),
        title=what.name,
        n_jobs=n_jobs,
        progress=progress,
    )
    rows = []
    for k, quantity in enumerate(repeated.names):
        values = repeated.values[:, k]
        values = values[~np.isnan(values[:, 0])]
        if not len(values):
            continue
        rows.append(
            {
                "measurement": what.name,
                "quantity": quantity,
                "mean": values[:, 0].mean(),
                "se": values[:, 0].std(ddof=1) / np.sqrt(len(values)),
                "width": values[:, 1].mean(),
                "repetitions": len(values),
                "requested": what.repetitions,
                "seconds": round(repeated.seconds, 1),
            }
        )
    return pd.DataFrame(rows)


def _repeat(one: Callable[[int], Quantities], repetitions: IntArray) -> Rows:
    found = [one(int(k)) for k in repetitions]
    return Rows(np.array([list(values.values()) for values in found]), tuple(found[0]))


def holds(low: float, high: float, truth: float) -> tuple[float, float]:
    """Return whether limits contain the truth, and their width."""
    # Allow for rounding: limits of exactly 0 and 1 contain truths of 1 − 1e-16.
    return float(low - 1e-12 <= truth <= high + 1e-12), float(high - low)


def fingerprint(study: str) -> dict[str, str]:
    """Return what the numbers depend on: the code, and the libraries it calls."""
    code = hashlib.blake2b(digest_size=8)
    for package in (Path(tlpo.__file__).parent, Path(__file__).parent):
        for path in sorted(package.rglob("*.py")):
            code.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return {
        "study": study,
        "code": code.hexdigest(),
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }


def merge(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Replace the rows of what was measured again; keep all others, and the order."""
    if old.empty:
        return new
    names = dict.fromkeys([*old["measurement"], *new["measurement"]])
    fresh = set(new["measurement"])

    def rows(name: str) -> pd.DataFrame:
        table = new if name in fresh else old
        return table[table["measurement"] == name]

    return pd.concat([rows(name) for name in names], ignore_index=True)


def command(
    study: str, about: str, measurements: Callable[[int], Sequence[Measurement]], repetitions: int
) -> None:
    """Measure what the command line asks for, and write the table."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--repetitions", type=int, default=repetitions, help="at most")
    parser.add_argument(
        "--only", default="*", help="pattern of names, for example 'interval knn-*'"
    )
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--csv", type=Path, default=Path(f"{study}.csv"))
    arguments = parser.parse_args()
    chosen = [m for m in measurements(arguments.repetitions) if fnmatch(m.name, arguments.only)]
    if not chosen:
        parser.error(f"no measurement matches {arguments.only!r}")
    kept = arguments.csv.with_suffix(".tlpo")
    with open_part(kept, study, lambda: fingerprint(study)) as journal:
        for what in chosen:
            found = measure(what, arguments.n_jobs, True, journal)
            print(f"{what.name}: {found['seconds'].iloc[0]:.0f} s", flush=True)
            old = pd.read_csv(arguments.csv) if arguments.csv.exists() else pd.DataFrame()
            merge(old, found).to_csv(arguments.csv, index=False, float_format="%.6g")
    if arguments.only == "*":
        kept.unlink()
