"""Which estimators are penalised least squares, and with what penalty and intercept.

Exact types only, and every parameter is checked: a subclass may override ``predict``, and an
unknown parameter may change it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics.pairwise import pairwise_kernels

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.least_squares.hat import (
    LEAST_RCOND,
    Hat,
    IllPosedError,
    Intercept,
    factorise,
    invert,
)
from tlpo.engines.matrix import matrix_of, require_numbers, shape_of
from tlpo.errors import EngineError
from tlpo.learners import RLS
from tlpo.problem.problem import Problem, copy_rows

# Share of the residual sum of squares that two units must leave to discriminant analysis.
LEAST_SCATTER = 1e-3
# Up to this many units it is computed for every pair if a bound is not enough.
MOST_UNITS_BY_PAIRS = 2000
# scikit-learn 1.9 changed how discriminant analysis is scaled and what least squares drops.
BEFORE_1_9 = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9)
DIRECT_SOLVERS = ("auto", "cholesky", "svd")


@dataclass(frozen=True)
class Family:
    """Penalised least squares on labels ±1.

    Attributes
    ----------
    name : str
        Class of the estimator.
    alpha : float
        Penalty.
    intercept : {"free", "penalised", "none"}
        Whether there is one, and whether it is penalised.
    takes_weights : bool
        Whether ``fit`` accepts ``sample_weight``.
    least_rcond : float
        Without a penalty: the reciprocal condition number down to which the estimator's own
        solver keeps all directions of the features, with a margin.
    least_wide_alpha : float
        With more columns than units: the smallest penalty, relative to the mean eigenvalue of
        the kernel, with which the estimator's own solver gives the least-norm solution.
    normal_equations : bool
        Whether the estimator's own solver squares the condition number.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    """

    name: str
    alpha: float
    intercept: Intercept
    takes_weights: bool = True
    least_rcond: float = 1e-11
    least_wide_alpha: float = 0.0
    normal_equations: bool = False
    class_weight: Any = None

    def why_not(self, problem: Problem, any_weights: bool = False) -> str | None:
        """Name the first thing in the problem that the closed form does not cover."""
        if self.class_weight is not None and not any_weights:
            return "Class weights change with the training set."
        unknown = sorted(set(problem.params) - {"sample_weight"})
        if unknown or (problem.params and not self.takes_weights):
            return f"The closed form does not cover the fit arguments {', '.join(problem.params)}."
        if sparse.issparse(problem.X):
            return "On sparse data the solver is iterative, and a closed form would differ from it."
        return None

    @property
    def notices_empty(self) -> bool:
        """Whether a column of zeros matters: not if weights are penalised, for it gets none."""
        return self.alpha == 0

    def weight(self, problem: Problem) -> FloatArray | None:
        """Return the sample weights."""
        given = problem.params.get("sample_weight")
        if given is None:
            return None
        weight = np.asarray(given, dtype=np.float64)
        if weight.shape != (problem.n_units,):
            raise EngineError("The closed form needs one sample weight per unit.")
        if not (weight.min() > 0 and np.isfinite(weight).all()):
            raise EngineError("The closed form needs sample weights that are positive numbers.")
        return weight

    def is_tall(self, X: Any, most_left_out: int = 2) -> bool:
        """Return whether `decompose` works by columns: there are fewer of these than units."""
        shape = shape_of(X)
        # scikit-learn's Ridge uses the kernel when fewer units than features are left.
        spare = most_left_out + 1 if self.normal_equations else 0
        return len(shape) == 2 and shape[1] + (self.intercept != "none") + spare < shape[0]

    def decompose(
        self, X: Any, y: FloatArray, weight: FloatArray | None, most_left_out: int = 2
    ) -> Hat:
        """Decompose the problem, by columns or by units, whichever are fewer."""
        X = matrix_of(X)
        m = len(X)
        if self.is_tall(X, most_left_out):
            return factorise(
                X,
                y,
                self.alpha,
                self.intercept,
                weight,
                self.least_rcond,
                self.normal_equations,
            )
        if self.intercept == "free":
            X = X - (X.mean(axis=0) if weight is None else weight @ X / weight.sum())
        K = X @ X.T
        if self.intercept == "penalised":
            K += 1.0
        if self.alpha < self.least_wide_alpha * np.trace(K) / m:
            raise IllPosedError(
                f"With more features than units and almost no penalty, what {self.name} predicts "
                "depends on rounding."
            )
        least = self.least_rcond**2 if self.alpha == 0 else LEAST_RCOND
        return invert(K, y, self.alpha, self.intercept == "free", weight, max(least, LEAST_RCOND))

    # Whether predictions of labels are the estimator's responses, and always well posed.
    is_plain = True

    def respond(self, hat: Hat, test: IntArray, f: FloatArray) -> FloatArray:  # noqa: ARG002
        """Turn predictions of a held-out set into the estimator's responses."""
        return f

    def is_settled(self, hat: Hat, test: IntArray, f: FloatArray) -> bool:  # noqa: ARG002
        """Return whether the estimator is well posed without a held-out set."""
        return True

    def respond_games(
        self,
        hat: Hat,  # noqa: ARG002
        i: IntArray,  # noqa: ARG002
        j: IntArray,  # noqa: ARG002
        f_i: FloatArray,
        f_j: FloatArray,  # noqa: ARG002
    ) -> FloatArray:
        """Turn the prediction for i of the model without i and j into the response."""
        return f_i


