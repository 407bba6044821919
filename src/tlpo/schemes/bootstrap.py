"""Bootstrap estimates of the AUC: Harrell's optimism, .632 and .632+."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import RandomState, require_choice, require_count, seed_sequence
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Fit
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, Options
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem
from tlpo.results.bootstrap import HarrellBootstrap, OutOfBagBootstrap
from tlpo.roc.curve import wmw_auc
from tlpo.synonyms import refuse_foreign_arguments

NO_INFORMATION = 0.5  # AUC of an uninformative rule


@overload
def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    kind: Literal["harrell"] = "harrell",
    n_resamples: int = 200,
    random_state: RandomState = None,
    positive: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> HarrellBootstrap: ...


@overload
def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    kind: Literal["632", "632+"],
    n_resamples: int = 200,
    random_state: RandomState = None,
    positive: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> OutOfBagBootstrap: ...


@refuse_foreign_arguments
def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    kind: Literal["harrell", "632", "632+"] = "harrell",
    n_resamples: int = 200,
    random_state: RandomState = None,
    positive: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> HarrellBootstrap | OutOfBagBootstrap:
    """Bootstrap estimate of the AUC.

    Optimistic for learners that can fit their training data perfectly, most of all with more
    features than units; shown for comparison.

    Parameters
    ----------
    estimator, X, y, positive, groups, n_jobs, progress, params, journal
        As in `tournament`. With groups, whole groups are drawn.
    kind : {"harrell", "632", "632+"}
        Which correction of the apparent AUC.
    n_resamples : int
        Number of resamples. One that lacks a class is drawn again, and counted.
    random_state : int, RandomState or Generator, optional
        Seed of the resamples.

    Returns
    -------
    HarrellBootstrap or OutOfBagBootstrap

    Notes
    -----
    Formulas: `HarrellBootstrap`, `OutOfBagBootstrap`.

    Examples
    --------
    Fifty features of pure noise:

    >>> import numpy as np
    >>> import tlpo
    >>> X, y = np.random.default_rng(2).normal(size=(30, 50)), np.arange(30) % 2
    >>> for kind in ("harrell", "632", "632+"):
    ...     auc = tlpo.bootstrap(tlpo.RLS(), X, y, kind=kind, n_resamples=50, random_state=0).auc
    ...     print(f"{kind}: {auc:.3f}")
    harrell: 0.884
    632: 0.645
    632+: 0.500
    >>> f"leave-pair-out: {tlpo.leave_pair_out(tlpo.RLS(), X, y).auc:.3f}"
    'leave-pair-out: 0.498'
    """
    require_choice("kind", kind, ("harrell", "632", "632+"))
    options = Options(
        positive=positive,
        groups=groups,
        params=params,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    resamples = fit_resamples(Contest(estimator, X, y, options), n_resamples, random_state)
    return resamples.harrell() if kind == "harrell" else resamples.out_of_bag(kind)


@dataclass(frozen=True, eq=False)
class Resamples:
    """Responses of the models fitted on all units and on each resample, for all three estimates.

    Attributes
    ----------
    drawn : list of ndarray
        Units of each resample, with repetition.
    apparent : ndarray of shape (m,)
        Responses of the model fitted on all units.
    answers : list of ndarray of shape (m,)
        Responses for all units of the model fitted on each resample.
    """

    drawn: list[IntArray]
    apparent: FloatArray
    answers: list[FloatArray]
    n_redrawn: int
    labels: Classes
    diagnostics: Diagnostics
    estimator_name: str

    def harrell(self) -> HarrellBootstrap:
        """Correct the apparent AUC by its mean optimism."""
        is_positive = self.labels.is_positive
        optimism = [
            wmw_auc(answer[units], is_positive[units]) - wmw_auc(answer, is_positive)
            for units, answer in zip(self.drawn, self.answers, strict=True)
        ]
        return HarrellBootstrap(
            apparent=wmw_auc(self.apparent, is_positive),
            optimism=float(np.mean(optimism)),
            n_resamples=len(self.drawn),
            n_redrawn=self.n_redrawn,
            labels=self.labels,
            diagnostics=self.diagnostics,
            estimator_name=self.estimator_name,
        )

    def out_of_bag(self, kind: str) -> OutOfBagBootstrap:
        """Average the apparent and the out-of-bag AUC, with weights.

        .632+ (Efron & Tibshirani 1997, eqs. 27-32) is written for error rates; with
        AUC the error is 1 − AUC and the no-information rate ½.
        """
        is_positive = self.labels.is_positive
        outside = np.ones((len(self.drawn), is_positive.size), dtype=bool)
        for row, units in zip(outside, self.drawn, strict=True):
            row[units] = False
        aucs = np.array(
            [
                wmw_auc(answer[row], is_positive[row])
                for row, answer in zip(outside, self.answers, strict=True)
            ]
        )
        defined = aucs[~np.isnan(aucs)]
        apparent = wmw_auc(self.apparent, is_positive)
        oob = float(defined.mean()) if defined.size else float("nan")
        rate, counted = 0.0, oob
        if kind == "632+":
            rate, counted = overfitting_rate(apparent, oob), max(oob, NO_INFORMATION)
        weight = 0.632 / (1.0 - 0.368 * rate)
        return OutOfBagBootstrap(
            name=f".{kind}",
            auc=(1.0 - weight) * apparent + weight * counted,
            apparent=apparent,
            out_of_bag=oob,
            overfitting_rate=rate,
            weight=weight,
            n_resamples=len(self.drawn),
            n_without_auc=aucs.size - defined.size,
            n_redrawn=self.n_redrawn,
            labels=self.labels,
            diagnostics=self.diagnostics,
            estimator_name=self.estimator_name,
        )


def overfitting_rate(apparent: float, out_of_bag: float) -> float:
    """Relative overfitting rate R: 0 if there is none, 1 if nothing was learned.

    Examples
    --------
    >>> overfitting_rate(1.0, 0.5), overfitting_rate(0.9, 0.9), overfitting_rate(1.0, 0.75)
    (1.0, 0.0, 0.5)
    """
    out_of_bag = max(out_of_bag, NO_INFORMATION)
    if not (apparent > out_of_bag and apparent > NO_INFORMATION):
        return 0.0
    return (apparent - out_of_bag) / (apparent - NO_INFORMATION)


def fit_resamples(contest: Contest, n_resamples: int, random_state: RandomState) -> Resamples:
    """Fit the estimator of a contest on all units and on every resample."""
    require_count("n_resamples", n_resamples, 1)
    drawn, n_redrawn = _draw(contest.problem, n_resamples, seed_sequence(random_state))
    every_unit = np.arange(contest.problem.n_units)
    # Bound to the seed, not to the number: the first resamples of a longer run are the same.
    answered = contest.fit(
        [Fit(train, every_unit) for train in (every_unit, *drawn)],
        task="bootstrap",
        title="Bootstrap",
        seed=contest.seed(random_state),
    )
    apparent, *answers = answered.responses
    return Resamples(
        drawn, apparent, answers, n_redrawn, contest.labels, answered.diagnostics, contest.name
    )


def _draw(
    problem: Problem, n_resamples: int, seeds: np.random.SeedSequence
) -> tuple[list[IntArray], int]:
    is_positive, groups = problem.labels.is_positive, problem.groups
    members = (
        [np.array([unit]) for unit in range(problem.n_units)]
        if groups is None
        else [np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1)]
    )
    rng = np.random.default_rng(seeds)
    drawn: list[IntArray] = []
    n_redrawn = 0
    while len(drawn) < n_resamples:
        units = np.concatenate([members[k] for k in rng.integers(len(members), size=len(members))])
        if 0 < np.count_nonzero(is_positive[units]) < units.size:
            drawn.append(units)
        else:
            n_redrawn += 1
    return drawn, n_redrawn
