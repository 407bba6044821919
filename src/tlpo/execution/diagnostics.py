"""What a run did: fits, failures, seconds, and counts of the estimator's warnings."""

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

from tlpo.plurals import counted


@dataclass(frozen=True)
class Diagnostics:
    """How a result was obtained.

    Attributes
    ----------
    pairs_played : int
        Games that were finished (0 for schemes without games).
    games_evaluated : int
        Games whose result had to be computed in closed form; the others were decided without it.
    fits : int
        Models that were fitted.
    failures : dict of str to int
        Distinct reasons why games could not be played, with counts.
    seconds : float
        Wall-clock time.
    warnings : tuple of str
        Distinct warnings from the estimator, with counts, and remarks on the result.
    why_not_faster : str or None
        Why no exact engine played; None if one did, or if refitting was asked for.
    added_sd : float
        Standard deviation added to the AUC by playing only a random part of the games; 0 if all
        were scheduled.

    Examples
    --------
    Why AdaBoost takes a fit per pair:

    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> import tlpo
    >>> model = AdaBoostClassifier(n_estimators=2, random_state=0)
    >>> X, y = [[k] for k in range(8)], [0, 0, 1, 0, 1, 0, 1, 1]
    >>> found = tlpo.tournament(model, X, y).diagnostics
    >>> found.pairs_played, found.fits, found.pairs_failed
    (28, 28, 0)
    >>> found.why_not_faster
    'The models of AdaBoostClassifier build on each other, so all are fitted anew.'
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


@dataclass(eq=False)  # logs are compared by identity
class WarningLog:
    """Warnings counted by the line of code that raised them, with the first text of each.

    An estimator that does not converge warns in every fit, each time with different digits:
    thousands of lines that hide each other. One line per source, with a count, is readable.
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
        """Convert the log to plain values that a journal can store."""
        return [
            [*place, category.__name__, text, self.counts[place]]
            for place, (category, text) in self.first.items()
        ]

    @classmethod
    def unpack(cls, rows: Any) -> WarningLog | None:
        """Restore a log, or return None for anything that `pack` would not return.

        Categories are looked up, never imported by a name found in a file.
        """
        from sklearn import exceptions

        log = cls()
        kinds = [str, int, str, str, int]
        if not (isinstance(rows, list) and all(isinstance(row, list) for row in rows)):
            return None
        for row in rows:
            if [type(value) for value in row] != kinds or not 0 < row[-1] < 2**63:
                return None
            file, line, name, text, count = row
            category = getattr(builtins, name, getattr(exceptions, name, None))
            if not (isinstance(category, type) and issubclass(category, Warning)):
                category = UserWarning
            log.first[file, line] = (category, text)
            log.counts[file, line] = count
        return log

    def lines(self, n_fits: int) -> list[str]:
        """Return one line per distinct warning."""
        return [
            f"{category.__name__}, {counted(self.counts[place], 'time')} in "
            f"{counted(n_fits, 'fit')}: {first_line(text)}"
            for place, (category, text) in self.first.items()
        ]

    def emit(self, n_fits: int) -> None:
        """Issue each distinct warning once, in its own category, so that user filters apply.

        A nested run passes its warnings on to the outer run.
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

    Python's own `warnings.catch_warnings` is global to the process: two threads that do not leave
    it in reverse order of entering would lose warnings permanently.
    """
    global _show_original
    with _lock:
        if not _logs:
            _hook.enter_context(warnings.catch_warnings())
            _show_original = warnings.showwarning
            warnings.simplefilter("always")
            warnings.showwarning = _record  # type: ignore[assignment]
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
_logs: list[tuple[int, WarningLog]] = []  # thread and its log, the latest last
_show_original: Callable[..., None] = warnings.showwarning


def _log_of_this_thread() -> WarningLog | None:
    own = [log for thread, log in _logs if thread == threading.get_ident()]
    return own[-1] if own else None


def _record(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
    """Count a warning in the log of its thread.

    If only one thread records, threads without a log are assumed to belong to its estimator.
    Otherwise their origin is unknown, and their warnings are shown.
    """
    log = _log_of_this_thread()
    if log is None and len({thread for thread, _ in _logs}) == 1:
        log = _logs[0][1]
    if log is None:
        _show_original(message, category, filename, lineno, *rest)
    else:
        log.add(category, str(message), (filename, lineno))


@dataclass
class RunLog:
    """Counts kept during a run."""

    fits: int = 0
    pace: float | None = None  # seconds per task, once known
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
    """Return the first non-empty line of a message."""
    lines = text.strip().splitlines()
    return lines[0].strip() if lines else "(no message)"


def outside() -> int:
    """Return the stack level of the first frame outside the package, seen from the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tlpo"):
        level, frame = level + 1, frame.f_back
    return level
