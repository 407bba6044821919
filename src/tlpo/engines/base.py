"""What every engine offers, and how one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeVar

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import EngineError, InputError, explain
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.journal import Part
from tlpo.problem.problem import Problem
from tlpo.schedule import Schedule
from tlpo.standings import Standings

# The table of held-out predictions is kept by default while it fits this many bytes.
PREDICTIONS_BUDGET = 256 * 2**20


class Predictions(Protocol):
    """Held-out predictions of every pair: ``F[i, j] = f_{-{i,j}}(i)``.

    ``ceiling`` is the largest value they can take: 1 for probabilities.
    """

    @property
    def ceiling(self) -> float:
        """The largest value a response can take."""
        ...

    def pairs(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the responses of the two units of some games."""
        ...

    def full(self) -> FloatArray:
        """Return the m × m table, NaN where no game was played (the diagonal always)."""
        ...


@dataclass(frozen=True, eq=False)
class Table:
    """Held-out predictions that were written down game by game."""

    F: FloatArray
    ceiling: float = np.inf

    @classmethod
    def of(cls, n_units: int, pairs: IntArray, responses: FloatArray, ceiling: float) -> Table:
        """Write down some games; the others were not played."""
        table = cls(np.full((n_units, n_units), np.nan), ceiling)
        table.fill(pairs, responses)
        return table

    def fill(self, pairs: IntArray, responses: FloatArray) -> None:
        """Write down the responses of the two units of some games."""
        first, second = pairs.T
        self.F[first, second], self.F[second, first] = responses.T

    def pairs(self, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the responses of the two units of some games."""
        return self.F[first, second], self.F[second, first]

    def full(self) -> FloatArray:
        """Return the table."""
        return self.F


@dataclass(frozen=True, eq=False)
class Played:
    """What an engine returns.

    Attributes
    ----------
    standings : Standings
        Wins of every unit.
    predictions : Predictions or None
        Held-out predictions; an engine that does not need them computes them when asked.
    diagnostics : Diagnostics
        What it took.
    outcome : ndarray of shape (g,) or None
        The result of each game of a list, for its first unit; NaN if it was not finished.
    """

    standings: Standings
    predictions: Predictions | None
    diagnostics: Diagnostics
    outcome: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Answered:
    """Responses for held-out sets of any size, and what they took."""

    responses: list[FloatArray]
    diagnostics: Diagnostics


@dataclass(frozen=True)
class Execution:
    """How the user wants the work done."""

    n_jobs: int | None = None
    progress: bool = False
    on_error: str = "raise"
    predictions: bool | None = None
    journal: Part | None = None
    shard: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        n_jobs = self.n_jobs
        if n_jobs is not None and (not isinstance(n_jobs, int | np.integer) or n_jobs == 0):
            raise InputError(
                explain(
                    "n_jobs must be a whole number other than 0, or None.",
                    f"You passed n_jobs={n_jobs!r}.",
                    "For example n_jobs=2, or n_jobs=-1 for all cores.",
                )
            )

    def keeps_predictions(self, n_units: int) -> bool:
        """Tell whether the m × m table is wanted: on request, else when it is small."""
        if self.predictions is None:
            return 8 * n_units**2 <= PREDICTIONS_BUDGET
        return self.predictions


class Engine(Protocol):
    """An exact way of playing the tournament."""

    name: str

    def why_not(self, estimator: Any, problem: Problem) -> str | None:
        """Return the reason this engine does not apply, as a sentence, or None if it does."""
        ...

    def play(
        self, estimator: Any, problem: Problem, schedule: Schedule, execution: Execution
    ) -> Played:
        """Play the games of a schedule.

        That every game leaves both classes to learn from is checked here for groups; for
        exclusions and lists of games it has been.
        """
        ...

    def hold_out(
        self, estimator: Any, problem: Problem, tests: list[IntArray], execution: Execution
    ) -> Answered:
        """Return the responses for each of the held-out sets."""
        ...


# Modules of this package in order of preference; each has an ENGINE. The last always applies.
_MODULES = ("least_squares.engine", "neighbors", "refit")

R = TypeVar("R", Played, Answered)


@cache
def engines() -> tuple[Engine, ...]:
    """Return every engine, the preferred first."""
    return tuple(import_module(f"tlpo.engines.{module}").ENGINE for module in _MODULES)


def delegate(
    name: str, estimator: Any, problem: Problem, act: Callable[[Engine], R]
) -> tuple[str, R]:
    """Let the right engine act, and record why it is not a faster one.

    Parameters
    ----------
    name : str
        ``"auto"``: the first engine that applies. Otherwise the name of an engine, which must.
    estimator, problem
        What is to be played.
    act : callable
        What the engine is to do. It may still find that it does not apply, and raise
        `EngineError`; then the next one tries.

    Returns
    -------
    engine : str
        Name of the engine that acted.
    result : Played or Answered
    """
    available = [engine for engine in engines() if name in ("auto", engine.name)]
    if not available:
        raise EngineError(
            explain(
                "There is no such engine.",
                f"You passed engine={name!r}.",
                f"Use 'auto' or one of {', '.join(repr(engine.name) for engine in engines())}.",
            )
        )
    reasons: list[str] = []
    for engine in available:
        reason = engine.why_not(estimator, problem)
        if reason is None:
            try:
                result = act(engine)
            except EngineError as error:
                reason = str(error)
            else:
                if reasons:
                    diagnostics = replace(result.diagnostics, why_refit=" ".join(reasons))
                    result = replace(result, diagnostics=diagnostics)
                return engine.name, result
        reasons.append(reason)
    raise EngineError(
        explain(
            f"Engine {name!r} does not apply.",
            reasons[0],
            "Use engine='auto', which takes an exact engine or refits.",
        )
    )
