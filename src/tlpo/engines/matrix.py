"""Features as a matrix of doubles, and whether that is what an estimator computes with.

The only place that knows the precision of a container: scikit-learn computes in single precision
on data that are, and an engine that computes in double precision would play other games.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from tlpo.arrays import FloatArray
from tlpo.errors import EngineError

Kind = np.dtype[Any]


def kinds(table: Any) -> set[Kind]:
    """Return the types of the columns of any container, those of extensions by their numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> sorted(kind.name for kind in kinds(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})))
    ['int64', 'object']
    >>> kinds(pd.DataFrame({"a": pd.array([1.0, None], dtype="Float32")}))
    {dtype('float32')}
    """
    dtypes = getattr(table, "dtypes", None)
    if dtypes is not None:  # a dataframe
        return {_kind(dtype) for dtype in dtypes}
    values: Any = table if sparse.issparse(table) else np.asarray(table)
    return {values.dtype}


def _kind(dtype: Any) -> Kind:
    narrow = {"Float16": np.float16, "Float32": np.float32}  # of polars
    own: Any = dtype if isinstance(dtype, np.dtype) else narrow.get(str(dtype), object)
    for name in ("numpy_dtype", "subtype"):  # nullable types and Arrow's; sparse columns
        own = getattr(dtype, name, own)
    categories: Any = getattr(dtype, "categories", None)  # of pandas; those of polars are words
    return _kind(categories.dtype) if hasattr(categories, "dtype") else np.dtype(own)


def is_double(values: Any) -> bool:
    """Return whether no number is of single, half or extended precision."""
    try:
        return all(kind.kind != "f" or kind == np.float64 for kind in kinds(values))
    except ValueError:  # rows of different lengths: nothing to compute with
        return True


def matrix_of(X: Any) -> FloatArray:
    """Return X as a matrix of finite doubles; otherwise raise an error that says why not."""
    require_numbers(X)
    try:
        matrix: npt.NDArray[np.float64] = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EngineError(f"X is not a matrix of numbers: {error}.") from error
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise EngineError("X is not a matrix of numbers.")
    with np.errstate(invalid="ignore", over="ignore"):
        is_finite = np.isfinite(matrix.sum()) or np.isfinite(matrix).all()
    if not is_finite:
        raise EngineError("X has missing or infinite values.")
    return matrix


def shape_of(X: Any) -> tuple[int, ...]:
    """Return the shape of X; rows of different lengths have none, and raise an error."""
    try:
        return tuple(np.shape(X))
    except ValueError as error:
        raise EngineError(f"X is not a matrix of numbers: {error}.") from error


def require_numbers(X: Any) -> None:
    """Leave complex numbers, dates and text to refitting, which refuses or converts them."""
    if isinstance(X, np.matrix):
        raise EngineError("X is a numpy.matrix, which scikit-learn does not take.")
    try:
        found = kinds(X)
    except ValueError as error:  # rows of different lengths
        raise EngineError(f"X is not a matrix of numbers: {error}.") from error
    for kind in found:
        if kind.kind not in "biufO":
            raise EngineError(f"X is not a matrix of numbers, but of type {kind}.")
