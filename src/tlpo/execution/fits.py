"""Clone, fit, ask: rounds of learning from some units and asking about others."""

from __future__ import annotations

import hashlib
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
from tlpo.engines.base import Execution
from tlpo.errors import GameError, InputError, NoScoreError, explain
from tlpo.execution.diagnostics import RunLog, first_line
from tlpo.execution.framing import Values
from tlpo.execution.run import Keep, run_rounds, share_of
from tlpo.problem.problem import Problem
from tlpo.response import fits_signs, outcomes, respond, response_method


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
    """Responses of a chunk of rounds.

    Attributes
    ----------
    values : list of ndarray, or ndarray with one row a round
        Responses, NaN for rounds that failed and were skipped.
    failures : list of Failure
        Rounds that were skipped.
    stopped : Failure or None
        The failure that ended the chunk, with the rounds before it finished.
    """

    values: list[FloatArray] | FloatArray = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    stopped: Failure | None = None
    ceiling: float = np.inf
    fits: int = 0

    @property
    def finished(self) -> int:
        """Number of rounds that have a result."""
        return len(self.values)


class Learner:
    """Fits clones of one estimator on parts of one problem."""

    def __init__(self, estimator: Any, problem: Problem) -> None:
        require_estimator(estimator)
        self.estimator = estimator
        self.problem = problem
        self.targets = problem.signs if fits_signs(estimator) else problem.y
        self.labels = problem.labels.in_order
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
        values = respond(model, method, X_test, problem.labels.positive, self.labels)
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
    execution: Execution,
    title: str,
) -> list[FloatArray]:
    """Play any rounds and return the responses of each; the first failure ends the run."""
    work = partial(_answer, Learner(estimator, problem), stop_at_failure=True)
    values: list[FloatArray] = []
    journal = execution.journal

    def collect(_: slice, answers: Answers) -> None:
        failure = answers.stopped
        if failure is not None:
            raise GameError(
                explain(
                    f"The estimator failed in a round that predicts {_held_out(failure.test)}.",
                    f"{type(estimator).__name__}: {failure.cause}",
                    "Fix the cause: this estimate needs every round.",
                )
            ) from failure.error
        values.extend(answers.values)

    run_rounds(
        work,
        rounds,
        collect,
        log,
        n_jobs=execution.n_jobs,
        progress=execution.progress,
        title=title,
        keep=None if journal is None else Keep(journal.section(title), _pack, _unpack),
    )
    return values


class Games:
    """Games between pairs of units, played when they are asked for.

    Parameters
    ----------
    estimator, problem
        What is to be played.
    execution : Execution
        How.
    may_skip : bool
        Whether the user could have asked to leave out games on which the estimator fails.
    """

    def __init__(
        self, estimator: Any, problem: Problem, execution: Execution, *, may_skip: bool = True
    ) -> None:
        self.may_skip = may_skip
        self.problem = problem
        self.execution = execution
        self.learner = Learner(estimator, problem)
        self.work = partial(_play, self.learner, stop_at_failure=execution.on_error != "skip")
        self.failures: Counter[str] = Counter()
        self.log = RunLog()
        self.ceiling = np.inf

    def play(self, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Play some games.

        Returns
        -------
        outcome : ndarray of shape (g,)
            1, ½ or 0 for the first of each pair; NaN where the game was skipped.
        responses : ndarray of shape (g, 2)
            What decided it.
        """
        outcome, responses = np.full(len(pairs), np.nan), np.full((len(pairs), 2), np.nan)

        def collect(where: slice, answers: Answers) -> None:
            if answers.stopped is not None:
                raise self._stopped(answers.stopped) from answers.stopped.error
            for failure in answers.failures:
                self.failures[failure.cause] += 1
            responses[where] = answers.values
            self.ceiling = min(self.ceiling, answers.ceiling)
            first, second = responses[where].T
            outcome[where] = outcomes(first, second, answers.ceiling)

        run_rounds(
            self.work,
            pairs,
            collect,
            self.log,
            n_jobs=self.execution.n_jobs,
            progress=self.execution.progress,
            title="Games",
            keep=self._keep(pairs),
            share=share_of(len(pairs), self.execution.shard),
        )
        return outcome, responses

    def _keep(self, pairs: IntArray) -> Keep[Answers] | None:
        """Return where finished games are kept: every list of pairs has a place of its own."""
        journal = self.execution.journal
        if journal is None:
            return None
        which = hashlib.blake2b(pairs.tobytes(), digest_size=4).hexdigest()
        return Keep(journal.section(f"games {which}"), _pack, _unpack)

    def _stopped(self, failure: Failure) -> GameError:
        i, j = failure.test.tolist()
        return GameError(
            explain(
                f"The estimator failed on the pair ({i}, {j}).",
                f"{type(self.learner.estimator).__name__}: {failure.cause}",
                "Fix the cause, or pass on_error='skip' to leave such games out and count them."
                if self.may_skip
                else "Fix the cause: every comparison is needed.",
            )
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
    responses = answers.values = list[FloatArray]()
    for train, test in rounds:
        answers.fits += 1
        try:
            values, answers.ceiling = learner.ask(train, test)
        except NoScoreError:  # wrong for every round, not for this one
            raise
        except Exception as error:
            failure = Failure(test, _cause(error), _portable(error))
            if stop_at_failure:
                answers.stopped = failure
                break
            answers.failures.append(failure)
            values = np.full(test.shape, np.nan)
        responses.append(values)
    return answers


def _pack(answers: Answers) -> Values:
    """Write down what is finished; a failure that ended the chunk is not, and is tried again."""
    return {
        "values": np.concatenate(answers.values),
        "sizes": np.array([len(values) for values in answers.values], dtype=np.int32),
        "failures": [[*failure.test.tolist(), failure.cause] for failure in answers.failures],
        "ceiling": answers.ceiling,
        "fits": answers.finished,
    }


def _unpack(values: Values) -> Answers:
    failures = [
        Failure(np.array(units), cause, RuntimeError(cause)) for *units, cause in values["failures"]
    ]
    sizes, flat = values["sizes"], values["values"]
    # Millions of games are one array, not millions of small ones.
    equal = (sizes == sizes[0]).all()
    split = flat.reshape(-1, sizes[0]) if equal else np.split(flat, np.cumsum(sizes)[:-1])
    return Answers(split, failures, ceiling=values["ceiling"], fits=values["fits"])


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


def _held_out(test: IntArray) -> str:
    shown = ", ".join(str(unit) for unit in test[:6])
    return f"{'unit' if test.size == 1 else 'units'} {shown}{', …' if test.size > 6 else ''}"


def _is_pairwise(estimator: Any) -> bool:
    try:
        return bool(get_tags(estimator).input_tags.pairwise)
    except (AttributeError, TypeError):  # a duck-typed estimator without tags
        return False


def _columns(rows: Any, units: IntArray) -> Any:
    return rows[:, units] if not hasattr(rows, "iloc") else rows.iloc[:, units]
