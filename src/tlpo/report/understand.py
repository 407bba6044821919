"""Understand a table: what is the target, what are features, what is left out and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.problem.labels import Labels, label_array, name_classes

if TYPE_CHECKING:
    import pandas as pd

# A text column with more different values than this is not one-hot encoded.
MOST_LEVELS = 20
# A text column of which so many cells are numbers was meant to be numbers.
MOSTLY = 0.8
IDENTIFIERS = {"id", "nr", "no", "number", "patient", "subject", "case", "mrn", "record", "index"}
NEGATIVE = {"no", "n", "healthy", "control", "negative", "benign", "normal", "absent", "false", "0"}
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*")


@dataclass(frozen=True, eq=False)
class Sample:
    """A table, understood.

    Attributes
    ----------
    X : pandas.DataFrame
        Features as they are in the file; models prepare them inside every fit.
    y : ndarray
        The target as text.
    labels : Labels
        Which label is positive, and why the other is not.
    groups : ndarray or None
        Which units belong together.
    ids : pandas.DataFrame
        Row of the file, identifiers and group of every unit.
    numeric, categorical : list of str
        Kinds of features.
    n_read, n_without_target, n_incomplete : int
        Rows read, dropped for lack of a target, dropped or imputed for missing cells.
    n_missing_cells : int
        Missing cells of the features that are left.
    n_duplicates : int
        Rows whose features are those of an earlier row.
    chosen_by : str
        Why the positive label is positive.
    notes : list of str
        What was taken for what.
    """

    X: pd.DataFrame
    y: Any
    labels: Labels
    groups: Any
    ids: Any
    numeric: list[str]
    categorical: list[str]
    target: str
    group: str | None
    n_read: int
    n_without_target: int
    n_incomplete: int
    n_dropped: int
    n_missing_cells: int
    n_duplicates: int
    chosen_by: str
    notes: list[str] = field(default_factory=list)


def understand(
    table: pd.DataFrame,
    target: str,
    *,
    positive: str | None = None,
    features: Sequence[str] = (),
    drop: Sequence[str] = (),
    group: str | None = None,
    missing: str = "impute",
) -> Sample:
    """Tell target, groups and features apart."""
    notes: list[str] = []
    for name in (target, *features, *drop, *([] if group is None else [group])):
        _require_column(table, name)
    n_read = len(table)
    blank = table[target].map(lambda v: isinstance(v, str) and not v.strip())
    has_target = table[target].notna().to_numpy() & ~blank.to_numpy(bool)
    chosen = [c for c in (features or table.columns) if c not in (target, group, *drop)]
    # Judged on the whole table: what is left after dropping rows has holes.
    kinds = {name: _kind(table[name], asked=bool(features)) for name in chosen}
    named = {name: kinds.get(name) or _kind(table[name], False) for name in table.columns}
    ids = table[[c for c, (kind, _) in named.items() if kind == "identifier" and c != target]]
    ids = ids.assign(**({} if group is None else {group: table[group]}))
    if "row" not in ids:
        ids.insert(0, "row", np.arange(1, n_read + 1))
    ids = ids.loc[has_target].reset_index(drop=True)
    table = table.loc[has_target].reset_index(drop=True)
    if not len(table):
        raise InputError(
            explain(
                "No row has a target.",
                f"You passed target={target!r}, which is empty in all {n_read} rows.",
                "Choose another column.",
            )
        )
    y = _as_text(table[target])
    asked = positive
    positive, chosen_by = _positive(table[target], y, positive)
    labels = _classes(y, positive, target)
    numeric, categorical = list[str](), list[str]()
    for name in chosen:
        kind, why = kinds[name]
        if kind == "numeric":
            numeric.append(name)
        elif kind == "categorical":
            categorical.append(name)
        else:
            notes.append(f"Column {name!r} is left out: {why}.")
    if not numeric and not categorical:
        raise InputError(
            explain(
                "No feature is left.",
                " ".join(notes) or f"You passed the columns {enumerate_briefly(table.columns)}.",
                "Name features with --features, or add columns.",
            )
        )
    X = table[numeric + categorical].copy()
    for name in numeric:
        X[name] = X[name].astype(float)
    for name in categorical:
        X[name] = _as_objects(X[name])
    gaps = X.isna()
    infinite = np.isinf(X[numeric].to_numpy(float))
    if infinite.any():
        where = [numeric[k] for k in np.flatnonzero(infinite.any(axis=0))]
        raise InputError(
            explain(
                "Features must be finite numbers.",
                f"You passed infinite values in {enumerate_briefly(where)}.",
                "Replace them, or leave the column out with --drop.",
            )
        )
    incomplete = gaps.any(axis=1).to_numpy()
    kept = ~incomplete if missing == "drop" else np.ones(len(X), dtype=bool)
    if not kept.any():
        raise InputError(
            explain(
                "Every row has a missing cell.",
                f"You passed missing='drop' for {len(X)} rows.",
                "Use --missing impute, or leave out the columns with gaps by --drop.",
            )
        )
    X, y = X.loc[kept].reset_index(drop=True), y[kept]
    labels = _classes(y, positive, target)
    notes.insert(
        0,
        f"Target {target!r}; positive is {labels.positive!r} ({chosen_by}), the other is "
        f"{labels.negative!r}.",
    )
    notes.insert(1, f"Numeric features: {', '.join(numeric) or 'none'}.")
    notes.insert(2, f"Categorical features: {', '.join(categorical) or 'none'}.")
    n_duplicates = int(X.duplicated().sum())
    groups = None
    if group is not None:
        if table[group].isna().any():
            raise InputError(
                explain(
                    "The group column has gaps.",
                    f"You passed group={group!r}; {int(table[group].isna().sum())} rows have none.",
                    "Give every row a group, its own if it belongs with no other.",
                )
            )
        groups = _as_text(table[group])[kept]
        notes.append(f"{len(set(groups))} groups in {group!r} are left out of training together.")
    return Sample(
        X=X,
        y=y,
        labels=labels,
        groups=groups,
        ids=ids.loc[kept].reset_index(drop=True),
        numeric=numeric,
        categorical=categorical,
        target=target,
        group=group,
        n_read=n_read,
        n_without_target=int((~has_target).sum()),
        n_incomplete=int(incomplete.sum()),
        n_dropped=int((~kept).sum()),
        n_missing_cells=int(gaps.loc[kept].to_numpy().sum()),
        n_duplicates=n_duplicates,
        chosen_by="asked for" if asked is not None else chosen_by,
        notes=notes,
    )


def _kind(column: pd.Series, asked: bool) -> tuple[str, str]:
    """Tell what a column is, and why it is no feature if it is none."""
    import pandas as pd

    filled = column.dropna()
    if filled.nunique() <= 1:
        return "constant", "it is constant" if len(filled) else "it is empty"
    if pd.api.types.is_datetime64_any_dtype(column):
        return "date", "it holds dates; make numbers of them, such as an age"
    if pd.api.types.is_bool_dtype(filled) or filled.map(lambda v: isinstance(v, bool)).all():
        return "numeric", ""
    unique = filled.nunique() == len(filled)
    named = bool(IDENTIFIERS & set(_words(str(column.name))))
    if pd.api.types.is_numeric_dtype(column):
        whole = bool((filled % 1 == 0).all())
        in_order = unique and bool((filled.diff().dropna() > 0).all())
        if whole and not asked and ((unique and named) or in_order):
            return "identifier", "its values are all different, so it looks like an identifier"
        if whole and named and not asked:
            return "identifier", f"it looks like an identifier; try --group {column.name!r}"
        return "numeric", ""
    texts = filled.astype(str).str.strip()
    if texts.map(lambda v: bool(_DATE.fullmatch(v))).mean() >= MOSTLY:
        return "date", "it holds dates; make numbers of them, such as an age"
    numbers = pd.to_numeric(texts, errors="coerce").notna()
    if MOSTLY <= numbers.mean() < 1 and not isinstance(column.dtype, pd.CategoricalDtype):
        odd = texts[~numbers].unique()
        raise InputError(
            explain(
                f"Column {column.name!r} mixes numbers and text.",
                f"You passed {enumerate_briefly(odd)} among {int(numbers.sum())} numbers.",
                f"Replace these by numbers or leave them empty, or use --drop {column.name!r}.",
            )
        )
    levels = texts.nunique()
    if levels == len(column):
        return "identifier", "its values are all different, so it looks like an identifier"
    if named and levels > 2:
        return "identifier", f"it looks like an identifier; try --group {column.name!r}"
    if levels > MOST_LEVELS:
        return "text", f"it has {levels} different values, more than {MOST_LEVELS}"
    return "categorical", ""


def _words(name: str) -> list[str]:
    """Split a column name: PatientID and patient_id are patient and id."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", name)
    return spaced.lower().split()


