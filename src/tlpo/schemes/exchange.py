"""What a permutation test may exchange: labels of units, of whole groups, or within groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, prod

import numpy as np

from tlpo.arrays import BoolArray
from tlpo.errors import InputError, explain
from tlpo.problem.problem import Problem
from tlpo.schedule import Pairs

# Labels of groups that leave too little to learn from are drawn again, up to so many times.
MOST_DRAWS = 1000


def relabel(problem: Problem, is_positive: BoolArray) -> Problem:
    """Return the same units with other labels."""
    labels = problem.labels
    names = np.array([labels.negative, labels.positive], dtype=problem.y.dtype)
    return replace(
        problem,
        y=names[is_positive.astype(int)],
        labels=replace(labels, is_positive=is_positive),
    )


@dataclass(frozen=True)
class Draw:
    """Draws labels: of units, of whole groups, or within groups."""

    problem: Problem
    smallest: int
    pairs: Pairs
    kind: str

    def __call__(self, rng: np.random.Generator) -> BoolArray:
        """Draw which units are positive."""
        is_positive, groups = self.problem.labels.is_positive, self.problem.groups
        if self.kind == "units" or groups is None:
            return rng.permutation(is_positive)
        if self.kind == "units within groups":
            # sorted by group and, within it, at random: ranks of two such orders are exchanged
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
                "Hardly any exchange of labels between groups leaves two classes to learn from.",
                f"You passed {of_group.size} groups, {of_group.sum()} of them positive.",
                "A permutation test needs more groups of each class.",
            )
        )

    @property
    def n_labellings(self) -> int:
        """How many different labels can be drawn, at most."""
        is_positive, groups = self.problem.labels.is_positive, self.problem.groups
        if self.kind == "units" or groups is None:
            return comb(is_positive.size, int(is_positive.sum()))
        sizes, own = np.bincount(groups), np.bincount(groups, weights=is_positive).astype(int)
        if self.kind == "groups":
            return comb(sizes.size, int(np.count_nonzero(own)))
        return prod(comb(int(n), int(k)) for n, k in zip(sizes, own, strict=True))

    def _is_playable(self, is_positive: BoolArray) -> bool:
        n_positive = int(np.count_nonzero(is_positive))
        if min(n_positive, is_positive.size - n_positive) < self.smallest:
            return False
        try:
            relabel(self.problem, is_positive).require_playable_pairs(self.pairs == "opposite")
        except InputError:
            return False
        return True


def exchange(problem: Problem, smallest: int, pairs: Pairs) -> tuple[str, Draw]:
    """Decide what is exchangeable, and how to draw it."""
    kind = "units"
    if problem.groups is not None:
        is_positive, groups = problem.labels.is_positive, problem.groups
        share = np.bincount(groups, weights=is_positive) / np.bincount(groups)
        kind = "groups" if np.isin(share, (0.0, 1.0)).all() else "units within groups"
    return kind, Draw(problem, smallest, pairs, kind)
