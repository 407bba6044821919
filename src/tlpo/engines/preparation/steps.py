"""Take a pipeline apart."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from tlpo.engines.preparation.prepared import Prepared, unprepared
from tlpo.problem.problem import Problem


def prepare(estimator: Any, problem: Problem) -> Prepared | str:
    """Return an estimator taken apart, or why only refitting can play it."""
    if type(estimator) is not Pipeline:
        return unprepared(estimator, problem)
    return "A pipeline is fitted anew for every pair."
