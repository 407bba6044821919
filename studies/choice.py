"""Measure how good the best of several models is, and how well `tlpo.choose` corrects its AUC.

    python -m studies.choice --csv docs/choice.csv
    python -m studies.pages

Candidates are ridge models of five of twenty features each, drawn at random; with signal, four of
the twenty features differ between the classes. The truth is that of the winner, trained on all
units. "Nested" chooses by leave-one-out inside every pair's training set, as an estimator
that makes the choice itself would; its truth is that of the model that this rule chooses on all
units.

A grid is one family: ridge models of all twenty features with penalties from 0.001 to 10 000. Its
nested choice is scikit-learn's ``RidgeClassifierCV``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from scipy.special import ndtr
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import RidgeClassifierCV

from studies.measure import Measurement, Quantities, command, holds
from tlpo.arrays import FloatArray, IntArray
from tlpo.learners import RLS
from tlpo.results.choice import Choice, choose
from tlpo.results.intervals import Interval
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import wmw_auc
from tlpo.schemes.tournament import tournament

N_FEATURES, N_OWN, N_SIGNAL = 20, 5, 4
# A nested tournament fits every candidate for every pair.
NESTED = {(2, 40): 100, (5, 40): 50, (20, 40): 20, (2, 100): 16, (5, 100): 8, (20, 100): 4}
REPETITIONS = {40: 1000, 100: 400}
# Penalties in a grid, units, and repetitions.
GRIDS = {(20, 40): 1000, (50, 40): 1000, (50, 100): 400}


@dataclass(frozen=True)
class Race:
    """Some candidates, some units, with or without signal."""

    n_candidates: int
    n_units: int
    has_signal: bool

    @property
    def name(self) -> str:
        """Identify the race."""
        signal = "some" if self.has_signal else "no"
        return f"{self.n_candidates} candidates, m = {self.n_units}, {signal} signal"

    def draw(self, repetition: int) -> tuple[FloatArray, FloatArray, list[IntArray]]:
        """Draw features, classes, and the features of each candidate."""
        rng = np.random.default_rng([repetition, *self.name.encode()])
        y = np.arange(self.n_units) % 2 == 1
        X = rng.normal(size=(self.n_units, N_FEATURES))
        if self.has_signal:
            X[:, :N_SIGNAL] += np.where(y, 0.5, -0.5)[:, None]
        own = [rng.permutation(N_FEATURES)[:N_OWN] for _ in range(self.n_candidates)]
        return X, y, own

    def truth(self, X: FloatArray, y: FloatArray, features: IntArray) -> float:
        """Return the AUC, on new units, of a candidate trained on all units."""
        w = np.zeros(N_FEATURES)
        w[features] = RLS().fit(X[:, features], np.where(y, 1.0, -1.0)).coef_
        return self.true_auc(w)

    def true_auc(self, w: FloatArray) -> float:
        """Return the AUC, on new units, of a linear model of all features."""
        signal = w[:N_SIGNAL].sum() if self.has_signal else 0.0
        return float(ndtr(signal / (np.sqrt(2.0) * np.linalg.norm(w))))


class BestByLeaveOneOut(RegressorMixin, BaseEstimator):
    """Ridge on the features whose leave-one-out AUC is the largest."""

    def __init__(self, candidates: Any = ()) -> None:
        self.candidates = candidates

    def fit(self, X: FloatArray, y: FloatArray) -> Self:
        """Choose, and fit the choice."""
        aucs = [_leave_one_out_auc(X[:, features], y) for features in self.candidates]
        self.features_ = self.candidates[int(np.argmax(aucs))]
        self.model_ = RLS().fit(X[:, self.features_], y)
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Predict by the choice."""
        return self.model_.predict(X[:, self.features_])


def _leave_one_out_auc(X: FloatArray, y: FloatArray) -> float:
    Z = np.column_stack([X, np.ones(len(X))])
    H = Z @ np.linalg.solve(Z.T @ Z + np.eye(Z.shape[1]), Z.T)
    leverage = np.diag(H)
    return wmw_auc((H @ y - leverage * y) / (1.0 - leverage), y > 0)


def measure_choice(race: Race, n_nested: int, repetition: int) -> Quantities:
    """Play all candidates of one sample, choose, and compare with the truth."""
    X, y, own = race.draw(repetition)
    played = [tournament(RLS(), X[:, features], y, n_jobs=1) for features in own]
    first, second, *more = played
    choice = choose(first, second, *more, names=[str(k) for k in range(len(own))])
    winner = int(choice.winner)
    truth = race.truth(X, y, own[winner])
    alone = played[winner].auc_interval()
    found = _chosen(choice, alone, truth)
    if repetition < n_nested:
        nested = BestByLeaveOneOut(tuple(own))
        t = tournament(nested, X, y, n_jobs=1)
        chosen = nested.fit(X, np.where(y, 1.0, -1.0)).features_
        found |= _nested(t, race.truth(X, y, chosen))
    return found


def measure_grid(race: Race, repetition: int) -> Quantities:
    """Play a grid of penalties, choose, and compare with the truth."""
    X, y, _ = race.draw(repetition)
    grid = np.logspace(-3, 4, race.n_candidates)
    played = [tournament(RLS(float(penalty)), X, y, n_jobs=1) for penalty in grid]
    first, second, *more = played
    choice = choose(first, second, *more, names=[str(k) for k in range(grid.size)])
    winner = int(choice.winner)
    best = RLS(float(grid[winner])).fit(X, np.where(y, 1.0, -1.0))
    nested = RidgeClassifierCV(grid)
    return {
        **_chosen(choice, played[winner].auc_interval(), race.true_auc(best.coef_)),
        **_nested(
            tournament(nested, X, y, n_jobs=1), race.true_auc(np.ravel(nested.fit(X, y).coef_))
        ),
    }


def _chosen(choice: Choice, alone: Interval, truth: float) -> Quantities:
    return {
        "true AUC of the winner": (truth, 0.0),
        "error uncorrected": (choice.uncorrected - truth, 0.0),
        "error corrected": (choice.auc - truth, 0.0),
        "interval as if alone": holds(alone.low, alone.high, truth),
        "interval of choose": holds(choice.low, choice.high, truth),
        "error of nested": (np.nan, np.nan),
        "interval of nested": (np.nan, np.nan),
        "true AUC of nested": (np.nan, np.nan),
    }


def _nested(t: Tournament, truth: float) -> Quantities:
    low, high = t.auc_interval()
    return {
        "error of nested": (t.auc - truth, 0.0),
        "interval of nested": holds(low, high, truth),
        "true AUC of nested": (truth, 0.0),
    }


def measurements(repetitions: int) -> list[Measurement]:
    """Return everything that is measured."""
    races = [
        (Race(n_candidates, n_units, has_signal), n_nested)
        for (n_candidates, n_units), n_nested in NESTED.items()
        for has_signal in (False, True)
    ]
    grids = [
        Measurement(f"grid of {race.name}", partial(measure_grid, race), min(repetitions, most))
        for race, most in (
            (Race(n_candidates, n_units, has_signal), most)
            for (n_candidates, n_units), most in GRIDS.items()
            for has_signal in (False, True)
        )
    ]
    return grids + [
        Measurement(
            race.name,
            partial(measure_choice, race, n_nested),
            min(repetitions, REPETITIONS[race.n_units]),
        )
        for race, n_nested in races
    ]


def main() -> None:
    """Measure, and write the table."""
    command("choice", __doc__.split("\n")[0], measurements, 1000)


if __name__ == "__main__":
    main()
