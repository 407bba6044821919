"""Measure coverage of intervals for several classes: M, AUCs of pairs and classes, differences.

    python -m studies.multiclass --csv docs/multiclass.csv
    python -m studies.multiclass_page

The first command measures (about an hour on one core), the second writes the tables of
docs/multiclass.md; ``make coverage-multiclass`` runs both. ``studies/measure.py`` says how an
interrupted run resumes.

Features are normal with unit variance. Of classes that are apart, each has its mean moved along a
feature of its own, as far as there are features: further classes share one, and are alike. The
others share the mean of all. The truth of a sample is what the model trained on all its units is
worth in 1 000 new units of every class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from studies.concordances import LEVEL, Seeded, half_shared, judge
from studies.measure import Measurement, Quantities, command
from tlpo.arrays import FloatArray, IntArray
from tlpo.games.response import fits_numbers
from tlpo.learners import RLS
from tlpo.results.comparison import compare
from tlpo.results.multiclass import Multiclass
from tlpo.roc.curve import wmw_auc
from tlpo.schemes.multiclass import multiclass

REPETITIONS = 1000
NEW_UNITS = 1000
M, PAIR, REST, DIFFERENCE = "M", "A(first, second)", "first against others", "difference of M"

LEARNERS: dict[str, Callable[[], Any]] = {
    "ridge": partial(RLS, 1.0),
    "LDA": LinearDiscriminantAnalysis,
    "naive Bayes": GaussianNB,
    "9 neighbours": partial(KNeighborsClassifier, 9),
}


@dataclass(frozen=True)
class ClassSimulation(Seeded):
    """Samples of several classes, and the learner they are given to.

    Attributes
    ----------
    learner, rival : str
        Names of `LEARNERS`: what is judged, and what it is compared with.
    sizes : tuple of int
        Units of every class.
    n_features : int
        Features.
    n_apart : int
        How many classes are apart from the mean of all: 0, 1 or all of them.
    shift : float
        How far they are moved, in standard deviations.
    n_units_a_patient : int
        Units of one class that belong to the same patient, and share half the variance of every
        feature; 0 if units are alone.
    """

    learner: str
    rival: str
    sizes: tuple[int, ...]
    n_features: int
    n_apart: int
    shift: float
    n_units_a_patient: int = 0

    @property
    def name(self) -> str:
        """Identify the setting."""
        sizes = "/".join(map(str, self.sizes))
        apart = {0: "no signal", 1: "one apart"}.get(self.n_apart, "all apart")
        patients = f", {self.n_units_a_patient} a patient" if self.n_units_a_patient else ""
        return (
            f"{self.learner}, {sizes}, {self.n_features} features, {apart} ({self.shift:g})"
            f"{patients}"
        )

    @cached_property
    def code(self) -> IntArray:
        """The class of every unit."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def groups(self) -> IntArray | None:
        """The patient of every unit."""
        if not self.n_units_a_patient:
            return None
        place = np.concatenate([np.arange(size) for size in self.sizes])
        return np.unique(
            np.column_stack([self.code, place // self.n_units_a_patient]),
            axis=0,
            return_inverse=True,
        )[1].reshape(-1)

    @cached_property
    def means(self) -> FloatArray:
        """The mean of every class."""
        means = np.zeros((len(self.sizes), self.n_features))
        for k in range(self.n_apart):
            means[k, k % self.n_features] = self.shift
        return means

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Draw the features of a sample."""
        if self.groups is None:
            noise = rng.normal(size=(self.code.size, self.n_features))
        else:
            noise = half_shared(rng, self.groups, self.n_features)
        return np.asarray(noise + self.means[self.code])

    def play(self, learner: str, X: FloatArray) -> Multiclass:
        """Play the tournament of a sample; patients are left out whole."""
        return multiclass(LEARNERS[learner](), X, self.code, groups=self.groups, n_jobs=1)

    def truth(self, learner: str, X: FloatArray) -> dict[str, float]:
        """Return what the model fitted to the whole sample is worth in new units."""
        new, kind = self._new_units
        K = len(self.sizes)
        responses = self._responses(LEARNERS[learner](), X, new)
        shares = np.full((K, K), np.nan)
        for a in range(K):
            for b in set(range(K)) - {a}:
                both = (kind == a) | (kind == b)
                shares[a, b] = wmw_auc(responses[both, a], kind[both] == a)
        # New units of the others are as many as in the sample.
        weight = np.array(self.sizes[1:]) / sum(self.sizes[1:])
        return {
            M: float(np.nanmean(shares)),
            PAIR: float((shares[0, 1] + shares[1, 0]) / 2),
            REST: float(weight @ shares[0, 1:]),
        }

    def _responses(self, model: Any, X: FloatArray, new: FloatArray) -> FloatArray:
        if not fits_numbers(model):
            return np.asarray(model.fit(X, self.code).predict_proba(new))
        each = [
            clone(model).fit(X, np.where(self.code == k, 1.0, -1.0)).predict(new)
            for k in range(len(self.sizes))
        ]
        return np.column_stack(each)

    @cached_property
    def _new_units(self) -> tuple[FloatArray, IntArray]:
        """Units that judge models, the same in all repetitions."""
        rng = np.random.default_rng([*self.name.encode()])
        kind = np.repeat(np.arange(len(self.sizes)), NEW_UNITS)
        return rng.normal(size=(kind.size, self.n_features)) + self.means[kind], kind


SIZES = ((10, 10, 10), (30, 30, 30), (20, 20, 20, 20, 20), (5, 20, 60))
SETTINGS = [
    *(
        ClassSimulation("ridge", "9 neighbours", sizes, 5, *signal)
        for sizes in SIZES
        for signal in ((0, 0.0), (1, 1.5), (len(sizes), 1.5))
    ),
    *(
        ClassSimulation("LDA", "naive Bayes", sizes, 4, *signal)
        for sizes in SIZES
        for signal in ((0, 0.0), (1, 1.5), (len(sizes), 2.0))
    ),
    *(ClassSimulation("naive Bayes", "9 neighbours", sizes, 3, len(sizes), 1.5) for sizes in SIZES),
    *(
        ClassSimulation("9 neighbours", "ridge", sizes, 4, *signal)
        for sizes in SIZES[1:3]
        for signal in ((0, 0.0), (len(sizes), 1.5))
    ),
    ClassSimulation("ridge", "9 neighbours", (10, 10, 10), 3, 3, 4.0),
    ClassSimulation("ridge", "LDA", (20, 20, 20), 3, 0, 0.0, 2),
    ClassSimulation("LDA", "ridge", (30, 30, 30), 3, 3, 1.5, 3),
]


def measure_classes(setting: ClassSimulation, repetition: int) -> Quantities:
    """Draw a sample; return which intervals contain the truth, their widths, and errors."""
    X = setting.draw(setting.rng(repetition))
    k, truth = setting.play(setting.learner, X), setting.truth(setting.learner, X)
    evidence = k._evidence
    assert evidence.jackknife_variance is not None
    found: Quantities = {
        "placement variance": (evidence.placement_variance, 0.0),
        "jackknife variance": (evidence.jackknife_variance, 0.0),
        "geometric mean": (evidence.variance, 0.0),
        "phi": (evidence.phi(), 0.0),
    }
    pair = k._games.measure([(0, 1), (1, 0)])
    first = k.one_vs_rest[0].auc_interval(LEVEL)
    judged = {
        M: (k.auc, *k.auc_interval(LEVEL), evidence.placement_variance),
        PAIR: (pair.concordance, *pair.limits(LEVEL), pair.placement_variance),
        REST: (first.estimate, first.low, first.high, first.placement_variance or 0.0),
    }
    for what, numbers in judged.items():
        for quantity, value in judge(*numbers, truth[what]).items():
            found[f"{what}: {quantity}"] = value
        found[f"{what}: true"] = (truth[what], 0.0)
    rival = setting.play(setting.rival, X)
    compared = compare(k, rival, confidence_level=LEVEL)
    apart = truth[M] - setting.truth(setting.rival, X)[M]
    assert compared.placement_variance is not None
    numbers = compared.difference, compared.low, compared.high, compared.placement_variance
    for quantity, value in judge(*numbers, apart).items():
        found[f"{DIFFERENCE}: {quantity}"] = value
    found[f"{DIFFERENCE}: true"] = (apart, 0.0)
    found[f"{DIFFERENCE}: rejected"] = (float(compared.p_value < 1 - LEVEL), 0.0)
    return found


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    return [
        Measurement(setting.name, partial(measure_classes, setting), repetitions)
        for setting in SETTINGS
    ]


def main() -> None:
    """Measure, and write the table."""
    command("multiclass", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    # Workers look settings up in the module; what belongs to the script would be copied to them.
    from studies.multiclass import main as run

    run()
