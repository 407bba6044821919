"""New patients as a saved model takes them: the same columns, read as development read them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tlpo.analysis.shapes import AnyCard, Card, CategoricalColumn, NumericColumn
from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.plurals import counted
from tlpo.tables.cells import read_numbers
from tlpo.tables.columns import as_categories, as_text, is_filled, say_infinite, text_of
from tlpo.tables.groups import groups_of, require_groups
from tlpo.tables.missing_values import clear_values, say_cleared
from tlpo.tables.outcomes import add_cut
from tlpo.tables.several import classify
from tlpo.tables.spelling import fold

if TYPE_CHECKING:
    import pandas as pd

# A median that moved by more than this factor, out of the range that development saw, is probably
# in other units.
FACTOR = 2.0


class NewRows(NamedTuple):
    """Patients to validate a model on.

    Attributes
    ----------
    X : DataFrame
        Features, in the columns of development.
    is_positive : ndarray
        Classes.
    groups : ndarray or None
        Group of every row, as text.
    remarks : list of str
        What differs from development, and which rows were left out.
    """

    X: pd.DataFrame
    is_positive: BoolArray
    groups: Any
    remarks: list[str]


def take_rows(table: pd.DataFrame, card: Card, target: str, groups: Sequence[str]) -> NewRows:
    """Take from a table what the model of a card needs, and say what is odd about it."""
    table, remarks = clear_known(table, card, groups)
    table = add_cut(table, target)
    require_columns(table, card, [target, *groups])
    require_groups(table, groups)
    rows = is_filled(table[target])
    if not rows.all():
        remarks.append(f"Left out: {counted(int((~rows).sum()), 'row')} without an outcome.")
    labels, known = _labels(table[target], rows, card, target)
    if not known.all():
        others = counted(int((rows & ~known).sum()), "row")
        remarks.append(f"Left out: {others} with another outcome, as in development.")
        rows = rows & known
    table, labels = table.loc[rows].reset_index(drop=True), labels[rows]
    X, kept = take_features(table, card, remarks, len(rows))
    is_positive = labels[kept] == card.positive
    _require_both(is_positive, card)
    return NewRows(X, is_positive, groups_of(table.loc[kept], groups), remarks)


def clear_known(
    table: pd.DataFrame, card: AnyCard, groups: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Empty cells that meant missing in development; return the table and what is to be said."""
    table, cleared = clear_values(table, card.missing, groups, must_occur=False)
    needed = {column.name for column in card.columns}
    said = say_cleared({name: values for name, values in cleared.items() if name in needed})
    return table, [*table.attrs.get("notes", ()), *said]


def take_features(
    table: pd.DataFrame, card: AnyCard, remarks: list[str], n_read: int
) -> tuple[pd.DataFrame, BoolArray]:
    """Return the features of rows that the model can predict, and which rows these are.

    What is odd is added to ``remarks``.
    """
    import pandas as pd

    columns: dict[str, object] = {}
    for column in card.columns:
        values = table[column.name]
        if isinstance(column, CategoricalColumn):
            columns[column.name], more = _categories(values, column)
        else:
            columns[column.name], more = _numbers(values, column)
        remarks += more
    X = pd.DataFrame(columns)
    kept, more = _without_gaps(X, card)
    remarks += more
    if not kept.any():
        raise InputError(
            explain(
                "No row can be predicted.",
                f"You passed {counted(n_read, 'row')}: {' '.join(remarks)}",
                "Pass rows with an outcome and without missing values.",
            )
        )
    return X.loc[kept].reset_index(drop=True), kept


def require_columns(table: pd.DataFrame, card: AnyCard, given: Sequence[str]) -> None:
    """Refuse a table that lacks columns: those given, or those that the model needs."""
    needed = [column.name for column in card.columns]
    unused = [str(c) for c in table.columns if c not in given and c not in needed]
    folded = {name.lower(): name for name in unused}
    for names, problem in (
        (given, "There is no such column."),
        (needed, f"The model {card.name!r} needs columns that the table does not have."),
    ):
        missing = [name for name in names if name not in table.columns]
        if not missing:
            continue
        near = {name: get_close_matches(name.lower(), list(folded), 1) for name in missing}
        hints = [f"{folded[found[0]]!r} may be {name!r}" for name, found in near.items() if found]
        raise InputError(
            explain(
                problem,
                f"Missing: {enumerate_briefly(missing)}. Columns that are not used: "
                f"{enumerate_briefly(unused) if unused else 'none'}.",
                f"Rename them as in development: {'; '.join(hints)}."
                if hints
                else "Name columns as in development.",
            )
        )


