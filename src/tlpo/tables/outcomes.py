"""What the column of the outcome holds: two classes, a number cut into two, numbers or grades."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.plurals import counted
from tlpo.problem.ordered import read_ordered
from tlpo.problem.outcome import Ordered
from tlpo.tables.columns import as_text, is_filled, kinds_of, require_column, to_numbers
from tlpo.tables.options import MOST_CLASSES, Specification
from tlpo.tables.spelling import fold

if TYPE_CHECKING:
    import pandas as pd

_MARK = re.compile(r">=|<=|≥|≤|>|<")
_LIMIT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_OPPOSITE = {">=": "<", "<": ">=", "<=": ">", ">": "<="}


class Target(NamedTuple):
    """The column of the outcome and, if it is to be cut into two classes, where.

    Attributes
    ----------
    column : str
        Its name.
    mark, limit : str
        ``">="``, ``"<="``, ``">"`` or ``"<"`` and a number, of the positive class; or empty.
    """

    column: str
    mark: str = ""
    limit: str = ""

    @property
    def labels(self) -> tuple[str, str]:
        """The positive and the negative label of a number that is cut."""
        return f"{self.mark} {self.limit}", f"{_OPPOSITE[self.mark]} {self.limit}"


def find_target(table: pd.DataFrame, target: str) -> Target:
    """Return the column that is meant: a name, or a condition such as ``"loss >= 5"``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"loss": [1.0], "age > 60": ["yes"]})
    >>> find_target(table, "loss >= 5"), find_target(table, "age > 60").mark
    (Target(column='loss', mark='>=', limit='5'), '')
    """
    cut = _find_cut(table, target)
    if cut is None:
        require_column(table, target)
        return Target(target)
    return cut


def _find_cut(table: pd.DataFrame, target: str) -> Target | None:
    if target in table.columns:
        return None
    # A mark may be part of a name; the last that follows a name of a column is the cut.
    for mark in reversed(list(_MARK.finditer(target))):
        column, limit = target[: mark.start()].strip(), target[mark.end() :].strip()
        if column in table.columns:
            _require_limit(target, limit)
            return Target(column, {"≥": ">=", "≤": "<="}.get(mark[0], mark[0]), limit)
    return None


def require_cut(target: Target, spec: Specification) -> None:
    """Refuse what a number that is cut into two classes cannot be as well."""
    asked = {"ordered": spec.ordered, "order": spec.order, "classes": spec.classes}
    also = next((name for name, value in asked.items() if value), None)
    if target.mark and also is not None:
        raise InputError(
            explain(
                "A number that is cut is two classes already.",
                f"You passed {arg('target', spec.target)} and {arg(also)}.",
                f"Leave out the limit, or {arg(also)}.",
            )
        )


def _require_limit(target: str, limit: str) -> None:
    if _LIMIT.fullmatch(limit) is None:
        written = limit.replace(",", ".")
        number = written if _LIMIT.fullmatch(written) else "5"
        raise InputError(
            explain(
                "The limit must be a number with a decimal point.",
                f"You passed {arg('target', target)}.",
                f"For example {arg('target', f'{target.removesuffix(limit)}{number}')}.",
            )
        )


def cut_in_two(column: pd.Series, target: Target, filled: BoolArray) -> Any:
    """Return the label of every row of a number that is cut; that of empty rows means nothing."""
    values = as_numbers(column, filled)
    if values is None:
        raise InputError(
            explain(
                "Only a column of numbers can be cut into two classes.",
                f"You passed {arg('target', f'{target.column} {target.labels[0]}')}; "
                f"{target.column!r} holds "
                f"{enumerate_briefly(sorted(set(as_text(column[filled]).tolist())))}.",
                "Name the column alone, or choose another.",
            )
        )
    limit = float(target.limit)
    with np.errstate(invalid="ignore"):
        is_positive = {
            ">=": values >= limit,
            ">": values > limit,
            "<=": values <= limit,
            "<": values < limit,
        }[target.mark]
    positive, negative = target.labels
    return np.where(is_positive, positive, negative).astype(object).astype(str)


def add_cut(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """Add the labels of a number that a target cuts, as a column that is called so."""
    cut = _find_cut(table, target)
    if cut is None:
        return table
    column = table[cut.column]
    filled = is_filled(column)
    labels = cut_in_two(column, cut, filled).astype(object)
    labels[~filled] = None
    added = table.assign(**{target: labels})
    added.attrs = table.attrs
    return added


def read_order(column: pd.Series, filled: BoolArray, spec: Specification) -> Ordered | None:
    """Return numbers or grades of the filled rows, or None if the outcome is classes.

    Numbers with many values are ordered without being asked, unless two classes were asked for.
    """
    if spec.order:
        return _read_grades(as_text(column[filled]), list(spec.order), spec)
    asks_for_classes = spec.positive is not None or bool(spec.classes)
    if asks_for_classes and not spec.ordered:
        return None
    categories = getattr(column.dtype, "categories", None)
    if categories is not None:
        if not spec.ordered:
            return None
        if getattr(column.dtype, "ordered", False):
            names = [str(name).strip() for name in categories]
            return _read_grades(as_text(column[filled]), names, spec)
    values = as_numbers(column, filled)
    if values is not None and (spec.ordered or np.unique(values[filled]).size > MOST_CLASSES):
        require_different(values[filled], spec)
        return read_ordered(values[filled], True, None)
    kept = column[filled]
    kind, why = kinds_of(kept.to_frame(), [kept.name])[kept.name]  # type: ignore[list-item, index]
    is_meant = kind in ("date", "mixed") and len(set(as_text(kept).tolist())) > MOST_CLASSES
    if spec.ordered or (is_meant and values is None):
        raise InputError(_say_no_numbers(as_text(kept), kind, why, spec))
    return None


def require_different(y: Any, spec: Specification) -> None:
    """Refuse an outcome that is the same for everybody."""
    if len(set(y.tolist())) < 2:
        raise InputError(
            explain(
                "The outcome must have at least two different values.",
                f"You passed {arg('target', spec.target)}, which is the same in all "
                f"{counted(len(y), 'row')} that are used.",
                "Choose another column.",
            )
        )


def _read_grades(texts: Any, order: list[str], spec: Specification) -> Ordered:
    spelled = {fold(grade): grade for grade in order}
    if len(spelled) == len(order):  # case and spaces tell no grades apart
        texts = np.array([spelled.get(fold(text), text) for text in texts.tolist()])
    unknown = sorted(set(texts.tolist()) - set(order))
    if spec.order and unknown:
        raise InputError(
            explain(
                f"{arg('order')} must name every grade of the outcome.",
                f"You passed {arg('order', order)}; {spec.target!r} also holds "
                f"{enumerate_briefly(unknown)}.",
                "Add what is missing, spelled as it is in the table, from lowest to highest.",
            )
        )
    require_different(texts, spec)
    return read_ordered(texts, order, None)


def _say_no_numbers(texts: Any, kind: str, why: str, spec: Specification) -> str:
    """Explain why an outcome is no number, although it was said to be one or looks like one."""
    passed = f"You passed {arg('target', spec.target)}"
    if kind == "date":
        return explain(
            "The outcome has dates, not numbers.",
            f"{passed}, which holds {enumerate_briefly(texts.tolist(), 2)}.",
            "Turn them into numbers, such as the days since a fixed date.",
        )
    if kind == "mixed":
        what, found, _ = why.split("\n")
        return explain(what, found, "Replace the text by numbers, or clear these cells.")
    names = sorted(set(texts.tolist()))
    if len(names) > MOST_CLASSES:
        return explain(
            "The outcome has texts, and too many of them for grades.",
            f"{passed}, which holds {enumerate_briefly(names)}.",
            "Write numbers only, without a unit, or choose another column.",
        )
    return explain(
        "The outcome has names, and nothing says which of them is higher.",
        f"{passed}, which holds {enumerate_briefly(names)}.",
        f"Name them from lowest to highest, for example {arg('order', names)}.",
    )


def say_order(outcome: Ordered, column: str, asked: bool) -> str:
    """Say how an ordered outcome was understood."""
    if outcome.grades is not None:
        present = [outcome.grades[int(k)] for k in np.unique(outcome.y)]
        return f"The outcome is {column!r}, a grade: {' < '.join(map(str, present))}."
    text = (
        f"The outcome is {column!r}, a number from {outcome.y.min():.6g} to "
        f"{outcome.y.max():.6g}: of two patients, the one with the larger should rank higher."
    )
    if asked:
        return text
    # A value that occurs, and not the lowest: some patients are below.
    above = np.unique(outcome.y)[1:]
    middle = float(above[np.abs(above - np.median(outcome.y)).argmin()])
    return f"{text} For two classes, name a limit as well: {f'{column} >= {middle:.12g}'!r}."


def as_numbers(column: pd.Series, filled: BoolArray) -> FloatArray | None:
    """Return a column as numbers, NaN where it is empty; None if it holds anything else."""
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return None
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return None
    kept = column[filled]
    kind, _ = kinds_of(kept.to_frame(), [column.name])[column.name]  # type: ignore[list-item, index]
    if kind != "written":
        return None
    values = np.full(len(column), np.nan)
    values[filled] = to_numbers(kept).to_numpy()
    return values
