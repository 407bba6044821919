"""Leave-pair-out as a scikit-learn splitter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from tlpo.arrays import IntArray
from tlpo.checks import require_choice
from tlpo.errors import InputError, explain
from tlpo.games.response import outcomes, respond, response_method
from tlpo.games.schedule import Schedule
from tlpo.problem.playable import admit
from tlpo.problem.problem import Problem, make_problem


class LeavePairOut(BaseCrossValidator):
    """Hold out two units at a time, for `sklearn.model_selection.cross_validate` and friends.

    Parameters
    ----------
    pairs : {"opposite", "all"}
        Pairs of a positive and a negative unit, or every pair. On the former the mean of
        ``scoring=tlpo.pair_score``, or of ``"roc_auc"``, is the leave-pair-out AUC. On pairs of
        one class both are undefined.

    Notes
    -----
    Units that share a group with a held-out unit leave the training set too, when ``groups``
    is given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import cross_val_score
    >>> import tlpo
    >>> X, y = load_iris(return_X_y=True)
    >>> X, kind = X[94:106, :2], y[94:106]  # sepals of six versicolor and six virginica
    >>> aucs = cross_val_score(Ridge(), X, kind, cv=tlpo.LeavePairOut(), scoring=tlpo.pair_score)
    >>> len(aucs), round(float(aucs.mean()), 3)
    (36, 0.944)
    >>> round(tlpo.leave_pair_out(Ridge(), X, kind).auc, 3)
    0.944
    """

    def __init__(self, pairs: Literal["opposite", "all"] = "opposite") -> None:
        self.pairs = pairs

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield training and test indices of every pair.

        Examples
        --------
        >>> import tlpo
        >>> y = ["no", "no", "yes", "yes"]
        >>> for train, test in tlpo.LeavePairOut().split([[1], [2], [3], [4]], y):
        ...     print(train, test)
        [1 3] [0 2]
        [1 2] [0 3]
        [0 3] [1 2]
        [0 2] [1 3]
        """
        problem, schedule = self._plan(X, y, groups)
        for pair in schedule.games(problem.outcome):
            yield problem.training_set(pair), pair

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of pairs.

        Examples
        --------
        >>> import tlpo
        >>> y = [0] * 10 + [1] * 20
        >>> tlpo.LeavePairOut().get_n_splits(y=y), tlpo.LeavePairOut(pairs="all").get_n_splits(y=y)
        (200, 435)
        """
        problem, schedule = self._plan(X, y, groups)
        return schedule.n_games(problem.outcome)

    def _plan(self, X: Any, y: Any, groups: Any) -> tuple[Problem, Schedule]:
        require_choice("pairs", self.pairs, ("opposite", "all"))
        if y is None:
            raise InputError(
                explain(
                    "Leave-pair-out needs labels.",
                    "You passed no y.",
                    "Pass y to split and get_n_splits.",
                )
            )
        problem = make_problem(np.empty(len(y)) if X is None else X, y, groups=groups)
        return problem, admit(
            problem, Schedule("all" if self.pairs == "all" else "ordered")
        ).schedule


def pair_score(estimator: Any, X: Any, y: Any) -> float:
    """Score a fitted model on a pair of opposite class: 1 if the positive wins, ½ for a tie, or 0.

    For ``scoring=`` of scikit-learn, with `LeavePairOut`. Unlike ``"roc_auc"`` it takes regressors,
    and rounding does not decide a tie.

    Parameters
    ----------
    estimator : fitted classifier or regressor
        The model.
    X : two rows
        The pair.
    y : array-like of shape (2,)
        Their labels; the second in sorted order is positive.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> model = Ridge().fit([[0.0], [2.0]], [0, 1])
    >>> pair_score(model, [[1.0], [3.0]], [0, 1]), pair_score(model, [[1.0], [1.0]], [0, 1])
    (1.0, 0.5)
    """
    negative, positive = (*np.unique(y), None, None)[:2]
    if len(y) != 2 or positive is None:
        raise InputError(
            explain(
                "pair_score compares a positive with a negative unit.",
                f"You passed {len(y)} units with the labels {np.unique(y).tolist()}.",
                "Use it with cv=tlpo.LeavePairOut(pairs='opposite').",
            )
        )
    method = response_method(estimator)
    responses = respond(estimator, method, X, positive, (negative, positive))
    second_wins = outcomes(
        responses[1:], responses[:1], 1.0 if method == "predict_proba" else np.inf
    )
    return float(second_wins[0] if y[1] == positive else 1.0 - second_wins[0])
