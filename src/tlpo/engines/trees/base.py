"""What engines that grow trees without every pair have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.fitted_steps import FittedSteps
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.preparation.stage import numbers
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.games.response import fits_numbers
from tlpo.games.schedule import Schedule

if TYPE_CHECKING:
    from tlpo.engines.trees.table import Features

# Cells of training sets, times trees, that are grown between two reports of progress: a second.
CELLS = 5e7
# Games that take as long as one fit of the estimator, at least.
GAMES_A_FIT = 30.0
# Larger numbers have squares that overflow.
LARGEST = 1e100
# How far a mean may be off, relative to it.
ROUNDING = 1e-14


class Growing(BySets):
    """An engine that grows trees without every pair, split for split as scikit-learn does.

    With a ``random_state``, games are those of refitting. Without one, refitting is random where
    splits are equally good, or features drawn, and games have its distribution.
    """

    fits_steps = True

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self._steps = FittedSteps(prepared, numbers)
        if self.fits_anew:
            everyone = np.arange(self.problem.n_units)
            features = self._features_by_steps(Fit(everyone, everyone[:1]), WarningLog())
            if features is None:
                raise EngineError(
                    f"What reaches {type(self.estimator).__name__} is not a matrix of finite "
                    "numbers in double precision."
                )

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        if prepared.problem.params:
            given = ", ".join(prepared.problem.params)
            return f"{type(prepared.model).__name__} with the fit arguments {given} is not covered."
        return None

    @classmethod
    def by_sets(cls, prepared: Prepared) -> BySets | str:
        """Return the engine for a model, or why it does not apply to searches among models."""
        if prepared.model.random_state is None:
            name = type(prepared.model).__name__
            return f"{name} is random: give it a random_state to search without refitting."
        return super().by_sets(prepared)

    @property
    def n_trees(self) -> int:
        """How many trees a model has."""
        return 1

    @property
    def fits_anew(self) -> bool:
        """Whether steps before the model are fitted to every training set."""
        return self.prepared.is_unknown

    @abstractmethod
    def answer_fixed(self, sets: IntArray, execution: Execution) -> Answers:
        """Answer sets if features are the same in every training set."""

    @abstractmethod
    def respond_to(self, fit: Fit, features: Features, y: FloatArray) -> FloatArray | None:
        """Return the response of a fit on units that may be repeated; None if it must be fitted.

        Units are numbered as in ``features``; ``y`` is the target of those to train on.
        """

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Grow trees without some sets."""
        sets = as_rows(sets)
        if self.prepared.columns is not None or self.fits_anew:
            return self.answer_anew(sets, execution)
        answers = self.answer_fixed(sets, execution)
        if self.prepared.steps is not None:
            odd = self.prepared.are_exceptions(sets)
            if odd.any():
                anew = self.answer_anew(sets[odd], execution)
                answers.response[odd], answers.error[odd] = anew
        return answers

    def are_exceptions(self, sets: IntArray) -> BoolArray:
        """Return which sets must be refitted; steps that change without some are fitted."""
        if self.prepared.steps is not None:
            return np.zeros(len(sets), dtype=bool)
        return super().are_exceptions(sets)

    def answer_anew(self, sets: IntArray, execution: Execution) -> Answers:
        """Grow trees on features that each training set prepares."""
        train = without(self.problem.n_units, sets)
        fits = [Fit(*both) for both in zip(train, sets, strict=True)]
        found = self._in_threads(fits, execution.n_jobs)
        unknown = np.full((sets.shape[1], *self.problem.outcome.response_shape), np.nan)
        response = np.array([unknown if own is None else own for own in found])
        return Answers(response, np.zeros(response.shape))

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Grow trees on units that may be drawn repeatedly."""
        return self._in_threads(fits, None)

    def _in_threads(self, fits: Sequence[Fit], n_jobs: int | None) -> list[FloatArray | None]:
        if self.prepared.columns is None and not self.fits_anew:
            _ = self.features  # made once for all threads
        if self.prepared.steps is not None:
            return self._steps.in_threads(self._respond, fits, n_jobs)
        parts = slices(len(fits), min(thread_count(n_jobs), max(1, len(fits))))
        found = in_threads(self._respond, [(fits[part], WarningLog()) for part in parts])
        return [response for part in found for response in part]

    def _respond(self, fits: Sequence[Fit], log: WarningLog) -> list[FloatArray | None]:
        found = []
        for fit in fits:
            asked, features = fit, self._features_on(fit.train)
            if features is None and self.prepared.steps is not None:
                features = self._features_by_steps(fit, log)
                n = fit.train.size
                asked = Fit(np.arange(n), np.arange(n, n + fit.test.size))
            y = self.target[fit.train]
            found.append(None if features is None else self.respond_to(asked, features, y))
        return found

    def _features_on(self, train: IntArray) -> Features | None:
        """Return the features by a training set, None if only fits can tell."""
        from tlpo.engines.trees.table import features_of

        columns = self.prepared.columns
        if self.fits_anew or self.prepared.is_exception(train):
            return None
        if columns is None:
            return self.features
        fitted = columns.fit_on(train)
        fill = fitted.fill[0]
        # A mean may be off by rounding, which single precision nearly always hides.
        slack = ROUNDING * np.abs(fill)
        if not np.isfinite(fitted.growth[0]) or np.any(
            (fill - slack).astype(np.float32) != (fill + slack).astype(np.float32)
        ):
            return None
        return features_of(columns.prepared(fitted, 0, np.arange(columns.n_units)))

    def _features_by_steps(self, fit: Fit, log: WarningLog) -> Features | None:
        """Fit the steps, and return the features of the units to train on, then of the others.

        None if trees are not grown here on what reaches the model.
        """
        from tlpo.engines.trees.table import features_of

        found = self._steps.matrices(fit, log)
        try:
            return None if found is None else features_of(np.concatenate(found))
        except (EngineError, ValueError):
            return None

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Return the responses for a held-out pair; unseeded, another fit may find others."""
        response, error = super().answer_pair(pair, execution)
        self._steps.forget()  # nobody has seen these
        return response, error if self.is_seeded else np.inf

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:  # noqa: ARG002
        """Return about how many fits games are worth; nothing is grown."""
        if self.prepared.columns is None and not self.fits_anew:
            _ = self.features
        return float(1.0 + len(schedule.games(self.problem.outcome)) / GAMES_A_FIT)

    @property
    def is_seeded(self) -> bool:
        """Whether every fit draws the same."""
        return self.estimator.random_state is not None

    @cached_property
    def features(self) -> Features:
        """The features, sorted."""
        from tlpo.engines.trees.table import features_of

        return features_of(self.problem.X)

    @cached_property
    def target(self) -> FloatArray:
        """What is predicted: numbers, or numbers of classes."""
        if not fits_numbers(self.estimator):
            return np.unique(self.problem.y, return_inverse=True)[1].reshape(-1).astype(np.float64)
        if np.abs(self.problem.target).max() > LARGEST:
            raise EngineError("The squares of such large numbers overflow.")
        return np.array(self.problem.target)  # numba would compile again for one that is read-only

    @property
    def is_second_positive(self) -> bool:
        """Whether the second of two labels, for which classifiers answer, is the positive one."""
        labels = self.problem.labels
        return bool(labels.positive == labels.in_order[1])

    def shares(self, count: int, execution: Execution) -> list[slice]:
        """Cut sets into parts for threads."""
        return slices(count, min(thread_count(execution.n_jobs), max(1, count)))

    def _parts(self, count: int, size: int) -> Iterator[slice]:
        columns = self.prepared.columns
        shape = np.shape(self.problem.X) if columns is None else columns.values.shape
        step = max(1, int(CELLS / (shape[0] * shape[1] * self.n_trees)))
        for part in super()._parts(count, size):
            for start in range(part.start, part.stop, step):
                yield slice(start, min(part.stop, start + step))


def without(n_units: int, sets: IntArray) -> IntArray:
    """Return the training set of every held-out set, one row each."""
    is_left = np.ones((len(sets), n_units), dtype=bool)
    np.put_along_axis(is_left, sets, values=False, axis=1)
    return np.nonzero(is_left)[1].reshape(len(sets), -1)


def as_rows(sets: IntArray) -> IntArray:
    """Return a copy of sets, row by row: numba would compile again for another layout."""
    return np.array(sets, dtype=np.intp, order="C")
