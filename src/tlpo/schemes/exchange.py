"""What a permutation test may exchange: outcomes of units, of whole groups, or within groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial, prod

import numpy as np

from tlpo.arrays import IntArray
from tlpo.errors import InputError, explain
from tlpo.games.contest import Contest
from tlpo.games.schedule import Pairs, Schedule
from tlpo.problem.outcome import Classes
from tlpo.problem.playable import admit
from tlpo.problem.problem import Problem

# Labels of groups that leave too little to train on are drawn again, up to this many times.
MOST_DRAWS = 1000


@dataclass(frozen=True)
class Draw:
    """Draws orders of the outcomes: of units, of whole groups, or within groups.

    Attributes
    ----------
    contest : Contest
        What is played.
    pairs : {"all", "ordered"}
        Which games to play.
    kind : str
        What is exchanged.
    """

    contest: Contest
    pairs: Pairs
    kind: str

    @property
    def problem(self) -> Problem:
        """The units."""
        return self.contest.problem

    def __call__(self, rng: np.random.Generator) -> IntArray:
        """Draw the unit whose outcome each unit gets."""
        n_units, groups = self.problem.n_units, self.problem.groups
        if self.kind == "units" or groups is None:
            return rng.permutation(n_units)
        if self.kind == "units within groups":
            # within each group, its outcomes go to its units in random order
            drawn = np.empty(n_units, dtype=np.intp)
            drawn[np.lexsort((rng.random(groups.size), groups))] = np.argsort(groups, kind="stable")
            return drawn
        member = np.zeros(int(groups.max()) + 1, dtype=np.intp)
        member[groups] = np.arange(n_units)
        for _ in range(MOST_DRAWS):
            drawn = rng.permutation(member)[groups]
            if self._is_playable(drawn):
                return drawn
        outcome = self.problem.outcome
        if not isinstance(outcome, Classes):
            raise InputError(
                explain(
                    "Almost no exchange of outcomes between groups leaves different ones to train "
                    "on.",
                    f"You passed {member.size} groups, and {outcome.count}.",
                    "A permutation test needs more groups with different outcomes.",
                )
            )
        raise InputError(
            explain(
                "Almost no exchange of labels between groups leaves two classes to train on.",
                f"You passed {member.size} groups, {outcome.is_positive[member].sum()} of them "
                "positive.",
                "A permutation test needs more groups of each class.",
            )
        )

    @property
    def n_orders(self) -> int:
        """Upper limit on the number of different orders of the outcomes."""
        level, groups = self.problem.outcome.level, self.problem.groups
        if self.kind == "units" or groups is None:
            return _n_orders(level)
        if self.kind == "groups":
            return _n_orders(level[np.unique(groups, return_index=True)[1]])
        return prod(_n_orders(level[groups == group]) for group in np.unique(groups))

    def _is_playable(self, order: IntArray) -> bool:
        try:
            admit(self.contest.reordered(order).problem, Schedule(self.pairs))
        except InputError:
            return False
        return True


def exchange(contest: Contest, pairs: Pairs) -> Draw:
    """Decide what is exchangeable, and how to draw it."""
    kind = "units"
    groups = contest.problem.groups
    if groups is not None:
        level = contest.outcome.level
        same = [np.ptp(level[groups == group]) == 0 for group in np.unique(groups)]
        kind = "groups" if all(same) else "units within groups"
    return Draw(contest, pairs, kind)


def _n_orders(level: IntArray) -> int:
    """Count the different orders of some levels."""
    sizes = np.unique(level, return_counts=True)[1].tolist()
    return factorial(level.size) // prod(map(factorial, sizes))
