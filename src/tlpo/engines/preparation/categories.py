"""Columns of words: their values, and which are missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.arrays import IntArray


def object_columns(table: Any) -> list[Any]:
    """Return the columns of a table as arrays of Python objects."""
    if hasattr(table, "iloc"):
        return [table.iloc[:, f].to_numpy(dtype=object) for f in range(table.shape[1])]
    if hasattr(table, "get_columns"):  # polars
        return [np.array(column.to_list(), dtype=object) for column in table.get_columns()]
    return list(np.asarray(table, dtype=object).T)


def codes_of(column: Any) -> tuple[IntArray, list[Any]]:
    """Give the different values of a column numbers; None and NaN are two, as to scikit-learn."""
    seen: dict[Any, int] = {}
    codes = np.array(
        [seen.setdefault(np.nan if is_nan(v) else v, len(seen)) for v in column.tolist()],
        dtype=np.intp,
    )
    return codes, list(seen)


def is_nan(value: Any) -> bool:
    """Return whether a cell is NaN. None and pandas' NA are values, which imputers do not fill."""
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
