"""One real number per unit from any fitted estimator, the rule for ties, and probabilities.

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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline

from tlpo.arrays import BoolArray, FloatArray
from tlpo.errors import InputError, NoScoreError, arg, explain

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
    # Whoever exceeds the ceiling, with per cents for example, has none.
    from_above = np.where(response > ceiling, np.inf, from_above)
    return response - np.minimum(TIE_RTOL * size, from_above)


def tie_width(size: FloatArray) -> FloatArray:
    """Return how far unbounded responses of this size may be apart and still tie."""
    return np.maximum(TIE_RTOL * size, TIE_ATOL)


def fits_numbers(estimator: Any) -> bool:
    """Whether the estimator is fitted on numbers, labels ±1 among them, rather than on labels."""
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


def respond_by_class(fitted: Any, X: Any, names: Sequence[Any]) -> tuple[str, FloatArray]:
    """Return the method that scores units for each class, and the scores of the rows of ``X``.

    Probabilities come first: discriminants of a class are comparable between classes, but not
    between units.
    """
    method = next((m for m in ("predict_proba", "decision_function") if hasattr(fitted, m)), None)
    if method is None:
        raise NoScoreError(
            explain(
                "The classifier provides no scores of the classes.",
                f"You passed {type(fitted).__name__}, which has neither predict_proba nor "
                "decision_function.",
                "Enable its probabilities, or wrap it in CalibratedClassifierCV.",
            )
        )
    if method == "decision_function" and _compares_pairs(fitted):
        raise NoScoreError(
            explain(
                "A decision function of pairs of classes does not score the classes.",
                f"You passed {type(_innermost(fitted)).__name__} with "
                f"{arg('decision_function_shape', 'ovo')}.",
                f"Set {arg('decision_function_shape', 'ovr')}, or enable its probabilities.",
            )
        )
    # Copied: a model may return an array that it goes on to use.
    values = np.array(getattr(fitted, method)(X), dtype=np.float64)
    classes = list(getattr(fitted, "classes_", names))
    if values.ndim == 2 and values.shape[1] == len(classes) and set(classes) == set(names):
        values = values[:, [classes.index(name) for name in names]]
    return method, values


def _compares_pairs(fitted: Any) -> bool:
    return getattr(_innermost(fitted), "decision_function_shape", None) == "ovo"


def respond_in_order(fitted: Any, X: Any) -> FloatArray:
    """Score the rows of ``X``; larger means a larger number or grade.

    A classifier of grades scores by the mean of the grades, weighted by their probabilities.
    """
    if _is(is_classifier, fitted):
        if not hasattr(fitted, "predict_proba"):
            raise NoScoreError(
                explain(
                    "The classifier does not say which grade it expects on average.",
                    f"You passed {type(fitted).__name__}, which has no predict_proba.",
                    "Use a regressor, or a classifier with probabilities.",
                )
            )
        shares = np.array(fitted.predict_proba(X), dtype=np.float64)
        return np.asarray(shares @ np.asarray(fitted.classes_, dtype=np.float64))
    if not hasattr(fitted, "predict"):
        raise NoScoreError(
            explain(
                "The estimator provides no score to rank units by.",
                f"You passed {type(fitted).__name__}, which has no predict.",
                "Use a regressor.",
            )
        )
    # Copied: a model may return an array that it goes on to use.
    return np.array(fitted.predict(X), dtype=np.float64).reshape(-1)


def respond_with_risk(fitted: Any, X: Any) -> FloatArray:
    """Score the rows of ``X``; larger means an earlier event.

    Models that predict times say so, as scikit-survival's do.
    """
    # Copied: a model may return an array that it goes on to use.
    values = np.array(fitted.predict(X), dtype=np.float64).reshape(-1)
    return values if predicts_risk(fitted) else -values


def predicts_risk(estimator: Any) -> bool:
    """Whether larger predictions of a survival model mean an earlier event, not a later one."""
    return bool(getattr(_innermost(estimator), "_predict_risk_score", True))


def require_survival_model(estimator: Any) -> None:
    """Refuse classifiers and regressors: fitted on times alone, they take censoring for events."""
    model = _innermost(estimator)
    if hasattr(model, "_predict_risk_score") or type(model).__module__.startswith("sksurv."):
        return
    if _is(is_classifier, model) or _is(is_regressor, model):
        raise InputError(
            explain(
                "A model of times to an event must know which of them are censored.",
                f"You passed {type(model).__name__}, which does not.",
                "Use tlpo.Cox(), or a model of scikit-survival.",
            )
        )


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
    targets = np.where(is_positive, 1.0, -1.0) if fits_numbers(estimator) else is_positive
    model = clone(estimator).fit(X, targets)
    return respond(model, response_method(model), X_new, True, (False, True))


@dataclass(frozen=True)
class Link:
    """How probabilities follow from responses.

    Attributes
    ----------
    is_logistic : bool
        Whether responses are log odds; otherwise they are probabilities.
    follows_prevalence : bool
        Whether probabilities follow the share of positives in training. Those of models with
        balanced class weights, or with priors of their own, do not.
    """

    is_logistic: bool
    follows_prevalence: bool


# Classifiers of scikit-learn whose predict_proba is the logistic function of their decision
# function; of the parameters, the values for which that holds.
_LOGISTIC: dict[str, dict[str, tuple[str, ...]]] = {
    "LogisticRegression": {"multi_class": ("auto", "deprecated", "ovr")},
    "LogisticRegressionCV": {"multi_class": ("auto", "deprecated", "ovr")},
    "ElasticNetLogisticCV": {},
    "LinearDiscriminantAnalysis": {},
    "QuadraticDiscriminantAnalysis": {},
    "GradientBoostingClassifier": {"loss": ("log_loss",)},
    "HistGradientBoostingClassifier": {},
    "SGDClassifier": {"loss": ("log_loss",)},
}


def probability_link(estimator: Any) -> Link | str:
    """Return how probabilities follow from responses, or why they do not, as a clause.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression, RidgeClassifier
    >>> probability_link(LogisticRegression())
    Link(is_logistic=True, follows_prevalence=True)
    >>> probability_link(RidgeClassifier())
    'RidgeClassifier has no predict_proba'
    """
    model = _innermost(estimator)
    name = type(model).__name__
    if fits_numbers(model) or not hasattr(model, "predict_proba"):
        return f"{name} has no predict_proba"
    params = model.get_params()
    if hasattr(model, "decision_function"):
        is_known = type(model).__module__.startswith(("sklearn.", "tlpo."))
        allowed = _LOGISTIC.get(name) if is_known else None
        if allowed is None or any(params.get(key, v[0]) not in v for key, v in allowed.items()):
            return (
                f"{name} is ranked by decision_function, from which its predict_proba does not "
                "follow"
            )
    # Calibration fits the probabilities anew, to the frequencies that it sees.
    free = name != "CalibratedClassifierCV" and any(
        (key.endswith("class_weight") and str(value).startswith("balanced"))
        or (key.endswith("priors") and value is not None)
        for key, value in params.items()
    )
    return Link(hasattr(model, "decision_function"), not free)


def _innermost(estimator: Any) -> Any:
    """Return the model behind pipelines and searches, which only pass its predictions on."""
    while True:
        if isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        elif isinstance(estimator, GridSearchCV | RandomizedSearchCV):
            estimator = getattr(estimator, "best_estimator_", estimator.estimator)
        else:
            return estimator


def _is(kind: Any, estimator: Any) -> bool:
    try:
        return bool(kind(estimator))
    except (AttributeError, TypeError):  # a duck-typed estimator without scikit-learn's tags
        return False
