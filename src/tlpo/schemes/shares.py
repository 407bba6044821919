"""How often scores order units as their outcome does: an AUC, Hand and Till's M, a concordance."""

from __future__ import annotations

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.problem.outcome import Classes, Outcome, SeveralClasses
from tlpo.roc.curve import wmw_auc
from tlpo.roc.order import concordance_of_scores
from tlpo.roc.several import auc_of_scores


def share_of_scores(scores: FloatArray, outcome: Outcome, units: IntArray | BoolArray) -> float:
    """Return how often scores order some units as they should; NaN if no two are ordered.

    Parameters
    ----------
    scores : ndarray of shape (u,), or (u, K) for K classes
        Of these units.
    outcome : Outcome
        Of all units.
    units : ndarray
        Which they are; a unit may be there several times.
    """
    if isinstance(outcome, Classes):
        return wmw_auc(scores, outcome.is_positive[units])
    if isinstance(outcome, SeveralClasses):
        return auc_of_scores(scores, outcome.code[units])
    may_win = outcome.may_win
    return concordance_of_scores(
        scores, outcome.level[units], None if may_win is None else may_win[units]
    )
