"""Which boosting is covered."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from tlpo.engines.trees.settings import why_not_covered

ESTIMATORS = frozenset({GradientBoostingClassifier, GradientBoostingRegressor})
# By their numbers in `stages`. The log loss of several classes is another.
LOSSES = ("squared_error", "log_loss", "exponential")
MULTINOMIAL = len(LOSSES)


def why_not_boosted(estimator: Any, K: int) -> str | None:
    """Say why an estimator of K responses is not covered, or None if it is."""
    why = why_not_covered(estimator, _KNOWN)
    if why is not None:
        return why
    name = type(estimator).__name__
    if estimator.loss not in LOSSES:
        return f"{name} with loss={estimator.loss!r} is not covered."
    if K > 1 and estimator.loss == "exponential":
        return f"{name} with loss='exponential' takes two classes only."
    if not (estimator.init is None or estimator.init == "zero"):
        return f"{name} that starts from another model (init) is not covered."
    if estimator.n_iter_no_change is not None:
        return f"{name} that stops early (n_iter_no_change) is not covered."
    if estimator.criterion != "deprecated":
        return f"{name} with a criterion, which scikit-learn ignores, is not covered."
    return None


# Without effect: verbose, and warm_start, because every fit starts from a clone; alpha with these
# losses; tol and validation_fraction without early stopping.
_KNOWN = frozenset(
    {
        "alpha",
        "ccp_alpha",
        "criterion",
        "init",
        "learning_rate",
        "loss",
        "max_depth",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "min_samples_leaf",
        "min_samples_split",
        "min_weight_fraction_leaf",
        "n_estimators",
        "n_iter_no_change",
        "random_state",
        "subsample",
        "tol",
        "validation_fraction",
        "verbose",
        "warm_start",
    }
)
