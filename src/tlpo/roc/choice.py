"""The best of several AUCs: by how much it is flattered, and an interval that knows of the choice.

The largest of K estimates A_k is too large on average, because chance decides part of the race. Let
``e ~ N(0, D^½ R D^½)`` be errors like those of the estimates, D their variances and R their
correlations. Drawn on top of the estimates, they decide the race anew; the mean of e at whoever
wins then is the optimism o. The corrected AUC is ``A − o`` of the winner.

The interval is the score interval about the corrected AUC, its lower limit not above that of a
simultaneous interval about the winner: the score interval with the quantile of ``max_k e_k/√V_k``.

Measured alternatives that were worse: bootstrap bias correction on the games (more bias left
without signal), and shrinking all estimates towards their mean (too low with signal).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.roc.placements import Placements


class Race(NamedTuple):
    """What chance may have done in a race of several AUCs.

    Attributes
    ----------
    winner : int
        The largest; the first of equals.
    optimism : float
        By how much it is expected to be too large.
    quantile : float
        Of the largest standardised error, one-sided.
    """

    winner: int
    optimism: float
    quantile: float


def simulate_selection(
    aucs: FloatArray,
    variances: FloatArray,
    correlations: FloatArray,
    confidence_level: float,
    n_draws: int,
    rng: np.random.Generator,
) -> Race:
    """Draw errors on top of the estimates and see who wins.

    Examples
    --------
    Two equal estimates whose errors are independent with standard deviation 0.1: the larger error
    is 0.1/√π on average.

    >>> aucs, variances, rng = np.full(2, 0.7), np.full(2, 0.01), np.random.default_rng(0)
    >>> race = simulate_selection(aucs, variances, np.eye(2), 0.95, 100_000, rng)
    >>> race.winner, round(race.optimism, 2), round(0.1 / float(np.sqrt(np.pi)), 2)
    (0, 0.06, 0.06)
    """
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    z = rng.standard_normal((n_draws, aucs.size)) @ root.T
    errors = z * np.sqrt(variances)
    first = np.argmax(aucs + errors, axis=1)
    optimism = float(errors[np.arange(n_draws), first].mean())
    quantile = float(np.quantile(z.max(axis=1), (1.0 + confidence_level) / 2.0))
    return Race(int(np.argmax(aucs)), max(0.0, optimism), quantile)


def correlations_of(placements: list[Placements]) -> FloatArray:
    """Return the correlations of AUCs of the same units, from their placements.

    Where an AUC shows no spread (perfect separation) it is taken to be independent of the others.
    """
    K = len(placements)
    own = np.array([p.variance.total for p in placements])
    R = np.eye(K)
    for k in range(K):
        for other in range(k):
            if own[k] > 0 and own[other] > 0:
                apart = (placements[k] - placements[other]).variance.total
                shared = (own[k] + own[other] - apart) / (2.0 * np.sqrt(own[k] * own[other]))
                R[k, other] = R[other, k] = np.clip(shared, -1.0, 1.0)
    return R
