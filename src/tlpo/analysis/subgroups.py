"""The AUC within every subgroup of the patients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlpo.analysis.shapes import Subgroup
from tlpo.plurals import Noun
from tlpo.results.subgroups import tabulate_subgroups

if TYPE_CHECKING:
    from tlpo.results.tournament import Tournament


def tabulate(
    t: Tournament, by: dict[str, list[str | None]], units: Noun, confidence_level: float
) -> list[Subgroup]:
    """Return the AUC of a model within every subgroup of every column."""
    return [
        Subgroup(
            name,
            subgroup if isinstance(subgroup, str) else None,
            int(row["positives"]),
            int(row["negatives"]),
            float(row["auc"]),
            float(row["low"]),
            float(row["high"]),
            str(row["note"]),
        )
        for name, subgroups in by.items()
        for subgroup, row in tabulate_subgroups(
            t, subgroups, confidence_level, units.many
        ).iterrows()
    ]
