"""Which support vector machines are covered, and what they ask of libsvm.

Exact types only, and every parameter is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from tlpo.engines.parameters import is_number

ESTIMATORS = frozenset({SVC, NuSVC, SVR, NuSVR})
# In libsvm's order, which `paths` shares.
LOSSES: dict[type, int] = {SVC: 0, NuSVC: 1, SVR: 2, NuSVR: 3}
KERNELS = {"linear": 0, "precomputed": 0, "rbf": 1, "poly": 2, "sigmoid": 3}


@dataclass(frozen=True)
class Objective:
    """What a support vector machine minimises, and when its solver stops.

    Attributes
    ----------
    loss : int
        Which machine it is.
    C, nu, epsilon
        Its parameters, where it has them.
    kernel : int
        The kernel.
    is_given : bool
        Whether X is the kernel.
    gamma : float or str
        The factor of the kernel's argument: a number, "scale" or "auto".
    coef0, degree
        Of the kernel.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    tol, shrinking, max_iter
        How the solver works.
    """

    loss: int
    C: float
    nu: float
    epsilon: float
    kernel: int
    is_given: bool
    gamma: float | str
    coef0: float
    degree: int
    class_weight: Any
    tol: float
    shrinking: bool
    max_iter: int

    @property
    def is_classifier(self) -> bool:
        """Whether it learns classes."""
        return self.loss < LOSSES[SVR]

    @property
    def is_gaussian(self) -> bool:
        """Whether the kernel is one of distances."""
        return self.kernel == KERNELS["rbf"]


def objective_of(estimator: Any) -> Objective | str:
    """Return what an estimator minimises, or why that is not covered."""
    kind = type(estimator)
    name = kind.__name__
    params: dict[str, Any] = {key: getattr(estimator, key, None) for key in kind._get_param_names()}
    unknown = sorted(set(params) - _KNOWN)
    if unknown:
        return f"The path of {name} does not cover its parameter {unknown[0]!r}."
    if not isinstance(params["kernel"], str) or params["kernel"] not in KERNELS:
        return f"The path of {name} does not cover a kernel of your own."
    numbers = {key: params.get(key, 1.0) for key in ("C", "nu", "epsilon", "tol", "coef0")}
    if not all(is_number(value) and np.isfinite(value) for value in numbers.values()):
        return f"The path of {name} needs finite numbers."
    if not all(numbers[key] > 0 for key in ("C", "nu", "tol")):
        return f"The path of {name} needs positive numbers for C, nu and tol."
    gamma = params["gamma"]
    if gamma not in ("scale", "auto") and not (is_number(gamma) and 0 <= gamma < np.inf):
        return f"The path of {name} does not cover gamma={gamma!r}."
    for key in ("degree", "max_iter"):
        if not isinstance(params[key], int | np.integer):
            return f"The path of {name} needs a whole number for {key}."
    weight = params.get("class_weight")
    if isinstance(weight, dict):
        if not all(is_number(value) and 0 < value < np.inf for value in weight.values()):
            return "Class weights that are not positive numbers are not covered."
    elif weight is not None and weight != "balanced":
        return f"The class weight {weight!r} is not covered."
    return Objective(
        LOSSES[kind],
        float(numbers["C"]),
        float(numbers["nu"]),
        float(numbers["epsilon"]),
        KERNELS[params["kernel"]],
        params["kernel"] == "precomputed",
        gamma if isinstance(gamma, str) else float(gamma),
        float(numbers["coef0"]),
        int(params["degree"]),
        weight or None,
        float(numbers["tol"]),
        bool(params["shrinking"]),
        int(params["max_iter"]),
    )


# Without effect on the decision function of two classes: break_ties, decision_function_shape,
# probability and random_state; on any result: cache_size, verbose.
_KNOWN = {
    "C",
    "break_ties",
    "cache_size",
    "class_weight",
    "coef0",
    "decision_function_shape",
    "degree",
    "epsilon",
    "gamma",
    "kernel",
    "max_iter",
    "nu",
    "probability",
    "random_state",
    "shrinking",
    "tol",
    "verbose",
}
