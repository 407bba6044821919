"""Which Cox regressions are covered, what they minimise, and where their solvers stop.

`tlpo.Cox` minimises up to rounding. scikit-survival's ``CoxPHSurvivalAnalysis`` takes full steps of
Newton's method from w = 0, goes back halfway where one has increased the loss, and stops after a
step that has changed the loss by a share of less than ``tol``. Exact types only, and every
parameter is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.engines.parameters import is_number
from tlpo.learners import Cox

# With a larger tolerance, a step may end by chance where the loss is about the same.
LARGEST_TOL = 1e-6
# scikit-survival drops penalties below this.
LEAST_ALPHA = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Objective:
    """What a Cox regression minimises, and when its solver stops.

    Attributes
    ----------
    alpha : float or ndarray of shape (n,)
        The penalty, of all columns or of each.
    efron : bool
        Whether events at the same time are treated by Efron's method, or by Breslow's.
    tol : float
        The share of the loss that the last step has changed; 0 if the solver goes on to rounding.
    n_iter : int
        The most steps of a solver that stops at a tolerance.
    """

    alpha: float | FloatArray
    efron: bool
    tol: float = 0.0
    n_iter: int = 0


def objective_of(model: Any) -> Objective | str:
    """Return what a model minimises, or why that is not covered."""
    alpha, ties = model.alpha, model.ties
    name = type(model).__name__
    if ties not in ("efron", "breslow"):
        return f"{name} does not know ties={ties!r}."
    if type(model) is Cox:
        if not (is_number(alpha) and 0 <= alpha < np.inf):
            return f"{name} needs a penalty that is a non-negative number."
        return Objective(float(alpha), ties == "efron")
    unknown = sorted(set(model.get_params(deep=False)) - _KNOWN)
    if unknown:
        return f"The solution of {name} does not cover its parameter {unknown[0]!r}."
    penalty = np.asarray(alpha, dtype=np.float64) if isinstance(alpha, np.ndarray) else alpha
    if not (is_number(penalty) or isinstance(penalty, np.ndarray)):
        return f"{name} needs a penalty that is a non-negative number, or an array of them."
    if not np.all((penalty >= 0) & (penalty < np.inf)):
        return f"{name} needs penalties that are non-negative numbers."
    if np.all(penalty < LEAST_ALPHA):
        penalty = 0.0
    if not (is_number(model.tol) and 0 < model.tol <= LARGEST_TOL):
        return (
            f"Where {name} stops with tol={model.tol!r} is unknown; with one up to "
            f"{LARGEST_TOL:g} it is known."
        )
    if model.verbose:
        return f"{name} with verbose={model.verbose!r} reports its own fits."
    own = penalty if isinstance(penalty, np.ndarray) else float(penalty)
    return Objective(own, ties == "efron", float(model.tol), int(model.n_iter))


_KNOWN = {"alpha", "n_iter", "ties", "tol", "verbose"}
