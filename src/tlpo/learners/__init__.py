"""The two learners of the paper and those the field lacks, as scikit-learn estimators."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, explain
from tlpo.learners.cox import Cox
from tlpo.learners.elastic_net import ElasticNetLogisticCV

__all__ = ["RLS", "Cox", "ElasticNetLogisticCV", "InverseDistanceKNN", "inverse_distance_vote"]


class RLS(RegressorMixin, BaseEstimator):
    """Regularised least squares: ridge regression whose intercept is penalised too.

    The learner of the paper (the RLS module of RLScore): a constant feature 1 is appended to
    X and shrunk like every other. `sklearn.linear_model.Ridge` does not penalise its intercept,
    which decides some games differently.

    Parameters
    ----------
    regparam : float
        The penalty λ ≥ 0. With 0, the minimum-norm solution.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : float
        Weight of the constant feature.

    Notes
    -----
    With ``Z = [X 1]`` the weights minimise ``Σ s_i (y_i − z_iᵀw)² + λ wᵀw``, where s
    are the sample weights. They come from a QR decomposition of Z stacked on √λ I (of Zᵀ if there
    are more features than units): forming ZᵀZ first would lose half the digits.

    Examples
    --------
    >>> import tlpo
    >>> model = tlpo.RLS(regparam=1.0).fit([[-1.0], [1.0]], [-1.0, 1.0])
    >>> model.coef_.round(4), abs(model.intercept_)
    (array([0.6667]), 0.0)
    >>> model.predict([[3.0]])
    array([2.])
    """

    def __init__(self, regparam: float = 1.0) -> None:
        self.regparam = regparam

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : array-like of shape (n_units, n_features)
            Features.
        y : array-like of shape (n_units,)
            Labels ±1, or any numbers.
        sample_weight : array-like of shape (n_units,), optional
            Weight of each unit's squared error.
        """
        _require_nonnegative("regparam", self.regparam)
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        Z = np.column_stack([X, np.ones(X.shape[0])])
        if sample_weight is not None:
            root = np.sqrt(_check_sample_weight(sample_weight, X, ensure_non_negative=True))
            Z, y = Z * root[:, None], y * root
        weights = _ridge_weights(Z, y, float(self.regparam))
        self.coef_ = weights[:-1]
        self.intercept_ = float(weights[-1])
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return ``X w + b``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(X @ self.coef_ + self.intercept_)


class InverseDistanceKNN(ClassifierMixin, BaseEstimator):
    """Nearest neighbours, each voting with the inverse of its distance.

    The paper's second learner: the score of a unit is the sum of 1/d over the positive units
    among its k nearest neighbours, minus the sum over the negative ones.

    Parameters
    ----------
    n_neighbors : int
        Number k of neighbours (Euclidean distance). At equal distance, the unit that comes
        first in the training data counts as nearer.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels; the second is the positive one.

    Notes
    -----
    ``score(x) = Σ_k ±1/d(x, x_k)`` over the k nearest neighbours, + for positive ones. If some of
    them are at distance zero, only these count, each with weight one, as in scikit-learn's
    ``weights="distance"``.

    Examples
    --------
    >>> import tlpo
    >>> model = tlpo.InverseDistanceKNN(n_neighbors=2)
    >>> model = model.fit([[0.0], [1.0], [9.0]], ["no", "yes", "no"])
    >>> model.decision_function([[0.5], [0.75], [1.0]])
    array([0.        , 2.66666667, 1.        ])
    >>> model.predict([[0.25], [0.75]])
    array(['no', 'yes'], dtype='<U3')
    """

    def __init__(self, n_neighbors: int = 3) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: Any, y: Any) -> Self:
        """Store the training units.

        Parameters
        ----------
        X : array-like of shape (n_units, n_features)
            Features.
        y : array-like of shape (n_units,)
            Labels of two classes.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size != 2:
            raise ValueError(
                "Only binary classification is supported: y must contain two classes, "
                f"but it has {self.classes_.size} class" + ("" if self.classes_.size == 1 else "es")
            )
        k = self.n_neighbors
        if not (isinstance(k, int | np.integer) and 1 <= k <= X.shape[0]):
            raise InputError(
                explain(
                    "n_neighbors must be a whole number from 1 to the number of training units.",
                    f"You passed n_neighbors={k!r} with n_samples = {X.shape[0]}.",
                    "Ask for fewer neighbours, or train on more units.",
                )
            )
        self.X_ = X
        self.is_positive_ = codes == 1
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each row; positive means the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        scores = np.empty(X.shape[0])
        # One block of distances at a time: all rows × training units would not fit in memory.
        rows = max(1, 2**24 // self.X_.shape[0])
        for start in range(0, X.shape[0], rows):
            block = slice(start, start + rows)
            distance = cdist(X[block], self.X_)
            nearest = np.argsort(distance, axis=1, kind="stable")[:, : self.n_neighbors]
            scores[block] = inverse_distance_vote(
                np.take_along_axis(distance, nearest, axis=1), self.is_positive_[nearest]
            )
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with the larger vote; the first class if they are equal."""
        scores = self.decision_function(X)
        return np.asarray(self.classes_[(scores > 0).astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def inverse_distance_vote(distance: FloatArray, is_positive: npt.NDArray[np.bool_]) -> FloatArray:
    """Sum 1/d over positive minus negative neighbours, one row per unit.

    Each class is summed separately, nearest first, so that equal votes cancel exactly
    (``np.sum`` would add in an order that depends on k).
    """
    at_zero = distance == 0
    with np.errstate(divide="ignore"):
        weight = np.where(at_zero.any(axis=1, keepdims=True), at_zero, 1.0 / distance)
    return np.asarray(
        np.cumsum(np.where(is_positive, weight, 0.0), axis=1)[:, -1]
        - np.cumsum(np.where(is_positive, 0.0, weight), axis=1)[:, -1]
    )


def _ridge_weights(Z: FloatArray, y: FloatArray, regparam: float) -> FloatArray:
    m, n = Z.shape
    if regparam == 0:
        return np.asarray(linalg.lstsq(Z, y)[0])
    if n <= m:
        Q, R = linalg.qr(np.vstack([Z, np.sqrt(regparam) * np.eye(n)]), mode="economic")
        return np.asarray(linalg.solve_triangular(R, Q[:m].T @ y))
    Q, R = linalg.qr(np.vstack([Z.T, np.sqrt(regparam) * np.eye(m)]), mode="economic")
    return np.asarray(Q[:n] @ linalg.solve_triangular(R, y, trans="T"))


def _require_nonnegative(name: str, value: Any) -> None:
    if not (isinstance(value, int | float | np.number) and 0 <= value < np.inf):
        raise InputError(
            explain(
                f"{name} must be a non-negative number.",
                f"You passed {name}={value!r}.",
                f"For example {name}=1.0.",
            )
        )
