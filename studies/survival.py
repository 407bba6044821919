"""Measure coverage of intervals, and bias of estimates, for times to an event.

    python -m studies.survival --csv docs/survival.csv
    python -m studies.survival_page

The first command measures (some hours on one core), the second writes the tables of
docs/survival.md and of the paper; ``make coverage-survival`` runs both. ``studies/measure.py`` says
how an interrupted run resumes. Survival forests need scikit-survival.

Features are standard normal. The log hazard is β z, where z is the sum of the signal features
divided by its standard deviation; times are exponential given the hazard (Cox regression sees only
their order, so any other distribution with proportional hazards gives the same games). The truth
of a sample is what the model trained on all its units is worth in new ones: for Harrell's C new
units are censored in the same way, for Uno's C, and for the AUC at a time, they are not. For Cox
regression it is integrated (`studies/hazards.py`), so it has no error of its own; for forests, and
features of few values, it is that of 2 500 new units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from studies.concordances import (
    LEVEL,
    Seeded,
    half_shared,
    judge,
    other_estimates,
    signal_of,
)
from studies.hazards import Hazards, PairMeasure, censored_at
from studies.measure import Measurement, Quantities, command, holds
from tlpo.arrays import FloatArray, IntArray
from tlpo.errors import InputError
from tlpo.learners import Cox
from tlpo.problem.outcome import TimeToEvent
from tlpo.problem.times import time_to_event
from tlpo.results.comparison import compare
from tlpo.results.intervals import Interval
from tlpo.results.survival import Survival
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.order import Order, concordance_of_scores, order_interval
from tlpo.roc.survival import auc_at
from tlpo.schemes.bootstrap import bootstrap
from tlpo.schemes.survival import survival

REPETITIONS = 1000
N_RESAMPLES = 30
TEST_UNITS = 2500
N_TREES = 20
# Samples in which fewer units had the event before others are drawn again: tlpo refuses them.
FEWEST_EVENTS = 3
# Shares of the events that are seen: half by the time of the AUC, most by the limit of Uno's C.
HALF, MOST = 0.5, 0.8
# Change of the log hazard of being lost per unit of the signal.
GAMMA = {"at random": 0.0, "high risk earlier": 1.0, "low risk earlier": -1.0, "at one time": 0.0}
FOREST = "forest of 20"
C, UNO, UNO_ALL, AUC, DIFFERENCE = "C", "Uno's C", "Uno's C, all times", "AUC(t)", "difference of C"
MEASURES = (C, UNO, UNO_ALL, AUC)
# What is found for each of them, in this order.
JUDGED = ("true", *judge(0.5, 0.0, 1.0, 0.0, 0.5), "normal", "Student")


def _forest() -> Any:
    from sksurv.ensemble import RandomSurvivalForest

    return RandomSurvivalForest(N_TREES, random_state=0)


LEARNERS: dict[str, Callable[[], Any]] = {
    "Cox, α = 0.1": partial(Cox, 0.1),
    "Cox, α = 1": partial(Cox, 1.0),
    "Cox, α = 100": partial(Cox, 100.0),
    FOREST: _forest,
}


@dataclass(frozen=True)
class SurvivalSimulation(Seeded):
    """Samples of units with times to an event, and the learner they are given to.

    Attributes
    ----------
    learner : str
        A name of `LEARNERS`.
    n_units : int
        Units, m.
    n_features, n_signal : int
        Features, and how many of them bear on the event.
    beta : float
        Change of the log hazard per standard deviation of the signal.
    censored : float
        Share of units that are censored.
    rival : str
        What the learner is compared with: the same on the second half of the features
        (``"second half"``), or another name of `LEARNERS`.
    censoring : str
        A name of `GAMMA`: when units are lost to follow-up. ``"at one time"``: the study ends.
    n_times : int
        Times are rounded up, so that nine of ten events have one of so many; 0 if they are not.
    n_patients : int
        Patients with several units each, which share half the variance of every feature, and of
        what the features do not say about the event; 0 if units are alone.
    n_values : int
        Features are rounded to about so many values, and units tie; 0 if they are not.
    """

    learner: str
    n_units: int
    n_features: int
    n_signal: int
    beta: float
    censored: float
    rival: str
    censoring: str = "at random"
    n_times: int = 0
    n_patients: int = 0
    n_values: int = 0

    @property
    def name(self) -> str:
        """Identify the setting."""
        return (
            f"{self.learner}, m = {self.n_units}, {self.n_features} ({self.n_signal}) features, "
            f"beta = {self.beta:g}, {100 * self.censored:g} % censored {self.censoring}"
            + (f", {self.n_times} times" if self.n_times else "")
            + (f", {self.n_patients} patients" if self.n_patients else "")
            + (f", {self.n_values} values" if self.n_values else "")
        )

    @property
    def groups(self) -> IntArray | None:
        """The patient of every unit."""
        return np.arange(self.n_units) % self.n_patients if self.n_patients else None

    @cached_property
    def hazards(self) -> Hazards:
        """The distribution of times."""
        at_end = self.censoring == "at one time"
        found = censored_at(self.censored, self.beta, GAMMA[self.censoring], at_end=at_end)
        return replace(found, step=found.time_of(0.9) / self.n_times if self.n_times else 0.0)

    @cached_property
    def times(self) -> tuple[float, float]:
        """The time of the AUC, and the limit of Uno's C."""
        t, tau = (self.hazards.time_of(share) for share in (HALF, MOST))
        if step := self.hazards.step:
            return step * max(1, round(t / step)), step * (math.ceil(tau / step) + 0.5)
        return t, tau

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, npt.NDArray[Any]]:
        """Draw a sample: features, and times with events."""
        while True:
            if self.groups is None:
                X = rng.normal(size=(self.n_units, self.n_features))
                quantile = rng.random(self.n_units)
            else:
                X = half_shared(rng, self.groups, self.n_features)
                quantile = ndtr(half_shared(rng, self.groups))
            X = self._rounded(X)
            time, event = self.hazards.draw(self.signal(X), quantile, rng)
            if TimeToEvent(time, event).n_off_mode >= FEWEST_EVENTS:
                return X, time_to_event(time, event)

    def _rounded(self, X: FloatArray) -> FloatArray:
        if not self.n_values:
            return X
        step = 4.0 / self.n_values
        return np.asarray(np.clip(np.round(X / step) * step, -2.0, 2.0))

    def signal(self, X: FloatArray) -> FloatArray:
        """Return what bears on the event, and on who is lost to follow-up."""
        return signal_of(X, max(1, self.n_signal))

    def play(self, X: FloatArray, y: npt.NDArray[Any]) -> Survival:
        """Play the tournament of a sample; patients are left out whole."""
        return self._play(LEARNERS[self.learner](), X, y)

    def play_rival(self, X: FloatArray, y: npt.NDArray[Any]) -> Survival:
        """Play the tournament of what the learner is compared with."""
        return self._play(self._rival, X[:, self._rival_columns], y)

    def _play(self, model: Any, X: FloatArray, y: npt.NDArray[Any]) -> Survival:
        return survival(model, X, y["time"], y["event"], groups=self.groups, n_jobs=1)

    @property
    def _rival(self) -> Any:
        return LEARNERS[self.learner if self.rival == "second half" else self.rival]()

    @property
    def _rival_columns(self) -> slice:
        return slice(self.n_features // 2 if self.rival == "second half" else 0, None)

    # --- what is true

    def truth(self, X: FloatArray, y: npt.NDArray[Any]) -> dict[str, float]:
        """Return what the model fitted to the whole sample is worth in new units."""
        return self._worth_of(LEARNERS[self.learner](), slice(None), X, y)

    def rival_truth(self, X: FloatArray, y: npt.NDArray[Any]) -> float:
        """Return Harrell's C of the rival."""
        return self._worth_of(self._rival, self._rival_columns, X, y)[C]

    def _worth_of(
        self, model: Any, columns: slice, X: FloatArray, y: npt.NDArray[Any]
    ) -> dict[str, float]:
        model.fit(X[:, columns], y)
        if not isinstance(model, Cox) or self.n_values:
            return self.worth(lambda new: model.predict(new[:, columns]))
        w = np.zeros(self.n_features)
        w[columns] = model.coef_
        k = max(1, self.n_signal)
        r = float(w[:k].sum() / math.sqrt(k) / np.linalg.norm(w))
        return {name: measure.of_correlation(r) for name, measure in self.measures.items()}

    def worth(self, predict: Callable[[FloatArray], FloatArray]) -> dict[str, float]:
        """Return what predictions of any kind are worth in new units."""
        new, weights = self._new_units
        scores = predict(new)
        beats = np.heaviside(scores[:, None] - scores[None, :], 0.5)
        return {name: float(np.vdot(weights[name], beats)) for name in weights}

    @cached_property
    def measures(self) -> dict[str, PairMeasure]:
        """What is estimated."""
        t, tau = self.times
        hazards = self.hazards
        return {
            C: PairMeasure(hazards.harrell),
            UNO: PairMeasure(hazards.uno(tau)),
            UNO_ALL: PairMeasure(hazards.uno(math.inf)),
            AUC: PairMeasure(hazards.case_and_control(t)),
        }

    @cached_property
    def _new_units(self) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Units that judge models, the same in all repetitions, and the weights of their pairs."""
        rng = np.random.default_rng([*self.name.encode()])
        X = self._rounded(rng.normal(size=(TEST_UNITS, self.n_features)))
        z = self.signal(X)
        weights = {}
        for name, measure in self.measures.items():
            weight = measure.weight(z[:, None], z[None, :])
            np.fill_diagonal(weight, 0.0)
            weights[name] = weight / weight.sum()
        return X, weights


# learner, units, features, signal features, β, share censored, what it is compared with
COX = [
    SurvivalSimulation(*row)
    for row in (
        ("Cox, α = 0.1", 25, 2, 0, 0.0, 0.6, "second half"),
        ("Cox, α = 1", 25, 10, 2, 1.0, 0.6, "Cox, α = 100"),
        ("Cox, α = 0.1", 25, 2, 1, 3.0, 0.3, "second half"),
        ("Cox, α = 1", 40, 2, 0, 0.0, 0.5, "second half"),
        ("Cox, α = 0.1", 40, 10, 0, 0.0, 0.7, "Cox, α = 100"),
        ("Cox, α = 0.1", 40, 10, 2, 1.2, 0.3, "second half"),
        ("Cox, α = 1", 40, 20, 0, 0.0, 0.5, "Cox, α = 100"),
        ("Cox, α = 1", 40, 20, 4, 2.0, 0.5, "second half"),
        ("Cox, α = 1", 60, 10, 0, 0.0, 0.67, "second half"),
        ("Cox, α = 0.1", 60, 2, 1, 0.7, 0.8, "second half"),
        ("Cox, α = 1", 60, 10, 2, 1.5, 0.3, "Cox, α = 100"),
        ("Cox, α = 0.1", 60, 20, 4, 1.0, 0.5, "Cox, α = 100"),
        ("Cox, α = 0.1", 100, 10, 0, 0.0, 0.7, "second half"),
        ("Cox, α = 1", 100, 10, 4, 0.7, 0.4, "Cox, α = 100"),
        ("Cox, α = 1", 100, 2, 1, 2.5, 0.6, "second half"),
        ("Cox, α = 1", 100, 20, 4, 1.0, 0.8, "Cox, α = 100"),
    )
]
# ... when units are lost, number of different times
CENSORED = [
    SurvivalSimulation(*row)
    for row in (
        ("Cox, α = 1", 60, 10, 0, 0.0, 0.5, "second half", "high risk earlier"),
        ("Cox, α = 1", 60, 10, 2, 1.0, 0.5, "Cox, α = 100", "high risk earlier"),
        ("Cox, α = 0.1", 100, 10, 2, 1.0, 0.6, "second half", "low risk earlier"),
        ("Cox, α = 1", 60, 10, 2, 1.0, 0.6, "Cox, α = 100", "at one time"),
        ("Cox, α = 0.1", 40, 2, 0, 0.0, 0.5, "second half", "at random", 5),
        ("Cox, α = 1", 60, 10, 2, 1.2, 0.5, "Cox, α = 100", "at random", 5),
        ("Cox, α = 0.1", 60, 2, 1, 1.5, 0.3, "second half", "at random", 3),
    )
]
GROUPED = [
    SurvivalSimulation("Cox, α = 1", 60, 2, *row)
    for row in (
        (0, 0.0, 0.5, "second half", "at random", 0, 12),
        (2, 1.5, 0.5, "Cox, α = 100", "at random", 0, 12),
        (1, 1.5, 0.3, "second half", "at random", 0, 20),
    )
]
FEW_VALUES = [
    SurvivalSimulation("Cox, α = 0.1", 60, *row)
    for row in (
        (1, 1, 1.0, 0.4, "Cox, α = 100", "at random", 0, 0, 10),
        (2, 1, 1.0, 0.4, "second half", "at random", 0, 0, 10),
        (4, 2, 1.0, 0.4, "second half", "at random", 0, 0, 2),
    )
]
FORESTS = [
    SurvivalSimulation(FOREST, 40, 4, *row)
    for row in (
        (0, 0.0, 0.5, "Cox, α = 1"),
        (2, 1.5, 0.3, "Cox, α = 1"),
        (2, 2.5, 0.7, "Cox, α = 1"),
    )
]


def measure_survival(setting: SurvivalSimulation, repetition: int) -> Quantities:
    """Draw a sample; return which intervals contain the truth, their widths, and errors."""
    X, y = setting.draw(setting.rng(repetition))
    s, truth = setting.play(X, y), setting.truth(X, y)
    evidence = s._evidence
    found = {
        "events": (float(s.n_events), 0.0),
        "placement variance": (evidence.placement_variance, 0.0),
        "jackknife variance": (float(evidence.jackknife_variance or np.nan), 0.0),
        "geometric mean": (evidence.variance, 0.0),
        "phi": (evidence.phi(), 0.0),
        **_intervals(setting, s, truth),
        **_difference(setting, s, X, y, truth[C]),
    }
    if s.groups is not None:
        alone = replace(s, groups=None).concordance_interval(LEVEL)
        found["C: as if alone"] = holds(alone.low, alone.high, truth[C])
    for name, value in _others(setting, s, X, y, repetition).items():
        found[f"error of {name}"] = (value - truth[C], 0.0)
        found[f"squared error of {name}"] = ((value - truth[C]) ** 2, 0.0)
    curve = auc_at(s.scores, s.outcome.time, s.outcome.event, setting.times[0])
    return {**found, "AUC(t): error of the ranking": (curve - truth[AUC], 0.0)}


def _intervals(setting: SurvivalSimulation, s: Survival, truth: dict[str, float]) -> Quantities:
    """Judge the interval of every measure."""
    t, tau = setting.times
    asked: dict[str, tuple[Callable[[], Interval], Callable[[], Order]]] = {
        C: (
            lambda: s.concordance_interval(LEVEL),
            lambda: Order(*s.outcome.should_win(), s.outcome.n_units),
        ),
        UNO: (lambda: s.uno_interval(tau, LEVEL), lambda: s._uno_order(tau)),
        UNO_ALL: (lambda: s.uno_interval(None, LEVEL), lambda: s._uno_order(None)),
        AUC: (lambda: s.auc_at_interval(t, LEVEL), lambda: s._order_at(t)),
    }
    found: Quantities = {}
    for name, (interval_of, order_of) in asked.items():
        try:
            judged = {
                "true": (truth[name], 0.0),
                **judge(*_numbers(interval_of()), truth[name]),
                **_by_quantile(s, order_of(), truth[name]),
            }
        except InputError:  # nobody had the event by then, or nobody was followed so long
            judged = dict.fromkeys(JUDGED, (math.nan, math.nan))
        found |= {f"{name}: {quantity}": value for quantity, value in judged.items()}
    return found


def _numbers(interval: Interval) -> tuple[float, float, float, float]:
    assert interval.placement_variance is not None
    return interval.estimate, interval.low, interval.high, interval.placement_variance


def _by_quantile(s: Survival, order: Order, truth: float) -> Quantities:
    """Judge the interval with the normal quantile, and with Student's by who should win."""
    is_event = np.zeros(s.outcome.n_units, dtype=bool)
    is_event[order.winner] = True
    evidence = s._measure_games(order, s._results(order), s._n_off_mode(is_event))
    found = {}
    for name, freedom in (("normal", None), ("Student", evidence.degrees_of_freedom)):
        quantile = two_sided_quantile(LEVEL, freedom)
        limits = order_interval(evidence.concordance, evidence.counts, evidence.phi(), quantile)
        found[name] = holds(*limits, truth)
    return found


def _difference(
    setting: SurvivalSimulation, s: Survival, X: FloatArray, y: npt.NDArray[Any], truth: float
) -> Quantities:
    """Judge the interval of the difference from the rival."""
    found = compare(s, setting.play_rival(X, y), confidence_level=LEVEL)
    apart = truth - setting.rival_truth(X, y)
    assert found.placement_variance is not None
    judged = judge(found.difference, found.low, found.high, found.placement_variance, apart)
    judged |= {"true": (apart, 0.0), "rejected": (float(found.p_value < 1 - LEVEL), 0.0)}
    return {f"{DIFFERENCE}: {quantity}": value for quantity, value in judged.items()}


def _others(
    setting: SurvivalSimulation, s: Survival, X: FloatArray, y: npt.NDArray[Any], repetition: int
) -> dict[str, float]:
    """Return Harrell's C by other schemes."""
    model, outcome = LEARNERS[setting.learner](), s.outcome
    found = {"ranking": concordance_of_scores(s.scores, outcome.level, outcome.may_win)}
    found |= other_estimates(model, X, y, repetition, groups=setting.groups)
    if setting.learner != FOREST:
        corrected: Any = bootstrap(
            model,
            X,
            y,
            n_resamples=N_RESAMPLES,
            random_state=repetition,
            groups=setting.groups,
            n_jobs=1,
        )
        found["bootstrap"] = corrected.concordance
    return found


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    return [
        Measurement(setting.name, partial(measure_survival, setting), repetitions)
        for setting in (*COX, *CENSORED, *GROUPED, *FEW_VALUES, *FORESTS)
    ]


def main() -> None:
    """Measure, and write the table."""
    command("survival", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    # Workers look settings up in the module; what belongs to the script would be copied to them.
    from studies.survival import main as run

    run()
