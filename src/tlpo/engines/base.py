"""What every engine offers, and which engines there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Protocol

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.options import Execution
from tlpo.problem.problem import Problem
from tlpo.schedule import Pairs, Schedule
from tlpo.standings import Standings


@dataclass(eq=False)
class Predictions:
    """Held-out predictions of every pair: ``F[i, j] = f_{-{i,j}}(i)``.

    The table is computed on first use, and whatever it was computed from is then dropped. A pickle
    holds only the table: neither features nor a decomposition of them.

    Attributes
    ----------
    compute : callable
        Returns the m × m table, NaN where no game was played (the diagonal always).
    ceiling : float
        The largest value a prediction can take: 1 for probabilities.
    """

    compute: Callable[[], FloatArray] | None
    ceiling: float = np.inf
    _table: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def of_table(cls, F: FloatArray, ceiling: float = np.inf) -> Predictions:
        """Wrap an existing table."""
        return cls(None, ceiling, F)

    @classmethod
    def of_games(
        cls, n_units: int, pairs: IntArray, responses: FloatArray, ceiling: float
    ) -> Predictions:
        """Write the responses of some games into a table; the others were not played."""
        F = np.full((n_units, n_units), np.nan)
        first, second = pairs.T
        F[first, second], F[second, first] = responses.T
        return cls.of_table(F, ceiling)

    def full(self) -> FloatArray:
        """Return the m × m table."""
        if self._table is None:
            assert self.compute is not None
            self._table, self.compute = self.compute(), None
        return self._table

    def __reduce__(self) -> tuple[Any, ...]:
        return Predictions.of_table, (self.full(), self.ceiling)


@dataclass(frozen=True, eq=False)
class Played:
    """Games that were played.

    Attributes
    ----------
    standings : Standings
        Wins of every unit.
    predictions : Predictions or None
        Held-out predictions, if requested.
    diagnostics : Diagnostics
        Fits, seconds and warnings.
    outcome : ndarray of shape (g,) or None
        The result of each game of a list, for its first unit; NaN if it was not finished.
    engine : str
        Name of the engine that played.
    """

    standings: Standings
    predictions: Predictions | None
    diagnostics: Diagnostics
    outcome: FloatArray | None = None
    engine: str = ""


@dataclass(frozen=True, eq=False)
class Answered:
    """Responses for held-out sets of any size.

    Attributes
    ----------
    responses : list of ndarray
        One for each held-out set.
    diagnostics : Diagnostics
        Fits, seconds and warnings.
    engine : str
        Name of the engine that answered.
    """

    responses: list[FloatArray]
    diagnostics: Diagnostics
    engine: str = ""


class Relabelling(Protocol):
    """Tournaments of the same units with other labels, from one decomposition."""

    def aucs(self, is_positive: BoolArray, pairs: Pairs) -> tuple[FloatArray, IntArray]:
        """Return the AUC for each row of labels, and how many of its games are doubtful.

        With ``pairs="all"`` the TLPO AUC, with ``"opposite"`` the LPO AUC. Where games are
        doubtful, the permutation must be played separately.
        """
        ...


class Engine(ABC):
    """A way of playing the tournament of one estimator on one problem.

    An engine is made once per contest and called as often as needed: it keeps what it
    decomposes.

    Parameters
    ----------
    prepared : Prepared
        What to play. `why_not` has found no objection.

    Attributes
    ----------
    name : str
        What users call it.
    estimators : frozenset of type
        The exact types of models it plays; empty for any.
    is_exact : bool
        Whether it needs no refits, or only those of a few doubtful games.
    plays_varying : bool
        Whether it plays columns that change with the training set.
    """

    name: ClassVar[str]
    estimators: ClassVar[frozenset[type]] = frozenset()
    is_exact: ClassVar[bool] = True
    plays_varying: ClassVar[bool] = False

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.estimator: Any = prepared.model
        self.problem: Problem = prepared.problem

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:  # noqa: ARG003
        """Return the reason this engine does not apply, as a sentence, or None if it does.

        Called only if the model, the last step of a pipeline, is of one of the listed types.
        """
        return None

    @abstractmethod
    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play the games of a schedule, each of which leaves both classes to train on.

        Raises
        ------
        EngineError
            If the engine finds only now that it does not apply; the next engine then plays.
        """

    @abstractmethod
    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Return the responses for each of the held-out sets; raises as `play` does."""

    def relabelling(self) -> Relabelling | None:
        """Return a faster way to play the same units with other labels, if there is one."""
        return None


# Modules of this package in order of preference; each defines ENGINE. The last always applies.
_MODULES = (
    "least_squares.engine",
    "least_squares.varying",
    "neighbors",
    "logistic.engine",
    "refit",
)


@cache
def engines() -> tuple[type[Engine], ...]:
    """Return every engine, in order of preference."""
    return tuple(import_module(f"tlpo.engines.{module}").ENGINE for module in _MODULES)
