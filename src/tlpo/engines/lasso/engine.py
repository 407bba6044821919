"""The engine for the lasso and the elastic net with their penalty chosen inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Answered, Chosen, Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.lasso.margins import errors_of, in_play
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.prepared import Prepared
from tlpo.errors import EngineError, InputError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import fits_in_threads, in_threads, slices, thread_count
from tlpo.learners import ElasticNetLogisticCV
from tlpo.learners.elastic_net import (
    NOTHING,
    first_power,
    grid,
    require_parameters,
    standardise,
    step_of,
)

if TYPE_CHECKING:
    from tlpo.engines.lasso.kernels import Rule, Sample, Singles

# Pairs that are solved for all penalties, to see how far the others may be off.
MEASURED = 40
# Units that are left out for all penalties, to see which of them may be chosen.
TRIED = 15
# With fewer pairs than this, all are.
FEW = 300
# Games that are played in one thread, at least.
GAMES_A_THREAD = 50
# Numbers that are kept: what leaving out each unit changes, and models without each fold.
MOST_NUMBERS = 1 << 27
# A power of the step that is this close to a whole number may be rounded either way.
CLOSE_POWER = 1e-8


class Folds(NamedTuple):
    """The folds of all units, and what leaves them as they are.

    Attributes
    ----------
    fold : ndarray of shape (m,)
        The fold of each unit: whole numbers from 0 on, none without a unit.
    last, next_to_last : ndarray of shape (m,)
        Of the units identical to this one, those with the last two numbers; −1 if there is none.
        Leaving out any of them is leaving out these.
    occupied : ndarray of shape (2, K)
        How many units of either class are in each fold.
    """

    fold: IntArray
    last: IntArray
    next_to_last: IntArray
    occupied: IntArray


class Lasso(BySets):
    """Logistic regression with an elastic-net penalty that every game chooses anew.

    Models without each fold are solved once for all penalties, and again without each unit. That
    says how large deviances without a pair are about, and so which penalties may be chosen;
    these are solved, and the model of the chosen one plays. Games that rounding would decide, and
    those whose models are not unique, are refitted.
    """

    name = "lasso"
    estimators = frozenset({ElasticNetLogisticCV})
    plays_varying = False

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self.n_solved = 0
        self._found: tuple[Singles, Rule] | None = None
        m = self.problem.n_units
        # The penalty that the model without a pair chose, and how many models use a column.
        self._chosen = np.full((m, m), -1, dtype=np.int16)
        self._used = np.zeros(1, dtype=np.intp)

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        model, problem = prepared.model, prepared.problem
        try:
            require_parameters(model)
        except InputError as error:
            return str(error)
        if not isinstance(model.random_state, int | np.integer):
            return f"Folds are drawn anew in every fit with random_state={model.random_state!r}."
        if sparse.issparse(problem.X):
            return "The solution of the lasso does not cover sparse data."
        if problem.leaves_out_more:
            return "The solution of the lasso covers neither groups nor exclude."
        if problem.params:
            return f"The solution does not cover the fit arguments {', '.join(problem.params)}."
        return None

    def hold_out(self, tests: list[IntArray], execution: Execution) -> Answered:
        """Answer pairs; other sets are refitted."""
        with fits_in_threads():
            return super().hold_out(tests, execution)

    def fit(self, fits: Sequence[Fit], execution: Execution, title: str) -> Answered:
        """Fit all: the solver needs no process of its own."""
        with fits_in_threads():
            return super().fit(fits, execution, title)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Leave everything to be fitted."""
        return [None] * len(fits)

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Play pairs and single units; larger sets are left to refitting."""
        answers = Answers(np.zeros(sets.shape), np.full(sets.shape, np.inf))
        if sets.shape[1] > 2:
            return answers
        threads = thread_count(execution.n_jobs)
        with one_blas_thread():
            if sets.shape[1] == 1:
                self._answer_alone(sets[:, 0], answers, threads)
            else:
                self._answer_pairs(sets, answers, threads)
        if not self._is_last_positive:
            np.negative(answers.response, out=answers.response)
        return answers

    def _answer_pairs(self, sets: IntArray, answers: Answers, threads: int) -> None:
        from tlpo.engines.lasso import choosing

        singles, rule = self._singles(threads)
        pairs = self._left_out(sets)
        first = np.where(self._keep_folds(sets), self._first(pairs), -1)
        sample = self._sample
        parts = slices(len(sets), min(threads, 1 + len(sets) // GAMES_A_THREAD))
        solved = np.zeros((len(parts), 1), dtype=np.intp)
        used = np.zeros((len(parts), len(sample.Xt)), dtype=np.intp)
        chosen = np.where(self._chosen[tuple(np.sort(sets).T)] >= 0, -1, 0)
        calls = []
        for k, part in enumerate(parts):
            own = self._places[pairs[part]], first[part]
            outputs = answers.response[part], answers.error[part], chosen[part]
            calls.append((sample, singles, rule, *own, *outputs, used[k], solved[k]))
        in_threads(choosing.play, calls)
        self.n_solved += int(solved.sum())
        self._used = self._used + used.sum(axis=0)
        new = chosen > 0
        self._chosen[tuple(np.sort(sets[new]).T)] = chosen[new] - 1

    def _answer_alone(self, units: IntArray, answers: Answers, threads: int) -> None:
        from tlpo.engines.lasso import choosing

        singles, rule = self._singles(threads)
        if rule.solve_all:  # too few units to have been left out one by one
            return
        last = self._folds.last[units]
        first = np.where(self._keep_folds(units[:, None]), self._first_alone(last), -1)
        calls = []
        for part in slices(units.size, min(threads, 1 + units.size // GAMES_A_THREAD)):
            outputs = answers.response[part], answers.error[part]
            own = self._places[last[part]], first[part]
            calls.append((self._sample, singles, rule, *own, *outputs))
        in_threads(choosing.play_alone, calls)

    def chosen(self) -> Chosen:
        """Tell which penalties the models of the pairs chose, and which columns they use."""
        numbers = self._chosen[self._chosen >= 0]
        penalties = (self.problem.n_units - 2) * self._sample.penalties
        selected = np.zeros(self._matrix.shape[1], dtype=np.intp)
        selected[self._columns] = self._used
        values = Counter((1.0 / penalties[numbers]).tolist())
        return Chosen(
            numbers.size, {f"C = {value:.3g}": values[value] for value in sorted(values)}, selected
        )

    @cached_property
    def _matrix(self) -> FloatArray:
        return matrix_of(self.problem.X)

    @cached_property
    def _labels(self) -> tuple[IntArray, bool]:
        """Classes 0 and 1 as a fit numbers them, and whether 1 is the positive one."""
        _, codes = np.unique(np.asarray(self.problem.y), return_inverse=True)
        is_positive = self.problem.labels.is_positive
        return codes.astype(np.intp), bool(is_positive[np.argmax(codes)])

    @property
    def _codes(self) -> IntArray:
        return self._labels[0]

    @property
    def _is_last_positive(self) -> bool:
        return self._labels[1]

    @cached_property
    def _folds(self) -> Folds:
        from tlpo.learners.folds import ATTEMPTS, assign, is_split, unit_hashes

        codes, n_folds = self._codes, int(self.estimator.n_folds)
        hashes, number = unit_hashes(self._matrix, codes, int(self.estimator.random_state))
        attempts = (assign(hashes, number, attempt, n_folds) for attempt in range(ATTEMPTS))
        fold = next((fold for fold in attempts if is_split(fold, codes)), None)
        if fold is None:
            raise EngineError("A class has too few units for folds.")
        fold = np.unique(fold, return_inverse=True)[1]
        clump = np.unique(hashes, return_inverse=True)[1]
        size = np.bincount(clump)
        by_number = np.full((2, size.size), -1)
        for back in (1, 2):
            is_this = number == size[clump] - back
            by_number[back - 1, clump[is_this]] = np.flatnonzero(is_this)
        occupied = np.zeros((2, fold.max() + 1), dtype=np.intp)
        np.add.at(occupied, (codes, fold), 1)
        return Folds(fold, by_number[0][clump], by_number[1][clump], occupied)

    def _left_out(self, sets: IntArray) -> IntArray:
        """Return which units leave the sample if these do: of identical ones, the last."""
        folds = self._folds
        if sets.shape[1] == 1:
            return folds.last[sets]
        first, second = sets.T
        one, other = folds.last[first], folds.last[second]
        return np.column_stack([one, np.where(one == other, folds.next_to_last[second], other)])

    def _keep_folds(self, sets: IntArray) -> BoolArray:
        """Return which pairs or units leave either class in two folds: others are dealt anew."""
        folds, codes = self._folds, self._codes
        units = self._left_out(sets)
        own = folds.occupied[codes[units], folds.fold[units]]
        emptied = own == 1
        if sets.shape[1] == 2:
            same = (np.diff(codes[units]) == 0)[:, 0] & (np.diff(folds.fold[units]) == 0)[:, 0]
            emptied = np.where(same[:, None], [0, 1] * (own == 2), emptied)
        left = np.tile(np.count_nonzero(folds.occupied, axis=1), (len(sets), 1))
        for side in range(sets.shape[1]):
            left[np.arange(len(sets)), codes[units[:, side]]] -= emptied[:, side]
        return np.asarray(left.min(axis=1) >= 2)

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self._folds.fold, kind="stable")

    @cached_property
    def _places(self) -> IntArray:
        return np.argsort(self._order)

    @property
    def _step(self) -> float:
        m, n = self._matrix.shape
        return step_of(m - 2, n, int(self.estimator.n_penalties))

    @cached_property
    def _begins(self) -> IntArray:
        """For every pair of units, the power of the step where its path begins, below 0 if open."""
        from tlpo.engines.lasso import kernels

        m = self.problem.n_units
        i, j = np.triu_indices(m, 1)
        pairs = np.column_stack([i, j])
        largest = np.empty(len(pairs))
        kernels.largest_penalties(self._unsolved, self._places[pairs], largest)
        table = np.full((m, m), OPEN)
        table[i, j] = table[j, i] = self._begin(largest)
        return table

    def _begin(self, largest: FloatArray) -> IntArray:
        """Return the power of the step where paths begin, given what uses no column."""
        with np.errstate(divide="ignore"):
            power = np.log(largest) / np.log(self._step)
        close = np.abs(power - np.rint(power)) < CLOSE_POWER
        is_open = close | (np.abs(np.log10(np.maximum(largest, 1e-300) / NOTHING)) < 0.5)
        begin = [first_power(value, self._step) for value in largest]
        return np.where(is_open, OPEN, np.array(begin, dtype=np.intp))

    def _first_alone(self, units: IntArray) -> IntArray:
        """Return where the paths without a unit begin, below 0 if open."""
        from tlpo.learners import elastic_net_solver as solver

        (m, n), sample = self._matrix.shape, self._sample
        count = int(self.estimator.n_penalties)
        if step_of(m - 1, n, count) != self._step:
            return np.full(units.size, -1)
        largest = np.empty(units.size)
        z, gradient = np.empty(m), np.empty(len(sample.Xt))
        for k, i in enumerate(self._places[units]):
            keep = np.ones(m)
            keep[i] = 0.0
            scale = solver.scales(sample.Xt, sample.squares, keep)
            solver.null_model(sample.Xt, sample.y, keep, z, gradient)
            largest[k] = solver.largest_penalty(gradient, scale, sample.l1)
        begin = self._begin(largest)
        first = begin - self._powers[0]
        is_known = (begin != OPEN) & (first >= 0) & (first + count <= sample.penalties.size)
        return np.where(is_known, first, -1)

    def _first(self, pairs: IntArray) -> IntArray:
        begin = self._begins[pairs[:, 0], pairs[:, 1]]
        return np.where(begin == OPEN, -1, begin - self._powers[0])

    @cached_property
    def _powers(self) -> tuple[int, int]:
        """The first and the last power of the step that begins a path."""
        known = self._begins[self._begins != OPEN]
        if not known.size:
            raise EngineError("No penalty of the path is known beforehand.")
        low, high = int(known.min()), int(known.max())
        if high - low > 2 * int(self.estimator.n_penalties):
            raise EngineError("Training sets without a pair have too different penalties.")
        return low, high

    @cached_property
    def _unsolved(self) -> Sample:
        from tlpo.engines.lasso.kernels import Sample

        order, fold = self._order, self._folds.fold
        own = standardise(self._matrix, self._codes, is_lasso=float(self.estimator.l1_ratio) == 1.0)
        self._columns = own.columns
        Xt = np.ascontiguousarray(own.Xt[:, order])
        squares = Xt * Xt
        n_folds = int(fold.max()) + 1
        keeps = np.array([fold[order] != F for F in range(n_folds + 1)], dtype=np.float64)
        nothing = np.empty((0, 0, 0))
        return Sample(
            Xt=Xt,
            squares=squares,
            rows=np.ascontiguousarray(Xt.T),
            y=own.y[order],
            fold=fold[order],
            edges=np.searchsorted(fold[order], np.arange(n_folds + 1)),
            total=keeps @ Xt.T,
            square=keeps @ squares.T,
            penalties=np.empty(0),
            l1=float(self.estimator.l1_ratio),
            W=nothing,
            Z=nothing,
            is_clear=np.empty(0, dtype=bool),
        )

    @cached_property
    def _sample(self) -> Sample:
        from tlpo.engines.lasso import kernels

        (low, high), count = self._powers, int(self.estimator.n_penalties)
        unsolved = self._unsolved
        (p, m), L = unsolved.Xt.shape, high - low + count
        K = unsolved.edges.size - 1
        if m * m * L * (K + 1) + (K + 1) * L * (m + p) > MOST_NUMBERS:
            raise EngineError("The models without each unit do not fit into memory.")
        sample = unsolved._replace(
            penalties=grid(low, self._step, L),
            W=np.empty((K + 1, L, p + 1)),
            Z=np.empty((K + 1, L, m)),
            is_clear=np.empty(L, dtype=bool),
        )
        kernels.solve_folds(sample)
        return sample

    @property
    def _solves_all(self) -> bool:
        m = self.problem.n_units
        return m * (m - 1) // 2 <= FEW

    def _singles(self, threads: int) -> tuple[Singles, Rule]:
        """Return what leaving out each unit changes, and how a penalty is chosen from that."""
        if self._found is None:
            self._found = self._leave_out_each(threads)
        return self._found

    def _leave_out_each(self, threads: int) -> tuple[Singles, Rule]:
        from tlpo.engines.lasso import kernels

        sample = self._sample
        (p, m), L, K = sample.Xt.shape, sample.penalties.size, sample.edges.size - 1
        has_room = m * L * K * p <= MOST_NUMBERS
        singles = kernels.Singles(
            shift=np.empty((m, L, K, m)),
            coef=np.empty((m, L, K, p + 1) if has_room else (0, 0, 0, 0)),
            loss=np.empty((m, L, m)),
            sums=np.empty((m, L, K)),
            is_clear=np.ones((m, L), dtype=bool),
            curvature=np.empty((L, m)),
            whole=np.empty((L, K)),
        )
        rule = kernels.Rule(
            is_min=self.estimator.choice == "min",
            n_penalties=int(self.estimator.n_penalties),
            low=0,
            high=L,
            gaps=np.zeros((L, 2)),
            near=np.zeros(L),
            values=np.zeros((L, 3)),
            solve_all=self._solves_all,
        )
        kernels.sum_losses(sample, singles)
        if rule.solve_all:
            return singles, rule
        rng = np.random.default_rng(0)
        units = rng.permutation(m)
        some, others = units[:TRIED], units[TRIED:]

        def fill(units: IntArray, low: int, high: int) -> None:
            parts = slices(units.size, min(threads, units.size))
            calls = [(sample, singles, units[part], low, high) for part in parts]
            in_threads(kernels.leave_out_each, calls)

        fill(some, 0, L)
        low, high = in_play(singles, sample, some, rule.is_min)
        fill(others, low, high)
        sets = np.array([rng.permutation(m)[:2] for _ in range(MEASURED)])
        pairs = self._places[self._left_out(sets)]
        about = np.empty((MEASURED, high - low, 5))
        rule = rule._replace(low=low, high=high)
        in_threads(
            kernels.measure,
            [
                (sample, singles, rule, pairs[part], about[part])
                for part in slices(MEASURED, min(threads, MEASURED))
            ],
        )
        found = errors_of(about[..., :4], about[..., 4])
        rule.gaps[: high - low], rule.near[: high - low], rule.values[low:high] = found
        return singles, rule


# In a table of powers: the power may be rounded either way, or there is no pair.
OPEN = np.iinfo(np.intp).min

ENGINE: type[Engine] = Lasso
