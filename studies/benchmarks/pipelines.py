"""Cost of exact engines behind scalers, imputers, encoders and selection, against refitting.

    python -m studies.benchmarks.pipelines [--only TEXT …] [--write]

Refits are timed on some of the games, one process, and every one of these is compared with the
engine's prediction first. ``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, RidgeClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tlpo
from studies.benchmarks.rows import measure_rows
from tlpo.execution.fits import GameFits
from tlpo.execution.options import Execution
from tlpo.games.schedule import all_pairs
from tlpo.problem.problem import make_problem


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    estimator: Any
    data: Callable[[], tuple[Any, np.ndarray]]
    target: str
    refits: int = 200
    tolerance: float = 1e-8
    in_refits: bool = False


def numbers(m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features of different scales, one of them with signal."""
    rng = np.random.default_rng(0)
    y = (np.arange(m) % 3 == 0).astype(int)
    X = rng.standard_normal((m, n)) * rng.gamma(2, 3, n) + 5
    X[:, 0] += 3 * y
    return X, y


def patients(m: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return ten numbers with gaps and three words."""
    rng = np.random.default_rng(1)
    X, y = numbers(m, 10)
    X[rng.random(X.shape) < 0.1] = np.nan
    table = pd.DataFrame(X, columns=[f"number {k}" for k in range(10)])
    for k in range(3):
        table[f"word {k}"] = rng.choice(list("abcde"), m)
    return table, y


def scaled(model: Any) -> Any:
    """Put a scaler before a model."""
    return make_pipeline(StandardScaler(), model)


def impute_and_encode(model: Any) -> Any:
    """Put the preparation of an ordinary table before a model."""
    fill = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_pipeline(
        make_column_transformer(
            (fill, [f"number {k}" for k in range(10)]),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                [f"word {k}" for k in range(3)],
            ),
        ),
        model,
    )


ALPHAS = np.logspace(-2, 3, 10)
# lbfgs stops within its tolerance; games closer than that are refitted, the others need not agree.
LOOSE = 0.1
CASES = [
    Case(
        "scaler + RidgeClassifier, m = 100, n = 30",
        scaled(RidgeClassifier()),
        lambda: numbers(100, 30),
        "≥ 300 ×",
    ),
    Case(
        "the same, m = 1 000",
        scaled(RidgeClassifier()),
        lambda: numbers(1000, 30),
        "≤ 2 000 refits",
        in_refits=True,
    ),
    Case(
        "median imputer (10 % missing) + one-hot (3 columns) + scaler + RidgeClassifier, m = 200",
        impute_and_encode(RidgeClassifier()),
        lambda: patients(200),
        "≥ 100 ×",
        refits=60,
    ),
    Case(
        "scaler + RidgeClassifier, m = 100, n = 5 000",
        scaled(RidgeClassifier()),
        lambda: numbers(100, 5000),
        "≥ 20 ×",
        refits=40,
    ),
    Case(
        "the same, class_weight = balanced",
        scaled(RidgeClassifier(class_weight="balanced")),
        lambda: numbers(100, 5000),
        "",
        refits=40,
    ),
    Case(
        "scaler + KNeighborsClassifier, m = 200, n = 30",
        scaled(KNeighborsClassifier()),
        lambda: numbers(200, 30),
        "≥ 200 ×",
    ),
    Case("GaussianNB, m = 200, n = 10", GaussianNB(), lambda: numbers(200, 10), "≥ 1 000 ×"),
    Case(
        "SelectKBest(10) + LDA, m = 60, n = 2 000",
        make_pipeline(SelectKBest(k=10), LinearDiscriminantAnalysis()),
        lambda: numbers(60, 2000),
        "≥ 50 ×",
    ),
    Case(
        "RidgeClassifierCV (10 alphas), m = 100, n = 30",
        RidgeClassifierCV(ALPHAS),
        lambda: numbers(100, 30),
        "≥ 200 ×",
    ),
    Case(
        "scaler + RidgeClassifierCV (10 alphas), m = 100, n = 30",
        scaled(RidgeClassifierCV(ALPHAS)),
        lambda: numbers(100, 30),
        "≥ 20 ×",
    ),
    Case(
        "median imputer + one-hot + scaler + LogisticRegression, m = 200",
        impute_and_encode(LogisticRegression()),
        lambda: patients(200),
        "",
        refits=60,
        tolerance=LOOSE,
    ),
    Case("PLSRegression, m = 60, n = 500", PLSRegression(), lambda: numbers(60, 500), "≥ 20 ×"),
    Case(
        "scaler + PLSRegression, m = 60, n = 500",
        scaled(PLSRegression()),
        lambda: numbers(60, 500),
        "≥ 20 ×",
    ),
]


def measure(case: Case) -> tuple[str, str]:
    """Time one case, and compare its predictions with those of refits."""
    X, y = case.data()
    t = tlpo.tournament(case.estimator, X, y)  # compiles
    times = []
    for _ in range(3):
        started = time.perf_counter()
        t = tlpo.tournament(case.estimator, X, y)
        times.append(time.perf_counter() - started)
    games = np.random.default_rng(2).permutation(all_pairs(len(y)))[: case.refits]
    refits = GameFits(case.estimator, make_problem(X, y))
    refits.play(games[:5], Execution(n_jobs=1))
    started = time.perf_counter()
    refitted = refits.play(games, Execution(n_jobs=1))
    per_fit = (time.perf_counter() - started) / len(games)
    F = t.predictions
    assert F is not None
    first, second = games.T
    own = np.column_stack([F[first, second], F[second, first]])
    size = np.maximum(1.0, np.abs(refitted.responses))
    assert np.max(np.abs(own - refitted.responses) / size) < case.tolerance, case.name
    ratio = f"{per_fit * len(all_pairs(len(y))) / min(times):,.0f} ×".replace(",", " ")
    if case.in_refits:
        ratio = f"the time of {min(times) / per_fit:.0f} refits"
    return (
        f"{ratio} ({t.engine}: {min(times) * 1e3:.0f} ms, {t.diagnostics.fits - 1} games refitted; "
        f"one refit {per_fit * 1e3:.1f} ms)",
        case.target,
    )


def main() -> None:
    """Measure every case."""
    warnings.simplefilter("ignore")
    measure_rows(
        __doc__,
        {case.name: partial(measure, case) for case in CASES},
        head=("case", "measured", "target"),
        block="pipelines",
        made="Made by `python -m studies.benchmarks.pipelines --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
