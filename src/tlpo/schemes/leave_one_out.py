"""Leave-one-out: one unit held out at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, Options
from tlpo.results.pooled import PooledScores
from tlpo.synonyms import refuse_foreign_arguments


@refuse_foreign_arguments
def leave_one_out(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    groups: Any = None,
    exclude: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> PooledScores:
    """Score each unit by the model trained without it, and pool the scores.

    Badly biased for the AUC: scores of different models are compared, and leaving a positive
    unit out makes its model more negative. Parameters as in `tournament`; ``exclude`` must be
    a `Buffer`.

    Notes
    -----
    Formula: `PooledScores`.

    Examples
    --------
    A model without features: the more positives it is trained on, the higher its score.

    >>> from sklearn.dummy import DummyClassifier
    >>> import tlpo
    >>> loo = tlpo.leave_one_out(DummyClassifier(strategy="prior"), [[0.0]] * 10, [0, 1] * 5)
    >>> loo.scores.round(2)
    array([0.56, 0.44, 0.56, 0.44, 0.56, 0.44, 0.56, 0.44, 0.56, 0.44])
    >>> loo.auc
    0.0
    """
    options = Options(
        positive=positive,
        groups=groups,
        exclude=exclude,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    return score_each_unit(Contest(estimator, X, y, options))


def score_each_unit(contest: Contest) -> PooledScores:
    """Hold out every unit of a contest in turn."""
    answered = contest.hold_out(list(np.arange(contest.problem.n_units)[:, None]), "leave-one-out")
    return PooledScores(
        scheme="leave-one-out",
        responses=np.concatenate(answered.responses),
        labels=contest.labels,
        engine=answered.engine,
        diagnostics=answered.diagnostics,
        estimator_name=contest.name,
    )
