"""Least squares with the outcome reordered: the hat matrix stays, one decomposition serves all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.engines.least_squares.families import DiscriminantFamily, Family
from tlpo.engines.least_squares.hat import Hat
from tlpo.errors import EngineError
from tlpo.games.schedule import Pairs
from tlpo.problem.problem import Problem

# The whole hat matrix is kept if it fits into this many bytes.
HAT_BUDGET = 256 * 2**20


@dataclass(frozen=True, eq=False)
class HatReordering:
    """Plays tournaments of the same units with their outcomes in other orders.

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
    target, level : ndarray of shape (m,)
        What models are fitted on, and who should win.
    """

    H: FloatArray
    sign: float
    a: FloatArray
    scale: FloatArray
    error: float
    least_det: float
    target: FloatArray
    level: IntArray

    def shares(self, orders: IntArray, pairs: Pairs) -> tuple[FloatArray, IntArray]:
        """Return the AUC or concordance of each order, and how many of its games are doubtful."""
        from tlpo.engines.least_squares.kernels import reordered_shares

        shares = np.empty(len(orders))
        doubts = np.empty(len(orders), dtype=np.intp)
        reordered_shares(
            self.H,
            self.sign,
            self.a,
            self.scale,
            self.error,
            self.least_det,
            self.target,
            self.level,
            orders,
            pairs == "ordered",
            shares,
            doubts,
        )
        return shares, doubts


def share_hat(
    family: Family, problem: Problem, decompose: Callable[[], Hat]
) -> HatReordering | None:
    """Keep the hat matrix, unless every order must be played separately."""
    m = problem.n_units
    # Whether discriminant analysis is well posed depends on the labels.
    if isinstance(family, DiscriminantFamily) or problem.leaves_out_more or 8 * m * m > HAT_BUDGET:
        return None
    try:
        hat = decompose()
        weight = family.weight(problem)
    except EngineError:
        return None
    H = np.empty((m, m))
    for first, rows in hat.row_blocks(m * m):
        H[first : first + len(rows), first:] = rows
    upper = np.triu(H, 1)
    scale = np.ones(m) if weight is None else np.sqrt(weight)
    return HatReordering(
        upper + upper.T,
        hat.sign,
        hat.a,
        scale,
        hat.error,
        hat.least_det,
        problem.scaled_target,
        problem.outcome.level,
    )
