"""Thousands of units: how long every part of a report takes, and what was forecast.

    python -m studies.benchmarks.report_parts [--only TEXT …] [--write]

Times are those of the processor, over all threads. ``--write`` puts the table into
docs/performance.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.benchmarks.many_units import rare, sample
from studies.benchmarks.rows import measure_rows
from tlpo.analysis.models import MODELS as MODELS_BY_NAME
from tlpo.analysis.summarize import N_FOLDS, N_RESAMPLES
from tlpo.analysis.timing import time_pieces
from tlpo.games.contest import Contest
from tlpo.schemes.evaluate import evaluate_contest
from tlpo.schemes.tournament import play_tournament

MODELS: dict[str, Any] = {
    "ridge": RidgeClassifier(),
    "LDA": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "5-NN": KNeighborsClassifier(5),
    "logistic": MODELS_BY_NAME["logistic"].default,
    "glm": MODELS_BY_NAME["glm"].default,
}
# Of these with 20 000 units only few have the event: with the default tolerance, the solver of as
# many of both classes would have to be followed in very many games.
RARE = ("logistic", "glm")
HEADS = (
    "StandardScaler and …",
    "tournament",
    "interval",
    "leave-one-out",
    "10 folds",
    "200 resamples",
    "all",
    "forecast / actual",
)


def measure(model: Any, draw: Callable[[], tuple[Any, Any]]) -> tuple[str, ...]:
    """Time the parts of one report."""
    X, y = draw()
    m = len(y)
    contest = Contest(make_pipeline(StandardScaler(), model), X, y)
    with patch("time.perf_counter", time.process_time):
        forecast = time_pieces(contest, m * (m - 1) // 2, N_FOLDS, N_RESAMPLES)
    assert forecast is not None
    found: list[Any] = []
    seconds = [_timed(lambda: found.append(play_tournament(contest)))]
    seconds.append(_timed(found[0].auc_interval))
    for scheme in ("loo", "kfold-averaged", "harrell"):
        seconds.append(_timed(partial(evaluate_contest, contest, [scheme], random_state=0)))
    total = sum(seconds)
    shown = [f"{part:.2g} s" for part in (*seconds, total)]
    return (*shown, f"{sum(forecast) / total:.2f}")


def _timed(act: Callable[[], object]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


def main() -> None:
    """Measure every model and size."""
    cases = {
        f"{name}, m = {m:,}": partial(measure, model, partial(sample, m))
        for name, model in MODELS.items()
        for m in (3_000, 20_000)
        if m == 3_000 or name not in RARE
    }
    cases |= {
        f"{name}, 20 columns, m = 20,000, 50 events": partial(measure, MODELS[name], rare)
        for name in RARE
    }
    measure_rows(
        __doc__,
        cases,
        head=HEADS,
        block="report parts",
        made="Made by `python -m studies.benchmarks.report_parts --write` on 2 cores.",
    )


if __name__ == "__main__":
    main()
