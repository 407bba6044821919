"""What a permutation test may exchange: labels of units, of whole groups, or within groups."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, explain
from tlpo.games.contest import Contest
from tlpo.games.schedule import Pairs, Schedule
from tlpo.problem.playable import admit
from tlpo.problem.problem import Problem

# Labels of groups that leave too little to train on are drawn again, up to this many times.
MOST_DRAWS = 1000


@dataclass(frozen=True)
class Draw:
    """Draws labels: of units, of whole groups, or within groups.

    Attributes
    ----------
    contest : Contest
        What is played.
    pairs : {"all", "opposite"}
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

    def __call__(self, rng: np.random.Generator) -> BoolArray:
        """Draw which units are positive."""
        is_positive, groups = self.problem.labels.is_positive, self.problem.groups
        if self.kind == "units" or groups is None:
            return rng.permutation(is_positive)
        if self.kind == "units within groups":
            # within each group, its labels go to its units in random order
            drawn = np.empty_like(is_positive)
            drawn[np.lexsort((rng.random(groups.size), groups))] = is_positive[
                np.argsort(groups, kind="stable")
            ]
            return drawn
        of_group = np.zeros(int(groups.max()) + 1, dtype=bool)
        of_group[groups] = is_positive
        for _ in range(MOST_DRAWS):
            drawn = rng.permutation(of_group)[groups]
            if self._is_playable(drawn):
                return drawn
        raise InputError(
            explain(
                "Almost no exchange of labels between groups leaves two classes to train on.",
                f"You passed {of_group.size} groups, {of_group.sum()} of them positive.",
                "A permutation test needs more groups of each class.",
            )
        )

    @property
    def n_labellings(self) -> int:
        """Upper limit on the number of different labellings."""
        is_positive, groups = self.problem.labels.is_positive, self.problem.groups
        if self.kind == "units" or groups is None:
            return comb(is_positive.size, int(is_positive.sum()))
        sizes, own = np.bincount(groups), np.bincount(groups, weights=is_positive).astype(int)
        if self.kind == "groups":
            return comb(sizes.size, int(np.count_nonzero(own)))
        return prod(comb(int(n), int(k)) for n, k in zip(sizes, own, strict=True))

    def _is_playable(self, is_positive: BoolArray) -> bool:
        try:
            admit(self.contest.relabelled(is_positive).problem, Schedule(self.pairs))
        except InputError:
            return False
        return True


def exchange(contest: Contest, pairs: Pairs) -> Draw:
    """Decide what is exchangeable, and how to draw it."""
    kind = "units"
    groups = contest.problem.groups
    if groups is not None:
        is_positive = contest.labels.is_positive
        share = np.bincount(groups, weights=is_positive) / np.bincount(groups)
        kind = "groups" if np.isin(share, (0.0, 1.0)).all() else "units within groups"
    return Draw(contest, pairs, kind)
