"""Data sets of two classes for `glmnet.R`: real and drawn, tall and wide, pleasant and not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from sklearn import datasets

import tlpo
from studies.references.draws import Draws
from tlpo.arrays import FloatArray, IntArray

N_FOLDS = 10
# Penalties of the path whose coefficients are stored, from few features to nearly no penalty.
PLACES = (3, 8, 14, 20, 26)


class TwoClasses(NamedTuple):
    """Features, classes 0 and 1, and the share of the lasso in the penalty."""

    X: FloatArray
    y: IntArray
    l1_ratio: float

    @property
    def fold(self) -> IntArray:
        """The fold of every unit: units of a class are dealt in turn."""
        fold = np.empty(self.y.size, dtype=np.intp)
        for label in (0, 1):
            own = np.flatnonzero(self.y == label)
            fold[own] = (np.arange(own.size) + label * N_FOLDS // 2) % N_FOLDS
        return fold


def _breast_cancer(l1_ratio: float) -> TwoClasses:
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return TwoClasses(X[:200, :12], y[:200], l1_ratio)


def _iris(l1_ratio: float) -> TwoClasses:
    X, y = datasets.load_iris(return_X_y=True)
    return TwoClasses(X[y > 0], y[y > 0] - 1, l1_ratio)


def _wine(l1_ratio: float) -> TwoClasses:
    X, y = datasets.load_wine(return_X_y=True)
    return TwoClasses(X[:, :6], (y == 1).astype(np.intp), l1_ratio)


def _diabetes(l1_ratio: float) -> TwoClasses:
    X, y = datasets.load_diabetes(return_X_y=True)
    return TwoClasses(X, (y > 140).astype(np.intp), l1_ratio)


def _digits(l1_ratio: float) -> TwoClasses:
    """Threes and eights: some pixels are always empty."""
    X, y = datasets.load_digits(return_X_y=True)
    chosen = np.flatnonzero(np.isin(y, (3, 8)))[:120]
    return TwoClasses(X[chosen], (y[chosen] == 8).astype(np.intp), l1_ratio)


def _drawn(seed: int, m: int, p: int, share: float = 0.5) -> tuple[FloatArray, IntArray]:
    """Return features of which the first three tell the classes in part."""
    draws = Draws(seed)
    X = draws.normal(m, p)
    z = X[:, :3].sum(axis=1) + 1.5 * draws.normal(m)
    return X, (z > np.sort(z)[round((1 - share) * m) - 1]).astype(np.intp)


def _tall(l1_ratio: float) -> TwoClasses:
    return TwoClasses(*_drawn(1, 200, 5), l1_ratio)


def _wide(l1_ratio: float) -> TwoClasses:
    return TwoClasses(*_drawn(2, 60, 150), l1_ratio)


def _correlated(l1_ratio: float) -> TwoClasses:
    """Each feature is close to the one before it."""
    X, y = _drawn(3, 80, 20)
    for k in range(1, X.shape[1]):
        X[:, k] = np.round(0.95 * X[:, k - 1] + 0.3 * X[:, k], 3)
    return TwoClasses(X, y, l1_ratio)


def _scales(l1_ratio: float) -> TwoClasses:
    """Units of features differ by powers of ten, and two features are constant."""
    X, y = _drawn(4, 90, 8)
    X = X * 10.0 ** np.arange(-3, 5) + 2.0
    X[:, [1, 6]] = 7.0
    return TwoClasses(X, y, l1_ratio)


def _rare(l1_ratio: float) -> TwoClasses:
    return TwoClasses(*_drawn(5, 150, 8, share=0.1), l1_ratio)


def _binary(l1_ratio: float) -> TwoClasses:
    """Categories as columns of 0 and 1, some of them rare."""
    X, y = _drawn(6, 120, 12)
    return TwoClasses((np.linspace(-0.5, 1.6, 12) < X).astype(np.float64), y, l1_ratio)


def _twins(l1_ratio: float) -> TwoClasses:
    """Two features occur twice, once turned round."""
    X, y = _drawn(7, 100, 6)
    return TwoClasses(np.column_stack([X, X[:, 0], 3.0 - 2.0 * X[:, 1]]), y, l1_ratio)


def _nothing(l1_ratio: float) -> TwoClasses:
    """No feature has to do with the classes."""
    X, _ = _drawn(8, 100, 10)
    return TwoClasses(X, (np.arange(100) % 2).astype(np.intp), l1_ratio)


CASES: dict[str, tuple[Callable[[float], TwoClasses], tuple[float, ...]]] = {
    "breast cancer": (_breast_cancer, (1.0,)),
    "iris": (_iris, (1.0, 0.1)),
    "wine": (_wine, (0.5,)),
    "diabetes": (_diabetes, (1.0, 0.5)),
    "digits": (_digits, (1.0,)),
    "tall": (_tall, (0.5,)),
    "wide": (_wide, (1.0, 0.1)),
    "correlated": (_correlated, (1.0, 0.5, 0.1)),
    "scales": (_scales, (1.0, 0.1)),
    "rare": (_rare, (1.0, 0.5)),
    "binary": (_binary, (1.0, 0.5)),
    "twins": (_twins, (0.5, 0.1)),
    "nothing": (_nothing, (1.0,)),
}


def cases() -> dict[str, TwoClasses]:
    """Return every data set with every share of the lasso."""
    return {
        f"{name}, {l1_ratio:g}": make(l1_ratio)
        for name, (make, ratios) in CASES.items()
        for l1_ratio in ratios
    }


def fit(case: TwoClasses, **parameters: Any) -> tlpo.ElasticNetLogisticCV:
    """Fit the elastic net of tlpo with the folds of a data set."""
    model = tlpo.ElasticNetLogisticCV(case.l1_ratio, n_folds=N_FOLDS, **parameters)
    with mock.patch("tlpo.learners.folds.folds_of", return_value=case.fold):
        return model.fit(case.X, case.y)
