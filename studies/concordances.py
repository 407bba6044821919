"""What studies of the concordance share: seeds, signals, patients, and how estimates are judged."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from studies.measure import Quantities, holds
from tlpo.arrays import FloatArray, IntArray
from tlpo.results.difference import Comparison
from tlpo.roc.difference import judge_difference as tested
from tlpo.roc.intervals import two_sided_quantile
from tlpo.schemes.kfold import kfold
from tlpo.schemes.leave_one_out import leave_one_out

LEVEL = 0.95


class Seeded(ABC):
    """A setting whose repetitions are the same in any order and on any core."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Identify the setting."""

    def rng(self, repetition: int) -> np.random.Generator:
        """Return the generator of one repetition."""
        return np.random.default_rng([repetition, *self.name.encode()])


def signal_of(X: FloatArray, n_signal: int, deviation: float = 1.0) -> FloatArray:
    """Return the sum of the first features, with a given standard deviation."""
    return np.asarray(deviation * X[:, :n_signal].sum(axis=1) / math.sqrt(n_signal))


def half_shared(rng: np.random.Generator, groups: IntArray, *shape: int) -> FloatArray:
    """Draw standard normal numbers of units; half of their variance is that of their group."""
    own = rng.normal(size=(int(groups.max()) + 1, *shape))[groups]
    return np.asarray(math.sqrt(0.5) * (own + rng.normal(size=(groups.size, *shape))))


def judge(
    estimate: float, low: float, high: float, placement_variance: float, truth: float
) -> Quantities:
    """Return the error of an estimate, and whether its interval contains the truth.

    The infinitesimal jackknife is the estimate ± 1.96 standard errors, models taken as fixed.
    """
    half = two_sided_quantile(LEVEL, None) * math.sqrt(placement_variance)
    return {
        "error": (estimate - truth, 0.0),
        "squared error": ((estimate - truth) ** 2, 0.0),
        "placement-jackknife": holds(low, high, truth),
        "miss below": (float(truth > high), 0.0),
        "miss above": (float(truth < low), 0.0),
        "infinitesimal jackknife": holds(estimate - half, estimate + half, truth),
    }


def judge_difference(found: Comparison, true: float) -> Quantities:
    """Return whether an interval contains a true difference, and whether the test rejects.

    Also by the geometric mean of the two variances, where that is larger.
    """
    assert found.jackknife_variance is not None
    assert found.placement_variance is not None
    mean = math.sqrt(found.placement_variance * found.jackknife_variance)
    variance = max(mean, found.variance)
    wide = tested(found.difference, variance, found.degrees_of_freedom, LEVEL)
    # Where intervals of both models widen the one of the difference, they widen this one too.
    low, high = min(wide.low, found.low), max(wide.high, found.high)
    return {
        "true difference": (true, 0.0),
        "interval of difference": holds(found.low, found.high, true),
        "rejected": (float(found.p_value <= 1 - LEVEL), 0.0),
        "interval by the geometric mean": holds(low, high, true),
        "rejected by the geometric mean": (
            float(max(wide.p_value, found.p_value) <= 1 - LEVEL),
            0.0,
        ),
    }


def other_estimates(
    model: Any, X: FloatArray, y: Any, repetition: int, **options: Any
) -> dict[str, float]:
    """Return the concordance by leave-one-out, and by 5-fold in two ways."""
    found = {"leave-one-out": leave_one_out(model, X, y, n_jobs=1, **options).concordance}
    for pooling in ("pooled", "averaged"):
        estimate = kfold(
            model, X, y, n_splits=5, pooling=pooling, random_state=repetition, n_jobs=1, **options
        )
        found[f"5-fold, {pooling}"] = estimate.concordance
    return found
