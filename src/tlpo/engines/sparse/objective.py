"""Which models with an L1 penalty are covered, and what they minimise.

Lasso and ElasticNet minimise, on n training units,

    ‖y − Xw‖² / (2n) + α [ρ ‖w‖₁ + ½ (1 − ρ) ‖w‖²]

with X and y centred if there is an intercept, and ρ = 1 for Lasso. Exact types only, and every
parameter is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import ElasticNet, Lasso

from tlpo.engines.parameters import is_number, is_scikit_learn

ESTIMATORS = frozenset({Lasso, ElasticNet})
# Versions of scikit-learn whose coordinate descent `descent` follows.
FOLLOWED_VERSIONS = ((1, 9),)
# Tolerances below this are decided by rounding.
LEAST_TOL = 1e-9


@dataclass(frozen=True)
class Objective:
    """What a model minimises, and when its solver stops.

    Attributes
    ----------
    alpha : float
        The penalty per unit.
    share : float
        Its share of L1.
    intercept : bool
        Whether there is one.
    positive : bool
        Whether coefficients must not be negative.
    tol, max_iter
        When the solver stops.
    """

    alpha: float
    share: float
    intercept: bool
    positive: bool
    tol: float
    max_iter: int

    @property
    def settings(self) -> tuple[float, float, float, int, bool]:
        """All of it that compiled loops take."""
        return self.alpha, self.share, self.tol, self.max_iter, self.positive


def is_followed() -> bool:
    """Return whether the coordinate descent of this scikit-learn is known."""
    return is_scikit_learn(*FOLLOWED_VERSIONS)


def objective_of(estimator: Any) -> Objective | str:
    """Return what an estimator minimises, or why that is not covered."""
    name = type(estimator).__name__
    if not is_followed():
        return f"Where {name} of scikit-learn {sklearn.__version__} stops is not known."
    names = type(estimator)._get_param_names()
    params: dict[str, Any] = {key: getattr(estimator, key, None) for key in names}
    unknown = sorted(set(params) - _KNOWN)
    if unknown:
        return f"The path of {name} does not cover its parameter {unknown[0]!r}."
    alpha, share = params["alpha"], params.get("l1_ratio", 1.0)
    if not (is_number(alpha) and 0 < alpha < np.inf and is_number(share) and 0 < share <= 1):
        return f"{name} without an L1 penalty is not covered."
    if params["selection"] != "cyclic":
        return f"{name} takes features in random order."
    if not isinstance(params["precompute"], bool | np.bool_):
        return f"Products of features that are passed to {name} are not covered."
    tol, max_iter = params["tol"], params["max_iter"]
    if not (is_number(tol) and tol >= LEAST_TOL and isinstance(max_iter, int | np.integer)):
        return f"With a tolerance below {LEAST_TOL:.0e}, rounding decides where {name} stops."
    return Objective(
        float(alpha),
        float(share),
        bool(params["fit_intercept"]),
        bool(params["positive"]),
        float(tol),
        int(max_iter),
    )


# Without effect with cyclic selection: copy_X, random_state; and warm_start, because every fit
# starts from a clone.
_KNOWN = {
    "alpha",
    "copy_X",
    "fit_intercept",
    "l1_ratio",
    "max_iter",
    "positive",
    "precompute",
    "random_state",
    "selection",
    "tol",
    "warm_start",
}
