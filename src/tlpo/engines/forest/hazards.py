"""Trees of survival forests: what each answers, and for which times.

A tree grown on a bag has in every leaf the cumulative hazard of the bag's units there (Nelson and
Aalen), a function of time that rises at their events: H(t). scikit-survival scores a unit by its
sum over times, and the forest by the mean over trees. The times are not the tree's own: they are
the distinct event times of the *training set*, those of units outside the bag included. So what a
tree answers depends on who else is left out. Let E be the event times of all units. Without i and
j a time is lost from E if nobody else had the event then, and the answer of a tree for a unit in
a leaf with hazard H is

    Σ_{t ∈ E} H(t) − Σ_{t lost} H(t),

at most two terms less than a number that the tree has for the unit whatever the pair. H is kept by
its steps: of every unit the leaf, and H of that leaf at the unit's own time. The units of the bag
that had the event are where H rises, so that H of any leaf at the time of any unit is found among
them, and a tree takes O(m) numbers instead of one per leaf and time.

Nothing else of a tree depends on units outside its bag: at a time when nobody in a node had the
event, the log-rank statistic gains nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.problem.outcome import TimeToEvent

# Places among the times, and numbers of steps.
SmallIntArray = npt.NDArray[np.int32]

_SEEDS = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class EventTimes:
    """Distinct times of all units, and which of them are event times of a training set.

    Attributes
    ----------
    time, event : ndarray of shape (m,)
        When a unit had the event, or was last known to be without it.
    """

    time: FloatArray
    event: BoolArray

    @cached_property
    def distinct(self) -> FloatArray:
        """The distinct times, sorted."""
        return np.unique(self.time)

    @cached_property
    def place(self) -> IntArray:
        """Where the time of every unit is among the distinct ones."""
        return np.searchsorted(self.distinct, self.time)

    @cached_property
    def columns(self) -> FloatArray:
        """Time and event of every unit, as trees are given them."""
        return np.column_stack([self.time, self.event])

    @cached_property
    def n_events(self) -> IntArray:
        """How many units had the event at each of the distinct times."""
        return np.bincount(self.place[self.event], minlength=self.distinct.size)

    def are_lost(self, sets: IntArray) -> BoolArray:
        """Return whose times are no event times without the set; of two equal ones the first.

        Parameters
        ----------
        sets : ndarray of shape (g, s)
            Sets of one unit or two.
        """
        place, event = self.place[sets], self.event[sets]
        is_same = np.zeros(len(sets), dtype=bool)
        if sets.shape[1] == 2:
            is_same = event.all(axis=1) & (place[:, 0] == place[:, 1])
        lost = event & (self.n_events[place] == 1 + is_same[:, None])
        lost[is_same, 1:] = False
        return np.asarray(lost)


@dataclass(frozen=True, eq=False)
class SurvivalGrower:
    """Grows the trees of scikit-survival's forests.

    Attributes
    ----------
    kind, params
        Type of the trees, and their parameters.
    X : array or sparse matrix
        Features in single precision.
    times : EventTimes
        When units had the event.
    missing : ndarray or None
        Which features have missing values.
    n_left_out : int
        How many units the forests are without.
    """

    bag_size: int
    kind: type
    params: dict[str, Any]
    X: Any
    times: EventTimes
    missing: BoolArray | None
    n_left_out: int
    method: str = "predict"

    @property
    def n_notes(self) -> int:
        """Of every unit the leaf, and the cumulative hazard of the leaf at its time."""
        return 2 * self.times.time.size

    def grow(self, bag: IntArray, out: IntArray, rng: np.random.Generator) -> FloatArray:
        """Grow a tree on a bag, as a forest without the first units outside the bag would.

        Returns the sum of the cumulative hazard over the event times of all units for those
        outside the bag, and the notes.
        """
        times, place = self.times, self.times.place
        tree = self.kind(**self.params, random_state=int(rng.integers(_SEEDS)))
        # Shares of the training set, which parameters may be, are those of as many units.
        train = np.delete(np.arange(place.size), out[: self.n_left_out])
        rows: Any = self.X[train]
        if hasattr(rows, "tocsc"):
            rows = rows.tocsc()
            rows.sort_indices()
        # Other times would only cost time. The ends, because a hazard at a single time is not one
        # to scikit-survival, and because the hazard before the first event is 0.
        has_column = np.zeros(times.distinct.size, dtype=bool)
        has_column[place[bag]] = has_column[[0, -1]] = True
        grid = times.distinct[has_column]
        tree._fit(
            rows,
            (times.columns[train], grid, np.ones(grid.size, dtype=bool)),
            sample_weight=np.bincount(bag, minlength=place.size)[train].astype(np.float64),
            check_input=False,
            missing_values_in_feature_mask=self.missing,
        )
        leaf = tree.apply(self.X, check_input=False)
        _, one, which = np.unique(leaf, return_index=True, return_inverse=True)
        # One row per leaf: what is equal for two units is then computed once.
        H = tree.predict_cumulative_hazard_function(
            self.X[one], check_input=False, return_array=True
        )
        column = np.cumsum(has_column) - 1
        n_times = np.bincount(column[times.n_events > 0], minlength=grid.size)
        total = (H * n_times).sum(axis=1)
        return np.concatenate([total[which[out]], which, H[which, column[place]]])


def make_survival_grower(one: Any, X: Any, outcome: TimeToEvent, n_left_out: int) -> SurvivalGrower:
    """Return what grows on the bags of survival forests like a fitted one of a single tree."""
    tree = one.estimators_[0]
    params: dict[str, Any] = tree.get_params(deep=False)
    params.pop("random_state")
    params["low_memory"] = False  # the sum over times alone; it is another here
    return SurvivalGrower(
        bag_size=one._n_samples_bootstrap,
        kind=type(tree),
        params=params,
        X=X,
        times=EventTimes(outcome.time, outcome.event),
        missing=tree._compute_missing_values_in_feature_mask(X, estimator_name=type(one).__name__),
        n_left_out=n_left_out,
    )
