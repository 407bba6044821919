"""Repeat one simulation many times; with a journal, an interrupted run resumes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tlpo.arrays import FloatArray, IntArray
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
    progress : bool
        Show a progress bar in a terminal.
    advance : callable, optional
        Called with the repetitions that are finished, in order.
    """
    seconds = 0.0
    if section is not None:
        section.done = _first(section.done, repetitions)
        seconds = max((r.values.get("seconds", 0.0) for r in section.done), default=0.0)
    started = time.perf_counter() - seconds
    found: list[Rows] = []

    def pack(rows: Rows) -> Values:
        nonlocal seconds
        seconds = time.perf_counter() - started
        return {"values": rows.values, "names": list(rows.names), "seconds": seconds}

    def collect(where: slice, rows: Rows) -> None:
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
        keep=None if section is None else Keep(section, pack, _unpack),
    )
    if section is None:
        seconds = time.perf_counter() - started
    values = np.concatenate([rows.values for rows in found])
    return Repeated(values, found[0].names, seconds)


def _unpack(values: Values) -> Rows:
    return Rows(values["values"], tuple(values.get("names", ())))


def _first(done: list[Record], repetitions: int) -> list[Record]:
    """Keep what a journal holds of the first repetitions."""
    return [
        replace(
            record,
            stop=min(record.stop, repetitions),
            values={
                **record.values,
                "values": record.values["values"][: repetitions - record.start],
            },
        )
        for record in done
        if record.start < repetitions
    ]
