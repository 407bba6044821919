"""Which rows belong together: the columns that say so, and numbers that several centres share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.errors import InputError, arg, explain
from tlpo.plurals import counted
from tlpo.tables.columns import as_text, require_column
from tlpo.tables.leakage import suspect
from tlpo.tables.words import set_of, words_of

if TYPE_CHECKING:
    import pandas as pd

# Words in the name of a column of places that number their own patients.
_PLACES = set_of(
    "center centre centers centres site sites hospital clinic institution institute ward "
    "department unit country region cohort study trial lab laboratory practice zentrum klinik "
    "krankenhaus sairaala keskus klinikka centre hôpital hopital clinique"
)
# More places than this number nobody's patients.
MOST_PLACES = 200


def name_groups(columns: Sequence[str]) -> str | None:
    """Say which columns tell groups apart, or None if there are no groups.

    Examples
    --------
    >>> name_groups(["centre", "patient"]), name_groups([])
    ('centre and patient', None)
    """
    return " and ".join(columns) or None


def require_groups(table: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse columns of groups that are not there, or in which two groups may be one."""
    for name in columns:
        require_column(table, name)
        if name in table.attrs.get("padded", ()):
            raise InputError(
                explain(
                    "Some groups differ only in how a number is written.",
                    f"You passed {arg('group', _passed(columns))}, where a number stands with "
                    "leading zeros and without.",
                    "If they are one group, write it in one way; if not, add a letter to one.",
                )
            )


def groups_of(table: pd.DataFrame, columns: Sequence[str]) -> Any:
    """Return the group of every row as text, or None if there are none; every row needs one."""
    if not columns:
        return None
    for name in columns:
        empty = int(table[name].isna().sum())
        if empty:
            raise InputError(
                explain(
                    "The group column has gaps.",
                    f"You passed {arg('group', _passed(columns))}; "
                    + ("it" if len(columns) == 1 else repr(name))
                    + f" is empty in {counted(empty, 'row')}.",
                    "Give every row a group, one of its own if it belongs with no other.",
                )
            )
    return _joined([as_text(table[name]) for name in columns])


def _joined(parts: Sequence[Any]) -> Any:
    """Return one text for the texts of every row; different texts stay different."""
    if len(parts) == 1:
        return parts[0]
    rows = zip(*(part.tolist() for part in parts), strict=True)
    return np.array([" | ".join(t.replace("|", "||") for t in row) for row in rows])


def find_places(table: pd.DataFrame, name: str) -> str | None:
    """Return the column of places that share the values of an identifier, or None.

    Of three patients 1, 2, 3 at each of two centres, none is both patient 1: the centres have
    numbered their own.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"centre": list("aabb"), "id": [1, 2, 1, 2], "x": [1, 2, 3, 4]})
    >>> find_places(table, "id"), find_places(table.assign(id=range(4)), "id")
    ('centre', None)
    """
    filled = table[table[name].notna()]
    ids = as_text(filled[name])
    for place in table.columns:
        is_place = bool(_PLACES & {*words_of(str(place))})
        if not is_place or place == name or filled[place].isna().any():
            continue
        places = as_text(filled[place])
        n_places = len(set(places.tolist()))
        if not 2 <= n_places <= MOST_PLACES:
            continue
        pairs = set(zip(places.tolist(), ids.tolist(), strict=True))
        if len(pairs) > len(set(ids.tolist())) and _number_their_own(pairs):
            return str(place)
    return None


def _number_their_own(pairs: set[tuple[str, str]]) -> bool:
    """Return whether at least two places count their patients from 0 or 1, with few gaps."""
    numbers: dict[str, set[int]] = {}
    for place, text in pairs:
        digits = "".join(c for c in text if c.isdecimal())
        numbers.setdefault(place, set()).add(int(digits) if digits else MOST_PLACES**9)
    own = [n for n in numbers.values() if min(n) <= 1 and max(n) <= 2 * len(n)]
    return len(own) > 1


def suspect_groups(
    found: Sequence[dict[str, Any]],
    table: pd.DataFrame,
    groups: Sequence[str],
    features: Sequence[str],
) -> list[dict[str, Any]]:
    """Notice identifiers that several places share, before one is suggested as a group.

    Parameters
    ----------
    found : sequence of dict
        What `find_suspects` returned.
    table : DataFrame
        The rows that are used.
    groups, features : sequence of str
        Columns of groups, and those to predict from.

    Returns
    -------
    list of dict
        An identifier that repeats is "shared" if it, or the group, has the same values at
        different places; ``values`` is the column of these. If no place has one twice, there is
        nothing to group.
    """
    kept = []
    for one in found:
        name = one["column"]
        place = find_places(table, name) if one["kind"] == "repeated" else None
        if place is None:
            kept.append(one)
        elif table[[place, name]].astype(str).duplicated().any():
            kept.append(suspect(name, "shared", values=[place]))
        elif name in features:
            kept.append(suspect(name, "identifier", n_values=one["n_values"]))
    if len(groups) == 1:
        place = find_places(table, groups[0])
        if place is not None:
            kept.append(suspect(groups[0], "shared", values=[place]))
    return kept


def _passed(columns: Sequence[str]) -> str | list[str]:
    return columns[0] if len(columns) == 1 else list(columns)
