"""Values that mean missing, such as 999 or -1: clearing those that a user names, finding others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.columns import as_text, batches, plain_code, text_of
from tlpo.tables.options import DROP, IMPUTE
from tlpo.tables.words import set_of

if TYPE_CHECKING:
    import pandas as pd

# What people write for a value that they do not have: 9, 99, 999.9, 88, -1, -9, -999 …
_POSITIVE = re.compile(r"9|9\.9+|(?:7{2,5}|8{2,5}|9{2,6})|9{2,5}\.9+")
_NEGATIVE = re.compile(r"-(?:1|[789]|7{2,5}|8{2,5}|9{2,6}|9{1,5}\.9+)")
# Beyond the others by more than so many times their range, a single one is enough.
FAR = 3.0
# Words for it, where an outcome has no other use for them.
_WORDS = set_of(
    "? ?? unknown unk missing n.a. n/k nk nd n.d. notdone notavailable notknown notrecorded "
    "notassessed notdetermined unbekannt fehlt fehlend tuntematon puuttuu inconnu manquant"
)


class Code(NamedTuple):
    """A value that means missing, in one column or, if that is None, in all."""

    column: str | None
    value: str


def parse_code(columns: Iterable[str], written: str) -> Code:
    """Read ``"999"`` or ``"age=999"``; a name may have an equals sign, too.

    Examples
    --------
    >>> parse_code(["age"], "999"), parse_code(["age"], "age=-1"), parse_code(["age"], "x=1")
    (Code(column=None, value='999'), Code(column='age', value='-1'), Code(column=None, value='x=1'))
    """
    known = set(columns)
    for mark in reversed(list(re.finditer("=", written))):
        name, value = written[: mark.start()].strip(), written[mark.end() :].strip()
        if name in known and value:
            return Code(name, value)
    return Code(None, written.strip())


def clear_values(
    table: pd.DataFrame,
    written: Sequence[str],
    spared: Sequence[str] = (),
    *,
    must_occur: bool = True,
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Empty every cell that holds a value that means missing.

    Parameters
    ----------
    table : DataFrame
        As it was read.
    written : sequence of str
        Values, such as "999", or a column and its value, such as "age=999".
    spared : sequence of str
        Columns to which only values apply that name them: 999 may be a patient.
    must_occur : bool
        Whether to refuse a value that no cell holds.

    Returns
    -------
    DataFrame
        A table without these values; the same if there are none.
    dict
        Which values were cleared, by column.
    """
    cleared: dict[str, list[str]] = {}
    changed: dict[str, pd.Series] = {}
    for text in written:
        column, value = parse_code(map(str, table.columns), text)
        names = [column] if column is not None else [c for c in table.columns if c not in spared]
        is_there = False
        for name in names:
            found = _holding(changed.get(name, table[name]), value)
            if found is None:
                continue
            is_there = True
            changed[name] = _emptied(changed.get(name, table[name]), found)
            cleared.setdefault(name, []).append(value)
        if must_occur and not is_there:
            raise InputError(_say_absent(table, column, value))
    if not changed:
        return table, {}
    attrs = table.attrs
    table = table.assign(**changed)
    table.attrs = attrs
    return table, cleared


def say_cleared(cleared: Mapping[str, Sequence[str]]) -> list[str]:
    """Say which values were taken for missing.

    Examples
    --------
    >>> say_cleared({"age": ["999"], "bmi": ["999", "-1"]})
    ["Taken for missing: '999' in 'age'; '999' and '-1' in 'bmi'."]
    """
    parts = [f"{' and '.join(map(repr, values))} in {name!r}" for name, values in cleared.items()]
    return [f"Taken for missing: {'; '.join(parts)}."] if parts else []


def _holding(column: pd.Series, value: str) -> BoolArray | None:
    """Return which cells hold a value, or None if no cell does."""
    import pandas as pd

    wanted = plain_code(value)
    if pd.api.types.is_bool_dtype(column.dtype):
        return None
    if pd.api.types.is_numeric_dtype(column.dtype):
        try:
            found = np.asarray(column.to_numpy(float, na_value=np.nan) == float(value))
        except ValueError:
            return None
    else:
        alike = {t: plain_code(t) == wanted for t in set(as_text(column).tolist())}
        found = np.array([alike[text] for text in as_text(column).tolist()], dtype=bool)
        found &= column.notna().to_numpy()
    return found if found.any() else None


