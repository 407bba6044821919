"""Subgroups of the patients: a column with a few values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.columns import as_categories

if TYPE_CHECKING:
    import pandas as pd

MOST_SUBGROUPS = 10


def divide(column: pd.Series, name: str) -> list[str | None]:
    """Return the subgroup of every row, None where the cell is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> divide(pd.Series([1.0, 2.0, None, 1.0]), "arm")
    ['1', '2', None, '1']
    """
    texts = [v if isinstance(v, str) and v else None for v in as_categories(column)]
    found = sorted({text for text in texts if text is not None})
    if not 2 <= len(found) <= MOST_SUBGROUPS:
        raise InputError(
            explain(
                f"Subgroups need a column with 2 to {MOST_SUBGROUPS} different values.",
                f"You passed {arg('by', [name])}, which has {len(found)}: "
                f"{enumerate_briefly(found)}.",
                "Choose another column, or cut its numbers into ranges in the table first.",
            )
        )
    return texts
