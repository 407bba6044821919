"""What can go wrong, told in three parts: the problem, what was passed, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class InputError(ValueError):
    """The data or an option cannot be used."""


class UsageError(InputError):
    """An option cannot work, whatever the data."""


class NoScoreError(InputError):
    """The classifier offers no score to rank units by."""


class GameError(RuntimeError):
    """An estimator failed, or answered with something that is not a number."""


class EngineError(ValueError):
    """The engine that was asked for by name does not apply."""


class JournalError(RuntimeError):
    """A journal cannot be used: another run's, in use, damaged, or the disk is full."""


def explain(problem: str, passed: str, remedy: str) -> str:
    """Join the three parts of a message, one a line."""
    return f"{problem}\n{passed}\n{remedy}"


def enumerate_briefly(items: Iterable[Any], most: int = 6) -> str:
    """List items as ``repr``, the first few only, in the order given."""
    shown = [repr(plain(item)) for item in items]
    if len(shown) > most:
        shown = [*shown[:most], f"… ({len(shown)} in all)"]
    return ", ".join(shown)


def plain(item: Any) -> Any:
    """Return a numpy scalar as Python's own: numpy 2 shows np.str_('a'), a reader wants 'a'."""
    return item.item() if hasattr(item, "item") else item
