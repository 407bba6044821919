"""Decide from its values and its name whether a column can be a feature, and of which kind."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.errors import enumerate_briefly, explain

if TYPE_CHECKING:
    import pandas as pd

# A text column with more distinct values than this is not one-hot encoded.
MOST_LEVELS = 20
# A text column with at least this share of numbers was meant to be numeric.
MOSTLY = 0.8
# Cells that are looked at together.
BATCH = 1_000_000
IDENTIFIERS = {"id", "nr", "no", "number", "patient", "subject", "case", "mrn", "record", "index"}
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*")

ALL_DIFFERENT = "every value is different, so it looks like an identifier"
REPEATED = (
    "it looks like an identifier; if rows with the same value belong together, make it the group"
)
DATES = "it holds dates; turn them into numbers, such as an age"


def kinds_of(
    table: pd.DataFrame, names: Sequence[str], asked: bool = False
) -> dict[str, tuple[str, str]]:
    """Return the kind of every column and, unless it can be a feature, why not.

    Parameters
    ----------
    table : DataFrame
        All rows of the file.
    names : sequence of str
        The columns to judge.
    asked : bool
        Whether the user named them as features; then numbers are never taken for identifiers.

    Returns
    -------
    dict
        For a column that mixes numbers and text, the reason is a whole message.
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
                    found[name] = _judge_values(name, filled, len(table), is_coded)
    return {name: found[name] for name in names}


def batches(names: Sequence[str], n_rows: int) -> Iterator[list[str]]:
    """Yield columns in parts of about a million cells, so that copies of a part stay small."""
    size = max(1, BATCH // max(1, n_rows))
    for start in range(0, len(names), size):
        yield list(names[start : start + size])


def _judge_numbers(A: Any, names: list[str], asked: bool) -> dict[str, tuple[str, str]]:
    filled = ~np.isnan(A)
    empty = ~filled.any(axis=0)
    constant = empty | (np.fmin.reduce(A, axis=0) == np.fmax.reduce(A, axis=0))
    found = dict.fromkeys(names, ("numeric", ""))
    for k in np.flatnonzero(constant):
        found[names[k]] = "constant", "it is empty" if empty[k] else "it is constant"
    if asked or A.dtype == bool:
        return found
    whole = (~filled | (np.isfinite(A) & (np.trunc(A) == A))).all(axis=0) & ~constant
    for start in range(0, len(names), 64):
        some = start + np.flatnonzero(whole[start : start + 64])
        before = np.fmax.accumulate(A[:, some], axis=0)[:-1]
        later = A[1:, some]
        rises = ((later > before) | np.isnan(later) | np.isnan(before)).all(axis=0)
        for k, in_order in zip(some, rises, strict=True):
            named = bool(IDENTIFIERS & set(_words(names[k])))
            values = A[filled[:, k], k] if named else ()
            if in_order or (named and len(np.unique(values)) == len(values)):
                found[names[k]] = "identifier", ALL_DIFFERENT
            elif named:
                found[names[k]] = "identifier", REPEATED
    return found


def _judge_values(name: str, filled: list[Any], n_rows: int, is_coded: bool) -> tuple[str, str]:
    """Judge a column by its distinct values, of which there are few if it is any use."""
    try:
        counts = Counter(filled)
    except TypeError:  # lists, as Parquet may hold
        counts = Counter(map(str, filled))
    if len(counts) <= 1:
        return "constant", "it is constant" if counts else "it is empty"
    if all(isinstance(value, bool) for value in counts):
        return "numeric", ""
    texts: Counter[str] = Counter()
    for value, count in counts.items():
        texts[str(value).strip()] += count
    n_filled = len(filled)
    dates = sum(count for text, count in texts.items() if _DATE.fullmatch(text))
    if dates >= MOSTLY * n_filled:
        return "date", DATES
    odd = [text for text in texts if not _is_number(text)]
    numbers = n_filled - sum(texts[text] for text in odd)
    if odd and numbers >= MOSTLY * n_filled and not is_coded:
        return "mixed", explain(
            f"Column {name!r} mixes numbers and text.",
            f"You passed {enumerate_briefly(odd)} among {numbers} numbers.",
            "Replace the text by numbers, clear these cells, or leave the column out with "
            f"drop=[{name!r}].",
        )
    if len(texts) == n_rows:
        return "identifier", ALL_DIFFERENT
    if len(texts) > 2 and IDENTIFIERS & set(_words(name)):
        return "identifier", REPEATED
    if len(texts) > MOST_LEVELS:
        return "text", f"it has {len(texts)} distinct values, more than {MOST_LEVELS}"
    return "categorical", ""


def _is_number(text: str) -> bool:
    try:
        return not math.isnan(float(text)) and "_" not in text
    except ValueError:
        return False


def _words(name: str) -> list[str]:
    """Split a column name: PatientID and patient_id are patient and id."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", name)
    return spaced.lower().split()
