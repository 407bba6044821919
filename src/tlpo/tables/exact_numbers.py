"""Columns of whole numbers that doubles would round: those beyond 2**53."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tlpo.problem.exact import LARGEST_WHOLE

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = re.compile(r"[-+]?\d+")


def restore_whole(
    frame: pd.DataFrame, as_written: Callable[[list[int]], pd.DataFrame]
) -> pd.DataFrame:
    """Undo what pandas does to whole numbers in a column with gaps: it makes them doubles.

    ``as_written`` reads some columns again, as text.
    """
    import pandas as pd

    floats = frame.select_dtypes("float64")
    is_large = (floats.max() >= LARGEST_WHOLE) | (floats.min() <= -LARGEST_WHOLE)
    names = list(floats.columns[is_large.to_numpy(bool)])
    if not names:
        return frame
    written = as_written([list(frame.columns).index(name) for name in names])
    for name in names:
        is_filled = frame[name].notna()
        texts = written.loc[is_filled.to_numpy(bool), name].str.strip()
        whole = _as_whole(texts)
        if whole is not None and min(whole) >= -(2**63) and max(whole) < 2**63:
            numbers = pd.Series(pd.NA, index=frame.index, dtype=object)
            numbers[is_filled] = whole
            frame = frame.assign(**{name: numbers.astype("Int64")})
    return frame


def exact_numbers(column: pd.Series) -> pd.Series | None:
    """Return a column as it is in the file, if doubles would round its whole numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> exact_numbers(pd.Series([1, 2**53 + 1])).tolist()
    [1, 9007199254740993]
    >>> exact_numbers(pd.Series([1, 2])) is exact_numbers(pd.Series([0.5])) is None
    True
    """
    import pandas as pd

    filled = column.dropna()
    if filled.empty or pd.api.types.is_float_dtype(column.dtype):
        return None
    if pd.api.types.is_integer_dtype(column.dtype):
        if filled.min() >= -LARGEST_WHOLE and filled.max() <= LARGEST_WHOLE:
            return None
        whole: list[int] | None = filled.tolist()
    else:
        whole = _as_whole(filled.map(lambda value: str(value).strip()))
    if whole is None or max(map(abs, whole)) <= LARGEST_WHOLE:
        return None
    numbers = pd.Series(None, index=column.index, name=column.name, dtype=object)
    numbers[column.notna()] = whole
    return numbers


def _as_whole(texts: pd.Series) -> list[int] | None:
    if not all(map(_WHOLE.fullmatch, texts)):
        return None
    return [int(text) for text in texts]
