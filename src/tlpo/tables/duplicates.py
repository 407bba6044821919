"""Rows that are the same as an earlier one, and how many chance alone would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlpo.tables.known_rows import row_digests

if TYPE_CHECKING:
    import pandas as pd


def count_duplicates(X: pd.DataFrame) -> tuple[int, float]:
    """Count rows with the same features as an earlier one, and those expected by chance.

    The second number is that of pairs if columns had nothing to do with each other; there are more
    where they do.

    Examples
    --------
    >>> import pandas as pd
    >>> count_duplicates(pd.DataFrame({"sex": [0, 1, 0, 1], "age": [61, 70, 61, 64]}))
    (1, 0.3333333333333333)
    """
    # pandas would number the values of every column
    n_duplicates, m = len(X) - len(set(row_digests(X))), len(X)
    if not n_duplicates:
        return 0, 0.0
    pairs = m * (m - 1) / 2
    alike = 1.0
    for name in X.columns:
        counts = X[name].value_counts(dropna=False).to_numpy()
        alike *= float(np.sum(counts * (counts - 1.0)) / 2 / pairs)
    return n_duplicates, pairs * alike
