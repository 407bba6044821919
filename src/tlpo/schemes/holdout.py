"""Leave-one-out and leave-pair-out: one or two units held out at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Execution, delegate
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fingerprint import journaled
from tlpo.execution.fits import require_estimator
from tlpo.execution.journal import JournalLike
from tlpo.problem.labels import Labels
from tlpo.problem.matching import Matched, matched_pairs
from tlpo.problem.problem import Problem, make_problem
from tlpo.results.ranking import Ranking
from tlpo.results.summary import Summary, describe, played_row
from tlpo.schedule import Schedule
from tlpo.schemes.games import GamesResult, play_games


@dataclass(frozen=True, eq=False, repr=False)
class PooledScores(Summary, Ranking):
    """Held-out scores of different models pooled into one ranking.

    Attributes
    ----------
    scheme : str
        How units were held out.
    responses : ndarray of shape (m,)
        Response for each unit of the model that did not see it; these are the scores.
    labels : Labels
        Class of every unit.
    engine : str
        How the held-out responses were computed.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    """

    scheme: str
    responses: FloatArray
    labels: Labels
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def scores(self) -> FloatArray:
        """Held-out response for each unit."""
        return self.responses

    def _title(self) -> str:
        return f"{self.scheme} of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("pooled AUC", f"{self.auc:.4f} (biased: scores of different models are compared)"),
            ("played", played_row(self.diagnostics)),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class LeavePairOutResult(GamesResult):
    """Leave-pair-out: the opposite-class games only.

    Attributes
    ----------
    matched : Matched or None
        How many pairs ``match`` has left; None if every opposite pair has met.
    """

    matched: Matched | None = None

    @cached_property
    def predictions(self) -> FloatArray | None:
        """Table ``F[i, j]``: what the model that saw neither i nor j predicts for i.

        NaN for units of one class, which do not meet. None if it was not kept.
        """
        if self.held_out is None:
            return None
        is_positive = self.labels.is_positive
        opposite = is_positive[:, None] != is_positive[None, :]
        return np.where(opposite, self.held_out.full(), np.nan)

    @property
    def auc(self) -> float:
        """Share of games the positive unit won, ties counting half."""
        return self.standings.lpo_auc(self.labels.is_positive)

    def _title(self) -> str:
        return f"Leave-pair-out of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("estimator", self.estimator_name),
            ("LPO AUC", f"{self.auc:.4f} ({self.n_ties} ties)"),
        ]
        n_games = self.labels.n_positive * self.labels.n_negative
        if self.matched is not None:
            rows.append(("matched", str(self.matched)))
            n_games = self.matched.n_pairs
        return [*rows, ("played", self._played(n_games))]


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
    """Score each unit by the model that did not see it, and pool the scores.

    Badly biased for the AUC: scores of different models are compared, and leaving a positive
    unit out makes its model more negative. Parameters as in `tournament`; ``exclude`` must be
    a `Buffer`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> leave_one_out(DummyClassifier(strategy="prior"), [[0.0]] * 10, [0, 1] * 5).auc
    0.0
    """
    require_estimator(estimator)
    problem = make_problem(
        X,
        y,
        positive=positive,
        groups=groups,
        params=params,
        min_per_class=2,
        exclude=exclude,
        pairs=False,
    )
    tests = list(np.arange(problem.n_units)[:, None])
    require_trainable(problem, tests)
    with journaled(journal, "leave-one-out", estimator, problem) as part:
        execution = Execution(n_jobs, progress, journal=part)
        engine, answered = delegate(
            engine,
            estimator,
            problem,
            lambda player: player.hold_out(estimator, problem, tests, execution),
        )
    return PooledScores(
        scheme="leave-one-out",
        responses=np.concatenate(answered.responses),
        labels=problem.labels,
        engine=engine,
        diagnostics=answered.diagnostics,
        estimator_name=describe(estimator),
    )


def leave_pair_out(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    groups: Any = None,
    exclude: Any = None,
    match: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    predictions: bool | None = None,
    journal: JournalLike = None,
) -> LeavePairOutResult:
    """Play the opposite-class games only: an almost unbiased AUC, but no curve.

    Gives the same AUC as ``lpo_auc`` of `tournament`, which plays twice the games. Two units of
    each class suffice.

    Parameters
    ----------
    estimator, X, y, positive, groups, exclude, engine, n_jobs, progress, params, on_error, \
predictions, journal
        As in `tournament`.
    match : array-like of shape (m,), Window, or a tuple of these, optional
        Play only pairs that agree on a confounder: the same category, or values that differ by
        no more than the width of a ``tlpo.Window(values, width)``; of several in a tuple, on
        all. The AUC is then what the model knows beyond these. Models still learn from
        everybody.

    Returns
    -------
    LeavePairOutResult
        Its ``matched`` tells how many pairs were left, and how many units without a partner.

    Examples
    --------
    A model that has learned nothing but the sex of the patients looks good until men meet men
    and women meet women:

    >>> import numpy as np
    >>> import tlpo
    >>> sex = np.arange(40) % 2
    >>> y = np.where(np.arange(40) % 8 == 0, 1 - sex, sex)
    >>> X = sex[:, None]
    >>> tlpo.leave_pair_out(tlpo.RLS(), X, y).auc
    0.9
    >>> result = tlpo.leave_pair_out(tlpo.RLS(), X, y, match=sex)
    >>> result.auc, str(result.matched)
    (0.5, '75 of 375 pairs; 20 positives have no partner')
    """
    matched: list[Matched] = []

    def plan(problem: Problem) -> Schedule:
        if match is None:
            return Schedule("opposite")
        pairs, found = matched_pairs(match, problem.labels)
        matched.append(found)
        return Schedule("opposite", pairs, "matched pairs")

    fields, _ = play_games(
        estimator,
        X,
        y,
        plan,
        min_per_class=2,
        positive=positive,
        groups=groups,
        exclude=exclude,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        params=params,
        on_error=on_error,
        predictions=predictions,
        journal=journal,
    )
    return LeavePairOutResult(**fields, matched=matched[0] if matched else None)


def require_trainable(problem: Problem, tests: list[IntArray]) -> None:
    """Refuse held-out sets that leave, with their groups, only one class to learn from."""
    for test in tests:
        problem.require_both_classes(test)
