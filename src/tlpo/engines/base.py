"""What every engine offers, and which engines there are."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

import tlpo.engines
from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Fit, run_fits
from tlpo.execution.options import Execution
from tlpo.games.response import fits_numbers
from tlpo.games.schedule import Pairs, Schedule
from tlpo.games.standings import Standings, tally
from tlpo.problem.outcome import Classes, Ordered, Outcome
from tlpo.problem.problem import Problem

if TYPE_CHECKING:
    from tlpo.engines.by_sets import BySets

# What results say instead of an engine's name if the games were not played by us.
ELSEWHERE = "elsewhere"


Halves = tuple[FloatArray, FloatArray]


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
    halves : pair of ndarray or None
        The same tables of either half of an ensemble. How they differ shows how much of the
        predictions is due to its randomness.
    """

    compute: Callable[[], FloatArray] | None
    ceiling: float = np.inf
    _table: FloatArray | None = field(default=None, repr=False)
    halves: Halves | None = field(default=None, repr=False)

    @classmethod
    def of_table(
        cls, F: FloatArray, ceiling: float = np.inf, halves: Halves | None = None
    ) -> Predictions:
        """Wrap an existing table."""
        return cls(None, ceiling, F, halves)

    @classmethod
    def of_games(
        cls,
        n_units: int,
        pairs: IntArray,
        responses: FloatArray,
        ceiling: float,
        halves: Halves | None = None,
    ) -> Predictions:
        """Write the responses of some games into a table; the others were not played."""

        def table(values: FloatArray) -> FloatArray:
            F = np.full((n_units, n_units), np.nan)
            first, second = pairs.T
            F[first, second], F[second, first] = values.T
            return F

        tables = None if halves is None else (table(halves[0]), table(halves[1]))
        return cls.of_table(table(responses), ceiling, tables)

    def full(self) -> FloatArray:
        """Return the m × m table."""
        if self._table is None:
            assert self.compute is not None
            self._table, self.compute = self.compute(), None
        return self._table

    def __reduce__(self) -> tuple[Any, ...]:
        return Predictions.of_table, (self.full(), self.ceiling, self.halves)


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
    responses : ndarray of shape (g, 2) or None
        The predictions that decided each game of a list.
    """

    standings: Standings
    predictions: Predictions | None
    diagnostics: Diagnostics
    outcome: FloatArray | None = None
    engine: str = ""
    responses: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class PlayedClasses:
    """Games that were played for the response of each of several classes.

    Attributes
    ----------
    each : tuple of Played
        One for every class.
    diagnostics : Diagnostics
        Fits, seconds and warnings.
    engine : str
        Name of the engine that played.
    """

    each: tuple[Played, ...]
    diagnostics: Diagnostics
    engine: str = ""


@dataclass(frozen=True, eq=False)
class Decided:
    """Games with their results, before they are counted.

    Attributes
    ----------
    who_wins : Outcome
        Who should win.
    games : ndarray of shape (g, 2)
        The games.
    outcome : ndarray of shape (g,), or (g, K) for several classes
        The result for the first unit; NaN if it was not finished.
    responses : ndarray of shape (g, 2) or (g, 2, K)
        What decided it.
    ceiling : float
        The largest value a response can take.
    diagnostics : Diagnostics
        Fits, seconds and warnings.
    halves : pair of ndarray or None
        The responses of either half of an ensemble.
    """

    who_wins: Outcome
    games: IntArray
    outcome: FloatArray
    responses: FloatArray
    ceiling: float
    diagnostics: Diagnostics
    halves: Halves | None = None

    def described(self, schedule: Schedule, execution: Execution) -> Played:
        """Count the wins."""
        standings = tally(self.games, self.outcome, self.who_wins)
        predictions = None
        if execution.keep_predictions:
            m = self.who_wins.n_units
            predictions = Predictions.of_games(
                m, self.games, self.responses, self.ceiling, self.halves
            )
        diagnostics = replace(self.diagnostics, pairs_played=standings.n_games)
        if schedule.listed is None:
            return Played(standings, predictions, diagnostics)
        return Played(standings, predictions, diagnostics, self.outcome, responses=self.responses)

    def by_class(self, schedule: Schedule, execution: Execution) -> PlayedClasses:
        """Count the wins in the response of every class."""
        each = tuple(
            self._of_class(k).described(schedule, execution) for k in range(self.outcome.shape[1])
        )
        return PlayedClasses(each, each[0].diagnostics)

    def _of_class(self, k: int) -> Decided:
        halves = None
        if self.halves is not None:
            halves = self.halves[0][:, :, k], self.halves[1][:, :, k]
        return replace(
            self, outcome=self.outcome[:, k], responses=self.responses[:, :, k], halves=halves
        )


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


@dataclass(frozen=True, eq=False)
class Chosen:
    """What the models of the pairs chose, each on its own training set.

    Attributes
    ----------
    n_models : int
        How many models are counted.
    settings : dict of str to int
        How many took each setting.
    used : ndarray of shape (n_columns,) or None
        How many use a column; None if that is not known.
    """

    n_models: int
    settings: dict[str, int]
    used: IntArray | None = None


def describe_setting(params: Mapping[str, Any]) -> str:
    """Say in a few words what a search sets.

    Examples
    --------
    >>> describe_setting({"svc__C": 0.10000001, "svc__kernel": "rbf"})
    'C = 0.1, kernel = rbf'
    """
    return ", ".join(
        f"{name.rpartition('__')[2]} = {f'{value:.3g}' if isinstance(value, float) else value}"
        for name, value in params.items()
    )


class Reordering(Protocol):
    """Tournaments of the same units with their outcomes in other orders, from one decomposition."""

    def shares(self, orders: IntArray, pairs: Pairs) -> tuple[FloatArray, IntArray]:
        """Return the AUC or concordance of each order, and how many of its games are doubtful.

        In an order, unit i has the outcome of unit ``order[i]``. With ``pairs="ordered"`` it is the
        share of games won as they should be, with ``"all"`` the TLPO AUC of two classes. Where
        games are doubtful, the order must be played separately.
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
    estimators : set of type
        The exact types of models it plays; empty for any.
    is_exact : bool
        Whether it needs no refits, or only those of a few doubtful games. Its games are those of
        refitting or, if the estimator is random, have the same distribution.
    plays_varying : bool
        Whether it plays columns that change with the training set.
    plays_fixed : bool
        Whether it plays columns that do not.
    fits_steps : bool
        Whether it plays models behind steps that have to be fitted to every training set.
    outcomes : frozenset of type
        The outcomes it plays; numbers and grades only of estimators that are fitted on numbers.
    is_random : bool
        Whether its games are another draw than those of refitting.
    plays_each : bool
        Whether it plays games one after the other: not if bounds decide most games of many units,
        nor if all games share their models.
    shares_models : bool
        Whether games share their models: the time of a few of them says little about that of all,
        how many fits these are worth does.
    quick_games : int
        About how many games of a dozen columns it plays in a second or two; 0 if that
        is not known. An analysis repeats the games without each feature if they are no more.
    """

    name: ClassVar[str]
    estimators: ClassVar[Set[type]] = frozenset()
    is_exact: ClassVar[bool] = True
    plays_varying: ClassVar[bool] = False
    plays_fixed: ClassVar[bool] = True
    fits_steps: ClassVar[bool] = False
    outcomes: ClassVar[frozenset[type[Outcome]]] = frozenset({Classes})
    is_random: ClassVar[bool] = False
    plays_each: ClassVar[bool] = True
    shares_models: ClassVar[bool] = False
    quick_games: ClassVar[int] = 0

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.estimator: Any = prepared.model
        self.problem: Problem = prepared.problem

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether the engine is meant for the columns and the outcome of a model it plays.

        Asked only of engines that `engines_for` names.
        """
        if cls.estimators:
            outcome = prepared.problem.outcome
            if not isinstance(outcome, tuple(cls.outcomes)):
                return False
            if isinstance(outcome, Ordered) and not fits_numbers(prepared.model):
                return False
        if prepared.is_unknown and not cls.fits_steps:
            return False
        return cls.plays_fixed if prepared.columns is None else cls.plays_varying

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:  # noqa: ARG003
        """Return the reason this engine does not apply, as a sentence, or None if it does.

        Called only if the engine is meant for what was prepared.
        """
        return None

    @classmethod
    def by_sets(cls, prepared: Prepared) -> BySets | str:  # noqa: ARG003
        """Return an engine for what was prepared that answers left-out sets, or why none does."""
        return f"The engine {cls.name} does not answer sets of any size."

    @abstractmethod
    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play the games of a schedule, each of which leaves both classes to train on.

        Raises
        ------
        EngineError
            If the engine finds only now that it does not apply; the next engine then plays.
        """

    def play_classes(self, schedule: Schedule, execution: Execution) -> PlayedClasses:  # noqa: ARG002
        """Play the games of a schedule for the response of each of several classes."""
        raise EngineError(f"The engine {self.name} does not play several classes.")

    @abstractmethod
    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Return the responses for each of the held-out sets; raises as `play` does."""

    def predict_pairs(self, pairs: IntArray, execution: Execution) -> FloatArray:
        """Return the responses for held-out pairs, whoever of them would win; NaN if unknown."""
        responses = self.play(Schedule(listed=pairs), execution).responses
        if responses is None:
            raise EngineError(f"The engine {self.name} keeps no responses.")
        return responses

    def predict_parts(self, pairs: IntArray, execution: Execution) -> list[FloatArray]:
        """Return the responses for held-out pairs; of an ensemble also those of either half."""
        return [self.predict_pairs(pairs, execution)]

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Return the responses for a held-out pair, and by how much their gap may be off.

        It is compared with a fit of the estimator; see `trial`.
        """
        (response,) = self.hold_out([pair], execution).responses
        return response, 0.0

    def fit(self, fits: Sequence[Fit], execution: Execution, title: str) -> Answered:
        """Return the responses of fits on units drawn with repetition; raises as `play` does.

        ``title`` is what a journal and a progress bar call them.
        """
        started = time.perf_counter()
        shape = self.problem.outcome.response_shape
        responses = [
            np.full(fit.test.shape + shape, np.nan) if response is None else response
            for fit, response in zip(fits, self.respond(fits), strict=True)
        ]
        unknown = [np.isnan(response.reshape(len(response), -1)[:, 0]) for response in responses]
        left = [k for k, which in enumerate(unknown) if which.any()]
        if left:
            asked = [Fit(fits[k].train, fits[k].test[unknown[k]]) for k in left]
            whole, given = self.prepared.whole, self.prepared.given
            fitted = run_fits(whole, given, asked, execution, title)
            for k, response in zip(left, fitted.responses, strict=True):
                responses[k][unknown[k]] = response
        seconds = time.perf_counter() - started
        return Answered(responses, Diagnostics(fits=1 + len(left), seconds=seconds))

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:  # noqa: ARG002
        """Return the responses of fits without fitting.

        None for those that must be fitted, and NaN for units about which a fitted model must be
        asked: only if it answers for each unit alone.
        """
        raise EngineError("Units drawn with repetition are fitted one by one.")

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:
        """Return about how many fits of the estimator playing is worth; raises as `play` does.

        Only playing can tell whether a closed form holds, and it takes no longer than a fit.
        """
        play = self.play_classes if self.problem.outcome.response_shape else self.play
        play(schedule, execution)
        return 1.0

    def chosen(self) -> Chosen | None:
        """Return what the models of the pairs that were played chose, if that is known."""
        return None

    def reordering(self) -> Reordering | None:
        """Return a faster way to play the same units with outcomes reordered, if there is one."""
        return None


def failure_remarks(
    games: FloatArray | IntArray, pairs: IntArray, failures: Counter[str]
) -> tuple[str, ...]:
    """Say how many games failed, and which units finished none of their ``games``."""
    if not failures:
        return ()
    n_failed, n_pairs = failures.total(), len(pairs)
    remarks = [f"{n_failed} of {n_pairs} games failed; estimates rest on {n_pairs - n_failed}."]
    return (*remarks, *say_idle(np.setdiff1d(pairs, np.flatnonzero(games))))


def say_idle(idle: IntArray) -> tuple[str, ...]:
    """Name the units that finished no game, if there are any."""
    if not idle.size:
        return ()
    units = ", ".join(str(unit) for unit in idle[:6]) + (", …" if idle.size > 6 else "")
    units = f"Unit {units}" if idle.size == 1 else f"Units {units}"
    return (f"{units} finished no game and could not be ranked.",)


@cache
def engines() -> tuple[type[Engine], ...]:
    """Return every engine, in order of preference: the one that always applies comes last.

    An engine is found where it stands, no list names it. A module of this package has an
    ``ENGINE``; a subpackage names the modules that have one as ``MODULES``.
    """
    found: list[type[Engine]] = []
    for info in iter_modules(tlpo.engines.__path__):
        module = import_module(f"tlpo.engines.{info.name}")
        parts = [
            import_module(f"{module.__name__}.{name}") for name in vars(module).get("MODULES", ())
        ]
        found += [part.ENGINE for part in (module, *parts) if "ENGINE" in vars(part)]
    return tuple(sorted(found, key=lambda engine: not engine.is_exact))


def engines_for(kind: type) -> tuple[type[Engine], ...]:
    """Return the engines that play a type of model, and those that play any, in the same order."""
    return tuple(each for each in engines() if not each.estimators or kind in each.estimators)
