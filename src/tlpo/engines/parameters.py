"""Parameters of scikit-learn's estimators that several engines read."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn

# Those of LogisticRegression from version 1.7 on. Some have no effect on two classes: n_jobs,
# verbose; and warm_start, because every fit starts from a clone.
OF_LOGISTIC_REGRESSION = frozenset(
    {
        "C",
        "class_weight",
        "dual",
        "fit_intercept",
        "intercept_scaling",
        "l1_ratio",
        "max_iter",
        "multi_class",
        "n_jobs",
        "penalty",
        "random_state",
        "solver",
        "tol",
        "verbose",
        "warm_start",
    }
)

# Those of LogisticRegressionCV, likewise.
OF_LOGISTIC_REGRESSION_CV = (OF_LOGISTIC_REGRESSION - {"C", "l1_ratio", "warm_start"}) | {
    "Cs",
    "cv",
    "l1_ratios",
    "refit",
    "scoring",
    "use_legacy_attributes",
}


def is_number(value: Any) -> bool:
    """Return whether a parameter is a number, which a truth value is not."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def why_not_weight(class_weight: Any) -> str | None:
    """Return why weights of classes are not covered, as a sentence, or None if they are.

    Examples
    --------
    >>> why_not_weight("balanced") is None
    True
    >>> why_not_weight({1: 0.0})
    'Class weights that are not positive numbers are not covered.'
    """
    if isinstance(class_weight, dict):
        if all(is_number(value) and 0 < value < np.inf for value in class_weight.values()):
            return None
        return "Class weights that are not positive numbers are not covered."
    if class_weight is None or class_weight == "balanced":
        return None
    return f"The class weight {class_weight!r} is not covered."


def is_scikit_learn(*versions: tuple[int, int]) -> bool:
    """Return whether the scikit-learn in use is of one of some versions."""
    return tuple(map(int, sklearn.__version__.split(".")[:2])) in versions
