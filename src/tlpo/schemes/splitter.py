"""Leave-pair-out as a scikit-learn splitter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from tlpo.arrays import IntArray
from tlpo.checks import require_choice
from tlpo.errors import InputError, explain
from tlpo.problem.playable import admit
from tlpo.problem.problem import Problem, make_problem
from tlpo.schedule import Pairs, Schedule


class LeavePairOut(BaseCrossValidator):
    """Hold out two units at a time, for `sklearn.model_selection.cross_validate` and friends.

    Parameters
    ----------
    pairs : {"all", "opposite"}
        Every pair, or only pairs of a positive and a negative unit. Scorers that need both
        classes, such as ``roc_auc``, give NaN on pairs of one class; with ``"opposite"`` their
        mean is the leave-pair-out AUC.

    Notes
    -----
    Units that share a group with a held-out unit leave the training set too, when ``groups``
    is given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = np.array([[0.0], [2.0], [1.0], [3.0], [4.0], [5.0]]), [0, 0, 0, 1, 1, 1]
    >>> lpo = LeavePairOut(pairs="opposite")
    >>> aucs = cross_val_score(LogisticRegression(), X, y, cv=lpo, scoring="roc_auc")
    >>> len(aucs), float(aucs.mean())
    (9, 1.0)
    """

    def __init__(self, pairs: Pairs = "all") -> None:
        self.pairs = pairs

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield training and test indices of every pair."""
        problem, schedule = self._plan(X, y, groups)
        for pair in schedule.games(problem.labels.is_positive):
            yield problem.training_set(pair), pair

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of pairs."""
        problem, schedule = self._plan(X, y, groups)
        return schedule.n_games(problem.labels.is_positive)

    def _plan(self, X: Any, y: Any, groups: Any) -> tuple[Problem, Schedule]:
        require_choice("pairs", self.pairs, ("all", "opposite"))
        if y is None:
            raise InputError(
                explain(
                    "Leave-pair-out needs labels.",
                    "You passed no y.",
                    "Pass y to split and get_n_splits.",
                )
            )
        problem = make_problem(np.empty(len(y)) if X is None else X, y, groups=groups)
        return problem, admit(problem, Schedule(self.pairs)).schedule
