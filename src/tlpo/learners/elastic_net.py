"""Lasso and elastic-net logistic regression whose penalty is chosen inside."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tlpo.arrays import FloatArray, IntArray
from tlpo.blas import one_blas_thread
from tlpo.errors import InputError, explain

CHOICES = ("min", "1se")
# Means of deviances that differ by less than this share of the largest are equal but for rounding:
# of these penalties the largest is chosen.
EQUAL = 1e-9
# Penalties below this, of standardised columns, are rounding: no column says anything.
NOTHING = 1e-10


class PenaltyPath(NamedTuple):
    """What cross-validation found for every penalty.

    Attributes
    ----------
    penalty : ndarray of shape (c,)
        The penalties λ, largest first.
    deviance : ndarray of shape (c,)
        Mean deviance of held-out units.
    standard_error : ndarray of shape (c,)
        Its standard error, from folds.
    n_nonzero : ndarray of int of shape (c,)
        Coefficients that are not zero, in the model of all training units.
    """

    penalty: FloatArray
    deviance: FloatArray
    standard_error: FloatArray
    n_nonzero: IntArray


class ElasticNetLogisticCV(ClassifierMixin, BaseEstimator):
    """Lasso or elastic-net logistic regression, its penalty chosen by cross-validation inside.

    What R users know as ``cv.glmnet(family="binomial")``: features are standardised inside, the
    intercept is not penalised, and of a path of penalties that with the smallest deviance of
    held-out units is taken, or the largest within one standard error of it. A tournament plays
    it with the choice made anew in every game, without refitting.

    Parameters
    ----------
    l1_ratio : float
        Share of the lasso in the penalty, above 0 and at most 1: 1 is the lasso.
    choice : {"min", "1se"}
        The penalty with the smallest deviance, or the largest penalty whose deviance is within one
        standard error of it, which selects fewer features.
    n_folds : int
        Folds of the cross-validation inside, two or more.
    n_penalties : int
        Length of the path, two or more. With 30, each is 27 % below the one before (15 % if there
        are no fewer features than units): far finer than cross-validation can tell apart.
    random_state : int, RandomState or None
        Which folds. None draws others in every fit, and then every game of a tournament is
        refitted.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive one.
    coef_ : ndarray of shape (1, n_features)
        Log odds ratios per unit of each feature; 0 for a feature that does not vary.
    intercept_ : ndarray of shape (1,)
        Log odds of a unit whose features are 0.
    lambda_ : float
        The chosen penalty.
    C_ : float
        The same as scikit-learn's `LogisticRegression` counts it, of standardised features: 1/(mλ).
    n_nonzero_ : int
        Coefficients that are not zero.
    path_ : PenaltyPath
        Penalties, mean deviances, their standard errors, numbers of coefficients.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if they have any.

    Notes
    -----
    With m training units and columns standardised (divisor m), ``w`` and ``b`` minimise

        (1/m) Σ log(1 + exp(∓(b + xᵀw))) + λ [a ‖w‖₁ + ½ (1 − a) ‖w‖²],    a = `l1_ratio`,

    up to rounding. The path goes from the smallest λ without features down to 1/10 000 of it,
    or 1/100 if there are no fewer features than units, in equal steps of log λ. Three things
    differ from glmnet. The path starts at the next larger power of its step, so training
    sets that differ in a unit or two have the same penalties. And the fold of a unit is a hash of
    its row, its class and the seed, so it is the same in every training set; sizes of folds vary.
    And the deviance is that of the probabilities as they are: glmnet counts those beyond 0.00001
    and 0.99999 as these. With the same folds and penalties, coefficients, deviances and the choice
    are those of glmnet 4.1, by its own numbers on 13 data sets.
    Of columns that are equal or opposite after standardising, the lasso takes the first.

    References
    ----------
    J. Friedman, T. Hastie, R. Tibshirani (2010). Regularization paths for generalized linear models
    via coordinate descent. Journal of Statistical Software 33(1).

    R. Tibshirani, J. Bien, J. Friedman, T. Hastie, N. Simon, J. Taylor, R. J. Tibshirani (2012).
    Strong rules for discarding predictors in lasso-type problems. Journal of the Royal
    Statistical Society B 74, 245-266.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> X = rng.normal(size=(60, 20))
    >>> X[:, 0] += 2 * y
    >>> model = tlpo.ElasticNetLogisticCV(choice="1se").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0])
    """

    def __init__(
        self,
        l1_ratio: float = 1.0,
        *,
        choice: str = "min",
        n_folds: int = 10,
        n_penalties: int = 30,
        random_state: Any = 0,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.choice = choice
        self.n_folds = n_folds
        self.n_penalties = n_penalties
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the penalty and fit the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_units, n_features)
            Features.
        y : array-like of shape (n_units,)
            Labels of two classes, two units of each or more.

        Raises
        ------
        InputError
            If a class has fewer than two units, or a parameter is out of range.
        """
        require_parameters(self)
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size != 2:
            raise ValueError(
                "Only binary classification is supported: y must contain two classes, "
                f"but it has {self.classes_.size} class" + ("" if self.classes_.size == 1 else "es")
            )
        sizes = np.bincount(codes)
        if sizes.min() < 2:
            raise InputError(
                explain(
                    "Cross-validation inside needs two units of each class.",
                    "You passed "
                    + " and ".join(
                        f"{size} of class {label}"
                        for size, label in zip(sizes, self.classes_, strict=True)
                    )
                    + ".",
                    "Pass more units, or a model whose penalty is given.",
                )
            )
        with one_blas_thread():
            self._fit(X, codes)
        return self

    def _fit(self, X: FloatArray, codes: IntArray) -> None:
        from tlpo.learners import elastic_net_solver as solver
        from tlpo.learners.folds import folds_of

        m, l1 = len(X), float(self.l1_ratio)
        fold = folds_of(X, codes, int(self.n_folds), seed_of(self.random_state))
        sample = standardise(X, codes, is_lasso=l1 == 1.0)
        every = np.ones(m)
        scale = solver.scales(sample.Xt, sample.squares, every)
        penalties = self._penalties(sample, scale, m)
        W, status = _follow(sample, every, scale, penalties, l1)[::2]
        held_out, counts = [], []
        for number in np.unique(fold):
            keep = (fold != number).astype(np.float64)
            own = solver.scales(sample.Xt, sample.squares, keep)
            _, Z, ends = _follow(sample, keep, own, penalties, l1)
            status = np.append(status, ends)
            out = keep == 0
            held_out.append(2.0 * mean_losses(Z[:, out], sample.y[out]))
            counts.append(np.count_nonzero(out))
        if np.any(status == solver.ENDLESS):
            warnings.warn(
                "The path of penalties was not solved to the end.", ConvergenceWarning, stacklevel=3
            )
        deviance, error = average(np.array(held_out), np.array(counts))
        chosen = choose(deviance, error, self.choice)
        self.path_ = PenaltyPath(
            penalties, deviance, error, np.count_nonzero(W[:, :-1], axis=1).astype(np.intp)
        )
        self.lambda_ = float(penalties[chosen])
        self.C_ = 1.0 / (m * self.lambda_)
        coef = np.zeros(X.shape[1])
        coef[sample.columns] = W[chosen, :-1] / sample.unit
        self.coef_ = coef[None]
        self.intercept_ = W[chosen, -1:] - coef[sample.columns] @ sample.centre
        self.n_nonzero_ = int(np.count_nonzero(coef))

    def decision_function(self, X: Any) -> FloatArray:
        """Return the log odds of the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of either class."""
        z = self.decision_function(X)
        return np.column_stack([expit(-z), expit(z)])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the more probable class; the first if they are equally probable."""
        z = self.decision_function(X)
        return np.asarray(self.classes_[(z > 0).astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _penalties(self, sample: Sample, scale: FloatArray, m: int) -> FloatArray:
        from tlpo.learners import elastic_net_solver as solver

        grad = np.empty(len(scale))
        solver.null_model(sample.Xt, sample.y, np.ones(m), np.empty(m), grad)
        largest = solver.largest_penalty(grad, scale, float(self.l1_ratio))
        step = step_of(m, self.n_features_in_, int(self.n_penalties))
        return grid(first_power(largest, step), step, int(self.n_penalties))


class Sample(NamedTuple):
    """Standardised columns of the units and what they were before.

    Attributes
    ----------
    Xt, squares : ndarray of shape (p, m)
        Columns as rows, and their squares.
    y : ndarray of shape (m,)
        Labels 0 and 1.
    columns : ndarray of shape (p,)
        Which of the user's columns they are: not those that do not vary, nor, for the lasso, those
        that equal one before them.
    centre, unit : ndarray of shape (p,)
        Their means and standard deviations.
    """

    Xt: FloatArray
    squares: FloatArray
    y: FloatArray
    columns: IntArray
    centre: FloatArray
    unit: FloatArray


def standardise(X: FloatArray, codes: IntArray, is_lasso: bool) -> Sample:
    """Standardise columns and leave out those that no model of the path uses."""
    low, high = X.min(axis=0), X.max(axis=0)
    # Of half the numbers, for squares of differences between the largest doubles overflow.
    columns = np.flatnonzero(high > low)
    X = X[:, columns]
    centre = X.mean(axis=0)
    unit = np.abs(X - centre).max(axis=0)
    unit = unit * np.sqrt(np.mean(((X - centre) / unit) ** 2, axis=0))
    Xt = np.ascontiguousarray(((X - centre) / unit).T)
    if is_lasso:
        first = first_of_equal(Xt)
        columns, centre, unit, Xt = columns[first], centre[first], unit[first], Xt[first]
    return Sample(Xt, Xt * Xt, codes.astype(np.float64), columns, centre, unit)


def first_of_equal(Xt: FloatArray) -> IntArray:
    """Return which standardised columns equal none before them, up to their sign.

    Examples
    --------
    >>> first_of_equal(np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 1.0, -1.0]]))
    array([0, 2])
    """
    p, m = Xt.shape
    near = 1e-10 * np.sqrt(m)
    # Equal columns have equal products with any vector: only neighbours among these are compared.
    product = np.abs(Xt @ np.sin(1.0 + np.arange(m)))
    order = np.argsort(product, kind="stable")
    is_first = np.ones(p, dtype=bool)
    runs = np.split(order, np.flatnonzero(np.diff(product[order]) > near) + 1) if p else []
    for run in runs:
        if run.size == 1:
            continue
        left = np.sort(run)
        while left.size > 1:
            one, others = Xt[left[0]], Xt[left[1:]]
            apart = np.minimum(np.abs(others - one).max(axis=1), np.abs(others + one).max(axis=1))
            is_first[left[1:][apart <= near]] = False
            left = left[1:][apart > near]
    return np.flatnonzero(is_first)


def seed_of(random_state: Any) -> int:
    """Return the seed of the folds."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def step_of(n_units: int, n_features: int, n_penalties: int) -> float:
    """Return the ratio of a penalty to the one before it."""
    ratio = 1e-4 if n_units > n_features else 1e-2
    return float(ratio ** (1.0 / (n_penalties - 1)))


