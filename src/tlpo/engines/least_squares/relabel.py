"""Least squares with other labels: the hat matrix stays, so one decomposition serves them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.base import PREDICTIONS_BUDGET
from tlpo.engines.least_squares.families import DiscriminantFamily, recognise
from tlpo.errors import EngineError
from tlpo.problem.problem import Problem
from tlpo.schedule import Pairs


@dataclass(frozen=True, eq=False)
class Relabelling:
    """Plays tournaments of the same units with other labels.

    Attributes
    ----------
    H : ndarray of shape (m, m)
        The hat matrix times `sign`, symmetric.
    sign : float
        1 or −1.
    a, scale : ndarray of shape (m,)
        ``1 − h_ii`` and √s.
    error, least_det : float
        What makes a game doubtful.
    """

    H: FloatArray
    sign: float
    a: FloatArray
    scale: FloatArray
    error: float
    least_det: float

    def aucs(self, is_positive: BoolArray, pairs: Pairs) -> tuple[FloatArray, IntArray]:
        """Return the AUC for each row of labels, and how many games were doubtful.

        With ``pairs="all"`` the TLPO AUC, with ``"opposite"`` the LPO AUC. Where games were
        doubtful, an engine that refits them must decide.
        """
        from tlpo.engines.least_squares.kernels import relabelled_aucs

        aucs = np.empty(len(is_positive))
        doubts = np.empty(len(is_positive), dtype=np.intp)
        opposite = pairs == "opposite"
        relabelled_aucs(
            self.H,
            self.sign,
            self.a,
            self.scale,
            self.error,
            self.least_det,
            is_positive,
            opposite,
            aucs,
            doubts,
        )
        return aucs, doubts


def relabelling(estimator: Any, problem: Problem) -> Relabelling | str:
    """Decompose once, or say why every permutation has to be played by itself."""
    family = recognise(estimator)
    if isinstance(family, str):
        return family
    if isinstance(family, DiscriminantFamily):
        return "Whether discriminant analysis is well posed depends on the labels."
    if problem.leaves_out_more:
        return "More than two units are left out of some games."
    reason = family.why_not(problem)
    if reason is not None:
        return reason
    m = problem.n_units
    if 8 * m * m > PREDICTIONS_BUDGET:
        return f"The hat matrix of {m} units is too large to keep."
    try:
        weight = family.weight(problem)
        hat = family.decompose(problem.X, problem.signs, weight)
    except EngineError as error:
        return str(error)
    H = np.empty((m, m))
    for first, rows in hat.row_blocks(m * m):
        H[first : first + len(rows), first:] = rows
    upper = np.triu(H, 1)
    scale = np.ones(m) if weight is None else np.sqrt(weight)
    return Relabelling(upper + upper.T, hat.sign, hat.a, scale, hat.error, hat.least_det)
