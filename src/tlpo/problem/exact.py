"""Scores that doubles cannot tell apart, such as whole numbers above 2**53: ranked all the same."""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, enumerate_briefly, explain, unboxed
from tlpo.problem.labels import missing, object_safe

# From here on not every whole number is a double.
LARGEST_WHOLE = 2**53
LARGEST_DOUBLE = Fraction(np.finfo(np.float64).max)
TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)


@dataclass(frozen=True, eq=False)
class Exact:
    """The order of numbers that are not all different as doubles.

    Attributes
    ----------
    numbers : tuple of Fraction
        Those that occur, once each, in increasing order.
    ranks : ndarray of shape (m,)
        Which of them each unit has; NaN for none.
    """

    numbers: tuple[Fraction, ...]
    ranks: FloatArray

    def of(self, inside: BoolArray) -> Exact:
        """Return the same of some of the units."""
        return replace(self, ranks=self.ranks[inside])

    def written(self, rank: float) -> str:
        """Write a number with as many digits as tell it apart."""
        number = self.numbers[int(rank)]
        return str(number) if number.denominator == 1 else f"{float(number):.17g}"


def read_scores(scores: Any) -> tuple[FloatArray, Exact | None]:
    """Return scores as doubles, missing ones as NaN, and their order where doubles would tie.

    Examples
    --------
    >>> read_scores([1, None, 2.5])
    (array([1. , nan, 2.5]), None)
    >>> numbers, exact = read_scores([2**53 + 1, 2**53, 7])
    >>> exact.ranks
    array([2., 1., 0.])
    """
    values = _array_of(scores)
    if values.dtype.kind in "bf" and values.dtype.itemsize <= 8:
        return _finite(values.astype(np.float64)), None
    is_missing = missing(values)
    if values.dtype.kind in "iu":
        numbers = values.astype(np.float64)
        if np.unique(numbers).size == np.unique(values).size:
            return numbers, None
    found = _fractions(values[~is_missing])
    numbers = np.full(values.size, np.nan)
    numbers[~is_missing] = _doubles(found)
    distinct = sorted(set(found))
    if len(distinct) == np.unique(numbers[~is_missing]).size:
        return numbers, None
    rank_of = {number: rank for rank, number in enumerate(distinct)}
    ranks = np.full(values.size, np.nan)
    ranks[~is_missing] = [rank_of[number] for number in found]
    return numbers, Exact(tuple(distinct), ranks)


def as_fraction(number: Any) -> Fraction:
    """Return a number of any type, or the text of one, without rounding.

    Raises OverflowError for an infinite one, and TypeError or ValueError for what is no number.

    Examples
    --------
    >>> as_fraction(0.5), as_fraction("1e-400") > 0, as_fraction(np.uint64(2**64 - 1))
    (Fraction(1, 2), True, Fraction(18446744073709551615, 1))
    """
    if isinstance(number, str):
        try:
            number = Decimal(number)
        except ArithmeticError as error:
            raise ValueError(number) from error
    if isinstance(number, np.generic):
        number = unboxed(number)
    if not hasattr(number, "as_integer_ratio"):
        number = float(number)
    return Fraction(*number.as_integer_ratio())


def is_beyond(
    values: FloatArray, exact: Exact | None, limit: Fraction, *, upwards: bool
) -> BoolArray:
    """Return which values are at least a limit, or at most; a missing one is neither."""
    if exact is not None:
        if upwards:
            return np.asarray(exact.ranks >= bisect_left(exact.numbers, limit))
        return np.asarray(exact.ranks < bisect_right(exact.numbers, limit))
    # Python compares doubles with fractions without rounding either.
    compare = operator.ge if upwards else operator.le
    return np.array([compare(value, limit) for value in values.tolist()], dtype=bool)


def _array_of(scores: Any) -> npt.NDArray[Any]:
    values = object_safe(scores)
    if values.dtype == np.float64 and not isinstance(scores, np.ndarray):
        # Whole numbers with gaps, which polars and pyarrow turn into doubles.
        for name in ("to_list", "to_pylist"):
            if hasattr(scores, name) and (np.abs(values) >= LARGEST_WHOLE).any():
                values = object_safe(getattr(scores, name)())
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            explain(
                "scores must have one number per unit.",
                f"You passed an array of shape {values.shape}.",
                "Pass one column; assess several scores one by one.",
            )
        )
    return values


def _fractions(values: npt.NDArray[Any]) -> list[Fraction]:
    if values.dtype.kind in "mMcV":  # as lists, times would be whole numbers
        raise _no_numbers(list(values))
    found, odd, n_infinite = [], [], 0
    for value in values.tolist():
        try:
            found.append(as_fraction(value))
        except OverflowError:
            n_infinite += 1
        except (TypeError, ValueError):
            odd.append(value)
    if odd:
        raise _no_numbers(odd)
    _require_finite(n_infinite)
    return found


def _no_numbers(odd: Sequence[Any]) -> InputError:
    remedy = "Code ordered categories as numbers, 1, 2, 3 …, and leave missing scores empty."
    if all(isinstance(value, TIMES) for value in odd):
        remedy = "Pass the time since a fixed date as a number, for example in days."
    return InputError(
        explain(
            "scores must be numbers.",
            f"You passed {enumerate_briefly(dict.fromkeys(map(str, odd)))}.",
            remedy,
        )
    )


def _doubles(found: list[Fraction]) -> list[float]:
    try:
        return [float(number) for number in found]
    except OverflowError as error:
        raise InputError(
            explain(
                "scores are too large to compute with.",
                f"You passed {sum(abs(n) > LARGEST_DOUBLE for n in found)} beyond 1.8e308.",
                "Divide all scores by the same number; this changes no rank.",
            )
        ) from error


def _finite(numbers: FloatArray) -> FloatArray:
    _require_finite(int(np.isinf(numbers).sum()))
    return numbers


def _require_finite(n_infinite: int) -> None:
    if n_infinite:
        raise InputError(
            explain(
                "scores must be finite.",
                f"You passed {n_infinite} infinite values.",
                "Replace a value beyond the range of a measurement by the end of that range.",
            )
        )
