"""Speed of searches without refitting, as ratios in one run.

    python -m studies.benchmarks.search [--only TEXT …] [--write]

Refitting every pair would take up to hours: it is timed on a sample of the games, which must end
alike. ``--write`` puts the table into docs/tuning.md.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import (
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifierCV,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.benchmarks.rows import measure_rows
from tlpo.arrays import FloatArray
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import outcomes
from tlpo.games.schedule import Schedule

SIZES, FEATURES, REPEATS = (50, 100), 10, 2
# Games that are refitted.
SAMPLED = 20
PENALTIES = [0.01, 0.1, 1.0, 10.0, 100.0]
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _tuned(scoring: str) -> GridSearchCV:
    return GridSearchCV(LOGISTIC, {"logisticregression__C": PENALTIES}, cv=5, scoring=scoring)


def _own(scoring: str) -> Any:
    model = LogisticRegressionCV(
        cv=5, scoring=scoring, l1_ratios=(0.0,), use_legacy_attributes=False
    )
    return make_pipeline(StandardScaler(), model)


MODELS: dict[str, Any] = {
    "scaler + logistic regression, 5 C × 5 folds, AUC": _tuned("roc_auc"),
    "scaler + logistic regression, 5 C × 5 folds, log loss": _tuned("neg_log_loss"),
    "search of logistic regression behind a scaler, 5 C × 5 folds, AUC": make_pipeline(
        StandardScaler(),
        GridSearchCV(LOGISTIC[-1], {"C": PENALTIES}, cv=5, scoring="roc_auc"),
    ),
    "scaler + LogisticRegressionCV, 10 C × 5 folds, AUC": _own("roc_auc"),
    "scaler + LogisticRegressionCV, 10 C × 5 folds, log loss": _own("neg_log_loss"),
    "LassoCV(cv=5), 100 penalties": LassoCV(cv=5),
    "RidgeClassifierCV(cv=5), 5 penalties": RidgeClassifierCV(PENALTIES, cv=5),
    "k-NN, 5 k × 5 folds, AUC": GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 7, 9]}, cv=5, scoring="roc_auc"
    ),
    "naive Bayes, 5 smoothings × 5 folds, log loss": GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 1e-3, 1e-2, 0.1, 1.0]},
        cv=5,
        scoring="neg_log_loss",
    ),
}


# What must be reached with 100 units, by the beginning of a name.
GOALS = {
    "scaler + logistic": "≥ 100 ×",
    "scaler + LogisticRegressionCV": "≥ 100 ×",
    "RidgeClassifierCV": "≥ 300 ×",
}


def data(m: int) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Draw two classes that differ in two features."""
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, FEATURES))
    y = (X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=m) > 0).astype(np.intp)
    return X, y


def against_refits(model: Any, m: int) -> str:
    """Play all games and refit some, in turns so that load affects both."""
    X, y = data(m)
    refit = Contest(model, X, y, ContestOptions(engine="refit", n_jobs=1))
    every = np.array(np.triu_indices(m, k=1)).T
    fast, slow = np.inf, np.inf
    for repeat in range(REPEATS):
        games = np.random.default_rng(repeat).permutation(every)[:SAMPLED]
        start = time.perf_counter()
        refitted = refit.play(Schedule(listed=games))
        slow = min(slow, (time.perf_counter() - start) / SAMPLED)
        start = time.perf_counter()
        played = Contest(model, X, y, ContestOptions()).play(Schedule())
        fast = min(fast, time.perf_counter() - start)
        assert played.engine != "refit"
        assert played.predictions is not None
        assert refitted.outcome is not None
        F, (i, j) = played.predictions.full(), games.T
        found = outcomes(F[i, j], F[j, i], played.predictions.ceiling)
        assert np.array_equal(found, refitted.outcome)
    whole = len(every) * slow
    return f"{whole / fast:,.0f} × faster ({fast:,.1f} s against {whole:,.0f} s)"


def measure(name: str, m: int) -> tuple[str, str]:
    """Time a search."""
    Contest(MODELS[name], *data(20), ContestOptions()).play(Schedule())  # imports and machine code
    goals = [goal for start, goal in GOALS.items() if m == 100 and name.startswith(start)]
    return against_refits(MODELS[name], m), (goals or ["—"])[0]


def main() -> None:
    """Measure every search."""
    measure_rows(
        __doc__,
        {
            f"{name}, m = {m}, n = {FEATURES}": partial(measure, name, m)
            for name in MODELS
            for m in SIZES
        },
        head=("search", "measured", "goal"),
        block="searches",
        made="Made by `python -m studies.benchmarks.search --write` on 2 cores.",
        page="tuning.md",
    )


if __name__ == "__main__":
    main()
