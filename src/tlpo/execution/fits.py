"""The fit loop: clone the estimator, fit it on some units, ask it about others."""

from __future__ import annotations

import hashlib
import math
import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import GameError, InputError, NoScoreError, explain
from tlpo.execution.diagnostics import Diagnostics, RunLog, first_line
from tlpo.execution.framing import Values, is_array, is_whole
from tlpo.execution.options import Execution
from tlpo.execution.own_threads import one_thread_each
from tlpo.execution.run import Keep, run_tasks, share_of
from tlpo.games.response import (
    fits_numbers,
    outcomes,
    respond,
    respond_by_class,
    respond_in_order,
    respond_with_risk,
    response_method,
)
from tlpo.problem.outcome import Classes, SeveralClasses, TimeToEvent
from tlpo.problem.problem import Problem

NEEDS_EVERY_FIT = "Fix the cause: this estimate needs every fit."


class Fit(NamedTuple):
    """One fit: the units to train on, and the units to predict."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class Failure:
    """A fit that could not be finished."""

    test: IntArray
    cause: str
    error: Exception


@dataclass
class Answers:
    """Responses of a chunk of fits.

    Attributes
    ----------
    values : list of ndarray, or ndarray with one row per fit
        Responses, NaN for fits that failed and were skipped.
    failures : list of Failure
        Fits that were skipped.
    stopped : Failure or None
        The failure that ended the chunk; the fits before it are finished.
    ceiling : float
        The largest value a response can take: 1 for probabilities.
    fits : int
        Models fitted.
    """

    values: list[FloatArray] | FloatArray = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    stopped: Failure | None = None
    ceiling: float = np.inf
    fits: int = 0

    @property
    def finished(self) -> int:
        """Number of fits that have a result."""
        return len(self.values)


class Fitter:
    """Fits clones of one estimator on parts of one problem."""

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.estimator = estimator
        self.problem = problem
        has_times = isinstance(problem.outcome, TimeToEvent)
        is_several = isinstance(problem.outcome, SeveralClasses)
        on_numbers = fits_numbers(estimator)
        has_target = on_numbers and not (has_times or is_several)
        self.targets = problem.target if has_target else problem.y
        # A regressor learns one class after the other.
        self.views = (
            [Fitter(estimator, problem.view(k)) for k in range(len(problem.several.names))]
            if is_several and on_numbers
            else []
        )
        self.shape = problem.outcome.response_shape
        self.pairwise = _is_pairwise(estimator)
        self.threads = one_thread_each(estimator)
        shape = getattr(problem.X, "shape", ())
        if self.pairwise and tuple(shape) != (problem.n_units, problem.n_units):
            raise InputError(
                explain(
                    "A precomputed kernel or distance needs a square X, with one row and one "
                    "column per unit.",
                    f"You passed X of shape {tuple(shape)} to {type(estimator).__name__}.",
                    "Pass the kernel or distance between all units.",
                )
            )

    def fit(self, train: IntArray) -> Any:
        """Fit a clone on copies of what is known about some units.

        A regressor of several classes is fitted to each of them; a list of all is returned.
        """
        if self.views:
            return [view.fit(train) for view in self.views]
        model = clone(self.estimator)
        if self.threads:
            model.set_params(**self.threads)
        X_train = self.problem.rows(train)
        if self.pairwise:
            X_train = _columns(X_train, train)
        model.fit(X_train, self.targets[train], **self.problem.params_for(train))
        return model

    def ask(self, train: IntArray, test: IntArray) -> tuple[FloatArray, float]:
        """Fit on ``train`` and return the responses for ``test`` and their ceiling."""
        if self.views:
            each = [view.ask(train, test)[0] for view in self.views]
            return np.column_stack(each), np.inf
        problem = self.problem
        model = self.fit(train)
        X_test = problem.rows(test)
        if self.pairwise:
            X_test = _columns(X_test, train)
        method, values = self._respond(model, X_test)
        if values.shape != test.shape + self.shape:
            raise GameError(
                f"{method} returned {values.size} numbers for {test.size} units instead of "
                f"{self.shape[0] if self.shape else 'one'} each"
            )
        bad = ~np.isfinite(values)
        if bad.any():
            unit = test[np.nonzero(bad)[0][0]]
            raise GameError(f"{method} returned {values[bad][0]} for unit {unit}")
        return values, 1.0 if method == "predict_proba" else np.inf

    def _respond(self, model: Any, X_test: Any) -> tuple[str, FloatArray]:
        """Return which method scored some rows, and the scores."""
        outcome = self.problem.outcome
        if isinstance(outcome, Classes):
            method = response_method(model)
            return method, respond(model, method, X_test, outcome.positive, outcome.in_order)
        if isinstance(outcome, SeveralClasses):
            return respond_by_class(model, X_test, outcome.names)
        if isinstance(outcome, TimeToEvent):
            return "predict", respond_with_risk(model, X_test)
        return "predict", respond_in_order(model, X_test) / outcome.unit


class Fitted(NamedTuple):
    """Responses of some fits, and what they took."""

    responses: list[FloatArray]
    diagnostics: Diagnostics


def run_fits(
    estimator: Any, problem: Problem, fits: Sequence[Fit], execution: Execution, title: str
) -> Fitted:
    """Run any fits and return the responses of each; the first failure ends the run."""
    work = partial(_answer, Fitter(estimator, problem), stop_at_failure=True)
    log = RunLog()
    values: list[FloatArray] = []
    journal = execution.journal

    def collect(_: slice, answers: Answers) -> None:
        failure = answers.stopped
        if failure is not None:
            where = f"in a fit that predicts {_units(failure.test)}"
            raise failed(estimator, where, failure, NEEDS_EVERY_FIT) from failure.error
        values.extend(answers.values)

    run_tasks(
        work,
        fits,
        collect,
        log,
        n_jobs=execution.n_jobs,
        progress=execution.progress,
        title=title,
        keep=None
        if journal is None
        else Keep(
            journal.section(title),
            _pack,
            partial(_unpack, may_fail=False, shape=problem.outcome.response_shape),
        ),
    )
    log.warnings.emit(log.fits)
    return Fitted(values, log.diagnostics())


class PlayedByFitting(NamedTuple):
    """Games that were played by fitting.

    Attributes
    ----------
    outcome : ndarray of shape (g,)
        1, ½ or 0 for the first unit of each pair; NaN where the game was skipped. Of several
        classes, (g, K): a game has a result in the response of each.
    responses : ndarray of shape (g, 2) or (g, 2, K)
        What decided it.
    ceiling : float
        The largest value a response can take.
    failures : Counter
        Causes of games that were skipped.
    log : RunLog
        What it took.
    """

    outcome: FloatArray
    responses: FloatArray
    ceiling: float
    failures: Counter[str]
    log: RunLog


class GameFits:
    """Games between pairs of units, one fit each. May be asked several times."""

    def __init__(self, estimator: Any, problem: Problem) -> None:
        self.fitter = Fitter(estimator, problem)
        # The same object every time: a cluster is sent the data it holds only once.
        self.work = {
            stop: partial(_play, self.fitter, stop_at_failure=stop) for stop in (True, False)
        }
        self.pace: float | None = None

    def play(self, pairs: IntArray, execution: Execution) -> PlayedByFitting:
        """Play some games."""
        shape = self.fitter.shape
        outcome = np.full((len(pairs), *shape), np.nan)
        responses = np.full((len(pairs), 2, *shape), np.nan)
        failures: Counter[str] = Counter()
        ceiling = np.inf
        log = RunLog(pace=self.pace)

        def collect(where: slice, answers: Answers) -> None:
            nonlocal ceiling
            if answers.stopped is not None:
                failure = answers.stopped
                pair, estimator = failure.test.tolist(), self.fitter.estimator
                raise failed_on_pair(estimator, pair, failure, execution) from failure.error
            failures.update(failure.cause for failure in answers.failures)
            responses[where] = answers.values
            ceiling = min(ceiling, answers.ceiling)
            first, second = responses[where, 0], responses[where, 1]
            outcome[where] = outcomes(first, second, answers.ceiling)

        run_tasks(
            self.work[not execution.skip],
            pairs,
            collect,
            log,
            n_jobs=execution.n_jobs,
            progress=execution.progress,
            title="Games",
            keep=_keep(pairs, execution, shape),
            share=share_of(len(pairs), execution.shard),
        )
        self.pace = log.pace
        log.warnings.emit(log.fits)
        return PlayedByFitting(outcome, responses, ceiling, failures, log)


def failed_on_pair(
    estimator: Any, pair: Sequence[int], failure: Failure, execution: Execution
) -> GameError:
    """Return the error for a pair whose model could not be fitted or asked."""
    remedy = "Fix the cause: every comparison is needed."
    if execution.may_skip:
        remedy = "Fix the cause, or pass on_error='skip' to leave such games out and count them."
    return failed(estimator, f"on the pair ({pair[0]}, {pair[1]})", failure, remedy)


def failed(estimator: Any, where: str, failure: Failure, remedy: str) -> GameError:
    """Return the error for an estimator that failed; what to do about missing values is known."""
    if "inhomogeneous shape" in failure.cause:
        remedy = "Give every row of X the same number of values."
    if "contains NaN" in failure.cause and "sample_weight" not in failure.cause:
        remedy = (
            "X has missing values. Impute them inside the model, so that nothing is learnt from "
            "held-out units: make_pipeline(SimpleImputer(), model), both from scikit-learn."
        )
    return GameError(
        explain(
            f"The estimator failed {where}.",
            f"{type(estimator).__name__}: {failure.cause}",
            remedy,
        )
    )


def _keep(pairs: IntArray, execution: Execution, shape: tuple[int, ...]) -> Keep[Answers] | None:
    """Return where finished games are kept: every list of pairs has a section of its own."""
    if execution.journal is None:
        return None
    which = hashlib.blake2b(pairs.tobytes(), digest_size=4).hexdigest()
    section = execution.journal.section(f"games {which}")
    return Keep(section, _pack, partial(_unpack, may_fail=execution.skip, shape=shape))


def _play(fitter: Fitter, pairs: IntArray, stop_at_failure: bool) -> Answers:
    training_set = fitter.problem.training_set
    return _answer(fitter, (Fit(training_set(pair), pair) for pair in pairs), stop_at_failure)


def _answer(fitter: Fitter, fits: Iterable[Fit], stop_at_failure: bool) -> Answers:
    answers = Answers()
    responses = answers.values = list[FloatArray]()
    for train, test in fits:
        answers.fits += 1
        try:
            values, answers.ceiling = fitter.ask(train, test)
        except NoScoreError:  # wrong for every fit, not for this one
            raise
        except Exception as error:
            failure = failure_of(test, error)
            if stop_at_failure:
                answers.stopped = failure
                break
            answers.failures.append(failure)
            values = np.full(test.shape + fitter.shape, np.nan)
        responses.append(values)
    return answers


def _pack(answers: Answers) -> Values:
    """Write down what is finished; a failure that ended the chunk is not, and is tried again."""
    return {
        "values": np.concatenate(answers.values).reshape(-1),
        "sizes": np.array([values.size for values in answers.values], dtype=np.int32),
        "failures": [[*failure.test.tolist(), failure.cause] for failure in answers.failures],
        "ceiling": answers.ceiling,
        "fits": answers.finished,
    }


def _unpack(values: Values, tasks: Any, may_fail: bool, shape: tuple[int, ...]) -> Answers | None:
    """Restore the answers of some fits or games; None if `_pack` would not have written them."""
    are_games = isinstance(tasks, np.ndarray)
    tests = tasks if are_games else [task.test for task in tasks]
    if values.keys() != {"values", "sizes", "failures", "ceiling", "fits"}:
        return None
    flat, sizes, ceiling = values["values"], values["sizes"], values["ceiling"]
    expected = np.full(len(tests), 2) if are_games else np.array([test.size for test in tests])
    expected *= math.prod(shape)
    if not (
        is_array(flat, np.float64, (expected.sum(),))
        and is_array(sizes, np.int32, expected.shape)
        and (sizes == expected).all()
        and isinstance(ceiling, float)
        and ceiling in (1.0, np.inf)
        and is_whole(values["fits"])
        and values["fits"] == len(tests)
    ):
        return None
    failures = _unpack_failures(values["failures"], flat, expected, tests)
    if failures is None or (failures and not may_fail):
        return None
    # Millions of games are one array, not millions of small ones.
    equal = (sizes == sizes[0]).all()
    if equal:
        split = flat.reshape(len(tests), -1, *shape)
    else:
        split = [part.reshape(-1, *shape) for part in np.split(flat, np.cumsum(sizes)[:-1])]
    return Answers(split, failures, ceiling=ceiling, fits=values["fits"])


def _unpack_failures(
    rows: Any, flat: FloatArray, sizes: IntArray, tests: Any
) -> list[Failure] | None:
    """Restore the failures, which are exactly the fits whose responses are all NaN."""
    is_missing = ~np.isfinite(flat)
    failed, counts = np.unique(
        np.repeat(np.arange(sizes.size), sizes)[is_missing], return_counts=True
    )
    if not (
        np.isnan(flat[is_missing]).all()
        and (counts == sizes[failed]).all()
        and isinstance(rows, list)
        and all(isinstance(row, list) and row and isinstance(row[-1], str) for row in rows)
        and [row[:-1] for row in rows] == [tests[k].tolist() for k in failed]
    ):
        return None
    return [Failure(np.array(units), cause, RuntimeError(cause)) for *units, cause in rows]


def failure_of(test: IntArray, error: Exception) -> Failure:
    """Note why a fit failed."""
    return Failure(test, _cause(error), _portable(error))


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


def _units(test: IntArray) -> str:
    shown = ", ".join(str(unit) for unit in test[:6])
    return f"{'unit' if test.size == 1 else 'units'} {shown}{', …' if test.size > 6 else ''}"


def _is_pairwise(estimator: Any) -> bool:
    try:
        return bool(get_tags(estimator).input_tags.pairwise)
    except (AttributeError, TypeError):  # a duck-typed estimator without tags
        return False


def _columns(rows: Any, units: IntArray) -> Any:
    return rows[:, units] if not hasattr(rows, "iloc") else rows.iloc[:, units]
