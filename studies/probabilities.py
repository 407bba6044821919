"""Simulated cohorts for which the true calibration of a model is known.

Classes are drawn with the prevalence, not fixed: how often the outcome occurs is part of what
calibration is about. Features are standard normal, and on the signal features the class means are
±½, so the true log odds of a unit are those of the prevalence plus the sum of its signal features.
A patient may have several images, whose features scatter around his own; his class is that of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from studies.simulations import Simulation
from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.results.probabilities import Probabilities
from tlpo.schemes.tournament import tournament

N_TEST = 5_000
LEAST_PER_CLASS = 4
# Standard deviation of the images of a patient.
SCATTER = 0.2
# Fixed beforehand: log odds as a function of the true ones.
FIXED: dict[str, Callable[[FloatArray], FloatArray]] = {
    "right": lambda s: s,
    "too extreme": lambda s: 0.3 + 1.5 * s,
}


@dataclass(frozen=True)
class Cohort(Simulation):
    """A simulation whose class sizes are random; ``learner`` may be a name of `FIXED`.

    Attributes
    ----------
    n_images : int
        Units per patient; ``n_units`` is the number of patients.
    """

    n_images: int = 1

    @property
    def name(self) -> str:
        """Identify the setting in one word."""
        return super().name + (f"-x{self.n_images}" if self.n_images > 1 else "")

    @property
    def groups(self) -> IntArray | None:
        """The patient of every unit; None if each has one."""
        patients = np.arange(self.n_units)
        return np.repeat(patients, self.n_images) if self.n_images > 1 else None

    @property
    def estimator(self) -> Any:
        """The learner."""
        if self.learner == "logistic":
            from sklearn.linear_model import LogisticRegression

            return LogisticRegression(max_iter=1000, tol=1e-6)
        if self.learner == "LDA":
            from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

            return LinearDiscriminantAnalysis()
        return super().estimator

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
        """Draw a sample with enough units of either class."""
        while True:
            y = rng.random(self.n_units) < self.fraction
            if min(np.count_nonzero(y), np.count_nonzero(~y)) >= LEAST_PER_CLASS:
                y = np.repeat(y, self.n_images)
                return self.draw_features(rng, y), y

    def draw_features(self, rng: np.random.Generator, y: BoolArray) -> FloatArray:
        """Draw the features of units with given classes; those of a patient follow each other."""
        own = super().draw_features(rng, y[:: self.n_images])
        if self.n_images == 1:
            return own
        return np.repeat(own, self.n_images, axis=0) + SCATTER * rng.normal(
            size=(y.size, self.n_features)
        )

    def log_odds(self, X: FloatArray) -> FloatArray:
        """Return the true log odds of units."""
        variance = 1.0 if self.n_images == 1 else 1.0 + SCATTER**2
        return np.asarray(logit(self.fraction) + X[:, : self.n_signal].sum(axis=1) / variance)

    def judge(self, X: FloatArray, y: BoolArray) -> tuple[Probabilities, ProbabilityTruth]:
        """Return what a sample says about its model, and what is true of that model."""
        X_test = self.test_units
        true = expit(self.log_odds(X_test))
        if self.learner in FIXED:
            fixed = FIXED[self.learner]
            found = Probabilities(expit(fixed(self.log_odds(X))), y, self.groups)
            return found, ProbabilityTruth(expit(fixed(self.log_odds(X_test))), true)
        found = tournament(self.estimator, X, y, groups=self.groups, n_jobs=1).probabilities
        p = self.estimator.fit(X, y).predict_proba(X_test)[:, 1]
        return found, ProbabilityTruth(p, true)

    @cached_property
    def test_units(self) -> FloatArray:
        """Units that judge models; the same in all repetitions."""
        rng = np.random.default_rng(self.seed)
        y = np.repeat(rng.random(N_TEST // self.n_images) < self.fraction, self.n_images)
        return self.draw_features(rng, y)


@dataclass(frozen=True, eq=False)
class ProbabilityTruth:
    """What is true of the probabilities ``p`` of units whose true ones are ``true``."""

    p: FloatArray
    true: FloatArray

    @property
    def brier(self) -> float:
        """Expected Brier score."""
        return float(np.mean((self.p - self.true) ** 2 + self.true * (1.0 - self.true)))

    @property
    def scaled_brier(self) -> float:
        """Expected Brier score on the scale from always predicting the prevalence to perfect."""
        share = self.true.mean()
        return float(1.0 - self.brier / (share * (1.0 - share)))

    @property
    def observed_expected(self) -> float:
        """Ratio of true to predicted frequency."""
        return float(self.true.mean() / self.p.mean())

    @property
    def intercept(self) -> float:
        """Shift of the log odds that makes them right on average; NaN if there are none."""
        if not self._has_log_odds:
            return float("nan")
        s = logit(self.p)
        return float(brentq(lambda a: float(np.mean(self.true - expit(a + s))), -30.0, 30.0))

    @property
    def slope(self) -> float:
        """Slope of the logistic regression of labels on log odds; NaN if there are none."""
        if not self._has_log_odds:
            return float("nan")
        Z = np.column_stack([np.ones(self.p.size), logit(self.p)])
        theta = np.array([0.0, 1.0])
        for _ in range(100):
            q = expit(Z @ theta)
            step = np.linalg.solve((Z.T * (q * (1.0 - q))) @ Z, Z.T @ (self.true - q))
            theta += step * min(1.0, 1.0 / np.abs(step).max())
            if np.abs(step).max() < 1e-9:
                break
        return float(theta[1])

    def net_benefit(self, threshold: float) -> float:
        """Net benefit of treating at a threshold."""
        own = self.true - (1.0 - self.true) * threshold / (1.0 - threshold)
        return float(np.mean((self.p >= threshold) * own))

    @property
    def _has_log_odds(self) -> bool:
        return bool(np.all((self.p > 0) & (self.p < 1)))
