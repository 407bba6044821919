"""One real number per unit from any fitted estimator, and the rule for ties.

The tie rule
------------
Two responses of one model are equal, and the game counts as half a win for each unit, if they
differ by at most ``TIE_RTOL`` times the larger magnitude, or by at most ``TIE_ATOL``. Predictions
that are mathematically equal may differ in their last digits, depending on the order of additions;
rounding must not decide a game. The absolute tolerance suits predictions of labels ±1 and decision
functions, which are of order one.

Probabilities are meaningful down to their last digit at both ends. For them only the relative
tolerance applies, and it applies to the distance from 1 as well as from 0: 1e-300 and 1e-200 are
different responses, and so are 1 − 1e-15 and 1 − 1e-13.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import NoScoreError, explain

TIE_RTOL = 1e-12
TIE_ATOL = 1e-13


def outcomes(first: FloatArray, second: FloatArray, ceiling: float = np.inf) -> FloatArray:
    """Return 1, ½ or 0: the first response wins, ties or loses.

    Parameters
    ----------
    first, second : ndarray
        Responses of the same models for the two units of each game. NaN gives NaN.
    ceiling : float
        The largest value a response can take: 1 for probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> outcomes(np.array([2.0, 0.1 + 0.2, 0.0]), np.array([1.0, 0.3, 1e-9]))
    array([1. , 0.5, 0. ])
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    wins = np.where(first > second, 1.0, 0.0)
    wins[low >= lowest_tie(high, low, ceiling)] = 0.5
    wins[np.isnan(first) | np.isnan(second)] = np.nan
    return wins


def lowest_tie(
    response: FloatArray, other: FloatArray | None = None, ceiling: float = np.inf
) -> FloatArray:
    """Return the smallest response that ties with a larger one.

    Parameters
    ----------
    response : ndarray
        The larger responses.
    other : ndarray, optional
        The smaller responses; their magnitude is used where it is larger. Without them,
        magnitudes are assumed equal, as they are for any tie.
    ceiling : float
        The largest value a response can take: 1 for probabilities.
    """
    size = np.abs(response) if other is None else np.maximum(np.abs(response), np.abs(other))
    if ceiling == np.inf:
        return response - tie_width(size)
    from_above = TIE_RTOL / (1.0 - TIE_RTOL) * (ceiling - response)
    return response - np.minimum(TIE_RTOL * size, from_above)


def tie_width(size: FloatArray) -> FloatArray:
    """Return how far unbounded responses of this size may be apart and still tie."""
    return np.maximum(TIE_RTOL * size, TIE_ATOL)


def fits_signs(estimator: Any) -> bool:
    """Whether the estimator is fitted on labels ±1 rather than the user's labels."""
    if _is(is_regressor, estimator):
        return True
    if _is(is_classifier, estimator):
        return False
    return not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba"))


def response_method(fitted: Any) -> str:
    """Name the method that scores units: decision function, probability or prediction."""
    if not _is(is_regressor, fitted):
        for method in ("decision_function", "predict_proba"):
            if hasattr(fitted, method):
                return method
    if hasattr(fitted, "predict") and not _is(is_classifier, fitted):
        return "predict"
    raise NoScoreError(
        explain(
            "The classifier provides no score to rank units by.",
            f"You passed {type(fitted).__name__}, which has neither decision_function nor "
            "predict_proba.",
            "Enable its probabilities (for example voting='soft'), or wrap it in "
            "CalibratedClassifierCV.",
        )
    )


def respond(fitted: Any, method: str, X: Any, positive: Any, labels: tuple[Any, Any]) -> FloatArray:
    """Score the rows of ``X``; larger means more positive.

    ``labels`` are the two labels in sorted order, for a classifier without ``classes_``.
    """
    # Copied: a model may return an array that it goes on to use.
    values = np.array(getattr(fitted, method)(X), dtype=np.float64)
    classes = getattr(fitted, "classes_", None)
    if classes is None and not _is(is_outlier_detector, fitted):
        classes = labels
    first_is_positive = method != "predict" and classes is not None and classes[0] == positive
    # Two predictions per unit are not a class and its opposite: their number betrays them.
    if values.ndim == 2 and values.shape[1] == 2 and method != "predict":
        return values[:, 0 if first_is_positive else 1]
    values = values.reshape(-1)
    return -values if first_is_positive else values


def fit_and_respond(estimator: Any, X: Any, is_positive: BoolArray, X_new: Any) -> FloatArray:
    """Fit a clone of the estimator to a sample and score new units with it.

    Examples
    --------
    >>> import numpy as np
    >>> from tlpo.learners import RLS
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([False, True])
    >>> fit_and_respond(RLS(), X, y, np.array([[3.0], [-3.0]])).round(4)
    array([ 2., -2.])
    """
    targets = np.where(is_positive, 1.0, -1.0) if fits_signs(estimator) else is_positive
    model = clone(estimator).fit(X, targets)
    return respond(model, response_method(model), X_new, True, (False, True))


def _is(kind: Any, estimator: Any) -> bool:
    try:
        return bool(kind(estimator))
    except (AttributeError, TypeError):  # a duck-typed estimator without scikit-learn's tags
        return False
