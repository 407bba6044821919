"""What every engine offers, and how one is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from tlpo.arrays import FloatArray
from tlpo.errors import EngineError, explain
from tlpo.execution.pairs import Pairs
from tlpo.execution.record import Diagnostics
from tlpo.problem import Problem
from tlpo.standings import Standings

# The table of held-out predictions is kept by default while it fits this many bytes.
PREDICTIONS_BUDGET = 256 * 2**20


@dataclass(frozen=True, eq=False)
class Played:
    """What an engine returns.

    Attributes
    ----------
    standings : Standings
        Wins of every unit.
    predictions : ndarray of shape (m, m) or None
        ``F[i, j] = f_{-{i,j}}(i)``, NaN where no game was played (the diagonal always).
    diagnostics : Diagnostics
        What it took.
    """

    standings: Standings
    predictions: FloatArray | None
    diagnostics: Diagnostics


@dataclass(frozen=True)
class Execution:
    """How the user wants the work done."""

    n_jobs: int | None = None
    progress: bool = False
    on_error: str = "raise"
    predictions: bool | None = None

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

    def play(self, estimator: Any, problem: Problem, pairs: Pairs, execution: Execution) -> Played:
        """Play the games between all pairs, or between units of opposite class only."""
        ...


# Modules of this package in order of preference; each has an ENGINE. The last always applies.
_MODULES = ("refit",)


def engines() -> list[Engine]:
    """Return every engine, the preferred first."""
    return [import_module(f"tlpo.engines.{module}").ENGINE for module in _MODULES]


def choose(name: str, estimator: Any, problem: Problem) -> tuple[Engine, str | None]:
    """Pick the engine to play with, and say why it is not a faster one.

    Parameters
    ----------
    name : str
        ``"auto"``, or the name of an engine, which must then apply.
    estimator, problem
        What is to be played.

    Returns
    -------
    engine : Engine
    why_refit : str or None
        Why the exact engines before it do not apply.
    """
    available = engines()
    if name == "auto":
        reasons: list[str] = []
        for engine in available:
            reason = engine.why_not(estimator, problem)
            if reason is None:
                return engine, " ".join(reasons) or None
            reasons.append(reason)
    for engine in available:
        if engine.name == name:
            reason = engine.why_not(estimator, problem)
            if reason is not None:
                raise EngineError(
                    explain(
                        f"Engine {name!r} does not apply.",
                        reason,
                        "Use engine='auto', which takes an exact engine or refits.",
                    )
                )
            return engine, None
    raise EngineError(
        explain(
            "There is no such engine.",
            f"You passed engine={name!r}.",
            f"Use 'auto' or one of {', '.join(repr(engine.name) for engine in available)}.",
        )
    )
