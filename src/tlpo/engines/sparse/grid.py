"""Which LassoCV and ElasticNetCV are covered, and what they choose from.

Exact types only, and every parameter is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import ElasticNet, ElasticNetCV, LassoCV

from tlpo.arrays import FloatArray
from tlpo.engines.parameters import is_number
from tlpo.engines.sparse.objective import Objective, objective_of

ESTIMATORS = frozenset({LassoCV, ElasticNetCV})


@dataclass(frozen=True, eq=False)
class Grid:
    """What a model chooses from.

    Attributes
    ----------
    objective : Objective
        What is minimised, at some penalty.
    shares : ndarray of shape (r,)
        Shares of L1 in the penalty.
    alphas : ndarray of shape (r, c)
        Penalties in falling order; NaN if they depend on the training set.
    eps : float
        The smallest of those, relative to the largest; 0 if penalties are given.
    """

    objective: Objective
    shares: FloatArray
    alphas: FloatArray
    eps: float


def grid_of(estimator: Any) -> Grid | str:
    """Return what an estimator chooses from, or why that is not covered."""
    name = type(estimator).__name__
    names = type(estimator)._get_param_names()
    params: dict[str, Any] = {key: getattr(estimator, key, None) for key in names}
    unknown = sorted(set(params) - _KNOWN)
    if unknown:
        return f"The path of {name} does not cover its parameter {unknown[0]!r}."
    precompute = params["precompute"]
    if isinstance(precompute, str) and precompute == "auto":
        precompute = False
    shared = ("fit_intercept", "positive", "tol", "max_iter", "selection")
    objective = objective_of(
        ElasticNet(precompute=precompute, **{key: params[key] for key in shared})
    )
    if isinstance(objective, str):
        return objective.replace("ElasticNet", name)
    shares = np.atleast_1d(params.get("l1_ratio", 1.0))
    if not all(is_number(share) and 0 < share <= 1 for share in shares):
        return f"{name} without an L1 penalty is not covered."
    given, eps = params["alphas"], params["eps"]
    if isinstance(given, int | np.integer):
        if not (is_number(eps) and 0 < eps < 1):
            return f"{name} needs penalties in falling order."
        alphas, eps = np.full(int(given), np.nan), float(eps)
    else:
        alphas, eps = np.sort(np.asarray(given, dtype=np.float64).reshape(-1))[::-1], 0.0
        if not alphas.size or not (alphas.min() > 0 and np.isfinite(alphas).all()):
            return f"{name} without an L1 penalty is not covered."
    shares = np.asarray(shares, dtype=np.float64)
    return Grid(objective, shares, np.tile(alphas, (shares.size, 1)), eps)


# Without effect: copy_X, n_jobs, verbose, and random_state with cyclic selection.
_KNOWN = {
    "alphas",
    "copy_X",
    "cv",
    "eps",
    "fit_intercept",
    "l1_ratio",
    "max_iter",
    "n_jobs",
    "positive",
    "precompute",
    "random_state",
    "selection",
    "tol",
    "verbose",
}
