"""Models that do not learn from their training sets.

A rule from elsewhere is a legitimate thing to test, a model that was fitted on these very units is
not, and nobody can tell one from the other by its predictions. Both are remarked upon.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from tlpo.execution.fits import Fitter
from tlpo.problem.problem import Problem

_REMEDY = (
    "If it was fitted on these units, the result is that of its own training data and says nothing "
    "about new ones. If it comes from elsewhere, it is a fixed score: tlpo.assess is for these."
)


def remark_on_part(estimator: Any) -> str | None:
    """Return what to know about a model of which a part is never fitted, or None."""
    part = _frozen_part(estimator)
    return None if part is None else f"A part of the model is not fitted here: {part}. {_REMEDY}"


def remark_on_whole(estimator: Any, problem: Problem) -> str | None:
    """Return what to know about a model that two very different training sets leave the same.

    The sets are two halves of the units, the second with the outcome reversed: whatever learns
    from the outcome or from features changes.
    """
    order = np.argsort(problem.outcome.level, kind="stable")
    first, second = order[::2], order[1::2]
    mirror = np.empty_like(order)
    mirror[order] = order[::-1]
    turned = replace(problem, y=problem.y[mirror], outcome=problem.outcome.reordered(mirror))
    everyone = np.arange(problem.n_units)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, _ = Fitter(estimator, problem).ask(np.sort(first), everyone)
            other, _ = Fitter(estimator, turned).ask(np.sort(second), everyone)
    except Exception:  # it has looked at what it was given
        return None
    # Constant responses follow nobody's label: all games tie.
    if not np.array_equal(one, other) or (one == one[0]).all():
        return None
    return f"The model does not change with its training set. {_REMEDY}"


def is_about_learning(text: str) -> bool:
    """Return whether a text of diagnostics is one of these remarks."""
    return text.endswith(_REMEDY)


@contextmanager
def said_elsewhere() -> Iterator[None]:
    """Issue no Python warnings of these remarks, for a caller that shows them its own way."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{re.escape(_REMEDY)}", UserWarning)
        yield


def _frozen_part(estimator: Any) -> str | None:
    """Name the first part that keeps an earlier fit."""
    try:
        params = {"": estimator, **estimator.get_params(deep=True)}
    except Exception:  # of a stranger
        return None
    for name, value in params.items():
        last = name.rpartition("__")[2]
        if isinstance(value, FrozenEstimator):
            return type(value).__name__
        if isinstance(value, str) and value == "prefit":
            return f"{last}='prefit'"
    return None
