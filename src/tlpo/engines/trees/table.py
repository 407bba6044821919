"""The features of all units as trees see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from tlpo.arrays import BoolArray, IntArray, Places, SingleArray
from tlpo.engines.matrix import matrix_of
from tlpo.engines.trees.structure import CLOSEST, Rows
from tlpo.errors import EngineError


@dataclass(frozen=True, eq=False)
class Features:
    """Features in single precision, one row each.

    Attributes
    ----------
    x : ndarray of shape (n_features, m)
        Features.
    ranked : ndarray of shape (n_features, m)
        The units in the order of each feature.
    is_ranked : ndarray of shape (n_features,)
        Whether no two values of it are within 1e-7, so that there is only one order.
    """

    x: SingleArray
    ranked: Places
    is_ranked: BoolArray

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.x.shape[1])

    def rows(self, train: IntArray, ranks: bool = True) -> Rows:
        """Return some units, which may be repeated, as a training set.

        Without ranks, units are sorted at every node: if few features are tried, or if a unit is
        repeated with different weights, so that it matters in which order.
        """
        if not ranks:
            is_ranked = np.zeros(len(self.x), dtype=bool)
            x = np.ascontiguousarray(self.x[:, train])
            return Rows(x, np.empty((0, 0), dtype=np.int32), is_ranked, False)
        rank = np.empty(self.x.shape, dtype=np.intp)
        np.put_along_axis(rank, self.ranked, np.arange(self.n_units)[None], axis=1)
        order = np.argsort(rank[:, train], axis=1, kind="stable").astype(np.int32)
        are_apart = np.unique(train).size == train.size
        return Rows(np.ascontiguousarray(self.x[:, train]), order, self.is_ranked, are_apart)


def features_of(X: Any) -> Features:
    """Return the features of a table; raises an error that says why if trees cannot have them."""
    if sparse.issparse(X):
        raise EngineError("Trees on sparse data are not covered.")
    with np.errstate(over="ignore"):
        x = np.ascontiguousarray(matrix_of(X).T, dtype=np.float32)
    if not np.isfinite(x).all():
        raise EngineError("X has values that are too large for single precision.")
    ranked = np.argsort(x, axis=1, kind="stable")
    values = np.take_along_axis(x, ranked, axis=1)
    is_ranked = np.all(values[:, 1:] > values[:, :-1] + CLOSEST, axis=1)
    return Features(x, ranked.astype(np.int32), is_ranked)
