"""K-fold cross-validation of the AUC, pooled or averaged."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import RandomState, require_choice, require_count, seed_sequence
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions
from tlpo.problem.outcome import Classes, Outcome
from tlpo.problem.problem import Problem
from tlpo.results.concordance_estimate import ConcordanceEstimate
from tlpo.results.kfold import AveragedKFold, PooledKFold
from tlpo.results.pooled import POOLED, PooledScores
from tlpo.schemes.shares import share_of_scores
from tlpo.synonyms import refuse_foreign_arguments

# More values than this are numbers.
MOST_STRATA = 10


@overload
def kfold(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 10,
    pooling: Literal["pooled"] = "pooled",
    n_repeats: int = 1,
    stratified: bool = True,
    random_state: RandomState = None,
    positive: Any = None,
    order: None = None,
    groups: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> PooledKFold: ...


@overload
def kfold(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 10,
    pooling: Literal["averaged"],
    n_repeats: int = 1,
    stratified: bool = True,
    random_state: RandomState = None,
    positive: Any = None,
    order: None = None,
    groups: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> AveragedKFold: ...


@overload
def kfold(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 10,
    pooling: Literal["pooled", "averaged"] = "pooled",
    n_repeats: int = 1,
    stratified: bool = True,
    random_state: RandomState = None,
    positive: None = None,
    order: Any,
    groups: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> ConcordanceEstimate: ...


@refuse_foreign_arguments
def kfold(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int = 10,
    pooling: Literal["pooled", "averaged"] = "pooled",
    n_repeats: int = 1,
    stratified: bool = True,
    random_state: RandomState = None,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> PooledKFold | AveragedKFold | ConcordanceEstimate:
    """K-fold cross-validation of the AUC.

    Parameters
    ----------
    estimator, X, y, positive, groups, engine, n_jobs, progress, params, journal
        As in `tournament`. With groups, no group is divided between folds.
    order : True or sequence, optional
        The larger y should win, and the concordance is estimated instead of the AUC: True for
        numbers and ordered categories, or the grades from lowest to highest.
    n_splits : int
        Number K of folds.
    pooling : {"pooled", "averaged"}
        Compare scores across folds (biased, but gives a curve), or average the AUC inside
        each fold (folds without both classes have none, and are counted).
    n_repeats : int
        Number of random divisions into folds.
    stratified : bool
        Spread the classes, or grades, evenly over the folds; numbers are not.
    random_state : int, RandomState or Generator, optional
        Seed of the divisions.

    Returns
    -------
    PooledKFold, AveragedKFold or ConcordanceEstimate

    Notes
    -----
    Formulas: `PooledKFold`, `AveragedKFold`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240, [1, 4]], y[200:240] == 0
    >>> model = tlpo.RLS()
    >>> tlpo.kfold(model, X, malignant, n_splits=5, random_state=0)
    Pooled 5-fold of 40 units, 19 positive (True) and 21 negative (False)
      estimator   RLS
      pooled AUC  0.7168
      played      1 fit, ...
    >>> result = tlpo.kfold(model, X, malignant, n_splits=5, pooling="averaged", random_state=0)
    >>> result.fold_aucs.round(2)
    array([[1.  , 0.75, 0.75, 0.56, 0.75]])
    """
    require_choice("pooling", pooling, ("pooled", "averaged"))
    options = ContestOptions(
        positive=positive,
        order=order,
        groups=groups,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    contest = Contest(estimator, X, y, options)
    folds = play_folds(contest, n_splits, n_repeats, random_state, stratified=stratified)
    if not isinstance(folds.outcome, Classes):
        return folds.concordance(pooling)
    return folds.pooled() if pooling == "pooled" else folds.averaged()


@dataclass(frozen=True, eq=False)
class Folds:
    """Held-out responses of every fold of every repeat; both kinds of pooling start here."""

    scheme: str
    outcome: Outcome
    tests: list[list[IntArray]]
    answers: list[list[FloatArray]]
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def labels(self) -> Classes:
        """The outcome, if it is two classes."""
        assert isinstance(self.outcome, Classes)
        return self.outcome

    @property
    def scores(self) -> Iterator[FloatArray]:
        """The pooled scores of each repeat."""
        for tests, answers in zip(self.tests, self.answers, strict=True):
            scores = np.empty((self.outcome.n_units, *self.outcome.response_shape))
            scores[np.concatenate(tests)] = np.concatenate(answers)
            yield scores

    def shares(self, pooling: str) -> FloatArray:
        """Return the AUC or concordance of every repeat, pooled, or of every fold; NaN for none."""
        if pooling == "pooled":
            everyone = np.arange(self.outcome.n_units)
            return np.array([share_of_scores(s, self.outcome, everyone) for s in self.scores])
        return np.array(
            [
                share_of_scores(answer, self.outcome, test)
                for tests, answers in zip(self.tests, self.answers, strict=True)
                for test, answer in zip(tests, answers, strict=True)
            ]
        )

    def concordance(self, pooling: str) -> ConcordanceEstimate:
        """Return the concordance of pooled scores, or the mean of those inside the folds."""
        outcome, scores = self.outcome, None
        repeats = self.shares(pooling)
        known = repeats[~np.isnan(repeats)]
        note = f"{repeats.size - known.size} of {repeats.size} folds had no ordered units"
        if pooling == "pooled":
            note = POOLED
            if repeats.size == 1:
                scores = next(self.scores) * outcome.unit
        return ConcordanceEstimate(
            f"{pooling.capitalize()} {self.scheme}",
            float(known.mean()) if known.size else float("nan"),
            {},
            repeats,
            scores,
            outcome,
            self.diagnostics,
            self.estimator_name,
            self.engine,
            note,
            "repeats" if pooling == "pooled" else "folds",
        )

    def pooled(self) -> PooledKFold:
        """Pool the scores of each repeat."""
        repeats = []
        for scores in self.scores:
            repeats.append(
                PooledScores(
                    self.scheme,
                    scores,
                    self.labels,
                    self.engine,
                    self.diagnostics,
                    self.estimator_name,
                )
            )
        return PooledKFold(tuple(repeats), self.labels, self.diagnostics)

    def averaged(self) -> AveragedKFold:
        """Compute the AUC inside each fold."""
        fold_aucs = self.shares("averaged").reshape(len(self.tests), -1)
        return AveragedKFold(
            self.scheme, fold_aucs, self.labels, self.diagnostics, self.estimator_name
        )


def play_folds(
    contest: Contest,
    n_splits: int,
    n_repeats: int,
    random_state: RandomState,
    *,
    stratified: bool = True,
) -> Folds:
    """Hold out every fold of every repeat."""
    problem = contest.problem
    require_count("n_splits", n_splits, 2, problem.n_units)
    require_count("n_repeats", n_repeats, 1)
    seeds = seed_sequence(random_state).generate_state(n_repeats)
    tests = [_fold_tests(problem, n_splits, stratified, int(seed)) for seed in seeds]
    answered = contest.hold_out(
        [test for repeat in tests for test in repeat],
        "kfold",
        n_splits=n_splits,
        n_repeats=n_repeats,
        stratified=stratified,
        seed=contest.seed(random_state),
    )
    flat = answered.responses
    return Folds(
        scheme=f"{n_splits}-fold",
        outcome=contest.outcome,
        tests=tests,
        answers=[flat[k : k + n_splits] for k in range(0, len(flat), n_splits)],
        engine=answered.engine,
        diagnostics=answered.diagnostics,
        estimator_name=contest.name,
    )


def _fold_tests(problem: Problem, n_splits: int, stratified: bool, seed: int) -> list[IntArray]:
    kind: Any
    if problem.groups is None:
        kind = StratifiedKFold if stratified else KFold
    else:
        kind = StratifiedGroupKFold if stratified else GroupKFold
        n_groups = int(problem.groups.max()) + 1
        require_count("n_splits", n_splits, 2, n_groups, "the number of groups")
    with warnings.catch_warnings():
        # A class smaller than K: the result counts the affected folds instead.
        warnings.filterwarnings("ignore", message="The least populated class")
        y = problem.outcome.strata
        # Nothing left to stratify. Folds with numbers spread evenly would be easier to order than
        # patients are: no two of a fold would be close.
        if n_splits > np.bincount(y).max() or y.max() >= MOST_STRATA:
            kind = KFold if problem.groups is None else GroupKFold
        splitter = kind(n_splits=n_splits, shuffle=True, random_state=seed)
        return [test for _, test in splitter.split(np.zeros(y.size), y, problem.groups)]
