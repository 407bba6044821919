"""Measure coverage of intervals of the concordance: numbers, grades, counts, groups.

    python -m studies.ordered --csv docs/ordered.csv
    python -m studies.ordered_page

The first command measures (about an hour on one core), the second writes the tables of
docs/ordered.md and of the paper; ``make coverage-ordered`` runs both. ``studies/measure.py`` says
how an interrupted run resumes.

Features are standard normal. The outcome follows a latent number ``ρ s + √(1 − ρ²) ε``, where s is
the sum of the signal features divided by its standard deviation: for ρ = 0 nothing can be learned.
The truth of a sample is the concordance, on new units, of the model trained on all its units;
without signal it is ½.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import kendalltau

from studies.concordances import (
    LEVEL,
    Seeded,
    half_shared,
    judge,
    other_estimates,
    signal_of,
)
from studies.measure import Measurement, Quantities, command, holds
from studies.trees import forest_scores, forest_tables, tree_table
from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.base import Halves, Predictions
from tlpo.execution.diagnostics import Diagnostics
from tlpo.games.response import outcomes
from tlpo.games.schedule import all_pairs
from tlpo.games.standings import tally
from tlpo.problem.outcome import Ordered
from tlpo.results.concordance import Concordance
from tlpo.schemes.concordance import concordance

REPETITIONS = 1000
N_RESAMPLES = 200
TEST_UNITS = 4000
# Samples with fewer units off the most common grade are drawn again: tlpo refuses the smallest.
FEWEST_OFF_MODE = 3
# Grades by the shares of units that have them.
GRADES = {
    "3 grades": (1 / 3,) * 3,
    "3 grades, 70/20/10 %": (0.7, 0.2, 0.1),
    "3 grades, 10/80/10 %": (0.1, 0.8, 0.1),
    "4 grades": (1 / 4,) * 4,
    "5 grades": (1 / 5,) * 5,
    "5 grades, 40/30/15/10/5 %": (0.4, 0.3, 0.15, 0.1, 0.05),
    "7 grades": (1 / 7,) * 7,
}


def _ridge() -> Any:
    from sklearn.linear_model import Ridge

    return Ridge()


def _stiff_ridge() -> Any:
    from sklearn.linear_model import Ridge

    return Ridge(100.0)


def _neighbours() -> Any:
    from sklearn.neighbors import KNeighborsRegressor

    return KNeighborsRegressor(5)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(50, random_state=0)


def _tree() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(max_depth=2, random_state=0)


LEARNERS: dict[str, Callable[[], Any]] = {
    "ridge": _ridge,
    "stiff ridge": _stiff_ridge,
    "5-NN": _neighbours,
    "tree of depth 2": _tree,
    "forest of 50": _forest,
}
# Held-out predictions without refitting; of a forest, also those of its halves.
TABLES: dict[str, Callable[[FloatArray, FloatArray], tuple[FloatArray, Halves | None]]] = {
    "tree of depth 2": lambda X, y: (tree_table(X, y, 2), None),
    "forest of 50": partial(forest_tables, n_trees=50),
}


@dataclass(frozen=True)
class OrderedSimulation(Seeded):
    """Samples of units with numbers or grades, and the learner they are given to.

    Attributes
    ----------
    learner : str
        A name of `LEARNERS`.
    n_units : int
        Units, m.
    n_features, n_signal : int
        Features, and how many of them bear on the outcome.
    rho : float
        Correlation of the latent outcome with the best prediction.
    outcome : str
        ``"normal"``, ``"heavy-tailed"`` (Student's t with 2 degrees of freedom), ``"skewed"``
        (log-normal), ``"counts"`` or a name of `GRADES`.
    """

    learner: str
    n_units: int
    n_features: int
    n_signal: int
    rho: float
    outcome: str = "normal"

    @property
    def name(self) -> str:
        """Identify the setting."""
        return (
            f"{self.learner}, m = {self.n_units}, {self.n_features} ({self.n_signal}) features, "
            f"rho = {self.rho:g}, {self.outcome}"
        )

    @property
    def estimator(self) -> Any:
        """The learner."""
        return LEARNERS[self.learner]()

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw a sample."""
        while True:
            X, y = self.draw_units(rng, self.n_units)
            if self.n_units - np.unique(y, return_counts=True)[1].max() >= FEWEST_OFF_MODE:
                return X, y

    def draw_units(self, rng: np.random.Generator, size: int) -> tuple[FloatArray, FloatArray]:
        """Draw some units."""
        X = rng.normal(size=(size, self.n_features))
        heavy = self.outcome == "heavy-tailed"
        noise = rng.standard_t(2, size) if heavy else rng.normal(size=size)
        return X, self.draw_outcome(rng, self.signal(X) + math.sqrt(1 - self.rho**2) * noise)

    def signal(self, X: FloatArray) -> FloatArray:
        """Return what the features say about the latent outcome."""
        if not self.n_signal:
            return np.zeros(len(X))
        return signal_of(X, self.n_signal, self.rho)

    def draw_outcome(self, rng: np.random.Generator, latent: FloatArray) -> FloatArray:
        """Return the outcome of units whose latent number is given."""
        if self.outcome == "skewed":
            return np.exp(latent)
        if self.outcome == "counts":
            return rng.poisson(1.5 * np.exp(0.6 * latent)).astype(float)
        if self.outcome in GRADES:
            cuts = ndtri(np.cumsum(GRADES[self.outcome])[:-1])
            return np.digitize(latent, cuts).astype(float)
        return latent

    def play(self, X: FloatArray, y: FloatArray) -> Concordance:
        """Play the tournament of a sample."""
        if self.learner not in TABLES:
            return concordance(self.estimator, X, y, n_jobs=1)
        outcome = Ordered(y)
        F, halves = TABLES[self.learner](X, y)
        F = F / outcome.unit
        if halves is not None:
            halves = halves[0] / outcome.unit, halves[1] / outcome.unit
        pairs = all_pairs(y.size)
        first, second = pairs.T
        return Concordance(
            standings=tally(pairs, outcomes(F[first, second], F[second, first]), outcome),
            outcome=outcome,
            _table=Predictions.of_table(F, halves=halves),
            engine="simulation",
            diagnostics=Diagnostics(),
            estimator_name="simulation",
            groups=None,
        )

    @cached_property
    def test_set(self) -> tuple[FloatArray, FloatArray]:
        """Units that judge models; the same in all repetitions."""
        return self.draw_units(np.random.default_rng([*self.name.encode()]), TEST_UNITS)

    def truth(self, X: FloatArray, y: FloatArray) -> float:
        """Return the concordance, on new units, of the model fitted to the whole sample."""
        if not self.n_signal:
            return 0.5
        X_test, y_test = self.test_set
        if self.learner == "forest of 50":
            return concordance_of_many(forest_scores(X, y, 50, X_test), y_test)
        return concordance_of_many(self.estimator.fit(X, y).predict(X_test), y_test)


@dataclass(frozen=True)
class GroupedOrderedSimulation(OrderedSimulation):
    """Patients with several units each, which share an effect in the features and in the outcome.

    Half the variance of every feature, and of what the features do not say about the outcome, is
    the patient's. New units, which judge models, are of different patients.

    Attributes
    ----------
    n_patients : int
        Patients, of ``n_units / n_patients`` units each.
    """

    n_patients: int = 0

    @property
    def name(self) -> str:
        """Identify the setting."""
        return f"{super().name}, {self.n_patients} patients"

    @property
    def groups(self) -> IntArray:
        """The patient of every unit."""
        return np.arange(self.n_units) % self.n_patients

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw a sample."""
        X = half_shared(rng, self.groups, self.n_features)
        noise = half_shared(rng, self.groups)
        return X, self.draw_outcome(rng, self.signal(X) + math.sqrt(1 - self.rho**2) * noise)

    def play(self, X: FloatArray, y: FloatArray) -> Concordance:
        """Play the tournament; patients are left out whole."""
        return concordance(self.estimator, X, y, groups=self.groups, n_jobs=1)


# learner, units, features, signal features, rho, outcome
NUMBERS = [
    OrderedSimulation(*row)
    for row in (
        ("ridge", 20, 2, 0, 0.0),
        ("ridge", 20, 10, 0, 0.0),
        ("ridge", 20, 10, 2, 0.8),
        ("ridge", 20, 2, 1, 0.99),
        ("ridge", 30, 2, 0, 0.0),
        ("ridge", 30, 10, 2, 0.6),
        ("ridge", 30, 50, 0, 0.0),
        ("ridge", 30, 50, 10, 0.9),
        ("ridge", 60, 10, 0, 0.0),
        ("ridge", 60, 10, 4, 0.7),
        ("ridge", 60, 2, 2, 0.99),
        ("ridge", 100, 10, 0, 0.0),
        ("ridge", 100, 50, 10, 0.6),
        ("ridge", 200, 10, 0, 0.0),
        ("ridge", 200, 10, 4, 0.5),
        ("ridge", 30, 2, 0, 0.0, "heavy-tailed"),
        ("ridge", 60, 10, 4, 0.7, "heavy-tailed"),
        ("ridge", 200, 10, 0, 0.0, "heavy-tailed"),
        ("ridge", 30, 10, 2, 0.7, "skewed"),
        ("ridge", 60, 2, 0, 0.0, "skewed"),
        ("ridge", 100, 10, 4, 0.9, "skewed"),
        ("5-NN", 20, 2, 0, 0.0),
        ("5-NN", 30, 2, 1, 0.8),
        ("5-NN", 60, 10, 0, 0.0),
        ("5-NN", 60, 2, 2, 0.98),
        ("5-NN", 200, 2, 1, 0.6),
        ("5-NN", 60, 2, 2, 0.8, "heavy-tailed"),
    )
]
GRADED = [
    OrderedSimulation(*row)
    for row in (
        ("ridge", 30, 10, 0, 0.0, "3 grades"),
        ("ridge", 20, 2, 0, 0.0, "3 grades, 70/20/10 %"),
        ("ridge", 30, 10, 2, 0.7, "3 grades, 70/20/10 %"),
        ("ridge", 60, 2, 1, 0.7, "3 grades, 10/80/10 %"),
        ("ridge", 30, 2, 0, 0.0, "4 grades"),
        ("ridge", 60, 10, 4, 0.9, "4 grades"),
        ("ridge", 60, 10, 2, 0.5, "5 grades"),
        ("ridge", 100, 10, 2, 0.6, "5 grades, 40/30/15/10/5 %"),
        ("ridge", 60, 2, 2, 0.98, "7 grades"),
        ("5-NN", 30, 2, 0, 0.0, "3 grades"),
        ("ridge", 30, 2, 0, 0.0, "counts"),
        ("ridge", 60, 10, 4, 0.8, "counts"),
    )
]
TREES = [
    OrderedSimulation(*row)
    for row in (
        ("tree of depth 2", 20, 2, 0, 0.0),
        ("tree of depth 2", 20, 2, 1, 0.9),
        ("tree of depth 2", 30, 4, 2, 0.8),
        ("tree of depth 2", 30, 4, 0, 0.0, "4 grades"),
        ("forest of 50", 30, 2, 0, 0.0),
        ("forest of 50", 30, 10, 2, 0.9),
        ("forest of 50", 60, 4, 0, 0.0, "4 grades"),
        ("forest of 50", 60, 4, 2, 0.8, "counts"),
    )
]
# The last number is that of patients.
GROUPED = [
    GroupedOrderedSimulation("ridge", n_units, 2, n_signal, rho, outcome, n_patients)
    for n_units, n_signal, rho, outcome, n_patients in (
        (60, 0, 0.0, "normal", 12),
        (60, 2, 0.7, "normal", 12),
        (60, 0, 0.0, "4 grades", 20),
        (60, 2, 0.7, "normal", 20),
    )
]
# Other estimates are computed where they take no fits.
FAST = ("ridge", "5-NN")


def concordance_of_many(scores: FloatArray, y: FloatArray) -> float:
    """Return the concordance of scores by sorting: as `concordance_of_scores`, for many units.

    Kendall's τ_b is (won − lost)/√(a b), where a pairs have different scores and b different
    outcomes; Somers' D is (won − lost)/b.
    """
    different = [_n_different(values) for values in (scores, y)]
    if not different[0]:
        return 0.5
    tau = kendalltau(scores, y, method="asymptotic").statistic
    return float(0.5 + 0.5 * tau * math.sqrt(different[0] / different[1]))


def _n_different(values: FloatArray) -> float:
    sizes = np.unique(values, return_counts=True)[1].astype(float)
    return float(values.size**2 - sizes @ sizes) / 2.0


def bootstrap_limits(
    scores: FloatArray, y: FloatArray, groups: IntArray | None, rng: np.random.Generator
) -> tuple[float, float]:
    """Return percentile limits of the concordance of scores, resampling units or groups."""
    n = y.size if groups is None else int(groups.max()) + 1
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=N_RESAMPLES).astype(float)
    if groups is not None:
        drawn = drawn[:, groups]
    above = (y[:, None] > y[None, :]).astype(float)
    won = above * np.heaviside(scores[:, None] - scores[None, :], 0.5)
    games = ((drawn @ above) * drawn).sum(axis=1)
    wins = ((drawn @ won) * drawn).sum(axis=1)
    low, high = np.quantile(wins[games > 0] / games[games > 0], [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return float(low), float(high)


def measure_concordance(setting: OrderedSimulation, repetition: int) -> Quantities:
    """Draw a sample; return which intervals contain the truth, their widths, and errors."""
    rng = setting.rng(repetition)
    X, y = setting.draw(rng)
    c, truth = setting.play(X, y), setting.truth(X, y)
    evidence, interval = c._evidence, c.concordance_interval(LEVEL)
    found = {
        "true concordance": (truth, 0.0),
        "concordance": (c.concordance, 0.0),
        "placement variance": (evidence.placement_variance, 0.0),
        "jackknife variance": (float(evidence.jackknife_variance or np.nan), 0.0),
        "geometric mean": (evidence.variance, 0.0),
        "phi": (evidence.phi(), 0.0),
        **judge(c.concordance, *interval, evidence.placement_variance, truth),
        "bootstrap": holds(*bootstrap_limits(c.scores, y, c.groups, rng), truth),
    }
    if c.groups is not None:
        alone = replace(c, groups=None).concordance_interval(LEVEL)
        found["as if alone"] = holds(alone.low, alone.high, truth)
    elif setting.learner in FAST:
        others = other_estimates(setting.estimator, X, y, repetition, order=True)
        found |= {f"error of {name}": (value - truth, 0.0) for name, value in others.items()}
    return found


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    return [
        Measurement(setting.name, partial(measure_concordance, setting), repetitions)
        for setting in (*NUMBERS, *GRADED, *GROUPED, *TREES)
    ]


def main() -> None:
    """Measure, and write the table."""
    command("ordered", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    # Workers look settings up in the module; what belongs to the script would be copied to them.
    from studies.ordered import main as run

    run()
