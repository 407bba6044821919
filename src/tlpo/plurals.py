"""Nouns that agree with their numbers: 1 patient, 2 patients."""

from __future__ import annotations

from typing import NamedTuple

from tlpo.errors import UsageError, arg, explain

# Endings that make a final "s" part of the word: glass, virus, analysis.
_NOT_PLURAL = ("ss", "us", "is")
_HISSING = ("s", "x", "z", "ch", "sh")


class Noun(NamedTuple):
    """What a row is called."""

    one: str
    many: str


def noun(text: str) -> Noun:
    """Read a noun in the singular or plural, or both where they are irregular.

    Examples
    --------
    >>> [tuple(noun(text)) for text in ("lesions", "biopsy", "mouse/mice")]
    [('lesion', 'lesions'), ('biopsy', 'biopsies'), ('mouse', 'mice')]
    """
    one, slash, many = (part.strip() for part in text.partition("/"))
    if not one or (slash and not many) or len(text.splitlines()) > 1:
        raise UsageError(
            explain(
                f"{arg('unit')} must be a word for what a row stands for.",
                f"You passed {arg('unit', text)}.",
                f"For example {arg('unit', 'lesions')} or, if irregular, "
                f"{arg('unit', 'mouse/mice')}.",
            )
        )
    one = one if slash else _singular(one)
    return Noun(one, many or plural(one))


def plural(one: str) -> str:
    """Return the regular plural of a noun.

    Examples
    --------
    >>> plural("patient"), plural("biopsy"), plural("box"), plural("day")
    ('patients', 'biopsies', 'boxes', 'days')
    """
    if one.endswith("y") and one[-2:-1] not in "aeiou":
        return f"{one[:-1]}ies"
    return f"{one}es" if one.endswith(_HISSING) else f"{one}s"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Put a number before its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(0, "row"), counted(12000, "fit")
    ('1 row', '0 rows', '12000 fits')
    """
    return f"{count} {one if count == 1 else many or plural(one)}"


def _singular(text: str) -> str:
    if text.endswith("ies") and len(text) > 4:
        return f"{text[:-3]}y"
    if text.endswith("es") and text[:-2].endswith(_HISSING):
        return text[:-2]
    return text[:-1] if text.endswith("s") and not text.endswith(_NOT_PLURAL) else text
