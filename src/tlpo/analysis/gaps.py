"""Columns that many patients lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# A column with more gaps than this share is named.
MANY_GAPS = 0.2


def find_gaps(X: pd.DataFrame) -> dict[str, int]:
    """Return the columns with many gaps, and how many each has; the worst first.

    Examples
    --------
    >>> import pandas as pd
    >>> find_gaps(pd.DataFrame({"psa": [1.0, None, None, 2.0], "age": [50, 60, 70, 80]}))
    {'psa': 2}
    """
    gaps = X.isna().sum()
    many = gaps[gaps > MANY_GAPS * len(X)].sort_values(ascending=False, kind="stable")
    return {str(name): int(count) for name, count in many.items()}
