"""Neighbours with other labels: who is near does not change, only who votes how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.neighbors.choices import Choices
from tlpo.engines.neighbors.lists import Lists
from tlpo.games.schedule import Pairs
from tlpo.games.standings import Standings, games_scheduled
from tlpo.roc.curve import wmw_auc


@dataclass(frozen=True, eq=False)
class ListsRelabelling:
    """Plays tournaments of the same units with other labels.

    Attributes
    ----------
    lists : Lists
        All other units of every unit by distance.
    choices : Choices
        Who votes where distances do not tell.
    """

    lists: Lists
    choices: Choices

    def aucs(self, is_positive: BoolArray, pairs: Pairs) -> tuple[FloatArray, IntArray]:
        """Return the AUC for each row of labels, and how many of its games are doubtful."""
        from tlpo.engines.neighbors.kernels import play_by_lists

        lists, voting = self.lists, self.lists.voting
        m = len(lists.order)
        opposite = pairs == "opposite"
        aucs, doubts = np.empty(len(is_positive)), np.empty(len(is_positive), dtype=np.intp)
        table, errors = np.empty((m, m)), np.empty((m, m))
        for b, labels in enumerate(is_positive):
            half_wins = np.zeros((m, 2), dtype=np.intp)
            doubts[b] = play_by_lists(
                lists.order,
                lists.distance,
                labels,
                voting.k,
                voting.style,
                voting.is_signed,
                voting.ceiling,
                lists.margin(m - 2),
                self.choices.which,
                self.choices.unit,
                self.choices.weight,
                opposite,
                table,
                errors,
                half_wins,
            )
            standings = Standings(half_wins / 2.0, games_scheduled(labels, opposite), 0)
            if opposite:
                aucs[b] = standings.lpo_auc(labels)
            else:
                aucs[b] = wmw_auc(standings.scores, labels)
        return aucs, doubts
