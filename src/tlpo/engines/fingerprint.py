"""What a run depends on, in a few words that a journal can keep and compare."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import numpy as np
import sklearn
from scipy import sparse

from tlpo.arrays import IntArray
from tlpo.exclusion import Buffer
from tlpo.execution.journal import JournalLike, Part, open_part
from tlpo.execution.pairs import all_pairs
from tlpo.problem import Problem


@contextmanager
def journaled(
    journal: JournalLike, task: str, estimator: Any, problem: Problem, **options: Any
) -> Iterator[Part | None]:
    """Open what a journal holds of a run; None without a journal."""
    with open_part(journal, task, lambda: fingerprint(task, estimator, problem, **options)) as part:
        yield part


def fingerprint(
    task: str, estimator: Any, problem: Problem, games: IntArray | None = None, **options: Any
) -> dict[str, Any]:
    """Describe a run: two runs with the same fingerprint have the same result.

    A function that excludes units is known by what it says of the ``games``, by default of all.
    """
    if problem.exclude is not None:
        games = all_pairs(problem.n_units) if games is None else games
        options["exclude"] = _exclusion(problem, games)
    return {
        "task": task,
        "estimator": describe_fully(estimator),
        "X": digest(problem.X),
        "y": digest(problem.y),
        "positive": str(problem.labels.positive),
        "groups": None if problem.groups is None else digest(problem.groups),
        "params": {name: digest(value) for name, value in sorted(problem.params.items())},
        **options,
        "tlpo": version("tlpo"),
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }


def _exclusion(problem: Problem, games: IntArray) -> str:
    exclude = problem.exclude
    assert exclude is not None
    if isinstance(exclude, Buffer):
        return f"within {float(exclude.radius)!r} of {digest(exclude.points)}"
    units = [np.unique(exclude.units(game)) for game in games]
    return digest(np.concatenate([[part.size, *part] for part in units]))


def describe_fully(estimator: Any) -> str:
    """Name an estimator and all of its parameters, those of its parts included."""
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    if not hasattr(estimator, "get_params"):
        return kind
    parts = [f"{k}={_value(v)}" for k, v in sorted(estimator.get_params(deep=True).items())]
    return f"{kind}({', '.join(parts)})"


def digest(value: Any) -> str:
    """Return a few letters that tell data from any other data."""
    found = hashlib.blake2b(digest_size=12)
    if hasattr(value, "to_pandas"):
        value = value.to_pandas()
    if hasattr(value, "iloc"):
        import pandas as pd

        names = list(value.columns) if hasattr(value, "columns") else [value.name]
        found.update(repr(names).encode())
        found.update(pd.util.hash_pandas_object(value, index=False).to_numpy().tobytes())
        return found.hexdigest()
    if sparse.issparse(value):
        matrix: Any = value
        rows = matrix.tocsr()
        for part in (rows.data, rows.indices, rows.indptr):
            found.update(part.tobytes())
        found.update(repr(rows.shape).encode())
        return found.hexdigest()
    if isinstance(value, Mapping):
        return digest([f"{k}={digest(v)}" for k, v in sorted(value.items())])
    array = np.asarray(value)
    found.update(f"{array.dtype} {array.shape}".encode())
    found.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
    return found.hexdigest()


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return digest(value)
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    # Addresses in memory are other ones in every run.
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
