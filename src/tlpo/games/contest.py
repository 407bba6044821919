"""The only interface between schemes and engines.

A `Contest` is an estimator, a problem, the engines that can play them and how to run, made once
from what the user passed. It alone decides which games may be played and how many units a class
needs, which engine plays and why it is not a faster one, what a journal is bound to, and what the
diagnostics say. A scheme adds its schedule or its held-out sets, and its result.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from sklearn.pipeline import Pipeline

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import RandomState, journal_seed, require_choice, require_jobs
from tlpo.engines.apart import is_apart, learns_apart
from tlpo.engines.base import (
    Answered,
    Chosen,
    Engine,
    Played,
    PlayedClasses,
    Reordering,
    engines,
    engines_for,
)
from tlpo.engines.frozen import remark_on_part, remark_on_whole
from tlpo.engines.preparation.prepared import Prepared, unprepared
from tlpo.engines.preparation.steps import prepare
from tlpo.engines.trial import OURS, why_not_trusted
from tlpo.errors import EngineError, GameError, InputError, arg, explain
from tlpo.execution.diagnostics import Diagnostics, outside
from tlpo.execution.fits import Fit
from tlpo.execution.journal import JournalLike, Part, open_part
from tlpo.execution.options import Execution, keeps_predictions
from tlpo.games.response import fits_numbers, require_survival_model
from tlpo.games.schedule import Schedule
from tlpo.games.standings import tally
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses, TimeToEvent
from tlpo.problem.playable import Admitted, admit, admit_sets, require_units
from tlpo.problem.problem import Problem, make_problem

OnError = Literal["raise", "skip"]

# Why a game was not played, before any fit.
EMPTIED = "only one class would be left to train on"
CLASS_GONE = "no unit of some class would be left to train on"
ALL_PEERS = "only units with equal outcomes would be left to train on"
NO_EVENTS = "no unit that outlived one with the event would be left to train on"

# What a journal is bound to, besides the estimator and the data.
Binding = dict[str, int | str | bool | None]

R = TypeVar("R", Played, PlayedClasses, Answered)
Act = Callable[[Engine, Execution], R]


class Exact(NamedTuple):
    """An engine that plays without refitting, and about how many fits that is worth."""

    engine: str
    fits: float


@dataclass(frozen=True)
class ContestOptions:
    """What the user passed besides an estimator, X and y; as documented in `tlpo.tournament`."""

    positive: Any = None
    order: Any = None
    several: bool = False
    groups: Any = None
    exclude: Any = None
    params: Mapping[str, Any] | None = None
    engine: str = "auto"
    n_jobs: int | None = None
    progress: bool = False
    on_error: OnError = "raise"
    predictions: bool | None = None
    journal: JournalLike = None

    def __post_init__(self) -> None:
        require_jobs(self.n_jobs)
        if self.on_error not in ("raise", "skip"):
            require_choice("on_error", self.on_error, ("raise", "skip"))
        if self.engine != "auto" and self.engine not in (engine.name for engine in engines()):
            names = dict.fromkeys(repr(engine.name) for engine in engines())
            raise EngineError(
                explain(
                    "There is no such engine.",
                    f"You passed {arg('engine', self.engine)}.",
                    f"Use 'auto' or one of {', '.join(names)}.",
                )
            )


class Contest:
    """An estimator and a problem, ready to be played.

    Parameters
    ----------
    estimator : scikit-learn classifier, regressor or pipeline
        What is evaluated.
    X, y : array-like
        Features and labels.
    options : ContestOptions
        Everything else.

    Attributes
    ----------
    problem : Problem
        The data, checked.
    name : str
        The estimator in a few words.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, options: ContestOptions | None = None
    ) -> None:
        _require_estimator(estimator)
        options = ContestOptions() if options is None else options
        self.estimator = estimator
        self.options = options
        self.name = describe(estimator)
        self.problem: Problem = make_problem(
            X,
            y,
            positive=options.positive,
            groups=options.groups,
            params=options.params,
            exclude=options.exclude,
            order=options.order,
            several=options.several,
        )
        if isinstance(self.outcome, TimeToEvent):
            require_survival_model(estimator)
        self._made: dict[type[Engine], Engine | str] = {}
        self._tried: dict[type[Engine], str | None] = {}
        self._remarks: tuple[str, ...] | None = () if type(estimator) in OURS else None

    @cached_property
    def prepared(self) -> Prepared | str:
        """The estimator taken apart, or why that is not possible."""
        if self.options.engine == "refit":
            return "Refitting takes nothing apart."
        return prepare(self.estimator, self.problem)

    @property
    def outcome(self) -> Outcome:
        """Who should win."""
        return self.problem.outcome

    @property
    def labels(self) -> Classes:
        """Class of every unit, if there are two."""
        return self.problem.labels

    def chosen(self) -> Chosen | None:
        """Return what the models of the pairs chose, if an engine that played them knows."""
        made = (engine for engine in self._made.values() if isinstance(engine, Engine))
        return next((found for engine in made if (found := engine.chosen())), None)

    def seed(self, random_state: RandomState) -> int | None:
        """Return the seed that a journal is bound to; without a journal it may be random."""
        return journal_seed(self.options.journal, random_state)

    def play(self, schedule: Schedule, *, part: Part | None = None) -> Played:
        """Play the games of a schedule.

        Parameters
        ----------
        schedule : Schedule
            The games.
        part : Part, optional
            The part of a journal for the run these games belong to; by default they are a
            separate run.

        Returns
        -------
        Played
            If the schedule is a list, ``outcome`` has one entry for each of its games.

        Raises
        ------
        InputError
            If a game, or the whole schedule, leaves only one class to train on.
        GameError
            If the estimator fails, or no game between the classes could be finished.
        """
        played = self._play(schedule, part)
        if np.isnan(played.standings.concordance(self.outcome)):
            raise _nothing_played(played, self.outcome)
        return played

    def play_classes(self, schedule: Schedule, *, part: Part | None = None) -> PlayedClasses:
        """Play the games of a schedule for the response of each of several classes.

        Raises as `play` does.
        """
        schedule, is_playable = self._admit(schedule)
        with nullcontext(part) if part is not None else self._journaled_games(schedule) as kept:
            # In a list, because counts against two classes do not tell the others apart.
            listed = Schedule(listed=schedule.games(self.outcome))
            apart = self._apart(lambda engine, execution: engine.play(listed, execution))
            if isinstance(apart, str):
                execution = self._execution(kept)
                played = self._delegate(
                    lambda engine: engine.play_classes(schedule, execution), apart
                )
            else:
                played = self._joined(apart, listed)
        if is_playable is not None:
            outcome = np.full(is_playable.size, np.nan)
            outcome[is_playable] = played.each[0].outcome
            said = _count_unplayable(played.diagnostics, outcome, is_playable, CLASS_GONE)
            played = replace(played, diagnostics=said)
        _require_every_pair(played, self.problem.several)
        return played

    def _joined(self, apart: list[Played], schedule: Schedule) -> PlayedClasses:
        """Count the games that were played for each class against the others."""
        each, games = [], schedule.games(self.outcome)
        for played in apart:
            assert played.outcome is not None
            each.append(replace(played, standings=tally(games, played.outcome, self.outcome)))
        return PlayedClasses(tuple(each), _summed(apart), each[0].engine)

    def _apart(self, act: Act[R]) -> list[R] | str:
        """Let every class act against the others, if that is what the model learns.

        Returns one result for each class; or why there is none, if that needs saying. A journal
        does not see them: what is quick is not kept.
        """
        found = []
        for view in self._views:
            result = view._exactly(act)
            if isinstance(result, str):
                return result
            found.append(result)
        return found or ""

    @cached_property
    def _views(self) -> tuple[Contest, ...]:
        """The contest of every class against the others, if that is what the model learns."""
        prepared, outcome = self.prepared, self.outcome
        if not isinstance(outcome, SeveralClasses):
            return ()
        if isinstance(prepared, str) or not learns_apart(prepared):
            return ()
        return tuple(self._view(k) for k in range(len(outcome.names)))

    def _view(self, k: int) -> Contest:
        """Return the contest of one of several classes against the others."""
        assert isinstance(self.prepared, Prepared)
        other = object.__new__(Contest)
        other.estimator, other.name = self.estimator, self.name
        other._made, other._tried, other._remarks = {}, {}, ()
        other.options = replace(self.options, progress=False, journal=None)
        other.problem, other.prepared = self.problem.view(k), self.prepared.view(k)
        return other

    def _exactly(self, act: Act[R]) -> R | str:
        """Let the first exact engine that applies act; or say why none does."""
        reasons, execution = [], self._execution(None)
        for engine in self._candidates():
            made = self._make(engine)
            if isinstance(made, str):
                reasons.append(made)
            elif engine.is_exact:
                try:
                    return replace(act(made, execution), engine=engine.name)
                except EngineError as error:
                    reasons.append(str(error))
        return " ".join(reasons)

    def outcomes(self, pairs: IntArray, part: Part | None) -> tuple[FloatArray, int]:
        """Play games that are all needed; return their results and the number of fits."""
        played = self._play(Schedule(listed=pairs), part, may_skip=False)
        assert played.outcome is not None
        return played.outcome, played.diagnostics.fits

    def predict_pairs(self, pairs: IntArray) -> list[FloatArray] | None:
        """Return what models without both units of a pair predict for them, without refitting.

        Of an ensemble, also what either half predicts. None if no exact engine does.
        """
        execution = replace(self._execution(None), keep_predictions=False, progress=False)
        for engine in self._candidates():
            made = self._make(engine)
            if engine.is_exact and isinstance(made, Engine):
                try:
                    return made.predict_parts(pairs, execution)
                except EngineError:
                    continue
        return None

    def require_playable(self) -> None:
        """Reject bad input early, where games are requested only step by step.

        With ``exclude`` only the games requested need to leave both classes.
        """
        if self.problem.exclude is None:
            self._admit(Schedule(), may_skip=False)
        else:
            require_units(self.problem, Schedule().least_off_mode(self.outcome))

    def hold_out(
        self, tests: list[IntArray], task: str, **binding: int | str | bool | None
    ) -> Answered:
        """Return the responses for held-out sets of any size.

        Parameters
        ----------
        tests : list of ndarray
            The sets.
        task : str
            What a journal calls this run.
        **binding
            What the sets depend on, for the journal.
        """
        admit_sets(self.problem, tests)
        with self.journaled(task, **binding) as part:
            return self._answer(lambda engine, execution: engine.hold_out(tests, execution), part)

    def fit(
        self, fits: Sequence[Fit], task: str, title: str, **binding: int | str | bool | None
    ) -> Answered:
        """Return the responses of fits on any units, which may be drawn with repetition."""
        require_units(self.problem, 2)
        with self.journaled(task, **binding) as part:
            return self._answer(lambda engine, execution: engine.fit(fits, execution, title), part)

    def _answer(self, act: Act[Answered], part: Part | None) -> Answered:
        """Return responses: of several classes, a column for each."""
        apart = self._apart(act)
        if isinstance(apart, str):
            execution = self._execution(part)
            return self._delegate(lambda engine: act(engine, execution), apart)
        columns = zip(*(answered.responses for answered in apart), strict=True)
        responses = [np.column_stack(each) for each in columns]
        return Answered(responses, _summed(apart), apart[0].engine)

    def play_share(self, schedule: Schedule, shard: tuple[int, int]) -> None:
        """Refit the games of one share of a schedule and write them to the journal."""
        schedule = self._admit(schedule).schedule
        with self._journaled_games(schedule) as part:
            pairs = schedule.games(self.outcome)
            refits = unprepared(self.estimator, self.problem).refits
            refits.play(pairs, replace(self._execution(part), shard=shard))

    @property
    def has_exact_engine(self) -> bool:
        """Whether an exact engine has no objection; playing may still raise one."""
        if self._views:
            return all(view.has_exact_engine for view in self._views)
        return any(
            engine.is_exact and isinstance(self._make(engine), Engine)
            for engine in self._candidates()
        )

    @property
    def plays_each(self) -> bool:
        """Whether the games of all units are played one after the other."""
        return self._first.plays_each

    @property
    def shares_models(self) -> bool:
        """Whether games share their models."""
        return self._first.shares_models

    @property
    def quick_games(self) -> int:
        """About how many games are played in a second or two; 0 if that is not known."""
        return self._first.quick_games

    @property
    def _first(self) -> type[Engine]:
        """The first engine that has no objection."""
        candidates = self._candidates()
        found = (engine for engine in candidates if isinstance(self._make(engine), Engine))
        return next(found, candidates[-1])

    def aside(self, units: IntArray | None = None) -> Contest:
        """Return the contest of all or some units, for a trial: no journal, and no progress.

        That of all units has the same engines; that of some is played by the first of them or not
        at all.
        """
        other = object.__new__(Contest)
        other.__dict__ |= self.__dict__
        other.options = replace(self.options, progress=False, journal=None)
        if units is None:
            return other
        other.options = replace(other.options, engine=self._first.name)
        other.__dict__.pop("prepared", None)
        other.__dict__.pop("_views", None)
        other._made, other._remarks = {}, ()
        problem = self.problem
        other.problem = replace(
            problem,
            X=problem.rows(units),
            y=problem.y[units],
            outcome=problem.outcome.reordered(units),
            params=problem.params_for(units),
        )
        return other

    @property
    def why_refitted(self) -> str | None:
        """Why models are refitted for every pair, as far as that is known before they are."""
        if self._views:
            return self._views[0].why_refitted
        reasons = [self.prepared] if isinstance(self.prepared, str) else []
        found = [self._make(engine) for engine in self._candidates()]
        return self._why_not_faster([*reasons, *(made for made in found if isinstance(made, str))])

    def exact_engine(self, schedule: Schedule) -> Exact | None:
        """Return the exact engine that plays a schedule, or None if refits are needed.

        Only playing can tell: an engine may find that its closed form does not hold.
        """
        schedule = self._admit(schedule).schedule
        if self._views:
            listed = Schedule(listed=schedule.games(self.outcome))
            found = [view.exact_engine(listed) for view in self._views]
            known = [exact for exact in found if exact is not None]
            if len(known) < len(found):
                return None
            return Exact(known[0].engine, sum(exact.fits for exact in known))
        execution = replace(self._execution(None), keep_predictions=False, progress=False)
        for engine in self._candidates():
            made = self._make(engine)
            if engine.is_exact and isinstance(made, Engine):
                try:
                    return Exact(engine.name, made.fits_for(schedule, execution))
                except EngineError:
                    continue
        return None

    def reordered(self, units: IntArray) -> Contest:
        """Return the contest in which unit k has the outcome of ``units[k]``.

        It is played in this process, without a journal.
        """
        problem = self.problem
        other = object.__new__(Contest)
        other.estimator, other.name = self.estimator, self.name
        other._made, other._tried, other._remarks = {}, self._tried, ()
        other.options = replace(
            self.options, n_jobs=1, progress=False, predictions=False, journal=None
        )
        y, outcome = problem.y[units], problem.outcome.reordered(units)
        other.problem = replace(problem, y=y, outcome=outcome)
        prepared = self.prepared
        if isinstance(prepared, Prepared):  # steps before a model never see labels
            own = replace(prepared.problem, y=y, outcome=outcome)
            prepared = replace(prepared, given=other.problem, problem=own)
        other.prepared = prepared
        return other

    def resampled(self, units: IntArray) -> Contest:
        """Return the contest of units that were drawn with repetition.

        Copies of a unit are one group, or part of the unit's group: a model trained on one copy
        would know the others. It is played in this process, without a journal.
        """
        problem = self.problem
        groups = np.arange(problem.n_units) if problem.groups is None else problem.groups
        names, codes = np.unique(groups[units], return_inverse=True)
        other = object.__new__(Contest)
        other.estimator, other.name = self.estimator, self.name
        other._made, other._tried, other._remarks = {}, self._tried, ()
        other.options = replace(
            self.options, n_jobs=1, progress=False, predictions=False, journal=None
        )
        other.problem = replace(
            problem,
            X=problem.rows(units),
            y=problem.y[units],
            outcome=problem.outcome.reordered(units),
            groups=codes,
            group_names=names if problem.group_names is None else problem.group_names[names],
            params=problem.params_for(units),
        )
        return other

    def reordering(self) -> Reordering | None:
        """Return a faster way to play the same units with outcomes reordered, if there is one."""
        for engine in self._candidates():
            made = self._make(engine)
            if isinstance(made, Engine):
                return made.reordering()
        return None

    @contextmanager
    def journaled(self, task: str, **binding: int | str | bool | None) -> Iterator[Part | None]:
        """Open the part of the journal for a run; None without a journal."""
        if self.options.journal is None:
            yield None
            return
        from tlpo.execution.fingerprint import fingerprint

        def depends_on() -> dict[str, Any]:
            return fingerprint(task, self.estimator, self.problem, binding)

        with open_part(self.options.journal, task, depends_on) as part:
            yield part

    def __getstate__(self) -> dict[str, Any]:
        # Workers make their own engines: decompositions are not worth sending.
        state = {**self.__dict__, "_made": {}}
        for made in ("prepared", "_views"):
            state.pop(made, None)
        return state

    def _play(self, schedule: Schedule, part: Part | None, may_skip: bool = True) -> Played:
        schedule, is_playable = self._admit(schedule, may_skip)
        own_part = part is None and self.options.journal is not None
        with self._journaled_games(schedule) if own_part else nullcontext(part) as kept:
            execution = self._execution(kept, may_skip)
            played = self._delegate(lambda engine: engine.play(schedule, execution))
        if is_playable is None or played.outcome is None:
            return played
        outcome = np.full(is_playable.size, np.nan)
        outcome[is_playable] = played.outcome
        why = {Classes: EMPTIED, TimeToEvent: NO_EVENTS}.get(type(self.outcome), ALL_PEERS)
        diagnostics = _count_unplayable(played.diagnostics, outcome, is_playable, why)
        return replace(played, outcome=outcome, diagnostics=diagnostics)

    def _admit(self, schedule: Schedule, may_skip: bool = True) -> Admitted:
        least = schedule.least_off_mode(self.outcome)
        if self.outcome.n_off_mode < least:
            require_units(self.problem, least)
        if not self.problem.leaves_out_more:
            return Admitted(schedule)
        skip = self.options.on_error == "skip"
        return admit(self.problem, schedule, skip=skip, may_skip=may_skip)

    def _execution(self, part: Part | None, may_skip: bool = True) -> Execution:
        options = self.options
        keep = options.predictions
        if keep is None:
            keep = keeps_predictions(self.problem.n_units)
        return Execution(
            n_jobs=options.n_jobs,
            progress=options.progress,
            skip=options.on_error == "skip",
            may_skip=may_skip,
            keep_predictions=keep,
            journal=part,
        )

    def _candidates(self) -> list[type[Engine]]:
        """Return the engines that the user allows and that play this type of model."""
        name, prepared = self.options.engine, self.prepared
        return [
            engine
            for engine in engines_for(type(self._model))
            if name in ("auto", engine.name)
            and (not engine.estimators if isinstance(prepared, str) else engine.accepts(prepared))
        ]

    def _make(self, engine: type[Engine]) -> Engine | str:
        """Return an engine for this contest, made once, or why there is none."""
        if engine not in self._made:
            prepared = self.prepared
            if isinstance(prepared, str):  # then only refitting is a candidate
                prepared = unprepared(self.estimator, self.problem)
            made: Engine | str
            try:
                made = engine.why_not(prepared) or engine(prepared)
            except EngineError as error:
                made = str(error)
            if isinstance(made, Engine) and engine.is_exact:
                if engine not in self._tried:
                    execution = replace(self._execution(None), progress=False)
                    self._tried[engine] = why_not_trusted(made, execution)
                made = self._tried[engine] or made
            self._made[engine] = made
        return self._made[engine]

    def _delegate(self, act: Callable[[Engine], R], known: str = "") -> R:
        """Let the first engine that applies act, and record why it is not a faster one.

        ``known`` is why already, if something was tried before.
        """
        reasons: list[str] = [known] if known else []
        if isinstance(self.prepared, str):
            reasons.append(self.prepared)
        for engine in self._candidates():
            made = self._make(engine)
            try:
                if isinstance(made, str):
                    raise EngineError(made)
                result = act(made)
            except EngineError as error:
                reasons += [str(error)] if str(error) not in reasons else []
                continue
            if engine.is_random or not engine.is_exact or made.prepared.is_unknown:
                said = (
                    self.remark_on_learning(_shows_learning(result)) + result.diagnostics.warnings
                )
                diagnostics = replace(result.diagnostics, warnings=said)
                result = replace(result, diagnostics=diagnostics)
            if not engine.is_exact:
                why = self._why_not_faster(reasons)
                diagnostics = replace(result.diagnostics, why_not_faster=why)
                result = replace(result, diagnostics=diagnostics)
            return replace(result, engine=engine.name)
        raise EngineError(
            explain(
                f"Engine {self.options.engine!r} does not apply.",
                " ".join(reasons)
                or self._why_not_outcome()
                or f"It does not play estimators of type {type(self._model).__name__}.",
                f"Use {arg('engine', 'auto')}, which uses an exact engine or refits.",
            )
        )

    def remark_on_learning(self, learns: bool = False) -> tuple[str, ...]:
        """Return, and warn once, what must be known about a model that does not learn.

        ``learns`` if games have shown that its responses change with the training set.
        """
        if self._remarks is None:
            remark = remark_on_part(self.estimator)
            if remark is None and not learns:
                remark = remark_on_whole(self.estimator, self.problem)
            self._remarks = () if remark is None else (remark,)
            for text in self._remarks:
                warnings.warn(text, UserWarning, stacklevel=outside())
        return self._remarks

    def _why_not_faster(self, reasons: list[str]) -> str | None:
        if self.options.engine != "auto":
            return None
        kind = type(self._model)
        if reasons or not any(engine.estimators for engine in engines_for(kind)):
            return " ".join(reasons) or _why_refitted(kind)
        return (
            self._why_not_outcome()
            or f"{kind.__name__} behind steps that change with the training set is refitted."
        )

    def _why_not_outcome(self) -> str | None:
        """Say so if engines play a model, but not of this kind of outcome."""
        kind = type(self._model)
        if isinstance(self.outcome, SeveralClasses) and is_apart(self._model):
            return None
        known = [engine for engine in engines_for(kind) if engine.estimators]
        if not known:
            return None
        if isinstance(self.outcome, Ordered) and not fits_numbers(self._model):
            return "For numbers and grades, only regressors are played without refitting."
        if any(issubclass(type(self.outcome), tuple(engine.outcomes)) for engine in known):
            return None
        if isinstance(self.outcome, SeveralClasses):
            return f"{kind.__name__} is played without refitting only for two classes."
        has_times = isinstance(self.outcome, TimeToEvent)
        what = "times to an event" if has_times else "numbers and grades"
        return f"{kind.__name__} is refitted for {what}."

    @property
    def _model(self) -> Any:
        return self.estimator if isinstance(self.prepared, str) else self.prepared.model

    @contextmanager
    def _journaled_games(self, schedule: Schedule) -> Iterator[Part | None]:
        if self.options.journal is None:
            yield None
            return
        from tlpo.execution.fingerprint import digest, fingerprint

        task = "leave-pair-out" if schedule.is_ordered else "tournament"

        def depends_on() -> dict[str, Any]:
            games = schedule.games(self.outcome)
            which = "all" if schedule.listed is None else f"{schedule.why}, {digest(games)}"
            binding: Binding = {"on_error": self.options.on_error, "which games": which}
            return fingerprint(task, self.estimator, self.problem, binding, games)

        with open_part(self.options.journal, task, depends_on) as part:
            yield part


