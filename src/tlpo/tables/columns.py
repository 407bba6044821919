"""Decide from its values whether a column can be a feature, and of which kind.

A name never decides: "Number" may count vertebrae, and "Patient age" identifies nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.cells import as_number, read_numbers, say_mixed

if TYPE_CHECKING:
    import pandas as pd

# Free text has more distinct values than this, most of which occur once.
MOST_LEVELS = 20
# A text column with at least this share of numbers was meant to be numeric.
MOSTLY = 0.8
# Cells that are looked at together.
BATCH = 300_000
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*"
    r"|\d{1,2}[- .][A-Za-z]{3,9}[- .,]+\d{2,4}"
)

EMPTY, CONSTANT = "it is empty", "it is constant"
ALL_DIFFERENT = "every text is different"
MOSTLY_DIFFERENT = "most of its texts occur only once"
COUNTER = "it only counts the rows"
DATES = "it holds dates; turn them into numbers, such as an age"


def kinds_of(
    table: pd.DataFrame, names: Sequence[str], asked: bool = False
) -> dict[str, tuple[str, str]]:
    """Return the kind of every column and, unless it can be a feature, why not.

    Parameters
    ----------
    table : DataFrame
        The rows that will be used.
    names : sequence of str
        The columns to judge.
    asked : bool
        Whether the user named them as features; then whole numbers are never taken for dates.

    Returns
    -------
    dict
        Kinds are "numeric" and "categorical", which can be features; "written", text that
        `to_numbers` can turn into numbers, with what it does; "mixed", with a whole message; and
        "constant", "text" and "date".
    """
    import pandas as pd

    dtypes = dict(zip(table.columns, table.dtypes, strict=True))
    # Whole blocks of columns at once: judging each of 20 000 genes by itself takes a minute.
    blocks: dict[Any, list[str]] = {}
    for name in names:
        dtype = dtypes[name]
        is_plain = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
        blocks.setdefault(dtype if is_plain else object, []).append(name)
    found: dict[str, tuple[str, str]] = {}
    for dtype, alike in blocks.items():
        for part in batches(alike, len(table)):
            columns = table[part]
            if dtype is not object:
                found |= _judge_numbers(columns.to_numpy(), part, asked)
                continue
            values, missing = columns.to_numpy(object), columns.isna().to_numpy()
            for k, name in enumerate(part):
                filled = values[~missing[:, k], k].tolist()
                if pd.api.types.is_datetime64_any_dtype(dtypes[name]) and len(set(filled)) > 1:
                    found[name] = "date", DATES
                elif pd.api.types.is_numeric_dtype(dtypes[name]) and filled:
                    numbers = np.full((len(table), 1), np.nan)
                    numbers[~missing[:, k], 0] = filled
                    found |= _judge_numbers(numbers, [name], asked)
                else:
                    is_coded = isinstance(dtypes[name], pd.CategoricalDtype)
                    found[name] = _judge_values(name, filled, is_coded)
    return {name: found[name] for name in names}


def batches(names: Sequence[str], n_rows: int) -> Iterator[list[str]]:
    """Yield columns in parts of few enough cells that copies of a part stay small."""
    size = max(1, BATCH // max(1, n_rows))
    for start in range(0, len(names), size):
        yield list(names[start : start + size])


def counters_of(table: pd.DataFrame, names: Sequence[str]) -> set[str]:
    """Return the columns that count the rows of a file one by one, from 0 or 1."""
    import pandas as pd

    count = np.arange(len(table))
    return {
        name
        for name, dtype in zip(table.columns, table.dtypes, strict=True)
        if pd.api.types.is_numeric_dtype(dtype)
        and not pd.api.types.is_bool_dtype(dtype)
        and not pd.isna(table[name].iloc[0])
        and table[name].iloc[0] in (0, 1)  # few columns are looked at as a whole
        and not table[name].isna().any()
        and bool((table[name].to_numpy(float) - float(table[name].iloc[0]) == count).all())
    } & set(names)


def is_filled(column: pd.Series) -> BoolArray:
    """Return which cells hold something; blanks are nothing."""
    blank = column.map(lambda v: isinstance(v, str) and not v.strip())
    return np.asarray(column.notna().to_numpy() & ~blank.to_numpy(bool))


def to_numbers(column: pd.Series) -> pd.Series:
    """Turn text into the numbers that `kinds_of` has found it to be."""
    import pandas as pd

    texts = column.map(lambda value: str(value).strip(), na_action="ignore")
    values = read_numbers(list(dict.fromkeys(texts.dropna()))).values
    numbers = [np.nan if pd.isna(text) else values[text] for text in texts]
    return pd.Series(numbers, index=column.index, name=column.name, dtype=float)


def as_text(column: pd.Series) -> Any:
    """Return values as text: 1.0 from a column with gaps is the label '1'."""
    return np.array([text_of(value) for value in column.tolist()])


def text_of(value: Any) -> str:
    """Return one value as text.

    Examples
    --------
    >>> text_of(1.0), text_of(" north "), text_of(1.5)
    ('1', 'north', '1.5')
    """
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def plain_code(text: str) -> str:
    """Write a code in one way: 2 and 2.0 are alike, and Dead and dead.

    Examples
    --------
    >>> plain_code("999.0"), plain_code(" Unknown"), plain_code("-1")
    ('999', 'unknown', '-1')
    """
    try:
        return text_of(float(text))
    except ValueError:
        return text.strip().lower()


def as_categories(column: pd.Series) -> list[Any]:
    """Return values as text, and gaps as NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> as_categories(pd.Series([1.0, None, 2.0])), as_categories(pd.Series(["a ", "b"]))
    (['1', nan, '2'], ['a', 'b'])
    """
    cells = zip(column.tolist(), column.isna().tolist(), strict=True)
    return [np.nan if gap else text_of(value) for value, gap in cells]


def say_infinite(names: Sequence[str], remedy: str) -> str:
    """Explain which columns hold infinite values, and what to do about them."""
    return explain(
        "Features must be finite numbers.",
        f"You passed infinite values in {enumerate_briefly(names)}.",
        remedy,
    )


def require_column(table: pd.DataFrame, name: str) -> None:
    """Refuse a name that no column has; suggest one, or another sheet."""
    if name in table.columns:
        return
    names = [str(c) for c in table.columns]
    folded = {c.lower(): c for c in names}
    near = get_close_matches(name.lower(), list(folded), 3, 0.5)
    hint = ", ".join(repr(folded[n]) for n in near)
    passed = f"You passed {name!r}; the columns are {enumerate_briefly(names, 12)}."
    remedy = f"Did you mean {hint}?" if near else "Pass one of these."
    others = table.attrs.get("other_sheets", ())
    if others:
        passed = f"{passed[:-1]} of the sheet {table.attrs['sheet']!r}."
        remedy += (
            f" Other sheets are {enumerate_briefly(others)}: for example {arg('sheet', others[0])}."
        )
    if any(not c or c.startswith("Unnamed: ") or as_number(c) is not None for c in names):
        remedy += (
            " If the header stands further down, say in which row, for example "
            f"{arg('header_row', 3)}."
        )
    raise InputError(explain("There is no such column.", passed, remedy))


def _judge_numbers(A: Any, names: list[str], asked: bool) -> dict[str, tuple[str, str]]:
    empty = np.isnan(A).all(axis=0)
    lowest, highest = np.fmin.reduce(A, axis=0), np.fmax.reduce(A, axis=0)
    constant = empty | (lowest == highest)
    found = dict.fromkeys(names, ("numeric", ""))
    for k in np.flatnonzero(constant):
        found[names[k]] = "constant", EMPTY if empty[k] else CONSTANT
    if asked or A.dtype == bool:
        return found
    for k in np.flatnonzero(~constant & (lowest >= 19000101) & (highest <= 21001231)):
        if _are_dates(A[~np.isnan(A[:, k]), k]):
            found[names[k]] = "date", DATES
    return found


def _are_dates(values: Any) -> bool:
    """Return whether all numbers are dates such as 20240301."""
    month, day = values // 100 % 100, values % 100
    whole = values % 1 == 0
    return bool((whole & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _judge_values(name: str, filled: list[Any], is_coded: bool) -> tuple[str, str]:
    """Judge a column by its distinct values, of which there are few if it is any use."""
    try:
        counts = Counter(filled)
    except TypeError:  # lists, as Parquet may hold
        counts = Counter(map(str, filled))
    if len(counts) <= 1:
        return "constant", CONSTANT if counts else EMPTY
    if all(isinstance(value, bool) for value in counts):
        return "numeric", ""
    texts: Counter[str] = Counter()
    for value, count in counts.items():
        texts[str(value).strip()] += count
    n_filled = len(filled)
    dates = sum(count for text, count in texts.items() if _DATE.fullmatch(text))
    if dates >= MOSTLY * n_filled:
        return "date", DATES
    if not is_coded:
        read = read_numbers(texts)
        numbers = sum(texts[text] for text in read.values)
        if numbers >= MOSTLY * n_filled:
            return (
                ("mixed", say_mixed(name, read.odd, numbers)) if read.odd else ("written", read.how)
            )
    if len(texts) == n_filled:
        return "text", ALL_DIFFERENT
    once = sum(count == 1 for count in texts.values())
    if len(texts) > MOST_LEVELS and 2 * once > len(texts):
        return "text", MOSTLY_DIFFERENT
    return "categorical", ""
