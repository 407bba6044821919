"""Models with an L1 penalty without refitting, against fits.

    python -m studies.benchmarks.sparse [--only TEXT …] [--write]

Times of refits are those of a few, each without one pair, times the number of games. The games of a
part of the pairs are compared with refits first. ``--write`` puts the table into docs/tuning.md.
"""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.benchmarks.engines import best
from studies.benchmarks.rows import measure_rows
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

M = 100
PAIRS = 30
FEATURES = (10, 100, 1000)
# What must be reached with most features, in fits by liblinear and by saga.
GOAL = "≥ 20 ×, saga ≥ 100 ×"


def logistic(C: float, solver: str = "liblinear") -> LogisticRegression:
    """Return a logistic regression with an L1 penalty."""
    return LogisticRegression(C=C, l1_ratio=1.0, solver=solver, random_state=0)


# Every model, and one of the same coefficients that is slower, if there is one.
MODELS: dict[str, tuple[Any, Any]] = {
    "Lasso, alpha = 0.1": (Lasso(alpha=0.1), None),
    "ElasticNet, alpha = 0.2": (ElasticNet(alpha=0.2), None),
    "scaler + Lasso, alpha = 0.1": (make_pipeline(StandardScaler(), Lasso(alpha=0.1)), None),
    "logistic, C = 0.1": (logistic(0.1), logistic(0.1, "saga")),
    "logistic, C = 0.3": (logistic(0.3), logistic(0.3, "saga")),
    "scaler + logistic, C = 0.3": (make_pipeline(StandardScaler(), logistic(0.3)), None),
}


def data(n: int) -> tuple[Any, Any]:
    """Return units of two classes that differ a little in five of n features."""
    rng = np.random.default_rng(n)
    y = np.arange(M) % 2
    X = rng.normal(size=(M, n))
    X[:, :5] += y[:, None] - 0.5
    return X, y


def seconds_a_fit(estimator: Any, X: Any, y: Any, games: Any) -> tuple[float, Any]:
    """Return the time of a fit with its predictions, and the results of some games."""
    contest = Contest(estimator, X, y, ContestOptions(engine="refit"))
    start = time.perf_counter()
    played = contest.play(Schedule(listed=games))
    return (time.perf_counter() - start) / len(games), played.outcome


def measure(name: str, n: int) -> tuple[str, str, str, str]:
    """Time a model with so many features: a game, and how many times longer fits take."""
    estimator, rival = MODELS[name]
    X, y = data(n)
    pairs = np.column_stack(np.triu_indices(M, 1))
    games = pairs[np.random.default_rng(0).permutation(len(pairs))[:PAIRS]]
    contest = Contest(estimator, X, y)
    some = contest.play(Schedule(listed=games))
    slow, outcome = seconds_a_fit(estimator, X, y, games)
    assert some.engine != "refit"
    assert np.array_equal(some.outcome, outcome)
    fast = best(lambda: contest.play(Schedule())) / len(pairs)
    by_saga = "—"
    if rival is not None:
        by_saga = f"{seconds_a_fit(rival, X, y, games[:8])[0] / fast:.0f} ×"
    has_goal = rival is not None and n == max(FEATURES)
    return f"{1e6 * fast:.0f} µs", f"{slow / fast:.0f} ×", by_saga, GOAL if has_goal else "—"


def main() -> None:
    """Measure every model with few and with many features."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    measure_rows(
        __doc__,
        {f"{name}, n = {n}": partial(measure, name, n) for n in FEATURES for name in MODELS},
        head=("model", "a game", "a fit takes", "a fit by saga takes", "goal"),
        block="sparse",
        made="Made by `python -m studies.benchmarks.sparse --write` on 2 cores.",
        page="tuning.md",
    )


if __name__ == "__main__":
    main()
