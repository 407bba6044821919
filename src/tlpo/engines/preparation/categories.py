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
    """Give the different values of a column numbers; missing ones are one value."""
    seen: dict[Any, int] = {}
    codes = np.array(
        [
            seen.setdefault(None if is_missing(value) else value, len(seen))
            for value in column.tolist()
        ],
        dtype=np.intp,
    )
    return codes, list(seen)


def is_missing(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN or pandas' NA."""
    return value is None or (isinstance(value, float) and np.isnan(value)) or _is_na(value)


def _is_na(value: Any) -> bool:
    return type(value).__name__ in ("NAType", "NaTType")
