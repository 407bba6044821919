"""Simulated samples for which the true performance of a model is known.

Features are standard normal; on the signal features the class means are ±½. A linear model with
weights w then has the AUC ``Φ(wᵀδ / (√2 ‖w‖))``, where δ is one on the signal features and zero
elsewhere, and its ROC curve is that of two normal classes ``wᵀδ/‖w‖`` standard deviations apart.
Other features and models are judged on a test set. Without signal every model has an AUC of ½.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from studies import bayes, components, logistic
from studies.logistic import NewtonLogistic
from studies.trees import boosting_table, forest_scores, forest_tables, tree_table
from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import Halves, Predictions
from tlpo.execution.diagnostics import Diagnostics
from tlpo.experiments.samples import Setting
from tlpo.games.response import fit_and_respond, outcomes
from tlpo.games.schedule import all_pairs
from tlpo.games.standings import tally
from tlpo.learners import RLS, InverseDistanceKNN
from tlpo.problem.outcome import Classes
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve, roc_curve, sensitivity_at, specificity_at, wmw_auc
from tlpo.schemes.tournament import tournament

Features = Literal["normal", "skewed", "binary", "ordinal", "heavy-tailed", "correlated"]
# Units per class in a test set: fewer where units have many features.
TEST_ENTRIES = 2_000_000
MOST_TEST_UNITS = 5_000
LINEAR = ("ridge", "stiff ridge", "logistic")
DEPTHS = (1, 2, 3, 4, 5)
N_BOOSTED = 20
N_COMPONENTS = 3


def _tree(depth: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=depth, random_state=0)


def _neighbours(k: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(k)


def _forest(n_trees: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_trees, random_state=0)


def _boosting() -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=N_BOOSTED, max_depth=2, random_state=0)


def _bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _svc() -> Any:
    from sklearn.svm import SVC

    return SVC()


def _least_squares() -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _selection() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.feature_selection import SelectKBest
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SelectKBest(k=3), LinearDiscriminantAnalysis())


def _pca() -> Any:
    from sklearn.decomposition import PCA
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(PCA(N_COMPONENTS), RidgeClassifier())


LEARNERS: dict[str, Callable[[], Any]] = {
    **{f"{k}-NN": partial(_neighbours, k) for k in (1, 3, 5, 11, 25)},
    **{f"tree of depth {d}": partial(_tree, d) for d in DEPTHS},
    "forest": partial(_forest, 10),
    "forest of 100": partial(_forest, 100),
    "boosting": _boosting,
    "naive Bayes": _bayes,
    "SVC": _svc,
    "least squares": _least_squares,
    "selection + LDA": _selection,
    "PCA + ridge": _pca,
}
# Held-out predictions without refitting, and the largest value these can take.
TABLES: dict[str, tuple[Callable[[FloatArray, BoolArray], FloatArray], float]] = {
    "logistic": (logistic.held_out_table, math.inf),
    "naive Bayes": (bayes.held_out_table, 1.0),
    "PCA + ridge": (partial(components.held_out_table, n_components=N_COMPONENTS), math.inf),
    "boosting": (partial(boosting_table, n_trees=N_BOOSTED, depth=2), math.inf),
    **{f"tree of depth {d}": (partial(tree_table, depth=d), 1.0) for d in DEPTHS},
}
# Forests, by their number of trees.
TREES = {"forest": 10, "forest of 100": 100}


@dataclass(frozen=True)
class Simulation(Setting):
    """A setting with more learners, more kinds of features, and a known truth.

    Attributes
    ----------
    learner : str
        A name of `LEARNERS`, ``"ridge"``, ``"stiff ridge"``, ``"knn"`` (inverse distance) or
        ``"logistic"``.
    n_units : int
        Units, m.
    fraction : float
        Share of positives.
    n_features, n_signal : int
        Features, and how many of them differ between the classes.
    features : {"normal", "skewed", "binary", "ordinal", "heavy-tailed", "correlated"}
        Their distribution.
    """

    features: Features = "normal"

    @property
    def name(self) -> str:
        """Identify the setting in one word."""
        return super().name + ("" if self.features == "normal" else f"-{self.features}")

    def draw_features(self, rng: np.random.Generator, y: BoolArray) -> FloatArray:
        """Draw the features of units whose classes are given."""
        if self.features == "normal":
            return super().draw_features(rng, y)
        shape = (y.size, self.n_features)
        if self.features == "binary":
            share = np.full(shape, 0.4)
            share[:, : self.n_signal] += np.where(y, 0.15, -0.15)[:, None]
            return (rng.random(shape) < share).astype(float)
        shift = np.where(y, 0.5, -0.5)[:, None]
        if self.features == "ordinal":  # four grades
            X = rng.normal(size=shape)
            X[:, : self.n_signal] += shift
            return np.clip(np.round(X), -1.0, 2.0)
        if self.features == "heavy-tailed":
            X = rng.standard_t(3, size=shape)
            X[:, : self.n_signal] += shift
            return X
        if self.features == "correlated":  # correlation ½ between any two
            X = np.sqrt(0.5) * (rng.normal(size=shape) + rng.normal(size=(y.size, 1)))
            X[:, : self.n_signal] += shift
            return X
        # Log-normal with mean 0 and variance 1.
        X = (np.exp(rng.normal(size=shape)) - np.exp(0.5)) / np.sqrt((math.e - 1.0) * math.e)
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
        return LEARNERS[self.learner]()

    @property
    def is_lumpy(self) -> bool:
        """Whether responses take only a few values, so that not every rate can be attained."""
        return self.learner in LEARNERS or self.features in ("binary", "ordinal")

    def play(self, X: FloatArray, y: BoolArray) -> Tournament:
        """Play the tournament of a sample."""
        if self.learner in TREES:
            F, halves = forest_tables(X, y, TREES[self.learner])
            return as_tournament(F, y, ceiling=1.0, halves=halves)
        if self.learner not in TABLES:
            return tournament(self.estimator, X, y, n_jobs=1)
        table, ceiling = TABLES[self.learner]
        return as_tournament(table(X, y), y, ceiling=ceiling)

    @cached_property
    def test_set(self) -> tuple[FloatArray, BoolArray]:
        """Units that judge models without a closed form; the same in all repetitions."""
        size = min(MOST_TEST_UNITS, TEST_ENTRIES // (2 * self.n_features))
        y = np.arange(2 * size) < size
        return self.draw_features(np.random.default_rng(self.seed), y), y

    def truth(self, X: FloatArray, y: BoolArray) -> Truth:
        """Return the true performance of the model fitted to the whole sample."""
        if self.n_signal == 0 and not self.is_lumpy:
            return NormalTruth(0.0, self.fraction)
        if self.features == "normal" and self.learner in LINEAR:
            w = self.estimator.fit(X, np.where(y, 1.0, -1.0)).coef_
            return NormalTruth(float(w[: self.n_signal].sum() / np.linalg.norm(w)), self.fraction)
        X_test, y_test = self.test_set
        if self.learner in TREES:
            scores = forest_scores(X, y, TREES[self.learner], X_test)
            return TestTruth(scores, y_test, self.fraction)
        return TestTruth(fit_and_respond(self.estimator, X, y, X_test), y_test, self.fraction)


@dataclass(frozen=True)
class GroupedSimulation:
    """Patients with several similar images each; ridge leaves out whole patients.

    Attributes
    ----------
    n_patients, n_images : int
        Patients, half of them positive, and images per patient.
    n_features : int
        Features, all with signal.
    kind : {"", "unequal", "mixed", "mixed unequal"}
        Unequal: as many images, but some patients have several times as many as others. Mixed: the
        images of a patient have labels of their own, with a share of positives of his own.
    n_signal : int, optional
        How many features differ between the classes; by default all.
    """

    n_patients: int
    n_images: int
    n_features: int
    kind: str = ""
    n_signal: int | None = None

    @property
    def name(self) -> str:
        """Identify the setting in one word."""
        signal = "" if self.n_signal is None else f" ({self.n_signal})"
        kind = f"-{self.kind.replace(' ', '-')}" if self.kind else ""
        return f"ridge-{self.n_patients}x{self.n_images}-{self.n_features}{signal}{kind}"

    @property
    def n_shifted(self) -> int:
        """Number of features that differ between the classes."""
        return self.n_features if self.n_signal is None else self.n_signal

    @property
    def _shift(self) -> FloatArray:
        """By how much the class means differ."""
        return (np.arange(self.n_features) < self.n_shifted).astype(float)

    def draw(self, repetition: int) -> tuple[FloatArray, BoolArray, IntArray]:
        """Draw features, classes and patients."""
        rng = np.random.default_rng([repetition, *self.name.encode()])
        while True:
            groups, y = self._draw_labels(rng)
            if min(np.unique(groups[y]).size, np.unique(groups[~y]).size) > 1:
                break
        own = rng.normal(size=(self.n_patients, self.n_features))
        X = own[groups] + 0.2 * rng.normal(size=(y.size, self.n_features))
        return X + np.where(y, 0.5, -0.5)[:, None] * self._shift, y, groups

    def _draw_labels(self, rng: np.random.Generator) -> tuple[IntArray, BoolArray]:
        sizes = np.full(self.n_patients, self.n_images)
        if "unequal" in self.kind:
            share = rng.dirichlet(np.full(self.n_patients, 1.5))
            sizes = 1 + rng.multinomial(self.n_patients * (self.n_images - 1), share)
        groups = np.repeat(np.arange(self.n_patients), sizes)
        if "mixed" not in self.kind:
            return groups, groups % 2 == 1
        return groups, rng.random(groups.size) < rng.random(self.n_patients)[groups]

    def play(self, X: FloatArray, y: BoolArray, groups: IntArray) -> Tournament:
        """Play the tournament, with one fit for every pair of patients."""
        F = np.full((y.size, y.size), np.nan)
        Z, signs = np.column_stack([X, np.ones(y.size)]), np.where(y, 1.0, -1.0)
        members = [np.flatnonzero(groups == a) for a in range(self.n_patients)]
        grams = [Z[own].T @ Z[own] for own in members]
        sums = [Z[own].T @ signs[own] for own in members]
        gram, total = sum(grams) + np.eye(Z.shape[1]), sum(sums)
        for a, one in enumerate(members):
            for b, other in enumerate(members[: a + 1]):
                left, out = (
                    (grams[a], sums[a]) if a == b else (grams[a] + grams[b], sums[a] + sums[b])
                )
                f = Z @ np.linalg.solve(gram - left, total - out)
                F[np.ix_(one, other)] = f[one][:, None]
                F[np.ix_(other, one)] = f[other][:, None]
        np.fill_diagonal(F, np.nan)
        return as_tournament(F, y, groups)

    def truth(self, X: FloatArray, y: BoolArray) -> NormalTruth:
        """Return the true performance, on images of new patients, of the model fitted to all."""
        w = RLS().fit(X, np.where(y, 1.0, -1.0)).coef_
        return NormalTruth(float(w @ self._shift / (np.sqrt(1.04) * np.linalg.norm(w))), 0.5)


def as_tournament(
    F: FloatArray,
    y: BoolArray,
    groups: IntArray | None = None,
    ceiling: float = math.inf,
    halves: Halves | None = None,
) -> Tournament:
    """Play the tournament that held-out predictions decide."""
    pairs, labels = all_pairs(y.size), Classes(y, False, True)
    first, second = pairs.T
    labels = Classes(y, False, True)
    return Tournament(
        standings=tally(pairs, outcomes(F[first, second], F[second, first], ceiling), labels),
        labels=labels,
        _table=Predictions.of_table(F, ceiling, halves),
        engine="simulation",
        diagnostics=Diagnostics(),
        estimator_name="simulation",
        groups=groups,
    )


class Truth(Protocol):
    """Performance of a model on units it has not seen."""

    @property
    def auc(self) -> float:
        """Area under the ROC curve."""
        ...

    def sensitivity_at(self, specificity: float) -> float:
        """Sensitivity at a given specificity."""
        ...

    def specificity_at(self, sensitivity: float) -> float:
        """Specificity at a given sensitivity."""
        ...

    def rates_at_share(self, share: float) -> tuple[float, float]:
        """Sensitivity and specificity at the threshold below which a share of all units lies."""
        ...


@dataclass(frozen=True)
class NormalTruth:
    """Scores of two normal classes with variance one and means this distance apart."""

    distance: float
    fraction: float

    @property
    def auc(self) -> float:
        """Area under the ROC curve."""
        return float(ndtr(self.distance / np.sqrt(2.0)))

    def sensitivity_at(self, specificity: float) -> float:
        """Sensitivity at a given specificity."""
        return float(ndtr(self.distance + ndtri(1.0 - specificity)))

    def specificity_at(self, sensitivity: float) -> float:
        """Specificity at a given sensitivity; the curve is symmetric."""
        return self.sensitivity_at(sensitivity)

    def rates_at_share(self, share: float) -> tuple[float, float]:
        """Sensitivity and specificity at the threshold below which a share of all units lies."""
        half = self.distance / 2.0

        def below(x: float) -> float:
            return float(self.fraction * ndtr(x - half) + (1.0 - self.fraction) * ndtr(x + half))

        x = brentq(lambda x: below(x) - share, -12.0 - half, 12.0 + half)
        return float(ndtr(half - x)), float(ndtr(x + half))


@dataclass(frozen=True, eq=False)
class TestTruth:
    """Performance estimated from the scores of a test set."""

    __test__ = False  # pytest would collect it by its name

    scores: FloatArray
    is_positive: BoolArray
    fraction: float

    @cached_property
    def auc(self) -> float:
        """Area under the ROC curve."""
        return wmw_auc(self.scores, self.is_positive)

    def sensitivity_at(self, specificity: float) -> float:
        """Sensitivity at the best threshold that keeps a given specificity."""
        return sensitivity_at(self.curve, specificity)

    def specificity_at(self, sensitivity: float) -> float:
        """Specificity at the best threshold that keeps a given sensitivity."""
        return specificity_at(self.curve, sensitivity)

    def rates_at_share(self, share: float) -> tuple[float, float]:
        """Sensitivity and specificity at the threshold below which a share of all units lies."""
        fpr, tpr, _ = self.curve
        above = self.fraction * tpr + (1.0 - self.fraction) * fpr
        return (
            float(np.interp(1.0 - share, above, tpr)),
            float(1.0 - np.interp(1.0 - share, above, fpr)),
        )

    @cached_property
    def curve(self) -> RocCurve:
        """The ROC curve."""
        return roc_curve(self.scores, self.is_positive)
