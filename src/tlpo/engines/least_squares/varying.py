"""Exact tournaments of least squares whose columns or weights change with the training set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.least_squares.bounded import Reference, refer
from tlpo.engines.least_squares.families import (
    ESTIMATORS,
    LEAST_SCATTER,
    DiscriminantFamily,
    Family,
    KernelFamily,
    family_of,
)
from tlpo.engines.least_squares.hat import LEAST_RCOND
from tlpo.engines.least_squares.resamples import fit_resamples
from tlpo.engines.least_squares.wide import WideSolver
from tlpo.engines.matrix import matrix_of, shape_of
from tlpo.engines.preparation.changes import ScaleChanges
from tlpo.engines.preparation.columns import EPSILON, Centre, Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.ranges.bounds import Bounds
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, thread_count
from tlpo.problem.outcome import Classes, Ordered

# Without a penalty: the largest trace of the inverse, with a diagonal of ones, of a training set
# that is not left to refitting.
MOST_TRACE = 1e5
# Fewer sets than this are not worth a second thread; a selection looks at all columns.
SETS_A_THREAD = 500
SELECTIONS_A_THREAD = 30


class VaryingLeastSquares(BySets):
    """Ridge and other least squares behind scalers and imputers, or with class weights."""

    name = "least-squares"
    quick_games = 3_000_000
    plays_each = False
    estimators = ESTIMATORS
    outcomes = frozenset({Classes, Ordered})

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        family = family_of(prepared.model)
        if isinstance(family, str):
            raise EngineError(family)
        self.family: Family = family
        self.notices_empty = family.notices_empty

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether columns or weights change with the training set."""
        has_weights = getattr(prepared.model, "class_weight", None) is not None
        varies = prepared.columns is not None or bool(prepared.guards) or has_weights
        return varies and super().accepts(prepared)

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that the closed form does not cover."""
        family = family_of(prepared.model)
        if isinstance(family, str):
            return family
        if isinstance(family, KernelFamily) and family.metric != "linear":
            return "A kernel of columns that change with the training set has no closed form."
        if prepared.given.params:
            return "Weights of units and of classes together have no closed form."
        columns = prepared.columns
        if columns is not None and columns.n_best is not None:
            is_classes = isinstance(prepared.problem.outcome, Classes)
            if columns.by_correlation == is_classes:
                return "f_classif selects columns for classes, f_regression for numbers."
            return None
        n = shape_of(prepared.problem.X)[1] if columns is None else columns.n_columns
        if n >= prepared.problem.n_units - 2 and family.alpha == 0:
            return "With more features than units and no penalty there is no closed form."
        return family.why_not(prepared.problem, any_weights=True)

    @cached_property
    def _given(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=self.family.intercept != "free")

    @cached_property
    def columns(self) -> Columns:
        """The columns, with one of ones for a penalised intercept."""
        columns = self._given
        if self.family.intercept == "penalised":
            if columns.n_best is not None:
                raise EngineError("RLS after a selection has no closed form.")
            columns = Columns.join([columns, Columns.of_matrix(np.ones((columns.n_units, 1)))])
        return columns

    @property
    def is_wide(self) -> bool:
        """Whether there are too many columns to solve by columns."""
        return self.columns.n_best is None and self.columns.n_columns >= self.columns.n_units - 2

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Solve the least squares of every training set."""
        columns, family = self.columns, self.family
        if self.is_wide:
            return self._answer_wide(sets, execution)
        fitted = columns.fit_without(sets)
        is_free = family.intercept == "free"
        g, size = sets.shape
        left = columns.n_units - size
        # Ours and the estimator's rounding: sums over units, and a factorisation.
        gamma = _rounding(left, columns.n_columns) * fitted.growth
        f, error = np.empty((g, size)), np.empty((g, size))
        rss, trace, ends = np.empty(g), np.empty(g), np.empty((g, 2))
        weight = self._class_weights(sets)
        with_trace = family.alpha == 0
        fewest = SETS_A_THREAD if columns.n_best is None else SELECTIONS_A_THREAD
        threads = max(1, min(thread_count(execution.n_jobs), g // fewest))
        parts = np.array_split(np.arange(g), threads)
        shares = [slice(int(part[0]), int(part[-1]) + 1) for part in parts]
        from tlpo.engines.least_squares import pairs

        C, gap, *moments = self._moments
        kind, y = self._kind, self.problem.scaled_target
        act: Any = pairs.answer_sets
        front: list[tuple[Any, ...]] = [(sets[at], C, gap) for at in shares]
        if columns.n_best is not None:
            act = pairs.answer_selected
            some = [(sets[at], y, Fitted(*(p[at] for p in fitted))) for at in shares]
            found = in_threads(columns.best_without, some)
            chosen, is_clear = (np.concatenate(part) for part in zip(*found, strict=True))
            gamma[~is_clear] = np.inf
            front = [(sets[at], chosen[at], C, gap) for at in shares]
        calls = [
            (
                *own,
                kind,
                y,
                *moments,
                weight[at],
                fitted.fill[at],
                fitted.shift[at],
                fitted.scale[at],
                family.alpha,
                is_free,
                gamma[at],
                with_trace,
                f[at],
                error[at],
                rss[at],
                trace[at],
                ends[at],
            )
            for own, at in zip(front, shares, strict=True)
        ]
        in_threads(act, calls)
        if with_trace:
            error[~(trace < MOST_TRACE)] = np.inf
        if isinstance(family, DiscriminantFamily):
            return self._discriminate(family, sets, f, error, rss, trace)
        least, total = ends.T
        if with_trace:
            # The estimator drops directions that are small in the units of its own columns.
            error[~(least >= family.least_rcond**2 * trace * total)] = np.inf
        if isinstance(family, KernelFamily):
            # It solves by units, which amplifies rounding by the condition number of the kernel.
            condition = 1.0 + total / family.alpha if family.alpha else np.full(g, np.inf)
            blur = EPSILON * (left + columns.n_columns) * fitted.growth * condition
            error += 4.0 * blur[:, None] * np.maximum(1.0, np.abs(f))
            error[~(condition * LEAST_RCOND < 1.0)] = np.inf
        return Answers(f, error)

    def bounds(self, ordered: bool, execution: Execution) -> list[Bounds] | None:
        """Bound gaps by what each unit takes from the least squares of all units."""
        columns, family = self.columns, self.family
        if columns.n_best is not None or self.is_wide or ScaleChanges.why_not(columns):
            return None
        is_free = family.intercept == "free"
        if not is_free and columns.centre.any():
            # Behind means that are subtracted an intercept has no effect on who wins.
            columns = self._given
            if family.class_weight is not None or np.any(columns.centre != Centre.MEAN):
                return None
            is_free = True
        changes = ScaleChanges(columns)
        if changes.jumps:
            return None
        found = []
        for units, weights, is_between in self._alike(ordered):
            if not (min(weights) >= 0 and sum(weights) < np.inf):
                return None
            weight, y = np.array(weights)[self._kind], self.problem.scaled_target
            reference = refer(columns.values, y, weight, family.alpha, is_free, changes)
            if reference is None:
                return None
            slack = self._slack(columns, reference)
            if slack is None:
                return None
            threads = thread_count(execution.n_jobs)
            found.append(reference.bounds(units, slack, is_between, threads))
        return found

    def _alike(self, ordered: bool) -> Iterator[tuple[IntArray, tuple[float, float], bool]]:
        """Yield units whose games share class weights, these, and whether only classes meet."""
        every = np.arange(self.problem.n_units)
        if self.family.class_weight != "balanced":
            negative, positive = self._class_weights(every[None, :0])[0]
            yield every, (negative, positive), ordered
            return
        members = [np.flatnonzero(self._kind == kind) for kind in (0, 1)]
        parts = [(every, (members[0][0], members[1][0]), True)]
        if not ordered:
            parts += [(own, (own[0], own[1]), False) for own in members]
        for units, pair, is_between in parts:
            negative, positive = self._class_weights(np.array([pair]))[0]
            yield units, (negative, positive), is_between

    def _slack(self, columns: Columns, reference: Reference) -> FloatArray | None:
        """Return what covers rounding and ties of each unit; None if games may be ill posed.

        Without units that take little, sums and inverses are within a factor of two of those of
        all units, which is why four and eight times what `answer` adds up are enough.
        """
        family, n = self.family, columns.n_columns
        y, weight = reference.y, reference.weight
        scaled = np.abs(reference.theta[:n] * reference.root[:n])
        f = np.where(reference.is_near, y - reference.r, 0.0)
        sizes = max(1.0, float(np.abs(y).max()), float(np.abs(f).max()))
        gamma = _rounding(y.size, n) * reference.growth
        most = np.sqrt(n / reference.least) * reference.kappa
        length = np.sqrt(float(weight @ y**2)) + 2.0 * scaled.sum()
        total = sizes + sum(
            np.abs(column) * (own / root)
            for column, own, root in zip(columns.values.T, scaled, reference.root, strict=False)
        )
        slack = 8.0 * gamma * (2.0 * most * length + total + scaled.sum())
        if family.alpha == 0 and not 4.0 * reference.trace < MOST_TRACE:
            return None
        squares = (reference.root[:n] / reference.scale) ** 2
        if isinstance(family, DiscriminantFamily):
            labels = self.problem.labels
            n1, n0 = labels.n_positive, labels.n_negative
            share = float(reference.e @ reference.e) * (n1 + n0) / (4.0 * n1 * n0)
            taken = np.abs(reference.e * reference.r)
            slack[taken > 0.1 * float(reference.e @ reference.e)] = np.inf
            if not (share > 4.0 * LEAST_SCATTER and share / reference.trace > 16e4 * family.tol**2):
                return None
            sizes += 1.0 + abs(np.log(n1 / n0))
        elif family.alpha == 0:
            least, whole = float(squares.min()), float(squares.sum())
            if not least >= 16.0 * family.least_rcond**2 * reference.trace * whole:
                return None
        if isinstance(family, KernelFamily):
            condition = 1.0 + 2.0 * float(squares.sum()) / family.alpha
            if not 4.0 * condition * LEAST_RCOND < 1.0:
                return None
            blur = EPSILON * (y.size + n) * reference.growth * condition
            slack += 16.0 * blur * sizes
        return np.asarray(slack + (1e-11 + 100.0 * reference.error) * sizes)

    def _answer_wide(self, sets: IntArray, execution: Execution) -> Answers:
        """Share the sets among threads, each with one thread of BLAS."""
        solver = self._wide
        threads = thread_count(execution.n_jobs)
        parts = [part for part in np.array_split(sets, threads) if len(part)]
        calls = [(part, self._weights(part)) for part in parts]
        with threadpool_limits(1, user_api="blas"):
            answers = in_threads(solver.answer, calls)
        return Answers(*(np.concatenate(column) for column in zip(*answers, strict=True)))

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Solve the least squares of every resample."""
        return fit_resamples(self.family, self.prepared, self._given, fits)

    def _discriminate(
        self,
        family: DiscriminantFamily,
        sets: IntArray,
        f: FloatArray,
        error: FloatArray,
        rss: FloatArray,
        trace: FloatArray,
    ) -> Answers:
        """Turn predictions of labels into decisions of discriminant analysis."""
        n = self._counts_without(sets)
        tss = 4.0 * n[:, 0] * n[:, 1] / n.sum(axis=1)
        # Scatter within the classes has at least this share of the smallest eigenvalue of all.
        least = rss / tss / trace
        is_sound = (rss / tss > LEAST_SCATTER) & (least > 1e4 * family.tol**2)
        with np.errstate(all="ignore"):
            response = family.decision(f, rss[:, None], n[:, 1:], n[:, :1])
            error = error * 2.0 * (n.sum(axis=1) / rss)[:, None]
        error[~is_sound] = np.inf
        return Answers(response, error)

    def _counts_without(self, sets: IntArray) -> FloatArray:
        """Return how many negatives and positives are left without each set, (g, 2)."""
        is_positive = self.problem.labels.is_positive
        out = is_positive[sets].sum(axis=1)
        n1 = np.count_nonzero(is_positive)
        return np.column_stack([is_positive.size - n1 - (sets.shape[1] - out), n1 - out]).astype(
            float
        )

    def _class_weights(self, sets: IntArray) -> FloatArray:
        """Return the weights of negatives and positives without each set, (g, 2)."""
        weight = self.family.class_weight
        if weight is None:
            return np.ones((len(sets), 2))
        if weight == "balanced":
            n = self._counts_without(sets)
            return np.asarray(n.sum(axis=1)[:, None] / (2.0 * n))
        labels = self.problem.labels
        pair = [float(weight.get(name, 1.0)) for name in (labels.negative, labels.positive)]
        return np.tile(pair, (len(sets), 1))

    @cached_property
    def _kind(self) -> IntArray:
        """1 for positives, which may weigh more than negatives; 0 for all if there are none."""
        outcome = self.problem.outcome
        is_classes = isinstance(outcome, Classes)
        return outcome.level if is_classes else np.zeros(outcome.n_units, dtype=np.intp)

    @cached_property
    def _moments(self) -> tuple[Any, ...]:
        """Columns and marks of missing cells, where the latter are, and the moments by kind."""
        columns = self.columns
        gaps = np.flatnonzero(columns.missing.any(axis=0))
        C = np.ascontiguousarray(columns.values)
        if gaps.size:
            C = np.concatenate([C, columns.missing[:, gaps].astype(float)], axis=1)
        gap = np.full(columns.n_columns, -1, dtype=np.intp)
        gap[gaps] = columns.n_columns + np.arange(gaps.size)
        if columns.n_best is not None:
            return C, gap
        members = [self._kind == 0, self._kind == 1]
        y = self.problem.scaled_target
        return (
            C,
            gap,
            np.array([C[own].T @ C[own] for own in members]),
            np.array([C[own].sum(axis=0) for own in members]),
            np.array([_crossed(C[own], y[own]) for own in members]),
            np.array([[own.sum(), y[own].sum(), y[own] @ y[own]] for own in members]),
        )

    def _weights(self, sets: IntArray) -> FloatArray:
        """Return the weight of every unit without each set, (m, g)."""
        if self.family.class_weight is None:
            return np.ones((1, len(sets)))
        return np.asarray(self._class_weights(sets).T[self.problem.labels.is_positive.astype(int)])

    @cached_property
    def _wide(self) -> WideSolver:
        family = self.family
        weight = None
        if family.class_weight is not None:
            weight = self._weights(np.empty((1, 0), dtype=np.intp))[:, 0]
        return WideSolver(
            self._given, self.problem.scaled_target, family.alpha, family.intercept, weight
        )


def _rounding(n_units: int, n_columns: int) -> float:
    """Return how far sums over units and a factorisation may be off, relatively.

    Errors of long sums do not all point the same way: with probability 1 − 2 exp(−λ²/2) they are
    at most λ √m of one rounding (Higham and Mary 2019, SIAM J. Sci. Comput. 41), here with λ = 32.
    """
    sums = min(2.0 * n_units, 200.0 + 32.0 * np.sqrt(n_units))
    return EPSILON * float(sums + 4.0 * n_columns + 16.0)


def _crossed(C: FloatArray, y: FloatArray) -> FloatArray:
    """Return the sums of columns times y."""
    if y.size and (y == y[0]).all():  # of one class: exactly its sums, or their opposites
        return np.asarray(C.sum(axis=0) * y[0])
    return np.asarray(C.T @ y)


ENGINE: type[Engine] = VaryingLeastSquares
