"""What a sample of some size can show, and how large the next one should be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tlpo.plurals import Noun, counted
from tlpo.roc.planning import expected_interval, ordered_width, power, sample_size

AUCS = (0.6, 0.7, 0.8, 0.9)
WIDTH = 0.1


class Plan(NamedTuple):
    """What a sample can show if the true AUC is ``auc``, and how large one should be.

    ``power`` and the expected interval, ``low`` to ``high``, are None without a sample.
    """

    auc: float
    power: float | None
    low: float | None
    high: float | None
    width: float
    needed: int


def plan_sample(
    n_units: int | None,
    share: float,
    confidence_level: float,
    aucs: Sequence[float] = AUCS,
    width: float = WIDTH,
    *,
    ordered: bool = False,
) -> list[Plan]:
    """Return, for several true AUCs, power, expected interval and sample size.

    Parameters
    ----------
    n_units : int or None
        Size of the sample; None leaves out what it can show.
    share : float
        Share of positives.
    confidence_level : float
        Confidence level of the interval.
    aucs : sequence of float
        True AUCs.
    width : float
        Width of the interval that the sample size is for.
    ordered : bool
        Whether to plan for the concordance of numbers without ties, which have no share.

    Examples
    --------
    >>> (row,) = plan_sample(60, 0.5, 0.95, [0.75], 0.2)
    >>> round(row.power, 2), row.needed
    (0.8, 178)
    """
    rows = []
    for auc in aucs:
        needed: int
        if ordered:
            level = confidence_level
            needed = sample_size(auc, width=width, order=True, confidence_level=level).n_units
        else:
            needed = sample_size(
                auc, width=width, fraction=share, confidence_level=confidence_level
            ).n_units
        found: tuple[float | None, float | None, float | None] = (None, None, None)
        if n_units is not None:
            if ordered:
                limits = ordered_width(auc, [1] * n_units, confidence_level)
            else:
                limits = expected_interval(auc, n_units, share, confidence_level)
            order = True if ordered else None
            found = (power(auc, n_units, fraction=share, order=order), *limits)
        rows.append(Plan(auc, *found, width, needed))
    return rows


def say_plan(rows: Sequence[Plan], units: Noun, level: str, measure: str = "AUC") -> list[str]:
    """Put a plan into words, one line per AUC or concordance."""
    lines = []
    for row in rows:
        parts = []
        if row.power is not None:
            parts.append(
                f"power {row.power:.2f} to find it above 0.5 (one-sided 5 % test), expected "
                f"{level} interval {row.low:.2f} to {row.high:.2f}"
            )
        parts.append(f"{counted(row.needed, *units)} for an interval {row.width:g} wide")
        lines.append(f"True {measure} {row.auc:g}: {'; '.join(parts)}.")
    return lines
