"""Play random pipelines on random, nasty tables without refitting and with it, and compare.

    python -m studies.fuzz --minutes 10 --write

Every game must end alike. A table is made from its number alone, so a difference can be played
again: `python -m studies.fuzz --first 1234 --tables 1`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from studies.marked import DOCS, markdown_table, write_blocks
from tlpo import RLS, GameError, InputError, InverseDistanceKNN, tournament
from tlpo.arrays import FloatArray

PAGE = DOCS / "reliability.md"
KINDS = (
    "plain",
    "duplicates",
    "grades",
    "binary",
    "constant column",
    "nearly constant column",
    "one unit differs",
    "extreme scales",
    "tiny",
    "offset",
    "dependent columns",
    "heavy tails",
)
Random = np.random.Generator


@dataclass
class Count:
    """What an engine played."""

    tables: int = 0
    games: int = 0
    refitted: int = 0
    different: int = 0


def draw_numbers(rng: Random, m: int, y: FloatArray) -> FloatArray:
    """Draw columns of one kind, now and then with missing cells."""
    n = int(
        rng.choice([1, 2, 3, 5, 8, m - 3, m, 2 * m], p=[0.1, 0.2, 0.2, 0.15, 0.05, 0.1, 0.1, 0.1])
    )
    kind = str(rng.choice(KINDS))
    X = rng.normal(size=(m, n)) + y[:, None] * rng.choice([0.0, 0.5, 2.0])
    if kind == "duplicates":
        X[m // 2 :] = X[: m - m // 2]
    elif kind == "grades":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0.5).astype(float)
    elif kind == "constant column":
        X[:, 0] = 3.0
    elif kind == "nearly constant column":
        X[:, 0] = 1.0 + 1e-9 * X[:, 0]
    elif kind == "one unit differs":
        X[:, 0] = 0.0
        X[rng.integers(m), 0] = 1.0
    elif kind == "extreme scales":
        X *= 10.0 ** rng.integers(-8, 9, size=n)
    elif kind == "tiny":
        X *= 1e-8
    elif kind == "offset":
        X += 1e4
    elif kind == "dependent columns":
        X[:, -1] = X[:, 0]
    elif kind == "heavy tails":
        X = rng.standard_t(1.5, size=(m, n))
    if rng.random() < 0.35:
        X[rng.random(X.shape) < rng.choice([0.02, 0.1, 0.3])] = np.nan
    return X


def draw_steps(rng: Random, has_gaps: bool) -> list[Any]:
    """Draw what stands before a model."""
    steps: list[Any] = []
    if has_gaps:
        strategy = str(rng.choice(["mean", "median", "most_frequent", "constant"]))
        steps.append(
            SimpleImputer(
                strategy=strategy,
                fill_value=0.0 if strategy == "constant" else None,
                add_indicator=bool(rng.random() < 0.3),
                keep_empty_features=bool(rng.random() < 0.3),
            )
        )
    if rng.random() < 0.15:
        steps.append(PolynomialFeatures(2, include_bias=bool(rng.random() < 0.5)))
    if rng.random() < 0.1:
        steps.append(VarianceThreshold())
    if rng.random() < 0.1:
        steps.append(FunctionTransformer(np.arcsinh))
    scaler = str(
        rng.choice(["none", "standard", "not centred", "range", "largest", "robust", "rows"])
    )
    steps += {
        "none": [],
        "standard": [StandardScaler()],
        "not centred": [StandardScaler(with_mean=False)],
        "range": [MinMaxScaler(feature_range=(-1, 2))],
        "largest": [MaxAbsScaler()],
        "robust": [RobustScaler()],
        "rows": [Normalizer()],
    }[scaler]
    if rng.random() < 0.1:
        steps.append(SelectKBest(k=1))
    return steps


def draw_model(rng: Random) -> Any:
    """Draw a model that an exact engine plays."""
    alpha = float(rng.choice([1e-6, 1e-2, 1.0, 100.0]))
    weight: Any = [None, "balanced", {1.0: 3.0}][rng.integers(3)]
    k = int(rng.integers(1, 4))
    return rng.choice(
        np.array(
            [
                RLS(alpha),
                Ridge(alpha, fit_intercept=bool(rng.random() < 0.8)),
                RidgeClassifier(alpha, class_weight=weight, fit_intercept=bool(rng.random() < 0.8)),
                KernelRidge(alpha=alpha),
                LinearRegression(),
                LinearDiscriminantAnalysis(),
                RidgeCV(np.logspace(-2, 2, 5)),
                RidgeClassifierCV(np.logspace(-2, 2, 5)),
                KNeighborsClassifier(k, weights=str(rng.choice(["uniform", "distance"]))),
                KNeighborsRegressor(k),
                InverseDistanceKNN(k),
                GaussianNB(),
                LogisticRegression(
                    C=10.0 ** rng.uniform(-3, 3),
                    tol=10.0 ** rng.uniform(-5, -2),
                    max_iter=1000,
                    class_weight=weight,
                    fit_intercept=bool(rng.random() < 0.9),
                ),
            ],
            dtype=object,
        )
    )


def draw_table(number: int) -> tuple[Any, Any, FloatArray, dict[str, Any]]:
    """Return a pipeline, its table, labels and options, all by one number."""
    rng = np.random.default_rng(number)
    m = int(rng.integers(7, 17))
    y = np.zeros(m)
    y[rng.permutation(m)[: rng.integers(3, m - 2)]] = 1.0
    X = draw_numbers(rng, m, y)
    steps, model = draw_steps(rng, bool(np.isnan(X).any())), draw_model(rng)
    options: dict[str, Any] = {}
    if rng.random() < 0.15:
        options["groups"] = rng.integers(0, max(4, m // 2), size=m)
    if rng.random() < 0.2:
        numbers = [f"x{f}" for f in range(X.shape[1])]
        table = pd.DataFrame(X, columns=numbers)
        table["site"] = rng.choice(list("abcdefgh")[: rng.integers(2, 8)], size=m)
        encoder = rng.choice(
            np.array(
                [
                    OneHotEncoder(handle_unknown="ignore"),
                    OneHotEncoder(drop="first", handle_unknown="ignore"),
                    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                ],
                dtype=object,
            )
        )
        before = make_pipeline(*steps) if steps else "passthrough"
        both = ColumnTransformer([("numbers", before, numbers), ("site", encoder, ["site"])])
        return make_pipeline(both, model), table, y, options
    return make_pipeline(*steps, model) if steps else model, X, y, options


def compare(number: int, counts: dict[str, Count]) -> bool:
    """Play a table both ways; return whether every game ended alike."""
    estimator, X, y, options = draw_table(number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            slow = tournament(estimator, X, y, engine="refit", **options)
        except (GameError, InputError):
            counts["cannot be fitted"].tables += 1
            return True
        fast = tournament(estimator, X, y, **options)
    count = counts[fast.engine]
    count.tables += 1
    count.games += fast.standings.n_games
    if fast.engine == "refit":
        return True
    count.refitted += fast.diagnostics.fits - 1
    one, other = fast.win_matrix(), slow.win_matrix()
    assert one is not None
    assert other is not None
    n_different = int(np.count_nonzero((one != other) & ~(np.isnan(one) & np.isnan(other)))) // 2
    count.different += n_different
    if n_different:
        print(
            f"table {number}: {n_different} games differ, {fast.engine}, {estimator!r}", flush=True
        )
    return not n_different


def report(counts: dict[str, Count]) -> str:
    """Return a table of what was played."""
    rows = [
        [name, f"{c.tables:,}", f"{c.games:,}", f"{c.refitted:,}", f"{c.different:,}"]
        for name, c in sorted(counts.items())
        if name not in ("refit", "cannot be fitted")
    ]
    head = ["engine", "tables", "games", "of these refitted", "different"]
    refused, failed = counts["refit"].tables, counts["cannot be fitted"].tables
    return (
        f"{markdown_table(head, rows)}\n\nTables that every engine left to refitting: {refused:,}; "
        f"that could not be fitted at all: {failed:,}."
    )


def main() -> None:
    """Compare until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--tables", type=int, default=sys.maxsize, help="at most")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--write", action="store_true", help="update the table in docs/")
    arguments = parser.parse_args()
    counts: dict[str, Count] = defaultdict(Count)
    until = time.monotonic() + 60.0 * arguments.minutes
    alike = True
    for number in range(arguments.first, arguments.first + arguments.tables):
        if time.monotonic() > until:
            break
        alike &= compare(number, counts)
    print(report(counts))
    if arguments.write:
        write_blocks(arguments.page, {"fuzz": report(counts)})
    if not alike:
        sys.exit(1)


if __name__ == "__main__":
    main()
