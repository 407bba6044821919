"""Compare scores that were fixed beforehand, on the same units or on different ones."""

from __future__ import annotations

import numpy as np

from tlpo.errors import InputError, explain
from tlpo.problem.labels import names_that_differ
from tlpo.results.difference import Comparison
from tlpo.results.fixed import FixedScores
from tlpo.roc.difference import correlation, fixed_test, separate_interval
from tlpo.roc.rates import Limits


def compare_fixed(
    a: FixedScores,
    b: FixedScores,
    names: tuple[str, str],
    level: float,
    paired: bool | None,
    units: str = "units",
) -> Comparison:
    """Compare two fixed scores; see `compare`. Notes call what was measured ``units``."""
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
        notes.append(f"Compared as different {units}: {why}.")
    is_paired = why is None if paired is None else bool(paired)
    if is_paired:
        both = a._is_rated & b._is_rated
        if not both.all():
            have = f"{int(both.sum())} of {both.size} {units}"
            notes.append(f"The {have} that have both scores count.")
            a, b = a._subset(both), b._subset(both)
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
    return Comparison(
        names=names,
        aucs=(first.auc, second.auc),
        difference=first.auc - second.auc,
        low=low,
        high=high,
        p_value=p_value,
        confidence_level=float(level),
        variance=found.variance,
        degrees_of_freedom=found.degrees_of_freedom,
        statistic=found.statistic,
        paired=is_paired,
        notes=tuple(notes),
    )


def _are_equal(a: FixedScores, b: FixedScores) -> bool:
    same = np.array_equal(a.scores, b.scores, equal_nan=True)
    return same and np.array_equal(a._rated()[0], b._rated()[0])


def _n_independent(a: FixedScores) -> int:
    """Return the number of units with a score, or of their groups."""
    return sum(a.class_sizes) if a.groups is None else np.unique(a.groups[a._is_rated]).size


def _why_unpaired(a: FixedScores, b: FixedScores) -> str | None:
    """Return why two scores cannot be of the same units, or None."""
    if a.labels.n_units != b.labels.n_units:
        return f"{a.labels.n_units} units and {b.labels.n_units}"
    differ = int(np.count_nonzero(a.labels.is_positive != b.labels.is_positive))
    if differ:
        return f"{differ} of {a.labels.n_units} labels differ"
    differ = names_that_differ(a.labels.unit_names, b.labels.unit_names).size
    return f"{differ} of {a.labels.n_units} unit names differ" if differ else None
