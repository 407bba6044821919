"""Calibration and net benefit, from pooled out-of-fold probabilities: not from the tournament."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from tlpo.arrays import BoolArray, FloatArray
from tlpo.execution.fits import Fitter
from tlpo.problem.problem import make_problem
from tlpo.report.models import Model
from tlpo.report.understand import Sample

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
N_BINS = 5


def describe_probabilities(model: Model, sample: Sample, seed: int) -> dict[str, Any] | None:
    """Return calibration and net benefit, or None if the model gives no probabilities."""
    if not hasattr(model.estimator, "predict_proba"):
        return None
    is_positive = sample.labels.is_positive
    folds = min(10, sample.labels.n_positive, sample.labels.n_negative)
    try:
        p = _out_of_fold(model, sample, folds, seed)
    except ValueError:  # a training set with a single class
        return None
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


def _out_of_fold(model: Model, sample: Sample, folds: int, seed: int) -> FloatArray:
    """Return the probability of the positive label from models that did not see the patient.

    Not by scikit-learn's cross_val_predict, which keeps the arrays that models return: a model may
    go on to write into them.
    """
    problem = make_problem(model.features(sample), sample.y, positive=sample.labels.positive)
    fitter = Fitter(model.estimator, problem)
    kind = StratifiedKFold if sample.groups is None else StratifiedGroupKFold
    parts = kind(folds, shuffle=True, random_state=seed)
    p = np.empty(problem.n_units)
    for train, test in parts.split(np.zeros((problem.n_units, 1)), problem.y, sample.groups):
        if np.unique(problem.y[train]).size < 2:
            raise ValueError("a training set with a single class")
        fitted = fitter.fit(train)
        answers = np.asarray(fitted.predict_proba(problem.rows(test)), dtype=np.float64)
        p[test] = answers[:, list(fitted.classes_).index(sample.labels.positive)]
    return p


def _net_benefit(called: BoolArray, is_positive: BoolArray, threshold: float) -> float:
    m = is_positive.size
    true, false = np.sum(called & is_positive) / m, np.sum(called & ~is_positive) / m
    return float(true - false * threshold / (1 - threshold))