def first_power(largest: float, step: float) -> int:
    """Return the power of the step at which a path begins: the last that is no smaller."""
    if largest <= NOTHING:
        return 0
    return int(np.floor(np.log(largest) / np.log(step)))


def grid(first: int, step: float, count: int) -> FloatArray:
    """Return the penalties of a path."""
    return np.asarray(step ** np.arange(first, first + count, dtype=np.float64))


def mean_losses(Z: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean loss of units, one row of linear predictors per penalty."""
    return np.asarray(np.logaddexp(0.0, np.where(y > 0, -Z, Z)).mean(axis=1))


def average(deviance: FloatArray, counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean over folds and its standard error, folds weighted by their units.

    Parameters
    ----------
    deviance : ndarray of shape (K, c)
        Mean deviance of the units of a fold, for every penalty.
    counts : ndarray of shape (K,)
        Units of each fold.
    """
    weight = counts / counts.sum()
    mean = weight @ deviance
    error = np.sqrt(weight @ (deviance - mean) ** 2 / (len(counts) - 1))
    return np.asarray(mean), np.asarray(error)


def choose(deviance: FloatArray, error: FloatArray, choice: str) -> int:
    """Return which penalty is chosen.

    Examples
    --------
    >>> deviance, error = np.array([1.4, 1.15, 1.0, 1.1]), np.full(4, 0.2)
    >>> choose(deviance, error, "min"), choose(deviance, error, "1se")
    (2, 1)
    """
    slack = EQUAL * deviance.max()
    best = int(np.argmax(deviance <= deviance.min() + slack))
    if choice == "min":
        return best
    return int(np.argmax(deviance <= deviance[best] + error[best] + slack))


def require_parameters(model: ElasticNetLogisticCV) -> None:
    """Refuse parameters that are out of range."""
    l1, seed = model.l1_ratio, model.random_state
    if not (isinstance(l1, int | float | np.number) and 0 < l1 <= 1):
        raise InputError(
            explain(
                "l1_ratio must be above 0 and at most 1.",
                f"You passed l1_ratio={l1!r}.",
                "Use 1.0 for the lasso, 0.5 for an elastic net.",
            )
        )
    if not (isinstance(model.choice, str) and model.choice in CHOICES):
        raise InputError(
            explain(
                "choice must be 'min' or '1se'.",
                f"You passed choice={model.choice!r}.",
                "Use '1se' for fewer features.",
            )
        )
    for name, usual in (("n_folds", 10), ("n_penalties", 30)):
        value = getattr(model, name)
        if not (isinstance(value, int | np.integer) and value >= 2):
            raise InputError(
                explain(
                    f"{name} must be a whole number, 2 or more.",
                    f"You passed {name}={value!r}.",
                    f"For example {name}={usual}.",
                )
            )
    if isinstance(seed, int | np.integer) and not 0 <= seed < 2**32:
        raise InputError(
            explain(
                "random_state must be from 0 to 4294967295.",
                f"You passed random_state={seed!r}.",
                "For example random_state=0.",
            )
        )


def _follow(
    sample: Sample, keep: FloatArray, scale: FloatArray, penalties: FloatArray, l1: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return coefficients, linear predictors of all units, and how each was found."""
    from tlpo.learners import elastic_net_solver as solver

    p, m = sample.Xt.shape
    W, Z = np.empty((penalties.size, p + 1)), np.empty((penalties.size, m))
    status = np.empty(penalties.size)
    solver.follow(sample.Xt, sample.y, keep, scale, penalties, l1, W, Z, status)
    return W, Z, status