@dataclass(frozen=True)
class KernelFamily(Family):
    """Kernel ridge regression."""

    metric: Any = "linear"
    options: tuple[tuple[str, Any], ...] = ()

    def is_tall(self, X: Any, most_left_out: int = 2) -> bool:  # noqa: ARG002
        """Return False: `decompose` works by units."""
        return False

    def kernel(self, X: Any) -> FloatArray:
        """Compute the kernel matrix as the estimator does."""
        if callable(self.metric):  # the user's function gets copies, as in a fit
            X = copy_rows(X, np.arange(len(X)))
        else:
            require_numbers(X)
        options = dict(self.options)
        try:
            K = pairwise_kernels(X, metric=self.metric, filter_params=True, **options)
        except (TypeError, ValueError) as error:
            raise EngineError(f"The kernel cannot be computed: {error}") from error
        return np.asarray(K)

    def decompose(
        self,
        X: Any,
        y: FloatArray,
        weight: FloatArray | None,
        most_left_out: int = 2,  # noqa: ARG002
    ) -> Hat:
        """Invert the kernel matrix."""
        # A kernel that scikit-learn computes by name is a new, symmetric array; any other may be
        # the user's own array, or anything else.
        by_name = isinstance(self.metric, str) and self.metric != "precomputed"
        K = np.array(self.kernel(X), dtype=np.float64, order="C", copy=None if by_name else True)
        if K.shape != (y.size, y.size) or not np.isfinite(K.sum()):
            raise EngineError("The kernel does not give a square matrix of finite numbers.")
        if not by_name and np.abs(K - K.T).max() > 1e-13 * np.abs(K).max():
            raise EngineError("The kernel matrix is not symmetric.")
        return invert(K, y, self.alpha, weight=weight)


