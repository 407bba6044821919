"""What a user may ask about markers; checked before any data is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tlpo.checks import require_level, require_share, require_time
from tlpo.errors import UsageError, arg, as_usage, enumerate_briefly, explain
from tlpo.problem.exact import LARGEST_WHOLE


@dataclass(frozen=True)
class MarkerOptions:
    """Which markers to assess, and what to report.

    Attributes
    ----------
    markers : sequence of str
        Columns, each a score by itself.
    smaller_is_positive : sequence of str
        Those of which small values speak for the positive label.
    cutoff : sequence of str
        Cut-offs as ``"0.3"``, if there is one marker, or as ``"s100b=0.3"``.
    specificity, confidence_level, prevalence, at, smooth
        As in `tlpo.analysis.options.Options`.
    """

    markers: Sequence[str]
    smaller_is_positive: Sequence[str] = ()
    cutoff: Sequence[str] = ()
    specificity: float = 0.9
    confidence_level: float = 0.95
    prevalence: float | None = None
    at: Sequence[float] = ()
    smooth: bool = False
    cutoffs: dict[str, list[float]] = field(init=False)

    def __post_init__(self) -> None:
        with as_usage():
            require_share("specificity", self.specificity)
            require_level("confidence_level", self.confidence_level)
            if self.prevalence is not None:
                require_level("prevalence", self.prevalence)
            for time in self.at:
                require_time("at", time)
        if len(set(self.markers)) < len(self.markers) or not self.markers:
            raise UsageError(
                explain(
                    "Name every marker once.",
                    f"You passed {enumerate_briefly(self.markers) or 'none'}.",
                    "Name one column, or several different ones.",
                )
            )
        unknown = [name for name in self.smaller_is_positive if name not in self.markers]
        if unknown:
            raise UsageError(
                explain(
                    f"{arg('smaller_is_positive')} must name markers.",
                    f"You passed {enumerate_briefly(unknown)}; the markers are "
                    f"{enumerate_briefly(self.markers)}.",
                    "Pass one of these.",
                )
            )
        found: dict[str, list[float]] = {name: [] for name in self.markers}
        for text in self.cutoff:
            name, value = self._parse(text)
            found[name].append(value)
        object.__setattr__(self, "cutoffs", found)

    def _parse(self, text: str) -> tuple[str, float]:
        name, _, number = text.rpartition("=")
        if not name and len(self.markers) == 1:
            name = self.markers[0]
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if value.is_integer() and abs(value) >= LARGEST_WHOLE:
            value = _as_written(number, value)
        if name not in self.markers or not math.isfinite(value):
            raise UsageError(
                explain(
                    "A cut-off is a number, or a marker and a number.",
                    f"You passed {arg('cutoff', text)}; the markers are "
                    f"{enumerate_briefly(self.markers)}.",
                    f"For example {arg('cutoff', f'{self.markers[0]}=0.3')}.",
                )
            )
        return name, value


def _as_written(number: str, value: float) -> float:
    """Return a whole number without rounding it to a double, unless it has an exponent."""
    try:
        return int(number)
    except ValueError:
        return value
