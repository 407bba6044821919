"""Ordered pairs that agree on a confounder, so that it cannot decide their game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.games.schedule import ordered_pairs
from tlpo.problem.labels import as_floats, missing, object_safe
from tlpo.problem.outcome import Classes, Outcome


@dataclass(frozen=True, eq=False)
class Window:
    """Two units match if they differ by at most ``width``.

    Parameters
    ----------
    values : array-like of shape (m,)
        A continuous confounder, such as age.
    width : float
        The largest difference.

    Examples
    --------
    Only patients whose ages differ by at most five years meet:

    >>> import numpy as np
    >>> import tlpo
    >>> age = np.array([30, 35, 41, 62, 44, 33, 60, 71])
    >>> X, y = [[k] for k in range(8)], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = tlpo.leave_pair_out(tlpo.RLS(), X, y, match=tlpo.Window(age, width=5))
    >>> str(result.matched)
    '4 of 16 pairs; 1 positive has no partner'
    """

    values: Any
    width: float

    def __post_init__(self) -> None:
        width = self.width
        number = isinstance(width, int | float | np.number) and not isinstance(width, bool)
        if not (number and 0 <= width < np.inf):
            raise InputError(
                explain(
                    "width must be a non-negative number.",
                    f"You passed width={width!r}.",
                    "Give the largest difference between two matching units.",
                )
            )

    def numbers(self) -> FloatArray:
        """Return the values, checked.

        Examples
        --------
        >>> import tlpo
        >>> tlpo.Window(["30", "41"], width=5).numbers()
        array([30., 41.])
        """
        try:
            values = as_floats(self.values)
        except (TypeError, ValueError) as error:
            raise InputError(
                explain(
                    "The values of a window must be numbers.",
                    f"You passed {type(self.values).__name__}: {error}.",
                    "Pass categories without tlpo.Window: they match if they are equal.",
                )
            ) from error
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values

    def agree(self, pairs: IntArray) -> BoolArray:
        """Return a mask of the pairs that match.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> tlpo.Window([30, 41, 35, 62], width=5).agree(np.array([[0, 1], [0, 2]]))
        array([False,  True])
        """
        values = self.numbers()
        return np.asarray(np.abs(values[pairs[:, 0]] - values[pairs[:, 1]]) <= self.width)


@dataclass(frozen=True)
class Matched:
    """How many pairs remain after matching; ``str`` says it in a sentence.

    Attributes
    ----------
    n_pairs, n_opposite : int
        Ordered pairs that match, and all ordered pairs: of two classes, those of opposite class.
    idle_positives, idle_negatives : int
        Units of each class that match no unit of the other.
    idle_units : int
        Of numbers and grades, units that match none with another outcome.

    Examples
    --------
    >>> import tlpo
    >>> X, y = [[1], [2], [4], [3], [5], [6]], [0, 0, 0, 1, 1, 1]
    >>> matched = tlpo.leave_pair_out(tlpo.RLS(), X, y, match=list("mmffff")).matched
    >>> print(matched)
    3 of 9 pairs; 2 negatives have no partner
    >>> matched.n_pairs, matched.idle_negatives
    (3, 2)
    """

    n_pairs: int
    n_opposite: int
    idle_positives: int
    idle_negatives: int
    idle_units: int = 0

    def __str__(self) -> str:
        text = f"{self.n_pairs} of {self.n_opposite} pairs"
        idle = [
            f"{count} {name}{'' if count == 1 else 's'}"
            for count, name in (
                (self.idle_positives, "positive"),
                (self.idle_negatives, "negative"),
                (self.idle_units, "unit"),
            )
            if count
        ]
        if not idle:
            return f"{text}; every unit has a partner"
        n_idle = self.idle_positives + self.idle_negatives + self.idle_units
        have = "has" if n_idle == 1 else "have"
        return f"{text}; {' and '.join(idle)} {have} no partner"


def matched_pairs(match: Any, outcome: Outcome) -> tuple[IntArray, Matched]:
    """List the ordered pairs that agree on everything in ``match``.

    Parameters
    ----------
    match : array-like of shape (m,), Window, or a tuple of these
        What the units must agree on. A list or array is one confounder, a tuple several.
    outcome : Outcome
        Who should win.
    """
    pairs = ordered_pairs(outcome)
    n_opposite = len(pairs)
    parts = match if isinstance(match, tuple) else (match,)
    if not parts:
        raise InputError(
            explain(
                "match must name at least one variable to match on.",
                "You passed an empty tuple.",
                "For example match=sex, or match=(sex, tlpo.Window(age, 5)).",
            )
        )
    for part in parts:
        pairs = pairs[_agree(part, pairs, outcome.n_units)]
    if not len(pairs):
        raise InputError(
            explain(
                "No positive unit matches a negative one."
                if isinstance(outcome, Classes)
                else "No unit matches one with another outcome.",
                f"You passed {outcome.count}; none of their {n_opposite} pairs match.",
                "Widen the window, or match on fewer variables.",
            )
        )
    idle = np.setdiff1d(np.arange(outcome.n_units), pairs)
    if not isinstance(outcome, Classes):
        return pairs, Matched(len(pairs), n_opposite, 0, 0, idle.size)
    n_idle = int(np.count_nonzero(outcome.is_positive[idle]))
    return pairs, Matched(len(pairs), n_opposite, n_idle, idle.size - n_idle)


def _agree(part: Any, pairs: IntArray, n_units: int) -> BoolArray:
    is_window = isinstance(part, Window)
    values = part.numbers() if is_window else object_safe(part)
    if values.shape == (n_units, 1):
        values = values[:, 0]
    if values.shape != (n_units,):
        raise InputError(
            explain(
                "match must hold one value per unit.",
                f"You passed values of shape {values.shape} for {n_units} units.",
                "Pass the column of the confounder; pass several as a tuple.",
            )
        )
    absent = ~np.isfinite(values) if is_window else missing(values)
    if absent.any():
        raise InputError(
            explain(
                "match has missing values.",
                f"You passed {n_units} values, {np.count_nonzero(absent)} of them missing "
                f"(index {enumerate_briefly(np.flatnonzero(absent))}).",
                "Drop these units, or give them a category of their own.",
            )
        )
    if is_window:
        return part.agree(pairs)  # type: ignore[no-any-return]
    return np.array(values[pairs[:, 0]] == values[pairs[:, 1]], dtype=bool)
