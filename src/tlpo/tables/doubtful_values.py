"""Values that may mean something else: codes of categories, codes for missing, 1,182, No and no.

None of them is changed here: only who knows the data can tell, and the answer asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tlpo.plurals import counted
from tlpo.tables.cells import Doubt
from tlpo.tables.codes import find_codes
from tlpo.tables.leakage import sounds_like_identifier, suspect
from tlpo.tables.missing_values import find_missing_codes
from tlpo.tables.options import Specification

if TYPE_CHECKING:
    import pandas as pd


def suspect_values(
    table: pd.DataFrame,
    X: pd.DataFrame,
    numeric: Sequence[str],
    doubts: Mapping[str, Doubt],
    spec: Specification,
    known: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Look for numbers that may be codes, or may have been read wrongly.

    Parameters
    ----------
    table : DataFrame
        As it was read, with what its reader noticed.
    X : DataFrame
        The features.
    numeric : sequence of str
        Those that are numbers.
    doubts : mapping of str to Doubt
        Numbers that can be read in two ways, by column.
    spec : Specification
        What was asked: numbers that were said to be some are not taken for categories.
    known : sequence of dict
        Columns that are suspected of something worse, which are not taken for categories either.

    Returns
    -------
    list of dict
        As of `find_suspects`, with kinds "codes", "missing code" and "decimals"; ``values`` are
        the codes, or a number as it is written, as it was read, and as it may be meant.
    """
    named = [name for name in numeric if not sounds_like_identifier(name)]
    missing = find_missing_codes(X, named)
    worse = {one["column"] for one in known}
    unsaid = [name for name in named if name not in spec.numeric and name not in worse]
    codes = find_codes(X, unsaid, table.attrs.get("labels", {}), missing)
    # Whoever names the decimal mark has answered.
    is_said = "decimal" in table.attrs
    doubts = {} if is_said else {**table.attrs.get("doubts", {}), **doubts}
    return [
        *(suspect(c, "missing code", n_values=len(v), values=v) for c, v in missing.items()),
        *(suspect(c, "codes", n_values=len(v), values=v) for c, v in codes.items()),
        *(suspect(c, "decimals", values=doubts[c]) for c in numeric if c in doubts),
    ]


def say_spelling(found: Mapping[str, Any]) -> str:
    """Say which spellings of a label were taken for one.

    Examples
    --------
    >>> say_spelling({"column": "ill", "values": ["no", "No", "NO"], "n_values": 3})
    "In 'ill', 'No' and 'NO' were taken for 'no' (3 rows)."
    """
    kept, *others = found["values"]
    were = "was" if len(others) == 1 else "were"
    return (
        f"In {found['column']!r}, {' and '.join(map(repr, others))} {were} taken for {kept!r} "
        f"({counted(found['n_values'], 'row')})."
    )
