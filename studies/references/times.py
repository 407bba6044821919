"""Data sets of times to an event for `survival.R`, with ties, few events and heavy censoring."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from studies.references.draws import Draws
from tlpo.arrays import BoolArray, FloatArray, IntArray


class Timed(NamedTuple):
    """Times, events, features of which the first is the marker, and a group of each unit."""

    time: FloatArray
    event: BoolArray
    X: FloatArray
    group: IntArray

    @property
    def marker(self) -> FloatArray:
        """The score that is assessed."""
        return self.X[:, 0]


def _drawn(
    seed: int,
    m: int,
    followed: float,
    step: float = 0.0,
    grades: int = 0,
    censoring: float = 0.0,
) -> Timed:
    """Return exponential times whose risk rises with the features.

    ``followed`` is when the study ends, ``step`` what times are rounded up to, ``grades`` how many
    values the marker has, ``censoring`` the share that may leave at any time before the end.
    """
    draws = Draws(seed)
    X = draws.normal(m, 3)
    if grades:
        X[:, 0] = np.clip(np.floor(grades / 2 + X[:, 0]), 0, grades - 1)
    hazard = np.exp(0.6 * X[:, 0] - 0.4 * X[:, 1])
    own = np.round(-np.log(1.0 - np.minimum(draws.uniform(m), 0.9999)) / hazard, 4)
    leaves = draws.uniform(m) < censoring
    end = np.where(leaves, followed * draws.uniform(m), followed)
    time = np.round(np.minimum(own, end), 4)
    event = own <= end
    time = np.ceil(time / step) * step if step else np.maximum(time, 0.0001)
    time = np.maximum(np.round(time, 4), step)
    return Timed(time, event, X, np.arange(m, dtype=np.intp) % 3)


def _bundled(name: str, columns: tuple[str, ...], group: str, most: int) -> Timed:
    from sksurv import datasets

    X, y = getattr(datasets, f"load_{name}")()
    event, time = (y[field] for field in y.dtype.names)
    features = X[list(columns)].to_numpy(dtype=np.float64)
    _, member = np.unique(X[group].astype(str), return_inverse=True)
    return Timed(time[:most].astype(np.float64), event[:most], features[:most], member[:most])


CASES: dict[str, Callable[[], Timed]] = {
    "no ties": lambda: _drawn(1, 60, 9.0),
    "all events": lambda: _drawn(2, 40, 99.0),
    "half censored": lambda: _drawn(3, 80, 0.7, censoring=0.5),
    "heavily censored": lambda: _drawn(4, 150, 0.15, censoring=0.7),
    "tied times": lambda: _drawn(5, 70, 3.0, step=0.25, censoring=0.3),
    "tied scores": lambda: _drawn(6, 70, 3.0, grades=4, censoring=0.3),
    "tied times and scores": lambda: _drawn(7, 90, 2.0, step=0.5, grades=3, censoring=0.4),
    "two times": lambda: _drawn(8, 50, 2.0, step=1.0, grades=5, censoring=0.2),
    "small": lambda: _drawn(9, 14, 2.0, censoring=0.4),
    "large": lambda: _drawn(10, 250, 1.0, step=0.01, censoring=0.5),
    "veterans": lambda: _bundled(
        "veterans_lung_cancer",
        ("Karnofsky_score", "Age_in_years", "Months_from_Diagnosis"),
        "Celltype",
        137,
    ),
    "whas500": lambda: _bundled("whas500", ("age", "bmi", "hr", "sysbp"), "mitype", 200),
    "gbsg2": lambda: _bundled("gbsg2", ("pnodes", "age", "tsize"), "horTh", 250),
}


def cases() -> dict[str, Timed]:
    """Return every data set."""
    return {name: make() for name, make in CASES.items()}
