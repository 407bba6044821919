"""Samples whose truth is known: two classes, features, learners, and what a model is worth.

Features are standard normal; on the signal features the class means are ±½. A linear model with
weights w then has the AUC ``Φ(wᵀδ / (√2 ‖w‖))``, δ one on the signal features, and the ROC curve of
two normal classes ``wᵀδ/‖w‖`` standard deviations apart. Other features and models are judged by a
test set. A model of features without signal is worth ½, whatever it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from sklearn.base import clone

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Predictions
from tlpo.execution.diagnostics import Diagnostics
from tlpo.experiments.logistic import NewtonLogistic, held_out_table
from tlpo.learners import RLS, InverseDistanceKNN
from tlpo.problem.labels import Labels
from tlpo.response import outcomes
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import roc_curve, sensitivity_at, wmw_auc
from tlpo.schedule import all_pairs
from tlpo.schemes.tournament import tournament
from tlpo.standings import tally

Features = Literal["normal", "skewed", "binary"]
# Units of either class in a test set: fewer where a unit has many features.
TEST_ENTRIES = 2_000_000
MOST_TEST_UNITS = 5_000
LINEAR = ("ridge", "stiff ridge", "logistic")


@dataclass(frozen=True)
class Setting:
    """One kind of sample, and the learner it is given to.

    Attributes
    ----------
    learner : str
        ``"ridge"``, ``"stiff ridge"``, ``"knn"``, ``"logistic"``, ``"forest"`` or ``"boosting"``.
    n_units : int
        Units, m.
    fraction : float
        Share of positives.
    n_features, n_signal : int
        Features, and how many of them differ between the classes.
    features : {"normal", "skewed", "binary"}
        Their distribution.
    """

    learner: str
    n_units: int
    fraction: float
    n_features: int
    n_signal: int
    features: Features = "normal"

    @property
    def n_positive(self) -> int:
        """Number of positive units."""
        return round(self.n_units * self.fraction)

    @property
    def name(self) -> str:
        """One word that tells settings apart."""
        share = round(100 * self.fraction)
        own = "" if self.features == "normal" else f"-{self.features}"
        return f"{self.learner}-{self.n_units}-{share}-{self.n_features}-{self.n_signal}{own}"

    @property
    def seed(self) -> list[int]:
        """Return numbers that a generator of this setting starts from."""
        return list(self.name.encode())

    def rng(self, repetition: int, seed: int = 0) -> np.random.Generator:
        """Return the generator of one repetition, the same in any order and on any core."""
        series = () if seed == 0 else (seed,)
        return np.random.default_rng(
            np.random.SeedSequence([repetition, *self.seed], spawn_key=series)
        )

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
        """Draw a sample."""
        y = np.arange(self.n_units) < self.n_positive
        return self.draw_features(rng, y), y

    def draw_features(self, rng: np.random.Generator, y: BoolArray) -> FloatArray:
        """Draw features of units whose classes are given."""
        shape = (y.size, self.n_features)
        if self.features == "binary":
            share = np.full(shape, 0.4)
            share[:, : self.n_signal] += np.where(y, 0.15, -0.15)[:, None]
            return (rng.random(shape) < share).astype(float)
        X = rng.normal(size=shape)
        if self.features == "skewed":  # log-normal with mean 0 and variance 1
            X = (np.exp(X) - np.exp(0.5)) / np.sqrt((math.e - 1.0) * math.e)
        X[:, : self.n_signal] += np.where(y, 0.5, -0.5)[:, None]
        return X

    @property
    def estimator(self) -> Any:
        """The learner."""
        if self.learner in ("ridge", "stiff ridge"):
            return RLS(1.0 if self.learner == "ridge" else 100.0)
        if self.learner == "knn":
            return InverseDistanceKNN(3)
        if self.learner == "logistic":
            return NewtonLogistic()
        from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

        if self.learner == "forest":
            return RandomForestClassifier(10, random_state=0)
        if self.learner == "boosting":
            return GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0)
        raise ValueError(f"no learner {self.learner!r}")

    def play(self, X: FloatArray, y: BoolArray) -> Tournament:
        """Play the tournament of a sample."""
        if self.learner != "logistic":
            return tournament(self.estimator, X, y, n_jobs=1)
        return as_tournament(held_out_table(X, y), y)

    @cached_property
    def test_set(self) -> tuple[FloatArray, BoolArray]:
        """Units that judge models which have no closed form; the same in all repetitions."""
        size = min(MOST_TEST_UNITS, TEST_ENTRIES // (2 * self.n_features))
        y = np.arange(2 * size) < size
        return self.draw_features(np.random.default_rng(self.seed), y), y

    def truth(self, X: FloatArray, y: BoolArray) -> Truth:
        """Return what the model that learns from the whole sample is worth."""
        if self.n_signal == 0:
            return NormalTruth(0.0, self.fraction)
        model = clone(self.estimator)
        model.fit(X, np.where(y, 1.0, -1.0))
        if self.features == "normal" and self.learner in LINEAR:
            w = model.coef_
            return NormalTruth(float(w[: self.n_signal].sum() / np.linalg.norm(w)), self.fraction)
        X_test, y_test = self.test_set
        if hasattr(model, "decision_function"):
            scores = model.decision_function(X_test)
        elif hasattr(model, "predict_proba"):
            scores = model.predict_proba(X_test)[:, 1]
        else:
            scores = model.predict(X_test)
        return TestTruth(np.asarray(scores), y_test, self.fraction)


@dataclass(frozen=True)
class GroupedSetting:
    """Patients with several images each, which resemble each other; ridge leaves out patients.

    Attributes
    ----------
    n_patients, n_images : int
        Patients, half of them positive, and images of each.
    n_features : int
        Features, all with signal.
    """

    n_patients: int
    n_images: int
    n_features: int

    @property
    def name(self) -> str:
        """One word that tells settings apart."""
        return f"ridge-{self.n_patients}x{self.n_images}-{self.n_features}"

    def draw(self, repetition: int) -> tuple[FloatArray, BoolArray, IntArray]:
        """Draw features, classes and patients."""
        rng = np.random.default_rng([repetition, *self.name.encode()])
        groups = np.repeat(np.arange(self.n_patients), self.n_images)
        y = groups % 2 == 1
        own = rng.normal(size=(self.n_patients, self.n_features))
        X = own[groups] + 0.2 * rng.normal(size=(y.size, self.n_features))
        return X + np.where(y, 0.5, -0.5)[:, None], y, groups

    def play(self, X: FloatArray, y: BoolArray, groups: IntArray) -> Tournament:
        """Play the tournament, with one fit for every pair of patients."""
        F = np.full((y.size, y.size), np.nan)
        Z, signs = np.column_stack([X, np.ones(y.size)]), np.where(y, 1.0, -1.0)
        for a in range(self.n_patients):
            for b in range(a, self.n_patients):
                train = (groups != a) & (groups != b)
                gram = Z[train].T @ Z[train] + np.eye(Z.shape[1])
                f = Z @ np.linalg.solve(gram, Z[train].T @ signs[train])
                one, other = np.flatnonzero(groups == a), np.flatnonzero(groups == b)
                F[np.ix_(one, other)] = f[one][:, None]
                F[np.ix_(other, one)] = f[other][:, None]
        np.fill_diagonal(F, np.nan)
        return as_tournament(F, y, groups)

    def truth(self, X: FloatArray, y: BoolArray) -> NormalTruth:
        """Return what the model of the whole sample is worth in images of new patients."""
        w = RLS().fit(X, np.where(y, 1.0, -1.0)).coef_
        return NormalTruth(float(w.sum() / (np.sqrt(1.04) * np.linalg.norm(w))), 0.5)


def as_tournament(F: FloatArray, y: BoolArray, groups: IntArray | None = None) -> Tournament:
    """Let held-out predictions play."""
    pairs = all_pairs(y.size)
    first, second = pairs.T
    return Tournament(
        standings=tally(pairs, outcomes(F[first, second], F[second, first]), y),
        labels=Labels(y, False, True),
        table=Predictions.of_table(F),
        engine="simulation",
        diagnostics=Diagnostics(),
        estimator_name="simulation",
        groups=groups,
    )


class Truth(Protocol):
    """What a model is worth on units it has never seen."""

    @property
    def auc(self) -> float:
        """Area under its ROC curve."""
        ...

    def sensitivity_at(self, specificity: float) -> float:
        """Read its ROC curve."""
        ...

    def specificity_at(self, sensitivity: float) -> float:
        """Read its ROC curve the other way."""
        ...

    def rates_at_share(self, share: float) -> tuple[float, float]:
        """Sensitivity and specificity at the threshold that a share of all units lies below."""
        ...


@dataclass(frozen=True)
class NormalTruth:
    """Two normal classes with variance one, so far apart."""

    distance: float
    fraction: float

    @property
    def auc(self) -> float:
        """Area under the ROC curve."""
        return float(ndtr(self.distance / np.sqrt(2.0)))

    def sensitivity_at(self, specificity: float) -> float:
        """Read the ROC curve."""
        return float(ndtr(self.distance + ndtri(1.0 - specificity)))

    def specificity_at(self, sensitivity: float) -> float:
        """Read the ROC curve the other way; it is symmetric."""
        return self.sensitivity_at(sensitivity)

    def rates_at_share(self, share: float) -> tuple[float, float]:
        """Sensitivity and specificity at the threshold that a share of all units lies below."""
        half = self.distance / 2.0

        def below(x: float) -> float:
            return float(self.fraction * ndtr(x - half) + (1.0 - self.fraction) * ndtr(x + half))

        x = brentq(lambda x: below(x) - share, -12.0 - half, 12.0 + half)
        return float(ndtr(half - x)), float(ndtr(x + half))


@dataclass(frozen=True, eq=False)
class TestTruth:
    """Scores of a test set."""

    __test__ = False  # not a test, whatever pytest makes of the name

    scores: FloatArray
    is_positive: BoolArray
    fraction: float

    @cached_property
    def auc(self) -> float:
        """Area under the ROC curve."""
        return wmw_auc(self.scores, self.is_positive)

    def sensitivity_at(self, specificity: float) -> float:
        """Read the ROC curve."""
        return sensitivity_at(self._curve, specificity, interpolate=True)

    def specificity_at(self, sensitivity: float) -> float:
        """Read the ROC curve the other way."""
        fpr, tpr, _ = self._curve
        return float(1.0 - np.interp(sensitivity, tpr, fpr))

    def rates_at_share(self, share: float) -> tuple[float, float]:
        """Sensitivity and specificity at the threshold that a share of all units lies below."""
        fpr, tpr, _ = self._curve
        above = self.fraction * tpr + (1.0 - self.fraction) * fpr
        return (
            float(np.interp(1.0 - share, above, tpr)),
            float(1.0 - np.interp(1.0 - share, above, fpr)),
        )

    @cached_property
    def _curve(self) -> Any:
        return roc_curve(self.scores, self.is_positive)
