"""Bootstrap estimates of the AUC: Harrell's optimism, .632 and .632+."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import RandomState, require_choice, require_count, seed_sequence
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Fit
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions
from tlpo.problem.outcome import Classes, Outcome
from tlpo.problem.problem import Problem
from tlpo.results.bootstrap import HarrellBootstrap, OutOfBagBootstrap
from tlpo.results.concordance_estimate import ConcordanceEstimate
from tlpo.schemes.shares import share_of_scores
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
    order: None = None,
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
    order: None = None,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> OutOfBagBootstrap: ...


@overload
def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    kind: Literal["harrell", "632", "632+"] = "harrell",
    n_resamples: int = 200,
    random_state: RandomState = None,
    positive: None = None,
    order: Any,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> ConcordanceEstimate: ...


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
    order: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> HarrellBootstrap | OutOfBagBootstrap | ConcordanceEstimate:
    """Bootstrap estimate of the AUC.

    Optimistic for learners that can fit their training data perfectly, most of all with more
    features than units; shown for comparison.

    Parameters
    ----------
    estimator, X, y, positive, groups, n_jobs, progress, params, journal
        As in `tournament`. With groups, whole groups are drawn.
    order : True or sequence, optional
        The larger y should win, and the concordance is estimated instead of the AUC: True for
        numbers and ordered categories, or the grades from lowest to highest.
    kind : {"harrell", "632", "632+"}
        Which correction of the apparent AUC.
    n_resamples : int
        Number of resamples. One that lacks a class is drawn again, and counted.
    random_state : int, RandomState or Generator, optional
        Seed of the resamples.

    Returns
    -------
    HarrellBootstrap, OutOfBagBootstrap or ConcordanceEstimate

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
    options = ContestOptions(
        positive=positive,
        order=order,
        groups=groups,
        params=params,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    resamples = fit_resamples(Contest(estimator, X, y, options), n_resamples, random_state)
    if not isinstance(resamples.outcome, Classes):
        return resamples.concordance(kind)
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
    outcome: Outcome
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def labels(self) -> Classes:
        """The outcome, if it is two classes."""
        assert isinstance(self.outcome, Classes)
        return self.outcome

    def harrell(self) -> HarrellBootstrap:
        """Correct the apparent AUC by its mean optimism."""
        apparent, optimism = self.corrected()
        return HarrellBootstrap(
            apparent=apparent,
            optimism=optimism,
            n_resamples=len(self.drawn),
            n_redrawn=self.n_redrawn,
            labels=self.labels,
            diagnostics=self.diagnostics,
            estimator_name=self.estimator_name,
        )

    def out_of_bag(self, kind: str) -> OutOfBagBootstrap:
        """Average the apparent and the out-of-bag AUC, with weights."""
        found = self.weighted(kind)
        return OutOfBagBootstrap(
            name=f".{kind}",
            auc=found.estimate,
            apparent=found.apparent,
            out_of_bag=found.out_of_bag,
            overfitting_rate=found.rate,
            weight=found.weight,
            n_resamples=len(self.drawn),
            n_without_auc=found.n_undefined,
            n_redrawn=self.n_redrawn,
            labels=self.labels,
            diagnostics=self.diagnostics,
            estimator_name=self.estimator_name,
        )

    def concordance(self, kind: str) -> ConcordanceEstimate:
        """Return the corrected concordance of an ordered outcome."""
        if kind == "harrell":
            apparent, optimism = self.corrected()
            scheme, estimate = "Harrell's bootstrap", apparent - optimism
            parts = {"apparent": apparent, "optimism": optimism}
        else:
            found = self.weighted(kind)
            scheme, estimate = f".{kind} bootstrap", found.estimate
            parts = {
                "apparent": found.apparent,
                "out-of-bag": found.out_of_bag,
                "weight": found.weight,
            }
        note = f"{len(self.drawn)} resamples, {self.n_redrawn} redrawn for lack of ordered units"
        return ConcordanceEstimate(
            scheme,
            estimate,
            parts,
            np.array([estimate]),
            None,
            self.outcome,
            self.diagnostics,
            self.estimator_name,
            note=note,
        )

    def _share(self, scores: FloatArray, units: IntArray | BoolArray) -> float:
        """Return the AUC or concordance of the scores of some units."""
        return share_of_scores(scores[units], self.outcome, units)

    def corrected(self) -> tuple[float, float]:
        """Return the apparent estimate and its mean optimism."""
        everyone = np.arange(self.outcome.n_units)
        optimism = [
            self._share(answer, units) - self._share(answer, everyone)
            for units, answer in zip(self.drawn, self.answers, strict=True)
        ]
        return self._share(self.apparent, everyone), float(np.mean(optimism))

    def weighted(self, kind: str) -> Weighted:
        """Average the apparent and the out-of-bag estimate.

        .632+ (Efron & Tibshirani 1997, eqs. 27-32) is written for error rates; with
        AUC the error is 1 − AUC and the no-information rate ½.
        """
        m = self.outcome.n_units
        outside = np.ones((len(self.drawn), m), dtype=bool)
        for row, units in zip(outside, self.drawn, strict=True):
            row[units] = False
        found = np.array(
            [self._share(answer, row) for row, answer in zip(outside, self.answers, strict=True)]
        )
        defined = found[~np.isnan(found)]
        apparent = self._share(self.apparent, np.arange(m))
        oob = float(defined.mean()) if defined.size else float("nan")
        rate, counted = 0.0, oob
        if kind == "632+":
            rate, counted = overfitting_rate(apparent, oob), max(oob, NO_INFORMATION)
        weight = 0.632 / (1.0 - 0.368 * rate)
        estimate = (1.0 - weight) * apparent + weight * counted
        return Weighted(estimate, apparent, oob, rate, weight, found.size - defined.size)


class Weighted(NamedTuple):
    """The apparent and the out-of-bag estimate, and their weighted mean."""

    estimate: float
    apparent: float
    out_of_bag: float
    rate: float
    weight: float
    n_undefined: int


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
        drawn, apparent, answers, n_redrawn, contest.outcome, answered.diagnostics, contest.name
    )


def _draw(
    problem: Problem, n_resamples: int, seeds: np.random.SeedSequence
) -> tuple[list[IntArray], int]:
    groups = problem.groups
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
        if problem.outcome.is_trainable(units):
            drawn.append(units)
        else:
            n_redrawn += 1
    return drawn, n_redrawn
