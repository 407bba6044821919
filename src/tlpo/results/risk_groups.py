"""Units divided by their rank, and the survival of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import InputError, explain
from tlpo.plurals import counted
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.summary import Summary
from tlpo.roc.kaplan_meier import KaplanMeier, LogRank, kaplan_meier, log_rank

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.displays import SurvivalDisplay

_NAMES = {2: ("low", "high"), 3: ("low", "medium", "high")}


@dataclass(frozen=True, eq=False, repr=False)
class RiskGroups(Summary):
    """Groups of rising risk, and the survival of each. ``risk_groups`` of a result makes them.

    Attributes
    ----------
    names : tuple of str
        The groups, from the lowest risk to the highest.
    member : ndarray of shape (m,)
        The group of every unit; −1 for units that could not be ranked.
    curves : tuple of KaplanMeier
        The survival curve of each group.
    test : LogRank
        Of the hypothesis that all groups have the same survival, whatever their order. It is not a
        test of one model against another.

    Notes
    -----
    Models were trained without the unit that they rank, but they share most of their training
    sets, which include the other units of its group: the p-value of the test is approximate.
    `permutation_test` has no such flaw.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> time = np.random.default_rng(1).exponential(np.exp(-X[:, 0]))
    >>> s = tlpo.survival(tlpo.Cox(), X, np.minimum(time, 1.0), time <= 1.0)
    >>> s.risk_groups(3)
    3 risk groups of 60 units
      low       20 units, 2 events, median not reached
      medium    20 units, 12 events, median 0.931
      high      20 units, 18 events, median 0.1785
      log-rank  χ² = 32.36 on 2 degrees of freedom, p = 9.391e-08
    """

    names: tuple[str, ...]
    member: IntArray
    curves: tuple[KaplanMeier, ...]
    test: LogRank

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the groups: units, events, median survival with limits.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> print(tlpo.assess([3, 5, 1, 4, 2], y).risk_groups(2).to_frame()[["units", "median"]])
               units  median
        group
        low        2     3.0
        high       3     5.0
        """
        import pandas as pd

        rows = []
        for name, curve in zip(self.names, self.curves, strict=True):
            low, high = curve.median_limits(0.95)
            rows.append(
                {
                    "group": name,
                    "units": int(curve.at_risk[0]),
                    "events": int(curve.events.sum()),
                    "median": curve.median,
                    "low": low,
                    "high": high,
                }
            )
        return pd.DataFrame(rows).set_index("group")

    def plot(self, ax: Any = None) -> SurvivalDisplay:
        """Draw the survival curves, with numbers at risk.

        Examples
        --------
        >>> import tlpo
        >>> y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
        >>> tlpo.assess([3, 5, 1, 4, 2], y).risk_groups(2).plot()
        SurvivalDisplay(low 2 units, high 3 units)
        """
        from tlpo.displays import SurvivalDisplay

        return SurvivalDisplay(self.names, self.curves, self.test.p_value).plot(ax)

    def _title(self) -> str:
        return f"{len(self.names)} risk groups of {int(np.sum(self.member >= 0))} units"

    def _rows(self) -> list[tuple[str, str]]:
        rows = []
        for name, curve in zip(self.names, self.curves, strict=True):
            median = "not reached" if curve.median is None else f"{curve.median:.4g}"
            units = counted(int(curve.at_risk[0]), "unit")
            events = counted(int(curve.events.sum()), "event")
            rows.append((name, f"{units}, {events}, median {median}"))
        test = self.test
        degrees = "degree" if test.degrees_of_freedom == 1 else "degrees"
        statistic = f"χ² = {test.chi_square:.2f} on {test.degrees_of_freedom} {degrees} of freedom"
        return [*rows, ("log-rank", f"{statistic}, p = {test.p_value:.4g}")]


def divide(risk: FloatArray, outcome: TimeToEvent, n_groups: int) -> RiskGroups:
    """Divide units by rank into groups of about equal size; equal ranks stay together."""
    rated = np.flatnonzero(~np.isnan(risk))
    n_ranks = np.unique(risk[rated]).size
    if n_ranks < n_groups:
        raise InputError(
            explain(
                "There are fewer different ranks than groups.",
                f"You passed n_groups={n_groups}; the units have {n_ranks} different ranks.",
                "Ask for fewer groups.",
            )
        )
    member = np.full(risk.size, -1, dtype=np.intp)
    member[rated] = _members(risk[rated], n_groups)
    names = _NAMES.get(n_groups) or tuple(f"{k} of {n_groups}" for k in range(1, n_groups + 1))
    n_found = int(member.max()) + 1
    if n_found < n_groups:
        names = tuple(f"{k} of {n_found}" for k in range(1, n_found + 1))
    return _follow(member, outcome, names)


def divide_at(risk: FloatArray, outcome: TimeToEvent, cuts: Sequence[float]) -> RiskGroups | None:
    """Divide units at risks that were fixed beforehand; None if a group would be empty.

    Units above a cut are in the group above it.
    """
    member = np.searchsorted(np.asarray(cuts), risk, side="left")
    if np.unique(member).size < len(cuts) + 1:
        return None
    return _follow(member, outcome, _NAMES[len(cuts) + 1])


def cut_between(risk: FloatArray, n_groups: int) -> list[float]:
    """Return where units are divided into groups of about equal size, halfway between neighbours.

    Examples
    --------
    >>> cut_between(np.array([1.0, 2.0, 4.0, 5.0, 7.0, 9.0]), 3), cut_between(np.ones(4), 3)
    ([3.0, 6.0], [])
    """
    member = _members(risk, n_groups)
    cuts = []
    for k in range(int(member.max())):
        below, above = risk[member == k].max(), risk[member == k + 1].min()
        halfway = below + (above - below) / 2
        # Rounding may leave nothing in between.
        cuts.append(float(halfway if halfway < above else below))
    return cuts


def _members(risk: FloatArray, n_groups: int) -> IntArray:
    """Return the group of every unit, from 0 on; many ties may leave fewer groups."""
    _, place, sizes = np.unique(risk, return_inverse=True, return_counts=True)
    # The group that holds the middle of all units of a rank.
    middle = np.cumsum(sizes) - sizes / 2
    which = np.minimum((middle * n_groups / risk.size).astype(np.intp), n_groups - 1)
    return np.asarray(np.unique(which, return_inverse=True)[1][place])


def _follow(member: IntArray, outcome: TimeToEvent, names: tuple[str, ...]) -> RiskGroups:
    """Estimate the survival of every group, and test whether it is the same."""
    time, event = outcome.time, outcome.event
    curves = tuple(kaplan_meier(time[member == k], event[member == k]) for k in range(len(names)))
    rated = member >= 0
    return RiskGroups(names, member, curves, log_rank(time[rated], event[rated], member[rated]))
