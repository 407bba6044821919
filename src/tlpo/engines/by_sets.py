"""Engines that answer one left-out set after another, without refitting.

Such an engine only says what models without some sets predict for the units of these sets, and how
far rounding or an unfinished solution may have moved that. Games, groups, exclusions, held-out
sets, ties between identical units and doubtful games are the same for all of them.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import (
    Answered,
    Decided,
    Engine,
    Played,
    PlayedClasses,
    Predictions,
    engines_for,
)
from tlpo.engines.doubts import Settled, may_swap, settle
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.ranges.bounds import Bounds, Ranges
from tlpo.engines.ranges.counting import RangeCount
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import Diagnostics
from tlpo.execution.fits import Fit, run_fits
from tlpo.execution.options import Execution
from tlpo.execution.progress import Progress
from tlpo.games.response import outcomes, tie_width
from tlpo.games.schedule import Schedule
from tlpo.games.standings import Standings
from tlpo.problem.problem import take_rows

# Below this many units every game is played: a bound would decide too few.
RANGES_FROM = 400
# Cells of prepared rows at a time.
CELLS = 1 << 20
# Games that are answered again at a time.
AGAIN = 1000
# Held-out responses that are closer than this, relative to the largest, tie but for rounding.
ROUNDING = 1e-9


class Answers(NamedTuple):
    """What models without some sets predict for the units of these sets.

    Attributes
    ----------
    response : ndarray of shape (g, s), or (g, s, K) for several classes
        The estimator's responses.
    error : ndarray of the same shape
        By how much they may differ from the estimator's own; infinite where it must be refitted.
    """

    response: FloatArray
    error: FloatArray


Answer = Callable[[IntArray, Execution], Answers]


class BySets(Engine):
    """An engine that answers left-out sets of one size at a time.

    Attributes
    ----------
    ceiling : float
        The largest value a response can take: 1 for probabilities.
    notices_empty : bool
        Whether the model notices an indicator column that is zero in the training set.
    refitted_share : float
        The share of very many games that may be refitted rather than count as ties.
    """

    plays_varying = True
    ceiling: float = np.inf
    notices_empty: bool = True
    refitted_share: float = 0.0

    @abstractmethod
    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Return the responses for the units of some left-out sets of one size, given as rows."""

    @classmethod
    def by_sets(cls, prepared: Prepared) -> BySets | str:
        """Return the engine for a model, or why it does not apply."""
        try:
            return cls.why_not(prepared) or cls(prepared)
        except EngineError as error:
            return str(error)

    def on(self, prepared: Prepared) -> Self:
        """Return the engine of the same model and units on other columns.

        It may rely on what was found out about the model here.
        """
        return type(self)(prepared)

    def bracket(self, sets: IntArray, execution: Execution, again: bool = False) -> Answers:
        """Return between what the responses for left-out sets of any size lie."""
        parts = [
            self._answer(sets[part], execution, self.answer_again if again else self.answer)
            for part in self._parts(len(sets), sets.shape[1])
        ]
        return Answers(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    @property
    def can_answer_again(self) -> bool:
        """Whether there is a more accurate way for sets whose first answers left doubts."""
        return False

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Answer such sets; an infinite error leaves the first answer."""
        raise NotImplementedError

    def answer_in_order(self, sets: IntArray, execution: Execution) -> Answers:
        """Return responses that order the units of pairs, but may be those of another model.

        For games whose responses nobody will see.
        """
        return self.answer(sets, execution)

    def affords(self, n_games: int) -> bool:  # noqa: ARG002
        """Whether so many games may be answered again."""
        return True

    def bounds(self, ordered: bool, execution: Execution) -> Sequence[Bounds] | None:  # noqa: ARG002
        """Return what decides whole ranges of games, each game in exactly one, or None.

        With ``ordered`` only units on different levels play. Called from `RANGES_FROM` units on.
        A gap that exceeds its bound must be one that `answer` decides in the same way.
        """
        return None

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play the games that no bound decides, and settle doubtful ones by refitting."""
        problem = self.problem
        is_whole = schedule.listed is None and not problem.leaves_out_more
        if is_whole and problem.n_units >= RANGES_FROM:
            played = self._play_ranges(schedule, execution)
            if played is not None:
                return played
        return self._decide(schedule, execution).described(schedule, execution)

    def play_classes(self, schedule: Schedule, execution: Execution) -> PlayedClasses:
        """Play every game for the response of every class."""
        return self._decide(schedule, execution).by_class(schedule, execution)

    def _decide(self, schedule: Schedule, execution: Execution) -> Decided:
        started = time.perf_counter()
        problem = self.problem
        games = schedule.games(problem.outcome)
        with Progress(len(games), "Games", execution.progress) as progress:
            is_seen = execution.keep_predictions or schedule.listed is not None
            answer = self.answer if is_seen else self.answer_in_order
            outcome, responses, open_games = self._play_games(
                games, execution, progress.advance, answer=answer
            )
        settled = self._settle(games[open_games], len(games), execution)
        if len(settled.games):
            outcome[open_games], responses[open_games] = settled.outcome, settled.responses
        diagnostics = Diagnostics(
            pairs_played=len(games),
            games_evaluated=len(games),
            fits=1 + len(settled.games),
            seconds=time.perf_counter() - started,
            warnings=settled.warnings,
        )
        return Decided(problem.outcome, games, outcome, responses, self.ceiling, diagnostics)

    def _play_ranges(self, schedule: Schedule, execution: Execution) -> Played | None:
        """Count what bounds decide, if there are any, and play what they leave open."""
        started = time.perf_counter()
        found = self.bounds(schedule.is_ordered, execution)
        if found is None:
            return None
        bounds = list(found)
        del found
        n_units = sum(own.units.size for own in bounds)
        count = RangeCount.empty(self.problem.outcome.level)
        listed = self._list_open(bounds, count)
        return self._play_open(count, listed, n_units, schedule, execution, started)

    def _list_open(self, bounds: list[Bounds], count: RangeCount) -> Iterator[tuple[IntArray, int]]:
        """Count decided games, and yield open ones; bounds that are done with are dropped."""
        while bounds:
            ranges = Ranges(self._without_exceptions(bounds.pop(0)), count.level)
            count.half_wins[ranges.units] += ranges.half_wins()
            for games, n_units in ranges.open_games():
                # No closer look at games that may change a step treated as fixed.
                odd = self.prepared.are_exceptions(games, self.notices_empty)
                left = count.decide(games[~odd], ranges.closer)
                yield np.concatenate([left, count.decide(games[odd], None)]), n_units

    def _play_open(
        self,
        count: RangeCount,
        listed: Iterable[tuple[IntArray, int]],
        n_units: int,
        schedule: Schedule,
        execution: Execution,
        started: float,
    ) -> Played:
        """Play open games; memory does not grow with their number.

        Parameters
        ----------
        count : RangeCount
            Wins in all other games; the second unit counts as the winner of an open one.
        listed : iterable of (ndarray of shape (g, 2), int)
            The open games, and of how many more units all have now been listed.
        n_units : int
            Of how many units games are listed.
        schedule : Schedule
            All games or all between ordered units.
        execution : Execution
            How to run.
        started : float
            When that was, by the performance counter.
        """
        outcome = self.problem.outcome
        doubts = [np.empty((0, 2), dtype=np.intp)]
        quick = replace(execution, keep_predictions=False)
        with Progress(n_units, "Units", execution.progress) as bar:
            for games, n_done in listed:
                won, open_games = self._play_once(games, quick)
                count.add(games, won)
                doubts.append(games[open_games])
                bar.advance(n_done)
        doubtful = self._correct_again(np.concatenate(doubts), count, execution)
        settled = self._settle(doubtful, schedule.n_games(outcome), execution)
        count.correct(settled)
        standings = Standings(
            outcome.arrange(count.half_wins / 2.0),
            outcome.scheduled(schedule.is_ordered),
            count.n_ties,
        )
        predictions = None
        if execution.keep_predictions:
            quietly = replace(execution, progress=False)
            predictions = Predictions(
                partial(self._all_predictions, schedule, quietly, settled), self.ceiling
            )
        return Played(
            standings,
            predictions,
            Diagnostics(
                pairs_played=standings.n_games,
                games_evaluated=count.evaluated,
                fits=1 + len(settled.games),
                seconds=time.perf_counter() - started,
                warnings=settled.warnings,
            ),
        )

    def _all_predictions(
        self, schedule: Schedule, execution: Execution, settled: Settled
    ) -> FloatArray:
        """Play every game for its predictions; those of games that were refitted are known."""
        played = self._decide(schedule, execution)
        games = played.games, played.responses, self.ceiling
        F = Predictions.of_games(self.problem.n_units, *games).full()
        first, second = settled.games.T
        F[first, second], F[second, first] = settled.responses.T
        return F

    def _without_exceptions(self, bounds: Bounds) -> Bounds:
        """Leave all games of a unit open if one of them may change a step treated as fixed."""
        may_change = self.prepared.may_change(self.notices_empty)
        if not may_change.any():
            return bounds
        return replace(bounds, slack=np.where(may_change[bounds.units], np.inf, bounds.slack))

    def _correct_again(
        self, doubtful: IntArray, count: RangeCount, execution: Execution
    ) -> IntArray:
        """Answer doubtful games again and count them; return those that are still doubtful."""
        n_games = len(doubtful)
        if not (n_games and self.affords(n_games) and self.can_answer_again):
            return doubtful
        outcome, responses = np.full(n_games, 0.5), np.empty((n_games, 2))
        everything = np.arange(n_games)
        left = self._play_again(doubtful, everything, responses, outcome, execution)
        outcome[left] = 0.5
        count.correct(Settled(doubtful, outcome, responses))
        return doubtful[left]

    def _play_games(
        self,
        games: IntArray,
        execution: Execution,
        advance: Callable[[int], None] | None = None,
        again: bool = True,
        answer: Answer | None = None,
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return results and responses of some games, and which are doubtful: these count as ties.

        Units that no model can tell apart tie. With ``again``, games that are doubtful at first
        are answered again.
        """
        answer = self.answer if answer is None else answer
        shape = self.problem.outcome.response_shape
        responses, outcome = np.empty((len(games), 2, *shape)), np.empty((len(games), *shape))
        doubtful, is_known = np.empty(len(games), dtype=bool), np.empty(len(games), dtype=bool)
        for part in self._parts(len(games), 2):
            found, error = self._answer_games(games[part], execution, answer)
            responses[part], is_known[part] = found, _in_all(np.isfinite(error))
            outcome[part], doubtful[part] = self._decide_games(found[:, 0], found[:, 1], error)
            if advance is not None:
                advance(part.stop - part.start)
        candidates = np.flatnonzero(doubtful & is_known)
        identical = candidates[self._are_identical(games[candidates])]
        responses[identical] = responses[identical].mean(axis=1, keepdims=True)
        outcome[identical] = 0.5
        doubtful[identical] = False
        open_games = np.flatnonzero(doubtful)
        if again and self.can_answer_again:
            open_games = self._play_again(games, open_games, responses, outcome, execution)
        outcome[open_games] = 0.5
        return outcome, responses, open_games

    def _play_once(self, games: IntArray, execution: Execution) -> tuple[FloatArray, IntArray]:
        """Return results of some games, and which are doubtful; these are answered again later."""
        outcome, _, open_games = self._play_games(games, execution, again=False)
        return outcome, open_games

    def _settle(self, doubtful: IntArray, n_games: int, execution: Execution) -> Settled:
        """Refit doubtful games, of so many in all."""
        refits, share = self.prepared.refits, self.refitted_share
        return settle(doubtful, len(doubtful), n_games, refits, execution, share)

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Answer held-out sets of any size; those that cannot be answered are refitted."""
        started = time.perf_counter()
        problem = self.problem
        sets = [problem.left_out(test) for test in tests] if problem.leaves_out_more else tests
        responses: list[FloatArray] = [np.empty(0)] * len(tests)
        errors = list(responses)
        unanswered = list(range(len(tests)))
        for answer in (self.answer, self.answer_again) if self.can_answer_again else (self.answer,):
            for which, batch in self._batches([sets[k] for k in unanswered]):
                answers = self._answer(batch, execution, answer)
                for n, units, response, error in zip(which, batch, *answers, strict=True):
                    k = unanswered[n]
                    if errors[k].size and not np.isfinite(error).all():
                        continue
                    order = np.argsort(units)
                    place = order[np.searchsorted(units[order], tests[k])]
                    responses[k], errors[k] = response[place], error[place]
            unanswered = self._unsettled(tests, responses, errors)
        given = self.prepared.given
        if unanswered:
            fits = [Fit(given.training_set(tests[k]), tests[k]) for k in unanswered]
            fitted = run_fits(self.prepared.whole, given, fits, execution, title="Held-out sets")
            for k, response in zip(unanswered, fitted.responses, strict=True):
                responses[k] = response
        return Answered(
            responses,
            Diagnostics(fits=1 + len(unanswered), seconds=time.perf_counter() - started),
        )

    def predict_pairs(self, pairs: IntArray, execution: Execution) -> FloatArray:
        """Return the responses for held-out pairs; close games need not be settled for that."""
        responses = np.empty(pairs.shape)
        for part in self._parts(len(pairs), 2):
            found, error = self._answer_games(pairs[part], execution, self.answer)
            responses[part] = np.where(np.isfinite(error)[:, None], found, np.nan)
        return responses

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Return the responses for a held-out pair, and by how much their gap may be off."""
        responses, error = self._answer_games(pair[None], execution, self.answer)
        return responses[0], float(error[0].max())

    def _unsettled(
        self, tests: list[IntArray], responses: list[FloatArray], errors: list[FloatArray]
    ) -> list[int]:
        """Return the sets with a unit that an error could move past one it is ordered with.

        Answered again or refitted, they leave every AUC of the held-out responses as it is by
        refitting, but for ties: rounding decides these, whoever fits.
        """
        response, error = np.concatenate(responses), np.concatenate(errors)
        level = self.problem.outcome.level[np.concatenate(tests)]
        if response.ndim == 1:
            is_close = may_swap(response, error, level)
        else:  # in the response of a class, its units are ordered with all others
            columns = enumerate(zip(response.T, error.T, strict=True))
            is_close = np.column_stack([may_swap(*own, level == k) for k, own in columns])
        is_close &= error > ROUNDING * np.abs(response).max()
        ends = np.cumsum([test.size for test in tests])
        return [k for k, own in enumerate(np.split(is_close, ends[:-1])) if own.any()]

    def _answer(self, sets: IntArray, execution: Execution, answer: Answer) -> Answers:
        response, error = answer(sets, execution)
        is_number = np.isfinite(response)
        error = np.where(is_number & ~np.isnan(error), error, np.inf)
        # A solver that gave up may leave anything; infinities would only warn before the refit.
        response = np.where(is_number, response, 0.0)
        error[self.are_exceptions(sets)] = np.inf
        return Answers(response, error)

    def are_exceptions(self, sets: IntArray) -> BoolArray:
        """Return which left-out sets change a step that is treated as fixed: they are refitted."""
        return self.prepared.are_exceptions(sets, self.notices_empty)

    def _answer_games(
        self, games: IntArray, execution: Execution, answer: Answer
    ) -> tuple[FloatArray, FloatArray]:
        """Return the responses of some games, and by how much each gap may be off."""
        if not self.problem.leaves_out_more:
            response, error = self._answer(games, execution, answer)
            return response, error.sum(axis=1)
        shape = (*games.shape, *self.problem.outcome.response_shape)
        responses, errors = np.empty(shape), np.empty(shape)
        left_out = self.problem.left_out_of(games)
        for which, batch in self._batches(left_out.sets):
            answers = self._answer(batch, execution, answer)
            row = np.full(len(left_out.sets), -1)
            row[which] = np.arange(which.size)
            mine = np.flatnonzero(row[left_out.which] >= 0)
            own = row[left_out.which[mine]]
            for side in (0, 1):
                place = np.argmax(batch[own] == games[mine, side][:, None], axis=1)
                responses[mine, side] = answers.response[own, place]
                errors[mine, side] = answers.error[own, place]
        return responses, errors.sum(axis=1)

    def _play_again(
        self,
        games: IntArray,
        doubtful: IntArray,
        responses: FloatArray,
        outcome: FloatArray,
        execution: Execution,
    ) -> IntArray:
        """Answer doubtful games again, in place; return those that are still doubtful."""
        left = []
        with Progress(doubtful.size, "Close games", execution.progress) as progress:
            for start in range(0, doubtful.size, AGAIN):
                which = doubtful[start : start + AGAIN]
                found, error = self._answer_games(games[which], execution, self.answer_again)
                first, second = found[:, 0], found[:, 1]
                known = _in_all(np.isfinite(error))
                responses[which[known]] = found[known]
                outcome[which], is_open = self._decide_games(first, second, error)
                left.append(which[is_open])
                progress.advance(which.size)
        return np.concatenate(left) if left else doubtful

    def _decide_games(
        self, first: FloatArray, second: FloatArray, error: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return results, and which games could end otherwise if gaps were off by this much."""
        gap = first - second
        outcome = np.where(gap > 0.0, 1.0, 0.0)
        # Most are far from that, and from a tie.
        size = np.maximum(np.abs(first), np.abs(second)) + error
        close = np.flatnonzero(~_in_all(np.abs(gap) > error + 2.0 * tie_width(size)))
        first, second, error = first[close], second[close], error[close]
        outcome[close] = outcomes(first, second, self.ceiling)
        unknown = ~np.isfinite(error)
        error = np.where(unknown, 0.0, error)
        above = outcomes(first + error, second, self.ceiling)
        below = outcomes(first - error, second, self.ceiling)
        doubtful = np.zeros(len(gap), dtype=bool)
        doubtful[close] = ~_in_all((above == below) & ~unknown)
        return outcome, doubtful

    def _are_identical(self, games: IntArray) -> BoolArray:
        """Return which games are between units that no model can tell apart."""
        if not len(games):  # no rows of a list would not be a matrix
            return np.zeros(0, dtype=bool)
        first, second = games.T
        columns = self.prepared.columns
        if columns is None:
            one, other = (take_rows(self.problem.X, units) for units in (first, second))
            if sparse.issparse(one):
                return np.asarray(np.ravel((one != other).sum(axis=1)) == 0)
            return np.asarray((np.asarray(one) == np.asarray(other)).all(axis=1))
        are_filled_alike = (columns.missing[first] == columns.missing[second]).all(axis=1)
        same = (columns.values[first] == columns.values[second]).all(axis=1) & are_filled_alike
        if not self.problem.leaves_out_more:
            # A missing cell may be filled with the very value of the other unit.
            left = np.flatnonzero(~are_filled_alike)
            for part in self._parts(left.size, 2):
                which = left[part]
                fill = columns.fit_without(games[which]).fill
                one, other = (
                    columns.values[units[which]] + columns.missing[units[which]] * fill
                    for units in (first, second)
                )
                same[which] = (one == other).all(axis=1)
        return np.asarray(same)

    def _parts(self, count: int, size: int) -> Iterator[slice]:
        columns = self.prepared.columns
        width = np.shape(self.problem.X)[1] if columns is None else columns.n_columns
        step = max(1, CELLS // (size * max(1, width)))
        for start in range(0, count, step):
            yield slice(start, min(count, start + step))

    def _batches(self, sets: list[IntArray]) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield numbers of sets of equal size, and these sets as rows."""
        sizes = np.array([units.size for units in sets])
        for size in np.unique(sizes):
            which = np.flatnonzero(sizes == size)
            for part in self._parts(which.size, int(size)):
                yield which[part], np.array([sets[k] for k in which[part]])


def answering(prepared: Prepared) -> Iterator[BySets | str]:
    """Yield the engines that answer left-out sets of a model, or why one does not."""
    for kind in engines_for(type(prepared.model)):
        if kind.is_exact and not kind.is_random and kind.accepts(prepared):
            yield kind.by_sets(prepared)


def _in_all(is_true: BoolArray) -> BoolArray:
    """Return what is true of the response of every class, if there are several."""
    return np.asarray(is_true.all(axis=tuple(range(1, is_true.ndim))))