def _positive(column: pd.Series, y: Any, positive: str | None) -> tuple[str | None, str]:
    """Choose the positive label if nobody did, and say why."""
    import pandas as pd

    if positive is not None:
        return positive, "as asked"
    names = sorted(set(y.tolist()))
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered and len(names) == 2:
        present = [str(c).strip() for c in column.cat.categories if str(c).strip() in names]
        return present[-1], "the label with the higher code"
    negative = [name for name in names if name.lower() in NEGATIVE]
    if len(names) == 2 and len(negative) == 1:
        (other,) = set(names) - set(negative)
        return other, f"{negative[0]!r} is taken for negative"
    return (names[1] if len(names) == 2 else None), SORTED


SORTED = "the second of two labels in sorted order"


def _classes(y: Any, positive: str | None, target: str) -> Labels:
    names = sorted(set(y.tolist()))
    if len(names) != 2:
        raise InputError(
            explain(
                "The target must have exactly two labels.",
                f"You passed target={target!r} with {len(names)}: {enumerate_briefly(names)}.",
                "Choose another column, or keep the rows of two labels.",
            )
        )
    if positive is not None and positive not in names:
        near = get_close_matches(positive, names, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            explain(
                "The positive label is not in the target.",
                f"You passed positive={positive!r}; the labels are {enumerate_briefly(names)}.",
                f"Pass one of these.{hint}",
            )
        )
    return name_classes(label_array(y), positive, None)


def _as_text(column: pd.Series) -> Any:
    """Return values as text: 1.0 from a column with gaps is the label '1'."""
    values = [int(v) if isinstance(v, float) and v.is_integer() else v for v in column.tolist()]
    return np.array([str(v).strip() for v in values])


def _as_objects(column: pd.Series) -> pd.Series:
    import pandas as pd

    text = [np.nan if pd.isna(v) else str(v).strip() for v in column.tolist()]
    return pd.Series(text, index=column.index, dtype=object)


def _require_column(table: pd.DataFrame, name: str) -> None:
    if name in table.columns:
        return
    names = [str(c) for c in table.columns]
    folded = {c.lower(): c for c in names}
    near = get_close_matches(name.lower(), list(folded), 3, 0.5)
    hint = ", ".join(repr(folded[n]) for n in near)
    raise InputError(
        explain(
            "There is no such column.",
            f"You passed {name!r}; the columns are {enumerate_briefly(names, 12)}.",
            f"Did you mean {hint}?" if near else "Pass one of these.",
        )
    )
