"""Linear models of two classes without some units: what is minimised, rows and weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import Columns, Fitted
from tlpo.errors import EngineError
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, thread_count
from tlpo.problem.outcome import Classes

# Sets that are solved in one thread, at least.
SETS_A_THREAD = 50


@dataclass(frozen=True)
class Objective:
    """What a linear model minimises, and when its solver stops.

    Attributes
    ----------
    alpha : float
        The penalty.
    intercept : bool
        Whether there is one.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    tol, max_iter
        When the solver stops.
    solver : str
        Its name.
    """

    alpha: float
    intercept: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    tol: float
    max_iter: int
    solver: str

    @property
    def is_balanced(self) -> bool:
        """Whether the weights of the classes change with the training set."""
        return self.class_weight == "balanced"

    def class_weights(self, labels: Classes) -> tuple[float, float]:
        """Return the weights of negatives and positives, unless they are balanced."""
        if not isinstance(self.class_weight, dict):
            return 1.0, 1.0
        negative, positive = (
            float(self.class_weight.get(label, 1.0)) for label in (labels.negative, labels.positive)
        )
        return negative, positive


class OnRows(BySets):
    """An engine of linear models, bare or behind scalers and imputers.

    Attributes
    ----------
    objective : Objective
        What is minimised.
    """

    objective: Objective
    notices_empty = False

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=True)

    @cached_property
    def _full(self) -> Fitted:
        """The columns fitted on all units."""
        if self.columns.is_fixed:
            n = self.columns.n_columns
            return Fitted(np.zeros((1, n)), np.zeros((1, n)), np.ones((1, n)), np.ones(1))
        return self.columns.fit_without(np.empty((1, 0), dtype=np.intp))

    def _fitted(self, sets: IntArray) -> Fitted:
        """Fit the columns without each set; one row for all if they are the same."""
        if self.columns.is_fixed:
            return self._full._replace(growth=np.ones(len(sets)))
        return self.columns.fit_without(sets)

    def _rows(self, fitted: Fitted) -> FloatArray:
        """Return the rows of all units by one fit of the columns, with ones for an intercept."""
        X = np.ones((self.columns.n_units, self.columns.n_columns + self.objective.intercept))
        fill, shift, scale = fitted.fill[0], fitted.shift[0], fitted.scale[0]
        from tlpo.engines.preparation.kernels import prepare

        prepare(self.columns.values, self.columns.missing, fill, shift, scale, X)
        return X

    @cached_property
    def _target(self) -> FloatArray:
        return self.problem.labels.is_positive.astype(np.float64)

    @cached_property
    def _weight(self) -> FloatArray:
        """Weights of the units, without those of balanced classes."""
        labels = self.problem.labels
        weight = np.where(labels.is_positive, *self.objective.class_weights(labels)[::-1])
        given = self.problem.params.get("sample_weight")
        if given is None:
            return weight
        given = np.asarray(given, dtype=np.float64)
        if given.shape != weight.shape or not (given.min() > 0 and np.isfinite(given).all()):
            raise EngineError("The solution needs one positive sample weight per unit.")
        return np.asarray(weight * given)

    def _drawn_weight(self, units: IntArray) -> FloatArray:
        """Return the weights of units that may be drawn repeatedly."""
        weight = self._weight * np.bincount(units, minlength=self.problem.n_units)
        if self.objective.is_balanced:
            is_positive = self.problem.labels.is_positive
            drawn = np.array([weight[~is_positive].sum(), weight[is_positive].sum()])
            weight *= (drawn.sum() / (2.0 * drawn))[is_positive.astype(int)]
        return weight

    def _factors(self, sets: IntArray) -> FloatArray:
        """Return the weights of negatives and positives without each set, (g, 2)."""
        if not self.objective.is_balanced:
            return np.ones((len(sets), 2))
        n_out = self.problem.labels.is_positive[sets].sum(axis=1)
        return self._balanced(n_out, sets.shape[1])

    def _factors_drawn(self, units: IntArray) -> FloatArray:
        """Return the weights of negatives and positives among units drawn repeatedly, (1, 2)."""
        if not self.objective.is_balanced:
            return np.ones((1, 2))
        labels = self.problem.labels
        n_out = labels.n_positive - np.count_nonzero(labels.is_positive[units])
        return self._balanced(np.array([n_out]), labels.n_units - units.size)

    def _balanced(self, n_out: IntArray, size: int) -> FloatArray:
        labels = self.problem.labels
        left = np.column_stack([labels.n_negative - (size - n_out), labels.n_positive - n_out])
        return np.asarray(left.sum(axis=1, keepdims=True) / (2.0 * left))

    def _run_over_sets(
        self,
        kernel: Callable[..., None],
        sets: IntArray,
        fitted: Fitted,
        of: tuple[FloatArray, FloatArray],
        shared: tuple[Any, ...],
        own: FloatArray,
        limits: tuple[float, ...],
        execution: Execution,
    ) -> Answers:
        """Run a compiled loop over sets in threads.

        The loop is given the columns and their fits, the sets, targets and weights of the units
        (``of``), the factors of the classes, ``shared``, one row of ``own`` per set, ``limits``,
        and where to write responses and errors.
        """
        columns, factor = self.columns, self._factors(sets)
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        calls: list[tuple[Any, ...]] = []
        for part in shares(np.arange(len(sets)), SETS_A_THREAD, execution):
            at = slice(int(part[0]), int(part[-1]) + 1)
            mine = some(fitted, at)
            rows = columns.values, columns.missing, mine.fill, mine.shift, mine.scale
            out = answers.response[at], answers.error[at]
            calls.append((*rows, sets[at], *of, factor[at], *shared, own[at], *limits, *out))
        with one_blas_thread():
            in_threads(kernel, calls)
        return answers


def shares(which: IntArray, block: int, execution: Execution) -> list[IntArray]:
    """Cut numbers of sets into one share of whole blocks per thread."""
    blocks = np.arange(0, which.size, block)
    threads = min(thread_count(execution.n_jobs), blocks.size)
    if threads <= 1:
        return [which] if which.size else []
    cuts = [int(part[0]) for part in np.array_split(blocks, threads)[1:]]
    return np.split(which, cuts)


def some(fitted: Fitted, which: IntArray | slice) -> Fitted:
    """Keep the fits of some sets; one that serves all is kept."""
    if len(fitted.fill) != len(fitted.growth):
        return fitted._replace(growth=fitted.growth[which])
    return Fitted(*(part[which] for part in fitted))