@dataclass(frozen=True)
class DiscriminantFamily(Family):
    """Two-class linear discriminant analysis.

    Its direction is that of least squares times a positive factor, so its games have the same
    results. With RSS and TSS of the model trained on n' = n1 + n0 units,

        decision(x) = (f(x) − ȳ RSS/TSS) · 2n'/RSS + log(n1/n0),   TSS = 4 n1 n0/n'.

    Until scikit-learn 1.9 the solver "svd" divides the scatter by n' − 2 instead of n', so that
    the first term has the factor 2(n' − 2)/RSS.
    """

    tol: float = 1e-4
    lost: int = 0  # what is subtracted from n' in that factor

    def decompose(
        self, X: Any, y: FloatArray, weight: FloatArray | None, most_left_out: int = 2
    ) -> Hat:
        """Decompose, unless the discriminant analysis would drop directions."""
        X = matrix_of(X)
        within = X - np.where(y[:, None] > 0, X[y > 0].mean(axis=0), X[y < 0].mean(axis=0))
        spread = np.sqrt(np.mean(within**2, axis=0))
        if not spread.min() > 0:
            raise IllPosedError("A feature is constant within the classes.")
        within /= spread
        least = np.linalg.eigvalsh(within.T @ within / y.size)[0]
        if least < 1e4 * self.tol**2:
            raise IllPosedError("The features are nearly dependent, and some would be dropped.")
        hat = super().decompose(X, y, weight, most_left_out)
        if not _scatter_left(hat) > LEAST_SCATTER:
            raise IllPosedError("Two units may decide whether the classes are fitted perfectly.")
        return hat

    is_plain = False

    def respond(self, hat: Hat, test: IntArray, f: FloatArray) -> FloatArray:
        """Turn predictions of labels into decisions."""
        residual = hat.a * hat.y - hat.u
        rss = float(residual @ residual) - float(residual[test] @ (hat.y[test] - f))
        kept = np.delete(hat.y, test)
        return np.asarray(self.decision(f, rss, np.sum(kept > 0), np.sum(kept < 0)))

    def is_settled(self, hat: Hat, test: IntArray, f: FloatArray) -> bool:
        """Return whether scatter within the classes is left; see `_scatter_left`."""
        residual = hat.a * hat.y - hat.u
        lost = float(residual[test] @ (hat.y[test] - f))
        return 1.0 - lost / float(residual @ residual) > LEAST_SCATTER

    def respond_games(
        self, hat: Hat, i: IntArray, j: IntArray, f_i: FloatArray, f_j: FloatArray
    ) -> FloatArray:
        """Turn predictions of labels into decisions."""
        y, residual = hat.y, hat.a * hat.y - hat.u
        rss = float(residual @ residual) - (residual[i] * (y[i] - f_i) + residual[j] * (y[j] - f_j))
        n_positive = np.count_nonzero(y > 0) - ((y[i] > 0).astype(int) + (y[j] > 0))
        return np.asarray(self.decision(f_i, rss, n_positive, y.size - 2 - n_positive))

    def decision(self, f: Any, rss: Any, n_positive: Any, n_negative: Any) -> Any:
        """Return the decision for a prediction of the label."""
        n = n_positive + n_negative
        mean, tss = (n_positive - n_negative) / n, 4.0 * n_positive * n_negative / n
        return (f - mean * rss / tss) * 2.0 * (n - self.lost) / rss + np.log(
            n_positive / n_negative
        )


def _scatter_left(hat: Hat) -> float:
    """Return a lower bound on the share of RSS that is left without two units.

    Where none is left the classes are fitted perfectly: discriminant analysis has no scatter
    within them to divide by, and drops directions.
    """
    residual = hat.a * hat.y - hat.u
    rss = float(residual @ residual)
    # With |h_ij| ≤ ρ √(a_i a_j) and e² / a ≤ M, both units take at most 2M (1 + ρ)/(1 − ρ²) of it.
    rho = float(np.sqrt(np.prod(np.sort((1.0 - hat.a) / hat.a)[-2:])))
    if rho < 1.0:
        bound = 1.0 - 2.0 * float((residual**2 / hat.a).max()) / (1.0 - rho) / rss
        if bound > LEAST_SCATTER:
            return bound
    if residual.size > MOST_UNITS_BY_PAIRS:
        return 0.0
    ((_, H),) = hat.row_blocks(residual.size**2)
    first, second = np.triu_indices(residual.size, 1)
    h, a_i, a_j = hat.sign * H[first, second], hat.a[first], hat.a[second]
    e_i, e_j = residual[first], residual[second]
    lost = (a_j * e_i**2 + 2.0 * h * e_i * e_j + a_i * e_j**2) / (a_i * a_j - h * h)
    return float(1.0 - lost.max() / rss)


def family_of(estimator: Any) -> Family | str:
    """Return the family an estimator belongs to, or why it belongs to none."""
    known, read = _READERS[type(estimator)]
    params = {name: getattr(estimator, name, None) for name in _parameters(type(estimator))}
    unknown = sorted(set(params) - known)
    if unknown:
        name = type(estimator).__name__
        return f"The closed form of {name} does not cover its parameter {unknown[0]!r}."
    return read(params)


def _parameters(kind: type) -> list[str]:
    if kind not in _PARAMETERS:
        _PARAMETERS[kind] = kind._get_param_names()  # type: ignore[attr-defined]
    return _PARAMETERS[kind]


_PARAMETERS: dict[type, list[str]] = {}


def _penalty(name: str, alpha: Any) -> float | str:
    if isinstance(alpha, int | float | np.number) and 0 <= alpha < np.inf:
        return float(alpha)
    return f"The closed form of {name} needs one non-negative penalty."


