"""The AUC within every subgroup of the patients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tlpo.plurals import Noun

if TYPE_CHECKING:
    from tlpo.results.tournament import Tournament


def tabulate(
    t: Tournament, by: dict[str, list[str | None]], units: Noun, confidence_level: float
) -> list[dict[str, Any]]:
    """Return the AUC of a model within every subgroup of every column."""
    rows = []
    for name, subgroups in by.items():
        table = t.by(subgroups, confidence_level=confidence_level)
        for subgroup, row in table.iterrows():
            rows.append(
                {
                    "by": name,
                    "subgroup": None if not isinstance(subgroup, str) else subgroup,
                    "n_positive": int(row["positives"]),
                    "n_negative": int(row["negatives"]),
                    **{key: float(row[key]) for key in ("auc", "low", "high")},
                    "note": str(row["note"]).replace("units", units.many),
                }
            )
    return rows
