"""Rows that a user asks for, by number or by what a column holds; no expression is evaluated."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.columns import as_categories, as_text, require_column
from tlpo.tables.leakage import sounds_like_identifier
from tlpo.tables.levels import find_levels
from tlpo.tables.options import Specification

if TYPE_CHECKING:
    import pandas as pd

# How a condition begins whose value a report must not repeat.
UNSAID = "a condition on "
_RANGE = re.compile(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?")
_COMPARED = re.compile("!=|<=|>=|=|<|>")
_ORDER: dict[str, Callable[[Any, float], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def select_rows(table: pd.DataFrame, rows: Sequence[str]) -> BoolArray:
    """Return a mask of the rows that meet every condition.

    Parameters
    ----------
    table : DataFrame
        All rows of the file.
    rows : sequence of str
        Row numbers such as ``"1-120"``, counted from the first row below the header, or a column
        and what it holds: ``"arm=treated"``, ``"arm!=placebo"``, ``"age>=18"``.
    """
    chosen = np.ones(len(table), dtype=bool)
    for condition in rows:
        found = _range(table, condition)
        if found is not None:
            chosen &= _numbered(len(table), condition, int(found[1]), int(found[2] or found[1]))
        else:
            chosen &= _holding(table, condition)
    if not chosen.any():
        raise InputError(
            explain(
                "No row meets all conditions.",
                f"You passed {arg('rows', list(rows))} for {len(table)} rows.",
                "Leave one out.",
            )
        )
    return chosen


def say_rows(table: pd.DataFrame, spec: Specification) -> list[str]:
    """Return the conditions as a report may say them: without values that point at a patient."""
    said = []
    for condition in spec.rows:
        if _range(table, condition):
            said.append(condition)
            continue
        name, mark, value = _parse(table, condition)
        is_plain = _may_be_said(table, name, mark, value, spec)
        said.append(condition if is_plain else f"{UNSAID}{name!r}")
    return said


def _may_be_said(
    table: pd.DataFrame, name: str, mark: str, value: str, spec: Specification
) -> bool:
    import pandas as pd

    is_said = name in spec.categorical
    if sounds_like_identifier(name) and not is_said:
        return False
    if mark in _ORDER:  # a limit, which no patient needs to have
        return True
    groups = [table[name].tolist() for name in spec.groups]
    patients = list(zip(*groups, strict=True)) if groups else None
    is_number = pd.api.types.is_numeric_dtype(table[name])
    levels = find_levels(name, as_categories(table[name]), patients, is_said or is_number)
    return levels.is_listed and value in levels.kept


def _range(table: pd.DataFrame, condition: str) -> re.Match[str] | None:
    return None if condition in table.columns else _RANGE.fullmatch(condition)


def _numbered(n: int, condition: str, first: int, last: int) -> BoolArray:
    if not 1 <= first <= last <= n:
        raise InputError(
            explain(
                "There are no such rows.",
                f"You passed {arg('rows', [condition])}; the table has {n} rows.",
                f"For example {arg('rows', [f'1-{n}'])}.",
            )
        )
    number = np.arange(1, n + 1)
    return np.asarray((first <= number) & (number <= last))


def _parse(table: pd.DataFrame, condition: str) -> tuple[str, str, str]:
    """Return the column, the comparison and the value of a condition."""
    marks = list(_COMPARED.finditer(condition))
    if not marks:
        raise InputError(
            explain(
                "Rows are chosen by number, or by what stands in a column.",
                f"You passed {arg('rows', [condition])}.",
                f"For example {arg('rows', ['1-120'])} or {arg('rows', ['arm=treated'])}.",
            )
        )
    # A mark may be part of a name; the first that follows a name of a column is the comparison.
    mark = next((m for m in marks if condition[: m.start()].strip() in table.columns), marks[0])
    return condition[: mark.start()].strip(), mark[0], condition[mark.end() :].strip()


def _holding(table: pd.DataFrame, condition: str) -> BoolArray:
    name, mark, value = _parse(table, condition)
    require_column(table, name)
    if mark in _ORDER:
        return _compared(table[name], condition, mark, value)
    texts = as_text(table[name])
    same = np.asarray(texts == value)
    if not same.any():
        present = sorted(set(texts[table[name].notna().to_numpy()].tolist()))
        raise InputError(
            explain(
                "No row holds this value.",
                f"You passed {arg('rows', [condition])}; {name!r} holds "
                f"{enumerate_briefly(present)}.",
                "Pass one of these, spelled as it is in the table.",
            )
        )
    return same if mark == "=" else ~same & table[name].notna().to_numpy()


def _compared(column: pd.Series, condition: str, mark: str, value: str) -> BoolArray:
    import pandas as pd

    try:
        limit = float(value)
        if not pd.api.types.is_numeric_dtype(column):
            raise ValueError
    except ValueError:
        raise InputError(
            explain(
                f"Only numbers can be compared by {mark!r}.",
                f"You passed {arg('rows', [condition])}.",
                f"For example {arg('rows', [f'{column.name}=…'])} for what is not a number.",
            )
        ) from None
    return np.asarray(_ORDER[mark](column.to_numpy(float, na_value=np.nan), limit))
