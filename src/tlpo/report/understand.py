"""Understand a table: which column is the outcome, which are features, which rows are left out."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.problem.labels import Labels, label_array, name_classes
from tlpo.report.columns import kind_of
from tlpo.report.options import Question

if TYPE_CHECKING:
    import pandas as pd

NEGATIVE = {"no", "n", "healthy", "control", "negative", "benign", "normal", "absent", "false", "0"}
SORTED = "the second of two labels in alphabetical order"


@dataclass(frozen=True, eq=False)
class Sample:
    """A table, understood.

    Attributes
    ----------
    question : Question
        What was asked.
    X : pandas.DataFrame
        Features as they are in the file; models prepare them inside every fit.
    y : ndarray
        The outcome as text.
    labels : Labels
        Which label is positive.
    groups : ndarray or None
        Which rows belong together.
    ids : pandas.DataFrame
        Row number in the file, identifiers and group of every patient.
    numeric, categorical : list of str
        Features by kind.
    n_read : int
        Rows read.
    n_without_target : int
        Rows left out because they have no outcome.
    n_incomplete : int
        Rows with missing values among their features.
    n_dropped : int
        Rows left out because of missing values.
    n_missing_cells : int
        Missing values among the features that remain.
    n_duplicates : int
        Rows with the same features as an earlier row.
    chosen_by : str
        Why the positive label is positive.
    notes : list of str
        How the columns were understood, for the reader of the report.
    """

    question: Question
    X: pd.DataFrame
    y: Any
    labels: Labels
    groups: Any
    ids: pd.DataFrame
    numeric: list[str]
    categorical: list[str]
    n_read: int
    n_without_target: int
    n_incomplete: int
    n_dropped: int
    n_missing_cells: int
    n_duplicates: int
    chosen_by: str
    notes: list[str]

    @property
    def unit(self) -> str:
        """What a row is called: a patient, unless rows are grouped, and then just a row."""
        return "patient" if self.question.group is None else "row"


def understand(table: pd.DataFrame, question: Question) -> Sample:
    """Tell outcome, groups and features of a table apart."""
    target, group, features = question.target, question.group, question.features
    for name in (target, *features, *question.drop, *([] if group is None else [group])):
        _require_column(table, name)
    if group is not None and group in table.attrs.get("padded", ()):
        raise InputError(
            explain(
                "Some groups differ only in how a number is written.",
                f"You passed group={group!r}, where a number stands with leading zeros and "
                "without.",
                "If they are one group, write it in one way; if not, add a letter to one.",
            )
        )
    n_read = len(table)
    has_target = _is_filled(table[target])
    if not has_target.any():
        raise InputError(
            explain(
                "The target column is empty.",
                f"You passed target={target!r}, which is empty in all {n_read} rows.",
                "Choose another column.",
            )
        )
    chosen = [c for c in (features or table.columns) if c not in (target, group, *question.drop)]
    # Judged on the whole table: what remains after leaving rows out has gaps in its numbering.
    kinds = {name: kind_of(table[name], asked=bool(features)) for name in chosen}
    ids = _identifiers(table, question, kinds)
    ids = ids.loc[has_target].reset_index(drop=True)
    table = table.loc[has_target].reset_index(drop=True)
    y = _as_text(table[target])
    positive, chosen_by = _positive(table[target], y, question.positive)
    _classes(y, positive, target)  # before anything about features: this is the graver mistake
    numeric = [name for name, (kind, _) in kinds.items() if kind == "numeric"]
    categorical = [name for name, (kind, _) in kinds.items() if kind == "categorical"]
    unused = [
        f"Column {name!r} was not used: {why}."
        for name, (kind, why) in kinds.items()
        if kind not in ("numeric", "categorical")
    ]
    if not numeric and not categorical:
        raise InputError(
            explain(
                "No features are left.",
                " ".join(unused) or f"You passed the columns {enumerate_briefly(table.columns)}.",
                "Add columns, or name those to use, for example features=['age', 'marker'].",
            )
        )
    X = _feature_table(table, numeric, categorical)
    gaps = X.isna()
    incomplete = gaps.any(axis=1).to_numpy()
    kept = ~incomplete if question.missing == "drop" else np.ones(len(X), dtype=bool)
    if not kept.any():
        raise InputError(
            explain(
                "Every row has a missing value.",
                f"You passed missing='drop' for {len(X)} rows.",
                "Use missing='impute', or leave out columns that have gaps, for example "
                f"drop={[str(gaps.sum().idxmax())]!r}.",
            )
        )
    X, y = X.loc[kept].reset_index(drop=True), y[kept]
    labels = _classes(y, positive, target)
    groups = None if group is None else _groups(table[group], group)[kept]
    notes = [
        f"The outcome is {target!r}. {labels.positive!r} counts as positive ({chosen_by}), "
        f"{labels.negative!r} as negative.",
        f"Numeric features: {', '.join(numeric) or 'none'}.",
        f"Categorical features: {', '.join(categorical) or 'none'}.",
        *unused,
    ]
    if groups is not None:
        notes.append(
            f"Rows with the same {group!r} are left out of training together "
            f"({len(set(groups))} groups)."
        )
    return Sample(
        question=question,
        X=X,
        y=y,
        labels=labels,
        groups=groups,
        ids=ids.loc[kept].reset_index(drop=True),
        numeric=numeric,
        categorical=categorical,
        n_read=n_read,
        n_without_target=int((~has_target).sum()),
        n_incomplete=int(incomplete.sum()),
        n_dropped=int((~kept).sum()),
        n_missing_cells=int(gaps.loc[kept].to_numpy().sum()),
        n_duplicates=int(X.duplicated().sum()),
        chosen_by=chosen_by,
        notes=notes,
    )


def _is_filled(column: pd.Series) -> BoolArray:
    blank = column.map(lambda v: isinstance(v, str) and not v.strip())
    return np.asarray(column.notna().to_numpy() & ~blank.to_numpy(bool))


def _identifiers(
    table: pd.DataFrame, question: Question, kinds: dict[str, tuple[str, str]]
) -> pd.DataFrame:
    """Return what tells the rows of a file apart: their numbers, identifiers and groups."""
    named = {name: kinds.get(name) or kind_of(table[name], False) for name in table.columns}
    ids = table[
        [c for c, (kind, _) in named.items() if kind == "identifier" and c != question.target]
    ].copy()
    if question.group is not None:
        ids = ids.assign(**{question.group: table[question.group]})
    if "row" not in ids:
        ids.insert(0, "row", np.arange(1, len(table) + 1))
    return ids


def _feature_table(table: pd.DataFrame, numeric: list[str], categorical: list[str]) -> pd.DataFrame:
    X = table[numeric + categorical].copy()
    for name in numeric:
        X[name] = X[name].astype(float)
    for name in categorical:
        X[name] = _as_objects(X[name])
    infinite = np.isinf(X[numeric].to_numpy(float))
    if infinite.any():
        where = [numeric[k] for k in np.flatnonzero(infinite.any(axis=0))]
        raise InputError(
            explain(
                "Features must be finite numbers.",
                f"You passed infinite values in {enumerate_briefly(where)}.",
                f"Replace them, or leave these columns out with drop={where!r}.",
            )
        )
    return X


def _groups(column: pd.Series, name: str) -> Any:
    if column.isna().any():
        raise InputError(
            explain(
                "The group column has gaps.",
                f"You passed group={name!r}; {int(column.isna().sum())} rows have none.",
                "Give every row a group, one of its own if it belongs with no other.",
            )
        )
    return _as_text(column)


def _positive(column: pd.Series, y: Any, positive: str | None) -> tuple[str | None, str]:
    """Choose the positive label unless it was given, and say why."""
    import pandas as pd

    if positive is not None:
        return positive, "as requested"
    names = sorted(set(y.tolist()))
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered and len(names) == 2:
        present = [str(c).strip() for c in column.cat.categories if str(c).strip() in names]
        return present[-1], "the label with the higher code"
    negative = [name for name in names if name.lower() in NEGATIVE]
    if len(names) == 2 and len(negative) == 1:
        (other,) = set(names) - set(negative)
        return other, f"{negative[0]!r} reads as negative"
    return (names[1] if len(names) == 2 else None), SORTED


def _classes(y: Any, positive: str | None, target: str) -> Labels:
    names = sorted(set(y.tolist()))
    if len(names) != 2:
        raise InputError(
            explain(
                "The target must have exactly two labels.",
                f"You passed target={target!r} with {len(names)}: {enumerate_briefly(names)}.",
                "Choose another column, or keep the rows with two of the labels.",
            )
        )
    if positive is not None and positive not in names:
        near = get_close_matches(positive, names, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            explain(
                "The positive label does not occur in the target column.",
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
