"""The engine for searches: candidates are judged and chosen anew without every pair.

The search's own splitter cuts the training set of a pair into folds. What a candidate without the
pair and a fold predicts for that fold is asked of the engine that plays the candidate, so no model
is fitted. Where the errors of these answers leave open which candidate has the best score, they are
answered more accurately or, at last, fitted for real.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Chosen, Engine
from tlpo.engines.by_sets import Answers, BySets, answering
from tlpo.engines.choice.folds import Fold, Unreadable
from tlpo.engines.choice.order import answer_in_order
from tlpo.engines.choice.scores import Judged, Score, ask, may_be_best
from tlpo.engines.doubts import may_swap
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.preparation.steps import prepare
from tlpo.engines.search.settings import RIDGES, SEARCHES, Asked, asked_by
from tlpo.engines.trial import find_pairs, why_not_trusted
from tlpo.errors import EngineError
from tlpo.execution.fits import Fitter
from tlpo.execution.options import Execution
from tlpo.problem.outcome import Classes, Ordered

# Fits of candidates that are replaced at a time.
FITS = 1 << 15


class Batch(NamedTuple):
    """Folds of several training sets that can be answered together.

    Attributes
    ----------
    owner, number : ndarray of shape (g,)
        Whose fold it is, and which.
    left_out : ndarray of shape (g, s)
        All units that a candidate is not trained on.
    tests : slice
        Where the units that judge it stand among these.
    """

    owner: IntArray
    number: IntArray
    left_out: IntArray
    tests: slice

    @property
    def units(self) -> IntArray:
        """The units that judge."""
        return self.left_out[:, self.tests]


@dataclass(eq=False)
class Folds:
    """The folds of some training sets, and what candidates predict for them.

    Attributes
    ----------
    of : list of list of Fold
        The folds of each training set, as places in it.
    train : list of ndarray
        The training sets.
    batches : list of Batch
        The same folds, those of equal sizes together.
    judged : list of list of Judged
        For every batch, what each candidate predicts.
    low, high : ndarray of shape (g, c, k)
        Bounds of the scores.
    sure : ndarray of shape (g, c, k)
        Where nothing is open.
    place : ndarray of shape (g, k, 2)
        In which batch a fold is, and where.
    """

    of: list[list[Fold]]
    train: list[IntArray]
    batches: list[Batch]
    judged: list[list[Judged]]
    low: FloatArray
    high: FloatArray
    sure: BoolArray
    place: IntArray

    def contenders(self) -> BoolArray:
        """Return which candidates may have the best score without each set."""
        return may_be_best(self.low, self.high)


class Search(BySets):
    """Grid and randomized searches, and ridge regression with folds."""

    name = "search"
    estimators = SEARCHES | RIDGES
    outcomes = frozenset({Classes, Ordered})
    plays_varying = False

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        try:
            self.asked: Asked = asked_by(prepared.model, self.problem)
            self.inner = [self._engine_of(candidate) for candidate in self.asked.candidates]
            self.scores = [self._score_of(engine) for engine in self.inner]
            self._n_folds = self.asked.splits.require_same(self.problem)
        except (Unreadable, ValueError, TypeError, KeyError) as error:
            raise EngineError(str(error)) from None
        self.ceiling = self.inner[0].ceiling
        if any(engine.ceiling != self.ceiling for engine in self.inner):
            raise EngineError("Candidates with different kinds of responses are refitted.")
        self._chosen: dict[bytes, int] = {}
        self.is_partial = False
        self._require_same_score()

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether this is a search in folds, before which nothing changes."""
        return super().accepts(prepared) and cls.has_folds(prepared.model)

    @staticmethod
    def has_folds(model: Any) -> bool:
        """Return whether a model chooses in folds, not by its own leave-one-out."""
        return type(model) not in RIDGES or model.cv is not None

    def on(self, prepared: Prepared) -> Self:
        """Return the same search on other features; it shares what was chosen."""
        other, problem = copy(self), prepared.problem
        other.prepared, other.problem = prepared, problem
        other.inner = []
        for candidate, engine in zip(self.asked.candidates, self.inner, strict=True):
            own = prepare(candidate, problem)
            if isinstance(own, str):
                raise EngineError(own)
            other.inner.append(engine.on(own))
        return other

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Choose a candidate without each set, and let it answer."""
        execution = replace(execution, keep_predictions=True, progress=False)
        chosen = self._choose(sets, execution)
        response, error = np.zeros(sets.shape), np.full(sets.shape, np.inf)
        for c, which in _groups(chosen):
            response[which], error[which] = self.inner[c].bracket(sets[which], execution)
        return Answers(response, error)

    def answer_in_order(self, sets: IntArray, execution: Execution) -> Answers:
        """Choose only for pairs that candidates order differently."""
        if not self.can_skip:
            return self.answer(sets, execution)
        self.is_partial = True
        return answer_in_order(self.inner, self.answer, sets, execution)

    @property
    def can_skip(self) -> bool:
        """Whether a search is sure to choose, so that a pair may be played without knowing what."""
        return self.asked.splits.keeps_classes and not self.problem.leaves_out_more

    def chosen(self) -> Chosen | None:
        """Count what was chosen without the pairs that were played; None if not for each."""
        # A set may be left out by several pairs.
        if self.problem.leaves_out_more or self.is_partial:
            return None
        size = 2 * np.dtype(np.intp).itemsize
        numbers = [c for key, c in self._chosen.items() if len(key) == size and c >= 0]
        counts = Counter(numbers)
        settings: dict[str, int] = {}
        for c in sorted(counts):
            said = self.asked.settings[c]
            settings[said] = settings.get(said, 0) + counts[c]
        return Chosen(len(numbers), settings)

    @property
    def can_answer_again(self) -> bool:
        """Candidates can be fitted."""
        return True

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Answer more accurately; where that is not enough, fit the candidate that was chosen."""
        execution = replace(execution, keep_predictions=True, progress=False)
        chosen = self._choose(sets, execution)
        response, error = np.zeros(sets.shape), np.full(sets.shape, np.inf)
        level = self.problem.outcome.level
        everyone = np.arange(self.problem.n_units)
        for c, which in _groups(chosen):
            engine = self.inner[c]
            if engine.can_answer_again:
                response[which], error[which] = engine.bracket(sets[which], execution, again=True)
            fitter = Fitter(self.asked.candidates[c], self.problem)
            for k in which:
                # Every two units of a set may meet, peers as well.
                if may_swap(response[k], error[k], everyone[: sets.shape[1]]).any():
                    train = np.setdiff1d(everyone, sets[k])
                    if not np.unique(level[train]).size > 1:
                        continue
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        response[k], _ = fitter.ask(train, sets[k])
                    error[k] = 0.0
        return Answers(response, error)

    def _parts(self, count: int, size: int) -> Iterator[slice]:  # noqa: ARG002
        step = max(1, FITS // (len(self.inner) * self._n_folds))
        for start in range(0, count, step):
            yield slice(start, min(count, start + step))

    def _engine_of(self, candidate: Any) -> BySets:
        """Return the engine that plays a candidate."""
        prepared = prepare(candidate, self.problem)
        if isinstance(prepared, str):
            raise Unreadable(prepared)
        why = ""
        for engine in answering(prepared):
            if isinstance(engine, str):
                why = engine
                continue
            why = why_not_trusted(engine, Execution()) or ""
            if not why:
                return engine
        name = type(prepared.model).__name__
        raise Unreadable(why or f"{name} is refitted, so a search among such models is too.")

    def _score_of(self, engine: BySets) -> Score:
        asked, model = self.asked, engine.prepared.model
        return Score(
            asked.scorer,
            model,
            asked.labels,
            self.problem.scaled_target,
            asked.is_classifier,
            engine.ceiling == 1.0,
        )

    def _require_same_score(self) -> None:
        """Refuse a scorer whose score of a fitted candidate is not what is found here."""
        if self.problem.outcome.unit != 1.0:  # scores of numbers are found in another unit
            return
        for pair in islice(find_pairs(self.problem), 1):
            folds = self._fold(self.problem.left_out(pair)[None])
            batch = folds.batches[0]
            self._note(folds, 0, 0, slice(None), self.inner[0].bracket(batch.left_out, Execution()))
            number = int(batch.number[0])
            own = self._fit_fold(folds, 0, 0, number)
            low, high = folds.low[0, 0, number], folds.high[0, 0, number]
            slack = 1e-9 * max(1.0, abs(own)) if own is not None else 0.0
            is_within = own is None or np.isnan(own) or low - slack <= own <= high + slack
            if not is_within:
                raise EngineError(
                    f"A fold without a pair has a score between {low:.6g} and {high:.6g}, the "
                    f"search's own is {own:.6g}."
                )

    def _choose(self, sets: IntArray, execution: Execution) -> IntArray:
        """Return which candidate the search takes without each set; −1 where only it can tell."""
        keys = [units.tobytes() for units in np.sort(sets, axis=1)]
        new = [k for k, key in enumerate(keys) if key not in self._chosen]
        if new:
            for k, choice in zip(new, self._judge(sets[new], execution), strict=True):
                self._chosen[keys[k]] = choice
        return np.array([self._chosen[key] for key in keys])

    def _judge(self, sets: IntArray, execution: Execution) -> list[int]:
        folds = self._fold(sets)
        for c, engine in enumerate(self.inner):
            for n, batch in enumerate(folds.batches):
                self._note(folds, n, c, slice(None), engine.bracket(batch.left_out, execution))
        self._look_closer(folds, execution)
        may_win = folds.contenders()
        return [
            self._decide_for(folds, owner, np.flatnonzero(found))
            for owner, found in enumerate(may_win)
        ]

    def _fold(self, sets: IntArray) -> Folds:
        """Cut the training set of every set into folds."""
        m, c, k = self.problem.n_units, len(self.inner), self._n_folds
        train, of = [], []
        rows: dict[tuple[int, int], list[tuple[int, int, IntArray]]] = defaultdict(list)
        for owner, units in enumerate(sets):
            is_in = np.ones(m, dtype=bool)
            is_in[units] = False
            own = np.flatnonzero(is_in)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    folds = self.asked.splits.folds(self.problem, own)
            except Exception as error:  # as a refit will say
                raise EngineError(f"A training set cannot be split: {error}") from None
            if len(folds) != k:
                raise EngineError("Training sets are split into different numbers of folds.")
            train.append(own)
            of.append(folds)
            for number, fold in enumerate(folds):
                left_out = np.concatenate([own[fold.rest], units])
                rows[left_out.size, fold.test.size].append((owner, number, left_out))
        place = np.empty((len(sets), k, 2), dtype=np.intp)
        batches = []
        for n, ((_, size), found) in enumerate(rows.items()):
            owners, numbers, left = (np.array(part) for part in zip(*found, strict=True))
            batches.append(Batch(owners, numbers, left, slice(0, size)))
            place[owners, numbers, 0], place[owners, numbers, 1] = n, np.arange(owners.size)
        judged = [
            [
                Judged(np.zeros(batch.units.shape), np.full(batch.units.shape, np.inf), batch.units)
                for _ in range(c)
            ]
            for batch in batches
        ]
        low = np.full((len(sets), c, k), -np.inf)
        return Folds(of, train, batches, judged, low, -low, np.zeros(low.shape, dtype=bool), place)

    def _note(self, folds: Folds, n: int, c: int, rows: slice | IntArray, answers: Answers) -> None:
        """Write down what a candidate answered for some folds of a batch, and what follows."""
        batch, score = folds.batches[n], self.scores[c]
        response, error = answers.response[:, batch.tests], answers.error[:, batch.tests]
        if self.asked.is_classifier and not self._is_second_positive:
            response = 1.0 - response if score.is_probability else -response
        error = np.where(self._can_learn(batch.left_out[rows])[:, None], error, np.inf)
        own = folds.judged[n][c]
        own.response[rows], own.error[rows] = response, error
        owner, number = batch.owner[rows], batch.number[rows]
        bounds = score.bounds(Judged(response, error, batch.units[rows]))
        folds.low[owner, c, number] = bounds.low
        folds.high[owner, c, number] = bounds.high
        folds.sure[owner, c, number] = bounds.sure

    def _can_learn(self, left_out: IntArray) -> BoolArray:
        """Return which training sets have units on two levels."""
        level = self.problem.outcome.level
        sizes = np.bincount(level)
        left = np.zeros(len(left_out), dtype=int)
        for value in np.flatnonzero(sizes):
            left += sizes[value] > np.count_nonzero(level[left_out] == value, axis=1)
        return left > 1

    @property
    def _is_second_positive(self) -> bool:
        labels = self.problem.labels
        return bool(labels.in_order[1] == labels.positive)

    def _look_closer(self, folds: Folds, execution: Execution) -> None:
        """Answer those folds more accurately on which a choice depends."""
        cells = defaultdict(list)
        may_win = folds.contenders()
        is_open = may_win & (np.count_nonzero(may_win, axis=1) > 1)[:, None]
        which = np.argwhere(is_open[:, :, None] & (folds.low < folds.high))
        for owner, c, number in which.tolist():
            n, row = folds.place[owner, number].tolist()
            cells[n, c].append(row)
        for (n, c), rows in cells.items():
            engine = self.inner[c]
            if engine.can_answer_again:
                these = np.array(rows)
                answers = engine.bracket(folds.batches[n].left_out[these], execution, again=True)
                self._note(folds, n, c, these, answers)

    def _decide_for(self, folds: Folds, owner: int, found: IntArray) -> int:
        """Return the candidate with the best score of those found, −1 if a fit fails."""
        if found.size == 1:
            return int(found[0])
        scores = folds.low[owner, found]
        # Bounds of counts that meet are the search's own scores; others may differ by rounding.
        is_exact = folds.sure[owner, found] & (scores == folds.high[owner, found])
        is_exact &= self.scores[0].kind == "counts"
        for r, number in np.argwhere(~is_exact).tolist():
            value = self._score_fold(folds, owner, int(found[r]), number)
            if value is None:
                return -1
            scores[r, number] = value
        means = np.average(scores, axis=1)
        if np.isnan(means).any() and not self.asked.catches:
            return -1
        if np.isnan(means).all():
            return int(found[0])
        return int(found[np.nanargmax(means)])

    def _score_fold(self, folds: Folds, owner: int, c: int, number: int) -> float | None:
        """Return the search's own score of a candidate on a fold, None if its fit fails."""
        n, row = folds.place[owner, number]
        judged, score = folds.judged[n][c], self.scores[c]
        if folds.sure[owner, c, number] and score.is_settled(judged, row):
            return score.exact(judged, row)
        return self._fit_fold(folds, owner, c, number)

    def _fit_fold(self, folds: Folds, owner: int, c: int, number: int) -> float | None:
        """Fit a candidate and score it as the search does; None if the fit fails."""
        fold, train = folds.of[owner][number], folds.train[owner]
        model, problem, labels = clone(self.asked.candidates[c]), self.problem, self.asked.labels
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(problem.rows(train[fold.train]), labels[train[fold.train]])
            except Exception:
                return None
        tests = train[fold.test]
        return ask(self.asked.scorer, model, problem.rows(tests), labels[tests])


def _groups(chosen: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Yield every candidate that was chosen, and where."""
    for c in np.unique(chosen[chosen >= 0]):
        yield int(c), np.flatnonzero(chosen == c)


ENGINE: type[Engine] = Search
