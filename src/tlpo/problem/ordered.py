"""Numbers and grades of any type become an ordered outcome, or an error that says why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain, unboxed
from tlpo.problem.labels import label_array
from tlpo.problem.outcome import Ordered

# Values that differ by less than this share of their size cannot be told from rounding.
LEAST_SPREAD = 1e-8


def read_ordered(y: Any, order: Any, unit_names: Any) -> Ordered:
    """Read numbers or grades.

    Parameters
    ----------
    y : array-like of shape (m,)
        Numbers, or an ordered pandas Categorical.
    order : True or sequence
        The grades from lowest to highest, if y has names of grades; True for numbers.
    unit_names : array-like or None
        What the units are called.

    Examples
    --------
    >>> read_ordered(["II", "I", "III"], ["I", "II", "III"], None).y
    array([1., 0., 2.])
    >>> read_ordered([1.5, 1.5, 7], True, None).level
    array([0, 0, 1])
    """
    grades = _categories(y) if order is True else _as_list(order)
    values = label_array(y, "values")
    if grades is not None:
        found = _graded(values, grades, unit_names)
    else:
        found = Ordered(_numbers(values), None, unit_names)
    require_values(found)
    if found.grades is None:
        _require_spread(found.y)
    return found


def require_values(outcome: Ordered) -> None:
    """Refuse an outcome that orders nobody."""
    if np.unique(outcome.y).size < 2:
        size = outcome.y.size
        raise InputError(
            explain(
                "y must have at least two different values.",
                f"You passed {enumerate_briefly(outcome.values[:1])} for all {size} units."
                if size
                else "You passed no values at all.",
                "Units with equal values are tied in the outcome and cannot be ordered.",
            )
        )


def _as_list(order: Any) -> list[Any]:
    # A set has no order.
    if isinstance(order, str | set | frozenset) or not hasattr(order, "__iter__"):
        raise InputError(
            explain(
                f"{arg('order')} must name the grades from lowest to highest.",
                f"You passed {arg('order', order)}.",
                "For example order=['low', 'medium', 'high'].",
            )
        )
    return list(order)


def _categories(y: Any) -> list[Any] | None:
    """Return the categories of an ordered pandas Categorical."""
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not getattr(dtype, "ordered", False):
        return None
    return list(categories)


def _graded(values: npt.NDArray[Any], order: list[Any], unit_names: Any) -> Ordered:
    if len(order) < 2 or len(set(map(_key, order))) < len(order):
        raise InputError(
            explain(
                f"{arg('order')} must name every grade once, from lowest to highest.",
                f"You passed {arg('order', order)}.",
                "For example order=['low', 'medium', 'high'].",
            )
        )
    place = {_key(name): k for k, name in enumerate(order)}
    unknown = [v for v in dict.fromkeys(values.tolist()) if _key(v) not in place]
    if unknown:
        raise InputError(
            explain(
                f"{arg('order')} must name every grade in y.",
                f"You passed {arg('order', order)}; y also has {enumerate_briefly(unknown)}.",
                "Add these grades, with their type, or drop these units.",
            )
        )
    y = np.array([place[_key(value)] for value in values.tolist()], dtype=np.float64)
    return Ordered(y, tuple(map(unboxed, order)), unit_names)


def _key(name: Any) -> tuple[bool, Any]:
    """Tell 1 from "1", but not 1 from 1.0."""
    return isinstance(name, str), unboxed(name)


def _numbers(values: npt.NDArray[Any]) -> FloatArray:
    if values.dtype.kind in "mM":
        raise InputError(
            explain(
                "y has dates or times, not numbers.",
                f"You passed {enumerate_briefly(values.astype(str))}.",
                "Pass the time since a fixed date as a number, for example in days.",
            )
        )
    try:
        if values.dtype.kind not in "biuf":
            raise ValueError
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        names = sorted(dict.fromkeys(map(str, values.tolist())))
        raise InputError(
            explain(
                "y has names, and nothing says which of them is higher.",
                f"You passed {enumerate_briefly(names)}.",
                f"Name them from lowest to highest, for example {arg('order', names[:4])}.",
            )
        ) from error


def _require_spread(y: FloatArray) -> None:
    largest, spread = float(np.abs(y).max()), float(np.ptp(y))
    if not spread > LEAST_SPREAD * largest:
        raise InputError(
            explain(
                "y varies too little for its size: rounding would decide games.",
                f"You passed values from {y.min():.17g} to {y.max():.17g}.",
                "Subtract a constant, for example the smallest value; this changes no order.",
            )
        )
