"""The engine for logistic regression with an L1 penalty."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.engines.base import Engine
from tlpo.engines.by_sets import Answers, BySets
from tlpo.engines.matrix import matrix_of
from tlpo.engines.parameters import OF_LOGISTIC_REGRESSION, is_number, why_not_weight
from tlpo.engines.preparation.columns import Columns, Fitted
from tlpo.engines.preparation.prepared import Prepared
from tlpo.engines.sparse.threads import shares
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording
from tlpo.execution.options import Execution
from tlpo.execution.threads import in_threads
from tlpo.problem.outcome import Classes

# Versions of scikit-learn whose liblinear `newton` follows.
FOLLOWED_VERSIONS = ((1, 7), (1, 8), (1, 9))
# Tolerances below this are decided by rounding.
LEAST_TOL = 1e-8
# Random numbers that the paths of all sets take from, and that one may take.
MOST_DRAWS = 1 << 19
DRAWS_A_PATH = 1 << 18
# How far the path of all units may be from liblinear's own fit.
FOLLOWED = 1e-6


@dataclass(frozen=True)
class Objective:
    """What a logistic regression minimises, and when its solver stops.

    Attributes
    ----------
    C : float
        Weight of the loss.
    bias : float
        The constant feature whose coefficient is the intercept; 0 if there is none.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    tol, max_iter
        When the solver stops.
    seed : int or None
        Of its random numbers.
    """

    C: float
    bias: float
    class_weight: Any
    tol: float
    max_iter: int
    seed: int | None


def has_l1(estimator: Any) -> bool:
    """Return whether a logistic regression has an L1 penalty, or says so."""
    penalty, share = getattr(estimator, "penalty", None), getattr(estimator, "l1_ratio", None)
    if penalty in ("l1", "elasticnet"):
        return True
    return penalty == "deprecated" and share not in (0, None)


def objective_of(estimator: Any) -> Objective | str:
    """Return what an estimator minimises, or why that is not covered."""
    version = tuple(map(int, sklearn.__version__.split(".")[:2]))
    if version not in FOLLOWED_VERSIONS:
        return f"Where liblinear of scikit-learn {sklearn.__version__} stops is not known."
    names = type(estimator)._get_param_names()
    params: dict[str, Any] = {key: getattr(estimator, key, None) for key in names}
    unknown = sorted(set(params) - OF_LOGISTIC_REGRESSION)
    if unknown:
        return f"The path of LogisticRegression does not cover its parameter {unknown[0]!r}."
    if params["solver"] == "saga":
        return (
            "With an L1 penalty the solver 'saga' of LogisticRegression often stops far from the "
            "solution, at a place that only a fit can tell; solver='liblinear' is followed."
        )
    is_l1 = params.get("penalty") == "l1" or params["l1_ratio"] == 1
    if params["solver"] != "liblinear" or not is_l1:
        return f"The solver {params['solver']!r} does not take this penalty."
    if getattr(estimator, "_skl_callbacks", None):
        return "Callbacks of LogisticRegression need its own fits."
    C, tol, max_iter, seed = (params[key] for key in ("C", "tol", "max_iter", "random_state"))
    if not (is_number(C) and 0 < C < np.inf):
        return "The path of LogisticRegression needs a positive C."
    if params["dual"]:
        return "The dual of logistic regression is not covered."
    if not (is_number(tol) and tol >= LEAST_TOL and isinstance(max_iter, int | np.integer)):
        return f"With a tolerance below {LEAST_TOL:.0e}, rounding decides where liblinear stops."
    if not (seed is None or isinstance(seed, int | np.integer)):
        return "A random state that is neither a number nor None is not covered."
    weight = params["class_weight"]
    uncovered = why_not_weight(weight)
    if uncovered is not None:
        return uncovered
    bias = params["intercept_scaling"] if params["fit_intercept"] else 0.0
    if params["fit_intercept"] and not (is_number(bias) and 0 < bias < np.inf):
        return "The path of LogisticRegression needs a positive intercept_scaling."
    return Objective(
        float(C),
        float(bias),
        weight or None,
        float(tol),
        int(max_iter),
        None if seed is None else int(seed),
    )


class SparseLogistic(BySets):
    """Logistic regression with an L1 penalty by liblinear, also behind scalers and imputers.

    The solver is followed to where it stops, without every pair. Games that rounding could decide
    are followed once more on rows that are a little off, or refitted.
    """

    name = "logistic"
    quick_games = 150_000
    estimators = frozenset({LogisticRegression})
    notices_empty = False
    refitted_share = 0.02

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        objective = objective_of(prepared.model)
        if isinstance(objective, str):
            raise EngineError(objective)
        self.objective: Objective = objective

    @classmethod
    def accepts(cls, prepared: Prepared) -> bool:
        """Return whether it is a logistic regression of two classes with an L1 penalty."""
        return super().accepts(prepared) and has_l1(prepared.model)

    @classmethod
    def why_not(cls, prepared: Prepared) -> str | None:
        """Name the first thing that is not covered."""
        objective, problem = objective_of(prepared.model), prepared.problem
        if isinstance(objective, str):
            return objective
        if not isinstance(problem.outcome, Classes):
            return "The path of LogisticRegression covers two classes."
        if prepared.columns is None:
            if sparse.issparse(problem.X):
                return "The path of LogisticRegression on sparse data is not covered."
        elif prepared.columns.n_best is not None:
            return "LogisticRegression after a selection of features is not covered."
        if problem.params:
            given = ", ".join(problem.params)
            return f"The path of LogisticRegression does not cover the fit arguments {given}."
        return None

    def answer(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow liblinear without some sets."""
        self._require_path()
        return self._follow(sets, execution, twice=False)

    @property
    def can_answer_again(self) -> bool:
        """Whether doubts may be settled by a second path: they may."""
        return True

    def answer_again(self, sets: IntArray, execution: Execution) -> Answers:
        """Follow liblinear twice."""
        return self._follow(sets, execution, twice=True)

    def answer_pair(self, pair: IntArray, execution: Execution) -> tuple[FloatArray, float]:
        """Answer for one pair; without a seed, a fit with other random numbers may differ."""
        response, error = super().answer_pair(pair, execution)
        return response, error if self.objective.seed is not None else np.inf

    def _follow(
        self, sets: IntArray, execution: Execution, twice: bool, seed: int | None = None
    ) -> Answers:
        from tlpo.engines.sparse.newton import follow_sets

        objective, fitted = self.objective, self._fitted(sets)
        one_fit = len(fitted.scale) == 1
        answers = Answers(np.empty(sets.shape), np.empty(sets.shape))
        raw, first = self._draws(len(sets), objective.seed if seed is None else seed)
        weights = objective.C * self._class_weights(sets)
        calls = [
            (
                *self._table,
                *(own if one_fit else own[part] for own in fitted[:3]),
                objective.bias,
                self._signs,
                weights[part],
                objective.tol,
                objective.max_iter,
                raw,
                first[part],
                fitted.growth[part],
                twice,
                sets[part],
                answers.response[part],
                answers.error[part],
            )
            for part in shares(len(sets), execution)
        ]
        with one_blas_thread():
            in_threads(follow_sets, calls)
        return answers

    def _draws(self, count: int, seed: int | None) -> tuple[IntArray, IntArray]:
        """Return random numbers as liblinear's, and with which of them each set begins."""
        if seed is not None:
            raw = _stream(int(np.random.RandomState(seed).randint(INT_MAX)))
            return raw, np.zeros(count, dtype=np.intp)
        first = _unseeded().randint(MOST_DRAWS - DRAWS_A_PATH, size=count)
        return self._any_stream, first.astype(np.intp)

    @cached_property
    def _any_stream(self) -> IntArray:
        return _stream(int(_unseeded().randint(INT_MAX)))

    def _require_path(self) -> None:
        if self._why_no_path is not None:
            raise EngineError(self._why_no_path)

    @cached_property
    def _why_no_path(self) -> str | None:
        """Compare the path of all units with liblinear's fit."""
        m, columns = self.problem.n_units, self.columns
        fitted = self._unchanged if columns.is_fixed else columns.fit_on(np.arange(m))
        rows = columns.prepared(fitted, 0, np.arange(m))
        seed = self.objective.seed or 0
        model = clone(self.estimator).set_params(random_state=seed)
        with recording(WarningLog()), one_blas_thread():
            model.fit(rows, self.problem.y)
        n_iter = int(np.max(model.n_iter_))
        if n_iter >= self.objective.max_iter:
            return (
                f"liblinear does not converge within max_iter={self.objective.max_iter}; with "
                "more, it may."
            )
        own = np.asarray(model.decision_function(rows))
        if (model.classes_[0] == self.problem.y)[self._signs > 0].any():
            own = -own
        from tlpo.engines.sparse.newton import BLUR, STAYED_AT_ZERO, STEPS, follow, respond

        Xt = np.ascontiguousarray(rows.T)
        if self.objective.bias:
            Xt = np.concatenate([Xt, np.full((1, m), self.objective.bias)])
        everyone = np.empty((1, 0), dtype=np.intp)
        negative, positive = self.objective.C * self._class_weights(everyone)[0]
        C = np.where(self._signs > 0, positive, negative)
        raw, _ = self._draws(1, seed)
        w, found = np.empty(len(Xt)), np.empty(m)
        norms = np.sqrt(np.einsum("fk,fk->f", Xt, Xt))
        limits = self.objective.tol, self.objective.max_iter
        with one_blas_thread():
            end = follow(Xt, self._signs, C, norms, *limits, raw, BLUR, np.empty((STEPS, m)), w)
            respond(Xt, np.arange(m), w, found)
        if end > STAYED_AT_ZERO:
            return None  # as games may be, which are then refitted
        apart = np.abs(found - own).max()
        if not apart <= FOLLOWED * max(1.0, np.abs(own).max()):
            return f"The path of all units ends {apart:.1e} from where liblinear does."
        return None

    @cached_property
    def columns(self) -> Columns:
        """The columns, in good units."""
        given = self.prepared.columns
        columns = Columns.of_matrix(matrix_of(self.problem.X)) if given is None else given
        return columns.conditioned(shift_matters=True)

    @cached_property
    def _table(self) -> tuple[FloatArray, Any]:
        columns = self.columns
        return np.ascontiguousarray(columns.values.T), np.ascontiguousarray(columns.missing.T)

    @cached_property
    def _signs(self) -> FloatArray:
        return np.where(self.problem.labels.is_positive, 1.0, -1.0)

    @cached_property
    def _unchanged(self) -> Fitted:
        n = self.columns.n_columns
        return Fitted(np.zeros((1, n)), np.zeros((1, n)), np.ones((1, n)), np.ones(1))

    def _fitted(self, sets: IntArray) -> Fitted:
        """Fit the columns without each set; one row for all if they are the same."""
        if self.columns.is_fixed:
            return self._unchanged._replace(growth=np.ones(len(sets)))
        return self.columns.fit_without(sets)

    def _class_weights(self, sets: IntArray) -> FloatArray:
        """Return the weights of negatives and positives without each set, (g, 2)."""
        labels, weight = self.problem.labels, self.objective.class_weight
        if weight == "balanced":
            out = labels.is_positive[sets].sum(axis=1)
            left = np.column_stack(
                [labels.n_negative - (sets.shape[1] - out), labels.n_positive - out]
            )
            return np.asarray(left.sum(axis=1, keepdims=True) / (2.0 * left))
        own = [1.0, 1.0]
        if weight is not None:
            own = [float(weight.get(name, 1.0)) for name in (labels.negative, labels.positive)]
        return np.tile(own, (len(sets), 1))


INT_MAX = np.iinfo("i").max


def _unseeded() -> Any:
    """Return NumPy's global state, from which fits without a seed draw."""
    return np.random.mtrand._rand


@lru_cache(maxsize=2)
def _stream(seed: int) -> IntArray:
    """Return what a Mersenne twister with this seed draws, 32 bits each."""
    twister: Any = np.random.MT19937()
    twister._legacy_seeding(seed)
    return np.asarray(twister.random_raw(MOST_DRAWS).astype(np.int64))


ENGINE: type[Engine] = SparseLogistic
