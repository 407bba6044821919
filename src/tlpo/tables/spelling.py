"""Labels and categories that differ only in case and spaces: No, no and " no"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.plurals import counted
from tlpo.tables.columns import as_text, is_filled

if TYPE_CHECKING:
    import pandas as pd


def fold(label: str) -> str:
    """Write a label without capitals and with single spaces.

    Examples
    --------
    >>> fold("High  Risk"), fold("NO") == fold("no ")
    ('high risk', True)
    """
    return " ".join(label.casefold().split())


def join_spellings(
    y: Any, filled: BoolArray, named: Sequence[str]
) -> tuple[Any, dict[str, list[str]]]:
    """Give labels that differ only in case and spaces the commonest of their spellings.

    Parameters
    ----------
    y : ndarray of str
        The label of every row.
    filled : ndarray of bool
        Rows that have one.
    named : sequence of str
        Labels that the user names. Spellings that are named apart are kept apart, all of them.

    Returns
    -------
    ndarray
        Labels. They are as they were if fewer than two would be left, as of AA, Aa and aa.
    dict
        The spellings that were replaced, by the one that was kept.
    """
    counts = Counter(y[filled].tolist())
    alike: dict[str, list[str]] = {}
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        alike.setdefault(fold(label), []).append(label)
    asked = Counter(fold(label) for label in set(named) & set(counts))
    if len(alike) < 2 or len(alike) == len(counts) or max(asked.values(), default=0) > 1:
        return y, {}
    kept = {label: labels[0] for labels in alike.values() for label in labels}
    joined = np.array([kept.get(label, label) for label in y.tolist()])
    return joined, {labels[0]: labels[1:] for labels in alike.values() if len(labels) > 1}


def join_categories(
    table: pd.DataFrame, names: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, tuple[int, int]]]:
    """Give categories of features that differ only in case and spaces one spelling.

    Returns
    -------
    DataFrame
        The table. A column stays as it is if only one category would be left.
    dict
        How many spellings were replaced, and in how many rows, by column.

    Examples
    --------
    >>> import pandas as pd
    >>> joined, n = join_categories(pd.DataFrame({"sex": ["M", "f", "m", "M", None]}), ["sex"])
    >>> joined["sex"].tolist()[:4], n
    (['M', 'f', 'M', 'M'], {'sex': (1, 1)})
    """
    import pandas as pd

    joined: dict[str, pd.Series] = {}
    found: dict[str, tuple[int, int]] = {}
    for name in names:
        column = table[name]
        if column.dtype.kind in "biuf" or isinstance(column.dtype, pd.CategoricalDtype):
            continue
        filled = is_filled(column)
        texts = as_text(column)
        spelled, replaced = join_spellings(texts, filled, ())
        if replaced:
            values = [v if ok else None for v, ok in zip(spelled.tolist(), filled, strict=True)]
            joined[name] = pd.Series(values, index=column.index, dtype=object)
            changed = int((spelled != texts)[filled].sum())
            found[name] = sum(map(len, replaced.values())), changed
    if joined:
        attrs = table.attrs
        table = table.assign(**joined)
        table.attrs = attrs
    return table, found


def say_joined(found: dict[str, tuple[int, int]]) -> list[str]:
    """Say of which columns spellings were joined, but not which: a rare one may name a patient.

    Examples
    --------
    >>> print(*say_joined({"sex": (2, 3)}))
    Column 'sex': 2 spellings that differ from others only in case or spaces were joined (3 rows).
    """
    return [
        f"Column {name!r}: {counted(n, 'spelling')} that {'differs' if n == 1 else 'differ'} from "
        f"others only in case or spaces {'was' if n == 1 else 'were'} joined "
        f"({counted(rows, 'row')})."
        for name, (n, rows) in found.items()
    ]
