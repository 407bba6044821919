"""Which logistic regressions are covered, and what they minimise.

With labels y of 0 and 1 and weights ω of the units, scikit-learn minimises

    F(θ) = Σ_k ω_k [log(1 + exp(z_k)) − y_k z_k] + ½ α ‖θ‖²,   z_k = x_kᵀθ + θ_0,   α = 1/C

with a free intercept θ_0. Its solvers work with F/Σω and stop where no entry of that gradient
exceeds ``tol``. Exact types only, and every parameter is checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from tlpo.engines.linear import Objective
from tlpo.engines.parameters import OF_LOGISTIC_REGRESSION, is_number, why_not_weight

# Solvers that stop by the largest entry of the gradient.
SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")
ESTIMATORS = frozenset({LogisticRegression})


def objective_of(estimator: Any) -> Objective | str:
    """Return what an estimator minimises, or why that is not covered."""
    names = type(estimator)._get_param_names()
    params: dict[str, Any] = {name: getattr(estimator, name, None) for name in names}
    unknown = sorted(set(params) - OF_LOGISTIC_REGRESSION)
    if unknown:
        return f"The solution of LogisticRegression does not cover its parameter {unknown[0]!r}."
    if getattr(estimator, "_skl_callbacks", None):
        return "Callbacks of LogisticRegression need its own fits."
    alpha = _alpha(params)
    if isinstance(alpha, str):
        return alpha
    if params["solver"] not in SOLVERS:
        return (
            f"How close the solver {params['solver']!r} of LogisticRegression comes to the "
            f"solution is unknown; that of {', '.join(SOLVERS[:-1])} and {SOLVERS[-1]} is known."
        )
    if params.get("multi_class", "deprecated") not in ("deprecated", "auto", "ovr"):
        return "Multinomial logistic regression penalises both classes."
    if params["dual"]:
        return "The dual of logistic regression is not covered."
    tol, max_iter, weight = params["tol"], params["max_iter"], params["class_weight"]
    if not (is_number(tol) and 0 < tol < np.inf and isinstance(max_iter, int | np.integer)):
        return "A tolerance of zero, or none, leaves to rounding where LogisticRegression stops."
    uncovered = why_not_weight(weight)
    if uncovered is not None:
        return uncovered
    return Objective(
        alpha,
        bool(params["fit_intercept"]),
        weight or None,
        float(tol),
        int(max_iter),
        params["solver"],
    )


def _alpha(params: dict[str, Any]) -> float | str:
    """Return the penalty, by the parameters of any version from 1.7 on."""
    penalty, l1_ratio = params.get("penalty", "deprecated"), params["l1_ratio"]
    if penalty is None:
        return 0.0
    is_l2 = penalty == "l2" or (penalty == "deprecated" and l1_ratio in (0, None))
    C = params["C"]
    # With C infinite, scikit-learn drops any kind of penalty.
    if not (is_l2 or (penalty == "deprecated" and is_number(C) and np.isinf(C))):
        return "L1 and elastic-net penalties of logistic regression are not covered."
    if not (is_number(C) and C > 0):
        return "The solution of LogisticRegression needs a positive C."
    return float(1.0 / C)
