"""One repetition of each of the paper's experiments: a row of numbers.

The columns are `COLUMNS`: the true AUC, three estimates of it, ξ, and true and estimated
sensitivity at nine specificities.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.experiments.grid import N_UNITS, RESAMPLES, SPECIFICITIES
from tlpo.experiments.harrell import draw_copies, harrell_auc
from tlpo.experiments.knn_truth import Judgement, judge, knn_scores, neighbour_scores
from tlpo.experiments.repetitions import Rows
from tlpo.experiments.samples import Setting
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.response import fit_and_respond
from tlpo.games.standings import circular_triads, max_circular_triads
from tlpo.learners import RLS, InverseDistanceKNN
from tlpo.roc.curve import sensitivity_at
from tlpo.schemes.leave_one_out import score_each_unit
from tlpo.schemes.tournament import play_tournament

COLUMNS = (
    "true",
    "loo",
    "lpo",
    "tlpo",
    "consistency",
    *(f"true sensitivity {s:g}" for s in SPECIFICITIES),
    *(f"sensitivity {s:g}" for s in SPECIFICITIES),
)


def repeat_synthetic(setting: Setting, seed: int, repetitions: IntArray) -> Rows:
    """Draw samples, play their tournaments and compare with the truth."""
    rows = np.empty((len(repetitions), len(COLUMNS)))
    for row, k in zip(rows, repetitions.tolist(), strict=True):
        rng = setting.rng(k, seed)
        X, y = setting.draw(rng)
        row[:] = _row(setting.learner, X, y, _true(setting, X, y, rng))
    return Rows(rows)


def repeat_harrell(setting: Setting, seed: int, repetitions: IntArray) -> Rows:
    """Bootstrap the same samples."""
    rows = np.empty((len(repetitions), 1))
    for row, k in zip(rows, repetitions.tolist(), strict=True):
        rng = setting.rng(k, seed)
        X, y = setting.draw(rng)
        row[0] = harrell_auc(setting.learner, X, y, draw_copies(y, RESAMPLES, rng))
    return Rows(rows)


def repeat_random(seed: int, repetitions: IntArray) -> Rows:
    """Play with a learner that ignores its training set: every game is a coin toss."""
    rows = np.empty((len(repetitions), 1))
    first, second = np.triu_indices(N_UNITS, 1)
    for row, k in zip(rows, repetitions.tolist(), strict=True):
        won = np.random.default_rng([seed, k]).integers(2, size=first.size)
        scores = np.bincount(np.where(won, first, second), minlength=N_UNITS).astype(float)
        row[0] = 1.0 - circular_triads(scores) / max_circular_triads(N_UNITS)
    return Rows(rows)


@dataclass(frozen=True, eq=False)
class Pool:
    """A large table: samples are drawn from it, and the rest is the test set.

    Attributes
    ----------
    name : str
        What it is.
    X, y : ndarray
        Features and classes.
    """

    name: str
    X: FloatArray
    y: BoolArray

    @cached_property
    def digest(self) -> str:
        """Identify its content."""
        content = hashlib.blake2b(np.ascontiguousarray(self.X).tobytes(), digest_size=8)
        content.update(self.y.tobytes())
        return content.hexdigest()

    def is_large(self, fraction: float, repetitions: int) -> bool:
        """Return whether it has enough units for this many samples that share none."""
        p = round(N_UNITS * fraction)
        n_positive = int(np.count_nonzero(self.y))
        needed = (repetitions * p, repetitions * (N_UNITS - p))
        return needed[0] <= n_positive and needed[1] <= self.y.size - n_positive

    def draw(self, fraction: float, repetition: int, seed: int, apart: bool) -> IntArray:
        """Draw units without replacement; ``apart``: no two repetitions share one."""
        p = round(N_UNITS * fraction)
        parts = []
        for kind, size in ((True, p), (False, N_UNITS - p)):
            units = np.flatnonzero(self.y == kind)
            if apart:
                order = np.random.default_rng([seed, round(100 * fraction), kind]).permutation(
                    units
                )
                parts.append(order[repetition * size : (repetition + 1) * size])
            else:
                rng = np.random.default_rng([seed, round(100 * fraction), kind, repetition])
                parts.append(rng.choice(units, size, replace=False))
        return np.concatenate(parts)

    def score_rest(self, learner: str, units: IntArray) -> tuple[FloatArray, BoolArray]:
        """Fit a learner to some units; return scores and classes of all others."""
        X, y = self.X[units], self.y[units]
        if learner == "ridge":
            scores = fit_and_respond(RLS(), X, y, self.X)
        else:  # the same votes as InverseDistanceKNN, compiled
            scores = neighbour_scores(X, y, self.X)
        rest = np.ones(self.y.size, dtype=bool)
        rest[units] = False
        return scores[rest], self.y[rest]


def repeat_pool(
    pool: Pool, learner: str, fraction: float, seed: int, apart: bool, repetitions: IntArray
) -> Rows:
    """Draw 30 units, play their tournament and judge the model on all other units."""
    rows = np.empty((len(repetitions), len(COLUMNS)))
    for row, k in zip(rows, repetitions.tolist(), strict=True):
        units = pool.draw(fraction, k, seed, apart)
        X, y = pool.X[units], pool.y[units]
        scores, is_positive = pool.score_rest(learner, units)
        truth = judge(scores[is_positive], scores[~is_positive], np.array(SPECIFICITIES))
        row[:] = _row(learner, X, y, truth)
    return Rows(rows)


def _true(setting: Setting, X: FloatArray, y: BoolArray, rng: np.random.Generator) -> Judgement:
    if setting.n_signal == 0 or setting.learner == "ridge":
        distance = 0.0
        if setting.n_signal:
            # RLS in its dual form; its own fit favours accuracy and takes ten times as long.
            w = X.T @ np.linalg.solve(X @ X.T + 1.0 + np.eye(y.size), np.where(y, 1.0, -1.0))
            distance = float(w[: setting.n_signal].sum() / np.linalg.norm(w))
        # The scores of two normal classes with variance one, this far apart.
        sensitivity = ndtr(distance + ndtri(1.0 - np.array(SPECIFICITIES)))
        return Judgement(float(ndtr(distance / np.sqrt(2.0))), sensitivity)
    scores = knn_scores(X, y, setting.n_signal, rng)
    half = scores.size // 2
    return judge(scores[:half], scores[half:], np.array(SPECIFICITIES))


def _row(learner: str, X: FloatArray, y: BoolArray, truth: Judgement) -> FloatArray:
    estimator = RLS() if learner == "ridge" else InverseDistanceKNN()
    contest = Contest(estimator, X, y, ContestOptions(n_jobs=1, predictions=False))
    t, loo = play_tournament(contest), score_each_unit(contest)
    curve = t.roc_curve()
    found = [sensitivity_at(curve, s) for s in SPECIFICITIES]
    return np.array(
        [truth.auc, loo.auc, t.lpo_auc, t.tlpo_auc, t.consistency, *truth.sensitivity, *found]
    )
