"""Bootstrap estimates of the AUC: Harrell's optimism, .632 and .632+."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import (
    RandomState,
    journal_seed,
    require_choice,
    require_count,
    seed_sequence,
)
from tlpo.engines.base import Execution
from tlpo.execution.diagnostics import Diagnostics, RunLog
from tlpo.execution.fingerprint import journaled
from tlpo.execution.fits import Round, answer_rounds, require_estimator
from tlpo.execution.journal import JournalLike
from tlpo.problem.labels import Labels
from tlpo.problem.problem import Problem, make_problem
from tlpo.results.summary import Summary, describe, played_row
from tlpo.roc.curve import wmw_auc

NO_INFORMATION = 0.5  # AUC of a rule that knows nothing


@dataclass(frozen=True, eq=False, repr=False)
class HarrellBootstrap(Summary):
    """Apparent AUC minus its optimism (Harrell, Lee & Mark 1996).

    Attributes
    ----------
    apparent : float
        AUC of the model fitted on all units, on the same units.
    optimism : float
        Mean over resamples of the AUC on the resample minus the AUC on all units.
    n_redrawn : int
        Resamples drawn again because they lacked a class.
    """

    apparent: float
    optimism: float
    n_resamples: int
    n_redrawn: int
    labels: Labels
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def auc(self) -> float:
        """Apparent AUC minus optimism."""
        return self.apparent - self.optimism

    def _title(self) -> str:
        return f"Harrell's bootstrap of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("corrected AUC", f"{self.auc:.4f}"),
            ("apparent AUC", f"{self.apparent:.4f}, optimism {self.optimism:.4f}"),
            ("resamples", f"{self.n_resamples} ({self.n_redrawn} redrawn for lack of a class)"),
            ("played", played_row(self.diagnostics)),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class OutOfBagBootstrap(Summary):
    """Weighted mean of the apparent and the out-of-bag AUC (Efron 1983; Efron & Tibshirani 1997).

    Attributes
    ----------
    name : str
        ``".632"`` or ``".632+"``.
    auc : float
        The estimate: apparent and out-of-bag AUC, weighted.
    apparent : float
        AUC of the model fitted on all units, on the same units.
    out_of_bag : float
        Mean over resamples of the AUC on the units not drawn; NaN if no resample has one.
    overfitting_rate : float
        Relative overfitting rate R of .632+, 0 for .632.
    weight : float
        Weight of the out-of-bag AUC.
    n_without_auc : int
        Resamples whose out-of-bag units lacked a class.
    n_redrawn : int
        Resamples drawn again because they lacked a class.
    """

    name: str
    auc: float
    apparent: float
    out_of_bag: float
    overfitting_rate: float
    weight: float
    n_resamples: int
    n_without_auc: int
    n_redrawn: int
    labels: Labels
    diagnostics: Diagnostics
    estimator_name: str

    def _title(self) -> str:
        return f"{self.name} bootstrap of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("AUC", f"{self.auc:.4f}"),
            ("apparent AUC", f"{self.apparent:.4f}"),
            ("out-of-bag AUC", f"{self.out_of_bag:.4f}, weight {self.weight:.3f}"),
            (
                "resamples",
                f"{self.n_resamples} ({self.n_without_auc} without an out-of-bag AUC, "
                f"{self.n_redrawn} redrawn for lack of a class)",
            ),
            ("played", played_row(self.diagnostics)),
        ]


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
    """
    require_choice("kind", kind, ("harrell", "632", "632+"))
    problem = make_problem(X, y, positive=positive, groups=groups, params=params, min_per_class=2)
    resamples = play_bootstrap(
        estimator,
        problem,
        n_resamples=n_resamples,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    return resamples.harrell() if kind == "harrell" else resamples.out_of_bag(kind)


@dataclass(frozen=True, eq=False)
class Resamples:
    """Answers of the model on all units and of every resample's; all three estimates use them.

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
    labels: Labels
    log: RunLog
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
            diagnostics=self.log.diagnostics(),
            estimator_name=self.estimator_name,
        )

    def out_of_bag(self, kind: str) -> OutOfBagBootstrap:
        """Weigh the apparent against the out-of-bag AUC.

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
            diagnostics=self.log.diagnostics(),
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


def play_bootstrap(
    estimator: Any,
    problem: Problem,
    *,
    n_resamples: int,
    random_state: RandomState,
    n_jobs: int | None,
    progress: bool,
    journal: JournalLike,
) -> Resamples:
    """Fit the estimator on all units and on every resample."""
    require_estimator(estimator)
    require_count("n_resamples", n_resamples, 1)
    drawn, n_redrawn = _draw(problem, n_resamples, seed_sequence(random_state))
    everyone = np.arange(problem.n_units)
    log = RunLog()
    # More resamples than before go on: the first ones are the same.
    seed = journal_seed(journal, random_state)
    with journaled(journal, "bootstrap", estimator, problem, seed=seed) as part:
        apparent, *answers = answer_rounds(
            estimator,
            problem,
            [Round(train, everyone) for train in (everyone, *drawn)],
            log,
            Execution(n_jobs, progress, journal=part),
            title="Bootstrap",
        )
    log.warnings.emit(log.fits)
    return Resamples(drawn, apparent, answers, n_redrawn, problem.labels, log, describe(estimator))


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