def _labels(column: pd.Series, rows: BoolArray, card: Card, target: str) -> tuple[Any, BoolArray]:
    """Return the labels as development named them, and which rows have one of the two."""
    two = (card.negative, card.positive)
    classes = card.classes or {name: [name] for name in two}
    names = [label for labels in classes.values() for label in labels]
    texts = as_text(column)
    labels = classify(np.array([_named(text, names) for text in texts.tolist()]), classes)
    known = (labels != "") | ~rows
    if not known.all() and not card.classes:
        foreign = sorted(set(texts[~known].tolist()))
        raise InputError(
            explain(
                "The outcome has labels that development did not have.",
                f"You passed {arg('target', target)} with {enumerate_briefly(foreign)}; the "
                "labels were "
                f"{card.negative!r} and {card.positive!r}.",
                "Name the labels as in development.",
            )
        )
    return labels, known


def _named(text: str, names: Sequence[str]) -> str:
    """Return the label that a text is, in upper or lower case unless that tells labels apart."""
    alike = [name for name in names if fold(name) == fold(text)]
    return alike[0] if len(alike) == 1 else text


def _require_both(is_positive: BoolArray, card: Card) -> None:
    if is_positive.all() or not is_positive.any():
        label = card.positive if is_positive.all() else card.negative
        raise InputError(
            explain(
                "Both outcomes must occur.",
                f"You passed {counted(is_positive.size, 'row')} with the outcome {label!r} alone.",
                "Pass patients of both classes.",
            )
        )


def _categories(column: pd.Series, known: CategoricalColumn) -> tuple[pd.Series, list[str]]:
    import pandas as pd

    values = as_categories(column)
    names = [name for name in known.categories if name != known.other]
    if len({fold(name) for name in names}) > 1:  # as development joins spellings, or not
        values = [_named(v, names) if isinstance(v, str) else v for v in values]
    # Only how many: they may be names.
    unlisted = [v for v in values if isinstance(v, str) and v not in known.categories]
    remarks = []
    if unlisted:
        fate = "ignores" if known.other is None else f"scores as {known.other!r}"
        remarks.append(
            f"{known.name!r} has {counted(len(set(unlisted)), 'category')} that the model does "
            f"not list, and {fate}, in {counted(len(unlisted), 'row')}."
        )
    return pd.Series(values, dtype=object), remarks


def _numbers(column: pd.Series, known: NumericColumn) -> tuple[FloatArray, list[str]]:
    """Read numbers as they are read in development, with a remark where that is not obvious."""
    import pandas as pd

    name, remarks = known.name, []
    filled = column.dropna().tolist()
    if pd.api.types.is_numeric_dtype(column) or all(isinstance(value, bool) for value in filled):
        values = column.to_numpy(float, na_value=np.nan)
    else:
        texts = column.map(text_of, na_action="ignore")
        read = read_numbers(list(dict.fromkeys(texts.dropna())))
        if read.odd:
            raise InputError(
                explain(
                    f"The column {name!r} was a number in development, and holds text here.",
                    f"You passed {enumerate_briefly(read.odd)}.",
                    "Replace the text by numbers, or by nothing where there is none.",
                )
            )
        values = np.array([np.nan if pd.isna(text) else read.values[text] for text in texts])
        if read.how:
            remarks.append(f"Column {name!r}: {read.how}.")
    if np.isinf(values).any():
        raise InputError(say_infinite([name], "Replace them by numbers, or clear these cells."))
    return values, remarks + say_moved(known, values)


def _without_gaps(X: pd.DataFrame, card: AnyCard) -> tuple[BoolArray, list[str]]:
    """Return the rows that the model can predict, and what it makes of missing values."""
    gaps, remarks = X.isna().to_numpy(), []
    # Only a model that was developed with gaps knows how to fill one.
    fills = np.array([isinstance(c, CategoricalColumn) or card.fills_gaps for c in card.columns])
    kept: BoolArray = ~(gaps & ~fills).any(axis=1)
    for column, empty, is_filled_in in zip(card.columns, gaps[kept].T, fills, strict=True):
        if is_filled_in and empty.any() and not column.n_missing:
            remarks.append(
                f"{column.name!r} is missing in {counted(int(empty.sum()), 'row')}, and never "
                "was in development: the model has not learned what that means."
            )
    if not kept.all():
        remarks.append(
            f"Left out: {counted(int((~kept).sum()), 'row')} with missing values, which the model "
            "cannot fill, because development had none."
        )
    return kept, remarks


def say_moved(column: NumericColumn, values: FloatArray) -> list[str]:
    """Say whether a column seems to be in other units than in development."""
    known = values[~np.isnan(values)]
    if not known.size:
        return []
    old, new = float(column.median), float(np.median(known))
    inside = column.q05 <= new <= column.q95
    if inside or old * new <= 0 or 1 / FACTOR <= new / old <= FACTOR:
        return []
    return [
        f"The median of {column.name!r} is {new:.4g}; in development it was {old:.4g}. Check "
        "that it is in the same units."
    ]
