"""Models behind a selection of features that every training set makes anew.

Without a few units the selection is that of corrected sums. Training sets that select the same
columns are answered together, by the engine that plays the model on these columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.by_sets import Answers, BySets, answering
from tlpo.engines.preparation.columns import Columns
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.problem.outcome import Classes, Ordered

# Cells of columns that are looked at together: the more, the more training sets select the same.
CELLS = 1 << 22
# Engines that are kept.
MOST_ENGINES = 500


class Selection(BySets):
    """A model behind SelectKBest that no engine of its own plays there."""

    name = "selection"
    estimators = frozenset(
        {
            GaussianNB,
            KNeighborsClassifier,
            KNeighborsRegressor,
            LinearSVC,
            LogisticRegression,
            NuSVC,
            NuSVR,
            PLSRegression,
            SVC,
            SVR,
        }
    )
    outcomes = frozenset({Classes, Ordered})
    plays_fixed = False
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self._engines: dict[bytes, BySets] = {}
        usual = self._usual
        self.ceiling, self.notices_empty = usual.ceiling, usual.notices_empty

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether columns are selected."""
        columns = prepared.columns
        return super().accepts(prepared) and columns is not None and columns.n_best is not None

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Ask what plays the model on as many columns."""
        columns = prepared.columns
        assert columns is not None
        if columns.by_correlation == isinstance(prepared.problem.outcome, Classes):
            return "f_classif selects columns for classes, f_regression for numbers."
        found = _engine_on(prepared, np.arange(columns.n_best or 0))
        return found if isinstance(found, str) else None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Select without each set, and let the engine of what is selected answer."""
        return self._ask(sets, execution, again=False)

    @property
    def can_answer_again(self) -> bool:
        """Whether the engines can."""
        return self._usual.can_answer_again

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Do the same more accurately."""
        return self._ask(sets, execution, again=True)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Select on the units of every fit."""
        found: list[FloatArray | None] = []
        for fit in fits:
            fitted = self._columns.fit_on(fit.train)
            chosen = self._columns.best_on(fit.train, self.problem.scaled_target, fitted)
            found += [None] if chosen is None else self._engine(chosen).respond([fit])
        return found

    @property
    def _columns(self) -> Columns:
        assert self.prepared.columns is not None
        return self.prepared.columns

    @property
    def _usual(self) -> BySets:
        return self._engine(np.arange(self._columns.n_best or 0))

    def _ask(self, sets: IntArray, execution: Execution, again: bool) -> Answers:
        columns = self._columns
        fitted = columns.fit_without(sets)
        chosen, is_clear = columns.best_without(sets, self.problem.scaled_target, fitted)
        answers = Answers(np.zeros(sets.shape), np.full(sets.shape, np.inf))
        found, number = np.unique(chosen, axis=0, return_inverse=True)
        for k, own in enumerate(found):
            which = np.flatnonzero((number.ravel() == k) & is_clear)
            if which.size:
                asked = self._engine(own).bracket(sets[which], execution, again)
                answers.response[which], answers.error[which] = asked
        return answers

    def _engine(self, chosen: IntArray) -> BySets:
        """Return the engine for some columns."""
        key = chosen.tobytes()
        if key not in self._engines:
            if len(self._engines) >= MOST_ENGINES:
                self._engines.clear()
            engine = _engine_on(self.prepared, chosen)
            if isinstance(engine, str):
                raise EngineError(engine)
            self._engines[key] = engine
        return self._engines[key]

    def _parts(self, count: int, size: int) -> Iterator[slice]:  # noqa: ARG002
        step = max(1, CELLS // self._columns.n_columns)
        for start in range(0, count, step):
            yield slice(start, min(count, start + step))


def _engine_on(prepared: Prepared, chosen: IntArray) -> BySets | str:
    """Return the engine that plays a model on some columns, or why there is none."""
    assert prepared.columns is not None
    own = prepared.on(replace(prepared.columns.take(chosen), n_best=None))
    why = f"No exact engine plays {type(prepared.model).__name__}."
    for engine in answering(own):
        if not isinstance(engine, str):
            return engine
        why = engine
    return why


ENGINE = Selection
