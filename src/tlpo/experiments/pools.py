"""Large tables that samples are drawn from: the user's own, or scikit-learn's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.experiments.grid import FRACTIONS, N_UNITS
from tlpo.experiments.paper import Pool
from tlpo.problem.labels import label_array, name_classes
from tlpo.tables.read import read_table


def breast_cancer() -> Pool:
    """Return scikit-learn's 569 patients, malignant being positive."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return Pool("breast-cancer", np.asarray(X, dtype=float), np.asarray(y == 0))


def read_pool(path: Path, target: str | None, positive: str | None) -> Pool:
    """Read a pool from any file that `read_table` can read; labels are compared as text."""
    table = read_table(str(path))
    if target is None or target not in table.columns:
        raise InputError(
            explain(
                "The pool needs a target column.",
                f"You passed {arg('target', target)}; there are "
                f"{enumerate_briefly(table.columns)}.",
                f"Pass one of these, for example {arg('target', str(table.columns[-1]))}.",
            )
        )
    features = table.drop(columns=target).select_dtypes(["number", "bool"])
    whole = features.notna().all(axis=1) & table[target].notna()
    if features.shape[1] == 0 or not whole.any():
        raise InputError(
            explain(
                "The pool has no numeric features.",
                f"You passed {len(table)} rows with {features.shape[1]} numeric columns, "
                f"{int(whole.sum())} of them without missing values.",
                "Pass a table with numeric columns, and rows without missing values.",
            )
        )
    labels = name_classes(label_array(table.loc[whole, target].astype(str)), positive, None)
    return _require_large(
        Pool(path.stem, features[whole].to_numpy(float), labels.is_positive), labels.count
    )


def _require_large(pool: Pool, count: Any) -> Pool:
    p = round(N_UNITS * max(FRACTIONS))
    n = N_UNITS - round(N_UNITS * min(FRACTIONS))
    n_positive = int(np.count_nonzero(pool.y))
    if n_positive <= p or pool.y.size - n_positive <= n:
        raise InputError(
            explain(
                f"The pool is too small: samples take up to {p} positives and {n} negatives, and "
                "others must be left to test on.",
                f"You passed {count}.",
                "Pass a larger table; the paper's pool has 85 876 units.",
            )
        )
    return pool
