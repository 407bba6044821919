"""Units excluded from training besides the held-out units and their groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.spatial import cKDTree

from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.problem.labels import as_floats


class Exclusion(Protocol):
    """Names the units that leave the training set together with the held-out ones."""

    @property
    def is_union(self) -> bool:
        """Whether a held-out set excludes exactly the units that its members exclude singly."""
        ...

    def units(self, held_out: IntArray) -> IntArray:
        """Return the units to leave out; they may include the held-out ones."""
        ...


@dataclass(frozen=True, eq=False)
class Buffer:
    """Leave out all units near a held-out unit.

    Nearby places are alike: a model trained on the neighbours of a held-out unit has almost seen
    the unit itself, and its AUC says little about places further away.

    Parameters
    ----------
    coordinates : array-like of shape (m,) or (m, d)
        Position of each unit: a time, a place on a map, or any numbers; distances are Euclidean.
    radius : float
        Units within this distance of a held-out unit are left out of the training set.

    Examples
    --------
    Stations along a river, and a model that knows nothing but the place. It looks useful as long as
    it may learn from the neighbours of the tested stations:

    >>> import numpy as np
    >>> import tlpo
    >>> km = np.arange(40.0)
    >>> polluted = km // 5 % 2 == 1
    >>> model = tlpo.InverseDistanceKNN(n_neighbors=1)
    >>> round(tlpo.tournament(model, km[:, None], polluted).auc, 2)
    0.83
    >>> apart = tlpo.Buffer(km, radius=2)
    >>> round(tlpo.tournament(model, km[:, None], polluted, exclude=apart).auc, 2)
    0.51
    """

    coordinates: Any
    radius: float
    is_union = True

    def __post_init__(self) -> None:
        radius = self.radius
        number = isinstance(radius, int | float | np.number) and not isinstance(radius, bool)
        if not (number and 0 <= radius < np.inf):
            raise InputError(
                explain(
                    "radius must be a non-negative number.",
                    f"You passed radius={radius!r}.",
                    "Give the distance within which units resemble each other.",
                )
            )
        self.points  # noqa: B018 — reject bad coordinates at once

    @cached_property
    def points(self) -> FloatArray:
        """The coordinates, one row per unit."""
        try:
            points = as_floats(self.coordinates)
        except (TypeError, ValueError) as error:
            raise InputError(
                explain(
                    "coordinates must be numbers, one row per unit.",
                    f"You passed {type(self.coordinates).__name__}: {error}.",
                    "Convert dates to days and places to projected coordinates first.",
                )
            ) from error
        points = points[:, None] if points.ndim == 1 else points
        if points.ndim != 2 or 0 in points.shape:
            raise InputError(
                explain(
                    "coordinates must be numbers, one row per unit.",
                    f"You passed an array of shape {points.shape}.",
                    "Pass one value or one row per unit.",
                )
            )
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if bad.size:
            raise InputError(
                explain(
                    "coordinates have missing or infinite values.",
                    f"You passed {len(points)} units, {bad.size} of them with such values "
                    f"(index {enumerate_briefly(bad)}).",
                    "Fill in these coordinates, or drop these units.",
                )
            )
        return points

    def units(self, held_out: IntArray) -> IntArray:
        """Return all units within the radius of a held-out unit, including itself.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> tlpo.Buffer([0.0, 1.0, 2.0, 5.0, 9.0], radius=2).units(np.array([1, 3]))
        array([0, 1, 2, 3])
        """
        return np.unique(np.concatenate([self._near[unit] for unit in held_out]))

    @cached_property
    def _near(self) -> list[IntArray]:
        """Units within the radius of each."""
        tree = cKDTree(self.points)
        near = tree.query_ball_point(self.points, self.radius, return_sorted=True)
        return [np.array(units, dtype=np.intp) for units in near]


@dataclass(frozen=True, eq=False)
class PairFunction:
    """Leave out the units that a user's function returns for a pair ``i < j``."""

    function: Callable[[int, int], Any]
    n_units: int
    is_union = False

    def units(self, held_out: IntArray) -> IntArray:
        """Call the function and check its result."""
        i, j = (int(unit) for unit in held_out)
        result = np.asarray(self.function(i, j))
        if result.size == 0:
            return np.empty(0, dtype=np.intp)
        if result.ndim != 1 or result.dtype.kind not in "iu":
            raise InputError(
                explain(
                    "exclude must return the indices of units.",
                    f"For the pair ({i}, {j}) it returned {_describe(result)}.",
                    "Return whole numbers, for example np.flatnonzero(mask).",
                )
            )
        outside = result[(result < 0) | (result >= self.n_units)]
        if outside.size:
            raise InputError(
                explain(
                    f"exclude must return indices between 0 and {self.n_units - 1}.",
                    f"For the pair ({i}, {j}) it returned {outside[0]}.",
                    "Count units from 0, in the order of the rows of X.",
                )
            )
        return result.astype(np.intp)


def as_exclusion(exclude: Any, n_units: int) -> Exclusion:
    """Check what the user passed as ``exclude``.

    Parameters
    ----------
    exclude : Buffer or callable
        Which other units to leave out.
    n_units : int
        Number of units, m.
    """
    if isinstance(exclude, Buffer):
        if len(exclude.points) != n_units:
            raise InputError(
                explain(
                    "exclude must have coordinates for every unit.",
                    f"You passed coordinates for {len(exclude.points)} units; X has {n_units}.",
                    "Check that neither was filtered without the other.",
                )
            )
        return exclude
    if callable(exclude):
        return PairFunction(exclude, n_units)
    raise InputError(
        explain(
            "exclude must be a tlpo.Buffer or a function of two units.",
            f"You passed an object of type {type(exclude).__name__}.",
            "For example exclude=tlpo.Buffer(coordinates, radius=10).",
        )
    )


def _describe(result: np.ndarray[Any, Any]) -> str:
    if result.dtype.kind == "b":
        return f"a boolean mask of {result.size} values"
    if result.ndim != 1:
        return f"an array of shape {result.shape}"
    return f"values of type {result.dtype}"
