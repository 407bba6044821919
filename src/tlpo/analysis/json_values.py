"""An analysis as JSON and back: what is not defined (NaN) is null, infinite numbers are text."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import msgspec
import numpy as np

from tlpo.analysis.shapes import Curve, Real, Shape, Smooth
from tlpo.arrays import FloatArray
from tlpo.control_characters import whole
from tlpo.roc.curve import RocCurve
from tlpo.roc.smooth import BinormalCurve

INFINITY = "Infinity"
S = TypeVar("S", bound=Shape)


def finish(made: S) -> S:
    """Return a shape as it would be read back: the same in memory and in a file."""
    return msgspec.convert(json_value(msgspec.to_builtins(made)), type(made))


def json_value(value: Any) -> Any:
    """Return a value made of dicts, lists, text, numbers, booleans and None only.

    Examples
    --------
    >>> json_value({"a": (1, np.float64("nan")), "b": np.array([np.inf, -np.inf, 0.5])})
    {'a': [1, None], 'b': ['Infinity', '-Infinity', 0.5]}
    """
    if isinstance(value, dict):
        return {whole(str(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return json_value(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return INFINITY if value > 0 else f"-{INFINITY}"
    if value is None or isinstance(value, str | bool | int | float):
        return whole(value) if isinstance(value, str) else value
    raise TypeError(f"{type(value).__name__} has no place in an analysis")


def number(value: Real) -> float:
    """Read a number of an analysis back.

    Examples
    --------
    >>> [number(value) for value in (None, "-Infinity", 0.5)]
    [nan, -inf, 0.5]
    """
    return math.nan if value is None else float(value)


def numbers(values: Any) -> FloatArray:
    """Read a list of numbers of an analysis back."""
    return np.array([number(value) for value in values], dtype=float)


def drawn_curve(curve: Curve) -> RocCurve:
    """Read a curve of an analysis back."""
    return RocCurve(*(numbers(getattr(curve, name)) for name in RocCurve._fields))


def drawn_smooth(smooth: Smooth) -> BinormalCurve:
    """Read a smooth curve of an analysis back."""
    return BinormalCurve(smooth.intercept, smooth.slope)


def say_misfit(error: msgspec.ValidationError) -> str:
    """Say where JSON departs from a shape, as a clause.

    Examples
    --------
    >>> from tlpo.analysis.shapes import Rate
    >>> try:
    ...     msgspec.json.decode(b'{"estimate": 2, "low": 0, "high": 1}', type=Rate)
    ... except msgspec.ValidationError as error:
    ...     print(say_misfit(error))
    'estimate': expected `float` <= 1.0
    """
    what, _, where = str(error).partition(" - at `")
    what = what[:1].lower() + what[1:]
    where = where.rstrip("`").removeprefix("$").removeprefix(".")
    return f"{where!r}: {what}" if where else what
