"""Numbers as people write them: 1,82 and 1,234, 45%, <0.5; read where they can mean one thing."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import NamedTuple

from tlpo.errors import arg, enumerate_briefly, explain

_COMMA = re.compile(r"[-+]?\d+,\d+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_EITHER = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_PERCENT = re.compile(r"([-+]?\d+(?:[.,]\d+)?)\s*%")
_LIMIT = re.compile(r"[<>≤≥]=?\s*[-+]?\d+(?:[.,]\d+)?")


class Doubt(NamedTuple):
    """A number that can be read in two ways.

    Attributes
    ----------
    written, read, other : str
        As it is in the table, as it was read, and as it may be meant.
    """

    written: str
    read: str
    other: str


class Read(NamedTuple):
    """What the texts of a column mean.

    Attributes
    ----------
    values : dict
        The number that a text is.
    odd : list of str
        Texts that are no number, or may be either of two.
    how : str
        What was not obvious.
    doubt : Doubt or None
        An example, if all numbers can be read in two ways.
    """

    values: dict[str, float]
    odd: list[str]
    how: str
    doubt: Doubt | None = None


def read_numbers(texts: Collection[str]) -> Read:
    """Read the distinct texts of one column, each of which may tell how to read the others.

    Examples
    --------
    >>> read_numbers(["1.5", "1,82"]).values, read_numbers(["1,234", "987"]).values
    ({'1.5': 1.5, '1,82': 1.82}, {'987': 987.0, '1,234': 1234.0})
    >>> read_numbers(["45%", "7 %"]).values, read_numbers(["45%", "7"]).odd
    ({'45%': 45.0, '7 %': 7.0}, ['45%'])
    """
    values = {text: number for text in texts if (number := as_number(text)) is not None}
    rest = [text for text in texts if text not in values]
    if rest and not values and all(map(_PERCENT.fullmatch, rest)):
        found = {text: text.rstrip("% ").replace(",", ".") for text in rest}
        return Read({t: float(n) for t, n in found.items()}, [], "its numbers are per cent")
    commas = [text for text in rest if "," in text]
    how, doubt = "", None
    if commas and _are_decimal(commas):
        values |= {text: float(text.replace(",", ".")) for text in commas}
        how = f"{commas[0]!r} was read as {values[commas[0]]:g}"
    elif commas and _are_thousands(commas, [text for text in values if text not in commas]):
        values |= {text: float(text.replace(",", "")) for text in commas}
        how = f"{commas[0]!r} was read as {values[commas[0]]:.12g}"
        if len(commas) == len(texts) and may_be_either(commas):
            written = commas[0]
            doubt = Doubt(written, f"{values[written]:.12g}", written.replace(",", "."))
    return Read(values, [text for text in rest if text not in values], how, doubt)


def may_be_either(texts: Collection[str]) -> bool:
    """Return whether the commas of numbers may be decimal marks or separate thousands.

    Examples
    --------
    >>> may_be_either(["1,182", "2,034"]), may_be_either(["1,182", "0,5"])
    (True, False)
    >>> may_be_either(["1,182,000"]), may_be_either(["1,182.5"])
    (False, False)
    """
    return all(_EITHER.fullmatch(text) for text in texts)


def say_mixed(name: str, odd: list[str], n_numbers: int) -> str:
    """Explain which cells of a column are no numbers, and what to write in their place."""
    if all(map(_LIMIT.fullmatch, odd)):
        remedy = (
            "Values beyond a limit of detection need a number: write the limit, or half of it, in "
            "every such cell and say so in the paper"
        )
    elif all(map(_PERCENT.fullmatch, odd)):
        remedy = "Write all cells with the sign, or none"
    elif all(map(_THOUSANDS.fullmatch, odd)):
        remedy = "The comma may be a decimal mark or separate thousands: write the numbers without"
    else:
        remedy = "Replace the text by numbers, or clear these cells"
    return explain(
        f"Column {name!r} mixes numbers and text.",
        f"You passed {enumerate_briefly(odd)} among {n_numbers} numbers.",
        f"{remedy}; or leave the column out with {arg('drop', [name])}.",
    )


def as_number(text: str) -> float | None:
    """Return the number that Python reads, if any."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) or "_" in text else number


def _are_decimal(commas: list[str]) -> bool:
    """Return whether a comma can only be a decimal mark: 1,82 and 0,123, but not 1,234 alone."""
    return all(map(_COMMA.fullmatch, commas)) and not all(map(_THOUSANDS.fullmatch, commas))


def _are_thousands(commas: list[str], others: list[str]) -> bool:
    """Return whether commas can only separate thousands, given how other numbers are written."""
    if not all(map(_THOUSANDS.fullmatch, commas)):
        return False
    is_sure = any(text.count(",") > 1 or "." in text for text in commas)
    return is_sure or all(text.lstrip("+-").isdecimal() and len(text) <= 4 for text in others)