def describe(estimator: Any) -> str:
    """Name an estimator briefly: its class, or those of a pipeline's steps."""
    # scikit-learn's repr takes longer than a small tournament does.
    if not isinstance(estimator, Pipeline):
        return type(estimator).__name__
    return " → ".join(describe(step) for _, step in estimator.steps if hasattr(step, "fit"))


def _require_estimator(estimator: Any) -> None:
    """Reject anything that cannot be cloned and fitted."""
    if isinstance(estimator, type):
        raise InputError(
            explain(
                "estimator must be an instance, not a class.",
                f"You passed the class {estimator.__name__}.",
                f"Pass {estimator.__name__}().",
            )
        )
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise InputError(
            explain(
                "estimator must be a scikit-learn classifier, regressor or pipeline.",
                f"You passed an object of type {type(estimator).__name__} without fit and "
                "get_params.",
                "For example sklearn.linear_model.LogisticRegression().",
            )
        )


def _nothing_played(played: Played, outcome: Outcome) -> GameError:
    has_classes = isinstance(outcome, Classes)
    between = "between the classes " if has_classes else "between ordered units "
    return _unplayed(between if played.standings.n_games else "", played.diagnostics)


def _require_every_pair(played: PlayedClasses, outcome: SeveralClasses) -> None:
    """Refuse classes that never met: M is the mean over all pairs of classes."""
    games, names = played.each[0].standings.games, outcome.names
    for a, b in combinations(range(len(names)), 2):
        if not games[outcome.code == a, b].any():
            between = f"between classes {names[a]!r} and {names[b]!r} " if games.any() else ""
            raise _unplayed(between, played.diagnostics)


