"""What the column of the outcome holds: two classes, a number cut into two, numbers or grades."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.ordered import read_ordered
from tlpo.problem.outcome import Ordered
from tlpo.tables.columns import as_text, kinds_of, require_column, to_numbers
from tlpo.tables.options import Specification

if TYPE_CHECKING:
    import pandas as pd

# A number with more values than this is not a code for two classes or a few grades.
MOST_CODES = 10
_CUT = re.compile(r"(.+?)\s*(>=|<=|≥|≤|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
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
    cut = None if target in table.columns else _CUT.fullmatch(target)
    if cut is not None and cut[1] in table.columns:
        mark = {"≥": ">=", "≤": "<="}.get(cut[2], cut[2])
        return Target(cut[1], mark, cut[3])
    require_column(table, target)
    return Target(target)


def cut_in_two(column: pd.Series, target: Target, filled: BoolArray) -> Any:
    """Return the label of every row of a number that is cut; that of empty rows means nothing."""
    values = _as_numbers(column, filled)
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


def read_order(column: pd.Series, filled: BoolArray, spec: Specification) -> Ordered | None:
    """Return numbers or grades of the filled rows, or None if the outcome is classes.

    Numbers with many values are ordered without being asked, unless two classes were asked for.
    """
    if spec.order:
        return read_ordered(as_text(column[filled]), list(spec.order), None)
    asks_for_classes = spec.positive is not None or bool(spec.classes)
    if asks_for_classes and not spec.ordered:
        return None
    categories = getattr(column.dtype, "categories", None)
    if categories is not None:
        if not spec.ordered:
            return None
        if getattr(column.dtype, "ordered", False):
            names = [str(name).strip() for name in categories]
            return read_ordered(as_text(column[filled]), names, None)
    values = _as_numbers(column, filled)
    if values is not None and (spec.ordered or np.unique(values[filled]).size > MOST_CODES):
        return read_ordered(values[filled], True, None)
    if spec.ordered:
        names = sorted(set(as_text(column[filled]).tolist()))
        raise InputError(
            explain(
                "The outcome has names, and nothing says which of them is higher.",
                f"You passed {arg('target', spec.target)}, which holds {enumerate_briefly(names)}.",
                f"Name them from lowest to highest, for example {arg('order', names[:4])}.",
            )
        )
    return None


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
    middle = f"{column} >= {float(np.median(outcome.y)):.3g}"
    return f"{text} For two classes, name a limit as well: {middle!r}."


def _as_numbers(column: pd.Series, filled: BoolArray) -> FloatArray | None:
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
