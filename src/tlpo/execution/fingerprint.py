"""What a run depends on, in a short form that a journal can store and compare."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import joblib
import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator

from tlpo.arrays import IntArray
from tlpo.games.schedule import all_pairs
from tlpo.problem.exclusion import Buffer
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses
from tlpo.problem.problem import Problem


def fingerprint(
    task: str,
    estimator: Any,
    problem: Problem,
    options: Mapping[str, int | str | bool | None],
    games: IntArray | None = None,
) -> dict[str, Any]:
    """Describe a run: two runs with the same fingerprint have the same result.

    An ``exclude`` function is identified by what it returns for ``games``, by default all pairs.
    """
    excluded: dict[str, str] = {}
    if problem.exclude is not None:
        games = all_pairs(problem.n_units) if games is None else games
        excluded["exclude"] = _describe_exclusion(problem, games)
    return {
        "task": task,
        "estimator": describe_fully(estimator),
        "X": digest(problem.X),
        "y": digest(problem.y),
        **_describe_outcome(problem.outcome),
        "groups": None if problem.groups is None else digest(problem.groups),
        "params": {name: digest(value) for name, value in sorted(problem.params.items())},
        **options,
        **excluded,
        "tlpo": version("tlpo"),
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }


def _describe_outcome(outcome: Outcome) -> dict[str, str]:
    if isinstance(outcome, Classes):
        return {"positive": str(outcome.positive)}
    kinds = {Ordered: "ordered", SeveralClasses: "several classes"}
    return {"outcome": kinds.get(type(outcome), "time to event")}


def _describe_exclusion(problem: Problem, games: IntArray) -> str:
    exclude = problem.exclude
    assert exclude is not None
    if isinstance(exclude, Buffer):
        return f"within {float(exclude.radius)!r} of {digest(exclude.points)}"
    units = [np.unique(exclude.units(game)) for game in games]
    return digest(np.concatenate([[part.size, *part] for part in units]))


def describe_fully(estimator: Any) -> str:
    """Describe an estimator with all its parameters, nested ones included.

    Changes in the code of a class, or of functions that a function calls, are not detected.
    """
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    params = estimator.get_params(deep=False)
    parts = [f"{name}={_value(value)}" for name, value in sorted(params.items())]
    own_clone = getattr(type(estimator), "__sklearn_clone__", None)
    if own_clone not in (None, BaseEstimator.__sklearn_clone__):  # a fitted state may survive
        parts.append(f"state={joblib.hash(vars(estimator))}")
    return f"{kind}({', '.join(parts)})"


def digest(value: Any) -> str:
    """Return a short hash of the data."""
    if hasattr(value, "to_pandas"):
        value = value.to_pandas()
    if hasattr(value, "iloc"):
        return _digest_frame(value)
    if sparse.issparse(value):
        rows: Any = value
        rows = rows.tocsr()
        parts = [part.tobytes() for part in (rows.data, rows.indices, rows.indptr)]
        return _hash(repr((rows.shape, rows.dtype)).encode(), *parts)
    if isinstance(value, Mapping):
        return _hash(_value(dict(value)).encode())
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return _hash(_value(list(value)).encode())
    kind = f"{array.dtype} {array.shape}".encode()
    plain = _value(array.tolist()).encode() if array.dtype == object else array.tobytes()
    return _hash(kind, plain)


def _digest_frame(value: Any) -> str:
    """Hash a table or a column of one: cells, types, names and index."""
    columns = [value.iloc[:, k] for k in range(value.shape[1])] if value.ndim == 2 else [value]
    index = value.index.to_series()
    return _hash(*(part for column in (*columns, index) for part in _describe_column(column)))


def _describe_column(column: Any) -> tuple[bytes, bytes]:
    import pandas as pd

    dtype = column.dtype
    categories = list(getattr(dtype, "categories", []))
    kind = repr((column.name, str(dtype), categories, getattr(dtype, "ordered", None))).encode()
    if getattr(dtype, "hasobject", False):  # pandas would hash 1 and "1" alike
        return kind, _value(column.tolist()).encode()
    try:
        return kind, pd.util.hash_pandas_object(column, index=False).to_numpy().tobytes()
    except TypeError:  # a kind of column that pandas cannot hash
        return kind, joblib.hash(column).encode()


def _hash(*parts: bytes) -> str:
    hasher = hashlib.blake2b(digest_size=12)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little") + part)
    return hasher.hexdigest()


def _value(value: Any) -> str:
    """Describe a parameter: the same in every process, different for different values."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if isinstance(value, np.ndarray) or sparse.issparse(value) or hasattr(value, "iloc"):
        return digest(value)
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{_value(k)}: {_value(v)}" for k, v in value.items())) + "}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(_value(part) for part in value)})"
    if isinstance(value, set | frozenset):
        return f"set({', '.join(sorted(_value(part) for part in value))})"
    if isinstance(value, np.random.RandomState):
        return f"RandomState({_value(value.get_state(legacy=False))})"
    if isinstance(value, np.random.Generator):
        return f"Generator({_value(value.bit_generator.state)})"
    if isinstance(value, partial):
        return f"partial({_value(value.func)}, {_value(value.args)}, {_value(value.keywords)})"
    if isinstance(value, MethodType):
        return f"{_value(value.__func__)} of {_value(value.__self__)}"
    if isinstance(value, FunctionType):
        return _describe_function(value)
    if isinstance(value, type | np.ufunc | BuiltinFunctionType):
        module = getattr(value, "__module__", None)  # universal functions of SciPy have none
        return f"{module}.{getattr(value, '__qualname__', value.__name__)}"
    if hasattr(value, "get_params"):
        return describe_fully(value)
    try:
        return f"{type(value).__qualname__}:{joblib.hash(value)}"
    except Exception:  # anything that cannot be pickled
        # Memory addresses differ between runs.
        return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def _describe_function(function: FunctionType) -> str:
    """Describe a function by its name, its code, its defaults and its closure."""

    def code(of: CodeType) -> str:
        constants = [code(c) if isinstance(c, CodeType) else _value(c) for c in of.co_consts]
        return _hash(of.co_code, repr((of.co_names, constants)).encode())

    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    # A closure may refer to its own function: functions in it are identified by code alone.
    held = [code(cell.__code__) if isinstance(cell, FunctionType) else cell for cell in cells]
    kept = _value([function.__defaults__, function.__kwdefaults__, held])
    return f"{function.__module__}.{function.__qualname__}:{code(function.__code__)}:{kept}"
