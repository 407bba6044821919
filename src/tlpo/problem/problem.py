"""User input becomes a checked `Problem`, which knows who may train."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import _safe_indexing

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.exclusion import Exclusion, as_exclusion
from tlpo.problem.labels import (
    label_array,
    missing,
    name_classes,
    name_several,
    object_safe,
    unique_labels,
)
from tlpo.problem.ordered import read_ordered
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses, TimeToEvent
from tlpo.problem.times import has_times, read_structured


class LeftOut(NamedTuple):
    """The sets of units that the models of some games did not train on.

    Attributes
    ----------
    sets : list of ndarray
        Different sets, sorted.
    which : ndarray of shape (g,)
        The set of each game.
    """

    sets: list[IntArray]
    which: IntArray


@dataclass(frozen=True, eq=False)
class Problem:
    """A checked problem: what an engine plays on.

    Attributes
    ----------
    X : array, sparse matrix, dataframe or list
        Features, as the user gave them.
    y : ndarray of shape (m,)
        What classifiers are fitted on: the user's own labels, or an ordered outcome as numbers;
        of times to an event, what survival models are fitted on.
    outcome : Outcome
        The same, and who should win because of it.
    groups : ndarray of shape (m,) or None
        Group number of each unit, indices into ``group_names``.
    group_names : ndarray or None
        What the user called the groups.
    params : mapping
        Extra arguments of ``fit``; entries with one value per unit are cut to the training set.
    exclude : Exclusion or None
        Names further units that are left out of training.
    """

    X: Any
    y: npt.NDArray[Any]
    outcome: Outcome
    groups: IntArray | None
    group_names: npt.NDArray[Any] | None
    params: Mapping[str, Any]
    exclude: Exclusion | None = None

    @property
    def n_units(self) -> int:
        """Number of units, m."""
        return self.outcome.n_units

    @property
    def labels(self) -> Classes:
        """The outcome, if it is two classes."""
        assert isinstance(self.outcome, Classes)
        return self.outcome

    @property
    def several(self) -> SeveralClasses:
        """The outcome, if it is several classes."""
        assert isinstance(self.outcome, SeveralClasses)
        return self.outcome

    def view(self, k: int) -> Problem:
        """Return the problem of one of several classes against the others."""
        is_own = self.several.code == k
        return replace(self, y=is_own, outcome=Classes(is_own, False, True))

    @cached_property
    def target(self) -> FloatArray:
        """What regressors are fitted on: labels ±1, or the numbers of an ordered outcome."""
        if isinstance(self.outcome, Ordered):
            return self.outcome.y
        return np.where(self.labels.is_positive, 1.0, -1.0)

    @cached_property
    def scaled_target(self) -> FloatArray:
        """The same in the unit in which responses are compared: closed forms are linear in it."""
        return np.asarray(self.target / self.outcome.unit)

    def training_set(self, held_out: IntArray) -> IntArray:
        """Return the units that a model without ``held_out`` is trained on.

        Units that share a group with a held-out unit leave with it, and so do those that
        ``exclude`` names.
        """
        return np.flatnonzero(~self._is_left_out(held_out))

    def left_out(self, held_out: IntArray) -> IntArray:
        """Return all others: the held-out units and those that leave with them."""
        return np.flatnonzero(self._is_left_out(held_out))

    def _is_left_out(self, held_out: IntArray) -> BoolArray:
        if self.groups is None:
            out = np.zeros(self.n_units, dtype=bool)
            out[held_out] = True
        else:
            # A table of groups: np.isin takes ten times as long, once for every game.
            leaves = np.zeros(int(self.groups.max()) + 1, dtype=bool)
            leaves[self.groups[held_out]] = True
            out = leaves[self.groups]
        if self.exclude is not None:
            out[self.exclude.units(held_out)] = True
        return out

    @property
    def leaves_out_more(self) -> bool:
        """Whether more than the held-out units may leave the training set."""
        return self.groups is not None or self.exclude is not None

    def left_out_of(self, games: IntArray) -> LeftOut:
        """Return the units that the model of each game is not trained on."""
        if self.groups is not None and self.exclude is None:
            # Games between the same two groups share one training set.
            pairs = np.sort(self.groups[games], axis=1)
            _, one, which = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
            return LeftOut([self.left_out(games[k]) for k in one], which.reshape(-1))
        if self.exclude is None or self.exclude.is_union:
            out = self._leaves_with[games[:, 0]] | self._leaves_with[games[:, 1]]
            units = np.nonzero(out)[1]
            sets = np.split(units, np.cumsum(np.count_nonzero(out, axis=1))[:-1])
            return LeftOut(sets, np.arange(len(games)))
        known: dict[bytes, int] = {}
        sets = []
        which = np.empty(len(games), dtype=np.intp)
        for k, game in enumerate(games):
            units = self.left_out(game)
            which[k] = known.setdefault(units.tobytes(), len(sets))
            if which[k] == len(sets):
                sets.append(units)
        return LeftOut(sets, which)

    @cached_property
    def _leaves_with(self) -> BoolArray:
        """Row i marks the units that leave with unit i, for exclusions that are unions."""
        return np.array([self._is_left_out(np.array([unit])) for unit in range(self.n_units)])

    def rows(self, units: IntArray) -> Any:
        """Copy the features of some units, in the container the user gave."""
        return copy_rows(self.X, units)

    def params_for(self, units: IntArray) -> dict[str, Any]:
        """Copy the arguments of ``fit`` for a training set."""
        return {
            name: copy_rows(value, units) if _length(value) == self.n_units else deepcopy(value)
            for name, value in self.params.items()
        }


def make_problem(
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    exclude: Any = None,
    order: Any = None,
    several: bool = False,
) -> Problem:
    """Check what the user passed and name its parts.

    Parameters
    ----------
    X, y : array-like
        Features and labels of the m units.
    positive : object, optional
        The positive label; by default the one that reads so, else the second in sorted order.
    groups : array-like of shape (m,), optional
        Units that share a value are held out together.
    params : mapping, optional
        Extra arguments of ``fit``.
    exclude : Buffer or callable, optional
        Names further units that are left out of training.
    order : True or sequence, optional
        The larger y should win: True for numbers, the grades from lowest to highest for names. An
        array of times and events needs none.
    several : bool
        Whether y has classes of which there may be more than two.

    Raises
    ------
    InputError
        With the problem, what was passed, and what to do.
    """
    outcome: Outcome | None = None
    if isinstance(y, TimeToEvent) or has_times(y):
        _require_only_times(positive, order)
        times = y if isinstance(y, TimeToEvent) else read_structured(y, None)
        names = unit_names(X, None)
        outcome = replace(times, unit_names=times.unit_names if names is None else names)
        values = times.structured
    elif order is not None:
        outcome = in_order = read_ordered(y, order, unit_names(X, y))
        values = in_order.y
    else:
        values = label_array(y)
    X = _row_indexable(X)
    n_units = _length(X)
    if n_units is None:
        raise InputError(
            explain(
                "X must have one row per unit.",
                f"You passed an object of type {type(X).__name__} that has no length.",
                "Pass an array, a dataframe, a sparse matrix or a list.",
            )
        )
    if n_units != values.size:
        raise InputError(
            explain(
                "X and y must describe the same units.",
                f"You passed {n_units} rows of X and {values.size} "
                f"{'labels' if outcome is None else 'values'}.",
                "Check that neither was filtered without the other.",
            )
        )
    if outcome is None and several:
        outcome = name_several(values, unit_names=unit_names(X, y))
    elif outcome is None:
        outcome = name_classes(values, positive, unit_names=unit_names(X, y))
    codes, names = _group_codes(groups, n_units)
    return Problem(
        X=X,
        y=values,
        outcome=outcome,
        groups=codes,
        group_names=names,
        params=_checked_params(params, n_units),
        exclude=None if exclude is None else as_exclusion(exclude, n_units),
    )


def means_several(y: Any, positive: Any = None, order: Any = None) -> bool:
    """Whether several classes are meant: y has more than two labels and nothing orders them."""
    if positive is not None or order is not None or isinstance(y, TimeToEvent) or has_times(y):
        return False
    return bool(unique_labels(label_array(y)).size > 2)


def _require_only_times(positive: Any, order: Any) -> None:
    """Refuse what times to an event would ignore; that they have an order is no mistake."""
    if positive is None and (order is None or order is True):
        return
    given = arg("positive", positive) if positive is not None else arg("order", list(order))
    raise InputError(
        explain(
            "Times to an event are neither classes nor grades.",
            f"You passed y with times and events, and {given}.",
            "Leave it out: who had the event earlier should win.",
        )
    )


def take_rows(X: Any, units: IntArray) -> Any:
    """Index rows of any container scikit-learn can index."""
    # scikit-learn's own indexing costs ten times the indexing of a small array.
    if type(X) is np.ndarray:
        return X[units]
    return _safe_indexing(X, units)


def copy_rows(X: Any, units: IntArray) -> Any:
    """Index rows so that whoever writes into them, even into a cell, changes nothing of ``X``.

    An estimator is a stranger: what it does to its data must not reach the next fit.
    """
    rows = take_rows(X, units)
    if hasattr(rows, "isetitem"):
        # pandas may put off the copy of a whole table, and never copies what a cell refers to.
        rows = rows.copy() if len(units) == len(X) else rows
        for k in np.flatnonzero(rows.dtypes.eq(object)):
            cells = rows.iloc[:, k].tolist()
            if not _are_immutable(cells):
                column = np.empty(len(cells), dtype=object)
                column[:] = deepcopy(cells)
                rows.isetitem(k, column)
    elif isinstance(rows, np.ndarray):  # indexing by numbers has copied all but Python objects
        if rows.dtype.hasobject and not _are_immutable(rows.flat):
            return deepcopy(rows)
    elif not sparse.issparse(rows) and not (isinstance(rows, list) and _are_immutable(rows)):
        return deepcopy(rows)
    return rows


def _are_immutable(cells: Iterable[Any]) -> bool:
    return all(type(cell) in (str, float, int, bool, type(None)) for cell in cells)


def _group_codes(groups: Any, n_units: int) -> tuple[IntArray | None, npt.NDArray[Any] | None]:
    if groups is None:
        return None, None
    values = object_safe(groups)
    if values.shape == (n_units, 1):
        values = values[:, 0]
    if values.shape != (n_units,):
        raise InputError(
            explain(
                "groups must have one value per unit.",
                f"You passed groups of shape {values.shape} for {n_units} units.",
                "Pass the column that says which units belong together.",
            )
        )
    absent = missing(values)
    if absent.any():
        raise InputError(
            explain(
                "groups has missing values.",
                f"You passed {np.count_nonzero(absent)} missing, "
                f"at {enumerate_briefly(np.flatnonzero(absent))}.",
                "Give a unit that belongs to no group a group of its own.",
            )
        )
    if values.dtype != object:
        names, codes = np.unique(values, return_inverse=True)
        _require_unlike(names.tolist())
        return codes.astype(np.intp), names
    # Numbers by value, text by its characters: 1 and 1.0 are one group.
    seen: dict[Any, int] = {}
    codes = np.array([seen.setdefault(value, len(seen)) for value in values.tolist()])
    _require_unlike(list(seen))
    return codes.astype(np.intp), object_safe(list(seen))


def _require_unlike(names: list[Any]) -> None:
    """Refuse groups that differ only in how a number is written, such as 7, "7" and "007"."""
    if not any(isinstance(name, str) for name in names):
        return
    spelled: dict[float, Any] = {}
    for name in names:
        number = _as_number(name)
        if number is not None and spelled.setdefault(number, name) is not name:
            raise InputError(
                explain(
                    "Some groups differ only in how a number is written.",
                    f"You passed the groups {spelled[number]!r} and {name!r}.",
                    "If they are one group, write it in one way; if not, add a letter to one.",
                )
            )


def _as_number(name: Any) -> float | None:
    is_written = isinstance(name, str) and name.strip().replace(".", "", 1).isdecimal()
    is_number = isinstance(name, int | float) and not isinstance(name, bool)
    return float(name) if is_written or is_number else None


def _checked_params(params: Mapping[str, Any] | None, n_units: int) -> dict[str, Any]:
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise InputError(
            explain(
                "params must map names of fit arguments to values.",
                f"You passed an object of type {type(params).__name__}.",
                "For example params={'sample_weight': weights}.",
            )
        )
    for name, value in params.items():
        _require_unmasked(name, value)
        if name.endswith("sample_weight"):
            _require_weights(name, value, n_units)
    return dict(params)


def _require_weights(name: str, values: Any, n_units: int) -> None:
    # A weight of another length would be taken as it is, and belong to other units.
    if _length(values) not in (None, n_units):
        raise InputError(
            explain(
                f"{name} must have one value per unit.",
                f"You passed {_length(values)} values for {n_units} units.",
                "Check that it was not filtered without X and y.",
            )
        )
    cells = object_safe(values).reshape(-1).tolist()
    odd = [v for v in cells if not isinstance(v, int | float | np.number) or not np.isfinite(v)]
    if odd or any(isinstance(v, complex | np.complexfloating) for v in cells):
        raise InputError(
            explain(
                f"{name} must be finite numbers.",
                f"You passed {enumerate_briefly(odd or cells)}.",
                "Give every unit a number, 1 for a unit like all others.",
            )
        )


def _require_unmasked(name: str, values: Any) -> None:
    """Refuse masked values: indexing and estimators would use what is behind the mask."""
    is_masked = isinstance(values, np.ma.MaskedArray)
    count = np.count_nonzero(np.ma.getmaskarray(values)) if is_masked else 0
    if count:
        raise InputError(
            explain(
                f"{name} has masked values.",
                f"You passed a masked array, {count} of its {values.size} values masked.",
                "Fill them in, or pass values.filled(np.nan) to an estimator that takes NaN.",
            )
        )


def _row_indexable(X: Any) -> Any:
    if isinstance(X, np.ma.MaskedArray):
        _require_unmasked("X", X)
        return X.data
    to_csr = getattr(X, "tocsr", None)
    if sparse.issparse(X) and to_csr is not None:
        return to_csr()
    if isinstance(X, tuple):
        return list(X)
    return X


def _length(X: Any) -> int | None:
    shape = getattr(X, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    if isinstance(X, str | bytes | Mapping):
        return None
    return len(X) if hasattr(X, "__len__") else None


def unit_names(X: Any, y: Any) -> Any:
    """Return what the units are called: the index of X, else that of y; None if there is none."""
    for data in (X, y):
        names = getattr(data, "index", None)
        if names is not None and not callable(names):  # list.index is a method
            return names
    return None
