"""Games that end alike whichever candidate a search chooses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlpo.arrays import IntArray
from tlpo.engines.by_sets import Answer, Answers, BySets
from tlpo.execution.options import Execution
from tlpo.games.response import outcomes


def answer_in_order(
    candidates: Sequence[BySets], choose: Answer, sets: IntArray, execution: Execution
) -> Answers:
    """Answer pairs so that the right unit of each wins.

    Parameters
    ----------
    candidates : sequence of BySets
        Engines of all that may be chosen.
    choose : callable
        Answers by the candidate that is chosen. Called only for pairs that candidates order
        differently, or that one of them leaves open.
    sets : ndarray of shape (g, 2)
        The pairs.
    execution : Execution
        How to run.
    """
    first, *others = (engine.bracket(sets, execution) for engine in candidates)
    wins = _winners(first, candidates[0].ceiling)
    is_open = wins == 0
    for engine, answers in zip(candidates[1:], others, strict=True):
        is_open |= _winners(answers, engine.ceiling) != wins
    left = np.flatnonzero(is_open)
    if left.size:
        first.response[left], first.error[left] = choose(sets[left], execution)
    return first


def _winners(answers: Answers, ceiling: float) -> IntArray:
    """Return 1 where the first unit is certain to win, -1 where the second one is, 0 elsewhere."""
    one, other = answers.response.T
    error = answers.error.sum(axis=1)
    slack = np.where(np.isfinite(error), error, 0.0)
    is_first = outcomes(one - slack, other, ceiling) == 1.0
    is_second = outcomes(one + slack, other, ceiling) == 0.0
    return np.where(np.isfinite(error), is_first.astype(int) - is_second, 0)
