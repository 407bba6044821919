"""Two markers of two classes for `proc.R`: fine and coarse, good and useless, few and many."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn import datasets

from studies.references.draws import Draws
from tlpo.arrays import FloatArray, IntArray


class Marked(NamedTuple):
    """Classes 0 and 1, and two markers of the same units."""

    y: IntArray
    first: FloatArray
    second: FloatArray


def _drawn(seed: int, p: int, n: int, distance: float, decimals: int = 3) -> Marked:
    """Return normal markers, correlated, whose classes are some distance apart."""
    draws = Draws(seed)
    y = (np.arange(p + n) < p).astype(np.intp)
    common, one, other = draws.normal(3, p + n)
    first = np.round(common + one + distance * y, decimals)
    second = np.round(common + other + 0.5 * distance * y, decimals)
    return Marked(y, first, second)


def _breast_cancer() -> Marked:
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return Marked(1 - y, X[:, 1], X[:, 9])


def _iris() -> Marked:
    X, y = datasets.load_iris(return_X_y=True)
    return Marked((y[y > 0] == 2).astype(np.intp), X[y > 0, 0], X[y > 0, 2])


def _skewed() -> Marked:
    drawn = _drawn(9, 40, 60, 1.0)
    return drawn._replace(first=np.round(np.exp(drawn.first), 3))


CASES: dict[str, Callable[[], Marked]] = {
    "balanced": lambda: _drawn(1, 50, 50, 1.5),
    "few": lambda: _drawn(2, 8, 9, 1.0),
    "rare": lambda: _drawn(3, 12, 150, 1.2),
    "useless": lambda: _drawn(4, 40, 50, 0.0),
    "reversed": lambda: _drawn(5, 30, 30, -1.0),
    "good": lambda: _drawn(6, 60, 60, 4.0),
    "grades": lambda: _drawn(7, 45, 55, 1.0, decimals=0),
    "ties": lambda: _drawn(8, 70, 90, 1.0, decimals=1),
    "skewed": _skewed,
    "many": lambda: _drawn(10, 300, 500, 0.8),
    "breast cancer": _breast_cancer,
    "iris": _iris,
}


def cases() -> dict[str, Marked]:
    """Return every data set."""
    return {name: make() for name, make in CASES.items()}
