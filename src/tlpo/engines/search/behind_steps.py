"""The engine for searches behind steps that change with the training set.

In ``make_pipeline(StandardScaler(), GridSearchCV(...))`` the scaler of a pair is fitted to all of
its training set, folds included. So these steps are fitted for every pair, which takes a small part
of the time of a search, and the search behind them is played on what they return.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from tlpo.arrays import IntArray
from tlpo.engines.base import Chosen, Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.preparation.prepared import Prepared, unprepared
from tlpo.engines.search.engine import Search
from tlpo.engines.trial import find_pairs
from tlpo.errors import EngineError
from tlpo.execution.fits import Fitter
from tlpo.execution.options import Execution
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem


class SearchBehind(BySets):
    """Searches in the last step of a pipeline whose other steps differ from pair to pair."""

    name = "search"
    estimators = Search.estimators
    outcomes = frozenset({Classes})
    plays_fixed = False

    def __init__(self, prepared: Prepared) -> None:
        # No training set is an exception: steps are fitted.
        super().__init__(replace(prepared, guards=()))
        whole = prepared.whole
        if type(whole) is not Pipeline or type(whole.steps[-1][1]) not in self.estimators:
            raise EngineError("A search inside another pipeline is refitted.")
        self._targets = Fitter(whole, prepared.given).targets
        pair = next(iter(find_pairs(self.problem)), None)
        if pair is None:
            raise EngineError("No pair leaves a training set.")
        first = self._problem_without(self.problem.left_out(pair))
        self._search = Search(unprepared(whole.steps[-1][1], first))
        self.ceiling = self._search.ceiling

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether this is a search in folds."""
        return super().accepts(prepared) and Search.has_folds(prepared.model)

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Fit the steps without each set, and let the search behind them answer."""
        return self._ask("answer", sets, execution)

    @property
    def can_answer_again(self) -> bool:
        """Candidates can be fitted."""
        return True

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Answer more accurately."""
        return self._ask("answer_again", sets, execution)

    def answer_in_order(self, sets: IntArray, execution: Execution) -> Answers:
        """Choose only for pairs that candidates order differently."""
        self._search.is_partial = self._search.can_skip
        return self._ask("answer_in_order", sets, execution)

    def chosen(self) -> Chosen | None:
        """Count what was chosen without the pairs that were played; None if not for each."""
        return self._search.chosen()

    def _ask(self, how: str, sets: IntArray, execution: Execution) -> Answers:
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        for k, units in enumerate(sets):
            problem = self._problem_without(units)
            search = self._search.on(unprepared(self._search.estimator, problem))
            found = getattr(search, how)(units[None], execution)
            answers.response[k], answers.error[k] = found.response[0], found.error[0]
        return answers

    def _problem_without(self, units: IntArray) -> Problem:
        """Return the problem as steps prepare it that are fitted without some units."""
        problem = self.prepared.given
        train = np.setdiff1d(np.arange(problem.n_units), units)
        steps = clone(self.prepared.whole[:-1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                rows = steps.fit_transform(problem.rows(train), self._targets[train])
                others = steps.transform(problem.rows(units))
            except Exception as error:  # as a refit will say
                raise EngineError(f"A step cannot be fitted: {error}") from None
        if not (_is_plain(rows) and _is_plain(others)):
            raise EngineError("A search behind steps is played on matrices of numbers only.")
        X = np.empty((problem.n_units, rows.shape[1]))
        X[train], X[units] = rows, others
        return replace(problem, X=X)


def _is_plain(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.dtype == np.float64 and rows.ndim == 2


ENGINE: type[Engine] = SearchBehind
