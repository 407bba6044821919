"""The engine for LogisticRegressionCV: the penalty is chosen anew without every pair.

Its solver is followed on every fold and from penalty to penalty, see `folds`. So scores are those
of the estimator itself, except for rounding, and so is the choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Chosen, Engine
from tlpo.engines.by_sets import CELLS, Answers, BySets
from tlpo.engines.choice.folds import Splits, Unreadable
from tlpo.engines.choice.order import answer_in_order
from tlpo.engines.choice.scores import Judged, Score, may_be_best
from tlpo.engines.doubts import may_swap
from tlpo.engines.linear import OnRows, shares, some
from tlpo.engines.logistic.engine import Logistic
from tlpo.engines.logistic.grid import ESTIMATORS, Grid, grid_of, scorer_of
from tlpo.engines.preparation.columns import Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads

# Sets that are followed in one thread, at least.
SETS_A_THREAD = 20

# Some sets, and what compiled loops need of them.
Share = tuple[slice, tuple[Any, ...]]


class Followed(NamedTuple):
    """Models of all folds of some training sets, at all penalties.

    Attributes
    ----------
    units : ndarray of shape (g, K, f)
        Who judges each fold; -1 after the last.
    response : ndarray of shape (g, K, c, f)
        What its models respond to them.
    error : ndarray of shape (g, K, c)
        How far that may be off.
    means : ndarray of shape (2, g, c, k)
        Mean coefficients over folds, of two paths.
    """

    units: IntArray
    response: FloatArray
    error: FloatArray
    means: FloatArray


class LogisticCV(OnRows):
    """Logistic regression whose L2 penalty is chosen by cross-validation inside every fit."""

    name = "logistic"
    quick_games = 7_500
    estimators = ESTIMATORS
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        grid = grid_of(prepared.model)
        if isinstance(grid, str):
            raise EngineError(grid)
        self.grid: Grid = grid
        self.objective = grid.objective
        m = self.problem.n_units
        self._is_partial = False
        self._chosen = np.full((m, m), -1, dtype=np.int16)
        model, labels = prepared.model, np.asarray(self.problem.y)
        try:
            self.splits = Splits(model.cv, labels, is_classifier=True)
            if self.splits.looks_at_features and prepared.columns is not None:
                raise Unreadable("A splitter that may look at prepared features is not covered.")
            scorer = scorer_of(model, np.unique(labels))
            target = self.problem.scaled_target
            self.score = Score(scorer, LogisticRegression(), labels, target, True, False, True)
            self.splits.require_same(self.problem)
        except (Unreadable, ValueError, TypeError) as error:
            raise EngineError(str(error)) from None

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        grid = grid_of(prepared.model)
        if isinstance(grid, str):
            return grid
        if prepared.columns is None:
            if sparse.issparse(prepared.problem.X):
                return "The path of LogisticRegressionCV on sparse data is not covered."
        elif prepared.columns.n_best is not None:
            return "LogisticRegressionCV after a selection of features is not covered."
        if prepared.problem.params:
            given = ", ".join(prepared.problem.params)
            return f"The path of LogisticRegressionCV does not cover the fit arguments {given}."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Choose a penalty without each set, and follow the fit with it."""
        _ = self._is_followed  # raises if it is not
        fitted = self._fitted(sets)
        followed = self._follow(sets, fitted, execution)
        chosen = self._choose(followed)
        if sets.shape[1] == 2:
            self._chosen[tuple(np.sort(sets).T)] = chosen
        return self._finish(sets, fitted, chosen, followed.means, execution)

    def answer_in_order(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow only models of pairs that penalties order differently."""
        may_skip = self.splits.keeps_classes and not self.problem.leaves_out_more
        if not may_skip or not self._at_penalties:
            return self.answer(sets, execution)
        _ = self._is_followed  # raises if it is not
        self._is_partial = True
        return answer_in_order(self._at_penalties, self.answer, sets, execution)

    def chosen(self) -> Chosen | None:
        """Count what was chosen without the pairs that were played; None if not for each."""
        if self._is_partial:
            return None
        numbers = self._chosen[self._chosen >= 0]
        counts = np.bincount(numbers, minlength=self.grid.Cs.size)
        order = np.argsort(self.grid.Cs, kind="stable")
        settings = {f"C = {self.grid.Cs[c]:.3g}": int(counts[c]) for c in order if counts[c]}
        return Chosen(numbers.size, settings)

    def _parts(self, count: int, size: int) -> Iterator[slice]:  # noqa: ARG002
        width = max(self.columns.n_units, self.columns.n_columns + 1)
        step = max(1, CELLS // (self.grid.Cs.size * width))
        for start in range(0, count, step):
            yield slice(start, min(count, start + step))

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Follow the solver on units that may be drawn repeatedly."""
        _ = self._is_followed  # raises if it is not
        return [self._respond(fit) for fit in fits]

    def _respond(self, fit: Fit) -> FloatArray | None:
        columns, n = self.columns, fit.train.size
        fitted = self._full if columns.is_fixed else columns.fit_on(fit.train)
        if self.prepared.is_exception(fit.train, self.notices_empty) or np.isinf(fitted.growth[0]):
            return None
        # A table of its own, in which those to respond to are left out.
        units = np.concatenate([fit.train, fit.test])
        asked = np.arange(n, units.size)[None]
        shared = self._shared(fitted, self._factors_drawn(fit.train), units)
        only = [(slice(0, 1), shared)]
        is_train, places = self.splits.cut_drawn(self.problem, fit.train)
        is_train = np.pad(is_train, ((0, 0), (0, 0), (0, fit.test.size)))
        followed = self._empty(is_train.shape[:2], places)
        self._follow_in(only, is_train, followed)
        judges = np.where(places < 0, -1, fit.train[places])
        chosen = self._choose(followed._replace(units=judges))
        response, error = self._finish_in(only, asked, chosen, followed.means)
        level = self.problem.labels.level[fit.test]
        return None if may_swap(response[0], error[0], level).any() else response[0]

    def _follow(self, sets: IntArray, fitted: Fitted, execution: Execution) -> Followed:
        """Follow the solver on all folds."""
        is_train, units = self.splits.cut(self.problem, sets)
        followed = self._empty(is_train.shape[:2], units)
        self._follow_in(self._shares(sets, fitted, execution), is_train, followed)
        return followed

    def _empty(self, shape: tuple[int, ...], units: IntArray) -> Followed:
        n_penalties, k = self._alphas.shape
        return Followed(
            units,
            np.zeros((*shape, n_penalties, units.shape[2])),
            np.empty((*shape, n_penalties)),
            np.empty((2, shape[0], n_penalties, k)),
        )

    def _follow_in(self, shares: Iterable[Share], is_train: BoolArray, followed: Followed) -> None:
        from tlpo.engines.logistic.folds import follow_folds

        units, response, error, means = followed
        calls = [
            (*shared, is_train[at], units[at], *means[:, at], response[at], error[at])
            for at, shared in shares
        ]
        with one_blas_thread():
            in_threads(follow_folds, calls)

    def _finish(
        self,
        sets: IntArray,
        fitted: Fitted,
        chosen: IntArray,
        means: FloatArray,
        execution: Execution,
    ) -> Answers:
        """Follow the last fits, from the mean coefficients of the folds."""
        answers = self._finish_in(self._shares(sets, fitted, execution), sets, chosen, means)
        answers.error[~np.isfinite(fitted.growth)] = np.inf
        return answers

    def _finish_in(
        self, shares: Iterable[Share], sets: IntArray, chosen: IntArray, means: FloatArray
    ) -> Answers:
        from tlpo.engines.logistic.folds import finish

        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        calls = [
            (*shared, sets[at], chosen[at], *means[:, at], answers.response[at], answers.error[at])
            for at, shared in shares
        ]
        with one_blas_thread():
            in_threads(finish, calls)
        return answers

    def _shares(self, sets: IntArray, fitted: Fitted, execution: Execution) -> Iterator[Share]:
        """Yield a part of the sets for every thread, and what compiled loops need of it."""
        factor = self._factors(sets)
        for part in shares(np.arange(len(sets)), SETS_A_THREAD, execution):
            at = slice(int(part[0]), int(part[-1]) + 1)
            yield at, self._shared(some(fitted, at), factor[at])

    def _shared(
        self, fitted: Fitted, factor: FloatArray, units: IntArray | slice = slice(None)
    ) -> tuple[Any, ...]:
        """Return what compiled loops need of some sets, in a table of some units."""
        from tlpo.engines.logistic.lbfgs import TREMOR

        columns, growth = self.columns, fitted.growth
        return (
            columns.values[units],
            columns.missing[units],
            *(np.ascontiguousarray(part) for part in fitted[:3]),
            self._target[units],
            self._weight[units],
            factor,
            self._alphas,
            TREMOR * np.where(np.isfinite(growth), growth, 1.0),
            self.objective.tol,
            self.objective.max_iter,
        )

    def _choose(self, followed: Followed) -> IntArray:
        """Return which penalty has the best score in each training set; -1 where that is open."""
        low, high, sure = self._bounds(followed)
        may_win = may_be_best(low.swapaxes(1, 2), high.swapaxes(1, 2))
        # A solver that need not move from the coefficients of the penalty before has its scores.
        is_same = np.diff(followed.response, axis=2) == 0.0
        is_copy = is_same.all(axis=(1, 3)) & np.isfinite(followed.error[:, :, 1:]).all(axis=1)
        may_win[:, 1:] &= ~is_copy
        chosen: IntArray = np.asarray(may_win.argmax(axis=1))
        for s in np.flatnonzero(may_win.sum(axis=1) > 1).tolist():
            chosen[s] = self._take_best(followed, s, may_win[s], low[s], sure[s])
        return chosen

    def _take_best(
        self, followed: Followed, s: int, may_win: BoolArray, low: FloatArray, sure: BoolArray
    ) -> int:
        """Return which of several penalties has the best score, -1 if rounding could decide."""
        if not sure[:, may_win].all():
            return -1
        scores = np.full(low.shape, -np.inf)
        if self.score.kind == "counts":
            scores[:, may_win] = low[:, may_win]
        else:
            for number in range(len(low)):
                judged = self._judged(followed, np.array([s]), np.array([number]))
                for c in np.flatnonzero(may_win).tolist():
                    if not self.score.is_settled(judged, c):
                        return -1
                    scores[number, c] = self.score.exact(judged, c)
        total = scores.sum(axis=0)
        return -1 if np.isnan(total).any() else int(total.argmax())

    def _bounds(self, followed: Followed) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return between what the scores of all folds and penalties lie, and which are sure."""
        shape = followed.error.shape
        low, high, sure = np.empty(shape), np.empty(shape), np.empty(shape, dtype=bool)
        sizes = np.count_nonzero(followed.units >= 0, axis=2)
        for size in np.unique(sizes):
            s, number = np.nonzero(sizes == size)
            bounds = self.score.bounds(self._judged(followed, s, number))
            for mine, found in zip((low, high, sure), bounds, strict=True):
                mine[s, number] = found.reshape(s.size, -1)
        return low, high, sure

    def _judged(self, followed: Followed, s: IntArray, number: IntArray) -> Judged:
        """Return what is known of some folds of one size: all penalties of the first, and so on."""
        units = followed.units[s, number]
        units = units[:, : np.count_nonzero(units[0] >= 0)]
        response = followed.response[s, number][:, :, : units.shape[1]]
        if not self._is_second_positive:
            response = -response
        error = np.broadcast_to(followed.error[s, number][:, :, None], response.shape)
        return Judged(
            response.reshape(-1, units.shape[1]),
            error.reshape(-1, units.shape[1]),
            np.repeat(units, response.shape[1], axis=0),
        )

    @property
    def _is_second_positive(self) -> bool:
        labels = self.problem.labels
        return bool(labels.in_order[1] == labels.positive)

    @cached_property
    def _alphas(self) -> FloatArray:
        return self.grid.alphas(self.columns.n_columns)

    @cached_property
    def _at_penalties(self) -> list[BySets]:
        """Engines of logistic regression at every penalty; none if one has no bound.

        A bound on where the solver stops holds wherever it starts.
        """
        found: list[BySets] = []
        for C in self.grid.Cs:
            prepared = replace(self.prepared, model=self.grid.model_at(C))
            engine = Logistic.by_sets(prepared)
            if isinstance(engine, str):
                return []
            try:
                engine.bracket(np.arange(2)[None], Execution())
            except EngineError:
                return []
            found.append(engine)
        return found

    @cached_property
    def _is_followed(self) -> bool:
        """Whether scores of all units are those of the estimator; raises if they are not."""
        nobody, problem = np.empty((1, 0), dtype=np.intp), self.problem
        X = self._rows(self._full)[:, : self.columns.n_columns]
        model = clone(self.estimator).set_params(use_legacy_attributes=True)
        with one_blas_thread(), recording(WarningLog()):  # as refits are run
            fitted = model.fit(X, problem.y)
        if fitted.n_iter_.max() >= self.objective.max_iter:
            raise EngineError(
                f"LogisticRegressionCV does not converge within {self.objective.max_iter} "
                "iterations; scale the features or pass a larger max_iter."
            )
        low, high, _ = self._bounds(self._follow(nobody, self._full, Execution()))
        (own,) = fitted.scores_.values()
        own = np.reshape(own, low[0].shape)
        slack = 1e-9 * np.maximum(1.0, np.abs(own))
        if np.any((own < low[0] - slack) | (own > high[0] + slack)):
            raise EngineError("LogisticRegressionCV has other scores than those of known steps.")
        return True


ENGINE: type[Engine] = LogisticCV
