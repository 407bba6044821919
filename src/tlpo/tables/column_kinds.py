"""Columns as the user says they are: numbers, categories, or what their values look like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.tables.cells import Doubt, read_numbers
from tlpo.tables.columns import as_categories, as_text, kinds_of, to_numbers
from tlpo.tables.options import Specification

if TYPE_CHECKING:
    import pandas as pd


class Read(NamedTuple):
    """Columns that are ready to be features.

    Attributes
    ----------
    table : DataFrame
        With numbers where text stood for numbers, and text where numbers stood for categories.
    kinds : dict of str to (str, str)
        The kind of every column and, unless it can be a feature, why not; as `kinds_of` says.
    how : dict of str to str
        How numbers were read that were written as text, where that was not obvious, by column.
    doubts : dict of str to Doubt
        Numbers that can be read in two ways, by column.
    """

    table: pd.DataFrame
    kinds: dict[str, tuple[str, str]]
    how: dict[str, str]
    doubts: dict[str, Doubt]


def read_columns(table: pd.DataFrame, names: Sequence[str], spec: Specification) -> Read:
    """Read columns as their values say, unless the user says otherwise."""
    import pandas as pd

    asked = bool(spec.features)
    kinds = kinds_of(table, names, asked)
    numeric = [name for name in spec.numeric if name in kinds]
    for name in numeric:
        kinds[name] = _judge_said(table[name], name, kinds[name])
    written = {
        name: how
        for name, (kind, how) in kinds.items()
        if kind == "written" and name not in spec.categorical
    }
    attrs = table.attrs
    doubts: dict[str, Doubt] = {}
    for name, how in written.items():
        if how:
            doubt = read_numbers(list(dict.fromkeys(as_text(table[name].dropna()).tolist()))).doubt
            doubts |= {} if doubt is None else {name: doubt}
    if written:
        table = table.assign(**{name: to_numbers(table[name]) for name in written})
        kinds |= kinds_of(table, list(written), asked)
    # Whoever says that a column is numbers does not mean dates.
    kinds |= {name: ("numeric", "") for name in numeric if kinds[name][0] == "date"}
    said = [n for n in spec.categorical if kinds.get(n, ("constant", ""))[0] != "constant"]
    if said:
        table = table.assign(**{n: pd.Series(as_categories(table[n]), dtype=object) for n in said})
        kinds |= dict.fromkeys(said, ("categorical", ""))
    table.attrs = attrs
    for kind, why in kinds.values():
        if kind == "mixed":
            raise InputError(why)
    return Read(table, kinds, {name: how for name, how in written.items() if how}, doubts)


def _judge_said(column: pd.Series, name: str, found: tuple[str, str]) -> tuple[str, str]:
    """Return the kind of a column that is said to be numbers, which may be labels that are."""
    import pandas as pd

    kind, _ = found
    is_number = pd.api.types.is_numeric_dtype(column.dtype)
    if kind in ("numeric", "written", "mixed", "constant") or (kind == "date" and is_number):
        return found
    texts = sorted(set(as_text(column.dropna()).tolist()))
    odd = texts if kind == "date" else read_numbers(texts).odd
    if not odd:
        return "written", ""
    raise InputError(
        explain(
            "A column that is said to be numbers holds something else.",
            f"You passed {arg('numeric', [name])}; it holds {enumerate_briefly(odd)}.",
            "Write numbers into its cells, or leave it out of the list to have it used as it is.",
        )
    )
