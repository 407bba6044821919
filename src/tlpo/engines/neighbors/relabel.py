"""Neighbours with classes reordered: who is near does not change, only who votes how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.neighbors.choices import Choices
from tlpo.engines.neighbors.lists import Lists
from tlpo.games.schedule import Pairs
from tlpo.games.standings import Standings
from tlpo.problem.outcome import Classes
from tlpo.roc.curve import wmw_auc


@dataclass(frozen=True, eq=False)
class ListsReordering:
    """Plays tournaments of the same units with their classes in other orders.

    Attributes
    ----------
    lists : Lists
        All other units of every unit by distance.
    choices : Choices
        Who votes where distances do not tell.
    classes : Classes
        The class of every unit.
    """

    lists: Lists
    choices: Choices
    classes: Classes

    def shares(self, orders: IntArray, pairs: Pairs) -> tuple[FloatArray, IntArray]:
        """Return the AUC of each order, and how many of its games are doubtful."""
        from tlpo.engines.neighbors.kernels import play_by_lists

        lists, voting = self.lists, self.lists.voting
        m = len(lists.order)
        ordered = pairs == "ordered"
        aucs, doubts = np.empty(len(orders)), np.empty(len(orders), dtype=np.intp)
        table, errors = np.empty((m, m)), np.empty((m, m))
        for b, order in enumerate(orders):
            outcome = self.classes.reordered(order)
            half_wins = np.zeros((m, 2), dtype=np.intp)
            doubts[b] = play_by_lists(
                lists.order,
                lists.distance,
                outcome.is_positive,
                voting.k,
                voting.style,
                voting.is_signed,
                voting.ceiling,
                lists.margin(m - 2),
                self.choices.which,
                self.choices.unit,
                self.choices.weight,
                ordered,
                table,
                errors,
                half_wins,
            )
            standings = Standings(half_wins / 2.0, outcome.scheduled(ordered), 0)
            if ordered:
                aucs[b] = standings.lpo_auc(outcome.is_positive)
            else:
                aucs[b] = wmw_auc(standings.scores, outcome.is_positive)
        return aucs, doubts
