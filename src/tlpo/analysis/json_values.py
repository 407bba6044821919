"""Plain values: a summary holds what JSON can hold, from the start, so that both are the same.

The convention: what is not defined (NaN) is null; an infinite number, such as a likelihood ratio
with a zero below the line, is the text "Infinity" or "-Infinity", which ``float`` reads back.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.visible import whole

# What every renderer takes; it follows schema.json, whose number it carries.
Summary = dict[str, Any]
SCHEMA = 1
INFINITY = "Infinity"


def plain(value: Any) -> Any:
    """Return a value made of dicts, lists, text, numbers, booleans and None only.

    Examples
    --------
    >>> plain({"a": (1, np.float64("nan")), "b": np.array([np.inf, -np.inf, 0.5])})
    {'a': [1, None], 'b': ['Infinity', '-Infinity', 0.5]}
    """
    if isinstance(value, dict):
        return {whole(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return INFINITY if value > 0 else f"-{INFINITY}"
    if value is None or isinstance(value, str | bool | int | float):
        return whole(value) if isinstance(value, str) else value
    raise TypeError(f"{type(value).__name__} has no place in a summary")


def number(value: Any) -> float:
    """Read a number of a summary back.

    Examples
    --------
    >>> [number(value) for value in (None, "-Infinity", 0.5)]
    [nan, -inf, 0.5]
    """
    return math.nan if value is None else float(value)


def numbers(values: Any) -> FloatArray:
    """Read a list of numbers of a summary back."""
    return np.array([number(value) for value in values], dtype=float)
