"""Which linear models are covered, and what they minimise.

With labels s of ±1 and weights c of the units, liblinear minimises

    F(w) = ½ ‖w‖² + Σ_k c_k ℓ(s_k x_kᵀw),   ℓ(u) = max(0, 1 − u)²  or  log(1 + exp(−u))

where x ends with a constant, `bias`, if there is an intercept: it is penalised as well. Its
trust-region solver begins at zero and stops where

    ‖∇F(w)‖ ≤ tol · max(1, min(m⁺, m⁻)) / m · ‖∇F(0)‖ .

Exact types only, and every parameter is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tlpo.engines import linear
from tlpo.engines.parameters import OF_LOGISTIC_REGRESSION, is_number, why_not_weight

OF_LINEAR_SVC = frozenset(
    {
        "C",
        "class_weight",
        "dual",
        "fit_intercept",
        "intercept_scaling",
        "loss",
        "max_iter",
        "multi_class",
        "penalty",
        "random_state",
        "tol",
        "verbose",
    }
)
# Tolerances below this are decided by rounding.
LEAST_TOL = 1e-7


@dataclass(frozen=True)
class Objective(linear.Objective):
    """What a linear model minimises, and when its solver stops.

    Attributes
    ----------
    C : float
        Weight of the loss.
    bias : float
        The constant feature whose coefficient is the intercept; 0 if there is none.
    is_hinge : bool
        Whether the loss is the squared hinge, else the logistic one.
    needs_tall : bool
        Whether training sets with fewer units than features have another solver.
    """

    C: float
    bias: float
    is_hinge: bool
    needs_tall: bool


def is_meant(estimator: Any) -> bool:
    """Return whether an estimator is one of liblinear without an L1 penalty."""
    if type(estimator) is LinearSVC:
        return True
    if type(estimator) is not LogisticRegression or estimator.solver != "liblinear":
        return False
    penalty = getattr(estimator, "penalty", "deprecated")
    return penalty == "l2" or (penalty == "deprecated" and estimator.l1_ratio in (0, None))


def objective_of(estimator: Any) -> Objective | str:
    """Return what an estimator minimises, or why that is not covered."""
    name = type(estimator).__name__
    params: dict[str, Any] = estimator.get_params(deep=False)
    known = OF_LINEAR_SVC if isinstance(estimator, LinearSVC) else OF_LOGISTIC_REGRESSION
    unknown = sorted(set(params) - known)
    if unknown:
        return f"The solution of {name} does not cover its parameter {unknown[0]!r}."
    if getattr(estimator, "_skl_callbacks", None):
        return f"Callbacks of {name} need its own fits."
    is_hinge = isinstance(estimator, LinearSVC)
    if is_hinge:
        if params["multi_class"] != "ovr" or params["penalty"] != "l2":
            return "LinearSVC with an L1 penalty or all classes at once is refitted."
        if params["loss"] != "squared_hinge":
            return (
                "With the loss 'hinge', LinearSVC visits units in random order, and where it stops "
                "only a fit can tell; with loss='squared_hinge' it is not refitted."
            )
    if params["dual"] is True:
        return (
            f"The dual of {name} visits units in random order, and where it stops only a fit can "
            "tell; with dual=False it is not refitted."
        )
    C, tol, max_iter = params["C"], params["tol"], params["max_iter"]
    if not (is_number(C) and 0 < C < np.inf):
        return f"The solution of {name} needs a positive C."
    if not (is_number(tol) and tol >= LEAST_TOL and isinstance(max_iter, int | np.integer)):
        return f"With a tolerance below {LEAST_TOL:.0e}, rounding decides where liblinear stops."
    weight = params["class_weight"]
    uncovered = why_not_weight(weight)
    if uncovered is not None:
        return uncovered
    bias = params["intercept_scaling"] if params["fit_intercept"] else 0.0
    if params["fit_intercept"] and not (is_number(bias) and 0 < bias < np.inf):
        return f"The solution of {name} needs a positive intercept_scaling."
    return Objective(
        alpha=1.0,
        intercept=bool(params["fit_intercept"]),
        class_weight=weight or None,
        tol=float(tol),
        max_iter=int(max_iter),
        solver="liblinear",
        C=float(C),
        bias=float(bias),
        is_hinge=is_hinge,
        needs_tall=params["dual"] == "auto",
    )
