"""The engine for logistic regression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Self

import numpy as np
from scipy import sparse

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine, Played
from tlpo.engines.by_sets import Answers
from tlpo.engines.doubts import MOST_REFITS, Settled, settle_rows
from tlpo.engines.linear import Objective, OnRows, shares, some
from tlpo.engines.logistic.bounded import bound_games, n_loose
from tlpo.engines.logistic.known_path import Training
from tlpo.engines.logistic.objective import ESTIMATORS, objective_of
from tlpo.engines.logistic.pairs import Changes, Reference, block_size, solve_pairs
from tlpo.engines.logistic.stopped_games import Stops, answer_singles, bound_by_path
from tlpo.engines.logistic.stopping_rule import require_known_stop
from tlpo.engines.matrix import shape_of
from tlpo.engines.preparation.columns import Columns, Fitted
from tlpo.engines.preparation.limits import limits_of
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.ranges.bounds import Bounds
from tlpo.errors import EngineError
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads
from tlpo.games.schedule import Schedule

# With fewer units every pair is solved, so that all predictions are accurate; with more, a pair
# whose game the bound decides after one step is left at that.
CERTIFY_FROM = 300
# Errors of the solver are enlarged by this share, which covers rounding of gradients.
ROUNDING = 1e-6
# Rounding of prepared columns, relative to log odds.
BLUR = 1e-13
# Errors of the path to the fit of all units that would not show whether it is the solver's.
FOLLOWED = 1e-3
# Sets whose gaps are filled alike are played by an engine of their own if they are so many.
ALIKE = 100
# Such engines that are kept.
MOST_FILLED = 20
# Games that the tolerance leaves open, beyond which they are bounded by the path of the solver.
FEW = 2000
# From so many units on, following the solver takes less time than solving to the last digit.
FOLLOW_FROM = 2000
# Models without one unit each that are followed together, at least.
SINGLES_FROM = 400
# Pairs whose models were followed that are kept.
MOST_KEPT = 20_000
# Cells of the training sets of games in which the solver is followed: about an hour on one core.
MOST_FOLLOWED = 1e11


class Logistic(OnRows):
    """Logistic regression with an L2 penalty or none, also behind scalers and imputers.

    Games whose gap exceeds what the tolerance of the estimator's own solver leaves open are
    decided by the exact solution, the others by following that solver, or by refitting.

    Attributes
    ----------
    bounds_by_path : bool
        Whether many open games may be bounded by where the solver stops.
    """

    name = "logistic"
    quick_games = 150_000
    plays_each = False
    bounds_by_path = True
    estimators = ESTIMATORS
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective = objective
        self._references: dict[tuple[int, int], Reference] = {}
        self._filled: dict[bytes, Logistic] = {}
        self._n_solved = 0
        self._stops: dict[int, Stops] = {}
        self._followed: dict[tuple[int, int], FloatArray] = {}

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective, problem = objective_of(prepared.model), prepared.problem
        if isinstance(objective, str):
            return objective
        columns = prepared.columns
        n = 0
        if columns is not None:
            n = columns.n_columns
        elif not sparse.issparse(problem.X) and len(shape_of(problem.X)) == 2:
            n = shape_of(problem.X)[1]
        if n + objective.intercept >= problem.n_units - 2:
            return (
                "With more features than units, the tolerance of logistic regression leaves too "
                "many games open."
            )
        return cls._why_not_data(prepared, objective)

    @classmethod
    def _why_not_data(cls, prepared: Prepared, objective: Objective) -> str | None:
        problem, columns = prepared.problem, prepared.columns
        if columns is None:
            if sparse.issparse(problem.X):
                return "The solution of logistic regression does not cover sparse data."
        elif columns.n_best is not None:
            return "Logistic regression after a selection of features is not covered."
        unknown = sorted(set(problem.params) - {"sample_weight"})
        if unknown:
            return f"The solution does not cover the fit arguments {', '.join(problem.params)}."
        if problem.params and objective.is_balanced:
            return "Balanced classes together with sample weights are not covered."
        return None

    def play(self, schedule: Schedule, execution: Execution) -> Played:
        """Play as any engine of sets; ``games_evaluated`` counts pairs that were solved."""
        self._n_solved = 0
        self._stops.clear()
        played = super().play(schedule, execution)
        diagnostics = replace(played.diagnostics, games_evaluated=self._n_solved)
        return replace(played, diagnostics=diagnostics)

    def bounds(self, ordered: bool, execution: Execution) -> list[Bounds] | None:
        """Bound all games from the fit to all units, or to each kind of pairs if balanced."""
        if self._rows_vary:
            return None
        _ = self._stop  # raises if that is not known
        limits = None if self.columns.is_fixed else limits_of(self.columns)
        if limits is None and not self.columns.is_fixed:
            return None
        blur = BLUR if limits is None else BLUR * limits.growth
        is_positive, everyone = self.problem.labels.is_positive, np.arange(self.problem.n_units)
        kinds = [(0, everyone, ordered)]
        if self.objective.is_balanced:
            kinds = [(1, everyone, True)]
            if not ordered:
                kinds += [
                    (2 * int(own), np.flatnonzero(is_positive == own), False) for own in (0, 1)
                ]
        found = []
        for n_out, units, is_ordered in kinds:
            reference, own = self._reference(n_out, 2), None
            n_open = n_loose(reference, self._tol, units, is_ordered)
            if n_open > FEW and self.bounds_by_path and self.can_answer_again:
                training, follow = self._training(reference), self._follow_sets(execution)
                both = bound_by_path(training, follow, units, is_ordered, n_open, execution)
                if both is not None:
                    own, self._stops[n_out] = both
            found.append(own or bound_games(reference, limits, self._tol, blur, units, is_ordered))
        bounds = [own for own in found if own is not None]
        return bounds if len(bounds) == len(kinds) else None

    def _follow_sets(self, execution: Execution) -> Callable[[IntArray], Answers]:
        return partial(self.answer_again, execution=execution)

    def _training(self, reference: Reference) -> Training:
        """Return what models are trained on, with the weights of a fit to all units."""
        limits = self.objective.tol, self.objective.max_iter
        own = self.columns, self._rows, self._target, reference.weight, self._alpha
        return Training(*own, *limits)

    @cached_property
    def _prefers_path(self) -> bool:
        """Whether the solver is followed at once: it takes less time, or too much is left open."""
        reference, everyone = self._reference(0, 0), np.arange(self.problem.n_units)
        is_cheaper = everyone.size >= FOLLOW_FROM
        return (
            is_cheaper or n_loose(reference, self._tol, everyone, ordered=True) > FEW
        ) and self.can_answer_again

    def _answer_singles(self, sets: IntArray, execution: Execution) -> Answers | None:
        """Answer for models without one unit each by where the solver stops, if it is known."""
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        n_out = self.problem.labels.is_positive[sets[:, 0]].astype(int)
        follow = self._follow_sets(execution)
        for kind in (0, 1) if self.objective.is_balanced else (None,):
            mine = np.arange(len(sets)) if kind is None else np.flatnonzero(n_out == kind)
            if not mine.size:
                continue
            training = self._training(self._reference(kind or 0, 1))
            found = answer_singles(training, follow, sets[mine, 0], execution)
            if found is None:
                return None
            answers.response[mine], answers.error[mine] = found
        return answers

    def on(self, prepared: Prepared) -> Self:
        """Return the engine on other columns, where the solver is taken to stop as it does here."""
        other = type(self)(prepared)
        # Both are cached properties, each as long as a fit to find out.
        other.__dict__.update(_stop=self._stop, can_answer_again=self.can_answer_again)
        return other

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Solve models without pairs by matrix products, any others by Newton's method."""
        _ = self._stop  # raises if that is not known
        given = self.prepared.columns
        if given is None or not given.has_gaps or sets.shape[1] != 2:
            return self._answer_sets(sets, execution)
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        for filled, which in given.alike(sets, ALIKE):
            engine = self if filled is None else self._engine_on(filled)
            answers.response[which], answers.error[which] = engine._answer_sets(
                sets[which], execution
            )
            if engine is not self:
                self._n_solved, engine._n_solved = self._n_solved + engine._n_solved, 0
        return answers

    def _engine_on(self, filled: Columns) -> Logistic:
        """Return the engine of columns without gaps."""
        key = filled.values.tobytes()
        if key not in self._filled:
            if len(self._filled) >= MOST_FILLED:
                self._filled.clear()
            self._filled[key] = type(self)(self.prepared.on(filled))
        return self._filled[key]

    def _answer_sets(self, sets: IntArray, execution: Execution) -> Answers:
        if sets.shape[1] == 1 and len(sets) >= SINGLES_FROM and not self._rows_vary:
            singles = self._answer_singles(sets, execution) if self._prefers_path else None
            if singles is not None:
                return singles
        fitted = self._fitted(sets)
        if sets.shape[1] == 2 and not self._rows_vary:
            answers = self._answer_pairs(sets, fitted, execution)
        else:
            start = np.tile(self._reference(0, 0).theta, (len(sets), 1))
            answers = self._solve(sets, fitted, start, execution)
            self._n_solved += len(sets)
        blur = BLUR * fitted.growth[:, None] * np.maximum(1.0, np.abs(answers.response))
        return Answers(answers.response, answers.error + blur)

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the estimator's solver to where it stops."""
        from tlpo.engines.logistic import lbfgs

        fitted = self._fitted(sets)
        is_known = np.isfinite(fitted.growth)
        tremor = lbfgs.TREMOR * np.where(is_known, fitted.growth, 1.0)
        limits = self.objective.tol, self.objective.max_iter
        answers = self._loop(lbfgs.respond_sets, sets, fitted, tremor, limits, execution)
        answers.error[~is_known] = np.inf
        if self._stops and sets.shape[1] == 2 and len(self._followed) < MOST_KEPT:
            for (i, j), responses in zip(sets.tolist(), answers.response, strict=True):
                self._followed[i, j] = responses
        return answers

    def predict_pairs(self, pairs: IntArray, execution: Execution) -> FloatArray:
        """Return the responses for held-out pairs, by where the solver stops if that is known."""
        n_out = np.zeros(len(pairs), dtype=np.intp)
        if self.objective.is_balanced:
            n_out = self.problem.labels.is_positive[pairs].sum(axis=1)
        responses = np.full(pairs.shape, np.nan)
        by_path = np.isin(n_out, list(self._stops))
        for kind, stops in self._stops.items():
            mine = n_out == kind
            responses[mine] = stops.responses(pairs[mine])
        responses[self.prepared.are_exceptions(pairs, self.notices_empty)] = np.nan
        for k in np.flatnonzero(by_path & np.isnan(responses).any(axis=1)).tolist():
            i, j = pairs[k].tolist()
            if (i, j) in self._followed:
                responses[k] = self._followed[i, j]
            elif (j, i) in self._followed:
                responses[k] = self._followed[j, i][::-1]
        unknown = np.isnan(responses).any(axis=1)
        for which, answer in (
            (np.flatnonzero(unknown & by_path), self.answer_again),
            (np.flatnonzero(~by_path), self.answer),
        ):
            for part in self._parts(which.size, 2):
                found, error = self._answer_games(pairs[which[part]], execution, answer)
                responses[which[part]] = np.where(np.isfinite(error)[:, None], found, np.nan)
        return responses

    def _all_predictions(
        self, schedule: Schedule, execution: Execution, settled: Settled
    ) -> FloatArray:
        """Return all predictions, by where the solver stops if that is known for every game."""
        is_positive, m = self.problem.labels.is_positive.astype(np.intp), self.problem.n_units
        n_out = is_positive[:, None] + is_positive
        kind = n_out if self.objective.is_balanced else np.zeros((m, m), dtype=np.intp)
        is_game = ~np.eye(m, dtype=bool)
        if schedule.is_ordered:
            is_game &= n_out == 1
        if not np.isin(kind[is_game], list(self._stops)).all():
            return super()._all_predictions(schedule, execution, settled)
        F = np.full((m, m), np.nan)
        for own, stops in self._stops.items():
            mine = is_game & (kind == own)
            np.copyto(F, stops.table(), where=mine)
            for unit in stops.special:
                others = np.flatnonzero(mine[unit])
                pairs = np.column_stack([np.full(others.size, unit), others])
                F[unit, others], F[others, unit] = self.predict_pairs(pairs, execution).T
        for games, responses in (
            (np.array(list(self._followed), dtype=np.intp).reshape(-1, 2), self._followed.values()),
            (settled.games, settled.responses),
        ):
            first, second = games.T
            F[first, second], F[second, first] = np.array(list(responses)).reshape(-1, 2).T
        return F

    def _play_once(self, games: IntArray, execution: Execution) -> tuple[FloatArray, IntArray]:
        """Leave games to the path of the solver if that has decided the others."""
        if not self._stops:
            return super()._play_once(games, execution)
        return np.full(len(games), 0.5), np.flatnonzero(~self._are_identical(games))

    def affords(self, n_games: int) -> bool:
        """Whether following the solver through so many games takes less than about an hour."""
        return n_games * self.columns.values.size <= MOST_FOLLOWED

    def _settle(self, doubtful: IntArray, n_games: int, execution: Execution) -> Settled:
        """Refit doubtful games, unless there are far too many."""
        if len(doubtful) <= MOST_REFITS or self.affords(len(doubtful)):
            return super()._settle(doubtful, n_games, execution)
        return Settled(
            warnings=(
                f"{len(doubtful)} games that only the tolerance of LogisticRegression, "
                f"tol={self.objective.tol:.0e}, would decide count as ties.",
            )
        )

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Solve models of units that may be drawn repeatedly.

        None for those to be fitted: the tolerance could change an AUC of their responses.
        """
        _ = self._stop  # raises if that is not known
        return [self._respond(fit) for fit in fits]

    def _respond(self, fit: Fit) -> FloatArray | None:
        columns, level = self.columns, self.problem.labels.level
        fitted = self._full if columns.is_fixed else columns.fit_on(fit.train)
        if self.prepared.is_exception(fit.train, self.notices_empty) or np.isinf(fitted.growth[0]):
            return None
        weight = self._drawn_weight(fit.train)
        X = self._rows(fitted)
        if self._prefers_path:
            response, error = self._follow(X, weight, fitted.growth[0], fit.test)
            return settle_rows(X[fit.test], response, error, level[fit.test])
        theta = self._start(self._reference(0, 0).theta[None], fitted)[0]
        from tlpo.engines.logistic import newton

        inverse = newton.fit(X, self._target, weight, self._alpha, theta)
        if inverse is None:
            return None
        rows = X[fit.test]
        response = np.asarray(rows @ theta)
        error = newton.reaches(rows, X, weight, inverse, self._tol)
        error += BLUR * fitted.growth[0] * np.maximum(1.0, np.abs(response))
        is_settled = settle_rows(rows, response, error, level[fit.test]) is not None
        if self.can_answer_again and not is_settled:
            response, error = self._follow(X, weight, fitted.growth[0], fit.test)
        return settle_rows(rows, response, error, level[fit.test])

    def _follow(self, X: FloatArray, weight: FloatArray, growth: float, tests: IntArray) -> Answers:
        """Follow the estimator's solver on weighted units, and answer for some."""
        from tlpo.engines.logistic import lbfgs

        answers = Answers(np.empty(tests.size), np.empty(tests.size))
        limits = self.objective.tol, self.objective.max_iter
        tremor = lbfgs.TREMOR * growth
        start = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        own = (X, self._target, weight, self._alpha, tremor, *limits, tests)
        lbfgs.respond(*own, *start, *answers)
        return answers

    def _answer_pairs(self, pairs: IntArray, fitted: Fitted, execution: Execution) -> Answers:
        """Solve pairs from the fit to all units, and those that leave doubts once more."""
        n_out = self.problem.labels.is_positive[pairs].sum(axis=1)
        changes = self._changes(fitted)
        certify = self.problem.n_units >= CERTIFY_FROM
        parts, calls = [], []
        # Balanced weights depend on how many positives are left: three kinds of pairs.
        for kind in range(3) if self.objective.is_balanced else (None,):
            mine = np.arange(len(pairs)) if kind is None else np.flatnonzero(n_out == kind)
            for which in shares(mine, block_size(self.problem.n_units, certify), execution):
                own = None if changes is None else Changes(*(part[which] for part in changes))
                reference = self._reference(kind or 0, 2)
                parts.append(which)
                calls.append((reference, pairs[which], own, self._tol, certify))
        with one_blas_thread():
            solutions = in_threads(solve_pairs, calls)
        theta = np.empty((len(pairs), self._alpha.size))
        response, error = np.empty(pairs.shape), np.empty(len(pairs))
        is_loose = np.empty(len(pairs), dtype=bool)
        for which, solved in zip(parts, solutions, strict=True):
            theta[which], response[which], error[which] = solved[:3]
            is_loose[which] = solved.is_loose
            self._n_solved += int(solved.is_solved.sum())
        answers = Answers(response, np.repeat(0.5 * error[:, None], 2, axis=1))
        # The bound is that of the curvature at the fit to all units. Where it is too wide, Newton's
        # method gives the solution and the bound of its own curvature.
        is_open = ~(np.abs(response[:, 0] - response[:, 1]) > error)
        again = np.flatnonzero(is_open & ~is_loose)
        if again.size:
            closer = self._solve(pairs[again], some(fitted, again), theta[again], execution)
            answers.response[again], answers.error[again] = closer
        return answers

    def _solve(
        self, sets: IntArray, fitted: Fitted, start: FloatArray, execution: Execution
    ) -> Answers:
        """Solve models without some sets by Newton's method."""
        from tlpo.engines.logistic import newton

        start = self._start(start, fitted)
        return self._loop(newton.solve_sets, sets, fitted, start, (self._tol,), execution)

    def _loop(
        self,
        kernel: Callable[..., None],
        sets: IntArray,
        fitted: Fitted,
        own: FloatArray,
        limits: tuple[float, ...],
        execution: Execution,
    ) -> Answers:
        """Run a compiled loop over sets in threads; ``own`` has one row per set."""
        of = self._target, self._weight
        return self._run_over_sets(kernel, sets, fitted, of, (self._alpha,), own, limits, execution)

    @cached_property
    def _rows_vary(self) -> bool:
        """Whether prepared rows are more than the same rows, shifted and scaled."""
        columns = self.columns
        shifted = columns.centre.any() or columns.offset.any()
        return columns.has_gaps or bool(shifted and not self.objective.intercept)

    def _changes(self, fitted: Fitted) -> Changes | None:
        if self.columns.is_fixed:
            return None
        full = self._full
        return Changes(fitted.scale / full.scale, (fitted.shift - full.shift) / full.scale)

    def _start(self, theta: FloatArray, fitted: Fitted) -> FloatArray:
        """Turn coefficients of the columns of all units into those of other columns."""
        changes, n = self._changes(fitted), self.columns.n_columns
        if changes is None:
            return theta
        theta = theta.copy()
        if self.objective.intercept:
            theta[:, n] += np.einsum("gf,gf->g", theta[:, :n], changes.shift)
        theta[:, :n] *= changes.ratio
        return theta

    @property
    def _tol(self) -> float:
        return self.objective.tol * (1.0 + ROUNDING)

    @cached_property
    def _alpha(self) -> FloatArray:
        alpha = np.full(self.columns.n_columns + self.objective.intercept, self.objective.alpha)
        alpha[self.columns.n_columns :] = 0.0
        return alpha

    def _reference(self, n_out: int, size: int) -> Reference:
        """Return the fit to all units, with the weights of sets that lack some positives."""
        if not self.objective.is_balanced:
            n_out = size = 0
        if (n_out, size) not in self._references:
            weight = self._weight
            if self.objective.is_balanced:
                negative, positive = self._balanced(np.array([n_out]), size)[0]
                weight = np.where(self.problem.labels.is_positive, positive, negative)
            self._references[n_out, size] = Reference.fit(
                self._rows(self._full), self._target, weight, self._alpha
            )
        return self._references[n_out, size]

    @cached_property
    def _stop(self) -> FloatArray:
        """Where the estimator's own fit to all units stops; raises if that is not known."""
        problem, reference = self.problem, self._reference(0, 0)
        with one_blas_thread():  # as refits are run
            return require_known_stop(
                self.estimator, self.objective, reference, problem.y, problem.params
            )

    @cached_property
    def can_answer_again(self) -> bool:
        """Whether `lbfgs` takes the estimator's steps: its fit to all units is where it stops."""
        if self.objective.solver != "lbfgs":
            return False
        reference = self._reference(0, 0)
        everyone = np.arange(self.problem.n_units)
        found = self._follow(reference.X, reference.weight, self._full.growth[0], everyone)
        apart = np.abs(reference.X @ self._stop - found.response)
        return bool(np.all((apart <= found.error) & (found.error < FOLLOWED)))


ENGINE: type[Engine] = Logistic
