"""Which elastic-net Cox regressions are covered, and the path of penalties each follows.

scikit-survival's ``CoxnetSurvivalAnalysis`` minimises, on n training units,

    −log L(w)/n + α Σ_j f_j [ρ |w_j| + ½ (1 − ρ) w_j²]

with Breslow's likelihood, along a path of penalties α of which the last one predicts. The exact
type only, and every parameter is checked.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.engines.parameters import is_number

# Versions of scikit-survival whose solver `path` follows.
FOLLOWED_VERSIONS = ((0, 28),)
# Tolerances below this are decided by rounding.
LEAST_TOL = 1e-12
# The solver does not tell smaller penalties from 0.
LEAST_ALPHA = 1e-12


@dataclass(frozen=True)
class Objective:
    """What a model minimises, and when its solver stops.

    Attributes
    ----------
    alphas : ndarray of shape (L,)
        The path of penalties; only its length counts if the solver makes one.
    makes_path : bool
        Whether the solver does, from the largest penalty of every training set.
    least : float
        The smallest penalty of such a path relative to the largest; 0 if that depends on the
        numbers of units and columns.
    share : float
        The share of L1, ρ.
    factors : ndarray or None
        How much more than others each column is penalised; None if all are alike.
    normalize : bool
        Whether columns are divided by their lengths.
    tol, max_iter
        When the solver stops.
    """

    alphas: FloatArray
    makes_path: bool
    least: float
    share: float
    factors: FloatArray | None
    normalize: bool
    tol: float
    max_iter: int

    def least_of(self, n: int, p: int) -> float:
        """Return the smallest penalty of a path, relative to the largest."""
        return self.least or (1e-4 if n > p else 1e-2)


def objective_of(model: Any) -> Objective | str:
    """Return what a model minimises, or why that is not covered."""
    name = type(model).__name__
    version = sys.modules["sksurv"].__version__
    if tuple(map(int, version.split(".")[:2])) not in FOLLOWED_VERSIONS:
        return f"Where {name} of scikit-survival {version} stops is not known."
    unknown = sorted(set(model.get_params(deep=False)) - _KNOWN)
    if unknown:
        return f"The path of {name} does not cover its parameter {unknown[0]!r}."
    if not (is_number(model.l1_ratio) and 0 < model.l1_ratio <= 1):
        return f"{name} needs an l1_ratio above 0 and up to 1, not {model.l1_ratio!r}."
    if not (is_number(model.tol) and model.tol >= LEAST_TOL):
        return (
            f"Where {name} stops with tol={model.tol!r} is decided by rounding; with one from "
            f"{LEAST_TOL:g} on it is known."
        )
    if not (is_number(model.max_iter) and model.max_iter >= 1):
        return f"{name} needs a max_iter of 1 or more, not {model.max_iter!r}."
    if model.verbose:
        return f"{name} with verbose={model.verbose!r} reports its own fits."
    alphas = _alphas_of(model)
    if isinstance(alphas, str):
        return alphas
    least = _least_of(model)
    if isinstance(least, str):
        return least
    factors = None
    if model.penalty_factor is not None:
        factors = _numbers_in(model.penalty_factor)
        if factors is None or not (factors.min() >= 0 and 0 < factors.sum() < np.inf):
            return f"{name} needs a penalty_factor of non-negative numbers, one for each column."
    return Objective(
        alphas=alphas,
        makes_path=model.alphas is None,
        least=least,
        share=float(model.l1_ratio),
        factors=factors,
        normalize=bool(model.normalize),
        tol=float(model.tol),
        max_iter=int(model.max_iter),
    )


def _alphas_of(model: Any) -> FloatArray | str:
    if model.alphas is None:
        if not (is_number(model.n_alphas) and model.n_alphas >= 2):
            return f"A path of n_alphas={model.n_alphas!r} penalties is not covered."
        return np.empty(int(model.n_alphas))
    alphas = _numbers_in(model.alphas)
    if alphas is None or not (alphas.min() > LEAST_ALPHA and alphas.max() < np.inf):
        return f"{type(model).__name__} needs alphas that are positive numbers."
    return alphas


def _least_of(model: Any) -> float | str:
    least = model.alpha_min_ratio
    if isinstance(least, str) and least == "auto":
        return 0.0
    if model.alphas is not None or (is_number(least) and 0 < least < 1):
        return float(least)
    return f"A path of penalties with alpha_min_ratio={least!r} is not covered."


def _numbers_in(given: Any) -> FloatArray | None:
    """Return a list of numbers as an array, or None if it is not one."""
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and numbers.size else None


_KNOWN = {
    "alpha_min_ratio",
    "alphas",
    "copy_X",
    "fit_baseline_model",
    "l1_ratio",
    "max_iter",
    "n_alphas",
    "normalize",
    "penalty_factor",
    "tol",
    "verbose",
}
