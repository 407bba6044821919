"""Text that came from a file or a name: shown without acting on the terminal, and writable."""

from __future__ import annotations

import re
import unicodedata

# Marks that reverse or embed the direction of the text around them.
_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Control characters (escape sequences begin with one), separators of lines, halves of characters.
_CATEGORIES = ("Cc", "Zl", "Zp", "Cs")
_HALVES = re.compile("[\ud800-\udfff]")


def escape_control_characters(text: str, keep: str = "") -> str:
    r"""Write characters that act on a terminal as escapes.

    Parameters
    ----------
    text : str
        Any text.
    keep : str
        Characters to leave as they are, such as the line breaks of a message.

    Examples
    --------
    >>> print(escape_control_characters("yes\x1b[31m\u202eon"))
    yes\x1b[31m\u202eon
    >>> escape_control_characters("Größe\n", keep="\n")
    'Größe\n'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in keep or not _acts(c) else repr(c)[1:-1] for c in text)


def whole(text: str) -> str:
    r"""Replace halves of characters, which no file can hold.

    A file name that is not UTF-8 has one for every byte that cannot be decoded.

    Examples
    --------
    >>> whole("Gr\udcf6\udcdfe.csv")
    'Gr��e.csv'
    """
    return _HALVES.sub("\ufffd", text)


def _acts(character: str) -> bool:
    return character in _DIRECTIONS or unicodedata.category(character) in _CATEGORIES
