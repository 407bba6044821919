"""Understand a table: which column is the outcome, which are features, which rows are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.problem.labels import Labels, label_array, name_classes
from tlpo.report.columns import batches, kinds_of
from tlpo.report.options import Question
from tlpo.report.subgroups import divide

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
    by : dict
        Subgroup of every row, None where it is unknown, by column.
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
    by: dict[str, list[str | None]] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """What a row is called: a patient, unless rows are grouped, and then just a row."""
        return "patient" if self.question.group is None else "row"


def understand(table: pd.DataFrame, question: Question) -> Sample:
    """Tell outcome, groups and features of a table apart."""
    target, group, features = question.target, question.group, question.features
    named = (target, *features, *question.drop, *question.by)
    for name in (*named, *([] if group is None else [group])):
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
    left_out = {target, group, *question.drop}
    chosen = [c for c in (features or table.columns) if c not in left_out]
    # Judged on the whole table: what remains after leaving rows out has gaps in its numbering.
    kinds = kinds_of(table, chosen, asked=bool(features))
    for kind, why in kinds.values():
        if kind == "mixed":
            raise InputError(why)
    y = _as_text(table.loc[has_target, target])
    positive, chosen_by = _positive(table.loc[has_target, target], y, question.positive)
    _classes(y, positive, target)  # before anything about features: this is the graver mistake
    numeric = [name for name, (kind, _) in kinds.items() if kind == "numeric"]
    categorical = [name for name, (kind, _) in kinds.items() if kind == "categorical"]
    unused = _say_unused(kinds)
    if not numeric and not categorical:
        raise InputError(
            explain(
                "No features are left.",
                " ".join(unused) or f"You passed the columns {enumerate_briefly(table.columns)}.",
                "Add columns, or name those to use, for example features=['age', 'marker'].",
            )
        )
    by_row, by_column = _count_gaps(table, numeric + categorical, has_target)
    kept = has_target & (by_row == 0) if question.missing == "drop" else has_target
    if not kept.any():
        worst = (numeric + categorical)[int(by_column.argmax())]
        raise InputError(
            explain(
                "Every row has a missing value.",
                f"You passed missing='drop' for {int(has_target.sum())} rows.",
                "Use missing='impute', or leave out columns that have gaps, for example "
                f"drop={[worst]!r}.",
            )
        )
    y = y[kept[has_target]]
    labels = _classes(y, positive, target)
    groups = None if group is None else _groups(table.loc[has_target, group], group)
    X = _feature_table(table, numeric, categorical, kept)
    notes = [
        f"The outcome is {target!r}. {labels.positive!r} counts as positive ({chosen_by}), "
        f"{labels.negative!r} as negative.",
        *unused,
    ]
    if groups is not None:
        groups = groups[kept[has_target]]
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
        ids=_identifiers(table, question, kinds).loc[kept].reset_index(drop=True),
        numeric=numeric,
        categorical=categorical,
        n_read=n_read,
        n_without_target=int((~has_target).sum()),
        n_incomplete=int((by_row[has_target] > 0).sum()),
        n_dropped=int((has_target & ~kept).sum()),
        n_missing_cells=int(by_row[kept].sum()),
        n_duplicates=_count_duplicates(X, numeric, categorical),
        chosen_by=chosen_by,
        notes=notes,
        by={name: divide(table.loc[kept, name], name) for name in question.by},
    )


def listed(names: Sequence[str], most: int = 20) -> str:
    """List names for a reader; nobody reads 20 000 of them.

    Examples
    --------
    >>> listed(["age", "marker"]), listed([]), listed("abcdef", 3)
    ('age, marker', 'none', 'a, b, c … (6 in all)')
    """
    if not names:
        return "none"
    rest = f" … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _say_unused(kinds: dict[str, tuple[str, str]], most: int = 10) -> list[str]:
    """Say of every column that is no feature why not; of many alike, together."""
    reasons: dict[str, list[str]] = {}
    for name, (kind, why) in kinds.items():
        if kind not in ("numeric", "categorical"):
            reasons.setdefault(why, []).append(name)
    said = []
    for why, names in reasons.items():
        if len(names) > most:
            said.append(
                f"Each of {len(names)} columns, such as {enumerate_briefly(names[:3])}, was not "
                f"used: {why}."
            )
        elif len(names) > 1 and why in ("it is constant", "it is empty"):
            state = why.removeprefix("it is ")
            said.append(
                f"Columns {enumerate_briefly(names, most)} were not used: they are {state}."
            )
        else:
            said += [f"Column {name!r} was not used: {why}." for name in names]
    return said


def _is_filled(column: pd.Series) -> BoolArray:
    blank = column.map(lambda v: isinstance(v, str) and not v.strip())
    return np.asarray(column.notna().to_numpy() & ~blank.to_numpy(bool))


def _identifiers(
    table: pd.DataFrame, question: Question, kinds: dict[str, tuple[str, str]]
) -> pd.DataFrame:
    """Return what tells the rows of a file apart: their numbers, identifiers and groups."""
    kinds = kinds | kinds_of(table, [name for name in table.columns if name not in kinds])
    names = [c for c in table.columns if kinds[c][0] == "identifier" and c != question.target]
    ids = table[names].copy()
    if question.group is not None:
        ids = ids.assign(**{question.group: table[question.group]})
    if "row" not in ids:
        ids.insert(0, "row", np.arange(1, len(table) + 1))
    return ids


def _count_gaps(
    table: pd.DataFrame, names: list[str], rows: BoolArray
) -> tuple[IntArray, IntArray]:
    """Count missing values by row of the table and, over some of the rows, by column."""
    by_row = np.zeros(len(table), dtype=int)
    by_column = []
    for part in batches(names, len(table)):
        gaps = table[part].isna().to_numpy()
        by_row += gaps.sum(axis=1)
        by_column.append(gaps[rows].sum(axis=0))
    return by_row, np.concatenate(by_column)


def _feature_table(
    table: pd.DataFrame, numeric: list[str], categorical: list[str], rows: BoolArray
) -> pd.DataFrame:
    """Copy the features of some rows: numbers into one array, categories as text."""
    import pandas as pd

    numbers = np.empty((int(rows.sum()), len(numeric)))
    stop = 0
    for part in batches(numeric, len(table)):
        start, stop = stop, stop + len(part)
        numbers[:, start:stop] = table[part].to_numpy(float, na_value=np.nan)[rows]
        infinite = np.isinf(numbers[:, start:stop]).any(axis=0)
        if infinite.any():
            where = [part[k] for k in np.flatnonzero(infinite)]
            raise InputError(
                explain(
                    "Features must be finite numbers.",
                    f"You passed infinite values in {enumerate_briefly(where)}.",
                    f"Replace them, or leave these columns out with drop={where[:3]!r}.",
                )
            )
    X = pd.DataFrame(numbers, columns=numeric, copy=False)
    if not categorical:
        return X
    once: dict[str, str] = {}  # each category is kept once, not once per row
    texts = np.empty((len(numbers), len(categorical)), dtype=object)
    stop = 0
    for part in batches(categorical, len(table)):
        start, stop = stop, stop + len(part)
        values = table[part].to_numpy(object)[rows]
        gaps = table[part].isna().to_numpy()[rows]
        cells = zip(values.ravel().tolist(), gaps.ravel().tolist(), strict=True)
        flat = [np.nan if gap else once.setdefault(t := str(v).strip(), t) for v, gap in cells]
        texts[:, start:stop] = np.array(flat, dtype=object).reshape(values.shape)
    # Columns of objects, not of whatever type of text this pandas has.
    return pd.concat([X, pd.DataFrame(texts, columns=categorical, dtype=object)], axis=1)


def _count_duplicates(X: pd.DataFrame, numeric: list[str], categorical: list[str]) -> int:
    """Count rows that equal an earlier one; pandas would number the values of every column."""
    seen = set()
    texts = X[categorical].to_numpy(object)
    numbers = X[numeric].to_numpy(float)
    for row in range(len(X)):
        values = numbers[row] + 0.0  # turns -0.0 into 0.0
        values[np.isnan(values)] = np.nan  # of which there are many kinds
        digest = blake2b(values.tobytes(), digest_size=16)
        digest.update(repr(texts[row].tolist()).encode("utf-8", "surrogatepass"))
        seen.add(digest.digest())
    return len(X) - len(seen)


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

    names = sorted(set(y.tolist()))
    if positive is not None:
        # Whoever sees TRUE in the file writes TRUE, but it is read as True.
        alike = [name for name in names if name.lower() == positive.strip().lower()]
        return alike[0] if len(alike) == 1 else positive, "as requested"
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
