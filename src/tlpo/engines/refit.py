"""The definition: clone, fit without the held-out units, ask about them.

Every other engine must return what this one returns, game for game.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Execution, Played
from tlpo.errors import GameError, InputError, NoScoreError, explain
from tlpo.execution.pairs import Pairs, all_pairs, opposite_pairs
from tlpo.execution.record import RunLog, first_line
from tlpo.execution.run import run_rounds
from tlpo.problem import Problem
from tlpo.response import fits_signs, outcomes, respond, response_method
from tlpo.standings import tally


class Round(NamedTuple):
    """One fit: learn from some units, ask about others."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class Failure:
    """A round that could not be finished."""

    test: IntArray
    cause: str
    error: Exception


@dataclass
class Answers:
    """Responses of a chunk of rounds, NaN for rounds that failed."""

    values: list[FloatArray] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    ceiling: float = np.inf
    fits: int = 0


class Learner:
    """Fits clones of one estimator on parts of one problem."""

    def __init__(self, estimator: Any, problem: Problem) -> None:
        require_estimator(estimator)
        self.estimator = estimator
        self.problem = problem
        self.targets = problem.signs if fits_signs(estimator) else problem.y
        self.pairwise = _is_pairwise(estimator)
        shape = getattr(problem.X, "shape", ())
        if self.pairwise and tuple(shape) != (problem.n_units, problem.n_units):
            raise InputError(
                explain(
                    "A precomputed kernel or distance needs a square X, one row and one column "
                    "a unit.",
                    f"You passed X of shape {tuple(shape)} to {type(estimator).__name__}.",
                    "Pass the kernel or distance between all units.",
                )
            )

    def ask(self, train: IntArray, test: IntArray) -> tuple[FloatArray, float]:
        """Learn from ``train`` and return the responses for ``test`` and their ceiling."""
        problem = self.problem
        model = clone(self.estimator)
        X_train, X_test = problem.rows(train), problem.rows(test)
        if self.pairwise:
            X_train, X_test = _columns(X_train, train), _columns(X_test, train)
        model.fit(X_train, self.targets[train], **problem.params_for(train))
        method = response_method(model)
        values = respond(model, method, X_test, problem.labels.positive)
        if values.shape != test.shape:
            raise GameError(
                f"{method} returned {values.size} numbers for {test.size} units instead of one each"
            )
        bad = ~np.isfinite(values)
        if bad.any():
            raise GameError(f"{method} returned {values[bad][0]} for unit {test[bad][0]}")
        return values, 1.0 if method == "predict_proba" else np.inf


def answer_rounds(
    estimator: Any,
    problem: Problem,
    rounds: Sequence[Round],
    log: RunLog,
    *,
    n_jobs: int | None,
    progress: bool,
    title: str,
) -> list[FloatArray]:
    """Play any rounds and return the responses of each; the first failure ends the run."""
    work = partial(_answer, Learner(estimator, problem), stop_at_failure=True)
    values: list[FloatArray] = []

    def collect(_: slice, answers: Answers) -> None:
        for failure in answers.failures:
            raise GameError(
                explain(
                    f"The estimator failed when {_held_out(failure.test)} were predicted.",
                    f"{type(estimator).__name__}: {failure.cause}",
                    "Fix the cause: this estimate needs every round.",
                )
            ) from failure.error
        values.extend(answers.values)

    run_rounds(work, rounds, collect, log, n_jobs=n_jobs, progress=progress, title=title)
    return values


class Games:
    """Games between pairs of units, played when they are asked for.

    Parameters
    ----------
    estimator, problem
        What is to be played.
    execution : Execution
        How.
    """

    def __init__(self, estimator: Any, problem: Problem, execution: Execution) -> None:
        self.problem = problem
        self.execution = execution
        self.learner = Learner(estimator, problem)
        self.failures: Counter[str] = Counter()
        self.log = RunLog()

    def play(self, pairs: IntArray, F: FloatArray | None = None) -> FloatArray:
        """Return 1, ½ or 0 for the first of each pair; NaN where the game was skipped.

        The responses are written to the table ``F`` if there is one.
        """
        skip = self.execution.on_error == "skip"
        result = np.full(len(pairs), np.nan)

        def collect(where: slice, answers: Answers) -> None:
            for failure in answers.failures:
                if not skip:
                    raise self._stopped(failure) from failure.error
                self.failures[failure.cause] += 1
            first, second = np.array(answers.values).T
            result[where] = outcomes(first, second, answers.ceiling)
            if F is not None:
                i, j = pairs[where].T
                F[i, j], F[j, i] = first, second

        run_rounds(
            partial(_play, self.learner, stop_at_failure=not skip),
            pairs,
            collect,
            self.log,
            n_jobs=self.execution.n_jobs,
            progress=self.execution.progress,
            title="Games",
        )
        return result

    def _stopped(self, failure: Failure) -> GameError:
        i, j = failure.test.tolist()
        return GameError(
            explain(
                f"The estimator failed on the pair ({i}, {j}).",
                f"{type(self.learner.estimator).__name__}: {failure.cause}",
                "Fix the cause, or pass on_error='skip' to leave such games out and count them.",
            )
        )


