"""The engine for support vector machines."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import NuSVC

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.doubts import may_swap
from tlpo.engines.matrix import matrix_of
from tlpo.engines.preparation.columns import EPSILON, Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.svm.objective import ESTIMATORS, LOSSES, Objective, objective_of
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.fits import Fit, Fitter
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads, slices, thread_count
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, Ordered

if TYPE_CHECKING:
    from tlpo.engines.svm.kernels import Doubt, Kernel
    from tlpo.engines.svm.paths import Arguments, Machine

# Sets that one thread follows, at least.
SETS_A_THREAD = 50
# Numbers whose variance is taken at a time.
CELLS = 1 << 18
# Sets without which scalers are fitted for real, to compare.
COMPARED = 3
# Games that are played, and fits that are made, to see how long they take.
TIMED = 20
TIMED_FITS = 3
# Where the path of all units ends otherwise than libsvm's in the last digits, as on processors that
# multiply and add in one step, all paths are followed twice, what they are given off by this.
TREMOR = 1e-12
# Steps up to which following a path three times takes less time than a fit.
MOST_STEPS = 3000
# How far that end may be from libsvm's, relatively.
FOLLOWED = 1e-6


class SupportVectors(BySets):
    """Support vector machines of libsvm, also behind scalers and imputers.

    The solver is followed to where it stops, without every pair, step by step and with its own
    rounding. Games in which rounding before the solver may matter are followed twice, and refitted
    if that shows.
    """

    name = "svm"
    estimators = ESTIMATORS
    outcomes = frozenset({Classes, Ordered})
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective: Objective = objective

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective, problem = objective_of(prepared.model), prepared.problem
        if isinstance(objective, str):
            return objective
        name = type(prepared.model).__name__
        if prepared.columns is None:
            if sparse.issparse(problem.X):
                return f"The path of {name} on sparse data is not covered."
        elif prepared.columns.n_best is not None:
            return f"{name} after a selection of features is not covered."
        if objective.is_given and prepared.whole is not prepared.model:
            return f"The path of {name} does not cover a given kernel behind other steps."
        unknown = sorted(set(problem.params) - {"sample_weight"})
        if unknown:
            given = ", ".join(unknown)
            return f"The path of {name} does not cover the fit arguments {given}."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow the solver without some sets."""
        self._require_path()
        follow: Any
        if self._is_fixed:
            from tlpo.engines.svm.paths import follow_sets as follow

            gamma = self._gammas(sets)
            own: tuple[Any, ...] = (self._doubt, self._arguments)
            parted: tuple[Any, ...] = ()
        else:
            from tlpo.engines.svm.paths import follow_prepared as follow

            columns, gamma = self.columns, np.full(len(sets), self._factor)
            standardised = self._standardised(sets)
            if standardised is None:
                fitted = columns.fit_without(sets)
                blur = self._blur * fitted.growth
            else:
                fitted, gamma, columns = *standardised, Columns.of_matrix(self.problem.X)
                blur = np.zeros(len(sets))
            own = (columns.values[self._order], columns.missing[self._order])
            parted = (blur, fitted.fill, fitted.shift, fitted.scale)
        bounds, places = self._bounds(sets), self._places[sets]
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        calls = []
        threads = min(thread_count(execution.n_jobs), 1 + len(sets) // SETS_A_THREAD)
        for part in slices(len(sets), threads):
            calls.append(
                (
                    self._machine,
                    self._kernel,
                    gamma[part],
                    *own,
                    *(values[part] for values in parted),
                    self._target,
                    self._weight,
                    bounds[part],
                    self._tremor,
                    places[part],
                    answers.response[part],
                    answers.error[part],
                )
            )
        with one_blas_thread():
            in_threads(follow, calls)
        return self._oriented(answers)

    def respond(self, fits: Sequence[Fit]) -> list[FloatArray | None]:
        """Follow the solver on units that may be drawn repeatedly.

        None for those to be fitted: rounding could change an AUC of their responses.
        """
        self._require_path()
        with one_blas_thread():
            return [self._respond(fit) for fit in fits]

    def fits_for(self, schedule: Schedule, execution: Execution) -> float:
        """Compare the times of a few games and fits."""
        games = schedule.games(self.problem.outcome)
        some = games[np.random.default_rng(0).permutation(len(games))[:TIMED]]
        self._answer_games(some[:1], execution, self.answer)
        start = time.perf_counter()
        self._answer_games(some, execution, self.answer)
        a_game = (time.perf_counter() - start) / len(some)
        fitter, given = Fitter(self.prepared.whole, self.prepared.given), self.prepared.given
        start = time.perf_counter()
        with recording(WarningLog()):
            for pair in some[:TIMED_FITS]:
                fitter.ask(given.training_set(pair), pair)
        a_fit = (time.perf_counter() - start) / len(some[:TIMED_FITS])
        return float(1.0 + len(games) * a_game / a_fit)

    def _respond(self, fit: Fit) -> FloatArray | None:
        from tlpo.engines.svm.paths import follow

        if self.prepared.is_exception(fit.train, self.notices_empty):
            return None
        doubt, arguments, gamma = self._doubt, self._arguments, self._factor
        if not self._is_fixed:
            fitted = self.columns.fit_on(fit.train)
            if not np.isfinite(fitted.growth[0]):
                return None
            doubt, arguments, gamma = self._prepare(fitted, fit.train)
        elif np.isnan(gamma):
            gamma = float(self._gamma_on(self._rows[fit.train][None])[0])
        places = self._places[fit.train]
        if self.objective.is_classifier:
            places = places[np.argsort(-self._target[places], kind="stable")]
        response, error = np.empty(fit.test.size), np.empty(fit.test.size)
        size = fit.train.size * (1 if self.objective.is_classifier else 2)
        follow(
            *(self._machine, self._kernel, gamma, doubt, arguments, self._target),
            *(self._bounds_on(fit.train), places, self._places[fit.test], self._tremor),
            *(np.empty((size, size), dtype=np.float32), response, error),
        )
        found = self._oriented(Answers(response, error))
        if may_swap(*found, self.problem.outcome.level[fit.test]).any():
            return None
        return found.response

    def _oriented(self, answers: Answers) -> Answers:
        """Return responses in the outcome's unit, larger for the positive class."""
        if self.objective.is_classifier:
            sign = 1.0 if self._is_first_positive else -1.0
            return Answers(sign * answers.response, answers.error)
        unit = self.problem.outcome.unit
        return Answers(answers.response / unit, answers.error / unit)

    # --- what is solved

    @cached_property
    def _machine(self) -> Machine:
        from tlpo.engines.svm.paths import Machine

        own = self.objective
        return Machine(own.loss, own.nu, own.epsilon, own.tol, own.shrinking, own.max_iter)

    @cached_property
    def _kernel(self) -> Kernel:
        from tlpo.engines.svm.kernels import Kernel

        return Kernel(self.objective.kernel, self.objective.coef0, self.objective.degree)

    @property
    def _is_first_positive(self) -> bool:
        labels = self.problem.labels
        return bool(labels.in_order[0] == labels.positive)

    @cached_property
    def _order(self) -> IntArray:
        """All units in libsvm's order: those of the first class come first."""
        m = self.problem.n_units
        if not self.objective.is_classifier:
            return np.arange(m)
        is_positive = self.problem.labels.is_positive
        return np.argsort(is_positive != self._is_first_positive, kind="stable")

    @cached_property
    def _places(self) -> IntArray:
        return np.argsort(self._order)

    @cached_property
    def _target(self) -> FloatArray:
        """Signs, 1 for the first class, or numbers; in libsvm's order."""
        if not self.objective.is_classifier:
            return np.asarray(self.problem.target, dtype=np.float64)
        is_first = self.problem.labels.is_positive == self._is_first_positive
        return np.where(is_first, 1.0, -1.0)[self._order]

    @cached_property
    def _weight(self) -> FloatArray:
        """Weights of the units, in libsvm's order."""
        given = self.problem.params.get("sample_weight")
        if given is None:
            return np.ones(self.problem.n_units)
        weight = np.asarray(given, dtype=np.float64)
        if weight.shape != (self.problem.n_units,) or not (
            weight.min() > 0 and np.isfinite(weight).all()
        ):
            raise EngineError("The path of libsvm needs one positive sample weight per unit.")
        return np.asarray(weight[self._order])

    @cached_property
    def _is_second(self) -> BoolArray:
        return np.asarray(self.problem.labels.is_positive != self._is_first_positive)

    def _bounds(self, sets: IntArray) -> FloatArray:
        """Return C for signs −1 and 1 without each set, (g, 2)."""
        m, size = self.problem.n_units, sets.shape[1]
        n_second = np.zeros(len(sets))
        if self.objective.class_weight is not None:
            n_second = self._is_second.sum() - self._is_second[sets].sum(axis=1)
        return self._bounds_of(n_second, m - size)

    def _bounds_on(self, train: IntArray) -> FloatArray:
        """Return C for every unit in libsvm's order, in one training set."""
        n_second = np.zeros(1)
        if self.objective.class_weight is not None:
            n_second[0] = self._is_second[train].sum()
        bounds = self._bounds_of(n_second, train.size)[0]
        return np.asarray(self._weight * bounds[(self._target > 0.0).astype(np.intp)])

    def _bounds_of(self, n_second: FloatArray, size: int) -> FloatArray:
        """Return C for signs −1 and 1, by how many units of the second class there are."""
        own = self.objective
        if own.loss == LOSSES[NuSVC]:  # bounds of 1 whatever the class
            return np.ones((n_second.size, 2))
        if own.class_weight is None:
            return np.full((n_second.size, 2), own.C)
        if own.class_weight == "balanced":
            counts = np.column_stack([n_second, size - n_second])
            with np.errstate(divide="ignore"):
                return np.asarray(own.C * (size / (2.0 * counts)))
        first, second = self.problem.labels.in_order
        weights = [float(own.class_weight.get(name, 1.0)) for name in (second, first)]
        return np.tile(own.C * np.array(weights), (n_second.size, 1))

    # --- what it is trained on

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=True)

    @cached_property
    def _is_fixed(self) -> bool:
        return self.prepared.columns is None or self.columns.is_fixed

    @cached_property
    def _rows(self) -> FloatArray:
        """Rows that are the same in every training set."""
        given = self.prepared.columns
        rows = matrix_of(self.problem.X) if given is None else given.matrix
        return np.ascontiguousarray(rows)

    @cached_property
    def _factor(self) -> float:
        """The factor of the kernel's argument; NaN if it changes with the training set."""
        gamma = self.objective.gamma
        if self.objective.kernel == 0:
            return 0.0
        if gamma == "auto":
            return 1.0 / (self._rows.shape[1] if self._is_fixed else self.columns.n_columns)
        return np.nan if gamma == "scale" else float(gamma)

    def _gammas(self, sets: IntArray) -> FloatArray:
        """Return the factor without each set."""
        if not np.isnan(self._factor):
            return np.full(len(sets), self._factor)
        return np.concatenate([self._gamma_on(own) for own in _samples(self._rows, sets)])

    def _gamma_on(self, samples: FloatArray) -> FloatArray:
        """Return the factor of samples, (g, t, n), with the rounding of scikit-learn."""
        variance = samples.reshape(len(samples), -1).var(axis=1)
        with np.errstate(divide="ignore"):
            return np.where(variance != 0, 1.0 / (samples.shape[2] * variance), 1.0)

    @cached_property
    def _doubt(self) -> Doubt:
        from tlpo.engines.svm.kernels import Doubt

        return Doubt(0.0, 0.0, 0.0)

    @cached_property
    def _arguments(self) -> Arguments:
        """Arguments of the kernel, if they are the same in every training set."""
        from tlpo.engines.svm.kernels import arguments, in_single
        from tlpo.engines.svm.paths import Arguments

        m = self.problem.n_units
        rows, lengths = self._rows[self._order], np.zeros(m)
        if self.objective.is_given:
            rows = training = asked = np.ascontiguousarray(rows[:, self._order])
        else:
            training, asked = np.empty((m, m)), np.empty((m, m))
            with one_blas_thread():
                arguments(rows, self.objective.is_gaussian, training, asked)
        single, diagonal = np.empty((0, 0), dtype=np.float32), np.empty(m)
        if not np.isnan(self._factor):
            known = np.empty((m, m), dtype=np.float32)
            own = (self._kernel, self._factor, self._doubt, lengths)
            if not in_single(training, np.arange(m), *own, 0, known, diagonal):
                single = known
        return Arguments(training, asked, rows, lengths, single, diagonal)

    def _standardised(self, sets: IntArray) -> tuple[Fitted, FloatArray] | None:
        """Return means, deviations and the factor with scikit-learn's rounding, if they can be had.

        The Gaussian kernel does not need them: its diagonal is 1.
        """
        if self.objective.is_gaussian or not self._can_standardise:
            return None
        shift, scale, gamma = [], [], []
        for sample in _samples(self.problem.X, sets):
            mean, deviation = standardise(sample)
            if not np.all(deviation > 0.0):
                return None
            shift.append(mean)
            scale.append(deviation)
            gamma.append(np.full(len(sample), self._factor))
            if np.isnan(self._factor):
                gamma[-1] = self._gamma_on((sample - mean[:, None]) / deviation[:, None])
        means = np.concatenate(shift)
        fitted = Fitted(np.zeros(means.shape), means, np.concatenate(scale), np.ones(len(sets)))
        return fitted, np.concatenate(gamma)

    @cached_property
    def _can_standardise(self) -> bool:
        """Whether a StandardScaler, and nothing else, stands before the model."""
        whole, X = self.prepared.whole, self.problem.X
        if type(whole) is not Pipeline or type(X) is not np.ndarray or X.dtype != np.float64:
            return False
        scaler = whole[0]
        if len(whole.steps) != 2 or type(scaler) is not StandardScaler:
            return False
        if not (scaler.with_mean and scaler.with_std and X.flags.c_contiguous):
            return False
        if self.columns.has_gaps:
            return False
        rng = np.random.default_rng(0)
        sets = np.array([rng.permutation(len(X))[:2] for _ in range(COMPARED)])
        for sample in _samples(X, sets):
            for own, mean, deviation in zip(sample, *standardise(sample), strict=True):
                fitted = StandardScaler().fit(own)
                if not (
                    np.array_equal(fitted.mean_, mean) and np.array_equal(fitted.scale_, deviation)
                ):
                    return False
        return True

    @cached_property
    def _blur(self) -> float:
        """How far rows may be off by rounding of means and deviations."""
        return 4.0 * EPSILON * float(np.sqrt(max(100, self.problem.n_units)))

    def _prepare(self, fitted: Fitted, train: IntArray) -> tuple[Doubt, Arguments, float]:
        """Return what is known of rows that were prepared on a training set."""
        from tlpo.engines.svm.kernels import Doubt, products
        from tlpo.engines.svm.paths import Arguments, gamma_of

        m, root = self.problem.n_units, float(np.sqrt(self.columns.n_columns))
        rows = np.ascontiguousarray(self.columns.prepared(fitted, 0, self._order))
        training, lengths = np.empty((m, m)), np.empty(m)
        products(rows, self.objective.is_gaussian, lengths, training)
        blur, gamma = self._blur * float(fitted.growth[0]), self._factor
        if np.isnan(gamma):
            gamma, growth = gamma_of(rows, self._places[train])
            blur *= growth
        single = np.empty((0, 0), dtype=np.float32)
        arguments = Arguments(training, np.empty((0, 0)), rows, lengths, single, lengths)
        return Doubt(blur, 8.0 * EPSILON * root, root), arguments, gamma

    # --- whether it is libsvm's

    def _require_path(self) -> None:
        if self._why_no_path is not None:
            raise EngineError(self._why_no_path)

    @property
    def _tremor(self) -> float:
        return 0.0 if self._ends_alike else TREMOR

    @property
    def _why_no_path(self) -> str | None:
        return self._compared[0]

    @property
    def _ends_alike(self) -> bool:
        return self._compared[1]

    @cached_property
    def _compared(self) -> tuple[str | None, bool]:
        """Compare the path of all units with libsvm's: why it is not, and if all digits agree."""
        from tlpo.engines.svm.paths import train

        m, name = self.problem.n_units, type(self.estimator).__name__
        everyone = np.arange(m)
        if self._is_fixed:
            rows = self._rows
        else:
            fitted = self.columns.fit_on(everyone)
            if not np.isfinite(fitted.growth[0]):
                return None, True  # games may not be, and are refitted
            rows = np.ascontiguousarray(self.columns.prepared(fitted, 0, everyone))
        engine = self._on(rows)
        labels = self.problem.y if self.objective.is_classifier else self.problem.target
        model = clone(self.estimator)
        with recording(WarningLog()), one_blas_thread():
            try:
                model.fit(rows, labels, **self.problem.params)
            except ValueError as error:
                return f"A fit of all units fails: {error}", False
        if model.fit_status_:
            return (
                f"{name} does not converge within max_iter={self.objective.max_iter}; with more, "
                "it may."
            ), False
        n_steps = int(np.max(model.n_iter_))
        is_followed_once = self._is_fixed or self.objective.is_gaussian or self._can_standardise
        if n_steps > MOST_STEPS and not is_followed_once:
            return (
                f"Fits are faster than following the {n_steps} steps of {name} three times.",
                False,
            )
        own = np.zeros(m)
        own[model.support_] = model.dual_coef_[0]
        if self.objective.is_classifier:
            own = -own
        gamma = engine._factor
        if np.isnan(gamma):
            gamma = float(engine._gamma_on(rows[None])[0])
        coef, size = np.empty(m), m * (1 if self.objective.is_classifier else 2)
        with one_blas_thread():
            train(
                *(engine._machine, engine._kernel, gamma, engine._doubt, engine._arguments),
                *(engine._target, self._bounds_on(everyone), everyone),
                side=0,
                tremor=0.0,
                K=np.empty((size, size), dtype=np.float32),
                coef=coef,
            )
        found = np.empty(m)
        found[self._order] = coef
        if np.array_equal(found, own):
            return None, True
        apart, most = np.abs(found - own).max(), np.abs(own).max()
        if not apart <= FOLLOWED * most:
            return f"The path of all units ends {apart:.1e} from where libsvm does.", False
        return None, False

    def _on(self, rows: FloatArray) -> SupportVectors:
        """Return an engine for rows that do not change with the training set."""
        if self._is_fixed:
            return self
        problem = replace(self.problem, X=rows)
        return SupportVectors(replace(self.prepared, problem=problem, columns=None))


def _samples(X: FloatArray, sets: IntArray) -> Iterator[FloatArray]:
    """Yield the rows without some sets at a time, (g, t, n)."""
    step = max(1, CELLS // X.size)
    for start in range(0, len(sets), step):
        some = sets[start : start + step]
        is_in = np.ones((len(some), len(X)), dtype=bool)
        np.put_along_axis(is_in, some, False, axis=1)
        yield X[np.nonzero(is_in)[1].reshape(len(some), -1)]


def standardise(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means and deviations of samples, (g, t, n), with the rounding of scikit-learn.

    A deviation that scikit-learn takes for rounding is 0.
    """
    t = samples.shape[1]
    mean = samples.sum(axis=1) / t
    apart = samples - mean[:, None]
    rest = apart.sum(axis=1)
    apart **= 2
    variance = apart.sum(axis=1)
    variance -= rest**2 / t
    variance /= t
    is_constant = variance <= t * EPSILON * variance + (t * mean * EPSILON) ** 2
    return mean, np.where(is_constant, 0.0, np.sqrt(variance))


ENGINE: type[Engine] = SupportVectors
