"""Errors with messages in three parts: the problem, what was passed, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class InputError(ValueError):
    """The data or an option cannot be used."""


class UsageError(InputError):
    """An option cannot work, whatever the data."""


class NoScoreError(InputError):
    """The classifier provides no score to rank units by."""


class GameError(RuntimeError):
    """An estimator failed, or predicted something that is not a number."""


class EngineError(ValueError):
    """The engine requested by name does not apply."""


class JournalError(RuntimeError):
    """A journal cannot be used: it belongs to another run, is in use or cannot be written."""


# What a user can meet, and a message answers; anything else is a fault of ours.
EXPECTED = (ValueError, GameError, JournalError, OSError, MemoryError)


def explain(problem: str, passed: str, remedy: str) -> str:
    """Join the three parts of a message, one per line."""
    return f"{problem}\n{passed}\n{remedy}"


def enumerate_briefly(items: Iterable[Any], most: int = 6) -> str:
    """List the ``repr`` of the first few items, in the order given."""
    shown = [repr(plain(item)) for item in items]
    if len(shown) > most:
        shown = [*shown[:most], f"… ({len(shown)} in all)"]
    return ", ".join(shown)


def plain(item: Any) -> Any:
    """Convert a NumPy scalar to Python: NumPy 2 shows np.str_('a') where a reader wants 'a'."""
    return item.item() if hasattr(item, "item") else item


def in_words(error: Exception) -> str:
    """Return the message of an error; those of the system are put into three parts."""
    if isinstance(error, MemoryError):
        return explain(
            "There is not enough memory.",
            f"The system says: {error or 'MemoryError'}.",
            "Pass fewer rows, columns or models, or use a machine with more memory. With "
            "journal=…, the same command resumes.",
        )
    if isinstance(error, OSError) and error.strerror is not None:
        return explain(
            "A file could not be read or written.",
            f"{error.filename or 'The system says'}: {error.strerror}.",
            "Check the path, permissions and free disk space, then run the same command again.",
        )
    return str(error)
