"""Errors with messages in three parts: the problem, what was passed, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# Around an argument that a message names, and between its name and its value; `repr` escapes these.
_OPEN, _BETWEEN, _CLOSE = "\ue000\ue001\ue002"
Word = Callable[[str, "str | None"], str]


def arg(name: str, *value: Any) -> str:
    """Name an argument, with its value if one is given, in the message of an error.

    Python shows it as one writes a call; another front end words it in its own terms.

    Examples
    --------
    >>> error = InputError(f"Leave out {arg('drop')}, or use {arg('sep', ';')}.")
    >>> str(error)
    "Leave out drop, or use sep=';'."
    >>> in_words(error, lambda name, value: f"--{name}" if value is None else f"--{name} {value}")
    "Leave out --drop, or use --sep ';'."
    """
    shown = ["…" if one is ... else repr(unboxed(one)) for one in value]
    return f"{_OPEN}{_BETWEEN.join([name, *shown])}{_CLOSE}"


def as_call(name: str, value: str | None) -> str:
    """Write an argument as in a call of Python."""
    return name if value is None else f"{name}={value}"


def _worded(message: str, word: Word) -> str:
    first, *others = message.split(_OPEN)
    parts = [first]
    for other in others:
        argument, closed, rest = other.partition(_CLOSE)
        name, *value = argument.split(_BETWEEN)
        # Somebody else's text may hold anything.
        parts += [word(name, value[0] if value else None), rest] if closed else [other]
    return "".join(parts)


class WordedError(Exception):
    """An error whose message may name arguments."""

    def worded(self, word: Word) -> str:
        """Return the message, with arguments written by ``word``."""
        return _worded(super().__str__(), word)

    def __str__(self) -> str:
        return self.worded(as_call)


class InputError(WordedError, ValueError):
    """The data or an option cannot be used. Also a ``ValueError``.

    Examples
    --------
    >>> import tlpo
    >>> tlpo.tournament(tlpo.RLS(), [[1.0], [2.0], [3.0]], ["ill", "ill", "ill"])
    Traceback (most recent call last):
        ...
    tlpo.errors.InputError: y must contain exactly two classes.
    You passed 1: 'ill'.
    Keep only two classes, or merge the others into them.
    """


class UsageError(InputError):
    """An option cannot work, whatever the data."""


class NoScoreError(InputError):
    """The classifier provides no score to rank units by."""


class GameError(WordedError, RuntimeError):
    """An estimator failed, or predicted something that is not a number. Also a ``RuntimeError``.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> import tlpo
    >>> model = KNeighborsClassifier(n_neighbors=7)
    >>> tlpo.tournament(model, [[k] for k in range(8)], [0, 1] * 4)
    Traceback (most recent call last):
        ...
    tlpo.errors.GameError: The estimator failed on the pair (0, 1).
    KNeighborsClassifier: ValueError: Expected n_neighbors <= n_samples_fit, ...
    Fix the cause, or pass on_error='skip' to leave such games out and count them.
    """


class EngineError(WordedError, ValueError):
    """The engine requested by name does not apply. Also a ``ValueError``.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> import tlpo
    >>> tlpo.tournament(SVC(), [[k] for k in range(8)], [0, 1] * 4, engine="least-squares")
    Traceback (most recent call last):
        ...
    tlpo.errors.EngineError: Engine 'least-squares' does not apply.
    It does not play estimators of type SVC.
    Use engine='auto', which uses an exact engine or refits.
    """


class JournalError(WordedError, RuntimeError):
    """A journal cannot be used: it belongs to another run, is in use or cannot be written.

    Also a ``RuntimeError``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import tlpo
    >>> X, y = [[k] for k in range(8)], [0, 1] * 4
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = Path(folder.name) / "run.tlpo"
    >>> t = tlpo.tournament(tree, X, y, journal=journal)
    >>> tlpo.tournament(tree, X, y[::-1], journal=journal)
    Traceback (most recent call last):
        ...
    tlpo.errors.JournalError: The journal belongs to another run.
    You passed ...run.tlpo: y was ... and is ....
    Repeat the original call to resume it, or pass another path to start over.
    >>> folder.cleanup()
    """


# What a user can meet, and a message answers; anything else is a fault of ours.
EXPECTED = (ValueError, GameError, JournalError, OSError, MemoryError)


def explain(problem: str, passed: str, remedy: str) -> str:
    """Join the three parts of a message, one per line."""
    return f"{problem}\n{passed}\n{remedy}"


def enumerate_briefly(items: Iterable[Any], most: int = 6) -> str:
    """List the ``repr`` of the first few items, in the order given."""
    shown = [repr(unboxed(item)) for item in items]
    if len(shown) > most:
        shown = [*shown[:most], f"… ({len(shown)} in all)"]
    return ", ".join(shown)


def unboxed(item: Any) -> Any:
    """Convert a NumPy scalar to Python: NumPy 2 shows np.str_('a') where a reader wants 'a'."""
    return item.item() if isinstance(item, np.generic) else item


def in_words(error: Exception, word: Word = as_call) -> str:
    """Return the message of an error; those of the system are put into three parts.

    Arguments that it names are written by ``word``, from their names and the repr of their values.
    """
    if isinstance(error, WordedError):
        return error.worded(word)
    if isinstance(error, MemoryError):
        message = explain(
            "There is not enough memory.",
            f"The system says: {error or 'MemoryError'}.",
            "Pass fewer rows, columns or models, or use a machine with more memory. With "
            f"{arg('journal', ...)}, the same command resumes.",
        )
        return _worded(message, word)
    if isinstance(error, OSError) and error.strerror is not None:
        return explain(
            "A file could not be read or written.",
            f"{error.filename or 'The system says'}: {error.strerror}.",
            "Check the path, permissions and free disk space, then run the same command again.",
        )
    return str(error)


@contextmanager
def as_usage() -> Iterator[None]:
    """Let whatever is wrong in this block count as wrong usage rather than wrong data."""
    try:
        yield
    except InputError as error:
        raise UsageError(*error.args) from error
