"""A progress bar on stderr: silent unless a person is looking and the run is long."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 2.0  # seconds before the bar appears


class Progress:
    """Counts finished rounds and, in a terminal, shows them with the time left.

    Parameters
    ----------
    total : int
        Number of rounds.
    title : str
        What is being done.
    show : bool
        False keeps silent everywhere.
    done : int
        Rounds that an earlier run has finished: they say nothing of the time left.
    """

    def __init__(self, total: int, title: str, show: bool, done: int = 0) -> None:
        self.total = total
        self.title = title
        self.done = done
        self._show = show and _somebody_looks()
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, rounds: int) -> None:
        """Note that rounds are finished."""
        self.done += rounds
        if not self._show:
            return
        if self._bar is None:
            if time.monotonic() - self._started < PATIENCE:
                return
            self._open()
        self._bar.update(self._task, completed=self.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("elapsed,"),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("left"),
            console=Console(stderr=True),
            transient=True,
            # Rounds differ in cost; a long memory keeps the time left from jumping about.
            speed_estimate_period=120,
        )
        self._task = self._bar.add_task(self.title, total=self.total, completed=self.done)
        self._bar.start()


def _somebody_looks() -> bool:
    if "ipykernel" in sys.modules:  # a notebook
        return True
    return sys.stderr is not None and sys.stderr.isatty()
