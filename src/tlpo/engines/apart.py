"""Which models learn several classes apart: as if each were alone against all others.

The response of such a model for a class is that of the same model fitted on two classes, this one
and the rest. Whatever engine plays two classes then plays them all.
"""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from tlpo.engines.preparation.prepared import Prepared
from tlpo.games.response import fits_numbers


def learns_apart(prepared: Prepared) -> bool:
    """Return whether each class may be played against the others by itself."""
    selects = prepared.columns is not None and prepared.columns.n_best is not None
    return not selects and is_apart(prepared.model)


def is_apart(model: Any) -> bool:
    """Return whether a model learns classes apart, whatever stands before it."""
    if fits_numbers(model):
        return True
    if type(model) in (RidgeClassifier, LinearSVC):
        return model.class_weight is None and getattr(model, "multi_class", "ovr") == "ovr"
    return type(model) is KNeighborsClassifier
