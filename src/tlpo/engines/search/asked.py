"""What a search asks: which candidates, on which folds, judged by which score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier
from sklearn.linear_model import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    ParameterGrid,
    ParameterSampler,
    RandomizedSearchCV,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from tlpo.arrays import IntArray
from tlpo.games.response import fits_numbers
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem

# Searches that try all candidates on all folds, and ridge regressions that do the same inside.
SEARCHES = frozenset({GridSearchCV, RandomizedSearchCV})
RIDGES = frozenset({RidgeClassifierCV, RidgeCV})
# They look only at the number of units, or at that and labels: where these are the same, so are
# the folds.
LOOK_AT_SIZE = frozenset({KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit})
LOOK_AT_LABELS = frozenset({RepeatedStratifiedKFold, StratifiedKFold, StratifiedShuffleSplit})
# Of the latter, those that list the units of a fold as they stand.
IN_ORDER = frozenset({RepeatedStratifiedKFold, StratifiedKFold})
# Training sets whose folds are compared with those of the splitter itself.
COMPARED = 3


class Fold(NamedTuple):
    """A fold, as places among the units of a training set.

    Attributes
    ----------
    train, test : ndarray
        Units that the model is trained and judged on.
    rest : ndarray
        All but ``train``; starts with ``test``.
    """

    train: IntArray
    test: IntArray
    rest: IntArray


class Unreadable(Exception):  # noqa: N818
    """A search has no engine; the sentence says why."""


@dataclass(eq=False)
class Asked:
    """What a search asks of every training set.

    Attributes
    ----------
    candidates : list of estimator
        The estimators to choose from; of equal ones the first is taken.
    labels : ndarray of shape (m,)
        What they are fitted to.
    cv : Any
        How the user wants training sets split.
    scorer : callable
        What judges a fitted candidate.
    catches : bool
        Whether a candidate that fails counts as the worst.
    """

    candidates: list[Any]
    labels: npt.NDArray[Any]
    cv: Any
    scorer: Callable[..., float]
    catches: bool
    _known: dict[tuple[int, ...], list[Fold]] = field(default_factory=dict, repr=False)
    _left_to_compare: int = field(default=COMPARED, repr=False)
    _is_by_rank: bool = field(default=True, repr=False)

    @cached_property
    def is_classifier(self) -> bool:
        """Whether the candidates are classifiers."""
        return bool(is_classifier(self.candidates[0]))

    def folds(self, problem: Problem, train: IntArray) -> list[Fold]:
        """Split a training set as the search would."""
        kind = type(self.splitter)
        if kind in LOOK_AT_SIZE:
            key = (train.size,)
            if key not in self._known:
                self._known[key] = self._split(np.zeros((train.size, 1)), train)
            return self._known[key]
        if kind in LOOK_AT_LABELS and self._is_by_rank:
            return self._folds_by_rank(train)
        return self._split(problem.rows(train), train)

    def _folds_by_rank(self, train: IntArray) -> list[Fold]:
        """Split as a training set with classes of the same sizes was split.

        A splitter that looks at labels gives the first, second, … unit of a class to the same
        folds, wherever they stand; only which class comes first matters as well.
        """
        codes = self._codes[train]
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        by_appearance = np.argsort(order[starts])
        key = (*np.bincount(codes).tolist(), *by_appearance.tolist())
        if key not in self._known:
            direct = self._split(np.zeros((train.size, 1)), train)
            rank = np.argsort(order)
            self._known[key] = [Fold(*(rank[part] for part in fold)) for fold in direct]
            return direct
        folds = [Fold(*(order[part] for part in fold)) for fold in self._known[key]]
        if type(self.splitter) in IN_ORDER:
            folds = [Fold(np.sort(fold.train), np.sort(fold.test), fold.rest) for fold in folds]
            folds = [
                fold._replace(rest=np.concatenate([fold.test, fold.rest[fold.test.size :]]))
                for fold in folds
            ]
        if self._left_to_compare:
            self._left_to_compare -= 1
            direct = self._split(np.zeros((train.size, 1)), train)
            if not are_same(folds, direct):
                self._is_by_rank = False
                return direct
        return folds

    def _split(self, X: Any, train: IntArray) -> list[Fold]:
        return list(_split(self.splitter, X, self.labels[train]))

    def forget(self) -> None:
        """Split anew."""
        self._known.clear()

    @cached_property
    def splitter(self) -> Any:
        """Splits training sets."""
        return check_cv(self.cv, self.labels, classifier=self.is_classifier)

    @cached_property
    def _codes(self) -> IntArray:
        return np.unique(self.labels, return_inverse=True)[1].reshape(-1)


def _split(splitter: Any, X: Any, labels: npt.NDArray[Any]) -> Iterator[Fold]:
    places = np.arange(labels.size)
    for one, other in splitter.split(X, labels):
        train, test = places[one], places[other]  # masks become places
        times = np.bincount(np.concatenate([train, test]), minlength=labels.size)
        if times.max() > 1:
            raise Unreadable("A fold of the search names a unit twice.")
        yield Fold(train, test, np.concatenate([test, np.flatnonzero(times == 0)]))


def are_same(one: list[Fold], other: list[Fold]) -> bool:
    """Return whether two splits are the same."""
    return len(one) == len(other) and all(
        np.array_equal(a.train, b.train) and np.array_equal(a.test, b.test)
        for a, b in zip(one, other, strict=True)
    )


def asked_by(model: Any, problem: Problem) -> Asked:
    """Return what a search asks; raises `Unreadable`."""
    if problem.params:
        raise Unreadable("A search with arguments of fit is refitted.")
    return _of_ridge(model, problem) if type(model) in RIDGES else _of_search(model, problem)


def _of_search(model: Any, problem: Problem) -> Asked:
    name = type(model).__name__
    if not model.refit or callable(model.refit):
        raise Unreadable(f"{name} is played without refitting only if it takes the best score.")
    if type(model) is GridSearchCV:
        settings = list(ParameterGrid(model.param_grid))
    else:
        seed = model.random_state
        if not isinstance(seed, int | np.integer):
            raise Unreadable(f"{name} draws other candidates each time: give it a random_state.")
        sampler = ParameterSampler(model.param_distributions, model.n_iter, random_state=seed)
        settings = list(sampler)
    candidates = [
        clone(model.estimator).set_params(**clone(setting, safe=False)) for setting in settings
    ]
    scoring = model.scoring
    if isinstance(scoring, list | tuple | set):
        scoring = model.refit
    elif isinstance(scoring, dict):
        scoring = scoring[model.refit]
    scorer = check_scoring(model.estimator, scoring)
    on_numbers = fits_numbers(model.estimator)
    labels = problem.target if on_numbers else problem.y
    catches = not isinstance(model.error_score, str) and bool(np.isnan(model.error_score))
    return Asked(candidates, np.asarray(labels), model.cv, scorer, catches)


def _of_ridge(model: Any, problem: Problem) -> Asked:
    name = type(model).__name__
    if model.cv is None:
        raise Unreadable(f"{name} chooses by its own leave-one-out.")
    if getattr(model, "class_weight", None) is not None:
        raise Unreadable(f"{name} with class weights is refitted.")
    if model.store_cv_results or model.alpha_per_target:
        raise Unreadable(f"{name} with these options is refitted.")
    is_clf = type(model) is RidgeClassifierCV
    kind = RidgeClassifier if is_clf else Ridge
    candidates = [
        kind(alpha=alpha, fit_intercept=model.fit_intercept)
        for alpha in np.asarray(model.alphas, dtype=float).reshape(-1)
    ]
    labels = problem.target
    if is_clf:
        if not isinstance(problem.outcome, Classes):
            raise Unreadable(f"{name} learns two classes.")
        is_second = np.asarray(problem.y == problem.labels.in_order[1])
        labels = np.where(is_second, 1, -1)
    scorer = check_scoring(candidates[0], model.scoring)
    return Asked(candidates, labels, model.cv, scorer, catches=True)
