"""Measure intervals and tests of the difference of two models of numbers, grades and times.

    python -m studies.differences --csv docs/differences.csv
    python -m studies.differences_page

The first command measures (half an hour on one core), the second writes the table of
docs/coverage.md; ``make coverage-differences`` runs both. ``studies/measure.py`` says how an
interrupted run resumes. Two classes are part of ``studies/coverage.py``, several of
``studies/multiclass.py``.

Settings are those of the studies of each outcome. The truth is the difference of what both models,
trained on the whole sample, are worth in new units; without signal it is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from studies import survival
from studies.concordances import judge_difference
from studies.measure import Measurement, Quantities, command
from studies.ordered import GroupedOrderedSimulation, OrderedSimulation
from studies.survival import C
from tlpo.results.comparison import compare

REPETITIONS = 1000


class Compared(Protocol):
    """Two models on samples of one setting."""

    @property
    def cells(self) -> list[str]:
        """Outcome, first and second model, units, features, and what else to know."""

    def measure(self, repetition: int) -> Quantities:
        """Compare the models on one sample."""


def name_of(compared: Compared) -> str:
    """Identify a comparison."""
    outcome, first, second, *rest = compared.cells
    return f"{outcome}: {first} − {second}, {', '.join(word for word in rest if word)}"


@dataclass(frozen=True)
class OrderedComparison:
    """Two models of numbers or grades."""

    setting: OrderedSimulation
    rival: str

    @property
    def cells(self) -> list[str]:
        """Outcome, first and second model, units, features, and what else to know."""
        s = self.setting
        outcome = "normal numbers" if s.outcome == "normal" else s.outcome
        units = str(s.n_units)
        if isinstance(s, GroupedOrderedSimulation):
            units = f"{s.n_patients} × {s.n_units // s.n_patients}"
        features = f"{s.n_features} ({s.n_signal})"
        return [outcome, s.learner, self.rival, units, features, f"ρ = {s.rho:g}" if s.rho else ""]

    def measure(self, repetition: int) -> Quantities:
        """Compare the models on one sample."""
        other = replace(self.setting, learner=self.rival)
        X, y = self.setting.draw(self.setting.rng(repetition))
        found: Any = compare(self.setting.play(X, y), other.play(X, y))
        # Both are judged by the same new units.
        other.__dict__["test_set"] = self.setting.test_set
        return judge_difference(found, self.setting.truth(X, y) - other.truth(X, y))


@dataclass(frozen=True)
class SurvivalComparison:
    """Two models of times to an event."""

    setting: survival.SurvivalSimulation

    @property
    def cells(self) -> list[str]:
        """Outcome, first and second model, units, features, and what else to know."""
        s = self.setting
        units = f"{s.n_patients} × {s.n_units // s.n_patients}" if s.n_patients else str(s.n_units)
        words = [f"{100 * s.censored:g} % censored", f"β = {s.beta:g}" if s.beta else ""]
        words += [f"{s.n_times} times" if s.n_times else ""]
        more = ", ".join(word for word in words if word)
        return ["times", s.learner, s.rival, units, f"{s.n_features} ({s.n_signal})", more]

    def measure(self, repetition: int) -> Quantities:
        """Compare the models on one sample."""
        s = self.setting
        X, y = s.draw(s.rng(repetition))
        found: Any = compare(s.play(X, y), s.play_rival(X, y))
        return judge_difference(found, s.truth(X, y)[C] - s.rival_truth(X, y))


# learner, units, features, signal features, ρ, outcome; the second model
ORDERED = [
    OrderedComparison(OrderedSimulation("ridge", *row), rival)
    for row, rival in (
        ((20, 2, 0, 0.0), "5-NN"),
        ((30, 10, 0, 0.0), "stiff ridge"),
        ((60, 10, 0, 0.0), "5-NN"),
        ((30, 10, 2, 0.6), "stiff ridge"),
        ((60, 10, 4, 0.7), "stiff ridge"),
        ((60, 10, 4, 0.7), "5-NN"),
        ((60, 2, 2, 0.99), "5-NN"),
        ((60, 10, 4, 0.7, "heavy-tailed"), "stiff ridge"),
        ((30, 10, 0, 0.0, "3 grades"), "stiff ridge"),
        ((30, 10, 2, 0.7, "3 grades, 70/20/10 %"), "stiff ridge"),
        ((60, 2, 1, 0.7, "3 grades, 10/80/10 %"), "5-NN"),
        ((60, 10, 2, 0.5, "5 grades"), "stiff ridge"),
        ((30, 2, 0, 0.0, "counts"), "5-NN"),
        ((60, 10, 4, 0.8, "counts"), "stiff ridge"),
    )
] + [
    OrderedComparison(GroupedOrderedSimulation("ridge", *row), rival)
    for row, rival in (
        ((60, 10, 0, 0.0, "normal", 12), "stiff ridge"),
        ((60, 10, 2, 0.7, "normal", 12), "stiff ridge"),
        ((60, 10, 2, 0.7, "normal", 20), "5-NN"),
        ((60, 10, 0, 0.0, "4 grades", 20), "stiff ridge"),
    )
]
# Those whose samples take least.
TIMES = [
    SurvivalComparison(setting)
    for setting in (*(survival.COX[k] for k in (0, 1, 3, 4, 5)), *survival.GROUPED[:2])
]
EVERY: list[Compared] = [*ORDERED, *TIMES]


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    return [Measurement(name_of(each), partial(_measure, each), repetitions) for each in EVERY]


def _measure(each: Compared, repetition: int) -> Quantities:
    return each.measure(repetition)


def main() -> None:
    """Measure, and write the table."""
    command("differences", __doc__.split("\n")[0], measurements, REPETITIONS)


if __name__ == "__main__":
    main()
