"""Compare scores that were fixed beforehand, on the same units or on different ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.errors import InputError, explain
from tlpo.problem.labels import names_that_differ
from tlpo.results.fixed import FixedScores
from tlpo.results.summary import Summary
from tlpo.roc.difference import correlation, fixed_test, separate_interval
from tlpo.roc.rates import Limits


@dataclass(frozen=True, repr=False)
class FixedComparison(Summary):
    """Difference of the AUCs of two scores that were fixed beforehand: DeLong's test.

    Attributes
    ----------
    names : (str, str)
        The scores.
    aucs : (float, float)
        Their AUCs, in the units that count.
    difference : float
        The first minus the second.
    low, high : float
        Limits of the difference.
    p_value : float
        Two-sided.
    confidence_level : float
        Of the limits.
    statistic : float
        The difference divided by its standard error.
    degrees_of_freedom : float
        Of Student's t for different units; infinite (the normal distribution) for the same.
    variances : (float, float)
        DeLong's variance of either AUC; with groups, Obuchowski's.
    covariance : float
        Of the two AUCs; zero for different units.
    paired : bool
        Whether both were measured on the same units.
    notes : tuple of str
        What the reader should know.

    Notes
    -----
    DeLong, DeLong and Clarke-Pearson (1988): ``statistic = (A₁ − A₂) / √(V₁ + V₂ − 2C)``, V₁, V₂
    and C being ``variances`` and ``covariance``; normal on the same units. On different units C =
    0, and it has Student's t distribution with Welch's degrees of freedom.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(1)
    >>> poor = np.arange(50) < 20
    >>> s100b, grade = rng.normal(size=50) + 0.6 * poor, rng.integers(1, 6, 50) + 2 * poor
    >>> tlpo.compare(tlpo.assess(s100b, poor), tlpo.assess(grade, poor), names=["S100B", "grade"])
    S100B against grade
      AUC         0.7450 and 0.7875
      difference  -0.0425 (95 % interval -0.2162 to +0.1312)
      p-value     0.6316
      DeLong      Z = -0.4794, on the same units
    """

    names: tuple[str, str]
    aucs: tuple[float, float]
    difference: float
    low: float
    high: float
    p_value: float
    confidence_level: float
    statistic: float
    degrees_of_freedom: float
    variances: tuple[float, float]
    covariance: float
    paired: bool
    notes: tuple[str, ...] = ()

    def row(self, p_value_holm: float | None = None) -> dict[str, Any]:
        """Return the comparison as a row of a table; with others, its adjusted p-value.

        Examples
        --------
        >>> import tlpo
        >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
        >>> a = tlpo.assess([1, 4, 2, 3, 5, 4, 6, 8], y)
        >>> b = tlpo.assess([2, 1, 3, 4, 2, 5, 3, 6], y)
        >>> row = tlpo.compare(a, b).row()
        >>> row["auc_first"], row["auc_second"], round(row["p_value"], 3)
        (0.96875, 0.75, 0.322)
        """
        return {
            "first": self.names[0],
            "second": self.names[1],
            "auc_first": self.aucs[0],
            "auc_second": self.aucs[1],
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p_value": self.p_value,
            "p_value_holm": p_value_holm,
        }

    def _title(self) -> str:
        return f"{self.names[0]} against {self.names[1]}"

    def _rows(self) -> list[tuple[str, str]]:
        level = f"{100 * self.confidence_level:.4g} %"
        test = f"Z = {self.statistic:.4g}, on the same units"
        if not self.paired:
            test = (
                f"D = {self.statistic:.4g}, {self.degrees_of_freedom:.1f} degrees of freedom, "
                "on different units"
            )
        return [
            ("AUC", f"{self.aucs[0]:.4f} and {self.aucs[1]:.4f}"),
            (
                "difference",
                f"{self.difference:+.4f} ({level} interval {self.low:+.4f} to {self.high:+.4f})",
            ),
            ("p-value", f"{self.p_value:.4g}"),
            ("DeLong", test),
        ]

    def _notes(self) -> tuple[str, ...]:
        return self.notes


def compare_fixed(
    a: FixedScores, b: FixedScores, names: tuple[str, str], level: float, paired: bool | None
) -> FixedComparison:
    """Compare two fixed scores; see `compare`."""
    why = _why_unpaired(a, b)
    if paired and why is not None:
        raise InputError(
            explain(
                "A paired comparison needs both scores of the same units.",
                f"You passed {why}.",
                "Put the units in the same order, or pass paired=False for different units.",
            )
        )
    notes = []
    if paired is None and why is not None:
        notes.append(f"Compared as different units: {why}.")
    is_paired = why is None if paired is None else bool(paired)
    if is_paired:
        both = a.is_rated & b.is_rated
        if not both.all():
            notes.append(f"The {int(both.sum())} of {both.size} units that have both scores count.")
            a, b = a.subset(both), b.subset(both)
            if 0 in a.class_sizes:
                raise InputError(
                    explain(
                        "No unit of one class has both scores.",
                        f"You passed {both.size} units, of which {int(both.sum())} have both.",
                        "Compare scores that were measured on the same units.",
                    )
                )
    first, second = a._evidence, b._evidence
    found = fixed_test(
        first.placements,
        second.placements,
        is_paired,
        (_n_independent(a), _n_independent(b)),
        level,
    )
    low, high, p_value = found.low, found.high, found.p_value
    unseen = [name for name, one in zip(names, (first, second), strict=True) if not one.has_spread]
    if unseen and not (is_paired and _are_equal(a, b)):
        together = correlation(first.placements, second.placements) if is_paired else 0.0
        (low_a, high_a), (low_b, high_b) = (one.auc_interval(level, "score") for one in (a, b))
        limits: tuple[Limits, Limits] = ((low_a, high_a), (low_b, high_b))
        (low, high), p_value = separate_interval((first.auc, second.auc), limits, together, level)
        notes.append(
            f"{' and '.join(unseen)} separates the classes or is constant, so DeLong's variance is "
            "zero there: limits and p-value combine the intervals of the two AUCs."
        )
    return FixedComparison(
        names=names,
        aucs=(first.auc, second.auc),
        difference=first.auc - second.auc,
        low=low,
        high=high,
        p_value=p_value,
        confidence_level=float(level),
        statistic=found.statistic,
        degrees_of_freedom=found.degrees_of_freedom,
        variances=(first.placement_variance, second.placement_variance),
        covariance=found.covariance,
        paired=is_paired,
        notes=tuple(notes),
    )


def _are_equal(a: FixedScores, b: FixedScores) -> bool:
    same = np.array_equal(a.scores, b.scores, equal_nan=True)
    return same and np.array_equal(a._rated()[0], b._rated()[0])


def _n_independent(a: FixedScores) -> int:
    """Return the number of units with a score, or of their groups."""
    return sum(a.class_sizes) if a.groups is None else np.unique(a.groups[a.is_rated]).size


def _why_unpaired(a: FixedScores, b: FixedScores) -> str | None:
    """Return why two scores cannot be of the same units, or None."""
    if a.labels.n_units != b.labels.n_units:
        return f"{a.labels.n_units} units and {b.labels.n_units}"
    differ = int(np.count_nonzero(a.labels.is_positive != b.labels.is_positive))
    if differ:
        return f"{differ} of {a.labels.n_units} labels differ"
    differ = names_that_differ(a.labels.unit_names, b.labels.unit_names).size
    return f"{differ} of {a.labels.n_units} unit names differ" if differ else None
