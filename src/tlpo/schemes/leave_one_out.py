"""Leave-one-out: one unit held out at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from tlpo.engines.base import Answered
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions
from tlpo.problem.outcome import Classes
from tlpo.results.concordance_estimate import ConcordanceEstimate
from tlpo.results.pooled import POOLED, PooledScores
from tlpo.roc.order import concordance_of_scores
from tlpo.synonyms import refuse_foreign_arguments


@overload
def leave_one_out(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    order: None = None,
    groups: Any = None,
    exclude: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> PooledScores: ...


@overload
def leave_one_out(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    order: Any,
    groups: Any = None,
    exclude: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> ConcordanceEstimate: ...


@refuse_foreign_arguments
def leave_one_out(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    exclude: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> PooledScores | ConcordanceEstimate:
    """Score each unit by the model trained without it, and pool the scores.

    Badly biased for the AUC: scores of different models are compared, and leaving a positive
    unit out makes its model more negative. Parameters as in `tournament`; ``exclude`` must be
    a `Buffer`. With ``order`` (True for numbers, or the grades from lowest to highest), the
    concordance is estimated instead, for comparison with `concordance`.

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
    options = ContestOptions(
        positive=positive,
        order=order,
        groups=groups,
        exclude=exclude,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    contest = Contest(estimator, X, y, options)
    has_classes = isinstance(contest.outcome, Classes)
    return score_each_unit(contest) if has_classes else rank_each_unit(contest)


def rank_each_unit(contest: Contest) -> ConcordanceEstimate:
    """Hold out every unit of a contest with an ordered outcome in turn."""
    outcome = contest.outcome
    answered = hold_out_each(contest)
    scores = np.concatenate(answered.responses) * outcome.unit
    found = concordance_of_scores(scores, outcome.level, outcome.may_win)
    return ConcordanceEstimate(
        "leave-one-out",
        found,
        {},
        np.array([found]),
        scores,
        outcome,
        answered.diagnostics,
        contest.name,
        answered.engine,
        POOLED,
    )


def hold_out_each(contest: Contest) -> Answered:
    """Return the response for every unit of the model trained without it."""
    units = list(np.arange(contest.problem.n_units)[:, None])
    return contest.hold_out(units, "leave-one-out")


def score_each_unit(contest: Contest) -> PooledScores:
    """Hold out every unit of a contest in turn."""
    answered = hold_out_each(contest)
    return PooledScores(
        scheme="leave-one-out",
        responses=np.concatenate(answered.responses),
        labels=contest.labels,
        engine=answered.engine,
        diagnostics=answered.diagnostics,
        estimator_name=contest.name,
    )
