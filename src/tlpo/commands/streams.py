"""Standard streams that cannot end a run: hours of fitting must not be lost to a full terminal."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

# What is printed where a terminal cannot show the character itself; "?" for all others.
PLAIN = {
    **{"ξ": "xi", "λ": "lambda", "α": "alpha", "Δ": "Delta", "∞": "inf", "½": "1/2"},
    **{"–": "-", "—": "-", "−": "-", "·": "*", "×": "x", "±": "+/-", "≤": "<=", "≥": ">="},
    **{"→": "->", "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "\xa0": " ", "•": "*"},
    **dict.fromkeys("─━═╸╺", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
}


def _plainly(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    shown = (PLAIN.get(character, "?") for character in error.object[error.start : error.end])
    return "".join(shown), error.end


codecs.register_error("tlpo-plain", _plainly)


class TolerantStream:
    """A stream whose write never fails; it keeps the first error, and drops what follows.

    Attributes
    ----------
    failure : Exception or None
        Why not everything was written.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self.failure: Exception | None = None
        self._stream = stream  # None if Python found it closed

    def write(self, text: str) -> int:
        """Write what can be encoded, and ASCII for the rest."""
        try:
            if self._stream is None:
                raise ValueError
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(text.encode(encoding, "tlpo-plain").decode(encoding))
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            self._fail(error)
        return len(text)

    def flush(self) -> None:
        """Flush."""
        try:
            if self._stream is not None:
                self._stream.flush()
        except (OSError, ValueError) as error:
            self._fail(error)

    @property
    def reason(self) -> str:
        """The failure in words."""
        return getattr(self.failure, "strerror", None) or "it is closed"

    def _fail(self, error: Exception) -> None:
        self.failure = self.failure or error
        # Python flushes buffers when it ends: that would fail again, with a traceback.
        with suppress(OSError, ValueError), open(os.devnull, "w", encoding="utf-8") as null:
            if self._stream is not None:
                os.dup2(null.fileno(), self._stream.fileno())

    def isatty(self) -> bool:
        """Whether somebody is looking."""
        return self._stream is not None and self._stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def tolerate_stream_errors() -> Iterator[TolerantStream]:
    """Let ``sys.stdout`` and ``sys.stderr`` forgive what cannot be written; yield stdout."""
    _fill_descriptors()
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = TolerantStream(sys.stdout), TolerantStream(sys.stderr)
    sys.stdout, sys.stderr = out, err
    if sys.stdin is None:  # closed: read as an empty file
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdin, sys.stdout, sys.stderr = before


def _fill_descriptors() -> None:
    """Open what was closed: a journal must not become file 1, which any C code prints to."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
