"""Where the solver of the estimator stops.

All solvers covered stop where no entry of the gradient of the mean loss exceeds ``tol``, and that
bounds their responses, unless something else stops them first:

- lbfgs also stops when a step changes the mean loss by less than 64 ulp. A gradient of ``tol``
  leaves a decrease of about ``tol²/(2L)``, L the largest curvature of the mean loss. In 800 fits
  with tolerances down to 1e-8 (units and features of very different scales, correlated, with heavy
  tails) it stopped for that reason only where ``tol < 0.5 √(2L · 64 ulp)``. From `MARGIN` times
  that root on, the gradient is taken to come first.
- ``max_iter``. A model without two units took up to 2.8 times the iterations of the fit to all
  units; `SPARE` times as many must be allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from tlpo.arrays import FloatArray
from tlpo.engines.linear import Objective
from tlpo.engines.logistic.pairs import Reference
from tlpo.errors import EngineError
from tlpo.execution.diagnostics import WarningLog, recording

FTOL = 64.0 * float(np.finfo(float).eps)
MARGIN = 2.0
SPARE = 4


def require_known_stop(
    model: Any,
    objective: Objective,
    reference: Reference,
    y: npt.NDArray[Any],
    params: Mapping[str, Any],
) -> FloatArray:
    """Fit the estimator to all units, and refuse if ``tol`` does not say where its fits stop.

    Returns
    -------
    ndarray of shape (k,)
        Where this fit stopped.

    Raises
    ------
    EngineError
        With what the user could change.
    """
    X, weight = reference.X, reference.weight
    total = float(weight.sum())
    curvature = np.linalg.eigvalsh((X.T * weight) @ X / 4.0 + np.diag(reference.alpha))[-1] / total
    least = MARGIN * np.sqrt(2.0 * curvature * FTOL)
    if not objective.tol >= least:
        raise EngineError(
            f"With tol={objective.tol:.1e} on features of this scale, rounding decides where "
            f"LogisticRegression stops; with a scaler, or tol={least:.1e}, it would not."
        )
    n = X.shape[1] - objective.intercept
    with recording(WarningLog()):
        fitted = clone(model).fit(X[:, :n], y, **params)
    n_iter = int(np.max(fitted.n_iter_))
    if SPARE * n_iter > objective.max_iter:
        raise EngineError(
            f"LogisticRegression took {n_iter} of at most {objective.max_iter} iterations on all "
            "units, and where it stops at that limit is unknown; scale the features or pass "
            f"max_iter={SPARE * n_iter} or more."
        )
    theta = np.append(fitted.coef_[0], fitted.intercept_[: int(objective.intercept)])
    if (y == fitted.classes_[0])[reference.target > 0].any():
        theta = -theta
    left = np.abs(_gradient(reference, theta)).max() / total
    if not left <= objective.tol * (1.0 + 1e-6):
        raise EngineError(
            f"LogisticRegression stopped where its gradient is {left:.1e}, not at "
            f"tol={objective.tol:.1e}."
        )
    return theta


def _gradient(reference: Reference, theta: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        p = 1.0 / (1.0 + np.exp(-reference.X @ theta))
    error = reference.weight * (p - reference.target)
    return np.asarray(error @ reference.X + reference.alpha * theta)