def _intercept(params: dict[str, Any]) -> Intercept:
    return "free" if params["fit_intercept"] else "none"


def _read_rls(params: dict[str, Any]) -> Family | str:
    alpha = _penalty("RLS", params["regparam"])
    if isinstance(alpha, str):
        return alpha
    return Family("RLS", alpha, "penalised")


def _read_ridge(params: dict[str, Any]) -> Family | str:
    name = "RidgeClassifier" if "class_weight" in params else "Ridge"
    alpha = _penalty(name, params["alpha"])
    if isinstance(alpha, str):
        return alpha
    if params["solver"] not in DIRECT_SOLVERS:
        return f"A closed form would differ from the iterative solver {params['solver']!r}."
    if params["positive"]:
        return "Coefficients that must be positive have no closed form."
    weight = params.get("class_weight")
    if not (weight is None or isinstance(weight, dict) or weight == "balanced"):
        return "The closed form does not know these class weights."
    return Family(
        name,
        alpha,
        _intercept(params),
        least_rcond=1e-6,
        least_wide_alpha=1e-10,  # centring makes a wide kernel singular
        normal_equations=params["solver"] != "svd",
        class_weight=weight,
    )


def _read_ols(params: dict[str, Any]) -> Family | str:
    if params["positive"]:
        return "Coefficients that must be positive have no closed form."
    # Directions below tol of the largest are dropped. Before scikit-learn 1.9 the limit was 2e-16
    # per row or column. With more features than units centring leaves a direction that is rounding
    # alone, which is above that once means are a hundred times the spread, and then decides.
    least_rcond = 1e3 * max(0.0 if BEFORE_1_9 else float(params["tol"]), 1e-14)
    return Family(
        "LinearRegression",
        0.0,
        _intercept(params),
        least_rcond=least_rcond,
        least_wide_alpha=1e-10 if BEFORE_1_9 and params["fit_intercept"] else 0.0,
    )


def _read_kernel_ridge(params: dict[str, Any]) -> Family | str:
    alpha = _penalty("KernelRidge", params["alpha"])
    if isinstance(alpha, str):
        return alpha
    if callable(params["kernel"]):
        options = params["kernel_params"] or {}
    else:
        options = {name: params[name] for name in ("gamma", "degree", "coef0")}
    return KernelFamily(
        "KernelRidge", alpha, "none", metric=params["kernel"], options=tuple(options.items())
    )


def _read_lda(params: dict[str, Any]) -> Family | str:
    if params["shrinkage"] is not None or params["covariance_estimator"] is not None:
        return "Discriminant analysis with shrinkage is not least squares."
    if params["priors"] is not None:
        return "Discriminant analysis with given priors is not least squares."
    if params["solver"] not in ("svd", "lsqr", "eigen"):
        return f"The closed form does not cover the solver {params['solver']!r}."
    return DiscriminantFamily(
        "LinearDiscriminantAnalysis",
        0.0,
        "free",
        takes_weights=False,
        least_rcond=0.0 if params["solver"] == "svd" else 1e-6,
        tol=params["tol"],
        lost=2 if params["solver"] == "svd" and BEFORE_1_9 else 0,
    )


_RIDGE = {
    "alpha",
    "copy_X",
    "fit_intercept",
    "max_iter",
    "positive",
    "random_state",
    "solver",
    "tol",
}
_READERS: dict[type, tuple[set[str], Callable[[dict[str, Any]], Family | str]]] = {
    RLS: ({"regparam"}, _read_rls),
    Ridge: (_RIDGE, _read_ridge),
    RidgeClassifier: (_RIDGE | {"class_weight"}, _read_ridge),
    LinearRegression: ({"copy_X", "fit_intercept", "n_jobs", "positive", "tol"}, _read_ols),
    KernelRidge: (
        {"alpha", "coef0", "degree", "gamma", "kernel", "kernel_params"},
        _read_kernel_ridge,
    ),
    LinearDiscriminantAnalysis: (
        {
            "covariance_estimator",
            "n_components",
            "priors",
            "shrinkage",
            "solver",
            "store_covariance",
            "tol",
        },
        _read_lda,
    ),
}
ESTIMATORS = frozenset(_READERS)
