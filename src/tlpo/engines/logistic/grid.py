"""Which LogisticRegressionCV are covered, and what they choose from.

Exact types only, and every parameter is checked.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn import metrics
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

from tlpo.arrays import FloatArray
from tlpo.engines.linear import Objective
from tlpo.engines.logistic.objective import objective_of
from tlpo.engines.parameters import OF_LOGISTIC_REGRESSION_CV, is_number, is_scikit_learn

ESTIMATORS = frozenset({LogisticRegressionCV})
# Versions of scikit-learn whose steps are followed.
FOLLOWED_VERSIONS = ((1, 9),)


@dataclass(frozen=True, eq=False)
class Grid:
    """What a LogisticRegressionCV chooses from.

    Attributes
    ----------
    objective : Objective
        What is minimised at the first penalty.
    Cs : ndarray of shape (c,)
        The grid, in its order.
    first : LogisticRegression
        The model of the first penalty.
    """

    objective: Objective
    Cs: FloatArray
    first: LogisticRegression

    def model_at(self, C: float) -> LogisticRegression:
        """Return the model of a penalty."""
        return clone(self.first).set_params(C=float(C))

    def alphas(self, n_columns: int) -> FloatArray:
        """Return the penalties of all columns at every C."""
        alphas = np.zeros((self.Cs.size, n_columns + self.objective.intercept))
        alphas[:, :n_columns] = (1.0 / self.Cs)[:, None]
        return alphas


def is_followed() -> bool:
    """Return whether the steps of this scikit-learn are known."""
    return is_scikit_learn(*FOLLOWED_VERSIONS)


def grid_of(estimator: Any) -> Grid | str:
    """Return what an estimator chooses from, or why that is not covered."""
    if not is_followed():
        version = sklearn.__version__
        return f"The steps of LogisticRegressionCV in scikit-learn {version} are not known."
    names = type(estimator)._get_param_names()
    params: dict[str, Any] = {name: getattr(estimator, name, None) for name in names}
    unknown = sorted(set(params) - OF_LOGISTIC_REGRESSION_CV)
    if unknown:
        return f"The path of LogisticRegressionCV does not cover its parameter {unknown[0]!r}."
    if getattr(estimator, "_skl_callbacks", None):
        return "Callbacks of LogisticRegressionCV need its own fits."
    if not _is_l2(params):
        return "L1 and elastic-net penalties of LogisticRegressionCV are not covered."
    if params["solver"] != "lbfgs":
        return (
            "Of LogisticRegressionCV only the path of the solver 'lbfgs' is followed, not that of "
            f"{params['solver']!r}."
        )
    if not params["refit"]:
        return "LogisticRegressionCV that averages coefficients instead of a last fit is refitted."
    Cs = params["Cs"]
    grid = np.logspace(-4, 4, Cs) if isinstance(Cs, int | np.integer) else list(Cs)
    if not len(grid) or not all(is_number(C) and C > 0 for C in grid):
        return "LogisticRegressionCV needs a positive C."
    shared = ("fit_intercept", "dual", "solver", "tol", "max_iter", "class_weight")
    first = LogisticRegression(C=grid[0], **{name: params[name] for name in shared})
    objective = objective_of(first)
    if isinstance(objective, str):
        return objective
    return Grid(objective, np.array(grid, dtype=np.float64), first)


def _is_l2(params: dict[str, Any]) -> bool:
    penalty, ratios = params.get("penalty", "deprecated"), params["l1_ratios"]
    if penalty != "deprecated":
        return bool(penalty == "l2")
    if ratios is None or (isinstance(ratios, str) and ratios == "warn"):
        return True
    return bool(np.size(ratios) == 1 and np.all(np.asarray(ratios) == 0))


def scorer_of(estimator: Any, classes: npt.NDArray[Any]) -> Any:
    """Return what judges the models of a fold.

    Scores of predicted classes are told which classes there are, and that the second one counts.
    Those of order and of probabilities know this without being told.
    """
    scoring = estimator.scoring
    if scoring is None or (isinstance(scoring, str) and scoring == "warn"):
        scoring = "accuracy"
    scorer = metrics.get_scorer(scoring)
    function = getattr(scorer, "_score_func", None)
    if function is None or scorer._response_method != "predict":
        return scorer
    accepted = inspect.signature(function).parameters
    if "labels" not in accepted:
        return scorer
    told = {"labels": classes}
    if "pos_label" in accepted:
        told["pos_label"] = classes[-1]
    return metrics.make_scorer(
        function,
        greater_is_better=scorer._sign == 1,
        response_method="predict",
        **told,
        **scorer._kwargs,
    )
