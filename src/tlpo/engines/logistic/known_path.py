"""The path of the solver without some units, followed in full, and paths near it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.linear import shares
from tlpo.engines.preparation.columns import Columns, Fitted
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads

if TYPE_CHECKING:
    from tlpo.engines.logistic.nearby_paths import Points, Units

# Evaluations of the loss on a path that is kept, at most.
MOST_POINTS = 200
# Paths that one thread follows, at least.
AT_A_TIME = 500


@dataclass(frozen=True, eq=False)
class Training:
    """What models are trained on.

    Attributes
    ----------
    columns : Columns
        The columns; they have no gaps.
    rows : callable
        Prepares them by one fit of the columns.
    target, weight : ndarray of shape (m,)
        Labels of 0 and 1, and weights.
    alpha : ndarray of shape (k,)
        The penalty of each column.
    tol, max_iter
        When the solver stops.
    """

    columns: Columns
    rows: Callable[[Fitted], FloatArray]
    target: FloatArray
    weight: FloatArray
    alpha: FloatArray
    tol: float
    max_iter: int


class Near(NamedTuple):
    """Where the solver stops without one more unit each; see `nearby.follow_near`."""

    moved: FloatArray
    size: FloatArray
    is_near: BoolArray


@dataclass(frozen=True, eq=False)
class Known:
    """The path of the solver without some units.

    Attributes
    ----------
    training : Training
        What is trained on.
    without : ndarray of shape (s,)
        The units that are left out.
    near : Points or None
        A path near it, whose reach is taken for its own.
    back : int
        One of these units that models near it do not leave out, unless it is negative.
    """

    training: Training
    without: IntArray
    near: Points | None = None
    back: int = -1

    @cached_property
    def fitted(self) -> Fitted:
        """The columns."""
        return self.training.columns.fit_without(self.without[None])

    def units(self, near: bool = True) -> Units:
        """Prepare the rows of all units, for models near the path or for itself."""
        from tlpo.engines.logistic.nearby_paths import Units

        own = self.training
        weight = own.weight.copy()
        weight[self._still_out if near else self.without] = 0.0
        return Units(own.rows(self.fitted), own.target, weight, own.alpha, own.tol, own.max_iter)

    @property
    def _still_out(self) -> IntArray:
        return np.asarray(self.without[self.without != self.back])

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        weight = self.training.weight
        return float(weight.sum() - weight[self.without].sum())

    @cached_property
    def points(self) -> Points | None:
        """The points of the path; None if it cannot be followed."""
        from tlpo.engines.logistic.nearby_paths import DECISIONS, Points, record

        if not np.isfinite(self.fitted.growth[0]):
            return None
        units, k = self.units(near=False), self.training.alpha.size
        room = Points(
            np.empty((MOST_POINTS, k)),
            np.empty(MOST_POINTS),
            np.empty((MOST_POINTS, k)),
            np.empty((0, k, k)),
            np.empty((MOST_POINTS, DECISIONS)),
            np.empty(0),
            0,
        )
        with one_blas_thread():
            n, stop = record(units, self.total, room)
            if stop < 0:
                return None
            hessian, reach = np.empty((n, k, k)), np.empty(n)
            for e in range(n):
                hessian[e] = _hessian(units, room.theta[e])
                reach[e] = self._reach(units, hessian[e], e)
        if not np.isfinite(reach).all():
            return None
        return Points(
            room.theta[:n].copy(),
            room.value[:n].copy(),
            room.gradient[:n].copy(),
            hessian,
            room.decision[:n].copy(),
            reach,
            stop,
        )

    def _reach(self, units: Units, hessian: FloatArray, e: int) -> float:
        """Return the largest length of a unit at a point of the path."""
        if self.near is not None:
            reach = self.near.reach
            return float(reach[min(e, reach.size - 1)])
        try:
            inverse = np.asarray(np.linalg.inv(hessian + np.diag(units.alpha)), dtype=np.float64)
        except np.linalg.LinAlgError:
            return np.inf
        return float(lengths(units.X, inverse).max())

    @property
    def theta(self) -> FloatArray:
        """Where the solver stops."""
        assert self.points is not None
        return np.asarray(self.points.theta[self.points.stop])

    @cached_property
    def hessian(self) -> FloatArray:
        """The Hessian there, with the penalty."""
        assert self.points is not None
        return np.asarray(self.points.hessian[self.points.stop] + np.diag(self.training.alpha))

    @cached_property
    def _inverse(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.hessian), dtype=np.float64)

    def widths(self, v: FloatArray) -> FloatArray:
        """Return the lengths of rows in the norm of the inverse of that."""
        return lengths(v, self._inverse)

    def follow_near(
        self, units: Units, others: IntArray, times: float, may_stop: bool, execution: Execution
    ) -> Near:
        """Follow the solver without one more unit each; see `nearby.follow_near`."""
        from tlpo.engines.logistic.nearby_paths import follow_near

        g = others.size
        near = Near(np.empty((g, units.alpha.size)), np.empty(g), np.empty(g, dtype=bool))
        calls = []
        for part in shares(np.arange(g), AT_A_TIME, execution):
            at = slice(int(part[0]), int(part[-1]) + 1)
            out = self._still_out
            left_out = np.column_stack([np.tile(out, (part.size, 1)), others[at]])
            fitted = self.training.columns.fit_without(left_out)
            ratio = fitted.scale / self.fitted.scale
            shift = (fitted.shift - self.fitted.shift) / self.fitted.scale
            own = [kept[at] for kept in near]
            given = self.back, others[at], ratio, shift, times, may_stop
            calls.append((units, self.total, self.points, *given, *own))
            near.is_near[at] = np.isfinite(fitted.growth)
        can_prepare = near.is_near.copy()
        with one_blas_thread():
            in_threads(follow_near, calls)
        near.is_near[~can_prepare] = False
        return near


def lengths(v: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the lengths of rows in the norm of a matrix."""
    return np.asarray(np.sqrt(np.maximum(np.einsum("gk,gk->g", v @ matrix, v), 0.0)))


def _hessian(units: Units, theta: FloatArray) -> FloatArray:
    """Return the Hessian without the penalty."""
    with np.errstate(over="ignore"):
        p = 1.0 / (1.0 + np.exp(-units.X @ theta))
    rows = units.X * np.sqrt(units.weight * p * (1.0 - p))[:, None]
    return np.asarray(rows.T @ rows)
