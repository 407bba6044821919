"""Calibration and net benefit, from pooled out-of-fold probabilities: apart from the tournament."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict

from tlpo.arrays import BoolArray

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
N_BINS = 5


def describe_probabilities(
    estimator: Any,
    X: Any,
    y: Any,
    is_positive: BoolArray,
    positive: str,
    groups: Any,
    seed: int,
) -> dict[str, Any] | None:
    """Return calibration and net benefit, or None if the model gives no probabilities."""
    if not hasattr(estimator, "predict_proba"):
        return None
    smallest = int(min(is_positive.sum(), (~is_positive).sum()))
    folds = min(10, smallest)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(folds, shuffle=True, random_state=seed)
    try:
        answers = cross_val_predict(
            estimator, X, y, groups=groups, cv=splitter, method="predict_proba"
        )
    except ValueError:  # a fold without one of the classes
        return None
    classes = np.unique(y)
    p = answers[:, int(np.flatnonzero(classes == positive)[0])]
    edges = np.quantile(p, np.linspace(0, 1, N_BINS + 1))
    place = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, N_BINS - 1)
    bins = [
        {
            "predicted": float(p[place == k].mean()),
            "observed": float(is_positive[place == k].mean()),
            "units": int(np.sum(place == k)),
        }
        for k in range(N_BINS)
        if np.any(place == k)
    ]
    share = float(is_positive.mean())
    benefit = [
        {
            "threshold": t,
            "model": _net_benefit(p >= t, is_positive, t),
            "everybody": share - (1 - share) * t / (1 - t),
        }
        for t in THRESHOLDS
    ]
    return {
        "folds": folds,
        "brier": float(np.mean((p - is_positive) ** 2)),
        "brier_of_prevalence": share * (1 - share),
        "mean_predicted": float(p.mean()),
        "mean_observed": share,
        "bins": bins,
        "net_benefit": benefit,
    }


def _net_benefit(called: BoolArray, is_positive: BoolArray, threshold: float) -> float:
    m = is_positive.size
    true, false = np.sum(called & is_positive) / m, np.sum(called & ~is_positive) / m
    return float(true - false * threshold / (1 - threshold))