def _emptied(column: pd.Series, cells: BoolArray) -> pd.Series:
    import pandas as pd

    if column.dtype == object:
        kept = column.copy()  # mask would turn what is left into numbers, and warn
        kept[cells] = np.nan
        return kept
    kept = column.mask(cells)
    if isinstance(kept.dtype, pd.CategoricalDtype):
        # A level that no patient has left is none.
        kept = kept.cat.remove_unused_categories()
    return kept


def _say_absent(table: pd.DataFrame, column: str | None, value: str) -> str:
    if column is None:
        return explain(
            "No cell holds this value.",
            f"You passed {arg('missing', [value])}; no column has it.",
            "Spell it as it is in the table. To say what becomes of missing values, pass "
            f"{arg('missing', IMPUTE)} or {arg('missing', DROP)}.",
        )
    present = sorted({text_of(v) for v in table[column].dropna().unique().tolist()})
    return explain(
        "The column does not hold this value.",
        f"You passed {arg('missing', [f'{column}={value}'])}; {column!r} holds "
        f"{enumerate_briefly(present)}.",
        "Pass a value that means missing, spelled as it is in the table.",
    )


def find_missing_codes(table: pd.DataFrame, names: Sequence[str]) -> dict[str, list[str]]:
    """Find numbers that look like codes for missing values, by column.

    Such a number is one that people use (999, 99, -1, -9 …), lies outside all others of its
    column, and is repeated there, found in another column as well, or far outside.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [41, 52, 67, 999], "sodium": [139.0, 141, 135, 138]})
    >>> find_missing_codes(table, ["age", "sodium"])
    {'age': ['999']}
    """
    import pandas as pd

    numeric = [
        name
        for name, dtype in zip(table.columns, table.dtypes, strict=True)
        if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    ]
    wanted = [name for name in numeric if name in set(names)]
    sure: dict[str, list[str]] = {}
    likely: dict[str, list[str]] = {}
    for part in batches(wanted, len(table)):
        A = table[part].to_numpy(float, na_value=np.nan)
        lowest, highest = np.fmin.reduce(A, axis=0), np.fmax.reduce(A, axis=0)
        for k, name in enumerate(part):
            if _is_code(lowest[k]) or _is_code(highest[k]):
                found = _outside(A[:, k])
                sure[name] = [value for value, is_sure in found.items() if is_sure]
                likely[name] = [value for value, is_sure in found.items() if not is_sure]
    seen = Counter(
        value for found in (sure, likely) for values in found.values() for value in values
    )
    codes = {c: [*sure[c], *(v for v in likely[c] if seen[v] > 1)] for c in sure}
    return {name: codes[name] for name in names if codes.get(name)}


def find_codes_among(texts: Sequence[str]) -> list[str]:
    """Find labels of an outcome, all of them numbers, that look like codes for a missing one.

    Examples
    --------
    >>> find_codes_among(["0", "1", "0", "9", "9"]), find_codes_among(["0", "1", "2"])
    (['9'], [])
    """
    return [*_outside(np.array([float(text) for text in texts]))]


def is_word_for_missing(label: str) -> bool:
    """Return whether a label of an outcome says that there is none.

    Examples
    --------
    >>> is_word_for_missing("Unknown"), is_word_for_missing("benign")
    (True, False)
    """
    return "".join(label.casefold().split()) in _WORDS


def _is_code(value: float) -> bool:
    if not np.isfinite(value):
        return False
    written = text_of(float(value))
    return bool(_POSITIVE.fullmatch(written) or _NEGATIVE.fullmatch(written))


def _outside(values: FloatArray) -> dict[str, bool]:
    """Return the codes outside all other values of a column, and whether each is beyond doubt."""
    present, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    are_codes = np.array([_is_code(value) for value in present.tolist()])
    rest = present[~are_codes]
    if rest.size < 2:
        return {}
    low, high = float(rest[0]), float(rest[-1])
    span = high - low
    found = {}
    for value, count in zip(present[are_codes].tolist(), counts[are_codes].tolist(), strict=True):
        distance = value - high if value > high else low - value
        # 9 after 0 to 8, and negative numbers among others, are numbers like all.
        is_outside = distance > span or value < 0 <= low
        if is_outside and distance > 0:
            found[text_of(value)] = count > 1 or distance > FAR * span
    return found
