"""What single relations look like: a fault, and the few ways to find one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tlpo.analysis.json_values import number

# Equal up to rounding: numbers were written with all their digits.
TOLERANCE = 1e-9


class Fault(NamedTuple):
    """Where something stands that cannot be.

    Attributes
    ----------
    where : str
        Its place, such as ``models[0].auc.lpo``.
    value : Any
        What stands there.
    rule : str
        What must hold.
    """

    where: str
    value: Any
    rule: str

    def __str__(self) -> str:
        shown = repr(self.value)
        return f"{self.where!r} is {shown[:60]}{'…' * (len(shown) > 60)}, but {self.rule}"


Faults = Iterator[Fault]


def equal(where: str, value: Any, expected: Any, what: str) -> Faults:
    """Check that a number is another, or both are undefined."""
    found, right = number(value), number(expected)
    if math.isnan(found) and math.isnan(right):
        return
    if not math.isclose(found, right, rel_tol=1e-6, abs_tol=TOLERANCE):
        shown = "not defined" if math.isnan(right) else f"{right:.12g}"
        yield Fault(where, value, f"it must be {shown}: {what}")


def between(where: str, value: Any, low: float, high: float, least: str, most: str) -> Faults:
    """Check that a number is defined and within limits, which are put into words."""
    if not low - TOLERANCE <= number(value) <= high + TOLERANCE:
        yield Fault(where, value, f"it lies between {least} and {most}")


def defined(where: str, value: float | None, is_defined: bool) -> Faults:
    """Check that a number is there if and only if it can be."""
    if (value is not None) != is_defined:
        yield Fault(where, value, "it is defined where there are values enough")


def share_of(where: str, value: float | None, of: int, what: str) -> Faults:
    """Check that a number is a whole number of so many."""
    count = math.nan if value is None else value * of
    if math.isnan(count) or abs(count - round(count)) > 1e-6 * of:
        yield Fault(where, value, f"it is a share of {of} {what}")


def ordered(where: str, low: Any, high: Any, *, flat: bool = False) -> Faults:
    """Check that limits are both there, or neither, and in order."""
    names = [f"{where}_low", f"{where}_high"] if flat else [f"{where}.low", f"{where}.high"]
    for name, value, other in ((names[0], low, high), (names[1], high, low)):
        if value is None and other is not None:
            yield Fault(name, None, "an interval has two limits")
    if low is not None and number(low) > number(high) + TOLERANCE:
        yield Fault(names[0], low, f"it is not above the upper limit, {high}")


def enclosed(where: str, estimate: Any, low: Any, high: Any, *, flat: bool = False) -> Faults:
    """Check that limits enclose an estimate; an interval may be missing as a whole."""
    yield from ordered(where, low, high, flat=flat)
    names: Sequence[str] = ("_low", "_high") if flat else (".low", ".high")
    if low is not None and number(low) > number(estimate) + TOLERANCE:
        yield Fault(where + names[0], low, f"it is not above the estimate, {estimate}")
    if high is not None and number(high) < number(estimate) - TOLERANCE:
        yield Fault(where + names[1], high, f"it is not below the estimate, {estimate}")
