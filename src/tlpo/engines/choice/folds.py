"""How training sets are cut into folds, by the splitter that the user passed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import EngineError
from tlpo.problem.problem import Problem

# They look only at the number of units, or at that and labels: where these are the same, so are
# the folds.
LOOK_AT_SIZE = frozenset({KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit})
LOOK_AT_LABELS = frozenset({RepeatedStratifiedKFold, StratifiedKFold, StratifiedShuffleSplit})
# Of the latter, those that list the units of a fold as they stand.
IN_ORDER = frozenset({RepeatedStratifiedKFold, StratifiedKFold})
# Training sets whose folds are compared with those of the splitter itself.
COMPARED = 3
# Folds are drawn so often to see whether they are the same each time: few units have few folds.
DRAWS = 8


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
    """A choice has no engine; the sentence says why."""


@dataclass(eq=False)
class Splits:
    """Cuts training sets into folds.

    Attributes
    ----------
    cv : Any
        How the user wants them cut.
    labels : ndarray of shape (m,)
        Labels or numbers of all units.
    is_classifier : bool
        Whether labels are classes.
    """

    cv: Any
    labels: npt.NDArray[Any]
    is_classifier: bool
    _known: dict[tuple[int, ...], list[Fold]] = field(default_factory=dict, repr=False)
    _left_to_compare: int = field(default=COMPARED, repr=False)
    _is_by_rank: bool = field(default=True, repr=False)

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

    def cut(self, problem: Problem, sets: IntArray) -> tuple[BoolArray, IntArray]:
        """Return who trains on every fold without each set, and who judges it.

        Arrays of shape (g, K, m) and (g, K, f), with -1 after the last judge.
        """
        m = problem.n_units
        trains, tests = [], []
        for units in sets:
            is_in = np.ones(m, dtype=bool)
            is_in[units] = False
            own = np.flatnonzero(is_in)
            folds = self._readable(problem, own)
            trains.append([own[fold.train] for fold in folds])
            tests.append([own[fold.test] for fold in folds])
        return _masks(trains, tests, m)

    def cut_drawn(self, problem: Problem, drawn: IntArray) -> tuple[BoolArray, IntArray]:
        """Cut units that may be drawn repeatedly, as `cut` does; who, as places among them."""
        folds = self._readable(problem, drawn)
        trains, tests = [fold.train for fold in folds], [fold.test for fold in folds]
        return _masks([trains], [tests], drawn.size)

    def _readable(self, problem: Problem, train: IntArray) -> list[Fold]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.folds(problem, train)
        except Exception as error:  # as a refit will say
            raise EngineError(f"A training set cannot be split: {error}") from None

    @property
    def looks_at_features(self) -> bool:
        """Whether folds may depend on the features."""
        return type(self.splitter) not in LOOK_AT_SIZE | LOOK_AT_LABELS

    @property
    def keeps_classes(self) -> bool:
        """Whether every fold without a pair is sure to train on all classes, and to judge them."""
        splitter = self.splitter
        if not self.is_classifier or type(splitter) not in IN_ORDER:
            return False
        n_splits = getattr(splitter, "n_splits", None) or splitter.cvargs["n_splits"]
        return bool(np.bincount(self._codes).min() - 2 >= n_splits)

    def require_same(self, problem: Problem) -> int:
        """Return the number of folds, and refuse a splitter that draws others each time."""
        train = np.arange(problem.n_units)[2:]
        first: list[Fold] = []
        for _ in range(DRAWS):
            self._known.clear()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # fits say the same
                folds = self.folds(problem, train)
            first = first or folds
            if not are_same(first, folds):
                raise Unreadable("The search draws other folds each time: give cv a random_state.")
        return len(first)

    @cached_property
    def splitter(self) -> Any:
        """Splits training sets."""
        return check_cv(self.cv, self.labels, classifier=self.is_classifier)

    @cached_property
    def _codes(self) -> IntArray:
        return np.unique(self.labels, return_inverse=True)[1].reshape(-1)


def _masks(
    trains: list[list[IntArray]], tests: list[list[IntArray]], m: int
) -> tuple[BoolArray, IntArray]:
    """Return who trains on the folds of some sets, and who judges them."""
    g, n_folds = len(trains), len(trains[0])
    if any(len(folds) != n_folds for folds in trains):
        raise EngineError("Training sets are split into different numbers of folds.")
    is_train = np.zeros((g * n_folds, m), dtype=bool)
    for row, units in zip(is_train, chain(*trains), strict=True):
        row[units] = True
    found = list(chain(*tests))
    sizes = np.array([units.size for units in found])
    judges = np.full((sizes.size, sizes.max()), -1)
    judges[np.arange(sizes.max()) < sizes[:, None]] = np.concatenate(found)
    return is_train.reshape(g, n_folds, m), judges.reshape(g, n_folds, -1)


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