def _unplayed(which: str, diagnostics: Diagnostics) -> GameError:
    failures = Counter(diagnostics.failures)
    causes = "\n".join(f"  {count} × {cause}" for cause, count in failures.most_common())
    return GameError(
        explain(
            f"No game {which}could be played; {failures.total()} failed.",
            f"The causes, with counts:\n{causes}",
            "Fix the cause; try estimator.fit(X, y) on all the data first.",
        )
    )


def _count_unplayable(
    diagnostics: Diagnostics, outcome: FloatArray, is_playable: BoolArray, why: str
) -> Diagnostics:
    """Add games that left nothing to train on to those that failed."""
    n_emptied = int(np.count_nonzero(~is_playable))
    finished = int(np.count_nonzero(~np.isnan(outcome)))
    return replace(
        diagnostics,
        failures={why: n_emptied, **diagnostics.failures},
        warnings=(
            f"{n_emptied} of {is_playable.size} games would leave "
            f"{why.replace(' would be left', '')}; "
            f"estimates rest on {finished}.",
            *diagnostics.warnings,
        ),
    )


def _summed(apart: Sequence[Played | Answered]) -> Diagnostics:
    """Return what it took to act for each of several classes."""
    first = apart[0].diagnostics
    return replace(
        first,
        fits=max(each.diagnostics.fits for each in apart),
        seconds=sum(each.diagnostics.seconds for each in apart),
        warnings=tuple(dict.fromkeys(text for a in apart for text in a.diagnostics.warnings)),
    )


def _shows_learning(result: Played | PlayedClasses | Answered) -> bool:
    """Return whether some unit got different responses from different training sets."""
    if isinstance(result, PlayedClasses):
        return any(map(_shows_learning, result.each))
    if isinstance(result, Answered) or result.predictions is None:
        return False
    F = result.predictions.full()
    least, most = np.fmin.reduce(F, axis=1), np.fmax.reduce(F, axis=1)
    return bool(np.any(least < most))


def _why_refitted(kind: type) -> str:
    """Say why no exact engine plays a kind of estimator."""
    if kind.__module__.startswith("sklearn.svm."):
        return f"{kind.__name__} stops at a tolerance that leaves open who wins a close game."
    if any(word in kind.__name__ for word in ("Boost", "LGBM", "XGB")):
        return f"The models of {kind.__name__} build on each other, so all are fitted anew."
    return f"No exact engine plays {kind.__name__}."
