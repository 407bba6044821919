"""The survival that a fitted model predicts, if it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline

from tlpo.arrays import FloatArray
from tlpo.learners import Cox

# Models of scikit-survival with proportional hazards: one survival curve is enough for all.
_PROPORTIONAL = (
    "sksurv.linear_model.coxph.CoxPHSurvivalAnalysis",
    "sksurv.linear_model.coxnet.CoxnetSurvivalAnalysis",
)


def predict_survival(fitted: Any, X: Any, times: Sequence[float]) -> FloatArray:
    """Return the probabilities of being without the event at some times, a row per unit.

    Raises
    ------
    Exception
        Whatever the model raises that predicts none (`why_no_survival`), or not at these times.
    """
    if not len(times):
        return np.empty((len(X), 0))
    model, X = _unwrapped(fitted, X)
    if isinstance(model, Cox):
        found = model.predict_survival(X, times)
    else:
        found = np.array([curve(np.asarray(times)) for curve in model.predict_survival_function(X)])
    found = found.reshape(len(X), len(times))
    if not ((found >= -1e-12) & (found <= 1 + 1e-12)).all():
        raise ValueError("survival does not lie between 0 and 1")
    return np.clip(found, 0.0, 1.0)


def why_no_survival(fitted: Any) -> str | None:
    """Return why a model predicts no survival, as a clause, or None.

    Examples
    --------
    >>> why_no_survival(Cox())
    >>> from sklearn.linear_model import Ridge
    >>> why_no_survival(Ridge())
    'Ridge predicts no survival'
    """
    model, _ = _unwrapped(fitted, None)
    name = type(model).__name__
    if isinstance(model, Cox):
        return None
    if not hasattr(model, "predict_survival_function"):
        return f"{name} predicts no survival"
    # What scikit-survival's models say of themselves.
    if getattr(model, "fit_baseline_model", True) is False:
        return f"{name} predicts no survival unless it is fitted with fit_baseline_model=True"
    if getattr(model, "low_memory", False):
        return f"{name} predicts no survival with low_memory=True"
    return None


def has_proportional_hazards(fitted: Any) -> bool:
    """Return whether all predicted survival curves are powers of one."""
    kind = type(_unwrapped(fitted, None)[0])
    return kind is Cox or f"{kind.__module__}.{kind.__name__}" in _PROPORTIONAL


def _unwrapped(fitted: Any, X: Any) -> tuple[Any, Any]:
    """Return the model behind pipelines and searches, and what reaches it of features."""
    while True:
        if isinstance(fitted, Pipeline):
            for _, step in fitted.steps[:-1] if X is not None else ():
                X = X if step in (None, "passthrough") else step.transform(X)
            fitted = fitted.steps[-1][1]
        elif isinstance(fitted, GridSearchCV | RandomizedSearchCV):
            fitted = getattr(fitted, "best_estimator_", fitted.estimator)
        else:
            return fitted, X
