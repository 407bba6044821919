"""K-fold cross-validation of the AUC, pooled or averaged."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import (
    RandomState,
    journal_seed,
    require_choice,
    require_count,
    seed_sequence,
)
from tlpo.engines.base import Execution, delegate
from tlpo.errors import InputError, explain
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fingerprint import journaled
from tlpo.execution.fits import require_estimator
from tlpo.execution.journal import JournalLike
from tlpo.problem.labels import Labels
from tlpo.problem.problem import Problem, make_problem
from tlpo.results.ranking import Ranking
from tlpo.results.summary import (
    Repeated,
    Summary,
    describe,
    played_row,
    sample_sd,
    spread_note,
)
from tlpo.roc.curve import wmw_auc
from tlpo.schemes.holdout import PooledScores, require_trainable


@dataclass(frozen=True, eq=False, repr=False)
class PooledKFold(Repeated, Summary, Ranking):
    """K-fold with the scores of all folds pooled, once or several times.

    Attributes
    ----------
    repeats : tuple of PooledScores
        One for each random division into folds.
    labels : Labels
        Class of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    """

    repeats: tuple[PooledScores, ...]
    labels: Labels
    diagnostics: Diagnostics

    @property
    def scores(self) -> FloatArray:
        """Held-out scores of the only repeat."""
        if len(self.repeats) > 1:
            raise InputError(
                explain(
                    "Several repeats have several sets of scores.",
                    f"This result has {len(self.repeats)} repeats.",
                    "Use .repeats[k].scores and .repeats[k].roc_curve().",
                )
            )
        return self.repeats[0].scores

    @property
    def aucs(self) -> FloatArray:
        """Pooled AUC of each repeat."""
        return np.array([repeat.auc for repeat in self.repeats])

    def _title(self) -> str:
        return f"Pooled {self.repeats[0].scheme} of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.repeats[0].estimator_name),
            ("pooled AUC", f"{self.auc:.4f}{spread_note(self.aucs, 'repeats')}"),
            ("played", played_row(self.diagnostics)),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class AveragedKFold(Summary):
    """K-fold with one AUC inside each fold, averaged.

    Attributes
    ----------
    scheme : str
        How units were held out.
    fold_aucs : ndarray of shape (n_repeats, n_splits)
        AUC inside each test fold; NaN for folds that lack a class.
    labels : Labels
        Class of every unit.
    diagnostics : Diagnostics
        Fits, seconds, warnings.
    estimator_name : str
        What was evaluated.
    """

    scheme: str
    fold_aucs: FloatArray
    labels: Labels
    diagnostics: Diagnostics
    estimator_name: str

    @property
    def auc(self) -> float:
        """Mean over the folds that have an AUC; NaN if none has."""
        defined = self.fold_aucs[~np.isnan(self.fold_aucs)]
        return float(defined.mean()) if defined.size else float("nan")

    @property
    def spread(self) -> float:
        """Standard deviation over repeats; NaN for one repeat."""
        defined = np.sum(~np.isnan(self.fold_aucs), axis=1)
        kept = defined > 0
        return sample_sd(np.nansum(self.fold_aucs[kept], axis=1) / defined[kept])

    @property
    def n_without_auc(self) -> int:
        """Number of folds without both classes, which have no AUC."""
        return int(np.count_nonzero(np.isnan(self.fold_aucs)))

    def _title(self) -> str:
        return f"Averaged {self.scheme} of {self.labels.count}"

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("estimator", self.estimator_name),
            ("averaged AUC", f"{self.auc:.4f}"),
            ("folds", f"{self.fold_aucs.size}, of which {self.n_without_auc} had no AUC"),
            ("played", played_row(self.diagnostics)),
        ]


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
    """
    require_choice("pooling", pooling, ("pooled", "averaged"))
    folds = play_kfold(
        estimator,
        make_problem(X, y, positive=positive, groups=groups, params=params, min_per_class=2),
        n_splits=n_splits,
        n_repeats=n_repeats,
        stratified=stratified,
        random_state=random_state,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    return folds.pooled() if pooling == "pooled" else folds.averaged()


@dataclass(frozen=True, eq=False)
class Folds:
    """Held-out answers of every fold of every repeat; both kinds of pooling start here."""

    scheme: str
    labels: Labels
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
        """Take the AUC inside each fold."""
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


def play_kfold(
    estimator: Any,
    problem: Problem,
    *,
    n_splits: int,
    n_repeats: int,
    stratified: bool,
    random_state: RandomState,
    engine: str,
    n_jobs: int | None,
    progress: bool,
    journal: JournalLike,
) -> Folds:
    """Fit every fold of every repeat."""
    require_estimator(estimator)
    require_count("n_splits", n_splits, 2, problem.n_units)
    require_count("n_repeats", n_repeats, 1)
    seeds = seed_sequence(random_state).generate_state(n_repeats)
    tests = [_fold_tests(problem, n_splits, stratified, int(seed)) for seed in seeds]
    held_out = [test for repeat in tests for test in repeat]
    require_trainable(problem, held_out)
    folds = {"n_splits": n_splits, "n_repeats": n_repeats, "stratified": stratified}
    seed = journal_seed(journal, random_state)
    with journaled(journal, "kfold", estimator, problem, **folds, seed=seed) as part:
        execution = Execution(n_jobs, progress, journal=part)
        engine, answered = delegate(
            engine,
            estimator,
            problem,
            lambda player: player.hold_out(estimator, problem, held_out, execution),
        )
    flat = answered.responses
    return Folds(
        scheme=f"{n_splits}-fold",
        labels=problem.labels,
        tests=tests,
        answers=[flat[k : k + n_splits] for k in range(0, len(flat), n_splits)],
        engine=engine,
        diagnostics=answered.diagnostics,
        estimator_name=describe(estimator),
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
        # A class smaller than K: what that does is counted in the result instead.
        warnings.filterwarnings("ignore", message="The least populated class")
        y = problem.labels.is_positive.astype(int)
        if n_splits > np.bincount(y).max():  # nothing left to stratify
            kind = KFold if problem.groups is None else GroupKFold
        splitter = kind(n_splits=n_splits, shuffle=True, random_state=seed)
        return [test for _, test in splitter.split(np.zeros(y.size), y, problem.groups)]
