"""Repeat one simulation many times; with a journal, an interrupted run resumes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import JournalError, explain
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.framing import Values
from tlpo.execution.journal import Record, Section
from tlpo.execution.run import Keep, run_tasks


@dataclass
class Rows:
    """Results of some repetitions.

    Attributes
    ----------
    values : ndarray
        One entry per repetition along the first axis.
    names : tuple of str
        What the entries along the second axis are, where the caller cannot know beforehand.
    """

    values: FloatArray
    names: tuple[str, ...] = ()
    fits: int = 0

    @property
    def finished(self) -> int:
        """Number of repetitions."""
        return len(self.values)


class Repeated(NamedTuple):
    """All repetitions, and the seconds they took, those of interrupted runs included."""

    values: FloatArray
    names: tuple[str, ...]
    seconds: float


def repeat(
    work: Callable[[IntArray], Rows],
    repetitions: int,
    section: Section | None = None,
    *,
    title: str,
    n_jobs: int | None,
    n_columns: int | None = None,
    progress: bool = False,
    advance: Callable[[slice], None] | None = None,
) -> Repeated:
    """Run the repetitions that the journal does not hold yet, and return all of them.

    Parameters
    ----------
    work : callable
        From the numbers of some repetitions to their rows.
    repetitions : int
        How many. Asking for more than before continues; asking for fewer uses the first ones.
    section : Section, optional
        Where a journal keeps them.
    title : str
        What a progress bar calls them.
    n_jobs : int, optional
        Processes; the numbers do not depend on it.
    n_columns : int, optional
        How many numbers a repetition has, none of them NaN, where the caller knows: a journal
        that holds anything else is not believed.
    progress : bool
        Show a progress bar in a terminal.
    advance : callable, optional
        Called with the repetitions that are finished, in order.
    """
    seconds = 0.0
    if section is not None:
        section.done = _first(section.done, repetitions, n_columns)
        seconds = max((r.values["seconds"] for r in section.done), default=0.0)
    started = time.perf_counter() - seconds
    found: list[Rows] = []

    def pack(rows: Rows) -> Values:
        nonlocal seconds
        seconds = time.perf_counter() - started
        return {"values": rows.values, "names": list(rows.names), "seconds": seconds}

    def collect(where: slice, rows: Rows) -> None:
        if found and _form(rows) != _form(found[0]):
            raise JournalError(
                explain(
                    "The journal holds other quantities than are now measured.",
                    f"{title}: {_form(found[0])} and {_form(rows)}.",
                    "Pass another path to start over.",
                )
            )
        found.append(rows)
        if advance is not None:
            advance(where)

    run_tasks(
        work,
        np.arange(repetitions),
        collect,
        RunLog(),
        n_jobs=n_jobs,
        progress=progress,
        title=title,
        keep=None
        if section is None
        else Keep(section, pack, partial(_unpack, n_columns=n_columns)),
    )
    if section is None:
        seconds = time.perf_counter() - started
    values = np.concatenate([rows.values for rows in found])
    return Repeated(values, found[0].names, seconds)


def _unpack(values: Values, which: IntArray | slice, n_columns: int | None) -> Rows | None:
    """Restore some repetitions; None if they cannot have been written by `repeat`."""
    if values.keys() - {"warnings"} != {"values", "names", "seconds"}:
        return None
    rows, names, seconds = values["values"], values["names"], values["seconds"]
    n = which.stop - which.start if isinstance(which, slice) else which.size
    if not (
        isinstance(rows, np.ndarray)
        and rows.dtype == np.float64
        and rows.ndim >= 1
        and len(rows) == n
        and not np.isinf(rows).any()
        and (n_columns is None or (rows.shape[1:] == (n_columns,) and not np.isnan(rows).any()))
        and isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and (not names or rows.shape[1:2] == (len(names),))
        and isinstance(seconds, float)
        and 0 <= seconds < np.inf
    ):
        return None
    return Rows(rows, tuple(names))


def _form(rows: Rows) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return rows.names, rows.values.shape[1:]


def _first(done: list[Record], repetitions: int, n_columns: int | None) -> list[Record]:
    """Keep what a journal holds of the first repetitions, if it is sound."""
    kept = []
    for record in done:
        rows = _unpack(record.values, slice(record.start, record.stop), n_columns)
        if rows is not None and record.start < repetitions:
            values = {**record.values, "values": rows.values[: repetitions - record.start]}
            kept.append(replace(record, stop=min(record.stop, repetitions), values=values))
    return kept
