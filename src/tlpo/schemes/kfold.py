"""K-fold cross-validation of the AUC, pooled or averaged."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import RandomState, require_choice, require_count, seed_sequence
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, Options
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem
from tlpo.results.kfold import AveragedKFold, PooledKFold
from tlpo.results.pooled import PooledScores
from tlpo.roc.curve import wmw_auc
from tlpo.synonyms import refuse_foreign_arguments


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
    groups: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> AveragedKFold: ...


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
    groups: Any = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> PooledKFold | AveragedKFold:
    """K-fold cross-validation of the AUC.

    Parameters
    ----------
    estimator, X, y, positive, groups, engine, n_jobs, progress, params, journal
        As in `tournament`. With groups, no group is divided between folds.
    n_splits : int
        Number K of folds.
    pooling : {"pooled", "averaged"}
        Compare scores across folds (biased, but gives a curve), or average the AUC inside
        each fold (folds without both classes have none, and are counted).
    n_repeats : int
        Number of random divisions into folds.
    stratified : bool
        Spread the classes evenly over the folds.
    random_state : int, RandomState or Generator, optional
        Seed of the divisions.

    Returns
    -------
    PooledKFold or AveragedKFold

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
    options = Options(
        positive=positive,
        groups=groups,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    contest = Contest(estimator, X, y, options)
    folds = play_folds(contest, n_splits, n_repeats, random_state, stratified=stratified)
    return folds.pooled() if pooling == "pooled" else folds.averaged()


@dataclass(frozen=True, eq=False)
class Folds:
    """Held-out responses of every fold of every repeat; both kinds of pooling start here."""

    scheme: str
    labels: Classes
    tests: list[list[IntArray]]
    answers: list[list[FloatArray]]
    engine: str
    diagnostics: Diagnostics
    estimator_name: str

    def pooled(self) -> PooledKFold:
        """Pool the scores of each repeat."""
        repeats = []
        for tests, answers in zip(self.tests, self.answers, strict=True):
            scores = np.empty(self.labels.n_units)
            scores[np.concatenate(tests)] = np.concatenate(answers)
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
        fold_aucs = [
            [
                wmw_auc(answer, self.labels.is_positive[test])
                for test, answer in zip(tests, answers, strict=True)
            ]
            for tests, answers in zip(self.tests, self.answers, strict=True)
        ]
        return AveragedKFold(
            self.scheme, np.array(fold_aucs), self.labels, self.diagnostics, self.estimator_name
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
        labels=contest.labels,
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
        y = problem.labels.is_positive.astype(int)
        if n_splits > np.bincount(y).max():  # nothing left to stratify
            kind = KFold if problem.groups is None else GroupKFold
        splitter = kind(n_splits=n_splits, shuffle=True, random_state=seed)
        return [test for _, test in splitter.split(np.zeros(y.size), y, problem.groups)]
