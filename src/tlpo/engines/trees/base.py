"""What engines that grow trees without every pair have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.by_sets import BySets
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
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


class Growing(BySets):
    """An engine that grows trees without every pair, split for split as scikit-learn does.

    With a ``random_state``, games are those of refitting. Without one, refitting is random where
    splits are equally good, or features drawn, and games have its distribution.
    """

    plays_varying = False

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

    @abstractmethod
    def respond_to(self, fit: Fit) -> FloatArray | None:
        """Return the response of a fit on units that may be repeated; None if it must be fitted."""

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Grow trees on units that may be drawn repeatedly."""
        _ = self.features  # made once for all threads
        parts = slices(len(fits), min(thread_count(None), max(1, len(fits))))
        found = in_threads(self._respond, [(fits[part],) for part in parts])
        return [response for part in found for response in part]

    def _respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        return [
            None if self.prepared.is_exception(fit.train) else self.respond_to(fit) for fit in fits
        ]

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Return the responses for a held-out pair; unseeded, another fit may find others."""
        response, error = super().answer_pair(pair, execution)
        return response, error if self.is_seeded else np.inf

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:  # noqa: ARG002
        """Return about how many fits games are worth; nothing is grown."""
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
        step = max(1, int(CELLS / (self.features.x.size * self.n_trees)))
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
