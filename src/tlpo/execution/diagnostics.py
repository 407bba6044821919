"""What a run did: fits, failures, seconds, and the warnings of the estimator, counted."""

from __future__ import annotations

import builtins
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from sklearn import exceptions


@dataclass(frozen=True)
class Diagnostics:
    """How a result came about.

    Attributes
    ----------
    pairs_played : int
        Games that were finished (0 for schemes without games).
    games_evaluated : int
        Games whose result a closed form had to compute; the others were certain without it.
    fits : int
        Models that were fitted.
    failures : dict of str to int
        Distinct causes of games that could not be played, with counts.
    seconds : float
        Wall-clock time.
    warnings : tuple of str
        Distinct warnings of the estimator, with counts, and remarks on the result.
    why_not_faster : str or None
        Why no exact engine played; None if one did, or if refitting was asked for.
    added_sd : float
        Standard deviation that the AUC has because some games only were drawn; 0 if all were
        to be played.
    """

    pairs_played: int = 0
    games_evaluated: int = 0
    fits: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    why_not_faster: str | None = None
    added_sd: float = 0.0

    @property
    def pairs_failed(self) -> int:
        """Games that could not be played."""
        return sum(self.failures.values())


@dataclass(eq=False)  # two logs are not the same for holding the same
class WarningLog:
    """Warnings counted by the place they come from, with the first text of each.

    An estimator that does not converge says so in every fit, each time with other digits:
    thousands of lines that hide each other. One line a place, with a count, is readable.
    """

    counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    first: dict[tuple[str, int], tuple[type[Warning], str]] = field(default_factory=dict)

    def add(self, category: type[Warning], text: str, place: tuple[str, int]) -> None:
        """Count a warning."""
        if issubclass(category, PendingDeprecationWarning | DeprecationWarning):
            return  # meant for the estimator's authors; Python hides these as well
        self.counts[place] += 1
        self.first.setdefault(place, (category, text))

    def merge(self, other: WarningLog) -> None:
        """Add another log to this one."""
        self.counts.update(other.counts)
        for place, first in other.first.items():
            self.first.setdefault(place, first)

    def pack(self) -> list[list[Any]]:
        """Write the log as plain values, which a journal can hold."""
        return [
            [*place, category.__name__, text, self.counts[place]]
            for place, (category, text) in self.first.items()
        ]

    @classmethod
    def unpack(cls, rows: list[list[Any]]) -> WarningLog:
        """Read the log back. Categories are looked up, never imported by a name in a file."""
        log = cls()
        for file, line, name, text, count in rows:
            category = getattr(builtins, name, getattr(exceptions, name, None))
            if not (isinstance(category, type) and issubclass(category, Warning)):
                category = UserWarning
            log.first[file, line] = (category, text)
            log.counts[file, line] = count
        return log

    def lines(self, n_fits: int) -> list[str]:
        """Return one line a distinct warning."""
        return [
            f"{category.__name__}, {self.counts[place]} times in {n_fits} fits: {first_line(text)}"
            for place, (category, text) in self.first.items()
        ]

    def emit(self, n_fits: int) -> None:
        """Raise each distinct warning once, under its own category, so user filters apply.

        A run inside another one hands its warnings over to it.
        """
        outer = _log_of_this_thread()
        if outer is not None:
            outer.merge(self)
            return
        for (category, _), line in zip(self.first.values(), self.lines(n_fits), strict=True):
            warnings.warn(line, category, stacklevel=outside())


@contextmanager
def recording(log: WarningLog) -> Iterator[None]:
    """Collect the warnings of this thread into a log instead of printing them.

    Python's own `warnings.catch_warnings` is one for the whole process: two threads that leave it
    in another order than they entered it would lose warnings for good.
    """
    global _shown
    with _lock:
        if not _logs:
            _hook.enter_context(warnings.catch_warnings())
            _shown = warnings.showwarning
            warnings.simplefilter("always")
            warnings.showwarning = _note  # type: ignore[assignment]
        _logs.append((threading.get_ident(), log))
    try:
        yield
    finally:
        with _lock:
            _logs.remove((threading.get_ident(), log))
            if not _logs:
                _hook.close()


_lock = threading.Lock()
_hook = ExitStack()
_logs: list[tuple[int, WarningLog]] = []  # who records in which thread, the latest last
_shown: Callable[..., None] = warnings.showwarning  # what showed warnings before


def _log_of_this_thread() -> WarningLog | None:
    own = [log for thread, log in _logs if thread == threading.get_ident()]
    return own[-1] if own else None


def _note(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
    """Count a warning in the log of its thread.

    If only one thread records, threads without a log are taken for its estimator's; otherwise
    nobody knows whose they are, and their warnings are shown.
    """
    log = _log_of_this_thread()
    if log is None and len({thread for thread, _ in _logs}) == 1:
        log = _logs[0][1]
    if log is None:
        _shown(message, category, filename, lineno, *rest)
    else:
        log.add(category, str(message), (filename, lineno))


@dataclass
class RunLog:
    """Counts kept while rounds are being played."""

    fits: int = 0
    pace: float | None = None  # seconds a round takes, once that is known
    warnings: WarningLog = field(default_factory=WarningLog)
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Wall-clock time since the run began."""
        return time.perf_counter() - self.started

    def diagnostics(
        self,
        *,
        pairs_played: int = 0,
        failures: dict[str, int] | None = None,
        remarks: tuple[str, ...] = (),
    ) -> Diagnostics:
        """Close the log."""
        return Diagnostics(
            pairs_played=pairs_played,
            fits=self.fits,
            failures=failures or {},
            seconds=self.seconds,
            warnings=(*self.warnings.lines(self.fits), *remarks),
        )


def first_line(text: str) -> str:
    """Return the first line of a message that has any text."""
    lines = text.strip().splitlines()
    return lines[0].strip() if lines else "(no message)"


def outside() -> int:
    """Return the stack level of the first frame outside the package, seen from the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tlpo"):
        level, frame = level + 1, frame.f_back
    return level
