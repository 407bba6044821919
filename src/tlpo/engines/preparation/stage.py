"""What has become of the features before a step of a pipeline, and how steps are read."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from tlpo.arrays import FloatArray
from tlpo.engines.matrix import is_double, kinds
from tlpo.engines.preparation.columns import Columns
from tlpo.engines.preparation.prepared import Guard


class Unknown(Exception):  # noqa: N818
    """A step is not known; the sentence says which, and why."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What has become of the features before a step.

    Attributes
    ----------
    table : Any
        Rows of any kind, the same in every training set; not used if there are columns.
    columns : Columns or None
        Columns that change with the training set.
    guards : tuple of Guard
        When the former is not true.
    is_sparse : bool
        Whether the next step would get a sparse matrix.
    """

    table: Any
    columns: Columns | None = None
    guards: tuple[Guard, ...] = ()
    is_sparse: bool = False

    def as_columns(self) -> Columns:
        """Return the features as columns of numbers."""
        return Columns.of_matrix(numbers(self.table)) if self.columns is None else self.columns

    def fixed(self, step: Any) -> Any:
        """Return the table, or refuse if it changes with the training set."""
        if self.columns is not None:
            raise Unknown(
                f"{name_of(step)} comes after a step that changes with the training set, which has "
                "no closed form."
            )
        return self.table

    def then(self, table: Any, guards: Sequence[Guard] = (), is_sparse: bool = False) -> Stage:
        """Return the next stage, the same in every training set but for guards."""
        return Stage(table, None, (*self.guards, *guards), is_sparse)

    def changed(self, columns: Columns, guards: Sequence[Guard] = ()) -> Stage:
        """Return the next stage, which changes with the training set."""
        return Stage(None, columns, (*self.guards, *guards))


# Parameters of a step that are covered, and what it makes of the features.
Step = tuple[set[str], Callable[[Any, Stage], Stage]]


def numbers(table: Any) -> FloatArray:
    """Return a table as a matrix of doubles, NaN where cells are missing."""
    if not is_double(table):
        raise Unknown("On data in single precision, steps are computed in single precision.")
    try:
        if any(kind.kind not in "biufO" for kind in kinds(table)):
            raise Unknown("The features are not a matrix of numbers.")
        if hasattr(table, "to_numpy") and hasattr(table, "iloc"):
            matrix = table.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            matrix = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Unknown(f"The features are not a matrix of numbers: {error}.") from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise Unknown("The features are not a matrix of numbers.")
    if np.isinf(matrix).any():
        raise Unknown("The features have infinite values.")
    return np.ascontiguousarray(matrix)


def is_numeric(table: Any) -> bool:
    """Return whether all columns are of a type for numbers."""
    return all(kind.kind in "biuf" for kind in kinds(table))


def apply(step: Any, table: Any) -> Any:
    """Let scikit-learn transform a table, once."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # refits would say the same
            return clone(step).fit_transform(table)
    except Exception as error:
        raise Unknown(f"{name_of(step)} fails: {type(error).__name__}.") from error


def require_known(step: Any, parameters: set[str]) -> None:
    """Refuse a step with parameters that are not covered, such as those of later versions."""
    unknown = sorted(set(step.get_params(deep=False)) - parameters)
    if unknown:
        raise Unknown(f"The closed form of {name_of(step)} does not cover its {unknown[0]!r}.")


def name_of(step: Any) -> str:
    """Return the class of a step."""
    return type(step).__name__