class Refit:
    """Fits the estimator anew for every pair."""

    name = "refit"

    def why_not(self, estimator: Any, problem: Problem) -> str | None:  # noqa: ARG002
        """Return None: refitting always applies."""
        return None

    def play(self, estimator: Any, problem: Problem, pairs: Pairs, execution: Execution) -> Played:
        """Play by refitting."""
        problem.require_playable_pairs(opposite_only=pairs == "opposite")
        games = Games(estimator, problem, execution)
        m = problem.n_units
        to_play = all_pairs(m) if pairs == "all" else opposite_pairs(problem.labels.is_positive)
        F = np.full((m, m), np.nan) if execution.keeps_predictions(m) else None
        result = games.play(to_play, F)
        failures = dict(games.failures.most_common())
        if sum(failures.values()) == len(to_play):
            raise _nothing_played(failures)
        standings = tally(to_play, result, problem.labels.is_positive)
        games.log.warnings.emit(games.log.fits, stacklevel=3)
        return Played(
            standings,
            F,
            games.log.diagnostics(
                pairs_played=standings.n_games,
                failures=failures,
                remarks=_remarks(standings.games.sum(axis=1), len(to_play), failures),
            ),
        )


def require_estimator(estimator: Any) -> None:
    """Refuse what cannot be cloned and fitted."""
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


def _play(learner: Learner, pairs: IntArray, stop_at_failure: bool) -> Answers:
    training_set = learner.problem.training_set
    rounds = (Round(training_set(pair), pair) for pair in pairs)
    return _answer(learner, rounds, stop_at_failure)


def _answer(learner: Learner, rounds: Any, stop_at_failure: bool) -> Answers:
    answers = Answers()
    for train, test in rounds:
        answers.fits += 1
        try:
            values, answers.ceiling = learner.ask(train, test)
        except NoScoreError:  # wrong for every round, not for this one
            raise
        except Exception as error:
            answers.failures.append(Failure(test, _cause(error), _portable(error)))
            if stop_at_failure:
                break
            values = np.full(test.shape, np.nan)
        answers.values.append(values)
    return answers


def _cause(error: Exception) -> str:
    kind = "" if isinstance(error, GameError) else f"{type(error).__name__}: "
    return kind + first_line(str(error))


def _portable(error: Exception) -> Exception:
    """Return the error if it survives the way back from a worker, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(_cause(error))
    return error


def _nothing_played(failures: dict[str, int]) -> GameError:
    causes = "\n".join(f"  {count} × {cause}" for cause, count in failures.items())
    return GameError(
        explain(
            f"No game could be played: all {sum(failures.values())} failed.",
            f"The causes, with counts:\n{causes}",
            "Fix the cause; try estimator.fit(X, y) on the whole data first.",
        )
    )


def _remarks(games: FloatArray, n_pairs: int, failures: dict[str, int]) -> tuple[str, ...]:
    if not failures:
        return ()
    n_failed = sum(failures.values())
    remarks = [f"{n_failed} of {n_pairs} games failed; estimates rest on {n_pairs - n_failed}."]
    idle = np.flatnonzero(games == 0)
    if idle.size:
        units = ", ".join(str(unit) for unit in idle[:6]) + (", …" if idle.size > 6 else "")
        remarks.append(f"{idle.size} units finished no game and have no score: {units}.")
    return tuple(remarks)


def _held_out(test: IntArray) -> str:
    shown = ", ".join(str(unit) for unit in test[:6])
    return f"units {shown}{', …' if test.size > 6 else ''}"


def _is_pairwise(estimator: Any) -> bool:
    try:
        return bool(get_tags(estimator).input_tags.pairwise)
    except (AttributeError, TypeError):  # a duck-typed estimator without tags
        return False


def _columns(rows: Any, units: IntArray) -> Any:
    return rows[:, units] if not hasattr(rows, "iloc") else rows.iloc[:, units]


ENGINE = Refit()
