"""How far long runs are: a bar on stderr in interactive use, or whatever a watcher makes of it."""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

DELAY_SECONDS = 2.0  # before the bar appears

_watcher: Callable[[Progress], None] | None = None


def watch(watcher: Callable[[Progress], None] | None) -> None:
    """Have every `Progress` of this process passed on when it begins and moves; None ends that."""
    global _watcher
    _watcher = watcher


class Progress:
    """Count finished tasks and, in a terminal or notebook, show them with the time left.

    Parameters
    ----------
    total : int
        Number of tasks.
    title : str
        What is being done.
    show : bool
        False never shows the bar.
    done : int
        Tasks finished by an earlier run, which do not count towards the speed.
    """

    def __init__(self, total: int, title: str, show: bool, done: int = 0) -> None:
        self.total = total
        self.title = title
        self.done = done
        self._restored = done
        self._show = show and is_interactive()
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if _watcher is not None:
            _watcher(self)
        return self

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the speed so far; None before anything was finished."""
        finished = self.done - self._restored
        if not finished:
            return None
        return (time.monotonic() - self._started) * (self.total - self.done) / finished

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, tasks: int) -> None:
        """Add finished tasks."""
        self.done += tasks
        if _watcher is not None:
            _watcher(self)
        if not self._show:
            return
        if self._bar is None:
            if time.monotonic() - self._started < DELAY_SECONDS:
                return
            self._open()
        self._bar.update(self._task, completed=self.done)

    def _open(self) -> None:
        if not _is_terminal():
            self._bar = _Line(self.title, self.total, self.done)
            return
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
            console=Console(stderr=True, force_jupyter=False),
            transient=True,
            # Tasks differ in cost; a long window keeps the time left from jumping.
            speed_estimate_period=120,
        )
        self._task = self._bar.add_task(self.title, total=self.total, completed=self.done)
        self._bar.start()


class _Line:
    """A line of text, written over itself, for notebooks: they ignore what moves a cursor."""

    def __init__(self, title: str, total: int, done: int) -> None:
        self._title, self._total, self._begun = title, total, done
        self._started, self._shown, self._width = time.monotonic(), 0.0, 0

    def update(self, _task: None, completed: int) -> None:
        now = time.monotonic()
        if now - self._shown < 0.5:
            return
        self._shown = now
        text = f"{self._title} {completed:,} of {self._total:,}"
        if completed > self._begun and now > self._started:
            pace = (now - self._started) / (completed - self._begun)
            left = datetime.timedelta(seconds=round((self._total - completed) * pace))
            text += f", {left} left"
        self._write(text)

    def stop(self) -> None:
        self._write("")
        self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)


def is_interactive() -> bool:
    """Return whether somebody sees stderr: in a terminal or a notebook."""
    return sys.stderr is not None and ("ipykernel" in sys.modules or _is_terminal())


def _is_terminal() -> bool:
    return sys.stderr.isatty()
